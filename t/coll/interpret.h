/* SPDX-License-Identifier: MIT */
/*
 * Interpreter of schedules: explicit FIFOs of the schedule's depth, lanes in a
 * random order, two tiles in flight.  A value is a sum of random numbers, one
 * for each input chunk, so a missing, doubled or foreign summand shows.
 */
#ifndef T_COLL_INTERPRET_H
#define T_COLL_INTERPRET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/schedule/schedule.h"
#include "lib/tap.h"

enum { INTERPRET_TILES = 2 };

struct interpret_value {
	uint64_t sum;
	bool is_set;
};

struct interpret_message {
	struct interpret_value *values;
	uint32_t count;
};

struct interpret_fifo {
	uint32_t source, target, channel;
	uint64_t pushed, popped;
	struct interpret_message *slots; /* depth of them */
};

struct interpret {
	const plait__schedule *schedule;
	struct interpret_value *memory[INTERPRET_TILES];
	uint64_t *first;	/* of the memory of a rank */
	uint64_t *at;		/* steps done, by lane */
	struct interpret_fifo *fifos;
	uint32_t *in, *out;	/* FIFO of a lane, or ~0 */
	uint32_t fifo_count;
	uint64_t random, salt;
	char why[160];
};

static inline uint64_t interpret_mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

static inline uint64_t interpret_next(struct interpret *in)
{
	in->random += UINT64_C(0x9e3779b97f4a7c15);
	return interpret_mix(in->random);
}

/* The value of an input chunk. */
static inline uint64_t interpret_input(const struct interpret *in, uint32_t rank,
				       uint32_t index)
{
	return interpret_mix(in->salt + ((uint64_t)rank << 32 | index) *
			     UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

static inline struct interpret_value *
interpret_cell(const struct interpret *in, uint64_t tile, uint32_t rank,
	       uint32_t buffer, uint64_t index)
{
	return &in->memory[tile][in->first[rank] + plait__schedule_memory_index(
		in->schedule, rank, buffer, index)];
}

static inline uint32_t interpret_fifo(struct interpret *in, uint32_t source,
				      uint32_t target, uint32_t channel)
{
	for (uint32_t i = 0; i < in->fifo_count; i++)
		if (in->fifos[i].source == source &&
		    in->fifos[i].target == target &&
		    in->fifos[i].channel == channel)
			return i;
	in->fifos = realloc(in->fifos, (in->fifo_count + 1) *
			    sizeof(*in->fifos));
	in->fifos[in->fifo_count] = (struct interpret_fifo){
		.source = source, .target = target, .channel = channel,
		.slots = calloc(in->schedule->depth,
				sizeof(struct interpret_message)),
	};
	return in->fifo_count++;
}

static inline bool interpret_has_input(const plait__schedule *schedule,
				       uint32_t rank)
{
	return (schedule->kind != PLAIT__COLL_BROADCAST &&
		schedule->kind != PLAIT__COLL_SCATTER) ||
	       rank == schedule->root;
}

static inline void interpret_init(struct interpret *in,
				  const plait__schedule *schedule,
				  uint64_t seed)
{
	uint64_t cells = 0;

	*in = (struct interpret){ .schedule = schedule, .random = seed,
				  .salt = interpret_mix(seed + 1) };
	in->first = calloc(schedule->rank_count, sizeof(*in->first));
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		in->first[i] = cells;
		cells += (uint64_t)schedule->ranks[i].input_chunks +
			 schedule->ranks[i].output_chunks +
			 schedule->ranks[i].scratch_chunks;
	}
	for (uint64_t tile = 0; tile < INTERPRET_TILES; tile++) {
		in->memory[tile] = calloc(cells, sizeof(**in->memory));
		for (uint32_t r = 0; r < schedule->rank_count; r++)
			for (uint32_t i = 0; interpret_has_input(schedule, r) &&
			     i < schedule->ranks[r].input_chunks; i++)
				*interpret_cell(in, tile, r, PLAIT__COLL_INPUT,
						i) = (struct interpret_value){
					interpret_input(in, r, i), true };
	}
	in->at = calloc(schedule->lane_count + 1, sizeof(*in->at));
	in->in = calloc(schedule->lane_count + 1, sizeof(*in->in));
	in->out = calloc(schedule->lane_count + 1, sizeof(*in->out));
	for (uint32_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];

		in->in[i] = lane->recv_peer < 0 ? UINT32_MAX :
			interpret_fifo(in, (uint32_t)lane->recv_peer,
				       lane->rank, lane->channel);
		in->out[i] = lane->send_peer < 0 ? UINT32_MAX :
			interpret_fifo(in, lane->rank,
				       (uint32_t)lane->send_peer,
				       lane->channel);
	}
}

