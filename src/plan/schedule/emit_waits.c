/* SPDX-License-Identifier: MIT */
/*
 * Waits, preds and exits of every command, body by body in placing order.
 *
 * Where lanes are chains of ancestors (widest, one device per node, no
 * regions) the reduced edges between lanes are the waits, and no clock is
 * needed.  Elsewhere lane order implies more than the graph says, and the
 * clocks of place_command.h tell what need not be waited for.
 */
#include "plan/schedule/planner_state.h"
#include "plan/schedule/place_command.h"

#include <string.h>

struct waits {
	plait__build *build;
	plait__place place;
	uint32_t *seen;			/* by lane: t that waits for it */
	uint32_t *row;			/* by item; null without clocks */
	uint32_t *sequence;		/* by item; null without clocks */
	uint32_t *position;		/* by item; null without clocks */
	uint32_t *to_come;		/* by t: successors not yet done */
	plait__place_point *points;	/* preds of the command in hand */
	uint32_t point_capacity;
	uint32_t point_count;
	uint32_t *found;		/* commands waited for, in the order
					 * in which commands are done */
	uint32_t found_capacity;
	uint32_t found_count;
	uint32_t pred_count;
};

static plait_status add_point(struct waits *w, uint32_t item)
{
	plait__place_point *point;

	if (w->point_count == w->point_capacity &&
	    plait__work_reserve(&w->build->work, (void **)&w->points,
				&w->point_capacity, w->point_count + 1ull,
				sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	point = &w->points[w->point_count++];
	point->lane = w->build->lane[item];
	point->position = w->position[item];
	point->sequence = w->sequence[item];
	point->row = w->row[item];
	point->finish = item;
	return PLAIT_OK;
}

/* The points of a pred: its command, or every member of a group. */
static plait_status add_pred(struct waits *w, uint32_t u)
{
	uint32_t k, more = 0;

	if (plait__build_is_group(w->build, u))
		more = plait__build_more(w->build, u).count;
	for (k = 0; k <= more; k++)
		if (add_point(w, plait__build_item(w->build, u, k)) !=
		    PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* Where every node is one command. */
static plait_status gather_plain(struct waits *w, uint32_t t)
{
	const plait__build *build = w->build;
	uint32_t i = build->pred_first[t], end = build->pred_first[t + 1];
	plait__place_point *point;

	if (end - i > w->point_capacity &&
	    plait__work_reserve(&w->build->work, (void **)&w->points,
				&w->point_capacity, end - i,
				sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	w->point_count = end - i;
	for (point = w->points; i < end; i++, point++) {
		uint32_t u = build->preds[i];

		point->lane = build->lane[u];
		point->position = w->position[u];
		point->sequence = w->sequence[u];
		point->row = w->row[u];
		point->finish = u;
	}
	return PLAIT_OK;
}

/* A stub comes after the command it belongs to; all else after the preds. */
static plait_status gather(struct waits *w, uint32_t t, uint32_t k)
{
	plait__build *build = w->build;
	uint32_t i;

	if (build->extras == NULL)
		return gather_plain(w, t);
	w->point_count = 0;
	if (k > 0 && !plait__build_is_group(build, t))
		return add_pred(w, t);
	for (i = build->pred_first[t]; i < build->pred_first[t + 1]; i++)
		if (add_pred(w, build->preds[i]) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* One command: what it waits for goes to `found`, how much to wait_first; its
 * preds are only counted here. */
static plait_status do_item(struct waits *w, uint32_t t, uint32_t k)
{
	plait__build *build = w->build;
	uint32_t item = plait__build_item(build, t, k), i, count;
	plait__plan_command *command =
		&build->plan->commands[build->command_of[item]];
	const plait__place_point *waits;
	plait__place_point point;

	if (gather(w, t, k) != PLAIT_OK ||
	    plait__place_commit(&w->place, build->lane[item], w->points,
				w->point_count, &point, &waits, &count) !=
	    PLAIT_OK)
		return PLAIT_E_NOMEM;
	if (count > w->found_capacity - w->found_count &&
	    plait__work_reserve(&build->work, (void **)&w->found,
				&w->found_capacity,
				(uint64_t)w->found_count + count,
				sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	command->wait_first = count;
	command->pred_first = w->point_count;
	w->pred_count += w->point_count;
	for (i = 0; i < count; i++)
		w->found[w->found_count++] =
			build->command_of[waits[i].finish];
	/* Nobody comes after a stub but its own lane. */
	if (k > 0 && !plait__build_is_group(build, t)) {
		plait__place_forget(&w->place, &point);
		point.row = PLAIT__NONE;
	}
	w->row[item] = point.row;
	w->sequence[item] = (uint32_t)point.sequence;
	w->position[item] = (uint32_t)point.position;
	return PLAIT_OK;
}

static void forget(struct waits *w, uint32_t t)
{
	uint32_t k, more = plait__build_more(w->build, t).count;
	plait__place_point point = { 0, 0, 0, 0, 0 };

	for (k = 0; k <= more; k++) {
		uint32_t item = plait__build_item(w->build, t, k);

		point.row = w->row[item];
		plait__place_forget(&w->place, &point);
		w->row[item] = PLAIT__NONE;
	}
}

/* Clocks that nobody will ask again go back at once. */
static void forget_preds(struct waits *w, uint32_t t)
{
	plait__build *build = w->build;
	uint32_t i;

	w->to_come[t] = build->succ_first[t + 1] - build->succ_first[t];
	if (w->to_come[t] == 0)
		forget(w, t);
	for (i = build->pred_first[t]; i < build->pred_first[t + 1]; i++)
		if (--w->to_come[build->preds[i]] == 0)
			forget(w, build->preds[i]);
}

/* Exact clocks up to this many lanes; with very many nodes, up to fewer.  Of
 * exact rows there is room for so many per lane.  What is not exact anyway has
 * smaller rows. */
enum {
	MOST_EXACT = 1024,
	ROUGH_ROW = 256,
	WIDE_ROW = 64,
	MANY_NODES = 65536,
	ROWS_PER_LANE = 4
};

/* Entries of a row: a power of two. */
static uint32_t row_width(const plait__build_scope *scope)
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
				const plait__build_scope *scope)
{
	plait__build *build = w->build;
	uint32_t i, lane, width = row_width(scope);
	/* As many rows at once as fit 64 bytes a node, and 1 MiB. */
	uint32_t rows = (uint32_t)((1048576 + 64ull * scope->t_count) /
				   (12 * width));
	plait_status status;

	if (width >= scope->lane_count && rows < ROWS_PER_LANE * width)
		rows = ROWS_PER_LANE * width;
	status = plait__place_init(&w->place, &build->work, build->limits,
				   build->input->device_count, width,
				   scope->lane_count, rows, 0);
	for (i = 0; i < scope->lane_count && status == PLAIT_OK; i++)
		status = plait__place_add_lane(
			&w->place, build->lane_device[scope->lane_first + i],
			&lane);
	return status;
}

static plait_status do_scope(struct waits *w, const plait__build_scope *scope)
{
	plait__build *build = w->build;
	plait_status status = begin_scope(w, scope);
	uint32_t i, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end && status == PLAIT_OK; i++) {
		uint32_t t = build->seq[i];
		uint32_t more = plait__build_more(build, t).count;

		for (k = 0; k <= more && status == PLAIT_OK; k++)
			status = do_item(w, t, k);
		if (status == PLAIT_OK)
			forget_preds(w, t);
	}
	build->counts->clock_steps += w->place.clock_steps;
	plait__place_fini(&w->place);
	return status;
}

/* ---- chains of ancestors ---- */

/*
 * Every pred on another lane is waited for.  Two on one lane would be an edge
 * that reduction could not settle: the later one implies the other.
 */
static plait_status do_chains(struct waits *w, const plait__build_scope *scope)
{
	plait__build *build = w->build;
	uint32_t i, j, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = build->seq[i], before = w->found_count;
		uint32_t first = build->pred_first[t];
		uint32_t last = build->pred_first[t + 1];
		plait__plan_command *command =
			&build->plan->commands[build->command_of[t]];

		if (last - first > w->found_capacity - w->found_count &&
		    plait__work_reserve(&build->work, (void **)&w->found,
					&w->found_capacity,
					(uint64_t)w->found_count + last -
					first, sizeof(uint32_t)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		for (j = last; j-- > first;) {
			uint32_t lane = build->lane[build->preds[j]];

			if (lane == build->lane[t] || w->seen[lane] == t)
				continue;
			w->seen[lane] = t;
			w->found[w->found_count++] =
				build->command_of[build->preds[j]];
		}
		command->wait_first = w->found_count - before;
		command->pred_first = last - first;
		w->pred_count += last - first;
	}
	return PLAIT_OK;
}

/* ---- into the plan ---- */

/* Counts of waits and preds become where they start. */
static void sum_up(plait__plan *plan)
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

/* In placing order, where what is waited for was touched not long ago. */
static plait_status store_waits(struct waits *w)
{
	plait__plan *plan = w->build->plan;
	const uint32_t *found = w->found;
	uint32_t i, j;

	plan->waits_count = w->found_count;
	plan->waits = plait__work_take(&w->build->work, w->found_count,
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

/* The commands of a node that its successors come after. */
static uint32_t *store_node(const plait__build *build, uint32_t u,
			    uint32_t *to)
{
	uint32_t k, more = 0;

	if (plait__build_is_group(build, u))
		more = plait__build_more(build, u).count;
	for (k = 0; k <= more; k++)
		*to++ = build->command_of[plait__build_item(build, u, k)];
	return to;
}

static void store_preds_of(struct waits *w, uint32_t t, uint32_t k)
{
	plait__build *build = w->build;
	plait__plan *plan = build->plan;
	uint32_t i, *to = plan->preds + plan->commands[build->command_of[
		plait__build_item(build, t, k)]].pred_first;

	if (k > 0 && !plait__build_is_group(build, t)) {
		store_node(build, t, to);
		return;
	}
	for (i = build->pred_first[t]; i < build->pred_first[t + 1]; i++)
		to = store_node(build, build->preds[i], to);
}

/* Where every node is one command. */
static void store_plain(const plait__build *build)
{
	plait__plan *plan = build->plan;
	uint32_t t, i, *to;

	for (t = 0; t < build->node_count; t++) {
		to = plan->preds +
		     plan->commands[build->command_of[t]].pred_first;
		for (i = build->pred_first[t]; i < build->pred_first[t + 1];
		     i++)
			*to++ = build->command_of[build->preds[i]];
	}
}

static plait_status store_preds(struct waits *w)
{
	plait__build *build = w->build;
	plait__plan *plan = build->plan;
	uint32_t t, k;

	plan->preds_count = w->pred_count;
	plan->preds = plait__work_take(&build->work, w->pred_count,
				       sizeof(uint32_t));
	if (plan->preds == NULL)
		return PLAIT_E_NOMEM;
	if (build->extras == NULL) {
		store_plain(build);
		return PLAIT_OK;
	}
	for (t = 0; t < build->node_count; t++)
		for (k = 0; k <= plait__build_more(build, t).count; k++)
			store_preds_of(w, t, k);
	return PLAIT_OK;
}

/* Does something in the same body come after each command? */
static void mark_succs(struct waits *w, uint32_t *has_succ)
{
	const plait__build *build = w->build;
	uint32_t t, k, item;

	for (t = 0; t < build->node_count && build->extras == NULL; t++)
		has_succ[build->command_of[t]] =
			build->succ_first[t + 1] - build->succ_first[t];
	if (build->extras == NULL)
		return;
	memset(has_succ, 0, build->plan->command_count * sizeof(uint32_t));
	for (t = 0; t < build->node_count; t++) {
		bool succ = build->succ_first[t + 1] > build->succ_first[t];
		uint32_t more = plait__build_more(build, t).count;

		if (!plait__build_is_group(build, t)) {
			/* Its stubs come after it, nothing after them. */
			has_succ[build->command_of[t]] = succ || more > 0;
			continue;
		}
		for (k = 0; k <= more; k++) {
			item = plait__build_item(build, t, k);
			has_succ[build->command_of[item]] = succ;
		}
	}
}

static plait_status store_exit(struct waits *w,
			       const plait__plan_track *track,
			       uint32_t *capacity)
{
	plait__plan *plan = w->build->plan;
	plait__plan_exit *exit;

	if (plait__work_reserve(&w->build->work, (void **)&plan->exits,
				capacity, plan->exits_count + 1ull,
				sizeof(*exit)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	exit = &plan->exits[plan->exits_count++];
	exit->lane = track->lane;
	exit->position = track->count - 1;
	return PLAIT_OK;
}

/*
 * The last command of a track is an exit unless something in the body comes
 * after it: then the last command of another track comes after that.
 */
static plait_status store_exits(struct waits *w)
{
	plait__plan *plan = w->build->plan;
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

static bool has_several_lanes(const plait__build *build)
{
	for (uint32_t s = 0; s < build->scope_count; s++)
		if (build->scopes[s].lane_count > 1)
			return true;
	return false;
}

static plait_status take_arrays(struct waits *w)
{
	plait__build *build = w->build;
	plait__work *work = &build->work;
	uint64_t items = build->plan->command_count;

	/* `found` serves as an array by command at the end. */
	w->found_capacity = (uint32_t)items;
	w->found = plait__work_take(work, items, sizeof(uint32_t));
	if (w->found == NULL)
		return PLAIT_E_NOMEM;
	/* One lane needs no waits, several of ancestors no clocks. */
	w->seen = plait__work_take_none(work, build->lane_device_count,
					sizeof(uint32_t));
	if (!build->mixed || !has_several_lanes(build))
		return w->seen == NULL ? PLAIT_E_NOMEM : PLAIT_OK;
	w->row = plait__work_take(work, items, sizeof(uint32_t));
	w->sequence = plait__work_take(work, items, sizeof(uint32_t));
	w->position = plait__work_take(work, items, sizeof(uint32_t));
	w->to_come = plait__work_take(work, build->node_count,
				      sizeof(uint32_t));
	if (w->row == NULL || w->sequence == NULL || w->position == NULL ||
	    w->to_come == NULL || w->seen == NULL)
		return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

plait_status plait__build_waits(plait__build *build)
{
	plait__work *work = &build->work;
	struct waits w;
	plait_status status;
	uint32_t s;

	memset(&w, 0, sizeof(w));
	w.build = build;
	status = take_arrays(&w);
	for (s = 0; s < build->scope_count && status == PLAIT_OK; s++)
		if (build->scopes[s].body != PLAIT__NONE)
			status = build->mixed &&
				 build->scopes[s].lane_count > 1 ?
				do_scope(&w, &build->scopes[s]) :
				do_chains(&w, &build->scopes[s]);
	plait__work_give(work, w.seen);
	plait__work_give(work, w.row);
	plait__work_give(work, w.sequence);
	plait__work_give(work, w.position);
	plait__work_give(work, w.to_come);
	if (status == PLAIT_OK) {
		sum_up(build->plan);
		status = store_waits(&w);
	}
	if (status == PLAIT_OK)
		status = store_exits(&w);
	if (status == PLAIT_OK) {
		plait__work_give(work, w.found);
		w.found = NULL;
		w.row = w.sequence = NULL;
		status = store_preds(&w);
	}
	plait__work_give(work, w.points);
	plait__work_give(work, w.found);
	build->counts->steps += build->plan->preds_count +
				build->plan->waits_count;
	return status == PLAIT_OK ? PLAIT_OK : plait__build_no_memory(build);
}
