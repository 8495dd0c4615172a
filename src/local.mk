# SPDX-License-Identifier: MIT
# libplaitcore: every object, internals reachable; unit tests link it.
# libplait: the same objects behind plait.map; everybody else links it.
# Append one line per source file.  Headers need no line.

noinst_LTLIBRARIES += %D%/libplaitcore.la
lib_LTLIBRARIES += %D%/libplait.la

%C%_libplaitcore_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DPLAIT_PLUGINDIR='"$(pkglibdir)"'
%C%_libplaitcore_la_CFLAGS = $(AM_CFLAGS) $(FFI_CFLAGS) $(HWLOC_CFLAGS)
%C%_libplaitcore_la_LIBADD = $(FFI_LIBS) $(HWLOC_LIBS) -lpthread
%C%_libplaitcore_la_SOURCES =

# base
%C%_libplaitcore_la_SOURCES += %D%/base/alloc.c
%C%_libplaitcore_la_SOURCES += %D%/base/choices.c
%C%_libplaitcore_la_SOURCES += %D%/base/desc.c
%C%_libplaitcore_la_SOURCES += %D%/base/error.c
%C%_libplaitcore_la_SOURCES += %D%/base/hash.c
%C%_libplaitcore_la_SOURCES += %D%/base/log.c
%C%_libplaitcore_la_SOURCES += %D%/base/status.c
%C%_libplaitcore_la_SOURCES += %D%/base/text.c
%C%_libplaitcore_la_SOURCES += %D%/base/vector.c
# sys
%C%_libplaitcore_la_SOURCES += %D%/sys/clock.c
%C%_libplaitcore_la_SOURCES += %D%/sys/cpu.c
%C%_libplaitcore_la_SOURCES += %D%/sys/detail.c
%C%_libplaitcore_la_SOURCES += %D%/sys/dl.c
%C%_libplaitcore_la_SOURCES += %D%/sys/env.c
%C%_libplaitcore_la_SOURCES += %D%/sys/event.c
%C%_libplaitcore_la_SOURCES += %D%/sys/exec.c
%C%_libplaitcore_la_SOURCES += %D%/sys/fd.c
%C%_libplaitcore_la_SOURCES += %D%/sys/file.c
%C%_libplaitcore_la_SOURCES += %D%/sys/folder.c
%C%_libplaitcore_la_SOURCES += %D%/sys/fork.c
%C%_libplaitcore_la_SOURCES += %D%/sys/futex.c
%C%_libplaitcore_la_SOURCES += %D%/sys/mutex.c
%C%_libplaitcore_la_SOURCES += %D%/sys/spawn.c
%C%_libplaitcore_la_SOURCES += %D%/sys/thread.c
%C%_libplaitcore_la_SOURCES += %D%/sys/wait.c
%C%_libplaitcore_la_SOURCES += %D%/sys/whole.c
# ffi
%C%_libplaitcore_la_SOURCES += %D%/ffi/call.c
%C%_libplaitcore_la_SOURCES += %D%/ffi/closure.c
# kernel
%C%_libplaitcore_la_SOURCES += %D%/kernel/argument.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/intern.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/launch.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/signature.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/type.c
# source
%C%_libplaitcore_la_SOURCES += %D%/source/build.c
%C%_libplaitcore_la_SOURCES += %D%/source/cache.c
%C%_libplaitcore_la_SOURCES += %D%/source/module.c
%C%_libplaitcore_la_SOURCES += %D%/source/compiler.c
%C%_libplaitcore_la_SOURCES += %D%/source/compose.c
%C%_libplaitcore_la_SOURCES += %D%/source/report.c
%C%_libplaitcore_la_SOURCES += %D%/source/tail.c
%C%_libplaitcore_la_SOURCES += %D%/source/text.c
%C%_libplaitcore_la_SOURCES += %D%/source/trim.c
%C%_libplaitcore_la_SOURCES += %D%/source/decide.c
%C%_libplaitcore_la_SOURCES += %D%/source/guard.c
%C%_libplaitcore_la_SOURCES += %D%/source/words.c
# What portable source begins with, as strings.
PRELUDES = %D%/source/cuda.prelude %D%/source/host.prelude \
	%D%/source/loop.prelude %D%/source/opencl.prelude
