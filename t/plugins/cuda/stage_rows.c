/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of rows on the stand-in for CUDA's driver, against loops:
 * columns, slices, more rows than the staging buffer holds, pinned memory, rows that
 * no call takes; copies between devices; the calls of the driver that each needs.
 */
#include <stdlib.h>

#include "segments.h"

static bool open_rows(const char *standin, const char *options)
{
	struct place place = { .backends = "cuda", .wrap = "check" };

	standin_prepare(standin);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, options);
	return open_place(&place);
}

/* Rows of both sides, and the memory of one side. */
struct shape {
	uint64_t bytes, rows, slices;
	uint64_t host_row, host_slice;
	uint64_t device_row, device_slice;
};

static const struct shape column = { 4, 300, 1, 64, 19200, 48, 14400 };
static const struct shape block = { 12, 30, 20, 40, 1600, 24, 720 };
/* 5 MiB and more, of which no chunk is a multiple. */
static const struct shape many = { 50000, 120, 1, 50064, 6007680, 50008,
				   6000960 };
static const struct shape deep = { 50000, 6, 20, 50064, 300384, 50008,
				   300048 };
/* A row is longer than the staging buffer. */
static const struct shape wide = { (4 << 20) + 4, 3, 1, (4 << 20) + 64,
				   3 * ((4 << 20) + 64), (4 << 20) + 8,
				   3 * ((4 << 20) + 8) };

