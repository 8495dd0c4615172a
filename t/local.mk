# SPDX-License-Identifier: MIT
# Adding a test t/NN-area-what.t (families: 0x meta and base, 1x sys, 2x plugin
# loader, 3x objects, 4x graph and plan, 5x run, 6x conformance, 7x ABI and
# headers, 8x properties and faults, 9x stress and examples):
#
# - a unit test, which reaches the internals: t/NN-area-what.c and one line
#
#	UNIT_TESTS += %D%/NN-area-what.t
#
# - an API test, which sees what users see: t/NN-area-what.c and two lines
#
#	API_TESTS += %D%/NN-area-what.t
#	%C%_NN_area_what_t_LDADD = $(LDADD_API)
#
#   (sources beyond the one: %C%_NN_area_what_t_SOURCES = ...)
# - a script: an executable file t/NN-area-what.t and one line
#
#	SCRIPT_TESTS += %D%/NN-area-what.t
#
# - which lanes of bootstrap it runs in, by the list that it is in:
#
#	UNIT_TESTS, API_TESTS, SCRIPT_TESTS	every lane
#	SERIAL_TESTS, SERIAL_SCRIPT_TESTS	not ThreadSanitizer's: what they
#						try has one thread
#	SPARED_TESTS				the same: it sees these threads
#						in another test
#	PLAIN_TESTS, PLAIN_SCRIPT_TESTS		the plain build's alone: a
#						sanitizer sees the same code in
#						other tests, or none of ours
#	META_TESTS				the same; they read sources only
#
#   `make check` runs all of them in any build; with a sanitizer few sins, with
#   ThreadSanitizer no explorer.  bootstrap soak does so in its lanes gcc, asan
#   and tsan, but for META_TESTS, which run once, in gcc.
# - a program that a test starts, not a test itself:  TEST_HELPERS += %D%/name
# - a plugin which only tests load (shared, not installed):
#
#	check_LTLIBRARIES += %D%/bad/plait_NAME.la
#	%C%_bad_plait_NAME_la_SOURCES = %D%/bad/NAME.c
#	%C%_bad_plait_NAME_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
#	%C%_bad_plait_NAME_la_LDFLAGS = $(LDFLAGS_TESTPLUGIN)
#
# Every test runs through t/run (fixed addresses, 300 s, 16 MiB of output) with
#   abs_top_srcdir abs_top_builddir   where things are
#   PLAIT_PLUGIN_PATH                 the plugins of this build
#   PLAIT_SANITIZER                   no, address, thread or valgrind
#   CC CXX PKG_CONFIG                 what configure found
# in the environment.  A test alone, of which no other is built:
#   make one TEST=t/10-sys-event.t

UNIT_TESTS =
API_TESTS =
SCRIPT_TESTS =
SERIAL_TESTS =
SPARED_TESTS =
SERIAL_SCRIPT_TESTS =
PLAIN_TESTS =
PLAIN_SCRIPT_TESTS =
META_TESTS =
TEST_HELPERS =

LDADD = %D%/libtap.la src/libplaitcore.la
LDADD_API = %D%/libtap.la src/libplait.la
LDFLAGS_TESTPLUGIN = $(LDFLAGS_PLUGIN) -rpath /nowhere

# Host services without a core: tests that drive a plugin's table link it.
check_LTLIBRARIES += %D%/libfakehost.la
%C%_libfakehost_la_SOURCES = %D%/bed.c %D%/bed.h %D%/fakehost.c %D%/fakehost.h

check_LTLIBRARIES += %D%/libtap.la
%C%_libtap_la_SOURCES = %D%/tap.c %D%/tap.h

check_PROGRAMS += %D%/run $(UNIT_TESTS) $(API_TESTS) $(TEST_HELPERS)
%C%_run_LDADD =
# What a lane does without is built when it is asked for.
LANE_TESTS = $(SCRIPT_TESTS) $(UNIT_TESTS) $(API_TESTS)
if SANITIZE
EXTRA_PROGRAMS += $(PLAIN_TESTS)
else
check_PROGRAMS += $(PLAIN_TESTS)
LANE_TESTS += $(PLAIN_SCRIPT_TESTS) $(PLAIN_TESTS)
endif
if SANITIZE_THREAD
EXTRA_PROGRAMS += $(SERIAL_TESTS) $(SPARED_TESTS)
else
check_PROGRAMS += $(SERIAL_TESTS) $(SPARED_TESTS)
LANE_TESTS += $(SERIAL_SCRIPT_TESTS) $(SERIAL_TESTS) $(SPARED_TESTS)
endif
CLEANFILES += $(EXTRA_PROGRAMS)

TEST_EXTENSIONS = .t
# Scripts first, because the longest are among them.
CODE_TESTS = $(PLAIN_SCRIPT_TESTS) $(SCRIPT_TESTS) $(SERIAL_SCRIPT_TESTS) \
	$(PLAIN_TESTS) $(SERIAL_TESTS) $(SPARED_TESTS) $(UNIT_TESTS) $(API_TESTS)
TESTS += $(CODE_TESTS) $(META_TESTS)
# What says nothing of the build it runs in, because it compiles what it needs
# in its own way, and takes minutes in a longer run.
SAME_TESTS = $(MC_TESTS) %D%/16-model-wake.t %D%/18-explore-mutants.t
T_LOG_COMPILER = $(top_builddir)/%D%/run
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
T_LOG_DRIVER_FLAGS = --comments
ASAN_DEFAULTS = detect_stack_use_after_return=1:strict_string_checks=1
TSAN_DEFAULTS = halt_on_error=1:second_deadlock_stack=1:history_size=4
AM_TESTS_ENVIRONMENT = \
	abs_top_srcdir='$(abs_top_srcdir)'; \
	abs_top_builddir='$(abs_top_builddir)'; \
	PLAIT_PLUGIN_PATH='$(abs_top_builddir)/plugins/.libs'; \
	PLAIT_SANITIZER='$(enable_sanitizer)'; \
	CC='$(CC)'; PKG_CONFIG='$(PKG_CONFIG)'; \
	export abs_top_srcdir abs_top_builddir PLAIT_PLUGIN_PATH \
		PLAIT_SANITIZER CC PKG_CONFIG; \
	ASAN_OPTIONS=$${ASAN_OPTIONS-$(ASAN_DEFAULTS)}; \
	UBSAN_OPTIONS=$${UBSAN_OPTIONS-print_stacktrace=1}; \
	TSAN_OPTIONS=$${TSAN_OPTIONS-$(TSAN_DEFAULTS)}; \
	export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS; \
	PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE; \
	unset PLAIT_BACKEND PLAIT_LOG PLAIT_SYNC PLAIT_WORKERS \
		PLAIT_WRAP PLAIT_OPTIONS;

# What distcheck runs of a tarball, and what a longer run repeats with seeds:
# every test that asks for tap_seed() or reads PLAIT_SEED.
SMOKE_TESTS = %D%/00-tap.t %D%/01-run.t %D%/02-layers.t %D%/71-headers.t %D%/73-structs.t
SMOKE_RUNNERS = %D%/run %D%/00-tap.t
SMOKE_ARCHIVES = %D%/libtap.la
SEEDED_TESTS = %D%/00-tap.t

# What tests start or load is built too, since nobody knows which does.
.PHONY: one
one:
	@test -n '$(TEST)' || { echo 'make one TEST=%D%/NN-area-what.t'; exit 2; }
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TEST)' \
		check_PROGRAMS="%D%/run $(TEST_HELPERS) \
			$(filter $(TEST),$(check_PROGRAMS) $(EXTRA_PROGRAMS))"

