/* SPDX-License-Identifier: MIT */
/* Plans of submissions over ranks; see rank_plan.h. */
#include "flow/rank_plan.h"

#include "flow/commit.h"
#include "flow/flow_late.h"
#include "flow/rank_memo.h"
#include "flow/rank_place.h"
#include "flow/rank_room.h"
#include "flow/reduction.h"

#include "base/error.h"

static void mix(plait__rank_turn *turn, uint64_t word)
{
	turn->word = plait__program_hash_mix(turn->word, word);
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the transfers of a task");
}

/* ---- one step ---- */

/* Copy the accesses of the prepared step, into the word, too. */
static bool list_accesses(plait__rank_turn *turn, uint32_t count)
{
	plait__vector *list = &turn->ranks->accesses;

	plait__vector_truncate(list, 0);
	for (uint32_t i = 0; i < count; i++) {
		const plait__flow_access *access = &turn->flow->accesses[i];
		const plait__rank_access copy = {
			.owners = access->whole->owners,
			.whole = &access->whole->box, .box = access->box,
			.each = access->whole->element_bytes,
			.mode = access->mode,
		};

		if (PLAIT__VECTOR_ADD(list, &copy) == NULL)
			return false;
		mix(turn, access->whole->number << 2 | access->mode);
		for (int d = 0; d < 3; d++) {
			mix(turn, access->box.low[d]);
			mix(turn, access->box.high[d]);
		}
	}
	return true;
}

static plait__data *data_of(const plait__rank_access *access)
{
	return (plait__data *)(void *)((char *)(uintptr_t)access->whole -
				       offsetof(plait__data, box));
}

/* Append the transfers in which this rank takes part, with their data held. */
static bool add_transfers(plait__rank_turn *turn,
			  const plait__rank_access *accesses)
{
	plait__flow_ranks *ranks = turn->ranks;

	for (uint32_t i = 0; i < ranks->listed.count; i++) {
		const plait__rank_transfer *at =
			plait__vector_at(&ranks->listed, i);
		plait__rank_step step = {
			.data = data_of(&accesses[at->access]),
			.box = at->box, .sends = at->from == ranks->rank,
			.transfer = ++ranks->transfers,
		};

		plait__rank_room_count(ranks, at->from);
		plait__rank_room_count(ranks, at->to);
		step.peer = step.sends ? at->to : at->from;
		if (!step.sends && at->to != ranks->rank)
			continue;
		if (PLAIT__VECTOR_ADD(&ranks->steps, &step) == NULL)
			return false;
		plait__object_hold(&step.data->object);
	}
	return true;
}

/* Note a step that was listed and runs on a rank, or on all.  Returns false without
 * memory. */
static bool note(plait__rank_turn *turn, const plait__rank_access *accesses,
		 uint32_t count, uint32_t rank, uint32_t index)
{
	plait__flow_ranks *ranks = turn->ranks;
	const plait__rank_step step = { .peer = index };
	const plait__rank_task task = { rank, ranks->count, ++ranks->tasks };

	mix(turn, rank);
	turn->has_changed = true;
	plait__vector_truncate(&ranks->listed, 0);
	if (!plait__task_ranks_run(accesses, count, &task, &ranks->versions,
				   &ranks->listed) ||
	    !add_transfers(turn, accesses))
		return false;
	if (turn->desc != NULL)
		plait__rank_room_count(ranks, rank);
	return turn->desc == NULL ||
	       (rank != ranks->rank && rank != PLAIT__TASK_RANKS_ALL) ||
	       PLAIT__VECTOR_ADD(&ranks->steps, &step) != NULL;
}

static void mix_task(plait__rank_turn *turn, const plait__flow_task *task)
{
	mix(turn, turn->desc->kind);
	if (task->kernel == NULL)
		return;
	for (const char *at = task->kernel->kernel->signature->name;
	     *at != '\0'; at++)
		mix(turn, (unsigned char)*at);
	for (int d = 0; d < 3; d++)
		mix(turn, task->chunk.items.high[d]);
}

