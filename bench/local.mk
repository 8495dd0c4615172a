# SPDX-License-Identifier: MIT
# Benchmarks are built by `make`, run by hand, and never part of the tests:
#
#   noinst_PROGRAMS += %D%/NAME
#   %C%_NAME_LDADD = src/libplaitcore.la

# time and memory of the planner, beside libnnc
noinst_PROGRAMS += %D%/plan
%C%_plan_LDADD = t/lib/libshapes.la src/libplaitcore.la

# overhead of a kernel call, in each form
noinst_PROGRAMS += %D%/kernels
%C%_kernels_CFLAGS = $(AM_CFLAGS) $(FFI_CFLAGS)
%C%_kernels_LDADD = src/libplaitcore.la $(FFI_LIBS)

# coroutines, beside calls
noinst_PROGRAMS += %D%/coroutine
%C%_coroutine_LDADD = src/libplaitcore.la

# plans with regions for more lanes than processors
check_PROGRAMS += %D%/regions
%C%_regions_LDADD = %D%/libreplay.la src/libplait.la

# a plan as a C function, beside plait_plan_call
noinst_PROGRAMS += %D%/callable
%C%_callable_LDADD = src/libplaitcore.la

# overhead of one nearly empty run
noinst_PROGRAMS += %D%/call
%C%_call_LDADD = src/libplaitcore.la

# host queues and signals, beside the latencies of the machine
noinst_PROGRAMS += %D%/queue
%C%_queue_LDADD = src/libplaitcore.la

# building and freezing a graph, beside appending to an array
noinst_PROGRAMS += %D%/graph
%C%_graph_LDADD = t/lib/libshapes.la src/libplaitcore.la

# kernels from portable source, beside plain C loops
noinst_PROGRAMS += %D%/source
%C%_source_LDADD = src/libplaitcore.la

# one launch of such a kernel, alone and with workers
noinst_PROGRAMS += %D%/launch
%C%_launch_LDADD = src/libplaitcore.la

# data-parallel launches, beside OpenMP's loops; for bench/loops.py
noinst_PROGRAMS += %D%/loops
%C%_loops_SOURCES = %D%/loops.c %D%/loops.h
%C%_loops_LDADD = src/libplait.la

# plans on OpenCL, beside direct calls of the driver
if OPENCL
noinst_PROGRAMS += %D%/opencl
%C%_opencl_SOURCES = %D%/opencl.c %D%/opencl.h %D%/opencl_hand.c
%C%_opencl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins
%C%_opencl_LDADD = src/libplait.la -ldl
noinst_PROGRAMS += %D%/opencl_wait
%C%_opencl_wait_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins
%C%_opencl_wait_LDADD = src/libplait.la -ldl
noinst_PROGRAMS += %D%/collective_opencl
%C%_collective_opencl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins
%C%_collective_opencl_LDADD = src/libplaitcore.la -ldl
endif

# tasks of a flow: submission and execution
noinst_PROGRAMS += %D%/flow
%C%_flow_SOURCES = %D%/flow.c %D%/flow_gate.c %D%/flow_gate.h
%C%_flow_CPPFLAGS = $(AM_CPPFLAGS)
%C%_flow_LDADD = src/libplaitcore.la
# split launches of a flow on simulated devices
noinst_PROGRAMS += %D%/flow_devices
%C%_flow_devices_LDADD = src/libplaitcore.la
# tasks of a flow over processes
noinst_PROGRAMS += %D%/flow_ranks
%C%_flow_ranks_LDADD = src/libplaitcore.la
# graphs of tasks: flows beside plans
noinst_PROGRAMS += %D%/flow_grain
%C%_flow_grain_SOURCES = %D%/flow_grain.c %D%/flow_floor.c %D%/grain.c \
	%D%/shapes.c
%C%_flow_grain_CPPFLAGS = $(AM_CPPFLAGS)
%C%_flow_grain_LDADD = src/libplaitcore.la

# launches of a flow over parts of an OpenCL device, beside the plan and by hand
if OPENCL
noinst_PROGRAMS += %D%/flow_halves
%C%_flow_halves_SOURCES = %D%/flow_halves.c %D%/halves_hand.c \
	%D%/halves_hand.h
%C%_flow_halves_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins
%C%_flow_halves_LDADD = src/libplaitcore.la -ldl
endif

# overhead of the language bindings; for bench/languages.py
noinst_PROGRAMS += %D%/languages/bench
%C%_languages_bench_LDADD = src/libplait.la

# --- bench/replay: repeated runs of graphs, beside other libraries ------------
#
#	make bench		all of it, about half an hour
#	make bench-quick	no work and 200 ns, up to 10,000 nodes
#	make bench BENCH_FLAGS='--shapes wavefront --threads 2'
#
# A peer is a program that is linked with libreplay; see README.md here.
check_LTLIBRARIES += %D%/libreplay.la
%C%_libreplay_la_SOURCES = %D%/measure.c %D%/hop.c %D%/hop.h %D%/grain.c \
	%D%/grain.h %D%/shapes.c %D%/shapes.h %D%/who.h
