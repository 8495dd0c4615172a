/* SPDX-License-Identifier: MIT */
/* Devices of captured tasks; see capture_place.h. */
#include "flow/capture_place.h"

#include "flow/box_move.h"
#include "flow/device_choice.h"
#include "flow/device_copy.h"
#include "flow/device_place.h"

#include "base/error.h"
#include "object/kernel/device_code.h"

void plait__capture_place_init(plait__flow_capture *capture,
			       const plait_allocator *allocator)
{
	plait__capture_devices *devices = &capture->devices;

	plait__vector_init(&devices->values, allocator,
			   sizeof(plait__captured_values));
	plait__vector_init(&devices->needs, allocator,
			   sizeof(plait__repetition_need));
	plait__vector_init(&devices->missing, allocator,
			   sizeof(plait__version));
	plait__vector_init(&devices->finish, allocator, sizeof(uint64_t));
	plait__vector_init(&devices->changes, allocator,
			   sizeof(plait__captured_change));
	plait__vector_init(&devices->ends, allocator, sizeof(uint32_t));
}

static plait__captured_values *values_at(const plait__flow_capture *capture,
					 uint32_t i)
{
	return plait__vector_at(&capture->devices.values, i);
}

void plait__capture_place_fini(plait__flow_capture *capture)
{
	plait__capture_devices *devices = &capture->devices;

	for (uint32_t i = 0; i < devices->values.count; i++)
		plait__coherence_fini(&values_at(capture, i)->written);
	plait__vector_fini(&devices->values);
	plait__vector_fini(&devices->needs);
	plait__vector_fini(&devices->missing);
	plait__vector_fini(&devices->finish);
	plait__vector_fini(&devices->changes);
	plait__vector_fini(&devices->ends);
}

/* Null: the data was not captured yet, or has no copies. */
static plait__coherence *written_of(const plait__flow_capture *capture,
				    const plait__data *whole)
{
	const plait__captured_data *at;

	if (whole->captured == 0 || whole->copies == NULL)
		return NULL;
	at = plait__capture_state_at(capture, whole->captured - 1);
	return &values_at(capture, at->values)->written;
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a captured task");
}

/* ---- predictions ---- */

static uint64_t finish_of(const plait__flow_capture *capture, uint32_t writer)
{
	return writer == 0 ? 0 :
	       *(uint64_t *)plait__vector_at(&capture->devices.finish,
					     writer - 1);
}

/* When what the task reads is there, and the bytes that are to be copied. */
struct forecast {
	uint64_t ready_ns;
	uint64_t moved;
};

static void add_written(const plait__flow_capture *capture,
			const plait__flow_access *access, uint32_t memory,
			struct forecast *out)
{
	const plait__coherence *written = written_of(capture, access->whole);

	for (uint32_t i = 0; written != NULL && i < written->versions.count;
	     i++) {
		const plait__version *at =
			plait__vector_at(&written->versions, i);
		plait_box part;

		if (at->writer == 0 ||
		    !plait__box_overlap(&at->box, &access->box))
			continue;
		if (finish_of(capture, at->writer) > out->ready_ns)
			out->ready_ns = finish_of(capture, at->writer);
		part = plait__box_list_meet(&at->box, &access->box);
		if ((at->valid >> memory & 1) == 0)
			out->moved += plait__box_elements(&part) *
				      access->whole->element_bytes;
	}
}

/* Bytes from before the first captured task that are to be copied: they are where
 * the flow has them, or for a graph in the program's memory. */
static uint64_t count_early(const plait__flow_capture *capture,
			    const plait__flow_access *access, uint32_t memory)
{
	uint64_t elements;

	if (!plait__capture_state_is_own(capture))
		elements = plait__coherence_missing(
			&access->whole->copies->coherence, &access->box,
			memory);
	else
		elements = memory == PLAIT__MEMORY_HOST ? 0 :
			   plait__box_elements(&access->box);
	return elements * access->whole->element_bytes;
}

static void add_access(const plait__flow_capture *capture,
		       const plait__flow_access *access, uint32_t memory,
		       struct forecast *out)
{
	if ((access->mode & PLAIT__ACCESS_READS) == 0 ||
	    access->whole->copies == NULL)
		return;
	add_written(capture, access, memory, out);
	if (out->ready_ns == 0)
		out->moved += count_early(capture, access, memory);
}

