/* SPDX-License-Identifier: MIT */
/* Repetitions that a flow repeats; see repetitions.h. */
#include "flow/repetitions.h"

#include "flow/repetition_prefix.h"

#include "base/alloc.h"

#include <stdio.h>

enum {
	/* Runs in a row before borders are removed; twice as many, up to a limit, if
	 * other tasks follow within as many runs: they may make the borders again. */
	FIRST_JOIN = 32,
	LAST_JOIN = 1 << 16
};

plait__repetition *plait__repetitions_make(plait__flow *flow, uint64_t key)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__repetition *made = plait__alloc(allocator, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->key = key;
	made->joins_after = made->next_join = FIRST_JOIN;
	made->counted = UINT64_MAX;
	plait__vector_init(&made->accesses, allocator,
			   sizeof(plait__flow_access));
	plait__vector_init(&made->bindings, allocator,
			   sizeof(plait_binding));
	plait__vector_init(&made->needs, allocator,
			   sizeof(plait__repetition_need));
	plait__vector_init(&made->results, allocator,
			   sizeof(plait__repetition_result));
	plait__vector_init(&made->pins, allocator,
			   sizeof(plait__repetition_need));
	snprintf(made->label, sizeof(made->label), "repetition %llu",
		 (unsigned long long)key);
	return made;
}

static void drop_data(plait__repetition *made)
{
	for (uint32_t i = 0; i < made->accesses.count; i++) {
		const plait__flow_access *access =
			plait__vector_at(&made->accesses, i);

		plait__object_drop(&access->whole->object);
	}
	plait__vector_truncate(&made->accesses, 0);
}

void plait__repetitions_free(plait__repetition *made)
{
	const plait_allocator *allocator = made->accesses.allocator;

	drop_data(made);
	plait_plan_release(made->plan);
	plait_plan_release(made->alone);
	plait__repetition_prefix_free(made->prefix);
	plait__vector_fini(&made->accesses);
	plait__vector_fini(&made->bindings);
	plait__vector_fini(&made->needs);
	plait__vector_fini(&made->results);
	plait__vector_fini(&made->pins);
	plait__free(allocator, made, sizeof(*made));
}

plait__repetition *plait__repetitions_find(const plait__flow *flow,
					    uint64_t key)
{
	plait__repetition *at = flow->repetitions;

	while (at != NULL && at->key != key)
		at = at->next;
	return at;
}

void plait__repetitions_add(plait__flow *flow, plait__repetition *made)
{
	made->next = flow->repetitions;
	flow->repetitions = made;
}

/* Returns true if no other op has used the data since the last run. */
static bool is_undisturbed(const plait__repetition *again)
{
	for (uint32_t i = 0; i < again->accesses.count; i++) {
		const plait__flow_access *access =
			plait__vector_at(&again->accesses, i);

		if (access->whole->last_use != again->newest.last_use)
			return false;
	}
	return true;
}

/* Another op has used the data. */
static void begin_anew(plait__repetition *again)
{
	if (again->undisturbed >= 2 * again->joins_after)
		again->joins_after = FIRST_JOIN;
	else if (again->undisturbed >= again->joins_after &&
		 again->joins_after < LAST_JOIN)
		again->joins_after *= 2;
	again->undisturbed = 0;
	again->next_join = again->joins_after;
}

/* A border may outlast a join, since ops at its sides are in flight; so there is another
 * join after twice as many runs. */
static void join(plait__flow *flow, plait__repetition *again)
{
	again->next_join = 2 * again->undisturbed;
	for (uint32_t i = 0; i < again->accesses.count; i++) {
		const plait__flow_access *access =
			plait__vector_at(&again->accesses, i);

		plait__flow_join(flow, access->map);
	}
}

/* A run is committed anew after a wait for room.  A fixed flow has equal borders, however
 * often its runs wait. */
void plait__repetitions_count_run(plait__flow *flow, plait__repetition *again)
{
	if (again->counted == again->newest.last_use)
		return;
	again->counted = again->newest.last_use;
	if (!is_undisturbed(again))
		begin_anew(again);
	else if (++again->undisturbed == again->next_join)
		join(flow, again);
}

void plait__repetitions_forget_pins(plait__flow *flow)
{
	for (plait__repetition *at = flow->repetitions; at != NULL; at = at->next)
		plait__vector_truncate(&at->pins, 0);
}

void plait__repetitions_close(plait__flow *flow)
{
	for (plait__repetition *at = flow->repetitions; at != NULL; at = at->next)
		drop_data(at);
}

void plait__repetitions_free_all(plait__flow *flow)
{
	plait__repetition *next;

	for (plait__repetition *at = flow->repetitions; at != NULL; at = next) {
		next = at->next;
		plait__repetitions_free(at);
	}
}
