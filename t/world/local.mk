# SPDX-License-Identifier: MIT
API_TESTS += %D%/collective.t
%C%_collective_t_LDADD = $(LDADD_API)
API_TESTS += %D%/world.t
%C%_world_t_LDADD = $(LDADD_API)
API_TESTS += %D%/collective_submit.t
%C%_collective_submit_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/graph_collective.t
