# SPDX-License-Identifier: MIT
API_TESTS += %D%/flow.t
%C%_flow_t_LDADD = $(LDADD_API)
