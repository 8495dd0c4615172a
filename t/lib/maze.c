/* SPDX-License-Identifier: MIT */
/* Generation of mazes from numbers; see maze.h. */
#include "maze.h"

#include <string.h>

/* ---- numbers ---- */

uint64_t maze_next(struct maze_random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint64_t maze_below(struct maze_random *random, uint64_t bound)
{
	return maze_next(random) % bound;
}

uint64_t maze_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x632be59bd9b4e019u)) * 0xff51afd7ed558ccdu;

	return x ^ x >> 32;
}

uint64_t maze_seed(uint64_t seed, uint64_t number)
{
	struct maze_random random = { seed };

	return maze_mix(maze_next(&random), number);
}

uint32_t maze_count(const struct maze_spot *region, uint32_t visit)
{
	struct maze_random random = {
		maze_mix(region->maze->seed, region->number * 1000 + visit)
	};

	if (region->kind == MAZE_CASE)
		/* One child too many means none. */
		return (uint32_t)maze_below(&random, region->branches + 1);
	if (region->kind == MAZE_DO)
		return 1 + (uint32_t)maze_below(&random, 3);
	return (uint32_t)maze_below(&random, 4);
}

uint64_t maze_number(const struct maze_spot *spot, uint64_t (*numbers)[2],
		     uint32_t turn, uint64_t extra)
{
	uint64_t number = maze_mix(spot->number, maze_mix(turn, extra));

	for (uint64_t m = spot->before | spot->inside; m != 0; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(m);

		number = maze_mix(number, numbers[i][0]);
		number = maze_mix(number, numbers[i][1]);
	}
	for (uint64_t m = spot->beside; m != 0; m &= m - 1)
		number = maze_mix(number, numbers[__builtin_ctzll(m)]
						 [(turn + 1) & 1]);
	return number;
}

bool maze_stamps(const struct maze_spot *spot)
{
	return spot->kind < MAZE_JOIN ||
	       (spot->kind >= MAZE_WHILE && !spot->by_word);
}

uint32_t maze_turn_buffer(const struct maze_rotation *rotation, uint64_t i)
{
	if (!rotation->prologue)
		return rotation->first + (uint32_t)(i % rotation->count);
	if (i == 0)
		return rotation->first;
	return rotation->first + 1 + (uint32_t)((i - 1) % (rotation->count - 1));
}

/* ---- spots ---- */

struct maker {
	struct maze *maze;
	struct maze_random random;
};

static uint64_t bit(uint32_t number)
{
	/* Spare spots are thrown away. */
	return (uint64_t)1 << number % MAZE_SPOTS;
}

static bool room_for(const struct maker *maker, uint32_t count)
{
	return maker->maze->spot_count + count <= MAZE_SPOTS;
}

static uint32_t new_buffers(struct maze *maze, uint32_t count)
{
	uint32_t first = maze->buffer_count;

	maze->buffer_count += count;
	return first;
}

static bool has_buffers(const struct maker *maker, uint32_t count)
{
	return maker->maze->buffer_count + count <= MAZE_BUFFERS;
}

static void follow(struct maze_spot *spot, uint32_t before)
{
	for (uint32_t i = 0; i < spot->after_count; i++)
		if (spot->after[i] == before)
			return;
	spot->after[spot->after_count++] = before;
}

static uint32_t pick(struct maker *maker, uint64_t mask)
{
	uint64_t skip = maze_below(&maker->random,
				   (uint64_t)__builtin_popcountll(mask));

	while (skip-- > 0)
		mask &= mask - 1;
	return (uint32_t)__builtin_ctzll(mask);
}

/* After up to two of the existing spots; room is left for two more. */
static struct maze_spot *add_spot(struct maker *maker, uint32_t body,
				  enum maze_kind kind)
{
	struct maze *maze = maker->maze;
	uint32_t number = maze->spot_count++;
	struct maze_spot *spot = &maze->spots[number];
	uint64_t others = maze->bodies[body].spots;

	*spot = (struct maze_spot){
		.maze = maze, .kind = kind, .number = number, .body = body,
		.rotation = MAZE_NONE, .region = MAZE_NONE,
		.cost = 1 + maze_below(&maker->random, 20),
	};
	for (uint32_t i = 0; others != 0 && i < 2; i++)
		if (maze_below(&maker->random, 5) < 3)
			follow(spot, pick(maker, others));
	maze->bodies[body].spots |= bit(number);
	return spot;
}

/* ---- the contents of a body ---- */

static bool in_loop(const struct maze *maze, uint32_t body)
{
	while (maze->bodies[body].region != MAZE_NONE) {
		const struct maze_spot *region =
			&maze->spots[maze->bodies[body].region];

		if (region->kind != MAZE_CASE)
			return true;
		body = region->body;
	}
	return false;
}

/* A rotation of a loop around the body, or none. */
static uint32_t rotation_around(struct maker *maker, uint32_t body)
{
	const struct maze *maze = maker->maze;
	uint32_t found = MAZE_NONE;

	for (;;) {
		const struct maze_body *at = &maze->bodies[body];

		if (at->rotation != MAZE_NONE &&
		    (found == MAZE_NONE || maze_below(&maker->random, 2)))
			found = at->rotation;
		if (at->region == MAZE_NONE)
			return found;
		body = maze->spots[at->region].body;
	}
}

