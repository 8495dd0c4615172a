/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form into a store, line by line: nodes and devices are read
 * here, their words in parse_attributes.c, bodies in parse_regions.c, and edges, which
 * are resolved at the end so that a name may be used before its line, in
 * parse_edges.c.
 */
#include "graph/text/parser.h"

#include "graph/text/parser_state.h"
#include "graph/store/unique_values.h"

#include <string.h>

/* A second line of a node may only add what it comes after. */
static plait_status read_again(struct plait__reader *reader,
			       struct plait__reader_draft *draft,
			       const struct plait__reader_named *named)
{
	uint32_t line = named->line, pendings = reader->pendings.count;
	plait_status status;

	reader->last_node = named->node;
	reader->last_scope = reader->scope;
	status = plait__reader_attributes(reader, draft, named->node);
	if (status == PLAIT_OK &&
	    (draft->has_other || reader->pendings.count == pendings))
		return plait__line_fail(&reader->line,
					"\"%s\" is defined in line %u; only "
					"after= can be added",
					plait__reader_text(reader, draft->name), line);
	return status;
}

plait_status plait__reader_start_node(struct plait__reader *reader,
				      struct plait__reader_draft *draft,
				      uint8_t kind)
{
	*draft = (struct plait__reader_draft){
		.node = { .kind = kind, .cost = 1, .link = PLAIT__NONE,
			  .file = PLAIT__NONE,
			  .line = reader->line.number },
	};
	if (kind == PLAIT__CMD_REGION)
		draft->node.cost = 0;
	return plait__reader_keep_name(reader, "a name without '=', ',' or "
				       "'+'", &draft->name);
}

uint32_t plait__reader_next_node(const struct plait__reader *reader)
{
	return plait__store_scope_at(reader->store,
				     reader->scope)->nodes.count;
}

plait_status plait__reader_finish_node(struct plait__reader *reader,
				       struct plait__reader_draft *draft)
{
	uint32_t at;

	/* Without a device of its own it is on the first one. */
	if (draft->node.device_count == 0)
		draft->node.device_count = 1;
	draft->node.label = draft->name;
	reader->last_node = plait__reader_next_node(reader);
	reader->last_scope = reader->scope;
	at = plait__store_push(reader->store, reader->scope, &draft->node,
			       NULL, 0);
	return at != PLAIT__NONE ? PLAIT_OK : plait__reader_no_memory(reader);
}

static plait_status read_node(struct plait__reader *reader)
{
	struct plait__reader_draft draft;
	const struct plait__reader_named *named;
	uint32_t node = plait__reader_next_node(reader);
	plait_status status = plait__reader_start_node(reader, &draft,
						       PLAIT__CMD_LAUNCH);

	if (status != PLAIT_OK)
		return status;
	named = plait__reader_find_name(reader, reader->scope, draft.name);
	if (named != NULL)
		return read_again(reader, &draft, named);
	status = plait__reader_add_name(reader, draft.name, node);
	if (status == PLAIT_OK)
		status = plait__reader_attributes(reader, &draft, node);
	if (status == PLAIT_OK)
		status = plait__reader_finish_node(reader, &draft);
	return status;
}

plait_status plait__reader_no_more(struct plait__reader *reader)
{
	plait__word word;

	if (plait__line_word(&reader->line, &word))
		return plait__line_expected(&reader->line,
					    "the end of the line", word);
	return PLAIT_OK;
}

/* ---- devices ---- */

static plait_status read_device(struct plait__reader *reader)
{
	plait__word word, key, value;
	uint64_t lanes = 0;
	uint32_t name;
	plait_status status = plait__reader_keep_name(reader, "a device's name", &name);

	if (status != PLAIT_OK)
		return status;
	if (plait__store_find_device(reader->store,
				     plait__reader_text(reader, name)) !=
	    PLAIT__NONE)
		return plait__line_fail(&reader->line,
					"device \"%s\" is defined before",
					plait__reader_text(reader, name));
	if (!plait__line_word(&reader->line, &word) ||
	    !plait__word_split(word, &key, &value) ||
	    !plait__word_is(key, "lanes"))
		return plait__line_expected(&reader->line, "lanes=N, the most "
					    "lanes of this device (0: what "
					    "--lanes says)", word);
	status = plait__reader_number(reader, key, value, UINT32_MAX - 1, &lanes);
	if (status != PLAIT_OK)
		return status;
	if (plait__store_device_named(reader->store, name, (uint32_t)lanes,
				      NULL) == PLAIT__NONE)
		return plait__reader_no_memory(reader);
	return plait__reader_no_more(reader);
}

