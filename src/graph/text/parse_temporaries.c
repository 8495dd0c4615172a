/* SPDX-License-Identifier: MIT */
/*
 * Temporaries of the text form: slots of the store without a buffer object.
 * Nodes name them in reads= and writes=, which become accesses.
 */
#include "graph/text/parse_temporaries.h"

#include "graph/text/parse_device.h"
#include "base/spelling_hint.h"

#include <string.h>

plait_status plait__parse_declare_temporary(struct plait__parser *parser)
{
	plait__store *store = parser->store;
	plait__vector *buffers = &store->objects[PLAIT__STORE_BUFFERS];
	plait__plan_slot slot = { .kind = PLAIT__SLOT_ARENA,
				  .param = PLAIT__NONE };
	const struct plait__parser_named *named;
	plait_status status = plait__parser_new_name(
		parser, "a temporary's name", &slot.name);

	if (status != PLAIT_OK)
		return status;
	named = plait__parser_find_name(parser, PLAIT__PARSER_TEMPORARIES,
					slot.name);
	if (named != NULL)
		return plait__lexer_fail(&parser->line, "temporary \"%s\" is "
					 "already defined in line %u",
					 plait__parser_text(parser, slot.name),
					 named->line);
	status = plait__parser_add_name(parser, PLAIT__PARSER_TEMPORARIES,
					slot.name, store->slots.count);
	/* Slot i is buffer i: null, as the device of a text is. */
	if (status == PLAIT_OK &&
	    (plait__vector_push(buffers, NULL, 1) == NULL ||
	     plait__vector_push(&store->slots, &slot, 1) == NULL))
		status = plait__parser_no_memory(parser);
	return status;
}

/* Read an attribute into slot `index`; *seen has those of the line so far. */
static plait_status read_attribute(struct plait__parser *parser,
				   uint32_t index, plait__token token,
				   uint32_t *seen)
{
	plait__plan_slot *slot = plait__vector_at(&parser->store->slots, index);
	plait__token key = { NULL, 0 }, value = { NULL, 0 };
	uint32_t attribute = 0;
	char shown[44];

	if (plait__lexer_split(token, &key, &value))
		attribute = plait__lexer_is(key, "bytes") ? 1 :
			    plait__lexer_is(key, "device") ? 2 : 0;
	if (attribute == 0)
		return plait__lexer_expected(&parser->line, "bytes= or device=",
					     token);
	if (*seen & attribute)
		return plait__lexer_fail(&parser->line, "expected one "
					 "\"%s=\", found another",
					 plait__lexer_show(key, shown));
	*seen |= attribute;
	return attribute == 1 ?
	       plait__parser_number(parser, key, value, INT64_MAX,
				    &slot->bytes) :
	       plait__parse_device(parser, value, &slot->device);
}

plait_status plait__parse_temporary(struct plait__parser *parser)
{
	plait__token token = { NULL, 0 };
	plait_status status;
	uint32_t name, seen = 0;
	const struct plait__parser_named *named;

	status = plait__parser_new_name(parser, "a temporary's name", &name);
	if (status != PLAIT_OK)
		return status;
	/* The first pass has added the name. */
	named = plait__parser_find_name(parser, PLAIT__PARSER_TEMPORARIES,
					name);
	while (status == PLAIT_OK &&
	       plait__lexer_next_token(&parser->line, &token))
		status = read_attribute(parser, named->node, token, &seen);
	if (status == PLAIT_OK && (seen & 1) == 0)
		status = plait__lexer_expected(&parser->line, "bytes=N, the "
					       "size of the temporary",
					       (plait__token){ NULL, 0 });
	return status;
}

/* ---- accesses ---- */

static plait_status fail_unknown(const struct plait__parser *parser,
				 const char *text)
{
	plait__spelling_hint choices;

	plait__spelling_hint_init(&choices, text);
	for (uint32_t i = 0; i < parser->names.count; i++) {
		const struct plait__parser_named *named =
			plait__vector_at(&parser->names, i);

		if (named->scope == PLAIT__PARSER_TEMPORARIES)
			plait__spelling_hint_add(&choices, plait__parser_text(
						   parser, named->name));
	}
	return plait__lexer_fail(&parser->line, "no temporary \"%s\"%s; write "
				 "\"temporary %s bytes=N\"", text,
				 plait__spelling_hint_text(&choices), text);
}

plait_status plait__parse_accesses(struct plait__parser *parser,
				   struct plait__parser_draft *draft,
				   plait__token list, uint32_t mode)
{
	plait__vector *accesses = &parser->store->accesses;
	plait__token part;

	while (plait__lexer_next_part(&list, ',', &part)) {
		plait__plan_access access = { .mode = mode,
					      .box = PLAIT__NONE };
		const struct plait__parser_named *named;
		uint32_t name;
		plait_status status = plait__parser_string(
			parser, part, "a temporary's name", &name);

		if (status != PLAIT_OK)
			return status;
		named = plait__parser_find_name(
			parser, PLAIT__PARSER_TEMPORARIES, name);
		if (named == NULL)
			return fail_unknown(parser,
					    plait__parser_text(parser, name));
		access.object = named->node;
		if (plait__vector_push(accesses, &access, 1) == NULL)
			return plait__parser_no_memory(parser);
		draft->node.access_count++;
	}
	return PLAIT_OK;
}
