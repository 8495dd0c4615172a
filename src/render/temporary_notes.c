/* SPDX-License-Identifier: MIT */
/* Names and sizes of temporaries, in the colour of their device. */
#include "render/temporary_notes.h"

#include "render/axes.h"
#include "plan/io/escape.h"

#include <stdio.h>

enum {
	NOTE = 15,		/* height of a line */
	GAP = 16,		/* between two notes */
	SWATCH = 10,
	NAME_COLUMNS = 60,
	MOST = 200		/* notes; the last one counts the others */
};

static uint32_t count_temporaries(const plait__plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->slots_count; i++)
		count += plan->slots[i].kind == PLAIT__SLOT_ARENA;
	return count;
}

static void draw_note(const struct plait__canvas *canvas, uint32_t device,
		      const char *name, const char *size, double x, double y)
{
	plait__text_add(canvas->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
			"height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#777\" "
			"stroke-width=\"0.6\"/>", x, y - SWATCH + 1, SWATCH,
			SWATCH, plait__axes_device_fill(device, 0));
	plait__text_add(canvas->out, "<text x=\"%.1f\" y=\"%.1f\">",
			x + SWATCH + 4, y);
	plait__escape_xml(name, NAME_COLUMNS, canvas->out);
	plait__text_add(canvas->out, "%s</text>\n", size);
}

static void write_size(const plait__plan_slot *slot, char size[48])
{
	(void)snprintf(size, 48, ": temporary, %llu byte%s",
		       (unsigned long long)slot->bytes,
		       plait__escape_plural(slot->bytes));
}

double plait__temporary_notes_draw(const struct plait__canvas *canvas,
				   double y, bool draw)
{
	const plait__plan *plan = canvas->plan;
	uint32_t left = count_temporaries(plan), drawn = 0;
	double x = 6, end = PLAIT__CANVAS_LEFT + canvas->width;

	for (uint32_t i = 0; i < plan->slots_count && left > 0; i++) {
		const plait__plan_slot *slot = &plan->slots[i];
		const char *name = plait__escape_string_at(plan, slot->name);
		uint32_t columns = plait__escape_columns(name);
		char size[48];
		double width;

		if (slot->kind != PLAIT__SLOT_ARENA)
			continue;
		write_size(slot, size);
		if (drawn + 1 == MOST && left > 1) {
			name = "";
			(void)snprintf(size, sizeof(size),
				       "%u more temporaries", left);
			left = 1;
		}
		left--;
		columns = columns < NAME_COLUMNS ? columns : NAME_COLUMNS;
		width = (columns + plait__escape_columns(size)) *
			PLAIT__CANVAS_COLUMN + SWATCH + 4;
		if (drawn++ == 0 || x + width > end) {
			x = 6;
			y += NOTE;
		}
		if (draw)
			draw_note(canvas, slot->device, name, size, x, y);
		x += width + GAP;
	}
	return y;
}
