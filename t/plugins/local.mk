# SPDX-License-Identifier: MIT
include %D%/opencl/local.mk
include %D%/cuda/local.mk
include %D%/mpi/local.mk
UNIT_TESTS += %D%/chaos_system.t
%C%_chaos_system_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/chaos_link.t
%C%_chaos_link_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/chaos_ranks.t
%C%_chaos_ranks_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/chaos_random_programs.t
%C%_chaos_random_programs_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/check_core.t
%C%_check_core_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
API_TESTS += %D%/check_model.t
%C%_check_model_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/check_ports.t
%C%_check_ports_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la -lpthread
UNIT_TESTS += %D%/check_segment_deciders.t
%C%_check_segment_deciders_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/check_backend.t
%C%_check_backend_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/host_backend.t
UNIT_TESTS += %D%/fault_calls.t
%C%_fault_calls_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/fault_ports.t
%C%_fault_ports_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/loopback_ports.t
%C%_loopback_ports_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la -lpthread
UNIT_TESTS += %D%/shm_processes.t
%C%_shm_processes_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/plugins
%C%_shm_processes_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la -lpthread
UNIT_TESTS += %D%/shm_order.t
%C%_shm_order_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/plugins
%C%_shm_order_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
UNIT_TESTS += %D%/shm_failures.t
%C%_shm_failures_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/plugins
%C%_shm_failures_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
# The test fails a function of libc that the plugin calls.
%C%_shm_failures_t_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
UNIT_TESTS += %D%/driven_includes.t
%C%_driven_includes_t_SOURCES = %D%/driven_includes.c plugins/driven/includes.c
%C%_driven_includes_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/plugins
%C%_driven_includes_t_LDADD = t/lib/libtap.la
UNIT_TESTS += %D%/driven_process_state.t
%C%_driven_process_state_t_SOURCES = %D%/driven_process_state.c \
	plugins/driven/process_state.c
%C%_driven_process_state_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/plugins
%C%_driven_process_state_t_LDADD = t/lib/libtap.la
UNIT_TESTS += %D%/trace_record_write.t
%C%_trace_record_write_t_LDADD = t/lib/libfakehost.la t/lib/libtap.la
API_TESTS += %D%/trace_exit.t
%C%_trace_exit_t_LDADD = $(LDADD_API)
API_TESTS += %D%/trace_flows.t
%C%_trace_flows_t_LDADD = $(LDADD_API)
API_TESTS += %D%/trace_commands.t
%C%_trace_commands_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/host_wrapped.t
%C%_host_wrapped_t_LDADD = $(LDADD_RIG)
PLAIN_SCRIPT_TESTS += %D%/check_wrapped.t
PLAIN_SCRIPT_TESTS += %D%/null_clone.t
PLAIN_SCRIPT_TESTS += %D%/symbols.t
SEEDED_TESTS += %D%/shm_processes.t %D%/shm_order.t %D%/chaos_random_programs.t %D%/host_wrapped.t
