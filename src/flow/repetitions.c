/* SPDX-License-Identifier: MIT */
/* Repetitions that a flow repeats; see repetitions.h. */
#include "flow/repetitions.h"

#include "base/alloc.h"

#include <stdio.h>

plait__repetition *plait__repetitions_make(plait__flow *flow, uint64_t key)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__repetition *made = plait__alloc(allocator, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->key = key;
	plait__vector_init(&made->accesses, allocator,
			   sizeof(plait__flow_access));
	plait__vector_init(&made->bindings, allocator,
			   sizeof(plait_binding));
	plait__vector_init(&made->needs, allocator,
			   sizeof(plait__repetition_need));
	plait__vector_init(&made->results, allocator,
			   sizeof(plait__repetition_result));
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
	plait__vector_fini(&made->accesses);
	plait__vector_fini(&made->bindings);
	plait__vector_fini(&made->needs);
	plait__vector_fini(&made->results);
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
