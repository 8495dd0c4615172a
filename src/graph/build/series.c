/* SPDX-License-Identifier: MIT */
/*
 * Series of a node.  Each use has an entry of its own in the table, so a
 * geometry with series is never equal to another one.
 */
#include "graph/build/series.h"

#include "graph/build/object_refs.h"
#include "graph/build/scopes.h"
#include "base/error.h"
#include "base/sized_struct.h"

#include <stdio.h>
#include <string.h>

static plait_status fail(const plait__node_draft *draft, const char *what,
			 const char *fault)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s: %s",
			   plait__refs_node_text(draft, room), what, fault);
}

/* Read the series at `from`, of the size that the caller compiled with. */
static plait_status read_series(const plait__node_draft *draft,
				const void *from, const char *what,
				plait_series *out)
{
	char room[PLAIT__REFS_TEXT_BYTES];
	plait_status status =
		PLAIT__STRUCT_READ(plait_series, out, from, draft->error);

	if (status != PLAIT_OK)
		plait__error_prefix(draft->error, "%s: %s: ",
				    plait__refs_node_text(draft, room), what);
	out->size = sizeof(*out);
	return status;
}

/* `loop`: the innermost loop around the node, or none. */
static plait_status check_series(const plait__node_draft *draft,
				 const plait_series *series, uint32_t loop,
				 const char *what)
{
	const plait__store *store = draft->graph->store;
	const plait__store_region *region;

	if ((series->flags & ~(uint32_t)PLAIT_SERIES_FROM_COUNT) != 0)
		return fail(draft, what, "flags of its series are not known");
	if (series->limit < 0)
		return fail(draft, what, "the limit of its series is below 0");
	if (loop == PLAIT__NONE)
		return fail(draft, what, "a series exists only in the body of "
			    "a loop");
	region = plait__vector_at(&store->regions, loop);
	if ((series->flags & PLAIT_SERIES_FROM_COUNT) != 0 &&
	    region->input.kind != PLAIT__REGION_REPEAT)
		return fail(draft, what, "PLAIT_SERIES_FROM_COUNT needs a "
			    "repeat; other loops have no count");
	return PLAIT_OK;
}

plait_status plait__series_push(plait__node_draft *draft,
				const plait_series *series, const char *what,
				uint32_t *out)
{
	plait__store *store = draft->graph->store;
	uint32_t loop = plait__scopes_enclosing_loop(store,
						     draft->graph->scope);
	plait_status status;
	plait_series copy;
	plait__plan_series entry;

	status = read_series(draft, series, what, &copy);
	if (status == PLAIT_OK)
		status = check_series(draft, &copy, loop, what);
	if (status != PLAIT_OK)
		return status;
	entry = (plait__plan_series){ .region = loop, .flags = copy.flags,
				      .offset = copy.offset,
				      .scale = copy.scale,
				      .limit = copy.limit };
	*out = store->series.count;
	if (plait__vector_push(&store->series, &entry, 1) == NULL)
		return plait__fail(draft->error, PLAIT_E_NOMEM,
				   "no memory for a series");
	return PLAIT_OK;
}

/* Find the series of a dimension.  The first one's size holds for all.  The
 * number is below series_count. */
static plait_status read_items(const plait__node_draft *draft, uint64_t number,
			       const char *what, plait_series *out)
{
	const char *first = (const char *)draft->desc->series;
	unsigned char copy[PLAIT__SIZED_STRUCT_MAX_BYTES];
	uint32_t size;
	plait_status status;

	status = read_series(draft, first, what, out);
	if (status != PLAIT_OK || number == 0)
		return status;
	memcpy(&size, first, sizeof(size));
	memcpy(copy, first + number * size, size);
	memcpy(copy, &size, sizeof(size));
	return read_series(draft, copy, what, out);
}

static bool is_empty(const plait_series *series)
{
	return series->flags == 0 && series->offset == 0 &&
	       series->scale == 0 && series->limit == 0;
}

plait_status plait__series_push_items(plait__node_draft *draft,
				      plait__plan_geometry *geometry)
{
	const plait_node_desc *desc = draft->desc;
	plait_status status = PLAIT_OK;
	plait_series series;
	char what[40];
	uint32_t index;

	if (desc->series == NULL && desc->series_count == 0)
		return PLAIT_OK;
	if (desc->series == NULL || desc->series_count == 0)
		return fail(draft, "series", "set both series and "
			    "series_count");
	if (desc->launch_parameter != NULL)
		return fail(draft, "series", "launch_parameter is set, which "
			    "replaces all items");
	if (desc->series_count > geometry->dimensions)
		return fail(draft, "series", "series_count is above the "
			    "dimensions of the launch");
	for (uint64_t i = 0; i < desc->series_count && status == PLAIT_OK;
	     i++) {
		(void)snprintf(what, sizeof(what), "series[%u]", (unsigned)i);
		status = read_items(draft, i, what, &series);
		if (status != PLAIT_OK || is_empty(&series))
			continue;
		status = plait__series_push(draft, &series, what, &index);
		geometry->series[i] = index + 1;
	}
	return status;
}
