/* SPDX-License-Identifier: MIT */
/* Tables of a flow's record; record_edges.c finds the edges. */
#include "flow/show/record.h"

#include "flow/show/record_edges.h"
#include "flow/show/traffic.h"

void plait__record_init(plait__record *record,
			const plait_allocator *allocator, uint32_t lanes)
{
	*record = (plait__record){ .allocator = allocator, .lanes = lanes,
				   .barrier = PLAIT__RECORD_NONE };
	plait__text_init(&record->names, allocator);
	plait__vector_init(&record->data, allocator,
			   sizeof(plait__record_data));
	plait__vector_init(&record->tasks, allocator,
			   sizeof(plait__record_task));
	plait__vector_init(&record->accesses, allocator,
			   sizeof(plait__record_access));
	plait__vector_init(&record->edges, allocator,
			   sizeof(plait__record_edge));
	plait__vector_init(&record->warnings, allocator,
			   sizeof(plait__record_warning));
	plait__vector_init(&record->traffic, allocator,
			   sizeof(plait__traffic_warning));
	plait__vector_init(&record->marks, allocator,
			   sizeof(plait__record_mark));
}

void plait__record_fini(plait__record *record)
{
	for (uint32_t i = 0; i < record->data.count; i++)
		plait__front_map_fini(&plait__record_data_at(record, i)->map);
	plait__text_fini(&record->names);
	plait__vector_fini(&record->data);
	plait__vector_fini(&record->tasks);
	plait__vector_fini(&record->accesses);
	plait__vector_fini(&record->edges);
	plait__vector_fini(&record->warnings);
	plait__vector_fini(&record->traffic);
	plait__vector_fini(&record->marks);
}

/* Keep a name; returns its offset. */
static uint32_t keep_name(plait__record *record, const char *name)
{
	uint64_t at = record->names.length;

	plait__text_add_bytes(&record->names, name, strlen(name) + 1);
	record->failed |= record->names.failed ||
			  record->names.length > UINT32_MAX;
	return (uint32_t)at;
}

uint32_t plait__record_add_data(plait__record *record, const char *label,
				uint32_t dimensions, uint32_t element_bytes,
				const plait_box *whole, bool has_contents)
{
	plait__record_data data = { .dimensions = dimensions,
				    .element_bytes = element_bytes,
				    .has_contents = has_contents };

	data.label = keep_name(record, label);
	plait__front_map_init(&data.map, record->allocator, whole);
	if (!record->failed &&
	    PLAIT__VECTOR_ADD(&record->data, &data) != NULL)
		return record->data.count - 1;
	record->failed = true;
	return PLAIT__RECORD_NONE;
}

void plait__record_add_access(plait__record *record, uint32_t data,
			      uint32_t mode, const plait_box *box)
{
	plait__record_access access = { data, mode, *box };

	if (!record->failed &&
	    PLAIT__VECTOR_ADD(&record->accesses, &access) == NULL)
		record->failed = true;
}

/* Accesses of the last task are behind it. */
static uint32_t next_access(const plait__record *record)
{
	const plait__record_task *last;

	if (record->tasks.count == 0)
		return 0;
	last = plait__record_task_at(record, record->tasks.count - 1);
	return last->first_access + last->access_count;
}

void plait__record_add_task(plait__record *record,
			    const plait__record_task *task, const char *label)
{
	plait__record_task ours = *task;

	if (record->failed)
		return;
	ours.label = keep_name(record, label);
	ours.first_access = next_access(record);
	ours.access_count = record->accesses.count - ours.first_access;
	ours.first_edge = record->edges.count;
	if (record->failed || PLAIT__VECTOR_ADD(&record->tasks, &ours) == NULL) {
		record->failed = true;
		return;
	}
	plait__record_edges_find(record);
}

void plait__record_copy_tasks(const plait__record *record, plait__record *out)
{
	plait__text_add_bytes(&out->names, record->names.bytes,
			      record->names.length);
	out->failed = out->names.failed;
	if (record->tasks.count > 0)
		out->failed |= plait__vector_push(&out->tasks,
						  record->tasks.items,
						  record->tasks.count) == NULL;
	if (record->edges.count > 0)
		out->failed |= plait__vector_push(&out->edges,
						  record->edges.items,
						  record->edges.count) == NULL;
}
