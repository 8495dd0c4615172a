/* SPDX-License-Identifier: MIT */
/*
 * Loop-carried buffers: a node outside a loop that uses one of its rotations
 * must come after the loop by edges, not merely in this schedule.
 *
 * Most users have a direct edge from the loop.  For the others reachability
 * masks of 64 loops at a time are propagated along the edges, from the first
 * loop of a batch to its last user.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

enum { BATCH = 64 };

/* A user that must come after a loop. */
struct use {
	uint32_t holder;	/* the user, or what holds it in the loop's
				 * scope: t number */
	uint32_t node;		/* the user */
	uint32_t next;		/* next user of the same loop, or none */
};

struct carried {
	plait__planner_state *planner;
	uint32_t *t_of;		/* by node */
	struct use *uses;
	uint32_t use_count;
	uint32_t use_capacity;
	uint32_t *first;	/* by t of a loop: its users, or none */
	uint64_t *mask;		/* by t: bit set of the batch's loops that
				 * precede it */
	uint32_t loops[BATCH];	/* t numbers, ascending */
	uint32_t loop_count;
	uint32_t last;		/* last user of the batch, by t */
};

static uint32_t scope_of(const plait__planner_state *planner, uint32_t node)
{
	return planner->scope_of == NULL ? 0 : planner->scope_of[node];
}

/* Returns the node of scope `scope` that is `node` or holds it, or none. */
static uint32_t holder_of(const plait__planner_state *planner, uint32_t node,
			  uint32_t scope)
{
	uint32_t at = scope_of(planner, node);

	for (; at > scope; at = scope_of(planner, node)) {
		planner->counts->steps++;
		node = planner->input->regions[
			planner->input_scopes[at].region].node;
	}
	return at == scope ? node : PLAIT__NONE;
}

static plait_status fail_use(const plait__planner_state *planner, uint32_t node,
			     uint32_t loop)
{
	char text[PLAIT__NODE_TEXT_BYTES], name[PLAIT__NODE_TEXT_BYTES];

	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "%s uses a rotation of %s, but does not come after "
			   "it",
			   plait__input_node_text(planner->input, node, text),
			   plait__input_node_text(planner->input, loop, name));
}

/* Lists of preds are reduced, so an edge may be implied by others. */
static bool has_edge(const plait__planner_state *planner, uint32_t before,
		     uint32_t after)
{
	uint32_t i = planner->pred_first[after];

	while (i < planner->pred_first[after + 1] &&
	       planner->preds[i] != before)
		i++;
	planner->counts->steps += i - planner->pred_first[after];
	return i < planner->pred_first[after + 1];
}

static plait_status add_use(struct carried *carried, uint32_t loop,
			    struct use use)
{
	plait_status status = plait__workspace_reserve(
		&carried->planner->work, (void **)&carried->uses,
		&carried->use_capacity, (uint64_t)carried->use_count + 1,
		sizeof(use));

	if (status != PLAIT_OK)
		return plait__planner_no_memory(carried->planner);
	use.next = carried->first[loop];
	carried->first[loop] = carried->use_count;
	carried->uses[carried->use_count++] = use;
	return PLAIT_OK;
}

static plait_status check_rotation(struct carried *carried, uint32_t t,
				   const plait__plan_rotation *rotation)
{
	plait__planner_state *planner = carried->planner;
	const plait__input *input = planner->input;
	uint32_t node = planner->node_of[t], loop, holder, after;
	char text[PLAIT__NODE_TEXT_BYTES];

	if (rotation->region >= input->region_count)
		return PLAIT_OK; /* the plan's check reports this */
	loop = input->regions[rotation->region].node;
	holder = holder_of(planner, node, scope_of(planner, loop));
	if (holder == loop || holder == PLAIT__NONE)
		return PLAIT_OK;
	if (carried->t_of[loop] == PLAIT__NONE)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "%s uses a rotation of a loop that this "
				   "part of the graph leaves out",
				   plait__input_node_text(input, node, text));
	after = carried->t_of[holder];
	if (after < carried->t_of[loop])
		return fail_use(planner, node, loop);
	if (has_edge(planner, carried->t_of[loop], after))
		return PLAIT_OK;
	return add_use(carried, carried->t_of[loop],
		       (struct use){ after, node, PLAIT__NONE });
}

