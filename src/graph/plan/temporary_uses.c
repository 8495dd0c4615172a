/* SPDX-License-Identifier: MIT */
/*
 * Uses of temporaries and scratch; see temporary_uses.h.  Each use of an item is
 * a bit.  A pass over body 0 in submission order makes the set of uses that
 * happen before each command.  One item may precede another if all of its uses
 * are in the sets of all uses of the other one.
 */
#include "graph/plan/temporary_uses.h"

#include "base/alloc.h"

#include <string.h>

enum {
	/* Most words of all sets together: 32 MiB. */
	WORDS_MOST = 1 << 22,
	ITEMS_MOST = 2048
};

/* ---- uses ---- */

/* Returns the command of body 0 that contains `command`.  Bodies are nested
 * (structure.c), so the loop ends. */
static uint32_t outermost(const plait__plan *plan, uint32_t command)
{
	for (;;) {
		uint32_t body = plan->nodes[plan->commands[command].node].body;

		if (body == 0)
			return command;
		command = plan->regions[plan->bodies[body].region].command;
	}
}

static void add_item_use(struct plait__temporary_items *p, uint32_t number, uint32_t command)
{
	struct plait__temporary_item *item = &p->items[number];

	if (item->last_use == command)
		return;
	item->last_use = command;
	if (p->uses != NULL)
		p->uses[p->use_count] = (struct plait__temporary_use){ number, command };
	if (item->first == PLAIT__NONE || p->position[command] < item->first)
		item->first = p->position[command];
	p->use_count++;
}

static void add_use(struct plait__temporary_items *p, uint32_t slot, uint32_t command)
{
	if (p->index_of[slot] != PLAIT__NONE)
		add_item_use(p, p->index_of[slot], command);
}

/* Add the uses by a payload's arguments; a rotation uses all of its buffers. */
static void add_args(struct plait__temporary_items *p, uint32_t payload, uint32_t command)
{
	const plait__plan *plan = p->plan;

	if (payload >= plan->payloads_count)
		return;
	for (uint32_t i = 0; i < plan->payloads[payload].arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[plan->payloads[payload].arg_first + i];
		const plait__plan_rotation *rotation;

		if (arg->kind == PLAIT__ARG_MEMORY)
			add_use(p, arg->index, command);
		if (arg->kind != PLAIT__ARG_ROTATION)
			continue;
		rotation = &plan->rotations[arg->index];
		for (uint32_t k = 0; k < rotation->slot_count; k++)
			add_use(p, plan->rotation_slots[
					rotation->slot_first + k], command);
	}
}

/* Nodes of a text have accesses and no arguments. */
static void add_accesses(struct plait__temporary_items *p, uint32_t node, uint32_t command)
{
	const plait__plan_node *at = &p->plan->nodes[node];

	for (uint32_t i = at[0].access_first; i < at[1].access_first; i++)
		if (p->plan->accesses[i].object < p->plan->slots_count)
			add_use(p, p->plan->accesses[i].object, command);
}

/* A second pass finds as many uses as the first and stores them. */
static void add_uses(struct plait__temporary_items *p)
{
	const plait__plan *plan = p->plan;

	p->use_count = 0;
	for (uint32_t i = 0; i < p->count; i++)
		p->items[i].last_use = PLAIT__NONE;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];
		uint32_t outer = outermost(plan, i);

		if (at->kind == PLAIT__CMD_ENTER ||
		    at->kind == PLAIT__CMD_BARRIER_STUB)
			continue;
		add_args(p, at->kind == PLAIT__CMD_REGION ?
			    plan->regions[at->link].predicate : at->link,
			 outer);
		add_accesses(p, at->node, outer);
	}
	for (uint32_t i = p->temporary_count; i < p->count; i++)
		add_item_use(p, i, outermost(plan, plan->scratch[
				     i - p->temporary_count].command));
}

/* ---- sets ---- */

