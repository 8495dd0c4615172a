/* SPDX-License-Identifier: MIT */
/*
 * Reader of the binary form of schedules.  The bytes may be anything: the size
 * is checked against the counts before memory is allocated, and each index
 * before it is kept.
 */
#include "coll/schedule/schedule_bytes.h"

#include "coll/schedule/byte_form.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

typedef struct plait__byte_source {
	const unsigned char *at;
	const char *name;	/* of the file */
	plait_error *error;
} plait__byte_source;

static uint32_t take(plait__byte_source *source)
{
	const unsigned char *at = source->at;

	source->at += 4;
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint64_t take_long(plait__byte_source *source)
{
	uint64_t low = take(source);

	return low | (uint64_t)take(source) << 32;
}

static plait_status refuse(const plait__byte_source *source, const char *what)
{
	return plait__fail(source->error, PLAIT_E_INVALID,
			   "%s: no schedule in binary form: %s", source->name,
			   what);
}

/* ---- head ---- */

int plait__schedule_bytes_begin(const void *bytes, uint64_t count)
{
	return count >= PLAIT__BYTE_FORM_MAGIC_BYTES &&
	       memcmp(bytes, PLAIT__BYTE_FORM_MAGIC,
		      PLAIT__BYTE_FORM_MAGIC_BYTES) == 0;
}

static plait_status check_head(plait__byte_source *source, uint64_t count)
{
	uint32_t version;
	uint64_t words;
	plait__hash hash;
	unsigned char sum[PLAIT__HASH_BYTES];

	if (!plait__schedule_bytes_begin(source->at, count))
		return refuse(source, "it begins otherwise");
	if (count < PLAIT__BYTE_FORM_HEAD + 4 * PLAIT__BYTE_FORM_FACTS)
		return refuse(source, "it is too short");
	source->at += PLAIT__BYTE_FORM_MAGIC_BYTES;
	version = take(source);
	if (version != PLAIT__SCHEDULE_BYTES_VERSION)
		return plait__fail(source->error, PLAIT_E_UNSUPPORTED,
				   "%s: version %u of the binary form; this "
				   "library reads version %d", source->name,
				   version, PLAIT__SCHEDULE_BYTES_VERSION);
	words = take_long(source);
	if (words != (count - PLAIT__BYTE_FORM_HEAD) / 4 || count % 4 != 0)
		return refuse(source, "it is cut off, or too long");
	plait__hash_init(&hash);
	plait__hash_add(&hash, source->at + PLAIT__HASH_BYTES, words * 4);
	plait__hash_get(&hash, sum);
	if (memcmp(sum, source->at, sizeof(sum)) != 0)
		return refuse(source, "the checksum differs: it is damaged");
	source->at += PLAIT__HASH_BYTES;
	return PLAIT_OK;
}

/* ---- facts ---- */

/* Take the facts; the counts stay apart until there are arrays. */
static void take_facts(plait__byte_source *source, plait__schedule *facts)
{
	facts->kind = take(source);
	facts->flags = take(source);
	facts->rank_count = take(source);
	facts->root = take(source);
	facts->chunks = take(source);
	facts->protocol = take(source);
	facts->target = take(source);
	facts->depth = take(source);
	facts->channel_count = take(source);
	memcpy(facts->name, source->at, sizeof(facts->name));
	source->at += sizeof(facts->name);
	facts->slot_bytes = take_long(source);
	facts->min_bytes = take_long(source);
	facts->max_bytes = take_long(source);
	facts->lane_count = take_long(source);
	facts->step_count = take_long(source);
	facts->wait_count = take_long(source);
	facts->promise_count = take_long(source);
	facts->promise_source_count = take_long(source);
}

/* Returns true if zeros fill the name up: equal names have equal bytes. */
static int is_filled_up(const char *name, size_t bytes)
{
	size_t length = strnlen(name, bytes);

	if (length == bytes)
		return 0;
	while (length < bytes && name[length] == '\0')
		length++;
	return length == bytes;
}

static plait_status check_facts(const plait__byte_source *source,
				const plait__schedule *facts, uint64_t count)
{
	if (facts->kind > PLAIT__COLL_ALLTONEXT ||
	    facts->flags > PLAIT__COLL_IN_PLACE ||
	    facts->protocol > PLAIT__PROTOCOL_LL128 ||
	    facts->target > PLAIT__TARGET_RCCL)
		return refuse(source, "kind, flags, protocol or target");
	if (facts->rank_count == 0 || facts->root >= facts->rank_count ||
	    facts->depth == 0)
		return refuse(source, "ranks, root or depth");
	if (!is_filled_up(facts->name, sizeof(facts->name)))
		return refuse(source, "the name has no end, or bytes behind it");
	/* Waits are numbers of 32 bits in steps; the others are below. */
	if (facts->lane_count > UINT32_MAX || facts->step_count > UINT32_MAX ||
	    facts->wait_count > UINT32_MAX ||
	    facts->promise_count > UINT32_MAX ||
	    facts->promise_source_count > UINT32_MAX ||
	    plait__byte_form_body(facts->rank_count, facts->lane_count,
				  facts->step_count, facts->wait_count,
				  facts->promise_count,
				  facts->promise_source_count) !=
		    count - PLAIT__BYTE_FORM_HEAD)
		return refuse(source, "the counts do not fit its size");
	return PLAIT_OK;
}

/* ---- arrays ---- */

static plait_status take_ranks(plait__byte_source *source,
			       plait__schedule *schedule)
{
	uint64_t lanes = 0;

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		plait__coll_rank *rank = &schedule->ranks[i];

		rank->input_chunks = take(source);
		rank->output_chunks = take(source);
		rank->scratch_chunks = take(source);
		rank->first_lane = (uint32_t)lanes;
		rank->lane_count = take(source);
		if (rank->lane_count > schedule->lane_count - lanes)
			return refuse(source, "lanes of a rank");
		for (uint32_t k = 0; k < rank->lane_count; k++)
			schedule->lanes[lanes++].rank = i;
	}
	return lanes == schedule->lane_count ? PLAIT_OK :
	       refuse(source, "lanes without a rank");
}

