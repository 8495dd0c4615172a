/* SPDX-License-Identifier: MIT */
/*
 * Flows with PLAIT_FLOW_CHECK whose order or values the test makes wrong on
 * purpose: each fault is found, and told.  No worker runs, so that no task is done
 * before the wait.  Programs without a fault: random_programs.c,
 * device_programs.c.
 */
#include "flow/flow_data.h"
#include "flow/flow_devices.h"

#include "flows.h"

enum { LINE = 16 };

static const struct flow_setting no_workers = { 0, 2 };

static bool open_proved(uint32_t horizon)
{
	plait_flow_desc desc = { .size = sizeof(desc), .window = 64,
				 .flags = PLAIT_FLOW_CHECK,
				 .horizon = horizon };

	flow_rig = settings[0];
	flow_rig.flags = PLAIT_CONTEXT_NO_WORKERS;
	flow_rig.workers = 0;
	if (!open_rig(&flow_rig))
		return false;
	IS_INT(plait_flow_create(flow_rig.context, &desc, &flow,
				 &flow_rig.error), PLAIT_OK);
	return flow != NULL;
}

/* ---- faults ---- */

static void forget_front(void *arg, plait__front *front)
{
	(void)arg;
	front->writer = 0;
	front->count = 0;
}

/* Forget the ops that have accessed the data. */
static void forget(plait_data *data)
{
	plait__data *self;

	OK(plait__data_enter(data, &self, NULL) == PLAIT_OK);
	plait__flow_lock(self->flow);
	plait__front_map_visit_all(&self->map, forget_front, NULL);
	plait__flow_unlock(self->flow);
	plait__object_leave(&self->object);
}

static plait_status submit(const char *label, plait_data *data, uint32_t mode,
			   uint64_t low, uint64_t high)
{
	const plait_box box = { { low, 0, 0 }, { high, 1, 1 } };
	const plait_access access = access_of(data, mode, &box);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = label,
		.function = return_it, .accesses = &access,
		.access_count = data != NULL,
	};

	return plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
}

