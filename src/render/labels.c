/* SPDX-License-Identifier: MIT */
/* Labels of a picture: names in boxes, beside them, or below the picture with
 * numbers. */
#include "render/labels.h"
#include "plan/io/escape.h"

#include <stdio.h>

enum {
	SIZE = 11, SIZE_SMALL = 8,	/* of names */
	SIZE_NUMBER = 7,
	NUMBER_COLUMN = 5,		/* width of a digit */
	NOTE = 16, NOTE_GAP = 18,	/* height of a line of notes; gap
					 * between two */
};

/* The name of a region includes its iterations or the branch shown. */
const char *plait__labels_name(const struct plait__canvas *canvas,
			       uint32_t number,
			       char label[PLAIT__CANVAS_NAME])
{
	const plait__plan *plan = canvas->plan;
	const plait__plan_command *command = &plan->commands[number];
	const plait__plan_region *region;
	char name[256];

	plait__escape_node_name(plan, command->node, name);
	if (!plait__timeline_is_region(&canvas->layout, number)) {
		(void)snprintf(label, PLAIT__CANVAS_NAME, "%s", name);
		return label;
	}
	region = &plan->regions[command->link];
	if (region->kind != PLAIT__REGION_CASE)
		(void)snprintf(label, PLAIT__CANVAS_NAME, "%s x%u", name,
			       region->times);
	else if (region->times < region->body_count)
		(void)snprintf(label, PLAIT__CANVAS_NAME, "%s: %u", name,
			       region->times);
	else
		(void)snprintf(label, PLAIT__CANVAS_NAME, "%s", name);
	return label;
}

/* Draw beside the box if there is free space; small, cut or omitted if not. */
void plait__labels_draw(const struct plait__canvas *canvas,
			const char *label, bool is_region, double x, double y,
			double height, double room)
{
	uint32_t length = plait__escape_columns(label);
	bool small = is_region || height < SIZE + 2 ||
		     length * PLAIT__CANVAS_COLUMN > room;
	uint32_t size = small ? SIZE_SMALL : SIZE;
	uint32_t column = small ? PLAIT__CANVAS_COLUMN_SMALL :
			  PLAIT__CANVAS_COLUMN;
	uint32_t columns = room < 0 ? 0 : (uint32_t)(room / column);

	/* "n.."  in place of n17 would mislead. */
	if (canvas->strip == 0 || (columns < length && columns < 5))
		return;
	plait__text_add(canvas->out,
			"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%u\"%s>",
			x + 3, is_region ? y + 9 : y + height / 2 + size * 0.36,
			size, is_region ? " fill=\"#555\"" : "");
	plait__escape_xml(label, columns, canvas->out);
	plait__text_add(canvas->out, "</text>\n");
}

/* Returns the free width for a name; *x is its left end. */
double plait__labels_room(const struct plait__canvas *canvas,
			  uint32_t number, double *x)
{
	const plait__timeline_layout *layout = &canvas->layout;

	*x = plait__canvas_clamped_x(canvas,
				     plait__timeline_shown_span(layout,
								number).start);
	return plait__canvas_clamped_x(canvas, plait__timeline_free_until(
					   layout, number)) -
	       *x - PLAIT__CANVAS_NAME_GAP;
}

void plait__labels_open_halos(plait__text *out)
{
	plait__text_add(out, "<g stroke=\"white\" stroke-width=\"3\" "
			"stroke-opacity=\"0.85\" stroke-linejoin=\"round\" "
			"aria-hidden=\"true\">\n");
}

void plait__labels_close_halos(plait__text *out)
{
	plait__text_add(out, "</g>\n");
}

/* ---- notes ---- */

static bool has_room(const struct plait__canvas *canvas, uint32_t number,
		     const char *label, double room)
{
	return plait__timeline_is_region(&canvas->layout, number) ||
	       plait__escape_columns(label) * PLAIT__CANVAS_COLUMN_SMALL <=
	       room;
}

uint32_t plait__labels_note(struct plait__canvas_notes *notes,
			    uint32_t command)
{
	uint32_t i = 0;

	while (i < notes->count && notes->commands[i] != command)
		i++;
	if (i == PLAIT__CANVAS_NOTES)
		return 0;
	if (i == notes->count)
		notes->commands[notes->count++] = command;
	return i + 1;
}

/* Returns the number of the command's note, from 1; 0: its name fits, or notes
 * are full. */
static uint32_t note_of(const struct plait__canvas *canvas, uint32_t number)
{
	char label[PLAIT__CANVAS_NAME];
	double x, room = plait__labels_room(canvas, number, &x);

	if (canvas->notes == NULL ||
	    has_room(canvas, number,
		     plait__labels_name(canvas, number, label), room))
		return 0;
	return plait__labels_note(canvas->notes, number);
}

void plait__labels_find_note(const struct plait__canvas *canvas,
			     uint32_t number)
{
	(void)note_of(canvas, number);
}

void plait__labels_draw_name(const struct plait__canvas *canvas,
			     uint32_t number)
{
	bool is_region = plait__timeline_is_region(&canvas->layout, number);
	char label[PLAIT__CANVAS_NAME];
	double x, y, height;
	double room = plait__labels_room(canvas, number, &x);

	if (note_of(canvas, number) > 0)
		return;
	plait__canvas_command_box(canvas, number, &y, &height);
	plait__labels_draw(canvas,
			   plait__labels_name(canvas, number, label),
			   is_region, x, y, height, room);
}

/* Position of a note's number: at the foot of its box, below the heads of
 * arrows; `inside`: the box is wide enough. */
