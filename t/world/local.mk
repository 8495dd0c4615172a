# SPDX-License-Identifier: MIT
API_TESTS += %D%/collective.t
%C%_collective_t_LDADD = $(LDADD_API)
API_TESTS += %D%/world.t
%C%_world_t_LDADD = $(LDADD_API)
