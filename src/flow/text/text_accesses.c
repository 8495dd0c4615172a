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

/* Take the next entry of a list: commas inside of brackets and parentheses are
 * its own. */
static bool next_entry(plait__token *list, plait__token *out)
{
	size_t i = 0;
	bool inside = false;

	if (list->start == NULL)
		return false;
	*out = *list;
	for (; i < list->length && (inside || list->start[i] != ','); i++)
		inside = strchr("])", list->start[i]) == NULL &&
			 (inside || strchr("[(", list->start[i]) != NULL);
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

/* Take "near(1,2)" off "u:near(1,2)"; a colon inside of brackets is a box's. */
static bool split_mapper(plait__token *entry, plait__token *mapper)
{
	*mapper = (plait__token){ NULL, 0 };
	for (size_t i = 0; i < entry->length; i++) {
		if (entry->start[i] == '[')
			return true;
		if (entry->start[i] != ':')
			continue;
		mapper->start = entry->start + i + 1;
		mapper->length = entry->length - i - 1;
		entry->length = i;
		return mapper->length > 0;
	}
	return true;
}

/* "(1,2)" behind a name; no numbers without it. */
static bool split_numbers(plait__token *name, uint64_t numbers[3],
			  uint32_t *count)
{
	const char *open = memchr(name->start, '(', name->length);
	plait__token list;

	*count = 0;
	if (open == NULL)
		return true;
	list.start = open + 1;
	list.length = name->length - (size_t)(open - name->start) - 1;
	name->length = (size_t)(open - name->start);
	if (list.length == 0 || list.start[list.length - 1] != ')')
		return false;
	list.length--;
	*count = plait__text_accesses_numbers(list, ',', numbers, 3);
	return *count <= 3;
}

/* all, own, slice(d), near(x,y,z), cross(x,y,z), even(d) */
static plait_status read_mapper(plait__flow_text *text, plait__token word,
				plait_mapper *out)
{
	static const struct {
		const char *name;
		plait_mapper_kind kind;
		plait_mapper_flags flags;
		uint32_t least, most; /* numbers */
	} known[] = {
		{ "all", PLAIT_MAPPER_ALL, 0, 0, 0 },
		{ "own", PLAIT_MAPPER_ONE_TO_ONE, 0, 0, 0 },
		{ "slice", PLAIT_MAPPER_SLICE, 0, 1, 1 },
		{ "near", PLAIT_MAPPER_NEIGHBORHOOD, 0, 1, 3 },
		{ "cross", PLAIT_MAPPER_NEIGHBORHOOD, PLAIT_MAPPER_NO_CORNERS,
		  1, 3 },
		{ "even", PLAIT_MAPPER_EVEN_SPLIT, 0, 1, 1 },
	};
	plait__token name = word;
	uint32_t count = 0;

	*out = (plait_mapper){ .size = sizeof(*out) };
	if (split_numbers(&name, out->extent, &count))
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (!plait__lexer_is(name, known[i].name) ||
			    count < known[i].least || count > known[i].most)
				continue;
			out->kind = known[i].kind;
			out->flags = known[i].flags;
			out->dimension = (uint32_t)out->extent[0];
			return PLAIT_OK;
		}
	return plait__lexer_expected(&text->line, "all, own, slice(D), even(D), "
				     "near(N,...) or cross(N,...)", word);
}

static plait_status read_entry(plait__flow_text *text, plait__token entry,
			       plait_access_mode mode)
{
	plait_access *access = &text->accesses[text->access_count];
	plait_box *box = &text->boxes[text->access_count];
	const plait__flow_text_data *data;
	plait__token name, ranges, mapper;
	plait_status status = PLAIT_OK;

	if (text->access_count == PLAIT__FLOW_TEXT_ACCESSES)
		return plait__lexer_fail(&text->line, "more than %d accesses",
					 PLAIT__FLOW_TEXT_ACCESSES);
	if (!split_mapper(&entry, &mapper))
		return plait__lexer_expected(&text->line, "NAME:MAPPER",
					     entry);
	if (!split_box(entry, &name, &ranges))
		return plait__lexer_expected(&text->line, "NAME[LOW:HIGH,...]",
					     entry);
	data = plait__text_accesses_find(text, name);
	if (data == NULL)
		return plait__lexer_expected(
			&text->line, "the name of data from a line above",
			name);
	*access = (plait_access){ .size = sizeof(*access), .mode = mode,
				  .data = data->handle };
	if (mapper.start != NULL) {
		access->mapper = &text->mappers[text->access_count];
		status = read_mapper(text, mapper,
				     &text->mappers[text->access_count]);
	}
	if (status == PLAIT_OK && ranges.start != NULL) {
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

plait_status plait__text_accesses_reduce(plait__flow_text *text,
					 plait__token list)
{
	plait_status status = PLAIT_OK;
	plait__token name;

	while (status == PLAIT_OK && plait__lexer_next_part(&list, ',', &name)) {
		const plait__flow_text_data *data =
			plait__text_accesses_find(text, name);
		plait_access *access =
			&text->reductions[text->reduction_count];

		if (data == NULL)
			return plait__lexer_expected(
				&text->line, "the name of data from a line "
				"above", name);
		if (text->reduction_count++ == PLAIT__FLOW_TEXT_REDUCTIONS)
			return plait__lexer_fail(&text->line, "more than %d "
						 "reductions",
						 PLAIT__FLOW_TEXT_REDUCTIONS);
		*access = (plait_access){ .size = sizeof(*access),
					  .mode = PLAIT_ACCESS_REDUCE,
					  .data = data->handle };
	}
	return status;
}
