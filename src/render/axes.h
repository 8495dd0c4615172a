/* SPDX-License-Identifier: MIT */
/* Frame of a picture: legend, time axis, rows of lanes. */
#ifndef PLAIT_SRC_RENDER_AXES_H
#define PLAIT_SRC_RENDER_AXES_H

#include "render/canvas.h"

/* Returns the colour of commands of a device; `shade` tells neighbours
 * apart. */
const char *plait__axes_device_fill(uint32_t device, uint32_t shade);

/* Write the opening tag with the total size; the legend (returns its right
 * end); one key of it; axis and rows. */
void plait__axes_open(const struct plait__canvas *canvas, double bottom);
double plait__axes_draw_legend(const struct plait__canvas *canvas,
			       const char *region);
double plait__axes_draw_key(const struct plait__canvas *canvas, double x,
			    const char *style, const char *meaning);
void plait__axes_draw_rows(const struct plait__canvas *canvas);

#endif
