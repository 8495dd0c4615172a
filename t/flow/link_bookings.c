/* SPDX-License-Identifier: MIT */
/*
 * Bookings of links: copies by hand, and random ones against a model that keeps
 * the end of each link in an array of its own, and looks at all sources.
 */
#include "policy_random.h"

#include "base/alloc.h"
#include "flow/policy/link_bookings.h"

#include <string.h>

enum { MEMORIES = 5, MB = 1 << 20 };

static plait__links links;
static plait__bookings bookings;

static void begin_with(uint32_t count, uint32_t host)
{
	OK(plait__links_init(&links, plait__alloc_default(), count, host) ==
	   PLAIT_OK);
	OK(plait__bookings_init(&bookings, &links) == PLAIT_OK);
}

static void begin(uint32_t count)
{
	begin_with(count, count - 1);
}

static void end(void)
{
	plait__bookings_fini(&bookings);
	plait__links_fini(&links);
}

static plait__booked_copy book(uint64_t valid, uint32_t to, uint64_t bytes,
			       uint64_t ready)
{
	const plait__booking_copy copy = { bytes, valid, ready, to };

	return plait__bookings_copy(&bookings, &copy, false);
}

/* Two copies over one link follow each other; a second source is taken when the
 * first is in use. */
static void sources(void)
{
	plait__booked_copy got;

	begin(3);
	plait__links_set(&links, 0, 1, 2000, 100);
	plait__links_set(&links, 2, 1, 1000, 0);
	got = book(1 | 4, 1, 1000, 50);
	OK(got.from == 0 && !got.through_host);
	IS_UINT(got.begin_ns, 50);
	IS_UINT(got.end_ns, 650);
	got = book(1 | 4, 1, 1000, 0);
	OK(got.from == 2);
	IS_UINT(got.end_ns, 1000);
	got = book(1 | 4, 1, 1, 0);
	OK(got.from == 0);
	IS_UINT(got.begin_ns, 650);
	IS_UINT(got.end_ns, 751);
	/* The other direction is free. */
	got = book(2, 0, 2, 0);
	IS_UINT(got.end_ns, 101);
	end();
}

/* Memory 0 has no link to 1: the second link begins one chunk later. */
static void through_host(void)
{
	plait__booked_copy got;

	begin(3);
	plait__links_set(&links, 0, 2, 1000 * MB, 0);	/* 1 MiB a ns */
	plait__links_set(&links, 2, 1, 1000 * MB, 10);
	got = book(1, 1, 9 * MB, 0);
	OK(got.from == 0 && got.through_host);
	/* 4 for the first chunk, 10, 9 for all. */
	IS_UINT(got.end_ns, 23);
	/* The first link is free at 9, the second at 23. */
	got = book(1, 2, MB, 0);
	IS_UINT(got.begin_ns, 9);
	got = book(4, 1, MB, 0);
	IS_UINT(got.begin_ns, 23);
	end();
	/* A slow first link: the last chunk decides. */
	begin(3);
	plait__links_set(&links, 0, 2, 100 * MB, 0);
	plait__links_set(&links, 2, 1, 1000 * MB, 0);
	got = book(1, 1, 9 * MB, 0);
	IS_UINT(got.end_ns, 91);
	got = book(1, 1, 4 * MB, 1000);
	IS_UINT(got.end_ns, 1044);
	end();
}

static void no_way(void)
{
	begin(3);
	IS_UINT(book(1, 1, 8, 0).end_ns, UINT64_MAX);
	plait__links_set(&links, 0, 2, 1000, 0);
	IS_UINT(book(1, 1, 8, 0).end_ns, UINT64_MAX);
	IS_UINT(book(1, 2, 8, 0).end_ns, 8);
	/* Nothing was booked before. */
	IS_UINT(book(4, 1, 8, 0).end_ns, UINT64_MAX);
	IS_UINT(book(1, 2, UINT64_MAX, 0).end_ns, UINT64_MAX);
	IS_UINT(book(1, 2, 8, 0).begin_ns, 8);
	end();
}

static void trials(void)
{
	plait__booking_copy copy = { 100, 1, 0, 1 };

	begin(2);
	plait__links_set(&links, 0, 1, 1000, 0);
	for (int i = 0; i < 2; i++) {
		plait__bookings_begin_trial(&bookings);
		IS_UINT(plait__bookings_copy(&bookings, &copy, true).end_ns,
			100);
		IS_UINT(plait__bookings_copy(&bookings, &copy, true).end_ns,
			200);
	}
	IS_UINT(book(1, 1, 100, 0).end_ns, 100);
	plait__bookings_begin_trial(&bookings);
	IS_UINT(plait__bookings_copy(&bookings, &copy, true).end_ns, 200);
	end();
}

