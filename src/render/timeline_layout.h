/* SPDX-License-Identifier: MIT */
/*
 * Layout of a schedule: the place of each command, in rows and units of time.
 * schedule_svg.c draws lines and boxes from it.
 */
#ifndef PLAIT_SRC_RENDER_TIMELINE_LAYOUT_H
#define PLAIT_SRC_RENDER_TIMELINE_LAYOUT_H

#include "render/elision.h"
#include "plan/simulate/simulate.h"

#include <stdbool.h>

typedef struct plait__timeline_layout {
	const plait__plan *plan;
	const plait__timeline *timeline;
	/* By lane: its row; lanes of a device are adjacent. */
	uint32_t *rows;
	uint8_t *first_of_device;		/* by lane: first row of its
						 * device */
	/* By body: nesting depth, or PLAIT__NONE if not shown: of a case only
	 * the expected branch is. */
	uint32_t *depths;
	uint32_t depth;		/* maximum of those shown */
	uint8_t *critical;	/* by command: on the critical path */
	plait__elision elision;	/* omitted iterations; none before a call of
				 * plait__timeline_elide_rounds */
} plait__timeline_layout;

/* Lay out a plan, which outlives the layout, as does `timeline`.  Returns false if
 * memory ran out; call _fini in any case. */
bool plait__timeline_layout_init(plait__timeline_layout *layout,
				 const plait__plan *plan,
				 const plait__timeline *timeline,
				 const plait_allocator *allocator);

void plait__timeline_layout_fini(plait__timeline_layout *layout,
				 const plait_allocator *allocator);

/* Returns the depth of a command, or PLAIT__NONE if it is not shown. */
uint32_t plait__timeline_depth(const plait__timeline_layout *layout,
			       uint32_t command);

bool plait__timeline_is_region(const plait__timeline_layout *layout,
			       uint32_t command);

/* Omit further iterations of loops while nothing else happens.  Returns false
 * if memory ran out. */
bool plait__timeline_elide_rounds(plait__timeline_layout *layout);

/* Returns the planned span of a command. */
plait__simulate_span
plait__timeline_planned_span(const plait__timeline_layout *layout,
			     uint32_t command);

/* Returns the shown span of a command. */
plait__simulate_span
plait__timeline_shown_span(const plait__timeline_layout *layout,
			   uint32_t command);

/* Returns the shown time until which the row is free after a command. */
uint64_t plait__timeline_free_until(const plait__timeline_layout *layout,
				    uint32_t command);

#endif
