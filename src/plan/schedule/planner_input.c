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

/* Returns the label, or the name of the kernel of a launch without one. */
static const char *name_of(const plait__input *input,
			   const plait__input_node *n)
{
	const char *label = string_at(input, n->label);
	const plait__input_tables *t = &input->tables;

	if (*label != '\0' || n->kind != PLAIT__CMD_LAUNCH ||
	    n->link >= t->payloads_count ||
	    t->payloads[n->link].kernel >= t->kernels_count)
		return label;
	return string_at(input, t->kernels[t->payloads[n->link].kernel].name);
}

const char *plait__input_node_text(const plait__input *input, uint32_t node,
				   char text[PLAIT__NODE_TEXT_BYTES])
{
	const plait__input_node *n = &input->nodes[node];
	const char *label = name_of(input, n);
	const char *file = string_at(input, n->file);
	char room[PLAIT__TEXT_CUT_BYTES], quoted[PLAIT__TEXT_CUT_BYTES + 4] = "";
	char place[PLAIT__TEXT_CUT_BYTES + 16] = "";

	if (*file != '\0')
		snprintf(place, sizeof(place), " (%s:%u)",
			 plait__text_path(file, 40, room), n->line);
	else if (n->line != 0)
		snprintf(place, sizeof(place), " (line %u)", n->line);
	if (*label != '\0')
		snprintf(quoted, sizeof(quoted), "'%s'", plait__text_start(
			 label, *file != '\0' ? 40 : 60, room));
	if (plait__input_is_from_text(input, n) && *label != '\0')
		snprintf(text, PLAIT__NODE_TEXT_BYTES, "%s%s", quoted, place);
	else
		snprintf(text, PLAIT__NODE_TEXT_BYTES, "node %u%s%s%s", node,
			 *label != '\0' ? " " : "", quoted, place);
	return text;
}