include %D%/cuda/local.mk
# --- 0x meta and base ------------------------------------------------------
UNIT_TESTS += %D%/00-tap.t
PLAIN_SCRIPT_TESTS += %D%/01-run.t
PLAIN_SCRIPT_TESTS += %D%/08-coverage.t
META_TESTS += %D%/02-layers.t
META_TESTS += %D%/03-sizes.t
META_TESTS += %D%/04-words.t
META_TESTS += %D%/05-sins.t
META_TESTS += %D%/06-documents.t
META_TESTS += %D%/07-bootstrap.t
SERIAL_TESTS += %D%/05-base-text.t
UNIT_TESTS += %D%/07-cuda-standin.t
%C%_07_cuda_standin_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_07_cuda_standin_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/07-cuda-kernels.t
%C%_07_cuda_kernels_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_07_cuda_kernels_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/07-cuda-graphs.t
%C%_07_cuda_graphs_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_07_cuda_graphs_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/07-cuda-conditions.t
%C%_07_cuda_conditions_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_07_cuda_conditions_t_LDADD = $(LDADD_CUDA)
# --- 1x sys ----------------------------------------------------------------
UNIT_TESTS += %D%/10-sys-atomic.t
UNIT_TESTS += %D%/10-sys-event.t
UNIT_TESTS += %D%/10-sys-mutex.t
UNIT_TESTS += %D%/11-sys-cpu.t
UNIT_TESTS += %D%/11-sys-file.t
UNIT_TESTS += %D%/11-sys-fork.t
UNIT_TESTS += %D%/11-sys-system.t
UNIT_TESTS += %D%/11-sys-thread.t
UNIT_TESTS += %D%/11-sys-whole.t
SCRIPT_TESTS += %D%/12-sys-faults.t
UNIT_TESTS += %D%/12-pool-lane.t
UNIT_TESTS += %D%/13-pool-aside.t
UNIT_TESTS += %D%/13-pool-hop.t
UNIT_TESTS += %D%/13-pool-team.t
UNIT_TESTS += %D%/13-pool-wait.t
UNIT_TESTS += %D%/14-pool-failure.t
%C%_14_pool_failure_t_LDADD = $(LDADD) -lm
UNIT_TESTS += %D%/15-pool-stress.t
TEST_HELPERS += %D%/sys-probe
%C%_sys_probe_LDADD = src/libplaitcore.la
# The explorer: real sources, compiled once more with -DPLAIT_EXPLORE.
# It has its own idea of threads, which TSan could only misread.
check_LTLIBRARIES += %D%/mc/libmc.la
MC_CPPFLAGS = $(AM_CPPFLAGS) -DPLAIT_EXPLORE -I$(top_srcdir)/%D% \
	-I$(top_srcdir)/%D%/mc
%C%_mc_libmc_la_SOURCES = %D%/mc/mc.c %D%/mc/mc_memory.c \
	%D%/mc/mc_mutate.c %D%/mc/mc_sys.c %D%/mc/mc_tap.c %D%/mc/mc_thread.c
%C%_mc_libmc_la_CPPFLAGS = $(MC_CPPFLAGS)
LDADD_MC = %D%/mc/libmc.la %D%/libtap.la
%C%_14_explore_litmus_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_14_explore_litmus_t_LDADD = $(LDADD_MC)
if !SANITIZE_THREAD
SERIAL_TESTS += %D%/14-explore-litmus.t
PLAIN_TESTS += $(MC_TESTS)
endif
MC_TESTS = %D%/14-explore-known.t
%C%_14_explore_known_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_14_explore_known_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/15-explore-sys.t
%C%_15_explore_sys_t_SOURCES = %D%/15-explore-sys.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_15_explore_sys_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_15_explore_sys_t_LDADD = $(LDADD_MC)
PLAIN_SCRIPT_TESTS += %D%/16-model-wake.t
PLAIN_SCRIPT_TESTS += %D%/18-explore-mutants.t
META_TESTS += %D%/18-explore-orders.t
MC_TESTS += %D%/17-explore-pool.t
%C%_17_explore_pool_t_SOURCES = %D%/17-explore-pool.c %D%/explore_list.h \
	src/base/error.c src/pool/ready.c src/pool/counter_core.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_17_explore_pool_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_17_explore_pool_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/13-explore-team.t
%C%_13_explore_team_t_SOURCES = %D%/13-explore-team.c \
	src/base/alloc.c src/base/error.c src/pool/parallel_for.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_13_explore_team_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_13_explore_team_t_LDADD = $(LDADD_MC)
# This one includes src/object/handle/handle_table.c, to begin with an empty table.
MC_TESTS += %D%/19-explore-handle.t
%C%_19_explore_handle_t_SOURCES = %D%/19-explore-handle.c \
	src/base/error.c src/sys/mutex.c
%C%_19_explore_handle_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_19_explore_handle_t_LDADD = $(LDADD_MC)
# --- 2x plugin loader ------------------------------------------------------
include %D%/bad/local.mk
check_LTLIBRARIES += %D%/librig.la
%C%_librig_la_SOURCES = %D%/plugin_rig.c %D%/plugin_rig.h
LDADD_RIG = %D%/librig.la %D%/libtap.la src/libplaitcore.la
UNIT_TESTS += %D%/20-plugin-list.t
UNIT_TESTS += %D%/21-plugin-sins.t
%C%_21_plugin_sins_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/23-plugin-search.t
%C%_23_plugin_search_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/24-plugin-choose.t
%C%_24_plugin_choose_t_LDADD = $(LDADD_RIG)
SEEDED_TESTS += %D%/21-plugin-sins.t %D%/23-chaos-programs.t \
	%D%/23-plugin-search.t %D%/29-wrap-host.t
