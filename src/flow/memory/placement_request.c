/* SPDX-License-Identifier: MIT */
/* Requests for policies; see placement_request.h. */
#include "flow/memory/placement_request.h"

void plait__placement_request_init(plait__placement_request *request,
				   const plait_allocator *allocator)
{
	request->failed = false;
	plait__vector_init(&request->pieces, allocator,
			   sizeof(plait__policy_piece));
	plait__vector_init(&request->preds, allocator,
			   sizeof(plait__policy_pred));
	plait__vector_init(&request->parents, allocator,
			   sizeof(plait__policy_parent));
	plait__vector_init(&request->parent_tasks, allocator,
			   sizeof(uint32_t));
	plait__vector_init(&request->points, allocator,
			   sizeof(plait__place_point));
}

void plait__placement_request_fini(plait__placement_request *request)
{
	plait__vector_fini(&request->pieces);
	plait__vector_fini(&request->preds);
	plait__vector_fini(&request->parents);
	plait__vector_fini(&request->parent_tasks);
	plait__vector_fini(&request->points);
}

static plait__placed_task *placed_at(const plait__vector *placed, uint32_t i)
{
	return plait__vector_at(placed, i);
}

/* ---- data ---- */

static void add_piece(plait__placement_request *request,
		      const plait__vector *placed,
		      const plait__version *version, uint64_t bytes,
		      bool overwritten)
{
	const plait__policy_piece piece = {
		.bytes = bytes, .valid = version->valid,
		.ready_ns = version->writer == 0 ? 0 :
			placed_at(placed, version->writer - 1)->finish_ns,
		.overwritten = overwritten,
	};

	request->failed |= PLAIT__VECTOR_ADD(&request->pieces, &piece) == NULL;
}

static void add_access(plait__placement_request *request,
		       const plait__memory_state *state,
		       const plait__vector *placed,
		       const plait__record_access *access)
{
	const plait__vector *versions =
		&plait__memory_state_data(state, access->data)
			 ->coherence.versions;

	for (uint32_t i = 0; i < versions->count; i++) {
		const plait__version *version = plait__vector_at(versions, i);
		plait_box part;

		if (!plait__box_overlap(&version->box, &access->box))
			continue;
		part = plait__box_list_meet(&version->box, &access->box);
		add_piece(request, placed, version,
			  plait__memory_state_bytes(state, access->data, &part),
			  (access->mode & PLAIT__ACCESS_READS) == 0);
	}
}

/* ---- predecessors ---- */

/* Parents are in the order of the program, as GrCUDA has them. */
static void insert_parent(plait__vector *tasks, uint32_t task)
{
	uint32_t *items = tasks->items, i = tasks->count - 1;

	for (; i > 0 && items[i - 1] > task; i--)
		items[i] = items[i - 1];
	items[i] = task;
}

static void add_pred(plait__placement_request *request,
		     const plait__placed_task *of, uint32_t before)
{
	const plait__policy_pred pred = { of->finish_ns, of->device };

	request->failed |= PLAIT__VECTOR_ADD(&request->preds, &pred) == NULL;
	if (of->lane == PLAIT__INSTRUCTION_NONE || of->is_done)
		return;
	if (PLAIT__VECTOR_ADD(&request->parent_tasks, &before) == NULL)
		request->failed = true;
	else
		insert_parent(&request->parent_tasks, before);
}

static void list_preds(plait__placement_request *request,
		       const plait__record *record,
		       const plait__vector *placed, uint32_t index)
{
	const plait__record_task *task = plait__record_task_at(record, index);

	for (uint32_t i = 0; i < task->edge_count; i++) {
		uint32_t before = plait__record_edge_at(
			record, task->first_edge + i)->before;
		plait__placed_task *of = placed_at(placed, before);

		if (of->child == index + 1)
			continue;
		of->child = index + 1;
		add_pred(request, of, before);
	}
}

static void list_parents(plait__placement_request *request,
			 const plait__vector *placed)
{
	for (uint32_t i = 0; i < request->parent_tasks.count; i++) {
		const plait__placed_task *of = placed_at(
			placed, *(uint32_t *)plait__vector_at(
					&request->parent_tasks, i));
		const plait__policy_parent parent = { of->device, of->lane,
						      of->inherited };

		request->failed |=
			PLAIT__VECTOR_ADD(&request->parents, &parent) == NULL ||
			PLAIT__VECTOR_ADD(&request->points, &of->point) == NULL;
	}
}

void plait__placement_request_fill(plait__placement_request *request,
				   const plait__memory_state *state,
				   const plait__vector *placed, uint32_t task)
{
	const plait__record_task *of = plait__record_task_at(state->record,
							     task);

	plait__vector_truncate(&request->pieces, 0);
	plait__vector_truncate(&request->preds, 0);
	plait__vector_truncate(&request->parents, 0);
	plait__vector_truncate(&request->parent_tasks, 0);
	plait__vector_truncate(&request->points, 0);
	for (uint32_t i = 0; i < of->access_count; i++) {
		const plait__record_access *access = plait__record_access_at(
			state->record, of->first_access + i);

		if (!plait__memory_state_is_token(state, access->data))
			add_access(request, state, placed, access);
	}
	list_preds(request, state->record, placed, task);
	list_parents(request, placed);
}