static plait_status check_node(struct carried *carried, uint32_t t)
{
	const plait__input_tables *tables = &carried->planner->input->tables;
	const plait__input_node *node = plait__planner_node(carried->planner,
							    t);
	const plait__plan_payload *payload;
	plait_status status = PLAIT_OK;

	if ((node->kind != PLAIT__CMD_LAUNCH &&
	     node->kind != PLAIT__CMD_COPY && node->kind != PLAIT__CMD_FILL) ||
	    node->link >= tables->payloads_count)
		return PLAIT_OK;
	payload = &tables->payloads[node->link];
	for (uint64_t i = payload->arg_first; status == PLAIT_OK &&
	     i < tables->args_count &&
	     i < (uint64_t)payload->arg_first + payload->arg_count; i++) {
		const plait__plan_arg *arg = &tables->args[i];

		if (arg->kind == PLAIT__ARG_ROTATION &&
		    arg->index < tables->rotations_count)
			status = check_rotation(carried, t,
						&tables->rotations[arg->index]);
	}
	return status;
}

/* ---- loops without a direct edge ---- */

static void propagate_masks(struct carried *carried)
{
	const plait__planner_state *planner = carried->planner;
	uint32_t next = 0;

	for (uint32_t t = carried->loops[0]; t <= carried->last; t++) {
		uint64_t mask = 0;

		for (uint32_t i = planner->pred_first[t];
		     i < planner->pred_first[t + 1]; i++)
			if (planner->preds[i] >= carried->loops[0])
				mask |= carried->mask[planner->preds[i]];
		planner->counts->steps += 1 + planner->pred_first[t + 1] -
					planner->pred_first[t];
		if (next < carried->loop_count && carried->loops[next] == t)
			mask |= UINT64_C(1) << next++;
		carried->mask[t] = mask;
	}
}

static plait_status run_batch(struct carried *carried)
{
	const plait__planner_state *planner = carried->planner;

	if (carried->loop_count == 0)
		return PLAIT_OK;
	propagate_masks(carried);
	for (uint32_t i = 0; i < carried->loop_count; i++) {
		uint32_t loop = carried->loops[i];
		const struct use *use;

		for (uint32_t u = carried->first[loop]; u != PLAIT__NONE;
		     u = use->next) {
			use = &carried->uses[u];
			if ((carried->mask[use->holder] >> i & 1) == 0)
				return fail_use(planner, use->node,
						planner->node_of[loop]);
		}
	}
	carried->loop_count = carried->last = 0;
	return PLAIT_OK;
}

static plait_status run_batches(struct carried *carried)
{
	plait__planner_state *planner = carried->planner;
	plait_status status = PLAIT_OK;

	carried->mask = plait__workspace_alloc(&planner->work,
					       planner->node_count,
					       sizeof(*carried->mask));
	if (carried->mask == NULL)
		return plait__planner_no_memory(planner);
	for (uint32_t t = 0; status == PLAIT_OK && t < planner->node_count;
	     t++) {
		if (carried->first[t] == PLAIT__NONE)
			continue;
		carried->loops[carried->loop_count++] = t;
		for (uint32_t u = carried->first[t]; u != PLAIT__NONE;
		     u = carried->uses[u].next)
			if (carried->uses[u].holder > carried->last)
				carried->last = carried->uses[u].holder;
		if (carried->loop_count == BATCH)
			status = run_batch(carried);
	}
	return status == PLAIT_OK ? run_batch(carried) : status;
}

/* ---- entry point ---- */

static plait_status alloc_carried(struct carried *carried)
{
	plait__planner_state *planner = carried->planner;

	carried->t_of = plait__workspace_alloc_none(&planner->work,
						    planner->input->node_count,
						    sizeof(*carried->t_of));
	carried->first = plait__workspace_alloc_none(&planner->work,
						     planner->node_count,
						     sizeof(*carried->first));
	if (carried->t_of == NULL || carried->first == NULL)
		return plait__planner_no_memory(planner);
	for (uint32_t t = 0; t < planner->node_count; t++)
		carried->t_of[planner->node_of[t]] = t;
	return PLAIT_OK;
}

plait_status plait__loop_carried_check(plait__planner_state *planner)
{
	struct carried carried = { .planner = planner };
	plait_status status;

	if (planner->input->tables.rotations_count == 0)
		return PLAIT_OK;
	status = alloc_carried(&carried);
	for (uint32_t t = 0; status == PLAIT_OK && t < planner->node_count; t++)
		status = check_node(&carried, t);
	if (status == PLAIT_OK && carried.use_count > 0)
		status = run_batches(&carried);
	plait__workspace_free(&planner->work, carried.mask);
	plait__workspace_free(&planner->work, carried.uses);
	plait__workspace_free(&planner->work, carried.first);
	plait__workspace_free(&planner->work, carried.t_of);
	return status;
}
