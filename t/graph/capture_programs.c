/* SPDX-License-Identifier: MIT */
/* Captures of random programs on several queues: as plans they give the bytes
 * that they give when they run. */
#include "captures.h"

enum { STEPS = 40 };

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

/* Buffers and host memory by the queue that used them last. */
static uint32_t owners[BUFFERS + HOSTS];
/* Host memory in the order of first use. */
static uint32_t host_order[HOSTS], host_count;

/* Order the next command of a queue after the last use of an object. */
static void own(uint64_t *random, uint32_t queue, uint32_t object)
{
	uint32_t before = owners[object];
	uint64_t sequence = 0;

	owners[object] = queue;
	if (before == queue)
		return;
	well(plait_queue_emit(queues[before], signals[before], &sequence,
			      &error));
	well(plait_queue_wait(queues[queue], signals[before],
			      below(random, 2) ? sequence : 0, &error));
}

static void submit_move(uint64_t *random, uint32_t queue, uint32_t a,
			uint32_t host)
{
	bool reads = below(random, 2);
	plait_command command = { .size = sizeof(command), .bytes = BYTES / 2,
				  .kind = reads ? PLAIT_COMMAND_READ :
						  PLAIT_COMMAND_WRITE,
				  .host = hosts[host] };

	own(random, queue, BUFFERS + host);
	if (host_count == 0 || (host_count == 1 && host_order[0] != host))
		host_order[host_count++] = host;
	if (reads) {
		command.source = buffers[a];
		command.source_offset = below(random, BYTES / 2);
	} else {
		command.target = buffers[a];
		command.target_offset = below(random, BYTES / 2);
	}
	well(plait_queue_submit(queues[queue], &command, 1, NULL, &error));
}

static void submit_copy(uint64_t *random, uint32_t queue, uint32_t a,
			uint32_t b)
{
	uint64_t at = below(random, BYTES / 2), from = below(random,
							     BYTES / 2);

	if (a != b)
		well(plait_queue_copy(queues[queue], buffers[a], at,
				      buffers[b], from, BYTES / 2, &error));
}

static void submit_launch(uint64_t *random, uint32_t queue, uint32_t a,
			  uint32_t b)
{
	uint32_t by = below(random, 256);
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { BYTES } };
	const plait_argument arguments[3] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = buffers[a] },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = buffers[b] },
		{ .size = sizeof(plait_argument), .value = &by,
		  .bytes = sizeof(by) },
	};

	well(plait_queue_launch(queues[queue], kernel, &launch, arguments, 3,
				&error));
}

static void submit_step(uint64_t *random)
{
	uint32_t queue = below(random, QUEUES), a = below(random, BUFFERS);
	uint32_t b = below(random, BUFFERS), kind = below(random, 4);

	own(random, queue, a);
	own(random, queue, b);
	if (kind == 0)
		well(plait_queue_fill(queues[queue], buffers[a], 4,
				      BYTES - 4, below(random, 1 << 16), 2,
				      &error));
	else if (kind == 1)
		submit_copy(random, queue, a, b);
	else if (kind == 2)
		submit_launch(random, queue, a, b);
	else
		submit_move(random, queue, a, below(random, HOSTS));
}

static void submit_program(uint64_t random)
{
	memset(owners, 0, sizeof(owners));
	host_count = 0;
	for (uint32_t i = 0; i < STEPS; i++)
		submit_step(&random);
}

static void reset(void)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		well(plait_queue_fill(queues[0], buffers[i], 0, BYTES, i + 1,
				      1, &error));
	well(plait_queue_finish(queues[0], PLAIT_FOREVER, &error));
	for (uint32_t i = 0; i < HOSTS; i++)
		memset(hosts[i], (int)(17 * (i + 1)), BYTES);
}

struct state {
	unsigned char bytes[BUFFERS + HOSTS][BYTES];
};

static void take(struct state *state)
{
	for (uint32_t i = 0; i < QUEUES; i++)
		well(plait_queue_finish(queues[i], PLAIT_FOREVER, &error));
	for (uint32_t i = 0; i < BUFFERS; i++)
		well(plait_queue_read(queues[0], buffers[i], 0,
				      state->bytes[i], BYTES, &error));
	memcpy(state->bytes[BUFFERS], hosts, sizeof(hosts));
}

/* Parameters are numbered as their memory came. */
static void run_plan(plait_plan *plan)
{
	static const char *const names[HOSTS] = { "host0", "host1" };
	plait_binding bindings[HOSTS] = { { 0 } };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = host_count };

	for (uint32_t i = 0; i < host_count; i++) {
		bindings[i].size = sizeof(*bindings);
		well(plait_plan_find_parameter(plan, names[i],
					       &bindings[i].parameter,
					       &error));
		bindings[i].value = hosts[host_order[i]];
		bindings[i].bytes = BYTES;
	}
	well(plait_plan_call(plan, NULL, &desc, &error));
}

static void program(uint64_t seed, plait_capture_flags flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 3,
					 .flags = PLAIT_FREEZE_CHECK };
	struct state direct, captured;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	reset();
	submit_program(seed);
	take(&direct);
	reset();
	well(plait_queue_capture(queues, QUEUES, flags, &error));
	submit_program(seed);
	well(plait_queue_end_capture(queues[1], &graph, &error));
	take(&captured);
	OK(memcmp(&direct, &captured, sizeof(direct)) != 0);
	well(plait_graph_freeze(graph, &desc, &plan, &error));
	plait_graph_release(graph);
	run_plan(plan);
	take(&captured);
	OK(memcmp(&direct, &captured, sizeof(direct)) == 0);
	reset();
	run_plan(plan);
	take(&captured);
	OK(memcmp(&direct, &captured, sizeof(direct)) == 0);
	plait_plan_release(plan);
}

static void programs(void)
{
	static const char *const backends[] = { "host", "chaos" };
	uint64_t seed = tap_seed() + 1;

	for (int k = 0; k < 2; k++) {
		if (!open_with(backends[k]))
			continue;
		for (uint32_t i = 0; i < 40; i++)
			program(seed + i, i % 2 *
				PLAIT_CAPTURE_LOCAL_SIGNALS);
		close_all();
	}
}

static const struct tap_scenario scenarios[] = {
	{ "programs", programs },
};
TAP_MAIN(scenarios)
