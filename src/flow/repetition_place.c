/* SPDX-License-Identifier: MIT */
/* Runs of repetitions in flows with devices; see repetition_place.h. */
#include "flow/repetition_place.h"

#include "flow/commit.h"
#include "flow/device_choice.h"
#include "flow/device_copy.h"
#include "flow/flow_devices.h"
#include "flow/repetition_values.h"

#include "base/error.h"

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a run of a repetition");
}

/* ---- before the run ---- */

/* Let the accesses be the needs from the i-th on that are of the same memory;
 * returns the index behind them, or the same one without memory. */
static uint32_t take_needs(plait__flow_task *task, uint32_t i)
{
	const plait__vector *needs = &task->again->needs;
	const plait__repetition_need *at = plait__vector_at(needs, i);
	plait__flow *flow = task->flow;
	uint32_t first = i;

	task->memory = at->memory;
	task->access_count = 0;
	while (i < needs->count && at->memory == task->memory) {
		if (!plait__commit_reserve_accesses(flow, i - first + 1))
			return first;
		flow->accesses[i - first] = (plait__flow_access){
			.whole = at->whole, .box = at->box,
			.map = &at->whole->map, .mode = PLAIT__ACCESS_READS
		};
		if (++i < needs->count)
			at = plait__vector_at(needs, i);
	}
	task->access_count = i - first;
	return i;
}

plait_status plait__repetition_place_fetch(plait__flow_task *task,
					   plait_error *error)
{
	uint32_t count = task->again->needs.count;
	plait_status status = PLAIT_OK;
	uint32_t next;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i = next) {
		next = take_needs(task, i);
		status = next > i ? plait__device_copy_fetch(task, error) :
				    fail_memory(error);
	}
	task->memory = PLAIT__MEMORY_HOST;
	task->access_count = 0;
	return status;
}

/* ---- the run ---- */

/* Ops of mapped memory come before; see plait__repetition.mapped. */
static void order_mapped(plait__flow_task *task)
{
	plait__flow_devices *devices = task->flow->devices;

	task->is_prefix |= task->again->mapped != 0;
	task->order = devices->order;
	for (uint32_t m = 1; m < devices->system.memories; m++)
		if ((task->again->memories >> m & 1) != 0)
			devices->order[task->order_count++] =
				devices->last_mapped[m];
}

plait_status plait__repetition_place_task(plait__flow_task *task,
					  plait_error *error)
{
	const plait__vector *results = &task->again->results;
	/* Many accesses, and behind each other at once: less is listed. */
	plait_status status = task->is_held ?
		plait__device_choice_make_run(task->flow, task->again->memories,
					      error) :
		plait__device_choice_make_host(task, error);

	for (uint32_t i = 0; status == PLAIT_OK && i < results->count; i++) {
		const plait__repetition_result *at =
			plait__vector_at(results, i);

		if (!plait__data_copies_reserve(at->whole->copies, at->count))
			status = fail_memory(error);
	}
	order_mapped(task);
	return status;
}

static void note_mapped(const plait__flow_task *task, uint32_t memory)
{
	const plait__vector *accesses = &task->again->accesses;

	task->flow->devices->last_mapped[memory] = task->number;
	for (uint32_t i = 0; i < accesses->count; i++) {
		const plait__flow_access *at = plait__vector_at(accesses, i);

		if (at->whole->copies != NULL)
			plait__data_copies_at(at->whole->copies, memory)
				->mapped = task->number;
	}
}

void plait__repetition_place_commit(plait__flow_task *task)
{
	const plait__repetition *again = task->again;
	plait__flow_devices *devices = task->flow->devices;

	plait__device_choice_commit(task);
	/* A held run leaves them at its end. */
	if (!task->is_held)
		plait__repetition_values_leave(again, task->number);
	for (uint32_t m = 1; m < devices->system.memories; m++) {
		if ((again->mapped >> m & 1) != 0)
			note_mapped(task, m);
		if ((again->memories >> m & 1) != 0)
			devices->last_run[m] = task->number;
	}
}
