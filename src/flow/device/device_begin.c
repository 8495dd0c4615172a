/* SPDX-License-Identifier: MIT */
/* Begin of ops of devices; see device_begin.h. */
#include "flow/device/device_begin.h"

#include "flow/lanes/flow_claim.h"
#include "flow/lanes/flow_worker.h"

/* Ops that cannot begin, and that one call looks at. */
enum { MISSES = 32 };

static bool is_done(const plait__device_engine *engine, uint64_t number)
{
	return plait__op_is_done(&engine->lanes->ring, number);
}

/* The op of a device that has this number and is in a lane; or null. */
static const plait__device_op *find(const plait__device_engine *engine,
				    uint64_t number)
{
	const plait__device_op *op =
		engine->ops[number & engine->lanes->ring.mask];

	return op != NULL && op->number == number && op->sequence != 0 ? op :
									 NULL;
}

/* ---- waits of queues ---- */

/* Returns true if the op may begin behind this predecessor, whose op in a lane is *out;
 * null: it is done. */
static bool may_follow(const plait__device_op *op, plait__pred pred,
		       const plait__device_op **out)
{
	plait__device_engine *engine = op->engine;
	const plait__device_op *before;

	*out = NULL;
	if (is_done(engine, pred.number))
		return !pred.is_true ||
		       plait__outcomes_are_clean(&engine->lanes->outcomes) ||
		       !plait__outcomes_has(&engine->lanes->outcomes,
					    pred.number);
	*out = before = find(engine, pred.number);
	return before != NULL &&
	       plait__device_lane_takes_ops(plait__device_op_lane(before)) &&
	       plait__device_op_lane(before)->device->port ==
		       plait__device_op_lane(op)->device->port;
}

/* Let the op wait for another one, unless its lane does already. */
static void wait_for(plait__device_op *op, const plait__device_op *before)
{
	plait__device_lane *lane = plait__device_op_lane(op);
	uint64_t *seen = &lane->seen[before->lane];

	if (before->lane == op->lane || *seen >= before->sequence)
		return;
	*seen = before->sequence;
	for (uint32_t i = 0; i < op->wait_count; i++)
		if (op->waits[i].lane == before->lane) {
			op->waits[i].sequence = before->sequence;
			return;
		}
	op->waits[op->wait_count++] = (plait__device_wait){
		before->lane, plait__device_op_lane(before)->generation,
		before->sequence
	};
}

static void add_wait(plait__device_op *op, uint64_t number)
{
	const plait__device_op *before = find(op->engine, number);

	if (before != NULL && !is_done(op->engine, number))
		wait_for(op, before);
}

/* ---- the list ---- */

static void list(plait__device_op *op)
{
	plait__device_engine *engine = op->engine;

	op->is_waiting = true;
	op->next = NULL;
	op->previous = engine->waiting_last;
	if (engine->waiting_last == NULL)
		engine->waiting = op;
	else
		engine->waiting_last->next = op;
	engine->waiting_last = op;
}

void plait__device_begin_unlist(plait__device_op *op)
{
	plait__device_engine *engine = op->engine;

	if (!op->is_waiting)
		return;
	op->is_waiting = false;
	if (op->previous == NULL)
		engine->waiting = op->next;
	else
		op->previous->next = op->next;
	if (op->next == NULL)
		engine->waiting_last = op->previous;
	else
		op->next->previous = op->previous;
}

/* ---- begin ---- */

void plait__device_begin_number(plait__device_op *op, uint64_t number)
{
	plait__device_engine *engine = op->engine;

	op->number = number;
	op->wait_count = 0;
	engine->ops[number & engine->lanes->ring.mask] = op;
}

void plait__device_begin_enqueue(plait__device_op *op)
{
	plait__device_engine *engine = op->engine;
	plait__device_lane *lane = plait__device_op_lane(op);

	plait__device_lane_append(lane, op);
	engine->is_due |= !engine->may_keep ||
			  ++engine->outbox_count >= PLAIT__DEVICE_KEEP ||
			  op->sequence - lane->first->sequence <
				  PLAIT__DEVICE_BUSY;
	op->next_out = NULL;
	if (engine->outbox == NULL)
		engine->outbox = op;
	else
		engine->outbox_last->next_out = op;
	engine->outbox_last = op;
}

bool plait__device_engine_begin(plait__device_engine *engine,
				plait__device_op *op, uint64_t number,
				const plait__pred *preds, uint32_t count)
{
	const plait__device_op *before[PLAIT__OP_PREDS];
	bool begins = plait__device_lane_takes_ops(plait__device_op_lane(op));

	plait__device_begin_number(op, number);
	for (uint32_t i = 0; begins && i < count; i++)
		begins = may_follow(op, preds[i], &before[i]);
	if (!begins) {
		list(op);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (before[i] != NULL)
			wait_for(op, before[i]);
	if (engine->lanes->driver != NULL)
		plait__progress_begin_pool_run(engine->lanes->driver);
	plait__device_begin_enqueue(op);
	return true;
}

/* ---- later ---- */

static plait__pred pred_of(const plait__device_op *op, uint32_t i)
{
	const plait__op *entry = plait__op_at(&op->engine->lanes->ring,
					      op->number);

	/* Relaxed: written under the lock. */
	return (plait__pred){
		plait__op_pred(entry, op->number, i),
		plait__op_pred_is_true(at_load_relaxed_u64(&entry->meta), i)
	};
}

static uint32_t count_preds(const plait__device_op *op)
{
	const plait__op *entry = plait__op_at(&op->engine->lanes->ring,
					      op->number);

	/* Relaxed: written under the lock. */
	return plait__op_pred_count(at_load_relaxed_u64(&entry->meta));
}

static bool can_begin(const plait__device_op *op)
{
	bool begins = plait__device_lane_takes_ops(plait__device_op_lane(op));
	const plait__device_op *before;

	for (uint32_t i = count_preds(op); begins && i > 0; i--)
		begins = may_follow(op, pred_of(op, i - 1), &before);
	return begins;
}

static void begin_late(plait__device_op *op, plait__device_op **spoiled)
{
	plait__device_begin_unlist(op);
	if (plait__flow_worker_spoils(op->engine->lanes, op->number)) {
		op->next = *spoiled;
		*spoiled = op;
		return;
	}
	for (uint32_t i = 0; i < count_preds(op); i++)
		add_wait(op, pred_of(op, i).number);
	plait__device_begin_enqueue(op);
}

void plait__device_begin_waiting(plait__device_engine *engine,
				 plait__device_op **spoiled)
{
	plait__device_op *op = engine->waiting, *next;
	uint32_t misses = 0;

	for (; op != NULL && misses < MISSES; op = next) {
		next = op->next;
		/* A worker that has it takes it off the list. */
		if (can_begin(op) &&
		    plait__flow_claim_take(engine->lanes, op->number))
			begin_late(op, spoiled);
		else
			misses++;
	}
}
