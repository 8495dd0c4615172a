/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form into a store: lines, bodies and names.  Edges are
 * collected by name and resolved at the end, so that a name may be used
 * before its line.
 */
#include "graph/read.h"

#include "graph/reader.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BRANCHES = 65535 };

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

static struct plait__reader_named *find_name(struct plait__reader *reader, uint32_t scope,
			       uint32_t name)
{
	struct plait__reader_named wanted = { .scope = scope, .name = name };
	plait__index_key key = key_of(reader, &wanted);
	uint32_t at = plait__index_find(reader->index, &key);

	return at == PLAIT__NONE ? NULL : plait__vector_at(&reader->names, at);
}

static plait_status add_name(struct plait__reader *reader, uint32_t name,
			     uint32_t node)
{
	struct plait__reader_named named = { reader->scope, name, node,
			       reader->line.number };
	plait__index_key key = key_of(reader, &named);

	if (plait__index_reserve(reader->index, &reader->store->allocator) !=
	    0 || plait__vector_push(&reader->names, &named, 1) == NULL)
		return plait__reader_no_memory(reader);
	plait__index_add(reader->index, &key, reader->names.count - 1);
	return PLAIT_OK;
}

/* A second line of a node may only add what it comes after. */
static plait_status read_again(struct plait__reader *reader, struct plait__reader_draft *draft,
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

static plait_status start_node(struct plait__reader *reader, struct plait__reader_draft *draft,
			       uint8_t kind)
{
	*draft = (struct plait__reader_draft){
		.node = { .kind = kind, .cost = 1, .link = PLAIT__NONE,
			  .file = PLAIT__NONE,
			  .line = reader->line.number },
	};
	if (kind == PLAIT__CMD_REGION)
		draft->node.cost = 0;
	return plait__reader_keep_name(reader, "a name without '=', ',' or '+'",
			 &draft->name);
}

static uint32_t next_node(const struct plait__reader *reader)
{
	return plait__store_scope_at(reader->store,
				     reader->scope)->nodes.count;
}

static plait_status finish_node(struct plait__reader *reader, struct plait__reader_draft *draft)
{
	uint32_t at;

	/* Without a device of its own it is on the first one. */
	if (draft->node.device_count == 0)
		draft->node.device_count = 1;
	draft->node.label = draft->name;
	reader->last_node = next_node(reader);
	reader->last_scope = reader->scope;
	at = plait__store_push(reader->store, reader->scope, &draft->node,
			       NULL, 0);
	return at != PLAIT__NONE ? PLAIT_OK : plait__reader_no_memory(reader);
}

static plait_status read_node(struct plait__reader *reader)
{
	struct plait__reader_draft draft;
	const struct plait__reader_named *named;
	plait_status status = start_node(reader, &draft, PLAIT__CMD_LAUNCH);

	if (status != PLAIT_OK)
		return status;
	named = find_name(reader, reader->scope, draft.name);
	if (named != NULL)
		return read_again(reader, &draft, named);
	status = add_name(reader, draft.name, next_node(reader));
	if (status == PLAIT_OK)
		status = plait__reader_attributes(reader, &draft, next_node(reader));
	if (status == PLAIT_OK)
		status = finish_node(reader, &draft);
	return status;
}

/* ---- regions ---- */

static plait_status check_times(struct plait__reader *reader,
				const struct plait__reader_draft *draft)
{
	if (draft->seen & PLAIT__READER_TIMES)
		return PLAIT_OK;
	return plait__line_fail(&reader->line, "expected %s, found none",
				draft->is_case ?
				"take=K, the branch to expect" :
				"times=N, how often it runs");
}

static plait_status open_region(struct plait__reader *reader,
				struct plait__reader_draft *draft, uint32_t kind)
{
	bool is_case = kind == PLAIT__REGION_CASE;
	uint32_t bodies = is_case ?
		*(uint32_t *)plait__vector_at(&reader->branches,
					      reader->next_case++) : 1;
	plait__input_region region = {
		.kind = kind, .scope_count = bodies,
		.predicate = PLAIT__NONE, .times = (uint32_t)draft->times,
	};
	struct plait__reader_open open = { .scope = reader->scope,
			     .node = next_node(reader),
			     .line = reader->line.number };
	plait_status status = check_times(reader, draft);

	if (status != PLAIT_OK)
		return status;
	open.region = plait__store_region_add(reader->store, reader->scope,
					      &region);
	if (open.region == PLAIT__NONE ||
	    plait__vector_push(&reader->opens, &open, 1) == NULL)
		return plait__reader_no_memory(reader);
	draft->node.link = open.region;
	return PLAIT_OK;
}

static void enter_branch(struct plait__reader *reader, struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);

	reader->scope = region->input.scope_first + open->branch;
}

