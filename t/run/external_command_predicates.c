/* SPDX-License-Identifier: MIT */
/* Host functions that the owner of an inbox runs, as predicates: on its thread,
 * as often as the loop asks, pulled or run, and cancelled. */
#include "lib/runs.h"

#include <pthread.h>

static plait_run *start(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return run;
}

static plait_status end(plait_run *run)
{
	plait_status status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);

	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return status;
}

/* The number that its owner returns: iterations of a WHILE or a DO around a
 * count, or the branch of a CASE, with a count in each. */
struct asked {
	pthread_t owner;
	uint64_t left, strays, asked;
	uint64_t counts[3];
	plait_inbox *inbox;
	plait_plan *plan;
};

static int32_t answer(void *user_data)
{
	struct asked *asked = user_data;

	asked->asked++;
	asked->strays += !pthread_equal(asked->owner, pthread_self());
	return asked->left > 0 ? (int32_t)asked->left-- : 0;
}

static void make_asked(struct asked *asked, uint32_t kind,
		       plait_host_function function)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "asks", .function = function,
		.user_data = asked,
		.branch_count = kind == PLAIT_NODE_CASE ? 2 : 0,
	};
	plait_node_desc with_inbox = desc;
	plait_graph *graph = new_graph();
	plait_node node;

	*asked = (struct asked){ .owner = pthread_self() };
	OK(plait_inbox_create(rig.context, &asked->inbox, NULL) == PLAIT_OK);
	with_inbox.inbox = asked->inbox;
	node = add_node(graph, with_inbox, NULL, 0);
	for (uint64_t i = 0; i < (kind == PLAIT_NODE_CASE ? 2 : 1); i++) {
		plait_graph *body = body_of(graph, node, i);

		(void)add_call(body, "in it", bump, &asked->counts[i], NULL,
			       0);
		(void)add_call(body, "beside", bump, &asked->counts[2], NULL,
			       0);
		plait_graph_release(body);
	}
	asked->plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
}

static void free_asked(struct asked *asked)
{
	IS_UINT(asked->strays, 0);
	plait_plan_release(asked->plan);
	plait_inbox_release(asked->inbox);
}

static void check_predicates(uint32_t flags)
{
	struct asked asked;

	for (uint64_t kind = PLAIT_NODE_WHILE; kind <= PLAIT_NODE_DO; kind++) {
		uint64_t more = kind == PLAIT_NODE_DO;

		make_asked(&asked, (uint32_t)kind, answer);
		for (uint64_t i = 1; i <= 4; i++) {
			asked.left = 5;
			IS_INT((i % 2 ? run_with : call_with)(asked.plan,
							      flags), PLAIT_OK);
			IS_UINT(asked.counts[0], (5 + more) * i);
			IS_UINT(asked.counts[2], (5 + more) * i);
			IS_UINT(asked.asked, 6 * i);
		}
		free_asked(&asked);
	}
	make_asked(&asked, PLAIT_NODE_CASE, answer);
	for (uint64_t i = 0; i < 4; i++) {
		asked.left = i;
		IS_INT((i % 2 ? run_with : call_with)(asked.plan, flags),
		       PLAIT_OK);
	}
	IS_UINT(asked.counts[0], 1);
	IS_UINT(asked.counts[1], 1);
	IS_UINT(asked.asked, 4);
	free_asked(&asked);
}

static void predicates(void)
{
	everywhere(check_predicates);
}

static plait_event take_call(plait_inbox *inbox)
{
	plait_event event = { .size = sizeof(event) };

	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
	IS_INT(event.kind, PLAIT_EVENT_CALL);
	return event;
}

/* Pulled and answered: every number is valid, unless there is a text. */
static void check_pulled(uint32_t flags)
{
	struct asked asked;
	plait_run *run;

	make_asked(&asked, PLAIT_NODE_WHILE, answer);
	run = start(asked.plan, flags);
	for (int64_t left = 2; left >= 0; left--)
		IS_INT(plait_inbox_answer(asked.inbox,
					     take_call(asked.inbox).id, left,
					     NULL, NULL), PLAIT_OK);
	IS_INT(end(run), PLAIT_OK);
	IS_UINT(asked.counts[0], 2);
	run = start(asked.plan, flags);
	IS_INT(plait_inbox_answer(asked.inbox, take_call(asked.inbox).id, 1,
				     "cannot say", NULL), PLAIT_OK);
	IS_INT(end(run), PLAIT_E_FAILED);
	HAS_STR(rig.error.text, "\"asks\" failed: ");
	HAS_STR(rig.error.text, "cannot say");
	IS_UINT(asked.counts[0], 2);
	asked.left = 3;
	IS_INT(call_with(asked.plan, flags), PLAIT_OK);
	IS_UINT(asked.counts[0], 5);
	free_asked(&asked);
}

/* Cancelled in some iteration: before its owner begins, or while it runs; or
 * its inbox is closed. */
static void check_unanswered(uint32_t flags)
{
	for (int how = 0; how < 3; how++) {
		struct asked asked;
		plait_event event;
		plait_run *run;

		make_asked(&asked, PLAIT_NODE_WHILE, answer);
		run = start(asked.plan, flags);
		IS_INT(plait_inbox_answer(asked.inbox,
					     take_call(asked.inbox).id, 1,
					     NULL, NULL), PLAIT_OK);
		if (how == 0) {
			event = take_call(asked.inbox);
			OK(plait_run_cancel(run, NULL) == PLAIT_OK);
			IS_INT(plait_run_wait(run, 1000, NULL),
			       PLAIT_E_TIMEOUT);
			IS_INT(plait_inbox_answer(asked.inbox, event.id, 1,
						     NULL, NULL), PLAIT_OK);
		} else {
			IS_INT(plait_inbox_wait(asked.inbox, PLAIT_FOREVER,
						NULL), PLAIT_OK);
			OK((how == 1 ? plait_run_cancel(run, NULL) :
			    plait_inbox_close(asked.inbox, NULL)) == PLAIT_OK);
		}
		IS_INT(end(run), PLAIT_E_CANCELLED);
		IS_UINT(asked.counts[0], 1);
		IS_UINT(asked.asked, 0);
		free_asked(&asked);
	}
}

static void answers(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			if (!open_host(worker_counts[w]))
				continue;
			check_pulled(run_flags[f]);
			check_unanswered(run_flags[f]);
			close_rig(&rig);
		}
	}
}

static const struct tap_scenario all[] = {
	{ "predicates", predicates },
	{ "answers", answers },
};
TAP_MAIN(all)
