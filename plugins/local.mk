# SPDX-License-Identifier: MIT
# A plugin is three lines, and sees include/plait/plugin.h alone:
#
#   pkglib_LTLIBRARIES += %D%/plait_NAME.la
#   %C%_plait_NAME_la_SOURCES = %D%/NAME/entry.c ...
#   %C%_plait_NAME_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
#   %C%_plait_NAME_la_LDFLAGS = $(LDFLAGS_PLUGIN)
#
# It links to nothing of plait, exports plait_plugin_entry and is never unloaded.

CPPFLAGS_PLUGIN = -D_GNU_SOURCE -I$(top_srcdir)/include
LDFLAGS_PLUGIN = $(AM_LDFLAGS) $(NODELETE_LDFLAGS) -module -avoid-version \
	-shared -no-undefined -export-symbols-regex '^plait_plugin_entry$$'

# null: the template, which has no devices; its sources are installed instead
noinst_LTLIBRARIES += %D%/plait_null.la
%C%_plait_null_la_SOURCES = %D%/null/entry.c %D%/null/kernel.c \
	%D%/null/memory.c %D%/null/queue.c %D%/null/signal.c %D%/null/null.h
%C%_plait_null_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
%C%_plait_null_la_LDFLAGS = $(LDFLAGS_PLUGIN) -rpath $(pkglibdir)
# chaos: a simulated system
pkglib_LTLIBRARIES += %D%/plait_chaos.la
%C%_plait_chaos_la_SOURCES = %D%/chaos/chaos.h %D%/chaos/clock.c %D%/chaos/drive.c \
	%D%/chaos/entry.c %D%/chaos/kernel.c %D%/chaos/link.c %D%/chaos/link.h \
	%D%/chaos/mail.c %D%/chaos/port.c %D%/chaos/port.h %D%/chaos/wire.c \
	%D%/chaos/memory.c %D%/chaos/option.c %D%/chaos/option.h \
	%D%/chaos/queue.c %D%/chaos/random.c %D%/chaos/run.c \
	%D%/chaos/segment.c %D%/chaos/signal.c %D%/chaos/system.c
%C%_plait_chaos_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_chaos_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_chaos_la_LIBADD = -lpthread
# check: every call looked over, in both directions
pkglib_LTLIBRARIES += %D%/plait_check.la
%C%_plait_check_la_SOURCES = %D%/check/call.c %D%/check/check.h \
	%D%/check/entry.c %D%/check/link.c %D%/check/port.c %D%/check/port.h \
	%D%/check/kernel.c %D%/check/memory.c %D%/check/model.c \
	%D%/check/native.c %D%/check/object.c %D%/check/queue.c %D%/check/report.c \
	%D%/check/segment.c %D%/check/shared.c \
	%D%/check/signal.c %D%/check/submission.c %D%/check/submit.c \
	%D%/check/wait.c
%C%_plait_check_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_check_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_check_la_LIBADD = -lpthread
# host: this machine
pkglib_LTLIBRARIES += %D%/plait_host.la
%C%_plait_host_la_SOURCES = %D%/host/entry.c %D%/host/memory.c \
	%D%/host/option.c %D%/host/queue.c %D%/host/signal.c \
	%D%/host/topology.c %D%/host/host.h
%C%_plait_host_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)
%C%_plait_host_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_host_la_LIBADD = -lpthread
if HWLOC
%C%_plait_host_la_CPPFLAGS += -DHAVE_HWLOC $(HWLOC_CFLAGS)
%C%_plait_host_la_LIBADD += $(HWLOC_LIBS)
endif
# forward: the default slots of interposers
FORWARD = %D%/forward/forward.c %D%/forward/forward.h
# fault: calls that fail
pkglib_LTLIBRARIES += %D%/plait_fault.la
%C%_plait_fault_la_SOURCES = %D%/fault/choose.c %D%/fault/entry.c \
	%D%/fault/fault.h %D%/fault/loss.c %D%/fault/notice.c \
	%D%/fault/option.c $(FORWARD)
%C%_plait_fault_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_fault_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_fault_la_LIBADD = -lpthread
# driven: what backends share whose commands a driver runs
DRIVEN = %D%/driven/advance.c %D%/driven/atomic.h %D%/driven/driven.h %D%/driven/queue.c \
	%D%/driven/signal.c %D%/driven/batch.c %D%/driven/process_state.c \
	%D%/driven/process_state.h %D%/driven/table.c %D%/driven/text.c \
	%D%/driven/lock.c %D%/driven/watch.c %D%/driven/includes.c \
	%D%/driven/includes.h %D%/driven/spares.c %D%/driven/spares.h
# opencl: what an ICD loader finds
if OPENCL
pkglib_LTLIBRARIES += %D%/plait_opencl.la
%C%_plait_opencl_la_SOURCES = %D%/opencl/extension_calls.h %D%/opencl/calls.h \
	%D%/opencl/code.c %D%/opencl/extension.c %D%/opencl/fill.c \
	%D%/opencl/image.c %D%/opencl/image.h \
	%D%/opencl/record.c %D%/opencl/segment.c %D%/opencl/segment.h \
	%D%/opencl/code.h %D%/opencl/device.c \
	%D%/opencl/driver.c %D%/opencl/enqueue.c %D%/opencl/entry.c %D%/opencl/facts.c \
	%D%/opencl/kernel.h %D%/opencl/launch.c %D%/opencl/memory.c \
	%D%/opencl/native.c %D%/opencl/object.c %D%/opencl/object.h %D%/opencl/opencl.h %D%/opencl/option.c %D%/opencl/parts.c \
	%D%/opencl/program.c %D%/opencl/queue.c %D%/opencl/share.c %D%/opencl/shift.c %D%/opencl/signature.c \
	%D%/opencl/warm.c %D%/opencl/events.c \
	%D%/opencl/events.h %D%/opencl/flight.c %D%/opencl/flight.h $(DRIVEN)
