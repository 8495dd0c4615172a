/* SPDX-License-Identifier: MIT */
/* Race check: runs and calls of plans; see races.h. */
#include "object/races/races.h"
#include "object/races/races_state.h"

#include <string.h>

/* ---- runs ---- */

/* The place of a call of a plan: a queue of its own, until it is over.  Caller
 * holds races->lock. */
static bool begin_call(plait__races *races, plait__race_queue *out)
{
	memset(out, 0, sizeof(*out));
	out->track = plait__races_take_track(races);
	plait__races_place_clock(races, &out->clock, out->track);
	out->host_changes = races->host_changes - 1;
	plait__races_follow_host(races, out);
	return out->track != PLAIT__RACE_NO_TRACK;
}

/* Caller holds races->lock. */
static void fill_run(plait__races *races, plait__race_queue *queue,
		     const plait__race_run *run)
{
	if (run->last != NULL)
		plait__race_clock_join(&queue->clock, run->last, true,
				       races->memory.tracks);
	plait__races_step(races, queue);
	if (run->calls)
		plait__races_note_call(races, &queue->clock, queue->track);
	if (run->last != NULL)
		*run->last = queue->clock;
	if (run->known != NULL)
		*run->known = queue->clock;
}

bool plait__races_begin_run(plait__races *races, plait__race_queue **place,
			    const plait__object *name, plait__race_run *run,
			    plait__race_event **out)
{
	plait__race_queue on_stack, *queue = &on_stack;
	bool can = true;

	*out = NULL;
	plait__mutex_lock(&races->lock);
	if (place == NULL)
		can = !races->ended && begin_call(races, queue);
	else
		queue = plait__races_queue_of(races, place);
	can = can && queue != NULL;
	if (can)
		fill_run(races, queue, run);
	if (can && queue->track != PLAIT__RACE_NO_TRACK)
		*out = plait__races_new_event(races, queue->track, &queue->clock, name);
	if (*out != NULL) {
		(*out)->program = run->program;
		(*out)->overlaps = run->overlaps;
	} else if (can && place == NULL) {
		plait__races_give_track(races, queue->track);
	}
	plait__mutex_unlock(&races->lock);
	return *out != NULL;
}

void plait__races_run_access(plait__races *races, plait__race_event *event,
			     const plait__race_access *access,
			     const plait__race_work *work)
{
	plait__mutex_lock(&races->lock);
	if (!races->ended)
		plait__races_add_access(races, event, access, work);
	plait__mutex_unlock(&races->lock);
}

void plait__races_commit_run(plait__races *races, plait__race_event *event)
{
	plait__mutex_lock(&races->lock);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}

void plait__races_end_call(plait__races *races, plait__race_event *event)
{
	plait__mutex_lock(&races->lock);
	plait__races_host_joins(races, &event->clock, true);
	plait__races_give_track(races, event->track);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}

void plait__races_undo_run(plait__races *races, plait__race_event *event,
			   uint64_t mark)
{
	plait__mutex_lock(&races->lock);
	plait__races_undo_track(races, event->track, mark);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}

void plait__races_undo_call(plait__races *races, plait__race_event *event,
			    uint64_t mark)
{
	plait__mutex_lock(&races->lock);
	plait__races_undo_track(races, event->track, mark);
	plait__races_give_track(races, event->track);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}
