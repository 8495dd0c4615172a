# SPDX-License-Identifier: MIT
# The tests.  Each folder has a fragment of its own, which lists its tests and
# how they are linked; README.md says which folder a test belongs to.
#
# Adding a test of src/object/queue/queue.c, in t/object:
#
# - a unit test, which reaches the internals: t/object/queue.c, and in
#   t/object/local.mk one line
#
#	UNIT_TESTS += %D%/queue.t
#
# - an API test, which sees what users see: t/object/queue.c and two lines
#
#	API_TESTS += %D%/queue.t
#	%C%_queue_t_LDADD = $(LDADD_API)
#
#   (sources beyond the one: %C%_queue_t_SOURCES = %D%/queue.c ...)
# - a script: an executable file t/object/queue.t and one line
#
#	SCRIPT_TESTS += %D%/queue.t
#
# - the list decides in which lanes of bootstrap the test runs:
#
#	UNIT_TESTS, API_TESTS, SCRIPT_TESTS	every lane
#	SERIAL_TESTS, SERIAL_SCRIPT_TESTS	not ThreadSanitizer: the tested
#						code has one thread
#	SPARED_TESTS				not ThreadSanitizer: another test
#						covers the same threads there
#	PLAIN_TESTS, PLAIN_SCRIPT_TESTS		the plain build alone: sanitizers
#						see the same code in other tests,
#						or none of the library's
#	META_TESTS				the plain build alone; they read
#						sources only
#
#   `make check` runs all of them in any build; with a sanitizer few sins, with
#   ThreadSanitizer no explorer.  bootstrap soak does so in its lanes gcc, asan
#   and tsan, but for META_TESTS, which run once, in gcc.
# - a random test, which calls tap_seed() or reads PLAIT_SEED, is also listed in
#   SEEDED_TESTS.
# - a program that a test starts, not a test itself:  TEST_HELPERS += %D%/name
# - a plugin which only tests load: see plugin/bad/local.mk.
# - C tests include rigs by their path below t:  #include "lib/tap.h"
#
# Every test runs through t/lib/run (fixed addresses, 1200 s, 16 MiB of output)
# with
#   abs_top_srcdir abs_top_builddir   where things are
#   PLAIT_PLUGIN_PATH                 the plugins of this build
#   PLAIT_SANITIZER                   no, address, thread or valgrind
#   CC CXX PKG_CONFIG                 what configure found
# in the environment.  One test alone, without building the others:
#   make one TEST=t/sys/eventcount.t

UNIT_TESTS =
API_TESTS =
SCRIPT_TESTS =
SERIAL_TESTS =
SPARED_TESTS =
SERIAL_SCRIPT_TESTS =
PLAIN_TESTS =
PLAIN_SCRIPT_TESTS =
META_TESTS =
SEEDED_TESTS =
TEST_HELPERS =

LDADD = %D%/lib/libtap.la src/libplaitcore.la
LDADD_API = %D%/lib/libtap.la src/libplait.la
LDFLAGS_TESTPLUGIN = $(LDFLAGS_PLUGIN) -rpath /nowhere

check_PROGRAMS += %D%/lib/run $(UNIT_TESTS) $(API_TESTS) $(TEST_HELPERS)
# Programs that a lane does not need are built on request.
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
# Tests that compile what they need in their own way, take minutes in a longer
# run, and therefore say nothing of the build they run in.
SAME_TESTS = $(MC_TESTS) %D%/model/spin.t %D%/model/mutants.t
T_LOG_COMPILER = $(top_builddir)/%D%/lib/run
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
T_LOG_DRIVER_FLAGS = --comments
# A block of thread-local storage that begins 16 bytes behind a page boundary makes
# the runtimes read its size and address from the bytes before it, which belong to
# some other allocation: they then clear, or search for leaks, any memory at all.
TLS_DEFAULTS = intercept_tls_get_addr=0
ASAN_DEFAULTS = \
	detect_stack_use_after_return=1:strict_string_checks=1:$(TLS_DEFAULTS)
TSAN_DEFAULTS = \
	halt_on_error=1:second_deadlock_stack=1:history_size=4:$(TLS_DEFAULTS)
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

# The tests that distcheck runs on a tarball.
SMOKE_TESTS = %D%/lint/tap.t %D%/lint/run.t %D%/lint/layers.t \
	%D%/abi/headers.t %D%/abi/structs.t
SMOKE_RUNNERS = %D%/lib/run %D%/lint/tap.t
SMOKE_ARCHIVES = %D%/lib/libtap.la

# All that tests start or load is built too: no list says which test needs what.
.PHONY: one
one:
	@test -n '$(TEST)' || { echo 'make one TEST=%D%/FOLDER/NAME.t'; exit 2; }
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TEST)' \
		check_PROGRAMS="%D%/lib/run $(TEST_HELPERS) \
			$(filter $(TEST),$(check_PROGRAMS) $(EXTRA_PROGRAMS))"

# Long tests first: a list has its tests in the order of these lines.
include %D%/lib/local.mk
include %D%/model/local.mk
include %D%/conform/local.mk
include %D%/tools/local.mk
include %D%/abi/local.mk
include %D%/plugins/local.mk
include %D%/bindings/local.mk
include %D%/bench/local.mk
include %D%/examples/local.mk
include %D%/fuzz/local.mk
include %D%/fault/local.mk
include %D%/run/local.mk
include %D%/flow/local.mk
include %D%/source/local.mk
include %D%/coll/local.mk
include %D%/world/local.mk
include %D%/plan/local.mk
include %D%/graph/local.mk
include %D%/object/local.mk
include %D%/kernel/local.mk
include %D%/ffi/local.mk
include %D%/plugin/local.mk
include %D%/coroutine/local.mk
include %D%/pool/local.mk
include %D%/sys/local.mk
include %D%/base/local.mk
include %D%/standin/ptx/local.mk
include %D%/standin/cuda/local.mk
include %D%/standin/opencl/local.mk
include %D%/lint/local.mk
