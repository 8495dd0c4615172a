/* SPDX-License-Identifier: MIT */
/* Execution of lanes in simulated time; see price_clock.h. */
#include "coll/price/price_clock.h"

#include "coll/price/price_flows.h"
#include "coll/price/price_ports.h"
#include "base/alloc.h"
#include "base/error.h"

enum phase { PHASE_IDLE, PHASE_PREPARES, PHASE_MOVES };
enum block { BLOCK_NONE, BLOCK_WAIT, BLOCK_MESSAGE, BLOCK_LATENCY, BLOCK_SLOT };

/* A message on its way. */
typedef struct plait__clock_message {
	uint64_t arrival;
	uint32_t unit;		/* that sent it */
} plait__clock_message;

typedef struct plait__clock_lane {
	uint64_t ended;		/* steps, over all tiles */
	uint64_t sent, received; /* messages */
	uint64_t least_awaited;	/* by the lanes that wait for this one */
	uint32_t tile, step;	/* of the next step */
	uint32_t chunk;		/* of the step: the first one of the part */
	uint32_t wait;		/* waits of the step that have ended */
	uint32_t cause;		/* the last unit that let the lane go on */
	uint32_t unit;		/* in execution */
	uint32_t first_waiter, next_waiter;
	uint8_t phase, block;
	bool has_taken;		/* the part has its message, but no slot */
	bool listed;		/* in the ready list */
} plait__clock_lane;

typedef struct plait__clock {
	const plait__clock_request *request;
	const plait__schedule *schedule;
	plait__flows flows;
	plait__ports ports;
	plait__clock_lane *lanes;
	/* By lane: where its messages are; those of the last `ring` sends. */
	plait__clock_message *messages;
	uint32_t *ready;
	uint32_t lane_count, ready_count;
	uint32_t ring;		/* messages of a connection at a time */
	uint64_t now;
	plait__vector *units;
	uint64_t *ends;
	bool failed;		/* out of memory */
} plait__clock;

static const plait__coll_step *next_step(const plait__clock *clock,
					 uint32_t lane)
{
	const plait__coll_lane *at = &clock->schedule->lanes[lane];

	return &clock->schedule->steps[at->first_step +
				       clock->lanes[lane].step];
}

static void list_ready(plait__clock *clock, uint32_t lane)
{
	if (clock->lanes[lane].listed)
		return;
	clock->lanes[lane].listed = true;
	clock->ready[clock->ready_count++] = lane;
}

/* ---- blocked lanes ---- */

static bool block(plait__clock *clock, uint32_t lane, uint8_t why)
{
	clock->lanes[lane].block = why;
	return false;
}

/* Let a lane go on that is blocked for this reason, because of the unit. */
static void unblock(plait__clock *clock, uint32_t lane, uint8_t why,
		    uint32_t cause)
{
	plait__clock_lane *own = &clock->lanes[lane];

	if (own->block != why)
		return;
	own->block = BLOCK_NONE;
	own->cause = cause;
	list_ready(clock, lane);
}

static bool await(plait__clock *clock, uint32_t lane, uint32_t other,
		  uint64_t ended)
{
	plait__clock_lane *awaited = &clock->lanes[other];

	clock->lanes[lane].next_waiter = awaited->first_waiter;
	awaited->first_waiter = lane;
	if (ended < awaited->least_awaited)
		awaited->least_awaited = ended;
	return block(clock, lane, BLOCK_WAIT);
}

static void wake_waiters(plait__clock *clock, plait__clock_lane *own)
{
	uint32_t lane = own->first_waiter;

	if (own->ended < own->least_awaited)
		return;
	own->first_waiter = PLAIT__FLOW_NONE;
	own->least_awaited = UINT64_MAX;
	while (lane != PLAIT__FLOW_NONE) {
		uint32_t next = clock->lanes[lane].next_waiter;

		unblock(clock, lane, BLOCK_WAIT, own->cause);
		lane = next;
	}
}

