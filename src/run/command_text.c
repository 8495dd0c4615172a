/* SPDX-License-Identifier: MIT */
/* Name of a command's node in error texts; see command_text.h. */
#include "run/command_text.h"

#include <stdio.h>

const char *plait__command_text(const plait__plan *plan, uint32_t command,
				char room[PLAIT__COMMAND_TEXT_BYTES])
{
	uint32_t node = plan->commands[command].node;
	const char *label = plait__plan_node_name(plan, node);
	uint32_t file = plan->nodes[node].file;
	int length;

	length = snprintf(room, PLAIT__COMMAND_TEXT_BYTES, "node %u%s%.48s%s",
			  node, label[0] != '\0' ? " \"" : "", label,
			  label[0] != '\0' ? "\"" : "");
	if (file < plan->strings_count && length < PLAIT__COMMAND_TEXT_BYTES)
		(void)snprintf(room + length,
			       (size_t)(PLAIT__COMMAND_TEXT_BYTES - length),
			       " (%.40s:%u)", plan->strings + file,
			       plan->nodes[node].line);
	return room;
}
