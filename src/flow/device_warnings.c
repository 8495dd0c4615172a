/* SPDX-License-Identifier: MIT */
/* Warnings of copies and evictions; see device_warnings.h. */
#include "flow/device_warnings.h"

#include "base/error.h"

/* ---- copies ---- */

static uint32_t count_small(const plait__data *whole,
			    const plait__vector *missing)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < missing->count; i++) {
		const plait__version *version = plait__vector_at(missing, i);

		count += version->valid != 0 &&
			 plait__box_elements(&version->box) *
					 whole->element_bytes <
				 PLAIT__WARNING_COPY_BYTES;
	}
	return count;
}

/* Keep the warning until the task is in the record: of several the largest one. */
static void keep(plait__flow *flow, plait__data *whole, uint32_t memory,
		 uint32_t count)
{
	plait__small_copies *kept = &flow->devices->small_copies;

	if (kept->submitter == flow->submitter && kept->count >= count)
		return;
	*kept = (plait__small_copies){
		flow->submitter, whole, memory, count
	};
}

plait_status plait__device_warnings_copies(const plait__flow_task *task,
					   const plait__flow_access *access,
					   const plait__vector *missing,
					   plait_error *error)
{
	plait__flow *flow = task->flow;
	uint32_t count;

	if (flow->record == NULL || flow->record->failed ||
	    missing->count <= PLAIT__WARNING_COPIES_MOST)
		return PLAIT_OK;
	count = count_small(access->whole, missing);
	if (count <= PLAIT__WARNING_COPIES_MOST)
		return PLAIT_OK;
	if (flow->is_strict)
		return plait__fail(error, PLAIT_E_INVALID,
				   "needs %u copies of \"%s\" of less than %d "
				   "bytes to memory %u", count,
				   access->whole->object.label,
				   PLAIT__WARNING_COPY_BYTES, task->memory);
	keep(flow, access->whole, task->memory, count);
	return PLAIT_OK;
}

void plait__device_warnings_forget(plait__flow *flow)
{
	plait__small_copies *kept = &flow->devices->small_copies;

	if (kept->submitter == flow->submitter)
		*kept = (plait__small_copies){ .count = 0 };
}

plait__small_copies plait__device_warnings_take(plait__flow *flow)
{
	const plait__small_copies kept = flow->devices->small_copies;

	if (kept.submitter != flow->submitter)
		return (plait__small_copies){ .count = 0 };
	plait__device_warnings_forget(flow);
	return kept;
}

/* ---- evictions ---- */

plait_status plait__device_warnings_check(const plait__flow *flow,
					  uint32_t memory, plait_error *error)
{
	uint32_t run;

	if (!flow->is_strict)
		return PLAIT_OK;
	run = plait__traffic_run(&flow->devices->evictions[memory],
				 flow->record->tasks.count);
	if (run <= PLAIT__WARNING_EVICTIONS_MOST)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "memory %u evicts buffers in %u horizons of %d "
			   "tasks in a row", memory, run,
			   PLAIT__WARNING_HORIZON);
}

void plait__device_warnings_evict(plait__flow *flow, uint32_t memory)
{
	plait__traffic_evictions *evictions = &flow->devices->evictions[memory];

	if (flow->record == NULL)
		return;
	plait__traffic_evict(evictions, flow->record->tasks.count);
	if (evictions->run > PLAIT__WARNING_EVICTIONS_MOST)
		plait__traffic_warn(flow->record,
				    &(plait__traffic_warning){
					    .kind = PLAIT__TRAFFIC_EVICTIONS,
					    .count = evictions->run,
					    .memory = memory });
}