static void add_data(struct maker *maker, uint32_t body)
{
	struct maze_spot *fill, *copy, *look;
	uint32_t buffers, rotation = rotation_around(maker, body);

	if (!room_for(maker, 3) || !has_buffers(maker, 2))
		return;
	buffers = new_buffers(maker->maze, 2);
	fill = add_spot(maker, body, MAZE_FILL);
	copy = add_spot(maker, body, MAZE_COPY);
	look = add_spot(maker, body, MAZE_LOOK);
	fill->buffer = copy->source = buffers;
	copy->buffer = look->buffer = buffers + 1;
	if (rotation != MAZE_NONE && maze_below(&maker->random, 2) != 0) {
		copy->source = MAZE_NONE;
		copy->rotation = rotation;
	}
	follow(copy, fill->number);
	follow(look, copy->number);
}

static void add_leaf(struct maker *maker, uint32_t body)
{
	static const enum maze_kind kinds[] = {
		MAZE_CALL, MAZE_CALL, MAZE_PLAIN, MAZE_PLAIN, MAZE_NUMBER,
		MAZE_VALUE, MAZE_SIZE, MAZE_SCRATCH, MAZE_LOOK, MAZE_JOIN,
		MAZE_MARK, MAZE_FILL,
	};
	struct maze *maze = maker->maze;
	enum maze_kind kind = kinds[maze_below(&maker->random,
					       TAP_COUNT(kinds))];
	uint32_t rotation = rotation_around(maker, body);
	struct maze_spot *spot;

	if (kind == MAZE_FILL) {
		add_data(maker, body);
		return;
	}
	if ((kind == MAZE_NUMBER && !in_loop(maze, body)) ||
	    (kind == MAZE_LOOK && rotation == MAZE_NONE))
		kind = MAZE_PLAIN;
	spot = add_spot(maker, body, kind);
	spot->rotation = kind == MAZE_LOOK ? rotation : MAZE_NONE;
	maze->has_value |= kind == MAZE_VALUE;
	maze->has_size |= kind == MAZE_SIZE;
}

static void fill_body(struct maker *maker, uint32_t body, uint32_t count);

static uint32_t new_body(struct maker *maker, uint32_t region, uint32_t depth)
{
	struct maze *maze = maker->maze;
	uint32_t body = maze->body_count++;

	maze->bodies[body] = (struct maze_body){
		.region = region, .depth = depth, .rotation = MAZE_NONE,
	};
	return body;
}

/* Spots that write the next buffer of a rotation: one, or two with a buffer
 * between them. */
static void add_writers(struct maker *maker, uint32_t body, uint32_t rotation)
{
	struct maze_spot *spot, *copy;

	if (maze_below(&maker->random, 4) == 0) {
		spot = add_spot(maker, body, MAZE_FILL);
		spot->rotation = rotation;
		spot->buffer = MAZE_NONE;
		return;
	}
	spot = add_spot(maker, body, MAZE_TURN);
	spot->rotation = rotation;
	spot->buffer = MAZE_NONE;
	if (!has_buffers(maker, 1) || maze_below(&maker->random, 2) == 0)
		return;
	copy = add_spot(maker, body, MAZE_COPY);
	copy->rotation = rotation;
	copy->buffer = MAZE_NONE;
	copy->source = spot->buffer = new_buffers(maker->maze, 1);
	follow(copy, spot->number);
}

/* Buffers of a rotation, and the spots that write the next one. */
static void add_rotation(struct maker *maker, uint32_t body)
{
	struct maze *maze = maker->maze;
	bool prologue = maze_below(&maker->random, 2) != 0;
	uint32_t count = 2 + prologue + (uint32_t)maze_below(&maker->random, 3);
	uint32_t number = maze->rotation_count;

	if (!room_for(maker, 2) || !has_buffers(maker, count) ||
	    number == MAZE_ROTATIONS)
		return;
	maze->rotation_count++;
	maze->rotations[number] = (struct maze_rotation){
		.body = body, .first = new_buffers(maze, count),
		.count = count, .prologue = prologue,
	};
	maze->bodies[body].rotation = number;
	add_writers(maker, body, number);
}

static void fill_region(struct maker *maker, struct maze_spot *region,
			uint32_t depth)
{
	struct maze *maze = maker->maze;

	for (uint32_t b = 0; b < region->branches; b++) {
		uint32_t body = new_body(maker, region->number, depth);

		region->bodies[b] = body;
		if (region->kind != MAZE_CASE && region->by_word) {
			struct maze_spot *lower = add_spot(maker, body,
							   MAZE_LOWER);

			lower->region = region->number;
			lower->buffer = region->buffer;
		}
		if (region->kind != MAZE_CASE &&
		    maze_below(&maker->random, 2) != 0)
			add_rotation(maker, body);
		fill_body(maker, body,
			  1 + (uint32_t)maze_below(&maker->random, 5));
		/* A body is never empty. */
		if (maze->bodies[body].spots == 0)
			(void)add_spot(maker, body, MAZE_PLAIN);
	}
}

