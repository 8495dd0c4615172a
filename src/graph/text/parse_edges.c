/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form: names of nodes, and edges between names, which are
 * kept until all names are known.
 */
#include "graph/text/parser_state.h"

#include "base/spelling_hint.h"

#include <string.h>

static bool match_name(const void *table, uint32_t at, const void *value)
{
	const struct plait__reader_named *named = plait__vector_at(table, at);
	const struct plait__reader_named *wanted = value;

	return named->scope == wanted->scope && named->name == wanted->name;
}

static plait__index_key key_of(const struct plait__reader *reader,
			       const struct plait__reader_named *named)
{
	return (plait__index_key){
		0, ((uint64_t)named->scope << 32) | named->name, match_name,
		&reader->names, named
	};
}

struct plait__reader_named *plait__reader_find_name(
	struct plait__reader *reader, uint32_t scope, uint32_t name)
{
	struct plait__reader_named wanted = { .scope = scope, .name = name };
	plait__index_key key = key_of(reader, &wanted);
	uint32_t at = plait__index_find(reader->index, &key);

	return at == PLAIT__NONE ? NULL : plait__vector_at(&reader->names, at);
}

plait_status plait__reader_add_name(struct plait__reader *reader,
				    uint32_t name, uint32_t node)
{
	struct plait__reader_named named = {
		reader->scope, name, node, reader->line.number
	};
	plait__index_key key = key_of(reader, &named);

	if (plait__index_reserve(reader->index, &reader->store->allocator) !=
	    0 || plait__vector_push(&reader->names, &named, 1) == NULL)
		return plait__reader_no_memory(reader);
	plait__index_add(reader->index, &key, reader->names.count - 1);
	return PLAIT_OK;
}

plait_status plait__reader_after(struct plait__reader *reader,
				 plait__word list,
				 struct plait__reader_pending pending)
{
	plait__word part;
	plait_status status;

	pending.scope = reader->scope;
	pending.line = reader->line.number;
	while (plait__word_part(&list, ',', &part)) {
		status = plait__reader_keep(reader, part, "a node's name",
					    &pending.before);
		if (status != PLAIT_OK)
			return status;
		if (plait__vector_push(&reader->pendings, &pending, 1) ==
		    NULL)
			return plait__reader_no_memory(reader);
	}
	return PLAIT_OK;
}

plait_status plait__reader_after_above(struct plait__reader *reader,
				       plait__word list)
{
	struct plait__reader_pending pending = { .node = reader->last_node };
	plait_status status;

	if (reader->last_node == PLAIT__NONE ||
	    reader->last_scope != reader->scope)
		return plait__line_fail(&reader->line, "expected a node of "
					"this body above \"after=\", found "
					"none");
	status = plait__reader_after(reader, list, pending);
	return status == PLAIT_OK ? plait__reader_no_more(reader) : status;
}

plait_status plait__reader_after_line(struct plait__reader *reader)
{
	struct plait__reader_pending pending = { .node = PLAIT__NONE };
	plait__word word, key, value;
	plait_status status;

	if (!plait__line_word(&reader->line, &word))
		return plait__line_expected(&reader->line, "a node's name",
					    word);
	if (!plait__word_split(word, &key, &value)) {
		key = word;
		if (!plait__line_word(&reader->line, &value))
			return plait__line_expected(
				&reader->line, "the nodes it comes after",
				value);
	}
	if (key.length > 0 && memchr(key.start, ',', key.length) != NULL)
		return plait__line_expected(&reader->line, "one node, and then "
					    "those it comes after", key);
	status = plait__reader_keep(reader, key, "a node's name",
				    &pending.after);
	if (status == PLAIT_OK)
		status = plait__reader_after(reader, value, pending);
	if (status == PLAIT_OK)
		status = plait__reader_no_more(reader);
	return status;
}

/* Or it may be misspelt; there are too many to name them all. */
static plait_status nowhere(const struct plait__reader *reader, uint32_t scope,
			    const char *text)
{
	plait__choices choices;

	plait__choices_init(&choices, text);
	for (uint32_t i = 0; i < reader->names.count; i++) {
		const struct plait__reader_named *named =
			plait__vector_at(&reader->names, i);

		if (named->scope == scope)
			plait__choices_add(&choices, plait__reader_text(
						   reader, named->name));
	}
	return plait__line_fail(&reader->line, "no node \"%s\" in this body%s",
				text, plait__choices_hint(&choices));
}

/* It may be in another body, which edges do not reach. */
static plait_status not_here(const struct plait__reader *reader, uint32_t scope,
			     uint32_t name)
{
	const char *text = plait__reader_text(reader, name);

	for (uint32_t i = 0; i < reader->names.count; i++) {
		const struct plait__reader_named *named =
			plait__vector_at(&reader->names, i);

		if (named->name == name)
			return plait__line_fail(&reader->line,
						"no node \"%s\" in this body; "
						"that of line %u is in "
						"another", text, named->line);
	}
	return nowhere(reader, scope, text);
}

static plait_status resolve(struct plait__reader *reader,
			    const struct plait__reader_pending *pending)
{
	const struct plait__reader_named *before, *after;
	uint32_t node = pending->node;

	reader->line.number = pending->line;
	before = plait__reader_find_name(reader, pending->scope, pending->before);
	if (before == NULL)
		return not_here(reader, pending->scope,
				pending->before);
	if (node == PLAIT__NONE) {
		after = plait__reader_find_name(reader, pending->scope,
						pending->after);
		if (after == NULL)
			return not_here(reader, pending->scope,
					pending->after);
		node = after->node;
	}
	if (before->node == node)
		return plait__line_fail(&reader->line,
					"\"%s\" comes after itself",
					plait__reader_text(reader,
							   pending->before));
	if (plait__store_edge(reader->store, pending->scope, before->node,
			      node) != 0)
		return plait__reader_no_memory(reader);
	return PLAIT_OK;
}

plait_status plait__reader_resolve_edges(struct plait__reader *reader)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < reader->pendings.count; i++)
		status = resolve(reader,
				 plait__vector_at(&reader->pendings, i));
	return status;
}
