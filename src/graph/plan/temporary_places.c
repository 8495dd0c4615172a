/* SPDX-License-Identifier: MIT */
/*
 * Places of a plan's temporaries; see temporary_places.h.  Each use is a bit.  A
 * pass over body 0 in submission order makes the set of uses that happen before
 * each command.  One temporary may precede another if all of its uses are in
 * the sets of all uses of the other one; a greedy search then finds the lowest
 * free place.  Plans with very many uses share nothing.
 */
#include "graph/plan/temporary_places.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/device.h"
#include "object/memory/buffer.h"

#include <string.h>

enum {
	/* Most words of all sets together: 32 MiB. */
	WORDS_MOST = 1 << 22,
	TEMPORARIES_MOST = 2048
};

/* One use of a temporary by a command of body 0. */
struct use {
	uint32_t temporary;	/* index in `slots` */
	uint32_t command;
};

struct places {
	const plait__plan_object *plan_object;
	const plait__plan *plan;
	const plait_allocator *allocator;
	uint32_t *index_of;	/* by slot: index in `slots`, or none */
	uint32_t *slots;	/* temporaries, ascending by slot */
	bool *is_used;		/* by temporary */
	uint32_t count;
	struct use *uses;
	uint32_t use_count;
	uint32_t use_room;
	uint32_t words;		/* of a set; 0: nothing is shared */
	uint64_t *before;	/* by command: uses that happen before it */
	uint64_t *used;		/* by temporary: its uses */
	uint64_t *safe;		/* by temporary: uses that happen before all of
				 * its own */
	uint64_t *offsets;
	uint64_t *arena_bytes;
};

bool plait__temporary_places_has_any(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->slots_count; i++)
		if (plan->slots[i].kind == PLAIT__SLOT_ARENA)
			return true;
	return false;
}

/* ---- uses ---- */

/* Returns the command of body 0 that contains `command`. */
static uint32_t outermost(const plait__plan *plan, uint32_t command)
{
	for (;;) {
		uint32_t body = plan->nodes[plan->commands[command].node].body;

		if (body == 0)
			return command;
		command = plan->regions[plan->bodies[body].region].command;
	}
}

static void add_use(struct places *p, uint32_t slot, uint32_t command)
{
	if (p->index_of[slot] == PLAIT__NONE)
		return;
	if (p->uses != NULL)
		p->uses[p->use_count] = (struct use){ p->index_of[slot],
						      command };
	p->is_used[p->index_of[slot]] = true;
	p->use_count++;
}

static void add_args(struct places *p, uint32_t payload, uint32_t command)
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

static void add_uses(struct places *p)
{
	const plait__plan *plan = p->plan;

	p->use_count = 0;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];

		if (at->kind == PLAIT__CMD_REGION)
			add_args(p, plan->regions[at->link].predicate,
				 outermost(plan, i));
		else if (at->kind != PLAIT__CMD_ENTER &&
			 at->kind != PLAIT__CMD_BARRIER_STUB)
			add_args(p, at->link, outermost(plan, i));
	}
}

/* ---- sets ---- */

