/* SPDX-License-Identifier: MIT */
/* Race check: clocks of queues, signals, runs and the host; see races.h. */
#include "object/races/races.h"

#include "base/alloc.h"
#include "sys/mutex.h"

#include <stdio.h>
#include <string.h>

enum {
	/* Emissions of a signal whose clocks are kept. */
	EMISSIONS = 8,
	/* Races that are logged. */
	LINES = 32,
	LINE_BYTES = 512
};

/* Gates beyond this sequence have no positions. */
static const uint64_t gate_end = UINT64_C(1) << 40;

/* A race that is to be logged. */
struct line {
	struct line *next;
	uint32_t track;		/* of the newer work */
	uint64_t serial;
	char text[LINE_BYTES];
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
	struct line *lines;	/* oldest first */
	struct line **last_line;
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

struct emission {
	uint64_t sequence;
	plait__race_clock clock;
};

struct plait__race_signal {
	uint32_t track;		/* of a gate; or PLAIT__RACE_NO_TRACK */
	uint64_t base;		/* position of sequence 0 of a gate */
	uint32_t next;		/* the oldest emission */
	struct emission emissions[EMISSIONS];
};

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
	struct line *next;

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
	if (races->found > LINES)
		plait__log_line(races->log, PLAIT_LOG_ERROR,
				"races: %llu were found, %d are above",
				(unsigned long long)races->found, LINES);
	free_lines(races);
	plait__race_memory_fini(&races->memory);
	plait__free(&allocator, races, sizeof(*races));
}

/* Caller holds the lock, as for all static functions. */
static void give_up(plait__races *races)
{
	races->ended = true;
	plait__race_memory_clear(&races->memory);
}

void plait__races_give_up(plait__races *races)
{
	plait__mutex_lock(&races->lock);
	give_up(races);
	plait__mutex_unlock(&races->lock);
}

/* A track whose former positions are over. */
static uint32_t take_track(plait__races *races)
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

static void give_track(plait__races *races, uint32_t track)
{
	if (track != PLAIT__RACE_NO_TRACK)
		races->used[track] = false;
}

/* Put the clock behind its track's positions, or at a new one. */
static void place_clock(const plait__races *races, plait__race_clock *clock,
			uint32_t track)
{
	if (track == PLAIT__RACE_NO_TRACK)
		return;
	clock->before[track] = races->positions[track];
	clock->sure[track] = races->positions[track];
}

static void drop_event(plait__races *races, plait__race_queue *queue)
{
	plait__race_memory_drop(&races->memory, queue->event);
	queue->event = NULL;
}

static void follow_host(plait__races *races, plait__race_queue *queue)
{
	if (queue->host_changes == races->host_changes)
		return;
	queue->host_changes = races->host_changes;
	plait__race_clock_join(&queue->clock, &races->host, true,
			       races->memory.tracks);
	drop_event(races, queue);
}

/* The state of a queue to which the host submits now; null: the check has
 * ended. */
static plait__race_queue *queue_of(plait__races *races,
				   plait__race_queue **place)
{
	plait__race_queue *queue = *place;

	if (races->ended)
		return NULL;
	if (queue == NULL) {
		queue = plait__alloc(&races->allocator, sizeof(*queue));
		if (queue == NULL) {
			give_up(races);
			return NULL;
		}
		*place = queue;
		queue->track = take_track(races);
		place_clock(races, &queue->clock, queue->track);
		queue->host_changes = races->host_changes - 1;
	}
	follow_host(races, queue);
	return queue;
}

static plait__race_signal *signal_of(plait__races *races,
				     plait__race_signal **place, bool is_gate)
{
	plait__race_signal *signal = *place;

	if (races->ended || signal != NULL)
		return races->ended ? NULL : signal;
	signal = plait__alloc(&races->allocator, sizeof(*signal));
	if (signal == NULL) {
		give_up(races);
		return NULL;
	}
	signal->track = is_gate ? take_track(races) :
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
		drop_event(races, queue);
		give_track(races, queue->track);
		plait__free(&races->allocator, queue, sizeof(*queue));
	}
	plait__mutex_unlock(&races->lock);
}

