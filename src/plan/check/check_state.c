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
				   char text[PLAIT__CHECK_TEXT_BYTES])
{
	char room[PLAIT__TEXT_CUT_BYTES], place[48] = "";

	if (*file != '\0')
		snprintf(place, sizeof(place), " (%s:%u)",
			 plait__text_path(file, 28, room), line);
	else if (line != 0)
		snprintf(place, sizeof(place), " (line %u)", line);
	if (*label != '\0')
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "node %u '%s'%s",
			 node, plait__text_start(label, 28, room), place);
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
			node, string_at(plan, plan->nodes[node].label),
			string_at(plan, plan->nodes[node].file),
			plan->nodes[node].line, text);
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

/* Returns the name of a buffer that both use and at least one writes, or "". */
static const char *shared_buffer(const plait__plan *plan,
				 plait__check_accesses a,
				 plait__check_accesses b)
{
	for (uint32_t i = a.first; i < a.first + a.count; i++) {
		const plait__plan_access *one = &plan->accesses[i];

		for (uint32_t j = b.first; j < b.first + b.count; j++) {
			const plait__plan_access *two = &plan->accesses[j];

			if (one->object == two->object &&
			    one->object < plan->slots_count &&
			    plait__check_touches(plan, one) &&
			    plait__check_touches(plan, two) &&
			    (one->mode != PLAIT__ACCESS_READ ||
			     two->mode != PLAIT__ACCESS_READ))
				return string_at(
					plan, plan->slots[one->object].name);
		}
	}
	return "";
}

const char *plait__check_shared_memory(const plait__plan *tables,
				       plait__check_accesses before,
				       plait__check_accesses after,
				       char text[PLAIT__CHECK_TEXT_BYTES])
{
	const char *name = shared_buffer(tables, before, after);
	char room[PLAIT__TEXT_CUT_BYTES];

	if (*name != '\0')
		snprintf(text, PLAIT__CHECK_TEXT_BYTES,
			 "both use the same memory, buffer '%s'",
			 plait__text_start(name, 24, room));
	else
		snprintf(text, PLAIT__CHECK_TEXT_BYTES,
			 "both use the same memory");
	return text;
}

static plait__check_accesses accesses_of(const plait__plan *plan,
					 uint32_t command)
{
	const plait__plan_node *node =
		&plan->nodes[plan->commands[command].node];

	return (plait__check_accesses){
		node[0].access_first,
		node[1].access_first - node[0].access_first
	};
}

const char *plait__check_memory(const plait__check *check, uint32_t before,
				uint32_t after,
				char text[PLAIT__CHECK_TEXT_BYTES])
{
	return plait__check_shared_memory(check->plan,
					  accesses_of(check->plan, before),
					  accesses_of(check->plan, after),
					  text);
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
