/* SPDX-License-Identifier: MIT */
/*
 * A program that uses each feature of a backend with a driver, on a stand-in:
 * two devices, three kinds of memory, every kind of command.  The includer may
 * define THINGS_BACKEND and THINGS_OPTIONS, with one %s for the stand-in's
 * path.
 */
#ifndef T_CL_THINGS_H
#define T_CL_THINGS_H

#include "lib/queued.h"

#ifndef THINGS_BACKEND
#include "standin/opencl/standin.h"
#define THINGS_BACKEND "opencl"
#define THINGS_OPTIONS "opencl:split=2,loader=%s"
#endif

enum { COUNT = 128, BYTES = COUNT * 4 };

/* Options appended to THINGS_OPTIONS. */
static const char *things_more = "";

struct things {
	plait_context *context;
	plait_device *devices[2];
	plait_buffer *x, *y, *wrapped;
	plait_queue *a, *b;
	plait_signal *signal;
	plait_kernel *map;
	uint32_t host[COUNT];
	int calls;
	unsigned char rows[64]; /* host memory */
};

static inline plait_status open_things(struct things *things, plait_error *error)
{
	static char options[4200];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = THINGS_BACKEND,
		.wrap = "check",
		.options = options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.log = hear, .log_level = PLAIT_LOG_ERROR,
		.allocator = &counting,
	};

	(void)snprintf(options, sizeof(options),
		       THINGS_OPTIONS "%s", standin_path, things_more);
	return plait_context_open(&desc, &things->context, error);
}

static inline plait_status create(struct things *things, plait_error *error)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = BYTES };
	const plait_wrap_desc wrapped = { .size = sizeof(wrapped),
					  .bytes = BYTES,
					  .pointer = things->host };
	const plait_source source = { .size = sizeof(source),
				      .code = MAP_TEXT };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .sources = &source, .source_count = 1,
		.signature = "map(from: in pointer u32, to: inout pointer "
			     "u32, a: u32, b: u32)",
	};
	plait_device **devices = things->devices;
	plait_status status;

	if ((status = plait_context_device(things->context, 0, &devices[0],
					   error)) ||
	    (status = plait_context_device(things->context, 1, &devices[1],
					   error)) ||
	    (status = plait_buffer_create(devices[0], &bytes, &things->x,
					  error)) ||
	    (status = plait_buffer_create(devices[1], &bytes, &things->y,
					  error)) ||
	    (status = plait_buffer_wrap(devices[0], &wrapped,
					&things->wrapped, error)) ||
	    (status = plait_queue_create(devices[0], NULL, &things->a,
					 error)) ||
	    (status = plait_queue_create(devices[1], NULL, &things->b,
					 error)) ||
	    (status = plait_signal_create(devices[0], NULL, &things->signal,
					  error)))
		return status;
	return plait_kernel_create(things->context, &kernel, &things->map,
				   error);
}

static inline void release(struct things *things)
{
	plait_kernel_release(things->map);
	plait_signal_release(things->signal);
	plait_queue_release(things->b);
	plait_queue_release(things->a);
	plait_buffer_release(things->wrapped);
	plait_buffer_release(things->y);
	plait_buffer_release(things->x);
	*things = (struct things){ .context = things->context };
}

/* x = words of 7; WORDS of its second quarter times 2, plus 1; then a fill at
 * an unaligned offset, which the driver does not take as one command. */
static inline plait_status submit_first(struct things *things, plait_error *error)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	static const uint32_t two = 2, one = 1;
	plait_argument arguments[4] = {
		buffer_argument(things->x), buffer_argument(things->x),
		value_argument(&two), value_argument(&one),
	};
	plait_status status;

	arguments[0].offset_bytes = arguments[1].offset_bytes = BYTES / 4;
	if ((status = plait_queue_fill(things->a, things->x, 0, BYTES, 7, 4,
				       error)) ||
	    (status = plait_queue_launch(things->a, things->map, &launch,
					 arguments, 4, error)) ||
	    (status = plait_queue_fill(things->a, things->x, BYTES / 2 + 2, 4,
				       0x01020304, 4, error)))
		return status;
	return plait_queue_emit(things->a, things->signal, NULL, error);
}

/* Copy x to y in two columns; copy rows within one memory, from the host and to
 * it.  Later commands overwrite these bytes. */