UNIT_TESTS += %D%/22-chaos-system.t
%C%_22_chaos_system_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/23-chaos-programs.t
%C%_23_chaos_programs_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/25-check-core.t
%C%_25_check_core_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/25-check-deciders.t
%C%_25_check_deciders_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/26-check-backend.t
%C%_26_check_backend_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/28-host-backend.t
UNIT_TESTS += %D%/27-fault-calls.t
%C%_27_fault_calls_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/28-trace-file.t
%C%_28_trace_file_t_LDADD = %D%/libfakehost.la %D%/libtap.la
UNIT_TESTS += %D%/29-wrap-host.t
%C%_29_wrap_host_t_LDADD = $(LDADD_RIG)
PLAIN_SCRIPT_TESTS += %D%/29-plugin-clone.t
SCRIPT_TESTS += %D%/29-tool-plait.t
# --- 3x objects ------------------------------------------------------------
UNIT_TESTS += %D%/30-object-handle.t
API_TESTS += %D%/31-object-grown.t
%C%_31_object_grown_t_LDADD = $(LDADD_API)
API_TESTS += %D%/31-object-input.t
%C%_31_object_input_t_LDADD = $(LDADD_API)
API_TESTS += %D%/31-object-open.t
%C%_31_object_open_t_LDADD = $(LDADD_API)
API_TESTS += %D%/32-object-life.t
%C%_32_object_life_t_LDADD = $(LDADD_API)
API_TESTS += %D%/33-object-queue.t
%C%_33_object_queue_t_LDADD = $(LDADD_API)
API_TESTS += %D%/33-object-rows.t
%C%_33_object_rows_t_LDADD = $(LDADD_API)
API_TESTS += %D%/33-object-transfer.t
%C%_33_object_transfer_t_LDADD = $(LDADD_API)
API_TESTS += %D%/34-object-inbox.t
%C%_34_object_inbox_t_LDADD = $(LDADD_API)
API_TESTS += %D%/34-object-owed.t
%C%_34_object_owed_t_LDADD = $(LDADD_API)
API_TESTS += %D%/35-object-fork.t
%C%_35_object_fork_t_LDADD = $(LDADD_API)
API_TESTS += %D%/36-object-races.t
%C%_36_object_races_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/38-object-ends.t
API_TESTS += %D%/38-object-depth.t
API_TESTS += %D%/39-object-exits.t
%C%_39_object_exits_t_LDADD = $(LDADD_API)
API_TESTS += %D%/37-object-lies.t
%C%_37_object_lies_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/37-object-upcall.t
API_TESTS += %D%/37-object-untold.t
%C%_37_object_untold_t_LDADD = $(LDADD_API)
API_TESTS += %D%/39-object-array.t
%C%_39_object_array_t_LDADD = $(LDADD_API)
%C%_39_object_array_t_SOURCES = %D%/39-object-array.c %D%/tensors.h
API_TESTS += %D%/39-object-export.t
%C%_39_object_export_t_LDADD = $(LDADD_API)
API_TESTS += %D%/39-object-native.t
%C%_39_object_native_t_LDADD = $(LDADD_API)
# --- 4x graph and plan -----------------------------------------------------
UNIT_TESTS += %D%/40-ffi-closure.t
%C%_40_ffi_closure_t_SOURCES = %D%/40-ffi-closure.c %D%/refuse.h
SERIAL_TESTS += %D%/40-kernel-split.t
SEEDED_TESTS += %D%/40-kernel-split.t
SERIAL_TESTS += %D%/40-kernel-signature.t
API_TESTS += %D%/40-kernel-forms.t
%C%_40_kernel_forms_t_SOURCES = %D%/40-kernel-forms.c %D%/kernels.h %D%/objects.h
%C%_40_kernel_forms_t_LDADD = $(LDADD_API)
API_TESTS += %D%/40-kernel-arguments.t
%C%_40_kernel_arguments_t_LDADD = $(LDADD_API)
API_TESTS += %D%/40-kernel-library.t
%C%_40_kernel_library_t_LDADD = $(LDADD_API)
check_LTLIBRARIES += %D%/forms.la
%C%_forms_la_SOURCES = %D%/forms/library.c
%C%_forms_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
SERIAL_TESTS += %D%/41-graph-text.t
API_TESTS += %D%/44-graph-builder.t
%C%_44_graph_builder_t_LDADD = $(LDADD_API)
API_TESTS += %D%/44-graph-parts.t
%C%_44_graph_parts_t_LDADD = $(LDADD_API)
API_TESTS += %D%/44-graph-short.t
%C%_44_graph_short_t_LDADD = $(LDADD_API)
API_TESTS += %D%/44-graph-spare.t
%C%_44_graph_spare_t_LDADD = $(LDADD_API)
API_TESTS += %D%/44-graph-ways.t
%C%_44_graph_ways_t_LDADD = $(LDADD_API)
API_TESTS += %D%/45-graph-large.t
%C%_45_graph_large_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/45-graph-loops.t
UNIT_TESTS += %D%/45-graph-known.t
%C%_45_graph_loops_t_SOURCES = %D%/45-graph-loops.c %D%/loops.h
API_TESTS += %D%/46-graph-named.t
%C%_46_graph_named_t_LDADD = $(LDADD_API)
API_TESTS += %D%/46-graph-refused.t
%C%_46_graph_refused_t_LDADD = $(LDADD_API)
API_TESTS += %D%/47-graph-import.t
%C%_47_graph_import_t_LDADD = $(LDADD_API)
API_TESTS += %D%/47-graph-taken.t
%C%_47_graph_taken_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/47-plan-bytes.t
noinst_LTLIBRARIES += %D%/libshapes.la
%C%_libshapes_la_SOURCES = %D%/shapes.c %D%/shapes.h
LDADD_PLAN = %D%/libshapes.la $(LDADD)
SERIAL_TESTS += %D%/42-plan-random.t
%C%_42_plan_random_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/42-plan-partial.t
%C%_42_plan_partial_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/42-plan-work.t
%C%_42_plan_work_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/43-plan-quality.t
%C%_43_plan_quality_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/44-plan-cases.t
%C%_44_plan_cases_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/45-plan-stress.t
%C%_45_plan_stress_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/46-plan-mutants.t
%C%_46_plan_mutants_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/47-plan-input.t
%C%_47_plan_input_t_LDADD = $(LDADD_PLAN)
UNIT_TESTS += %D%/48-plan-binding.t
SERIAL_TESTS += %D%/48-plan-same.t
API_TESTS += %D%/48-plan-shared.t
%C%_48_plan_shared_t_LDADD = $(LDADD_API)
%C%_48_plan_same_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/49-plan-bound.t
%C%_49_plan_bound_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/49-plan-place.t
%C%_49_plan_place_t_LDADD = $(LDADD_PLAN)
API_TESTS += %D%/49-plan-use.t
%C%_49_plan_use_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/49-plan-simulate.t
%C%_49_plan_simulate_t_LDADD = $(LDADD_PLAN)
SEEDED_TESTS += %D%/41-graph-text.t %D%/42-plan-random.t \
	%D%/42-plan-partial.t \
	%D%/43-plan-quality.t %D%/46-plan-mutants.t %D%/47-plan-bytes.t \
	%D%/47-plan-input.t %D%/49-plan-place.t %D%/49-plan-simulate.t \
	%D%/49-plan-use.t \
	%D%/81-plan-faults.t
PLAIN_SCRIPT_TESTS += %D%/46-tool-plan.t
SERIAL_SCRIPT_TESTS += %D%/55-tool-run.t
# --- 5x run ----------------------------------------------------------------
UNIT_TESTS += %D%/52-run-bound.t
UNIT_TESTS += %D%/50-run-fold.t
%C%_50_run_fold_t_LDADD = $(LDADD_PLAN)
API_TESTS += %D%/50-run-lanes.t
%C%_50_run_lanes_t_LDADD = $(LDADD_API)
API_TESTS += %D%/50-run-plain.t
%C%_50_run_plain_t_LDADD = $(LDADD_API)
API_TESTS += %D%/51-run-regions.t
%C%_51_run_regions_t_LDADD = $(LDADD_API)
API_TESTS += %D%/52-run-moves.t
%C%_52_run_moves_t_LDADD = $(LDADD_API)
API_TESTS += %D%/52-run-parameters.t
%C%_52_run_parameters_t_LDADD = $(LDADD_API)
API_TESTS += %D%/53-run-behind.t
%C%_53_run_behind_t_LDADD = $(LDADD_API)
API_TESTS += %D%/53-run-lone.t
%C%_53_run_lone_t_LDADD = $(LDADD_API)
API_TESTS += %D%/53-run-ends.t
%C%_53_run_ends_t_LDADD = $(LDADD_API)
API_TESTS += %D%/53-run-waits.t
%C%_53_run_waits_t_LDADD = $(LDADD_API)
API_TESTS += %D%/54-callable.t
%C%_54_callable_t_SOURCES = %D%/54-callable.c %D%/callables.h
%C%_54_callable_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/54-callable-refused.t
%C%_54_callable_refused_t_SOURCES = %D%/54-callable-refused.c %D%/callables.h \
	%D%/refuse.h
