/* SPDX-License-Identifier: MIT */
/* Open mappings of a flow; see mappings.h. */
#include "flow/mappings.h"

#include "base/alloc.h"
#include "object/wait/suspension.h"

plait__data_mapping *plait__mappings_take(plait__flow *flow)
{
	plait__data_mapping *mapping = flow->spare_mappings;

	if (mapping == NULL)
		return plait__alloc(plait__flow_allocator(flow),
				    sizeof(*mapping));
	flow->spare_mappings = mapping->next;
	return mapping;
}

void plait__mappings_keep(plait__flow *flow, plait__data_mapping *mapping)
{
	mapping->next = flow->spare_mappings;
	flow->spare_mappings = mapping;
}

plait__data_mapping *plait__mappings_find(plait__data *data, const char *pointer)
{
	const uint64_t owner = plait__suspension_owner();
	plait__data_mapping *found = NULL;

	for (plait__data_mapping *at = data->flow->mappings; at != NULL;
	     at = at->next) {
		if (at->data != data ||
		    (pointer != NULL && at->pointer != pointer))
			continue;
		if (at->owner == owner)
			return at;
		found = found != NULL ? found : at;
	}
	return found;
}

void plait__mappings_end(plait__data_mapping *mapping)
{
	plait__flow *flow = mapping->data->flow;
	plait__data_mapping **link = &flow->mappings;

	while (*link != mapping)
		link = &(*link)->next;
	*link = mapping->next;
	if (flow->is_fixed && mapping->number > plait__flow_settled(flow))
		flow->lane_of[mapping->number & flow->window.ring.mask] =
			PLAIT__LANE_ENDED;
	plait__flow_lanes_finish(&flow->lanes, mapping->number);
	/* For the ops behind it. */
	plait__flow_lanes_stir(&flow->lanes);
	plait__mappings_keep(flow, mapping);
}

void plait__mappings_end_all(plait__data *data)
{
	plait__data_mapping *at = plait__mappings_find(data, NULL);

	for (; at != NULL; at = plait__mappings_find(data, NULL))
		plait__mappings_end(at);
}
