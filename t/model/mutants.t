#!/bin/sh
# SPDX-License-Identifier: MIT
# time limit: 1200 s
# Mutants: real sources with one error each (t/model/mc/mutants.txt), and a part of
# their explorer test, which must fail.  (It passes on the real sources.)
top=${abs_top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${abs_top_builddir:-$top}
cc=${CC:-cc}
flags="-std=gnu11 -w -include $build/config.h -I$top/include
	-DPLAIT_EXPLORE -I$top/t/model/mc"

case ${PLAIT_SANITIZER:-no} in
no) ;;
*) echo "1..0 # SKIP the build without sanitizers does this"; exit 0 ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/mc" "$work/o" "$work/x" || exit 1
cp -R "$top/src" "$work/src" && chmod -R u+w "$work/src" || exit 1

# Tests name what they are built of in the variable below, as in local.mk.
sources_of()
{
	case $1 in
	mutex_eventcount)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" ;;
	parallel_for)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/alloc.c src/base/error.c src/pool/parallel_for.c" \
			"src/pool/loop_helper.c src/pool/loop_job.c src/pool/callback_scope.c" ;;
	counter_core_ready)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/pool/ready.c src/pool/counter_core.c" ;;
	progress_driver_submit_listener)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/object/signal/submit_listener.c" \
			"src/object/progress/progress_driver.c" ;;
	timer)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/object/progress/timer.c" \
			"src/object/progress/timer_heap.c" ;;
	completion)
		echo "src/sys/mutex.c src/base/error.c src/run/external/completion.c" \
			"src/run/external/cancel_external.c" ;;
	loop_prelude) # includes src/source/loop.prelude
		;;
	instance_pool_run_instance)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/run/instance_pool.c src/run/run_instance.c" \
			"src/run/run_turns.c src/pool/callback_scope.c" ;;
	run_turns)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/run/instance_pool.c src/run/run_turns.c" \
			"src/pool/callback_scope.c" ;;
	idle_section)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/pool/time_slice.c src/object/queue/idle_section.c" ;;
	stop_device_loops)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/object/progress/progress_driver.c" \
			"src/run/queue/stop_device_loops.c" ;;
	lane_park)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/run/host/lane_park.c" ;;
	program_recorder)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/base/log.c src/sys/clock.c" \
			"src/run/host/host_engine.c" \
			"src/run/api/prepare.c src/run/program.c src/run/record/recorder.c" ;;
	run)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/run/run_instance.c src/run/run.c" \
			"src/run/run_turns.c src/pool/callback_scope.c" ;;
	kernel_versions)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/error.c src/run/kernel_versions.c src/run/api/exchange.c" ;;
	lane_interpreter)
		echo "src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c" \
			"src/base/alloc.c src/base/error.c src/base/text.c src/base/vector.c" \
			"src/plan/plan.c src/pool/time_slice.c src/pool/callback_scope.c" \
			"src/run/host/lane_compiler.c src/run/host/lane_bodies.c" \
			"src/run/host/lane_tasks.c src/run/host/lane_interpreter.c" \
			"src/run/args/loop_count.c" \
			"src/run/host/lane_park.c src/run/host/lane_patience.c" ;;
	steal_worker)
		echo "src/run/host/steal_worker.c src/run/host/steal_setup.c src/base/error.c" \
			"src/pool/callback_scope.c" ;;
	flow_worker)
		echo "src/flow/lanes/flow_worker.c src/flow/lanes/flow_lanes.c" \
			"src/flow/lanes/flow_lanes_words.c src/flow/lanes/outcomes.c" \
			"src/flow/lanes/held_ops.c" \
			"src/base/error.c src/sys/mutex.c" ;;
	rank_direct) # includes src/coll/project/rank_direct.c
		echo "src/base/error.c src/world/slot_link.c" ;;
	slot_link)
		echo "src/world/slot_link.c" ;;
	gate) # includes src/object/handle/handle_table.c
		echo "src/base/error.c src/object/handle/object.c" \
			"src/object/signal/gate.c src/sys/mutex.c" ;;
	handle_table) # includes src/object/handle/handle_table.c
		echo "src/base/error.c src/sys/mutex.c" ;;
	esac
}