static plait_status read_line(struct plait__reader *reader)
{
	plait__word word, key, value;

	(void)plait__line_word(&reader->line, &word);
	if (plait__word_is(word, "node"))
		return read_node(reader);
	if (plait__word_split(word, &key, &value) &&
	    plait__word_is(key, "after"))
		return plait__reader_after_above(reader, value);
	if (plait__word_is(word, "after"))
		return plait__reader_after_line(reader);
	if (plait__word_is(word, "device"))
		return PLAIT_OK; /* read before all others */
	if (plait__word_is(word, "while"))
		return plait__reader_region(reader, PLAIT__REGION_WHILE);
	if (plait__word_is(word, "do"))
		return plait__reader_region(reader, PLAIT__REGION_DO);
	if (plait__word_is(word, "case"))
		return plait__reader_region(reader, PLAIT__REGION_CASE);
	if (plait__word_is(word, "branch"))
		return plait__reader_branch(reader);
	if (plait__word_is(word, "end"))
		return plait__reader_close_body(reader);
	return plait__line_expected(&reader->line,
				    "device, node, after, while, do, case, "
				    "branch or end", word);
}

/* ---- before and after the lines ---- */

/* The bodies of a case must be known when its line is read, and devices may
 * stand below the nodes that name them. */
static plait_status read_ahead(struct plait__reader *reader)
{
	plait_status status = PLAIT_OK;
	plait__vector stack;	/* uint32_t: place in branches, or none */
	plait__word word;

	plait__vector_init(&stack, &reader->store->allocator,
			   sizeof(uint32_t));
	while (status == PLAIT_OK && plait__line_next(&reader->line)) {
		(void)plait__line_word(&reader->line, &word);
		status = plait__word_is(word, "device") ?
			 read_device(reader) :
			 plait__reader_count_branches(reader, &stack, word);
	}
	plait__vector_fini(&stack);
	if (status == PLAIT_OK && reader->store->devices.count == 0 &&
	    plait__store_device(reader->store, "host", 0, NULL) == PLAIT__NONE)
		status = plait__reader_no_memory(reader);
	return status;
}

static void init(struct plait__reader *reader, plait__store *store)
{
	const plait_allocator *allocator = &store->allocator;

	reader->store = store;
	reader->last_node = PLAIT__NONE;
	plait__vector_init(&reader->names, allocator, sizeof(struct plait__reader_named));
	plait__vector_init(&reader->pendings, allocator,
			   sizeof(struct plait__reader_pending));
	plait__vector_init(&reader->opens, allocator, sizeof(struct plait__reader_open));
	plait__vector_init(&reader->branches, allocator, sizeof(uint32_t));
	reader->index = plait__index_create(allocator);
}

static void fini(struct plait__reader *reader)
{
	plait__vector_fini(&reader->names);
	plait__vector_fini(&reader->pendings);
	plait__vector_fini(&reader->opens);
	plait__vector_fini(&reader->branches);
	plait__index_destroy(&reader->store->allocator, reader->index);
}

plait_status plait__store_read(plait__store *store, const char *text,
			       uint64_t bytes, const char *name,
			       plait_error *error)
{
	struct plait__reader reader = { 0 };
	plait_status status;

	init(&reader, store);
	plait__line_init(&reader.line, text, bytes, name, error);
	status = reader.index != NULL ? read_ahead(&reader) :
		 plait__reader_no_memory(&reader);
	plait__line_init(&reader.line, text, bytes, name, error);
	if (status == PLAIT_OK &&
	    plait__store_set_text_name(store, reader.line.name) != 0)
		status = plait__reader_no_memory(&reader);
	while (status == PLAIT_OK && plait__line_next(&reader.line))
		status = read_line(&reader);
	if (status == PLAIT_OK)
		status = plait__reader_check_closed(&reader);
	if (status == PLAIT_OK)
		status = plait__reader_resolve_edges(&reader);
	fini(&reader);
	return status;
}
