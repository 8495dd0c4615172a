/* SPDX-License-Identifier: MIT */
/* Nested interval maps of fronts; see front_map.h. */
#include "flow/region/front_map.h"

#include "base/alloc.h"

#include <string.h>

/* ---- memory of slabs ---- */

/* Bytes of the block of so many pieces. */
static uint64_t bytes_of(uint32_t dimension, uint64_t capacity)
{
	uint64_t each = dimension == 0 ? sizeof(plait__front) :
					 sizeof(plait__slabs *);

	return capacity == 0 ? 0 : sizeof(uint64_t) +
				   capacity * (sizeof(uint64_t) + each);
}

/* The block of an array of ends, which may be null. */
static void *block_of(uint64_t *ends)
{
	return ends == NULL ? NULL : ends - 1;
}

static void free_slabs(plait__front_map *map, plait__slabs *slabs)
{
	for (uint32_t i = 0; slabs->inner != NULL && i < slabs->count; i++)
		free_slabs(map, slabs->inner[i]);
	if (slabs->fronts != NULL)
		map->pieces -= slabs->count;
	plait__free(map->allocator, block_of(slabs->ends),
		    bytes_of(slabs->dimension, slabs->capacity));
	plait__free(map->allocator, slabs, sizeof(*slabs));
}

static void use_block(plait__slabs *slabs, uint64_t *block, uint32_t capacity)
{
	block[0] = 0;
	slabs->ends = block + 1;
	slabs->capacity = capacity;
	slabs->fronts = NULL;
	slabs->inner = NULL;
	if (slabs->dimension == 0)
		slabs->fronts = (plait__front *)(block + 1 + capacity);
	else
		slabs->inner = (plait__slabs **)(void *)(block + 1 + capacity);
}

static void copy_pieces(const plait__slabs *from, plait__slabs *to)
{
	memcpy(to->ends, from->ends, from->count * sizeof(*to->ends));
	if (to->fronts != NULL)
		memcpy(to->fronts, from->fronts,
		       from->count * sizeof(*to->fronts));
	else
		memcpy(to->inner, from->inner,
		       from->count * sizeof(*to->inner));
}

/* Make room for one more piece. */
static bool reserve(plait__front_map *map, plait__slabs *slabs)
{
	uint32_t capacity = slabs->capacity == 0 ? 4 : 2 * slabs->capacity;
	plait__slabs old = *slabs;
	uint64_t *block;

	if (slabs->count < slabs->capacity)
		return true;
	block = plait__alloc(map->allocator,
			     bytes_of(slabs->dimension, capacity));
	if (block == NULL)
		return false;
	use_block(slabs, block, capacity);
	if (old.count > 0)
		copy_pieces(&old, slabs);
	plait__free(map->allocator, block_of(old.ends),
		    bytes_of(old.dimension, old.capacity));
	return true;
}

static plait__slabs *new_slabs(plait__front_map *map, uint32_t dimension)
{
	plait__slabs *slabs = plait__alloc(map->allocator, sizeof(*slabs));

	if (slabs == NULL)
		return NULL;
	slabs->dimension = dimension;
	if (reserve(map, slabs))
		return slabs;
	free_slabs(map, slabs);
	return NULL;
}

/* The pieces have changed.  The last one does not count: it is what is left of
 * the extent, shorter than a tile, or the part that no task has named yet. */
static void set_density(plait__slabs *slabs)
{
	uint64_t count = slabs->count > 1 ? slabs->count - 1 : 1;
	uint64_t extent = slabs->ends[count - 1];

	slabs->density = extent > UINT32_MAX ? 0 :
		((count << 32) + extent - 1) / extent;
}

/* ---- copies ---- */

static plait__slabs *copy_slabs(plait__front_map *map,
				const plait__slabs *from);

/* Append a copy of piece i of another map; the caller sets its end. */
static bool append_copy(plait__front_map *map, plait__slabs *to,
			const plait__slabs *from, uint32_t i)
{
	if (!reserve(map, to))
		return false;
	if (to->dimension == 0) {
		to->fronts[to->count] = from->fronts[i];
		map->pieces++;
	} else {
		to->inner[to->count] = copy_slabs(map, from->inner[i]);
		if (to->inner[to->count] == NULL)
			return false;
	}
	to->ends[to->count] = from->ends[i];
	to->count++;
	return true;
}

static plait__slabs *copy_slabs(plait__front_map *map,
				const plait__slabs *from)
{
	plait__slabs *copy = new_slabs(map, from->dimension);

	for (uint32_t i = 0; copy != NULL && i < from->count; i++)
		if (!append_copy(map, copy, from, i)) {
			free_slabs(map, copy);
			copy = NULL;
		}
	if (copy != NULL)
		set_density(copy);
	return copy;
}

