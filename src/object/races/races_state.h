/* SPDX-License-Identifier: MIT */
/*
 * State of a race check, shared by its files; see races.h.  Caller holds the
 * lock for all functions.
 */
#ifndef PLAIT_SRC_OBJECT_RACES_RACES_STATE_H
#define PLAIT_SRC_OBJECT_RACES_RACES_STATE_H

#include "object/races/races.h"

#include "sys/mutex.h"

enum {
	/* Emissions of a signal whose vector clocks are kept. */
	PLAIT__RACE_EMISSIONS = 8,
	/* Races that are logged. */
	PLAIT__RACE_LINES = 32,
	PLAIT__RACE_LINE_BYTES = 512
};

/* A race that is to be logged. */
struct plait__race_line {
	struct plait__race_line *next;
	uint32_t track;		/* of the newer work */
	uint64_t serial;
	char text[PLAIT__RACE_LINE_BYTES];
};

struct plait__races {
	plait_allocator allocator;
	const plait__log *log;
	struct plait__mutex lock; /* guards all below, and all states */
	bool ended;
	plait__race_memory memory;
	uint64_t positions[PLAIT__RACE_TRACKS]; /* the newest one of each */
	bool used[PLAIT__RACE_TRACKS];
	plait__race_clock host;
	uint64_t host_changes;
	struct plait__race_line *lines;	/* oldest first */
	struct plait__race_line **last_line;
	uint64_t found;
	const plait__object *buffer; /* that is being compared */
};

struct plait__race_queue {
	plait__race_clock clock;
	uint32_t track;		/* or PLAIT__RACE_NO_TRACK */
	uint64_t host_changes;	/* of the host's clock, when it was joined */
	plait__race_event *event; /* of the last accesses, if nothing has
				   * changed since */
};

struct plait__race_emission {
	uint64_t sequence;
	plait__race_clock clock;
};

struct plait__race_signal {
	uint32_t track;		/* of a gate; or PLAIT__RACE_NO_TRACK */
	uint64_t base;		/* position of sequence 0 of a gate */
	uint32_t next;		/* the oldest emission */
	struct plait__race_emission emissions[PLAIT__RACE_EMISSIONS];
};

/* End the check. */
void plait__races_stop(plait__races *races);

/* A track whose former positions are over, until it is given back. */
uint32_t plait__races_take_track(plait__races *races);
void plait__races_give_track(plait__races *races, uint32_t track);
/* Put a vector clock at its track's newest position. */
void plait__races_place_clock(const plait__races *races,
			      plait__race_clock *clock, uint32_t track);

/* The state of a queue to which the host submits now; null: the check has
 * ended. */
plait__race_queue *plait__races_queue_of(plait__races *races,
					 plait__race_queue **place);
plait__race_signal *plait__races_signal_of(plait__races *races,
					   plait__race_signal **place,
					   bool is_gate);
/* Join the host's vector clock, if that has changed. */
void plait__races_follow_host(plait__races *races, plait__race_queue *queue);
/* The next access gets a position of its own. */
void plait__races_drop_event(plait__races *races, plait__race_queue *queue);
/* The next position of the queue's track, which its vector clock includes. */
void plait__races_step(plait__races *races, plait__race_queue *queue);

/* Null: without memory, the check ends.  `place`: the queue, for its name; null
 * for a call of a plan. */
plait__race_event *plait__races_new_event(plait__races *races, uint32_t track,
					  const plait__race_clock *clock,
					  const plait__object *place);
void plait__races_add_access(plait__races *races, plait__race_event *event,
			     const plait__race_access *access,
			     const plait__race_work *work);
/* Forget the accesses of a track from a serial on, and their lines. */
void plait__races_undo_track(plait__races *races, uint32_t track,
			     uint64_t mark);

/* A host function on a track: it may follow anything, and from now on the host
 * may know what it knows. */
void plait__races_note_call(plait__races *races, plait__race_clock *clock,
			    uint32_t track);
void plait__races_host_joins(plait__races *races,
			     const plait__race_clock *clock, bool is_sure);

#endif
