/* SPDX-License-Identifier: MIT */
/* Shadows of schedules; see shadow_plan.h. */
#include "coll/use/shadow_plan.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum { TEXT = 40 };	/* bytes of each text */

typedef struct plait__shadow_writer {
	const plait__schedule *schedule;
	plait__plan *plan;
	/* By lane: the lane that sends what it receives, or NONE, and the next
	 * step of that lane that may be the next send. */
	uint32_t *sender, *send;
	uint32_t text, wait, track; /* so far */
} plait__shadow_writer;

/* ---- memory ---- */

#define ALLOC(target, number)						\
	((target##_count = (uint32_t)(number)) == 0 ||			\
	 (target = plait__alloc_array(allocator, target##_count,	\
				      sizeof(*(target)))) != NULL)

static uint64_t count_waits(const plait__schedule *schedule)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < schedule->step_count; i++)
		count += schedule->steps[i].wait_count +
			 (plait__step_receives(schedule->steps[i].kind) != 0);
	return count;
}

static uint64_t count_tracks(const plait__schedule *schedule)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < schedule->lane_count; i++)
		count += schedule->lanes[i].step_count > 0;
	return count;
}

static bool alloc_plan(plait__plan *plan, const plait__schedule *schedule)
{
	const plait_allocator *allocator = schedule->allocator;
	uint64_t steps = schedule->step_count;

	return ALLOC(plan->devices, schedule->rank_count) &&
	       ALLOC(plan->lanes, schedule->lane_count) &&
	       ALLOC(plan->bodies, 1) &&
	       ALLOC(plan->tracks, count_tracks(schedule)) &&
	       ALLOC(plan->commands, steps + 1) &&
	       ALLOC(plan->waits, count_waits(schedule)) &&
	       ALLOC(plan->nodes, steps + 1) &&
	       ALLOC(plan->strings, TEXT * (steps + schedule->rank_count + 1));
}

static bool alloc_timeline(plait__timeline *timeline,
			   const plait__schedule *schedule)
{
	const plait_allocator *allocator = schedule->allocator;
	uint64_t steps = schedule->step_count;

	timeline->command_count = (uint32_t)steps;
	timeline->spans = plait__alloc_array(allocator, steps,
					     sizeof(*timeline->spans));
	timeline->critical = plait__alloc_array(allocator, steps,
						sizeof(*timeline->critical));
	return steps == 0 || (timeline->spans != NULL &&
			      timeline->critical != NULL);
}

static bool alloc_shadow(plait__shadow_plan *shadow,
			 const plait__schedule *schedule)
{
	const plait_allocator *allocator = schedule->allocator;
	uint64_t lanes = schedule->lane_count + 1;

	shadow->plan = plait__alloc(allocator, sizeof(*shadow->plan));
	shadow->timeline = plait__alloc(allocator, sizeof(*shadow->timeline));
	/* Each is released by its allocator, whatever else is missing. */
	if (shadow->plan != NULL)
		shadow->plan->allocator = *allocator;
	if (shadow->timeline != NULL)
		shadow->timeline->allocator = *allocator;
	shadow->lane_names = plait__alloc_array(allocator, lanes,
						sizeof(*shadow->lane_names));
	shadow->lane_texts = plait__alloc_array(allocator, lanes, TEXT);
	return shadow->plan != NULL && shadow->timeline != NULL &&
	       shadow->lane_names != NULL && shadow->lane_texts != NULL &&
	       alloc_plan(shadow->plan, schedule) &&
	       alloc_timeline(shadow->timeline, schedule);
}

/* ---- names ---- */

static const char *buffer_letter(uint32_t buffer)
{
	return buffer == PLAIT__COLL_INPUT ? "i" :
	       buffer == PLAIT__COLL_OUTPUT ? "o" : "s";
}

static void name_step(const plait__coll_step *step, char text[TEXT])
{
	static const char *const kinds[] = {
		"wait", "send", "recv", "recv send", "recv reduce",
		"recv reduce send", "recv reduce both", "copy", "reduce"
	};
	bool reads = step->kind == PLAIT__STEP_SEND ||
		     step->kind == PLAIT__STEP_RECV_REDUCE_SEND;
	int used = snprintf(text, TEXT, "%s", kinds[step->kind]);

	if (step->kind == PLAIT__STEP_NOP)
		return;
	used += snprintf(text + used, TEXT - (size_t)used, " %s%u",
			 buffer_letter(reads ? step->source_buffer :
					       step->target_buffer),
			 reads ? step->source : step->target);
	if (step->count > 1)
		(void)snprintf(text + used, TEXT - (size_t)used, ":%u",
			       step->count);
}

