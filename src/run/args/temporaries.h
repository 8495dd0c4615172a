/* SPDX-License-Identifier: MIT */
/* Temporaries of a plan in the arenas of its instances. */
#ifndef PLAIT_SRC_RUN_ARGS_TEMPORARIES_H
#define PLAIT_SRC_RUN_ARGS_TEMPORARIES_H

#include "run/args/frame.h"

#include "graph/plan/temporary_places.h"

/* Fill layout->arena_bytes, and layout->temporaries if there are any. */
plait_status plait__temporaries_place(plait__frame_layout *layout,
				      plait_error *error);
void plait__temporaries_free(plait__frame_layout *layout);

/* Prefix an error about the arena of a device: the largest temporary, and what
 * an instance needs. */
void plait__temporaries_explain(const plait__frame_layout *layout,
				uint32_t device, plait_error *error);
/* Fail because the host has no memory for the arena of a device. */
plait_status plait__temporaries_no_memory(const plait__frame_layout *layout,
					  uint32_t device, plait_error *error);

/* Returns true if the slot is a temporary. */
static inline bool plait__temporaries_has(const plait__frame_layout *layout,
					  uint32_t slot)
{
	return layout->temporaries != NULL &&
	       layout->plan_object->plan->slots[slot].kind ==
		       PLAIT__SLOT_ARENA;
}

/* Returns true if the slot has memory in the arena of its device. */
static inline bool plait__temporaries_is_placed(
	const plait__frame_layout *layout, uint32_t slot)
{
	return plait__temporaries_has(layout, slot) &&
	       layout->temporaries[slot] != PLAIT__TEMPORARY_UNUSED;
}

#endif
