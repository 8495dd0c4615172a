/* SPDX-License-Identifier: MIT */
/*
 * Group K: kernels.  Their code is portable source, which the library translates
 * to the language of each device, so that one suite fits all backends.
 */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

/* ---- building and launching ---- */

static const char axpy_signature[] =
	"axpy(a: i32, x: in pointer i32, y: inout pointer i32, n: u64)";
static const char axpy_text[] = "KERNEL(axpy)\n"
	"{\n"
	"\tEACH(i, n)\n"
	"\t\ty[i] = a * x[i] + y[i];\n"
	"}\n";

static plait_launch items_of(uint64_t x, uint64_t y, uint64_t z)
{
	return (plait_launch){ .size = sizeof(plait_launch),
			       .dimensions = z > 1 ? 3 : y > 1 ? 2 : 1,
			       .items = { x, y, z } };
}

static void launch_axpy(struct conform *c, plait_queue *queue,
			plait_kernel *kernel, int32_t a, plait_buffer *x,
			plait_buffer *y, uint64_t count)
{
	plait_launch launch = items_of(count, 1, 1);
	plait_argument arguments[] = { conform_value(&a, sizeof(a)),
				       conform_memory(x, 0), conform_memory(y, 0),
				       conform_value(&count, sizeof(count)) };

	NEED(plait_queue_launch(queue, kernel, &launch, arguments, 4, ERR));
	/* The call copied the argument: the caller may change it. */
	a = -1;
	count = 0;
	memset(arguments, 0, sizeof(arguments));
}

/* x[i] = i, y[i] = 0 */
static plait_buffer *ramp(struct conform *c, plait_queue *queue, int32_t step)
{
	plait_buffer *buffer = conform_buffer(c, COUNT * sizeof(int32_t));
	int32_t values[COUNT];

	for (int32_t i = 0; i < COUNT; i++)
		values[i] = i * step;
	NEED(plait_queue_write(queue, buffer, 0, values, sizeof(values), ERR));
	return buffer;
}

static void read_all(struct conform *c, plait_queue *queue,
		     plait_buffer *buffer, int32_t out[COUNT])
{
	NEED(plait_queue_read(queue, buffer, 0, out, COUNT * sizeof(*out),
			      ERR));
}

/* Element i is i * step. */
static void is_ramp(struct conform *c, plait_queue *queue,
		    plait_buffer *buffer, int32_t step, const char *what)
{
	int32_t got[COUNT];
	int32_t at = 0;

	read_all(c, queue, buffer, got);
	while (at < COUNT && got[at] == at * step)
		at++;
	HOLDS_THAT(at == COUNT, "%s: element %d is %d, not %d", what, at,
		   at < COUNT ? got[at] : 0, at * step);
}

/* ---- K1, K2 ---- */

static void computes(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = ramp(c, queue, 2);

	launch_axpy(c, queue, kernel, 5, x, y, COUNT);
	is_ramp(c, queue, y, 7, "y = 5 x + y");
	is_ramp(c, queue, x, 1, "x is only read");
}

static void tells_what_is_wrong(struct conform *c)
{
	static const char text[] = "KERNEL(bad)\n{\n"
		"\tEACH(i, n)\n\t\ty[i] = nobody_knows_me;\n}\n";
	static char log[1 << 16];
	const char *at;
	plait_kernel *kernel = NULL;
	plait_status status = conform_kernel_create(
		c, "bad(y: out pointer i32, n: u64)", text, NULL, &kernel);

	HOLDS_THAT(status == PLAIT_E_INVALID, "it is PLAIT_E_INVALID: %d, %s",
		   status, c->error.text);
	HOLDS(kernel == NULL);
	HOLDS_THAT(strstr(c->error.text, "bad") != NULL,
		   "the text names the kernel: %s", c->error.text);
	if (!HOLDS_THAT(c->error.detail != 0, "there is a log"))
		return;
	HOLDS(plait_error_detail(c->error.detail, log, sizeof(log), NULL) ==
	      PLAIT_OK);
	at = strstr(log, "conform.plk:4");
	if (at == NULL)
		at = strstr(log, "conform.plk(4)");
	HOLDS_THAT(at != NULL, "the compiler counts the user's lines: %s",
		   log);
	HOLDS_THAT(strstr(log, "nobody_knows_me") != NULL,
		   "the log says what is not known");
	HOLDS_THAT(strstr(log, "    4 | ") != NULL,
		   "and has the text with line numbers");
}

