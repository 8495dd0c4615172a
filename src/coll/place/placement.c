/* SPDX-License-Identifier: MIT */
/* State of the placement; see placement.h. */
#include "coll/place/placement.h"

#include "base/alloc.h"

void plait__placement_init(plait__placement *place, plait__dag *dag,
		       const plait__placement_limits *limits)
{
	const plait_allocator *allocator = dag->allocator;

	*place = (plait__placement){ .dag = dag, .limits = limits };
	plait__vector_init(&place->connections, allocator,
			   sizeof(plait__placement_connection));
	plait__vector_init(&place->lanes, allocator,
			   sizeof(plait__placement_lane));
	plait__number_map_init(&place->connection_of, allocator);
	plait__number_map_init(&place->lane_of, allocator);
}

static void free_numbers(const plait__placement *place, uint32_t *numbers)
{
	plait__free(place->dag->allocator, numbers,
		    place->dag->nodes.count * sizeof(*numbers));
}

void plait__placement_fini(plait__placement *place)
{
	plait__vector_fini(&place->connections);
	plait__vector_fini(&place->lanes);
	plait__number_map_fini(&place->connection_of);
	plait__number_map_fini(&place->lane_of);
	if (place->dag->schedule != NULL)
		plait__free(place->dag->allocator, place->first_lane,
			    (place->dag->schedule->rank_count + 1) *
				    sizeof(*place->first_lane));
	free_numbers(place, place->connection);
	free_numbers(place, place->lane);
	free_numbers(place, place->step);
	free_numbers(place, place->sequence);
}
