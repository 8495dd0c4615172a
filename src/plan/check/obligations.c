/* SPDX-License-Identifier: MIT */
/*
 * Proof obligations: chains, the direct test, and the list of unproved ones.
 *
 * The order graph has, for each command, an edge from its predecessor on the
 * lane and from its wait targets (strict), or from its preds (helped).  Chains
 * are paths in that graph: tracks (strict), or paths found greedily (helped).
 *
 * An obligation that is neither within a chain nor covered by a direct edge
 * goes on a list, which clock_sweeps.c proves.
 */
#include "plan/check/obligations.h"

#include "plan/check/shared_memory.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* Most edges that are scanned one by one. */
enum { SCAN_MAX = 8 };

/* ---- chains ---- */

static void chain_lanes(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t t, p;

	for (t = 0; t < plan->tracks_count; t++)
		for (p = 0; p < plan->tracks[t].count; p++) {
			check->chain[plan->tracks[t].first + p] = t;
			check->link[plan->tracks[t].first + p] = p;
		}
	check->chain_count = plan->tracks_count;
}

/* Each command continues the chain of its first pred that has no successor in
 * its chain yet.  `order` is topological (deadlock.c), so preds have their
 * chains. */
static plait_status chain_preds(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint8_t *continued = plait__check_alloc(check, plan->command_count, 1);
	uint32_t i, k;

	if (continued == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->command_count; i++) {
		uint32_t c = plan->order[i];
		plait__obligations_edges e =
			plait__obligations_in_edges(check, c);

		for (k = e.first; k < e.last; k++)
			if (!continued[e.targets[k]])
				break;
		if (k == e.last) {
			check->chain[c] = check->chain_count++;
			continue;
		}
		continued[e.targets[k]] = 1;
		check->chain[c] = check->chain[e.targets[k]];
		check->link[c] = check->link[e.targets[k]] + 1;
	}
	return PLAIT_OK;
}

plait_status plait__obligations_find_chains(plait__check *check)
{
	uint64_t commands = check->plan->command_count;
	plait_status status = PLAIT_OK;

	check->chain = plait__check_alloc(check, commands, sizeof(uint32_t));
	check->link = plait__check_alloc(check, commands, sizeof(uint32_t));
	if (check->chain == NULL || check->link == NULL)
		return plait__check_no_memory(check);
	if (check->plan->mode == PLAIT__MODE_STRICT)
		chain_lanes(check);
	else
		status = chain_preds(check);
	check->newest = plait__check_alloc(check, check->chain_count,
					   sizeof(uint32_t));
	check->newest_for = plait__check_alloc(check, check->chain_count,
					       sizeof(uint32_t));
	if (check->newest == NULL || check->newest_for == NULL)
		return plait__check_no_memory(check);
	return status;
}

/* ---- direct test ---- */

/*
 * Tabulate the direct predecessors of `after` by chain, for long edge lists.
 * Obligations arrive grouped by `after`, so the table is filled once per
 * command.
 */
static void fill_newest(plait__check *check, uint32_t after)
{
	plait__obligations_edges e = plait__obligations_in_edges(check, after);
	uint32_t i;

	if (check->newest_after == after + 1)
		return;
	check->newest_after = after + 1;
	for (i = e.first; i < e.last; i++) {
		uint32_t from = e.targets[i], chain = check->chain[from];

		if (check->newest_for[chain] != after + 1) {
			check->newest_for[chain] = after + 1;
			check->newest[chain] = 0;
		}
		if (check->link[from] + 1 > check->newest[chain])
			check->newest[chain] = check->link[from] + 1;
	}
}

/* Chains are known. */
static bool is_direct(plait__check *check, uint32_t before, uint32_t after)
{
	uint32_t chain = check->chain[before], link = check->link[before];
	plait__obligations_edges e = plait__obligations_in_edges(check, after);
	uint32_t i;

	if (check->chain[after] == chain)
		return link < check->link[after];
	if (e.last - e.first > SCAN_MAX) {
		fill_newest(check, after);
		return check->newest_for[chain] == after + 1 &&
		       check->newest[chain] > link;
	}
	for (i = e.first; i < e.last; i++)
		if (check->chain[e.targets[i]] == chain &&
		    check->link[e.targets[i]] >= link)
			return true;
	return false;
}

