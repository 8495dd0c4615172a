/* SPDX-License-Identifier: MIT */
/* Names of devices in the text form. */
#include "graph/text/parse_device.h"

#include "graph/store/unique_values.h"
#include "base/spelling_hint.h"

#include <string.h>

static plait_status no_device(struct plait__parser *parser, const char *name,
			      const char *shown)
{
	plait__spelling_hint choices;

	plait__spelling_hint_init(&choices, name);
	for (uint32_t i = 0; i < parser->store->devices.count; i++) {
		const plait__input_device *device =
			plait__vector_at(&parser->store->devices, i);

		plait__spelling_hint_add(
			&choices, plait__parser_text(parser, device->name));
	}
	return plait__lexer_fail(&parser->line,
				 "no device \"%s\"%s; write \"device %s "
				 "lanes=N\"", shown,
				 plait__spelling_hint_text(&choices), shown);
}

plait_status plait__parse_device(struct plait__parser *parser,
				 plait__token token, uint32_t *out)
{
	const char *text;
	char shown[44];
	uint32_t name;
	plait_status status;

	if (token.length > 0 && memchr(token.start, ',', token.length) != NULL)
		return plait__lexer_expected(&parser->line, "\"+\" between "
					     "devices", token);
	status = plait__parser_string(parser, token, "a device's name", &name);
	if (status != PLAIT_OK)
		return status;
	text = plait__parser_text(parser, name);
	*out = plait__values_find_device(parser->store, text);
	if (*out == PLAIT__NONE)
		return no_device(parser, text, plait__lexer_show(token, shown));
	return PLAIT_OK;
}