static plait_status read_region(struct plait__reader *reader, uint32_t kind)
{
	struct plait__reader_draft draft;
	plait_status status = start_node(reader, &draft, PLAIT__CMD_REGION);

	draft.is_case = kind == PLAIT__REGION_CASE;
	if (status == PLAIT_OK &&
	    find_name(reader, reader->scope, draft.name) != NULL)
		return plait__line_fail(&reader->line,
					"\"%s\" is defined before",
					plait__reader_text(reader, draft.name));
	if (status == PLAIT_OK)
		status = add_name(reader, draft.name, next_node(reader));
	if (status == PLAIT_OK)
		status = plait__reader_attributes(reader, &draft, next_node(reader));
	if (status == PLAIT_OK)
		status = open_region(reader, &draft, kind);
	if (status == PLAIT_OK)
		status = finish_node(reader, &draft);
	if (status == PLAIT_OK)
		enter_branch(reader, plait__vector_at(&reader->opens,
						      reader->opens.count -
						      1));
	return status;
}

static plait_status expect_line_end(struct plait__reader *reader)
{
	plait__word word;

	if (plait__line_word(&reader->line, &word))
		return plait__line_expected(&reader->line,
					    "the end of the line", word);
	return PLAIT_OK;
}

static struct plait__reader_open *last_open(struct plait__reader *reader)
{
	return reader->opens.count == 0 ? NULL :
	       plait__vector_at(&reader->opens, reader->opens.count - 1);
}

/* Of a case that ends: its line is the one to mend. */
static plait_status check_take(struct plait__reader *reader,
			       const struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);
	uint32_t branches = region->input.scope_count;
	uint32_t take = region->input.times, end = reader->line.number;

	if (region->input.kind != PLAIT__REGION_CASE || take < branches)
		return PLAIT_OK;
	reader->line.number = open->line;
	return plait__line_fail(&reader->line, "expected take=K, K from 0 to "
				"%u: there %s %u branch%s up to \"end\" in "
				"line %u; found take=%u", branches - 1,
				branches == 1 ? "is" : "are", branches,
				branches == 1 ? "" : "es", end, take);
}

/* One empty branch is a case that was forgotten; several may be empty. */
static plait_status check_branches(struct plait__reader *reader,
				   const struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);
	const plait__store_scope *body = plait__store_scope_at(
		reader->store, region->input.scope_first);
	const plait__input_node *node = plait__vector_at(
		&plait__store_scope_at(reader->store, open->scope)->nodes,
		open->node);

	if (region->input.kind != PLAIT__REGION_CASE || open->branch > 0 ||
	    body->nodes.count > 0)
		return PLAIT_OK;
	return plait__line_fail(&reader->line,
				"case \"%s\" of line %u has no branches: "
				"expected nodes, or \"branch\", before "
				"\"end\"",
				plait__reader_text(reader, node->label),
				open->line);
}

static plait_status read_end(struct plait__reader *reader)
{
	struct plait__reader_open *open = last_open(reader);
	plait_status status;

	if (open == NULL)
		return plait__line_fail(&reader->line, "\"end\" without "
					"while, do or case");
	status = check_branches(reader, open);
	if (status == PLAIT_OK)
		status = check_take(reader, open);
	if (status != PLAIT_OK)
		return status;
	reader->scope = open->scope;
	reader->last_scope = open->scope;
	reader->last_node = open->node;
	plait__vector_cut(&reader->opens, reader->opens.count - 1);
	return expect_line_end(reader);
}

static plait_status read_branch(struct plait__reader *reader)
{
	struct plait__reader_open *open = last_open(reader);
	const plait__store_region *region = open == NULL ? NULL :
		plait__vector_at(&reader->store->regions, open->region);

	if (region == NULL || region->input.kind != PLAIT__REGION_CASE)
		return plait__line_fail(&reader->line,
					"\"branch\" outside of a case");
	open->branch++;
	enter_branch(reader, open);
	return expect_line_end(reader);
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
	return expect_line_end(reader);
}

/* ---- other lines ---- */

/* after=A,B on a line of its own: for the node above, in the same body. */
static plait_status read_after_above(struct plait__reader *reader,
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
	return status == PLAIT_OK ? expect_line_end(reader) : status;
}