static plait_buffer *new_buffer(plait_device *device, uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_create(device, &desc, &buffer, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return buffer;
}

static void submit(plait_queue *queue, const plait_command *command)
{
	OK_THAT(plait_queue_submit(queue, command, 1, NULL, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

static void finish(plait_queue *queue)
{
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

static plait_rows rows_of(const struct shape *shape, bool reads)
{
	return (plait_rows){
		.size = sizeof(plait_rows), .rows = shape->rows,
		.slices = shape->slices,
		.target_row = reads ? shape->host_row : shape->device_row,
		.target_slice = reads ? shape->host_slice :
					shape->device_slice,
		.source_row = reads ? shape->device_row : shape->host_row,
		.source_slice = reads ? shape->device_slice :
					shape->host_slice,
	};
}

/* The memory of both sides, and what they should have. */
struct sides {
	const struct shape *shape;
	plait_buffer *buffer;
	uint64_t host_bytes, device_bytes;
	unsigned char *host, *device, *got;
};

static void begin(struct sides *sides, const struct shape *shape, char *host)
{
	*sides = (struct sides){
		.shape = shape, .host_bytes = shape->host_slice * shape->slices,
		.device_bytes = shape->device_slice * shape->slices };
	sides->buffer = new_buffer(rig.device, sides->device_bytes);
	sides->host = host != NULL ? (unsigned char *)host :
				     malloc(sides->host_bytes);
	sides->device = malloc(sides->device_bytes);
	sides->got = malloc(sides->device_bytes);
	for (uint64_t i = 0; i < sides->host_bytes; i++)
		sides->host[i] = (unsigned char)(i * 7 + i / 251);
	for (uint64_t i = 0; i < sides->device_bytes; i++)
		sides->device[i] = (unsigned char)(i * 11 + i / 241);
	OK(plait_queue_write(rig.queue, sides->buffer, 0, sides->device,
			     sides->device_bytes, &rig.error) == PLAIT_OK);
	finish(rig.queue);
}

static void end(struct sides *sides, bool frees)
{
	plait_buffer_release(sides->buffer);
	if (frees)
		free(sides->host);
	free(sides->device);
	free(sides->got);
}

/* Do by loops what the command does. */
static void copy_rows(const struct shape *shape, unsigned char *host,
		      unsigned char *device, bool reads)
{
	for (uint64_t s = 0; s < shape->slices; s++)
		for (uint64_t r = 0; r < shape->rows; r++) {
			unsigned char *at = host + s * shape->host_slice +
					    r * shape->host_row;
			unsigned char *far = device +
					     s * shape->device_slice +
					     r * shape->device_row;

			memcpy(reads ? at : far, reads ? far : at,
			       shape->bytes);
		}
}

static void write_rows(struct sides *sides)
{
	const plait_rows rows = rows_of(sides->shape, false);

	submit(rig.queue, &(plait_command){ .size = sizeof(plait_command),
					    .kind = PLAIT_COMMAND_WRITE,
					    .target = sides->buffer,
					    .host = sides->host,
					    .bytes = sides->shape->bytes,
					    .rows = &rows });
	finish(rig.queue);
	copy_rows(sides->shape, sides->host, sides->device, false);
}

/* Bytes between the rows stay. */
static void compare_device(struct sides *sides)
{
	OK(plait_queue_read(rig.queue, sides->buffer, 0, sides->got,
			    sides->device_bytes, &rig.error) == PLAIT_OK);
	finish(rig.queue);
	OK(memcmp(sides->got, sides->device, sides->device_bytes) == 0);
}

/* Read other values into the host's rows. */
static void read_rows(struct sides *sides)
{
	const plait_rows rows = rows_of(sides->shape, true);
	unsigned char *wanted = malloc(sides->host_bytes);

	memcpy(wanted, sides->host, sides->host_bytes);
	for (uint64_t i = 0; i < sides->device_bytes; i++)
		sides->device[i] = (unsigned char)(i * 13 + i / 239 + 1);
	OK(plait_queue_write(rig.queue, sides->buffer, 0, sides->device,
			     sides->device_bytes, &rig.error) == PLAIT_OK);
	finish(rig.queue);
	copy_rows(sides->shape, wanted, sides->device, true);
	submit(rig.queue, &(plait_command){ .size = sizeof(plait_command),
					    .kind = PLAIT_COMMAND_READ,
					    .source = sides->buffer,
					    .host = sides->host,
					    .bytes = sides->shape->bytes,
					    .rows = &rows });
	finish(rig.queue);
	OK(memcmp(sides->host, wanted, sides->host_bytes) == 0);
	free(wanted);
}

/* Calls of the driver for a write of rows or a read of them. */
struct calls {
	uint64_t boxes, functions;
};

static struct calls count(void)
{
	return (struct calls){ rig_calls("cuMemcpy3DAsync"),
			       rig_calls("cuLaunchHostFunc") };
}

static void needs(struct calls before, uint64_t boxes, uint64_t functions)
{
	const struct calls now = count();

	IS_UINT(now.boxes - before.boxes, boxes);
	IS_UINT(now.functions - before.functions, functions);
}

/* `functions` of a write of host memory that is pageable; a read has as many as
 * boxes. */
static void check_shape(const struct shape *shape, uint64_t boxes,
			uint64_t functions)
{
	struct sides sides;
	struct calls before;

	begin(&sides, shape, NULL);
	before = count();
	write_rows(&sides);
	needs(before, boxes, functions);
	compare_device(&sides);
	read_rows(&sides);
	end(&sides, true);
}

/* One call of the driver for as many rows as the staging buffer holds; a small
 * write is copied there when it is enqueued. */
static void pageable(void)
{
	if (!open_rows("", ""))
		return;
	check_shape(&column, 1, 0);
	check_shape(&block, 1, 0);
	check_shape(&many, 2, 2);
	check_shape(&deep, 2, 2);
	check_shape(&wide, 0, 6);
	close_place();
}

/* Reads need a call and a host function for each chunk. */
static void reads(void)
{
	static const struct shape *const shapes[] = { &column, &block, &many,
						      &deep };
	static const uint64_t chunks[] = { 1, 1, 2, 2 };

	if (!open_rows("", ""))
		return;
	for (int i = 0; i < 4; i++) {
		const plait_rows rows = rows_of(shapes[i], true);
		struct calls before;
		struct sides sides;

		begin(&sides, shapes[i], NULL);
		before = count();
		submit(rig.queue,
		       &(plait_command){ .size = sizeof(plait_command),
					 .kind = PLAIT_COMMAND_READ,
					 .source = sides.buffer,
					 .host = sides.host,
					 .bytes = shapes[i]->bytes,
					 .rows = &rows });
		finish(rig.queue);
		needs(before, chunks[i], chunks[i]);
		end(&sides, true);
	}
	close_place();
}

/* The driver reaches pinned memory itself. */
static void pinned(void)
{
	const uint64_t bytes = block.host_slice * block.slices;
	plait_wrap_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *wrapped = NULL;
	struct calls before;
	struct sides sides;

	if (!open_rows("", ""))
		return;
	desc.pointer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	OK_THAT(plait_buffer_wrap(rig.device, &desc, &wrapped, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	begin(&sides, &block, desc.pointer);
	before = count();
	write_rows(&sides);
	needs(before, 1, 0);
	compare_device(&sides);
	before = count();
	read_rows(&sides);
	IS_UINT(count().boxes - before.boxes, 1);
	end(&sides, false);
	plait_buffer_release(wrapped);
	close_place();
	free(desc.pointer);
}

/* The device's limit of distances: rows of the host may lie farther apart. */
static void limited(void)
{
	struct shape far = column;

	if (!open_rows("pitch=50", ""))
		return;
	check_shape(&column, 1, 0);
	far.device_row = 64;
	far.device_slice = 19200;
	check_shape(&far, 0, far.rows - 256);
	close_place();
}

/* ---- devices ---- */

/* The queue of the first device copies from it, and to it. */
static void copy_far(struct sides *sides, plait_buffer *near, bool returns)
{
	const plait_rows rows = rows_of(sides->shape, returns);
	const uint64_t calls = rig_calls("cuMemcpy3DPeerAsync");

	submit(rig.queue,
	       &(plait_command){ .size = sizeof(plait_command),
				 .kind = PLAIT_COMMAND_COPY,
				 .target = returns ? near : sides->buffer,
				 .source = returns ? sides->buffer : near,
				 .bytes = sides->shape->bytes, .rows = &rows });
	finish(rig.queue);
	IS_UINT(rig_calls("cuMemcpy3DPeerAsync") - calls, 1);
	copy_rows(sides->shape, sides->host, sides->device, returns);
}

static void check_devices(const char *standin, const struct shape *shape)
{
	plait_device *far = NULL;
	plait_buffer *near;
	struct sides sides;
	unsigned char *got;

	if (!open_rows(standin, ""))
		return;
	begin(&sides, shape, NULL);
	near = new_buffer(rig.device, sides.host_bytes);
	got = malloc(sides.host_bytes);
	OK(plait_queue_write(rig.queue, near, 0, sides.host, sides.host_bytes,
			     &rig.error) == PLAIT_OK);
	OK(plait_context_device(rig.context, 1, &far, &rig.error) == PLAIT_OK);
	plait_buffer_release(sides.buffer);
	sides.buffer = new_buffer(far, sides.device_bytes);
	OK(plait_queue_write(rig.queue, sides.buffer, 0, sides.device,
			     sides.device_bytes, &rig.error) == PLAIT_OK);
	finish(rig.queue);
	copy_far(&sides, near, false);
	compare_device(&sides);
	memset(sides.host, 5, sides.host_bytes);
	OK(plait_queue_write(rig.queue, near, 0, sides.host, sides.host_bytes,
			     &rig.error) == PLAIT_OK);
	copy_far(&sides, near, true);
	OK(plait_queue_read(rig.queue, near, 0, got, sides.host_bytes,
			    &rig.error) == PLAIT_OK);
	finish(rig.queue);
	OK(memcmp(got, sides.host, sides.host_bytes) == 0);
	plait_buffer_release(near);
	free(got);
	end(&sides, true);
	close_place();
}

static void devices(void)
{
	check_devices("devices=2", &column);
	check_devices("devices=2", &block);
	check_devices("devices=2,peers=none", &deep);
}

static const struct tap_scenario all[] = {
	{ "pageable memory", pageable },
	{ "reads of pageable memory", reads },
	{ "pinned memory", pinned },
	{ "limits of distances", limited },
	{ "copies between devices", devices },
};
TAP_MAIN(all)
