# SPDX-License-Identifier: MIT
SERIAL_TESTS += %D%/signature.t
API_TESTS += %D%/large_values.t
%C%_large_values_t_LDADD = $(LDADD_API)
API_TESTS += %D%/local_memory.t
%C%_local_memory_t_LDADD = $(LDADD_API)
API_TESTS += %D%/argument_launch.t
%C%_argument_launch_t_LDADD = $(LDADD_API)
