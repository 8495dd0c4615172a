/* SPDX-License-Identifier: MIT */
/*
 * What the picture of a schedule shows and where, in rows and units of time;
 * schedule_svg.c makes lines and boxes of it.
 */
#ifndef PLAIT_SRC_RENDER_TIMELINE_LAYOUT_H
#define PLAIT_SRC_RENDER_TIMELINE_LAYOUT_H

#include "render/elision.h"
#include "plan/simulate/simulate.h"

#include <stdbool.h>

typedef struct plait__timeline_layout {
	const plait__plan *plan;
	const plait__timeline *timeline;
	/* Per lane: its row, so that the lanes of a device lie together. */
	uint32_t *rows;
	uint8_t *first_of_device;		/* per lane: it has its device's first row */
	/* Per body: in how many regions it is, or PLAIT__NONE when it is not
	 * shown: of a case only the branch that is expected is. */
	uint32_t *depths;
	uint32_t depth;		/* the most of those shown */
	uint8_t *critical;	/* per command: on the critical path */
	plait__elision elision;	/* what is left out; none until it is asked */
} plait__timeline_layout;

/* False when memory ran out; then too there is something to give back. */
bool plait__timeline_layout_init(plait__timeline_layout *layout, const plait__plan *plan,
				 const plait__timeline *timeline,
				 const plait_allocator *allocator);

void plait__timeline_layout_fini(plait__timeline_layout *layout, const plait_allocator *allocator);

/* The depth of a command, or PLAIT__NONE when it is not shown. */
uint32_t plait__timeline_depth(const plait__timeline_layout *layout, uint32_t command);

bool plait__timeline_is_region(const plait__timeline_layout *layout, uint32_t command);

/* Leave out further rounds of loops, where nothing else happens meanwhile.
 * False when memory ran out. */
bool plait__timeline_elide_rounds(plait__timeline_layout *layout);

/* From when to when a command is planned. */
plait__simulate_span plait__timeline_planned_span(const plait__timeline_layout *layout,
						  uint32_t command);

/* From when to when a command is shown. */
plait__simulate_span plait__timeline_shown_span(const plait__timeline_layout *layout,
						uint32_t command);

/* Until when nothing else is shown behind a command in its row. */
uint64_t plait__timeline_free_until(const plait__timeline_layout *layout,
				    uint32_t command);

#endif
