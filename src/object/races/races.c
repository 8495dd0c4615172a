/* SPDX-License-Identifier: MIT */
/* Race check: states of queues and signals, accesses, reports; see races.h. */
#include "object/races/races.h"
#include "object/races/races_state.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- states ---- */

plait__races *plait__races_create(const plait_allocator *allocator,
				  const plait__log *log)
{
	plait__races *races = plait__alloc(allocator, sizeof(*races));

	if (races == NULL)
		return NULL;
	races->allocator = *allocator;
	races->log = log;
	races->memory.allocator = &races->allocator;
	races->last_line = &races->lines;
	return races;
}

static void free_lines(plait__races *races)
{
	struct plait__race_line *next;

	for (; races->lines != NULL; races->lines = next) {
		next = races->lines->next;
		plait__free(&races->allocator, races->lines,
			    sizeof(*races->lines));
	}
	races->last_line = &races->lines;
}

void plait__races_destroy(plait__races *races)
{
	plait_allocator allocator;

	if (races == NULL)
		return;
	allocator = races->allocator;
	if (races->found > PLAIT__RACE_LINES)
		plait__log_line(races->log, PLAIT_LOG_ERROR,
				"races: %llu were found, %d are above",
				(unsigned long long)races->found, PLAIT__RACE_LINES);
	free_lines(races);
	plait__race_memory_fini(&races->memory);
	plait__free(&allocator, races, sizeof(*races));
}

/* Caller holds the lock, as for all static functions. */
void plait__races_stop(plait__races *races)
{
	races->ended = true;
	plait__race_memory_clear(&races->memory);
}

void plait__races_give_up(plait__races *races)
{
	plait__mutex_lock(&races->lock);
	plait__races_stop(races);
	plait__mutex_unlock(&races->lock);
}

/* A track whose former positions are over. */
uint32_t plait__races_take_track(plait__races *races)
{
	uint32_t track = 0;

	while (track < PLAIT__RACE_TRACKS && races->used[track])
		track++;
	if (track == PLAIT__RACE_TRACKS)
		return PLAIT__RACE_NO_TRACK;
	races->used[track] = true;
	if (races->memory.tracks <= track)
		races->memory.tracks = track + 1;
	return track;
}

void plait__races_give_track(plait__races *races, uint32_t track)
{
	if (track != PLAIT__RACE_NO_TRACK)
		races->used[track] = false;
}

/* Put the vector clock behind its track's positions, or at a new one. */
void plait__races_place_clock(const plait__races *races,
			      plait__race_clock *clock, uint32_t track)
{
	if (track == PLAIT__RACE_NO_TRACK)
		return;
	clock->before[track] = races->positions[track];
	clock->sure[track] = races->positions[track];
}

void plait__races_drop_event(plait__races *races, plait__race_queue *queue)
{
	plait__race_memory_drop(&races->memory, queue->event);
	queue->event = NULL;
}

void plait__races_follow_host(plait__races *races, plait__race_queue *queue)
{
	if (queue->host_changes == races->host_changes)
		return;
	queue->host_changes = races->host_changes;
	plait__race_clock_join(&queue->clock, &races->host, true,
			       races->memory.tracks);
	plait__races_drop_event(races, queue);
}

/* The state of a queue to which the host submits now; null: the check has
 * ended. */
plait__race_queue *plait__races_queue_of(plait__races *races,
				   plait__race_queue **place)
{
	plait__race_queue *queue = *place;

	if (races->ended)
		return NULL;
	if (queue == NULL) {
		queue = plait__alloc(&races->allocator, sizeof(*queue));
		if (queue == NULL) {
			plait__races_stop(races);
			return NULL;
		}
		*place = queue;
		queue->track = plait__races_take_track(races);
		plait__races_place_clock(races, &queue->clock, queue->track);
		queue->host_changes = races->host_changes - 1;
	}
	plait__races_follow_host(races, queue);
	return queue;
}

plait__race_signal *plait__races_signal_of(plait__races *races,
				     plait__race_signal **place, bool is_gate)
{
	plait__race_signal *signal = *place;

	if (races->ended || signal != NULL)
		return races->ended ? NULL : signal;
	signal = plait__alloc(&races->allocator, sizeof(*signal));
	if (signal == NULL) {
		plait__races_stop(races);
		return NULL;
	}
	signal->track = is_gate ? plait__races_take_track(races) :
				  (uint32_t)PLAIT__RACE_NO_TRACK;
	if (signal->track != PLAIT__RACE_NO_TRACK)
		signal->base = races->positions[signal->track];
	*place = signal;
	return signal;
}

void plait__races_end_queue(plait__races *races, plait__race_queue **place)
{
	plait__race_queue *queue;

	plait__mutex_lock(&races->lock);
	queue = *place;
	*place = NULL;
	if (queue != NULL) {
		plait__races_drop_event(races, queue);
		plait__races_give_track(races, queue->track);
		plait__free(&races->allocator, queue, sizeof(*queue));
	}
	plait__mutex_unlock(&races->lock);
}

void plait__races_end_signal(plait__races *races, plait__race_signal **place)
{
	plait__mutex_lock(&races->lock);
	if (*place != NULL)
		plait__races_give_track(races, (*place)->track);
	plait__free(&races->allocator, *place, sizeof(**place));
	*place = NULL;
	plait__mutex_unlock(&races->lock);
}

void plait__races_forget(plait__races *races, const plait__race_access *range)
{
	plait__mutex_lock(&races->lock);
	plait__race_memory_forget(&races->memory, range);
	plait__mutex_unlock(&races->lock);
}

/* ---- accesses ---- */

