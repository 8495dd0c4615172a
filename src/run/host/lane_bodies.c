/* SPDX-License-Identifier: MIT */
/* Parts of bodies by lane, in the order of compilation. */
#include "run/host/lane_bodies.h"

#include "base/alloc.h"

const plait__plan_track *plait__lane_bodies_track(const plait__lane_compiler *c,
						  uint32_t track)
{
	return c->merge != NULL ? &c->merge->tracks[track] :
				  &c->plan->tracks[track];
}

const uint32_t *plait__lane_bodies_region_lanes(const plait__lane_compiler *c,
						uint32_t region,
						uint32_t *out_first,
						uint32_t *out_count)
{
	const plait__lane_merge *merge = c->merge;

	*out_first = merge != NULL ? merge->region_first[region] :
				     c->plan->regions[region].lane_first;
	*out_count = merge != NULL ?
		     merge->region_first[region + 1] - *out_first :
		     c->plan->regions[region].lane_count;
	return (merge != NULL ? merge->region_lanes : c->plan->region_lanes) +
	       *out_first;
}

uint32_t plait__lane_bodies_home(const plait__lane_compiler *c, uint32_t region)
{
	uint32_t first, count;

	return c->serial ? 0 : *plait__lane_bodies_region_lanes(
		       c, region, &first, &count);
}

static uint32_t find_track(const plait__lane_compiler *c, uint32_t body,
			   uint32_t lane)
{
	return c->merge != NULL ?
	       plait__lane_merge_find_track(c->merge, body, lane) :
	       plait__plan_find_track(c->plan, body, lane);
}

static bool home_has_track(const plait__lane_compiler *c, uint32_t body)
{
	uint32_t region = c->plan->bodies[body].region;

	return region == PLAIT__NONE ||
	       find_track(c, body, plait__lane_bodies_home(c, region)) !=
		       PLAIT__NONE;
}

/* Called for each part. */
typedef void visit_body(plait__lane_compiler *c,
			const plait__lane_body *lane_body);

static void each_track(plait__lane_compiler *c, uint32_t body, visit_body *add)
{
	const plait__plan_body *at = &c->plan->bodies[body];
	uint32_t first = c->merge != NULL ? c->merge->track_first[body] :
					    at->track_first;
	uint32_t end = c->merge != NULL ? c->merge->track_first[body + 1] :
					  first + at->track_count;

	for (uint32_t t = first; t < end; t++)
		add(c, &(plait__lane_body){
			.lane = plait__lane_bodies_track(c, t)->lane,
			.body = body, .track = t,
		});
}

/* Visit the parts in the order of bodies. */
static void each_body(plait__lane_compiler *c, visit_body *add)
{
	for (uint32_t b = 0; b < c->plan->bodies_count; b++) {
		uint32_t region = c->plan->bodies[b].region;

		if (!c->serial)
			each_track(c, b, add);
		if (c->serial || !home_has_track(c, b))
			add(c, &(plait__lane_body){
				.lane = region != PLAIT__NONE ?
					plait__lane_bodies_home(c, region) : 0,
				.body = b, .track = PLAIT__NONE,
			});
	}
}

static void count_body(plait__lane_compiler *c,
		       const plait__lane_body *lane_body)
{
	c->compiled->lanes[lane_body->lane].part++;
	c->lane_body_count++;
}

/* plait__lane_bodies_sort has turned counts into indices. */
static void put_body(plait__lane_compiler *c, const plait__lane_body *lane_body)
{
	c->lane_bodies[c->compiled->lanes[lane_body->lane].part++] = *lane_body;
}

/* Sort the parts by lane (counting sort).  `part` of a lane is the index of
 * its next one. */
bool plait__lane_bodies_sort(plait__lane_compiler *c)
{
	plait__lane_program *compiled = c->compiled;
	uint32_t before = 0;

	each_body(c, count_body);
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
	each_body(c, put_body);
	return true;
}