static void set_bit(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Commands of body 0 come after their predecessors in `order`. */
static void find_before(const struct plait__temporary_items *p, const uint32_t *chain)
{
	const plait__plan *plan = p->plan;
	const plait__plan_body *body = &plan->bodies[0];

	for (uint32_t i = 0; i < body->command_count; i++) {
		uint32_t c = plan->order[body->command_first + i];
		uint64_t *mine = p->before + (size_t)c * p->words;

		for (uint32_t k = plan->commands[c].pred_first;
		     k < plan->commands[c + 1].pred_first; k++) {
			uint32_t pred = plan->preds[k];

			for (uint32_t w = 0; w < p->words; w++)
				mine[w] |= p->before[(size_t)pred * p->words +
						     w];
			for (uint32_t u = chain[pred]; u != PLAIT__NONE;
			     u = chain[plan->command_count + u])
				set_bit(mine, u);
		}
	}
}

static void find_sets(const struct plait__temporary_items *p)
{
	memset(p->safe, 0xff, (size_t)p->count * p->words * sizeof(uint64_t));
	for (uint32_t u = 0; u < p->use_count; u++) {
		const struct plait__temporary_use *use = &p->uses[u];
		uint64_t *safe = p->safe + (size_t)use->item * p->words;

		set_bit(p->used + (size_t)use->item * p->words, u);
		for (uint32_t w = 0; w < p->words; w++)
			safe[w] &= p->before[(size_t)use->command * p->words +
					     w];
	}
}

/* Returns true if all uses of `one` happen before all uses of `other`. */
static bool precedes(const struct plait__temporary_items *p, uint32_t one, uint32_t other)
{
	const uint64_t *used = p->used + (size_t)one * p->words;
	const uint64_t *safe = p->safe + (size_t)other * p->words;

	for (uint32_t w = 0; w < p->words; w++)
		if ((used[w] & ~safe[w]) != 0)
			return false;
	return true;
}

static bool may_share(const struct plait__temporary_items *p, uint32_t one, uint32_t other)
{
	return p->words > 0 &&
	       (precedes(p, one, other) || precedes(p, other, one));
}

/* ---- memory ---- */

static bool make(struct plait__temporary_items *p, void *out, uint64_t count, uint64_t each)
{
	void *block = plait__alloc_array(p->allocator, count + 1, each);

	memcpy(out, &block, sizeof(block));
	return block != NULL;
}

static void drop(const struct plait__temporary_items *p, void *block, uint64_t count,
		 uint64_t each)
{
	plait__free(p->allocator, block, (count + 1) * each);
}

/* List the temporaries, then the scratch of commands, and reset `offsets`. */
static void list_items(struct plait__temporary_items *p)
{
	const plait__plan *plan = p->plan;

	for (uint32_t i = 0; i < plan->slots_count; i++) {
		p->index_of[i] = PLAIT__NONE;
		p->offsets[i] = PLAIT__TEMPORARY_UNUSED;
		if (plan->slots[i].kind != PLAIT__SLOT_ARENA)
			continue;
		p->index_of[i] = p->count;
		p->items[p->count++] = (struct plait__temporary_item){
			.slot = i, .device = plan->slots[i].device,
			.first = PLAIT__NONE, .bytes = plan->slots[i].bytes,
			.offset = PLAIT__TEMPORARY_UNUSED
		};
	}
	p->temporary_count = p->count;
	for (uint32_t i = 0; p->has_scratch && i < plan->scratch_count; i++)
		p->items[p->count++] = (struct plait__temporary_item){
			.slot = PLAIT__NONE, .device = plan->scratch[i].device,
			.first = PLAIT__NONE, .bytes = plan->scratch[i].bytes,
			.offset = plan->scratch[i].offset
		};
}

static uint32_t count_temporaries(const plait__plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->slots_count; i++)
		count += plan->slots[i].kind == PLAIT__SLOT_ARENA;
	return count;
}