%C%_54_callable_refused_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-asked.t
%C%_55_run_asked_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-asked-queued.t
%C%_55_run_asked_queued_t_SOURCES = %D%/55-run-asked.c
%C%_55_run_asked_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_55_run_asked_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-owners.t
%C%_55_run_owners_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-owners-queued.t
%C%_55_run_owners_queued_t_SOURCES = %D%/55-run-owners.c
%C%_55_run_owners_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_55_run_owners_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-signals.t
%C%_55_run_signals_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-signals-queued.t
%C%_55_run_signals_queued_t_SOURCES = %D%/55-run-signals.c
%C%_55_run_signals_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_55_run_signals_queued_t_LDADD = $(LDADD_API)
MC_TESTS += %D%/37-explore-pilot.t
%C%_37_explore_pilot_t_SOURCES = %D%/37-explore-pilot.c \
	src/base/error.c src/object/signal/submit_listener.c src/object/progress/progress_driver.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_37_explore_pilot_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_37_explore_pilot_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/53-explore-deciding.t
%C%_53_explore_deciding_t_SOURCES = %D%/53-explore-deciding.c
%C%_53_explore_deciding_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_53_explore_deciding_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/53-explore-instances.t
%C%_53_explore_instances_t_SOURCES = %D%/53-explore-instances.c \
	src/run/instance_pool.c src/run/run_instance.c src/base/error.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_53_explore_instances_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_53_explore_instances_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/53-explore-lone.t
%C%_53_explore_lone_t_SOURCES = %D%/53-explore-lone.c \
	src/object/queue/idle_section.c src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_53_explore_lone_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_53_explore_lone_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-halts.t
%C%_54_explore_halts_t_SOURCES = %D%/54-explore-halts.c \
	src/base/error.c src/object/progress/progress_driver.c src/run/queue/stop_device_loops.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_halts_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_halts_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-lanes.t
%C%_54_explore_lanes_t_SOURCES = %D%/54-explore-lanes.c src/run/host/lane_park.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_lanes_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_lanes_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-made.t
%C%_54_explore_made_t_SOURCES = %D%/54-explore-made.c src/run/host/host_engine.c \
	src/run/program.c src/run/record/recorder.c src/base/error.c \
	src/sys/clock.c src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_made_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_made_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-runs.t
%C%_54_explore_runs_t_SOURCES = %D%/54-explore-runs.c \
	src/run/run_instance.c src/run/run.c src/base/error.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_runs_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_runs_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-versions.t
%C%_54_explore_versions_t_SOURCES = %D%/54-explore-versions.c \
	src/run/kernel_versions.c src/base/error.c \
	src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_versions_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_versions_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/54-explore-regions.t
%C%_54_explore_regions_t_SOURCES = %D%/54-explore-regions.c \
	%D%/explore_plans.h src/run/host/lane_compiler.c src/run/host/lane_bodies.c src/run/host/lane_tasks.c src/run/host/lane_interpreter.c \
	src/run/host/lane_park.c src/base/alloc.c src/base/error.c src/base/vector.c \
	src/plan/plan.c src/sys/eventcount.c src/sys/mutex.c src/sys/backoff.c
%C%_54_explore_regions_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_54_explore_regions_t_LDADD = $(LDADD_MC)
MC_TESTS += %D%/55-explore-helped.t
%C%_55_explore_helped_t_SOURCES = %D%/55-explore-helped.c src/run/host/steal_worker.c \
	src/run/host/steal_setup.c src/base/error.c
%C%_55_explore_helped_t_CPPFLAGS = $(MC_CPPFLAGS)
%C%_55_explore_helped_t_LDADD = $(LDADD_MC)
API_TESTS += %D%/55-run-exits.t
%C%_55_run_exits_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-exits-helped.t
%C%_55_run_exits_helped_t_SOURCES = %D%/55-run-exits.c
%C%_55_run_exits_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_55_run_exits_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-exits-queued.t
%C%_55_run_exits_queued_t_SOURCES = %D%/55-run-exits.c
%C%_55_run_exits_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_55_run_exits_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/51-run-helped.t
%C%_51_run_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/57-run-random-outside.t
%C%_57_run_random_outside_t_SOURCES = %D%/56-run-queued-random.c %D%/programs.h \
	%D%/queued.h
%C%_57_run_random_outside_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_QUEUES=0
%C%_57_run_random_outside_t_LDADD = $(LDADD_API)
API_TESTS += %D%/57-run-rows.t
%C%_57_run_rows_t_SOURCES = %D%/57-run-rows.c %D%/runs.h
%C%_57_run_rows_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_ON_CHAOS
%C%_57_run_rows_t_LDADD = $(LDADD_API)
API_TESTS += %D%/57-run-rows-queued.t
%C%_57_run_rows_queued_t_SOURCES = %D%/57-run-rows.c %D%/runs.h
%C%_57_run_rows_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_57_run_rows_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-groups.t
%C%_56_run_groups_t_SOURCES = %D%/56-run-groups.c %D%/queued.h
%C%_56_run_groups_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued.t
%C%_56_run_queued_t_SOURCES = %D%/56-run-queued.c %D%/queued.h \
	%D%/driver.h %D%/place.h
%C%_56_run_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-reasons.t
%C%_56_run_queued_reasons_t_SOURCES = %D%/56-run-queued-reasons.c %D%/queued.h
%C%_56_run_queued_reasons_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-deciding.t
%C%_56_run_queued_deciding_t_SOURCES = %D%/56-run-queued-deciding.c %D%/queued.h
%C%_56_run_queued_deciding_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-loops.t
%C%_56_run_queued_loops_t_SOURCES = %D%/56-run-queued-loops.c %D%/queued.h
%C%_56_run_queued_loops_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/56-run-queued-faults.t
%C%_56_run_queued_faults_t_SOURCES = %D%/56-run-queued-faults.c %D%/queued.h
%C%_56_run_queued_faults_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-refused.t
%C%_56_run_queued_refused_t_SOURCES = %D%/56-run-queued-refused.c %D%/queued.h
%C%_56_run_queued_refused_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-kernels.t
%C%_56_run_queued_kernels_t_SOURCES = %D%/56-run-queued-kernels.c %D%/queued.h
%C%_56_run_queued_kernels_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-launches.t
%C%_56_run_queued_launches_t_SOURCES = %D%/56-run-queued-launches.c %D%/queued.h
%C%_56_run_queued_launches_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-segments.t
%C%_56_run_queued_segments_t_SOURCES = %D%/56-run-queued-segments.c %D%/queued.h
%C%_56_run_queued_segments_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/56-run-queued-edges.t
# Includes a source of the library.
%C%_56_run_queued_edges_t_LDADD = %D%/libtap.la src/libplaitcore.la
API_TESTS += %D%/56-run-queued-regions.t
%C%_56_run_queued_regions_t_SOURCES = %D%/56-run-queued-regions.c %D%/queued.h \
	%D%/regions.h
%C%_56_run_queued_regions_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-walks.t
%C%_56_run_queued_walks_t_SOURCES = %D%/56-run-queued-walks.c %D%/queued.h \
	%D%/regions.h
%C%_56_run_queued_walks_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-queued-random.t
%C%_56_run_queued_random_t_SOURCES = %D%/56-run-queued-random.c %D%/programs.h \
	%D%/queued.h
