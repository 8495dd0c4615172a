/* SPDX-License-Identifier: MIT */
/* Temporaries of a plan in the arenas of its frames; see temporaries.h. */
#include "run/args/temporaries.h"

#include "run/args/payload_util.h"

#include "graph/plan/temporary_places.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

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

/* Write a size in the largest unit that it has one of. */
static const char *show_bytes(uint64_t bytes, char room[32])
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};
	uint32_t unit = 0;
	double size = (double)bytes;

	for (; size >= 1024 && unit < 6; unit++)
		size /= 1024;
	(void)snprintf(room, 32, unit == 0 ? "%.0f %s" : "%.1f %s", size,
		       units[unit]);
	return room;
}

/* Returns the largest temporary of the device, or none. */
static uint32_t find_largest(const plait__frame_layout *layout, uint32_t device)
{
	const plait__plan *plan = layout->plan_object->plan;
	uint32_t largest = PLAIT__NONE;

	for (uint32_t i = 0; i < plan->slots_count; i++)
		if (plait__temporaries_is_placed(layout, i) &&
		    plan->slots[i].device == device &&
		    (largest == PLAIT__NONE ||
		     plan->slots[i].bytes > plan->slots[largest].bytes))
			largest = i;
	return largest;
}

void plait__temporaries_explain(const plait__frame_layout *layout,
				uint32_t device, plait_error *error)
{
	const plait__plan *plan = layout->plan_object->plan;
	uint32_t largest = find_largest(layout, device);
	const char *name, *owner = plait__plan_object_device_name(
		layout->plan_object, device);
	char arena[32], size[32];

	(void)show_bytes(layout->arena_bytes[device], arena);
	if (largest == PLAIT__NONE) {
		plait__error_prefix(error, "%s of scratch for an instance of "
				    "the plan on %.48s: ", arena, owner);
		return;
	}
	(void)show_bytes(plan->slots[largest].bytes, size);
	name = plait__plan_object_string(layout->plan_object,
					 plan->slots[largest].name);
	plait__error_prefix(error, "make temporary %s%.*s%s of %s smaller, or "
			    "freeze with fewer instances: an instance needs "
			    "%s on %.48s: ",
			    name[0] != '\0' ? "\"" : "without a label",
			    PLAIT__TEXT_FIT(name, 40),
			    name[0] != '\0' ? "\"" : "", size, arena, owner);
}

plait_status plait__temporaries_no_memory(const plait__frame_layout *layout,
					  uint32_t device, plait_error *error)
{
	plait__fail(error, PLAIT_E_NOMEM, "no memory on the host");
	plait__temporaries_explain(layout, device, error);
	return PLAIT_E_NOMEM;
}
