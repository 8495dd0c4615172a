/* SPDX-License-Identifier: MIT */
/* Ops as a graph for the checker of plans; see order_proof.h. */
#include "flow/proof/order_proof.h"

#include "flow/access/front_access.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plan/check/graph_check.h"

struct pred {
	uint64_t number;
	bool is_done;
};

void plait__order_proof_init(plait__order_proof *proof,
			     const plait_allocator *allocator)
{
	*proof = (plait__order_proof){ .allocator = allocator };
	plait__vector_init(&proof->ops, allocator, sizeof(plait__order_op));
	plait__vector_init(&proof->accesses, allocator,
			   sizeof(plait__order_access));
	plait__vector_init(&proof->preds, allocator, sizeof(struct pred));
}

void plait__order_proof_fini(plait__order_proof *proof)
{
	plait__vector_fini(&proof->ops);
	plait__vector_fini(&proof->accesses);
	plait__vector_fini(&proof->preds);
}

static const plait__order_op *op_at(const plait__order_proof *proof, uint32_t i)
{
	return plait__vector_at(&proof->ops, i);
}

/* ---- ops ---- */

void plait__order_proof_add_access(plait__order_proof *proof,
				   const plait__order_access *access)
{
	if (PLAIT__VECTOR_ADD(&proof->accesses, access) == NULL)
		proof->lacks_memory = true;
}

void plait__order_proof_add_pred(plait__order_proof *proof, uint64_t number,
				 bool is_done)
{
	const struct pred pred = { number, is_done };

	if (PLAIT__VECTOR_ADD(&proof->preds, &pred) == NULL)
		proof->lacks_memory = true;
}

void plait__order_proof_add(plait__order_proof *proof,
			    const plait__order_op *op)
{
	plait__order_op ours = *op;

	ours.first_access = ours.first_pred = 0;
	if (proof->ops.count > 0) {
		const plait__order_op *last =
			op_at(proof, proof->ops.count - 1);

		ours.first_access = last->first_access + last->access_count;
		ours.first_pred = last->first_pred + last->pred_count;
	}
	ours.access_count = proof->accesses.count - ours.first_access;
	ours.pred_count = proof->preds.count - ours.first_pred;
	if (PLAIT__VECTOR_ADD(&proof->ops, &ours) == NULL)
		proof->lacks_memory = true;
}

