/* SPDX-License-Identifier: MIT */
/* See coroutine.h. */
#include "coroutine.h"

#include <stddef.h>

enum { MOST = 64 };

static plait_queue *queues[MOST];
static plait_signal *gates[MOST];
static plait_buffer *temporaries[MOST];
static plait_plan *plans[MOST];
static int queue_count, gate_count, temporary_count, plan_count;

void add_coroutine(plait_graph *graph, plait_host_function function,
		   void *user_data)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = function, .user_data = user_data,
		.device_count = 1,
	};

	must(plait_context_find_device(context, "host", &desc.device, &error));
	must(plait_graph_add(graph, &desc, NULL, 0, NULL, &error));
}

void run_coroutines(plait_graph *graph)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .policy = PLAIT_POLICY_WIDEST };
	plait_plan *plan;

	must(plait_graph_freeze(graph, &desc, &plan, &error));
	must(plait_plan_call(plan, NULL, NULL, &error));
	plait_plan_release(plan);
}

plait_buffer *new_temporary(uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
					 .flags = PLAIT_BUFFER_TEMPORARY };
	plait_buffer **buffer = &temporaries[temporary_count++];

	must(plait_buffer_create(device, &desc, buffer, &error));
	return *buffer;
}

plait_plan *freeze_for(plait_graph *graph, uint32_t instances)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .instances = instances };
	plait_plan **plan = &plans[plan_count++];

	must(plait_graph_freeze(graph, &desc, plan, &error));
	return *plan;
}

plait_queue *new_queue(void)
{
	plait_queue **queue = &queues[queue_count++];

	must(plait_queue_create(device, NULL, queue, &error));
	return *queue;
}

plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal **gate = &gates[gate_count++];

	must(plait_signal_create(device, &desc, gate, &error));
	return *gate;
}

void close_coroutines(void)
{
	for (int i = 0; i < MOST; i++) {
		plait_plan_release(plans[i]);
		plait_buffer_release(temporaries[i]);
		plait_queue_release(queues[i]);
		plait_signal_release(gates[i]);
	}
}