nodist_%C%_libplaitcore_la_SOURCES = %D%/source/preludes.c
EXTRA_DIST += $(PRELUDES)
CLEANFILES += %D%/source/preludes.c
%D%/source/preludes.c: $(PRELUDES)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	for name in cuda host loop opencl; do \
		echo "const char plait__prelude_$$name[] =" && \
		sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' \
			-e 's/$$/\\n"/' $(srcdir)/%D%/source/$$name.prelude && \
		echo ";" || exit 1; \
	done > $@.new && mv $@.new $@
# pool
%C%_libplaitcore_la_SOURCES += %D%/pool/command.c
%C%_libplaitcore_la_SOURCES += %D%/pool/counter.c
%C%_libplaitcore_la_SOURCES += %D%/pool/guest.c
%C%_libplaitcore_la_SOURCES += %D%/pool/hop.c
%C%_libplaitcore_la_SOURCES += %D%/pool/inside.c
%C%_libplaitcore_la_SOURCES += %D%/pool/lane.c
%C%_libplaitcore_la_SOURCES += %D%/pool/place.c
%C%_libplaitcore_la_SOURCES += %D%/pool/pool.c
%C%_libplaitcore_la_SOURCES += %D%/pool/ready.c
%C%_libplaitcore_la_SOURCES += %D%/pool/ring.c
%C%_libplaitcore_la_SOURCES += %D%/pool/submit.c
%C%_libplaitcore_la_SOURCES += %D%/pool/task.c
%C%_libplaitcore_la_SOURCES += %D%/pool/tally.c
%C%_libplaitcore_la_SOURCES += %D%/pool/team.c
%C%_libplaitcore_la_SOURCES += %D%/pool/wait.c
%C%_libplaitcore_la_SOURCES += %D%/pool/worker.c
# plugin
%C%_libplaitcore_la_SOURCES += %D%/plugin/choose.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/codes.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/defaults.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/image.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/instance.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/lanes.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/list.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/load.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/negotiate.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/options.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/registry.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/report.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/search.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/services.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/shortage.c
# object
%C%_libplaitcore_la_SOURCES += %D%/object/array.c
%C%_libplaitcore_la_SOURCES += %D%/object/batch.c
%C%_libplaitcore_la_SOURCES += %D%/object/buffer.c
%C%_libplaitcore_la_SOURCES += %D%/object/built.c
%C%_libplaitcore_la_SOURCES += %D%/object/call.c
%C%_libplaitcore_la_SOURCES += %D%/object/code.c
%C%_libplaitcore_la_SOURCES += %D%/object/command.c
%C%_libplaitcore_la_SOURCES += %D%/object/context.c
%C%_libplaitcore_la_SOURCES += %D%/object/device.c
%C%_libplaitcore_la_SOURCES += %D%/object/finish.c
%C%_libplaitcore_la_SOURCES += %D%/object/flight.c
%C%_libplaitcore_la_SOURCES += %D%/object/gate.c
%C%_libplaitcore_la_SOURCES += %D%/object/handle.c
%C%_libplaitcore_la_SOURCES += %D%/object/hope.c
%C%_libplaitcore_la_SOURCES += %D%/object/implement.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel.c
%C%_libplaitcore_la_SOURCES += %D%/object/launch.c
%C%_libplaitcore_la_SOURCES += %D%/object/live.c
%C%_libplaitcore_la_SOURCES += %D%/object/lone.c
%C%_libplaitcore_la_SOURCES += %D%/object/map.c
%C%_libplaitcore_la_SOURCES += %D%/object/move.c
%C%_libplaitcore_la_SOURCES += %D%/object/native.c
%C%_libplaitcore_la_SOURCES += %D%/object/overlap.c
%C%_libplaitcore_la_SOURCES += %D%/object/notice.c
%C%_libplaitcore_la_SOURCES += %D%/object/object.c
%C%_libplaitcore_la_SOURCES += %D%/object/owed.c
%C%_libplaitcore_la_SOURCES += %D%/object/own.c
%C%_libplaitcore_la_SOURCES += %D%/object/passage.c
%C%_libplaitcore_la_SOURCES += %D%/object/pilot.c
%C%_libplaitcore_la_SOURCES += %D%/object/points.c
%C%_libplaitcore_la_SOURCES += %D%/object/port.c
%C%_libplaitcore_la_SOURCES += %D%/object/pump.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue.c
%C%_libplaitcore_la_SOURCES += %D%/object/reaper.c
%C%_libplaitcore_la_SOURCES += %D%/object/rows.c %D%/object/rows.h
%C%_libplaitcore_la_SOURCES += %D%/object/scratch.c
%C%_libplaitcore_la_SOURCES += %D%/object/settings.c
%C%_libplaitcore_la_SOURCES += %D%/object/signal.c
%C%_libplaitcore_la_SOURCES += %D%/object/sizeof.c
%C%_libplaitcore_la_SOURCES += %D%/object/split.c
%C%_libplaitcore_la_SOURCES += %D%/object/submit.c
%C%_libplaitcore_la_SOURCES += %D%/object/sweep.c
%C%_libplaitcore_la_SOURCES += %D%/object/tensor.c
%C%_libplaitcore_la_SOURCES += %D%/object/transfer.c
%C%_libplaitcore_la_SOURCES += %D%/object/upcall.c
%C%_libplaitcore_la_SOURCES += %D%/object/wait.c
%C%_libplaitcore_la_SOURCES += %D%/object/watch.c
# graph, plan, run
%C%_libplaitcore_la_SOURCES += %D%/plan/dot.c
%C%_libplaitcore_la_SOURCES += %D%/plan/names.c
%C%_libplaitcore_la_SOURCES += %D%/plan/json.c
%C%_libplaitcore_la_SOURCES += %D%/plan/bands.c
%C%_libplaitcore_la_SOURCES += %D%/plan/bound.c
%C%_libplaitcore_la_SOURCES += %D%/plan/chains.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_figures.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_input.c
%C%_libplaitcore_la_SOURCES += %D%/plan/tries.c
%C%_libplaitcore_la_SOURCES += %D%/plan/turns.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_loops.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_order.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_scratch.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_segments.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_shape.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check_use.c
%C%_libplaitcore_la_SOURCES += %D%/plan/clock.c
%C%_libplaitcore_la_SOURCES += %D%/plan/gaps.c
%C%_libplaitcore_la_SOURCES += %D%/plan/heap.c
%C%_libplaitcore_la_SOURCES += %D%/plan/insert.c
%C%_libplaitcore_la_SOURCES += %D%/plan/lanes.c
%C%_libplaitcore_la_SOURCES += %D%/plan/labels.c
%C%_libplaitcore_la_SOURCES += %D%/plan/layout.c
%C%_libplaitcore_la_SOURCES += %D%/plan/list.c
%C%_libplaitcore_la_SOURCES += %D%/plan/memory.c
%C%_libplaitcore_la_SOURCES += %D%/plan/order.c
%C%_libplaitcore_la_SOURCES += %D%/plan/place.c
%C%_libplaitcore_la_SOURCES += %D%/plan/plan.c
%C%_libplaitcore_la_SOURCES += %D%/plan/planner.c
%C%_libplaitcore_la_SOURCES += %D%/plan/proof.c
%C%_libplaitcore_la_SOURCES += %D%/plan/rank.c
%C%_libplaitcore_la_SOURCES += %D%/plan/reduce.c
%C%_libplaitcore_la_SOURCES += %D%/plan/carried.c
%C%_libplaitcore_la_SOURCES += %D%/plan/tables.c
%C%_libplaitcore_la_SOURCES += %D%/plan/save.c
%C%_libplaitcore_la_SOURCES += %D%/plan/svg.c
%C%_libplaitcore_la_SOURCES += %D%/plan/sweeps.c
%C%_libplaitcore_la_SOURCES += %D%/plan/trace.c
%C%_libplaitcore_la_SOURCES += %D%/plan/trace.h
%C%_libplaitcore_la_SOURCES += %D%/plan/trace_gaps.c
%C%_libplaitcore_la_SOURCES += %D%/plan/trace_json.c
%C%_libplaitcore_la_SOURCES += %D%/plan/trace_sizes.c
%C%_libplaitcore_la_SOURCES += %D%/plan/trace_svg.c
%C%_libplaitcore_la_SOURCES += %D%/plan/unplan.c
%C%_libplaitcore_la_SOURCES += %D%/plan/unplan.h
%C%_libplaitcore_la_SOURCES += %D%/plan/frame.c
%C%_libplaitcore_la_SOURCES += %D%/plan/picture.h
%C%_libplaitcore_la_SOURCES += %D%/plan/scene.c
%C%_libplaitcore_la_SOURCES += %D%/plan/segments.c
%C%_libplaitcore_la_SOURCES += %D%/plan/select.c
%C%_libplaitcore_la_SOURCES += %D%/plan/signals.c
%C%_libplaitcore_la_SOURCES += %D%/plan/simulate.c
%C%_libplaitcore_la_SOURCES += %D%/plan/validate.c
%C%_libplaitcore_la_SOURCES += %D%/plan/waits.c
%C%_libplaitcore_la_SOURCES += %D%/plan/whole.c
%C%_libplaitcore_la_SOURCES += %D%/plan/work.c
%C%_libplaitcore_la_SOURCES += %D%/graph/attribute.c
%C%_libplaitcore_la_SOURCES += %D%/graph/index.c
%C%_libplaitcore_la_SOURCES += %D%/graph/fields.c
%C%_libplaitcore_la_SOURCES += %D%/graph/home.c
%C%_libplaitcore_la_SOURCES += %D%/graph/scope.c
%C%_libplaitcore_la_SOURCES += %D%/graph/write.c
%C%_libplaitcore_la_SOURCES += %D%/graph/rotate.c
%C%_libplaitcore_la_SOURCES += %D%/graph/remap.c
%C%_libplaitcore_la_SOURCES += %D%/graph/objects.c
%C%_libplaitcore_la_SOURCES += %D%/graph/move.c
%C%_libplaitcore_la_SOURCES += %D%/graph/node.c
%C%_libplaitcore_la_SOURCES += %D%/graph/import.c
%C%_libplaitcore_la_SOURCES += %D%/graph/graph.c
%C%_libplaitcore_la_SOURCES += %D%/graph/bind.c
%C%_libplaitcore_la_SOURCES += %D%/graph/bind.h
%C%_libplaitcore_la_SOURCES += %D%/graph/bind_port.c
%C%_libplaitcore_la_SOURCES += %D%/graph/bound.c
%C%_libplaitcore_la_SOURCES += %D%/graph/binding.c
%C%_libplaitcore_la_SOURCES += %D%/graph/binding.h
%C%_libplaitcore_la_SOURCES += %D%/graph/fit.c
%C%_libplaitcore_la_SOURCES += %D%/graph/fit.h
%C%_libplaitcore_la_SOURCES += %D%/graph/predict.c
%C%_libplaitcore_la_SOURCES += %D%/graph/needed.c
%C%_libplaitcore_la_SOURCES += %D%/graph/needed.h
%C%_libplaitcore_la_SOURCES += %D%/graph/frozen.c
%C%_libplaitcore_la_SOURCES += %D%/graph/freeze.c
%C%_libplaitcore_la_SOURCES += %D%/graph/argument.c
%C%_libplaitcore_la_SOURCES += %D%/graph/quick.c
%C%_libplaitcore_la_SOURCES += %D%/graph/again.c %D%/graph/again.h
%C%_libplaitcore_la_SOURCES += %D%/graph/input.c
%C%_libplaitcore_la_SOURCES += %D%/graph/line.c
%C%_libplaitcore_la_SOURCES += %D%/graph/read.c
%C%_libplaitcore_la_SOURCES += %D%/graph/read_bodies.c
%C%_libplaitcore_la_SOURCES += %D%/graph/read_edges.c
%C%_libplaitcore_la_SOURCES += %D%/graph/store.c
%C%_libplaitcore_la_SOURCES += %D%/graph/values.c
%C%_libplaitcore_la_SOURCES += %D%/run/band.c
%C%_libplaitcore_la_SOURCES += %D%/run/bind.c
%C%_libplaitcore_la_SOURCES += %D%/run/call.c
%C%_libplaitcore_la_SOURCES += %D%/run/callable.c
%C%_libplaitcore_la_SOURCES += %D%/run/compile.c %D%/run/compile.h
%C%_libplaitcore_la_SOURCES += %D%/run/pieces.c
%C%_libplaitcore_la_SOURCES += %D%/run/crew.c
%C%_libplaitcore_la_SOURCES += %D%/run/exchange.c
%C%_libplaitcore_la_SOURCES += %D%/run/flat.c
%C%_libplaitcore_la_SOURCES += %D%/run/help.c
%C%_libplaitcore_la_SOURCES += %D%/run/fold.c %D%/run/fold.h
%C%_libplaitcore_la_SOURCES += %D%/run/forecast.c
%C%_libplaitcore_la_SOURCES += %D%/run/frame.c
%C%_libplaitcore_la_SOURCES += %D%/run/instances.c
%C%_libplaitcore_la_SOURCES += %D%/run/lane.c
%C%_libplaitcore_la_SOURCES += %D%/run/moves.c
%C%_libplaitcore_la_SOURCES += %D%/run/layout.c
%C%_libplaitcore_la_SOURCES += %D%/run/op.c
%C%_libplaitcore_la_SOURCES += %D%/run/outside.c
%C%_libplaitcore_la_SOURCES += %D%/run/over.c
%C%_libplaitcore_la_SOURCES += %D%/run/park.c
%C%_libplaitcore_la_SOURCES += %D%/run/program.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_arguments.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_batches.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_call.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_drive.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_freeze.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_items.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_lanes.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_deciders.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_loops.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_reasons.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_launch.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_scratch.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_ends.c
%C%_libplaitcore_la_SOURCES += %D%/run/obstacle.c %D%/run/obstacle.h
%C%_libplaitcore_la_SOURCES += %D%/run/queued_find.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_refused.c %D%/run/queued_refused.h
%C%_libplaitcore_la_SOURCES += %D%/run/queued_halt.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_walk.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_record.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_segments.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_state.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_submit.c
%C%_libplaitcore_la_SOURCES += %D%/run/queued_work.c
%C%_libplaitcore_la_SOURCES += %D%/run/record.c
%C%_libplaitcore_la_SOURCES += %D%/run/record.h
%C%_libplaitcore_la_SOURCES += %D%/run/rehearse.c
%C%_libplaitcore_la_SOURCES += %D%/run/rehearse.h
%C%_libplaitcore_la_SOURCES += %D%/run/run.c
%C%_libplaitcore_la_SOURCES += %D%/run/stop.c
%C%_libplaitcore_la_SOURCES += %D%/run/trace.c
%C%_libplaitcore_la_SOURCES += %D%/run/thunk.c
%C%_libplaitcore_la_SOURCES += %D%/run/ticket.c
%C%_libplaitcore_la_SOURCES += %D%/run/tune.c

%C%_libplait_la_SOURCES =
%C%_libplait_la_LIBADD = %D%/libplaitcore.la
%C%_libplait_la_LDFLAGS = $(AM_LDFLAGS) $(NODELETE_LDFLAGS) -no-undefined \
	-version-info $(PLAIT_VERSION_INFO)
if VERSION_SCRIPT
%C%_libplait_la_LDFLAGS += -Wl,--version-script=$(srcdir)/%D%/plait.map
else
%C%_libplait_la_LDFLAGS += -export-symbols-regex '^plait_[a-z]'
endif
EXTRA_%C%_libplait_la_DEPENDENCIES = $(srcdir)/%D%/plait.map

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/plait.pc
cmakedir = $(libdir)/cmake/plait
cmake_DATA = %D%/plait-config.cmake %D%/plait-config-version.cmake

EXTRA_DIST += %D%/plait.map
