/* SPDX-License-Identifier: MIT */
/*
 * Simulation of a plan.  Each body is simulated once from time 0, inner bodies
 * first; a region then takes its expected iterations times its body's makespan.
 * Finally spans are moved to their start times, outer bodies first.
 */
#include "plan/simulate/simulate.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct simulate {
	const plait__plan *plan;
	const plait__simulate_system *system;
	plait__timeline *out;
	uint32_t *track_of;	/* by lane */
	uint32_t *cause;	/* by command: the command that delayed its
				 * start */
	uint32_t *main_body;	/* by region, once its bodies are simulated */
	uint64_t *makespan;		/* by body: makespan */
	uint64_t *lane_free;	/* by lane, of the current body */
	uint32_t *lane_last;	/* by lane: its last command */
};

/* Sums and products stop at UINT64_MAX. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Returns the expected number of iterations of a body. */
static uint64_t times_of(const plait__plan *plan, uint32_t b)
{
	const plait__plan_region *region;

	if (b == 0)
		return 1;
	region = &plan->regions[plan->bodies[b].region];
	if (region->kind == PLAIT__REGION_CASE)
		return region->times == PLAIT__NONE ||
		       region->times == b - region->body_first;
	return plait__plan_iterations(region->kind, region->times);
}

/* Returns the body that determines the duration of a region.  A case may have
 * many branches: each region is examined once.  Inner bodies are simulated. */
static uint32_t find_main_body(const struct simulate *s,
			       const plait__plan_region *region)
{
	uint32_t i, best = region->body_first;

	if (region->kind == PLAIT__REGION_CASE &&
	    region->times < region->body_count)
		return region->body_first + region->times;
	for (i = 1; i < region->body_count; i++)
		if (s->makespan[region->body_first + i] > s->makespan[best])
			best = region->body_first + i;
	return best;
}

static uint64_t region_cost(struct simulate *s,
			    const plait__plan_command *command)
{
	const plait__plan_region *region = &s->plan->regions[command->link];
	uint32_t body = find_main_body(s, region);
	uint64_t decision = multiply(s->system->decision_cost,
				     region->lane_count);
	uint64_t times = region->kind == PLAIT__REGION_CASE ? 1
		: times_of(s->plan, body);

	s->main_body[command->link] = body;
	decision = add(decision, s->system->costs == NULL ?
		       region->decision_cost :
		       s->system->costs[command - s->plan->commands]);
	return add(multiply(times, s->makespan[body]),
		   multiply(plait__plan_decisions(region->kind, times),
			    decision));
}

static uint64_t copy_cost(const struct simulate *s,
			  const plait__plan_command *command)
{
	const plait__plan_payload *payload;
	uint64_t bytes;

	if (command->link == PLAIT__NONE)
		return s->system->copy_alpha;
	payload = &s->plan->payloads[command->link];
	bytes = payload->bytes;
	if (payload->value > 1)
		bytes = multiply(bytes, payload->value);
	return add(s->system->copy_alpha,
		   multiply(bytes, s->system->copy_beta) / 1024);
}

static uint64_t cost_of(struct simulate *s, uint32_t c)
{
	const plait__plan *plan = s->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint64_t cost = s->system->costs == NULL ? command->cost
		: s->system->costs[c];

	if (command->kind == PLAIT__CMD_REGION)
		return region_cost(s, command);
	if (command->kind == PLAIT__CMD_COPY)
		cost = add(cost, copy_cost(s, command));
	if (plan->devices[plan->lanes[command->lane].device].flags &
	    PLAIT__DEVICE_ASYNC)
		cost = add(cost, s->system->submit_cost);
	return cost;
}

static void wait_for(struct simulate *s, uint32_t c, uint32_t from,
		     uint64_t *start)
{
	uint64_t seen = s->out->spans[from].end;

	if (s->plan->commands[from].lane != s->plan->commands[c].lane)
		seen = add(seen, s->system->hop_cost);
	if (seen >= *start) {
		*start = seen;
		s->cause[c] = from;
	}
}

/* All that the command waits for has run, and `track_of` is that of the
 * body. */
