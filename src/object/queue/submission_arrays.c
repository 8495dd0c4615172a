/* SPDX-License-Identifier: MIT */
/* Arrays of a queue in which submissions are built. */
#include "object/queue/submission_arrays.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void free_scratch(plait__submission_arrays *scratch,
			 const plait_allocator *allocator)
{
	uint64_t commands = scratch->commands;

	plait__free(allocator, scratch->work,
		    commands * sizeof(*scratch->work));
	plait__free(allocator, scratch->points,
		    (2 * commands + 1) * sizeof(*scratch->points));
	plait__free(allocator, scratch->stretches,
		    (commands + 1) * sizeof(*scratch->stretches));
	memset(scratch, 0, sizeof(*scratch));
}

void plait__submission_arrays_free(plait__queue *queue)
{
	free_scratch(&queue->scratch,
		     plait__context_allocator(queue->object.context));
}

/* A command is at most one work item, two points and one more group. */
plait_status plait__submission_arrays_grow(plait__queue *queue, uint64_t count,
					   plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(queue->object.context);
	uint64_t commands = queue->scratch.commands * 2;
	plait__submission_arrays fresh;

	if (commands < count)
		commands = count;
	fresh.commands = commands;
	fresh.work = plait__alloc_array(allocator, commands,
					sizeof(*fresh.work));
	fresh.points = plait__alloc_array(allocator, 2 * commands + 1,
					  sizeof(*fresh.points));
	fresh.stretches = plait__alloc_array(allocator, commands + 1,
					     sizeof(*fresh.stretches));
	if (fresh.work == NULL || fresh.points == NULL ||
	    fresh.stretches == NULL) {
		free_scratch(&fresh, allocator);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to submit %llu commands",
				   (unsigned long long)count);
	}
	free_scratch(&queue->scratch, allocator);
	queue->scratch = fresh;
	return PLAIT_OK;
}
