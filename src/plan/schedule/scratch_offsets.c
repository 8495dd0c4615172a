/* SPDX-License-Identifier: MIT */
/*
 * Scratch offsets: a range in the device's arena for each command that needs
 * scratch.  Commands that may run concurrently never overlap.
 *
 * `strict`: commands of one lane never run concurrently, in whichever bodies
 * they are.  So each lane has one range, as large as the largest need of its
 * commands.
 *
 * `helped`: only edges order commands.  The nodes of each scope are covered
 * with chains of ancestors (chain_cover.c); each chain has a range, and a
 * region's range holds all ranges of its bodies.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

#include <string.h>

/* Least alignment of ranges; their sizes are multiples of it. */
enum { ALIGN_BYTES = 256 };

struct memory {
	plait__planner_state *planner;
	uint64_t *place;	/* by lane: bytes, then offset */
	uint64_t *item_bytes;	/* helped: by item, including bodies */
	uint64_t *item_offset;	/* helped: by item */
	uint64_t *total;	/* by device */
	uint32_t capacity;	/* of plan->scratch */
};

static plait_status fail_size(plait__planner_state *planner)
{
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "the scratch of all nodes is more than 2^63 - 1 bytes");
}

/* Returns the scratch of an item; stubs have none. */
static uint64_t scratch_of(const plait__planner_state *planner, uint32_t t,
			   uint32_t k)
{
	if (k > 0 && !plait__planner_is_group(planner, t))
		return 0;
	return plait__planner_node(planner, t)->scratch_bytes;
}

static bool round_up(uint64_t *value, uint64_t step)
{
	uint64_t over = *value % step;

	return over == 0 || !__builtin_add_overflow(*value, step - over, value);
}

/* Turn the sizes of ranges into offsets, device by device. */
static bool lay_out(const plait__input *input, uint64_t *place,
		    const uint32_t *device, uint32_t count, uint64_t *total)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *end = &total[device[i]], bytes = place[i];
		uint64_t step = input->devices[device[i]].alignment_bytes;

		step = step > ALIGN_BYTES ? step : ALIGN_BYTES;
		if (bytes > 0 && !round_up(end, step))
			return false;
		place[i] = *end;
		if (!round_up(&bytes, ALIGN_BYTES) ||
		    __builtin_add_overflow(*end, bytes, end) ||
		    *end > INT64_MAX)
			return false;
	}
	return true;
}

static plait_status add_scratch(struct memory *m, uint32_t command,
				uint64_t offset, uint64_t bytes)
{
	plait__plan *plan = m->planner->plan;
	plait__plan_scratch *scratch;

	if (plait__workspace_reserve(&m->planner->work, (void **)&plan->scratch,
				     &m->capacity, plan->scratch_count + 1ull,
				     sizeof(*scratch)) != PLAIT_OK)
		return plait__planner_no_memory(m->planner);
	scratch = &plan->scratch[plan->scratch_count++];
	scratch->command = command;
	scratch->device = plan->lanes[plan->commands[command].lane].device;
	scratch->offset = offset;
	scratch->bytes = bytes;
	return PLAIT_OK;
}

/* Ascending by command.  Takes `planner->lane` for its own list: no later phase
 * reads the lanes. */
static plait_status store(struct memory *m)
{
	plait__planner_state *planner = m->planner;
	plait__plan *plan = planner->plan;
	plait_status status = PLAIT_OK;
	uint32_t c, t, k, *item_of = planner->lane;

	for (t = 0; t < planner->node_count; t++)
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++) {
			uint32_t item = plait__planner_item(planner, t, k);

			item_of[planner->command_of[item]] =
				scratch_of(planner, t, k) > 0 ? item
							    : PLAIT__NONE;
		}
	for (c = 0; c < plan->command_count && status == PLAIT_OK; c++) {
		uint32_t node = plan->commands[c].node;
		uint64_t offset;

		if (item_of[c] == PLAIT__NONE)
			continue;
		offset = m->item_offset != NULL ? m->item_offset[item_of[c]]
			: m->place[plan->commands[c].lane];
		status = add_scratch(m, c, offset,
				     planner->input->nodes[node].scratch_bytes);
	}
	return status;
}