/* All calls from here on tell the fault. */
static void tells(plait_data *data, const char *text)
{
	uint32_t host[LINE];
	void *mapped;

	IS_INT(submit("later", data, PLAIT_ACCESS_READ, 0, 1),
	       PLAIT_E_INTERNAL);
	HAS_STR(flow_rig.error.text, text);
	IS_INT(wait_task(0), PLAIT_E_INTERNAL);
	HAS_STR(flow_rig.error.text, text);
	IS_INT(plait_data_read(data, NULL, host, &flow_rig.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(flow_rig.error.text, text);
	IS_INT(plait_data_map(data, NULL, PLAIT_MAP_WRITE, &mapped, NULL),
	       PLAIT_E_INTERNAL);
}

/* ---- order ---- */

/* An edge is left out; without the fault all is well. */
static void edge(uint32_t first, uint32_t second, bool is_wrong,
		 const char *text)
{
	plait_data *u;

	if (!open_proved(0))
		return;
	u = new_data(1, LINE, 0, 0, 4, "u");
	IS_INT(submit("a", u, first, 0, 8), PLAIT_OK);
	if (is_wrong)
		forget(u);
	IS_INT(submit("b", u, second, 4, 12), PLAIT_OK);
	IS_INT(wait_task(0), is_wrong && text != NULL ? PLAIT_E_INTERNAL :
							PLAIT_OK);
	if (is_wrong && text != NULL) {
		HAS_STR(flow_rig.error.text, text);
		tells(u, text);
	} else {
		IS_INT(submit("c", u, PLAIT_ACCESS_READ, 0, 8), PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	plait_data_release(u);
	close_flow();
}

static void edges(void)
{
	edge(PLAIT_ACCESS_WRITE, PLAIT_ACCESS_READ, true,
	     "task 1 \"a\" writes u [0, 8) and task 2 \"b\" reads u [4, 12), "
	     "and nothing orders them: a fault of plait");
	edge(PLAIT_ACCESS_READ, PLAIT_ACCESS_WRITE, true,
	     "task 1 \"a\" reads u [0, 8) and task 2 \"b\" writes u [4, 12)");
	edge(PLAIT_ACCESS_READ_WRITE, PLAIT_ACCESS_WRITE, true,
	     "task 1 \"a\" updates u [0, 8) and task 2 \"b\" writes u");
	edge(PLAIT_ACCESS_READ, PLAIT_ACCESS_READ, true, NULL);
	edge(PLAIT_ACCESS_WRITE, PLAIT_ACCESS_READ, false, NULL);
}

/* The tasks that are proved when the horizon is full; no wait. */
static void horizons(void)
{
	plait_data *u;
	int i = 0;

	if (!open_proved(3))
		return;
	u = new_data(1, LINE, 0, 0, 4, "u");
	IS_INT(submit("a", u, PLAIT_ACCESS_WRITE, 0, 8), PLAIT_OK);
	forget(u);
	while (i < 10 && submit("b", u, PLAIT_ACCESS_READ, 0, 8) == PLAIT_OK)
		i++;
	IS_INT(i, 2);
	tells(u, "\"a\" writes u");
	plait_data_release(u);
	close_flow();
}

/* An op that was done orders all that come after it, and one that the flow takes
 * for done and is not orders none. */
static void done(void)
{
	plait__flow *self;
	plait_data *u;

	if (!open_proved(0))
		return;
	u = new_data(1, LINE, 0, 0, 4, "u");
	IS_INT(submit("a", u, PLAIT_ACCESS_WRITE, 0, 8), PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	forget(u);
	IS_INT(submit("b", u, PLAIT_ACCESS_WRITE, 0, 8), PLAIT_OK);
	IS_INT(plait__flow_enter(flow, &self, NULL), PLAIT_OK);
	plait__flow_lock(self);
	self->window.settled++;
	plait__flow_unlock(self);
	IS_INT(submit("c", u, PLAIT_ACCESS_WRITE, 0, 8), PLAIT_OK);
	plait__flow_lock(self);
	self->window.settled--;
	plait__flow_unlock(self);
	plait__object_leave(&self->object);
	IS_INT(wait_task(2), PLAIT_E_INTERNAL);
	tells(u, "task 2 \"b\" writes u [0, 8) and task 3 \"c\" writes u");
	plait_data_release(u);
	close_flow();
}

/* A task that does not wait for a barrier. */
static void barriers(void)
{
	const plait_task_desc barrier = { .size = sizeof(barrier),
					  .kind = PLAIT_TASK_CALL,
					  .flags = PLAIT_TASK_BARRIER,
					  .label = "all",
					  .function = return_it };
	plait__flow *self;

	for (int wrong = 0; wrong < 2; wrong++) {
		if (!open_proved(0))
			return;
		IS_INT(submit("a", NULL, 0, 0, 0), PLAIT_OK);
		IS_INT(plait_flow_submit(flow, &barrier, NULL, NULL), PLAIT_OK);
		IS_INT(plait__flow_enter(flow, &self, NULL), PLAIT_OK);
		if (wrong)
			self->barrier = 0;
		plait__object_leave(&self->object);
		IS_INT(submit("b", NULL, 0, 0, 0), PLAIT_OK);
		IS_INT(wait_task(0), wrong ? PLAIT_E_INTERNAL : PLAIT_OK);
		if (wrong)
			HAS_STR(flow_rig.error.text,
				"task 2 \"all\", a barrier, and task 3 \"b\", "
				"and nothing orders them");
		close_flow();
	}
}

/* ---- values ---- */

static int32_t count_up(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	uint32_t *u = *(uint32_t *const *)arguments[0];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		u[i]++;
	return 0;
}

/* The flow believes that the host has the values that a device has made. */
static void values(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = count_up,
		.signature = "count_up(u: inout pointer u32)",
	};
	uint32_t host[LINE] = { 0 };
	plait_kernel *kernel = NULL;
	plait_data *u;
	plait__data *self;

	flow_backends = "host,chaos";
	flow_devices = 1;
	flow_options = "chaos:devices=1";
	flow_flags = PLAIT_FLOW_CHECK;
	if (!open_flow(&no_workers, 64))
		return;
	IS_INT(plait_kernel_create(flow_rig.context, &desc, &kernel, NULL),
	       PLAIT_OK);
	u = new_data(1, LINE, 0, 0, 4, "u");
	IS_INT(plait_flow_launch(flow, kernel, PLAIT_ITEMS(LINE),
				 PLAIT_ARGUMENTS(PLAIT_DATA(u)), NULL, NULL),
	       PLAIT_OK);
	IS_INT(plait_data_read(u, NULL, host, NULL), PLAIT_OK);
	IS_UINT(host[0], 1);
	IS_INT(plait_flow_launch(flow, kernel, PLAIT_ITEMS(LINE),
				 PLAIT_ARGUMENTS(PLAIT_DATA(u)), NULL, NULL),
	       PLAIT_OK);
	IS_INT(plait__data_enter(u, &self, NULL), PLAIT_OK);
	plait__flow_lock(self->flow);
	plait__coherence_add(&self->copies->coherence, &self->box,
			     PLAIT__MEMORY_HOST);
	plait__flow_unlock(self->flow);
	plait__object_leave(&self->object);
	IS_INT(submit("sum", u, PLAIT_ACCESS_READ, 2, 4), PLAIT_OK);
	tells(u, "\"sum\" reads u [2, 4) in memory 0, whose values are those "
	      "of task ");
	plait_kernel_release(kernel);
	plait_data_release(u);
	close_flow();
}

/* ---- flows ---- */

/* Places of data that have ended are used again. */
static void many_data(void)
{
	plait__data *self;

	if (!open_proved(0))
		return;
	for (int i = 0; i < 1000; i++) {
		plait_data *u = new_data(1, LINE, 0, 0, 4, "u");

		if (submit("a", u, PLAIT_ACCESS_WRITE, 0, 8) != PLAIT_OK ||
		    plait__data_enter(u, &self, NULL) != PLAIT_OK)
			break;
		OK_THAT(self->proved <= 256, "data %u", self->proved);
		plait__object_leave(&self->object);
		plait_data_release(u);
	}
	IS_INT(wait_task(0), PLAIT_OK);
	close_flow();
}

static void descriptors(void)
{
	plait_flow_desc desc = { .size = sizeof(desc), .horizon = 8 };
	plait_flow_info info = { .size = sizeof(info) };
	struct rig *rig = &flow_rig;
	plait_flow *out = NULL;

	if (!open_proved(1))
		return;
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	IS_UINT(info.flags, PLAIT_FLOW_CHECK);
	REFUSED(plait_flow_create(rig->context, &desc, &out,
				  &rig->error), PLAIT_E_INVALID,
		"a horizon of 8 tasks without PLAIT_FLOW_CHECK");
	desc = (plait_flow_desc){ .size = sizeof(desc), .flags = 1u << 31 };
	REFUSED(plait_flow_create(rig->context, &desc, &out,
				  &rig->error), PLAIT_E_INVALID,
		"flags 0x80000000 are unknown; known are "
		"PLAIT_FLOW_RECORD");
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "edges", edges },
	{ "horizons", horizons },
	{ "ops that are done", done },
	{ "barriers", barriers },
	{ "values", values },
	{ "many data", many_data },
	{ "descriptors", descriptors },
};

TAP_MAIN(all)
