# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/closure.t
%C%_closure_t_SOURCES = %D%/closure.c t/lib/refuse.h
