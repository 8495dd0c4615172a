/* SPDX-License-Identifier: MIT */
/* Room for buffers in the memories of devices; see device_room.h. */
#include "flow/device_room.h"

#include "flow/device_copy.h"
#include "flow/device_warnings.h"
#include "flow/flow_proof.h"
#include "flow/flow_wait.h"
#include "flow/repetition_prefix.h"
#include "flow/outside_tasks.h"
#include "flow/room_plan.h"
#include "flow/room_releases.h"

#include "base/alloc.h"
#include "base/error.h"

static plait__device_room *room_of(const plait__flow *flow)
{
	return &flow->devices->room;
}

static plait__data_copy *copy_at(const plait__flow *flow,
				 const plait__data *whole)
{
	return plait__data_copies_at(whole->copies, room_of(flow)->memory);
}

/* ---- the list ---- */

bool plait__device_room_begin(const plait__flow_task *task)
{
	plait__device_room *room = room_of(task->flow);

	if (room->owner == NULL || room->owner != task->flow->submitter)
		return false;
	room->request++;
	room->memory = task->memory;
	room->behind = 0;
	return true;
}

/* ---- the victim ---- */

struct undone {
	const plait__flow *flow;
	uint64_t newest; /* or 0 */
};

static void look_at(struct undone *undone, uint64_t number)
{
	if (number > undone->newest &&
	    !plait__op_is_done(&undone->flow->window.ring, number))
		undone->newest = number;
}

static void look_at_front(void *arg, plait__front *front)
{
	look_at(arg, front->writer);
	for (uint64_t i = 0; i < front->count; i++)
		look_at(arg, front->readers[i]);
}

/* The newest op that uses the buffer and is not done; 0: none. */
static uint64_t find_undone(const plait__flow *flow, const plait__data *whole)
{
	struct undone undone = { flow, 0 };

	plait__front_map_visit_all(&copy_at(flow, whole)->map, look_at_front,
				   &undone);
	return undone.newest;
}

static bool can_go(const plait__flow *flow, const plait__data *at)
{
	return at->whole == at && at->copies != NULL &&
	       !at->copies->coherence.failed &&
	       copy_at(flow, at)->block.buffer != NULL &&
	       copy_at(flow, at)->pins == 0 &&
	       copy_at(flow, at)->request != room_of(flow)->request;
}

/* Without users it ends, with its values. */
static bool is_saved(plait__flow *flow, const plait__data *at)
{
	return at->users == 0 ||
	       plait__device_copy_is_saved(flow, at, room_of(flow)->memory);
}

/* A prefetch that no launch has used yet counts as a use. */
static uint64_t find_last(const plait__flow *flow, const plait__data *at)
{
	const plait__data_copy *copy = copy_at(flow, at);

	return copy->advised > copy->reuse.last ? copy->advised :
						  copy->reuse.last;
}

static uint64_t find_gain(plait__flow *flow, const plait__data *at)
{
	const plait__device_room *room = room_of(flow);
	plait__reuse reuse = copy_at(flow, at)->reuse;

	reuse.last = find_last(flow, at);
	return at->users == 0 ? UINT64_MAX :
		plait__reuse_gain(&room->clocks[room->memory], &reuse,
				  is_saved(flow, at));
}

static bool is_candidate(const plait__flow *flow, const plait__data *at)
{
	return can_go(flow, at) &&
	       copy_at(flow, at)->skipped != room_of(flow)->request;
}

static uint64_t find_largest(plait__flow *flow)
{
	uint64_t largest = 0, gain;

	for (plait__data *at = flow->data; at != NULL; at = at->next) {
		if (!is_candidate(flow, at))
			continue;
		gain = find_gain(flow, at);
		largest = gain > largest ? gain : largest;
	}
	return largest;
}

/* Null: no candidate is left. */
static plait__data *find_best(plait__flow *flow)
{
	const uint64_t largest = find_largest(flow);
	plait__data *best = NULL;

	for (plait__data *at = flow->data; at != NULL; at = at->next) {
		if (!is_candidate(flow, at) ||
		    !plait__reuse_is_large(find_gain(flow, at), largest))
			continue;
		if (best == NULL ||
		    find_last(flow, at) < find_last(flow, best))
			best = at;
	}
	return best;
}

/* Returns true if a wait for the op, or 0, ends, but for own mappings and own
 * tasks of the caller or, unless `own`, what is outside of the flow. */
