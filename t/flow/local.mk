# SPDX-License-Identifier: MIT
API_TESTS += %D%/flow.t
%C%_flow_t_LDADD = $(LDADD_API)
API_TESTS += %D%/random_programs.t
%C%_random_programs_t_LDADD = $(LDADD_API)
SEEDED_TESTS += %D%/random_programs.t
