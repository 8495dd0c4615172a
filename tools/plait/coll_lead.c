/* SPDX-License-Identifier: MIT */
/*
 * Measured search; see coll_lead.h.  A model leaves out what is hopeless.  At each size
 * the best candidates by prediction come first, so that the time may end anywhere.
 */
#include "coll_lead.h"

#include <inttypes.h>

enum {
	MODEL_PART = 4,		/* of the time, at most, for predictions */
	PLACES = 4,		/* that are measured before others */
	MOST_CALLS = 24,	/* of a size, whose mean time counts */
	CALLS_NS = 20000000,	/* time for them */
	TOO_SLOW = 8		/* times the best one: one call is enough */
};

/* Part of the search: candidates at some places of each size; the last one measures
 * again what came close to the best. */
struct part {
	int32_t first, end; /* places */
	bool repeats;
};

static bool is_wanted(const struct coll_search *search,
		      const struct coll_times *item, uint32_t size,
		      const struct part *part)
{
	const struct coll_best *best = &search->findings->best[size];

	if (part->repeats)
		return item->measured[size] != UINT64_MAX &&
		       item->measured[size] / 5 <= best->time_ns / 4;
	return item->place[size] >= part->first &&
	       item->place[size] < part->end;
}

static bool is_wanted_anywhere(const struct coll_search *search,
			       const struct coll_times *item,
			       const struct part *part)
{
	for (uint32_t i = 0; i < search->sizes->count; i++)
		if (is_wanted(search, item, i, part))
			return true;
	return false;
}

static plait_status measure_size(struct coll_search *search,
				 struct coll_measure *measure,
				 struct coll_times *item, uint32_t size)
{
	uint64_t bytes = search->sizes->items[size], calls, ns = 0;
	plait_error *error = &search->findings->error;
	plait_status status = coll_measure_time(measure, bytes, 1, &ns, error);
	const uint64_t best = search->findings->best[size].time_ns;

	if (status != PLAIT_OK)
		return status;
	calls = ns > 0 ? CALLS_NS / ns : MOST_CALLS;
	calls = calls > MOST_CALLS ? MOST_CALLS : calls;
	if (calls > 1 || best == UINT64_MAX || ns / TOO_SLOW < best)
		status = coll_measure_time(measure, bytes, calls > 1 ? calls : 1,
					   &ns, error);
	if (status != PLAIT_OK)
		return status;
	if (ns < item->measured[size])
		item->measured[size] = ns;
	coll_search_keep(search, &item->candidate, size, ns);
	return PLAIT_OK;
}

/* Returns true if some calls with a size will end in time. */
static bool has_time(const struct coll_search *search, uint32_t size)
{
	const struct coll_best *best = search->findings->best;
	uint64_t left = coll_clock_left(&search->clock);
	double time = 0;

	if (best[size].time_ns != UINT64_MAX)
		time = (double)best[size].time_ns;
	else if (size > 0 && best[size - 1].time_ns != UINT64_MAX)
		time = (double)best[size - 1].time_ns *
		       (double)search->sizes->items[size] /
		       (double)(search->sizes->items[size - 1] + 1);
	return left > 0 && 3 * time < (double)left;
}

static void miss(struct coll_search *search, const struct part *part)
{
	if (!part->repeats)
		search->findings->is_complete = false;
}

static void measure_sizes(struct coll_search *search,
			  struct coll_measure *measure,
			  struct coll_times *item, const struct part *part)
{
	const struct coll_sizes *sizes = search->sizes;
	char name[256];

	coll_search_name(search, &item->candidate, name, sizeof(name));
	for (uint32_t i = 0; i < sizes->count &&
	     !coll_measure_is_broken(measure); i++) {
		if (!is_wanted(search, item, i, part))
			continue;
		if (!has_time(search, i)) {
			miss(search, part);
			continue;
		}
		coll_clock_show(&search->clock, "%s %u of %u: %s; %" PRIu64
				" bytes", part->repeats ? "again" :
				"candidate", search->findings->measured,
				search->list->count, name, sizes->items[i]);
		(void)measure_size(search, measure, item, i);
	}
}

static void measure_candidate(struct coll_search *search,
			      struct coll_measure *measure,
			      struct coll_times *item, const struct part *part)
{
	plait_error *error = &search->findings->error;
	plait_schedule *schedule = NULL;

	if (coll_measure_is_broken(measure) ||
	    !is_wanted_anywhere(search, item, part))
		return;
	if (coll_clock_left(&search->clock) == 0) {
		miss(search, part);
		return;
	}
	search->findings->measured += !item->was_tried;
	item->was_tried = true;
	if (coll_search_compile(search, &item->candidate, 0, 0, &schedule) ==
		    PLAIT_OK &&
	    coll_measure_take(measure, schedule, error) == PLAIT_OK)
		measure_sizes(search, measure, item, part);
	plait_schedule_release(schedule);
}

static void measure_part(struct coll_search *search,
			 struct coll_measure *measure, const struct part *part)
{
	for (uint32_t i = 0; i < search->list->count; i++)
		measure_candidate(search, measure, &search->list->items[i],
				  part);
}

void coll_lead(struct coll_search *search, struct coll_measure *measure)
{
	const uint64_t limit_ns = search->clock.limit_ns;
	struct part part = { .end = 0 };

	search->clock.limit_ns = limit_ns / MODEL_PART;
	coll_search_all(search);
	search->clock.limit_ns = limit_ns;
	search->findings->hopeless = coll_candidates_choose(
		search->list, search->sizes->count);
	while ((uint32_t)part.end < search->list->count) {
		part.first = part.end;
		part.end += PLACES;
		measure_part(search, measure, &part);
	}
	part.repeats = true;
	measure_part(search, measure, &part);
	coll_clock_clear(&search->clock);
}
