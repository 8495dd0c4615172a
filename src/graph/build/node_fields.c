/* SPDX-License-Identifier: MIT */
/*
 * Fields of a node descriptor by kind.  A field that is set without meaning for
 * the kind is an error of the caller and is refused by name.
 */
#include "graph/build/node_fields.h"

#include "graph/build/object_refs.h"
#include "graph/store/unique_values.h"
#include "base/error.h"

#include <stddef.h>
#include <string.h>

enum {
	LAUNCH = 1 << PLAIT_NODE_LAUNCH,
	CALL = 1 << PLAIT_NODE_CALL,
	COPY = 1 << PLAIT_NODE_COPY,
	FILL = 1 << PLAIT_NODE_FILL,
	EMIT = 1 << PLAIT_NODE_EMIT,
	WAIT = 1 << PLAIT_NODE_WAIT,
	SUBGRAPH = 1 << PLAIT_NODE_SUBGRAPH,
	CASE = 1 << PLAIT_NODE_CASE,
	REPEAT = 1 << PLAIT_NODE_REPEAT,
	READ = 1 << PLAIT_NODE_READ,
	WRITE = 1 << PLAIT_NODE_WRITE,
	COLLECTIVE = 1 << PLAIT_NODE_COLLECTIVE,
	MOVES = COPY | FILL | READ | WRITE,
	LOOPS = 1 << PLAIT_NODE_WHILE | 1 << PLAIT_NODE_DO | REPEAT,
	REGIONS = LOOPS | CASE,
	/* a function may be their predicate */
	DECIDED = REGIONS & ~REPEAT,
	CALLS = CALL | DECIDED | COLLECTIVE,
	/* kinds that become one node of their own */
	SINGLE = ~SUBGRAPH & ((1 << (PLAIT_NODE_COLLECTIVE + 1)) - 1),
	ON_ALL = PLAIT_NODE_ON_ALL_BARRIER | PLAIT_NODE_ON_ALL_GROUP,
};

static const char *const kind_names[] = {
	"join", "launch", "call", "copy", "fill", "emit", "wait", "mark",
	"subgraph", "while", "do", "case", "repeat", "read", "write",
	"collective",
};

/* GROUP(kinds, their fields), FIELD(kinds, name).  The descriptor of a
 * COLLECTIVE is the library's own (collective_nodes.h). */
#define FIELDS(GROUP, FIELD)						\
	GROUP(SINGLE,							\
	      FIELD(SINGLE, device_count) FIELD(SINGLE, device)		\
	      FIELD(SINGLE, devices) FIELD(SINGLE, cost))		\
	GROUP(LAUNCH,							\
	      FIELD(LAUNCH, scratch_bytes) FIELD(LAUNCH, kernel)	\
	      FIELD(LAUNCH, launch) FIELD(LAUNCH, launch_parameter)	\
	      FIELD(LAUNCH, arguments) FIELD(LAUNCH, argument_count)	\
	      FIELD(LAUNCH, series) FIELD(LAUNCH, series_count))	\
	GROUP(CALLS,							\
	      FIELD(CALLS, function) FIELD(CALLS, user_data)		\
	      FIELD(CALLS, inbox) FIELD(CALLS, user_data_parameter))	\
	GROUP(MOVES | COLLECTIVE, FIELD(MOVES, bytes))			\
	GROUP((MOVES | COLLECTIVE) & ~READ,				\
	      FIELD(MOVES & ~READ, target)				\
	      FIELD(MOVES & ~READ, target_offset)			\
	      FIELD(MOVES & ~READ, target_parameter)			\
	      FIELD(MOVES & ~READ, target_rotation)			\
	      FIELD(MOVES & ~READ, target_ahead))			\
	GROUP(COPY | READ | COLLECTIVE,					\
	      FIELD(COPY | READ, source)				\
	      FIELD(COPY | READ, source_offset)				\
	      FIELD(COPY | READ, source_parameter)			\
	      FIELD(COPY | READ, source_rotation)			\
	      FIELD(COPY | READ, source_ahead))				\
	GROUP(MOVES & ~FILL, FIELD(MOVES & ~FILL, rows))		\
	GROUP(READ | WRITE,						\
	      FIELD(READ | WRITE, host_parameter)			\
	      FIELD(READ | WRITE, host_offset))				\
	GROUP(FILL | COLLECTIVE,					\
	      FIELD(FILL, pattern) FIELD(FILL, pattern_bytes))		\
	GROUP(EMIT | WAIT, FIELD(EMIT | WAIT, signal))			\
	GROUP(WAIT, FIELD(WAIT, sequence))				\
	GROUP(SUBGRAPH, FIELD(SUBGRAPH, subgraph))			\
	GROUP(REGIONS,							\
	      FIELD(REGIONS, predicate)					\
	      FIELD(REGIONS, predicate_offset))				\
	GROUP(CASE, FIELD(CASE, branch_count))				\
	GROUP(REGIONS, FIELD(REGIONS, times))				\
	GROUP(REPEAT,							\
	      FIELD(REPEAT, count_parameter) FIELD(REPEAT, count_step))

