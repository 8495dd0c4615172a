/* SPDX-License-Identifier: MIT */
/* Placement of tasks on devices; see device_place.h. */
#include "flow/device_place.h"

#include "flow/block_growth.h"
#include "flow/block_needs.h"
#include "flow/commit.h"
#include "flow/device_choice.h"
#include "flow/device_copy.h"
#include "flow/device_room.h"
#include "flow/flow.h"
#include "flow/flow_data.h"
#include "flow/rank_state.h"
#include "flow/room_plan.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/kernel/device_code.h"

#include <string.h>

/* Accesses of a task that are compared with each other. */
enum { MANY_ACCESSES = 64 };

/* ---- the device ---- */

static bool has_copies(const plait__flow_access *access)
{
	return access->whole->copies != NULL;
}

/* Why a device cannot run the launch, or null. */
static const char *find_lack(const plait__flow_task *task,
			     const plait__flow_device *device)
{
	const plait__kernel *kernel = task->kernel->kernel;

	if (device->memory == PLAIT__MEMORY_HOST)
		return kernel->function != NULL ?
			       NULL : "has no code for the kernel";
	if (plait__flow_devices_is_lost(task->flow, device))
		return "is lost";
	return plait__kernel_lacks(kernel, device->device);
}

static plait_status fail_lack(const plait__flow_task *task, const char *lack,
			      plait_error *error)
{
	const plait__flow_devices *devices = task->flow->devices;

	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%.60s: no device of the flow runs it: %s %s",
			   task->kernel->kernel->signature->name,
			   devices->items[0].device->object.label, lack);
}

/* The devices that run the kernel, bits. */
static plait_status find_candidates(const plait__flow_task *task, uint64_t *out,
				    plait_error *error)
{
	plait__flow_devices *devices = task->flow->devices;
	const char *first = NULL;

	*out = 0;
	for (uint32_t i = 0; i < devices->count; i++) {
		const char *lack = find_lack(task, &devices->items[i]);

		if (lack == NULL)
			*out |= UINT64_C(1) << i;
		else if (first == NULL)
			first = lack;
	}
	return *out != 0 ? PLAIT_OK : fail_lack(task, first, error);
}

/* The pieces of a launch that run on this rank: their number, and the first. */
static uint32_t own_pieces(const plait__flow_task *task, uint32_t *out_first)
{
	const plait__flow_ranks *ranks = task->flow->ranks;
	const uint32_t pieces = task->chunk.count;

	*out_first = 0;
	if (ranks == NULL)
		return pieces;
	*out_first = plait__rank_first_piece(ranks, ranks->rank, pieces);
	return plait__rank_first_piece(ranks, ranks->rank + 1, pieces) -
	       *out_first;
}

/* Piece i of the n of this rank runs on the i/n-th candidate. */
static uint64_t piece_candidate(const plait__flow_task *task,
				uint64_t candidates, uint32_t piece)
{
	uint64_t count = (uint64_t)__builtin_popcountll(candidates);
	uint32_t first, own = own_pieces(task, &first);
	uint64_t skipped = (piece - first) * count / own;

	while (skipped-- > 0)
		candidates &= candidates - 1;
	return candidates & -candidates;
}

/* ---- buffers ---- */

static bool is_pointer(const plait__flow_task *task, uint32_t i)
{
	return task->kernel->kernel->signature->parameters[i].type ==
	       PLAIT__TYPE_POINTER;
}

/* Returns false if a larger block is to take the place of one. */
static bool has_grown(const plait__flow_task *task, plait__data *whole,
		      const plait_box *box)
{
	(void)box;
	return whole->copies == NULL ||
	       plait__data_copies_at(whole->copies, task->memory)->growth ==
		       NULL;
}

/* Let larger blocks take the place of those that lack something. */
static plait_status grow_blocks(const plait__flow_task *task,
				plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (plait__block_needs_visit(task, false, has_grown))
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK && i < task->access_count;
	     i++) {
		plait__data *whole = task->flow->accesses[i].whole;

		if (!has_grown(task, whole, NULL))
			status = plait__block_growth_commit(task, whole, error);
	}
	return status;
}

/* PLAIT_PENDING: a block is missing, or room for an op. */
static plait_status check_buffers(plait__flow_task *task, bool of_pieces,
				  plait_error *error)
{
	plait_status status;

	if (plait__block_needs_visit(task, of_pieces,
				     plait__block_needs_are_met))
		return PLAIT_OK;
	status = grow_blocks(task, error);
	if (status != PLAIT_OK || plait__block_needs_visit(
					  task, of_pieces,
					  plait__block_needs_are_met))
		return status;
	task->lacks_buffers = true;
	if (!plait__device_room_begin(task))
		return PLAIT_PENDING;
	if (!plait__block_needs_visit(task, of_pieces, plait__room_plan_want))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a task");
	return plait__device_room_make(task, error);
}

