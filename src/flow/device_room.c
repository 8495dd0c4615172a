/* SPDX-License-Identifier: MIT */
/* Room for buffers in the memories of devices; see device_room.h. */
#include "flow/device_room.h"

#include "flow/device_copy.h"
#include "flow/device_warnings.h"
#include "flow/flow_proof.h"
#include "flow/flow_wait.h"
#include "flow/outside_tasks.h"

#include "base/error.h"
#include "sys/thread.h"

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
	room->needed = room->lacking = 0;
	room->behind = 0;
	return true;
}

bool plait__device_room_want(const plait__flow_task *task, plait__data *whole)
{
	plait__device_room *room = room_of(task->flow);
	plait__data_copy *copy;

	if (whole->copies == NULL)
		return true;
	copy = copy_at(task->flow, whole);
	if (copy->request == room->request)
		return true;
	copy->request = room->request;
	if (__builtin_add_overflow(room->needed, whole->bytes, &room->needed))
		room->needed = UINT64_MAX;
	if (copy->buffer != NULL)
		return true;
	if (PLAIT__VECTOR_ADD(&room->missing, &whole) == NULL)
		return false;
	plait__object_hold(&whole->object);
	room->lacking += whole->bytes;
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
	       copy_at(flow, at)->buffer != NULL &&
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

/* No op uses the buffer, and all values are elsewhere. */
static plait_status evict(plait__flow *flow, plait__data *whole,
			  plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait__data_copy *copy = copy_at(flow, whole);

	if (PLAIT__VECTOR_ADD(&room->trash, &copy->buffer) == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an eviction");
	/* Of all elements: no version is cut. */
	plait__coherence_drop(&whole->copies->coherence, &whole->box,
			      room->memory);
	if (flow->proof != NULL)
		plait__flow_proof_evict(flow, whole, room->memory);
	record(flow, whole);
	plait__device_warnings_evict(flow, room->memory);
	copy->buffer = NULL;
	copy->reuse.was_evicted = true;
	copy->saved_bytes = 0;
	room->bytes[room->memory] -= whole->bytes;
	room->is_refused = false;
	return PLAIT_OK;
}

static plait__buffer_release *release_at(const plait__device_room *room,
					 uint32_t i)
{
	return plait__vector_at(&room->releases, i);
}

/* Forget the releases that are done: they may end in any order. */
static void settle_releases(plait__flow *flow)
{
	plait__device_room *room = room_of(flow);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < room->releases.count; i++)
		if (!plait__op_is_done(&flow->window.ring,
				       release_at(room, i)->number))
			*release_at(room, kept++) = *release_at(room, i);
	plait__vector_truncate(&room->releases, kept);
}

/* An op that releases a buffer and is not done, the first one that ends for
 * certain if `certain`; 0: none. */
static uint64_t find_release(plait__flow *flow, bool certain, bool own)
{
	const plait__device_room *room = room_of(flow);

	settle_releases(flow);
	for (uint32_t i = 0; i < room->releases.count; i++) {
		const plait__buffer_release *at = release_at(room, i);

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

/* PLAIT_PENDING: with room->behind an op uses or releases a buffer, else there is
 * no room for an op. */
static plait_status evict_one(plait__flow *flow, plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait__data *victim = NULL;
	plait_status status;

	room->behind = find_release(flow, true, false);
	if (room->behind == 0)
		victim = choose_victim(flow);
	if (room->behind == 0 && victim == NULL)
		room->behind = find_any_release(flow);
	if (room->behind != 0)
		return PLAIT_PENDING;
	if (victim == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "%s",
				   room->is_refused ? room->refusal.text :
				   "no data can be evicted; repetitions keep "
				   "the memory of theirs");
	status = plait__device_warnings_check(flow, room->memory, error);
	if (status == PLAIT_OK && !is_saved(flow, victim))
		status = plait__device_copy_save(
			flow, victim, room->memory,
			&copy_at(flow, victim)->saved_bytes, error);
	if (status != PLAIT_OK)
		return status;
	room->behind = find_undone(flow, victim);
	return room->behind != 0 ? PLAIT_PENDING : evict(flow, victim, error);
}

static plait_status fail_large(const plait__flow_task *task,
			       plait_error *error)
{
	const plait__device_room *room = room_of(task->flow);

	return plait__fail(error, PLAIT_E_NOMEM,
			   "%.60s: its data needs %llu bytes in the memory of "
			   "%s; memory_bytes of the flow is %llu",
			   task->kernel->kernel->signature->name,
			   (unsigned long long)room->needed,
			   plait__device_copy_device(task->flow, room->memory)
				   ->object.label,
			   (unsigned long long)room->limit);
}

plait_status plait__device_room_make(plait__flow_task *task,
				     plait_error *error)
{
	plait__device_room *room = room_of(task->flow);
	const uint64_t *bytes = &room->bytes[room->memory];
	plait_status status = PLAIT_OK;

	if (room->needed > room->limit)
		return fail_large(task, error);
	while (status == PLAIT_OK &&
	       (room->is_refused || *bytes > room->limit - room->lacking))
		status = evict_one(task->flow, error);
	task->lacks_buffers = status == PLAIT_OK || room->behind != 0;
	return status == PLAIT_OK ? PLAIT_PENDING : status;
}

bool plait__device_room_fits(const plait__flow *flow)
{
	const plait__device_room *room = room_of(flow);

	return room->needed <= room->limit &&
	       room->bytes[room->memory] <= room->limit - room->lacking;
}

bool plait__device_room_reserve_release(plait__flow *flow)
{
	settle_releases(flow);
	return plait__vector_reserve(&room_of(flow)->releases, 1) == 0;
}

plait__buffer *plait__device_room_detach(plait__flow *flow, plait__data *whole,
					 uint64_t number)
{
	plait__device_room *room = room_of(flow);
	const plait__buffer_release release = { number, room->memory };
	plait__data_copy *copy = copy_at(flow, whole);
	plait__buffer *buffer = copy->buffer;

	/* Of all elements: no version is cut. */
	plait__coherence_drop(&whole->copies->coherence, &whole->box,
			      room->memory);
	if (flow->proof != NULL)
		plait__flow_proof_evict(flow, whole, room->memory);
	copy->buffer = NULL;
	copy->advised = 0;
	(void)PLAIT__VECTOR_ADD(&room->releases, &release);
	return buffer;
}

void plait__device_room_released(plait__flow *flow, uint32_t memory,
				 uint64_t bytes)
{
	room_of(flow)->bytes[memory] -= bytes;
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

	for (uint32_t m = 1; copies != NULL && m <= copies->count; m++)
		if (plait__data_copies_at(copies, m)->buffer != NULL)
			room_of(whole->flow)->bytes[m] -= whole->bytes;
}

/* ---- supply: without the lock ---- */

static void release(plait__buffer *buffer)
{
	plait__object_release(plait__object_handle(&buffer->object),
			      PLAIT_OBJECT_BUFFER);
}

static void empty_trash(plait__device_room *room)
{
	for (uint32_t i = 0; i < room->trash.count; i++)
		release(*(plait__buffer **)plait__vector_at(&room->trash, i));
	plait__vector_truncate(&room->trash, 0);
}

static void drop_missing(plait__device_room *room)
{
	for (uint32_t i = 0; i < room->missing.count; i++)
		plait__object_drop(
			&(*(plait__data **)plait__vector_at(&room->missing, i))
				 ->object);
	plait__vector_truncate(&room->missing, 0);
}

/* Wait until all ops that have ended hold no buffer.  Returns true if some did, after
 * `dropped` others: there may be memory now. */
static bool await_drops(plait__flow *flow, uint64_t dropped)
{
	const plait__device_engine *engine = &flow->devices->engine;
	bool holds, is_new;

	do {
		plait__flow_lock(flow);
		holds = engine->ended != engine->dropped;
		is_new = engine->dropped != dropped;
		plait__flow_unlock(flow);
		/* By the threads that end them, which wait for nothing. */
		if (holds)
			plait__thread_yield();
	} while (holds);
	return is_new;
}

static plait_status make_buffer(plait__flow *flow, plait__data *whole,
				plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait__device *device;
	plait__buffer *made = NULL;
	plait_status status;
	uint64_t dropped;

	plait__flow_lock(flow);
	device = plait__device_copy_device(flow, room->memory);
	dropped = flow->devices->engine.dropped;
	plait__flow_unlock(flow);
	status = plait__buffer_make(device, whole->bytes, whole->object.label,
				    &made, error);
	if (status == PLAIT_E_NOMEM && await_drops(flow, dropped))
		status = plait__buffer_make(device, whole->bytes,
					    whole->object.label, &made, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "a copy of \"%s\" on %s: ",
				    whole->object.label, device->object.label);
		return status;
	}
	plait__flow_lock(flow);
	copy_at(flow, whole)->buffer = made;
	room->bytes[room->memory] += whole->bytes;
	plait__flow_unlock(flow);
	return PLAIT_OK;
}

/* Without memory the next attempt evicts data, until there is none. */
static plait_status make_all(plait__flow *flow, plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait_error refusal = { .size = sizeof(refusal) };
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < room->missing.count; i++)
		status = make_buffer(
			flow,
			*(plait__data **)plait__vector_at(&room->missing, i),
			&refusal);
	drop_missing(room);
	if (status == PLAIT_E_NOMEM) {
		room->refusal = refusal;
		room->is_refused = true;
		return PLAIT_OK;
	}
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__fail_origin(error, status, refusal.origin, "%s",
				  refusal.text);
}

static void enter(plait__flow *flow, plait__device_split *split)
{
	plait__device_room *room = room_of(flow);

	plait__mutex_lock(&room->supplying);
	plait__flow_lock(flow);
	room->owner = split;
	room->is_refused = false;
	plait__flow_unlock(flow);
	split->supplies = true;
}

plait_status plait__device_room_supply(plait__flow *flow,
				       plait__device_split *split,
				       uint64_t *out_behind, plait_error *error)
{
	plait__device_room *room = room_of(flow);

	*out_behind = 0;
	if (!split->supplies) {
		enter(flow, split);
		return PLAIT_OK;
	}
	*out_behind = room->behind;
	if (*out_behind != 0) {
		plait__device_room_leave(flow, split);
		return PLAIT_OK;
	}
	empty_trash(room);
	return make_all(flow, error);
}

void plait__device_room_leave(plait__flow *flow, plait__device_split *split)
{
	plait__device_room *room = room_of(flow);

	empty_trash(room);
	drop_missing(room);
	plait__flow_lock(flow);
	room->owner = NULL;
	plait__flow_unlock(flow);
	split->supplies = false;
	plait__mutex_unlock(&room->supplying);
}
