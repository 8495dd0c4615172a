# SPDX-License-Identifier: MIT
API_TESTS += %D%/device_groups.t
%C%_device_groups_t_SOURCES = %D%/device_groups.c t/lib/queued.h
%C%_device_groups_t_LDADD = $(LDADD_API)
API_TESTS += %D%/queue_engine.t
%C%_queue_engine_t_SOURCES = %D%/queue_engine.c t/lib/queued.h t/lib/driver.h \
	t/lib/place.h
%C%_queue_engine_t_LDADD = $(LDADD_API)
API_TESTS += %D%/log_decisions.t
%C%_log_decisions_t_SOURCES = %D%/log_decisions.c t/lib/queued.h
%C%_log_decisions_t_LDADD = $(LDADD_API)
API_TESTS += %D%/compile_predicates.t
%C%_compile_predicates_t_SOURCES = %D%/compile_predicates.c t/lib/queued.h
%C%_compile_predicates_t_LDADD = $(LDADD_API)
API_TESTS += %D%/run_driver_loops.t
%C%_run_driver_loops_t_SOURCES = %D%/run_driver_loops.c t/lib/queued.h
%C%_run_driver_loops_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_ahead.t
%C%_repeat_ahead_t_SOURCES = %D%/repeat_ahead.c %D%/repeats.h \
	t/lib/queued.h
%C%_repeat_ahead_t_LDADD = $(LDADD_API)
API_TESTS += %D%/limits_in_use.t
%C%_limits_in_use_t_SOURCES = %D%/limits_in_use.c t/lib/queued.h
%C%_limits_in_use_t_LDADD = $(LDADD_API)
API_TESTS += %D%/host_values.t
%C%_host_values_t_SOURCES = %D%/host_values.c t/lib/queued.h
%C%_host_values_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_nested.t
%C%_repeat_nested_t_SOURCES = %D%/repeat_nested.c %D%/repeats.h \
	t/lib/queued.h
%C%_repeat_nested_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_filters.t
%C%_iterative_filters_t_SOURCES = %D%/iterative_filters.c %D%/iterative.h \
	%D%/repeats.h t/lib/queued.h
%C%_iterative_filters_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_searches.t
%C%_iterative_searches_t_SOURCES = %D%/iterative_searches.c %D%/iterative.h \
	%D%/repeats.h t/lib/queued.h
%C%_iterative_searches_t_LDADD = $(LDADD_API)
API_TESTS += %D%/iterative_steps.t
%C%_iterative_steps_t_SOURCES = %D%/iterative_steps.c %D%/iterative.h \
	%D%/repeats.h t/lib/queued.h
%C%_iterative_steps_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_solvers.t
%C%_repeat_solvers_t_SOURCES = %D%/repeat_solvers.c %D%/repeats.h \
	t/lib/queued.h
%C%_repeat_solvers_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_sorts.t
%C%_repeat_sorts_t_SOURCES = %D%/repeat_sorts.c %D%/repeats.h \
	t/lib/queued.h
%C%_repeat_sorts_t_LDADD = $(LDADD_API)
API_TESTS += %D%/unroll_loops.t
%C%_unroll_loops_t_SOURCES = %D%/unroll_loops.c %D%/unrolled.h %D%/regions.h \
	t/lib/queued.h
%C%_unroll_loops_t_LDADD = $(LDADD_API)
API_TESTS += %D%/unrolled_work.t
%C%_unrolled_work_t_SOURCES = %D%/unrolled_work.c %D%/unrolled.h t/lib/queued.h
%C%_unrolled_work_t_LDADD = $(LDADD_API)
API_TESTS += %D%/rotating_copies.t
%C%_rotating_copies_t_SOURCES = %D%/rotating_copies.c %D%/repeats.h \
	t/lib/queued.h
%C%_rotating_copies_t_LDADD = $(LDADD_API)
API_TESTS += %D%/repeat_sweeps.t
%C%_repeat_sweeps_t_SOURCES = %D%/repeat_sweeps.c %D%/repeats.h \
	t/lib/queued.h
%C%_repeat_sweeps_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/submit_batch_faults.t
%C%_submit_batch_faults_t_SOURCES = %D%/submit_batch_faults.c t/lib/queued.h
%C%_submit_batch_faults_t_LDADD = $(LDADD_API)
API_TESTS += %D%/retry.t
%C%_retry_t_SOURCES = %D%/retry.c t/lib/queued.h
%C%_retry_t_LDADD = $(LDADD_API)
API_TESTS += %D%/resolve_arguments.t
%C%_resolve_arguments_t_SOURCES = %D%/resolve_arguments.c t/lib/queued.h
%C%_resolve_arguments_t_LDADD = $(LDADD_API)
API_TESTS += %D%/launch_variants.t
%C%_launch_variants_t_SOURCES = %D%/launch_variants.c t/lib/queued.h
%C%_launch_variants_t_LDADD = $(LDADD_API)
API_TESTS += %D%/device_graphs.t
%C%_device_graphs_t_SOURCES = %D%/device_graphs.c t/lib/queued.h
%C%_device_graphs_t_LDADD = $(LDADD_API)
# Includes a source of the library.
UNIT_TESTS += %D%/compile_segments.t
%C%_compile_segments_t_LDADD = t/lib/libtap.la src/libplaitcore.la
API_TESTS += %D%/compile_device_loops.t
%C%_compile_device_loops_t_SOURCES = %D%/compile_device_loops.c t/lib/queued.h \
	%D%/regions.h
%C%_compile_device_loops_t_LDADD = $(LDADD_API)
API_TESTS += %D%/segment_fallback.t
%C%_segment_fallback_t_SOURCES = %D%/segment_fallback.c t/lib/queued.h \
	%D%/regions.h
%C%_segment_fallback_t_LDADD = $(LDADD_API)
API_TESTS += %D%/random_programs.t
%C%_random_programs_t_SOURCES = %D%/random_programs.c %D%/programs.h \
	t/lib/queued.h
%C%_random_programs_t_LDADD = $(LDADD_API)
API_TESTS += %D%/record_times.t
%C%_record_times_t_LDADD = $(LDADD_API)
SEEDED_TESTS += %D%/random_programs.t %D%/queue_engine.t \
	%D%/run_driver_loops.t %D%/repeat_ahead.t %D%/resolve_arguments.t %D%/launch_variants.t
API_TESTS += %D%/compile_lanes.t
%C%_compile_lanes_t_LDADD = $(LDADD_API)