/* As if the step were to run here; nothing stays. */
static plait_status prepare(plait__rank_turn *turn, uint32_t index,
			    plait__flow_task *task, plait_error *error)
{
	plait__object *closing = task->closing;
	plait_status status = plait__rank_plan_prepare(turn, index, task,
						       error);

	if (task->closing == NULL)
		task->closing = closing;
	if (task->late != NULL)
		plait__late_return(task);
	return status;
}

/* ---- ranks of steps ---- */

static bool runs_everywhere(const plait_task_desc *desc)
{
	return (desc->flags & PLAIT_TASK_COLLECTIVE) != 0 ||
	       desc->kind == PLAIT_TASK_READ ||
	       desc->kind == PLAIT_TASK_WRITE ||
	       desc->kind == PLAIT_TASK_EMIT || desc->kind == PLAIT_TASK_WAIT;
}

static uint32_t first_of(const plait__rank_turn *turn, uint32_t rank)
{
	return plait__rank_first_piece(turn->ranks, rank, turn->steps.pieces);
}

/* The rank of the step whose accesses are listed. */
static uint32_t rank_of(const plait__rank_turn *turn, uint32_t index,
			const plait__rank_access *accesses, uint32_t count)
{
	const plait__flow_ranks *ranks = turn->ranks;
	const plait__task_steps *steps = &turn->steps;

	if (steps->pieces > 1 && index - steps->fills < steps->pieces)
		return (uint32_t)((uint64_t)(index - steps->fills) *
				  ranks->count / steps->pieces);
	if (runs_everywhere(turn->desc))
		return PLAIT__TASK_RANKS_ALL;
	return plait__task_ranks_choose(accesses, count, ranks->count);
}

/* ---- steps ---- */

enum { CHOOSE = PLAIT__TASK_RANKS_ALL + 1 };

/* List the maps of a step.  Returns false without memory. */
static bool list_maps(plait__vector *maps, const plait__rank_access *accesses,
		      uint32_t count)
{
	plait__coherence *const *listed;
	uint32_t k;

	for (uint32_t i = 0; i < count; i++) {
		listed = maps->items;
		for (k = 0; k < maps->count && listed[k] != accesses[i].owners;
		     k++)
			;
		if (k == maps->count &&
		    PLAIT__VECTOR_ADD(maps, &accesses[i].owners) == NULL)
			return false;
	}
	return true;
}

/* All ranks leave the maps of a launch as those have them that find it in a memo. */
static void settle_maps(const plait__flow_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->maps.count; i++)
		plait__owner_memo_settle(*(plait__coherence **)plait__vector_at(
			&ranks->maps, i));
}

/* Plan a step with these accesses. */
static plait_status plan_listed(plait__rank_turn *turn,
				const plait__rank_memo_step *step,
				const plait__rank_access *accesses,
				plait_error *error)
{
	uint32_t rank = step->rank;

	mix(turn, step->word);
	if (rank == CHOOSE)
		rank = rank_of(turn, step->index, accesses, step->count);
	return list_maps(&turn->ranks->maps, accesses, step->count) &&
	       note(turn, accesses, step->count, rank, step->index) ?
		       PLAIT_OK : fail_memory(error);
}

static plait_status plan_prepared(plait__rank_turn *turn, uint32_t index,
				  uint32_t rank, const plait__flow_task *task,
				  plait_error *error)
{
	plait__vector *list = &turn->ranks->accesses;
	plait__rank_memo_step step = { .index = index, .rank = rank };
	uint64_t word = turn->word;

	turn->word = 0;
	if (!list_accesses(turn, task->access_count))
		return fail_memory(error);
	mix_task(turn, task);
	step.word = turn->word;
	step.count = list->count;
	turn->word = word;
	if (turn->memo != NULL && !plait__rank_memo_add(turn->memo, &step, list))
		turn->memo = NULL;
	return plan_listed(turn, &step, list->items, error);
}