/* Predicted end of the task on a device, or with UINT32_MAX on the host. */
static uint64_t predict(const plait__flow_task *task, uint32_t device)
{
	const plait__flow_capture *capture = task->flow->capture;
	bool is_host = device == UINT32_MAX;
	uint32_t memory = is_host ? PLAIT__MEMORY_HOST :
			  task->flow->devices->items[device].memory;
	struct forecast forecast = { 0, 0 };

	for (uint32_t i = 0; i < task->access_count; i++)
		add_access(capture, &task->flow->accesses[i], memory,
			   &forecast);
	if (forecast.moved > 0)
		forecast.ready_ns += PLAIT__PLACER_LATENCY_NS +
				     forecast.moved / PLAIT__PLACER_RATE * 1000;
	if (!is_host && capture->devices.free_ns[device] > forecast.ready_ns)
		forecast.ready_ns = capture->devices.free_ns[device];
	return forecast.ready_ns +
	       (task->cost != 0 ? task->cost :
		is_host ? 1 : (uint64_t)PLAIT__PLACER_COST_NS);
}

/* ---- the device ---- */

static uint32_t index_of(const plait__flow_task *task)
{
	return task->device == NULL ? UINT32_MAX :
	       (uint32_t)(task->device - task->flow->devices->items);
}

/* The candidate that is predicted to end the launch first. */
static uint32_t choose(const plait__flow_task *task)
{
	const plait__flow_devices *devices = task->flow->devices;
	uint32_t best = (uint32_t)__builtin_ctzll(task->candidates);
	uint64_t least = UINT64_MAX;

	if (devices->choices->placer.options.choose == PLAIT_CHOOSE_SINGLE)
		return best;
	for (uint64_t left = task->candidates; left != 0; left &= left - 1) {
		uint32_t device = (uint32_t)__builtin_ctzll(left);
		uint64_t finish = predict(task, device);

		if (finish < least) {
			least = finish;
			best = device;
		}
	}
	return best;
}

plait_status plait__capture_place_task(plait__flow_task *task,
				       plait_error *error)
{
	plait_status status;

	if (task->kind != PLAIT__OP_LAUNCH)
		return PLAIT_OK;
	if (task->chunk.count > 1)
		return plait__place_check_pieces(task, error);
	status = plait__place_find(task, error);
	return status != PLAIT_OK ? status :
	       plait__place_take(task, choose(task), error);
}

void plait__capture_place_step(plait__flow_task *step,
			       const plait__flow_task *whole)
{
	plait__flow_devices *devices = step->flow->devices;

	if (step->kind != PLAIT__OP_LAUNCH)
		return;
	step->candidates = whole->candidates;
	step->device = step->chunk.count > 1 ?
			       &devices->items[plait__place_piece(step)] :
			       whole->device;
	step->memory = step->device->memory;
}

/* ---- order of mapped memory ---- */

/* A launch of host code maps buffers, and may write all of them back: it overlaps
 * no other task that writes in its memory. */
static bool is_mapped(const plait__flow_task *task)
{
	return task->memory != PLAIT__MEMORY_HOST &&
	       plait__device_code_find(task->kernel->kernel,
				       task->device->device) == NULL;
}

/* The first data of the record are tokens of the memories. */
static void use_memory(plait__flow_capture *capture, uint32_t memory, bool alone)
{
	const plait_box unit = { { 0, 0, 0 }, { 1, 1, 1 } };

	if (memory != PLAIT__MEMORY_HOST)
		plait__record_add_access(&capture->record, memory,
					 alone ? PLAIT__ACCESS_WRITES :
						 PLAIT__ACCESS_READS, &unit);
}

bool plait__capture_place_begin(plait__flow_capture *capture)
{
	const plait_box unit = { { 0, 0, 0 }, { 1, 1, 1 } };
	bool done = true;

	for (uint32_t m = 0; done && m < capture->memories; m++)
		done = plait__vector_push(&capture->data, NULL, 1) != NULL &&
		       plait__record_add_data(&capture->record, "", 0, 0, &unit,
					      true) != PLAIT__RECORD_NONE;
	return done;
}

