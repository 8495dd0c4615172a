/* SPDX-License-Identifier: MIT */
/* Accesses of a task in a text; see text_accesses.h. */
#include "flow/text/text_accesses.h"

#include <string.h>

plait__flow_text_data *plait__text_accesses_find(const plait__flow_text *text,
						 plait__token name)
{
	for (uint32_t i = 0; i < text->data.count; i++) {
		plait__flow_text_data *data = plait__vector_at(&text->data, i);

		if (plait__lexer_is(name, data->name))
			return data;
	}
	return NULL;
}

uint32_t plait__text_accesses_numbers(plait__token list, char separator,
				      uint64_t *out, uint32_t room)
{
	plait__token part;
	uint32_t count = 0;

	while (plait__lexer_next_part(&list, separator, &part)) {
		if (count == room || !plait__lexer_number(part, &out[count]))
			return room + 1;
		count++;
	}
	return count;
}

/* Take the next entry of a list: commas inside of brackets are its own. */
static bool next_entry(plait__token *list, plait__token *out)
{
	size_t i = 0;
	bool inside = false;

	if (list->start == NULL)
		return false;
	*out = *list;
	for (; i < list->length && (inside || list->start[i] != ','); i++)
		inside = list->start[i] != ']' &&
			 (inside || list->start[i] == '[');
	out->length = i;
	if (i == list->length) {
		*list = (plait__token){ NULL, 0 };
	} else {
		list->start += i + 1;
		list->length -= i + 1;
	}
	return true;
}

/* "0:4,2:3" */
static plait_status read_box(plait__flow_text *text, plait__token ranges,
			     uint32_t dimensions, plait_box *out)
{
	plait__token all = ranges, range;
	uint64_t ends[2];
	uint32_t d = 0;

	*out = (plait_box){ { 0, 0, 0 }, { 1, 1, 1 } };
	while (plait__lexer_next_part(&ranges, ',', &range)) {
		if (d == dimensions ||
		    plait__text_accesses_numbers(range, ':', ends, 2) != 2)
			return plait__lexer_expected(
				&text->line, "a range LOW:HIGH for each "
				"dimension", all);
		out->low[d] = ends[0];
		out->high[d++] = ends[1];
	}
	return d == dimensions ? PLAIT_OK :
	       plait__lexer_expected(&text->line,
				     "a range LOW:HIGH for each dimension",
				     all);
}

/* Divide "u[...]" into the name and what is in the brackets. */
static bool split_box(plait__token entry, plait__token *name,
		      plait__token *ranges)
{
	const char *open = entry.length == 0 ? NULL :
			   memchr(entry.start, '[', entry.length);

	*name = entry;
	*ranges = (plait__token){ NULL, 0 };
	if (open == NULL)
		return true;
	name->length = (size_t)(open - entry.start);
	ranges->start = open + 1;
	ranges->length = entry.length - name->length - 1;
	if (ranges->length == 0 || open[ranges->length] != ']')
		return false;
	ranges->length--;
	return true;
}

static plait_status read_entry(plait__flow_text *text, plait__token entry,
			       plait_access_mode mode)
{
	plait_access *access = &text->accesses[text->access_count];
	plait_box *box = &text->boxes[text->access_count];
	const plait__flow_text_data *data;
	plait__token name, ranges;
	plait_status status = PLAIT_OK;

	if (text->access_count == PLAIT__FLOW_TEXT_ACCESSES)
		return plait__lexer_fail(&text->line, "more than %d accesses",
					 PLAIT__FLOW_TEXT_ACCESSES);
	if (!split_box(entry, &name, &ranges))
		return plait__lexer_expected(&text->line, "NAME[LOW:HIGH,...]",
					     entry);
	data = plait__text_accesses_find(text, name);
	if (data == NULL)
		return plait__lexer_expected(
			&text->line, "the name of data from a line above",
			name);
	*access = (plait_access){ sizeof(*access), mode, data->handle, NULL };
	if (ranges.start != NULL) {
		status = read_box(text, ranges, data->dimensions, box);
		access->box = box;
	}
	text->access_count++;
	return status;
}

plait_status plait__text_accesses_read(plait__flow_text *text,
				       plait__token list,
				       plait_access_mode mode)
{
	plait_status status = PLAIT_OK;
	plait__token entry;

	while (status == PLAIT_OK && next_entry(&list, &entry))
		status = read_entry(text, entry, mode);
	return status;
}
