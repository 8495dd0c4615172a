/* SPDX-License-Identifier: MIT */
/*
 * A first program: two queues, one signal, two buffers.
 *
 * One queue fills a buffer, the other one waits for that, copies it and sums
 * it up in a host function.  PLAIT_BACKEND decides where it runs; the program
 * does not change.
 */
#include <inttypes.h>
#include <stdio.h>

#include "plait/plait.h"

enum { COUNT = 1000, BYTES = COUNT * 4 };

struct sum {
	uint32_t numbers[COUNT];
	uint64_t total;
};

/* What we made, so that one place can give it back. */
struct work {
	plait_context *context;
	plait_queue *fill;
	plait_queue *add;
	plait_signal *filled;
	plait_buffer *from;
	plait_buffer *to;
};

/* Runs on a worker thread, behind the copy and the read. */
static int32_t add_up(void *user_data)
{
	struct sum *sum = user_data;

	for (int i = 0; i < COUNT; i++)
		sum->total += sum->numbers[i];
	return 0;
}

static plait_status set_up(struct work *work, plait_device *device,
			   plait_error *error)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES };
	plait_status status;

	status = plait_queue_create(device, NULL, &work->fill, error);
	if (status == PLAIT_OK)
		status = plait_queue_create(device, NULL, &work->add, error);
	if (status == PLAIT_OK)
		status = plait_signal_create(device, NULL, &work->filled,
					     error);
	if (status == PLAIT_OK)
		status = plait_buffer_create(device, &desc, &work->from,
					     error);
	if (status == PLAIT_OK)
		status = plait_buffer_create(device, &desc, &work->to, error);
	return status;
}

/* Nothing here waits: both queues get all their work at once. */
static plait_status submit(struct work *work, struct sum *sum,
			   plait_error *error)
{
	plait_command add[] = {
		{ .size = sizeof(add[0]), .kind = PLAIT_COMMAND_WAIT,
		  .signal = work->filled },
		{ .kind = PLAIT_COMMAND_COPY, .source = work->from,
		  .target = work->to, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_READ, .source = work->to,
		  .host = sum->numbers, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_CALL, .function = add_up,
		  .user_data = sum, .flags = PLAIT_CALL_ANY_THREAD,
		  .label = "add up" },
	};
	plait_status status;

	status = plait_queue_fill(work->fill, work->from, 0, BYTES, 42, 4,
				  error);
	if (status == PLAIT_OK)
		status = plait_queue_emit(work->fill, work->filled, NULL,
					  error);
	if (status == PLAIT_OK)
		status = plait_queue_submit(work->add, add, 4, NULL, error);
	return status;
}

static void tear_down(struct work *work)
{
	plait_buffer_release(work->to);
	plait_buffer_release(work->from);
	plait_signal_release(work->filled);
	plait_queue_release(work->add);
	plait_queue_release(work->fill);
	plait_context_release(work->context);
}

static plait_status run(struct work *work, struct sum *sum, plait_error *error)
{
	plait_device_info info = { .size = sizeof(info) };
	plait_device *device;
	plait_status status;

	status = plait_context_open(NULL, &work->context, error);
	if (status == PLAIT_OK)
		status = plait_context_device(work->context, 0, &device,
					      error);
	if (status == PLAIT_OK)
		status = plait_device_query(device, &info, error);
	if (status == PLAIT_OK)
		status = set_up(work, device, error);
	if (status == PLAIT_OK)
		status = submit(work, sum, error);
	if (status == PLAIT_OK)
		status = plait_queue_finish(work->add, PLAIT_FOREVER, error);
	if (status == PLAIT_OK)
		printf("%s (%s): filled, copied and added %d numbers: "
		       "%" PRIu64 "\n",
		       info.name, info.description, COUNT, sum->total);
	return status;
}

int main(void)
{
	struct work work = { 0 };
	struct sum sum = { .total = 0 };
	plait_error error = { .size = sizeof(error) };
	plait_status status = run(&work, &sum, &error);

	tear_down(&work);
	if (status != PLAIT_OK) {
		fprintf(stderr, "first: %s: %s\n", plait_status_name(status),
			error.text);
		return 1;
	}
	return sum.total == 42 * COUNT ? 0 : 1;
}