/* The next position of the queue's track, which its vector clock includes. */
void plait__races_step(plait__races *races, plait__race_queue *queue)
{
	plait__races_drop_event(races, queue);
	if (queue->track == PLAIT__RACE_NO_TRACK)
		return;
	races->positions[queue->track]++;
	plait__races_place_clock(races, &queue->clock, queue->track);
}

plait__race_event *plait__races_new_event(plait__races *races, uint32_t track,
				    const plait__race_clock *clock,
				    const plait__object *place)
{
	plait__race_event *event = plait__race_memory_event(&races->memory);

	if (event == NULL) {
		plait__races_stop(races);
		return NULL;
	}
	event->track = track;
	event->position = races->positions[track];
	event->clock = *clock;
	if (place != NULL)
		(void)plait__object_name(place, event->place);
	else
		(void)snprintf(event->place, sizeof(event->place),
			       "a call of plait_plan_call");
	return event;
}

static const char *advice(const plait__race_record *older,
			  const plait__race_record *newer)
{
	if (older->event->program != NULL &&
	    older->event->program == newer->event->program)
		return "submit the later run without PLAIT_RUN_OVERLAP, or "
		       "give each run memory of its own";
	return "let the later one wait for a signal that the earlier one's "
	       "queue emits, or for the earlier one on the host";
}

/* 'fill', or 'fill "zero"'. */
static const char *name_work(const plait__race_record *record,
			     char room[PLAIT__OBJECT_NAME_BYTES])
{
	if (record->label[0] == '\0')
		return record->verb;
	(void)snprintf(room, PLAIT__OBJECT_NAME_BYTES, "%s \"%s\"",
		       record->verb, record->label);
	return room;
}

/* Keep the text of a race.  Beyond PLAIT__RACE_LINES races are only counted. */
static void on_race(void *arg, const plait__race_record *older,
		    const plait__race_record *newer)
{
	plait__races *races = arg;
	uint64_t first = older->first > newer->first ? older->first :
						       newer->first;
	uint64_t end = older->end < newer->end ? older->end : newer->end;
	char older_room[PLAIT__OBJECT_NAME_BYTES];
	char newer_room[PLAIT__OBJECT_NAME_BYTES];
	char room[PLAIT__OBJECT_NAME_BYTES];
	struct plait__race_line *line;

	if (++races->found > PLAIT__RACE_LINES)
		return;
	line = plait__alloc(&races->allocator, sizeof(*line));
	if (line == NULL)
		return;
	line->track = newer->event->track;
	line->serial = newer->serial;
	(void)snprintf(line->text, sizeof(line->text),
		       "race: %s in %s %s bytes %llu to %llu of %s, and %s in "
		       "%s %s them, unordered; %s", name_work(older, older_room),
		       older->event->place, older->writes ? "writes" : "reads",
		       (unsigned long long)first, (unsigned long long)end,
		       plait__object_name(races->buffer, room),
		       name_work(newer, newer_room), newer->event->place,
		       newer->writes ? "writes" : "reads",
		       advice(older, newer));
	*races->last_line = line;
	races->last_line = &line->next;
}

void plait__races_add_access(plait__races *races, plait__race_event *event,
		       const plait__race_access *access,
		       const plait__race_work *work)
{
	races->buffer = work->buffer;
	if (!plait__race_memory_add(&races->memory, access, event, work,
				    on_race, races))
		plait__races_stop(races);
}

uint64_t plait__races_mark(plait__races *races)
{
	uint64_t mark;

	plait__mutex_lock(&races->lock);
	mark = races->memory.serial + 1;
	plait__mutex_unlock(&races->lock);
	return mark;
}

void plait__races_access(plait__races *races, plait__race_queue **place,
			 const plait__object *name,
			 const plait__race_access *access,
			 const plait__race_work *work)
{
	plait__race_queue *queue;

	plait__mutex_lock(&races->lock);
	queue = plait__races_queue_of(races, place);
	if (queue != NULL && queue->track != PLAIT__RACE_NO_TRACK) {
		if (queue->event == NULL) {
			plait__races_step(races, queue);
			queue->event = plait__races_new_event(races, queue->track,
						 &queue->clock, name);
		}
		if (queue->event != NULL)
			plait__races_add_access(races, queue->event, access, work);
	}
	plait__mutex_unlock(&races->lock);
}

void plait__races_undo_track(plait__races *races, uint32_t track, uint64_t mark)
{
	struct plait__race_line **link = &races->lines;

	plait__race_memory_undo(&races->memory, track, mark);
	while (*link != NULL) {
		struct plait__race_line *line = *link;

		if (line->track != track || line->serial < mark) {
			link = &line->next;
			continue;
		}
		*link = line->next;
		races->found--;
		plait__free(&races->allocator, line, sizeof(*line));
	}
	races->last_line = link;
}

void plait__races_undo(plait__races *races, plait__race_queue **place,
		       uint64_t mark)
{
	plait__mutex_lock(&races->lock);
	if (*place != NULL && (*place)->track != PLAIT__RACE_NO_TRACK)
		plait__races_undo_track(races, (*place)->track, mark);
	plait__mutex_unlock(&races->lock);
}

/* ---- the log ---- */

void plait__races_report(plait__races *races)
{
	struct plait__race_line *line;

	for (;;) {
		plait__mutex_lock(&races->lock);
		line = races->lines;
		if (line != NULL)
			races->lines = line->next;
		if (races->lines == NULL)
			races->last_line = &races->lines;
		plait__mutex_unlock(&races->lock);
		if (line == NULL)
			return;
		plait__log_line(races->log, PLAIT_LOG_ERROR, "%s", line->text);
		plait__free(&races->allocator, line, sizeof(*line));
	}
}
