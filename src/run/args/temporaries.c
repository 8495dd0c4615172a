/* SPDX-License-Identifier: MIT */
/* Places of a plan's temporaries; see temporaries.h. */
#include "run/args/temporaries.h"

#include "run/args/payload_util.h"

#include "graph/plan/used_tables.h"
#include "object/memory/buffer.h"

static bool has_any(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->slots_count; i++)
		if (plan->slots[i].kind == PLAIT__SLOT_ARENA)
			return true;
	return false;
}

static plait_status fail_size(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "the temporaries of a plan need more than 2^63 - 1 "
			   "bytes");
}

/* Append `bytes` to an arena; returns false if they do not fit. */
static bool append(uint64_t *end, uint64_t bytes, uint64_t *out)
{
	const uint64_t mask = PLAIT__TEMPORARY_ALIGNMENT - 1;

	*out = (*end + mask) & ~mask;
	return !__builtin_add_overflow(*out, bytes, end) && *end <= INT64_MAX;
}

/* Returns false if an arena is too large. */
static bool place(const plait__frame_layout *layout,
		  const plait__used_tables *used)
{
	const plait__plan *plan = layout->plan_object->plan;

	for (uint32_t i = 0; i < plan->slots_count; i++) {
		layout->temporaries[i] = PLAIT__TEMPORARY_UNUSED;
		if (plan->slots[i].kind == PLAIT__SLOT_ARENA &&
		    used->slots[i] &&
		    !append(&layout->arena_bytes[plan->slots[i].device],
			    plan->slots[i].bytes, &layout->temporaries[i]))
			return false;
	}
	return true;
}

plait_status plait__temporaries_place(plait__frame_layout *layout,
				      plait_error *error)
{
	const plait_allocator *allocator = plait__payload_allocator(layout);
	const plait__plan *plan = layout->plan_object->plan;
	plait__used_tables used;
	bool good;

	if (!plait__payload_alloc(allocator, &layout->arena_bytes,
				  plan->devices_count, sizeof(uint64_t)))
		return plait__payload_no_memory(error);
	for (uint32_t i = 0; i < plan->devices_count; i++)
		layout->arena_bytes[i] = plan->devices[i].scratch_bytes;
	if (!has_any(plan))
		return PLAIT_OK;
	if (!plait__payload_alloc(allocator, &layout->temporaries,
				  plan->slots_count, sizeof(uint64_t)))
		return plait__payload_no_memory(error);
	if (!plait__used_tables_init(&used, plan, allocator))
		return plait__payload_no_memory(error);
	good = place(layout, &used);
	plait__used_tables_fini(&used, allocator);
	return good ? PLAIT_OK : fail_size(error);
}

void plait__temporaries_free(plait__frame_layout *layout)
{
	const plait_allocator *allocator = plait__payload_allocator(layout);
	const plait__plan *plan = layout->plan_object->plan;

	plait__free(allocator, layout->arena_bytes,
		    plan->devices_count * sizeof(uint64_t));
	plait__free(allocator, layout->temporaries,
		    plan->slots_count * sizeof(uint64_t));
}