/* ---- K3, K4: geometry ---- */

/* Each item writes its position; the group is 4 x 2 x 2, or as in `defines`. */
static const char ids_signature[] =
	"ids(y: inout pointer u32, width: u32, height: u32)";
static const char ids_text[] = "GROUP_KERNEL(ids, X, Y, Z)\n"
	"{\n"
	"\tITEMS {\n"
	"\t\tu64 x = GROUP_ID(0) * X + LOCAL_ID(0);\n"
	"\t\tu64 y0 = GROUP_ID(1) * Y + LOCAL_ID(1);\n"
	"\t\tu64 z = GROUP_ID(2) * Z + LOCAL_ID(2);\n"
	"\t\tu64 at = (z * height + y0) * width + x;\n\n"
	"\t\tif (x == GLOBAL_ID(0) && y0 == GLOBAL_ID(1) &&\n"
	"\t\t    z == GLOBAL_ID(2) && x < width && y0 < height)\n"
	"\t\t\tATOMIC_ADD(&y[at], (u32)(1 + x + 100 * y0 + 10000 * z));\n"
	"\t}\n"
	"}\n";

static void check_ids(struct conform *c, const char *defines,
		      const uint32_t items[3], const uint32_t whole[3])
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, ids_signature, ids_text, defines);
	uint32_t count = whole[0] * whole[1] * whole[2], at = 0;
	uint64_t bytes = count * sizeof(uint32_t);
	plait_buffer *y = conform_buffer(c, bytes);
	plait_launch launch = items_of(items[0], items[1], items[2]);
	plait_argument arguments[] = { conform_memory(y, 0), conform_value(&whole[0], 4),
				       conform_value(&whole[1], 4) };
	uint32_t *got = calloc(1, bytes);

	if (!HOLDS(got != NULL))
		return;
	launch.dimensions = whole[2] > 1 ? 3 : 1;
	NEED(plait_queue_fill(queue, y, 0, bytes, 0, 4, ERR));
	NEED(plait_queue_launch(queue, kernel, &launch, arguments, 3, ERR));
	NEED(plait_queue_read(queue, y, 0, got, bytes, ERR));
	for (; at < count; at++)
		if (got[at] != 1 + at % whole[0] +
			       100 * (at / whole[0] % whole[1]) +
			       10000 * (at / whole[0] / whole[1]))
			break;
	HOLDS_THAT(at == count, "%s: item %u of %u wrote %u", defines, at,
		   count, at < count ? got[at] : 0);
	free(got);
}

/* `whole`: the items, rounded up to whole groups. */
static void has_geometry(struct conform *c)
{
	check_ids(c, "X=16 Y=1 Z=1", (const uint32_t[]){ 77, 1, 1 },
		  (const uint32_t[]){ 80, 1, 1 });
	check_ids(c, "X=4 Y=2 Z=2", (const uint32_t[]){ 9, 5, 1 },
		  (const uint32_t[]){ 12, 6, 2 });
	check_ids(c, "X=4 Y=2 Z=2", (const uint32_t[]){ 10, 7, 5 },
		  (const uint32_t[]){ 12, 8, 6 });
}

