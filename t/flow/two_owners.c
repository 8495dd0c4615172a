/* SPDX-License-Identifier: MIT */
/*
 * Two owners whose functions wait for each other's tasks: the cycle is refused, or
 * left by the ways of doc/threads.md.  The second owner makes no checks of its own:
 * its statuses are checked after the join.
 */
#include "flows.h"

struct owner {
	plait_inbox *inbox;
	struct owner *other;
	plait_task task;
	uint64_t timeout_ns; /* of the wait in its function */
	plait_status inside; /* what that wait returned */
	plait_error error;   /* its text */
	plait_status last;   /* of the owner's own wait for its task */
	bool closes;	     /* the other inbox, before it waits */
};

static pthread_barrier_t both_inside;

static int32_t wait_for_other(void *user_data)
{
	struct owner *owner = user_data;

	(void)pthread_barrier_wait(&both_inside);
	if (owner->closes)
		(void)plait_inbox_close(owner->other->inbox, NULL);
	owner->error.size = sizeof(owner->error);
	owner->inside = plait_flow_wait(flow, owner->other->task,
					owner->timeout_ns, &owner->error);
	return 0;
}

static plait_task submit(struct owner *owner)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = wait_for_other, .user_data = owner,
		.inbox = owner->inbox,
	};
	plait_task task = 0;

	IS_INT(plait_flow_submit(flow, &desc, &task, &flow_rig.error),
	       PLAIT_OK);
	return task;
}

static void *run_second(void *arg)
{
	struct owner *owner = arg;

	if (plait_inbox_adopt(owner->inbox, NULL) != PLAIT_OK)
		abort();
	(void)pthread_barrier_wait(&both_inside); /* both tasks are there */
	owner->last = plait_flow_wait(flow, owner->task, PLAIT_FOREVER, NULL);
	return NULL;
}

/* `first` and `second` say how they wait. */
static void run_both(struct owner *first, struct owner *second)
{
	struct owner *owners[] = { first, second };
	pthread_t thread;

	first->other = second;
	second->other = first;
	for (int i = 0; i < 2; i++)
		IS_INT(plait_inbox_create(flow_rig.context, &owners[i]->inbox,
					  &flow_rig.error), PLAIT_OK);
	IS_INT(pthread_barrier_init(&both_inside, NULL, 2), 0);
	IS_INT(pthread_create(&thread, NULL, run_second, second), 0);
	first->task = submit(first);
	second->task = submit(second);
	(void)pthread_barrier_wait(&both_inside);
	first->last = plait_flow_wait(flow, first->task, PLAIT_FOREVER, NULL);
	IS_INT(pthread_join(thread, NULL), 0);
	IS_INT(pthread_barrier_destroy(&both_inside), 0);
	for (int i = 0; i < 2; i++)
		plait_inbox_release(owners[i]->inbox);
	close_flow();
}

/* The function that gives up returns, and the other one's wait ends. */
static void limits(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner first = { .timeout_ns = PLAIT_FOREVER };
		struct owner second = { .timeout_ns = 1 };

		if (!open_flow(&flow_settings[s], 64))
			continue;
		run_both(&first, &second);
		IS_INT(second.inside, PLAIT_E_TIMEOUT);
		HAS_STR(second.error.text, ": task 1 of flow \"flow\" is not "
			"done: a host function waits for inbox ");
		HAS_STR(second.error.text, ", which its owner, thread ");
		IS_INT(first.inside, PLAIT_OK);
		IS_INT(first.last, PLAIT_OK);
		IS_INT(second.last, PLAIT_OK);
	}
}

/* The calls of the closed inbox fail, also the one whose function runs. */
static void closes(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner first = { .timeout_ns = PLAIT_FOREVER };
		struct owner second = { .timeout_ns = PLAIT_FOREVER,
					.closes = true };

		if (!open_flow(&flow_settings[s], 64))
			continue;
		run_both(&first, &second);
		IS_INT(first.inside, PLAIT_OK);
		IS_INT(first.last, PLAIT_E_CANCELLED);
		IS_INT(second.inside, PLAIT_E_CANCELLED);
		IS_INT(second.last, PLAIT_OK);
	}
}

/* The wait that closes the cycle is refused, and the other one ends. */
static void cycles(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner first = { .timeout_ns = PLAIT_FOREVER };
		struct owner second = { .timeout_ns = PLAIT_FOREVER };
		bool refused;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		run_both(&first, &second);
		refused = first.inside == PLAIT_E_DEADLOCK;
		IS_INT(first.inside, refused ? PLAIT_E_DEADLOCK : PLAIT_OK);
		IS_INT(second.inside, refused ? PLAIT_OK : PLAIT_E_DEADLOCK);
		IS_INT(first.last, PLAIT_OK);
		IS_INT(second.last, PLAIT_OK);
	}
}

static const struct tap_scenario all[] = {
	{ "cycles", cycles },
	{ "limits", limits },
	{ "closes", closes },
};
TAP_MAIN(all)
