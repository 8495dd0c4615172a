/* SPDX-License-Identifier: MIT */
/* Memory and error messages of a check. */
#include "plan/check/check_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

void *plait__check_alloc(plait__check *check, uint64_t count, uint64_t each)
{
	uint64_t bytes;
	void *pointer;

	if (check->block_count == PLAIT__CHECK_BLOCKS ||
	    __builtin_mul_overflow(count ? count : 1, each, &bytes))
		return NULL;
	pointer = plait__alloc(check->allocator, bytes);
	if (pointer == NULL)
		return NULL;
	check->blocks[check->block_count].pointer = pointer;
	check->blocks[check->block_count++].bytes = bytes;
	return pointer;
}

plait_status plait__check_no_memory(plait__check *check)
{
	if (check->plan == NULL)
		return plait__fail(check->error, PLAIT_E_NOMEM,
				   "no memory to check a graph of %u nodes",
				   check->input->node_count);
	return plait__fail(check->error, PLAIT_E_NOMEM,
			   "no memory to check a plan of %u commands",
			   check->plan->command_count);
}

plait_status plait__check_fail_part(plait__check *check, const char *part,
				    uint32_t index, const char *what)
{
	return plait__fail(check->error, PLAIT_E_INVALID, "%s %u: %s", part,
			   index, what);
}

static const char *string_at(const plait__plan *plan, uint32_t offset)
{
	return offset < plan->strings_count ? plan->strings + offset : "";
}

const char *plait__check_node_name(uint32_t node, const char *label,
				   const char *file, uint32_t line,
				   uint32_t limit,
				   char text[PLAIT__CHECK_TEXT_BYTES])
{
	char room[PLAIT__TEXT_CUT_BYTES], place[48] = "";

	if (*file != '\0')
		snprintf(place, sizeof(place), " (%s:%u)",
			 plait__text_path(file, limit, room), line);
	else if (line != 0)
		snprintf(place, sizeof(place), " (line %u)", line);
	if (*label != '\0')
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "node %u '%s'%s",
			 node, plait__text_start(label, limit, room), place);
	else
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "node %u%s", node,
			 place);
	return text;
}

const char *plait__check_name(const plait__check *check, uint32_t command,
			      char text[PLAIT__CHECK_TEXT_BYTES])
{
	const plait__plan *plan = check->plan;
	uint32_t node = plan->commands[command].node;

	if (node < plan->node_count)
		return plait__check_node_name(
			node, plait__plan_node_name(plan, node),
			string_at(plan, plan->nodes[node].file),
			plan->nodes[node].line, 28, text);
	snprintf(text, PLAIT__CHECK_TEXT_BYTES, "command %u", command);
	return text;
}

bool plait__check_touches(const plait__plan *plan,
			  const plait__plan_access *access)
{
	const plait__plan_box *box;

	if (access->box == PLAIT__NONE)
		return true;
	box = &plan->boxes[access->box];
	for (uint32_t i = 0; i < 3; i++)
		if (box->low[i] >= box->high[i])
			return false;
	return true;
}

plait__check_accesses plait__check_accesses_of(const plait__plan *plan,
					      uint32_t command)
{
	const plait__plan_node *node =
		&plan->nodes[plan->commands[command].node];

	return (plait__check_accesses){
		node[0].access_first,
		node[1].access_first - node[0].access_first
	};
}

void plait__check_free_all(plait__check *check)
{
	while (check->block_count > 0) {
		const plait__check_block *block =
			&check->blocks[--check->block_count];

		plait__free(check->allocator, block->pointer, block->bytes);
	}
}

plait_status plait__check_fail(plait__check *check, uint32_t command,
			       const char *what)
{
	char text[PLAIT__CHECK_TEXT_BYTES];

	return plait__fail(check->error, PLAIT_E_INVALID, "%s: %s",
			   plait__check_name(check, command, text), what);
}
