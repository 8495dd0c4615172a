# SPDX-License-Identifier: MIT
# A stand-in for libcuda.so.1 and one for libnvrtc.so: README.md.
STANDIN_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins/cuda
LDFLAGS_STANDIN = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

# Without sanitizers: they do not follow kernels from stack to stack.
check_LTLIBRARIES += %D%/libgrid.la
%C%_libgrid_la_SOURCES = %D%/grid.c %D%/device.h
%C%_libgrid_la_CFLAGS = -std=gnu11 -pthread $(WARN_CFLAGS) $(CODE_CFLAGS)

check_LTLIBRARIES += %D%/standin_cuda.la
%C%_standin_cuda_la_SOURCES = %D%/arena.c %D%/array.c %D%/condition.c %D%/conflict.c %D%/context.c %D%/control.h %D%/copy.c \
	%D%/device.h %D%/entry.c %D%/exec.c %D%/graph.c %D%/image.h \
	%D%/interpreted.c %D%/locks.c %D%/memory.c %D%/memory.h %D%/module.c %D%/object.c \
	%D%/option.c %D%/standin.h %D%/stream.c %D%/work.c
%C%_standin_cuda_la_CPPFLAGS = $(STANDIN_CPPFLAGS)
%C%_standin_cuda_la_LDFLAGS = $(LDFLAGS_STANDIN) -export-symbols-regex \
	'^(cu[A-Z].*|standin_(configure|live|leaked|calls|fail|fault|overlaps|undecided|failed|misused|speak))$$'
%C%_standin_cuda_la_LIBADD = %D%/libgrid.la t/standin/ptx/libptx.la \
	-lpthread -ldl -lm

check_LTLIBRARIES += %D%/standin_nvrtc.la
%C%_standin_nvrtc_la_SOURCES = %D%/compiler.c %D%/compiler.h %D%/image.h \
	%D%/nvrtc.c %D%/rewrite.c %D%/rewrite.h
%C%_standin_nvrtc_la_CPPFLAGS = $(STANDIN_CPPFLAGS) \
	-DSTANDIN_FOLDER='"$(abs_top_srcdir)/%D%"' -DSTANDIN_CXX='"$(CXX)"'
%C%_standin_nvrtc_la_LDFLAGS = $(LDFLAGS_STANDIN) \
	-export-symbols-regex '^nvrtc[A-Z].*$$'
EXTRA_DIST += %D%/device.prelude

check_LTLIBRARIES += %D%/librig.la
%C%_librig_la_SOURCES = %D%/graph_rig.c %D%/graph_rig.h \
	%D%/rig.c %D%/rig.h
%C%_librig_la_CPPFLAGS = $(STANDIN_CPPFLAGS)
CPPFLAGS_CUDA = $(STANDIN_CPPFLAGS)
LDADD_CUDA = %D%/librig.la t/lib/libtap.la -ldl

# Shared, so that its functions of mutexes are the process's.  Sanitizers have
# their own.
if SANITIZE
LDADD_RECORDER =
CPPFLAGS_RECORDER =
else
LDADD_RECORDER = %D%/librecorder.la
CPPFLAGS_RECORDER = -DSTANDIN_RECORDED
endif
check_LTLIBRARIES += %D%/librecorder.la
%C%_librecorder_la_SOURCES = %D%/recorder.c
%C%_librecorder_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
%C%_librecorder_la_LIBADD = -lpthread -ldl

# The stand-ins keep CUDA's rules: a test for each rule.
UNIT_TESTS += %D%/driver_rules.t
%C%_driver_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_driver_rules_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/array_rules.t
%C%_array_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_array_rules_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/module_rules.t
%C%_module_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_module_rules_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/graph_rules.t
%C%_graph_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_graph_rules_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/condition_rules.t
%C%_condition_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_condition_rules_t_LDADD = $(LDADD_CUDA)
UNIT_TESTS += %D%/strict_rules.t
%C%_strict_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_strict_rules_t_LDADD = $(LDADD_CUDA)
if SANITIZE
else
UNIT_TESTS += %D%/lock_rules.t
%C%_lock_rules_t_CPPFLAGS = $(CPPFLAGS_CUDA)
%C%_lock_rules_t_LDADD = %D%/librecorder.la $(LDADD_CUDA)
endif
