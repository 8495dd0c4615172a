/* SPDX-License-Identifier: MIT */
/* Elision: finds the gaps and maps times to shown times. */
#include "render/elision.h"

enum {
	/* Band width: that many average boxes, at most 1/BAND_PARTS of the
	 * rest. */
	BAND_BOXES = 2, BAND_PARTS = 8,
	/* A gap must shrink at least by this factor. */
	SHRINK_MIN = 3
};

void plait__elision_init(plait__elision *elision,
			 const plait_allocator *allocator)
{
	*elision = (plait__elision){ .band = 1 };
	plait__vector_init(&elision->list, allocator,
			   sizeof(plait__elision_gap));
	plait__vector_init(&elision->moments, allocator, sizeof(uint64_t));
	plait__vector_init(&elision->rounds, allocator,
			   sizeof(plait__elision_rounds));
}

void plait__elision_fini(plait__elision *elision)
{
	plait__vector_fini(&elision->list);
	plait__vector_fini(&elision->moments);
	plait__vector_fini(&elision->rounds);
}

static void push(plait__elision *elision, plait__vector *vector,
		 const void *item)
{
	if (plait__vector_push(vector, item, 1) == NULL)
		elision->failed = true;
}

void plait__elision_keep(plait__elision *elision, uint64_t moment)
{
	push(elision, &elision->moments, &moment);
}

void plait__elision_add_rounds(plait__elision *elision,
			       const plait__elision_rounds *rounds)
{
	if (rounds->from < rounds->to)
		push(elision, &elision->rounds, rounds);
}

/* ---- finding gaps ---- */

static int compare_moments(const void *left, const void *right)
{
	uint64_t a, b;

	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return (a > b) - (a < b);
}

/* Outer iterations first, in the order of their labels. */
static int compare_rounds(const void *left, const void *right)
{
	const plait__elision_rounds *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->region > b->region) - (a->region < b->region);
}

/* Iterations that have begun and not ended. */
struct sweep {
	const plait__elision *elision;
	plait__vector open;	/* indices in elision->rounds */
	uint32_t next;
};

static const plait__elision_rounds *rounds_at(const plait__elision *elision,
					      uint32_t i)
{
	return plait__vector_at(&elision->rounds, i);
}

static void drop_ended(struct sweep *sweep, uint64_t time)
{
	uint32_t kept = 0, *open = sweep->open.items;

	for (uint32_t i = 0; i < sweep->open.count; i++)
		if (rounds_at(sweep->elision, open[i])->to > time)
			open[kept++] = open[i];
	plait__vector_truncate(&sweep->open, kept);
}

/* Returns the outermost iterations that contain the range, or null. */
static const plait__elision_rounds *find_enclosing(struct sweep *sweep,
						   uint64_t from, uint64_t to,
						   bool *failed)
{
	const plait__elision_rounds *best = NULL;

	drop_ended(sweep, from);
	while (sweep->next < sweep->elision->rounds.count &&
	       rounds_at(sweep->elision, sweep->next)->from <= from) {
		if (plait__vector_push(&sweep->open, &sweep->next, 1) == NULL)
			*failed = true;
		sweep->next++;
	}
	for (uint32_t i = 0; i < sweep->open.count; i++) {
		const uint32_t *number = plait__vector_at(&sweep->open, i);
		const plait__elision_rounds *this = rounds_at(sweep->elision,
							      *number);

		if (this->to >= to && (best == NULL ||
				       this->depth < best->depth))
			best = this;
	}
	return best;
}

