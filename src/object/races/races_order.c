/* SPDX-License-Identifier: MIT */
/* Race check: happens-before by signals and by the host; see races.h. */
#include "object/races/races.h"
#include "object/races/races_state.h"

#include <string.h>

enum {
	/* Gates beyond 1 << this sequence have no positions. */
	GATE_BITS = 40
};

/* ---- signals ---- */

/* The vector clock of something that may be behind all that was submitted.
 * Caller holds races->lock, as for all static functions. */
static void read_newest(const plait__races *races, plait__race_clock *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->before, races->positions, sizeof(out->before));
	memcpy(out->opaque, races->positions, sizeof(out->opaque));
}

/* The kept emission that implies `sequence`; null: none was seen. */
static const struct plait__race_emission *
find_emission(const plait__race_signal *signal, uint64_t sequence,
	      bool *out_exact)
{
	const struct plait__race_emission *found = NULL;

	for (uint32_t i = 0; i < PLAIT__RACE_EMISSIONS; i++) {
		const struct plait__race_emission *at = &signal->emissions[i];

		if (at->sequence >= sequence && at->sequence != 0 &&
		    (found == NULL || at->sequence < found->sequence))
			found = at;
	}
	*out_exact = found != NULL && found->sequence == sequence;
	return found;
}

static void keep_emission(plait__race_signal *signal, uint64_t sequence,
			  const plait__race_clock *clock)
{
	uint32_t newest = (signal->next + PLAIT__RACE_EMISSIONS - 1) %
			  PLAIT__RACE_EMISSIONS;
	struct plait__race_emission *at = &signal->emissions[signal->next];

	/* Emitted again, after a submission that failed. */
	if (signal->emissions[newest].sequence >= sequence)
		at = &signal->emissions[newest];
	else
		signal->next = (signal->next + 1) % PLAIT__RACE_EMISSIONS;
	at->sequence = sequence;
	at->clock = *clock;
}

void plait__races_emit(plait__races *races, plait__race_queue **place,
		       plait__race_signal **where,
		       uint64_t sequence)
{
	plait__race_signal *signal;
	plait__race_queue *queue;
	plait__race_clock newest;
	bool exact;

	plait__mutex_lock(&races->lock);
	signal = plait__races_signal_of(races, where, false);
	queue = place != NULL ? plait__races_queue_of(races, place) : NULL;
	if (signal != NULL && place == NULL) {
		read_newest(races, &newest);
		keep_emission(signal, sequence, &newest);
	} else if (signal != NULL && queue != NULL) {
		const struct plait__race_emission *before =
			find_emission(signal, sequence - 1, &exact);

		/* The emission before may be of another queue. */
		if (before != NULL)
			plait__race_clock_join(&queue->clock, &before->clock,
					       true, races->memory.tracks);
		keep_emission(signal, sequence, &queue->clock);
		plait__races_drop_event(races, queue);
	}
	plait__mutex_unlock(&races->lock);
}

/* The position of a gate's sequence, or 0: it has none. */
static uint64_t position_of(plait__races *races,
			    const plait__race_signal *gate, uint64_t sequence)
{
	uint64_t position = gate->base + sequence;

	if (gate->track == PLAIT__RACE_NO_TRACK || sequence >> GATE_BITS != 0)
		return 0;
	if (races->positions[gate->track] < position)
		races->positions[gate->track] = position;
	return position;
}

static void raise_to(uint64_t *at, uint64_t position)
{
	if (*at < position)
		*at = position;
}

/* The wait follows the thread that will raise the gate. */
static void wait_for_gate(plait__races *races, plait__race_queue *queue,
			  const plait__race_signal *gate, uint64_t sequence)
{
	uint64_t position = position_of(races, gate, sequence);

	if (position == 0) {
		queue->clock.is_opaque = true;
		return;
	}
	raise_to(&queue->clock.before[gate->track], position);
	raise_to(&queue->clock.sure[gate->track], position);
	raise_to(&queue->clock.opaque[gate->track], position);
}