/* A map of one piece, with `front`. */
static plait__slabs *make_slabs(plait__front_map *map, uint32_t dimension,
				const plait__front *front)
{
	plait__slabs *slabs = new_slabs(map, dimension);

	if (slabs == NULL)
		return NULL;
	slabs->ends[0] = map->whole.high[dimension];
	if (dimension == 0) {
		slabs->fronts[0] = *front;
		map->pieces++;
	} else {
		slabs->inner[0] = make_slabs(map, dimension - 1, front);
		if (slabs->inner[0] == NULL) {
			free_slabs(map, slabs);
			return NULL;
		}
	}
	slabs->count = 1;
	set_density(slabs);
	return slabs;
}

/* ---- borders ---- */

/* The piece that contains a position. */
static uint32_t piece_at(const plait__slabs *slabs, uint64_t position)
{
	uint32_t low = 0, high = slabs->count - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (slabs->ends[middle] > position)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void open_gap(plait__slabs *slabs, uint32_t i)
{
	uint64_t count = slabs->count - i;

	memmove(&slabs->ends[i + 1], &slabs->ends[i],
		count * sizeof(*slabs->ends));
	if (slabs->fronts != NULL)
		memmove(&slabs->fronts[i + 1], &slabs->fronts[i],
			count * sizeof(*slabs->fronts));
	else
		memmove(&slabs->inner[i + 1], &slabs->inner[i],
			count * sizeof(*slabs->inner));
	slabs->count++;
}

static uint64_t begin_of(const plait__slabs *slabs, uint32_t i)
{
	return slabs->ends[(int64_t)i - 1];
}

/* Divide piece i at `position`, unless it begins or ends there. */
static bool divide(plait__front_map *map, plait__slabs *slabs, uint32_t i,
		   uint64_t position)
{
	plait__slabs *copy = NULL;

	if (begin_of(slabs, i) == position || slabs->ends[i] == position)
		return true;
	if (!reserve(map, slabs))
		return false;
	if (slabs->inner != NULL) {
		copy = copy_slabs(map, slabs->inner[i]);
		if (copy == NULL)
			return false;
	}
	open_gap(slabs, i);
	slabs->ends[i] = position;
	set_density(slabs);
	if (copy != NULL)
		slabs->inner[i] = copy;
	else
		map->pieces++;
	return true;
}

static bool cut(plait__front_map *map, plait__slabs *slabs,
		const plait_box *box)
{
	uint64_t low = box->low[slabs->dimension];
	uint64_t high = box->high[slabs->dimension];
	uint32_t i = piece_at(slabs, low), first;

	if (!divide(map, slabs, i, low))
		return false;
	i += begin_of(slabs, i) < low;
	first = i;
	while (slabs->ends[i] < high)
		i++;
	if (!divide(map, slabs, i, high))
		return false;
	for (; slabs->inner != NULL && first <= i; first++)
		if (!cut(map, slabs->inner[first], box))
			return false;
	return true;
}

static bool is_whole(const plait__front_map *map, const plait_box *box)
{
	return plait__box_contains(box, &map->whole);
}

static uint32_t top_dimension(const plait__front_map *map)
{
	return map->whole.high[2] > 1 ? 2 : map->whole.high[1] > 1 ? 1 : 0;
}

bool plait__front_map_cut(plait__front_map *map, const plait_box *box)
{
	if (is_whole(map, box))
		return true;
	if (map->top == NULL)
		map->top = make_slabs(map, top_dimension(map), &map->front);
	return map->top != NULL && cut(map, map->top, box);
}

/* ---- visits ---- */

static void visit(const plait__slabs *slabs, plait__front_visit function,
		  void *arg)
{
	for (uint32_t i = 0; i < slabs->count; i++)
		if (slabs->inner != NULL)
			visit(slabs->inner[i], function, arg);
		else
			function(arg, &slabs->fronts[i]);
}

void plait__front_map_visit_all(plait__front_map *map,
				plait__front_visit function, void *arg)
{
	if (map->top == NULL)
		function(arg, &map->front);
	else
		visit(map->top, function, arg);
}

struct box_visit {
	const plait_box *box;
	plait_box piece; /* so far: the dimensions above */
	plait__front_visit_box function;
	void *arg;
};

static void visit_box(const plait__slabs *slabs, struct box_visit *by)
{
	uint32_t d = slabs->dimension, i = piece_at(slabs, by->box->low[d]);

	for (; i < slabs->count && begin_of(slabs, i) < by->box->high[d]; i++) {
		by->piece.low[d] = begin_of(slabs, i);
		by->piece.high[d] = slabs->ends[i];
		if (slabs->inner != NULL)
			visit_box(slabs->inner[i], by);
		else
			by->function(by->arg, &slabs->fronts[i], &by->piece);
	}
}

void plait__front_map_visit_box(plait__front_map *map, const plait_box *box,
				plait__front_visit_box function, void *arg)
{
	struct box_visit by = { box, map->whole, function, arg };

	if (map->top == NULL)
		function(arg, &map->front, &map->whole);
	else
		visit_box(map->top, &by);
}

static __attribute__((noinline)) bool grow_list(plait__front_list *list,
						uint32_t count)
{
	uint32_t capacity = list->capacity < 32 ? 32 : list->capacity;
	plait__front_row *items;

	while (capacity < list->count + count)
		capacity *= 2;
	items = plait__realloc(list->allocator, list->items,
			       list->capacity * sizeof(*items),
			       capacity * sizeof(*items));
	if (items == NULL)
		return false;
	list->items = items;
	list->capacity = capacity;
	return true;
}

static inline bool reserve_rows(plait__front_list *list, uint32_t count)
{
	return list->count + count <= list->capacity || grow_list(list, count);
}

static inline bool append_row(plait__front_list *list, plait__front *first,
			      uint32_t count)
{
	if (!reserve_rows(list, 1))
		return false;
	list->items[list->count++] = (plait__front_row){ first, count };
	return true;
}

/* Pieces of a slab: from `first` up to `end`. */
struct run {
	uint32_t first, end;
};

/* The pieces of a box in one dimension.  Returns false if a border is missing.
 * `guess`: the first piece, or the one before, probably. */
static inline bool find_run(const plait__slabs *slabs, uint64_t low,
			    uint64_t high, uint32_t guess, struct run *out)
{
	const uint64_t *ends = slabs->ends;
	int64_t i = guess;

	/* One piece, as most tiles are. */
	if (i < slabs->count && ends[i - 1] == low && ends[i] == high) {
		*out = (struct run){ (uint32_t)i, (uint32_t)i + 1 };
		return true;
	}
	if (i < slabs->count && ends[i - 1] < low)
		i++;
	if (i >= slabs->count || ends[i - 1] != low)
		i = piece_at(slabs, low);
	if (ends[i - 1] != low)
		return false;
	out->first = (uint32_t)i;
	while (ends[i] < high)
		i++;
	out->end = (uint32_t)i + 1;
	return ends[i] == high;
}

/* Where a piece is if all but the last are equal. */
static inline uint32_t place_of(const plait__slabs *slabs, uint64_t position)
{
	return (uint32_t)(position * slabs->density >> 32);
}

/* Returns true if the pieces of the box in a slab are those in `run`, of another slab. */
static inline bool has_run(const plait__slabs *slabs, uint64_t low,
			   uint64_t high, const struct run *run)
{
	const uint64_t *ends = slabs->ends;

	return run->end <= slabs->count &&
	       ends[(int64_t)run->first - 1] == low &&
	       ends[(int64_t)run->end - 1] == high;
}

/* Find the pieces of a box in a slab: mostly those in `run`, since slabs side by side
 * mostly have the same.  Returns false if a border is missing. */
static inline bool follow_run(const plait__slabs *slabs, const plait_box *box,
			      struct run *run)
{
	uint64_t low = box->low[slabs->dimension];
	uint64_t high = box->high[slabs->dimension];

	return has_run(slabs, low, high, run) ||
	       find_run(slabs, low, high, place_of(slabs, low), run);
}

/* The rows of a box in the slabs of a plane. */
static inline plait__front_map_result
collect_rows(const plait__slabs *plane, const plait_box *box,
	     const struct run *of, plait__front_list *out)
{
	struct run run = { 0, 0 };

	if (!reserve_rows(out, of->end - of->first))
		return PLAIT__FRONT_MAP_NO_MEMORY;
	for (uint32_t i = of->first; i < of->end; i++) {
		plait__slabs *slabs = plane->inner[i];

		if (!follow_run(slabs, box, &run))
			return PLAIT__FRONT_MAP_UNCUT;
		out->items[out->count++] = (plait__front_row){
			&slabs->fronts[run.first], run.end - run.first };
	}
	return PLAIT__FRONT_MAP_COLLECTED;
}

/* The part of a box in several slabs.  Not inline: most boxes are one row. */
static __attribute__((noinline)) plait__front_map_result
collect_several(const plait__slabs *slabs, const plait_box *box,
		const struct run *of, plait__front_list *out)
{
	plait__front_map_result result = PLAIT__FRONT_MAP_COLLECTED;
	struct run run = { 0, 0 };

	if (slabs->dimension == 1)
		return collect_rows(slabs, box, of, out);
	for (uint32_t i = of->first;
	     result == PLAIT__FRONT_MAP_COLLECTED && i < of->end; i++)
		result = follow_run(slabs->inner[i], box, &run) ?
				 collect_rows(slabs->inner[i], box, &run, out) :
				 PLAIT__FRONT_MAP_UNCUT;
	return result;
}

/* Follow a box from slab to slab, without recursion while there is one: boxes side
 * by side mostly are of one size.  Returns the last one, and the box's pieces there:
 * fronts, or several slabs.  Null: a border is missing. */
static inline const plait__slabs *
descend(const plait__slabs *slabs, const plait_box *box, struct run *run)
{
	for (;;) {
		uint64_t low = box->low[slabs->dimension];

		if (!find_run(slabs, low, box->high[slabs->dimension],
			      place_of(slabs, low), run))
			return NULL;
		if (slabs->inner == NULL || run->end - run->first > 1)
			return slabs;
		slabs = slabs->inner[run->first];
	}
}

plait__front *plait__front_map_find_row(plait__front_map *map,
					const plait_box *box, uint32_t *count)
{
	const plait__slabs *slabs = map->top;
	struct run run;

	*count = 1;
	if (slabs == NULL)
		return is_whole(map, box) ? &map->front : NULL;
	slabs = descend(slabs, box, &run);
	if (slabs == NULL || slabs->inner != NULL)
		return NULL;
	*count = run.end - run.first;
	return &slabs->fronts[run.first];
}

plait__front_map_result plait__front_map_collect(plait__front_map *map,
						 const plait_box *box,
						 plait__front_list *out)
{
	const plait__slabs *slabs = map->top;
	plait__front *first = &map->front;
	struct run run = { 0, 1 };

	if (slabs == NULL && !is_whole(map, box))
		return PLAIT__FRONT_MAP_UNCUT;
	if (slabs != NULL) {
		slabs = descend(slabs, box, &run);
		if (slabs == NULL)
			return PLAIT__FRONT_MAP_UNCUT;
		if (slabs->inner != NULL)
			return collect_several(slabs, box, &run, out);
		first = &slabs->fronts[run.first];
	}
	return append_row(out, first, run.end - run.first) ?
		       PLAIT__FRONT_MAP_COLLECTED : PLAIT__FRONT_MAP_NO_MEMORY;
}

void plait__front_map_free_list(plait__front_list *list)
{
	plait__free(list->allocator, list->items,
		    list->capacity * sizeof(*list->items));
	list->items = NULL;
}

/* ---- joining ---- */

static bool fronts_equal(const plait__front *one, const plait__front *other)
{
	return one->writer == other->writer && one->count == other->count &&
	       memcmp(one->readers, other->readers,
		      one->count * sizeof(*one->readers)) == 0;
}

static bool slabs_equal(const plait__slabs *one, const plait__slabs *other)
{
	if (one->count != other->count ||
	    memcmp(one->ends, other->ends, one->count * sizeof(*one->ends)) !=
		    0)
		return false;
	for (uint32_t i = 0; i < one->count; i++)
		if (one->fronts != NULL ?
			    !fronts_equal(&one->fronts[i], &other->fronts[i]) :
			    !slabs_equal(one->inner[i], other->inner[i]))
			return false;
	return true;
}

static bool pieces_equal(const plait__slabs *slabs, uint32_t i, uint32_t j)
{
	return slabs->fronts != NULL ?
		       fronts_equal(&slabs->fronts[i], &slabs->fronts[j]) :
		       slabs_equal(slabs->inner[i], slabs->inner[j]);
}

static void join(plait__front_map *map, plait__slabs *slabs)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; slabs->inner != NULL && i < slabs->count; i++)
		join(map, slabs->inner[i]);
	for (uint32_t i = 1; i < slabs->count; i++) {
		if (pieces_equal(slabs, kept, i)) {
			if (slabs->inner != NULL)
				free_slabs(map, slabs->inner[i]);
			else
				map->pieces--;
		} else if (++kept != i && slabs->inner != NULL) {
			slabs->inner[kept] = slabs->inner[i];
		} else if (kept != i) {
			slabs->fronts[kept] = slabs->fronts[i];
		}
		slabs->ends[kept] = slabs->ends[i];
	}
	slabs->count = kept + 1;
	set_density(slabs);
}

void plait__front_map_join(plait__front_map *map)
{
	if (map->top == NULL)
		return;
	join(map, map->top);
	if (map->join_at < 2 * map->pieces)
		map->join_at = 2 * map->pieces;
}

/* ---- ends ---- */

void plait__front_map_init(plait__front_map *map,
			   const plait_allocator *allocator,
			   const plait_box *whole)
{
	*map = (plait__front_map){ .allocator = allocator, .whole = *whole,
				   .join_at = PLAIT__FRONT_MAP_JOIN };
}

void plait__front_map_fini(plait__front_map *map)
{
	if (map->top != NULL)
		free_slabs(map, map->top);
	map->top = NULL;
}