static int is_peer(const plait__schedule *schedule, int32_t peer, uint32_t rank)
{
	return peer == -1 || (peer >= 0 && (uint32_t)peer != rank &&
			      (uint32_t)peer < schedule->rank_count);
}

static plait_status take_lanes(plait__byte_source *source,
			       plait__schedule *schedule)
{
	uint64_t steps = 0;

	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		plait__coll_lane *lane = &schedule->lanes[i];

		lane->channel = take(source);
		lane->send_peer = (int32_t)take(source);
		lane->recv_peer = (int32_t)take(source);
		lane->first_step = steps;
		lane->step_count = take_long(source);
		if (!is_peer(schedule, lane->send_peer, lane->rank) ||
		    !is_peer(schedule, lane->recv_peer, lane->rank) ||
		    lane->channel >= schedule->channel_count)
			return refuse(source, "peer or channel of a lane");
		if (lane->step_count > schedule->step_count - steps)
			return refuse(source, "steps of a lane");
		steps += lane->step_count;
	}
	return steps == schedule->step_count ? PLAIT_OK :
	       refuse(source, "steps without a lane");
}

static plait_status take_steps(plait__byte_source *source,
			       plait__schedule *schedule)
{
	uint64_t waits = 0;

	for (uint64_t i = 0; i < schedule->step_count; i++) {
		plait__coll_step *step = &schedule->steps[i];
		uint32_t word = take(source);

		step->kind = (uint8_t)word;
		step->source_buffer = (uint8_t)(word >> 8);
		step->target_buffer = (uint8_t)(word >> 16);
		step->count = take(source);
		step->source = take(source);
		step->target = take(source);
		step->first_wait = (uint32_t)waits;
		step->wait_count = take(source);
		if (word >> 24 != 0 || step->kind > PLAIT__STEP_REDUCE ||
		    step->source_buffer > PLAIT__COLL_SCRATCH ||
		    step->target_buffer > PLAIT__COLL_SCRATCH)
			return refuse(source, "kind or buffer of a step");
		if (step->wait_count > schedule->wait_count - waits)
			return refuse(source, "waits of a step");
		waits += step->wait_count;
	}
	return waits == schedule->wait_count ? PLAIT_OK :
	       refuse(source, "waits without a step");
}