static void run_command(struct simulate *s, uint32_t c)
{
	const plait__plan *plan = s->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint64_t start = s->lane_free[command->lane];
	plait__simulate_span *span = &s->out->spans[c];
	uint32_t i;

	s->cause[c] = s->lane_last[command->lane];
	for (i = command[0].wait_first; i < command[1].wait_first; i++)
		wait_for(s, c, plan->tracks[s->track_of[plan->waits[i].lane]]
			 .first + plan->waits[i].position, &start);
	span->start = start;
	span->end = start;
	/* A stub completes with its main command. */
	if (command->kind != PLAIT__CMD_ENTER &&
	    command->kind != PLAIT__CMD_BARRIER_STUB)
		span->end = add(start, cost_of(s, c));
	s->lane_free[command->lane] = span->end;
	s->lane_last[command->lane] = c;
}

/* Members of a group start together and complete with the last one. */
static uint32_t run_group(struct simulate *s, uint32_t at, uint32_t end)
{
	const plait__plan *plan = s->plan;
	uint32_t node = plan->commands[plan->order[at]].node, i = at, last = at;
	plait__simulate_span *spans = s->out->spans;

	for (; i < end && plan->commands[plan->order[i]].node == node; i++) {
		run_command(s, plan->order[i]);
		if (spans[plan->order[i]].end > spans[plan->order[last]].end)
			last = i;
	}
	for (end = i, i = at; i < end; i++) {
		uint32_t c = plan->order[i];

		spans[c] = spans[plan->order[last]];
		s->cause[c] = s->cause[plan->order[last]];
		s->lane_free[plan->commands[c].lane] = spans[c].end;
	}
	return end;
}

/*
 * A region begins when all its lanes are free: a lane that is free earlier
 * waits in its stub.  (A loop without iterations would not need its lanes; the
 * simulation does not model that.)
 */
static void join_region_lanes(struct simulate *s, uint32_t c)
{
	const plait__plan *plan = s->plan;
	const plait__plan_region *region =
		&plan->regions[plan->commands[c].link];
	uint32_t home = plan->commands[c].lane, i;

	for (i = 1; i < region->lane_count; i++) {
		uint32_t lane = plan->region_lanes[region->lane_first + i];

		if (s->lane_free[lane] > s->lane_free[home]) {
			s->lane_free[home] = s->lane_free[lane];
			s->lane_last[home] = s->lane_last[lane];
		}
	}
}

static void run_body(struct simulate *s, uint32_t b)
{
	const plait__plan *plan = s->plan;
	const plait__plan_body *body = &plan->bodies[b];
	uint32_t end = body->command_first + body->command_count, i, c;

	for (i = 0; i < body->track_count; i++) {
		uint32_t lane = plan->tracks[body->track_first + i].lane;

		s->track_of[lane] = body->track_first + i;
		s->lane_last[lane] = PLAIT__NONE;
		s->lane_free[lane] = b == 0 && i > 0 ? s->system->start_cost
						     : 0;
	}
	for (i = body->command_first; i < end;) {
		c = plan->order[i];
		if (plan->commands[c].flags & PLAIT__CMD_MEMBER) {
			i = run_group(s, i, end);
			continue;
		}
		if (plan->commands[c].kind == PLAIT__CMD_REGION)
			join_region_lanes(s, c);
		run_command(s, c);
		i++;
	}
	s->makespan[b] = 0;
	for (c = body->command_first; c < end; c++)
		if (s->out->spans[c].end > s->makespan[b])
			s->makespan[b] = s->out->spans[c].end;
}

/* Returns true if no iteration of this body is expected: its loop has none, or
 * lies in a body that has none. */
static bool is_idle(const struct simulate *s, uint32_t b)
{
	const plait__plan_region *region =
		&s->plan->regions[s->plan->bodies[b].region];
	const plait__simulate_span *span = &s->out->spans[region->command];

	return span->start == span->end ||
	       (region->kind != PLAIT__REGION_CASE &&
		times_of(s->plan, b) == 0);
}

static void place_body(struct simulate *s, uint32_t b, uint64_t shift,
		       uint64_t repeats)
{
	const plait__plan *plan = s->plan;
	const plait__plan_body *body = &plan->bodies[b];
	plait__simulate_span *spans = s->out->spans;
	uint32_t end = body->command_first + body->command_count, c;
	bool idle = b > 0 && is_idle(s, b);

	for (c = body->command_first; c < end; c++) {
		uint64_t *busy = &s->out->lane_busy[plan->commands[c].lane];

		if (plan->commands[c].kind != PLAIT__CMD_REGION)
			*busy = add(*busy, multiply(repeats, spans[c].end -
						    spans[c].start));
		spans[c].start = add(idle ? 0 : spans[c].start, shift);
		spans[c].end = idle ? shift : add(spans[c].end, shift);
	}
}

