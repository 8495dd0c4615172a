/* SPDX-License-Identifier: MIT */
/* Submission of ops of devices; see device_submit.h. */
#include "flow/device/device_submit.h"

#include "base/error.h"
#include "object/queue/submission.h"

static plait_command *add_command(plait__device_engine *engine, uint32_t *count,
				  uint32_t kind)
{
	plait_command *command = &engine->commands[(*count)++];

	*command = (plait_command){ .size = sizeof(*command), .kind = kind };
	return command;
}

static void add_op(plait__device_engine *engine, const plait__device_op *op,
		   uint32_t *count)
{
	const plait__device_lane *lane = &engine->items[op->lane];

	for (uint32_t i = 0; i < op->wait_count; i++) {
		const plait__device_wait *wait = &op->waits[i];
		plait_command *command = add_command(engine, count,
						     PLAIT_COMMAND_WAIT);

		command->signal = plait__object_handle(
			&engine->items[wait->lane].signal->object);
		command->sequence = wait->sequence;
	}
	engine->commands[(*count)++] = op->command;
	add_command(engine, count, PLAIT_COMMAND_EMIT)->signal =
		plait__object_handle(&lane->signal->object);
}

static plait_status submit(plait__device_engine *engine,
			   plait__device_op *const *ops, uint32_t op_count,
			   plait_error *error)
{
	plait__launch_record *launches = NULL, **link = &launches;
	uint32_t count = 0;

	for (uint32_t i = 0; i < op_count; i++) {
		add_op(engine, ops[i], &count);
		if (ops[i]->launch == NULL)
			continue;
		*link = ops[i]->launch;
		link = &ops[i]->launch->next;
	}
	*link = NULL;
	return plait__submission_submit_prepared(
		engine->items[ops[0]->lane].queue, engine->commands, count,
		launches, error);
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
