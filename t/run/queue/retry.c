/* SPDX-License-Identifier: MIT */
/*
 * A backend that accepts work and then nothing more: not the end of a lane, no
 * flush, no query of its progress.  Runs end all the same, also cancelled ones;
 * objects that may still be in use are kept.
 */
#include "lib/queued.h"

enum { TURNS = 2, MOST = 60 };

static const struct {
	const char *name;
	plait_status status;
} refusals[] = {
	{ "busy", PLAIT_E_BUSY }, { "nomem", PLAIT_E_NOMEM },
	{ "failed", PLAIT_E_FAILED }, { "state", PLAIT_E_STATE },
	{ "invalid", PLAIT_E_INVALID }, { "internal", PLAIT_E_INTERNAL },
	{ "unavailable", PLAIT_E_UNAVAILABLE },
	{ "unsupported", PLAIT_E_UNSUPPORTED },
};

/* Its K-th call of a slot and all after it are refused. */
struct refusing {
	const char *backends;
	const char *slot;
	const char *status;
	uint32_t from;
	uint32_t lanes;
	uint32_t instances;
	bool loops;
};

static uint32_t turns;
static uint32_t given_up;	/* as the log says */
static uint32_t entered;
static uint32_t released;
static bool holds;		/* the first function, until it is released */

static void hear_given_up(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_ERROR && strstr(line, "stay allocated") != NULL)
		given_up++;
	else if (level == PLAIT_LOG_ERROR)
		OK_THAT(false, "%s", line);
}

static int32_t pass(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&holds, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0)
		continue;
	return 0;
}

static int32_t goes_on(void *user_data)
{
	(void)user_data;
	return turns++ < TURNS;
}

static plait_plan *freeze_it(plait_graph *graph, const struct refusing *how)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_FREEZE_QUEUES,
		.lanes = how->lanes, .instances = how->instances,
		.policy = PLAIT_POLICY_WIDEST,
	};
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static plait_plan *make_plan(const struct refusing *how)
{
	plait_graph *graph = new_graph(), *body = NULL;
	plait_node first = add_call(graph, "first", pass, NULL, NULL, 0);
	plait_node loop;

	(void)add_call(graph, "second", pass, NULL, &first, 1);
	(void)add_call(graph, "beside", pass, NULL, NULL, 0);
	if (!how->loops)
		return freeze_it(graph, how);
	loop = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WHILE, .function = goes_on,
		.flags = PLAIT_CALL_ANY_THREAD, .label = "loop" }, NULL, 0);
	OK(plait_graph_body(graph, loop, 0, &body, &rig.error) == PLAIT_OK);
	(void)add_call(body, "inside", pass, NULL, NULL, 0);
	plait_graph_release(body);
	return freeze_it(graph, how);
}

/* Before the first call that is refused it may fail to be made. */
static bool open_refusing(const struct refusing *how, uint32_t workers)
{
	char options[160];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = how->backends,
		.wrap = "check,fault", .options = options,
		.flags = workers > 0 ? 0 : PLAIT_CONTEXT_NO_WORKERS,
		.workers = workers, .log = hear_given_up,
		.log_level = PLAIT_LOG_ERROR,
	};

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	(void)snprintf(options, sizeof(options),
		       "chaos:devices=1,seed=%u,quirks=%s;fault:slot=%s,status=%s,from=%u",
		       how->from, how->from % 2 == 0 ? "batch" : "late_notify", how->slot,
		       how->status, how->from);
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "%s", rig.error.text);
}

/* Returns true when it ended without a notification. */
static bool is_kept(const struct refusing *how)
{
	bool kept = strstr(rig.error.text, "stay allocated") != NULL;

	if (!kept)
		return false;
	IS_INT(rig.error.status, PLAIT_E_LOST);
	OK_THAT(strstr(rig.error.text, "plugin ") != NULL &&
		strstr(rig.error.text, how->backends) != NULL &&
		strstr(rig.error.text, "lane ") != NULL &&
		strstr(rig.error.text, "node ") != NULL &&
		strstr(rig.error.text, "freeze") != NULL, "%s",
		rig.error.text);
	return true;
}

/* All its instances end so, and then it runs no more; returns true when some
 * did. */
static bool run_all(plait_plan *plan, const struct refusing *how)
{
	uint32_t kept = 0;
	bool none_left = false;
	plait_status status;

	for (uint32_t i = 0; i < how->instances + 2; i++) {
		turns = 0;
		rig.error.text[0] = '\0';
		status = plait_plan_call(plan, NULL, NULL, &rig.error);
		kept += is_kept(how);
		OK_THAT(status == PLAIT_OK || rig.error.text[0] != '\0',
			"%s from %u: %d", how->slot, how->from, status);
		/* There is no other one. */
		OK_THAT(!none_left || status == PLAIT_E_LOST, "%s",
			rig.error.text);
		none_left = given_up == how->instances;
	}
	return kept > 0;
}

static bool try_refusing(const struct refusing *how)
{
	uint64_t plans = plait_live_count(PLAIT_OBJECT_PLAN);
	uint64_t contexts = plait_live_count(PLAIT_OBJECT_CONTEXT);
	plait_plan *plan;
	bool kept;

	given_up = 0;
	if (!open_refusing(how, 0))
		return false;
	plan = make_plan(how);
	kept = run_all(plan, how);
	plait_plan_release(plan);
	IS_INT(plait_context_close(rig.context, PLAIT_FOREVER, &rig.error),
	       given_up > 0 ? PLAIT_E_LOST : PLAIT_OK);
	IS_UINT(plait_live_count(PLAIT_OBJECT_PLAN), plans + (given_up > 0));
	IS_UINT(plait_live_count(PLAIT_OBJECT_CONTEXT),
		contexts + (given_up > 0));
	OK_THAT(!kept || given_up > 0, "%u", given_up);
	return kept;
}