check_PROGRAMS += %D%/who_floor
%C%_who_floor_LDADD = %D%/libreplay.la
check_PROGRAMS += %D%/who_plait
%C%_who_plait_LDADD = %D%/libreplay.la src/libplait.la

# Peers have their own compilers and flags, and all are optional.
BENCH_PEERS =
BENCH_ABSENT =
if BENCH_TBB
BENCH_PEERS += %D%/who_tbb
else
BENCH_ABSENT += --absent 'oneTBB: configure found no C++ compiler or no libtbb-dev'
endif
if BENCH_GOMP
BENCH_PEERS += %D%/who_gomp
else
BENCH_ABSENT += --absent 'libgomp: configure found no gcc'
endif
if BENCH_LIBOMP
BENCH_PEERS += %D%/who_libomp
else
BENCH_ABSENT += --absent 'libomp: configure found no clang or no libomp-dev'
endif
if BENCH_STARPU
BENCH_PEERS += %D%/who_starpu
BENCH_OPENCL_PEER = %D%/opencl_starpu
BENCH_FLOW_PEER = %D%/flow_starpu
BENCH_COROUTINE_PEER = %D%/coroutine_starpu
BENCH_DMDA_PEER = %D%/flow_dmda
else
BENCH_DMDA_PEER =
BENCH_OPENCL_PEER =
BENCH_FLOW_PEER =
BENCH_COROUTINE_PEER =
BENCH_ABSENT += --absent 'StarPU: configure found no libstarpu-dev'
endif
check_DATA += $(BENCH_PEERS)
CLEANFILES += $(BENCH_PEERS) %D%/coroutine_peers %D%/coroutine_starpu %D%/opencl_starpu %D%/flow_starpu %D%/flow_dmda \
	%D%/loops_omp \
	%D%/processes %D%/processes_openmpi %D%/processes_mpich \
	%D%/results.tsv

BENCH_LIBRARY = %D%/libreplay.la
BENCH_LINK = -O2 -g -I$(srcdir)/%D% %D%/.libs/libreplay.a -pthread
%D%/who_tbb: $(srcdir)/%D%/who_tbb.cc $(BENCH_LIBRARY)
	@echo '  PEER     $@'; $(CXX) -std=c++17 -Wall $(TBB_CFLAGS) \
		$(srcdir)/%D%/who_tbb.cc $(BENCH_LINK) $(TBB_LIBS) -o $@
%D%/who_gomp: $(srcdir)/%D%/who_omp.c $(BENCH_LIBRARY)
	@echo '  PEER     $@'; $(GOMP_CC) -Wall -fopenmp -DOMP_NAME='"gomp"' \
		$(srcdir)/%D%/who_omp.c $(BENCH_LINK) -o $@
%D%/who_libomp: $(srcdir)/%D%/who_omp.c $(BENCH_LIBRARY)
	@echo '  PEER     $@'; $(LIBOMP_CC) -Wall -fopenmp=libomp \
		-DOMP_NAME='"libomp"' $(srcdir)/%D%/who_omp.c $(BENCH_LINK) -o $@
%D%/who_starpu: $(srcdir)/%D%/who_starpu.c $(BENCH_LIBRARY)
	@echo '  PEER     $@'; $(CC) -Wall $(STARPU_CFLAGS) \
		$(srcdir)/%D%/who_starpu.c $(BENCH_LINK) $(STARPU_LIBS) -o $@
%D%/flow_starpu: $(srcdir)/%D%/flow_starpu.c
	@echo '  PEER     $@'; $(CC) -O2 -Wall $(STARPU_CFLAGS) \
		$(srcdir)/%D%/flow_starpu.c $(STARPU_LIBS) -o $@
%D%/flow_dmda: $(srcdir)/%D%/flow_dmda.c
	@echo '  PEER     $@'; $(CC) -O2 -Wall $(STARPU_CFLAGS) \
		-DCL_TARGET_OPENCL_VERSION=120 \
		$(srcdir)/%D%/flow_dmda.c $(STARPU_LIBS) -l:libOpenCL.so.1 -o $@
%D%/opencl_starpu: $(srcdir)/%D%/opencl_starpu.c $(srcdir)/%D%/opencl.h
	@echo '  PEER     $@'; $(CC) -Wall $(STARPU_CFLAGS) \
		-DCL_TARGET_OPENCL_VERSION=120 \
		$(srcdir)/%D%/opencl_starpu.c $(STARPU_LIBS) -l:libOpenCL.so.1 -o $@

# The flags with which plait compiles portable source.
%D%/loops_omp: $(srcdir)/%D%/loops_omp.c $(srcdir)/%D%/loops.h
	@echo '  PEER     $@'; $(GOMP_CC) -std=gnu11 -Wall -fopenmp -O3 -march=native \
		-fno-math-errno -fno-trapping-math -ffp-contract=fast \
		$(srcdir)/%D%/loops_omp.c -o $@
bench-loops: all %D%/loops_omp
	python3 $(srcdir)/%D%/loops.py $(BENCH_FLAGS) .