struct number {
	uint32_t note;
	bool inside;
	double x, y;
};

static uint32_t digits_of(uint32_t number)
{
	return number > 9 ? 2 : 1;
}

static struct number place_number(uint32_t note, double x, double y,
				  double height, double room)
{
	bool inside = room + PLAIT__CANVAS_NAME_GAP >=
		      (digits_of(note) + 1) * PLAIT__CANVAS_COLUMN_SMALL;

	return (struct number){ .note = note, .inside = inside,
				.x = inside ? x + 3 : x,
				.y = y + height - 2 };
}

static void write_number(const struct plait__canvas *canvas,
			 const struct number *place, const char *text)
{
	plait__text_add(canvas->out, "<text x=\"%.1f\" y=\"%.1f\" "
			"font-size=\"%d\" fill=\"#a00\">%s</text>\n",
			place->x, place->y,
			place->inside ? SIZE_SMALL : SIZE_NUMBER, text);
}

/* Without room for a number, none is drawn. */
void plait__labels_draw_number(const struct plait__canvas *canvas,
			       uint32_t note, double x, double y, double height,
			       double room)
{
	struct number number = place_number(note, x, y, height, room);
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", note);
	if (number.inside || room + PLAIT__CANVAS_NAME_GAP >=
	    digits_of(note) * NUMBER_COLUMN)
		write_number(canvas, &number, text);
}

/* Numbers of a strip, sorted by rows and from left to right. */
struct numbers {
	uint32_t count;
	struct number all[PLAIT__CANVAS_NOTES];
};

static void add_number(const struct plait__canvas *canvas, uint32_t at,
		       struct numbers *numbers)
{
	uint32_t command = canvas->notes->commands[at], i = numbers->count;
	double room, x, y, height;
	struct number number;

	if (!plait__canvas_shows(canvas, plait__timeline_shown_span(&canvas->layout,
								    command)) ||
	    note_of(canvas, command) == 0)
		return;
	room = plait__labels_room(canvas, command, &x);
	plait__canvas_command_box(canvas, command, &y, &height);
	number = place_number(at + 1, x, y, height, room);
	for (; i > 0 && (numbers->all[i - 1].y > number.y ||
			 (numbers->all[i - 1].y == number.y &&
			  numbers->all[i - 1].x > number.x)); i--)
		numbers->all[i] = numbers->all[i - 1];
	numbers->all[i] = number;
	numbers->count++;
}

enum { NUMBERS_BYTES = PLAIT__CANVAS_NOTES * 6 };

/* Write numbers `first` to `last` - 1 as one text: three or more consecutive
 * ones as a range, others with commas. Returns the number of characters. */
static uint32_t join_numbers(const struct numbers *numbers, uint32_t first,
			     uint32_t last, char text[NUMBERS_BYTES])
{
	const struct number *all = numbers->all;
	const char *between = "";
	uint32_t columns = 0;
	size_t bytes = 0;

	for (uint32_t i = first, end; i < last; i = end) {
		for (end = i + 1; end < last &&
		     all[end].note == all[end - 1].note + 1; end++)
			continue;
		if (end - i < 3)
			end = i + 1;
		bytes += (size_t)snprintf(&text[bytes], NUMBERS_BYTES - bytes,
					  "%s%u", between, all[i].note);
		columns += digits_of(all[i].note) + (i > first);
		between = ",";
		if (end - i == 1)
			continue;
		bytes += (size_t)snprintf(&text[bytes], NUMBERS_BYTES - bytes,
					  "\u2013%u", all[end - 1].note);
		columns += digits_of(all[end - 1].note) + 1;
	}
	return columns;
}

/* Numbers that would touch are written as one text. */
void plait__labels_draw_numbers(const struct plait__canvas *canvas)
{
	uint32_t count = canvas->notes != NULL ? canvas->notes->count : 0;
	struct numbers numbers = { 0 };
	char text[NUMBERS_BYTES];

	for (uint32_t i = 0; i < count; i++)
		add_number(canvas, i, &numbers);
	for (uint32_t i = 0, last; i < numbers.count; i = last) {
		const struct number *first = &numbers.all[i];
		uint32_t columns;

		last = i;
		do
			columns = join_numbers(&numbers, i, ++last, text);
		while (last < numbers.count &&
		       numbers.all[last].y == first->y &&
		       numbers.all[last].x <
		       first->x + (columns + 1) * NUMBER_COLUMN);
		write_number(canvas, first, text);
	}
}

/* Draw names after their numbers, from `y` down, or only measure; returns the
 * end. */
double plait__labels_draw_notes(const struct plait__canvas *canvas,
				double y, bool draw)
{
	double x = 6, end = PLAIT__CANVAS_LEFT + canvas->width, width;
	const struct plait__canvas_notes *notes = canvas->notes;
	char label[PLAIT__CANVAS_NAME];

	for (uint32_t i = 0; notes != NULL && i < notes->count; i++) {
		(void)plait__labels_name(canvas, notes->commands[i], label);
		width = (plait__escape_columns(label) + 3) *
			PLAIT__CANVAS_COLUMN;
		if (i == 0 || x + width > end) {
			x = 6;
			y += NOTE;
		}
		if (draw) {
			plait__text_add(canvas->out, "<text x=\"%.1f\" "
					"y=\"%.1f\"><tspan fill=\"#a00\">%u"
					"</tspan> ", x, y, i + 1);
			plait__escape_xml(label, 200, canvas->out);
			plait__text_add(canvas->out, "</text>\n");
		}
		x += width + NOTE_GAP;
	}
	return y;
}