/* EACH covers exactly its elements, for any number of items. */
static void does_each_once(struct conform *c)
{
	static const uint64_t items[][3] = { { 1, 1, 1 }, { 7, 1, 1 },
					     { 2000, 1, 1 }, { 3, 5, 1 },
					     { 2, 3, 4 } };
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = ramp(c, queue, 0);
	uint64_t count = COUNT;
	int32_t one = 1;

	for (size_t i = 0; i < CONFORM_COUNT(items); i++) {
		plait_launch launch = items_of(items[i][0], items[i][1],
					       items[i][2]);
		plait_argument arguments[] = {
			conform_value(&one, 4), conform_memory(x, 0), conform_memory(y, 0),
			conform_value(&count, 8)
		};

		NEED(plait_queue_launch(queue, kernel, &launch, arguments, 4,
					ERR));
		is_ramp(c, queue, y, (int32_t)i + 1, "each element once");
	}
}

/* ---- K5, K6: launches and their order ---- */

/* With gates, all launches are submitted before the first one runs. */
static void keeps_arguments(struct conform *c)
{
	enum { LAUNCHES = 64 };
	bool gated = (c->info.capabilities & PLAIT_DEVICE_GATE) != 0;
	plait_signal *gate = gated ? conform_gate(c) : NULL;
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *ys[4];

	for (int i = 0; i < 4; i++)
		ys[i] = ramp(c, queue, 0);
	if (gated)
		NEED(plait_queue_wait(queue, gate, 1, ERR));
	for (int32_t i = 0; i < LAUNCHES; i++)
		launch_axpy(c, queue, kernel, i, x, ys[i % 4], COUNT);
	if (gated)
		NEED(plait_signal_raise(gate, 1, ERR));
	/* i + (i + 4) + (i + 8) + ... */
	for (int32_t i = 0; i < 4; i++)
		is_ramp(c, queue, ys[i], 16 * i + 480, "its own arguments");
}

static void keeps_order(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = ramp(c, queue, 9);
	plait_buffer *z = ramp(c, queue, 9);
	const uint64_t bytes = COUNT * sizeof(int32_t);

	for (int32_t i = 1; i <= 20; i++) {
		NEED(plait_queue_fill(queue, y, 0, bytes, 0, 4, ERR));
		launch_axpy(c, queue, kernel, i, x, y, COUNT);
		launch_axpy(c, queue, kernel, 1, y, y, COUNT);
		NEED(plait_queue_copy(queue, z, 0, y, 0, bytes, ERR));
		launch_axpy(c, queue, kernel, -1, x, z, COUNT);
		NEED(plait_queue_fill(queue, y, 0, bytes, 0xff, 1, ERR));
		is_ramp(c, queue, z, 2 * i - 1, "fill, launch, copy, launch");
	}
}

/* ---- K7, K8: arguments ---- */

static const char values_text[] = "KERNEL(values)\n"
	"{\n"
	"\tEACH(i, 1) {\n"
	"\t\ty[0] = (u64)(i64)a; y[1] = (u64)(i64)b; y[2] = (u64)(i64)c;\n"
	"\t\ty[3] = (u64)d; y[4] = e; y[5] = f; y[6] = g; y[7] = h;\n"
	"\t\ty[8] = BITS_OF_F32(s); y[9] = t;\n"
	"\t}\n"
	"}\n";

/* Small and large types alternate, so that wrong offsets show. */
static void passes_values(struct conform *c)
{
	const int8_t a = -100;
	const int64_t d = -1234567890123456789;
	const int16_t b = -30000;
	const uint64_t h = UINT64_C(0xfedcba9876543210);
	const int32_t i32 = -2000000000;
	const uint8_t e = 200, t = 1;
	const uint16_t f = 60000;
	const uint32_t g = 4000000000u;
	const float s = -1.5f;
	const uint64_t want[10] = {
		(uint64_t)(int64_t)a, (uint64_t)(int64_t)b,
		(uint64_t)(int64_t)i32, (uint64_t)d, e, f, g, h,
		UINT64_C(0xbfc00000), t
	};
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "values(a: i8, d: i64, b: i16, h: u64, y: out pointer u64, "
		   "c: i32, e: u8, f: u16, g: u32, s: f32, t: bool)",
		values_text, NULL);
	plait_buffer *y = conform_buffer(c, sizeof(want));
	plait_argument arguments[] = {
		conform_value(&a, 1), conform_value(&d, 8), conform_value(&b, 2),
		conform_value(&h, 8), conform_memory(y, 0), conform_value(&i32, 4),
		conform_value(&e, 1), conform_value(&f, 2), conform_value(&g, 4),
		conform_value(&s, 4), conform_value(&t, 1)
	};
	uint64_t got[10] = { 0 };

	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 11, ERR));
	NEED(plait_queue_read(queue, y, 0, got, sizeof(got), ERR));
	for (int i = 0; i < 10; i++)
		HOLDS_THAT(got[i] == want[i], "value %d is 0x%llx, not 0x%llx",
			   i, (unsigned long long)got[i],
			   (unsigned long long)want[i]);
}