plait_status plait__obligations_fail(plait__check *check, uint32_t before,
				     uint32_t after, uint32_t why)
{
	static const char *const reason[] = {
		"a pred in the plan", "an edge of the graph",
		"its region, barrier or group",
		NULL, "their scratch overlaps",
		"it uses a loop-carried buffer",
		"a wait", "their temporaries or scratch share bytes",
		"both hold one unit of a resource"
	};
	char a[PLAIT__CHECK_TEXT_BYTES], b[PLAIT__CHECK_TEXT_BYTES];
	char memory[PLAIT__SHARED_MEMORY_TEXT_BYTES];
	bool access = why == PLAIT__OBLIGATION_ACCESS, both;

	return plait__fail(check->error, PLAIT_E_INVALID,
			   "nothing orders %s before %s: %s%s",
			   plait__check_name(check, before, a),
			   plait__check_name(check, after, b),
			   access ? "both use " : reason[why],
			   !access ? "" : plait__shared_memory_text(
				   check->plan,
				   plait__check_accesses_of(check->plan,
							    before),
				   plait__check_accesses_of(check->plan,
							    after),
				   &both, memory));
}

static plait_status push(plait__check *check, uint32_t before, uint32_t after,
			 uint32_t why)
{
	plait__obligation *o = check->obligations;
	uint64_t need = (check->obligation_count + 1ull) * sizeof(*o);
	uint64_t bytes = need + need / 2 + 64 * sizeof(*o);

	if (need > check->obligation_bytes) {
		o = o == NULL ? plait__alloc(check->allocator, bytes) :
			plait__realloc(check->allocator, o,
				       check->obligation_bytes, bytes);
		if (o == NULL)
			return plait__check_no_memory(check);
		check->obligations = o;
		check->obligation_bytes = bytes;
	}
	o = &o[check->obligation_count++];
	o->before = before;
	o->after = after;
	o->why = why;
	return PLAIT_OK;
}

plait_status plait__obligations_add(plait__check *check, uint32_t before,
				    uint32_t after, uint32_t why)
{
	if (why == PLAIT__OBLIGATION_REDUNDANT)
		return push(check, before, after, why);
	check->report->orderings++;
	if (check->body_of[before] != check->body_of[after] ||
	    check->sequence[before] >= check->sequence[after])
		return plait__obligations_fail(check, before, after, why);
	if (is_direct(check, before, after)) {
		check->report->direct++;
		return PLAIT_OK;
	}
	return push(check, before, after, why);
}

/* The body is not 0. */
static uint32_t region_command(const plait__check *check, uint32_t body)
{
	return check->plan->regions[check->plan->bodies[body].region].command;
}

/*
 * On one lane the lane order settles the matter (strict), in whichever bodies
 * they are; else the commands of the innermost common body that hold a and b
 * must be ordered.
 */
plait_status plait__obligations_add_across(plait__check *check, uint32_t a,
					   uint32_t b, uint32_t why,
					   bool *exclusive)
{
	const plait__plan_command *commands = check->plan->commands;

	if (exclusive != NULL)
		*exclusive = false;
	if (check->plan->mode == PLAIT__MODE_STRICT &&
	    commands[a].lane == commands[b].lane && a != b)
		return PLAIT_OK;
	while (check->body_of[a] != check->body_of[b]) {
		uint32_t da = check->depth[check->body_of[a]];
		uint32_t db = check->depth[check->body_of[b]];

		if (da >= db)
			a = region_command(check, check->body_of[a]);
		if (db >= da)
			b = region_command(check, check->body_of[b]);
	}
	if (a != b)
		return plait__obligations_add(check, a, b, why);
	if (exclusive != NULL)
		*exclusive = true;
	return PLAIT_OK;
}