static const struct {
	const char *name;
	uint32_t offset;
	uint32_t bytes;
	uint32_t kinds;
} fields[] = {
#define ENTRIES(kinds, entries) entries
#define ENTRY(kinds, name) \
	{ #name, offsetof(plait_node_desc, name), \
	  sizeof(((plait_node_desc *)0)->name), kinds },
	FIELDS(ENTRIES, ENTRY)
#undef ENTRY
#undef ENTRIES
};

/* Return the set fields that a kind does not have, in one word.  `kind` is a
 * constant at each use, so the field table costs nothing at run time. */
static inline uint64_t surplus_bits(const plait_node_desc *desc, uint32_t kind)
{
	uint64_t bits = 0;

#define BITS(kinds, name) | (uint64_t)(desc->name)
#define GATHER(kinds, all) \
	if (((uint32_t)(kinds) >> kind & 1) == 0) \
		bits |= 0 all;
	FIELDS(GATHER, BITS)
#undef GATHER
#undef BITS
	return bits;
}

/* Returns true if a field is set that the kind does not have.  Runs per
 * node. */
static bool has_surplus(const plait_node_desc *desc)
{
#define KINDS(KIND)							\
	KIND(JOIN) KIND(LAUNCH) KIND(CALL) KIND(COPY) KIND(FILL)	\
	KIND(EMIT) KIND(WAIT) KIND(MARK) KIND(SUBGRAPH) KIND(WHILE)	\
	KIND(DO) KIND(CASE) KIND(REPEAT) KIND(READ) KIND(WRITE)	\
	KIND(COLLECTIVE)
#define ASK(kind) case PLAIT_NODE_##kind: \
	return surplus_bits(desc, PLAIT_NODE_##kind) != 0;
	switch (desc->kind) {
	KINDS(ASK)
	}
#undef ASK
#undef KINDS
	return false;
}

bool plait__node_is_common(const plait_node_desc *desc)
{
	uint64_t more = (uint64_t)desc->device | (uint64_t)desc->devices |
			desc->device_count | desc->flags;

	if (desc->size != sizeof(*desc) || desc->cost > INT64_MAX)
		return false;
	if (desc->kind == PLAIT_NODE_JOIN)
		return (more | surplus_bits(desc, PLAIT_NODE_JOIN)) == 0;
	if (desc->kind != PLAIT_NODE_LAUNCH)
		return false;
	more |= (uint64_t)desc->launch_parameter | (uint64_t)desc->series |
		desc->series_count;
	return (more | surplus_bits(desc, PLAIT_NODE_LAUNCH)) == 0;
}

static bool is_set(const plait_node_desc *desc, uint32_t field)
{
	static const char zeros[8];

	return memcmp((const char *)desc + fields[field].offset, zeros,
		      fields[field].bytes) != 0;
}

static plait_status fail_surplus(const plait__node_draft *draft,
				 const char *name)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID,
			   "%s: %s is set, which a %s does not have",
			   plait__refs_node_text(draft, room), name,
			   kind_names[draft->desc->kind]);
}

/* has_surplus has been true, so there is one. */
static plait_status report_surplus(const plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	uint32_t i = 0;

	while ((fields[i].kinds >> desc->kind & 1) || !is_set(desc, i))
		i++;
	return fail_surplus(draft, fields[i].name);
}

static plait_status fail(const plait__node_draft *draft, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s",
			   plait__refs_node_text(draft, room), what);
}

/* PLAIT_E_UNSUPPORTED for unknown flags, PLAIT_E_INVALID for one that the kind
 * does not have or that contradicts another. */
