# SPDX-License-Identifier: MIT
# The explorer: real sources, compiled once more with -DPLAIT_EXPLORE.
# ThreadSanitizer would misread its threads, which are coroutines.
check_LTLIBRARIES += %D%/mc/libmc.la
MC_CPPFLAGS = $(AM_CPPFLAGS) -DPLAIT_EXPLORE -I$(top_srcdir)/%D%/mc
%C%_mc_libmc_la_SOURCES = %D%/mc/mc.c %D%/mc/mc_memory.c \
	%D%/mc/mc_mutate.c %D%/mc/mc_sys.c %D%/mc/mc_tap.c %D%/mc/mc_thread.c
%C%_mc_libmc_la_CPPFLAGS = $(MC_CPPFLAGS)
LDADD_MC = %D%/mc/libmc.la t/lib/libtap.la
MC_TESTS =
if !SANITIZE_THREAD
PLAIN_TESTS += $(MC_TESTS)
SERIAL_TESTS += %D%/litmus.t
endif
%C%_litmus_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_litmus_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/known_algorithms.t
%C%_known_algorithms_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_known_algorithms_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/mutex_eventcount.t
%C%_mutex_eventcount_t_SOURCES = %D%/mutex_eventcount.c src/sys/eventcount.c \
	src/sys/mutex.c src/sys/backoff.c
%C%_mutex_eventcount_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_mutex_eventcount_t_LDADD = $(LDADD_MC)
PLAIN_SCRIPT_TESTS += %D%/spin.t
PLAIN_SCRIPT_TESTS += %D%/mutants.t
META_TESTS += %D%/orders.t
MC_TESTS += %D%/counter_core_ready.t
%C%_counter_core_ready_t_SOURCES = %D%/counter_core_ready.c %D%/ready_list.h \
	src/base/error.c src/pool/ready.c src/pool/counter_core.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_counter_core_ready_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_counter_core_ready_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/parallel_for.t
%C%_parallel_for_t_SOURCES = %D%/parallel_for.c src/base/alloc.c \
	src/base/error.c src/pool/parallel_for.c src/pool/loop_helper.c \
	src/pool/loop_job.c src/pool/callback_scope.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_parallel_for_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_parallel_for_t_LDADD = $(LDADD_MC)
# Includes src/object/handle/handle_table.c, to begin with an empty table.
MC_TESTS += %D%/handle_table.t
%C%_handle_table_t_SOURCES = %D%/handle_table.c src/base/error.c \
	src/sys/mutex.c
%C%_handle_table_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_handle_table_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/progress_driver_submit_listener.t
%C%_progress_driver_submit_listener_t_SOURCES = \
	%D%/progress_driver_submit_listener.c src/base/error.c \
	src/object/signal/submit_listener.c \
	src/object/progress/progress_driver.c src/sys/eventcount.c \
	src/sys/mutex.c src/sys/backoff.c
%C%_progress_driver_submit_listener_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_progress_driver_submit_listener_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/timer.t
%C%_timer_t_SOURCES = %D%/timer.c src/base/error.c \
	src/object/progress/timer.c src/object/progress/timer_heap.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_timer_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_timer_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/completion.t
%C%_completion_t_SOURCES = %D%/completion.c src/base/error.c \
	src/run/external/completion.c src/run/external/cancel_external.c \
	src/sys/mutex.c
%C%_completion_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_completion_t_LDADD = $(LDADD_MC)
# Includes src/object/handle/handle_table.c, as handle_table.t.
MC_TESTS += %D%/gate.t
%C%_gate_t_SOURCES = %D%/gate.c src/base/error.c \
	src/object/handle/object.c src/object/signal/gate.c src/sys/mutex.c
%C%_gate_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_gate_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/loop_prelude.t
%C%_loop_prelude_t_SOURCES = %D%/loop_prelude.c
%C%_loop_prelude_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_loop_prelude_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/instance_pool_run_instance.t
%C%_instance_pool_run_instance_t_SOURCES = %D%/instance_pool_run_instance.c \
	src/run/instance_pool.c src/run/run_instance.c src/run/run_turns.c \
	src/pool/callback_scope.c src/base/error.c src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_instance_pool_run_instance_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_instance_pool_run_instance_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/run_turns.t