static plait_status by_lanes(struct memory *m)
{
	plait__planner_state *planner = m->planner;
	plait__plan *plan = planner->plan;
	uint32_t t, k;

	m->place = plait__workspace_alloc_zero(&planner->work,
					       plan->lanes_count,
					       sizeof(uint64_t));
	if (m->place == NULL)
		return plait__planner_no_memory(planner);
	for (t = 0; t < planner->node_count; t++)
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++) {
			uint64_t bytes = scratch_of(planner, t, k);
			uint32_t c = planner->command_of[
				plait__planner_item(planner, t, k)];
			uint64_t *place =
				&m->place[plan->commands[c].lane];

			*place = bytes > *place ? bytes : *place;
		}
	/* The lanes of scope 0 are the lanes of the plan. */
	if (!lay_out(planner->input, m->place, planner->lane_device +
		     planner->scopes[0].lane_first, plan->lanes_count,
		     m->total))
		return fail_size(planner);
	return store(m);
}

/* ---- helped ---- */

/* Raise the size of the region's first item on each device to the need of its
 * bodies: the item's own scratch is not in use while they run. */
static void add_bodies(struct memory *m, uint32_t t, const uint64_t *totals)
{
	plait__planner_state *planner = m->planner;
	const plait__input_region *region =
		&planner->input->regions[plait__planner_node(planner, t)->link];
	uint32_t devices = planner->input->device_count, s, k, d;
	uint32_t before = PLAIT__NONE;

	for (k = 0; k <= plait__planner_extra_items(planner, t).count; k++) {
		uint64_t *bytes =
			&m->item_bytes[plait__planner_item(planner, t, k)];

		d = plait__planner_item_device(planner, t, k);
		if (d == before || (k > 0 &&
				    d == plait__planner_device(planner, t)))
			continue;
		before = d;
		for (s = 0; s < region->scope_count; s++) {
			uint64_t total = totals[(uint64_t)
				(region->scope_first + s) * devices + d];

			*bytes = total > *bytes ? total : *bytes;
		}
	}
}

/* Cover one scope with chains and size their ranges.  Inner scopes are done. */
static plait_status chain_scope(struct memory *m,
				struct plait__chain_cover *chains, uint32_t s,
				uint64_t *totals)
{
	plait__planner_state *planner = m->planner;
	const plait__planner_scope *scope = &planner->scopes[s];
	uint32_t t, k, end = scope->t_first + scope->t_count;
	uint64_t *place;

	for (t = scope->t_first; t < end; t++)
		planner->seq[t] = t;
	planner->scopes[s].lane_count = 0;
	if (plait__chain_cover_run(chains, s) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	place = plait__workspace_alloc_zero(&planner->work, scope->lane_count,
					    sizeof(uint64_t));
	if (place == NULL)
		return plait__planner_no_memory(planner);
	for (t = scope->t_first; t < end; t++) {
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++)
			m->item_bytes[plait__planner_item(planner, t, k)] =
				scratch_of(planner, t, k);
		if (plait__planner_node(planner, t)->kind == PLAIT__CMD_REGION)
			add_bodies(m, t, totals);
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++) {
			uint32_t item = plait__planner_item(planner, t, k);
			uint64_t *p = &place[planner->lane[item]];

			*p = m->item_bytes[item] > *p ? m->item_bytes[item]
						      : *p;
		}
	}
	if (!lay_out(planner->input, place, planner->lane_device + scope->lane_first,
		     scope->lane_count,
		     totals + (uint64_t)s * planner->input->device_count))
		return fail_size(planner);
	for (t = scope->t_first; t < end; t++)
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++) {
			uint32_t item = plait__planner_item(planner, t, k);

			m->item_offset[item] = place[planner->lane[item]];
		}
	plait__workspace_free(&planner->work, place);
	return PLAIT_OK;
}

