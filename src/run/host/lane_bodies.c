/* SPDX-License-Identifier: MIT */
/* Which lane has a part of which body, in the order in which they are compiled. */
#include "run/host/lane_bodies.h"

#include "base/alloc.h"

uint32_t plait__lane_bodies_home(const plait__lane_compiler *c, uint32_t region)
{
	return c->serial ? 0 :
	       c->plan->region_lanes[c->plan->regions[region].lane_first];
}

static bool home_has_track(const plait__lane_compiler *c, uint32_t body)
{
	uint32_t region = c->plan->bodies[body].region;

	return region == PLAIT__NONE ||
	       plait__plan_find_track(c->plan, body,
				      plait__lane_bodies_home(c, region)) !=
		       PLAIT__NONE;
}

/* Something for each piece. */
typedef void visit_piece(plait__lane_compiler *c, const plait__lane_body *piece);

static void each_folded(plait__lane_compiler *c, visit_piece *add)
{
	for (uint32_t i = 0; i < c->merge->lane_count; i++)
		add(c, &(plait__lane_body){ .lane = i, .track = i });
}

/* In the order of bodies. */
static void each_piece(plait__lane_compiler *c, visit_piece *add)
{
	for (uint32_t b = 0; b < c->plan->bodies_count; b++) {
		const plait__plan_body *body = &c->plan->bodies[b];
		plait__lane_body piece = { 0, b, PLAIT__NONE };

		for (uint32_t t = 0; !c->serial && t < body->track_count;
		     t++) {
			piece.track = body->track_first + t;
			piece.lane = c->plan->tracks[piece.track].lane;
			add(c, &piece);
		}
		piece.track = PLAIT__NONE;
		if (c->serial || !home_has_track(c, b)) {
			piece.lane = body->region != PLAIT__NONE ?
				     plait__lane_bodies_home(c, body->region) :
				     0;
			add(c, &piece);
		}
	}
}

static void count_piece(plait__lane_compiler *c, const plait__lane_body *piece)
{
	c->flat->lanes[piece->lane].part++;
	c->piece_count++;
}

static void put_piece(plait__lane_compiler *c, const plait__lane_body *piece)
{
	c->pieces[c->flat->lanes[piece->lane].part++] = *piece;
}

/* By lane: a counting sort.  `part` of a lane is where its next one goes. */
bool plait__lane_bodies_sort(plait__lane_compiler *c)
{
	plait__lane_program *flat = c->flat;
	void (*each)(plait__lane_compiler *c, visit_piece *add) =
		c->merge != NULL ? each_folded : each_piece;
	uint32_t before = 0;

	each(c, count_piece);
	c->pieces = plait__alloc_array(plait__program_allocator(c->program),
				       c->piece_count, sizeof(*c->pieces));
	if (c->pieces == NULL)
		return false;
	for (uint32_t i = 0; i < flat->lane_count; i++) {
		uint32_t count = flat->lanes[i].part;

		flat->lanes[i].part = before;
		before += count;
	}
	each(c, put_piece);
	return true;
}