/* Memory from 4 bytes on, inside a group kernel. */
static const char turn_text[] = "GROUP_KERNEL(turn, 4, 1, 1)\n"
	"{\n"
	"\tLOCAL_MEMORY u32 all[4];\n\n"
	"\tITEMS\n"
	"\t\tall[LOCAL_ID(0)] = x[LOCAL_ID(0)];\n"
	"\tITEMS\n"
	"\t\ty[LOCAL_ID(0)] = all[3 - LOCAL_ID(0)];\n"
	"}\n";

static void turns_memory(struct conform *c, plait_queue *queue)
{
	const uint32_t first[9] = { 9, 1, 2, 3, 4, 9, 9, 9, 9 };
	const uint32_t want[9] = { 9, 1, 2, 3, 4, 4, 3, 2, 1 };
	const plait_launch items = { .size = sizeof(items), .items = { 4 } };
	plait_kernel *kernel = conform_kernel(
		c, "turn(x: in pointer u32, y: out pointer u32)", turn_text,
		NULL);
	plait_buffer *x = conform_buffer(c, sizeof(first));
	const plait_argument arguments[] = { conform_memory(x, 4),
					     conform_memory(x, 20) };
	uint32_t got[9] = { 0 };

	NEED(plait_queue_write(queue, x, 0, first, sizeof(first), ERR));
	NEED(plait_queue_launch(queue, kernel, &items, arguments, 2, ERR));
	NEED(plait_queue_read(queue, x, 0, got, sizeof(got), ERR));
	HOLDS_THAT(memcmp(got, want, sizeof(want)) == 0,
		   "a group kernel from 20 bytes on: %u %u %u %u", got[5],
		   got[6], got[7], got[8]);
}

/* Kernels from portable source take any offset that is aligned for the element. */
static void finds_memory(struct conform *c)
{
	const uint64_t step = c->info.alignment_bytes < 4 ? 4 :
			      c->info.alignment_bytes;
	const uint64_t bytes = 4 * step + COUNT * sizeof(int32_t);
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = conform_buffer(c, bytes);
	plait_buffer *view;
	int32_t one = 1, got[3] = { 0 };
	uint64_t count = 2;
	plait_argument arguments[] = { conform_value(&one, 4), conform_memory(x, 4),
				       conform_memory(y, step),
				       conform_value(&count, 8) };

	arguments[1].offset_bytes = 0;
	NEED(plait_queue_fill(queue, y, 0, bytes, 7, 4, ERR));
	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR));
	NEED(plait_buffer_view(y, 2 * step, step + 4, &view, ERR));
	conform_hold(c, HOLDS_BUFFER, view);
	arguments[2] = conform_memory(view, step);
	count = 1;
	arguments[1] = conform_memory(x, 0);
	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR));
	NEED(plait_queue_read(queue, y, step - 4, got, sizeof(got), ERR));
	HOLDS_THAT(got[0] == 7 && got[1] == 7 && got[2] == 8,
		   "from an offset on: %d %d %d", got[0], got[1], got[2]);
	arguments[2] = conform_memory(y, 4);
	arguments[1] = conform_memory(x, 4);
	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR));
	NEED(plait_queue_read(queue, y, 0, got, sizeof(got), ERR));
	HOLDS_THAT(got[0] == 7 && got[1] == 8 && got[2] == 7,
		   "from 4 bytes on: %d %d %d", got[0], got[1], got[2]);
	turns_memory(c, queue);
}

