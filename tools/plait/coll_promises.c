/* SPDX-License-Identifier: MIT */
/* Promises of custom collectives in text form; see coll.h. */
#include "coll.h"

#include "command.h"
#include "input.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *path;
	const char *at, *end;
	unsigned line;
	struct coll_promises *promises;
	uint64_t item_room, source_room;
};

static int fail(const struct reader *reader, const char *what)
{
	return command_fail("coll", "%s: line %u: %s",
			    input_name(reader->path), reader->line, what);
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end &&
	       (*reader->at == ' ' || *reader->at == '\t' ||
		*reader->at == '\r'))
		reader->at++;
}

static bool take(struct reader *reader, char wanted)
{
	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

static bool take_number(struct reader *reader, uint32_t *out)
{
	uint64_t number = 0;
	const char *first;

	skip_blanks(reader);
	for (first = reader->at; reader->at < reader->end &&
	     isdigit((unsigned char)*reader->at) && number <= UINT32_MAX;
	     reader->at++)
		number = number * 10 + (uint64_t)(*reader->at - '0');
	*out = (uint32_t)number;
	return reader->at > first && number <= UINT32_MAX;
}

static bool take_chunk(struct reader *reader, uint32_t *rank, uint32_t *chunk)
{
	return take_number(reader, rank) && take(reader, '.') &&
	       take_number(reader, chunk);
}

/* Make room for one more element; return null without memory. */
static void *grow(void *items, uint64_t count, uint64_t *room, size_t each)
{
	if (count < *room)
		return items;
	*room = *room == 0 ? 64 : *room * 2;
	return realloc(items, *room * each);
}

static int add_source(struct reader *reader, uint32_t rank, uint32_t chunk)
{
	struct coll_promises *to = reader->promises;
	uint64_t room = reader->source_room;
	uint32_t *ranks = grow(to->source_ranks, to->source_count, &room,
			       sizeof(*ranks));
	uint64_t *indices;

	if (ranks == NULL)
		return fail(reader, "no memory");
	to->source_ranks = ranks;
	indices = grow(to->source_indices, to->source_count,
		       &reader->source_room, sizeof(*indices));
	if (indices == NULL)
		return fail(reader, "no memory");
	to->source_indices = indices;
	ranks[to->source_count] = rank;
	indices[to->source_count++] = chunk;
	return COMMAND_DONE;
}

static int add_promise(struct reader *reader, uint32_t rank, uint32_t chunk)
{
	struct coll_promises *to = reader->promises;
	plait_coll_promise *items = grow(to->items, to->count,
					 &reader->item_room, sizeof(*items));

	if (items == NULL)
		return fail(reader, "no memory");
	to->items = items;
	items[to->count++] = (plait_coll_promise){ .size = sizeof(*items),
						   .rank = rank,
						   .index = chunk };
	return COMMAND_DONE;
}

static int read_line(struct reader *reader)
{
	static const char form[] = "expected RANK.CHUNK = RANK.CHUNK + ...";
	uint32_t rank, chunk;
	int code;

	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at == '#')
		return COMMAND_DONE;
	if (!take_chunk(reader, &rank, &chunk) || !take(reader, '='))
		return fail(reader, form);
	code = add_promise(reader, rank, chunk);
	do {
		if (code == COMMAND_DONE && !take_chunk(reader, &rank, &chunk))
			return fail(reader, form);
		if (code == COMMAND_DONE)
			code = add_source(reader, rank, chunk);
		if (code != COMMAND_DONE)
			return code;
		reader->promises->items[reader->promises->count - 1]
			.source_count++;
	} while (take(reader, '+'));
	skip_blanks(reader);
	return reader->at == reader->end || *reader->at == '#' ?
		       COMMAND_DONE : fail(reader, form);
}

static int compare(const void *left, const void *right)
{
	const plait_coll_promise *one = left, *other = right;

	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->index < other->index ? -1 : one->index > other->index;
}

/* Addresses of sources are known when the arrays grow no more. */
static void finish(struct coll_promises *promises)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < promises->count; i++) {
		plait_coll_promise *item = &promises->items[i];

		item->source_ranks = promises->source_ranks + first;
		item->source_indices = promises->source_indices + first;
		first += item->source_count;
	}
	if (promises->count > 0)
		qsort(promises->items, promises->count,
		      sizeof(*promises->items), compare);
}

int coll_promises_read(const char *path, struct coll_promises *out)
{
	struct reader reader = { .path = path, .promises = out };
	struct input input;
	const char *next;
	int code = input_read("coll", path, &input);

	*out = (struct coll_promises){ 0 };
	if (code != COMMAND_DONE)
		return code;
	for (next = input.bytes; code == COMMAND_DONE &&
	     next < input.bytes + input.count; next = reader.end + 1) {
		reader.at = next;
		reader.end = memchr(next, '\n', (size_t)(input.bytes +
							 input.count - next));
		if (reader.end == NULL)
			reader.end = input.bytes + input.count;
		reader.line++;
		code = read_line(&reader);
	}
	finish(out);
	input_free(&input);
	if (code != COMMAND_DONE)
		coll_promises_free(out);
	return code;
}

void coll_promises_free(struct coll_promises *promises)
{
	free(promises->items);
	free(promises->source_ranks);
	free(promises->source_indices);
	*promises = (struct coll_promises){ 0 };
}
