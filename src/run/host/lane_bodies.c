/* SPDX-License-Identifier: MIT */
/* Parts of bodies by lane, in the order of compilation. */
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

/* Called for each part. */
typedef void visit_body(plait__lane_compiler *c,
			const plait__lane_body *lane_body);

static void each_merged(plait__lane_compiler *c, visit_body *add)
{
	for (uint32_t i = 0; i < c->merge->lane_count; i++)
		add(c, &(plait__lane_body){ .lane = i, .track = i });
}

/* Visit the parts in the order of bodies. */
static void each_body(plait__lane_compiler *c, visit_body *add)
{
	for (uint32_t b = 0; b < c->plan->bodies_count; b++) {
		const plait__plan_body *body = &c->plan->bodies[b];
		plait__lane_body lane_body = { 0, b, PLAIT__NONE };

		for (uint32_t t = 0; !c->serial && t < body->track_count;
		     t++) {
			lane_body.track = body->track_first + t;
			lane_body.lane = c->plan->tracks[lane_body.track].lane;
			add(c, &lane_body);
		}
		lane_body.track = PLAIT__NONE;
		if (c->serial || !home_has_track(c, b)) {
			lane_body.lane = body->region != PLAIT__NONE ?
				     plait__lane_bodies_home(c, body->region) :
				     0;
			add(c, &lane_body);
		}
	}
}

static void count_body(plait__lane_compiler *c,
		       const plait__lane_body *lane_body)
{
	c->compiled->lanes[lane_body->lane].part++;
	c->lane_body_count++;
}

static void put_body(plait__lane_compiler *c, const plait__lane_body *lane_body)
{
	c->lane_bodies[c->compiled->lanes[lane_body->lane].part++] = *lane_body;
}

/* Sort the parts by lane (counting sort).  `part` of a lane is the index of
 * its next one. */
bool plait__lane_bodies_sort(plait__lane_compiler *c)
{
	plait__lane_program *compiled = c->compiled;
	void (*each)(plait__lane_compiler *c, visit_body *add) =
		c->merge != NULL ? each_merged : each_body;
	uint32_t before = 0;

	each(c, count_body);
	c->lane_bodies =
		plait__alloc_array(plait__program_allocator(c->program),
				   c->lane_body_count, sizeof(*c->lane_bodies));
	if (c->lane_bodies == NULL)
		return false;
	for (uint32_t i = 0; i < compiled->lane_count; i++) {
		uint32_t count = compiled->lanes[i].part;

		compiled->lanes[i].part = before;
		before += count;
	}
	each(c, put_body);
	return true;
}
