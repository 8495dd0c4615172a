/* SPDX-License-Identifier: MIT */
/* Parts of the picture of a planned schedule. */
#ifndef PLAIT_SRC_RENDER_SCHEDULE_SVG_H
#define PLAIT_SRC_RENDER_SCHEDULE_SVG_H

#include "render/canvas.h"

/* Find the commands that need notes, in this strip. */
void plait__schedule_find_notes(const struct plait__canvas *canvas);

/* Draw a strip of time of the planned commands, with its axis; the layout is
 * initialised. */
void plait__schedule_draw_plan(const struct plait__canvas *canvas);

const char *plait__schedule_command_fill(const struct plait__canvas *canvas,
					 uint32_t command);

#endif
