/* SPDX-License-Identifier: MIT */
/*
 * The race check: works of queues and runs that access the same bytes, and that
 * nothing orders, are in the log; works that the program orders are not.
 */
#include "lib/objects.h"
#include "lib/unwrapped.h"

enum { BYTES = 64 };

static char lines[8192];
static uint32_t races;

static void hear(void *user_data, int32_t level, const char *text)
{
	size_t used = strlen(lines);

	(void)user_data;
	(void)level;
	if (strstr(text, "race: ") == NULL)
		return;
	races++;
	(void)snprintf(lines + used, sizeof(lines) - used, "%s\n", text);
}

static struct {
	const char *backends, *wrap, *check;
	uint32_t freeze;
} ways[] = {
	{ .backends = "host", .wrap = "check" },
	{ .backends = "host", .wrap = "check",
	  .freeze = PLAIT_FREEZE_QUEUES },
	{ .backends = "chaos", .wrap = "check" },
	{ .backends = "host", .check = "1" },
	{ .backends = "host", .check = "1",
	  .freeze = PLAIT_FREEZE_QUEUES },
};

static struct {
	plait_context *context;
	plait_device *device;
	plait_queue *queues[2];
	plait_signal *signal, *gate;
	plait_buffer *buffer;
	plait_graph *graph;
	plait_plan *plan;
	plait_error error;
} bed;

#define DO(call) OK_THAT((call) == PLAIT_OK, "%s: %s", #call, bed.error.text)

static plait_plan *make_plan(uint32_t flags, uint32_t instances,
			     plait_host_function call_function)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags,
					 .instances = instances };
	plait_node_desc fill = {
		.size = sizeof(fill), .kind = PLAIT_NODE_FILL,
		.label = "zero", .target = bed.buffer, .bytes = 16,
		.target_offset = 8, .pattern_bytes = 1 };
	const plait_node_desc call = {
		.size = sizeof(call), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = call_function };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	DO(plait_graph_create(bed.context, &graph, &bed.error));
	DO(plait_graph_add(graph, &fill, NULL, 0, NULL, &bed.error));
	if (call_function != NULL)
		DO(plait_graph_add(graph, &call, NULL, 0, NULL, &bed.error));
	DO(plait_graph_freeze(graph, &desc, &plan, &bed.error));
	plait_graph_release(graph);
	return plan;
}

static void open_bed(size_t way)
{
	const plait_context_desc context = {
		.size = sizeof(context), .backends = ways[way].backends,
		.wrap = ways[way].wrap, .log = hear,
		.log_level = PLAIT_LOG_ERROR };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = BYTES,
				     .label = "shared" };
	plait_queue_desc queue = { .size = sizeof(queue), .label = "load" };

	NOTE("%s, wrap %s, PLAIT_CHECK %s, flags %u", ways[way].backends,
	     ways[way].wrap ? ways[way].wrap : "-",
	     ways[way].check ? ways[way].check : "-", ways[way].freeze);
	memset(&bed, 0, sizeof(bed));
	bed.error.size = sizeof(bed.error);
	lines[0] = '\0';
	races = 0;
	if (ways[way].check != NULL)
		setenv("PLAIT_CHECK", ways[way].check, 1);
	DO(plait_context_open(&context, &bed.context, &bed.error));
	DO(plait_context_device(bed.context, 0, &bed.device, &bed.error));
	DO(plait_queue_create(bed.device, &queue, &bed.queues[0],
			      &bed.error));
	queue.label = "store";
	DO(plait_queue_create(bed.device, &queue, &bed.queues[1],
			      &bed.error));
	DO(plait_signal_create(bed.device, NULL, &bed.signal, &bed.error));
	DO(plait_signal_create(bed.device, &gate, &bed.gate, &bed.error));
	DO(plait_buffer_create(bed.device, &buffer, &bed.buffer, &bed.error));
	bed.plan = make_plan(ways[way].freeze, 2, NULL);
}

static void close_bed(uint32_t wanted)
{
	(void)plait_signal_raise(bed.gate, 9, NULL);
	for (int i = 0; i < 2; i++)
		DO(plait_queue_finish(bed.queues[i], PLAIT_FOREVER,
				      &bed.error));
	OK_THAT(races == wanted, "%u races instead of %u:\n%s", races, wanted,
		lines);
	plait_plan_release(bed.plan);
	plait_buffer_release(bed.buffer);
	plait_signal_release(bed.gate);
	plait_signal_release(bed.signal);
	for (int i = 0; i < 2; i++)
		plait_queue_release(bed.queues[i]);
	plait_context_release(bed.context);
	unsetenv("PLAIT_CHECK");
	OK(all_gone());
}

