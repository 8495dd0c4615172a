# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/coroutine.t
%C%_coroutine_t_LDADD = $(LDADD) -lm
UNIT_TESTS += %D%/stack_pool.t
