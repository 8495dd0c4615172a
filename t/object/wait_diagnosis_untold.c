/* SPDX-License-Identifier: MIT */
/*
 * Diagnosis of missing notifications: the waiting thread is told which point is
 * missing, of which plugin, and where to look.  The simulated system inside of
 * `fault`, which drops one notification.
 */
#define RUN_FREEZE PLAIT_FREEZE_QUEUES
#include "lib/runs.h"

enum { SOON_NS = 1000000 };

/* The fault: the number of the notification that does not come. */
static bool open_untold(int never)
{
	static char options[64];

	snprintf(options, sizeof(options), "fault:never=%d", never);
	setenv("PLAIT_WRAP", "fault", 1);
	setenv("PLAIT_OPTIONS", options, 1);
	rig = settings[2];
	return open_rig(&rig);
}

/* The missing notification still holds its objects, so nothing of this context
 * ends. */
static void leave_rig(void)
{
	plait_context_release(rig.context);
}

static plait_inbox *make_inbox(void)
{
	plait_inbox *inbox = NULL;

	IS_INT(plait_inbox_create(rig.context, &inbox, &rig.error), PLAIT_OK);
	return inbox;
}

#define SAYS(part) HAS_STR(rig.error.text, part)
#define BLAMES(name) \
	SAYS("plugin " name " has yet to tell; if it never does (P-S10): " \
	     "plait conform " name " --only S14")

static void wait_until_timeout(plait_inbox *inbox)
{
	IS_INT(plait_inbox_wait(inbox, SOON_NS, &rig.error), PLAIT_E_TIMEOUT);
	SAYS("1 ms have passed: inbox ");
}

static void an_event(void)
{
	plait_signal_desc desc = { .size = sizeof(desc), .label = "s" };
	plait_signal *signal = NULL;
	plait_inbox *inbox;

	if (!open_untold(1))
		return;
	inbox = make_inbox();
	IS_INT(plait_signal_create(rig.device, &desc, &signal, &rig.error),
	       PLAIT_OK);
	wait_until_timeout(inbox);
	SAYS(" has no event, and none was asked for");
	IS_INT(plait_signal_notify(rig.gate, 5, inbox, NULL, NULL, &rig.error),
	       PLAIT_OK);
	wait_until_timeout(inbox);
	SAYS("signal \"gate\" of chaos is at 0, and 5 was asked for");
	IS_INT(plait_queue_emit(rig.queue, signal, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_signal_notify(signal, 1, inbox, NULL, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	/* The text names the point that has happened, not a later one. */
	wait_until_timeout(inbox);
	SAYS("signal \"s\" has come to 1, of which ");
	BLAMES("chaos");
	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_DEADLOCK);
	SAYS("the wait has no end: inbox ");
	SAYS("signal \"s\" has come to 1, of which plugin chaos");
	/* Other notifications come. */
	IS_INT(plait_signal_raise(rig.gate, 5, &rig.error), PLAIT_OK);
	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	leave_rig();
}

/* The owner of an inbox never hears of it. */
static void a_call(void)
{
	plait_inbox *inbox;
	int count = 0;

	if (!open_untold(1))
		return;
	inbox = make_inbox();
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .function = add_one,
				     .user_data = &count,
				     .inbox = inbox,
				     .label = "lost" };

	IS_INT(plait_queue_wait(rig.queue, rig.gate, 1, &rig.error), PLAIT_OK);
	IS_INT(plait_queue_submit(rig.queue, &call, 1, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, SOON_NS, &rig.error),
	       PLAIT_E_TIMEOUT);
	/* The queue has not reached the point, so no notification is late. */
	SAYS("queue \"q\" of chaos is not done after 1 ms; it has a "
	     "wait for signal ");
	SAYS(", which is at 0");
	IS_INT(plait_signal_raise(rig.gate, 1, &rig.error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, SOON_NS, &rig.error),
	       PLAIT_E_TIMEOUT);
	SAYS("queue \"q\" of chaos is not done after 1 ms: command "
	     "\"lost\" waits for inbox ");
	BLAMES("chaos");
	wait_until_timeout(inbox);
	SAYS(" has no event; 1 are to come");
	IS_INT(count, 0);
	leave_rig();
}

static void a_run(void)
{
	const plait_run_desc desc = { .size = sizeof(desc) };
	plait_run *run = NULL;
	plait_graph *graph;
	plait_plan *plan;
	int count = 0;

	if (!open_untold(1))
		return;
	graph = new_graph();
	(void)add_call(graph, "a", add_one, &count, NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_run_wait(run, SOON_NS, &rig.error), PLAIT_E_TIMEOUT);
	SAYS("1 ms have passed: run ");
	SAYS(" is not over; of ");
	BLAMES("chaos");
	leave_rig();
}

/* Does the same without a fault: no backend is blamed, and all waits end. */
static void no_fault(void)
{
	plait_inbox *inbox;

	if (!open_untold(0))
		return;
	inbox = make_inbox();
	wait_until_timeout(inbox);
	IS_INT(plait_signal_notify(rig.gate, 1, inbox, NULL, NULL, &rig.error),
	       PLAIT_OK);
	wait_until_timeout(inbox);
	OK(strstr(rig.error.text, "has yet to tell") == NULL);
	IS_INT(plait_signal_raise(rig.gate, 1, &rig.error), PLAIT_OK);
	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	plait_inbox_release(inbox);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "no blame without a fault", no_fault },
	{ "an event that never comes", an_event },
	{ "a call that its owner never hears of", a_call },
	{ "a run that never hears of its queue", a_run },
};

TAP_MAIN(all)
