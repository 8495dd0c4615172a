#!/bin/sh
# SPDX-License-Identifier: MIT
# System calls that fail, under src/sys: an error comes back or another way is
# taken, never a hang.  Also what a setuid program sees of its environment.
probe=${abs_top_builddir:-.}/t/sys/probe
count=0

say()	# say NAME GOT WANTED
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1: $2"
	else
		echo "not ok $count - $1: '$2', wanted '$3'"
	fi
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

cpus=$("$probe" cpu)
say "plain event" "$("$probe" event | sed 's/ light.*//')" "event 0"
say "plain fd" "$("$probe" fd)" "raise 0 drain 1"
say "plain fork" "$("$probe" fork)" "own 0 child 1"

if [ "$PLAIT_SANITIZER" != no ] && [ -n "$PLAIT_SANITIZER" ]; then
	skip strace "sanitizers make system calls of their own"
elif ! strace -f -o /dev/null true 2>/dev/null; then
	skip strace "strace cannot run here; on Debian: apt-get install strace"
else
	fault()	# fault NAME PART WANTED INJECTION...
	{
		name=$1 part=$2 wanted=$3
		shift 3
		for injection; do
			set -- "$@" -e "inject=$injection"
			shift
		done
		# A build that counts lines says so when it cannot keep them.
		say "$name" "$(timeout 100 strace -f -o /dev/null "$@" \
			"$probe" "$part" 2>&1 | grep -v '^profiling:')" "$wanted"
	}
	fault "no descriptors left" fd "open -24" eventfd2:error=EMFILE
	fault "no eventfd" fd "open -38" eventfd2:error=ENOSYS
	# The program's own output is later: only the first calls fail.
	fault "write interrupted" fd "raise 0 drain 1" \
		write:error=EINTR:when=1..3
	fault "write fails" fd "raise -5 drain 0" write:error=EIO:when=1
	# Which of all calls is the first of that kind that is meant: the dynamic
	# linker makes some before, and a build that counts lines some behind.
	first()	# first SYSCALL PART PATTERN
	{
		strace -f -y -e trace="$1" "$probe" "$2" 2>&1 | grep "^$1(" |
			grep -n "$3" | head -n 1 | cut -d: -f1
	}
	reads=$(first read fd eventfd)
	fault "read interrupted" fd "raise 0 drain 1" \
		"read:error=EINTR:when=$reads"
	fault "read fails" fd "raise 0 drain -5" "read:error=EIO:when=$reads"
	fault "no membarrier" event "event 0 light 0" membarrier:error=ENOSYS
	fault "membarrier forbidden" event "event 0 light 0" \
		membarrier:error=EPERM
	# A thread's first futex call is pthread_once, or the wake, which cannot
	# fail in the kernel and must not here.
	fault "futex interrupted" event "event 0 light 1" \
		futex:error=EINTR:when=2..3
	fault "futex wakes for nothing" event "event 0 light 1" \
		futex:error=EAGAIN:when=2
	fault "no thread" event "start -11" clone3:error=EAGAIN
	fault "no page" fork "own 0 child 1" madvise:error=EINVAL
	fault "no affinity" cpu "cpus 1" sched_getaffinity:error=ENOSYS
	fault "no control groups" cpu "$cpus" \
		"openat:error=ENOENT:when=$(first openat cpu '"/\(proc\|sys\)/')+"

	# A file is replaced whole or not at all, and nothing stays beside it.
	files=$(mktemp -d)
	calls()	# calls SYSCALL: which one is ours, counted from the start
	{
		echo old >"$files/f"
		strace -f -y -e trace="$1" "$probe" whole "$files/f" 2>&1 |
			grep "^$1(" | grep -n "$files/f\\.[0-9]" | head -n 1 |
			cut -d: -f1
	}
	for fault in write:EIO write:ENOSPC fsync:EIO close:EIO rename:EXDEV; do
		call=${fault%%:*} name=${fault##*:}
		at=$(calls "$call")
		echo old >"$files/f"
		got=$(timeout 100 strace -f -o /dev/null \
			-e "inject=$call:error=$name:when=${at:-1}" \
			"$probe" whole "$files/f" 2>&1 | cut -d' ' -f1,2)
		say "replace: $call fails with $name" \
			"$got; $(ls "$files"): $(cat "$files/f")" \
			"write -5; f: old"
	done
	for fault in write fsync close; do
		at=$(calls "$fault")
		got=$(timeout 100 strace -f -o /dev/null \
			-e "inject=$fault:error=EINTR:when=${at:-1}" \
			"$probe" whole "$files/f" 2>&1)
		say "replace: $fault is interrupted" \
			"$got; $(ls "$files"): $(cat "$files/f")" \
			"write 0 0; f: new"
	done
	at=$(calls write)
	got=$(timeout 100 strace -f -o /dev/null \
		-e "inject=write:retval=1:when=${at:-1}" \
		"$probe" whole "$files/f" 2>&1)
	# strace only pretends: the first byte was not written.
	say "replace: a short write goes on" \
		"$got; $(ls "$files"): $(cat "$files/f")" "write 0 0; f: ew"
	rm -rf "$files"
fi

say "environment" "$(PLAIT_TEST=1 "$probe" env)" "privileged 0 value seen"
real=$probe
[ -f "${abs_top_builddir:-.}/t/sys/.libs/probe" ] &&
	real=${abs_top_builddir:-.}/t/sys/.libs/probe
copy=$(mktemp -d)
chmod 755 "$copy"
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null ||
	! cp "$real" "$copy/probe" || ! chmod 4755 "$copy/probe" ||
	findmnt -n -o OPTIONS -T "$copy" 2>/dev/null | grep -q nosuid; then
	skip "setuid" "needs root, setpriv and a file system with setuid"
else
	say "setuid" "$(PLAIT_TEST=1 setpriv --reuid 65534 --regid 65534 \
		--clear-groups "$copy/probe" env 2>&1)" \
		"privileged 1 value hidden"
fi
rm -rf "$copy"
echo "1..$count"