void plait__races_end_signal(plait__races *races, plait__race_signal **place)
{
	plait__mutex_lock(&races->lock);
	if (*place != NULL)
		give_track(races, (*place)->track);
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

/* The next position of the queue's track, which its clock includes. */
static void step(plait__races *races, plait__race_queue *queue)
{
	drop_event(races, queue);
	if (queue->track == PLAIT__RACE_NO_TRACK)
		return;
	races->positions[queue->track]++;
	place_clock(races, &queue->clock, queue->track);
}

static plait__race_event *new_event(plait__races *races, uint32_t track,
				    const plait__race_clock *clock,
				    const plait__object *place)
{
	plait__race_event *event = plait__race_memory_event(&races->memory);

	if (event == NULL) {
		give_up(races);
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
	struct line *line;

	if (++races->found > LINES)
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

static void add_access(plait__races *races, plait__race_event *event,
		       const plait__race_access *access,
		       const plait__race_work *work)
{
	races->buffer = work->buffer;
	if (!plait__race_memory_add(&races->memory, access, event, work,
				    on_race, races))
		give_up(races);
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
	queue = queue_of(races, place);
	if (queue != NULL && queue->track != PLAIT__RACE_NO_TRACK) {
		if (queue->event == NULL) {
			step(races, queue);
			queue->event = new_event(races, queue->track,
						 &queue->clock, name);
		}
		if (queue->event != NULL)
			add_access(races, queue->event, access, work);
	}
	plait__mutex_unlock(&races->lock);
}

static void undo(plait__races *races, uint32_t track, uint64_t mark)
{
	struct line **link = &races->lines;

	plait__race_memory_undo(&races->memory, track, mark);
	while (*link != NULL) {
		struct line *line = *link;

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
		undo(races, (*place)->track, mark);
	plait__mutex_unlock(&races->lock);
}

/* ---- signals ---- */

/* The clock of something that may be behind all that was submitted. */
static void read_newest(const plait__races *races, plait__race_clock *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->before, races->positions, sizeof(out->before));
	memcpy(out->opaque, races->positions, sizeof(out->opaque));
}

/* The kept emission that implies `sequence`; null: none was seen. */
static const struct emission *find_emission(const plait__race_signal *signal,
					    uint64_t sequence, bool *out_exact)
{
	const struct emission *found = NULL;

	for (uint32_t i = 0; i < EMISSIONS; i++) {
		const struct emission *at = &signal->emissions[i];

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
	uint32_t newest = (signal->next + EMISSIONS - 1) % EMISSIONS;
	struct emission *at = &signal->emissions[signal->next];

	/* Emitted again, after a submission that failed. */
	if (signal->emissions[newest].sequence >= sequence)
		at = &signal->emissions[newest];
	else
		signal->next = (signal->next + 1) % EMISSIONS;
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
	signal = signal_of(races, where, false);
	queue = place != NULL ? queue_of(races, place) : NULL;
	if (signal != NULL && place == NULL) {
		read_newest(races, &newest);
		keep_emission(signal, sequence, &newest);
	} else if (signal != NULL && queue != NULL) {
		const struct emission *before =
			find_emission(signal, sequence - 1, &exact);

		/* The emission before may be of another queue. */
		if (before != NULL)
			plait__race_clock_join(&queue->clock, &before->clock,
					       true, races->memory.tracks);
		keep_emission(signal, sequence, &queue->clock);
		drop_event(races, queue);
	}
	plait__mutex_unlock(&races->lock);
}

/* The position of a gate's sequence, or 0: it has none. */
static uint64_t position_of(plait__races *races,
			    const plait__race_signal *gate, uint64_t sequence)
{
	uint64_t position = gate->base + sequence;

	if (gate->track == PLAIT__RACE_NO_TRACK || sequence > gate_end)
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
	queue = queue_of(races, place);
	signal = signal_of(races, where, gate != PLAIT__RACE_NO_GATE);
	if (queue != NULL && signal != NULL) {
		const struct emission *at =
			find_emission(signal, sequence, &exact);

		drop_event(races, queue);
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
static void call(plait__races *races, plait__race_clock *clock, uint32_t track)
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
	queue = queue_of(races, place);
	if (queue != NULL) {
		step(races, queue);
		call(races, &queue->clock, queue->track);
	}
	plait__mutex_unlock(&races->lock);
}

/* ---- the host ---- */

static void host_joins(plait__races *races, const plait__race_clock *clock,
		       bool is_sure)
{
	plait__race_clock_join_host(&races->host, clock, is_sure,
				    races->memory.tracks);
	races->host_changes++;
}

void plait__races_host_saw(plait__races *races, plait__race_signal **where,
			   uint64_t sequence, bool is_told_later)
{
	const struct emission *at = NULL;
	bool exact = true;

	plait__mutex_lock(&races->lock);
	if (*where != NULL && !races->ended)
		at = find_emission(*where, sequence, &exact);
	if (at != NULL && sequence != 0)
		host_joins(races, &at->clock, exact && !is_told_later);
	plait__mutex_unlock(&races->lock);
}

void plait__races_host_saw_any(plait__races *races)
{
	plait__race_clock newest;

	plait__mutex_lock(&races->lock);
	read_newest(races, &newest);
	host_joins(races, &newest, false);
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
	host_joins(races, clock, is_sure);
	plait__mutex_unlock(&races->lock);
}

void plait__races_raise(plait__races *races, plait__race_signal **where,
			uint64_t sequence)
{
	plait__race_signal *gate;

	plait__mutex_lock(&races->lock);
	gate = signal_of(races, where, true);
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

/* ---- runs ---- */

/* The place of a call of a plan: a queue of its own, until it is over. */
static bool begin_call(plait__races *races, plait__race_queue *out)
{
	memset(out, 0, sizeof(*out));
	out->track = take_track(races);
	place_clock(races, &out->clock, out->track);
	out->host_changes = races->host_changes - 1;
	follow_host(races, out);
	return out->track != PLAIT__RACE_NO_TRACK;
}

static void fill_run(plait__races *races, plait__race_queue *queue,
		     const plait__race_run *run)
{
	if (run->last != NULL)
		plait__race_clock_join(&queue->clock, run->last, true,
				       races->memory.tracks);
	step(races, queue);
	if (run->calls)
		call(races, &queue->clock, queue->track);
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
		queue = queue_of(races, place);
	can = can && queue != NULL;
	if (can)
		fill_run(races, queue, run);
	if (can && queue->track != PLAIT__RACE_NO_TRACK)
		*out = new_event(races, queue->track, &queue->clock, name);
	if (*out != NULL) {
		(*out)->program = run->program;
		(*out)->overlaps = run->overlaps;
	} else if (can && place == NULL) {
		give_track(races, queue->track);
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
		add_access(races, event, access, work);
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
	host_joins(races, &event->clock, true);
	give_track(races, event->track);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}

void plait__races_undo_run(plait__races *races, plait__race_event *event,
			   uint64_t mark)
{
	plait__mutex_lock(&races->lock);
	undo(races, event->track, mark);
	plait__race_memory_drop(&races->memory, event);
	plait__mutex_unlock(&races->lock);
}

/* ---- the log ---- */

void plait__races_report(plait__races *races)
{
	struct line *line;

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

uint64_t plait__races_count(plait__races *races)
{
	uint64_t found;

	plait__mutex_lock(&races->lock);
	found = races->found;
	plait__mutex_unlock(&races->lock);
	return found;
}