static inline void interpret_fini(struct interpret *in)
{
	for (uint32_t i = 0; i < in->fifo_count; i++) {
		for (uint32_t k = 0; k < in->schedule->depth; k++)
			free(in->fifos[i].slots[k].values);
		free(in->fifos[i].slots);
	}
	for (uint32_t i = 0; i < INTERPRET_TILES; i++)
		free(in->memory[i]);
	free(in->first);
	free(in->at);
	free(in->fifos);
	free(in->in);
	free(in->out);
}

static inline bool interpret_is_ready(const struct interpret *in, uint32_t lane,
				      const plait__coll_step *step,
				      uint64_t tile)
{
	const plait__schedule *schedule = in->schedule;

	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];

		if (in->at[wait->lane] <=
		    tile * schedule->lanes[wait->lane].step_count + wait->step)
			return false;
	}
	if (plait__step_receives(step->kind) &&
	    in->fifos[in->in[lane]].pushed == in->fifos[in->in[lane]].popped)
		return false;
	return !plait__step_sends(step->kind) ||
	       in->fifos[in->out[lane]].pushed -
			       in->fifos[in->out[lane]].popped <
		       schedule->depth;
}

/* Combine one chunk; false if it is not set. */
static inline bool interpret_chunk(struct interpret *in, uint64_t tile,
				   uint32_t rank, const plait__coll_step *step,
				   uint32_t i, struct interpret_value message,
				   struct interpret_value *sent)
{
	struct interpret_value *source = interpret_cell(
		in, tile, rank, step->source_buffer, step->source + i);
	struct interpret_value *target = interpret_cell(
		in, tile, rank, step->target_buffer, step->target + i);
	bool receives = plait__step_receives(step->kind);
	struct interpret_value value = receives ? message : *source;

	if (step->kind >= PLAIT__STEP_RECV_REDUCE &&
	    step->kind <= PLAIT__STEP_RECV_REDUCE_BOTH) {
		value.sum += source->sum;
		value.is_set = value.is_set && source->is_set;
	}
	if (step->kind == PLAIT__STEP_REDUCE) {
		value.sum += target->sum;
		value.is_set = value.is_set && target->is_set;
	}
	*sent = value;
	if (step->kind != PLAIT__STEP_SEND &&
	    step->kind != PLAIT__STEP_RECV_REDUCE_SEND)
		*target = value;
	return value.is_set;
}

static inline bool interpret_step(struct interpret *in, uint32_t number,
				  const plait__coll_step *step, uint64_t tile)
{
	const plait__coll_lane *lane = &in->schedule->lanes[number];
	struct interpret_value *sent = calloc(step->count + 1, sizeof(*sent));
	struct interpret_message *message = NULL, empty = { sent, 0 };
	bool good = true;

	if (plait__step_receives(step->kind)) {
		struct interpret_fifo *fifo = &in->fifos[in->in[number]];

		message = &fifo->slots[fifo->popped++ % in->schedule->depth];
		good = message->count == step->count;
	}
	for (uint32_t i = 0; good && i < step->count; i++)
		good = interpret_chunk(in, tile, lane->rank, step, i,
				       (message ? message : &empty)->values[i],
				       &sent[i]);
	if (plait__step_sends(step->kind)) {
		struct interpret_fifo *fifo = &in->fifos[in->out[number]];
		struct interpret_message *slot =
			&fifo->slots[fifo->pushed++ % in->schedule->depth];

		free(slot->values);
		*slot = (struct interpret_message){ sent, step->count };
	} else {
		free(sent);
	}
	if (!good)
		(void)snprintf(in->why, sizeof(in->why), "rank %u lane %u step "
			       "%u: no value, or another count", lane->rank,
			       number, (uint32_t)(in->at[number] %
						  lane->step_count));
	return good;
}