static plait_status plan_step(plait__rank_turn *turn, uint32_t index,
			      uint32_t rank, plait__flow_task *task,
			      plait_error *error)
{
	plait_status status = prepare(turn, index, task, error);

	return status != PLAIT_OK ? status :
	       plan_prepared(turn, index, rank, task, error);
}

/* The rank of the only piece, which its fills precede there. */
static plait_status find_rank(plait__rank_turn *turn, plait__flow_task *task,
			      uint32_t *out, plait_error *error)
{
	plait_status status = prepare(turn, turn->steps.fills, task, error);

	if (status == PLAIT_OK && !list_accesses(turn, task->access_count))
		status = fail_memory(error);
	if (status == PLAIT_OK)
		*out = rank_of(turn, turn->steps.fills,
			       turn->ranks->accesses.items,
			       turn->ranks->accesses.count);
	return status;
}

/* The rows that are filled here. */
static void choose_own_rows(plait__rank_turn *turn)
{
	turn->steps.fill_low = first_of(turn, turn->ranks->rank);
	turn->steps.fill_high = first_of(turn, turn->ranks->rank + 1);
}

/* Each rank fills the rows of its pieces. */
static plait_status plan_fill(plait__rank_turn *turn, uint32_t index,
			      plait__flow_task *task, plait_error *error)
{
	plait__task_steps *steps = &turn->steps;
	plait_status status = PLAIT_OK;

	for (uint32_t r = 0; r < turn->ranks->count && status == PLAIT_OK;
	     r++) {
		steps->fill_low = first_of(turn, r);
		steps->fill_high = first_of(turn, r + 1);
		if (steps->fill_low < steps->fill_high)
			status = plan_step(turn, index, r, task, error);
	}
	choose_own_rows(turn);
	return status;
}

static plait_status plan_steps(plait__rank_turn *turn, plait__flow_task *task,
			       plait_error *error)
{
	const plait__task_steps *steps = &turn->steps;
	plait_status status = PLAIT_OK;
	uint32_t rank = CHOOSE;

	if (steps->fills > 0 && steps->pieces == 1)
		status = find_rank(turn, task, &rank, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < steps->count; i++)
		status = i < steps->fills && rank == CHOOSE ?
				 plan_fill(turn, i, task, error) :
				 plan_step(turn, i, rank, task, error);
	return status;
}

/* Plan the steps of a memo one by one. */
static plait_status plan_memo(plait__rank_turn *turn, plait_error *error)
{
	const plait__rank_memo *memo = turn->memo;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < memo->steps.count; i++) {
		const plait__rank_memo_step *step =
			plait__vector_at(&memo->steps, i);

		status = plan_listed(turn, step,
				     plait__vector_at(&memo->accesses,
						      step->first), error);
	}
	return status;
}

/* Plan the steps of a memo, or change what that has changed. */
static plait_status plan_again(plait__rank_turn *turn, plait_error *error)
{
	plait__rank_memo *memo = turn->memo;
	plait__rank_counts before;
	plait_status status;
	bool is_kept;

	if (turn->steps.fills > 0)
		choose_own_rows(turn);
	if (plait__rank_memo_replay(memo, turn->ranks)) {
		turn->has_changed = true;
		turn->word = memo->word;
		return PLAIT_OK;
	}
	is_kept = plait__rank_memo_begin(memo, turn->ranks, &before);
	status = plan_memo(turn, error);
	settle_maps(turn->ranks);
	if (status == PLAIT_OK && is_kept)
		plait__rank_memo_end(memo, turn->ranks, &before, turn->word);
	return status;
}

