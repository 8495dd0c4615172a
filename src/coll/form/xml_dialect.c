/* SPDX-License-Identifier: MIT */
/* Tables of the dialects. */
#include "coll/form/xml_dialect.h"

#include "coll/schedule/schedule.h"

#include <string.h>

typedef struct word {
	const char *name;
	uint32_t number;
} word;

/* The first name of a number is the one that most executors know. */
static const word kinds[] = {
	{ "custom", PLAIT__COLL_CUSTOM },
	{ "allreduce", PLAIT__COLL_ALLREDUCE },
	{ "allgather", PLAIT__COLL_ALLGATHER },
	{ "reducescatter", PLAIT__COLL_REDUCE_SCATTER },
	{ "reduce_scatter", PLAIT__COLL_REDUCE_SCATTER },
	{ "alltoall", PLAIT__COLL_ALLTOALL },
	{ "broadcast", PLAIT__COLL_BROADCAST },
	{ "reduce", PLAIT__COLL_REDUCE },
	{ "gather", PLAIT__COLL_GATHER },
	{ "scatter", PLAIT__COLL_SCATTER },
};

static const word protocols[] = {
	{ "Simple", PLAIT__PROTOCOL_SIMPLE },
	{ "LL", PLAIT__PROTOCOL_LL },
	{ "LL128", PLAIT__PROTOCOL_LL128 },
};

static const word steps[] = {
	{ "nop", PLAIT__STEP_NOP },
	{ "s", PLAIT__STEP_SEND },
	{ "r", PLAIT__STEP_RECV },
	{ "rcs", PLAIT__STEP_RECV_SEND },
	{ "rrc", PLAIT__STEP_RECV_REDUCE },
	{ "rrs", PLAIT__STEP_RECV_REDUCE_SEND },
	{ "rrcs", PLAIT__STEP_RECV_REDUCE_BOTH },
	{ "cpy", PLAIT__STEP_COPY },
	{ "re", PLAIT__STEP_REDUCE },
};

static const word buffers[] = {
	{ "i", PLAIT__COLL_INPUT },
	{ "o", PLAIT__COLL_OUTPUT },
	{ "s", PLAIT__COLL_SCRATCH },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int find(const word *words, size_t count, const char *name,
		uint32_t *out)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i].name, name) == 0) {
			*out = words[i].number;
			return 0;
		}
	return -1;
}

static const char *name_of(const word *words, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (words[i].number == number)
			return words[i].name;
	return words[0].name;
}

int plait__dialect_find_kind(const char *name, uint32_t *out)
{
	return find(kinds, COUNT(kinds), name, out);
}

int plait__dialect_find_protocol(const char *name, uint32_t *out)
{
	return find(protocols, COUNT(protocols), name, out);
}

int plait__dialect_find_step(const char *name, uint32_t *out)
{
	return find(steps, COUNT(steps), name, out);
}

int plait__dialect_find_buffer(const char *name, uint32_t *out)
{
	return find(buffers, COUNT(buffers), name, out);
}

const char *plait__dialect_kind(uint32_t kind, uint32_t target)
{
	if (kind == PLAIT__COLL_REDUCE_SCATTER &&
	    target == PLAIT__TARGET_MSCCL)
		return "reduce_scatter";
	return name_of(kinds, COUNT(kinds), kind);
}

const char *plait__dialect_protocol(uint32_t protocol)
{
	return name_of(protocols, COUNT(protocols), protocol);
}

const char *plait__dialect_step(uint32_t kind)
{
	return name_of(steps, COUNT(steps), kind);
}

const char *plait__dialect_buffer(uint32_t buffer)
{
	return name_of(buffers, COUNT(buffers), buffer);
}

uint32_t plait__dialect_depth(uint32_t protocol)
{
	return protocol == PLAIT__PROTOCOL_LL ||
			       protocol == PLAIT__PROTOCOL_LL128 ?
		       8 : 2;
}

uint64_t plait__dialect_slot_bytes(uint32_t protocol)
{
	return protocol == PLAIT__PROTOCOL_LL ? 32768 :
	       protocol == PLAIT__PROTOCOL_LL128 ? 576000 : 2097152;
}
