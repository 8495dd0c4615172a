# SPDX-License-Identifier: MIT
# Rigs that tests of several folders share.
check_LTLIBRARIES += %D%/libtap.la
%C%_libtap_la_SOURCES = %D%/tap.c %D%/tap.h

# The program that runs a test; it is built in check_PROGRAMS of t/local.mk.
%C%_run_LDADD =

# Host services without a core, for tests that drive a plugin's table directly.
check_LTLIBRARIES += %D%/libfakehost.la
%C%_libfakehost_la_SOURCES = %D%/bed.c %D%/bed.h %D%/fakehost.c %D%/fakehost.h \
	%D%/ranks.c %D%/ranks.h

# Finding and opening plugins.
check_LTLIBRARIES += %D%/librig.la
%C%_librig_la_SOURCES = %D%/plugin_rig.c %D%/plugin_rig.h
LDADD_RIG = %D%/librig.la %D%/libtap.la src/libplaitcore.la

# Graphs as input of the planner; bench/ uses them too.
noinst_LTLIBRARIES += %D%/libshapes.la
%C%_libshapes_la_SOURCES = %D%/shapes.c %D%/shapes.h
LDADD_PLAN = %D%/libshapes.la $(LDADD)

# Random graphs, and an interpreter that knows what a run of them has to do.
check_LTLIBRARIES += %D%/libmaze.la
%C%_libmaze_la_SOURCES = %D%/maze.c %D%/maze.h %D%/maze_build.c \
	%D%/maze_trace.c %D%/maze_walk.c
LDADD_MAZE = %D%/libmaze.la $(LDADD_API)

# Running kernels of t/source/kernels.
check_LTLIBRARIES += %D%/libsuite.la
%C%_libsuite_la_SOURCES = %D%/suite.c %D%/suite.h
LDADD_SUITE = %D%/libsuite.la $(LDADD_API) -lm