/* Plan the steps of a launch, all prepared before the first one has an effect. */
static plait_status plan_all(plait__rank_turn *turn, plait__flow_task *task,
			     plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < turn->steps.count; i++)
		status = prepare(turn, i, task, error);
	if (status == PLAIT_OK)
		status = plan_steps(turn, task, error);
	settle_maps(turn->ranks);
	if (status == PLAIT_OK && turn->memo != NULL)
		turn->memo->is_whole = true;
	return status;
}

plait_status plait__rank_plan_task(plait__rank_turn *turn,
				   plait__flow_task *task, plait_error *error)
{
	plait__task_steps *steps = &turn->steps;
	plait_status status;

	turn->word = 0;
	turn->has_changed = false;
	plait__vector_truncate(&turn->ranks->maps, 0);
	/* Of any kind but a launch of several steps. */
	plait__task_steps_init_one(steps, turn->flow, turn->desc,
				   turn->prepare);
	turn->memo = plait__rank_memo_recall(turn->ranks, turn->desc);
	turn->copies_pieces = turn->memo != NULL;
	if (turn->copies_pieces) {
		steps->pieces = steps->count = turn->memo->copies.pieces;
		return plan_again(turn, error);
	}
	status = prepare(turn, 0, task, error);
	if (status == PLAIT_OK)
		status = plait__rank_place_check(task, &turn->has_changed,
						 error);
	if (status != PLAIT_OK)
		return status;
	turn->has_changed = false;
	if (!plait__task_steps_are_several(task))
		return plan_prepared(turn, 0, CHOOSE, task, error);
	plait__task_steps_init(steps, task, turn->desc, turn->prepare);
	turn->memo = plait__rank_memo_find(turn->ranks, task, turn->desc);
	return turn->memo != NULL && turn->memo->is_whole ?
		       plan_again(turn, error) : plan_all(turn, task, error);
}

plait_status plait__rank_plan_prepare(plait__rank_turn *turn, uint32_t index,
				      plait__flow_task *task,
				      plait_error *error)
{
	return plait__task_steps_prepare(&turn->steps, index, task, error);
}

/* The rank has copies of its pieces next time. */
static void keep_piece(const plait__rank_turn *turn,
		       const plait__flow_task *task)
{
	const uint32_t rank = turn->ranks->rank;

	if (turn->memo != NULL && turn->memo->is_whole &&
	    turn->steps.count == turn->steps.pieces)
		plait__launch_copies_keep(&turn->memo->copies, task,
					  turn->desc, first_of(turn, rank),
					  first_of(turn, rank + 1));
}

plait_status plait__rank_plan_prepare_own(plait__rank_turn *turn, uint32_t index,
					  plait__flow_task *task,
					  plait_error *error)
{
	plait_status status;

	if (turn->copies_pieces) {
		status = plait__launch_copies_take(&turn->memo->copies,
						   turn->flow, index,
						   turn->desc, task);
		if (status == PLAIT_OK || status == PLAIT_PENDING)
			return status;
	}
	status = plait__rank_plan_prepare(turn, index, task, error);
	if (status == PLAIT_OK)
		keep_piece(turn, task);
	return status;
}

/* ---- host access ---- */

plait_status plait__rank_plan_access(plait__rank_turn *turn, plait__data *data,
				     const plait_box *box, uint32_t mode,
				     plait_error *error)
{
	plait__flow *flow = turn->flow;

	if (plait__commit_reserve_accesses(flow, 1)) {
		flow->accesses[0] = (plait__flow_access){
			.whole = data->whole, .box = *box,
			.map = &data->whole->map, .mode = mode };
		if (list_accesses(turn, 1) &&
		    note(turn, turn->ranks->accesses.items, 1,
			 PLAIT__TASK_RANKS_ALL, 0))
			return PLAIT_OK;
	}
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the transfers of an access");
}

void plait__rank_plan_drop(plait__flow_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->steps.count; i++) {
		const plait__rank_step *step =
			plait__vector_at(&ranks->steps, i);

		if (step->data != NULL)
			plait__object_drop(&step->data->object);
	}
	plait__vector_truncate(&ranks->steps, 0);
}
