/* SPDX-License-Identifier: MIT */
/* Rows of copies, reads and writes: rejected shapes, and overlap. */
#include "lib/objects.h"

enum { BYTES = 4096 };

#define EACH(rig) \
	for (struct rig *rig = settings; rig != settings + SETTINGS; rig++) \
		if (open_rig(rig))

static plait_buffer *create_buffer(struct rig *rig)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(rig->device, &desc, &buffer, &rig->error),
	       PLAIT_OK);
	return buffer;
}

/* ---- rejected shapes ---- */

struct wrong {
	plait_rows rows;
	uint64_t bytes, target;
	const char *text;
};

#define ROWS(...) { .size = sizeof(plait_rows), __VA_ARGS__ }

static const struct wrong wrongs[] = {
	{ ROWS(.rows = 3, .target_row = 7), 8, 0,
	  "rows: the target has rows of 8 bytes, and from one to the next 7" },
	{ ROWS(.rows = 3, .source_row = 7), 8, 0, "the source has rows of 8" },
	{ ROWS(.rows = 2, .slices = 2, .target_slice = 15), 8, 0,
	  "from one slice of the target to the next 15 bytes; that has to be "
	  "a multiple of its row's 8, and at least 16" },
	{ ROWS(.rows = 2, .slices = 2, .source_slice = 20), 8, 0,
	  "from one slice of the source to the next 20" },
	{ ROWS(.rows = UINT64_MAX, .target_row = 16), 8, 0,
	  "the target ends beyond all memory" },
	{ ROWS(.slices = UINT64_MAX, .source_slice = 16), 8, 0,
	  "ends beyond all memory" },
	{ ROWS(.rows = 2, .slices = UINT64_MAX / 16), 8, 0,
	  "range 0+18446744073709551600 is outside" },
	{ ROWS(.rows = 4, .target_row = 1024), 8, 2048 - 7,
	  "target range 2041+3080 is outside" },
	{ ROWS(.rows = 2, .flags = 1), 8, 0, "rows: flags 0x1" },
	{ { .size = 8, .rows = 2 }, 8, 0, "plait_rows" },
	{ { .size = 8, .rows = 2 }, 0, 0, "plait_rows" },
};

static void refused(void)
{
	EACH(rig) {
		plait_buffer *from = create_buffer(rig);
		plait_buffer *to = create_buffer(rig);

		for (size_t i = 0; i < TAP_COUNT(wrongs); i++) {
			plait_status status = plait_queue_copy_rows(
				rig->queue, to, wrongs[i].target, from, 0,
				wrongs[i].bytes, &wrongs[i].rows,
				&rig->error);

			OK_THAT(status == PLAIT_E_INVALID ||
				status == PLAIT_E_UNSUPPORTED, "%zu: %s", i,
				plait_status_name(status));
			HAS_STR(rig->error.text, wrongs[i].text);
		}
		IS_INT(plait_queue_copy_rows(rig->queue, to, 0, from, 0, 8,
					     NULL, &rig->error),
		       PLAIT_E_INVALID);
		HAS_STR(rig->error.text, "rows is null");
		plait_buffer_release(to);
		plait_buffer_release(from);
		close_rig(rig);
	}
}

/* Rows of a kind without rows, and of the host's own bytes. */
static void refused_commands(void)
{
	static const plait_rows rows = ROWS(.rows = 2, .target_row = 100,
					    .source_row = 50);
	static unsigned char host[BYTES];
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .bytes = sizeof(host),
				       .pointer = host };

	EACH(rig) {
		plait_buffer *buffer = create_buffer(rig), *wrapped = NULL;
		plait_command command = { .size = sizeof(command),
					  .kind = PLAIT_COMMAND_FILL,
					  .target = buffer, .bytes = 8,
					  .pattern_bytes = 1, .rows = &rows };

		IS_INT(plait_queue_submit(rig->queue, &command, 1, NULL,
					  &rig->error), PLAIT_E_INVALID);
		HAS_STR(rig->error.text, "rows is set, which a fill does not");
		if (plait_buffer_wrap(rig->device, &desc, &wrapped,
				      &rig->error) == PLAIT_OK) {
			command.kind = PLAIT_COMMAND_READ;
			command.pattern_bytes = 0;
			command.target = NULL;
			command.source = wrapped;
			command.host = host + 57;
			IS_INT(plait_queue_submit(rig->queue, &command, 1,
						  NULL, &rig->error),
			       PLAIT_E_INVALID);
			HAS_STR(rig->error.text, "host overlaps");
			command.host = host + 58;
			IS_INT(plait_queue_submit(rig->queue, &command, 1,
						  NULL, &rig->error),
			       PLAIT_OK);
			IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
						  &rig->error), PLAIT_OK);
		}
		plait_buffer_release(wrapped);
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

