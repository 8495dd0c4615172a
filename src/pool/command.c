/* SPDX-License-Identifier: MIT */
/* Packing of commands, and the copies and fills that they do; see command.h. */
#include "pool/command.h"

#include <stddef.h>
#include <string.h>

static char *offset_by(plait_backend_memory *memory, uint64_t offset)
{
	return (char *)memory + offset;
}

enum {
	ROWS_END = offsetof(plait_work, rows) + sizeof(const plait_work_rows *)
};

/* A plugin built before `rows` existed passes shorter works. */
static const plait_work_rows *rows_of(const plait_work *work)
{
	return work->kind != PLAIT_WORK_FILL &&
	       (work->size == 0 || work->size >= ROWS_END) ? work->rows : NULL;
}

void plait__command_pack_move(struct plait__command *out,
			      const plait_work *work)
{
	const plait_work_rows *rows = rows_of(work);

	/* Mask all bits of the word: memory checkers do not track its
	 * bit-fields separately. */
	out->bytes = work->bytes & PLAIT__COMMAND_MAX_BYTES;
	out->pattern_bytes = work->kind == PLAIT_WORK_FILL ?
				     work->pattern_bytes & 0xff :
				     rows != NULL;
	if (rows != NULL)
		out->rows = rows;
	out->target = work->kind == PLAIT_WORK_READ ?
			      work->host :
			      offset_by(work->target, work->target_offset);
	if (work->kind == PLAIT_WORK_FILL) {
		out->pattern = work->pattern;
	} else if (work->kind == PLAIT_WORK_WRITE) {
		out->source = work->host;
	} else {
		out->source = offset_by(work->source, work->source_offset);
	}
}

/* Repeat the low bytes of the pattern, in their order in memory, over a
 * word. */
static uint64_t replicate_pattern(uint64_t pattern, uint32_t pattern_bytes)
{
	unsigned char unit[8];
	unsigned char all[8];
	uint64_t word;
	uint32_t i;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	pattern <<= 8 * (8 - pattern_bytes);
#endif
	memcpy(unit, &pattern, sizeof(unit));
	for (i = 0; i < 8; i++)
		all[i] = unit[i % pattern_bytes];
	memcpy(&word, all, sizeof(word));
	return word;
}

static void fill(const struct plait__command *command)
{
	char *target = command->target;
	uint64_t word;
	uint64_t i;

	if (command->pattern_bytes == 1) {
		memset(target, (int)(command->pattern & 0xff), command->bytes);
		return;
	}
	word = replicate_pattern(command->pattern, command->pattern_bytes);
	for (i = 0; command->bytes - i >= sizeof(word); i += sizeof(word))
		memcpy(target + i, &word, sizeof(word));
	memcpy(target + i, &word, command->bytes - i);
}

static void copy_rows(const struct plait__command *command)
{
	const plait_work_rows *rows = command->rows;
	char *target = command->target;
	const char *source = command->source;
	uint64_t i;
	uint64_t k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows; k++)
			memcpy(target + i * rows->target_slice +
				       k * rows->target_row,
			       source + i * rows->source_slice +
				       k * rows->source_row, command->bytes);
}

void plait__command_move(const struct plait__command *command)
{
	if (command->bytes == 0)
		return;
	if (command->kind == PLAIT_WORK_FILL)
		fill(command);
	else if (command->pattern_bytes != 0)
		copy_rows(command);
	else
		memcpy(command->target, command->source, command->bytes);
}