%C%_56_run_queued_random_t_LDADD = $(LDADD_API)
SEEDED_TESTS += %D%/56-run-queued-random.t
SEEDED_TESTS += %D%/56-run-queued.t %D%/56-run-queued-loops.t \
	%D%/56-run-queued-kernels.t %D%/56-run-queued-launches.t
# The same again on queues.
API_TESTS += %D%/56-run-plain-queued.t
%C%_56_run_plain_queued_t_SOURCES = %D%/50-run-plain.c
%C%_56_run_plain_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_56_run_plain_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-regions-queued.t
%C%_56_run_regions_queued_t_SOURCES = %D%/51-run-regions.c
%C%_56_run_regions_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_56_run_regions_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-moves-queued.t
%C%_56_run_moves_queued_t_SOURCES = %D%/52-run-moves.c
%C%_56_run_moves_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_56_run_moves_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-parameters-queued.t
%C%_56_run_parameters_queued_t_SOURCES = %D%/52-run-parameters.c
%C%_56_run_parameters_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_56_run_parameters_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-ends-queued.t
%C%_56_run_ends_queued_t_SOURCES = %D%/53-run-ends.c
%C%_56_run_ends_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_56_run_ends_queued_t_LDADD = $(LDADD_API)
# The same again in mode HELPED.
API_TESTS += %D%/51-run-plain-helped.t
%C%_51_run_plain_helped_t_SOURCES = %D%/50-run-plain.c
%C%_51_run_plain_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_51_run_plain_helped_t_LDADD = $(LDADD_API)
# Random graphs, and a walk that knows what a run of them has to do.
check_LTLIBRARIES += %D%/libmaze.la
%C%_libmaze_la_SOURCES = %D%/maze.c %D%/maze.h %D%/maze_build.c \
	%D%/maze_trace.c %D%/maze_walk.c
LDADD_MAZE = %D%/libmaze.la $(LDADD_API)
API_TESTS += %D%/57-run-random.t
%C%_57_run_random_t_SOURCES = %D%/57-run-random.c %D%/maze_run.h
%C%_57_run_random_t_LDADD = $(LDADD_MAZE)
API_TESTS += %D%/57-run-steps.t
%C%_57_run_steps_t_SOURCES = %D%/57-run-steps.c %D%/maze_run.h
%C%_57_run_steps_t_LDADD = $(LDADD_MAZE)
SEEDED_TESTS += %D%/57-run-random.t %D%/57-run-steps.t
UNIT_TESTS += %D%/56-run-tune-queued.t
%C%_56_run_tune_queued_t_SOURCES = %D%/56-run-tune.c
%C%_56_run_tune_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
UNIT_TESTS += %D%/56-run-tune.t
API_TESTS += %D%/56-run-exchange.t
%C%_56_run_exchange_t_LDADD = $(LDADD_API)
API_TESTS += %D%/56-run-exchange-helped.t
%C%_56_run_exchange_helped_t_SOURCES = %D%/56-run-exchange.c
%C%_56_run_exchange_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_56_run_exchange_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-record.t
%C%_55_run_record_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-progress.t
%C%_55_run_progress_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-progress-queued.t
%C%_55_run_progress_queued_t_SOURCES = %D%/55-run-progress.c
%C%_55_run_progress_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_55_run_progress_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-record-behind.t
%C%_55_run_record_behind_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-record-queued.t
%C%_55_run_record_queued_t_SOURCES = %D%/55-run-record.c
%C%_55_run_record_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_CHAOS
%C%_55_run_record_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/55-run-record-helped.t
%C%_55_run_record_helped_t_SOURCES = %D%/55-run-record.c
%C%_55_run_record_helped_t_CPPFLAGS = $(AM_CPPFLAGS) -DRUN_MODE=PLAIT_MODE_HELPED
%C%_55_run_record_helped_t_LDADD = $(LDADD_API)
API_TESTS += %D%/58-run-faults.t
%C%_58_run_faults_t_LDADD = $(LDADD_API)
API_TESTS += %D%/58-run-faults-queued.t
%C%_58_run_faults_queued_t_SOURCES = %D%/58-run-faults.c
%C%_58_run_faults_queued_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES -DRUN_ON_SEEDS
%C%_58_run_faults_queued_t_LDADD = $(LDADD_API)
API_TESTS += %D%/59-run-flight.t
%C%_59_run_flight_t_LDADD = $(LDADD_API)
# A handler of ThreadSanitizer's would let them go on.
SPARED_TESTS += %D%/59-run-starved.t
%C%_59_run_starved_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/50-run-aside.t
%C%_50_run_aside_t_SOURCES = %D%/50-run-aside.c %D%/runs.h \
	%D%/runs_pool.h
UNIT_TESTS += %D%/50-run-hop.t
%C%_50_run_hop_t_SOURCES = %D%/50-run-hop.c %D%/runs.h \
	%D%/runs_pool.h
UNIT_TESTS += %D%/59-run-names.t
%C%_59_run_names_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/59-run-alone.t
%C%_59_run_alone_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=posix_memalign,--wrap=mmap,--wrap=pthread_mutex_lock \
	-Wl,--wrap=plait__mutex_lock,--wrap=plait__mutex_trylock \
	-Wl,--wrap=plait__futex_wait,--wrap=plait__futex_wake \
	-Wl,--wrap=plait__futex_barrier
