# SPDX-License-Identifier: MIT
SERIAL_TESTS += %D%/signature.t
API_TESTS += %D%/argument_launch.t
%C%_argument_launch_t_LDADD = $(LDADD_API)
