/* SPDX-License-Identifier: MIT */
/*
 * Single placement steps of the scheduler: the state goes on from task to task,
 * and later tasks are unknown.  The results are checked with complete vector
 * clocks, kept here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "plan/schedule/place_command.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { TASKS = 400, LANES = 512, FAN_IN = 4 };

struct world {
	plait__workspace work;
	plait__placement place;
	plait__place_point points[TASKS];
	bool forgotten[TASKS];
	/* By task and lane: positions known to be done before it, + 1. */
	uint64_t clock[TASKS][LANES];
	uint64_t lane_clock[LANES][LANES];
	uint32_t unordered;
	uint32_t redundant;
	uint32_t waits;
};

static struct world *new_world(const uint32_t *limits, uint32_t devices,
			       uint32_t width, uint32_t bound, uint32_t rows)
{
	struct world *w = calloc(1, sizeof(*w));

	if (w == NULL)
		exit(1);
	plait__workspace_init(&w->work, plait__alloc_default());
	OK_THAT(plait__place_init(&w->place, &w->work, limits, devices, width,
				  bound, rows, 0) == PLAIT_OK, "a state");
	return w;
}

static void end_world(struct world *w)
{
	plait__place_fini(&w->place);
	IS_UINT(w->work.count, 0);
	plait__workspace_fini(&w->work);
	free(w);
}

/* Choose a lane, occupy it and commit, which are two phases of the planner. */
static plait_status place_step(plait__placement *place,
			       const plait__place_command *command,
			       plait__place_point *out_point,
			       const plait__place_point **out_waits,
			       uint32_t *out_wait_count)
{
	uint64_t start;
	uint32_t lane;
	plait_status status =
		plait__place_choose(place, command, &lane, &start);

	if (status != PLAIT_OK)
		return status;
	status = plait__vector_clock_commit(place, lane, command->preds,
					    command->pred_count, out_point,
					    out_waits, out_wait_count);
	if (status != PLAIT_OK)
		return status;
	out_point->finish = start + command->cost;
	plait__place_occupy(place, lane, out_point->finish, command->affinity);
	return PLAIT_OK;
}

static void learn(uint64_t *clock, const uint64_t *other,
		  const plait__place_point *point)
{
	uint32_t i;

	for (i = 0; i < LANES; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
	if (point->position + 1 > clock[point->lane])
		clock[point->lane] = point->position + 1;
}

/* The task at a point: there are few enough to look for it. */
static uint32_t task_at(const struct world *w, uint32_t count,
			const plait__place_point *point)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (w->points[i].lane == point->lane &&
		    w->points[i].position == point->position)
			return i;
	return PLAIT__NONE;
}

static void place(struct world *w, uint32_t task, const uint32_t *preds,
		  uint32_t count, uint32_t device, uint32_t policy)
{
	const plait__place_point *waits;
	plait__place_point given[FAN_IN];
	plait__place_command t;
	uint32_t wait_count, i, from;
	uint64_t *clock = w->clock[task];

	memset(&t, 0, sizeof(t));
	for (i = 0; i < count; i++)
		given[i] = w->points[preds[i]];
	t.preds = given;
	t.pred_count = count;
	t.device = device;
	t.policy = policy;
	t.cost = 1 + task % 3;
	if (place_step(&w->place, &t, &w->points[task], &waits,
			      &wait_count) != PLAIT_OK)
		OK_THAT(false, "a step");
	memcpy(clock, w->lane_clock[w->points[task].lane],
	       sizeof(w->clock[0]));
	w->waits += wait_count;
	for (i = 0; i < wait_count; i++) {
		from = task_at(w, task, &waits[i]);
		w->redundant += clock[waits[i].lane] > waits[i].position;
		learn(clock, w->clock[from], &waits[i]);
	}
	for (i = 0; i < count; i++)
		w->unordered += clock[given[i].lane] <= given[i].position;
	memcpy(w->lane_clock[w->points[task].lane], clock,
	       sizeof(w->clock[0]));
	learn(w->lane_clock[w->points[task].lane], clock, &w->points[task]);
}