void plait__capture_place_order(const plait__flow_task *task)
{
	plait__flow_capture *capture = task->flow->capture;
	bool maps = is_mapped(task);

	use_memory(capture, task->memory, maps);
	if (maps)
		capture->devices.mapped |= UINT64_C(1) << task->memory;
}

/* ---- copies ---- */

static bool has_need(const plait__vector *needs,
		     const plait__repetition_need *need)
{
	for (uint32_t i = 0; i < needs->count; i++) {
		const plait__repetition_need *at = plait__vector_at(needs, i);

		if (at->whole == need->whole && at->memory == need->memory &&
		    plait__box_contains(&at->box, &need->box))
			return true;
	}
	return false;
}

static bool add_need(plait__flow_capture *capture, plait__data *whole,
		     const plait_box *box, uint32_t memory)
{
	const plait__repetition_need need = { whole, *box, memory };

	return has_need(&capture->devices.needs, &need) ||
	       PLAIT__VECTOR_ADD(&capture->devices.needs, &need) != NULL;
}

/* Keep what a task of a stretch changes. */
static void note_change(plait__flow_capture *capture, plait__data *whole,
			const plait_box *box, uint32_t memory, bool is_copy)
{
	const plait__captured_change change = {
		whole, *box, memory, is_copy, capture->devices.ends.count
	};

	if (capture->is_stretch &&
	    PLAIT__VECTOR_ADD(&capture->devices.changes, &change) == NULL)
		capture->lacks_memory = true;
}

/* Keep when the newest task of the record ends. */
static void note_finish(plait__flow_capture *capture, uint64_t finish_ns)
{
	if (PLAIT__VECTOR_ADD(&capture->devices.finish, &finish_ns) == NULL)
		capture->lacks_memory = true;
}

/* `maps`: rows that the host moves, through a mapping that may be written back with
 * the elements between them. */
static void record_copy(plait__flow_capture *capture, plait__data *whole,
			const plait__version *version, uint32_t from,
			uint32_t to, bool maps)
{
	const plait__record_task ours = { .kind = PLAIT_TASK_COPY, .cost = 1 };
	const plait_box *box = &version->box;

	plait__record_add_access(&capture->record,
				 plait__capture_state_index(whole, from),
				 PLAIT__ACCESS_READS, box);
	plait__record_add_access(&capture->record,
				 plait__capture_state_index(whole, to),
				 PLAIT__ACCESS_WRITES, box);
	use_memory(capture, to, maps);
	plait__capture_state_task(capture, &ours);
	note_finish(capture, finish_of(capture, version->writer) +
				     PLAIT__PLACER_LATENCY_NS);
	plait__coherence_add(written_of(capture, whole), box, to);
	note_change(capture, whole, box, to, true);
}

/* Between buffers of two backends the host moves the bytes. */
static plait__device *copy_device(const plait__flow_capture *capture,
				  uint32_t from, uint32_t to)
{
	bool has_host = from == PLAIT__MEMORY_HOST || to == PLAIT__MEMORY_HOST;

	if (has_host && plait__capture_state_is_own(capture))
		return capture->flow->host;
	return plait__device_copy_device(capture->flow,
					 to == PLAIT__MEMORY_HOST ? from : to);
}

static plait_status add_copy(plait__flow_capture *capture, plait__data *whole,
			     const plait__version *version, uint32_t from,
			     uint32_t to, plait_error *error)
{
	plait__task_copy copy = {
		.device = copy_device(capture, from, to),
		.has_buffers = plait__capture_state_is_own(capture),
		.whole = whole, .from = from, .to = to,
	};
	plait_status status;

	plait__box_move_copy(&copy.move, whole, &version->box, whole,
			     &version->box);
	status = plait__task_node_add_copy(&capture->nodes, &copy, error);
	if (status == PLAIT_OK)
		record_copy(capture, whole, version, from, to,
			    copy.has_buffers && from == PLAIT__MEMORY_HOST &&
			    copy.move.rows * copy.move.slices > 1);
	return status;
}

/* By way of the program's memory, if no memory with the values reaches the
 * task's. */
