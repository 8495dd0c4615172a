/* SPDX-License-Identifier: MIT */
/*
 * Segments: commands of one device that a backend may run as one device graph.
 *
 * The depth of a command is the maximum, over all paths to it, of the number of
 * changes between devices plus the number of commands that may not join a
 * segment.  Commands of one device and depth form a segment: a path that left
 * it would return at a greater depth, so segments are convex.
 */
#include "plan/schedule/phases.h"

#include <string.h>

struct segments {
	plait__planner_state *planner;
	plait__plan *plan;
	uint32_t *track_of;	/* by lane: track of the current body */
	uint32_t *depth;	/* by command */
	uint32_t *table;	/* hash table {device, depth}: segment + 1 */
	uint32_t table_capacity;
	uint32_t *key_depth;	/* by segment: its depth */
	uint32_t key_capacity;
	uint32_t capacity;	/* of plan->segments */
};

static bool may_join(const plait__plan *plan, const plait__plan_command *c)
{
	if (!(plan->devices[plan->lanes[c->lane].device].flags &
	      PLAIT__DEVICE_ASYNC) || (c->flags & PLAIT__CMD_MEMBER))
		return false;
	return c->kind == PLAIT__CMD_LAUNCH || c->kind == PLAIT__CMD_COPY ||
	       c->kind == PLAIT__CMD_FILL || c->kind == PLAIT__CMD_JOIN;
}

/* The depth of `before` is final. */
static void deepen(const struct segments *s, uint32_t before, uint32_t c)
{
	const plait__plan *plan = s->plan;
	const plait__plan_command *a = &plan->commands[before];
	const plait__plan_command *b = &plan->commands[c];
	bool same = plan->lanes[a->lane].device == plan->lanes[b->lane].device;
	uint32_t depth = s->depth[before] +
		!(same && may_join(plan, a) && may_join(plan, b));

	if (depth > s->depth[c])
		s->depth[c] = depth;
}

static plait_status add_segment(struct segments *s, uint32_t device,
				uint32_t depth, uint32_t *out)
{
	plait__plan *plan = s->plan;
	uint32_t index = plan->segments_count;

	if (plait__workspace_reserve(&s->planner->work,
				     (void **)&plan->segments, &s->capacity,
				     index + 1ull,
				     sizeof(*plan->segments)) != PLAIT_OK ||
	    plait__workspace_reserve(&s->planner->work, (void **)&s->key_depth,
				     &s->key_capacity, index + 1ull,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	memset(&plan->segments[index], 0, sizeof(*plan->segments));
	plan->segments[index].device = device;
	s->key_depth[index] = depth;
	plan->segments_count++;
	*out = index;
	return PLAIT_OK;
}

/* The table has a free slot (clear_table). */
static plait_status join_segment(struct segments *s, uint32_t mask, uint32_t c)
{
	plait__plan *plan = s->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint32_t device = plan->lanes[command->lane].device;
	uint32_t depth = s->depth[c];
	uint32_t slot = (depth * 2654435769u + device * 40503u) & mask;
	uint32_t segment;

	while (s->table[slot] != 0) {
		segment = s->table[slot] - 1;
		if (plan->segments[segment].device == device &&
		    s->key_depth[segment] == depth)
			break;
		slot = (slot + 1) & mask;
	}
	if (s->table[slot] == 0 &&
	    add_segment(s, device, depth, &s->table[slot]) == PLAIT_OK)
		s->table[slot]++;
	if (s->table[slot] == 0)
		return PLAIT_E_NOMEM;
	segment = s->table[slot] - 1;
	plan->segment_of[c] = segment;
	plan->segments[segment].command_count++;
	plan->segments[segment].cost += command->cost;
	return PLAIT_OK;
}

/* `track_of` is that of the body, and commands come in submission order. */
static void find_depth(struct segments *s, uint32_t c)
{
	const plait__plan *plan = s->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint32_t i;

	s->depth[c] = 0;
	if (command->position > 0)
		deepen(s, c - 1, c);
	for (i = command[0].wait_first; i < command[1].wait_first; i++)
		deepen(s, plan->tracks[s->track_of[plan->waits[i].lane]].first +
		       plan->waits[i].position, c);
	for (i = command[0].pred_first; i < command[1].pred_first; i++)
		deepen(s, plan->preds[i], c);
}

/* Clear the table, sized to be at most half full. */
static plait_status clear_table(struct segments *s, uint32_t commands,
				uint32_t *mask)
{
	uint32_t size = 16;

	while (size < 2ull * commands)
		size *= 2;
	if (plait__workspace_reserve(&s->planner->work, (void **)&s->table,
				     &s->table_capacity, size,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	memset(s->table, 0, size * sizeof(uint32_t));
	*mask = size - 1;
	return PLAIT_OK;
}

static plait_status collect_body(struct segments *s, plait__plan_body *body)
{
	plait__plan *plan = s->plan;
	uint32_t end = body->command_first + body->command_count, i, mask;

	if (clear_table(s, body->command_count, &mask) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	for (i = 0; i < body->track_count; i++)
		s->track_of[plan->tracks[body->track_first + i].lane] =
			body->track_first + i;
	body->segment_first = plan->segments_count;
	for (i = body->command_first; i < end; i++) {
		uint32_t c = plan->order[i];

		find_depth(s, c);
		if (may_join(plan, &plan->commands[c]) &&
		    join_segment(s, mask, c) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	body->segment_count = plan->segments_count - body->segment_first;
	s->planner->counts->steps += body->command_count;
	return PLAIT_OK;
}

plait_status plait__segments_find(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	plait__plan *plan = planner->plan;
	plait_status status = PLAIT_OK;
	struct segments s;
	uint32_t i, async = 0;

	for (i = 0; i < plan->devices_count; i++)
		async |= plan->devices[i].flags & PLAIT__DEVICE_ASYNC;
	if (!async)
		return PLAIT_OK;
	memset(&s, 0, sizeof(s));
	s.planner = planner;
	s.plan = plan;
	s.track_of = plait__workspace_alloc(work, plan->lanes_count,
					    sizeof(uint32_t));
	s.depth = plait__workspace_alloc(work, plan->command_count,
					 sizeof(uint32_t));
	plan->segment_of_count = plan->command_count;
	plan->segment_of = plait__workspace_alloc_none(work,
						       plan->command_count,
						       sizeof(uint32_t));
	if (s.track_of == NULL || s.depth == NULL || plan->segment_of == NULL)
		return plait__planner_no_memory(planner);
	for (i = 0; i < plan->bodies_count && status == PLAIT_OK; i++)
		status = collect_body(&s, &plan->bodies[i]);
	plait__workspace_free(work, s.track_of);
	plait__workspace_free(work, s.depth);
	plait__workspace_free(work, s.table);
	plait__workspace_free(work, s.key_depth);
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__planner_no_memory(planner);
}