plait_status plait__place_take(plait__flow_task *task, uint32_t device,
			       plait_error *error)
{
	task->device = &task->flow->devices->items[device];
	task->memory = task->device->memory;
	return task->memory != PLAIT__MEMORY_HOST ?
		       check_buffers(task, false, error) : PLAIT_OK;
}

plait_status plait__place_find(plait__flow_task *task, plait_error *error)
{
	return find_candidates(task, &task->candidates, error);
}

uint32_t plait__place_piece(const plait__flow_task *task)
{
	return (uint32_t)__builtin_ctzll(
		piece_candidate(task, task->candidates, task->chunk.index));
}

plait_status plait__place_check_bytes(plait__flow_task *task,
				      plait_error *error)
{
	const plait__flow_devices *devices = task->flow->devices;
	const uint64_t needed = plait__block_needs_bytes(task);

	task->memory = devices->items[plait__place_piece(task)].memory;
	if (task->memory == PLAIT__MEMORY_HOST ||
	    needed <= devices->room.limit)
		return PLAIT_OK;
	return plait__device_room_fail(task, needed, error);
}

static plait_status choose_device(plait__flow_task *task, plait_error *error)
{
	uint64_t candidates = task->candidates;
	uint32_t device = 0, early = UINT32_MAX, first;
	bool is_piece = own_pieces(task, &first) > 1;
	plait_status status = PLAIT_OK;

	if (candidates == 0)
		status = find_candidates(task, &candidates, error);
	if (status == PLAIT_OK && is_piece)
		candidates = piece_candidate(task, candidates,
					     task->chunk.index);
	if (status == PLAIT_OK)
		status = plait__device_choice_begin(task, candidates, is_piece,
						    &early, error);
	if (status == PLAIT_OK && early != UINT32_MAX)
		status = plait__place_take(task, early, error);
	if (status == PLAIT_OK)
		status = plait__device_choice_make(task, &device, &task->queue,
						   error);
	return status == PLAIT_OK && device != early ?
		       plait__place_take(task, device, error) : status;
}

/* ---- the launch ---- */

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
}

/* Numbers that place the elements of an array. */
struct array {
	const plait__data *data; /* null: they are those of the host */
	const plait__device_block *block;
};

static uint64_t array_number(const struct array *array,
			     const plait__parameter *parameter)
{
	const plait__device_block *block = array->block;
	const int64_t each = array->data->whole->element_bytes;

	if (parameter->place == PLAIT__PLACE_AT)
		return (uint64_t)(plait__device_block_distance(
					  block, array->data->box.low) / each);
	return block->pitch[parameter->place == PLAIT__PLACE_PITCH ? 1 : 2] /
	       (uint64_t)each;
}

/* The address of data becomes a place in the block, which has all of them for a
 * plain pointer; of an array the numbers begin at the block. */
static void set_pointer(const plait__flow_task *task, uint32_t i,
			struct array *array, plait_argument *out)
{
	const plait__data_argument *at =
		plait__block_needs_argument(task->flow, i);
	const plait__data *whole = at->data->whole;
	const plait__device_block *block =
		&plait__data_copies_at(whole->copies, task->memory)->block;

	*array = (struct array){ NULL, NULL };
	whole->copies->is_plain |= at->is_plain;
	out->kind = PLAIT_ARGUMENT_BUFFER;
	out->buffer = plait__object_handle(&block->buffer->object);
	if (block->is_whole)
		out->offset_bytes = *(const uint64_t *)
					    task->filled.arguments[i] -
				    (uintptr_t)whole->memory;
	else
		*array = (struct array){ at->data, block };
}

/* The host's launch has the address of a value, or of data, in its cells. */
static void set_argument(const plait__flow_task *task, uint32_t i,
			 struct array *array, plait_argument *out)
{
	const plait__parameter *parameter =
		&task->kernel->kernel->signature->parameters[i];
	void *cell = task->filled.arguments[i];

	*out = (plait_argument){ .size = sizeof(*out) };
	if (is_pointer(task, i)) {
		set_pointer(task, i, array, out);
		return;
	}
	if (parameter->place != 0 && array->data != NULL)
		*(uint64_t *)cell = array_number(array, parameter);
	out->kind = PLAIT_ARGUMENT_VALUE;
	out->value = cell;
	out->bytes = parameter->bytes;
}

/* Returns true if an op of another lane may begin there when newer ones of that
 * lane are done. */