static void name_lane(const plait__coll_lane *lane, char text[TEXT])
{
	int used = snprintf(text, TEXT, "ch%u", lane->channel);

	if (lane->recv_peer >= 0)
		used += snprintf(text + used, TEXT - (size_t)used, " <%d",
				 lane->recv_peer);
	if (lane->send_peer >= 0)
		(void)snprintf(text + used, TEXT - (size_t)used, " >%d",
			       lane->send_peer);
}

/* Returns room for one more text of the plan; *out_offset is its place. */
static char *add_text(plait__shadow_writer *writer, uint32_t *out_offset)
{
	*out_offset = ++writer->text * TEXT;
	return writer->plan->strings + *out_offset;
}

/* ---- commands ---- */

static void add_wait(plait__shadow_writer *writer, uint32_t lane,
		     uint32_t position)
{
	writer->plan->waits[writer->wait++] = (plait__plan_wait){
		.lane = lane, .position = position, .signal = PLAIT__NONE,
	};
}

/* Wait for the send of the message that the next receipt of the lane takes. */
static void wait_for_message(plait__shadow_writer *writer, uint32_t lane)
{
	const plait__schedule *schedule = writer->schedule;
	uint32_t sender = writer->sender[lane];
	uint64_t first = schedule->lanes[sender].first_step;
	uint32_t at = writer->send[lane];

	while (!plait__step_sends(schedule->steps[first + at].kind))
		at++;
	writer->send[lane] = at + 1;
	add_wait(writer, sender, at);
}

static void add_command(plait__shadow_writer *writer, uint32_t lane,
			uint32_t position)
{
	const plait__schedule *schedule = writer->schedule;
	const plait__coll_step *step = &schedule->steps[
		schedule->lanes[lane].first_step + position];
	plait__plan *plan = writer->plan;
	uint32_t number = plan->command_count++;

	plan->commands[number] = (plait__plan_command){
		.node = number, .kind = PLAIT__CMD_JOIN, .lane = lane,
		.position = position, .wait_first = writer->wait,
		.signal = PLAIT__NONE, .link = PLAIT__NONE,
	};
	plan->nodes[number].command = number;
	plan->nodes[number].file = PLAIT__NONE;
	name_step(step, add_text(writer, &plan->nodes[number].label));
	for (uint32_t i = 0; i < step->wait_count; i++)
		add_wait(writer, schedule->waits[step->first_wait + i].lane,
			 schedule->waits[step->first_wait + i].step);
	if (plait__step_receives(step->kind))
		wait_for_message(writer, lane);
}

static void add_lane(plait__shadow_writer *writer, uint32_t number)
{
	const plait__coll_lane *lane = &writer->schedule->lanes[number];
	plait__plan *plan = writer->plan;

	plan->lanes[number] = (plait__plan_lane){
		.device = lane->rank, .send_peer = PLAIT__NONE,
		.recv_peer = PLAIT__NONE,
	};
	if (lane->step_count > 0)
		plan->tracks[writer->track++] = (plait__plan_track){
			.lane = number, .first = plan->command_count,
			.count = (uint32_t)lane->step_count,
		};
	for (uint32_t i = 0; i < lane->step_count; i++)
		add_command(writer, number, i);
}

static void fill_plan(plait__shadow_writer *writer)
{
	const plait__schedule *schedule = writer->schedule;
	plait__plan *plan = writer->plan;

	for (uint32_t i = 0; i < schedule->rank_count; i++)
		(void)snprintf(add_text(writer, &plan->devices[i].name), TEXT,
			       "rank %u", i);
	for (uint32_t i = 0; i < schedule->lane_count; i++)
		add_lane(writer, i);
	plan->node_count = plan->command_count;
	plan->commands[plan->command_count].wait_first = writer->wait;
	plan->bodies[0] = (plait__plan_body){
		.region = PLAIT__NONE, .command_count = plan->command_count,
		.track_count = writer->track,
	};
}