void plait__races_wait(plait__races *races, plait__race_queue **place,
		       plait__race_signal **where,
		       uint64_t sequence, plait__race_gate gate)
{
	plait__race_signal *signal;
	plait__race_queue *queue;
	bool exact;

	plait__mutex_lock(&races->lock);
	queue = plait__races_queue_of(races, place);
	signal = plait__races_signal_of(races, where, gate != PLAIT__RACE_NO_GATE);
	if (queue != NULL && signal != NULL) {
		const struct plait__race_emission *at =
			find_emission(signal, sequence, &exact);

		plait__races_drop_event(races, queue);
		if (gate == PLAIT__RACE_GATE_BELOW)
			wait_for_gate(races, queue, signal, sequence);
		else if (at != NULL)
			plait__race_clock_join(&queue->clock, &at->clock,
					       exact, races->memory.tracks);
	}
	plait__mutex_unlock(&races->lock);
}

/* A host function on a track: it may follow anything, and from now on the host
 * may know what it knows. */
void plait__races_note_call(plait__races *races, plait__race_clock *clock,
			    uint32_t track)
{
	if (track == PLAIT__RACE_NO_TRACK)
		clock->is_opaque = true;
	else
		clock->opaque[track] = races->positions[track];
	plait__race_clock_join_host(&races->host, clock, false,
				    races->memory.tracks);
	races->host_changes++;
}

void plait__races_call(plait__races *races, plait__race_queue **place)
{
	plait__race_queue *queue;

	plait__mutex_lock(&races->lock);
	queue = plait__races_queue_of(races, place);
	if (queue != NULL) {
		plait__races_step(races, queue);
		plait__races_note_call(races, &queue->clock, queue->track);
	}
	plait__mutex_unlock(&races->lock);
}

/* ---- the host ---- */

void plait__races_host_joins(plait__races *races,
			     const plait__race_clock *clock, bool is_sure)
{
	plait__race_clock_join_host(&races->host, clock, is_sure,
				    races->memory.tracks);
	races->host_changes++;
}

void plait__races_host_saw(plait__races *races, plait__race_signal **where,
			   uint64_t sequence, bool is_told_later)
{
	const struct plait__race_emission *at = NULL;
	bool exact = true;

	plait__mutex_lock(&races->lock);
	if (*where != NULL && !races->ended)
		at = find_emission(*where, sequence, &exact);
	if (at != NULL && sequence != 0)
		plait__races_host_joins(races, &at->clock, exact && !is_told_later);
	plait__mutex_unlock(&races->lock);
}

void plait__races_host_saw_any(plait__races *races)
{
	plait__race_clock newest;

	plait__mutex_lock(&races->lock);
	read_newest(races, &newest);
	plait__races_host_joins(races, &newest, false);
	plait__mutex_unlock(&races->lock);
}

void plait__races_read_queue(plait__races *races, plait__race_queue **place,
			     plait__race_clock *out)
{
	memset(out, 0, sizeof(*out));
	plait__mutex_lock(&races->lock);
	if (*place != NULL && !races->ended)
		*out = (*place)->clock;
	plait__mutex_unlock(&races->lock);
}

void plait__races_host_saw_clock(plait__races *races,
				 const plait__race_clock *clock, bool is_sure)
{
	plait__mutex_lock(&races->lock);
	plait__races_host_joins(races, clock, is_sure);
	plait__mutex_unlock(&races->lock);
}

void plait__races_raise(plait__races *races, plait__race_signal **where,
			uint64_t sequence)
{
	plait__race_signal *gate;

	plait__mutex_lock(&races->lock);
	gate = plait__races_signal_of(races, where, true);
	if (gate != NULL) {
		uint64_t position = position_of(races, gate, sequence);

		if (position != 0) {
			raise_to(&races->host.before[gate->track], position);
			raise_to(&races->host.sure[gate->track], position);
			races->host_changes++;
		}
	}
	plait__mutex_unlock(&races->lock);
}
