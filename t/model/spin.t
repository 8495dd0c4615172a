#!/bin/sh
# SPDX-License-Identifier: MIT
# Spin models of the protocols of sleeping (src/sys/eventcount.c), of parked lanes
# (src/run/host/lane_park.c) and of regions (src/run/host/lane_interpreter.c): the
# right ones have no errors, and each mutant must have one, or the model proves nothing.
models=${abs_top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/t/model/spin
model=$models/wake.pml
# How a mutant must fail: by a sleeper that is left asleep.
failure='invalid end state'
count=0

for tool in spin "${CC:-cc}"; do
	if ! command -v "${tool%% *}" >/dev/null; then
		echo "1..0 # SKIP no $tool; on Debian: apt-get install spin gcc"
		exit 0
	fi
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# check NAME WANTED OPTIONS...: WANTED errors (0 or 1) with these -D options
check()
{
	name=$1
	wanted=$2
	shift 2
	count=$((count + 1))
	run=
	case " $* " in *LIVENESS*) run="-a -f";; *) safety=-DSAFETY;; esac
	case " $* " in *LIVENESS*) safety="-DNFAIR=4";; esac
	spin "$@" -a "$model" >spin.log 2>&1 &&
		${CC:-cc} -O0 -w -DMEMLIM=1024 $safety -o pan pan.c >cc.log 2>&1 &&
		./pan -w18 -m100000 $run >pan.log 2>&1
	errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log | tail -1)
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log |
		tail -1)
	# A search that was cut short proves nothing.
	grep -q 'max search depth too small\|out of memory' pan.log && errors=
	[ "$wanted" = 0 ] || grep -q "$failure" pan.log || errors=
	if [ "$errors" = "$wanted" ]; then
		echo "ok $count - $name: errors $errors, states $states"
	else
		echo "not ok $count - $name: errors '$errors', wanted $wanted"
		tail -15 spin.log cc.log pan.log 2>/dev/null | sed 's/^/# /'
	fi
	rm -f pan* ./*.trail _spin_nvr.tmp spin.log cc.log
}

check "fences, 1 sleeper" 0 -DSLEEPERS=1 -DROUNDS=3
check "fences, 2 sleepers" 0 -DSLEEPERS=2 -DROUNDS=2
check "fences, 2 sleepers, long" 0 -DSLEEPERS=2 -DROUNDS=5
check "membarrier, 1 sleeper" 0 -DLIGHT -DSLEEPERS=1 -DROUNDS=3
check "membarrier, 2 sleepers" 0 -DLIGHT -DSLEEPERS=2 -DROUNDS=2
check "fences, all threads get there" 0 -DLIVENESS -DSLEEPERS=2 -DROUNDS=2
check "membarrier, all threads get there" 0 -DLIVENESS -DLIGHT -DSLEEPERS=1
if [ "${PLAIT_SOAK:-0}" != 0 ]; then
	check "fences, 3 sleepers" 0 -DSLEEPERS=3 -DROUNDS=3
	check "membarrier, 3 sleepers" 0 -DLIGHT -DSLEEPERS=3 -DROUNDS=3
fi
check "mutant: no fence" 1 -DNO_FENCE -DSLEEPERS=1
check "mutant: no membarrier" 1 -DLIGHT -DNO_MEMBARRIER -DSLEEPERS=1
check "mutant: looks before it announces itself" 1 -DLOOK_FIRST -DSLEEPERS=1
check "mutant: wakes one" 1 -DWAKE_ONE -DSLEEPERS=2
check "mutant: truncated counter as futex word" 1 -DCOUNTER_FUTEX \
	-DSLEEPERS=2 -DROUNDS=5

model=$models/park.pml
check "parking, fences, 1 thread" 0 -DRUNNERS=1 -DVALUES=4
check "parking, fences, 3 threads" 0 -DRUNNERS=3 -DVALUES=3
check "parking, membarrier, 3 threads" 0 -DLIGHT -DRUNNERS=3 -DVALUES=3
check "parking, mutant: no fence" 1 -DNO_FENCE
check "parking, mutant: no membarrier" 1 -DLIGHT -DNO_MEMBARRIER
check "parking, mutant: does not look again" 1 -DNO_LOOK
check "parking, mutant: does not say that it waits" 1 -DNOT_WANTED
check "parking, mutant: forgets waiting lanes" 1 -DFORGETS_WANTED
check "parking, mutant: takes back a lane that another thread runs" 1 -DNO_OWNER
# By a lane that goes on though nothing has come.
failure='assertion violated'
check "parking, mutant: takes back a lane that another thread parked" 1 -DANY_PARKING \
	-DVALUES=3

model=$models/region.pml
check "regions, 2 lanes" 0 -DROUNDS=3
check "regions, 3 lanes" 0 -DOTHERS=2
check "regions, 2 lanes, cancelled" 0 -DCANCEL -DROUNDS=3
check "regions, 3 lanes, cancelled" 0 -DCANCEL -DOTHERS=2
check "regions, home fails" 0 -DFAIL=0 -DOTHERS=2
check "regions, another lane fails" 0 -DFAIL=1 -DOTHERS=2
if [ -n "$PLAIT_SOAK" ]; then
	check "regions, 3 lanes, cancelled, long" 0 -DCANCEL -DOTHERS=2 \
		-DROUNDS=3 -DRUNS=3
fi
check "regions, mutant: the number is written too late" 1 -DEARLY
check "regions, mutant: the number comes out too late" 1 -DRELAXED
check "regions, mutant: finished work is published too late" 1 -DRELAXED_DONE
check "regions, mutant: a failure comes out too late" 1 -DRELAXED_DONE -DFAIL=1
check "regions, mutant: decides before others are done" 1 -DNO_EXITS
# By a lane that waits for ever.
failure='invalid end state'
check "regions, mutant: decisions are not counted" 1 -DNO_NUMBER
check "regions, mutant: turns are not counted" 1 -DNO_TURN
check "regions, mutant: a new run forgets decisions" 1 -DFORGETS
check "regions, mutant: a stopped lane does not publish" 1 -DCANCEL -DSILENT
echo "1..$count"