/* The scratch of very many commands is not listed, and not shared. */
static bool make_items(struct plait__temporary_items *p)
{
	const plait__plan *plan = p->plan;
	uint64_t commands = plan->command_count;
	uint64_t words;

	p->item_room = count_temporaries(plan);
	words = ((uint64_t)p->item_room + plan->scratch_count) / 64 + 1;
	if ((uint64_t)p->item_room + plan->scratch_count <= ITEMS_MOST &&
	    words * (commands + 2 * ITEMS_MOST) <= WORDS_MOST) {
		p->item_room += plan->scratch_count;
		p->has_scratch = true;
	}
	if (!make(p, &p->index_of, plan->slots_count, sizeof(uint32_t)) ||
	    !make(p, &p->position, commands, sizeof(uint32_t)) ||
	    !make(p, &p->items, p->item_room, sizeof(*p->items)) ||
	    !make(p, &p->placing, p->item_room, sizeof(uint32_t)) ||
	    !make(p, &p->limit, plan->devices_count, sizeof(uint64_t)) ||
	    !make(p, &p->ends, plan->devices_count, sizeof(uint64_t)))
		return false;
	list_items(p);
	for (uint32_t i = 0; i < plan->bodies[0].command_count; i++)
		p->position[plan->order[plan->bodies[0].command_first + i]] = i;
	add_uses(p);
	p->use_room = p->use_count;
	if (!make(p, &p->uses, p->use_room, sizeof(*p->uses)))
		return false;
	add_uses(p);
	return true;
}

/* Chains of the uses of each command: heads, then links.  The uses are
 * stored. */
static uint32_t *chain_uses(const struct plait__temporary_items *p)
{
	uint32_t commands = p->plan->command_count;
	uint32_t *chain = plait__alloc_array(
		p->allocator, (uint64_t)commands + p->use_room + 1,
		sizeof(*chain));

	if (chain == NULL)
		return NULL;
	memset(chain, 0xff, ((size_t)commands + p->use_room) *
				    sizeof(*chain));
	for (uint32_t u = 0; u < p->use_count; u++) {
		chain[commands + u] = chain[p->uses[u].command];
		chain[p->uses[u].command] = u;
	}
	return chain;
}

/* Find the sets, unless they would be too large. */
static bool make_sets(struct plait__temporary_items *p)
{
	uint64_t commands = p->plan->command_count;
	uint64_t words = ((uint64_t)p->use_count + 63) / 64;
	uint32_t *chain;

	if (p->count > ITEMS_MOST || words > WORDS_MOST ||
	    words * (commands + 2ull * p->count) > WORDS_MOST)
		return true;
	p->words = (uint32_t)words;
	p->clash_words = (p->count + 63) / 64;
	if (!make(p, &p->before, commands * words, sizeof(uint64_t)) ||
	    !make(p, &p->used, p->count * words, sizeof(uint64_t)) ||
	    !make(p, &p->safe, p->count * words, sizeof(uint64_t)) ||
	    !make(p, &p->clashes, (uint64_t)p->count * p->clash_words,
		  sizeof(uint64_t)))
		return false;
	chain = chain_uses(p);
	if (chain == NULL)
		return false;
	find_before(p, chain);
	find_sets(p);
	plait__free(p->allocator, chain,
		    (commands + p->use_room + 1) * sizeof(*chain));
	return true;
}

void plait__temporary_uses_free(const struct plait__temporary_items *p)
{
	uint64_t commands = p->plan->command_count;

	drop(p, p->index_of, p->plan->slots_count, sizeof(uint32_t));
	drop(p, p->position, commands, sizeof(uint32_t));
	drop(p, p->items, p->item_room, sizeof(*p->items));
	drop(p, p->placing, p->item_room, sizeof(uint32_t));
	drop(p, p->limit, p->plan->devices_count, sizeof(uint64_t));
	drop(p, p->ends, p->plan->devices_count, sizeof(uint64_t));
	drop(p, p->uses, p->use_room, sizeof(*p->uses));
	drop(p, p->before, commands * p->words, sizeof(uint64_t));
	drop(p, p->used, (uint64_t)p->count * p->words, sizeof(uint64_t));
	drop(p, p->safe, (uint64_t)p->count * p->words, sizeof(uint64_t));
	drop(p, p->clashes, (uint64_t)p->count * p->clash_words,
	     sizeof(uint64_t));
}

static void find_clashes(const struct plait__temporary_items *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; k < i; k++) {
			if (p->items[i].device != p->items[k].device ||
			    p->items[i].first == PLAIT__NONE ||
			    p->items[k].first == PLAIT__NONE ||
			    may_share(p, i, k))
				continue;
			set_bit(p->clashes + (size_t)i * p->clash_words, k);
			set_bit(p->clashes + (size_t)k * p->clash_words, i);
		}
}

bool plait__temporary_uses_find(struct plait__temporary_items *p)
{
	if (!make_items(p) || !make_sets(p))
		return false;
	if (p->words > 0)
		find_clashes(p);
	return true;
}
