/* SPDX-License-Identifier: MIT */
/* Recording of a flow's ops; see flow_record.h. */
#include "flow/flow_record.h"

#include "flow/device_choice.h"
#include "flow/device_room.h"
#include "flow/device_warnings.h"
#include "flow/show/explain.h"

#include "base/alloc.h"

#include <stdio.h>

bool plait__flow_record_make(plait__flow *flow)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);

	flow->record = plait__alloc(allocator, sizeof(*flow->record));
	if (flow->record != NULL)
		plait__record_init(flow->record, allocator, flow->lanes.count);
	return flow->record != NULL;
}

void plait__flow_record_free(plait__flow *flow)
{
	if (flow->record == NULL)
		return;
	plait__record_fini(flow->record);
	plait__free(plait__flow_allocator(flow), flow->record,
		    sizeof(*flow->record));
}

uint32_t plait__flow_record_index(plait__flow *flow, plait__data *whole)
{
	const char *label = whole->object.label;
	char room[24];

	if (whole->recorded != 0)
		return whole->recorded - 1;
	if (label[0] == '\0') {
		snprintf(room, sizeof(room), "data%u",
			 flow->record->data.count + 1);
		label = room;
	}
	/* A token orders tasks also if nothing wrote it. */
	whole->recorded = plait__record_add_data(
				  flow->record, label, whole->dimensions,
				  whole->element_bytes, &whole->box,
				  whole->is_mapped ||
					  whole->element_bytes == 0) + 1;
	return whole->recorded - 1;
}

static void add_accesses(plait__flow *flow, uint32_t count)
{
	for (uint32_t i = 0; i < count && !flow->record->failed; i++) {
		const plait__flow_access *access = &flow->accesses[i];

		plait__record_add_access(flow->record,
					 plait__flow_record_index(
						 flow, access->whole),
					 access->mode, &access->box);
	}
}

/* Keep why a launch has its device and lane. */
static uint32_t add_why(const plait__flow_task *task)
{
	plait__text *names = &task->flow->record->names;
	uint32_t at = (uint32_t)names->length;

	if (task->device == NULL)
		return 0;
	plait__device_choice_explain(task, names);
	plait__device_room_explain(task, names);
	plait__text_add_bytes(names, "", 1);
	task->flow->record->failed |= names->failed;
	return at + 1;
}

/* The next task of the record needed them. */
static void warn_of_copies(plait__flow *flow)
{
	plait__small_copies copies;

	if (flow->devices == NULL || flow->record->failed)
		return;
	copies = plait__device_warnings_take(flow);
	if (copies.count == 0)
		return;
	plait__traffic_warn(
		flow->record,
		&(plait__traffic_warning){
			.kind = PLAIT__TRAFFIC_COPIES, .count = copies.count,
			.memory = copies.memory,
			.data = plait__flow_record_index(flow, copies.whole),
			.task = flow->record->tasks.count });
}

int32_t plait__flow_record_stand_in(void *user_data)
{
	(void)user_data;
	return 0;
}

static bool is_host_access(const plait_task_desc *desc)
{
	return desc->kind == PLAIT_TASK_CALL &&
	       desc->function == plait__flow_record_stand_in;
}

void plait__flow_record_task(const plait__flow_task *task,
			     const plait_task_desc *desc)
{
	plait__flow *flow = task->flow;
	plait__record_task ours = {
		.number = task->number,
		.kind = is_host_access(desc) ? PLAIT__RECORD_HOST : desc->kind,
		.cost = desc->cost != 0 ? desc->cost : 1,
		.has_cost = desc->cost != 0,
		.is_barrier = task->is_barrier,
		.piece = task->chunk.index,
		.piece_count = task->chunk.count,
	};
	const char *label = desc->label;

	if (flow->record == NULL)
		return;
	if (label == NULL && task->kernel != NULL)
		label = task->kernel->kernel->signature->name;
	if (label == NULL)
		label = plait__explain_kind(&ours);
	ours.lane = is_host_access(desc) ?
			    PLAIT__LANE_OUTSIDE :
			    flow->lane_of[task->number & flow->window.ring.mask];
	ours.why = add_why(task);
	warn_of_copies(flow);
	add_accesses(flow, task->access_count);
	plait__record_add_task(flow->record, &ours, label);
}

void plait__flow_record_host(plait__flow *flow, uint64_t number,
			     const char *label)
{
	const plait__record_task ours = { .number = number,
					  .kind = PLAIT__RECORD_HOST,
					  .cost = 1,
					  .lane = PLAIT__LANE_OUTSIDE };

	if (flow->record == NULL)
		return;
	warn_of_copies(flow);
	add_accesses(flow, 1);
	plait__record_add_task(flow->record, &ours, label);
}
