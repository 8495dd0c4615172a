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

typedef struct plait__scene {
	const plait__plan *plan;
	const plait__timeline *timeline;
	/* Per lane: its row, so that the lanes of a device lie together. */
	uint32_t *rows;
	uint8_t *leads;		/* per lane: it has its device's first row */
	/* Per body: in how many regions it is, or PLAIT__NONE when it is not
	 * shown: of a case only the branch that is expected is. */
	uint32_t *depths;
	uint32_t depth;		/* the most of those shown */
	uint8_t *critical;	/* per command: on the critical path */
	plait__gaps gaps;	/* what is left out; none until it is asked */
} plait__scene;

/* False when memory ran out; then too there is something to give back. */
bool plait__scene_init(plait__scene *scene, const plait__plan *plan,
		       const plait__timeline *timeline,
		       const plait_allocator *allocator);

void plait__scene_fini(plait__scene *scene, const plait_allocator *allocator);

/* The depth of a command, or PLAIT__NONE when it is not shown. */
uint32_t plait__scene_depth(const plait__scene *scene, uint32_t command);

bool plait__scene_is_region(const plait__scene *scene, uint32_t command);

/* Leave out further rounds of loops, where nothing else happens meanwhile.
 * False when memory ran out. */
bool plait__scene_shorten(plait__scene *scene);

/* From when to when a command is planned. */
plait__simulate_span plait__scene_time(const plait__scene *scene,
				       uint32_t command);

/* From when to when a command is shown. */
plait__simulate_span plait__scene_span(const plait__scene *scene,
				       uint32_t command);

/* Until when nothing else is shown behind a command in its row. */
uint64_t plait__scene_free_until(const plait__scene *scene,
				 uint32_t command);

#endif