static plait_status check_flags(const plait__node_draft *draft)
{
	uint32_t flags = draft->desc->flags;
	uint32_t kind = UINT32_C(1) << draft->desc->kind;

	if ((flags & ~(uint32_t)(PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE |
				 PLAIT_CALL_FIRST_WORKER | ON_ALL |
				 PLAIT_NODE_FREE)) != 0)
		return plait__fail(draft->error, PLAIT_E_UNSUPPORTED,
				   "plait_node_desc: flags 0x%x are not known",
				   flags);
	if ((flags & PLAIT_CALL_ANY_THREAD) && !(kind & CALLS))
		return fail_surplus(draft, "flag PLAIT_CALL_ANY_THREAD");
	if ((flags & PLAIT_CALL_COROUTINE) && !(kind & (CALL | COLLECTIVE)))
		return fail_surplus(draft, "flag PLAIT_CALL_COROUTINE");
	if ((flags & PLAIT_CALL_FIRST_WORKER) &&
	    draft->desc->kind != PLAIT_NODE_CALL)
		return fail_surplus(draft, "flag PLAIT_CALL_FIRST_WORKER");
	if ((flags & ON_ALL) && (kind & (SUBGRAPH | REGIONS)))
		return fail_surplus(draft, "flag PLAIT_NODE_ON_ALL_...");
	if ((flags & PLAIT_NODE_FREE) && (kind & SUBGRAPH))
		return fail_surplus(draft, "flag PLAIT_NODE_FREE");
	if ((flags & PLAIT_NODE_FREE) && draft->desc->cost != 0)
		return fail(draft, "cost and PLAIT_NODE_FREE contradict each "
			    "other");
	if ((flags & ON_ALL) == ON_ALL)
		return fail(draft, "barrier and group contradict each "
			    "other");
	return PLAIT_OK;
}

static plait_status check_devices(const plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;

	if (desc->device_count > 1 && desc->device != NULL)
		return fail(draft, "device and devices are both set; set one");
	if (desc->device_count <= 1 && desc->devices != NULL)
		return fail(draft, "devices is set, but device_count is not "
			    "above 1; one device goes into device");
	if (desc->device_count > 1 &&
	    (REGIONS >> desc->kind & 1) != 0)
		return fail(draft, "a loop or case runs on one device");
	return PLAIT_OK;
}

/* Check the predicate: either a buffer holds the word, or a function returns
 * it. */
static plait_status check_predicate(const plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	bool function = desc->function != NULL || desc->inbox != NULL;

	if (!(REGIONS >> desc->kind & 1))
		return PLAIT_OK;
	if (function && (desc->predicate != NULL ||
			 desc->predicate_offset != 0))
		return fail(draft, "a function and a predicate buffer "
			    "contradict each other");
	if (!function && desc->predicate != NULL &&
	    (desc->user_data != NULL || desc->user_data_parameter != NULL ||
	     (desc->flags & PLAIT_CALL_ANY_THREAD)))
		return fail(draft, "user_data, user_data_parameter or "
			    "PLAIT_CALL_ANY_THREAD is set, but the predicate is a buffer");
	return PLAIT_OK;
}

plait_status plait__node_check_fields(const plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	plait_status status;

	if (desc->kind > PLAIT_NODE_COLLECTIVE)
		return fail(draft, "kind is not one of PLAIT_NODE_...");
	if (desc->flags != 0) {
		status = check_flags(draft);
		if (status != PLAIT_OK)
			return status;
	}
	if (has_surplus(desc))
		return report_surplus(draft);
	if (desc->cost > INT64_MAX)
		return fail(draft, "cost is not below 2^63");
	if ((desc->device_count | (uintptr_t)desc->devices) != 0) {
		status = check_devices(draft);
		if (status != PLAIT_OK)
			return status;
	}
	return check_predicate(draft);
}

plait_status plait__node_add_names(plait__node_draft *draft)
{
	plait__store *store = draft->graph->store;
	const plait_node_desc *desc = draft->desc;
	char room[PLAIT__REFS_TEXT_BYTES];

	draft->node.label = plait__values_label(store, desc->label);
	draft->node.file = plait__values_file(store, desc->file);
	if ((desc->label != NULL && draft->node.label == PLAIT__NONE) ||
	    (desc->file != NULL && draft->node.file == PLAIT__NONE))
		return plait__fail(draft->error, PLAIT_E_NOMEM,
				   "no memory for %s",
				   plait__refs_node_text(draft, room));
	return PLAIT_OK;
}
