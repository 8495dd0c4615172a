/* SPDX-License-Identifier: MIT */
/* Recorders, recordings and rings; see recorder.h. */
#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- recordings ---- */

static uint64_t rings_bytes(const plait__recording *recording)
{
	return recording->lane_count * sizeof(plait__record_ring);
}

static uint64_t entries_count(const plait__recording *recording)
{
	return (uint64_t)recording->lane_count * recording->ring_capacity;
}

static void free_recording(const plait_allocator *allocator,
			   plait__recording *recording)
{
	plait__cacheline_free(allocator, recording->rings,
			      rings_bytes(recording));
	plait__free(allocator, recording->entries,
		    entries_count(recording) * sizeof(*recording->entries));
	plait__free(allocator, recording, sizeof(*recording));
}

static plait__recording *new_recording(const plait__recorder *recorder)
{
	const plait_allocator *allocator = recorder->allocator;
	plait__recording *recording = plait__alloc(allocator,
						   sizeof(*recording));

	if (recording == NULL)
		return NULL;
	recording->lane_count = recorder->plan->lanes_count > 0 ?
				recorder->plan->lanes_count : 1;
	recording->ring_capacity = recorder->ring_capacity;
	recording->rings = plait__cacheline_alloc(allocator,
						  rings_bytes(recording));
	recording->entries = plait__alloc_array(
		allocator, entries_count(recording),
		sizeof(*recording->entries));
	if (recording->rings != NULL && recording->entries != NULL)
		return recording;
	free_recording(allocator, recording);
	return NULL;
}

void plait__recorder_begin(plait__recording *recording, uint32_t lanes)
{
	uint32_t count = lanes < recording->lane_count ? lanes :
							 recording->lane_count;
	uint64_t room = entries_count(recording) / count;

	recording->ring_count = count;
	for (uint32_t i = 0; i < count; i++) {
		plait__record_ring *ring = &recording->rings[i];

		ring->entries = recording->entries + i * room;
		ring->capacity = room < UINT32_MAX ? (uint32_t)room :
						     UINT32_MAX;
	}
	recording->started = true;
	recording->begin_ns = plait__clock_now_ns();
}

/* ---- counters and entries ---- */

uint64_t plait__recorder_count(const plait__recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->ring_count; i++)
		count += plait__recorder_entry_count(&recording->rings[i]);
	return count;
}

uint64_t plait__recorder_dropped(const plait__recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->ring_count; i++)
		count += at_load_relaxed_u64(&recording->rings[i].count);
	return count - plait__recorder_count(recording);
}

uint64_t plait__recorder_commands(const plait__recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->lane_count; i++)
		count += at_load_relaxed_u64(&recording->rings[i].commands);
	return count;
}

uint64_t plait__recorder_iterations(const plait__recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->lane_count; i++)
		count += at_load_relaxed_u64(&recording->rings[i].iterations);
	return count;
}

uint32_t plait__recorder_entry_count(const plait__record_ring *ring)
{
	uint64_t count = at_load_relaxed_u64(&ring->count);

	return count < ring->capacity ? (uint32_t)count : ring->capacity;
}

const plait__record_entry *
plait__recorder_entry_at(const plait__record_ring *ring, uint32_t i)
{
	uint32_t kept = plait__recorder_entry_count(ring);
	uint64_t at = i;

	/* The oldest entry of a full ring is the next one to be overwritten. */
	if (kept == ring->capacity)
		at = (at + ring->next) % ring->capacity;
	return &ring->entries[at];
}

double plait__recorder_expected_runs(const plait__plan *plan, uint32_t body)
{
	double times = 1;

	while (body != 0) {
		const plait__plan_region *region =
			&plan->regions[plan->bodies[body].region];

		if (region->kind != PLAIT__REGION_CASE)
			times *= (double)plait__plan_iterations(region->kind,
								region->times);
		else if (region->times != PLAIT__NONE &&
			 region->times != body - region->body_first)
			return 0;
		body = plan->nodes[plan->commands[region->command].node].body;
	}
	return times;
}

/* ---- samples ---- */

