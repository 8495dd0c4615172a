# SPDX-License-Identifier: MIT
# The interface: headers, exports, layouts, and what grows.
API_TESTS += %D%/sized_struct_arrays.t
%C%_sized_struct_arrays_t_LDADD = $(LDADD_API)
PLAIN_SCRIPT_TESTS += %D%/exports.t
META_TESTS += %D%/headers.t
PLAIN_SCRIPT_TESTS += %D%/cdef.t
PLAIN_SCRIPT_TESTS += %D%/cplusplus.t
META_TESTS += %D%/structs.t
META_TESTS += %D%/annotations.t
PLAIN_SCRIPT_TESTS += %D%/grown_library.t
API_TESTS += %D%/sized_struct.t
%C%_sized_struct_t_SOURCES = %D%/sized_struct.c %D%/sizes/sizes.h \
	%D%/sizes/graphs.c %D%/sizes/kernels.c %D%/sizes/objects.c \
	%D%/sizes/runs.c %D%/sizes/schedules.c %D%/sizes/worlds.c \
	%D%/sizes/colls.c %D%/sizes/flows.c
%C%_sized_struct_t_LDADD = $(LDADD_API)

# --- the ABI against the last release ---------------------------------------
# `make abi-baseline` at a release writes t/abi/plait.abi, which is checked in;
# from then on `make abi-check` lets functions be added and nothing be changed.
abi-baseline: src/libplait.la
	abidw --no-corpus-path --no-comp-dir-path --headers-dir $(srcdir)/include/plait \
		src/.libs/libplait.so > $(srcdir)/%D%/plait.abi

abi-check: src/libplait.la
	@test -f $(srcdir)/%D%/plait.abi || \
		{ echo "no release yet, nothing to compare with"; exit 1; }
	abidiff --no-added-syms --headers-dir2 $(srcdir)/include/plait \
		$(srcdir)/%D%/plait.abi src/.libs/libplait.so

.PHONY: abi-baseline abi-check
