/* SPDX-License-Identifier: MIT */
/* Attributes of a node line: key=value tokens and meanings on devices. */
#include "graph/text/parse_attributes.h"

#include "graph/text/parse_device.h"
#include "graph/text/parse_edges.h"
#include "graph/text/parse_resources.h"
#include "graph/text/parse_temporaries.h"

#include <string.h>

/* Read "A+B" into the node: one index, or several in the table of sets. */
static plait_status read_devices(struct plait__parser *parser,
				 plait__token list, plait__input_node *node)
{
	plait__vector *sets = &parser->store->device_sets;
	uint32_t first = sets->count, device;
	plait__token part;
	plait_status status;

	while (plait__lexer_next_part(&list, '+', &part)) {
		status = plait__parse_device(parser, part, &device);
		if (status != PLAIT_OK)
			return status;
		for (uint32_t i = first; i < sets->count; i++)
			if (*(uint32_t *)plait__vector_at(sets, i) == device)
				return plait__lexer_expected(
					&parser->line, "different devices",
					part);
		if (plait__vector_push(sets, &device, 1) == NULL)
			return plait__parser_no_memory(parser);
	}
	if (sets->count - first > UINT16_MAX)
		return plait__lexer_fail(&parser->line,
					 "more than %d devices", UINT16_MAX);
	node->device_count = (uint16_t)(sets->count - first);
	node->device = first;
	if (node->device_count == 1) {
		node->device = *(uint32_t *)plait__vector_at(sets, first);
		plait__vector_truncate(sets, first);
	}
	return PLAIT_OK;
}

/* Strings are unique in the store, so the name's offset serves as affinity. */
static plait_status read_kernel(struct plait__parser *parser,
				plait__token value, plait__input_node *node)
{
	return plait__parser_string(parser, value, "a kernel's name",
				    &node->affinity);
}

