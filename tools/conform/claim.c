/* SPDX-License-Identifier: MIT */
/*
 * Capabilities without a backend function: the device is the host, so that the
 * library accesses its memory directly (B14); the device is never lost (E11).
 */
#include "conform.h"

/* --- B14: of the host ---------------------------------------------------- */

enum { WORDS = 37, BYTES = WORDS * 4, TURNS = 20 };

/* Make a plan that copies `from` to `to`. */
static plait_plan *copying_plan(struct conform *c, plait_buffer *to,
				plait_buffer *from)
{
	const plait_node_desc copy = { .size = sizeof(copy),
				       .kind = PLAIT_NODE_COPY, .target = to,
				       .source = from, .bytes = BYTES,
				       .label = "copy" };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node;

	NEED(plait_graph_create(c->context, &graph, ERR));
	NEED(plait_graph_add(graph, &copy, NULL, 0, &node, ERR));
	NEED(plait_graph_freeze(graph, NULL, &plan, ERR));
	plait_graph_release(graph);
	/* The prepared plan has their addresses. */
	NEED(plait_plan_prepare(plan, ERR));
	return plan;
}

static bool all_are(const uint32_t *words, uint32_t value)
{
	for (uint32_t i = 0; i < WORDS; i++)
		if (words[i] != value)
			return false;
	return true;
}

/* Queues and plans alternate, and each sees the writes of the other. */
static void shares_memory(struct conform *c)
{
	plait_buffer *from = conform_buffer(c, BYTES);
	plait_buffer *to = conform_buffer(c, BYTES);
	plait_queue *queue = conform_queue(c);
	plait_plan *plan = copying_plan(c, to, from);
	uint32_t words[WORDS];

	for (uint32_t turn = 1; turn <= TURNS; turn++) {
		NEED(plait_queue_fill(queue, from, 0, BYTES, turn, 4, ERR));
		NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
		GIVES(plait_plan_call(plan, NULL, NULL, ERR), PLAIT_OK);
		NEED(plait_queue_read(queue, to, 0, words, BYTES, ERR));
		if (!HOLDS_THAT(all_are(words, turn),
				"turn %u: the queue reads what the plan "
				"copied of what the queue filled", turn))
			break;
	}
	plait_plan_release(plan);
}

/* --- E11: never lost ----------------------------------------------------- */

/* Successful and idle objects are unaffected. */
static void is_as_before(struct conform *c, plait_queue *idle,
			 plait_signal *signal, uint64_t reached)
{
	uint64_t now = 0;

	for (uint64_t i = 1; i <= reached; i++)
		GIVES(plait_signal_wait(signal, i, 0, ERR), PLAIT_OK);
	GIVES(plait_signal_query(signal, &now, NULL, ERR), PLAIT_OK);
	HOLDS(now == reached);
	GIVES(plait_queue_finish(idle, PLAIT_FOREVER, ERR), PLAIT_OK);
}

/* A failed command is the worst event for such a device. */
static void lasts(struct conform *c)
{
	static int32_t value = 44;
	plait_queue *idle = conform_queue(c), *failing = conform_queue(c);
	plait_buffer *buffer = conform_buffer(c, BYTES);
	plait_signal *signal = conform_signal(c);
	uint32_t words[WORDS];

	for (uint32_t turn = 1; turn <= TURNS; turn++) {
		NEED(plait_queue_fill(idle, buffer, 0, BYTES, turn, 4, ERR));
		NEED(plait_queue_emit(idle, signal, NULL, ERR));
		NEED(plait_queue_finish(idle, PLAIT_FOREVER, ERR));
		NEED(plait_queue_call(failing, conform_return_value, &value,
				      ERR));
		GIVES(plait_queue_finish(failing, PLAIT_FOREVER, ERR),
		      PLAIT_E_FAILED);
		HOLDS(c->error.origin == value);
		is_as_before(c, idle, signal, turn);
		NEED(plait_queue_read(failing, buffer, 0, words, BYTES, ERR));
		HOLDS(all_are(words, turn));
	}
}

static const struct conform_check checks[] = {
	{ "B14", "plans that run as calls share memory with queues", NEED_HOST,
	  shares_memory },
	{ "E11", "a command that fails is the worst that happens", NEED_LASTS,
	  lasts },
};

CONFORM_GROUP(conform_claims, "Claims");
