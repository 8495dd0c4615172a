/* SPDX-License-Identifier: MIT */
/* Memory that two nodes have in common, for error texts; see
 * shared_memory.h. */
#include "plan/check/shared_memory.h"

#include "plan/access.h"

#include "base/text.h"

#include <stdio.h>

struct shared {
	uint32_t object;	/* or none */
	uint64_t low;		/* the common bytes, if ... */
	uint64_t high;		/* ... this is not UINT64_MAX */
	bool both_write;
};

static const char *string_at(const plait__plan *tables, uint32_t offset)
{
	return offset < tables->strings_count ? tables->strings + offset : "";
}

/* Narrow the common bytes to a box of one dimension; a box of several has no
 * common range that is worth its words. */
static void narrow(const plait__plan *tables, uint32_t index,
		   struct shared *shared)
{
	const plait__plan_box *box;

	if (index >= tables->boxes_count)
		return;
	box = &tables->boxes[index];
	if (box->low[1] != 0 || box->high[1] != 1 || box->low[2] != 0 ||
	    box->high[2] != 1)
		return;
	if (box->low[0] > shared->low)
		shared->low = box->low[0];
	if (box->high[0] < shared->high)
		shared->high = box->high[0];
}

static bool modes_conflict(uint32_t one, uint32_t other)
{
	return one != other ||
	       (one != PLAIT__ACCESS_READ && one != PLAIT__ACCESS_ATOMIC);
}

static bool is_shared(const plait__plan *tables, const plait__plan_access *one,
		      const plait__plan_access *two, struct shared *shared)
{
	if (one->object != two->object || !plait__check_touches(tables, one) ||
	    !plait__check_touches(tables, two) ||
	    !modes_conflict(one->mode, two->mode))
		return false;
	*shared = (struct shared){
		.object = one->object, .high = UINT64_MAX,
		.both_write = one->mode != PLAIT__ACCESS_READ &&
			      two->mode != PLAIT__ACCESS_READ
	};
	narrow(tables, one->box, shared);
	narrow(tables, two->box, shared);
	return shared->low < shared->high;
}

static struct shared find(const plait__plan *tables,
			  plait__check_accesses one,
			  plait__check_accesses other)
{
	struct shared shared;

	for (uint32_t i = one.first; i < one.first + one.count; i++)
		for (uint32_t j = other.first; j < other.first + other.count;
		     j++)
			if (is_shared(tables, &tables->accesses[i],
				      &tables->accesses[j], &shared))
				return shared;
	return (struct shared){ .object = PLAIT__NONE, .high = UINT64_MAX };
}

static const char *kind_of(const plait__plan_slot *slot)
{
	return slot->kind == PLAIT__SLOT_PARAM ? "parameter" :
	       slot->kind == PLAIT__SLOT_ARENA ? "temporary" : "buffer";
}

/* Returns the number of bytes written. */
static int name_object(const plait__plan *tables, uint32_t object, char *text,
		       size_t bytes)
{
	uint32_t number = plait__access_number(object);
	char room[PLAIT__TEXT_CUT_BYTES];
	const plait__plan_slot *slot;
	const char *name;

	if (object == PLAIT__NONE)
		return snprintf(text, bytes, "the same memory");
	if (plait__access_is_rotation(object))
		return snprintf(text, bytes, "a buffer of a rotation");
	if (plait__access_is_param(object))
		return number >= tables->params_count ?
		       snprintf(text, bytes, "the same memory") :
		       snprintf(text, bytes, "parameter '%s'",
				plait__text_start(string_at(
					tables, tables->params[number].name),
					24, room));
	if (object >= tables->slots_count)
		return snprintf(text, bytes, "the same memory");
	slot = &tables->slots[number];
	name = string_at(tables, slot->name);
	if (*name != '\0')
		return snprintf(text, bytes, "%s '%s'", kind_of(slot),
				plait__text_start(name, 24, room));
	return snprintf(text, bytes, "%s %u (%llu bytes, no label)",
			kind_of(slot), number, (unsigned long long)slot->bytes);
}

const char *plait__shared_memory_text(
	const plait__plan *tables, plait__check_accesses one,
	plait__check_accesses other, bool *out_both,
	char text[PLAIT__SHARED_MEMORY_TEXT_BYTES])
{
	struct shared shared = find(tables, one, other);
	int length = name_object(tables, shared.object, text,
				 PLAIT__SHARED_MEMORY_TEXT_BYTES);

	*out_both = shared.both_write;
	if (shared.high != UINT64_MAX && length > 0 &&
	    length < PLAIT__SHARED_MEMORY_TEXT_BYTES)
		(void)snprintf(text + length,
			       PLAIT__SHARED_MEMORY_TEXT_BYTES - (size_t)length,
			       ", bytes %llu to %llu",
			       (unsigned long long)shared.low,
			       (unsigned long long)shared.high);
	return text;
}