static bool is_certain(plait__flow *flow, uint64_t undone, bool own)
{
	if (undone == 0)
		return true;
	return own ? plait__flow_wait_check(flow, undone, false, NULL) ==
			     PLAIT_OK :
		     !plait__outside_tasks_await(flow, undone);
}

/* The first candidate whose tasks end for certain; null: none. */
static plait__data *find_certain(plait__flow *flow, bool own)
{
	plait__data *best = find_best(flow);

	while (best != NULL &&
	       !is_certain(flow, find_undone(flow, best), own)) {
		copy_at(flow, best)->skipped = room_of(flow)->request;
		best = find_best(flow);
	}
	return best;
}

/* Let all data be candidates again. */
static void forget_skipped(plait__flow *flow)
{
	for (plait__data *at = flow->data; at != NULL; at = at->next)
		if (at->whole == at && at->copies != NULL)
			copy_at(flow, at)->skipped = 0;
}

/* The data to be evicted; null: none. */
static plait__data *choose_victim(plait__flow *flow)
{
	plait__data *best = find_certain(flow, false);

	if (best == NULL) {
		forget_skipped(flow);
		best = find_certain(flow, true);
	}
	if (best == NULL) {
		forget_skipped(flow);
		best = find_best(flow);
	}
	return best;
}

/* ---- eviction ---- */

static void record(plait__flow *flow, const plait__data *whole)
{
	plait__device_room *room = room_of(flow);

	if (flow->record != NULL)
		plait__text_add(&room->evictions,
				"; evicts \"%s\" from memory %u: %llu bytes to "
				"the host",
				whole->object.label, room->memory,
				(unsigned long long)copy_at(flow, whole)
					->saved_bytes);
}

/* No op uses the buffer, nor that of a block that was to replace it. */
static void empty(plait__flow *flow, plait__data_copy *copy)
{
	plait__device_room *room = room_of(flow);
	plait__buffer *buffer = plait__device_block_empty(&copy->block);

	(void)PLAIT__VECTOR_ADD(&room->trash, &buffer);
	room->bytes[room->memory] -= copy->block.bytes;
	if (copy->growth == NULL)
		return;
	buffer = copy->growth->block.buffer;
	(void)PLAIT__VECTOR_ADD(&room->trash, &buffer);
	room->bytes[room->memory] -= copy->growth->block.bytes;
	plait__free(plait__flow_allocator(flow), copy->growth,
		    sizeof(*copy->growth));
	copy->growth = NULL;
}

/* No op uses the block, and all values are elsewhere. */
static plait_status evict(plait__flow *flow, plait__data *whole,
			  plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait__data_copy *copy = copy_at(flow, whole);

	if (plait__vector_reserve(&room->trash, 2) != 0)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an eviction");
	/* Of all elements: no version is cut. */
	plait__coherence_drop(&whole->copies->coherence, &whole->box,
			      room->memory);
	if (flow->proof != NULL)
		plait__flow_proof_evict(flow, whole, room->memory);
	record(flow, whole);
	plait__device_warnings_evict(flow, room->memory);
	empty(flow, copy);
	copy->reuse.was_evicted = true;
	copy->saved_bytes = 0;
	room->is_refused = false;
	return PLAIT_OK;
}

/* An op that releases a buffer and is not done, the first one that ends for
 * certain if `certain`; 0: none. */
static uint64_t find_release(plait__flow *flow, bool certain, bool own)
{
	const plait__device_room *room = room_of(flow);

	plait__room_releases_settle(flow);
	for (uint32_t i = 0; i < room->releases.count; i++) {
		const plait__buffer_release *at = plait__room_releases_at(room, i);

		if (at->memory == room->memory &&
		    (!certain || is_certain(flow, at->number, own)))
			return at->number;
	}
	return 0;
}

/* The same where no data can be evicted. */
static uint64_t find_any_release(plait__flow *flow)
{
	const uint64_t number = find_release(flow, true, true);

	return number != 0 ? number : find_release(flow, false, false);
}

/* PLAIT_PENDING: with room->behind an op uses the block, else there is no room for
 * an op. */
static plait_status evict_data(plait__flow *flow, plait__data *victim,
			       plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait_status status = plait__device_warnings_check(flow, room->memory,
							   error);

	if (status == PLAIT_OK && !is_saved(flow, victim))
		status = plait__device_copy_save(
			flow, victim, room->memory,
			&copy_at(flow, victim)->saved_bytes, error);
	if (status != PLAIT_OK)
		return status;
	room->behind = find_undone(flow, victim);
	return room->behind != 0 ? PLAIT_PENDING : evict(flow, victim, error);
}

