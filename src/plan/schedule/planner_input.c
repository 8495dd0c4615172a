/* SPDX-License-Identifier: MIT */
/* Node descriptions for error messages. */
#include "plan/schedule/planner_input.h"

#include "base/text.h"

#include <stdio.h>

static const char *string_at(const plait__input *input, uint32_t offset)
{
	if (offset >= input->tables.strings_count)
		return "";
	return input->tables.strings + offset;
}

const char *plait__input_node_text(const plait__input *input, uint32_t node,
				   char text[PLAIT__NODE_TEXT_BYTES])
{
	const plait__input_node *n = &input->nodes[node];
	const char *label = string_at(input, n->label);
	const char *file = string_at(input, n->file);

	if (plait__input_is_from_text(input, n) && *label != '\0')
		snprintf(text, PLAIT__NODE_TEXT_BYTES, "'%.*s' (line %u)",
			 PLAIT__TEXT_FIT(label, 60), n->line);
	else if (*label == '\0')
		snprintf(text, PLAIT__NODE_TEXT_BYTES, "node %u", node);
	else if (*file == '\0' && n->line == 0)
		snprintf(text, PLAIT__NODE_TEXT_BYTES, "node %u '%.*s'", node,
			 PLAIT__TEXT_FIT(label, 60));
	else if (*file == '\0')
		snprintf(text, PLAIT__NODE_TEXT_BYTES,
			 "node %u '%.*s' (line %u)", node,
			 PLAIT__TEXT_FIT(label, 60), n->line);
	else
		snprintf(text, PLAIT__NODE_TEXT_BYTES,
			 "node %u '%.*s' (%s:%u)", node,
			 PLAIT__TEXT_FIT(label, 40),
			 plait__text_tail(file, 40), n->line);
	return text;
}