/* ---- random ---- */

static uint64_t model_end[MEMORIES][MEMORIES];

static uint64_t up(uint64_t bytes, uint64_t rate)
{
	return (bytes * 1000 + rate - 1) / rate;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The end of a copy, and where it leaves its links, in `after`. */
static uint64_t model_copy(const plait__booking_copy *copy, uint32_t from,
			   uint64_t after[2])
{
	uint32_t to = copy->to, host = links.host;
	const plait__link *direct = plait__links_get(&links, from, to);
	const plait__link *out = plait__links_get(&links, from, host);
	const plait__link *in = plait__links_get(&links, host, to);
	uint64_t begin, at, done = 0;

	if (direct->rate > 0) {
		begin = later(copy->ready_ns, model_end[from][to]);
		after[0] = begin + direct->latency_ns +
			   up(copy->bytes, direct->rate);
		return after[0];
	}
	if (from == host || to == host || out->rate == 0 || in->rate == 0)
		return UINT64_MAX;
	begin = later(copy->ready_ns, model_end[from][host]);
	/* Chunk by chunk: where rates divide, as here, sums are exact. */
	at = model_end[host][to];
	for (uint64_t moved = 0; moved < copy->bytes;) {
		uint64_t left = copy->bytes - moved;
		uint64_t chunk = left < PLAIT__BOOKINGS_CHUNK ?
				 left : PLAIT__BOOKINGS_CHUNK;
		uint64_t here;

		moved += chunk;
		here = begin + out->latency_ns + up(moved, out->rate);
		at = later(at, here) + up(chunk, in->rate);
		done = at + in->latency_ns;
	}
	after[0] = begin + out->latency_ns + up(copy->bytes, out->rate);
	after[1] = done;
	return done;
}

static uint32_t check_copy(bool trial)
{
	uint32_t to = (uint32_t)below(MEMORIES), from = 0, host = links.host;
	plait__booking_copy copy = { (below(6) * 2 + below(2)) * MB,
				     (1 + below(31)) & ~(1u << to),
				     below(20000), to };
	uint64_t least = UINT64_MAX, after[2] = { 0 }, last[2] = { 0 };
	plait__booked_copy got;

	copy.bytes += copy.bytes == 0 ? MB : 0;
	for (uint32_t i = 0; i < MEMORIES; i++) {
		uint64_t end = copy.valid >> i & 1 ?
			       model_copy(&copy, i, after) : UINT64_MAX;

		if (end < least) {
			least = end;
			from = i;
			memcpy(last, after, sizeof(last));
		}
	}
	got = plait__bookings_copy(&bookings, &copy, trial);
	if (got.end_ns != least)
		return 1;
	if (least == UINT64_MAX)
		return 0;
	model_end[from][got.through_host ? host : to] = last[0];
	if (got.through_host)
		model_end[host][to] = last[1];
	return got.from != from || got.through_host !=
	       (plait__links_get(&links, from, to)->rate == 0);
}

static uint32_t play(void)
{
	uint64_t kept[MEMORIES][MEMORIES];
	uint32_t wrong = 0;

	begin_with(MEMORIES, (uint32_t)below(MEMORIES));
	memset(model_end, 0, sizeof(model_end));
	for (uint32_t i = 0; i < MEMORIES * MEMORIES; i++)
		if (below(3) > 0)
			plait__links_set(&links, i / MEMORIES, i % MEMORIES,
					 1000 * (MB >> below(10)), below(500));
	for (uint32_t i = 0; i < 30; i++) {
		wrong += check_copy(false);
		memcpy(kept, model_end, sizeof(kept));
		plait__bookings_begin_trial(&bookings);
		for (uint32_t k = 0; k < 3; k++)
			wrong += check_copy(true);
		memcpy(model_end, kept, sizeof(kept));
	}
	end();
	return wrong;
}

static void random_copies(void)
{
	play_rounds(tap_soak() ? 20000 : 300, play);
}

static const struct tap_scenario all[] = {
	{ "sources", sources },
	{ "through the host", through_host },
	{ "no way", no_way },
	{ "trials", trials },
	{ "random copies", random_copies },
};

TAP_MAIN(all)
