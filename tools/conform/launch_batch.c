/* SPDX-License-Identifier: MIT */
/* Group K: several launches in one submission. */
#include "conform.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(int32_t), LAUNCHES = 3 };

static const char signature[] =
	"axpy(a: i32, x: in pointer i32, y: inout pointer i32, n: u64)";
static const char text[] = "KERNEL(axpy)\n{\n"
	"\tEACH(i, n)\n\t\ty[i] = a * x[i] + y[i];\n}\n";

static const int32_t factors[LAUNCHES] = { 3, 1, -1 };
static const uint64_t count = COUNT;
static const plait_launch items = { .size = sizeof(items),
				    .items = { COUNT } };

static plait_buffer *filled(struct conform *c, plait_queue *queue,
			    uint64_t value)
{
	plait_buffer *buffer = conform_buffer(c, BYTES);

	NEED(plait_queue_fill(queue, buffer, 0, BYTES, value, 4, ERR));
	return buffer;
}

struct batch {
	plait_argument arguments[LAUNCHES][4];
	plait_command commands[LAUNCHES + 3];
};

/* Launch number i: y = factor x + y. */
static plait_command axpy(struct batch *batch, int i, plait_kernel *kernel,
			  plait_buffer *x, plait_buffer *y)
{
	plait_argument *arguments = batch->arguments[i];

	arguments[0] = conform_value(&factors[i], sizeof(factors[i]));
	arguments[1] = conform_memory(x, 0);
	arguments[2] = conform_memory(y, 0);
	arguments[3] = conform_value(&count, sizeof(count));
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_LAUNCH,
				.kernel = kernel, .launch = &items,
				.arguments = arguments, .argument_count = 4 };
}

static plait_command fill(plait_buffer *target, uint64_t pattern)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_FILL, .target = target,
				.bytes = BYTES, .pattern = pattern,
				.pattern_bytes = 4 };
}

/* y = 2; y = 3 x + y; y = y + y; z = y; z = z - x; y is overwritten.  With
 * x = 7, z is 2 (21 + 2) - 7. */
static void runs_in_order(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, signature, text, NULL);
	plait_buffer *x = filled(c, queue, 7), *y = filled(c, queue, 9);
	plait_buffer *z = filled(c, queue, 9);
	struct batch batch;
	int32_t got[COUNT];
	int at = 0;

	batch.commands[0] = fill(y, 2);
	batch.commands[1] = axpy(&batch, 0, kernel, x, y);
	batch.commands[2] = axpy(&batch, 1, kernel, y, y);
	batch.commands[3] = (plait_command){
		.size = sizeof(plait_command), .kind = PLAIT_COMMAND_COPY,
		.target = z, .source = y, .bytes = BYTES };
	batch.commands[4] = axpy(&batch, 2, kernel, x, z);
	batch.commands[5] = fill(y, 5);
	NEED(plait_queue_submit(queue, batch.commands, LAUNCHES + 3, NULL,
				ERR));
	NEED(plait_queue_read(queue, z, 0, got, BYTES, ERR));
	while (at < COUNT - 1 && got[at] == 39)
		at++;
	HOLDS_THAT(got[at] == 39, "element %d is %d, not 39", at, got[at]);
}

static const struct conform_check checks[] = {
	{ "K21", "launches of one submission run in order", NEED_KERNELS,
	  runs_in_order },
};

CONFORM_GROUP(conform_launch_batch, "kernels, and several launches at once");