# Kernels from source: t/kernels, each against plain C.
check_LTLIBRARIES += %D%/libsuite.la
%C%_libsuite_la_SOURCES = %D%/suite.c %D%/suite.h
LDADD_SUITE = %D%/libsuite.la $(LDADD_API) -lm
API_TESTS += %D%/50-source-arrays.t
%C%_50_source_arrays_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/50-source-groups.t
%C%_50_source_groups_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/50-source-limits.t
%C%_50_source_limits_t_LDADD = $(LDADD_SUITE) -lm
API_TESTS += %D%/50-source-numbers.t
%C%_50_source_numbers_t_LDADD = $(LDADD_SUITE)
SPARED_TESTS += %D%/51-source-build.t
%C%_51_source_build_t_LDADD = $(LDADD_SUITE)
SPARED_TESTS += %D%/51-source-words.t
%C%_51_source_words_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/54-kernel-device.t
%C%_54_kernel_device_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/55-run-ranges.t
%C%_55_run_ranges_t_LDADD = $(LDADD_SUITE)
SERIAL_TESTS += %D%/51-source-cache.t
UNIT_TESTS += %D%/53-source-ranges.t
%C%_53_source_ranges_t_LDADD = %D%/libsuite.la $(LDADD) -lm
TEST_HELPERS += %D%/compose
%C%_compose_LDADD = src/libplait.la
META_TESTS += %D%/52-source-dialects.t
# --- 6x conformance --------------------------------------------------------
SCRIPT_TESTS += %D%/60-conform-null.t
SCRIPT_TESTS += %D%/60-conform-host.t
SCRIPT_TESTS += %D%/60-conform-chaos.t
SCRIPT_TESTS += %D%/61-conform-sins.t
SCRIPT_TESTS += %D%/62-conform-opencl.t
SCRIPT_TESTS += %D%/63-conform-cuda.t
# The kernels of t/kernels again, by a driver of OpenCL; it is not instrumented,
# so that what it orders would look like races.  The compiler of a driver takes
# seconds for them, so most wait for PLAIT_SOAK.
if OPENCL
PLAIN_TESTS += %D%/63-opencl-arrays.t
%C%_63_opencl_arrays_t_SOURCES = %D%/50-source-arrays.c
%C%_63_opencl_arrays_t_CPPFLAGS = $(AM_CPPFLAGS) -DSUITE_DRIVER='"opencl"' -DSUITE_SOAK
%C%_63_opencl_arrays_t_LDADD = $(LDADD_SUITE)
PLAIN_TESTS += %D%/63-opencl-groups.t
%C%_63_opencl_groups_t_SOURCES = %D%/50-source-groups.c
%C%_63_opencl_groups_t_CPPFLAGS = $(AM_CPPFLAGS) -DSUITE_DRIVER='"opencl"' -DSUITE_SOAK
%C%_63_opencl_groups_t_LDADD = $(LDADD_SUITE)
PLAIN_TESTS += %D%/63-opencl-limits.t
%C%_63_opencl_limits_t_SOURCES = %D%/50-source-limits.c
%C%_63_opencl_limits_t_CPPFLAGS = $(AM_CPPFLAGS) -DSUITE_DRIVER='"opencl"' -DSUITE_SOAK
%C%_63_opencl_limits_t_LDADD = $(LDADD_SUITE) -lm
PLAIN_TESTS += %D%/63-opencl-numbers.t
%C%_63_opencl_numbers_t_SOURCES = %D%/50-source-numbers.c
%C%_63_opencl_numbers_t_CPPFLAGS = $(AM_CPPFLAGS) -DSUITE_DRIVER='"opencl"'
%C%_63_opencl_numbers_t_LDADD = $(LDADD_SUITE)
PLAIN_TESTS += %D%/63-opencl-binary.t
%C%_63_opencl_binary_t_LDADD = $(LDADD_API) -ldl
PLAIN_TESTS += %D%/63-opencl-warm.t
%C%_63_opencl_warm_t_LDADD = $(LDADD_API)
endif
PLAIN_SCRIPT_TESTS += %D%/65-oclgrind.t
# A stand-in for OpenCL, whose every call can fail; and plans on it.
if OPENCL
check_LTLIBRARIES += %D%/cl/fakecl.la
%C%_cl_fakecl_la_SOURCES = %D%/cl/commands.c %D%/cl/fake.h %D%/cl/fakecl.h \
	%D%/cl/memory.c %D%/cl/objects.c %D%/cl/programs.c %D%/cl/standin.h \
	%D%/cl/twins.c \
	%D%/cl/works.c
%C%_cl_fakecl_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
API_TESTS += %D%/64-opencl-calls.t
%C%_64_opencl_calls_t_SOURCES = %D%/64-opencl-calls.c %D%/cl/things.h
%C%_64_opencl_calls_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/64-opencl-lost.t
%C%_64_opencl_lost_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/64-opencl-runs.t
%C%_64_opencl_runs_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_runs_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/64-opencl-queued.t
%C%_64_opencl_queued_t_SOURCES = %D%/56-run-queued.c
%C%_64_opencl_queued_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_queued_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/64-opencl-queued-loops.t
%C%_64_opencl_queued_loops_t_SOURCES = %D%/56-run-queued-loops.c
%C%_64_opencl_queued_loops_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_queued_loops_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/64-opencl-queued-kernels.t
%C%_64_opencl_queued_kernels_t_SOURCES = %D%/56-run-queued-kernels.c
%C%_64_opencl_queued_kernels_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_queued_kernels_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/64-opencl-queued-launches.t
%C%_64_opencl_queued_launches_t_SOURCES = %D%/56-run-queued-launches.c
%C%_64_opencl_queued_launches_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_queued_launches_t_LDADD = $(LDADD_API)
SPARED_TESTS += %D%/64-opencl-queued-random.t
%C%_64_opencl_queued_random_t_SOURCES = %D%/56-run-queued-random.c
%C%_64_opencl_queued_random_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_OPENCL
%C%_64_opencl_queued_random_t_LDADD = $(LDADD_API)
# The same plans by a driver of OpenCL, if there is one, on two halves of its
# device and with the host: in soak.
PLAIN_TESTS += %D%/66-driver-queued.t
%C%_66_driver_queued_t_SOURCES = %D%/56-run-queued.c
%C%_66_driver_queued_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_DRIVER
%C%_66_driver_queued_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-queued-loops.t
%C%_66_driver_queued_loops_t_SOURCES = %D%/56-run-queued-loops.c
%C%_66_driver_queued_loops_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_DRIVER
%C%_66_driver_queued_loops_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-queued-kernels.t
%C%_66_driver_queued_kernels_t_SOURCES = %D%/56-run-queued-kernels.c
%C%_66_driver_queued_kernels_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_DRIVER
%C%_66_driver_queued_kernels_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-queued-launches.t
%C%_66_driver_queued_launches_t_SOURCES = %D%/56-run-queued-launches.c
%C%_66_driver_queued_launches_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_DRIVER
%C%_66_driver_queued_launches_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-queued-random.t
%C%_66_driver_queued_random_t_SOURCES = %D%/56-run-queued-random.c
%C%_66_driver_queued_random_t_CPPFLAGS = $(AM_CPPFLAGS) -DQUEUED_DRIVER
%C%_66_driver_queued_random_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-plain.t
%C%_66_driver_plain_t_SOURCES = %D%/50-run-plain.c
%C%_66_driver_plain_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_plain_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-rows.t
%C%_66_driver_rows_t_SOURCES = %D%/57-run-rows.c
%C%_66_driver_rows_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_rows_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-regions.t
%C%_66_driver_regions_t_SOURCES = %D%/51-run-regions.c
%C%_66_driver_regions_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_regions_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-moves.t
%C%_66_driver_moves_t_SOURCES = %D%/52-run-moves.c
%C%_66_driver_moves_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_moves_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-parameters.t
%C%_66_driver_parameters_t_SOURCES = %D%/52-run-parameters.c
%C%_66_driver_parameters_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_parameters_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-ends.t
%C%_66_driver_ends_t_SOURCES = %D%/53-run-ends.c
%C%_66_driver_ends_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_ends_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-asked.t
%C%_66_driver_asked_t_SOURCES = %D%/55-run-asked.c
%C%_66_driver_asked_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_asked_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-owners.t
%C%_66_driver_owners_t_SOURCES = %D%/55-run-owners.c
%C%_66_driver_owners_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_owners_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-signals.t
%C%_66_driver_signals_t_SOURCES = %D%/55-run-signals.c
%C%_66_driver_signals_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DON_DRIVER -DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_66_driver_signals_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-exits.t
%C%_66_driver_exits_t_SOURCES = %D%/55-run-exits.c
%C%_66_driver_exits_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_exits_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-record.t
%C%_66_driver_record_t_SOURCES = %D%/55-run-record.c
%C%_66_driver_record_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_record_t_LDADD = $(LDADD_API)
PLAIN_TESTS += %D%/66-driver-exchange.t
%C%_66_driver_exchange_t_SOURCES = %D%/56-run-exchange.c
%C%_66_driver_exchange_t_CPPFLAGS = $(AM_CPPFLAGS) -DON_DRIVER
%C%_66_driver_exchange_t_LDADD = $(LDADD_API)
endif
# The CUDA backend on its stand-in.
API_TESTS += %D%/65-cuda-calls.t
%C%_65_cuda_calls_t_SOURCES = %D%/65-cuda-calls.c %D%/cl/things.h
%C%_65_cuda_calls_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_65_cuda_calls_t_LDADD = $(LDADD_ON_CUDA)
LDADD_ON_CUDA = %D%/cuda/librig.la $(LDADD_SUITE) -ldl
API_TESTS += %D%/65-cuda-queued.t
%C%_65_cuda_queued_t_SOURCES = %D%/56-run-queued.c %D%/cuda/place.h
%C%_65_cuda_queued_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-reasons.t
%C%_65_cuda_queued_reasons_t_SOURCES = %D%/56-run-queued-reasons.c
%C%_65_cuda_queued_reasons_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_reasons_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-deciding.t
%C%_65_cuda_queued_deciding_t_SOURCES = %D%/56-run-queued-deciding.c
%C%_65_cuda_queued_deciding_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_deciding_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-loops.t
%C%_65_cuda_queued_loops_t_SOURCES = %D%/56-run-queued-loops.c
%C%_65_cuda_queued_loops_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_loops_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-random.t
%C%_65_cuda_queued_random_t_SOURCES = %D%/56-run-queued-random.c
%C%_65_cuda_queued_random_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA -DSEEDS=12
%C%_65_cuda_queued_random_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-deciding.t
%C%_65_cuda_deciding_t_SOURCES = %D%/65-cuda-deciding.c
%C%_65_cuda_deciding_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_deciding_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-segments.t
%C%_65_cuda_segments_t_SOURCES = %D%/65-cuda-segments.c %D%/cuda/segments.h
%C%_65_cuda_segments_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_segments_t_LDADD = $(LDADD_ON_CUDA)
PLAIN_TESTS += %D%/65-cuda-exits.t
%C%_65_cuda_exits_t_SOURCES = %D%/65-cuda-exits.c %D%/cuda/segments.h
%C%_65_cuda_exits_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_exits_t_LDADD = $(LDADD_ON_CUDA)
PLAIN_TESTS += %D%/65-cuda-table.t
%C%_65_cuda_table_t_SOURCES = %D%/65-cuda-table.c %D%/bed.h
%C%_65_cuda_table_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_65_cuda_table_t_LDADD = %D%/libfakehost.la $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-regions.t
%C%_65_cuda_regions_t_SOURCES = %D%/65-cuda-regions.c %D%/cuda/segments.h
%C%_65_cuda_regions_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_regions_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-kernels.t
%C%_65_cuda_queued_kernels_t_SOURCES = %D%/56-run-queued-kernels.c
%C%_65_cuda_queued_kernels_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_kernels_t_LDADD = $(LDADD_ON_CUDA)
PLAIN_TESTS += %D%/65-cuda-compiler.t
%C%_65_cuda_compiler_t_SOURCES = %D%/65-cuda-compiler.c %D%/cl/things.h
%C%_65_cuda_compiler_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_65_cuda_compiler_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-pool.t
%C%_65_cuda_pool_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_65_cuda_pool_t_LDADD = $(LDADD_ON_CUDA)
# And plans that users write, as on a driver that is there.
CPPFLAGS_ON_CUDA = $(CPPFLAGS_CUDA) -DON_DRIVER -DON_CUDA
SPARED_TESTS += %D%/67-cuda-plain.t
%C%_67_cuda_plain_t_SOURCES = %D%/50-run-plain.c
%C%_67_cuda_plain_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_plain_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-rows.t
%C%_67_cuda_rows_t_SOURCES = %D%/57-run-rows.c
%C%_67_cuda_rows_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_rows_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-regions.t
%C%_67_cuda_regions_t_SOURCES = %D%/51-run-regions.c
%C%_67_cuda_regions_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_regions_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-moves.t
%C%_67_cuda_moves_t_SOURCES = %D%/52-run-moves.c
%C%_67_cuda_moves_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_moves_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-parameters.t
%C%_67_cuda_parameters_t_SOURCES = %D%/52-run-parameters.c
%C%_67_cuda_parameters_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_parameters_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-ends.t
%C%_67_cuda_ends_t_SOURCES = %D%/53-run-ends.c
%C%_67_cuda_ends_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_ends_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-asked.t
%C%_67_cuda_asked_t_SOURCES = %D%/55-run-asked.c
%C%_67_cuda_asked_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_asked_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-owners.t
%C%_67_cuda_owners_t_SOURCES = %D%/55-run-owners.c
%C%_67_cuda_owners_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_owners_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-signals.t
%C%_67_cuda_signals_t_SOURCES = %D%/55-run-signals.c
%C%_67_cuda_signals_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA) \
	-DRUN_FREEZE=PLAIT_FREEZE_QUEUES