/* ---- K9, K10: life and waits ---- */

/* Kernel and memory are released before the launches start. */
static void outlives_handles(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = ramp(c, queue, 0);
	plait_signal *gate = conform_gate(c);

	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	NEED(plait_queue_wait(queue, gate, 1, ERR));
	for (int32_t i = 0; i < 8; i++)
		launch_axpy(c, queue, kernel, 1, x, y, COUNT);
	conform_forget(c, kernel);
	plait_kernel_release(kernel);
	conform_forget(c, x);
	plait_buffer_release(x);
	NEED(plait_signal_raise(gate, 1, ERR));
	is_ramp(c, queue, y, 8, "after the last release");
}

static void waits_for_points(struct conform *c)
{
	plait_queue *one = conform_queue(c), *other = conform_queue(c);
	plait_queue *third = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, one, 1), *y = ramp(c, one, 0);
	plait_signal *gate = conform_gate(c), *signal = conform_signal(c);
	plait_command emit = conform_emit(signal);
	uint64_t sequence;

	NEED(plait_queue_finish(one, PLAIT_FOREVER, ERR));
	NEED(plait_queue_wait(one, gate, 1, ERR));
	launch_axpy(c, one, kernel, 3, x, y, COUNT);
	NEED(plait_queue_submit(one, &emit, 1, &sequence, ERR));
	NEED(plait_queue_wait(other, signal, sequence, ERR));
	/* Doubles the value, if the first launch has run. */
	launch_axpy(c, other, kernel, 1, y, y, COUNT);
	is_ramp(c, third, y, 0, "nothing runs before its point");
	NEED(plait_signal_raise(gate, 1, ERR));
	is_ramp(c, other, y, 6, "a launch behind another queue's");
	NEED(plait_queue_finish(one, PLAIT_FOREVER, ERR));
}

/* ---- K11: threads ---- */

struct worker {
	struct conform *c;
	plait_queue *queue;
	plait_kernel *kernel;
	plait_buffer *x, *y;
	int32_t factor;
	bool failed;
};

static void work(void *argument)
{
	struct worker *worker = argument;
	uint64_t count = COUNT;
	plait_launch launch = items_of(COUNT, 1, 1);
	plait_argument arguments[] = { conform_value(&worker->factor, 4),
				       conform_memory(worker->x, 0),
				       conform_memory(worker->y, 0),
				       conform_value(&count, 8) };

	for (int i = 0; i < 50 && !worker->failed; i++)
		worker->failed = plait_queue_launch(
			worker->queue, worker->kernel, &launch, arguments, 4,
			NULL) != PLAIT_OK;
	worker->failed |= plait_queue_finish(worker->queue, PLAIT_FOREVER,
					     NULL) != PLAIT_OK;
}

static void shares_kernels(struct conform *c)
{
	enum { WORKERS = 4 };
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1);
	struct conform_thread *threads[WORKERS];
	struct worker workers[WORKERS];

	for (int32_t i = 0; i < WORKERS; i++)
		workers[i] = (struct worker){ c, conform_queue(c), kernel, x,
					      ramp(c, queue, 0), i + 1, false };
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	for (int i = 0; i < WORKERS; i++)
		threads[i] = conform_start(c, work, &workers[i]);
	for (int i = 0; i < WORKERS; i++)
		conform_join(threads[i]);
	for (int32_t i = 0; i < WORKERS; i++) {
		HOLDS(!workers[i].failed);
		is_ramp(c, queue, workers[i].y, 50 * (i + 1),
			"one kernel on several threads");
	}
}

/* ---- K15: devices ---- */

