/* SPDX-License-Identifier: MIT */
/* Writing of the binary form of schedules, and its checksum. */
#include "coll/schedule/schedule_bytes.h"

#include "coll/schedule/byte_form.h"

#include <string.h>

uint64_t plait__schedule_bytes_count(const plait__schedule *schedule)
{
	return plait__byte_form_body(schedule->rank_count, schedule->lane_count,
				     schedule->step_count, schedule->wait_count,
				     schedule->promise_count,
				     schedule->promise_source_count) +
	       PLAIT__BYTE_FORM_HEAD;
}

/* Sink of words: a buffer, or a hash, or both. */
typedef struct plait__byte_sink {
	unsigned char *at;	/* null: only the hash */
	plait__hash hash;
} plait__byte_sink;

static void put(plait__byte_sink *sink, uint32_t word)
{
	unsigned char bytes[4] = {
		(unsigned char)word, (unsigned char)(word >> 8),
		(unsigned char)(word >> 16), (unsigned char)(word >> 24)
	};

	plait__hash_add(&sink->hash, bytes, sizeof(bytes));
	if (sink->at != NULL) {
		memcpy(sink->at, bytes, sizeof(bytes));
		sink->at += sizeof(bytes);
	}
}

static void put_long(plait__byte_sink *sink, uint64_t number)
{
	put(sink, (uint32_t)number);
	put(sink, (uint32_t)(number >> 32));
}

static void put_name(plait__byte_sink *sink, const char *name)
{
	char room[sizeof(((plait__schedule *)0)->name)] = "";

	for (size_t i = 0; i + 1 < sizeof(room) && name[i] != 0; i++)
		room[i] = name[i];
	for (size_t i = 0; i < sizeof(room); i += 4)
		put(sink, (uint32_t)(unsigned char)room[i] |
			  (uint32_t)(unsigned char)room[i + 1] << 8 |
			  (uint32_t)(unsigned char)room[i + 2] << 16 |
			  (uint32_t)(unsigned char)room[i + 3] << 24);
}

static void put_facts(plait__byte_sink *sink, const plait__schedule *schedule,
		      const char *name)
{
	put(sink, schedule->kind);
	put(sink, schedule->flags);
	put(sink, schedule->rank_count);
	put(sink, schedule->root);
	put(sink, schedule->chunks);
	put(sink, schedule->protocol);
	put(sink, schedule->target);
	put(sink, schedule->depth);
	put(sink, schedule->channel_count);
	put_name(sink, name);
	put_long(sink, schedule->slot_bytes);
	put_long(sink, schedule->min_bytes);
	put_long(sink, schedule->max_bytes);
	put_long(sink, schedule->lane_count);
	put_long(sink, schedule->step_count);
	put_long(sink, schedule->wait_count);
	put_long(sink, schedule->promise_count);
	put_long(sink, schedule->promise_source_count);
}

static void put_step(plait__byte_sink *sink, const plait__coll_step *step)
{
	put(sink, step->kind | (uint32_t)step->source_buffer << 8 |
		  (uint32_t)step->target_buffer << 16);
	put(sink, step->count);
	put(sink, step->source);
	put(sink, step->target);
	put(sink, step->wait_count);
}

static void put_lanes(plait__byte_sink *sink, const plait__schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		put(sink, schedule->ranks[i].input_chunks);
		put(sink, schedule->ranks[i].output_chunks);
		put(sink, schedule->ranks[i].scratch_chunks);
		put(sink, schedule->ranks[i].lane_count);
	}
	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		put(sink, schedule->lanes[i].channel);
		put(sink, (uint32_t)schedule->lanes[i].send_peer);
		put(sink, (uint32_t)schedule->lanes[i].recv_peer);
		put_long(sink, schedule->lanes[i].step_count);
	}
}

/* The reader counts the waits in the order of the steps; the compiler's are in
 * the order in which it placed the steps. */
static void put_waits(plait__byte_sink *sink, const plait__schedule *schedule,
		      const plait__coll_step *step)
{
	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];

		put(sink, wait->lane);
		put(sink, wait->step);
	}
}

static void put_body(plait__byte_sink *sink, const plait__schedule *schedule,
		     const char *name)
{
	put_facts(sink, schedule, name);
	put_lanes(sink, schedule);
	for (uint64_t i = 0; i < schedule->step_count; i++)
		put_step(sink, &schedule->steps[i]);
	for (uint64_t i = 0; i < schedule->step_count; i++)
		put_waits(sink, schedule, &schedule->steps[i]);
	for (uint64_t i = 0; i < schedule->promise_count; i++) {
		put(sink, schedule->promises[i].rank);
		put(sink, schedule->promises[i].index);
		put_long(sink, schedule->promises[i].first_source);
		put_long(sink, schedule->promises[i].source_count);
	}
	for (uint64_t i = 0; i < schedule->promise_source_count; i++) {
		put(sink, schedule->promise_sources[i].rank);
		put(sink, schedule->promise_sources[i].index);
	}
}

void plait__schedule_bytes_write(const plait__schedule *schedule, void *buffer)
{
	uint64_t body = plait__schedule_bytes_count(schedule) -
			PLAIT__BYTE_FORM_HEAD;
	plait__byte_sink sink = {
		.at = (unsigned char *)buffer + PLAIT__BYTE_FORM_HEAD
	};
	plait__byte_sink head = {
		.at = (unsigned char *)buffer + PLAIT__BYTE_FORM_MAGIC_BYTES
	};

	plait__hash_init(&sink.hash);
	plait__hash_init(&head.hash);
	put_body(&sink, schedule, schedule->name);
	memcpy(buffer, PLAIT__BYTE_FORM_MAGIC, PLAIT__BYTE_FORM_MAGIC_BYTES);
	put(&head, PLAIT__SCHEDULE_BYTES_VERSION);
	put_long(&head, body / 4);
	plait__hash_get(&sink.hash, head.at);
}

void plait__schedule_bytes_hash(const plait__schedule *schedule,
				unsigned char out[PLAIT__HASH_BYTES])
{
	plait__byte_sink sink = { .at = NULL };

	plait__hash_init(&sink.hash);
	put_body(&sink, schedule, "");
	plait__hash_get(&sink.hash, out);
}
