/* SPDX-License-Identifier: MIT */
/* Shares of devices in split launches; see split_weights.h. */
#include "flow/split_weights.h"

#include "flow/access/chunks.h"
#include "flow/device_choice.h"
#include "flow/device_place.h"
#include "flow/flow_data.h"
#include "flow/flow_history.h"
#include "flow/flow_kernels.h"
#include "flow/policy/saturating.h"

#include "kernel/launch.h"

enum { LAST_SPLITS = 64 };

/* ---- the last splits ---- */

static bool is_of(const plait__last_split *split,
		  const plait__last_split *wanted)
{
	return memcmp(split->code, wanted->code, sizeof(split->code)) == 0 &&
	       memcmp(&split->launch, &wanted->launch,
		      sizeof(split->launch)) == 0 &&
	       split->count == wanted->count;
}

static plait__last_split *find_last(plait__flow_history *history,
				    const plait__last_split *wanted)
{
	for (uint32_t i = 0; i < history->splits.count; i++) {
		plait__last_split *split = plait__vector_at(&history->splits,
							    i);

		if (is_of(split, wanted))
			return split;
	}
	return NULL;
}

/* Keep a split; without memory it is not kept. */
static void keep_split(plait__flow_history *history,
		       const plait__last_split *split)
{
	plait__last_split *last = find_last(history, split);

	if (last == NULL && history->splits.count < LAST_SPLITS)
		last = plait__vector_push(&history->splits, NULL, 1);
	else if (last == NULL)
		last = plait__vector_at(&history->splits,
					history->next_split++ % LAST_SPLITS);
	if (last != NULL)
		*last = *split;
}

/* ---- times ---- */

/* Times of all units on each device, from the time that its share of the last
 * split is expected to take, or of an equal one; 0: not known. */
static void list_times(const plait__flow_task *task,
		       const plait__last_split *split,
		       const plait__split_request *request, uint64_t *times_ns)
{
	uint64_t items = plait__launch_items(&split->launch);

	for (uint32_t d = 0; d < request->count; d++) {
		uint64_t units = request->last == NULL ?
			request->units / request->count :
			request->last[d + 1] - request->last[d];
		plait__estimate estimate = plait__flow_history_estimate(
			task->flow, task->kernel->kernel, d,
			plait__saturating_mul_div(items, units,
						  request->units), 0);

		times_ns[d] = plait__saturating_mul_div(
			estimate.ns, request->units, units);
	}
}

/* ---- moves ---- */

/* Bytes that move with a unit: those of the accesses of the first piece, without
 * those to all of a data. */
static uint64_t count_bytes(const plait__flow_task *task, uint64_t units)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *access = &task->flow->accesses[i];

		if (access->whole->copies != NULL &&
		    memcmp(&access->box, &access->whole->box,
			   sizeof(access->box)) != 0)
			bytes += plait__box_elements(&access->box) *
				 access->whole->element_bytes;
	}
	return bytes / units;
}

/* Rate of the link between a memory and the host's: bytes per microsecond. */
static uint64_t rate_by_host(const plait__links *links, uint32_t memory)
{
	uint64_t rate = memory == links->host ? UINT64_MAX :
			plait__links_get(links, memory, links->host)->rate;

	return rate != 0 ? rate : PLAIT__PLACER_RATE;
}

/* Rate between two memories, directly or by the host's. */
static uint64_t rate_between(const plait__links *links, uint32_t a, uint32_t b)
{
	uint64_t direct = plait__links_get(links, a, b)->rate;
	uint64_t there = rate_by_host(links, a), back = rate_by_host(links, b);

	return direct != 0 ? direct : there < back ? there : back;
}

/* The slowest one between devices that are neighbours in the split; UINT64_MAX:
 * all have one memory. */
static uint64_t find_rate(const plait__flow_devices *devices)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t d = 0; d + 1 < devices->count; d++) {
		uint32_t a = devices->items[d].memory;
		uint32_t b = devices->items[d + 1].memory;
		uint64_t rate = a == b ? UINT64_MAX :
			rate_between(&devices->choices->links, a, b);

		least = rate < least ? rate : least;
	}
	return least;
}

/* ---- the choice ---- */

/* Returns true if the launch has one piece for each device, and its results do
 * not depend on the borders. */
static bool is_free(const plait__flow_task *task, const plait_task_desc *desc)
{
	return task->flow->history != NULL && desc->split == 1 &&
	       desc->pieces == 0 && task->reduction_count == 0 &&
	       !task->has_own_boxes &&
	       task->chunk.count == task->flow->devices->count;
}

/* Returns true if each device runs the launch. */
static bool runs_everywhere(const plait__flow_task *task)
{
	plait__flow_task whole = *task;

	return plait__place_find(&whole, NULL) == PLAIT_OK &&
	       (uint32_t)__builtin_popcountll(whole.candidates) ==
		       task->chunk.count;
}

static bool are_known(const uint64_t *times_ns, uint32_t count)
{
	for (uint32_t d = 0; d < count; d++)
		if (times_ns[d] == 0)
			return false;
	return true;
}

/* Fill split->borders.  While a time is not known they are those of the pieces
 * that the launch has without weights. */
static void decide(plait__split_weights *weights, const plait__flow_task *task,
		   plait__last_split *split)
{
	const plait__last_split *last = find_last(task->flow->history, split);
	uint64_t times_ns[PLAIT__MEMORY_DEVICES];
	plait__split_request request = {
		.units = plait__chunks_groups(&split->launch),
		.times_ns = times_ns, .count = split->count, .least = 1,
		.last = last != NULL ? last->borders : NULL,
	};

	request.unit_bytes = count_bytes(
		task, (request.units + split->count - 1) / split->count);
	request.rate = find_rate(task->flow->devices);
	list_times(task, split, &request, times_ns);
	if (are_known(times_ns, split->count))
		weights->state = PLAIT__SPLIT_WEIGHTED;
	else
		request.last = NULL;
	weights->choice = plait__weights_split(&request, split->borders);
	weights->is_first = request.last == NULL;
	memcpy(weights->borders, split->borders, sizeof(weights->borders));
}

void plait__split_weights_choose(plait__split_weights *weights,
				 const plait__flow_task *task,
				 const plait_task_desc *desc)
{
	plait__last_split split = { .count = task->chunk.count };
	const plait__kernel *kernel;

	if (weights->state != PLAIT__SPLIT_UNDECIDED)
		return;
	weights->state = PLAIT__SPLIT_EQUAL;
	if (!is_free(task, desc) || !runs_everywhere(task))
		return;
	kernel = task->kernel->kernel;
	plait__hash_get(&kernel->hash, split.code);
	if (plait__flow_kernels_geometry(kernel, desc->launch, &split.launch,
					 NULL) != PLAIT_OK)
		return;
	decide(weights, task, &split);
	keep_split(task->flow->history, &split);
}