static plait_status read_after_line(struct plait__reader *reader)
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
	status = plait__reader_keep(reader, key, "a node's name", &pending.after);
	if (status == PLAIT_OK)
		status = plait__reader_after(reader, value, pending);
	if (status == PLAIT_OK)
		status = expect_line_end(reader);
	return status;
}

static plait_status read_line(struct plait__reader *reader)
{
	plait__word word, key, value;

	(void)plait__line_word(&reader->line, &word);
	if (plait__word_is(word, "node"))
		return read_node(reader);
	if (plait__word_split(word, &key, &value) &&
	    plait__word_is(key, "after"))
		return read_after_above(reader, value);
	if (plait__word_is(word, "after"))
		return read_after_line(reader);
	if (plait__word_is(word, "device"))
		return PLAIT_OK; /* read before all others */
	if (plait__word_is(word, "while"))
		return read_region(reader, PLAIT__REGION_WHILE);
	if (plait__word_is(word, "do"))
		return read_region(reader, PLAIT__REGION_DO);
	if (plait__word_is(word, "case"))
		return read_region(reader, PLAIT__REGION_CASE);
	if (plait__word_is(word, "branch"))
		return read_branch(reader);
	if (plait__word_is(word, "end"))
		return read_end(reader);
	return plait__line_expected(&reader->line,
				    "device, node, after, while, do, case, "
				    "branch or end", word);
}

/* ---- before and after the lines ---- */

static bool opens_body(plait__word word)
{
	return plait__word_is(word, "while") || plait__word_is(word, "do") ||
	       plait__word_is(word, "case");
}

/* A line that opens, parts or closes a body, while branches are counted. */
static plait_status count_line(struct plait__reader *reader,
			       plait__vector *stack, plait__word word)
{
	uint32_t *top = stack->count == 0 ? NULL :
			plait__vector_at(stack, stack->count - 1);
	uint32_t one = 1, place = PLAIT__NONE, *bodies;

	if (plait__word_is(word, "end") && top != NULL) {
		plait__vector_cut(stack, stack->count - 1);
	} else if (plait__word_is(word, "branch") && top != NULL &&
		   *top != PLAIT__NONE) {
		bodies = plait__vector_at(&reader->branches, *top);
		if (++*bodies > MAX_BRANCHES)
			return plait__line_fail(&reader->line,
						"more than %d branches",
						MAX_BRANCHES);
	} else if (opens_body(word)) {
		if (plait__word_is(word, "case")) {
			place = reader->branches.count;
			if (plait__vector_push(&reader->branches, &one, 1) ==
			    NULL)
				return plait__reader_no_memory(reader);
		}
		if (plait__vector_push(stack, &place, 1) == NULL)
			return plait__reader_no_memory(reader);
	}
	return PLAIT_OK;
}

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
			 count_line(reader, &stack, word);
	}
	plait__vector_fini(&stack);
	if (status == PLAIT_OK && reader->store->devices.count == 0 &&
	    plait__store_device(reader->store, "host", 0, NULL) == PLAIT__NONE)
		status = plait__reader_no_memory(reader);
	return status;
}

/* It may be in another body, which edges do not reach. */
static plait_status not_here(const struct plait__reader *reader, uint32_t name)
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
	return plait__line_fail(&reader->line, "no node \"%s\" in this body",
				text);
}

static plait_status resolve(struct plait__reader *reader,
			    const struct plait__reader_pending *pending)
{
	const struct plait__reader_named *before, *after;
	uint32_t node = pending->node;

	reader->line.number = pending->line;
	before = find_name(reader, pending->scope, pending->before);
	if (before == NULL)
		return not_here(reader, pending->before);
	if (node == PLAIT__NONE) {
		after = find_name(reader, pending->scope, pending->after);
		if (after == NULL)
			return not_here(reader, pending->after);
		node = after->node;
	}
	if (before->node == node)
		return plait__line_fail(&reader->line,
					"\"%s\" comes after itself",
					plait__reader_text(reader, pending->before));
	if (plait__store_edge(reader->store, pending->scope, before->node,
			      node) != 0)
		return plait__reader_no_memory(reader);
	return PLAIT_OK;
}

static plait_status resolve_all(struct plait__reader *reader)
{
	const struct plait__reader_open *open = last_open(reader);
	plait_status status = PLAIT_OK;

	if (open != NULL) {
		reader->line.number = open->line;
		return plait__line_fail(&reader->line,
					"no \"end\" for what starts here");
	}
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < reader->pendings.count; i++)
		status = resolve(reader,
				 plait__vector_at(&reader->pendings, i));
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
		status = resolve_all(&reader);
	fini(&reader);
	return status;
}
