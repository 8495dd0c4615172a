/* SPDX-License-Identifier: MIT */
/* Names and sizes of a plan's temporaries, below its picture. */
#ifndef PLAIT_SRC_RENDER_TEMPORARY_NOTES_H
#define PLAIT_SRC_RENDER_TEMPORARY_NOTES_H

#include "render/canvas.h"

/* Write the names and sizes from `y` down, or only measure; returns the end. */
double plait__temporary_notes_draw(const struct plait__canvas *canvas,
				   double y, bool draw);

#endif