/* ---- what a step needs ---- */

static bool has_waited(plait__clock *clock, uint32_t lane,
		       const plait__coll_step *step)
{
	plait__clock_lane *own = &clock->lanes[lane];

	for (; own->wait < step->wait_count; own->wait++) {
		const plait__coll_wait *wait =
			&clock->schedule->waits[step->first_wait + own->wait];
		uint64_t steps = clock->schedule->lanes[wait->lane].step_count;
		uint64_t ended = own->tile * steps + wait->step + 1;

		if (clock->lanes[wait->lane].ended < ended)
			return await(clock, lane, wait->lane, ended);
	}
	return true;
}

static bool has_message(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];
	uint32_t sender = clock->request->sender[lane];
	const plait__clock_message *message;

	if (clock->lanes[sender].sent == own->received)
		return block(clock, lane, BLOCK_MESSAGE);
	message = &clock->messages[(uint64_t)sender * clock->ring +
				   own->received % clock->ring];
	if (message->arrival > clock->now) {
		plait__flows_wait(&clock->flows, lane, message->arrival);
		own->cause = message->unit;
		return block(clock, lane, BLOCK_LATENCY);
	}
	return true;
}

static bool has_slot(plait__clock *clock, uint32_t lane)
{
	uint32_t receiver = clock->request->receiver[lane];

	if (clock->lanes[lane].sent - clock->lanes[receiver].received <
	    clock->schedule->depth)
		return true;
	return block(clock, lane, BLOCK_SLOT);
}

static void give_slot_back(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];

	own->received++;
	unblock(clock, clock->request->sender[lane], BLOCK_SLOT, own->cause);
}

/* The rule of schedule.h: plait takes a message before it needs a slot, the
 * executors need both at once. */
static bool has_all(plait__clock *clock, uint32_t lane,
		    const plait__coll_step *step)
{
	plait__clock_lane *own = &clock->lanes[lane];
	bool sends = plait__step_sends(step->kind);

	if (own->chunk == 0 && !has_waited(clock, lane, step))
		return false;
	if (plait__step_receives(step->kind) && !own->has_taken) {
		if (!has_message(clock, lane))
			return false;
		if (sends && clock->schedule->target == PLAIT__TARGET_PLAIT) {
			own->has_taken = true;
			give_slot_back(clock, lane);
		}
	}
	return !sends || has_slot(clock, lane);
}

/* ---- execution ---- */

static uint32_t part_count(const plait__clock *clock,
			   const plait__clock_lane *own,
			   const plait__coll_step *step)
{
	uint32_t left = step->count - own->chunk;

	return left < clock->request->part_chunks ?
		       left : clock->request->part_chunks;
}

static void begin_transfer(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];
	const plait__coll_step *step = next_step(clock, lane);
	uint64_t bytes = part_count(clock, own, step) *
			 clock->request->tile_bytes;
	uint32_t ports[PLAIT__FLOW_PORTS];

	plait__ports_find(&clock->ports, &clock->schedule->lanes[lane], step,
			  ports);
	own->phase = PHASE_MOVES;
	plait__flows_begin(&clock->flows, lane, clock->now,
			   plait__ports_wire(&clock->ports, step, bytes),
			   clock->request->cluster->lane_rate, ports);
}

/* Record that the next part of a lane begins now; it ends at once unless
 * end_part() follows. */
static void add_unit(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];
	const plait__price_unit unit = {
		.begin = clock->now, .end = clock->now, .cause = own->cause,
		.lane = lane, .step = own->step, .tile = own->tile,
	};

	own->unit = clock->units->count;
	clock->failed |= PLAIT__VECTOR_ADD(clock->units, &unit) == NULL;
}

