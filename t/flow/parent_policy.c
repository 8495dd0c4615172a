/* SPDX-License-Identifier: MIT */
/*
 * Lanes: new ones, and those of parents. Cases by hand, random requests against
 * the definitions, and the lanes of the planner's placing step.  (Programs of
 * GrCUDA's tests: grcuda_cases.c.)
 */
#include "policy_random.h"

#include "base/alloc.h"
#include "flow/policy/parent_policy.h"

#include <string.h>

enum { DEVICES = 4, LANES = 8, PARENTS = 5 };

static struct rig {
	plait__policy_device devices[DEVICES];
	plait__device_figures figures[DEVICES];
	plait__policy_lane lanes[LANES];
	plait__policy_parent parents[PARENTS];
	plait__device_request device;
	plait__lane_request lane;
	plait__parent_request request;
	plait__parent_choice choice;
	uint32_t next;
} rig;

/* The device policy is STREAM_AWARE: busy lanes of the devices decide. */
static void begin(uint32_t parent, uint32_t lane)
{
	memset(&rig, 0, sizeof(rig));
	rig.device = (plait__device_request){
		.policy = PLAIT__CHOOSE_STREAM_AWARE, .next = &rig.next,
		.candidates = (1 << DEVICES) - 1,
		.devices = rig.devices, .device_count = DEVICES,
	};
	rig.lane = (plait__lane_request){ .policy = lane, .lanes = rig.lanes };
	rig.request = (plait__parent_request){
		.policy = parent, .parents = rig.parents,
		.device = &rig.device, .lane = &rig.lane,
	};
}

static plait_status choose(void)
{
	return plait__parent_policy_choose(&rig.request, rig.figures,
					   &rig.choice);
}

/* ---- new lanes ---- */

static void new_lanes(void)
{
	plait__lane_choice got;

	begin(PLAIT__PARENT_SAME, PLAIT__LANE_REUSE);
	rig.lane.limit = 2;
	got = plait__lane_policy_choose(&rig.lane, 0);
	OK(got.lane == PLAIT__LANE_NEW && got.reason == PLAIT__LANE_REASON_NEW);
	rig.lane.lane_count = 4;
	rig.lanes[0] = (plait__policy_lane){ 1, false, 0 };
	rig.lanes[1] = (plait__policy_lane){ 0, true, 70 };
	rig.lanes[2] = (plait__policy_lane){ 0, false, 90 };
	rig.lanes[3] = (plait__policy_lane){ 0, true, 70 };
	got = plait__lane_policy_choose(&rig.lane, 0);
	OK(got.lane == 2 && got.reason == PLAIT__LANE_REASON_IDLE);
	IS_UINT(got.busy_count, 2);
	IS_UINT(got.lane_count, 3);
	rig.lanes[2].busy = true;
	got = plait__lane_policy_choose(&rig.lane, 0);
	OK(got.lane == 1 && got.reason == PLAIT__LANE_REASON_FREE_FIRST);
	IS_UINT(got.free_ns, 70);
	rig.lane.limit = 4;
	got = plait__lane_policy_choose(&rig.lane, 0);
	OK(got.lane == PLAIT__LANE_NEW && got.reason == PLAIT__LANE_REASON_NEW);
	rig.lane.limit = 0;
	IS_UINT(plait__lane_policy_choose(&rig.lane, 0).lane, PLAIT__LANE_NEW);
	rig.lane.limit = 1;
	rig.lane.policy = PLAIT__LANE_ALWAYS_NEW;
	IS_UINT(plait__lane_policy_choose(&rig.lane, 1).lane, PLAIT__LANE_NEW);
}

/* ---- parents ---- */

/* Parents on devices 1, 2, 2; the first two gave their lanes away. */
static void take_parents(uint32_t policy)
{
	begin(policy, PLAIT__LANE_REUSE);
	rig.parents[0] = (plait__policy_parent){ 1, 3, true };
	rig.parents[1] = (plait__policy_parent){ 2, 4, true };
	rig.parents[2] = (plait__policy_parent){ 2, 5, false };
	rig.request.parent_count = 3;
	IS_INT(choose(), PLAIT_OK);
}