static plait_status take_waits(plait__byte_source *source,
			       plait__schedule *schedule)
{
	for (uint64_t i = 0; i < schedule->wait_count; i++) {
		plait__coll_wait *wait = &schedule->waits[i];

		wait->lane = take(source);
		wait->step = take(source);
		if (wait->lane >= schedule->lane_count ||
		    wait->step >= schedule->lanes[wait->lane].step_count)
			return refuse(source, "lane or step of a wait");
	}
	return PLAIT_OK;
}

static plait_status take_promises(plait__byte_source *source,
				  plait__schedule *schedule)
{
	uint64_t sources = schedule->promise_source_count;

	for (uint64_t i = 0; i < schedule->promise_count; i++) {
		plait__coll_promise *promise = &schedule->promises[i];

		promise->rank = take(source);
		promise->index = take(source);
		promise->first_source = take_long(source);
		promise->source_count = take_long(source);
		if (promise->rank >= schedule->rank_count ||
		    promise->first_source > sources ||
		    promise->source_count > sources - promise->first_source)
			return refuse(source, "rank or sources of a promise");
		if (i > 0 && (promise->rank < promise[-1].rank ||
			      (promise->rank == promise[-1].rank &&
			       promise->index <= promise[-1].index)))
			return refuse(source, "order of the promises");
	}
	for (uint64_t i = 0; i < sources; i++) {
		schedule->promise_sources[i].rank = take(source);
		schedule->promise_sources[i].index = take(source);
		if (schedule->promise_sources[i].rank >= schedule->rank_count)
			return refuse(source, "rank of a source");
	}
	return PLAIT_OK;
}

/* Allocate an array; false without memory. */
static int make(const plait__schedule *schedule, void *array, uint64_t count,
		uint64_t each)
{
	void *made = plait__alloc_array(schedule->allocator, count, each);

	memcpy(array, &made, sizeof(made));
	return made != NULL || count == 0;
}

static int make_arrays(plait__schedule *schedule)
{
	return make(schedule, &schedule->ranks, schedule->rank_count,
		    sizeof(*schedule->ranks)) &
	       make(schedule, &schedule->lanes, schedule->lane_count,
		    sizeof(*schedule->lanes)) &
	       make(schedule, &schedule->steps, schedule->step_count,
		    sizeof(*schedule->steps)) &
	       make(schedule, &schedule->waits, schedule->wait_count,
		    sizeof(*schedule->waits)) &
	       make(schedule, &schedule->promises, schedule->promise_count,
		    sizeof(*schedule->promises)) &
	       make(schedule, &schedule->promise_sources,
		    schedule->promise_source_count,
		    sizeof(*schedule->promise_sources));
}

static plait_status take_arrays(plait__byte_source *source,
				plait__schedule *schedule)
{
	plait_status status = PLAIT_OK;

	if (!make_arrays(schedule))
		return plait__fail(source->error, PLAIT_E_NOMEM,
				   "%s: no memory for a schedule",
				   source->name);
	status = take_ranks(source, schedule);
	if (status == PLAIT_OK)
		status = take_lanes(source, schedule);
	if (status == PLAIT_OK)
		status = take_steps(source, schedule);
	if (status == PLAIT_OK)
		status = take_waits(source, schedule);
	if (status == PLAIT_OK)
		status = take_promises(source, schedule);
	return status;
}

plait_status plait__schedule_bytes_read(const plait_allocator *allocator,
					const void *bytes, uint64_t count,
					const char *name,
					plait__schedule **out,
					plait_error *error)
{
	plait__byte_source source = {
		.at = bytes, .name = name != NULL ? name : "schedule",
		.error = error,
	};
	plait__schedule facts = { .allocator = allocator };
	plait_status status = check_head(&source, count);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	take_facts(&source, &facts);
	status = check_facts(&source, &facts, count);
	if (status != PLAIT_OK)
		return status;
	*out = plait__alloc(allocator, sizeof(**out));
	if (*out == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "%s: no memory for a schedule", source.name);
	**out = facts;
	status = take_arrays(&source, *out);
	if (status != PLAIT_OK) {
		plait__schedule_free(*out);
		*out = NULL;
	}
	return status;
}