/* The time of entry i within the gaps of its coroutine, which come before it. */
static uint64_t suspended_ns(const plait__record_ring *ring, uint32_t i)
{
	const plait__record_entry *of = plait__recorder_entry_at(ring, i);
	uint64_t sum = 0;

	while (i-- > 0) {
		const plait__record_entry *gap =
			plait__recorder_entry_at(ring, i);

		if (gap->kind != PLAIT_RECORD_WAIT ||
		    gap->other != PLAIT__NONE || gap->command != of->command ||
		    gap->start_ns < of->start_ns)
			break;
		sum += gap->end_ns - gap->start_ns;
	}
	return sum;
}

/* Caller holds recorder->lock. */
static void keep_samples(plait__recorder *recorder,
			 const plait__record_ring *ring)
{
	uint32_t kept = plait__recorder_entry_count(ring);

	for (uint32_t i = 0; i < kept; i++) {
		const plait__record_entry *entry =
			plait__recorder_entry_at(ring, i);
		plait__cost_sample *sample;

		if (entry->kind == PLAIT_RECORD_WAIT)
			continue;
		sample = &recorder->samples[entry->command];
		sample->ns[sample->count++ % PLAIT__COST_SAMPLES] =
			entry->end_ns - entry->start_ns -
			suspended_ns(ring, i);
	}
}

void plait__recorder_end(plait__recorder *recorder,
			 plait__recording *recording)
{
	if (!recording->started)
		return;
	recording->end_ns = plait__clock_now_ns();
	plait__mutex_lock(&recorder->lock);
	for (uint32_t i = 0; i < recording->ring_count; i++)
		keep_samples(recorder, &recording->rings[i]);
	recorder->runs++;
	plait__mutex_unlock(&recorder->lock);
}

/* ---- recorders ---- */

static void push_free(plait__recorder *recorder, plait__recording *recording)
{
	plait__mutex_lock(&recorder->lock);
	recording->next = recorder->free;
	recorder->free = recording;
	plait__mutex_unlock(&recorder->lock);
}

static plait__recording *pop_free(plait__recorder *recorder)
{
	plait__recording *recording;

	plait__mutex_lock(&recorder->lock);
	recording = recorder->free;
	if (recording != NULL)
		recorder->free = recording->next;
	plait__mutex_unlock(&recorder->lock);
	return recording;
}

void plait__recorder_free(plait__recorder *recorder)
{
	const plait_allocator *allocator;
	plait__recording *recording;

	if (recorder == NULL)
		return;
	allocator = recorder->allocator;
	while ((recording = pop_free(recorder)) != NULL)
		free_recording(allocator, recording);
	plait__free(allocator, recorder->samples,
		    recorder->plan->command_count *
		    sizeof(*recorder->samples));
	plait__free(allocator, recorder, sizeof(*recorder));
}

static plait_status no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to record runs of a plan");
}

static bool fill_recorder(plait__recorder *recorder, uint32_t recordings)
{
	uint32_t commands = recorder->plan->command_count;
	plait__recording *recording;

	recorder->samples = plait__alloc_array(recorder->allocator, commands,
					       sizeof(*recorder->samples));
	if (recorder->samples == NULL && commands > 0)
		return false;
	for (uint32_t i = 0; i < recordings; i++) {
		recording = new_recording(recorder);
		if (recording == NULL)
			return false;
		push_free(recorder, recording);
	}
	return true;
}

plait_status plait__recorder_make(plait__recorder **out,
				  const plait__plan *plan,
				  const plait_allocator *allocator,
				  uint32_t recordings, uint32_t capacity,
				  plait_error *error)
{
	plait__recorder *recorder = plait__alloc(allocator, sizeof(*recorder));

	*out = recorder;
	if (recorder == NULL)
		return no_memory(error);
	recorder->plan = plan;
	recorder->allocator = allocator;
	recorder->ring_capacity = capacity;
	plait__mutex_init(&recorder->lock);
	return fill_recorder(recorder, recordings) ? PLAIT_OK :
						     no_memory(error);
}

plait_status plait__recorder_acquire(plait__recorder *recorder,
				     plait__recording **out, plait_error *error)
{
	*out = pop_free(recorder);
	if (*out == NULL)
		*out = new_recording(recorder);
	if (*out == NULL)
		return no_memory(error);
	(*out)->started = false;
	(*out)->begin_ns = (*out)->end_ns = 0;
	(*out)->ring_count = 0;
	memset((*out)->rings, 0, rings_bytes(*out));
	return PLAIT_OK;
}

void plait__recorder_release(plait__recorder *recorder,
			     plait__recording *recording)
{
	if (recording != NULL)
		push_free(recorder, recording);
}
