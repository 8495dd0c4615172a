/* SPDX-License-Identifier: MIT */
/* Resources of the text form, needs, priorities; see parse_resources.h. */
#include "graph/text/parse_resources.h"

#include "graph/store/resources.h"
#include "base/error.h"
#include "base/spelling_hint.h"

enum { MOST_URGENT = 1000 };

plait_status plait__parse_resource(struct plait__parser *parser)
{
	plait__token token = { NULL, 0 }, key, value;
	plait_error own = { .size = sizeof(own) };
	uint64_t units = 0;
	uint32_t name, resource;
	plait_status status = plait__parser_new_name(
		parser, "a resource's name", &name);

	if (status != PLAIT_OK)
		return status;
	if (plait__resources_find(parser->store,
				  plait__parser_text(parser, name)) !=
	    PLAIT__NONE)
		return plait__lexer_fail(&parser->line,
					 "resource \"%s\" is already defined",
					 plait__parser_text(parser, name));
	if (!plait__lexer_next_token(&parser->line, &token) ||
	    !plait__lexer_split(token, &key, &value) ||
	    !plait__lexer_is(key, "units"))
		return plait__lexer_expected(&parser->line, "units=N, how many "
					     "units there are", token);
	status = plait__parser_number(parser, key, value,
				      PLAIT__RESOURCE_UNITS, &units);
	if (status != PLAIT_OK)
		return status;
	status = plait__resources_add(parser->store,
				      plait__parser_text(parser, name), units,
				      &resource, &own);
	if (status == PLAIT_E_NOMEM)
		return plait__parser_no_memory(parser);
	if (status != PLAIT_OK)
		return plait__lexer_fail(&parser->line, "%s", own.text);
	return plait__parser_expect_end(parser);
}

/* ---- needs ---- */

static const plait__plan_resource *resource_at(
	const struct plait__parser *parser, uint32_t index)
{
	return plait__vector_at(&parser->store->resources, index);
}

/* Returns the index of the resource with the token's name, or none. */
static uint32_t find_token(const struct plait__parser *parser,
			   plait__token token)
{
	for (uint32_t i = 0; i < parser->store->resources.count; i++)
		if (plait__lexer_is(token, plait__parser_text(
					    parser,
					    resource_at(parser, i)->name)))
			return i;
	return PLAIT__NONE;
}

static plait_status fail_unknown(const struct plait__parser *parser,
				 plait__token part)
{
	plait__spelling_hint choices;
	char shown[44];
	const char *text = plait__lexer_show(part, shown);

	plait__spelling_hint_init(&choices, text);
	for (uint32_t i = 0; i < parser->store->resources.count; i++)
		plait__spelling_hint_add(&choices, plait__parser_text(
					   parser,
					   resource_at(parser, i)->name));
	return plait__lexer_fail(&parser->line, "no resource \"%s\"%s; write "
				 "\"resource %s units=N\"", text,
				 plait__spelling_hint_text(&choices), text);
}

/* Split "NAME:UNITS" at its last colon; false if no number is behind it. */
static bool split_units(plait__token *part, uint64_t *units)
{
	plait__token number = *part;

	while (number.length > 0 && number.start[number.length - 1] != ':')
		number.length--;
	if (number.length == 0)
		return false;
	number.start += number.length;
	number.length = part->length - number.length;
	if (!plait__lexer_number(number, units))
		return false;
	part->length -= number.length + 1;
	return true;
}

/* A name may end in a colon and a number itself. */
static plait_status add_need(struct plait__parser *parser, plait__token part,
			     uint32_t node)
{
	plait__store_need need = { .scope = parser->scope, .node = node,
				   .resource = find_token(parser, part) };
	uint64_t units = 1;

	if (need.resource == PLAIT__NONE && split_units(&part, &units))
		need.resource = find_token(parser, part);
	if (need.resource == PLAIT__NONE)
		return fail_unknown(parser, part);
	if (units == 0 || units > resource_at(parser, need.resource)->units)
		return plait__lexer_fail(
			&parser->line, "expected 1 to %u units of \"%s\", "
			"found %llu", resource_at(parser, need.resource)->units,
			plait__parser_text(parser, resource_at(
				parser, need.resource)->name),
			(unsigned long long)units);
	need.units = (uint32_t)units;
	return plait__resources_add_need(parser->store, &need) == 0 ?
	       PLAIT_OK : plait__parser_no_memory(parser);
}

plait_status plait__parse_needs(struct plait__parser *parser,
				plait__token list, uint32_t node)
{
	plait_status status = PLAIT_OK;
	plait__token part;

	while (status == PLAIT_OK &&
	       plait__lexer_next_part(&list, ',', &part))
		status = add_need(parser, part, node);
	return status;
}

/* ---- priorities ---- */

plait_status plait__parse_priority(const struct plait__parser *parser,
				   plait__token value, int16_t *out)
{
	bool is_negative = value.length > 0 && value.start[0] == '-';
	plait__token digits = { value.start + is_negative,
				value.length - is_negative };
	char shown[44];
	uint64_t number;

	if (!plait__lexer_number(digits, &number) || number > MOST_URGENT)
		return plait__lexer_fail(&parser->line, "expected a number "
					 "from -%d to %d after \"priority=\", "
					 "found \"%s\"", MOST_URGENT,
					 MOST_URGENT,
					 plait__lexer_show(value, shown));
	*out = (int16_t)(is_negative ? -(int32_t)number : (int32_t)number);
	return PLAIT_OK;
}