#define FOR_ALL_WAYS \
	for (size_t way = 0; way < TAP_COUNT(ways); way++)

static void run(int queue, plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	DO(plait_plan_run(plan, bed.queues[queue], &desc, NULL, &bed.error));
}

static void fill(int queue, uint64_t offset, uint64_t bytes)
{
	DO(plait_queue_fill(bed.queues[queue], bed.buffer, offset, bytes, 0, 1,
			    &bed.error));
}

/* ---- races ---- */

static void overlapping_runs(void)
{
	FOR_ALL_WAYS {
		open_bed(way);
		run(0, bed.plan, PLAIT_RUN_OVERLAP);
		run(1, bed.plan, PLAIT_RUN_OVERLAP);
		HAS_STR(lines, "race: a run's node \"zero\" in queue \"load\" "
			"writes bytes 8 to 24 of buffer \"shared\", and a "
			"run's node \"zero\" in queue \"store\" writes them, "
			"unordered; submit the later run without "
			"PLAIT_RUN_OVERLAP");
		close_bed(1);
	}
}

static void runs_of_two_plans(void)
{
	FOR_ALL_WAYS {
		plait_plan *other;

		open_bed(way);
		other = make_plan(ways[way].freeze, 2, NULL);
		run(0, bed.plan, 0);
		run(1, other, 0);
		HAS_STR(lines, "; let the later one wait for a signal that "
			"the earlier one's queue emits");
		plait_plan_release(other);
		close_bed(1);
	}
}

static void run_and_queue(void)
{
	FOR_ALL_WAYS {
		uint8_t bytes[BYTES];

		open_bed(way);
		run(0, bed.plan, 0);
		fill(1, 20, 8);
		HAS_STR(lines, "writes bytes 20 to 24 of buffer \"shared\", "
			"and fill in queue \"store\" writes them");
		/* Only what nothing has ordered yet. */
		DO(plait_queue_read(bed.queues[1], bed.buffer, 0, bytes, 9,
				    &bed.error));
		HAS_STR(lines, "writes bytes 8 to 9 of buffer \"shared\", and "
			"read in queue \"store\" reads them");
		close_bed(2);
	}
}

static void two_queues(void)
{
	FOR_ALL_WAYS {
		open_bed(way);
		fill(0, 0, 8);
		fill(1, 7, 1);
		fill(1, 8, 8);
		DO(plait_queue_copy(bed.queues[0], bed.buffer, 32, bed.buffer,
				    8, 8, &bed.error));
		HAS_STR(lines, "and copy in queue \"load\" reads them");
		close_bed(2);
	}
}

/* ---- no races ---- */

static void ordered_by_signals(void)
{
	FOR_ALL_WAYS {
		open_bed(way);
		for (int i = 0; i < 40; i++) {
			run(i % 2, bed.plan, PLAIT_RUN_OVERLAP);
			fill(i % 2, 0, BYTES);
			DO(plait_queue_emit(bed.queues[i % 2], bed.signal,
					    NULL, &bed.error));
			DO(plait_queue_wait(bed.queues[1 - i % 2], bed.signal,
					    0, &bed.error));
		}
		close_bed(0);
	}
}

static void ordered_by_the_host(void)
{
	FOR_ALL_WAYS {
		plait_run *first = NULL;
		uint64_t sequence;

		open_bed(way);
		DO(plait_plan_run(bed.plan, bed.queues[0], NULL, &first,
				  &bed.error));
		DO(plait_run_wait(first, PLAIT_FOREVER, &bed.error));
		plait_run_release(first);
		fill(1, 0, BYTES);
		DO(plait_queue_finish(bed.queues[1], PLAIT_FOREVER,
				      &bed.error));
		DO(plait_plan_call(bed.plan, NULL, NULL, &bed.error));
		fill(0, 0, BYTES);
		DO(plait_queue_emit(bed.queues[0], bed.signal, &sequence,
				    &bed.error));
		DO(plait_signal_wait(bed.signal, sequence, PLAIT_FOREVER,
				     &bed.error));
		DO(plait_plan_call(bed.plan, bed.queues[1], NULL,
				   &bed.error));
		fill(1, 0, BYTES);
		DO(plait_plan_call(bed.plan, bed.queues[1], NULL,
				   &bed.error));
		close_bed(0);
	}
}