static bool waits_beside(const plait__flow_task *task,
			 const plait__flow_device *at, uint32_t lane)
{
	const uint64_t settled = task->flow->window.settled;

	for (uint32_t k = 0; k <= task->flow->devices->queues; k++)
		if (at->lane + k != lane && at->waiting[k] > settled)
			return true;
	return false;
}

/* Copies from the task's memory to that of another device. */
static void order_far(plait__flow_task *task, const plait__flow_device *at)
{
	plait__flow_devices *devices = task->flow->devices;
	const uint64_t settled = task->flow->window.settled;
	const uint64_t fetched = at->fetched[task->memory];

	devices->order[task->order_count++] = fetched;
	task->is_prefix |= fetched > settled &&
			   at->waiting[devices->queues] > settled;
}

/* A launch of host code comes behind all ops in its memory. */
static void order_mapped(plait__flow_task *task, uint32_t lane)
{
	plait__flow_devices *devices = task->flow->devices;

	task->order = devices->order;
	for (uint32_t i = 0; i < devices->count; i++) {
		const plait__flow_device *at = &devices->items[i];

		if (at->memory != task->memory) {
			order_far(task, at);
			continue;
		}
		for (uint32_t k = 0; k <= devices->queues; k++)
			devices->order[task->order_count++] = at->newest[k];
		task->is_prefix |= waits_beside(task, at, lane);
	}
	devices->order[task->order_count++] = devices->last_run[task->memory];
}

static void choose_lane(plait__flow_task *task, plait__device_op *op)
{
	task->maps = plait__device_code_find(task->kernel->kernel,
					     task->device->device) == NULL;
	if (task->maps)
		task->queue = task->flow->devices->queues;
	op->lane = task->device->lane + task->queue;
	task->behind = task->flow->devices->last_mapped[task->memory];
	if (task->maps)
		order_mapped(task, op->lane);
}

/* A plait__block_need. */
static bool note_kept(const plait__flow_task *task, plait__data *whole,
		      const plait_box *box)
{
	(void)task;
	(void)box;
	if (whole->copies != NULL)
		whole->copies->is_kept = true;
	return true;
}

/* A queue that measures writes into the record. */
static plait_status take_record(const plait__flow_task *task,
				plait__device_op *op,
				const plait_command *command,
				plait_error *error)
{
	plait__flow_devices *devices = task->flow->devices;
	const bool keeps = !devices->engine.measures;
	plait_status status;
	uint64_t hash = 0;

	if (keeps)
		op->launch = plait__kept_launches_find(
			&devices->kept, task->device->device, !task->maps,
			task->kernel->kernel, command, &hash);
	if (op->launch != NULL)
		return PLAIT_OK;
	status = plait__launch_record_create(
		devices->engine.items[op->lane].queue, command, &op->launch,
		error);
	if (keeps && status == PLAIT_OK &&
	    plait__kept_launches_note(&devices->kept,
				      plait__flow_allocator(task->flow), hash,
				      op->launch))
		(void)plait__block_needs_visit(task, false, note_kept);
	return status;
}

static plait_status prepare_launch(plait__flow_task *task,
				   plait__device_op *op, plait_error *error)
{
	plait__flow_devices *devices = task->flow->devices;
	uint32_t count = task->kernel->kernel->signature->count;
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_LAUNCH,
		.kernel = (plait_kernel *)(uintptr_t)task->kernel->handle,
		.launch = task->filled.launch, .argument_count = count,
	};
	struct array array = { NULL, NULL };

	plait__vector_truncate(&devices->launch, 0);
	command.arguments = plait__vector_extend(&devices->launch, count + 1);
	if (command.arguments == NULL)
		return fail_memory(error);
	for (uint32_t i = 0; i < count; i++)
		set_argument(task, i, &array,
			     plait__vector_at(&devices->launch, i));
	return take_record(task, op, &command, error);
}

static plait_status make_launch(plait__flow_task *task, plait_error *error)
{
	plait__device_engine *engine = &task->flow->devices->engine;
	plait__device_op *op = plait__device_engine_take(engine);
	plait_status status;

	if (op == NULL)
		return fail_memory(error);
	choose_lane(task, op);
	status = prepare_launch(task, op, error);
	if (status != PLAIT_OK) {
		plait__device_engine_return(engine, op);
		return status;
	}
	op->label = task->label;
	op->command = (plait_command){ .size = sizeof(op->command),
				       .kind = PLAIT_COMMAND_LAUNCH };
	plait__device_copy_set_op(task, op);
	return PLAIT_OK;
}

/* ---- the task ---- */