%C%_67_cuda_signals_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-exits.t
%C%_67_cuda_exits_t_SOURCES = %D%/55-run-exits.c
%C%_67_cuda_exits_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_exits_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-record.t
%C%_67_cuda_record_t_SOURCES = %D%/55-run-record.c
%C%_67_cuda_record_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_record_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-exchange.t
%C%_67_cuda_exchange_t_SOURCES = %D%/56-run-exchange.c
%C%_67_cuda_exchange_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_exchange_t_LDADD = $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-random.t
%C%_67_cuda_random_t_SOURCES = %D%/57-run-random.c
%C%_67_cuda_random_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_random_t_LDADD = %D%/libmaze.la $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/67-cuda-steps.t
%C%_67_cuda_steps_t_SOURCES = %D%/57-run-steps.c
%C%_67_cuda_steps_t_CPPFLAGS = $(CPPFLAGS_ON_CUDA)
%C%_67_cuda_steps_t_LDADD = %D%/libmaze.la $(LDADD_ON_CUDA)
SPARED_TESTS += %D%/65-cuda-queued-launches.t
%C%_65_cuda_queued_launches_t_SOURCES = %D%/56-run-queued-launches.c
%C%_65_cuda_queued_launches_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DQUEUED_CUDA
%C%_65_cuda_queued_launches_t_LDADD = $(LDADD_ON_CUDA)
# The kernels of t/kernels there.
PLAIN_TESTS += %D%/65-cuda-source-arrays.t
%C%_65_cuda_source_arrays_t_SOURCES = %D%/50-source-arrays.c
%C%_65_cuda_source_arrays_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DSUITE_CUDA
%C%_65_cuda_source_arrays_t_LDADD = $(LDADD_ON_CUDA) -lm
PLAIN_TESTS += %D%/65-cuda-source-groups.t
%C%_65_cuda_source_groups_t_SOURCES = %D%/50-source-groups.c
%C%_65_cuda_source_groups_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DSUITE_CUDA
%C%_65_cuda_source_groups_t_LDADD = $(LDADD_ON_CUDA) -lm
PLAIN_TESTS += %D%/65-cuda-source-limits.t
%C%_65_cuda_source_limits_t_SOURCES = %D%/50-source-limits.c
%C%_65_cuda_source_limits_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DSUITE_CUDA
%C%_65_cuda_source_limits_t_LDADD = $(LDADD_ON_CUDA) -lm
PLAIN_TESTS += %D%/65-cuda-source-numbers.t
%C%_65_cuda_source_numbers_t_SOURCES = %D%/50-source-numbers.c
%C%_65_cuda_source_numbers_t_CPPFLAGS = $(CPPFLAGS_CUDA) -DSUITE_CUDA
%C%_65_cuda_source_numbers_t_LDADD = $(LDADD_ON_CUDA) -lm
# The backends that sin: one body, and which.c once for each line of the list.
check_LTLIBRARIES += %D%/sins/libsins.la
%C%_sins_libsins_la_SOURCES = %D%/sins/base.c %D%/sins/base.h \
	%D%/sins/kernels.c %D%/sins/queues.c %D%/sins/segments.c \
	%D%/sins/signals.c \
	%D%/sins/work.c
