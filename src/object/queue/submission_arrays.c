/* SPDX-License-Identifier: MIT */
/* Arrays of a queue in which submissions are built. */
#include "object/queue/submission_arrays.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void free_arrays(plait__submission_arrays *arrays,
			const plait_allocator *allocator)
{
	uint64_t commands = arrays->commands;

	plait__free(allocator, arrays->work,
		    commands * sizeof(*arrays->work));
	plait__free(allocator, arrays->points,
		    (2 * commands + 1) * sizeof(*arrays->points));
	plait__free(allocator, arrays->groups,
		    (commands + 1) * sizeof(*arrays->groups));
	memset(arrays, 0, sizeof(*arrays));
}

void plait__submission_arrays_free(plait__queue *queue)
{
	free_arrays(&queue->arrays,
		     plait__context_allocator(queue->object.context));
}

/* A command is at most one work item, two points and one more group. */
plait_status plait__submission_arrays_grow(plait__queue *queue, uint64_t count,
					   plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(queue->object.context);
	uint64_t commands = queue->arrays.commands * 2;
	plait__submission_arrays fresh;

	if (commands < count)
		commands = count;
	fresh.commands = commands;
	fresh.work = plait__alloc_array(allocator, commands,
					sizeof(*fresh.work));
	fresh.points = plait__alloc_array(allocator, 2 * commands + 1,
					  sizeof(*fresh.points));
	fresh.groups = plait__alloc_array(allocator, commands + 1,
					     sizeof(*fresh.groups));
	if (fresh.work == NULL || fresh.points == NULL ||
	    fresh.groups == NULL) {
		free_arrays(&fresh, allocator);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to submit %llu commands",
				   (unsigned long long)count);
	}
	free_arrays(&queue->arrays, allocator);
	queue->arrays = fresh;
	return PLAIT_OK;
}