/* Let the accesses be those to the task's memory, which has what is read. */
static plait_status fetch_all(plait__flow_task *task, plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status = plait__device_copy_fetch(task, error);

	for (uint32_t i = 0; i < task->access_count; i++) {
		plait__flow_access *access = &flow->accesses[i];

		if (has_copies(access) && task->memory != PLAIT__MEMORY_HOST)
			access->map = &plait__data_copies_at(
					       access->whole->copies,
					       task->memory)->map;
	}
	return status;
}

static void forget_all(const plait__flow_task *task)
{
	plait__flow *flow = task->flow;

	for (uint32_t i = 0; i < task->access_count; i++)
		if (has_copies(&flow->accesses[i]))
			plait__data_copies_forget(
				flow->accesses[i].whole->copies,
				plait__device_copy_has_succeeded, flow);
}

/* Accesses behind the i-th and with it that write the same data; of very many,
 * at most. */
static uint32_t count_writes(const plait__flow_task *task, uint32_t i)
{
	const plait__flow_access *accesses = task->flow->accesses;
	uint32_t count = 0;

	if (task->access_count > MANY_ACCESSES)
		return task->access_count;
	for (uint32_t k = i; k < task->access_count; k++)
		count += accesses[k].whole == accesses[i].whole &&
			 (accesses[k].mode & PLAIT__ACCESS_WRITES) != 0;
	return count;
}

/* Make room for what the commit changes, behind the copies: they cut, too. */
static plait_status reserve_all(const plait__flow_task *task,
				plait_error *error)
{
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *access = &task->flow->accesses[i];

		if (has_copies(access) &&
		    !plait__data_copies_reserve(access->whole->copies,
						count_writes(task, i)))
			return fail_memory(error);
	}
	return PLAIT_OK;
}

static plait_status choose(plait__flow_task *task, plait_error *error)
{
	if (task->kind != PLAIT__OP_LAUNCH)
		return plait__device_choice_make_host(task, error);
	return choose_device(task, error);
}

plait_status plait__place_check_pieces(plait__flow_task *task,
				       plait_error *error)
{
	plait_status status = find_candidates(task, &task->candidates, error);
	uint64_t seen = 1;

	for (uint32_t i = 0; status == PLAIT_OK && i < task->chunk.count; i++) {
		uint64_t bit = piece_candidate(task, task->candidates, i);

		task->memory = task->flow->devices
				       ->items[__builtin_ctzll(bit)].memory;
		if ((seen >> task->memory & 1) == 0)
			status = check_buffers(task, true, error);
		seen |= UINT64_C(1) << task->memory;
	}
	return status;
}

plait_status plait__place_task(plait__flow_task *task, plait_error *error)
{
	plait_status status = choose(task, error);

	if (status == PLAIT_OK) {
		forget_all(task);
		status = fetch_all(task, error);
	}
	if (status == PLAIT_OK)
		status = reserve_all(task, error);
	if (status == PLAIT_OK && task->memory != PLAIT__MEMORY_HOST)
		status = make_launch(task, error);
	return status;
}

static void note_mapped(const plait__flow_task *task)
{
	task->flow->devices->last_mapped[task->memory] = task->number;
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__data *whole = task->flow->accesses[i].whole;

		if (has_copies(&task->flow->accesses[i]))
			plait__data_copies_at(whole->copies, task->memory)
				->mapped = task->number;
	}
}

/* The newest ops of the queue. */
static void note_queue(const plait__flow_task *task)
{
	plait__flow_device *device = task->device;

	device->newest[task->queue] = task->number;
	if (task->maps)
		note_mapped(task);
	else if (!plait__device_engine_has_begun(task->device_op))
		device->waiting[task->queue] = task->number;
}

void plait__place_commit(plait__flow_task *task)
{
	if (task->device_op != NULL)
		note_queue(task);
	plait__device_choice_commit(task);
	if (task->memory != PLAIT__MEMORY_HOST)
		plait__reuse_tick(&task->flow->devices->room
					   .clocks[task->memory]);
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *access = &task->flow->accesses[i];

		if (!has_copies(access))
			continue;
		if (task->memory != PLAIT__MEMORY_HOST)
			plait__device_room_note(task, access->whole);
		if ((access->mode & PLAIT__ACCESS_WRITES) != 0)
			plait__coherence_write(
				&access->whole->copies->coherence,
				&access->box, (uint32_t)task->number,
				task->memory);
	}
}

void plait__place_undo(plait__flow_task *task)
{
	plait__device_op *op = task->device_op;

	if (op == NULL)
		return;
	plait__object_drop_deferred(&op->launch->object);
	op->launch = NULL;
	plait__device_engine_return(op->engine, op);
	task->device_op = NULL;
}
