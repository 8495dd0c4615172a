/* SPDX-License-Identifier: MIT */
/* Copies between the memories of a flow; see device_copy.h. */
#include "flow/device_copy.h"

#include "flow/commit.h"
#include "flow/device_warnings.h"

#include "base/error.h"

#include <string.h>

/* A copy of a box from one memory to another. */
struct copy {
	plait__flow *flow;
	plait__data *whole;
	plait_box box;
	uint32_t from;
	uint32_t to;
	plait__flow_device *device; /* that the copy is for, or null */
	bool saves; /* before an eviction, or the only values */
	/* Null: those of the memories.  Else within one memory, to a block that
	 * replaces the other one. */
	const plait__device_block *target;
};

void plait__device_copy_set_op(plait__flow_task *task, plait__device_op *op)
{
	task->kind = PLAIT__OP_ASYNC;
	task->is_late = true;
	task->device_op = op;
	task->filled.call.begin = plait__device_engine_claim;
	task->filled.user_data = op;
}

bool plait__device_copy_has_succeeded(void *arg, uint32_t low)
{
	plait__flow *flow = arg;
	uint64_t newest = flow->window.newest;
	uint64_t number = newest - (uint32_t)((uint32_t)newest - low);

	return plait__op_is_done(&flow->window.ring, number) &&
	       !plait__outcomes_has(&flow->lanes.outcomes, number);
}

/* The first device of the memory that is not lost; else the first one. */
static plait__flow_device *device_of(const plait__flow *flow,
					   uint32_t memory)
{
	plait__flow_devices *devices = flow->devices;
	plait__flow_device *first = NULL;

	for (uint32_t i = 0; i < devices->count; i++) {
		plait__flow_device *at = &devices->items[i];

		if (at->memory != memory)
			continue;
		if (!plait__flow_devices_is_lost(flow, at))
			return at;
		if (first == NULL)
			first = at;
	}
	return first;
}

/* The device of the task, if the copy is to its memory. */
static plait__flow_device *choose_device(const struct copy *copy)
{
	const plait__flow *flow = copy->flow;

	if (copy->to == PLAIT__MEMORY_HOST)
		return device_of(flow, copy->from);
	return copy->device != NULL && copy->device->memory == copy->to ?
		       copy->device : device_of(flow, copy->to);
}

plait__device *plait__device_copy_device(const plait__flow *flow,
					 uint32_t memory)
{
	return device_of(flow, memory)->device;
}

/* ---- the command ---- */

/* Null: the program's memory. */
static const plait__device_block *block_at(const struct copy *copy,
					   uint32_t memory)
{
	return memory == PLAIT__MEMORY_HOST ? NULL :
	       &plait__data_copies_at(copy->whole->copies, memory)->block;
}

/* Rows without gaps are one, and slices of one row are rows; these likewise. */
static void set_rows(const struct copy *copy, plait__device_op *op,
		     const uint64_t *to, const uint64_t *from)
{
	const plait_box *box = &copy->box;
	uint64_t bytes = (box->high[0] - box->low[0]) * to[0];
	uint64_t rows = box->high[1] - box->low[1];
	uint64_t to_row = to[1], from_row = from[1];
	uint64_t slices = box->high[2] - box->low[2];

	if (bytes == to_row && bytes == from_row) {
		bytes *= rows;
		rows = 1;
	}
	if (rows == 1) {
		rows = slices;
		to_row = to[2];
		from_row = from[2];
		slices = 1;
	}
	if (slices == 1 && bytes == to_row && bytes == from_row) {
		bytes *= rows;
		rows = 1;
	}
	op->command.bytes = bytes;
	if (rows * slices == 1)
		return;
	op->rows = (plait_rows){ .size = sizeof(op->rows), .rows = rows,
				 .slices = slices, .target_row = to_row,
				 .source_row = from_row };
	if (slices > 1) {
		op->rows.target_slice = to[2];
		op->rows.source_slice = from[2];
	}
	op->command.rows = &op->rows;
}

static uint64_t offset_of(const struct copy *copy)
{
	const uint64_t *pitch = copy->whole->pitch;
	const uint64_t *low = copy->box.low;

	return low[0] * pitch[0] + low[1] * pitch[1] + low[2] * pitch[2];
}