static inline plait_status submit_rows(struct things *things,
				       plait_error *error)
{
	static const plait_rows columns = { .size = sizeof(columns),
					    .rows = BYTES / 32,
					    .target_row = 32,
					    .source_row = 32 };
	static const plait_rows gaps = { .size = sizeof(gaps), .rows = 2,
					 .slices = 2, .target_row = 16,
					 .source_row = 12 };
	const plait_command commands[] = {
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_WRITE,
		  .bytes = 4, .target = things->wrapped, .target_offset = 4,
		  .host = things->rows, .rows = &gaps },
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_READ,
		  .bytes = 4, .source = things->wrapped, .source_offset = 4,
		  .host = things->rows, .rows = &gaps },
	};
	plait_status status;

	if ((status = plait_queue_copy_rows(things->b, things->y, 0,
					    things->x, 0, 16, &columns,
					    error)) ||
	    (status = plait_queue_copy_rows(things->b, things->y, 16,
					    things->x, 16, 16, &columns,
					    error)) ||
	    (status = plait_queue_copy_rows(things->b, things->wrapped, 16,
					    things->wrapped, 0, 16, &columns,
					    error)))
		return status;
	return plait_queue_submit(things->b, commands, 2, NULL, error);
}

static inline plait_status submit_second(struct things *things, uint32_t *out,
				  plait_error *error)
{
	plait_status status;

	if ((status = plait_queue_wait(things->b, things->signal, 0, error)) ||
	    (status = submit_rows(things, error)) ||
	    (status = plait_queue_call(things->b, add_one, &things->calls,
				       error)) ||
	    (status = plait_queue_copy(things->b, things->wrapped, 4,
				       things->y, 4, BYTES - 4, error)) ||
	    (status = plait_queue_write(things->b, things->wrapped, 0, out, 4,
					error)))
		return status;
	return plait_queue_read(things->b, things->wrapped, 0, out, BYTES,
				error);
}

static inline bool are_right(const uint32_t *words)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t want = i == 0 ? 99 : 7;

		if (i >= COUNT / 4 && i < COUNT / 4 + WORDS)
			want = 15;
		if (i == COUNT / 2)
			want = 0x03040007;
		if (i == COUNT / 2 + 1)
			want = 0x00000102;
		if (words[i] != want)
			return OK_THAT(false, "word %u: %#x, not %#x", i,
				       words[i], want);
	}
	return true;
}

static inline plait_status look_into(struct things *things, plait_error *error)
{
	void *pointer;
	plait_status status = plait_buffer_map(things->y, 0, BYTES,
					       PLAIT_MAP_READ, &pointer,
					       error);

	if (status != PLAIT_OK)
		return status;
	IS_UINT(((uint32_t *)pointer)[COUNT / 4], 15);
	status = plait_buffer_unmap(things->y, pointer, error);
	/* The failed call changed nothing: a second one works. */
	if (status != PLAIT_OK)
		(void)plait_buffer_unmap(things->y, pointer, NULL);
	return status;
}

/* Use all; returns the first failure. */
static inline plait_status use(struct things *things, plait_error *error)
{
	uint32_t out[COUNT] = { 99 };
	plait_status status = submit_first(things, error), said;
	plait_error more = { .size = sizeof(more) };

	if (status == PLAIT_OK)
		status = submit_second(things, out, error);
	said = plait_queue_finish(things->a, PLAIT_FOREVER, &more);
	if (status == PLAIT_OK && said != PLAIT_OK)
		*error = more;
	if (status == PLAIT_OK)
		status = said;
	said = plait_queue_finish(things->b, PLAIT_FOREVER, &more);
	if (status == PLAIT_OK && said != PLAIT_OK)
		*error = more;
	if (status == PLAIT_OK)
		status = said;
	if (status != PLAIT_OK)
		return status;
	(void)are_right(out);
	return look_into(things, error);
}

/* Use all again in the same context, after a failure. */
static inline plait_status use_again(struct things *things, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (things->map == NULL) {
		release(things);
		status = create(things, error);
	}
	if (status == PLAIT_OK)
		status = plait_signal_reset(things->signal, error);
	return status == PLAIT_OK ? use(things, error) : status;
}

#endif
