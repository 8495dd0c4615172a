/* SPDX-License-Identifier: MIT */
/*
 * A first program: two queues, one signal, two buffers.
 *
 * One queue fills a buffer; the other one waits for the fill, copies the buffer
 * and adds the numbers in a host function.  PLAIT_BACKEND selects the backend;
 * the program does not change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plait/plait.h"

enum { COUNT = 1000, BYTES = COUNT * 4 };

struct sum {
	uint32_t numbers[COUNT];
	uint64_t total;
};

static plait_error error = { .size = sizeof(error) };

/* Exit with the text of `error` if a call has failed. */
static void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "first: %s: %s\n", plait_status_name(status), error.text);
	exit(1);
}

/* Runs on a worker thread, behind the copy and the read. */
static int32_t add_up(void *user_data)
{
	struct sum *sum = user_data;

	for (int i = 0; i < COUNT; i++)
		sum->total += sum->numbers[i];
	return 0;
}

/* The calls do not wait: both queues receive all their work at once. */
static void submit(plait_device *device, plait_queue *fill, plait_queue *add, struct sum *sum)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES };
	plait_buffer *from, *to;
	plait_signal *filled;

	must(plait_signal_create(device, NULL, &filled, &error));
	must(plait_buffer_create(device, &desc, &from, &error));
	must(plait_buffer_create(device, &desc, &to, &error));
	must(plait_queue_fill(fill, from, 0, BYTES, 42, 4, &error));
	must(plait_queue_emit(fill, filled, NULL, &error));

	const plait_command commands[] = {
		{ .size = sizeof(commands[0]), .kind = PLAIT_COMMAND_WAIT, .signal = filled },
		{ .kind = PLAIT_COMMAND_COPY, .source = from, .target = to, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_READ, .source = to, .host = sum->numbers, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_CALL, .function = add_up, .user_data = sum,
		  .flags = PLAIT_CALL_ANY_THREAD, .label = "add up" },
	};
	must(plait_queue_submit(add, commands, 4, NULL, &error));

	/* Work in flight holds its objects. */
	plait_buffer_release(to);
	plait_buffer_release(from);
	plait_signal_release(filled);
}

int main(void)
{
	plait_device_info info = { .size = sizeof(info) };
	static struct sum sum;
	plait_context *context;
	plait_device *device;
	plait_queue *fill, *add;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_device_query(device, &info, &error));
	must(plait_queue_create(device, NULL, &fill, &error));
	must(plait_queue_create(device, NULL, &add, &error));
	submit(device, fill, add, &sum);
	must(plait_queue_finish(add, PLAIT_FOREVER, &error));
	printf("%s (%s): filled, copied and added %d numbers: %" PRIu64 "\n", info.name,
	       info.description, COUNT, sum.total);

	plait_queue_release(add);
	plait_queue_release(fill);
	plait_context_release(context);
	return sum.total == 42 * COUNT ? 0 : 1;
}