/* ---- times ---- */

/* Commands by lane and step follow each other as the lanes do. */
static uint32_t command_of(const plait__plan *plan,
			   const plait__price_unit *unit)
{
	return plait__plan_find_command(plan, 0, unit->lane, unit->step);
}

/* A step of several parts lasts from the first to the last one. */
static void fill_spans(const plait__plan *plan, plait__timeline *timeline,
		       const plait__price *price, uint32_t *out_last)
{
	const plait__price_unit *units = price->units.items;

	*out_last = PLAIT__PRICE_NONE;
	for (uint32_t i = 0; i < price->units.count; i++) {
		plait__simulate_span *span;

		if (units[i].tile != 0)
			continue;
		span = &timeline->spans[command_of(plan, &units[i])];
		if (span->end == 0)
			span->start = units[i].begin / 1000;
		span->end = units[i].end / 1000;
		if (*out_last == PLAIT__PRICE_NONE ||
		    units[i].end > units[*out_last].end)
			*out_last = i;
	}
}

static void fill_timeline(const plait__plan *plan, plait__timeline *timeline,
			  const plait__price *price)
{
	const plait__price_unit *units = price->units.items;
	uint32_t at, before = PLAIT__NONE;

	fill_spans(plan, timeline, price, &at);
	if (at != PLAIT__PRICE_NONE)
		timeline->makespan = units[at].end / 1000;
	for (; at != PLAIT__PRICE_NONE; at = units[at].cause) {
		uint32_t command = command_of(plan, &units[at]);

		if (command != before)
			timeline->critical[timeline->critical_count++] =
				command;
		before = command;
	}
}

/* ---- all ---- */

/* Fill writer->sender; a connection has one lane at each end. */
static void find_senders(plait__shadow_writer *writer)
{
	const plait__schedule *schedule = writer->schedule;

	for (uint32_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];
		const plait__coll_rank *peer;

		if (lane->recv_peer < 0)
			continue;
		peer = &schedule->ranks[lane->recv_peer];
		for (uint32_t j = peer->first_lane;
		     j < peer->first_lane + peer->lane_count; j++)
			if (schedule->lanes[j].send_peer == (int32_t)lane->rank &&
			    schedule->lanes[j].channel == lane->channel)
				writer->sender[i] = j;
	}
}

static void fill_all(plait__shadow_plan *shadow, plait__shadow_writer *writer,
		     const plait__price *price)
{
	const plait__schedule *schedule = writer->schedule;

	find_senders(writer);
	fill_plan(writer);
	fill_timeline(shadow->plan, shadow->timeline, price);
	for (uint32_t i = 0; i < schedule->lane_count; i++) {
		char *text = shadow->lane_texts + (size_t)i * TEXT;

		name_lane(&schedule->lanes[i], text);
		shadow->lane_names[i] = text;
	}
}

plait_status plait__shadow_plan_make(plait__shadow_plan *shadow,
				     const plait__schedule *schedule,
				     const plait__price *price,
				     plait_error *error)
{
	uint64_t bytes = 2 * (schedule->lane_count + 1) * sizeof(uint32_t);
	uint32_t *ends = plait__alloc(schedule->allocator, bytes);
	plait__shadow_writer writer = { .schedule = schedule };
	bool made;

	*shadow = (plait__shadow_plan){ .plan = NULL };
	made = alloc_shadow(shadow, schedule) && ends != NULL;
	if (made) {
		writer.plan = shadow->plan;
		writer.sender = ends;
		writer.send = ends + schedule->lane_count;
		fill_all(shadow, &writer, price);
	}
	plait__free(schedule->allocator, ends, bytes);
	return made ? PLAIT_OK :
		      plait__fail(error, PLAIT_E_NOMEM,
				  "no memory to draw a schedule");
}

void plait__shadow_plan_fini(plait__shadow_plan *shadow,
			     const plait__schedule *schedule)
{
	uint64_t lanes = schedule->lane_count + 1;

	plait__plan_release(shadow->plan);
	plait__simulate_release(shadow->timeline);
	plait__free(schedule->allocator, shadow->lane_names,
		    lanes * sizeof(*shadow->lane_names));
	plait__free(schedule->allocator, shadow->lane_texts, lanes * TEXT);
}