static void begin_part(plait__clock *clock, uint32_t lane)
{
	const plait__coll_step *step = next_step(clock, lane);
	uint64_t from = plait__ports_occupy(&clock->ports,
					    &clock->schedule->lanes[lane],
					    step, clock->now);

	add_unit(clock, lane);
	clock->lanes[lane].phase = PHASE_PREPARES;
	plait__flows_wait(&clock->flows, lane, from + 1000 *
			  (uint64_t)clock->request->cluster->step_ns);
}

static void end_step(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];

	if (clock->ends[own->tile] < clock->now)
		clock->ends[own->tile] = clock->now;
	own->ended++;
	own->chunk = 0;
	own->wait = 0;
	own->step++;
	if (own->step == clock->schedule->lanes[lane].step_count) {
		own->step = 0;
		own->tile++;
	}
	wake_waiters(clock, own);
}

static void send_message(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];
	plait__clock_message *message =
		&clock->messages[(uint64_t)lane * clock->ring +
				 own->sent % clock->ring];

	message->arrival = clock->now + plait__ports_latency(
		&clock->ports, &clock->schedule->lanes[lane]);
	message->unit = own->unit;
	own->sent++;
	unblock(clock, clock->request->receiver[lane], BLOCK_MESSAGE,
		own->unit);
}

static void end_part(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];
	const plait__coll_step *step = next_step(clock, lane);
	plait__price_unit *unit = plait__vector_at(clock->units, own->unit);

	unit->end = clock->now;
	own->cause = own->unit;
	own->phase = PHASE_IDLE;
	own->chunk += part_count(clock, own, step);
	if (plait__step_receives(step->kind) && !own->has_taken)
		give_slot_back(clock, lane);
	own->has_taken = false;
	if (plait__step_sends(step->kind))
		send_message(clock, lane);
	if (own->chunk == step->count)
		end_step(clock, lane);
}

/* Begin the next part of a lane, unless the lane is blocked or has ended. */
static void go_on(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];

	if (own->phase != PHASE_IDLE || own->block != BLOCK_NONE ||
	    clock->schedule->lanes[lane].step_count == 0)
		return;
	while (own->tile < clock->request->tiles && !clock->failed) {
		const plait__coll_step *step = next_step(clock, lane);

		if (!has_all(clock, lane, step))
			return;
		if (step->kind != PLAIT__STEP_NOP) {
			begin_part(clock, lane);
			return;
		}
		add_unit(clock, lane);
		own->cause = own->unit;
		end_step(clock, lane);
	}
}

static void handle_event(plait__clock *clock, uint32_t lane)
{
	plait__clock_lane *own = &clock->lanes[lane];

	if (own->phase == PHASE_PREPARES) {
		begin_transfer(clock, lane);
		return;
	}
	if (own->phase == PHASE_MOVES)
		end_part(clock, lane);
	else
		own->block = BLOCK_NONE;	/* the message is there */
	list_ready(clock, lane);
}

static void execute(plait__clock *clock)
{
	uint32_t lane;

	for (uint32_t i = clock->lane_count; i-- > 0;)
		list_ready(clock, i);
	do {
		while (clock->ready_count > 0 && !clock->failed) {
			lane = clock->ready[--clock->ready_count];
			clock->lanes[lane].listed = false;
			go_on(clock, lane);
		}
		lane = plait__flows_next(&clock->flows, &clock->now);
		if (lane != PLAIT__FLOW_NONE)
			handle_event(clock, lane);
	} while (lane != PLAIT__FLOW_NONE && !clock->failed &&
		 !clock->flows.overflowed);
}

/* ---- all ---- */

