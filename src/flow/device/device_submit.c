/* SPDX-License-Identifier: MIT */
/* Submission of ops of devices; see device_submit.h. */
#include "flow/device/device_submit.h"

#include "base/error.h"
#include "object/queue/copy_work.h"
#include "object/queue/strided_copy.h"
#include "object/queue/submission.h"

/* Ops of one lane, in order. */
struct batch {
	const plait__device_engine *engine;
	plait__device_op *const *ops;
	uint32_t count;
};

/* Upper bound of the commands but for emissions, and of works. */
static uint64_t count_commands(const struct batch *batch)
{
	const plait__queue *queue =
		batch->engine->items[batch->ops[0]->lane].queue;
	uint64_t count = batch->count;

	for (uint32_t i = 0; i < batch->count; i++) {
		const plait__device_op *op = batch->ops[i];

		count += op->wait_count;
		if (op->launch == NULL && !plait__copy_work_supports_rows(queue))
			count += plait__strided_copy_count_rows(&op->command);
	}
	return count;
}

static plait_status add_waits(struct plait__submission_builder *builder,
			      const plait__device_op *op, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < op->wait_count; i++)
		status = plait__submission_add_signal_wait(
			builder, op->engine->items[op->waits[i].lane].signal,
			op->waits[i].sequence, error);
	return status;
}

/* The launch was checked when its record was made, and the lane keeps its signal. */
static plait_status add_op(struct plait__submission_builder *builder,
			   plait__device_op *op, plait_error *error)
{
	plait_status status = add_waits(builder, op, error);

	if (status == PLAIT_OK)
		status = op->launch != NULL ?
			 plait__launch_record_add(op->launch, builder,
						  &op->command, error) :
			 plait__submission_add_command(builder, &op->command,
						       error);
	if (status == PLAIT_OK)
		status = plait__submission_add_emission(
			builder, op->engine->items[op->lane].signal, error);
	return status;
}

/* A plait__submission_fill. */
static plait_status add_ops(struct plait__submission_builder *builder,
			    const void *arg, plait_error *error)
{
	const struct batch *batch = arg;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < batch->count; i++)
		status = add_op(builder, batch->ops[i], error);
	return status;
}

static plait_status submit(const plait__device_engine *engine,
			   plait__device_op *const *ops, uint32_t count,
			   plait_error *error)
{
	const struct batch batch = { engine, ops, count };
	struct plait__submission_builder builder = {
		.queue = engine->items[ops[0]->lane].queue };
	const uint64_t commands = count_commands(&batch);

	if (commands > PLAIT__SUBMISSION_MOST)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu rows at once are too many",
				   (unsigned long long)commands);
	return plait__submission_submit(&builder, commands, add_ops, &batch,
					error);
}

/* Caller is the only thread that submits. */
static void refuse(plait__device_op *op, const plait_error *why)
{
	plait__device_engine *engine = op->engine;
	plait__device_lane *lane = &engine->items[op->lane];

	plait__mutex_lock(engine->lock);
	if (lane->refused == 0) {
		lane->refused = op->sequence;
		lane->why = *why;
	}
	engine->is_lost |= why->status == PLAIT_E_LOST;
	plait__mutex_unlock(engine->lock);
}

/* Submit the batch; if its queue refuses that, op by op, to find out which it
 * refuses. */
static void submit_batch(plait__device_engine *engine)
{
	uint32_t count = engine->batch;
	plait_error why = { .size = sizeof(why) };

	engine->batch = 0;
	if (count == 0 ||
	    submit(engine, engine->batch_ops, count, &why) == PLAIT_OK)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (count > 1 && submit(engine, &engine->batch_ops[i], 1,
					&why) == PLAIT_OK)
			continue;
		refuse(engine->batch_ops[i], &why);
		return;
	}
}

/* Returns true if a lane that the op waits for was replaced meanwhile. */
static bool is_stale(const plait__device_op *op)
{
	for (uint32_t i = 0; i < op->wait_count; i++)
		if (op->engine->items[op->waits[i].lane].generation !=
		    op->waits[i].generation)
			return true;
	return false;
}

static void refuse_stale(plait__device_op *op)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_FAILED, "not run: a predecessor failed");
	refuse(op, &why);
}

static void add_to_batch(plait__device_engine *engine, plait__device_op *op)
{
	if (engine->batch == PLAIT__DEVICE_BATCH)
		submit_batch(engine);
	if (engine->items[op->lane].refused == 0)
		engine->batch_ops[engine->batch++] = op;
}

/* Submit the ops of one lane, that of the first, and take them off the list. */
static void submit_lane(plait__device_engine *engine, plait__device_op **list)
{
	const uint32_t lane = (*list)->lane;

	while (*list != NULL) {
		plait__device_op *op = *list;

		if (op->lane == lane) {
			*list = op->next_out;
			add_to_batch(engine, op);
		} else {
			list = &op->next_out;
		}
	}
	submit_batch(engine);
}

/* Take ops off the front of the list of which none but the first waits for another
 * lane: lanes may take them in any order. */
static plait__device_op *split_front(plait__device_op **list)
{
	plait__device_op *first = *list, *last = first;

	while (last->next_out != NULL && last->next_out->wait_count == 0)
		last = last->next_out;
	*list = last->next_out;
	last->next_out = NULL;
	return first;
}

void plait__device_submit_all(plait__device_engine *engine,
			      plait__device_op *list)
{
	plait__device_op *front;

	while (list != NULL) {
		front = split_front(&list);
		if (is_stale(front)) {
			refuse_stale(front);
			front = front->next_out;
		}
		while (front != NULL)
			submit_lane(engine, &front);
	}
}