static void set_command(const struct copy *copy, plait__device_op *op)
{
	const plait__device_block *source = block_at(copy, copy->from);
	const plait__device_block *target = copy->target != NULL ?
		copy->target : block_at(copy, copy->to);
	const uint64_t *low = copy->box.low, *pitch = copy->whole->pitch;
	plait_command *command = &op->command;

	*command = (plait_command){ .size = sizeof(*command),
				    .kind = PLAIT_COMMAND_COPY };
	if (target == NULL || source == NULL)
		command->host = copy->whole->memory + offset_of(copy);
	if (target == NULL)
		command->kind = PLAIT_COMMAND_READ;
	if (source == NULL)
		command->kind = PLAIT_COMMAND_WRITE;
	if (target != NULL) {
		command->target = plait__object_handle(&target->buffer->object);
		command->target_offset =
			(uint64_t)plait__device_block_distance(target, low);
	}
	if (source != NULL) {
		command->source = plait__object_handle(&source->buffer->object);
		command->source_offset =
			(uint64_t)plait__device_block_distance(source, low);
	}
	set_rows(copy, op, target != NULL ? target->pitch : pitch,
		 source != NULL ? source->pitch : pitch);
}

/* ---- the op ---- */

static plait__front_map *map_of(const struct copy *copy, uint32_t memory)
{
	return memory == PLAIT__MEMORY_HOST ? &copy->whole->map :
	       &plait__data_copies_at(copy->whole->copies, memory)->map;
}

/* Host code that maps the source writes it back, also where it has no access. */
static void set_order(const struct copy *copy, plait__flow_task *task)
{
	if (copy->from == PLAIT__MEMORY_HOST)
		return;
	task->order = &plait__data_copies_at(copy->whole->copies, copy->from)
			       ->mapped;
	task->order_count = 1;
}

/* To another block of the same memory the values stay where they are. */
static void set_accesses(const struct copy *copy, plait__flow_task *task)
{
	plait__flow_access *accesses = copy->flow->accesses;

	task->access_count = 2;
	accesses[0] = (plait__flow_access){
		copy->whole, copy->box, map_of(copy, copy->from),
		PLAIT__ACCESS_READS, 0
	};
	accesses[1] = (plait__flow_access){
		copy->whole, copy->box, map_of(copy, copy->to),
		PLAIT__ACCESS_WRITES, 0
	};
	if (copy->target == NULL)
		return;
	accesses[0].mode |= PLAIT__ACCESS_WRITES;
	task->access_count = 1;
	task->keeps_values = true;
}

