/* SPDX-License-Identifier: MIT */
/* The words of a node's line in the text form: names, numbers, devices. */
#include "graph/text/parser_state.h"
#include "graph/store/unique_values.h"
#include "base/spelling_hint.h"
#include "base/error.h"

#include <string.h>

plait_status plait__reader_no_memory(struct plait__reader *reader)
{
	return plait__fail(reader->line.error, PLAIT_E_NOMEM,
			   "%s:%u: no memory for the graph",
			   reader->line.name, reader->line.number);
}

plait_status plait__reader_keep(struct plait__reader *reader, plait__word word,
			      const char *what, uint32_t *out)
{
	char text[PLAIT__READER_MAX_NAME + 1];

	if (word.length == 0)
		return plait__line_expected(&reader->line, what, word);
	if (word.length > PLAIT__READER_MAX_NAME)
		return plait__line_fail(&reader->line,
					"a name is longer than %d bytes",
					PLAIT__READER_MAX_NAME);
	if (memchr(word.start, '\0', word.length) != NULL)
		return plait__line_fail(&reader->line, "a NUL in a name");
	memcpy(text, word.start, word.length);
	text[word.length] = '\0';
	*out = plait__store_string(reader->store, text);
	return *out != PLAIT__NONE ? PLAIT_OK : plait__reader_no_memory(reader);
}

/* A name that is defined: it must not hold what separates names. */
plait_status plait__reader_keep_name(struct plait__reader *reader, const char *what,
			      uint32_t *out)
{
	plait__word word;

	(void)plait__line_word(&reader->line, &word);
	for (size_t i = 0; i < word.length; i++)
		if (memchr("=,+", word.start[i], 3) != NULL)
			return plait__line_expected(&reader->line, what,
						    word);
	return plait__reader_keep(reader, word, what, out);
}

plait_status plait__reader_number(struct plait__reader *reader, plait__word key,
				plait__word value, uint64_t maximum,
				uint64_t *out)
{
	char shown[44];

	if (plait__word_number(value, out) && *out <= maximum)
		return PLAIT_OK;
	return plait__line_fail(&reader->line,
				"expected a number from 0 to %llu behind "
				"\"%.*s=\", found \"%s\"",
				(unsigned long long)maximum, (int)key.length,
				key.start, plait__word_show(value, shown));
}

static plait_status no_device(struct plait__reader *reader, const char *name,
			      const char *shown)
{
	plait__choices choices;

	plait__choices_init(&choices, name);
	for (uint32_t i = 0; i < reader->store->devices.count; i++) {
		const plait__input_device *device =
			plait__vector_at(&reader->store->devices, i);

		plait__choices_add(&choices,
				   plait__reader_text(reader, device->name));
	}
	return plait__line_fail(&reader->line,
				"no device \"%s\"%s; write \"device %s "
				"lanes=N\"", shown,
				plait__choices_hint(&choices), shown);
}

static plait_status find_device(struct plait__reader *reader, plait__word word,
				uint32_t *out)
{
	const char *text;
	char shown[44];
	uint32_t name;
	plait_status status;

	if (word.length > 0 && memchr(word.start, ',', word.length) != NULL)
		return plait__line_expected(&reader->line, "\"+\" between "
					    "devices", word);
	status = plait__reader_keep(reader, word, "a device's name", &name);
	if (status != PLAIT_OK)
		return status;
	text = plait__reader_text(reader, name);
	*out = plait__store_find_device(reader->store, text);
	if (*out == PLAIT__NONE)
		return no_device(reader, text, plait__word_show(word, shown));
	return PLAIT_OK;
}

static plait_status read_devices(struct plait__reader *reader, plait__word list,
				 plait__input_node *node)
{
	plait__vector *sets = &reader->store->device_sets;
	uint32_t first = sets->count, device;
	plait__word part;
	plait_status status;

	while (plait__word_part(&list, '+', &part)) {
		status = find_device(reader, part, &device);
		if (status != PLAIT_OK)
			return status;
		for (uint32_t i = first; i < sets->count; i++)
			if (*(uint32_t *)plait__vector_at(sets, i) == device)
				return plait__line_expected(
					&reader->line, "different devices",
					part);
		if (plait__vector_push(sets, &device, 1) == NULL)
			return plait__reader_no_memory(reader);
	}
	if (sets->count - first > UINT16_MAX)
		return plait__line_fail(&reader->line,
					"more than %d devices", UINT16_MAX);
	node->device_count = (uint16_t)(sets->count - first);
	node->device = first;
	if (node->device_count == 1) {
		node->device = *(uint32_t *)plait__vector_at(sets, first);
		plait__vector_cut(sets, first);
	}
	return PLAIT_OK;
}