static void ordered_by_turns(void)
{
	FOR_ALL_WAYS {
		plait_plan *other;

		open_bed(way);
		for (int i = 0; i < 10; i++)
			run(i % 2, bed.plan, 0);
		close_bed(0);
		/* One instance: runs are never concurrent. */
		open_bed(way);
		other = make_plan(ways[way].freeze, 1, NULL);
		for (int i = 0; i < 10; i++)
			run(i % 2, other, PLAIT_RUN_OVERLAP);
		plait_plan_release(other);
		close_bed(0);
	}
}

/* Nothing conflicts: other bytes, reads, memory that was freed. */
static void no_conflicts(void)
{
	FOR_ALL_WAYS {
		plait_buffer *view = NULL;

		open_bed(way);
		run(0, bed.plan, 0);
		fill(1, 0, 8);
		fill(1, 24, 8);
		DO(plait_buffer_view(bed.buffer, 40, 8, &view, &bed.error));
		for (int i = 0; i < 2; i++)
			DO(plait_queue_copy(bed.queues[i], bed.buffer,
					    (uint64_t)i * 8 + 48, view, 0, 8,
					    &bed.error));
		plait_buffer_release(view);
		close_bed(0);
	}
}

/* A pair that the host may order is not reported. */
static void perhaps_ordered(void)
{
	FOR_ALL_WAYS {
		plait_plan *calls;

		open_bed(way);
		fill(0, 0, 8);
		/* The gate may be raised because the host has seen that. */
		DO(plait_queue_wait(bed.queues[1], bed.gate, 1, &bed.error));
		fill(1, 0, 8);
		DO(plait_signal_raise(bed.gate, 1, &bed.error));
		close_bed(0);
		open_bed(way);
		fill(0, 0, 8);
		DO(plait_queue_call(bed.queues[1], return_it, NULL,
				    &bed.error));
		fill(1, 0, 8);
		close_bed(0);
		open_bed(way);
		calls = make_plan(ways[way].freeze, 2, return_it);
		run(0, bed.plan, 0);
		run(1, calls, 0);
		plait_plan_release(calls);
		close_bed(0);
	}
}

/* Two queues behind one gate are not ordered by it. */
static void behind_one_gate(void)
{
	FOR_ALL_WAYS {
		open_bed(way);
		for (int i = 0; i < 2; i++)
			DO(plait_queue_wait(bed.queues[i], bed.gate, 1,
					    &bed.error));
		for (int i = 0; i < 2; i++)
			fill(i, 0, 8);
		close_bed(1);
	}
}

static struct {
	plait_plan *plan;
	uint32_t busy;
} inner;

static int32_t call_again(void *user_data)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_NO_WAIT };

	(void)user_data;
	for (int i = 0; i < 100; i++)
		inner.busy += plait_plan_call(inner.plan, NULL, &desc, NULL) ==
			      PLAIT_E_BUSY;
	return 0;
}

/* Calls that are refused, as an outer run accesses the same memory, leave room for
 * what is checked later. */
static void refused_calls(void)
{
	FOR_ALL_WAYS {
		const bool calls_nest = ways[way].freeze == 0 &&
					strcmp(ways[way].backends, "host") == 0;

		open_bed(way);
		inner.busy = 0;
		inner.plan = make_plan(ways[way].freeze, 2, call_again);
		DO(plait_plan_call(inner.plan, NULL, NULL, &bed.error));
		IS_UINT(inner.busy, calls_nest ? 100 : 0);
		plait_plan_release(inner.plan);
		run(0, bed.plan, PLAIT_RUN_OVERLAP);
		run(1, bed.plan, PLAIT_RUN_OVERLAP);
		close_bed(1);
	}
}

/* The check of a plan at its freeze costs its runs nothing. */
static void not_asked_for(void)
{
	ways[3].check = NULL;
	ways[3].freeze = PLAIT_FREEZE_CHECK;
	open_bed(3);
	run(0, bed.plan, PLAIT_RUN_OVERLAP);
	run(1, bed.plan, PLAIT_RUN_OVERLAP);
	fill(0, 0, 16);
	ways[3].check = "1";
	ways[3].freeze = 0;
	close_bed(0);
}

static const struct tap_scenario all[] = {
	{ "overlapping runs", overlapping_runs },
	{ "runs of two plans", runs_of_two_plans },
	{ "a run and a queue", run_and_queue },
	{ "two queues", two_queues },
	{ "behind one gate", behind_one_gate },
	{ "ordered by signals", ordered_by_signals },
	{ "ordered by the host", ordered_by_the_host },
	{ "ordered by turns", ordered_by_turns },
	{ "no conflicts", no_conflicts },
	{ "perhaps ordered by the host", perhaps_ordered },
	{ "refused calls", refused_calls },
	{ "not asked for", not_asked_for },
};

TAP_MAIN(all)
