# SPDX-License-Identifier: MIT
# ThreadSanitizer of clang 14 crashes where its fibers begin and end often.
SPARED_TESTS += %D%/coroutine.t
%C%_coroutine_t_LDADD = $(LDADD) -lm