/* Equal names, equal keys: the place of the name itself. */
static plait_status read_kernel(struct plait__reader *reader,
				plait__word value, plait__input_node *node)
{
	return plait__reader_keep(reader, value, "a kernel's name",
				  &node->affinity);
}

/* "cost = 3" and "cost 3" are three words, and two. */
static bool lacks_equals(plait__word word)
{
	static const char *const names[] = { "cost", "scratch", "device",
					     "kernel", "after", "times",
					     "take" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (plait__word_is(word, names[i]))
			return true;
	return false;
}

static plait_status expected_attribute(const struct plait__reader *reader,
				       const struct plait__reader_draft *draft,
				       plait__word found)
{
	const char *what = "cost=, scratch=, device=, kernel=, after=, "
			   "first, barrier or group";

	if (lacks_equals(found))
		return plait__line_expected(&reader->line, "\"=\" and a value "
					    "right behind it, no space", found);
	if (draft->node.kind == PLAIT__CMD_REGION)
		what = draft->is_case ? "take=, cost=, device= or after=" :
		       "times=, cost=, device= or after=";
	return plait__line_expected(&reader->line, what, found);
}

/* Which attribute it is; 0: none that this kind of node has. */
static uint32_t attribute_of(const struct plait__reader_draft *draft,
			     plait__word key)
{
	bool region = draft->node.kind == PLAIT__CMD_REGION;

	if (plait__word_is(key, "device"))
		return PLAIT__READER_DEVICE;
	if (plait__word_is(key, "cost"))
		return PLAIT__READER_COST;
	if (region)
		return plait__word_is(key, draft->is_case ? "take" : "times") ?
		       PLAIT__READER_TIMES : 0;
	if (plait__word_is(key, "scratch"))
		return PLAIT__READER_SCRATCH;
	return plait__word_is(key, "kernel") ? PLAIT__READER_KERNEL : 0;
}

/* What can be given only once. */
static plait_status note(const struct plait__reader *reader,
			 struct plait__reader_draft *draft,
			 uint32_t attribute, plait__word word)
{
	char shown[44];

	if ((draft->seen & attribute) == 0) {
		draft->seen |= attribute;
		return PLAIT_OK;
	}
	if (attribute == PLAIT__READER_MEANING)
		return plait__line_fail(&reader->line, "expected one of first, "
					"barrier and group, found \"%s\" as "
					"well", plait__word_show(word, shown));
	return plait__line_fail(&reader->line, "expected one \"%s=\", found "
				"another", plait__word_show(word, shown));
}

static plait_status read_value(struct plait__reader *reader, struct plait__reader_draft *draft,
			       plait__word key, plait__word value,
			       plait__word whole)
{
	plait__input_node *node = &draft->node;
	uint32_t attribute = attribute_of(draft, key);
	plait_status status = attribute != 0 ?
			      note(reader, draft, attribute, key) :
			      expected_attribute(reader, draft, whole);

	if (status != PLAIT_OK)
		return status;
	switch (attribute) {
	case PLAIT__READER_COST:
		return plait__reader_number(reader, key, value, INT64_MAX,
					    &node->cost);
	case PLAIT__READER_SCRATCH:
		return plait__reader_number(reader, key, value, INT64_MAX,
					    &node->scratch_bytes);
	case PLAIT__READER_DEVICE:
		return read_devices(reader, value, node);
	case PLAIT__READER_KERNEL:
		return read_kernel(reader, value, node);
	default:
		return plait__reader_number(reader, key, value,
					    UINT32_MAX - 1, &draft->times);
	}
}

static bool read_meaning(plait__word word, plait__input_node *node)
{
	if (node->kind == PLAIT__CMD_REGION)
		return false;
	if (plait__word_is(word, "first"))
		node->meaning = PLAIT__MEANING_FIRST;
	else if (plait__word_is(word, "barrier"))
		node->meaning = PLAIT__MEANING_BARRIER;
	else if (plait__word_is(word, "group"))
		node->meaning = PLAIT__MEANING_GROUP;
	else
		return false;
	return true;
}

plait_status plait__reader_attributes(struct plait__reader *reader,
				    struct plait__reader_draft *draft, uint32_t node)
{
	struct plait__reader_pending pending = { .node = node };
	plait__word word, key = { NULL, 0 }, value = { NULL, 0 };
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK && plait__line_word(&reader->line, &word)) {
		if (!plait__word_split(word, &key, &value))
			key.length = 0;
		if (plait__word_is(key, "after")) {
			status = plait__reader_after(reader, value, pending);
			continue;
		}
		draft->has_other = true;
		if (key.length == 0 && read_meaning(word, &draft->node)) {
			status = note(reader, draft, PLAIT__READER_MEANING,
				      word);
			continue;
		}
		status = read_value(reader, draft, key, value, word);
	}
	return status;
}
