# SPDX-License-Identifier: MIT
# Each public function as something that is tried while one thing fails.
check_LTLIBRARIES += %D%/libcalls.la
%C%_libcalls_la_SOURCES = %D%/calls.h %D%/calls/callable.c %D%/calls/device.c \
	%D%/calls/flow.c %D%/calls/graph.c %D%/calls/inbox.c %D%/calls/kernel.c \
	%D%/calls/place.c %D%/calls/plan.c %D%/calls/queue.c \
	%D%/calls/run.c %D%/calls/coll.c \
	%D%/calls/schedule.c %D%/calls/world.c
LDADD_CALLS = %D%/libcalls.la $(LDADD_API)
API_TESTS += %D%/allocations.t
%C%_allocations_t_LDADD = $(LDADD_CALLS)
API_TESTS += %D%/allocations_libc.t
%C%_allocations_libc_t_LDADD = $(LDADD_CALLS)
API_TESTS += %D%/system_calls.t
%C%_system_calls_t_LDADD = $(LDADD_CALLS)
API_TESTS += %D%/worlds.t
API_TESTS += %D%/rank_allocations.t
%C%_worlds_t_LDADD = $(LDADD_API)
%C%_rank_allocations_t_LDADD = $(LDADD_API)
META_TESTS += %D%/every_function.t
API_TESTS += %D%/backend_calls.t
%C%_backend_calls_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/allocations_coll.t
SERIAL_TESTS += %D%/allocations_planner.t
%C%_allocations_planner_t_LDADD = $(LDADD_PLAN)
SEEDED_TESTS += %D%/allocations_planner.t