/* The same of any block, or one is being released. */
static plait_status evict_one(plait__flow *flow, plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait__data *victim = NULL;

	room->behind = find_release(flow, true, false);
	if (room->behind == 0) {
		plait__repetition_prefix_give_way(flow);
		victim = choose_victim(flow);
	}
	if (room->behind == 0 && victim == NULL)
		victim = plait__room_plan_find_large(flow);
	if (room->behind == 0 && victim == NULL)
		room->behind = find_any_release(flow);
	if (room->behind != 0)
		return PLAIT_PENDING;
	if (victim == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "%s",
				   room->is_refused ? room->refusal.text :
				   "no data can be evicted; repetitions keep "
				   "the memory of theirs");
	return evict_data(flow, victim, error);
}

plait_status plait__device_room_fail(plait__flow_task *task, uint64_t needed,
				     plait_error *error)
{
	const plait__device_room *room = room_of(task->flow);
	const uint64_t times = (needed - 1) / room->limit + 1;

	task->excess = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "%.60s: its data needs %llu bytes in the memory of "
			   "%s; memory_bytes of the flow is %llu",
			   task->kernel->kernel->signature->name,
			   (unsigned long long)needed,
			   plait__device_copy_device(task->flow, task->memory)
				   ->object.label,
			   (unsigned long long)room->limit);
}

/* Evict one block, unless all that is planned fits. */
static plait_status make_some(plait__flow_task *task, bool *is_done,
			      plait_error *error)
{
	plait__flow *flow = task->flow;
	plait__data *way = plait__room_plan_make(flow);
	const plait__device_room *room = room_of(flow);

	if (room->needed > room->limit)
		return plait__device_room_fail(task, room->needed, error);
	if (way != NULL)
		return evict_data(flow, way, error);
	if (room->is_refused ||
	    room->bytes[room->memory] > room->limit - room->lacking)
		return evict_one(flow, error);
	*is_done = true;
	return PLAIT_OK;
}

plait_status plait__device_room_make(plait__flow_task *task,
				     plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status = PLAIT_OK;
	bool is_done = false;

	while (status == PLAIT_OK && !is_done)
		status = make_some(task, &is_done, error);
	task->lacks_buffers = status == PLAIT_OK || room_of(flow)->behind != 0;
	return status == PLAIT_OK ? PLAIT_PENDING : status;
}

bool plait__device_room_fits(plait__flow *flow)
{
	const plait__data *way = plait__room_plan_make(flow);
	const plait__device_room *room = room_of(flow);

	return way == NULL && room->needed <= room->limit &&
	       room->bytes[room->memory] <= room->limit - room->lacking;
}

plait__buffer *plait__device_room_detach(plait__flow *flow, plait__data *whole,
					 uint64_t number)
{
	plait__device_room *room = room_of(flow);
	plait__data_copy *copy = copy_at(flow, whole);
	plait__buffer *buffer = plait__device_block_empty(&copy->block);

	/* Of all elements: no version is cut. */
	plait__coherence_drop(&whole->copies->coherence, &whole->box,
			      room->memory);
	if (flow->proof != NULL)
		plait__flow_proof_evict(flow, whole, room->memory);
	copy->advised = 0;
	plait__room_releases_note(flow, room->memory, number);
	return buffer;
}

bool plait__device_room_can_release(const plait__flow *flow,
				    const plait__data *whole)
{
	return can_go(flow, whole);
}

void plait__device_room_explain(const plait__flow_task *task, plait__text *out)
{
	plait__device_room *room = room_of(task->flow);

	if (room->owner == NULL || room->owner != task->flow->submitter ||
	    room->evictions.length == 0)
		return;
	plait__text_add_bytes(out, room->evictions.bytes,
			      room->evictions.length);
	plait__text_cut(&room->evictions, 0);
}

void plait__device_room_note(const plait__flow_task *task, plait__data *whole)
{
	plait__reuse_note(&room_of(task->flow)->clocks[task->memory],
			  &plait__data_copies_at(whole->copies, task->memory)
				   ->reuse);
}

void plait__device_room_forget(const plait__data *whole)
{
	plait__data_copies *copies = whole->copies;

	for (uint32_t m = 1; copies != NULL && m <= copies->count; m++) {
		const plait__data_copy *copy = plait__data_copies_at(copies, m);
		uint64_t *bytes = &room_of(whole->flow)->bytes[m];

		if (copy->block.buffer != NULL)
			*bytes -= copy->block.bytes;
		if (copy->growth != NULL)
			*bytes -= copy->growth->block.bytes;
	}
}
