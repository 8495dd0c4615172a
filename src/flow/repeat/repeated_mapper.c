/* SPDX-License-Identifier: MIT */
/* Mappers of repeated tasks; see repeated_mapper.h. */
#include "flow/repeat/repeated_mapper.h"

#include <stddef.h>
#include <string.h>

/* A mapper with more boxes costs more than a comparison saves. */
enum { MOST = 64 };

uint64_t plait__repeated_mapper_boxes(const plait_mapper *mapper)
{
	return mapper->kind == PLAIT_MAPPER_FIXED ||
			       mapper->kind == PLAIT_MAPPER_BOXES ?
		       mapper->box_count : 0;
}

bool plait__repeated_mapper_applies(const plait_mapper *mapper)
{
	uint64_t boxes;

	if (mapper == NULL)
		return true;
	if (mapper->size != sizeof(*mapper) ||
	    mapper->kind >= PLAIT_MAPPER_FUNCTION)
		return false;
	boxes = plait__repeated_mapper_boxes(mapper);
	return boxes <= MOST && (boxes == 0 || mapper->boxes != NULL);
}

bool plait__repeated_mapper_equals(const plait_mapper *a, const plait_mapper *b)
{
	uint64_t boxes;

	if (a == NULL || b == NULL)
		return a == b;
	boxes = plait__repeated_mapper_boxes(a);
	return a->kind == b->kind && a->dimension == b->dimension &&
	       a->flags == b->flags &&
	       memcmp(a->extent, b->extent, sizeof(a->extent)) == 0 &&
	       (boxes == 0 ||
		(boxes == b->box_count &&
		 memcmp(a->boxes, b->boxes, boxes * sizeof(*a->boxes)) == 0));
}
