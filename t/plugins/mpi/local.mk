# SPDX-License-Identifier: MIT
# The MPI transports, under the mpirun of each MPI that is there.  MPI is not
# instrumented: sanitizers would take what it orders for races.
PLAIN_SCRIPT_TESTS += %D%/transport.t
TEST_HELPERS += %D%/scenarios
%C%_scenarios_SOURCES = %D%/scenarios.c %D%/lent.c %D%/lent.h %D%/native.c \
	%D%/native.h %D%/rank.c %D%/rank.h %D%/receives.c %D%/receives.h
%C%_scenarios_LDADD = t/lib/libfakehost.la -lpthread
SEEDED_TESTS += %D%/transport.t