/* The first op behind op `number`; their number if there is none. */
static uint32_t find_behind(const plait__order_proof *proof, uint64_t number)
{
	uint32_t low = 0, high = proof->ops.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (op_at(proof, middle)->number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop_first(plait__vector *vector, uint32_t count)
{
	if (count == 0)
		return;
	memmove(vector->items, plait__vector_at(vector, count),
		(vector->count - count) * (size_t)vector->each);
	plait__vector_truncate(vector, vector->count - count);
}

void plait__order_proof_forget(plait__order_proof *proof, uint64_t settled)
{
	uint32_t count = find_behind(proof, settled);
	const plait__order_op *last;
	uint32_t accesses, preds;

	if (count == 0)
		return;
	last = op_at(proof, count - 1);
	accesses = last->first_access + last->access_count;
	preds = last->first_pred + last->pred_count;
	drop_first(&proof->accesses, accesses);
	drop_first(&proof->preds, preds);
	drop_first(&proof->ops, count);
	for (uint32_t i = 0; i < proof->ops.count; i++) {
		plait__order_op *op = plait__vector_at(&proof->ops, i);

		op->first_access -= accesses;
		op->first_pred -= preds;
	}
}

/* ---- the graph ---- */

/* A node for each op; and before an op that finds others done, a node behind
 * these, which it and all later ones are behind. */
struct graph {
	const plait__order_proof *proof;
	plait__vector nodes;	/* plait__input_node */
	plait__vector ops;	/* by node: an op, or PLAIT__NONE */
	plait__vector edges;	/* plait__input_edge */
	plait__vector accesses; /* plait__plan_access */
	plait__vector boxes;	/* plait__plan_box */
	plait__vector node_of;	/* by op */
	uint32_t done;		/* the newest node behind ops that are done */
	uint32_t settled;	/* ops before this one have such a node */
	uint32_t prefix;	/* the newest one, or 0 */
	bool lacks_memory;
};

static void init_graph(struct graph *graph, const plait__order_proof *proof)
{
	const plait_allocator *allocator = proof->allocator;

	*graph = (struct graph){ .proof = proof, .done = PLAIT__NONE };
	plait__vector_init(&graph->nodes, allocator, sizeof(plait__input_node));
	plait__vector_init(&graph->ops, allocator, sizeof(uint32_t));
	plait__vector_init(&graph->edges, allocator, sizeof(plait__input_edge));
	plait__vector_init(&graph->accesses, allocator,
			   sizeof(plait__plan_access));
	plait__vector_init(&graph->boxes, allocator, sizeof(plait__plan_box));
	plait__vector_init(&graph->node_of, allocator, sizeof(uint32_t));
}

static void fini_graph(struct graph *graph)
{
	plait__vector_fini(&graph->nodes);
	plait__vector_fini(&graph->ops);
	plait__vector_fini(&graph->edges);
	plait__vector_fini(&graph->accesses);
	plait__vector_fini(&graph->boxes);
	plait__vector_fini(&graph->node_of);
}

/* Append a node, of op `i` or of none; returns its index. */
static uint32_t add_node(struct graph *graph, uint32_t i)
{
	const plait__input_node node = {
		.kind = PLAIT__CMD_JOIN, .device_count = 1,
		.link = PLAIT__NONE, .label = PLAIT__NONE,
		.file = PLAIT__NONE, .access_first = graph->accesses.count,
	};

	if (PLAIT__VECTOR_ADD(&graph->nodes, &node) == NULL ||
	    PLAIT__VECTOR_ADD(&graph->ops, &i) == NULL)
		graph->lacks_memory = true;
	return graph->nodes.count - 1;
}

/* From a node to the newest one. */
static void add_edge(struct graph *graph, uint32_t before)
{
	const plait__input_edge edge = { before, graph->nodes.count - 1 };

	if (PLAIT__VECTOR_ADD(&graph->edges, &edge) == NULL)
		graph->lacks_memory = true;
}

static void add_op_edge(struct graph *graph, uint32_t op)
{
	add_edge(graph, *(uint32_t *)plait__vector_at(&graph->node_of, op));
}

/* From op `number`, if it is here and before op `i`, to the newest node. */
static void add_number_edge(struct graph *graph, uint32_t i, uint64_t number)
{
	uint32_t behind = find_behind(graph->proof, number);

	if (behind > 0 && behind <= i &&
	    op_at(graph->proof, behind - 1)->number == number)
		add_op_edge(graph, behind - 1);
}

static const struct pred *pred_at(const struct graph *graph,
				  const plait__order_op *op, uint32_t p)
{
	return plait__vector_at(&graph->proof->preds, op->first_pred + p);
}

static bool finds_done(const struct graph *graph, const plait__order_op *op)
{
	for (uint32_t p = 0; p < op->pred_count; p++)
		if (pred_at(graph, op, p)->is_done)
			return true;
	return false;
}

/* Append a node behind what was done before op `i`, if that is more than before
 * the last one. */
static void add_done(struct graph *graph, uint32_t i)
{
	const plait__order_op *op = op_at(graph->proof, i);
	uint32_t settled = find_behind(graph->proof, op->settled);
	uint32_t last = graph->done;

	settled = settled < i ? settled : i;
	if (settled <= graph->settled && !finds_done(graph, op))
		return;
	graph->done = add_node(graph, PLAIT__NONE);
	if (last != PLAIT__NONE)
		add_edge(graph, last);
	for (; graph->settled < settled; graph->settled++)
		add_op_edge(graph, graph->settled);
	for (uint32_t p = 0; p < op->pred_count; p++)
		if (pred_at(graph, op, p)->is_done)
			add_number_edge(graph, i, pred_at(graph, op, p)->number);
}

static void add_accesses(struct graph *graph, const plait__order_op *op)
{
	static const uint32_t modes[] = {
		[PLAIT__ACCESS_READS] = PLAIT__ACCESS_READ,
		[PLAIT__ACCESS_WRITES] = PLAIT__ACCESS_WRITE,
		[PLAIT__ACCESS_READS | PLAIT__ACCESS_WRITES] =
			PLAIT__ACCESS_READ_WRITE,
	};

	for (uint32_t a = 0; a < op->access_count; a++) {
		const plait__order_access *from = plait__vector_at(
			&graph->proof->accesses, op->first_access + a);
		const plait__plan_access access = {
			.object = from->object, .mode = modes[from->mode & 3],
			.box = graph->boxes.count,
		};
		plait__plan_box box;

		memcpy(box.low, from->box.low, sizeof(box.low));
		memcpy(box.high, from->box.high, sizeof(box.high));
		if (PLAIT__VECTOR_ADD(&graph->boxes, &box) == NULL ||
		    PLAIT__VECTOR_ADD(&graph->accesses, &access) == NULL)
			graph->lacks_memory = true;
	}
}

static void add_op(struct graph *graph, uint32_t i)
{
	const plait__order_op *op = op_at(graph->proof, i);
	uint32_t node;

	add_done(graph, i);
	node = add_node(graph, i);
	if (graph->lacks_memory ||
	    PLAIT__VECTOR_ADD(&graph->node_of, &node) == NULL) {
		graph->lacks_memory = true;
		return;
	}
	if (graph->done != PLAIT__NONE)
		add_edge(graph, graph->done);
	for (uint32_t p = 0; p < op->pred_count; p++)
		add_number_edge(graph, i, pred_at(graph, op, p)->number);
	for (uint32_t j = graph->prefix; op->is_prefix && j < i; j++)
		add_op_edge(graph, j);
	if (op->is_prefix)
		graph->prefix = i;
	add_accesses(graph, op);
	((plait__input_node *)plait__vector_at(&graph->nodes, node))
		->access_count = op->access_count;
}

/* ---- the proof ---- */

/* Find the accesses of two ops that conflict; there are some. */
static void find_accesses(const plait__order_proof *proof,
			  plait__order_conflict *out)
{
	for (uint32_t i = 0; i < out->ops[0]->access_count; i++)
		for (uint32_t j = 0; j < out->ops[1]->access_count; j++) {
			const plait__order_access *one = plait__vector_at(
				&proof->accesses,
				out->ops[0]->first_access + i);
			const plait__order_access *other = plait__vector_at(
				&proof->accesses,
				out->ops[1]->first_access + j);

			if (one->object != other->object ||
			    !((one->mode | other->mode) &
			      PLAIT__ACCESS_WRITES) ||
			    !plait__box_overlap(&one->box, &other->box))
				continue;
			out->accesses[0] = one;
			out->accesses[1] = other;
			return;
		}
}

static plait_status check(const struct graph *graph,
			  plait__order_conflict *out, plait_error *error)
{
	static const plait__input_device device = { .name = PLAIT__NONE };
	const plait__input input = {
		.nodes = graph->nodes.items, .node_count = graph->nodes.count,
		.edges = graph->edges.items, .edge_count = graph->edges.count,
		.devices = &device, .device_count = 1,
		.tables.accesses = graph->accesses.items,
		.tables.accesses_count = graph->accesses.count,
		.tables.boxes = graph->boxes.items,
		.tables.boxes_count = graph->boxes.count,
	};
	plait__input_edge pair;
	plait_status status = plait__check_graph_find(
		&input, graph->proof->allocator, &pair, error);
	const uint32_t *ops = graph->ops.items;

	if (status != PLAIT_E_INVALID)
		return status;
	*out = (plait__order_conflict){
		.ops = { op_at(graph->proof, ops[pair.before]),
			 op_at(graph->proof, ops[pair.after]) }
	};
	find_accesses(graph->proof, out);
	return status;
}

plait_status plait__order_proof_run(const plait__order_proof *proof,
				    plait__order_conflict *out,
				    plait_error *error)
{
	plait_status status;
	struct graph graph;

	init_graph(&graph, proof);
	for (uint32_t i = 0; i < proof->ops.count && !graph.lacks_memory; i++)
		add_op(&graph, i);
	if (proof->lacks_memory || graph.lacks_memory)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to prove the order of tasks");
	else
		status = check(&graph, out, error);
	fini_graph(&graph);
	return status;
}