%C%_sins_libsins_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
if SANITIZE
SINS_WANTED = always$$
else
SINS_WANTED = .
endif
check_DATA += %D%/sins/built
CLEANFILES += %D%/sins/built %D%/sins/plait_sin_*.so
SINS_LINK = $(CC) $(CPPFLAGS_PLUGIN) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC \
	-shared $(LDFLAGS) $(NODELETE_LDFLAGS)
%D%/sins/built: %D%/sins/libsins.la %D%/sins/sins.list %D%/sins/which.c
	@echo '  GEN      $@'; rm -f %D%/sins/plait_sin_*.so; \
	grep -v '^#' $(srcdir)/%D%/sins/sins.list | grep '$(SINS_WANTED)' | \
	while read -r name check always; do \
		upper=`echo $$name | tr a-z A-Z`; \
		$(SINS_LINK) -DSIN=SIN_$$upper -DSIN_NAME="\"sin_$$name\"" \
			-o %D%/sins/plait_sin_$$name.so \
			$(srcdir)/%D%/sins/which.c -Wl,--whole-archive \
			%D%/sins/.libs/libsins.a -Wl,--no-whole-archive \
			-lm -lpthread || exit 1; \
	done && touch $@
# --- 7x ABI and headers ----------------------------------------------------
PLAIN_SCRIPT_TESTS += %D%/70-exports.t
META_TESTS += %D%/71-headers.t
PLAIN_SCRIPT_TESTS += %D%/72-cdef.t
META_TESTS += %D%/73-structs.t
META_TESTS += %D%/74-annotations.t
PLAIN_SCRIPT_TESTS += %D%/75-plugins.t
META_TESTS += %D%/76-tarball.t
META_TESTS += %D%/77-bindings.t
PLAIN_SCRIPT_TESTS += %D%/78-cuda-abi.t
PLAIN_SCRIPT_TESTS += %D%/79-abi-grown.t
API_TESTS += %D%/79-abi-sizes.t
%C%_79_abi_sizes_t_LDADD = $(LDADD_API)
%C%_79_abi_sizes_t_SOURCES = %D%/79-abi-sizes.c %D%/sizes/sizes.h \
	%D%/sizes/graphs.c %D%/sizes/kernels.c %D%/sizes/objects.c \
	%D%/sizes/runs.c
# --- 8x properties and faults ----------------------------------------------
# What is tried while something fails: each public function.
check_LTLIBRARIES += %D%/libcalls.la
%C%_libcalls_la_SOURCES = %D%/calls.h %D%/calls/callable.c %D%/calls/device.c \
	%D%/calls/graph.c %D%/calls/inbox.c %D%/calls/kernel.c \
	%D%/calls/place.c %D%/calls/plan.c %D%/calls/queue.c \
	%D%/calls/run.c
%C%_libcalls_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/%D%
LDADD_CALLS = %D%/libcalls.la $(LDADD_API)
API_TESTS += %D%/80-api-oom.t
%C%_80_api_oom_t_LDADD = $(LDADD_CALLS)
API_TESTS += %D%/80-libc-oom.t
%C%_80_libc_oom_t_LDADD = $(LDADD_CALLS)
API_TESTS += %D%/83-api-syscalls.t
%C%_83_api_syscalls_t_LDADD = $(LDADD_CALLS)
META_TESTS += %D%/84-api-swept.t
API_TESTS += %D%/82-fault-sweep.t
%C%_82_fault_sweep_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/81-plan-faults.t
%C%_81_plan_faults_t_LDADD = $(LDADD_PLAN)
# --- 9x stress and examples ------------------------------------------------
# Fuzz targets: each takes any bytes.  Here they run what is in t/fuzz/corpus and
# t/fuzz/found; the lane `fuzz` of bootstrap links them with libFuzzer.
FUZZ_TARGETS = %D%/fuzz/signature %D%/fuzz/graph_text %D%/fuzz/plan_bytes \
	%D%/fuzz/graph_calls
TEST_HELPERS += $(FUZZ_TARGETS)
FUZZ_MAIN = %D%/fuzz/replay.c %D%/fuzz/fuzz.h
LDFLAGS_FUZZ =
%C%_fuzz_signature_SOURCES = %D%/fuzz/signature.c $(FUZZ_MAIN)
%C%_fuzz_signature_LDADD = src/libplaitcore.la
%C%_fuzz_signature_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_fuzz_graph_text_SOURCES = %D%/fuzz/graph_text.c $(FUZZ_MAIN)
%C%_fuzz_graph_text_LDADD = src/libplaitcore.la
%C%_fuzz_graph_text_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_fuzz_plan_bytes_SOURCES = %D%/fuzz/plan_bytes.c $(FUZZ_MAIN)
%C%_fuzz_plan_bytes_LDADD = src/libplaitcore.la
%C%_fuzz_plan_bytes_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_fuzz_graph_calls_SOURCES = %D%/fuzz/graph_calls.c %D%/fuzz/blank.h \
	$(FUZZ_MAIN)
%C%_fuzz_graph_calls_LDADD = src/libplaitcore.la
%C%_fuzz_graph_calls_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
SERIAL_SCRIPT_TESTS += %D%/90-fuzz.t
SCRIPT_TESTS += %D%/91-examples.t
API_TESTS += %D%/92-stress-objects.t
%C%_92_stress_objects_t_LDADD = $(LDADD_API)
SEEDED_TESTS += %D%/92-stress-objects.t %D%/60-conform-chaos.t \
	%D%/60-conform-host.t
PLAIN_SCRIPT_TESTS += %D%/93-bench-replay.t
PLAIN_SCRIPT_TESTS += %D%/93-bench-languages.t
PLAIN_SCRIPT_TESTS += %D%/65-cuda-unload.t
PLAIN_SCRIPT_TESTS += %D%/93-bench-cuda.t
TEST_HELPERS += %D%/replay_sins
%C%_replay_sins_LDADD = bench/libreplay.la
PLAIN_SCRIPT_TESTS += %D%/94-reference.t
PLAIN_SCRIPT_TESTS += %D%/95-python.t
PLAIN_SCRIPT_TESTS += %D%/96-lua.t
SCRIPT_TESTS += %D%/97-examples.t
PLAIN_SCRIPT_TESTS += %D%/98-rust.t
PLAIN_SCRIPT_TESTS += %D%/99-julia.t

# --- the ABI against the last release ---------------------------------------
# `make abi-baseline` at a release writes t/abi/plait.abi, which is checked in;
# from then on `make abi-check` lets functions be added and nothing be changed.
abi-baseline: src/libplait.la
	abidw --no-corpus-path --no-comp-dir-path --headers-dir $(srcdir)/include/plait \
		src/.libs/libplait.so > $(srcdir)/%D%/abi/plait.abi

abi-check: src/libplait.la
	@test -f $(srcdir)/%D%/abi/plait.abi || \
		{ echo "no release yet, nothing to compare with"; exit 1; }
	abidiff --no-added-syms --headers-dir2 $(srcdir)/include/plait \
		$(srcdir)/%D%/abi/plait.abi src/.libs/libplait.so

.PHONY: abi-baseline abi-check
