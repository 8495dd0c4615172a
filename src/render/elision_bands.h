/* SPDX-License-Identifier: MIT */
/* Bands in place of omitted loop iterations. */
#ifndef PLAIT_SRC_RENDER_ELISION_BANDS_H
#define PLAIT_SRC_RENDER_ELISION_BANDS_H

#include "render/canvas.h"

/* Draw the bands of this strip. */
void plait__elision_draw_bands(const struct plait__canvas *canvas);
/* Draw how many iterations they stand for. */
void plait__elision_draw_counts(const struct plait__canvas *canvas);

#endif