static void runs_on_each(struct conform *c)
{
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_device *first = c->device;

	for (int32_t i = 0; i < 2; i++) {
		plait_queue *queue;
		plait_buffer *x, *y;

		c->device = i == 0 ? first : c->second;
		queue = conform_queue(c);
		x = ramp(c, queue, 1);
		y = ramp(c, queue, 0);
		launch_axpy(c, queue, kernel, 3 + i, x, y, COUNT);
		is_ramp(c, queue, y, 3 + i, "on each of two devices");
	}
	c->device = first;
}

/* ---- K16, K17: failure ---- */

static void stops_behind_failure(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1), *y = ramp(c, queue, 0);
	plait_signal *gate = conform_gate(c);

	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	NEED(plait_queue_wait(queue, gate, 1, ERR));
	launch_axpy(c, queue, kernel, 3, x, y, COUNT);
	NEED(plait_signal_fail(gate, 77, "it does not come", ERR));
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	is_ramp(c, queue, y, 0, "behind a failure it did not run");
	launch_axpy(c, queue, kernel, 2, x, y, COUNT);
	is_ramp(c, queue, y, 2, "and afterwards it does");
}

static void refuses_arguments(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, axpy_signature, axpy_text, NULL);
	plait_buffer *x = ramp(c, queue, 1);
	uint64_t count = COUNT;
	int32_t one = 1;
	plait_argument arguments[] = { conform_value(&one, 4), conform_memory(x, 0),
				       conform_memory(x, 0), conform_value(&count, 8) };
	plait_launch launch = items_of(4, 1, 1);

	GIVES(plait_queue_launch(queue, kernel, NULL, arguments, 3, ERR),
	      PLAIT_E_INVALID);
	arguments[0].bytes = 8;
	GIVES(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR),
	      PLAIT_E_INVALID);
	arguments[0] = conform_memory(x, 0);
	GIVES(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR),
	      PLAIT_E_INVALID);
	arguments[0] = conform_value(&one, 4);
	arguments[2].offset_bytes = COUNT * sizeof(int32_t) + 4;
	GIVES(plait_queue_launch(queue, kernel, NULL, arguments, 4, ERR),
	      PLAIT_E_INVALID);
	arguments[2].offset_bytes = 0;
	launch.items[1] = 2;
	GIVES(plait_queue_launch(queue, kernel, &launch, arguments, 4, ERR),
	      PLAIT_E_INVALID);
	is_ramp(c, queue, x, 1, "nothing was launched");
}

static const struct conform_check checks[] = {
	{ "K1", "a kernel computes what its source says", NEED_KERNELS,
	  computes },
	{ "K2", "what is wrong with a source is told with log and line",
	  NEED_KERNELS, tells_what_is_wrong },
	{ "K3", "groups in 1, 2 and 3 dimensions, rounded up", NEED_KERNELS,
	  has_geometry },
	{ "K4", "each element once, however many items", NEED_KERNELS,
	  does_each_once },
	{ "K5", "each launch has its own arguments", NEED_KERNELS,
	  keeps_arguments },
	{ "K6", "launches keep the order of the queue", NEED_KERNELS,
	  keeps_order },
	{ "K7", "values of all types arrive", NEED_KERNELS, passes_values },
	{ "K8", "memory from an offset on", NEED_KERNELS, finds_memory },
	{ "K9", "kernel and memory are given back while launches wait",
	  NEED_KERNELS | NEED_GATE, outlives_handles },
	{ "K10", "a launch waits for all points", NEED_KERNELS | NEED_GATE,
	  waits_for_points },
	{ "K11", "one kernel on several threads and queues", NEED_KERNELS,
	  shares_kernels },
	{ "K15", "one kernel on two devices", NEED_KERNELS | NEED_TWO_DEVICES,
	  runs_on_each },
	{ "K16", "no launch runs behind a failure, and later ones do",
	  NEED_KERNELS | NEED_GATE, stops_behind_failure },
	{ "K17", "wrong arguments do not reach the backend", NEED_KERNELS,
	  refuses_arguments },
};

CONFORM_GROUP(conform_kernels, "kernels");