/* Run all lanes to the end.  Some lanes rest for long, others are quick. */
static inline bool interpret_run(struct interpret *in)
{
	const plait__schedule *schedule = in->schedule;
	uint32_t lanes = (uint32_t)schedule->lane_count, idle = 0;
	uint32_t start = 0, busy = lanes;

	while (lanes > 0 && idle < lanes) {
		uint32_t i = (start + idle) % lanes;
		const plait__coll_lane *lane = &schedule->lanes[i];
		const plait__coll_step *step;

		if (in->at[i] == INTERPRET_TILES * lane->step_count) {
			idle++;
			continue;
		}
		step = &schedule->steps[lane->first_step +
					in->at[i] % lane->step_count];
		if (!interpret_is_ready(in, i, step,
					in->at[i] / lane->step_count)) {
			idle++;
			continue;
		}
		if (!interpret_step(in, i, step, in->at[i] / lane->step_count))
			return false;
		in->at[i]++;
		idle = 0;
		start = interpret_next(in) % 4 ? i :
			(uint32_t)(interpret_next(in) % lanes);
	}
	for (uint32_t i = 0; i < lanes; i++)
		busy -= in->at[i] ==
			INTERPRET_TILES * schedule->lanes[i].step_count;
	if (busy > 0)
		(void)snprintf(in->why, sizeof(in->why), "%u lanes hang",
			       busy);
	return busy == 0;
}

static inline uint64_t interpret_sum(const struct interpret *in, uint32_t index)
{
	uint64_t sum = 0;

	for (uint32_t r = 0; r < in->schedule->rank_count; r++)
		sum += interpret_input(in, r, index);
	return sum;
}

static inline bool interpret_custom(const struct interpret *in, uint32_t rank,
				    uint32_t index, uint64_t *want)
{
	const plait__schedule *schedule = in->schedule;

	*want = 0;
	for (uint64_t i = 0; i < schedule->promise_count; i++) {
		const plait__coll_promise *promise = &schedule->promises[i];

		if (promise->rank != rank || promise->index != index)
			continue;
		for (uint64_t k = 0; k < promise->source_count; k++) {
			const plait__coll_source *source =
				&schedule->promise_sources[
					promise->first_source + k];

			*want += interpret_input(in, source->rank,
						 source->index);
		}
		return true;
	}
	return false;
}

/* Returns false if the chunk is not promised. */
static inline bool interpret_promise(const struct interpret *in, uint32_t rank,
				     uint32_t index, uint64_t *want)
{
	const plait__schedule *s = in->schedule;
	uint32_t out = s->ranks[rank].output_chunks;
	uint32_t input = s->ranks[rank].input_chunks;
	uint32_t n = s->rank_count;

	switch (s->kind) {
	case PLAIT__COLL_CUSTOM:
		return interpret_custom(in, rank, index, want);
	case PLAIT__COLL_ALLREDUCE:
	case PLAIT__COLL_REDUCE:
		*want = interpret_sum(in, index);
		return s->kind == PLAIT__COLL_ALLREDUCE || rank == s->root;
	case PLAIT__COLL_REDUCE_SCATTER:
		*want = interpret_sum(in, rank * out + index);
		return true;
	case PLAIT__COLL_ALLGATHER:
	case PLAIT__COLL_GATHER:
		*want = interpret_input(in, index / input, index % input);
		return s->kind == PLAIT__COLL_ALLGATHER || rank == s->root;
	case PLAIT__COLL_ALLTOALL:
		*want = interpret_input(in, index / (out / n),
					rank * (out / n) + index % (out / n));
		return true;
	case PLAIT__COLL_BROADCAST:
		*want = interpret_input(in, s->root, index);
		return true;
	case PLAIT__COLL_SCATTER:
		*want = interpret_input(in, s->root, rank * out + index);
		return true;
	default:
		*want = rank > 0 ? interpret_input(in, rank - 1, index) : 0;
		return rank > 0;
	}
}

static inline bool interpret_result(struct interpret *in)
{
	const plait__schedule *schedule = in->schedule;

	for (uint64_t tile = 0; tile < INTERPRET_TILES; tile++)
		for (uint32_t r = 0; r < schedule->rank_count; r++)
			for (uint32_t i = 0;
			     i < schedule->ranks[r].output_chunks; i++) {
				const struct interpret_value *got =
					interpret_cell(in, tile, r,
						       PLAIT__COLL_OUTPUT, i);
				uint64_t want;

				if (!interpret_promise(in, r, i, &want) ||
				    (got->is_set && got->sum == want))
					continue;
				(void)snprintf(in->why, sizeof(in->why),
					       "rank %u output %u is wrong", r,
					       i);
				return false;
			}
	return true;
}

/* Run the schedule `times` times; returns "" or what is wrong. */
static inline const char *interpret(const plait__schedule *schedule,
				    uint64_t seed, uint32_t times)
{
	static char why[160];

	why[0] = 0;
	for (uint32_t i = 0; i < times && why[0] == 0; i++) {
		struct interpret in;

		interpret_init(&in, schedule, seed + i);
		if (!interpret_run(&in) || !interpret_result(&in))
			memcpy(why, in.why, sizeof(why));
		interpret_fini(&in);
	}
	return why;
}

#endif