/* Returns true for a key without "=", as in "cost = 3" and "cost 3". */
static bool lacks_equals(plait__token token)
{
	static const char *const names[] = { "cost", "scratch", "device",
					     "kernel", "after", "times",
					     "take", "reads", "writes",
					     "needs", "priority" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (plait__lexer_is(token, names[i]))
			return true;
	return false;
}

static plait_status expected_attribute(const struct plait__parser *parser,
				       const struct plait__parser_draft *draft,
				       plait__token found)
{
	const char *what = "cost=, scratch=, device=, kernel=, after=, "
			   "reads=, writes=, needs=, priority=, first, "
			   "barrier or group";

	if (lacks_equals(found))
		return plait__lexer_expected(&parser->line, "\"=\" and a value "
					     "right after it, no space", found);
	if (draft->node.kind == PLAIT__CMD_REGION)
		what = draft->is_case ?
		       "take=, cost=, device=, needs=, priority= or after=" :
		       "times=, cost=, device=, needs=, priority= or after=";
	return plait__lexer_expected(&parser->line, what, found);
}

/* Return the attribute's bit, or 0 when this kind of node has no such one. */
static uint32_t attribute_of(const struct plait__parser_draft *draft,
			     plait__token key)
{
	bool region = draft->node.kind == PLAIT__CMD_REGION;

	if (plait__lexer_is(key, "device"))
		return PLAIT__PARSER_DEVICE;
	if (plait__lexer_is(key, "cost"))
		return PLAIT__PARSER_COST;
	if (plait__lexer_is(key, "priority"))
		return PLAIT__PARSER_PRIORITY;
	if (region)
		return plait__lexer_is(key, draft->is_case ? "take" : "times") ?
		       PLAIT__PARSER_TIMES : 0;
	if (plait__lexer_is(key, "scratch"))
		return PLAIT__PARSER_SCRATCH;
	return plait__lexer_is(key, "kernel") ? PLAIT__PARSER_KERNEL : 0;
}

/* Record an attribute; refuse its second occurrence. */
static plait_status mark_seen(const struct plait__parser *parser,
			      struct plait__parser_draft *draft,
			      uint32_t attribute, plait__token token)
{
	char shown[44];

	if ((draft->seen & attribute) == 0) {
		draft->seen |= attribute;
		return PLAIT_OK;
	}
	if (attribute == PLAIT__PARSER_MEANING)
		return plait__lexer_fail(&parser->line,
					 "expected one of first, "
					 "barrier and group, found \"%s\" as "
					 "well",
					 plait__lexer_show(token, shown));
	return plait__lexer_fail(&parser->line, "expected one \"%s=\", found "
				 "another", plait__lexer_show(token, shown));
}

/* Read one key=value token into the draft; `whole` is the token, for errors. */
static plait_status read_value(struct plait__parser *parser,
			       struct plait__parser_draft *draft,
			       plait__token key, plait__token value,
			       plait__token whole)
{
	plait__input_node *node = &draft->node;
	uint32_t attribute = attribute_of(draft, key);
	plait_status status = attribute != 0 ?
			      mark_seen(parser, draft, attribute, key) :
			      expected_attribute(parser, draft, whole);

	if (status != PLAIT_OK)
		return status;
	switch (attribute) {
	case PLAIT__PARSER_COST:
		return plait__parser_number(parser, key, value, INT64_MAX,
					    &node->cost);
	case PLAIT__PARSER_SCRATCH:
		return plait__parser_number(parser, key, value, INT64_MAX,
					    &node->scratch_bytes);
	case PLAIT__PARSER_DEVICE:
		return read_devices(parser, value, node);
	case PLAIT__PARSER_KERNEL:
		return read_kernel(parser, value, node);
	case PLAIT__PARSER_PRIORITY:
		return plait__parse_priority(parser, value, &node->priority);
	default:
		return plait__parser_number(parser, key, value,
					    UINT32_MAX - 1, &draft->times);
	}
}

static bool read_meaning(plait__token token, plait__input_node *node)
{
	if (node->kind == PLAIT__CMD_REGION)
		return false;
	if (plait__lexer_is(token, "first"))
		node->meaning = PLAIT__MEANING_FIRST;
	else if (plait__lexer_is(token, "barrier"))
		node->meaning = PLAIT__MEANING_BARRIER;
	else if (plait__lexer_is(token, "group"))
		node->meaning = PLAIT__MEANING_GROUP;
	else
		return false;
	return true;
}

/* Returns true for reads= and writes=, which may be repeated. */
static bool names_temporaries(const struct plait__parser_draft *draft,
			      plait__token key)
{
	return draft->node.kind != PLAIT__CMD_REGION &&
	       (plait__lexer_is(key, "reads") ||
		plait__lexer_is(key, "writes"));
}

plait_status plait__parse_attributes(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     uint32_t node)
{
	struct plait__parser_edge edge = { .node = node };
	plait__token token, key = { NULL, 0 }, value = { NULL, 0 };
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK &&
	       plait__lexer_next_token(&parser->line, &token)) {
		if (!plait__lexer_split(token, &key, &value))
			key.length = 0;
		if (plait__lexer_is(key, "after")) {
			status = plait__parse_after_list(parser, value, edge);
			continue;
		}
		draft->has_other = true;
		if (plait__lexer_is(key, "needs")) {
			status = plait__parse_needs(parser, value, node);
			continue;
		}
		if (names_temporaries(draft, key)) {
			status = plait__parse_accesses(
				parser, draft, value,
				plait__lexer_is(key, "reads") ?
					PLAIT__ACCESS_READ :
					PLAIT__ACCESS_WRITE);
			continue;
		}
		if (key.length == 0 && read_meaning(token, &draft->node)) {
			status = mark_seen(parser, draft, PLAIT__PARSER_MEANING,
					   token);
			continue;
		}
		status = read_value(parser, draft, key, value, token);
	}
	return status;
}
