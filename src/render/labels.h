/* SPDX-License-Identifier: MIT */
/* Names of commands in boxes, and numbered notes for names without room. */
#ifndef PLAIT_SRC_RENDER_LABELS_H
#define PLAIT_SRC_RENDER_LABELS_H

#include "render/canvas.h"

/* Draw a name in its box, cut or omitted as needed; `room`: free width. */
void plait__labels_draw(const struct plait__canvas *canvas,
			const char *label, bool is_region, double x, double y,
			double height, double room);

/* Write the name of a command, of a region with its iterations or the branch that
 * is shown; returns `label`. */
const char *plait__labels_name(const struct plait__canvas *canvas,
			       uint32_t command,
			       char label[PLAIT__CANVAS_NAME]);
/* Returns the free width for a name; *x is its left end. */
double plait__labels_room(const struct plait__canvas *canvas,
			  uint32_t command, double *x);
/* Returns the number of a command's note, from 1, which is added if there is none;
 * 0: too many. */
uint32_t plait__labels_note(struct plait__canvas_notes *notes,
			    uint32_t command);
/* Add a note for the command if its name has no room, and canvas->notes is not
 * null. */
void plait__labels_find_note(const struct plait__canvas *canvas,
			     uint32_t command);
/* Draw the name of a command in its box, unless it gets a note. */
void plait__labels_draw_name(const struct plait__canvas *canvas,
			     uint32_t command);
/* Draw a note's number at the foot of a box. */
void plait__labels_draw_number(const struct plait__canvas *canvas,
			       uint32_t note, double x, double y, double height,
			       double room);
/* Draw names twice: first their halos, which keep arrows and bands off them. A
 * copy below the name, not an outline: renderers that do not know paint-order
 * would draw the outline over the name. */
void plait__labels_open_halos(plait__text *out);
void plait__labels_close_halos(plait__text *out);
/* Draw the numbers of all notes in this strip. */
void plait__labels_draw_numbers(const struct plait__canvas *canvas);
/* Draw names after their numbers, from `y` down, or only measure; returns the
 * end. */
double plait__labels_draw_notes(const struct plait__canvas *canvas,
				double y, bool draw);

#endif