static void refuse(const char *slot, bool keeps)
{
	struct refusing how = { .backends = "chaos", .slot = slot,
				.loops = true };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < TAP_COUNT(refusals); i++) {
		how.status = refusals[i].name;
		/* The text matters less than the time. */
		for (how.from = 1 + i; how.from < MOST;
		     how.from += i == 0 ? 1 : TAP_COUNT(refusals)) {
			how.lanes = 1 + how.from % 3;
			how.instances = 1 + how.from / 3 % 2;
			kept += try_refusing(&how);
		}
	}
	OK_THAT((kept > 0) == keeps, "%s: %u", slot, kept);
}

static void submissions(void)
{
	refuse("queue_submit", true);
}

static void flushes(void)
{
	refuse("queue_flush", true);
}

/* Neither notifications nor queries. */
static void points(void)
{
	refuse("signal_notify+signal_poll", true);
}

/* All at once, the commands behind a failure too. */
static void everything(void)
{
	refuse("queue_submit+queue_flush+queue_recover+signal_notify+"
	       "signal_poll+signal_reset", true);
}

/* A few rejections do not count. */
static void some(void)
{
	enum { FEW = 300 };
	const struct refusing how = { .lanes = 2, .instances = 1,
				      .loops = true };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos",
		.wrap = "check,fault", .log = hear_given_up,
		.options = "chaos:devices=1;fault:rate=900,seed=3,status=busy,"
			   "slot=queue_flush+signal_notify+signal_poll",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
		.log_level = PLAIT_LOG_ERROR,
	};
	plait_plan *plan;

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	given_up = 0;
	OK(plait_context_open(&desc, &rig.context, &rig.error) == PLAIT_OK);
	plan = make_plan(&how);
	for (int i = 0; i < FEW; i++) {
		turns = 0;
		OK_THAT(plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	}
	plait_plan_release(plan);
	plait_context_release(rig.context);
	IS_UINT(given_up, 0);
}

/* Cancelled while its end is rejected. */
static void cancel_one(const struct refusing *how)
{
	uint64_t plans = plait_live_count(PLAIT_OBJECT_PLAN);
	plait_plan *plan;
	plait_run *run = NULL;
	plait_queue *queue = NULL;
	plait_status status;

	given_up = 0;
	turns = 0;
	if (!open_refusing(how, 0))
		return;
	plan = make_plan(how);
	OK(plait_context_device(rig.context, 0, &rig.device, NULL) ==
	   PLAIT_OK && plait_queue_create(rig.device, NULL, &queue, NULL) ==
	   PLAIT_OK);
	if (plait_plan_run(plan, queue, NULL, &run, &rig.error) == PLAIT_OK) {
		(void)plait_run_poll(run, NULL);
		IS_INT(plait_run_cancel(run, &rig.error), PLAIT_OK);
		status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
		OK_THAT(status < 0, "from %u", how->from);
		if (given_up > 0)
			OK_THAT(status == PLAIT_E_CANCELLED ||
				status == PLAIT_E_LOST ||
				strstr(rig.error.text, "submitted") != NULL,
				"from %u: %s", how->from, rig.error.text);
		plait_run_release(run);
	}
	plait_queue_release(queue);
	plait_plan_release(plan);
	IS_INT(plait_context_close(rig.context, PLAIT_FOREVER, &rig.error),
	       given_up > 0 ? PLAIT_E_LOST : PLAIT_OK);
	IS_UINT(plait_live_count(PLAIT_OBJECT_PLAN), plans + (given_up > 0));
}

static void cancelled(void)
{
	struct refusing how = { .backends = "chaos", .slot = "queue_submit",
				.status = "nomem", .instances = 1,
				.loops = true };
	uint32_t kept = 0;

	for (how.from = 2; how.from < MOST / 2; how.from++) {
		how.lanes = 1 + how.from % 3;
		cancel_one(&how);
		kept += given_up;
	}
	OK(kept > 0);
}

/* The first function delays the notification of its lane's end where time is
 * real, and the run is over before it returns. */
static void rejected_while_it_runs(void)
{
	const struct refusing how = {
		.backends = "host", .slot = "queue_submit", .status = "busy",
		.from = 2, .lanes = 1, .instances = 1,
	};
	plait_plan *plan;

	__atomic_store_n(&holds, true, __ATOMIC_SEQ_CST);
	given_up = 0;
	if (!open_refusing(&how, 2))
		return;
	plan = make_plan(&how);
	OK(plait_plan_call(plan, NULL, NULL, &rig.error) < 0);
	NOTE("%s", rig.error.text);
	IS_UINT(given_up, 1);
	OK(__atomic_load_n(&entered, __ATOMIC_SEQ_CST) == 1);
	IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error), PLAIT_E_LOST);
	OK(is_kept(&how));
	plait_plan_release(plan);
	plait_context_release(rig.context);
	__atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&holds, false, __ATOMIC_SEQ_CST);
}

static const struct tap_scenario all[] = {
	{ "submissions", submissions },
	{ "flushes", flushes },
	{ "points", points },
	{ "everything", everything },
	{ "some", some },
	{ "cancelled", cancelled },
	{ "rejected while it runs", rejected_while_it_runs },
};
TAP_MAIN(all)