/* Find the gaps between adjacent moments. */
static void find_all(plait__elision *elision)
{
	const uint64_t *moments = elision->moments.items;
	struct sweep sweep = { .elision = elision };

	plait__vector_init(&sweep.open, elision->list.allocator,
			   sizeof(uint32_t));
	for (uint32_t i = 1; i < elision->moments.count; i++) {
		plait__elision_gap gap = {
			.from = moments[i - 1], .to = moments[i]
		};
		const plait__elision_rounds *rounds;

		if (gap.from == gap.to)
			continue;
		rounds = find_enclosing(&sweep, gap.from, gap.to,
					&elision->failed);
		if (rounds == NULL)
			continue;
		gap.region = rounds->region;
		gap.rounds = rounds->rounds;
		push(elision, &elision->list, &gap);
	}
	plait__vector_fini(&sweep.open);
}

static uint64_t without(const plait__elision *elision, uint64_t makespan)
{
	for (uint32_t i = 0; i < elision->list.count; i++) {
		const plait__elision_gap *gap = plait__elision_at(elision, i);

		makespan -= gap->to - gap->from;
	}
	return makespan;
}

/* Keep the gaps that are long enough, and compute their shown times. */
static void keep_long(plait__elision *elision)
{
	plait__elision_gap *list = elision->list.items;
	uint64_t saved = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < elision->list.count; i++) {
		uint64_t length = list[i].to - list[i].from;

		if (length / SHRINK_MIN < elision->band)
			continue;
		/* Iterations that go on in the next gap are counted there. */
		if (i + 1 < elision->list.count &&
		    list[i + 1].from == list[i].to &&
		    list[i + 1].region == list[i].region)
			list[i].rounds = 0;
		list[kept] = list[i];
		list[kept++].shown = list[i].from - saved;
		saved += length - elision->band;
	}
	plait__vector_truncate(&elision->list, kept);
}

void plait__elision_compute(plait__elision *elision, uint64_t makespan,
			    uint64_t boxes)
{
	uint64_t rest, part;

	plait__vector_sort(&elision->moments, compare_moments);
	plait__vector_sort(&elision->rounds, compare_rounds);
	find_all(elision);
	rest = without(elision, makespan);
	part = rest / (boxes > 0 ? boxes : 1);
	part = part < rest / BAND_BOXES ? part * BAND_BOXES : rest;
	elision->band = part < rest / BAND_PARTS ? part : rest / BAND_PARTS;
	elision->band += elision->band == 0;
	keep_long(elision);
}

/* ---- times ---- */

/* Returns the last gap that begins at `time` or before, or null. */
static const plait__elision_gap *find_before(const plait__elision *elision,
					     uint64_t time, bool shown)
{
	uint32_t low = 0, high = elision->list.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const plait__elision_gap *gap =
			plait__elision_at(elision, middle);

		if ((shown ? gap->shown : gap->from) <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? plait__elision_at(elision, low - 1) : NULL;
}

/* Scale `part` of `of` to `whole`. */
static uint64_t scale(uint64_t part, uint64_t of, uint64_t whole)
{
	double scaled = (double)part / (double)of * (double)whole;

	return scaled >= (double)whole ? whole : (uint64_t)scaled;
}

uint64_t plait__elision_to_shown(const plait__elision *elision, uint64_t time)
{
	const plait__elision_gap *gap = find_before(elision, time, false);

	if (gap == NULL)
		return time;
	if (time >= gap->to)
		return gap->shown + elision->band + (time - gap->to);
	return gap->shown + scale(time - gap->from, gap->to - gap->from,
				  elision->band);
}

uint64_t plait__elision_to_time(const plait__elision *elision, uint64_t shown)
{
	const plait__elision_gap *gap = find_before(elision, shown, true);

	if (gap == NULL)
		return shown;
	if (shown >= gap->shown + elision->band)
		return gap->to + (shown - gap->shown - elision->band);
	return gap->from + scale(shown - gap->shown, elision->band,
				 gap->to - gap->from);
}

const plait__elision_gap *
plait__elision_enclosing(const plait__elision *elision, uint64_t from,
			 uint64_t to)
{
	const plait__elision_gap *gap = find_before(elision, from, false);

	return gap != NULL && from < gap->to && to <= gap->to ? gap : NULL;
}
