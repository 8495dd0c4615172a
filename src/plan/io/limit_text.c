/* SPDX-License-Identifier: MIT */
/* Priorities and held units as text; see limit_text.h. */
#include "plan/io/limit_text.h"

#include "plan/io/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text + used, PLAIT__LIMIT_TEXT_BYTES - used, format,
			list);
	va_end(list);
}

/* Returns the first hold of a node or of a later one; holds ascend by node. */
static uint32_t find_holds(const plait__plan *plan, uint32_t node)
{
	uint32_t low = 0, high = plan->holds_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->holds[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *plait__limit_text_of(const plait__plan *plan, uint32_t command,
				 char text[PLAIT__LIMIT_TEXT_BYTES])
{
	const plait__plan_command *at = &plan->commands[command];
	uint32_t i = find_holds(plan, at->node), units;

	text[0] = '\0';
	if (at->priority != 0)
		add(text, ", priority %d", at->priority);
	while (i < plan->holds_count && plan->holds[i].node == at->node) {
		uint32_t resource = plan->holds[i].resource;

		for (units = 0; i < plan->holds_count &&
		     plan->holds[i].node == at->node &&
		     plan->holds[i].resource == resource; i++)
			units += plan->holds[i].count;
		add(text, ", %u of %s", units, plait__escape_string_at(
			    plan, plan->resources[resource].name));
	}
	return text;
}