/* Turn offsets within bodies into offsets in the arenas, outer scopes first.
 * The region has an item on each device of its bodies (assign_lanes.c), and its
 * own offsets are final. */
static void move_scope(struct memory *m, uint32_t t)
{
	plait__planner_state *planner = m->planner;
	const plait__input_region *region =
		&planner->input->regions[plait__planner_node(planner, t)->link];
	uint32_t s, u, k, j;

	for (s = 0; s < region->scope_count; s++) {
		const plait__planner_scope *scope =
			&planner->scopes[region->scope_first + s];

		for (u = scope->t_first; u < scope->t_first + scope->t_count;
		     u++)
			for (k = 0; k <= plait__planner_extra_items(planner, u).count;
			     k++) {
				uint32_t d = plait__planner_item_device(planner, u,
									k);

				for (j = 0; plait__planner_item_device(
					     planner, t, j) != d; j++)
					continue;
				m->item_offset[plait__planner_item(planner, u, k)]
					+= m->item_offset[
					plait__planner_item(planner, t, j)];
			}
	}
}

static plait_status by_edges(struct memory *m)
{
	plait__planner_state *planner = m->planner;
	plait__workspace *work = &planner->work;
	uint64_t items = (uint64_t)planner->node_count + planner->extra_count;
	uint32_t devices = planner->input->device_count;
	uint32_t s = planner->scope_count;
	struct plait__chain_cover *chains;
	plait_status status;
	uint64_t *totals;
	uint32_t t;

	m->item_bytes = plait__workspace_alloc_zero(work, items,
						    sizeof(uint64_t));
	m->item_offset = plait__workspace_alloc_zero(work, items,
						     sizeof(uint64_t));
	totals = plait__workspace_alloc_zero(work, (uint64_t)planner->scope_count *
					     devices, sizeof(uint64_t));
	if (m->item_bytes == NULL || m->item_offset == NULL || totals == NULL)
		return plait__planner_no_memory(planner);
	memset(planner->lane, 0xff, items * sizeof(uint32_t));
	planner->lane_device_count = 0;
	status = plait__chain_cover_open(planner, &chains);
	while (status == PLAIT_OK && s-- > 0)
		if (planner->scopes[s].body != PLAIT__NONE)
			status = chain_scope(m, chains, s, totals);
	if (status != PLAIT_OK)
		return status;
	plait__chain_cover_close(chains);
	memcpy(m->total, totals, devices * sizeof(uint64_t));
	for (t = 0; t < planner->node_count; t++)
		if (plait__planner_node(planner, t)->kind == PLAIT__CMD_REGION)
			move_scope(m, t);
	return store(m);
}

plait_status plait__scratch_offsets_assign(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	plait_status status;
	struct memory m;
	uint32_t d;

	/* A partial plan may have no node that needs scratch, or no node. */
	if (!planner->has_scratch || planner->node_count == 0)
		return PLAIT_OK;
	memset(&m, 0, sizeof(m));
	m.planner = planner;
	m.total = plait__workspace_alloc_zero(work,
					      planner->input->device_count,
					      sizeof(uint64_t));
	if (m.total == NULL)
		return plait__planner_no_memory(planner);
	if (planner->options->mode == PLAIT__MODE_HELPED && planner->mixed)
		status = by_edges(&m);
	else
		status = by_lanes(&m);
	for (d = 0; d < planner->input->device_count; d++)
		planner->plan->devices[d].scratch_bytes = m.total[d];
	plait__workspace_free(work, m.total);
	plait__workspace_free(work, m.place);
	plait__workspace_free(work, m.item_bytes);
	plait__workspace_free(work, m.item_offset);
	planner->counts->steps += planner->node_count;
	return status;
}
