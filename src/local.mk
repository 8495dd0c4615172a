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
%C%_libplaitcore_la_SOURCES += %D%/base/spelling_hint.c
%C%_libplaitcore_la_SOURCES += %D%/base/sized_struct.c
%C%_libplaitcore_la_SOURCES += %D%/base/error.c
%C%_libplaitcore_la_SOURCES += %D%/base/hash.c
%C%_libplaitcore_la_SOURCES += %D%/base/log.c
%C%_libplaitcore_la_SOURCES += %D%/base/status.c
%C%_libplaitcore_la_SOURCES += %D%/base/text.c
%C%_libplaitcore_la_SOURCES += %D%/base/vector.c
# sys
%C%_libplaitcore_la_SOURCES += %D%/sys/clock.c
%C%_libplaitcore_la_SOURCES += %D%/sys/cpu.c
%C%_libplaitcore_la_SOURCES += %D%/sys/error_detail.c
%C%_libplaitcore_la_SOURCES += %D%/sys/dl.c
%C%_libplaitcore_la_SOURCES += %D%/sys/env.c
%C%_libplaitcore_la_SOURCES += %D%/sys/eventcount.c
%C%_libplaitcore_la_SOURCES += %D%/sys/exec.c
%C%_libplaitcore_la_SOURCES += %D%/sys/fd.c
%C%_libplaitcore_la_SOURCES += %D%/sys/file.c
%C%_libplaitcore_la_SOURCES += %D%/sys/private_dir.c
%C%_libplaitcore_la_SOURCES += %D%/sys/fork.c
%C%_libplaitcore_la_SOURCES += %D%/sys/futex.c
%C%_libplaitcore_la_SOURCES += %D%/sys/mutex.c
%C%_libplaitcore_la_SOURCES += %D%/sys/spawn.c
%C%_libplaitcore_la_SOURCES += %D%/sys/thread.c
%C%_libplaitcore_la_SOURCES += %D%/sys/backoff.c
%C%_libplaitcore_la_SOURCES += %D%/sys/read_write_file.c
# ffi
%C%_libplaitcore_la_SOURCES += %D%/ffi/ffi_call.c
%C%_libplaitcore_la_SOURCES += %D%/ffi/ffi_closure.c
# kernel
%C%_libplaitcore_la_SOURCES += %D%/kernel/argument.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/intern.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/launch.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/signature.c
%C%_libplaitcore_la_SOURCES += %D%/kernel/type.c
# source
%C%_libplaitcore_la_SOURCES += %D%/source/build.c
%C%_libplaitcore_la_SOURCES += %D%/source/cache.c
%C%_libplaitcore_la_SOURCES += %D%/source/host_module.c
%C%_libplaitcore_la_SOURCES += %D%/source/compiler.c
%C%_libplaitcore_la_SOURCES += %D%/source/compose.c
%C%_libplaitcore_la_SOURCES += %D%/source/build_report.c
%C%_libplaitcore_la_SOURCES += %D%/source/epilogue.c
%C%_libplaitcore_la_SOURCES += %D%/source/program_text.c
%C%_libplaitcore_la_SOURCES += %D%/source/cache_eviction.c
%C%_libplaitcore_la_SOURCES += %D%/source/loop_predicate.c
%C%_libplaitcore_la_SOURCES += %D%/source/group_guard.c
%C%_libplaitcore_la_SOURCES += %D%/source/reserved_words.c
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
%C%_libplaitcore_la_SOURCES += %D%/pool/external_thread.c
%C%_libplaitcore_la_SOURCES += %D%/pool/wakeup_latency.c
%C%_libplaitcore_la_SOURCES += %D%/pool/callback_scope.c
%C%_libplaitcore_la_SOURCES += %D%/pool/lane.c
%C%_libplaitcore_la_SOURCES += %D%/pool/affinity.c
%C%_libplaitcore_la_SOURCES += %D%/pool/pool.c
%C%_libplaitcore_la_SOURCES += %D%/pool/ready.c
%C%_libplaitcore_la_SOURCES += %D%/pool/command_ring.c
%C%_libplaitcore_la_SOURCES += %D%/pool/lane_submit.c
%C%_libplaitcore_la_SOURCES += %D%/pool/task.c
%C%_libplaitcore_la_SOURCES += %D%/pool/counter_core.c
%C%_libplaitcore_la_SOURCES += %D%/pool/parallel_for.c
%C%_libplaitcore_la_SOURCES += %D%/pool/counter_wait.c
%C%_libplaitcore_la_SOURCES += %D%/pool/worker.c
# plugin
%C%_libplaitcore_la_SOURCES += %D%/plugin/choose.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/compiler_services.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/defaults.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/elf_check.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/instance.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/pool_services.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/list.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/load.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/table_check.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/options.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/registry.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/report.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/search.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/services.c
%C%_libplaitcore_la_SOURCES += %D%/plugin/none_chosen.c
# object
%C%_libplaitcore_la_SOURCES += %D%/object/memory/dlpack_array.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/submission.c
%C%_libplaitcore_la_SOURCES += %D%/object/memory/buffer.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel/device_code.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/owner_call.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel/host_code.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/validate_command.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/context.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/context_notify.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/device.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/device_lookup.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue_finish.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/inflight_ring.c
%C%_libplaitcore_la_SOURCES += %D%/object/signal/gate.c
%C%_libplaitcore_la_SOURCES += %D%/object/handle/handle_table.c
%C%_libplaitcore_la_SOURCES += %D%/object/signal/submit_listener.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel/select_source.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox/inbox.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel/kernel.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue_launch.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/idle_section.c
%C%_libplaitcore_la_SOURCES += %D%/object/memory/buffer_check.c
%C%_libplaitcore_la_SOURCES += %D%/object/memory/buffer_map.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/copy_work.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/native_handles.c
%C%_libplaitcore_la_SOURCES += %D%/object/memory/buffer_overlap.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox/inbox_event.c
%C%_libplaitcore_la_SOURCES += %D%/object/handle/object.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/internal_commands.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/external_section.c
%C%_libplaitcore_la_SOURCES += %D%/object/progress/progress_driver.c
%C%_libplaitcore_la_SOURCES += %D%/object/wait/points_wait.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/backend_result.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox/inbox_pump.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox/inbox_records.c
%C%_libplaitcore_la_SOURCES += %D%/object/inbox/inbox_diagnosis.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue_state.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue_diagnosis.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/submission_builder.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/reclaim_thread.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/strided_copy.c %D%/object/queue/strided_copy.h
%C%_libplaitcore_la_SOURCES += %D%/object/queue/submission_arrays.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/context_settings.c
%C%_libplaitcore_la_SOURCES += %D%/object/signal/signal.c
%C%_libplaitcore_la_SOURCES += %D%/object/handle/abi_sizes.c
%C%_libplaitcore_la_SOURCES += %D%/object/kernel/grid_split.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/queue_api.c
%C%_libplaitcore_la_SOURCES += %D%/object/context/reclaim.c
%C%_libplaitcore_la_SOURCES += %D%/object/memory/dlpack_tensor.c
%C%_libplaitcore_la_SOURCES += %D%/object/queue/host_transfer.c
%C%_libplaitcore_la_SOURCES += %D%/object/progress/notification.c
%C%_libplaitcore_la_SOURCES += %D%/object/wait/wait_loop.c
%C%_libplaitcore_la_SOURCES += %D%/object/wait/wait_diagnosis.c
%C%_libplaitcore_la_SOURCES += %D%/object/signal/signal_watch.c
# graph, plan, run
%C%_libplaitcore_la_SOURCES += %D%/render/graphviz.c
%C%_libplaitcore_la_SOURCES += %D%/plan/io/escape.c
%C%_libplaitcore_la_SOURCES += %D%/plan/io/json.c
%C%_libplaitcore_la_SOURCES += %D%/render/elision_bands.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/makespan_bound.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/chain_cover.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/check.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/totals.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/against_graph.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/schedule_search.c
%C%_libplaitcore_la_SOURCES += %D%/plan/rotation.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/rotation_scope.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/deadlock.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/scratch_aliasing.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/segment_convexity.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/structure.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/accesses.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/vector_clock.c
%C%_libplaitcore_la_SOURCES += %D%/render/elision.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/priority_queue.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/insertion_schedule.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/assign_lanes.c
%C%_libplaitcore_la_SOURCES += %D%/render/labels.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/emit_commands.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/list_schedule.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/scratch_offsets.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/toposort.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/place_command.c
%C%_libplaitcore_la_SOURCES += %D%/plan/plan.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/planner.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/obligations.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/critical_path.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/transitive_reduction.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/loop_carried.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/payload_tables.c
%C%_libplaitcore_la_SOURCES += %D%/plan/io/binary.c
%C%_libplaitcore_la_SOURCES += %D%/render/schedule_svg.c
%C%_libplaitcore_la_SOURCES += %D%/plan/check/clock_sweeps.c
%C%_libplaitcore_la_SOURCES += %D%/render/trace_model.c
%C%_libplaitcore_la_SOURCES += %D%/render/trace_model.h
%C%_libplaitcore_la_SOURCES += %D%/render/trace_elision.c
%C%_libplaitcore_la_SOURCES += %D%/render/chrome_trace.c
%C%_libplaitcore_la_SOURCES += %D%/render/trace_layout.c
%C%_libplaitcore_la_SOURCES += %D%/render/trace_svg.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/plan_to_input.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/plan_to_input.h
%C%_libplaitcore_la_SOURCES += %D%/render/axes.c
%C%_libplaitcore_la_SOURCES += %D%/render/canvas.h
%C%_libplaitcore_la_SOURCES += %D%/render/timeline_layout.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/segments.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/select_subgraph.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/signal_slots.c
%C%_libplaitcore_la_SOURCES += %D%/plan/simulate/simulate.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/validate_input.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/emit_waits.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/inherit_lanes.c
%C%_libplaitcore_la_SOURCES += %D%/plan/schedule/arena.c
%C%_libplaitcore_la_SOURCES += %D%/graph/text/parse_attributes.c
%C%_libplaitcore_la_SOURCES += %D%/graph/store/hash_index.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/node_fields.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/infer_device.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/scopes.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/write_api.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/rotation_set.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/subgraph_tables.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/object_refs.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/copy_nodes.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/add_node.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/subgraph.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/graph.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/bind_code.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/bind_code.h
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/bind_memory.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/unbound_state.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/binding_names.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/binding_names.h
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/verify_commands.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/verify_commands.h
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/simulate_api.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/used_tables.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/used_tables.h
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/plan_object.c
%C%_libplaitcore_la_SOURCES += %D%/graph/plan/freeze.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/launch_arguments.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/add_node_fast.c
%C%_libplaitcore_la_SOURCES += %D%/graph/build/recent_launches.c %D%/graph/build/recent_launches.h
%C%_libplaitcore_la_SOURCES += %D%/graph/store/planner_view.c
%C%_libplaitcore_la_SOURCES += %D%/graph/text/lexer.c
%C%_libplaitcore_la_SOURCES += %D%/graph/text/parser.c
%C%_libplaitcore_la_SOURCES += %D%/graph/text/parse_regions.c
%C%_libplaitcore_la_SOURCES += %D%/graph/text/parse_edges.c
%C%_libplaitcore_la_SOURCES += %D%/graph/store/store.c
%C%_libplaitcore_la_SOURCES += %D%/graph/store/unique_values.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/steal_setup.c
%C%_libplaitcore_la_SOURCES += %D%/run/args/bind_parameters.c
%C%_libplaitcore_la_SOURCES += %D%/run/start.c
%C%_libplaitcore_la_SOURCES += %D%/run/callable.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_compiler.c %D%/run/host/lane_compiler.h
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_bodies.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_tasks.c
%C%_libplaitcore_la_SOURCES += %D%/run/kernel_versions.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/host_engine.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/steal_worker.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_merge.c %D%/run/host/lane_merge.h
%C%_libplaitcore_la_SOURCES += %D%/run/host/speedup_model.c
%C%_libplaitcore_la_SOURCES += %D%/run/args/frame.c
%C%_libplaitcore_la_SOURCES += %D%/run/instance_pool.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_interpreter.c
%C%_libplaitcore_la_SOURCES += %D%/run/args/bind_copies.c
%C%_libplaitcore_la_SOURCES += %D%/run/args/frame_layout.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/call_op.c
%C%_libplaitcore_la_SOURCES += %D%/run/external/external_command.c
%C%_libplaitcore_la_SOURCES += %D%/run/run_instance.c
%C%_libplaitcore_la_SOURCES += %D%/run/host/lane_park.c
%C%_libplaitcore_la_SOURCES += %D%/run/program.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/queue_engine.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/resolve_arguments.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_batches.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/host_callbacks.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/run_driver.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/device_graphs.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_stages.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_lanes.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_predicates.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_device_loops.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/log_decisions.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/launch_variants.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/scratch_arenas.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/drain_queues.c
%C%_libplaitcore_la_SOURCES += %D%/run/blocked_on.c %D%/run/blocked_on.h
%C%_libplaitcore_la_SOURCES += %D%/run/queue/blocked_queue.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/retry.c %D%/run/queue/retry.h
%C%_libplaitcore_la_SOURCES += %D%/run/queue/stop_device_loops.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/segment_fallback.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/record_times.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/compile_segments.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/queue_instance.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/submit_batch.c
%C%_libplaitcore_la_SOURCES += %D%/run/queue/translate_work.c
%C%_libplaitcore_la_SOURCES += %D%/run/record/recorder.c
%C%_libplaitcore_la_SOURCES += %D%/run/record/recorder.h
%C%_libplaitcore_la_SOURCES += %D%/run/rehearse.c
%C%_libplaitcore_la_SOURCES += %D%/run/rehearse.h
%C%_libplaitcore_la_SOURCES += %D%/run/run.c
%C%_libplaitcore_la_SOURCES += %D%/run/external/cancel_external.c
%C%_libplaitcore_la_SOURCES += %D%/run/run_records.c
%C%_libplaitcore_la_SOURCES += %D%/run/callable_thunk.c
%C%_libplaitcore_la_SOURCES += %D%/run/external/completion.c
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
