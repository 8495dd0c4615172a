/* SPDX-License-Identifier: MIT */
/*
 * Edges inferred from access modes: the happens-before of the program order.
 *
 * conflicts.c finds the pairs, in the order of adding: read after write, write
 * after read, write after write, by bytes.  A pair of different bodies orders
 * the nodes of the innermost common body that are or hold the two.
 *
 * A node whose accesses are not known (a host function, a signal, a predicate
 * that is a function, and a loop or case with such a node in a body) is a
 * barrier: after all nodes of its body that were added before it, and before all
 * that were added later.  The nodes between two barriers are a segment.
 *
 * Edges that another edge of the same node implies at one remove are dropped;
 * the planner drops the others.
 */
#include "graph/plan/program_order.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plan/check/conflicts.h"
#include "plan/check/graph_order.h"
#include "plan/rotation.h"

#include <string.h>

/* Steps of the reduction: per node, and per predecessor. */
enum { STEPS_NODE = 64, STEPS_PRED = 16 };

/* `base` is first, so that its callbacks find the rest. */
struct inference {
	plait__conflicts base;
	plait__graph_order order;
	bool *is_barrier;	/* by node */
	uint32_t *segment;	/* by node: the number of barriers of its scope
				 * up to it */
	bool *has_pred;		/* by node: in its segment */
	bool *has_succ;
	uint32_t *last;		/* by node: 1 + the last node that an edge from
				 * it led to */
	plait__input_edge *edges;	/* the graph's first */
	uint64_t edge_bytes;
	uint32_t edge_count;
};

/* ---- edges ---- */

static plait_status no_memory(const struct inference *in)
{
	return plait__fail(in->base.check->error, PLAIT_E_NOMEM,
			   "no memory to infer the edges of %u nodes",
			   in->order.input->node_count);
}

/* Append an edge unless the last one from `before` led to `after`, too. */
static plait_status push_edge(struct inference *in, uint32_t before,
			      uint32_t after)
{
	const plait_allocator *allocator = in->base.check->allocator;
	uint64_t need = (in->edge_count + 1ull) * sizeof(*in->edges);
	uint64_t bytes = need + need / 2 + 64 * sizeof(*in->edges);
	plait__input_edge *moved;

	if (in->last[before] == after + 1)
		return PLAIT_OK;
	if (need > in->edge_bytes) {
		moved = in->edges == NULL ? plait__alloc(allocator, bytes) :
			plait__realloc(allocator, in->edges, in->edge_bytes,
				       bytes);
		if (moved == NULL || in->edge_count >= INT32_MAX)
			return no_memory(in);
		in->edges = moved;
		in->edge_bytes = bytes;
	}
	in->edges[in->edge_count++] = (plait__input_edge){ before, after };
	in->last[before] = after + 1;
	return PLAIT_OK;
}

/* Note an edge that follows the order of adding, for the barriers.
 * find_barriers has run. */
static void note_edge(struct inference *in, uint32_t before, uint32_t after)
{
	if (before >= after || in->is_barrier[before] ||
	    in->is_barrier[after] || in->segment[before] != in->segment[after])
		return;
	in->has_succ[before] = true;
	in->has_pred[after] = true;
}

static plait_status take_edges(struct inference *in)
{
	const plait__input *input = in->order.input;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < input->edge_count && status == PLAIT_OK;
	     i++) {
		status = push_edge(in, input->edges[i].before,
				   input->edges[i].after);
		note_edge(in, input->edges[i].before, input->edges[i].after);
	}
	return status;
}

/* Order two nodes of any bodies; a barrier between them does so already.
 * find_barriers has run. */
static plait_status order_nodes(struct inference *in, uint32_t a, uint32_t b)
{
	plait__graph_order_meet(&in->order, &a, &b);
	if (a >= b || in->is_barrier[a] || in->is_barrier[b] ||
	    in->segment[a] != in->segment[b])
		return PLAIT_OK;
	note_edge(in, a, b);
	return push_edge(in, a, b);
}

/* ---- what conflicts.c asks ---- */

static uint32_t accesses(const plait__conflicts *conflicts, uint32_t item,
			 uint32_t *out_count)
{
	const struct inference *in = (const struct inference *)conflicts;
	const plait__input_node *node =
		&in->order.input->nodes[in->order.node_at[item]];

	*out_count = node->access_count;
	return node->access_first;
}

static bool is_inside(const plait__conflicts *conflicts, uint32_t item,
		      uint32_t region)
{
	return plait__graph_order_is_inside(
		&((const struct inference *)conflicts)->order, item, region);
}

static uint32_t no_floor(const plait__conflicts *conflicts, uint32_t item)
{
	(void)conflicts;
	(void)item;
	return 0;
}

static plait_status add_order(plait__conflicts *conflicts, uint32_t before,
			      uint32_t after, uint32_t target)
{
	struct inference *in = (struct inference *)conflicts;

	(void)target;
	return order_nodes(in, in->order.node_at[before],
			   in->order.node_at[after]);
}