static void parents(void)
{
	take_parents(PLAIT__PARENT_SAME);
	IS_UINT(rig.choice.by_lane.lane, 3);
	IS_UINT(rig.choice.parent, 0);
	IS_UINT(rig.choice.device, 1);
	OK(!rig.choice.device_chosen);
	take_parents(PLAIT__PARENT_DISJOINT);
	IS_UINT(rig.choice.by_lane.lane, 5);
	IS_UINT(rig.choice.offered, 4);
	/* The device first: 0 has no parent. */
	take_parents(PLAIT__PARENT_EARLY_DISJOINT);
	IS_UINT(rig.choice.device, 0);
	IS_UINT(rig.choice.by_lane.lane, PLAIT__LANE_NEW);
	IS_UINT(rig.choice.parent, PLAIT__PARENT_NONE);
	take_parents(PLAIT__PARENT_DEVICE_DISJOINT);
	IS_UINT(rig.choice.device, 2);
	IS_UINT(rig.choice.by_lane.lane, 5);
	OK(rig.choice.device_chosen);
	/* A task that may not run where its parents did. */
	rig.device.candidates = 1 | 8;
	for (uint32_t policy = PLAIT__PARENT_SAME;
	     policy < PLAIT__PARENT_POLICIES; policy++) {
		rig.request.policy = policy;
		IS_INT(choose(), PLAIT_OK);
		IS_UINT(rig.choice.device, 0);
		IS_UINT(rig.choice.by_lane.lane, PLAIT__LANE_NEW);
	}
}

/* ---- BEST ---- */

/* The lanes are the planner's: the tail of a parent, else one more, up to the
 * limit. */
static void best(void)
{
	const uint32_t limits[DEVICES] = { 2, 2, 2, 2 };
	plait__workspace work;
	plait__placement place;
	plait__place_point point = { 0 }, second = { 0 };
	plait__place_command command = { .preds = &point, .cost = 10 };
	const plait__place_point *waits;
	uint32_t wait_count;

	begin(PLAIT__PARENT_BEST, PLAIT__LANE_REUSE);
	plait__workspace_init(&work, plait__alloc_default());
	IS_INT(plait__place_init(&place, &work, limits, DEVICES, 4, 0, 64, 5),
	       PLAIT_OK);
	rig.request.placement = &place;
	rig.request.command = &command;
	rig.device.candidates = 4;
	IS_INT(choose(), PLAIT_OK);
	OK(rig.choice.device == 2 && rig.choice.by_lane.lane == 0);
	IS_UINT(rig.choice.by_lane.reason, PLAIT__LANE_REASON_NEW);
	IS_UINT(command.device, 2);
	plait__place_occupy(&place, 0, 100, 0);
	IS_INT(plait__vector_clock_commit(&place, 0, NULL, 0, &point, &waits,
					  &wait_count), PLAIT_OK);
	point.finish = 100;
	/* Its child. */
	command.pred_count = 1;
	IS_INT(choose(), PLAIT_OK);
	OK(rig.choice.by_lane.lane == 0 && rig.choice.start_ns == 100);
	IS_UINT(rig.choice.by_lane.reason, PLAIT__LANE_REASON_START_FIRST);
	IS_UINT(rig.choice.by_lane.free_ns, 100);
	/* Others: on the second lane, then where it is free first. */
	command.pred_count = 0;
	IS_INT(choose(), PLAIT_OK);
	OK(rig.choice.by_lane.lane == 1 && rig.choice.start_ns == 0);
	plait__place_occupy(&place, 1, 50, 0);
	IS_INT(plait__vector_clock_commit(&place, 1, NULL, 0, &second, &waits,
					  &wait_count), PLAIT_OK);
	IS_INT(choose(), PLAIT_OK);
	OK(rig.choice.by_lane.lane == 1 && rig.choice.start_ns == 50);
	plait__vector_clock_forget(&place, &point);
	plait__vector_clock_forget(&place, &second);
	plait__place_fini(&place);
	plait__workspace_fini(&work);
}

/* ---- the definitions ---- */