/* Submit one copy. */
static plait_status submit(const struct copy *copy, plait_error *error)
{
	plait__flow *flow = copy->flow;
	plait__device_op *op =
		plait__device_engine_take(&flow->devices->engine);
	const uint32_t queue = flow->devices->queues;
	plait__flow_device *device = choose_device(copy);
	plait__flow_task task;
	plait_status status;

	if (op != NULL && !plait__data_copies_reserve(copy->whole->copies, 1)) {
		plait__device_engine_return(&flow->devices->engine, op);
		op = NULL;
	}
	if (op == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a copy");
	op->lane = device->lane + queue;
	op->label = "copy";
	op->data = copy->whole;
	op->box = copy->box;
	op->memory = copy->to;
	op->saves = copy->saves;
	set_command(copy, op);
	plait__flow_task_clear(&task, flow);
	task.label = op->label;
	task.is_always = true;
	task.behind = flow->devices->last_mapped[copy->to];
	set_order(copy, &task);
	plait__device_copy_set_op(&task, op);
	set_accesses(copy, &task);
	status = plait__commit_task(&task, error);
	if (status != PLAIT_OK) {
		plait__device_engine_return(&flow->devices->engine, op);
		return status;
	}
	device->newest[queue] = task.number;
	if (device->memory != copy->from)
		device->fetched[copy->from] = task.number;
	if (!plait__device_engine_has_begun(op))
		device->waiting[queue] = task.number;
	if (copy->target == NULL)
		plait__coherence_add(&copy->whole->copies->coherence,
				     &copy->box, copy->to);
	return PLAIT_OK;
}

/* These memories, without those of lost devices. */
static uint64_t find_live(const plait__flow *flow, uint64_t valid)
{
	uint64_t left = valid & 1;

	for (uint32_t m = 1; m < flow->devices->system.memories; m++)
		if ((valid >> m & 1) != 0 &&
		    !plait__flow_devices_is_lost(flow, device_of(flow, m)))
			left |= UINT64_C(1) << m;
	return left;
}

/* The memories with the values; without those of lost devices, if others have
 * them. */
static uint64_t find_sources(const plait__flow *flow, uint64_t valid)
{
	const uint64_t left = find_live(flow, valid);

	return left != 0 ? left : valid;
}

/* Copy a box whose values are in the memories of `version`; by way of the
 * program's memory, if none of them reaches the task's. */
static plait_status fetch(plait__flow_task *task, plait__data *whole,
			  const plait__version *version, plait_error *error)
{
	const plait__memory_system *system = &task->flow->devices->system;
	struct copy copy = { .flow = task->flow, .whole = whole,
			     .box = version->box, .to = task->memory,
			     .device = task->device };
	const uint64_t valid = find_sources(task->flow, version->valid);
	plait_status status;

	if ((valid & system->reaching[task->memory]) == 0) {
		copy.to = PLAIT__MEMORY_HOST;
		copy.from = plait__memory_system_source(
			system, valid, version->memory, copy.to);
		status = submit(&copy, error);
		if (status != PLAIT_OK)
			return status;
		copy.from = PLAIT__MEMORY_HOST;
		copy.to = task->memory;
	} else {
		copy.from = plait__memory_system_source(
			system, valid, version->memory, copy.to);
	}
	return submit(&copy, error);
}

static plait_status fetch_access(plait__flow_task *task,
				 const plait__flow_access *access,
				 plait_error *error)
{
	plait__vector *missing = &task->flow->devices->missing;
	const plait__coherence *coherence = &access->whole->copies->coherence;
	plait_status status;

	plait__vector_truncate(missing, 0);
	if (!plait__coherence_find(coherence, &access->box, task->memory,
				   false, missing) || coherence->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for copies");
	status = plait__device_warnings_copies(task, access, missing, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < missing->count; i++) {
		const plait__version *version = plait__vector_at(missing, i);

		if (version->valid != 0)
			status = fetch(task, access->whole, version, error);
	}
	return status;
}

/* ---- the task ---- */

static bool reads_copies(const plait__flow_access *access)
{
	return (access->mode & PLAIT__ACCESS_READS) != 0 &&
	       access->whole->copies != NULL;
}

static bool is_complete(const plait__flow_task *task)
{
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *access = &task->flow->accesses[i];

		if (reads_copies(access) &&
		    plait__coherence_missing(&access->whole->copies->coherence,
					     &access->box, task->memory) != 0)
			return false;
	}
	return true;
}

static plait_status fetch_saved(plait__flow_task *task, plait_error *error)
{
	const plait__vector *saved = &task->flow->devices->accesses;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < saved->count; i++) {
		const plait__flow_access *access = plait__vector_at(saved, i);

		if (reads_copies(access))
			status = fetch_access(task, access, error);
	}
	return status;
}