/* ---- overlap: compared with a picture of the bytes ---- */

static bool overlaps(const plait_rows *rows, uint64_t bytes, uint64_t to,
		     uint64_t from)
{
	static unsigned char seen[BYTES];

	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < rows->slices; i++)
		for (uint64_t k = 0; k < rows->rows; k++)
			memset(seen + to + i * rows->target_slice +
				       k * rows->target_row, 1, bytes);
	for (uint64_t i = 0; i < rows->slices; i++)
		for (uint64_t k = 0; k < rows->rows; k++)
			if (memchr(seen + from + i * rows->source_slice +
					   k * rows->source_row, 1, bytes))
				return true;
	return false;
}

static uint64_t state = 88172645463325252u;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void overlap(void)
{
	struct rig *rig = &settings[0];
	plait_buffer *buffer;
	uint32_t both[2] = { 0, 0 };

	if (!open_rig(rig))
		return;
	buffer = create_buffer(rig);
	for (int i = 0; i < 4000; i++) {
		uint64_t bytes = 1 + below(6);
		plait_rows rows = ROWS(.rows = 1 + below(4),
				       .slices = 1 + below(3));
		uint64_t to = below(300), from = below(300);
		bool want;

		rows.target_row = rows.source_row = bytes + below(9);
		rows.target_slice = rows.source_slice =
			(rows.rows + below(3)) * rows.target_row;
		want = overlaps(&rows, bytes, to, from);
		both[want]++;
		if (!OK_THAT(plait_queue_copy_rows(rig->queue, buffer, to,
						   buffer, from, bytes, &rows,
						   &rig->error) ==
			     (want ? PLAIT_E_INVALID : PLAIT_OK),
			     "%d: %llu bytes in %llu rows of %llu, %llu "
			     "slices of %llu, from %llu to %llu", i,
			     (unsigned long long)bytes,
			     (unsigned long long)rows.rows,
			     (unsigned long long)rows.target_row,
			     (unsigned long long)rows.slices,
			     (unsigned long long)rows.target_slice,
			     (unsigned long long)from,
			     (unsigned long long)to))
			break;
	}
	OK(both[0] > 500 && both[1] > 500);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	plait_buffer_release(buffer);
	close_rig(rig);
}

/* ---- rows where the backend takes none ---- */

/* Each counts; too many for the queue are refused whole. */
static void full(void)
{
	static const plait_rows rows = ROWS(.rows = 9, .target_row = 16);

	EACH(rig) {
		const plait_queue_desc desc = { .size = sizeof(desc),
						.capacity = 8 };
		plait_buffer *from = create_buffer(rig);
		plait_buffer *to = create_buffer(rig);
		plait_device_info info = { .size = sizeof(info) };
		plait_queue *queue = NULL;
		bool whole;

		IS_INT(plait_device_query(rig->device, &info, &rig->error),
		       PLAIT_OK);
		whole = (info.capabilities & PLAIT_DEVICE_ROWS) != 0;
		IS_INT(plait_queue_create(rig->device, &desc, &queue,
					  &rig->error), PLAIT_OK);
		IS_INT(plait_queue_copy_rows(queue, to, 0, from, 0, 8, &rows,
					     &rig->error),
		       whole ? PLAIT_OK : PLAIT_E_INVALID);
		IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &rig->error),
		       PLAIT_OK);
		plait_queue_release(queue);
		plait_buffer_release(to);
		plait_buffer_release(from);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "invalid shapes are rejected", refused },
	{ "commands without rows, and the host's own bytes",
	  refused_commands },
	{ "overlap is found exactly", overlap },
	{ "each row counts without support for rows", full },
};

TAP_MAIN(all)
