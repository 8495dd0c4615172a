/* SPDX-License-Identifier: MIT */
/*
 * Measured times of schedules; see coll_measure.h.  Ranks agree by the maximum of words
 * that each of them has: all but rank 0 have zeros where it gives an order.
 */
#include "coll_measure.h"

#include "coll_clock.h"
#include "coll_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum order { ORDER_TAKE = 1, ORDER_TIME, ORDER_END };

struct coll_measure {
	plait_context *context;
	plait_world *world;
	plait_world_info info;
	plait_collective *agreement;
	plait_collective *collective; /* that is measured; null: none */
	struct coll_data data;
	char *input, *output;
	bool is_broken;
	plait_error *error; /* of the function that was called */
};

/* ---- agreement ---- */

static plait_status make_agreement(struct coll_measure *at)
{
	const plait_coll_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_COLL_ALLREDUCE,
				       .flags = PLAIT_COLL_IN_PLACE,
				       .ranks = at->info.ranks };
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(at->context, "tree", &desc,
					       &coll, at->error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, at->error);
	if (status == PLAIT_OK)
		status = plait_collective_create(at->world, &schedule, 1,
						 &at->agreement, at->error);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

/* Give all ranks the maximum of each number. */
static plait_status agree(struct coll_measure *at, void *numbers,
			  uint32_t bits, uint64_t count)
{
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
		.element_bits = bits, .reduction = PLAIT_REDUCE_MAX,
		.count = count, .output_memory = numbers };
	plait_status status = plait_collective_call(at->agreement, &run,
						    at->error);

	at->is_broken |= status != PLAIT_OK;
	return status;
}

/* Fail on all ranks if one of them has failed. */
static plait_status agree_on(struct coll_measure *at, plait_status status)
{
	uint64_t failed = status != PLAIT_OK;
	plait_error own = *at->error;
	plait_status all = agree(at, &failed, 64, 1);

	if (all != PLAIT_OK || failed == 0)
		return all;
	*at->error = own;
	if (status != PLAIT_OK)
		return status;
	snprintf(at->error->text, sizeof(at->error->text), "another rank "
		 "refuses the schedule, or lacks memory");
	at->error->status = PLAIT_E_FAILED;
	return PLAIT_E_FAILED;
}

static plait_status fail(struct coll_measure *at, const char *text)
{
	snprintf(at->error->text, sizeof(at->error->text), "%s", text);
	at->error->status = PLAIT_E_NOMEM;
	return PLAIT_E_NOMEM;
}

/* ---- schedules ---- */

static void drop_collective(struct coll_measure *at)
{
	plait_collective_release(at->collective);
	at->collective = NULL;
}

/* All ranks have the schedule. */
static plait_status create(struct coll_measure *at, plait_schedule *schedule)
{
	plait_status status;

	at->data = (struct coll_data){ .info.size = sizeof(at->data.info) };
	status = plait_schedule_query(schedule, &at->data.info, at->error);
	at->data.kind = at->data.info.kind;
	if (status == PLAIT_OK)
		status = plait_collective_create(at->world, &schedule, 1,
						 &at->collective, at->error);
	status = agree_on(at, status);
	if (status != PLAIT_OK)
		drop_collective(at);
	return status;
}

/* Get the bytes of a schedule from rank 0, which has them. */
static plait_status receive(struct coll_measure *at, char *bytes,
			    uint64_t count)
{
	plait_schedule *schedule = NULL;
	plait_status status = agree_on(at, bytes != NULL ? PLAIT_OK :
				       fail(at, "no memory for a schedule"));

	if (status == PLAIT_OK)
		status = agree(at, bytes, 8, count);
	if (status == PLAIT_OK)
		status = agree_on(at, plait_schedule_read(
			at->context, bytes, count, "schedule", &schedule,
			at->error));
	if (status == PLAIT_OK)
		status = create(at, schedule);
	plait_schedule_release(schedule);
	free(bytes);
	return status;
}

/* ---- calls ---- */

static plait_status call(struct coll_measure *at, uint64_t *out_ns)
{
	plait_collective_desc desc = { .size = sizeof(desc) };
	plait_collective_run run = { .size = sizeof(run),
				     .output_memory = at->output };
	uint64_t start = coll_clock_now();
	plait_status status;

	coll_data_describe(&at->data, &desc);
	run.element = desc.element;
	run.element_bits = desc.element_bits;
	run.reduction = desc.reduction;
	run.count = desc.count;
	if (!(at->data.info.flags & PLAIT_SCHEDULE_IN_PLACE))
		run.input_memory = at->input;
	status = plait_collective_call(at->collective, &run, at->error);
	*out_ns += coll_clock_now() - start;
	return status;
}