/* ---- rotations ---- */

/* Order a node that uses a rotation after its loop, also if both only read. */
static plait_status follow_loops(struct inference *in, uint32_t node)
{
	const plait__input *input = in->order.input;
	const plait__input_node *n = &input->nodes[node];
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < n->access_count && status == PLAIT_OK; i++) {
		const plait__plan_rotation *rotation = plait__rotation_of(
			&in->order.tables,
			&in->order.tables.accesses[n->access_first + i]);

		if (rotation != NULL && !plait__graph_order_is_inside(
			    &in->order, in->order.position[node],
			    rotation->region))
			status = order_nodes(
				in, input->regions[rotation->region].node,
				node);
	}
	return status;
}

/* ---- barriers ---- */

static bool is_unknown(const plait__input *input, const plait__input_node *node)
{
	uint32_t predicate;

	switch (node->kind) {
	case PLAIT__CMD_HOST:
	case PLAIT__CMD_CALLBACK:
	case PLAIT__CMD_EMIT:
	case PLAIT__CMD_WAIT:
		return true;
	case PLAIT__CMD_REGION:
		predicate = input->regions[node->link].predicate;
		return predicate != PLAIT__NONE &&
		       input->tables.payloads[predicate].object != PLAIT__NONE;
	default:
		return false;
	}
}

static uint32_t scope_count(const plait__input *input)
{
	return input->scopes != NULL ? input->scope_count : 1;
}

static plait__input_scope scope_at(const plait__input *input, uint32_t scope)
{
	return input->scopes != NULL ? input->scopes[scope] :
	       (plait__input_scope){ .node_count = input->node_count,
				     .region = PLAIT__NONE };
}

/* Find barriers, inner bodies first: a body's number is above that of the scope
 * that holds it. */
static void find_barriers(struct inference *in)
{
	const plait__input *input = in->order.input;

	for (uint32_t s = scope_count(input); s-- > 0;) {
		plait__input_scope scope = scope_at(input, s);
		uint32_t end = scope.node_first + scope.node_count, found = 0;

		for (uint32_t v = scope.node_first; v < end; v++) {
			if (is_unknown(input, &input->nodes[v]))
				in->is_barrier[v] = true;
			if (input->nodes[v].is_removed)
				in->is_barrier[v] = false;
			found += in->is_barrier[v];
			in->segment[v] = found;
		}
		if (found > 0 && s > 0)
			in->is_barrier[input->regions[scope.region].node] =
				true;
	}
}

/* Join a segment [from, to) to the barriers around it, either of which may be
 * none.  All other edges are noted. */
static plait_status join_segment(struct inference *in, uint32_t left,
				 uint32_t from, uint32_t to, uint32_t right)
{
	plait_status status = PLAIT_OK;
	bool is_empty = true;

	for (uint32_t v = from; v < to && status == PLAIT_OK; v++) {
		if (in->order.input->nodes[v].is_removed)
			continue;
		is_empty = false;
		if (left != PLAIT__NONE && !in->has_pred[v])
			status = push_edge(in, left, v);
		if (status == PLAIT_OK && right != PLAIT__NONE &&
		    !in->has_succ[v])
			status = push_edge(in, v, right);
	}
	if (is_empty && left != PLAIT__NONE && right != PLAIT__NONE)
		status = push_edge(in, left, right);
	return status;
}

static plait_status join_barriers(struct inference *in, uint32_t s)
{
	plait__input_scope scope = scope_at(in->order.input, s);
	uint32_t left = PLAIT__NONE, from = scope.node_first;
	uint32_t end = from + scope.node_count;
	plait_status status = PLAIT_OK;

	for (uint32_t v = from; v < end && status == PLAIT_OK; v++) {
		if (!in->is_barrier[v])
			continue;
		status = join_segment(in, left, from, v, v);
		left = v;
		from = v + 1;
	}
	return status == PLAIT_OK && left != PLAIT__NONE ?
	       join_segment(in, left, from, end, PLAIT__NONE) : status;
}

/* ---- reduction ---- */

/* Edges by the node that they lead to. */
static plait_status list_preds(struct inference *in, uint32_t **out_first,
			       uint32_t **out_from)
{
	uint32_t nodes = in->order.input->node_count, sum = 0;
	uint32_t *first = plait__check_alloc(in->base.check, nodes + 1ull,
					     sizeof(*first));
	uint32_t *from = plait__check_alloc(in->base.check, in->edge_count,
					    sizeof(*from));

	if (first == NULL || from == NULL)
		return no_memory(in);
	for (uint32_t i = 0; i < in->edge_count; i++)
		first[in->edges[i].after]++;
	for (uint32_t v = 0; v <= nodes; v++) {
		sum += first[v];
		first[v] = sum;
	}
	for (uint32_t i = in->edge_count; i-- > 0;)
		from[--first[in->edges[i].after]] = in->edges[i].before;
	*out_first = first;
	*out_from = from;
	return PLAIT_OK;
}

