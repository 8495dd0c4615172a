/* SPDX-License-Identifier: MIT */
/* Plans of repetitions by tasks and lanes: which of them one thread may call. */
#include "flow/flow.h"
#include "flow/repetitions.h"

#include "flows.h"

#include "plait/repeat.h"

/* Tasks that one thread runs at most. */
enum { MOST = 4096 };

static void repeat(plait_task *out)
{
	OK_THAT(plait_flow_repeat(flow, out != NULL ? 1 : 0, out,
				  &flow_rig.error) == PLAIT_OK,
		"repeat: %s", flow_rig.error.text);
}

/* Make a repetition of so many tasks, one of them with a signal or not. */
static void make(uint32_t count, bool has_signal)
{
	const plait_task_desc emit = { .size = sizeof(emit),
				       .kind = PLAIT_TASK_EMIT,
				       .signal = flow_rig.signal };
	const plait_task_desc call = { .size = sizeof(call),
				       .kind = PLAIT_TASK_CALL,
				       .function = return_it };
	plait_status status = PLAIT_OK;
	plait_task task;

	repeat(&task);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++)
		status = plait_flow_submit(flow,
					   has_signal && i == 0 ? &emit : &call,
					   NULL, &flow_rig.error);
	OK_THAT(status == PLAIT_OK, "submit: %s", flow_rig.error.text);
	repeat(NULL);
	IS_INT(wait_task(0), PLAIT_OK);
}

/* A plan of one lane is called, or none is. */
static void check(uint32_t lanes, uint32_t count, bool has_signal,
		  bool must_share)
{
	const struct flow_setting setting = { 0, lanes };
	const plait__repetition *again;
	plait__flow *self;

	if (!open_flow(&setting, 64))
		return;
	make(count, has_signal);
	OK(plait__flow_enter(flow, &self, &flow_rig.error) == PLAIT_OK);
	plait__flow_lock(self);
	again = plait__repetitions_find(self, 1);
	OK_THAT(again != NULL && again->times.must_share == must_share,
		"%u tasks, %u lanes: shared", count, lanes);
	OK_THAT(again != NULL &&
		(again->alone != NULL) == (lanes > 1 && !must_share),
		"%u tasks, %u lanes: a plan of one lane", count, lanes);
	plait__flow_unlock(self);
	plait__object_leave(&self->object);
	close_flow();
}

static void short_ones(void)
{
	check(1, 3, false, false);
	check(2, 3, false, false);
}

static void long_ones(void)
{
	check(1, MOST + 1, false, false);
	check(2, MOST, false, false);
	check(2, MOST + 1, false, true);
}

static void signals(void)
{
	check(1, 3, true, true);
	check(2, 3, true, true);
}

static const struct tap_scenario all[] = {
	{ "short repetitions", short_ones },
	{ "long repetitions", long_ones },
	{ "repetitions with signals", signals },
};

TAP_MAIN(all)
