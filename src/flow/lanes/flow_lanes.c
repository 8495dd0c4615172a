/* SPDX-License-Identifier: MIT */
/* Lanes of a flow: construction, and threads that wait; see flow_lanes.h. */
#include "flow/lanes/flow_lanes.h"

#include "flow/lanes/flow_claim.h"
#include "flow/lanes/flow_worker.h"
#include "flow/lanes/held_ops.h"

#include "sys/thread.h"

/* ---- construction ---- */

static bool make_arrays(plait__flow_lanes *lanes)
{
	uint64_t size = lanes->ring.mask + 1;
	uint64_t all = lanes->count + 2;

	lanes->lanes = plait__cacheline_alloc(lanes->allocator,
					      all * sizeof(*lanes->lanes));
	lanes->numbers = plait__cacheline_alloc(
		lanes->allocator, all * size * sizeof(*lanes->numbers));
	lanes->workers = plait__cacheline_alloc(
		lanes->allocator, lanes->count * sizeof(*lanes->workers));
	return lanes->lanes != NULL && lanes->numbers != NULL &&
	       lanes->workers != NULL;
}

static void free_arrays(plait__flow_lanes *lanes)
{
	uint64_t size = lanes->ring.mask + 1;
	uint64_t all = lanes->count + 2;

	plait__cacheline_free(lanes->allocator, lanes->lanes,
			      all * sizeof(*lanes->lanes));
	plait__cacheline_free(lanes->allocator, lanes->numbers,
			      all * size * sizeof(*lanes->numbers));
	plait__cacheline_free(lanes->allocator, lanes->workers,
			      lanes->count * sizeof(*lanes->workers));
}

bool plait__flow_lanes_init(plait__flow_lanes *lanes, plait__pool *pool,
			    uint32_t count)
{
	lanes->count = count;
	lanes->asymmetric_fence = at_membarrier_available();
	if (!make_arrays(lanes)) {
		free_arrays(lanes);
		lanes->workers = NULL;
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		plait__flow_worker *worker = &lanes->workers[i];

		plait__task_init(&worker->task, pool);
		worker->task.run = plait__flow_worker_run;
		worker->task.lost = plait__flow_worker_lose;
		worker->lanes = lanes;
		worker->index = worker->from = i;
		(void)at_or_u64(&lanes->idle, PLAIT__FLOW_PARKED << i);
	}
	return true;
}

/* Returns true if no thread runs the worker, or will. */
static bool is_at_rest(plait__flow_lanes *lanes, uint32_t index)
{
	/* Acquire: pairs with the compare-and-swap in park. */
	return (at_load_acquire_u64(&lanes->idle) &
		PLAIT__FLOW_PARKED << index) != 0 ||
	       plait__ready_claim(&lanes->workers[index].task.ready);
}

void plait__flow_lanes_fini(plait__flow_lanes *lanes)
{
	if (lanes->workers == NULL)
		return;
	for (uint32_t i = 0; i < lanes->count; i++) {
		while (!is_at_rest(lanes, i))
			plait__thread_yield();
		plait__task_set_idle(&lanes->workers[i].task);
		plait__task_forget(&lanes->workers[i].task);
	}
	plait__held_ops_fini(lanes);
	free_arrays(lanes);
}

/* ---- waiting threads ---- */

static void run_for(plait__flow_worker *worker, uint64_t awaited)
{
	/* Else a thread of the pool that runs another worker would leave it, to
	 * find that this one is taken. */
	plait__task_forget(&worker->task);
	worker->awaited = awaited;
	plait__task_run_unshared(&worker->task);
}

bool plait__flow_lanes_help(plait__flow_lanes *lanes, uint64_t awaited)
{
	for (uint32_t i = 0; i < lanes->count; i++) {
		plait__flow_worker *worker = &lanes->workers[i];

		if (!plait__ready_claim(&worker->task.ready))
			continue;
		run_for(worker, awaited);
		return true;
	}
	return false;
}

/* Returns true if one of the first undone ops from `first` to `last` is ready,
 * and no worker has taken it. */
static bool is_one_ready(plait__flow_lanes *lanes, uint64_t first,
			 uint64_t last)
{
	for (uint64_t i = first; i <= last && i - first < PLAIT__CLAIM_REACH;
	     i++)
		if (plait__flow_claim_open(lanes, (uint32_t)i) == i &&
		    plait__flow_claim_is_ready(lanes, i))
			return true;
	return false;
}

bool plait__flow_lanes_help_parked(plait__flow_lanes *lanes, uint64_t first,
				   uint64_t awaited)
{
	bool was_parked;

	if (at_load_relaxed_u64(&lanes->idle) < PLAIT__FLOW_PARKED ||
	    !is_one_ready(lanes, first, awaited))
		return false;
	for (uint32_t i = 0; i < lanes->count; i++) {
		plait__flow_worker *worker = &lanes->workers[i];

		if (!plait__flow_lanes_wake(lanes, i, &was_parked) ||
		    !was_parked)
			continue;
		/* Only a parked worker is offered, by the thread that has
		 * cleared its bit. */
		at_store_relaxed_u32(&worker->task.ready.state,
				     PLAIT__TASK_RUNNING);
		run_for(worker, awaited);
		return true;
	}
	return false;
}