/* Shift inner spans to the start of their region; add up the busy time of lanes
 * over all expected iterations. */
static void place_bodies(struct simulate *s, uint64_t *repeats)
{
	const plait__plan *plan = s->plan;
	const plait__simulate_span *spans = s->out->spans;

	for (uint32_t b = 0; b < plan->bodies_count; b++) {
		uint64_t shift = 0;

		repeats[b] = times_of(plan, b);
		if (b > 0) {
			const plait__plan_region *region =
				&plan->regions[plan->bodies[b].region];
			const plait__plan_node *node = &plan->nodes[
				plan->commands[region->command].node];

			shift = spans[region->command].start;
			repeats[b] = multiply(repeats[b],
					      repeats[node->body]);
			if (region->kind == PLAIT__REGION_CASE &&
			    b != s->main_body[plan->bodies[b].region])
				repeats[b] = 0;
		}
		place_body(s, b, shift, repeats[b]);
	}
}

/* Follow causes back from the command of body 0 that ends last. */
static void find_critical(struct simulate *s)
{
	const plait__plan *plan = s->plan;
	plait__timeline *out = s->out;
	uint32_t c, last = PLAIT__NONE, i;

	for (c = 0; c < plan->bodies[0].command_count; c++)
		if (last == PLAIT__NONE ||
		    out->spans[c].end > out->spans[last].end)
			last = c;
	for (; last != PLAIT__NONE; last = s->cause[last]) {
		out->critical[out->critical_count++] = last;
		out->critical_cost = add(out->critical_cost,
					 out->spans[last].end -
					 out->spans[last].start);
	}
	for (i = 0; i < out->critical_count / 2; i++) {
		uint32_t other = out->critical_count - 1 - i;

		c = out->critical[i];
		out->critical[i] = out->critical[other];
		out->critical[other] = c;
	}
}

/* ---- scratch peak ---- */

enum {
	RELEASES,
	ACQUIRES,
	USES		/* for no time: one after another */
};

struct change {
	uint64_t time;
	uint64_t bytes;
	uint32_t what;		/* kind of change; orders the changes of one
				 * time */
	uint32_t reserved0;
};

static bool is_sooner(const struct change *a, const struct change *b)
{
	return a->time != b->time ? a->time < b->time : a->what < b->what;
}

static void sift(struct change *heap, uint32_t i, uint32_t count)
{
	struct change item = heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count &&
		    is_sooner(&heap[child], &heap[child + 1]))
			child++;
		if (!is_sooner(&item, &heap[child]))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

static void sort_changes(struct change *changes, uint32_t count)
{
	struct change swap;
	uint32_t i;

	for (i = count / 2; i-- > 0;)
		sift(changes, i, count);
	while (count-- > 1) {
		swap = changes[0];
		changes[0] = changes[count];
		changes[count] = swap;
		sift(changes, 0, count);
	}
}

/* Returns the peak of scratch in use, all devices together. */
static void find_peak(struct simulate *s, struct change *changes)
{
	const plait__plan *plan = s->plan;
	uint32_t i, count = 0;
	uint64_t now = 0;

	for (i = 0; i < plan->scratch_count; i++) {
		const plait__plan_scratch *scratch = &plan->scratch[i];
		const plait__simulate_span *span =
			&s->out->spans[scratch->command];

		changes[count++] = (struct change){
			.time = span->start, .bytes = scratch->bytes,
			.what = span->start == span->end ? USES : ACQUIRES,
		};
		if (span->start != span->end)
			changes[count++] = (struct change){
				.time = span->end, .bytes = scratch->bytes,
				.what = RELEASES,
			};
	}
	sort_changes(changes, count);
	for (i = 0; i < count; i++) {
		uint64_t peak;

		if (changes[i].what == RELEASES)
			now -= changes[i].bytes;
		if (changes[i].what == ACQUIRES)
			now += changes[i].bytes;
		peak = changes[i].what == USES ? add(now, changes[i].bytes) :
		       now;
		if (peak > s->out->memory_peak)
			s->out->memory_peak = peak;
	}
}