static void set_bit(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Commands of body 0 come after their predecessors in `order`. */
static void find_before(const struct places *p, const uint32_t *chain)
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

static void find_sets(const struct places *p)
{
	memset(p->safe, 0xff, (size_t)p->count * p->words * sizeof(uint64_t));
	for (uint32_t u = 0; u < p->use_count; u++) {
		const struct use *use = &p->uses[u];
		uint64_t *safe = p->safe + (size_t)use->temporary * p->words;

		set_bit(p->used + (size_t)use->temporary * p->words, u);
		for (uint32_t w = 0; w < p->words; w++)
			safe[w] &= p->before[(size_t)use->command * p->words +
					     w];
	}
}

/* Returns true if all uses of `one` happen before all uses of `other`. */
static bool precedes(const struct places *p, uint32_t one, uint32_t other)
{
	const uint64_t *used = p->used + (size_t)one * p->words;
	const uint64_t *safe = p->safe + (size_t)other * p->words;

	for (uint32_t w = 0; w < p->words; w++)
		if ((used[w] & ~safe[w]) != 0)
			return false;
	return true;
}

static bool may_share(const struct places *p, uint32_t one, uint32_t other)
{
	return p->words > 0 &&
	       (precedes(p, one, other) || precedes(p, other, one));
}

/* ---- memory ---- */

static bool make(struct places *p, void *out, uint64_t count, uint64_t each)
{
	void *block = plait__alloc_array(p->allocator, count + 1, each);

	memcpy(out, &block, sizeof(block));
	return block != NULL;
}

static void drop(const struct places *p, void *block, uint64_t count,
		 uint64_t each)
{
	plait__free(p->allocator, block, (count + 1) * each);
}

static bool list_temporaries(struct places *p)
{
	const plait__plan *plan = p->plan;

	if (!make(p, &p->index_of, plan->slots_count, sizeof(uint32_t)) ||
	    !make(p, &p->slots, plan->slots_count, sizeof(uint32_t)) ||
	    !make(p, &p->is_used, plan->slots_count, sizeof(bool)))
		return false;
	for (uint32_t i = 0; i < plan->slots_count; i++) {
		p->index_of[i] = PLAIT__NONE;
		p->offsets[i] = PLAIT__TEMPORARY_UNUSED;
		if (plan->slots[i].kind != PLAIT__SLOT_ARENA)
			continue;
		p->index_of[i] = p->count;
		p->slots[p->count++] = i;
	}
	add_uses(p);
	p->use_room = p->use_count;
	if (!make(p, &p->uses, p->use_room, sizeof(*p->uses)))
		return false;
	add_uses(p);
	return true;
}

/* Chains of the uses of each command: heads, then links. */
static uint32_t *chain_uses(const struct places *p)
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
static bool make_sets(struct places *p)
{
	uint64_t commands = p->plan->command_count;
	uint64_t words = ((uint64_t)p->use_count + 63) / 64;
	uint32_t *chain;

	if (p->count > TEMPORARIES_MOST || words > WORDS_MOST ||
	    words * (commands + 2ull * p->count) > WORDS_MOST)
		return true;
	p->words = (uint32_t)words;
	if (!make(p, &p->before, commands * words, sizeof(uint64_t)) ||
	    !make(p, &p->used, p->count * words, sizeof(uint64_t)) ||
	    !make(p, &p->safe, p->count * words, sizeof(uint64_t)))
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

static void free_all(const struct places *p)
{
	uint64_t commands = p->plan->command_count;

	drop(p, p->index_of, p->plan->slots_count, sizeof(uint32_t));
	drop(p, p->slots, p->plan->slots_count, sizeof(uint32_t));
	drop(p, p->is_used, p->plan->slots_count, sizeof(bool));
	if (p->uses != NULL)
		drop(p, p->uses, p->use_room, sizeof(*p->uses));
	if (p->before != NULL)
		drop(p, p->before, commands * p->words, sizeof(uint64_t));
	if (p->used != NULL)
		drop(p, p->used, (uint64_t)p->count * p->words,
		     sizeof(uint64_t));
	if (p->safe != NULL)
		drop(p, p->safe, (uint64_t)p->count * p->words,
		     sizeof(uint64_t));
}

/* ---- places ---- */

/* Returns a temporary that is in the way of number `i` at `offset`, or none. */
static uint32_t find_obstacle(const struct places *p, uint32_t i,
			      uint64_t offset)
{
	const plait__plan_slot *slots = p->plan->slots;
	const plait__plan_slot *mine = &slots[p->slots[i]];

	for (uint32_t k = 0; k < i; k++) {
		const plait__plan_slot *other = &slots[p->slots[k]];
		uint64_t at = p->offsets[p->slots[k]];

		if (at != PLAIT__TEMPORARY_UNUSED &&
		    other->device == mine->device &&
		    offset < at + other->bytes && at < offset + mine->bytes &&
		    !may_share(p, i, k))
			return k;
	}
	return PLAIT__NONE;
}

uint64_t plait__temporary_places_alignment(plait__device *device)
{
	uint64_t bytes = device == NULL ? 1 :
			 plait__device_facts(device)->alignment_bytes;

	return bytes > PLAIT__TEMPORARY_ALIGNMENT ? bytes :
						    PLAIT__TEMPORARY_ALIGNMENT;
}

/* Returns UINT64_MAX if no aligned offset is left. */
static uint64_t align(uint64_t offset, uint64_t alignment)
{
	if (offset > INT64_MAX)
		return UINT64_MAX;
	return (offset + alignment - 1) & ~(alignment - 1);
}

/* Find the lowest place from `base` on: behind obstacles until none is left.
 * Returns false if the arena would be too large. */
static bool place_one(const struct places *p, uint32_t i, uint64_t base)
{
	const plait__plan_slot *slot = &p->plan->slots[p->slots[i]];
	uint64_t *end = &p->arena_bytes[slot->device];
	uint64_t alignment = plait__temporary_places_alignment(
		p->plan_object->devices[slot->device]);
	uint64_t at = align(base, alignment);
	uint32_t k;

	for (;;) {
		if (at > INT64_MAX || slot->bytes > INT64_MAX - at)
			return false;
		k = find_obstacle(p, i, at);
		if (k == PLAIT__NONE)
			break;
		at = align(p->offsets[p->slots[k]] +
			   p->plan->slots[p->slots[k]].bytes, alignment);
	}
	p->offsets[p->slots[i]] = at;
	if (at + slot->bytes > *end)
		*end = at + slot->bytes;
	return true;
}

static bool place_all(const struct places *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t device = p->plan->slots[p->slots[i]].device;
		/* Places in use need no search if nothing is shared. */
		uint64_t base = p->words > 0 ?
			p->plan->devices[device].scratch_bytes :
			p->arena_bytes[device];

		if (p->is_used[i] && !place_one(p, i, base))
			return false;
	}
	return true;
}

plait_status plait__temporary_places_find(const plait__plan_object *plan_object,
					  const plait_allocator *allocator,
					  uint64_t *offsets,
					  uint64_t *arena_bytes,
					  plait_error *error)
{
	struct places places = {
		.plan_object = plan_object, .plan = plan_object->plan,
		.allocator = allocator, .offsets = offsets,
		.arena_bytes = arena_bytes,
	};
	bool good, fits = true;

	good = list_temporaries(&places) && make_sets(&places);
	if (good)
		fits = place_all(&places);
	free_all(&places);
	if (!good)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to place the temporaries of a "
				   "plan");
	return fits ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "the temporaries of a plan need more than 2^63 - 1 "
			   "bytes");
}

uint64_t plait__temporary_places_bytes(const plait__plan_object *plan_object,
				       const plait_allocator *allocator)
{
	const plait__plan *plan = plan_object->plan;
	uint64_t count = (uint64_t)plan->slots_count + plan->devices_count;
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t sum = 0, *block = NULL, *arenas = NULL;

	if (plait__temporary_places_has_any(plan))
		block = plait__alloc_array(allocator, count, sizeof(*block));
	if (block != NULL)
		arenas = block + plan->slots_count;
	for (uint32_t i = 0; arenas != NULL && i < plan->devices_count; i++)
		arenas[i] = plan->devices[i].scratch_bytes;
	if (arenas != NULL && plait__temporary_places_find(
				      plan_object, allocator, block, arenas,
				      &ignored) != PLAIT_OK)
		arenas = NULL;
	for (uint32_t i = 0; i < plan->devices_count; i++)
		sum += arenas != NULL ? arenas[i] :
					plan->devices[i].scratch_bytes;
	plait__free(allocator, block, count * sizeof(*block));
	return sum;
}
