# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/ffi_closure.t
%C%_ffi_closure_t_SOURCES = %D%/ffi_closure.c t/lib/refuse.h