count=0
said()	# said ok|not TEXT
{
	count=$((count + 1))
	[ "$1" = ok ] && echo "ok $count - $2" || echo "not ok $count - $2"
}

# One object of each file, for all tests; a mutant compiles again what its edit
# may touch: a header may matter to all, a source file to itself and to a test that
# includes it.  All are compiled from the copy in $work/src, one file of which is
# edited at a time.  Nearly all the time of a run is spent in the explorer, of a
# mutant compiling.
compile()	# compile FILE OBJECT [FLAG]
{
	# shellcheck disable=SC2086
	$cc -iquote "$work/src" -iquote "$top/t" $flags ${3:--O0} -c "$1" -o "$2" 2>>"$work/log"
}

path_of()	# path_of FILE: where it is compiled from
{
	case $1 in src/*) echo "$work/$1" ;; *) echo "$top/$1" ;; esac
}

object_of()	# object_of FILE: where its object is, below a folder
{
	echo "${1%.c}.o" | tr / _
}

for file in "$top"/t/model/mc/*.c "$top/t/lib/tap.c"; do
	compile "$file" "$work/mc/$(basename "$file" .c).o" -O2 || {
		sed 's/^/# /' "$work/log"
		echo "Bail out! the explorer does not compile"
		exit 1
	}
done
$cc -r -nostdlib -o "$work/mc.o" "$work"/mc/*.o || exit 1

# The objects of a test as it is.
compile_test()	# compile_test TEST
{
	for file in t/model/$1.c $(sources_of "$1"); do
		object=$work/o/$(object_of "$file")
		[ -f "$object" ] || compile "$(path_of "$file")" "$object" ||
			return 1
	done
}

# touches TEST SOURCE FILE: may an edit of SOURCE change the object of FILE?
touches()
{
	case $2:$3 in
	*.h:* | "$3:$3") return 0 ;;
	*:t/*) grep -q "^#include .*${2#src/}" "$top/$3" ;;
	*) return 1 ;;
	esac
}

# Run a test with SOURCE as it is in $work.  99: it does not compile.
run_test()	# run_test TEST SOURCE PART
{
	objects=
	for file in t/model/$1.c $(sources_of "$1"); do
		object=$(object_of "$file")
		if touches "$1" "$2" "$file"; then
			compile "$(path_of "$file")" "$work/x/$object" ||
				return 99
			objects="$objects $work/x/$object"
		else
			objects="$objects $work/o/$object"
		fi
	done
	# shellcheck disable=SC2086
	$cc -o "$work/test" $objects "$work/mc.o" -lpthread || return 99
	# The search that finds most comes first, in all scenarios.
	for how in random depth; do
		PLAIT_SOAK=0 MC_STOP=$how "$work/test" "$3" >"$work/out" 2>&1 ||
			return 1
	done
}

previous=
while IFS='|' read -r test source edit what; do
	case $test in '' | '#'*) continue ;; esac
	part=${test#* }
	test=$(echo ${test%% *})
	part=$(echo $part)
	source=$(echo $source)
	if [ "$test" != "$previous" ]; then
		previous=$test
		compile_test "$test" || said not "$test does not compile"
	fi
	sed "$edit" "$top/$source" >"$work/$source"
	if cmp -s "$work/$source" "$top/$source"; then
		said not "${source##*/}:$what: the edit changes nothing"
		continue
	fi
	run_test "$test" "$source" "$part"
	status=$?
	cp "$top/$source" "$work/$source"
	case $status in
	0) said not "${source##*/}:$what: no scenario notices" ;;
	99) said not "${source##*/}:$what: does not compile"
		sed 's/^/# /' "$work/log" | tail -5 ;;
	*) reason=$(sed -n 's/^# [^:]*: //p' "$work/out" | head -1 |
		cut -c 1-60)
		[ -n "$reason" ] && said ok "${source##*/}:$what: $reason" ||
			said not "${source##*/}:$what: fails, but says nothing"
		;;
	esac
done <"$top/t/model/mc/mutants.txt"
echo "1..$count"