/* ---- entry points ---- */

void plait__simulate_release(plait__timeline *timeline)
{
	plait_allocator allocator;

	if (timeline == NULL)
		return;
	allocator = timeline->allocator;
	plait__free(&allocator, timeline->spans,
		    timeline->command_count * sizeof(*timeline->spans));
	plait__free(&allocator, timeline->lane_busy,
		    timeline->lane_count * sizeof(uint64_t));
	plait__free(&allocator, timeline->body_makespan,
		    timeline->body_count * sizeof(uint64_t));
	plait__free(&allocator, timeline->critical,
		    timeline->command_count * sizeof(uint32_t));
	plait__free(&allocator, timeline, sizeof(*timeline));
}

static plait__timeline *new_timeline(const plait__plan *plan,
				     const plait_allocator *allocator)
{
	plait__timeline *t = plait__alloc(allocator, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->allocator = *allocator;
	t->command_count = plan->command_count;
	t->lane_count = plan->lanes_count;
	t->spans = plait__alloc_array(allocator, t->command_count,
				      sizeof(*t->spans));
	t->lane_busy = plait__alloc_array(allocator, t->lane_count,
					  sizeof(uint64_t));
	t->critical = plait__alloc_array(allocator, t->command_count,
					 sizeof(uint32_t));
	t->body_count = plan->bodies_count;
	t->body_makespan = plait__alloc_array(allocator, t->body_count,
					      sizeof(uint64_t));
	if ((t->body_count > 0 && t->body_makespan == NULL) ||
	    (t->command_count > 0 && (t->spans == NULL || t->critical == NULL ||
				      t->lane_busy == NULL))) {
		plait__simulate_release(t);
		return NULL;
	}
	return t;
}

/* Allocate the working memory as one block: 64-bit parts first. */
static void *alloc_work(struct simulate *s, const plait_allocator *allocator,
			uint64_t *bytes, uint64_t **repeats,
			struct change **changes)
{
	const plait__plan *plan = s->plan;
	uint64_t words = 2ull * plan->bodies_count + plan->lanes_count;
	uint64_t *block;

	*bytes = words * 8 + 2ull * plan->scratch_count *
		 sizeof(struct change) +
		 4ull * (2ull * plan->lanes_count + plan->command_count +
			 plan->regions_count);
	block = plait__alloc(allocator, *bytes);
	if (block == NULL)
		return NULL;
	s->makespan = block;
	*repeats = s->makespan + plan->bodies_count;
	s->lane_free = *repeats + plan->bodies_count;
	*changes = (struct change *)(void *)(s->lane_free +
					     plan->lanes_count);
	s->track_of = (uint32_t *)(void *)(*changes +
					   2ull * plan->scratch_count);
	s->lane_last = s->track_of + plan->lanes_count;
	s->cause = s->lane_last + plan->lanes_count;
	s->main_body = s->cause + plan->command_count;
	return block;
}

plait_status plait__simulate_plan(const plait__plan *plan,
				  const plait__simulate_system *system,
				  const plait_allocator *allocator,
				  plait__timeline **out, plait_error *error)
{
	static const plait__simulate_system nothing;
	struct simulate s;
	struct change *changes;
	uint64_t bytes, *repeats;
	uint32_t b = plan->bodies_count;
	void *block;

	*out = NULL;
	if (allocator == NULL)
		allocator = plait__alloc_default();
	memset(&s, 0, sizeof(s));
	s.plan = plan;
	s.system = system == NULL ? &nothing : system;
	block = alloc_work(&s, allocator, &bytes, &repeats, &changes);
	s.out = block == NULL ? NULL : new_timeline(plan, allocator);
	if (s.out == NULL) {
		plait__free(allocator, block, bytes);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to simulate %u commands",
				   plan->command_count);
	}
	while (b-- > 0)
		run_body(&s, b);
	s.out->makespan = s.makespan[0];
	memcpy(s.out->body_makespan, s.makespan,
	       plan->bodies_count * sizeof(*s.makespan));
	place_bodies(&s, repeats);
	find_critical(&s);
	find_peak(&s, changes);
	plait__free(allocator, block, bytes);
	*out = s.out;
	return PLAIT_OK;
}