BENCH_WHO = %D%/who_floor %D%/who_plait $(BENCH_PEERS)
BENCH_FLAGS =
BENCH_RUN = PLAIT_PLUGIN_PATH='$(abs_top_builddir)/plugins/.libs' python3 \
	$(srcdir)/%D%/replay.py --out %D%/results.tsv $(BENCH_ABSENT)
bench: all $(BENCH_WHO)
	$(BENCH_RUN) $(BENCH_FLAGS) $(BENCH_WHO)
bench-quick: all $(BENCH_WHO)
	$(BENCH_RUN) --quick $(BENCH_FLAGS) $(BENCH_WHO)

# Plans on OpenCL, beside direct calls and StarPU; half a minute.
BENCH_OPENCL = PLAIT_PLUGIN_PATH='$(abs_top_builddir)/plugins/.libs' %D%/opencl
bench-flow: all $(BENCH_FLOW_PEER)
	PLAIT_PLUGIN_PATH=$(abs_top_builddir)/plugins/.libs %D%/flow --gate A
# Limits of flows on devices; half a minute.
bench-flow-devices: all $(BENCH_DMDA_PEER)
	PLAIT_PLUGIN_PATH=$(abs_top_builddir)/plugins/.libs %D%/flow --gate B
# In turn; needs libboost-context-dev and libtbb-dev.
%D%/coroutine_peers: $(srcdir)/%D%/coroutine_peers.cc
	@echo '  PEER     $@'; $(CXX) -std=c++17 -O2 -Wall $(TBB_CFLAGS) \
		$(srcdir)/%D%/coroutine_peers.cc -lboost_context $(TBB_LIBS) -o $@
%D%/coroutine_starpu: $(srcdir)/%D%/coroutine_starpu.c
	@echo '  PEER     $@'; $(CC) -O2 -Wall $(STARPU_CFLAGS) \
		$(srcdir)/%D%/coroutine_starpu.c $(STARPU_LIBS) -o $@
bench-coroutine: all %D%/coroutine_peers $(BENCH_COROUTINE_PEER)
	for turn in 1 2 3; do PLAIT_PLUGIN_PATH=plugins/.libs %D%/coroutine && \
		%D%/coroutine_peers || exit 1; \
		for peer in $(BENCH_COROUTINE_PEER); do \
			OMP_NUM_THREADS=2 STARPU_SILENT=1 $$peer || exit 1; \
		done; done
# Collectives between processes, beside a floor by hand and each MPI, in turn.
BENCH_MPI =
if OPENMPI
BENCH_MPI += %D%/processes_openmpi
endif
if MPICH
BENCH_MPI += %D%/processes_mpich
endif
%D%/processes: $(srcdir)/%D%/processes.c $(srcdir)/%D%/processes.h
	@echo '  PEER     $@'; $(CC) -std=gnu11 -D_GNU_SOURCE -O3 -march=native -Wall \
		$(srcdir)/%D%/processes.c -o $@
%D%/processes_openmpi: $(srcdir)/%D%/processes_mpi.c $(srcdir)/%D%/processes.h
	@echo '  PEER     $@'; $(OPENMPI_MPICC) -std=gnu11 -D_GNU_SOURCE -O3 -march=native -Wall \
		$(srcdir)/%D%/processes_mpi.c -o $@
%D%/processes_mpich: $(srcdir)/%D%/processes_mpi.c $(srcdir)/%D%/processes.h
	@echo '  PEER     $@'; $(MPICH_MPICC) -std=gnu11 -D_GNU_SOURCE -O3 -march=native -Wall \
		$(srcdir)/%D%/processes_mpi.c -o $@
# A collective of plait beside them.
noinst_PROGRAMS += %D%/processes_plait
%C%_processes_plait_SOURCES = %D%/processes_plait.c %D%/processes.h
%C%_processes_plait_LDADD = src/libplait.la
# Slots of the MPI transports, beside their MPI's own messages.
EXTRA_PROGRAMS += %D%/processes_slots
%C%_processes_slots_SOURCES = %D%/processes_slots.c %D%/processes.h \
	t/plugins/mpi/rank.c t/plugins/mpi/rank.h
%C%_processes_slots_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
%C%_processes_slots_LDADD = t/lib/libfakehost.la
bench-coll: all %D%/processes $(BENCH_MPI)
	python3 $(srcdir)/%D%/coll.py $(BENCH_FLAGS) .
bench-opencl: all $(BENCH_OPENCL_PEER)
	$(BENCH_OPENCL) 101 chain $(BENCH_OPENCL_PEER)
	$(BENCH_OPENCL) 101 loop
	POCL_AFFINITY=1 $(BENCH_OPENCL) 101 diamond

.PHONY: bench bench-quick bench-opencl bench-loops bench-flow bench-flow-devices bench-coroutine bench-coll

# compile times of collectives
noinst_PROGRAMS += %D%/coll
noinst_PROGRAMS += %D%/collective
%C%_collective_LDADD = src/libplaitcore.la
%C%_coll_LDADD = src/libplaitcore.la
