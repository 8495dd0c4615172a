#!/bin/sh
# SPDX-License-Identifier: MIT
# time limit: 900 s
# Breaks real sources in one place each (t/mc/mutants.txt) and runs a part of
# their explorer test, which must fail.  (As they are it passes: see there.)
top=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$top}
cc=${CC:-cc}
flags="-std=gnu11 -w -include $build/config.h -I$top/include
	-DPLAIT_EXPLORE -I$top/t -I$top/t/mc"

case ${PLAIT_SANITIZER:-no} in
no) ;;
*) echo "1..0 # SKIP the build without sanitizers does this"; exit 0 ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src" "$work/o" || exit 1

# Tests name what they are built of in the variable below, as in t/local.mk.
sources_of()
{
	case $1 in
	15-explore-sys)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" ;;
	13-explore-team)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/base/alloc.c src/base/error.c src/pool/team.c" ;;
	17-explore-pool)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/base/error.c src/pool/ready.c src/pool/tally.c" ;;
	37-explore-pilot)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/base/error.c src/object/hope.c" \
			"src/object/pilot.c" ;;
	53-explore-instances)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/base/error.c src/run/instances.c src/run/over.c" ;;
	53-explore-lone)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/object/lone.c" ;;
	54-explore-lanes)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/run/park.c" ;;
	54-explore-regions)
		echo "src/sys/event.c src/sys/mutex.c src/sys/wait.c" \
			"src/base/alloc.c src/base/error.c src/base/vector.c" \
			"src/plan/plan.c src/run/compile.c src/run/crew.c" \
			"src/run/lane.c src/run/park.c" ;;
	55-explore-helped)
		echo "src/run/help.c src/run/band.c src/base/error.c" ;;
	19-explore-handle) # includes src/object/handle.c
		echo "src/base/error.c src/sys/mutex.c" ;;
	esac
}

count=0
said()	# said ok|not TEXT
{
	count=$((count + 1))
	[ "$1" = ok ] && echo "ok $count - $2" || echo "not ok $count - $2"
}

# One object of each file; a mutant compiles again what its edit may touch.
# Nearly all the time of a run is spent in the explorer, of a mutant compiling.
compile()	# compile FILE OBJECT SRC-FOLDER [FLAG]
{
	# shellcheck disable=SC2086
	$cc $flags ${4:--O0} "-I$3" -c "$1" -o "$2" 2>>"$work/log"
}

for file in "$top"/t/mc/*.c "$top/t/tap.c"; do
	compile "$file" "$work/o/$(basename "$file" .c).o" "$top/src" -O1 || {
		sed 's/^/# /' "$work/log"
		echo "Bail out! the explorer does not compile"
		exit 1
	}
done

# The objects of a test as it is, in o/TEST.
compile_test()	# compile_test TEST
{
	mkdir -p "$work/o/$1"
	for file in t/$1.c $(sources_of "$1"); do
		compile "$top/$file" "$work/o/$1/$(basename "$file" .c).o" \
			"$top/src" || return 1
	done
}

# Run a test with SOURCE taken from the tree below $work/src; a header may
# matter to all, a source file to itself and to a test that includes it.  99: it does not compile.
run_test()	# run_test TEST SOURCE PART
{
	rm -rf "$work/x"
	cp -R "$work/o/$1" "$work/x"
	for file in t/$1.c $(sources_of "$1"); do
		case $2:$file in
		*.h:* | "$file:$file" | *:t/*) ;;
		*) continue ;;
		esac
		case $file in
		src/*) path=$work/$file ;;
		*) path=$top/$file ;;
		esac
		compile "$path" "$work/x/$(basename "$file" .c).o" \
			"$work/src" || return 99
	done
	$cc -o "$work/x/test" "$work"/x/*.o "$work"/o/*.o -lpthread ||
		return 99
	PLAIT_SOAK=0 MC_STOP=1 "$work/x/test" "$3" >"$work/out" 2>&1
}

previous=
while IFS='|' read -r test source edit what; do
	case $test in '' | '#'*) continue ;; esac
	part=${test#* }
	test=$(echo ${test%% *})
	part=$(echo $part)
	source=$(echo $source)
	rm -rf "$work/src"
	cp -R "$top/src" "$work/src"
	chmod -R u+w "$work/src"
	if [ "$test" != "$previous" ]; then
		previous=$test
		compile_test "$test" || said not "$test does not compile"
	fi
	sed -i "$edit" "$work/$source"
	if cmp -s "$work/$source" "$top/$source"; then
		said not "${source##*/}:$what: the edit changes nothing"
		continue
	fi
	run_test "$test" "$source" "$part"
	case $? in
	0) said not "${source##*/}:$what: nobody notices" ;;
	99) said not "${source##*/}:$what: does not compile"
		sed 's/^/# /' "$work/log" | tail -5 ;;
	*) reason=$(sed -n 's/^# [^:]*: //p' "$work/out" | head -1 |
		cut -c 1-60)
		[ -n "$reason" ] && said ok "${source##*/}:$what: $reason" ||
			said not "${source##*/}:$what: fails, but says nothing"
		;;
	esac
done <"$top/t/mc/mutants.txt"
echo "1..$count"