static plait_status fetch(plait__flow_capture *capture, plait__data *whole,
			  const plait__version *version, uint32_t to,
			  plait_error *error)
{
	const plait__memory_system *system = &capture->flow->devices->system;
	plait_status status = PLAIT_OK;
	uint32_t from;

	if ((version->valid & system->reaching[to]) != 0) {
		from = plait__memory_system_source(system, version->valid,
						   version->memory, to);
		return add_copy(capture, whole, version, from, to, error);
	}
	from = plait__memory_system_source(system, version->valid,
					   version->memory,
					   PLAIT__MEMORY_HOST);
	status = add_copy(capture, whole, version, from, PLAIT__MEMORY_HOST,
			  error);
	return status != PLAIT_OK ? status :
	       add_copy(capture, whole, version, PLAIT__MEMORY_HOST, to, error);
}

static plait_status fetch_access(const plait__flow_task *task,
				 const plait__flow_access *access,
				 plait_error *error)
{
	plait__flow_capture *capture = task->flow->capture;
	plait__vector *missing = &capture->devices.missing;
	const plait__coherence *written = written_of(capture, access->whole);
	plait_status status = PLAIT_OK;

	plait__vector_truncate(missing, 0);
	if (!plait__coherence_find(written, &access->box, task->memory, false,
				   missing) || written->failed)
		return fail_memory(error);
	for (uint32_t i = 0; status == PLAIT_OK && i < missing->count; i++) {
		const plait__version *version = plait__vector_at(missing, i);

		if (version->valid != 0)
			status = fetch(capture, access->whole, version,
				       task->memory, error);
		else if (!add_need(capture, access->whole, &version->box,
				   task->memory))
			status = fail_memory(error);
	}
	return status;
}

plait_status plait__capture_place_fetch(const plait__flow_task *task,
					plait_error *error)
{
	const plait__flow *flow = task->flow;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < task->access_count;
	     i++) {
		const plait__flow_access *access = &flow->accesses[i];

		if ((access->mode & PLAIT__ACCESS_READS) != 0 &&
		    access->whole->copies != NULL)
			status = fetch_access(task, access, error);
	}
	return status;
}

void plait__capture_place_commit(const plait__flow_task *task)
{
	plait__flow_capture *capture = task->flow->capture;
	uint32_t device = index_of(task);
	uint64_t finish = predict(task, device);

	note_finish(capture, finish);
	if (device != UINT32_MAX)
		capture->devices.free_ns[device] = finish;
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *access = &task->flow->accesses[i];
		plait__coherence *written = written_of(capture, access->whole);

		if (written == NULL || (access->mode & PLAIT__ACCESS_WRITES) == 0)
			continue;
		plait__coherence_write(written, &access->box,
				       capture->record.tasks.count,
				       task->memory);
		capture->lacks_memory |= written->failed;
		note_change(capture, access->whole, &access->box, task->memory,
			    false);
	}
}

/* ---- the end ---- */

/* Copies at the end are as large as can be: writers do not matter. */
static void join_missing(plait__vector *missing)
{
	for (uint32_t i = 0; i < missing->count; i++)
		((plait__version *)plait__vector_at(missing, i))->writer = 0;
	plait__coherence_join(missing);
}

static plait_status leave(plait__flow_capture *capture,
			  const plait__captured_values *values,
			  plait_error *error)
{
	plait__vector *missing = &capture->devices.missing;
	plait_status status = PLAIT_OK;

	plait__vector_truncate(missing, 0);
	if (!plait__coherence_find(&values->written, &values->whole->box,
				   PLAIT__MEMORY_HOST, false, missing) ||
	    values->written.failed)
		return fail_memory(error);
	join_missing(missing);
	for (uint32_t i = 0; status == PLAIT_OK && i < missing->count; i++)
		status = fetch(capture, values->whole,
			       plait__vector_at(missing, i),
			       PLAIT__MEMORY_HOST, error);
	return status;
}

plait_status plait__capture_place_leave(plait__flow_capture *capture,
					plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0;
	     status == PLAIT_OK && i < capture->devices.values.count; i++)
		status = leave(capture, values_at(capture, i), error);
	return status;
}