plait_status plait__device_copy_begin(const plait__flow_task *task,
				      uint64_t *out_cells, plait_error *error)
{
	plait__flow *flow = task->flow;
	plait__vector *saved = &flow->devices->accesses;

	*out_cells = flow->window.cells_taken;
	plait__vector_truncate(saved, 0);
	if (!plait__commit_reserve_accesses(flow, 2) ||
	    plait__vector_push(saved, flow->accesses, task->access_count) ==
		    NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for copies");
	/* The cells that were taken stay the task's. */
	flow->window.cells_taken = flow->window.cells_end;
	return PLAIT_OK;
}

void plait__device_copy_end(plait__flow *flow, uint64_t cells)
{
	const plait__vector *saved = &flow->devices->accesses;

	flow->window.cells_taken = cells;
	memcpy(flow->accesses, saved->items,
	       saved->count * sizeof(*flow->accesses));
}

plait_status plait__device_copy_fetch(plait__flow_task *task,
				      plait_error *error)
{
	uint64_t cells;
	plait_status status;

	if (is_complete(task))
		return PLAIT_OK;
	status = plait__device_copy_begin(task, &cells, error);
	if (status != PLAIT_OK)
		return status;
	status = fetch_saved(task, error);
	plait__device_copy_end(task->flow, cells);
	return status;
}

/* ---- larger blocks ---- */

/* Copies that differ in what a failure spoils stay apart, no others. */
static bool list_moves(const plait__flow *flow, const plait__data *whole,
		       uint32_t memory, plait__vector *out)
{
	const uint64_t bit = UINT64_C(1) << memory;

	plait__vector_truncate(out, 0);
	if (!plait__coherence_find(&whole->copies->coherence, &whole->box,
				   memory, true, out))
		return false;
	for (uint32_t i = 0; i < out->count; i++) {
		plait__version *version = plait__vector_at(out, i);

		version->valid = bit | (find_live(flow, version->valid &
						  ~bit) != 0);
		version->memory = PLAIT__MEMORY_HOST;
		if (version->writer != 0 &&
		    plait__device_copy_has_succeeded((void *)(uintptr_t)flow,
						     version->writer))
			version->writer = 0;
	}
	plait__coherence_join(out);
	return true;
}

uint32_t plait__device_copy_count_moves(const plait__flow *flow,
					const plait__data *whole,
					uint32_t memory)
{
	plait__vector *moves = &flow->devices->missing;

	return list_moves(flow, whole, memory, moves) ? moves->count :
							UINT32_MAX;
}

plait_status plait__device_copy_move(plait__flow *flow, plait__data *whole,
				     uint32_t memory,
				     const plait__device_block *target,
				     plait_error *error)
{
	plait__vector *moves = &flow->devices->missing;
	plait_status status = PLAIT_OK;

	if (!list_moves(flow, whole, memory, moves))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for copies");
	for (uint32_t i = 0; status == PLAIT_OK && i < moves->count; i++) {
		const plait__version *version = plait__vector_at(moves, i);
		const struct copy copy = {
			.flow = flow, .whole = whole, .box = version->box,
			.from = memory, .to = memory, .target = target,
			.saves = (version->valid & 1) == 0,
		};

		status = submit(&copy, error);
	}
	return status;
}

/* ---- evictions ---- */

/* Returns true if no memory of use but `memory` has the values. */
static bool has_alone(const plait__flow *flow, const plait__version *version,
		      uint32_t memory)
{
	const uint64_t bit = UINT64_C(1) << memory;

	return (version->valid & bit) != 0 &&
	       find_live(flow, version->valid & ~bit) == 0;
}

bool plait__device_copy_is_lost(const plait__flow *flow,
				const plait__data *whole)
{
	const plait__vector *versions = &whole->copies->coherence.versions;

	for (uint32_t i = 0; i < versions->count; i++) {
		const plait__version *at = plait__vector_at(versions, i);

		if (at->valid != 0 && find_live(flow, at->valid) == 0)
			return true;
	}
	return false;
}

bool plait__device_copy_is_saved(const plait__flow *flow,
				 const plait__data *whole, uint32_t memory)
{
	const plait__vector *versions = &whole->copies->coherence.versions;

	for (uint32_t i = 0; i < versions->count; i++)
		if (has_alone(flow, plait__vector_at(versions, i), memory))
			return false;
	return true;
}

static uint64_t bytes_of(const plait__data *whole, const plait_box *box)
{
	return plait__box_elements(box) * whole->element_bytes;
}

plait_status plait__device_copy_save(plait__flow *flow, plait__data *whole,
				     uint32_t memory, uint64_t *bytes,
				     plait_error *error)
{
	plait__vector *versions = &flow->devices->missing;
	struct copy copy = { .flow = flow, .whole = whole, .from = memory,
			     .to = PLAIT__MEMORY_HOST, .saves = true };
	plait_status status = PLAIT_OK;

	plait__vector_truncate(versions, 0);
	if (!plait__coherence_find(&whole->copies->coherence, &whole->box,
				   memory, true, versions) ||
	    whole->copies->coherence.failed ||
	    !plait__commit_reserve_accesses(flow, 2))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for copies");
	/* The task in preparation is prepared anew, in the same cells. */
	flow->window.cells_taken = flow->window.cells_end;
	for (uint32_t i = 0; status == PLAIT_OK && i < versions->count; i++) {
		const plait__version *version = plait__vector_at(versions, i);

		if (!has_alone(flow, version, memory))
			continue;
		copy.box = version->box;
		status = submit(&copy, error);
		if (status == PLAIT_OK)
			*bytes += bytes_of(whole, &copy.box);
	}
	return status;
}