/* Mark the predecessors of predecessors of v, as far as the steps last. */
static void mark_second(const uint32_t *first, const uint32_t *from,
			uint32_t *met, uint32_t v)
{
	uint32_t degree = first[v + 1] - first[v];
	uint64_t steps = STEPS_NODE + STEPS_PRED * (uint64_t)degree;

	for (uint32_t i = first[v]; i < first[v + 1]; i++)
		for (uint32_t k = first[from[i]];
		     k < first[from[i] + 1] && steps > 0; k++, steps--)
			met[from[k]] = v + 1;
}

/* Edges that lead against the order of adding are left alone: a cycle is the
 * planner's to report. */
static plait_status reduce(struct inference *in)
{
	const plait__input *input = in->order.input;
	uint32_t *first = NULL, *from = NULL, count = 0;
	uint32_t *met = plait__check_alloc(in->base.check, input->node_count,
					   sizeof(*met));
	plait_status status = met != NULL ? list_preds(in, &first, &from) :
			      no_memory(in);

	if (status != PLAIT_OK)
		return status;
	for (uint32_t i = 0; i < input->edge_count; i++)
		if (input->edges[i].before >= input->edges[i].after)
			return PLAIT_OK;
	for (uint32_t v = 0; v < input->node_count; v++) {
		if (first[v + 1] - first[v] > 1)
			mark_second(first, from, met, v);
		for (uint32_t i = first[v]; i < first[v + 1]; i++)
			if (met[from[i]] != v + 1)
				in->edges[count++] = (plait__input_edge){
					from[i], v };
	}
	in->edge_count = count;
	return PLAIT_OK;
}

/* ---- entry ---- */

static plait_status alloc_arrays(struct inference *in)
{
	plait__check *check = in->base.check;
	uint32_t nodes = in->order.input->node_count;

	in->is_barrier = plait__check_alloc(check, nodes, sizeof(bool));
	in->has_pred = plait__check_alloc(check, nodes, sizeof(bool));
	in->has_succ = plait__check_alloc(check, nodes, sizeof(bool));
	in->segment = plait__check_alloc(check, nodes, sizeof(uint32_t));
	in->last = plait__check_alloc(check, nodes, sizeof(uint32_t));
	return in->is_barrier != NULL && in->has_pred != NULL &&
	       in->has_succ != NULL && in->segment != NULL &&
	       in->last != NULL ? PLAIT_OK : no_memory(in);
}

/* Infer the edges in in->edges.  The caller frees them and what `check` has, in
 * any case. */
static plait_status run(struct inference *in, plait__check *check)
{
	plait_status status = plait__graph_order_by_adding(&in->order, check);

	if (status == PLAIT_OK)
		status = alloc_arrays(in);
	if (status != PLAIT_OK)
		return status;
	in->base = (plait__conflicts){
		.check = check, .tables = &in->order.tables,
		.count = check->input->node_count, .accesses = accesses,
		.is_inside = is_inside, .floor = no_floor, .order = add_order
	};
	find_barriers(in);
	status = take_edges(in);
	if (status == PLAIT_OK)
		status = plait__conflicts_visit(&in->base);
	for (uint32_t v = 0; v < check->input->node_count &&
	     status == PLAIT_OK; v++)
		status = follow_loops(in, v);
	for (uint32_t s = 0; s < scope_count(check->input) &&
	     status == PLAIT_OK; s++)
		status = join_barriers(in, s);
	return status == PLAIT_OK ? reduce(in) : status;
}

/* Copy the edges, so that the caller knows their size. */
static plait_status copy_out(const struct inference *in,
			     plait__input_edge **out, uint32_t *out_count)
{
	if (in->edge_count == 0)
		return PLAIT_OK;
	*out = plait__alloc_array(in->base.check->allocator, in->edge_count,
				  sizeof(**out));
	if (*out == NULL)
		return no_memory(in);
	memcpy(*out, in->edges, in->edge_count * sizeof(**out));
	*out_count = in->edge_count;
	return PLAIT_OK;
}

plait_status plait__program_order_infer(const plait__input *input,
					const plait_allocator *allocator,
					plait__input_edge **out,
					uint32_t *out_count,
					plait_error *error)
{
	plait__check check = { .input = input, .error = error,
			       .allocator = allocator };
	struct inference in = { .base.check = &check, .order.input = input };
	plait_status status;

	*out = NULL;
	*out_count = 0;
	status = run(&in, &check);
	if (status == PLAIT_OK)
		status = copy_out(&in, out, out_count);
	plait__free(allocator, in.edges, in.edge_bytes);
	plait__check_free_all(&check);
	return status;
}
