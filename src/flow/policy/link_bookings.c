/* SPDX-License-Identifier: MIT */
/* Bookings of links; see link_bookings.h. */
#include "flow/policy/link_bookings.h"

#include "flow/policy/saturating.h"

#include "base/alloc.h"

#include <stddef.h>

static uint64_t table_bytes(const plait__links *links)
{
	return (uint64_t)links->count * links->count * sizeof(plait__booking);
}

plait_status plait__bookings_init(plait__bookings *bookings,
				  const plait__links *links)
{
	bookings->links = links;
	bookings->trial = 0;
	bookings->table = plait__alloc(links->allocator, table_bytes(links));
	return bookings->table != NULL ? PLAIT_OK : PLAIT_E_NOMEM;
}

void plait__bookings_fini(plait__bookings *bookings)
{
	plait__free(bookings->links->allocator, bookings->table,
		    table_bytes(bookings->links));
	bookings->table = NULL;
}

void plait__bookings_begin_trial(plait__bookings *bookings)
{
	bookings->trial++;
}

/* ---- one link ---- */

static plait__booking *entry(const plait__bookings *bookings, uint32_t from,
			     uint32_t to)
{
	return &bookings->table[from * bookings->links->count + to];
}

static uint64_t free_at(const plait__bookings *bookings, uint32_t from,
			uint32_t to, bool trial)
{
	const plait__booking *booking = entry(bookings, from, to);

	return trial && booking->trial == bookings->trial ?
	       booking->trial_ns : booking->free_ns;
}

static void book(plait__bookings *bookings, uint32_t from, uint32_t to,
		 uint64_t until, bool trial)
{
	plait__booking *booking = entry(bookings, from, to);

	if (!trial) {
		booking->free_ns = until;
		return;
	}
	booking->trial = bookings->trial;
	booking->trial_ns = until;
}

static uint64_t end_on(const plait__link *link, uint64_t begin, uint64_t bytes)
{
	return plait__saturating_add(
		plait__saturating_add(begin, link->latency_ns),
		plait__saturating_mul_div_up(bytes, 1000, link->rate));
}

/* ---- ways ---- */

/* A way of a copy; `first_end_ns`: when its link, or that to the host, is free
 * again. */
struct way {
	plait__booked_copy copy;
	uint64_t first_end_ns;
};

/* The links of a staged copy. */
struct legs {
	const plait__link *one, *two;
	uint64_t begin_ns;
	uint64_t two_free_ns;
};

static void go_directly(const plait__bookings *bookings,
			const plait__booking_copy *copy, bool trial,
			struct way *way)
{
	const plait__link *link = plait__links_get(bookings->links,
						   way->copy.from, copy->to);

	way->copy.begin_ns = plait__saturating_max(
		copy->ready_ns,
		free_at(bookings, way->copy.from, copy->to, trial));
	way->copy.end_ns = end_on(link, way->copy.begin_ns, copy->bytes);
	way->first_end_ns = way->copy.end_ns;
}

/* Returns the end of a staged copy if chunk `k`, from 1, and those behind it
 * follow each other on the second link without a gap. */
static uint64_t end_from_chunk(const struct legs *legs, uint64_t bytes,
			       uint64_t k)
{
	uint64_t before = (k - 1) * PLAIT__BOOKINGS_CHUNK;
	uint64_t here = bytes - before < PLAIT__BOOKINGS_CHUNK ?
			bytes : before + PLAIT__BOOKINGS_CHUNK;

	return end_on(legs->two,
		      plait__saturating_max(
			      legs->two_free_ns,
			      end_on(legs->one, legs->begin_ns, here)),
		      bytes - before);
}

/* The second link waits for the first chunk, or, if it is the faster one, for
 * each: then the last decides, or the one before, which may be larger. */
static void go_through_host(const plait__bookings *bookings,
			    const plait__booking_copy *copy, bool trial,
			    struct way *way)
{
	uint32_t host = bookings->links->host, from = way->copy.from;
	uint64_t last = copy->bytes > 0 ?
			(copy->bytes - 1) / PLAIT__BOOKINGS_CHUNK + 1 : 1;
	const struct legs legs = {
		.one = plait__links_get(bookings->links, from, host),
		.two = plait__links_get(bookings->links, host, copy->to),
		.begin_ns = plait__saturating_max(
			copy->ready_ns, free_at(bookings, from, host, trial)),
		.two_free_ns = free_at(bookings, host, copy->to, trial),
	};

	way->copy.through_host = true;
	way->copy.begin_ns = legs.begin_ns;
	way->first_end_ns = end_on(legs.one, legs.begin_ns, copy->bytes);
	way->copy.end_ns = plait__saturating_max(
		end_from_chunk(&legs, copy->bytes, 1),
		end_from_chunk(&legs, copy->bytes, last));
	if (last > 1)
		way->copy.end_ns = plait__saturating_max(
			way->copy.end_ns,
			end_from_chunk(&legs, copy->bytes, last - 1));
}

static struct way way_from(const plait__bookings *bookings,
			   const plait__booking_copy *copy, uint32_t from,
			   bool trial)
{
	struct way way = { .copy = { .from = from, .end_ns = UINT64_MAX } };
	uint32_t host = bookings->links->host;

	if (plait__links_get(bookings->links, from, copy->to)->rate > 0)
		go_directly(bookings, copy, trial, &way);
	else if (from != host && copy->to != host)
		go_through_host(bookings, copy, trial, &way);
	return way;
}

plait__booked_copy plait__bookings_copy(plait__bookings *bookings,
					const plait__booking_copy *copy,
					bool trial)
{
	struct way best = { .copy = { .end_ns = UINT64_MAX } };
	uint32_t host = bookings->links->host;

	for (uint32_t from = 0; from < bookings->links->count; from++) {
		struct way way;

		if ((copy->valid >> from & 1) == 0)
			continue;
		way = way_from(bookings, copy, from, trial);
		if (way.copy.end_ns < best.copy.end_ns)
			best = way;
	}
	if (best.copy.end_ns == UINT64_MAX)
		return best.copy;
	book(bookings, best.copy.from,
	     best.copy.through_host ? host : copy->to, best.first_end_ns,
	     trial);
	if (best.copy.through_host)
		book(bookings, host, copy->to, best.copy.end_ns, trial);
	return best.copy;
}