/* A spot behind a loop that reads the loop's final buffer. */
static void look_behind(struct maker *maker, const struct maze_spot *region)
{
	const struct maze *maze = maker->maze;
	uint32_t rotation = maze->bodies[region->bodies[0]].rotation;
	struct maze_spot *look;

	if (rotation == MAZE_NONE || !room_for(maker, 1))
		return;
	look = add_spot(maker, region->body, MAZE_LOOK);
	look->rotation = rotation;
	follow(look, region->number);
}

static void add_region(struct maker *maker, uint32_t body)
{
	struct maze *maze = maker->maze;
	uint32_t depth = maze->bodies[body].depth + 1;
	bool by_word = maze_below(&maker->random, 2) != 0 &&
		       has_buffers(maker, 1);
	struct maze_spot *set = by_word ? add_spot(maker, body, MAZE_SET) :
					  NULL;
	struct maze_spot *region = add_spot(
		maker, body,
		MAZE_WHILE + (enum maze_kind)maze_below(&maker->random, 3));

	region->branches = 1;
	if (region->kind == MAZE_CASE)
		region->branches += (uint32_t)maze_below(&maker->random,
							 MAZE_BRANCHES);
	region->by_word = by_word;
	if (by_word) {
		region->buffer = set->buffer = new_buffers(maze, 1);
		set->region = region->number;
		follow(region, set->number);
	}
	fill_region(maker, region, depth);
	if (region->kind != MAZE_CASE)
		look_behind(maker, region);
}

static bool wants_region(struct maker *maker, uint32_t body)
{
	const struct maze *maze = maker->maze;

	/* Each branch takes two spots at least. */
	return !maze->overlaps && room_for(maker, 12) &&
	       maze->bodies[body].depth < MAZE_DEPTH &&
	       maze->body_count + 12 <= MAZE_BODIES &&
	       maze_below(&maker->random, 4) == 0;
}

static void fill_body(struct maker *maker, uint32_t body, uint32_t count)
{
	for (uint32_t i = 0; i < count && room_for(maker, 10); i++) {
		if (maker->maze->overlaps)
			(void)add_spot(maker, body, MAZE_STATE);
		else if (wants_region(maker, body))
			add_region(maker, body);
		else
			add_leaf(maker, body);
	}
}

/* ---- the order of spots ---- */

static void find_inside(struct maze *maze)
{
	/* A body's number is greater than that of the one around it. */
	for (uint32_t b = maze->body_count; b-- > 0;) {
		struct maze_body *body = &maze->bodies[b];

		body->inside |= body->spots;
		if (body->region != MAZE_NONE)
			maze->bodies[maze->spots[body->region].body].inside |=
				body->inside;
	}
}

static uint64_t inside_of(const struct maze_spot *region)
{
	uint64_t inside = 0;

	for (uint32_t b = 0; b < region->branches; b++)
		inside |= region->maze->bodies[region->bodies[b]].inside;
	return inside;
}

/* Regions do not know the iteration of their body. */
static uint64_t regions_of(const struct maze *maze)
{
	uint64_t regions = 0;

	for (uint32_t i = 0; i < maze->spot_count; i++)
		if (maze->spots[i].branches > 0)
			regions |= bit(i);
	return regions;
}

/* A spot comes later than its predecessors, and than the region around it. */
static void find_before(struct maze *maze, struct maze_spot *spot)
{
	uint32_t region = maze->bodies[spot->body].region;

	if (region != MAZE_NONE)
		spot->before = maze->spots[region].before | bit(region);
	for (uint32_t i = 0; i < spot->after_count; i++) {
		const struct maze_spot *other = &maze->spots[spot->after[i]];

		spot->before |= bit(other->number) | inside_of(other);
		if (!maze_stamps(other))
			spot->before |= other->before;
	}
	spot->inside = inside_of(spot);
	if (region != MAZE_NONE && spot->branches == 0)
		spot->beside = maze->bodies[spot->body].spots &
			       ~regions_of(maze);
}

static void start_over(struct maker *maker, uint64_t seed, uint32_t size,
		       bool overlaps)
{
	struct maze *maze = maker->maze;

	memset(maze, 0, sizeof(*maze));
	maze->seed = maker->random.state = seed;
	maze->overlaps = overlaps;
	fill_body(maker, new_body(maker, MAZE_NONE, 0), size);
	if (maze->spot_count == 0)
		(void)add_spot(maker, 0, overlaps ? MAZE_STATE : MAZE_PLAIN);
}

void maze_make(struct maze *maze, uint64_t seed, uint32_t size, bool overlaps)
{
	struct maker maker = { .maze = maze };

	start_over(&maker, seed, size, overlaps);
	/* Branches that are not generated yet need room, too, and once in a
	 * million mazes none is left for them: then a smaller maze is made. */
	while (maze->spot_count > MAZE_SPOTS)
		start_over(&maker, seed, size /= 2, overlaps);
	find_inside(maze);
	for (uint32_t i = 0; i < maze->spot_count; i++)
		find_before(maze, &maze->spots[i]);
}
