# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/main_info.t
PLAIN_SCRIPT_TESTS += %D%/plan_check_simulate.t
PLAIN_SCRIPT_TESTS += %D%/picture_labels.t
SERIAL_SCRIPT_TESTS += %D%/run.t
SERIAL_SCRIPT_TESTS += %D%/flow.t
SERIAL_SCRIPT_TESTS += %D%/flow_memories.t
SERIAL_SCRIPT_TESTS += %D%/flow_policies.t
SERIAL_SCRIPT_TESTS += %D%/flow_eviction.t
SERIAL_SCRIPT_TESTS += %D%/coll.t
SERIAL_SCRIPT_TESTS += %D%/coll_run.t
SCRIPT_TESTS += %D%/coll_processes.t
SCRIPT_TESTS += %D%/coll_tune.t
SCRIPT_TESTS += %D%/coll_mpirun.t
SERIAL_SCRIPT_TESTS += %D%/coll_simulate.t
API_TESTS += %D%/msccl_scheduler.t
%C%_msccl_scheduler_t_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)
%C%_msccl_scheduler_t_LDADD = $(LDADD_API)
# The test is the executor, whose functions the library looks up.
%C%_msccl_scheduler_t_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