/* Tasks come one by one, each after a few recent ones. */
static void stream(uint32_t policy, uint32_t limit, uint32_t width,
		   uint32_t bound, uint32_t rows, bool exact)
{
	uint32_t limits[2], i, k, preds[FAN_IN] = { 0 };
	struct shape_random random;
	struct world *w;

	limits[0] = limits[1] = limit;
	w = new_world(limits, 2, width, bound, rows);
	shape_seed(&random, tap_seed());
	for (i = 0; i < TASKS; i++) {
		uint32_t count = i == 0 ? 0 : shape_below(&random, FAN_IN);
		uint32_t window = i < 24 ? i : 24;

		for (k = 0; k < count; k++)
			preds[k] = i - 1 - shape_below(&random, window);
		place(w, i, preds, count, shape_below(&random, 2), policy);
		/* Tasks behind the window are not needed any more. */
		if (i >= 24) {
			plait__vector_clock_forget(&w->place, &w->points[i - 24]);
			w->forgotten[i - 24] = true;
		}
	}
	OK_THAT(w->unordered == 0, "every pred is done before");
	if (exact)
		OK_THAT(w->redundant == 0, "no wait is implied");
	if (limit > 0)
		OK_THAT(w->place.lane_count <= 2 * limit, "the limit is hard");
	NOTE("policy %u, limit %u, width %u: %u lanes, %u waits, %u redundant, %u rows",
	     policy, limit, width, w->place.lane_count, w->waits,
	     w->redundant, w->place.row_count);
	for (i = 0; i < TASKS; i++)
		if (!w->forgotten[i])
			plait__vector_clock_forget(&w->place, &w->points[i]);
	OK_THAT(w->place.row_count <= 24 + w->place.lane_count + 1,
		"clocks live as long as tasks may need them");
	end_world(w);
}

static void streams(void)
{
	stream(PLAIT__POLICY_BOUNDED, 1, 4, 2, 1000, true);
	stream(PLAIT__POLICY_BOUNDED, 2, 4, 4, 1000, true);
	stream(PLAIT__POLICY_BOUNDED, 4, 8, 8, 1000, true);
	stream(PLAIT__POLICY_BOUNDED, 16, 32, 32, 1000, true);
	stream(PLAIT__POLICY_WIDEST, 0, 64, 0, 1000, false);
	/* Clocks too small, too few, or none: more waits, never fewer. */
	stream(PLAIT__POLICY_BOUNDED, 16, 4, 32, 1000, false);
	stream(PLAIT__POLICY_BOUNDED, 4, 8, 8, 3, false);
	stream(PLAIT__POLICY_BOUNDED, 4, 0, 8, 0, false);
	stream(PLAIT__POLICY_WIDEST, 0, 0, 0, 0, false);
}

/* A chain stays where it is; the lanes that it leaves are used again. */
static void chains_and_lanes(void)
{
	uint32_t limits[1] = { 0 }, two[2] = { 1, 2 }, one[1];
	struct world *w = new_world(limits, 1, 64, 0, 1000);
	uint32_t i;

	place(w, 0, NULL, 0, 0, PLAIT__POLICY_WIDEST);
	one[0] = 0;
	place(w, 1, one, 1, 0, PLAIT__POLICY_WIDEST);
	place(w, 2, one, 1, 0, PLAIT__POLICY_WIDEST);
	place(w, 3, two, 2, 0, PLAIT__POLICY_WIDEST);
	IS_UINT(w->points[1].lane, 0);
	IS_UINT(w->points[2].lane, 1);
	one[0] = 3;
	place(w, 4, one, 1, 0, PLAIT__POLICY_WIDEST);
	place(w, 5, one, 1, 0, PLAIT__POLICY_WIDEST);
	IS_UINT(w->points[4].lane, w->points[3].lane);
	IS_UINT(w->points[5].lane, 1 - w->points[3].lane);
	IS_UINT(w->place.lane_count, 2);
	for (i = 0; i < 6; i++)
		plait__vector_clock_forget(&w->place, &w->points[i]);
	end_world(w);
}

/* Affinity: of equal lanes, the one that has run the same kernel. */
static void affinity(void)
{
	uint32_t limits[1] = { 3 }, i;
	plait__workspace work;
	plait__placement state;
	const plait__place_point *waits;
	plait__place_point point;
	plait__place_command task;
	uint32_t wait_count;

	plait__workspace_init(&work, plait__alloc_default());
	OK(plait__place_init(&state, &work, limits, 1, 4, 3, 10, 0) ==
	   PLAIT_OK);
	memset(&task, 0, sizeof(task));
	task.cost = 1;
	for (i = 0; i < 6; i++) {
		static const uint32_t kernels[6] = { 5, 6, 7, 7, 5, 6 };
		static const uint32_t want[6] = { 0, 1, 2, 2, 0, 1 };

		task.affinity = kernels[i];
		task.not_before = i / 3;
		OK(place_step(&state, &task, &point, &waits,
				     &wait_count) == PLAIT_OK);
		IS_UINT(point.lane, want[i]);
		plait__vector_clock_forget(&state, &point);
	}
	plait__place_fini(&state);
	plait__workspace_fini(&work);
}

static const struct tap_scenario all[] = {
	{ "streams", streams },
	{ "chains and lanes", chains_and_lanes },
	{ "affinity", affinity },
};

TAP_MAIN(all)