static uint32_t model_device(uint64_t candidates)
{
	uint32_t best_device = DEVICES;

	for (uint32_t d = DEVICES; d-- > 0;)
		if ((candidates >> d & 1) &&
		    (best_device == DEVICES ||
		     rig.devices[d].busy_lanes <=
		     rig.devices[best_device].busy_lanes))
			best_device = d;
	return best_device;
}

static uint32_t model_lane(uint32_t device)
{
	uint32_t of_device = 0, first = PLAIT__LANE_NEW;

	if (rig.lane.policy == PLAIT__LANE_ALWAYS_NEW)
		return PLAIT__LANE_NEW;
	for (uint32_t i = 0; i < rig.lane.lane_count; i++)
		if (rig.lanes[i].device == device && !rig.lanes[i].busy)
			return i;
	for (uint32_t i = 0; i < rig.lane.lane_count; i++)
		of_device += rig.lanes[i].device == device;
	if (rig.lane.limit == 0 || of_device < rig.lane.limit)
		return PLAIT__LANE_NEW;
	for (uint32_t i = rig.lane.lane_count; i-- > 0;)
		if (rig.lanes[i].device == device &&
		    (first == PLAIT__LANE_NEW ||
		     rig.lanes[i].free_ns <= rig.lanes[first].free_ns))
			first = i;
	return first;
}

/* Write the parents whose lanes can be inherited, in their order. */
static uint32_t list_offers(uint32_t list[PARENTS])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < rig.request.parent_count; i++)
		if ((rig.device.candidates >> rig.parents[i].device & 1) &&
		    (rig.request.policy == PLAIT__PARENT_SAME ||
		     !rig.parents[i].inherited))
			list[count++] = i;
	return count;
}

static uint32_t play_one(void)
{
	uint32_t list[PARENTS], count = list_offers(list);
	uint32_t parent = PLAIT__PARENT_NONE, device, lane;
	uint64_t narrow = 0;

	for (uint32_t i = 0; i < count; i++)
		narrow |= 1 << rig.parents[list[i]].device;
	if (rig.request.policy != PLAIT__PARENT_DEVICE_DISJOINT || count == 0)
		narrow = rig.device.candidates;
	device = model_device(narrow);
	if (rig.request.policy <= PLAIT__PARENT_DISJOINT && count > 0)
		device = rig.parents[list[0]].device;
	for (uint32_t i = count; i-- > 0;)
		if (rig.parents[list[i]].device == device)
			parent = list[i];
	lane = parent != PLAIT__PARENT_NONE ? rig.parents[parent].lane :
					      model_lane(device);
	return choose() != PLAIT_OK || rig.choice.device != device ||
	       rig.choice.parent != parent ||
	       rig.choice.by_lane.lane != lane ||
	       (rig.choice.by_lane.reason == PLAIT__LANE_REASON_PARENT) !=
	       (parent != PLAIT__PARENT_NONE);
}

static uint32_t play(void)
{
	begin(PLAIT__PARENT_SAME + (uint32_t)below(4), (uint32_t)below(2));
	rig.lane.limit = (uint32_t)below(4);
	rig.lane.lane_count = (uint32_t)below(LANES + 1);
	for (uint32_t i = 0; i < rig.lane.lane_count; i++) {
		rig.lanes[i] = (plait__policy_lane){
			(uint32_t)below(DEVICES), below(3) > 0, below(4) };
		rig.devices[rig.lanes[i].device].busy_lanes +=
			rig.lanes[i].busy;
	}
	rig.request.parent_count = (uint32_t)below(PARENTS + 1);
	if (rig.lane.lane_count == 0)
		rig.request.parent_count = 0;
	for (uint32_t i = 0; i < rig.request.parent_count; i++) {
		uint32_t lane = (uint32_t)below(rig.lane.lane_count);

		rig.parents[i] = (plait__policy_parent){
			rig.lanes[lane].device, lane, below(2) == 0 };
	}
	rig.device.candidates = 1 + below((1 << DEVICES) - 1);
	return play_one();
}

static void random_requests(void)
{
	play_rounds(tap_soak() ? 1000000 : 20000, play);
}

static const struct tap_scenario all[] = {
	{ "new lanes", new_lanes },
	{ "parents", parents },
	{ "best", best },
	{ "random requests", random_requests },
};

TAP_MAIN(all)
