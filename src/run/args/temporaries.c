/* SPDX-License-Identifier: MIT */
/* Temporaries of a plan in its frames; see temporaries.h. */
#include "run/args/temporaries.h"

#include "run/args/payload_util.h"

#include "graph/plan/temporary_places.h"

plait_status plait__temporaries_place(plait__frame_layout *layout,
				      plait_error *error)
{
	const plait_allocator *allocator = plait__payload_allocator(layout);
	const plait__plan *plan = layout->plan_object->plan;

	if (!plait__payload_alloc(allocator, &layout->arena_bytes,
				  plan->devices_count, sizeof(uint64_t)))
		return plait__payload_no_memory(error);
	for (uint32_t i = 0; i < plan->devices_count; i++)
		layout->arena_bytes[i] = plan->devices[i].scratch_bytes;
	if (!plait__temporary_places_has_any(plan))
		return PLAIT_OK;
	if (!plait__payload_alloc(allocator, &layout->temporaries,
				  plan->slots_count, sizeof(uint64_t)))
		return plait__payload_no_memory(error);
	return plait__temporary_places_find(layout->plan_object, allocator,
					    layout->temporaries,
					    layout->arena_bytes, error);
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
