#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of t/lib/run: status, time limit, output limit, nothing left.
set -u
run=${abs_top_builddir:-.}/t/lib/run
work=$(mktemp -d)
# A longer run has limits of its own.
unset PLAIT_TEST_SECONDS PLAIT_TEST_BYTES PLAIT_TEST_WRAPPER PLAIT_TEST_TIMES
trap 'rm -rf "$work"' EXIT
count=0 bad=0

is() {
	count=$((count + 1))
	if test "$2" = "$3"; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"; echo "#    got $2"; echo "#   want $3"
		bad=1
	fi
}

is "output passes through" "$("$run" echo hello 2>&1)" hello
"$run" sh -c 'exit 7' >/dev/null 2>&1; is "status passes through" $? 7
"$run" sh -c 'kill -SEGV $$' >/dev/null 2>&1; is "a signal is 128 and more" $? 139
"$run" "$work/nothing" >/dev/null 2>&1; is "a missing program is 127" $? 127

PLAIT_TEST_SECONDS=1 "$run" sh -c 'sleep 100' >"$work/out" 2>&1
is "the time limit ends it" $? 124
is "and says so" "$(grep -c '^Bail out! .*1 s$' "$work/out")" 1

PLAIT_TEST_BYTES=10000 "$run" yes >"$work/out" 2>&1
is "the output limit ends it" $? 125
PLAIT_TEST_BYTES=10000 "$run" sh -c 'yes >&2' >"$work/out" 2>&1
is "on the error stream too" $? 125

# Left behind: one in the group, one that ran away into a session of its own.
"$run" sh -c "sleep 1000 & echo \$! >'$work/one'; exit 0" >/dev/null 2>&1
mkfifo "$work/fifo"
"$run" sh -c "setsid sh -c 'echo \$\$ >$work/fifo; exec sleep 1000' >/dev/null 2>&1 &
	read pid <'$work/fifo'; echo \$pid >'$work/two'" >/dev/null 2>&1
for pid in $(cat "$work/one" "$work/two"); do
	kill -0 "$pid" 2>/dev/null; is "nothing is left behind" $? 1
done

printf '#!/bin/sh\n# time limit: 1 s\nsleep 100\n' >"$work/slow"
chmod +x "$work/slow"
"$run" "$work/slow" >/dev/null 2>&1; is "a test declares its own limit" $? 124

maps=$("$run" grep stack /proc/self/maps); again=$("$run" grep stack /proc/self/maps)
if test "$maps" = "$again"; then
	is "addresses are fixed" same same
else
	count=$((count + 1)); echo "ok $count # SKIP this system does not allow fixed addresses"
fi
PLAIT_TEST_TIMES=$work/times "$run" true
is "what it took is noted" "$(sed 's/[0-9][0-9]*\.[0-9][0-9]/0/g; s/^ *//; s/  */ /g' "$work/times")" "0 0 true"
is "a wrapper goes in front" "$(PLAIT_TEST_WRAPPER='echo under' "$run" this)" "under this"
echo "1..$count"
exit $bad
