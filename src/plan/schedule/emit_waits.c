/* SPDX-License-Identifier: MIT */
/*
 * Waits, preds and exits of every command, body by body in placing order.
 *
 * Where lanes are chains of ancestors (widest, one device per node, no regions)
 * the reduced edges between lanes are the waits, and no clock is needed.
 * Elsewhere lane order implies more than the graph does, and the vector clocks
 * of place_command.h find the redundant waits.
 */
#include "plan/schedule/phases.h"
#include "plan/schedule/place_command.h"

#include <string.h>

struct waits {
	plait__planner_state *planner;
	plait__placement place;
	uint32_t *seen;			/* by lane: the t that waits for it */
	uint32_t *row;			/* by item; null without clocks */
	uint32_t *sequence;		/* by item; null without clocks */
	uint32_t *position;		/* by item; null without clocks */
	uint32_t *unplaced_succs;		/* by t: successors not yet
						 * done */
	plait__place_point *points;	/* preds of the current command */
	uint32_t point_capacity;
	uint32_t point_count;
	uint32_t *found;		/* commands waited for, in placing
					 * order */
	uint32_t found_capacity;
	uint32_t found_count;
	uint32_t pred_count;
};

/* The item is emitted: it has a position, a sequence and a row. */
static plait_status add_point(struct waits *w, uint32_t item)
{
	plait__place_point *point;

	if (w->point_count == w->point_capacity &&
	    plait__workspace_reserve(&w->planner->work, (void **)&w->points,
				     &w->point_capacity, w->point_count + 1ull,
				     sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	point = &w->points[w->point_count++];
	point->lane = w->planner->lane[item];
	point->position = w->position[item];
	point->sequence = w->sequence[item];
	point->row = w->row[item];
	point->finish = item;
	return PLAIT_OK;
}

/* Add the points of a pred: its command, or every member of a group. */
static plait_status add_pred(struct waits *w, uint32_t u)
{
	uint32_t k, more = 0;

	if (plait__planner_is_group(w->planner, u))
		more = plait__planner_extra_items(w->planner, u).count;
	for (k = 0; k <= more; k++)
		if (add_point(w, plait__planner_item(w->planner, u, k)) !=
		    PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* Every node is one command.  Preds are emitted. */
static plait_status gather_plain(struct waits *w, uint32_t t)
{
	const plait__planner_state *planner = w->planner;
	uint32_t i = planner->pred_first[t], end = planner->pred_first[t + 1];
	plait__place_point *point;

	if (end - i > w->point_capacity &&
	    plait__workspace_reserve(&w->planner->work, (void **)&w->points,
				     &w->point_capacity, end - i,
				     sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	w->point_count = end - i;
	for (point = w->points; i < end; i++, point++) {
		uint32_t u = planner->preds[i];

		point->lane = planner->lane[u];
		point->position = w->position[u];
		point->sequence = w->sequence[u];
		point->row = w->row[u];
		point->finish = u;
	}
	return PLAIT_OK;
}

/* A stub comes after its main command; any other command after its preds. */
static plait_status gather(struct waits *w, uint32_t t, uint32_t k)
{
	plait__planner_state *planner = w->planner;
	uint32_t i;

	if (planner->extras == NULL)
		return gather_plain(w, t);
	w->point_count = 0;
	if (k > 0 && !plait__planner_is_group(planner, t))
		return add_pred(w, t);
	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++)
		if (add_pred(w, planner->preds[i]) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* Emit the waits of one command: targets to `found`, their count to wait_first.
 * Preds are only counted here. */
static plait_status emit_item(struct waits *w, uint32_t t, uint32_t k)
{
	plait__planner_state *planner = w->planner;
	uint32_t item = plait__planner_item(planner, t, k), i, count;
	plait__plan_command *command =
		&planner->plan->commands[planner->command_of[item]];
	const plait__place_point *waits;
	plait__place_point point;

	if (gather(w, t, k) != PLAIT_OK ||
	    plait__vector_clock_commit(&w->place, planner->lane[item],
				       w->points, w->point_count, &point,
				       &waits, &count) !=
	    PLAIT_OK)
		return PLAIT_E_NOMEM;
	if (count > w->found_capacity - w->found_count &&
	    plait__workspace_reserve(&planner->work, (void **)&w->found,
				     &w->found_capacity,
				     (uint64_t)w->found_count + count,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	command->wait_first = count;
	command->pred_first = w->point_count;
	w->pred_count += w->point_count;
	for (i = 0; i < count; i++)
		w->found[w->found_count++] =
			planner->command_of[waits[i].finish];
	/* A stub has no successor but the next command of its lane. */
	if (k > 0 && !plait__planner_is_group(planner, t)) {
		plait__vector_clock_forget(&w->place, &point);
		point.row = PLAIT__NONE;
	}
	w->row[item] = point.row;
	w->sequence[item] = (uint32_t)point.sequence;
	w->position[item] = (uint32_t)point.position;
	return PLAIT_OK;
}

static void forget(struct waits *w, uint32_t t)
{
	uint32_t k, more = plait__planner_extra_items(w->planner, t).count;
	plait__place_point point = { 0, 0, 0, 0, 0 };

	for (k = 0; k <= more; k++) {
		uint32_t item = plait__planner_item(w->planner, t, k);

		point.row = w->row[item];
		plait__vector_clock_forget(&w->place, &point);
		w->row[item] = PLAIT__NONE;
	}
}

/* Release the vector clocks of preds that have no unplaced successor.  t is
 * emitted, so each pred has one successor less to come. */
static void forget_preds(struct waits *w, uint32_t t)
{
	plait__planner_state *planner = w->planner;
	uint32_t i;

	w->unplaced_succs[t] =
		planner->succ_first[t + 1] - planner->succ_first[t];
	if (w->unplaced_succs[t] == 0)
		forget(w, t);
	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++)
		if (--w->unplaced_succs[planner->preds[i]] == 0)
			forget(w, planner->preds[i]);
}

/*
 * Vector clocks are exact up to MOST_EXACT lanes, fewer with very many nodes.
 * Exact clocks have room for a fixed number of rows per lane; lossy clocks have
 * smaller rows.
 */
enum {
	MOST_EXACT = 1024,
	ROUGH_ROW = 256,
	WIDE_ROW = 64,
	MANY_NODES = 65536,
	ROWS_PER_LANE = 4
};

/* Returns the number of entries of a row, a power of two. */
static uint32_t row_width(const plait__planner_scope *scope)
{
	uint32_t most = scope->lane_count <= MOST_EXACT ? MOST_EXACT
							: ROUGH_ROW;
	uint32_t width = 4;

	if (scope->t_count > MANY_NODES)
		most = WIDE_ROW;
	while (width < scope->lane_count && width < most)
		width *= 2;
	return width;
}

static plait_status begin_scope(struct waits *w,
				const plait__planner_scope *scope)
{
	plait__planner_state *planner = w->planner;
	uint32_t i, lane, width = row_width(scope);
	/* As many rows as fit 64 bytes per node plus 1 MiB. */
	uint32_t rows = (uint32_t)((1048576 + 64ull * scope->t_count) /
				   (12 * width));
	plait_status status;

	if (width >= scope->lane_count && rows < ROWS_PER_LANE * width)
		rows = ROWS_PER_LANE * width;
	status = plait__place_init(&w->place, &planner->work, planner->limits,
				   planner->input->device_count, width,
				   scope->lane_count, rows, 0);
	for (i = 0; i < scope->lane_count && status == PLAIT_OK; i++)
		status = plait__place_add_lane(
			&w->place, planner->lane_device[scope->lane_first + i],
			&lane);
	return status;
}

static plait_status emit_scope(struct waits *w,
			       const plait__planner_scope *scope)
{
	plait__planner_state *planner = w->planner;
	plait_status status = begin_scope(w, scope);
	uint32_t i, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end && status == PLAIT_OK; i++) {
		uint32_t t = planner->seq[i];
		uint32_t more = plait__planner_extra_items(planner, t).count;

		for (k = 0; k <= more && status == PLAIT_OK; k++)
			status = emit_item(w, t, k);
		if (status == PLAIT_OK)
			forget_preds(w, t);
	}
	planner->counts->clock_steps += w->place.clock_steps;
	plait__place_fini(&w->place);
	return status;
}

/* ---- chains of ancestors ---- */

/*
 * Every pred on another lane is waited for.  Two preds on one lane are an edge
 * that the transitive reduction left unproved: the later one implies the other.
 */
static plait_status emit_chain_waits(struct waits *w,
				     const plait__planner_scope *scope)
{
	plait__planner_state *planner = w->planner;
	uint32_t i, j, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = planner->seq[i], before = w->found_count;
		uint32_t first = planner->pred_first[t];
		uint32_t last = planner->pred_first[t + 1];
		plait__plan_command *command =
			&planner->plan->commands[planner->command_of[t]];

		if (last - first > w->found_capacity - w->found_count &&
		    plait__workspace_reserve(&planner->work, (void **)&w->found,
					     &w->found_capacity,
					     (uint64_t)w->found_count + last -
					 first, sizeof(uint32_t)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		for (j = last; j-- > first;) {
			uint32_t lane = planner->lane[planner->preds[j]];

			if (lane == planner->lane[t] || w->seen[lane] == t)
				continue;
			w->seen[lane] = t;
			w->found[w->found_count++] =
				planner->command_of[planner->preds[j]];
		}
		command->wait_first = w->found_count - before;
		command->pred_first = last - first;
		w->pred_count += last - first;
	}
	return PLAIT_OK;
}

/* ---- storing ---- */

/* Prefix sums: counts of waits and preds become start indices. */
static void prefix_sum(plait__plan *plan)
{
	uint32_t c, waits = 0, preds = 0, count;

	for (c = 0; c < plan->command_count; c++) {
		count = plan->commands[c].wait_first;
		plan->commands[c].wait_first = waits;
		waits += count;
		count = plan->commands[c].pred_first;
		plan->commands[c].pred_first = preds;
		preds += count;
	}
	plan->commands[c].node = PLAIT__NONE;
	plan->commands[c].wait_first = waits;
	plan->commands[c].pred_first = preds;
}

/* In placing order, where wait targets are still in the cache.  prefix_sum has
 * run. */
static plait_status store_waits(struct waits *w)
{
	plait__plan *plan = w->planner->plan;
	const uint32_t *found = w->found;
	uint32_t i, j;

	plan->waits_count = w->found_count;
	plan->waits = plait__workspace_alloc(&w->planner->work, w->found_count,
					     sizeof(*plan->waits));
	if (plan->waits == NULL)
		return PLAIT_E_NOMEM;
	for (i = 0; i < plan->command_count; i++) {
		plait__plan_command *command =
			&plan->commands[plan->order[i]];

		for (j = command[0].wait_first; j < command[1].wait_first;
		     j++) {
			plait__plan_command *other = &plan->commands[*found++];

			other->flags |= PLAIT__CMD_AWAITED;
			plan->waits[j].lane = other->lane;
			plan->waits[j].position = other->position;
			plan->waits[j].signal = PLAIT__NONE;
		}
	}
	return PLAIT_OK;
}

/* Store the commands of a pred that its successors come after. */
static uint32_t *store_node(const plait__planner_state *planner, uint32_t u,
			    uint32_t *to)
{
	uint32_t k, more = 0;

	if (plait__planner_is_group(planner, u))
		more = plait__planner_extra_items(planner, u).count;
	for (k = 0; k <= more; k++)
		*to++ = planner->command_of[plait__planner_item(planner, u, k)];
	return to;
}

static void store_preds_of(struct waits *w, uint32_t t, uint32_t k)
{
	plait__planner_state *planner = w->planner;
	plait__plan *plan = planner->plan;
	uint32_t i, *to = plan->preds + plan->commands[planner->command_of[
		plait__planner_item(planner, t, k)]].pred_first;

	if (k > 0 && !plait__planner_is_group(planner, t)) {
		store_node(planner, t, to);
		return;
	}
	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++)
		to = store_node(planner, planner->preds[i], to);
}

/* Every node is one command. */
static void store_plain(const plait__planner_state *planner)
{
	plait__plan *plan = planner->plan;
	uint32_t t, i, *to;

	for (t = 0; t < planner->node_count; t++) {
		to = plan->preds +
		     plan->commands[planner->command_of[t]].pred_first;
		for (i = planner->pred_first[t]; i < planner->pred_first[t + 1];
		     i++)
			*to++ = planner->command_of[planner->preds[i]];
	}
}

static plait_status store_preds(struct waits *w)
{
	plait__planner_state *planner = w->planner;
	plait__plan *plan = planner->plan;
	uint32_t t, k;

	plan->preds_count = w->pred_count;
	plan->preds = plait__workspace_alloc(&planner->work, w->pred_count,
					     sizeof(uint32_t));
	if (plan->preds == NULL)
		return PLAIT_E_NOMEM;
	if (planner->extras == NULL) {
		store_plain(planner);
		return PLAIT_OK;
	}
	for (t = 0; t < planner->node_count; t++)
		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++)
			store_preds_of(w, t, k);
	return PLAIT_OK;
}

/* Mark each command that has a successor in its body. */
static void mark_succs(struct waits *w, uint32_t *has_succ)
{
	const plait__planner_state *planner = w->planner;
	uint32_t t, k, item;

	for (t = 0; t < planner->node_count && planner->extras == NULL; t++)
		has_succ[planner->command_of[t]] =
			planner->succ_first[t + 1] - planner->succ_first[t];
	if (planner->extras == NULL)
		return;
	memset(has_succ, 0, planner->plan->command_count * sizeof(uint32_t));
	for (t = 0; t < planner->node_count; t++) {
		bool succ = planner->succ_first[t + 1] > planner->succ_first[t];
		uint32_t more = plait__planner_extra_items(planner, t).count;

		if (!plait__planner_is_group(planner, t)) {
			/* Its stubs are its successors and have none. */
			has_succ[planner->command_of[t]] = succ || more > 0;
			continue;
		}
		for (k = 0; k <= more; k++) {
			item = plait__planner_item(planner, t, k);
			has_succ[planner->command_of[item]] = succ;
		}
	}
}

static plait_status store_exit(struct waits *w,
			       const plait__plan_track *track,
			       uint32_t *capacity)
{
	plait__plan *plan = w->planner->plan;
	plait__plan_exit *exit;

	if (plait__workspace_reserve(&w->planner->work, (void **)&plan->exits,
				     capacity, plan->exits_count + 1ull,
				     sizeof(*exit)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	exit = &plan->exits[plan->exits_count++];
	exit->lane = track->lane;
	exit->position = track->count - 1;
	return PLAIT_OK;
}

/*
 * The last command of a track is an exit unless it has a successor in the body:
 * the last command of another track then implies it.
 */
static plait_status store_exits(struct waits *w)
{
	plait__plan *plan = w->planner->plan;
	uint32_t b, i, *has_succ = w->found, capacity = 0;

	mark_succs(w, has_succ);
	for (b = 0; b < plan->bodies_count; b++) {
		plait__plan_body *body = &plan->bodies[b];

		body->exit_first = plan->exits_count;
		for (i = 0; i < body->track_count; i++) {
			plait__plan_track *track =
				&plan->tracks[body->track_first + i];
			const plait__plan_command *first =
				&plan->commands[track->first];

			track->begins = first[1].wait_first ==
					first[0].wait_first;
			if (!has_succ[track->first + track->count - 1] &&
			    store_exit(w, track, &capacity) != PLAIT_OK)
				return PLAIT_E_NOMEM;
		}
		body->exit_count = plan->exits_count - body->exit_first;
	}
	return PLAIT_OK;
}

static bool has_several_lanes(const plait__planner_state *planner)
{
	for (uint32_t s = 0; s < planner->scope_count; s++)
		if (planner->scopes[s].lane_count > 1)
			return true;
	return false;
}

static plait_status alloc_arrays(struct waits *w)
{
	plait__planner_state *planner = w->planner;
	plait__workspace *work = &planner->work;
	uint64_t items = planner->plan->command_count;

	/* `found` finally serves as an array by command. */
	w->found_capacity = (uint32_t)items;
	w->found = plait__workspace_alloc(work, items, sizeof(uint32_t));
	if (w->found == NULL)
		return PLAIT_E_NOMEM;
	/* One lane needs no waits; chains of ancestors need no vector
	 * clocks. */
	w->seen = plait__workspace_alloc_none(work, planner->lane_device_count,
					      sizeof(uint32_t));
	if (!planner->mixed || !has_several_lanes(planner))
		return w->seen == NULL ? PLAIT_E_NOMEM : PLAIT_OK;
	w->row = plait__workspace_alloc(work, items, sizeof(uint32_t));
	w->sequence = plait__workspace_alloc(work, items, sizeof(uint32_t));
	w->position = plait__workspace_alloc(work, items, sizeof(uint32_t));
	w->unplaced_succs = plait__workspace_alloc(work, planner->node_count,
						   sizeof(uint32_t));
	if (w->row == NULL || w->sequence == NULL || w->position == NULL ||
	    w->unplaced_succs == NULL || w->seen == NULL)
		return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

plait_status plait__emit_waits(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	struct waits w;
	plait_status status;
	uint32_t s;

	memset(&w, 0, sizeof(w));
	w.planner = planner;
	status = alloc_arrays(&w);
	for (s = 0; s < planner->scope_count && status == PLAIT_OK; s++)
		if (planner->scopes[s].body != PLAIT__NONE)
			status = planner->mixed &&
				 planner->scopes[s].lane_count > 1 ?
				emit_scope(&w, &planner->scopes[s]) :
				emit_chain_waits(&w, &planner->scopes[s]);
	plait__workspace_free(work, w.seen);
	plait__workspace_free(work, w.row);
	plait__workspace_free(work, w.sequence);
	plait__workspace_free(work, w.position);
	plait__workspace_free(work, w.unplaced_succs);
	if (status == PLAIT_OK) {
		prefix_sum(planner->plan);
		status = store_waits(&w);
	}
	if (status == PLAIT_OK)
		status = store_exits(&w);
	if (status == PLAIT_OK) {
		plait__workspace_free(work, w.found);
		w.found = NULL;
		w.row = w.sequence = NULL;
		status = store_preds(&w);
	}
	plait__workspace_free(work, w.points);
	plait__workspace_free(work, w.found);
	planner->counts->steps += planner->plan->preds_count +
				planner->plan->waits_count;
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__planner_no_memory(planner);
}