%C%_run_turns_t_SOURCES = %D%/run_turns.c \
	src/run/instance_pool.c src/run/run_turns.c \
	src/pool/callback_scope.c src/base/error.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_run_turns_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_run_turns_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/idle_section.t
%C%_idle_section_t_SOURCES = %D%/idle_section.c \
	src/object/queue/idle_section.c src/pool/time_slice.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_idle_section_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_idle_section_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/stop_device_loops.t
%C%_stop_device_loops_t_SOURCES = %D%/stop_device_loops.c src/base/error.c \
	src/object/progress/progress_driver.c \
	src/run/queue/stop_device_loops.c src/sys/eventcount.c src/sys/mutex.c \
	src/sys/backoff.c
%C%_stop_device_loops_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_stop_device_loops_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/lane_park.t
%C%_lane_park_t_SOURCES = %D%/lane_park.c src/run/host/lane_park.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_lane_park_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_lane_park_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/program_recorder.t
%C%_program_recorder_t_SOURCES = %D%/program_recorder.c \
	src/run/host/host_engine.c src/run/api/prepare.c src/run/program.c src/run/record/recorder.c \
	src/base/error.c src/base/log.c src/sys/clock.c src/sys/eventcount.c src/sys/mutex.c \
	src/sys/backoff.c
%C%_program_recorder_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_program_recorder_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/run.t
%C%_run_t_SOURCES = %D%/run.c src/run/run_instance.c src/run/run.c \
	src/run/run_turns.c src/pool/callback_scope.c \
	src/base/error.c src/sys/eventcount.c src/sys/mutex.c \
	src/sys/backoff.c
%C%_run_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_run_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/kernel_versions.t
%C%_kernel_versions_t_SOURCES = %D%/kernel_versions.c \
	src/run/kernel_versions.c src/run/api/exchange.c src/base/error.c src/sys/eventcount.c \
	src/sys/mutex.c src/sys/backoff.c
%C%_kernel_versions_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_kernel_versions_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/lane_interpreter.t
%C%_lane_interpreter_t_SOURCES = %D%/lane_interpreter.c %D%/region_plans.h \
	%D%/no_external.h \
	src/run/host/lane_compiler.c src/run/host/lane_bodies.c \
	src/run/host/lane_tasks.c src/run/host/lane_interpreter.c \
	src/run/host/lane_park.c src/run/host/lane_patience.c \
	src/run/args/loop_count.c \
	src/base/alloc.c src/base/error.c src/base/text.c \
	src/base/vector.c src/plan/plan.c src/pool/time_slice.c \
	src/pool/callback_scope.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_lane_interpreter_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_lane_interpreter_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/steal_worker.t
%C%_steal_worker_t_SOURCES = %D%/steal_worker.c src/run/host/steal_worker.c \
	src/run/host/steal_setup.c src/pool/callback_scope.c src/base/error.c
%C%_steal_worker_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_steal_worker_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/flow_worker.t
%C%_flow_worker_t_SOURCES = %D%/flow_worker.c %D%/flow_pool.h \
	src/flow/lanes/flow_worker.c \
	src/flow/lanes/flow_lanes.c src/flow/lanes/flow_lanes_words.c \
	src/flow/lanes/held_ops.c \
	src/flow/lanes/outcomes.c src/base/error.c src/sys/mutex.c
%C%_flow_worker_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_flow_worker_t_LDADD = $(LDADD_MC)
# Includes src/coll/project/rank_direct.c, whose copies are checked for races.
MC_TESTS += %D%/rank_direct.t
%C%_rank_direct_t_SOURCES = %D%/rank_direct.c src/base/error.c \
	src/world/slot_link.c
%C%_rank_direct_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_rank_direct_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/slot_link.t
%C%_slot_link_t_SOURCES = %D%/slot_link.c src/world/slot_link.c
%C%_slot_link_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_slot_link_t_LDADD = $(LDADD_MC)