%C%_plait_opencl_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_opencl_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_opencl_la_LIBADD = -lpthread
endif
# trace: a timeline
pkglib_LTLIBRARIES += %D%/plait_trace.la
%C%_plait_trace_la_SOURCES = %D%/trace/entry.c %D%/trace/name.c \
	%D%/trace/record.c %D%/trace/signal.c %D%/trace/span.c \
	%D%/trace/submit.c \
	%D%/trace/exit.c %D%/trace/trace.h %D%/trace/write.c $(FORWARD)
%C%_plait_trace_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_trace_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_trace_la_LIBADD = -lpthread
# shm: ranks are processes of this machine
SHM = %D%/shm/attach.c %D%/shm/bell.h %D%/shm/instance.c %D%/shm/link.c \
	%D%/shm/mail.c %D%/shm/meet.c %D%/shm/name.c %D%/shm/option.c \
	%D%/shm/peer.c %D%/shm/place.c %D%/shm/port.c %D%/shm/room.c \
	%D%/shm/room.h %D%/shm/segment.c %D%/shm/share.c %D%/shm/shm.h
pkglib_LTLIBRARIES += %D%/plait_shm.la
%C%_plait_shm_la_SOURCES = %D%/shm/entry.c $(SHM)
%C%_plait_shm_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_shm_la_LDFLAGS = $(LDFLAGS_PLUGIN)
# loopback: ranks are threads of one process
pkglib_LTLIBRARIES += %D%/plait_loopback.la
%C%_plait_loopback_la_SOURCES = %D%/loopback/entry.c $(SHM)
%C%_plait_loopback_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_loopback_la_LDFLAGS = $(LDFLAGS_PLUGIN)
# cuda: NVIDIA's driver, which is found when it is opened
pkglib_LTLIBRARIES += %D%/plait_cuda.la
%C%_plait_cuda_la_SOURCES = %D%/cuda/abi.h %D%/cuda/abi_array.h %D%/cuda/backend.h %D%/cuda/copy3d.c %D%/cuda/copy_host.c \
	%D%/cuda/copy_host.h %D%/cuda/calls.h \
	%D%/cuda/choice.c %D%/cuda/compiler.c %D%/cuda/context.c \
	%D%/cuda/count.c %D%/cuda/device.c %D%/cuda/driver.c \
	%D%/cuda/enqueue.c %D%/cuda/entry.c %D%/cuda/fill.c \
	%D%/cuda/fill.h %D%/cuda/fill_kernel.c %D%/cuda/flight.c %D%/cuda/flight.h \
	%D%/cuda/graph.h %D%/cuda/image.c %D%/cuda/image.h %D%/cuda/kernel.h \
	%D%/cuda/launch.c %D%/cuda/map.c %D%/cuda/mark.c %D%/cuda/memory.c \
	%D%/cuda/native.c %D%/cuda/option.c %D%/cuda/pilot.c %D%/cuda/pool.c \
	%D%/cuda/program.c %D%/cuda/queue.c %D%/cuda/region.c %D%/cuda/segment.c \
	%D%/cuda/segment.h %D%/cuda/setter.c \
	%D%/cuda/stage.c %D%/cuda/stage.h %D%/cuda/stage_rows.c \
	%D%/cuda/unfreed.c %D%/cuda/word.c \
	%D%/cuda/wrapped_memory.c $(DRIVEN)
%C%_plait_cuda_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D%
%C%_plait_cuda_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_cuda_la_LIBADD = -lpthread

# openmpi, mpich: ranks of an MPI job; one source, compiled for each MPI
MPI = %D%/mpi/calls.h %D%/mpi/code.c %D%/mpi/drain.c %D%/mpi/entry.c %D%/mpi/library.c \
	%D%/mpi/link.c %D%/mpi/loan.c %D%/mpi/places.c %D%/mpi/port.c %D%/mpi/port.h \
	%D%/mpi/process.c %D%/mpi/pump.c %D%/mpi/record.c \
	%D%/mpi/sent.c %D%/mpi/slots.c %D%/mpi/slots.h %D%/mpi/stream.c \
	%D%/driven/atomic.h %D%/driven/driven.h %D%/driven/process_state.c \
	%D%/driven/process_state.h %D%/driven/spares.h %D%/driven/table.c \
	%D%/driven/text.c
if OPENMPI
pkglib_LTLIBRARIES += %D%/plait_openmpi.la
%C%_plait_openmpi_la_SOURCES = $(MPI)
%C%_plait_openmpi_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D% $(OPENMPI_CFLAGS)
%C%_plait_openmpi_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_openmpi_la_LIBADD = -lpthread
endif
if MPICH
pkglib_LTLIBRARIES += %D%/plait_mpich.la
%C%_plait_mpich_la_SOURCES = $(MPI)
%C%_plait_mpich_la_CPPFLAGS = $(CPPFLAGS_PLUGIN) -I$(srcdir)/%D% $(MPICH_CFLAGS)
%C%_plait_mpich_la_LDFLAGS = $(LDFLAGS_PLUGIN)
%C%_plait_mpich_la_LIBADD = -lpthread
endif

# What a backend is, its options and its limits; null has its own folder.
nobase_dist_tree_DATA += %D%/chaos/README.md %D%/check/README.md \
	%D%/cuda/README.md %D%/driven/README.md %D%/fault/README.md \
	%D%/forward/README.md %D%/host/README.md %D%/loopback/README.md \
	%D%/mpi/README.md %D%/opencl/README.md %D%/shm/README.md \
	%D%/trace/README.md