/* A rank may run ahead of others by the slots of its links, so the mean counts. */
static plait_status call_all(struct coll_measure *at, uint64_t calls,
			     uint64_t *out_ns)
{
	plait_status status = PLAIT_OK;
	uint64_t sum = 0;

	if (calls > 1)
		status = call(at, &sum);
	sum = 0;
	for (uint64_t i = 0; i < calls && status == PLAIT_OK; i++)
		status = call(at, &sum);
	*out_ns = sum / calls;
	status = agree_on(at, status);
	return status == PLAIT_OK ? agree(at, out_ns, 64, 1) : status;
}

/* Memory that was written, so that it has pages of its own. */
static char *make_memory(const struct coll_data *data, bool output)
{
	uint64_t bytes = coll_data_elements(data, output) *
			 coll_data_element_bytes(data) + 1;
	char *out = malloc(bytes);

	if (out != NULL)
		memset(out, 1, bytes);
	return out;
}

static plait_status time_size(struct coll_measure *at, uint64_t bytes,
			      uint64_t calls, uint64_t *out_ns)
{
	bool in_place = at->data.info.flags & PLAIT_SCHEDULE_IN_PLACE;
	plait_status status = PLAIT_OK;

	at->data.count = coll_data_count(&at->data, bytes);
	at->input = in_place ? NULL : make_memory(&at->data, false);
	at->output = make_memory(&at->data, true);
	if (at->output == NULL || (at->input == NULL && !in_place))
		status = fail(at, "no memory for the buffers");
	status = agree_on(at, status);
	if (status == PLAIT_OK)
		status = call_all(at, calls, out_ns);
	free(at->input);
	free(at->output);
	return status;
}

/* ---- orders ---- */

static plait_status give(struct coll_measure *at, enum order order,
			 uint64_t first, uint64_t second)
{
	uint64_t words[3] = { order, first, second };

	return agree(at, words, 64, 3);
}

plait_status coll_measure_follow(struct coll_measure *measure,
				 plait_error *error)
{
	measure->error = error;
	while (!measure->is_broken) {
		uint64_t words[3] = { 0 }, ns;

		if (agree(measure, words, 64, 3) != PLAIT_OK)
			break;
		if (words[0] == ORDER_END)
			return PLAIT_OK;
		if (words[0] == ORDER_TIME) {
			(void)time_size(measure, words[1], words[2], &ns);
			continue;
		}
		drop_collective(measure);
		(void)receive(measure, calloc(words[1] + 1, 1), words[1]);
	}
	return error->status != PLAIT_OK ? error->status : PLAIT_E_FAILED;
}

plait_status coll_measure_take(struct coll_measure *measure,
			       plait_schedule *schedule, plait_error *error)
{
	uint64_t count = 0;
	char *bytes = NULL;
	plait_status status = plait_schedule_write(
		schedule, PLAIT_SCHEDULE_BINARY, NULL, 0, &count, error);

	measure->error = error;
	if (status == PLAIT_OK) {
		bytes = malloc(count + 1);
		status = bytes != NULL ? PLAIT_OK :
			 fail(measure, "no memory for a schedule");
	}
	if (status == PLAIT_OK)
		status = plait_schedule_write(schedule, PLAIT_SCHEDULE_BINARY,
					      bytes, count, &count, error);
	if (status == PLAIT_OK)
		status = give(measure, ORDER_TAKE, count, 0);
	if (status != PLAIT_OK) {
		free(bytes);
		return status;
	}
	drop_collective(measure);
	return receive(measure, bytes, count);
}

plait_status coll_measure_time(struct coll_measure *measure, uint64_t bytes,
			       uint64_t calls, uint64_t *out_ns,
			       plait_error *error)
{
	plait_status status;

	measure->error = error;
	status = give(measure, ORDER_TIME, bytes, calls);
	return status == PLAIT_OK ?
		time_size(measure, bytes, calls, out_ns) : status;
}

bool coll_measure_is_broken(const struct coll_measure *measure)
{
	return measure->is_broken;
}

/* ---- open and close ---- */

plait_status coll_measure_open(plait_context *context, const char *transports,
			       struct coll_measure **out, plait_error *error)
{
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = transports };
	struct coll_measure *at = calloc(1, sizeof(*at));
	plait_status status;

	*out = at;
	if (at == NULL)
		return PLAIT_E_NOMEM;
	at->context = context;
	at->error = error;
	at->info.size = sizeof(at->info);
	status = plait_world_open(context, &desc, &at->world, error);
	if (status == PLAIT_OK)
		status = plait_world_query(at->world, &at->info, error);
	if (status == PLAIT_OK)
		status = make_agreement(at);
	return status;
}

void coll_measure_close(struct coll_measure *measure)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (measure == NULL)
		return;
	measure->error = &ignored;
	if (measure->agreement != NULL && measure->info.rank == 0 &&
	    !measure->is_broken)
		(void)give(measure, ORDER_END, 0, 0);
	drop_collective(measure);
	plait_collective_release(measure->agreement);
	plait_world_release(measure->world);
	free(measure);
}

plait_world_info coll_measure_world(const struct coll_measure *measure)
{
	return measure->info;
}
