/* SPDX-License-Identifier: MIT */
/*
 * Group B, continued: strided copies, reads and writes, compared with a byte-wise
 * model.  A backend without row support gets the rows one by one.
 */
#include "conform.h"

#include <string.h>

enum { BYTES = 6007, TURNS = 48 };

/* A buffer and its expected contents. */
struct field {
	plait_buffer *buffer;
	unsigned char want[BYTES];
};

/* Choose a random step; the rest of `room` after the steps is random too. */
static uint64_t step(struct conform *c, uint64_t least, uint64_t multiple)
{
	return least + multiple * conform_below(c, 3);
}

/* Return the extent from the first byte to the last. */
static uint64_t length(const plait_rows *rows, uint64_t bytes, uint64_t row,
		       uint64_t slice)
{
	return (rows->slices - 1) * slice + (rows->rows - 1) * row + bytes;
}

/* Choose random rows and slices that fit into both sides. */
static uint64_t shape(struct conform *c, plait_rows *rows)
{
	uint64_t bytes = 1 + conform_below(c, 24);

	*rows = (plait_rows){ .size = sizeof(*rows),
			      .rows = 1 + conform_below(c, 7),
			      .slices = 1 + conform_below(c, 5) };
	rows->target_row = step(c, bytes, 1 + conform_below(c, 5));
	rows->source_row = step(c, bytes, 1 + conform_below(c, 5));
	rows->target_slice = step(c, rows->rows * rows->target_row,
				  rows->target_row);
	rows->source_slice = step(c, rows->rows * rows->source_row,
				  rows->source_row);
	return bytes;
}

static uint64_t place(struct conform *c, uint64_t length)
{
	return conform_below(c, BYTES - length + 1);
}

static void move(unsigned char *target, const unsigned char *source,
		 const plait_rows *rows, uint64_t bytes)
{
	for (uint64_t i = 0; i < rows->slices; i++)
		for (uint64_t k = 0; k < rows->rows; k++)
			memcpy(target + i * rows->target_slice +
				       k * rows->target_row,
			       source + i * rows->source_slice +
				       k * rows->source_row, bytes);
}

static void fits(struct conform *c, plait_queue *queue,
		 const struct field *field)
{
	static unsigned char got[BYTES];
	size_t at = 0;

	memset(got, 0xee, sizeof(got));
	NEED(plait_queue_read(queue, field->buffer, 0, got, BYTES, ERR));
	while (at < BYTES && got[at] == field->want[at])
		at++;
	HOLDS_THAT(at == BYTES, "all bytes are right: byte %zu is not", at);
}

static void begin(struct conform *c, plait_queue *queue, struct field *field)
{
	field->buffer = conform_buffer(c, BYTES);
	conform_random_bytes(c, field->want, BYTES);
	NEED(plait_queue_write(queue, field->buffer, 0, field->want, BYTES,
			       ERR));
}

static struct field one, two;

static void copy_some(struct conform *c, plait_queue *queue)
{
	plait_rows rows;
	uint64_t bytes = shape(c, &rows);
	uint64_t to = place(c, length(&rows, bytes, rows.target_row,
				      rows.target_slice));
	uint64_t from = place(c, length(&rows, bytes, rows.source_row,
					rows.source_slice));

	NEED(plait_queue_copy_rows(queue, one.buffer, to, two.buffer, from,
				   bytes, &rows, ERR));
	move(one.want + to, two.want + from, &rows, bytes);
	fits(c, queue, &one);
}

/* Move by commands; the host side has its own pitches. */
static void move_some(struct conform *c, plait_queue *queue, bool reads)
{
	static unsigned char host[BYTES], want[BYTES];
	plait_rows rows;
	uint64_t bytes = shape(c, &rows);
	uint64_t to = place(c, length(&rows, bytes, rows.target_row,
				      rows.target_slice));
	uint64_t from = place(c, length(&rows, bytes, rows.source_row,
					rows.source_slice));
	plait_command command = { .size = sizeof(command), .bytes = bytes,
				  .rows = &rows };

	conform_random_bytes(c, host, BYTES);
	memcpy(want, host, BYTES);
	if (reads) {
		command.kind = PLAIT_COMMAND_READ;
		command.source = one.buffer;
		command.source_offset = from;
		command.host = host + to;
		move(want + to, one.want + from, &rows, bytes);
	} else {
		command.kind = PLAIT_COMMAND_WRITE;
		command.target = one.buffer;
		command.target_offset = to;
		command.host = host + from;
		move(one.want + to, host + from, &rows, bytes);
	}
	NEED(plait_queue_submit(queue, &command, 1, NULL, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS_THAT(memcmp(host, want, BYTES) == 0,
		   "memory of the host is as it has to be");
	fits(c, queue, &one);
}

/* Copy the left half of an image to the right half, and interleaved rows. */
static void within_one(struct conform *c, plait_queue *queue)
{
	const plait_rows halves = { .size = sizeof(halves), .rows = 8,
				    .slices = 1,
				    .target_row = 40, .source_row = 40 };
	const plait_rows apart = { .size = sizeof(apart), .rows = 4,
				   .slices = 1,
				   .target_row = 16, .source_row = 32 };
	plait_buffer *buffer = one.buffer;

	NEED(plait_queue_copy_rows(queue, buffer, 20, buffer, 0, 20, &halves,
				   ERR));
	move(one.want + 20, one.want, &halves, 20);
	GIVES(plait_queue_copy_rows(queue, buffer, 19, buffer, 0, 20, &halves,
				    ERR), PLAIT_E_INVALID);
	NEED(plait_queue_copy_rows(queue, buffer, 1000, buffer, 0, 16, &apart,
				   ERR));
	move(one.want + 1000, one.want, &apart, 16);
	GIVES(plait_queue_copy_rows(queue, buffer, 16, buffer, 0, 16, &apart,
				    ERR), PLAIT_E_INVALID);
	fits(c, queue, &one);
}

static void in_rows(struct conform *c)
{
	plait_queue *queue = conform_queue(c);

	begin(c, queue, &one);
	begin(c, queue, &two);
	for (int i = 0; i < TURNS; i++) {
		copy_some(c, queue);
		move_some(c, queue, i % 2 == 0);
	}
	fits(c, queue, &two);
	within_one(c, queue);
}

static const struct conform_check checks[] = {
	{ "B13", "copies, reads and writes of rows and slices", 0, in_rows },
};

CONFORM_GROUP(conform_rows, "buffers, in rows");
