# SPDX-License-Identifier: MIT
include %D%/host/local.mk
include %D%/queue/local.mk
# NAME_queued and NAME_helped: the source of NAME, on queues or in mode HELPED.
API_TESTS += %D%/start.t
%C%_start_t_LDADD = $(LDADD_API)
API_TESTS += %D%/log_debug.t
%C%_log_debug_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/regions.t
%C%_regions_t_LDADD = $(LDADD_API)
API_TESTS += %D%/bind_copies.t
%C%_bind_copies_t_LDADD = $(LDADD_API)
API_TESTS += %D%/bind_parameters.t
%C%_bind_parameters_t_LDADD = $(LDADD_API)
API_TESTS += %D%/run_handle.t
%C%_run_handle_t_LDADD = $(LDADD_API)
API_TESTS += %D%/blocked_on.t
%C%_blocked_on_t_LDADD = $(LDADD_API)
API_TESTS += %D%/callable.t
%C%_callable_t_SOURCES = %D%/callable.c %D%/callables.h
%C%_callable_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/callable_thunk.t
%C%_callable_thunk_t_SOURCES = %D%/callable_thunk.c %D%/callables.h \
	t/lib/refuse.h
%C%_callable_thunk_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_predicates.t
%C%_external_command_predicates_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_predicates_queued.t
%C%_external_command_predicates_queued_t_SOURCES = \
	%D%/external_command_predicates.c
%C%_external_command_predicates_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_external_command_predicates_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_owners.t
%C%_external_command_owners_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_owners_queued.t
%C%_external_command_owners_queued_t_SOURCES = %D%/external_command_owners.c
%C%_external_command_owners_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_external_command_owners_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_signals.t
%C%_external_command_signals_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_command_signals_queued.t
%C%_external_command_signals_queued_t_SOURCES = %D%/external_command_signals.c
%C%_external_command_signals_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_external_command_signals_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/thread_exit.t
%C%_thread_exit_t_LDADD = $(LDADD_API)
API_TESTS += %D%/thread_exit_helped.t
%C%_thread_exit_helped_t_SOURCES = %D%/thread_exit.c
%C%_thread_exit_helped_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_MODE=PLAIT_MODE_HELPED
%C%_thread_exit_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/thread_exit_queued.t
%C%_thread_exit_queued_t_SOURCES = %D%/thread_exit.c
%C%_thread_exit_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_thread_exit_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/copy_nodes_rows.t
%C%_copy_nodes_rows_t_SOURCES = %D%/copy_nodes_rows.c t/lib/runs.h
%C%_copy_nodes_rows_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_ON_CHAOS
%C%_copy_nodes_rows_t_LDADD = $(LDADD_API)
API_TESTS += %D%/copy_nodes_rows_queued.t
%C%_copy_nodes_rows_queued_t_SOURCES = %D%/copy_nodes_rows.c t/lib/runs.h
%C%_copy_nodes_rows_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_copy_nodes_rows_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/start_queued.t
%C%_start_queued_t_SOURCES = %D%/start.c
%C%_start_queued_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_start_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/regions_queued.t
%C%_regions_queued_t_SOURCES = %D%/regions.c
%C%_regions_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_regions_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/bind_copies_queued.t
%C%_bind_copies_queued_t_SOURCES = %D%/bind_copies.c
%C%_bind_copies_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_bind_copies_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/bind_parameters_queued.t
%C%_bind_parameters_queued_t_SOURCES = %D%/bind_parameters.c
%C%_bind_parameters_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_bind_parameters_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/run_handle_queued.t
%C%_run_handle_queued_t_SOURCES = %D%/run_handle.c
%C%_run_handle_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_run_handle_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/start_helped.t
%C%_start_helped_t_SOURCES = %D%/start.c
%C%_start_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_start_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/random_graphs.t
%C%_random_graphs_t_SOURCES = %D%/random_graphs.c t/lib/maze_run.h
%C%_random_graphs_t_LDADD = $(LDADD_MAZE)
API_TESTS += %D%/random_graphs_steps.t
%C%_random_graphs_steps_t_SOURCES = %D%/random_graphs_steps.c t/lib/maze_run.h
%C%_random_graphs_steps_t_LDADD = $(LDADD_MAZE)
UNIT_TESTS += %D%/tune_queued.t
%C%_tune_queued_t_SOURCES = %D%/tune.c
%C%_tune_queued_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_FREEZE=PLAIT_FREEZE_QUEUES
UNIT_TESTS += %D%/tune.t
API_TESTS += %D%/kernel_versions.t
%C%_kernel_versions_t_LDADD = $(LDADD_API)
API_TESTS += %D%/kernel_versions_helped.t
%C%_kernel_versions_helped_t_SOURCES = %D%/kernel_versions.c
%C%_kernel_versions_helped_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_MODE=PLAIT_MODE_HELPED
%C%_kernel_versions_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/recorder.t
%C%_recorder_t_LDADD = $(LDADD_API)
API_TESTS += %D%/recorder_progress.t
%C%_recorder_progress_t_LDADD = $(LDADD_API)
API_TESTS += %D%/recorder_progress_queued.t
%C%_recorder_progress_queued_t_SOURCES = %D%/recorder_progress.c
%C%_recorder_progress_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_recorder_progress_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/recorder_queued.t
%C%_recorder_queued_t_SOURCES = %D%/recorder.c
%C%_recorder_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_recorder_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/recorder_helped.t
%C%_recorder_helped_t_SOURCES = %D%/recorder.c
%C%_recorder_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_recorder_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/known_faults.t
%C%_known_faults_t_LDADD = $(LDADD_API)
API_TESTS += %D%/known_faults_queued.t
%C%_known_faults_queued_t_SOURCES = %D%/known_faults.c
%C%_known_faults_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_SEEDS
%C%_known_faults_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/runs_in_flight.t
%C%_runs_in_flight_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/backend_names.t
%C%_backend_names_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/start_costs.t
%C%_start_costs_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=posix_memalign,--wrap=mmap,--wrap=pthread_mutex_lock \
	-Wl,--wrap=plait__mutex_lock,--wrap=plait__mutex_trylock \
	-Wl,--wrap=plait__futex_wait,--wrap=plait__futex_wake \
	-Wl,--wrap=plait__futex_barrier
SEEDED_TESTS += %D%/random_graphs.t %D%/random_graphs_steps.t
