# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/lane.t
UNIT_TESTS += %D%/affinity.t
UNIT_TESTS += %D%/kept_task.t
UNIT_TESTS += %D%/parallel_for.t
UNIT_TESTS += %D%/counter_wait.t
UNIT_TESTS += %D%/counter_failure.t
%C%_counter_failure_t_LDADD = $(LDADD) -lm
UNIT_TESTS += %D%/pool_stress.t
