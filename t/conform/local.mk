# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/null.t
SCRIPT_TESTS += %D%/host.t
SCRIPT_TESTS += %D%/chaos.t
SCRIPT_TESTS += %D%/sins.t
SCRIPT_TESTS += %D%/transports.t
PLAIN_SCRIPT_TESTS += %D%/mpi.t
SCRIPT_TESTS += %D%/opencl.t %D%/opencl_intel.t
SCRIPT_TESTS += %D%/cuda.t
SEEDED_TESTS += %D%/chaos.t %D%/host.t

# Backends with one sin each: one body, and which.c compiled once for each line of
# the list.
check_LTLIBRARIES += %D%/sins/libsins.la
%C%_sins_libsins_la_SOURCES = %D%/sins/base.c %D%/sins/base.h \
	%D%/sins/kernels.c %D%/sins/ports.c %D%/sins/queues.c %D%/sins/segments.c \
	%D%/sins/signals.c \
	%D%/sins/work.c
%C%_sins_libsins_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
if SANITIZE
SINS_WANTED = always$$
else
SINS_WANTED = .
endif
check_DATA += %D%/sins/built
CLEANFILES += %D%/sins/built %D%/sins/plait_sin_*.so
SINS_LINK = $(CC) $(CPPFLAGS_PLUGIN) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC \
	-shared $(LDFLAGS) $(NODELETE_LDFLAGS)
%D%/sins/built: %D%/sins/libsins.la %D%/sins/sins.list %D%/sins/which.c
	@echo '  GEN      $@'; rm -f %D%/sins/plait_sin_*.so; \
	grep -v '^#' $(srcdir)/%D%/sins/sins.list | grep '$(SINS_WANTED)' | \
	while read -r name check always; do \
		upper=`echo $$name | tr a-z A-Z`; \
		$(SINS_LINK) -DSIN=SIN_$$upper -DSIN_NAME="\"sin_$$name\"" \
			-o %D%/sins/plait_sin_$$name.so \
			$(srcdir)/%D%/sins/which.c -Wl,--whole-archive \
			%D%/sins/.libs/libsins.a -Wl,--no-whole-archive \
			-lm -lpthread || exit 1; \
	done && touch $@
