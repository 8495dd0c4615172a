/* SPDX-License-Identifier: MIT */
/* State of a capture; see capture_state.h. */
#include "flow/capture_state.h"

#include "flow/device_copy.h"
#include "flow/flow_data.h"

#include "base/error.h"

/* ---- data ---- */

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a captured task");
}

/* Add the data to the record, once per memory. */
static bool record_data(plait__flow_capture *capture, const plait__data *whole,
			uint32_t memories)
{
	bool done = true;

	for (uint32_t m = 0; done && m < memories; m++)
		done = plait__record_add_data(
			       &capture->record, "", whole->dimensions,
			       whole->element_bytes, &whole->box, false) !=
		       PLAIT__RECORD_NONE;
	return done;
}

/* A data with copies has values of its own. */
static bool add_values(plait__flow_capture *capture, plait__data *whole)
{
	plait__captured_values values = { .whole = whole };

	if (whole->copies == NULL)
		return true;
	plait__coherence_init(&values.written, capture->record.allocator,
			      &whole->box,
			      plait__capture_state_is_own(capture) ?
				      UINT64_C(1) << PLAIT__MEMORY_HOST : 0);
	if (!values.written.failed &&
	    PLAIT__VECTOR_ADD(&capture->devices.values, &values) != NULL)
		return true;
	plait__coherence_fini(&values.written);
	return false;
}

static plait_status add_data(plait__flow_capture *capture, plait__data *whole,
			     plait_error *error)
{
	uint32_t memories = whole->copies != NULL ? capture->memories : 1;
	uint32_t first = capture->data.count;
	plait__captured_data *added;

	added = plait__vector_push(&capture->data, NULL, memories);
	if (added == NULL)
		return fail_memory(error);
	for (uint32_t m = 0; m < memories; m++)
		added[m] = (plait__captured_data){
			.whole = whole, .memory = m,
			.values = capture->devices.values.count,
		};
	if (!add_values(capture, whole) ||
	    !record_data(capture, whole, memories)) {
		plait__vector_truncate(&capture->data, first);
		capture->lacks_memory = true;
		return fail_memory(error);
	}
	plait__object_hold(&whole->object);
	whole->captured = first + 1;
	return PLAIT_OK;
}

/* The nodes of a device use the buffer: it is not evicted. */
static void pin(plait__captured_data *at)
{
	if (!at->is_pinned)
		plait__data_copies_at(at->whole->copies, at->memory)->pins++;
	at->is_pinned = true;
}

/* The temporary has no memory before a plan of the graph is prepared. */
static plait_status make_temporary(plait__flow_capture *capture,
				   plait__captured_data *at, plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_BUFFER_TEMPORARY,
					 .bytes = at->whole->bytes,
					 .label = at->whole->object.label };
	plait__device *device = plait__device_copy_device(capture->flow,
							  at->memory);
	plait_status status = PLAIT_OK;

	if (at->own == NULL)
		status = plait_buffer_create(
			plait__object_handle(&device->object), &desc, &at->own,
			error);
	if (status == PLAIT_OK)
		plait__data_copies_at(at->whole->copies, at->memory)->captured =
			at->own;
	return status;
}

/* Let nodes use the data in the memory. */
static plait_status use_memory(plait__flow_capture *capture,
			       const plait__data *whole, uint32_t memory,
			       plait_error *error)
{
	plait__captured_data *at;

	if (memory == PLAIT__MEMORY_HOST || whole->copies == NULL)
		return PLAIT_OK;
	at = plait__capture_state_at(capture,
				     plait__capture_state_index(whole, memory));
	if (plait__capture_state_is_own(capture))
		return make_temporary(capture, at, error);
	pin(at);
	return PLAIT_OK;
}

plait_status plait__capture_state_find(plait__flow_capture *capture,
					plait__data *whole, uint32_t memory,
					plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (whole->captured == 0)
		status = plait__data_share(whole, error);
	if (status == PLAIT_OK && whole->captured == 0)
		status = add_data(capture, whole, error);
	return status != PLAIT_OK ? status :
	       use_memory(capture, whole, memory, error);
}

void plait__capture_state_close(plait__flow_capture *capture)
{
	for (uint32_t i = 0; i < capture->data.count; i++) {
		const plait__captured_data *at =
			plait__capture_state_at(capture, i);

		if (at->own != NULL)
			plait__data_copies_at(at->whole->copies, at->memory)
				->captured = NULL;
		if (at->whole != NULL)
			at->whole->captured = 0;
	}
}

void plait__capture_state_release(plait__flow_capture *capture)
{
	for (uint32_t i = 0; i < capture->data.count; i++)
		plait_buffer_release(plait__capture_state_at(capture, i)->own);
}

bool plait__capture_state_keep_pins(plait__flow_capture *capture,
				    plait__repetition *again)
{
	if (plait__vector_reserve(&again->pins, capture->data.count) != 0)
		return false;
	for (uint32_t i = 0; i < capture->data.count; i++) {
		plait__captured_data *at = plait__capture_state_at(capture, i);
		const plait__repetition_need pin = { .whole = at->whole,
						     .memory = at->memory };

		if (at->is_pinned)
			(void)PLAIT__VECTOR_ADD(&again->pins, &pin);
		at->is_pinned = false;
	}
	return true;
}

void plait__capture_state_unpin(plait__flow_capture *capture)
{
	for (uint32_t i = 0; i < capture->data.count; i++) {
		const plait__captured_data *at =
			plait__capture_state_at(capture, i);

		if (at->is_pinned)
			plait__data_copies_at(at->whole->copies, at->memory)
				->pins--;
	}
}

/* ---- order ---- */

static void add_edge(plait__flow_capture *capture, uint32_t before)
{
	plait_node end = *(plait_node *)plait__vector_at(&capture->ends,
							 before);

	if (plait_graph_add_edge(capture->nodes.graph, end,
				 capture->nodes.first, NULL) != PLAIT_OK)
		capture->lacks_memory = true;
}

/* The order of the newest task. */
static void add_edges(plait__flow_capture *capture)
{
	const plait__record *record = &capture->record;
	const plait__record_task *task =
		plait__record_task_at(record, record->tasks.count - 1);

	for (uint32_t i = 0; i < task->edge_count; i++)
		add_edge(capture, plait__record_edge_at(
				   record, task->first_edge + i)->before);
}

/* Emissions and waits keep their order. */
static void order_signals(plait__flow_capture *capture, uint32_t kind)
{
	if (kind != PLAIT_TASK_EMIT && kind != PLAIT_TASK_WAIT)
		return;
	if (capture->signal != 0)
		add_edge(capture, capture->signal - 1);
	capture->signal = capture->record.tasks.count;
}

void plait__capture_state_task(plait__flow_capture *capture,
				const plait__record_task *task)
{
	plait__record_add_task(&capture->record, task, "");
	if (!capture->record.failed &&
	    PLAIT__VECTOR_ADD(&capture->ends, &capture->nodes.last) != NULL) {
		add_edges(capture);
		order_signals(capture, task->kind);
	} else {
		capture->lacks_memory = true;
	}
}

void plait__capture_state_order_plan(plait__flow_capture *capture,
				     const plait_plan *plan)
{
	uint32_t before;

	if (capture->lacks_memory)
		return;
	before = plait__nested_plans_note(&capture->nodes.plans, plan,
					capture->record.tasks.count);
	if (before != 0)
		add_edge(capture, before - 1);
}