/* Returns false without memory; the caller frees in both cases. */
static bool init_clock(plait__clock *clock, const plait_allocator *allocator)
{
	clock->lanes = plait__alloc_array(allocator, clock->lane_count,
					  sizeof(*clock->lanes));
	clock->ready = plait__alloc_array(allocator, clock->lane_count,
					  sizeof(*clock->ready));
	clock->messages = plait__alloc_array(allocator,
					     (uint64_t)clock->lane_count *
						     clock->ring,
					     sizeof(*clock->messages));
	if (plait__ports_init(&clock->ports, clock->schedule,
			      clock->request->cluster, allocator) != 0 ||
	    plait__flows_init(&clock->flows, allocator, clock->lane_count,
			      clock->ports.count) != 0 ||
	    (clock->lane_count > 0 &&
	     (clock->lanes == NULL || clock->ready == NULL ||
	      clock->messages == NULL)))
		return false;
	for (uint32_t i = 0; i < clock->ports.count; i++)
		clock->flows.ports[i].rate = plait__ports_rate(&clock->ports,
							       i);
	for (uint32_t i = 0; i < clock->lane_count; i++) {
		clock->lanes[i].first_waiter = PLAIT__FLOW_NONE;
		clock->lanes[i].least_awaited = UINT64_MAX;
		clock->lanes[i].cause = PLAIT__PRICE_NONE;
	}
	return true;
}

static void fini_clock(plait__clock *clock, const plait_allocator *allocator)
{
	plait__flows_fini(&clock->flows);
	plait__ports_fini(&clock->ports, allocator);
	plait__free(allocator, clock->lanes,
		    clock->lane_count * sizeof(*clock->lanes));
	plait__free(allocator, clock->ready,
		    clock->lane_count * sizeof(*clock->ready));
	plait__free(allocator, clock->messages,
		    (uint64_t)clock->lane_count * clock->ring *
			    sizeof(*clock->messages));
}

/* Refuse an execution that has not ended. */
static plait_status check_end(const plait__clock *clock, plait_error *error)
{
	if (clock->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to simulate a schedule");
	if (clock->flows.overflowed)
		return plait__fail(error, PLAIT_E_INVALID, "the collective "
				   "takes longer than 200 days; give less data "
				   "or higher rates");
	for (uint32_t i = 0; i < clock->lane_count; i++)
		if (clock->lanes[i].tile < clock->request->tiles &&
		    clock->schedule->lanes[i].step_count > 0)
			return plait__fail(error, PLAIT_E_DEADLOCK,
					   "rank %u lane %u step %u never "
					   "begins at this size; plait coll "
					   "check prints the largest safe one",
					   clock->schedule->lanes[i].rank,
					   i - clock->schedule->ranks[
						   clock->schedule->lanes[i]
							   .rank].first_lane,
					   clock->lanes[i].step);
	return PLAIT_OK;
}

/* Messages of a connection at a time: the depth, or all if they are fewer. */
static uint32_t ring_size(const plait__clock_request *request)
{
	uint64_t most = 1;

	for (uint64_t i = 0; i < request->schedule->lane_count; i++) {
		const plait__coll_lane *lane = &request->schedule->lanes[i];
		uint64_t parts = 0;

		for (uint64_t j = 0; j < lane->step_count; j++)
			parts += request->schedule->steps[lane->first_step + j]
					 .count / request->part_chunks + 1;
		if (parts * request->tiles > most)
			most = parts * request->tiles;
	}
	return most < request->schedule->depth ? (uint32_t)most :
						 request->schedule->depth;
}

plait_status plait__clock_run(const plait__clock_request *request,
			      const plait_allocator *allocator,
			      plait__vector *units, uint64_t *out_ends,
			      plait_error *error)
{
	plait__clock clock = {
		.request = request, .schedule = request->schedule,
		.lane_count = (uint32_t)request->schedule->lane_count,
		.ring = ring_size(request), .units = units, .ends = out_ends,
	};
	plait_status status;

	clock.failed = !init_clock(&clock, allocator);
	if (!clock.failed)
		execute(&clock);
	status = check_end(&clock, error);
	fini_clock(&clock, allocator);
	for (uint32_t i = 1; i < request->tiles; i++)
		if (out_ends[i] < out_ends[i - 1])
			out_ends[i] = out_ends[i - 1];
	return status;
}
