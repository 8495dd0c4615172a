# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/lane_merge.t
%C%_lane_merge_t_LDADD = $(LDADD_PLAN)
API_TESTS += %D%/host_engine.t
%C%_host_engine_t_LDADD = $(LDADD_API)
API_TESTS += %D%/steal_worker.t
%C%_steal_worker_t_LDADD = $(LDADD_API)
API_TESTS += %D%/random_programs.t
%C%_random_programs_t_SOURCES = t/run/queue/random_programs.c \
	t/run/queue/programs.h t/lib/queued.h
%C%_random_programs_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_random_programs_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_ahead.t
%C%_repeat_ahead_t_SOURCES = t/run/queue/repeat_ahead.c \
	t/run/queue/repeats.h t/lib/queued.h
%C%_repeat_ahead_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_repeat_ahead_t_LDADD = $(LDADD_API)
API_TESTS += %D%/limits_in_use.t
%C%_limits_in_use_t_SOURCES = t/run/queue/limits_in_use.c t/lib/queued.h
%C%_limits_in_use_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_limits_in_use_t_LDADD = $(LDADD_API)
API_TESTS += %D%/host_values.t
%C%_host_values_t_SOURCES = t/run/queue/host_values.c t/lib/queued.h
%C%_host_values_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_host_values_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_nested.t
%C%_repeat_nested_t_SOURCES = t/run/queue/repeat_nested.c \
	t/run/queue/repeats.h t/lib/queued.h
%C%_repeat_nested_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_repeat_nested_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_filters.t
%C%_iterative_filters_t_SOURCES = t/run/queue/iterative_filters.c \
	t/run/queue/iterative.h t/run/queue/repeats.h \
	t/lib/queued.h
%C%_iterative_filters_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_iterative_filters_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_searches.t
%C%_iterative_searches_t_SOURCES = t/run/queue/iterative_searches.c \
	t/run/queue/iterative.h t/run/queue/repeats.h \
	t/lib/queued.h
%C%_iterative_searches_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_iterative_searches_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_steps.t
%C%_iterative_steps_t_SOURCES = t/run/queue/iterative_steps.c \
	t/run/queue/iterative.h t/run/queue/repeats.h \
	t/lib/queued.h
%C%_iterative_steps_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_iterative_steps_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_solvers.t
%C%_repeat_solvers_t_SOURCES = t/run/queue/repeat_solvers.c \
	t/run/queue/repeats.h t/lib/queued.h
%C%_repeat_solvers_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_repeat_solvers_t_LDADD = $(LDADD_API)
API_TESTS += %D%/rotating_copies.t
%C%_rotating_copies_t_SOURCES = t/run/queue/rotating_copies.c t/run/queue/repeats.h \
	t/lib/queued.h
%C%_rotating_copies_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_rotating_copies_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_sweeps.t
%C%_repeat_sweeps_t_SOURCES = t/run/queue/repeat_sweeps.c \
	t/run/queue/repeats.h t/lib/queued.h
%C%_repeat_sweeps_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_repeat_sweeps_t_LDADD = $(LDADD_API)
# A signal handler keeps workers asleep; ThreadSanitizer's would let them go on.
API_TESTS += %D%/steal_priorities.t
%C%_steal_priorities_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/starved_workers.t
%C%_starved_workers_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/affinity_one_cpu.t
%C%_affinity_one_cpu_t_SOURCES = %D%/affinity_one_cpu.c t/lib/runs.h \
	%D%/runs_pool.h
UNIT_TESTS += %D%/mode_timer.t
API_TESTS += %D%/call_op_ranges.t
%C%_call_op_ranges_t_LDADD = $(LDADD_SUITE)
