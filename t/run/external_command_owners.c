/* SPDX-License-Identifier: MIT */
/* Host functions that the owner of an inbox runs, as nodes: on its thread,
 * once, and not at all when the run was cancelled or the inbox closed. */
#include "lib/runs.h"

#include <pthread.h>

struct call {
	pthread_t owner;
	uint64_t count;
	uint64_t strays; /* on another thread */
	int32_t result;
};

static int32_t be_called(void *user_data)
{
	struct call *call = user_data;

	call->count++;
	call->strays += !pthread_equal(call->owner, pthread_self());
	return call->result;
}

static plait_node add_owned(plait_graph *graph, plait_inbox *inbox,
			    struct call *call, const plait_node *after)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "owned",
		.function = be_called, .user_data = call, .inbox = inbox,
	};

	return add_node(graph, desc, after, after != NULL);
}

/* first -> owned -> behind, and one parallel to it. */
struct line {
	struct call call;
	uint64_t first, behind, beside;
	pthread_barrier_t adopted;
	plait_inbox *inbox;
	plait_graph *graph;
	plait_plan *plan;
};

static void make_line(struct line *line)
{
	plait_node node;

	*line = (struct line){ .call.owner = pthread_self() };
	OK(plait_inbox_create(rig.context, &line->inbox, &rig.error) ==
	   PLAIT_OK);
	line->graph = new_graph();
	node = add_call(line->graph, "first", bump, &line->first, NULL, 0);
	node = add_owned(line->graph, line->inbox, &line->call, &node);
	(void)add_call(line->graph, "behind", bump, &line->behind, &node, 1);
	(void)add_call(line->graph, "beside", bump, &line->beside, NULL, 0);
	line->plan = freeze(line->graph, 2, 2);
}

static void free_line(struct line *line)
{
	IS_UINT(line->call.strays, 0);
	plait_plan_release(line->plan);
	plait_graph_release(line->graph);
	plait_inbox_release(line->inbox);
}

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

/* Its owner waits for the run, and serves the inbox meanwhile. */
static void check_waits(uint32_t flags)
{
	struct line line;

	make_line(&line);
	for (uint64_t i = 1; i <= 6; i++) {
		IS_INT((i % 2 ? run_with : call_with)(line.plan, flags),
		       PLAIT_OK);
		IS_UINT(line.call.count, i);
		IS_UINT(line.behind, i);
	}
	free_line(&line);
}

static void waits(void)
{
	everywhere(check_waits);
}

/* Its owner pumps the inbox, or takes events and answers them. */
static void check_pumps(uint32_t flags)
{
	struct line line;

	make_line(&line);
	for (uint64_t i = 1; i <= 4; i++) {
		plait_event event = { .size = sizeof(event) };
		plait_run *run = start(line.plan, flags);

		IS_INT(plait_inbox_wait(line.inbox, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		if (i % 2) {
			IS_INT(plait_inbox_pump(line.inbox, 0, NULL, NULL),
			       PLAIT_OK);
		} else {
			IS_INT(plait_inbox_next(line.inbox, &event, NULL),
			       PLAIT_OK);
			IS_INT(event.kind, PLAIT_EVENT_CALL);
			IS_INT(event.function(event.user_data), 0);
			IS_INT(plait_inbox_answer(line.inbox, event.id, 0,
						     NULL, NULL), PLAIT_OK);
		}
		IS_INT(end(run), PLAIT_OK);
		IS_UINT(line.call.count, i);
		IS_UINT(line.behind, i);
	}
	free_line(&line);
}

/* A thread that waits for an inbox does no work of runs, so this takes
 * workers. */
static void pumps(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			if (!open_host(worker_counts[w]))
				continue;
			check_pumps(run_flags[f]);
			close_rig(&rig);
		}
	}
}

static void *own(void *arg)
{
	struct line *line = arg;

	line->call.owner = pthread_self();
	OK(plait_inbox_adopt(line->inbox, NULL) == PLAIT_OK);
	(void)pthread_barrier_wait(&line->adopted);
	while (line->call.count < 5) {
		(void)plait_inbox_wait(line->inbox, PLAIT_FOREVER, NULL);
		(void)plait_inbox_pump(line->inbox, 0, NULL, NULL);
	}
	return NULL;
}

/* Another thread than the one that waits. */
static void check_others(uint32_t flags)
{
	struct line line;
	pthread_t thread;

	make_line(&line);
	OK(pthread_barrier_init(&line.adopted, NULL, 2) == 0);
	OK(pthread_create(&thread, NULL, own, &line) == 0);
	(void)pthread_barrier_wait(&line.adopted);
	for (uint64_t i = 1; i <= 5; i++) {
		IS_INT((i % 2 ? run_with : call_with)(line.plan, flags),
		       PLAIT_OK);
		IS_UINT(line.behind, i);
	}
	OK(pthread_join(thread, NULL) == 0);
	(void)pthread_barrier_destroy(&line.adopted);
	IS_UINT(line.call.count, 5);
	free_line(&line);
}

static void others(void)
{
	on_the_host(check_others);
}

/* A status that it returns fails the node; and the next run is not affected. */
static void check_failures(uint32_t flags)
{
	struct line line;

	make_line(&line);
	for (uint64_t i = 1; i <= 4; i++) {
		line.call.result = i % 2 ? 7 : 0;
		IS_INT((i > 2 ? run_with : call_with)(line.plan, flags),
		       i % 2 ? PLAIT_E_FAILED : PLAIT_OK);
		if (i % 2) {
			IS_INT(rig.error.origin, 7);
			HAS_STR(rig.error.text, "\"owned\" failed with 7");
			OK_THAT(strstr(rig.error.text, "not run") == NULL,
				"%s", rig.error.text);
		}
		IS_UINT(line.call.count, i);
		IS_UINT(line.behind, i / 2);
	}
	free_line(&line);
}

static void failures(void)
{
	everywhere(check_failures);
}

/* In a loop, once an iteration. */
static int32_t count_down(void *user_data)
{
	uint64_t *left = user_data;

	return *left > 0 ? (int32_t)(*left)-- : 0;
}

static void check_loops(uint32_t flags)
{
	struct call call = { .owner = pthread_self() };
	uint64_t left = 0;
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_DO, .flags = PLAIT_CALL_ANY_THREAD,
		.function = count_down, .user_data = &left,
	};
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, loop, NULL, 0);
	plait_graph *body = body_of(graph, node, 0);
	plait_inbox *inbox = NULL;
	plait_plan *plan;

	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	(void)add_owned(body, inbox, &call, NULL);
	plan = freeze(graph, 2, 1);
	for (uint64_t i = 1; i <= 3; i++) {
		left = 9;
		IS_INT((i % 2 ? run_with : call_with)(plan, flags), PLAIT_OK);
		IS_UINT(call.count, 10 * i);
	}
	IS_UINT(call.strays, 0);
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_inbox_release(inbox);
}

static void loops(void)
{
	everywhere(check_loops);
}

/* Started, and with the owner: an event waits. */
static plait_run *start_posted(const struct line *line, uint32_t flags)
{
	plait_run *run = start(line->plan, flags);

	IS_INT(plait_inbox_wait(line->inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
	return run;
}

/* Cancelled before the owner takes it: it never runs, the next one does. */
static void check_cancels(uint32_t flags)
{
	struct line line;
	uint64_t count = 9;

	make_line(&line);
	for (int i = 0; i < 4; i++) {
		plait_run *run = start_posted(&line, flags);

		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
		IS_INT(end(run), PLAIT_E_CANCELLED);
		IS_INT(plait_inbox_pump(line.inbox, 0, &count, NULL),
		       PLAIT_OK);
		IS_UINT(count, 0);
	}
	IS_UINT(line.call.count, 0);
	IS_INT(call_with(line.plan, flags), PLAIT_OK);
	IS_UINT(line.call.count, 1);
	free_line(&line);
}

/* Cancelled while the owner runs it: waited for. */
static void check_taken(uint32_t flags)
{
	struct line line;
	plait_event event = { .size = sizeof(event) };
	plait_run *run;

	make_line(&line);
	run = start_posted(&line, flags);
	IS_INT(plait_inbox_next(line.inbox, &event, NULL), PLAIT_OK);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, 1000, NULL), PLAIT_E_TIMEOUT);
	IS_INT(plait_inbox_answer(line.inbox, event.id, 0, NULL, NULL),
	       PLAIT_OK);
	IS_INT(end(run), PLAIT_E_CANCELLED);
	IS_UINT(line.behind, 0);
	free_line(&line);
}

/* Closed while it waits, or before. */
static void check_closes(uint32_t flags)
{
	for (int posted = 0; posted < 2; posted++) {
		struct line line;
		plait_run *run;

		make_line(&line);
		if (posted)
			run = start_posted(&line, flags);
		OK(plait_inbox_close(line.inbox, NULL) == PLAIT_OK);
		if (!posted)
			run = start(line.plan, flags);
		IS_INT(end(run), PLAIT_E_CANCELLED);
		HAS_STR(rig.error.text, "closed");
		IS_UINT(line.call.count, 0);
		IS_UINT(line.behind, 0);
		free_line(&line);
	}
}

static void given_up(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			if (!open_host(worker_counts[w]))
				continue;
			check_cancels(run_flags[f]);
			check_taken(run_flags[f]);
			check_closes(run_flags[f]);
			close_rig(&rig);
		}
	}
}

/* Only the owner can take the events in front of it in the inbox. */
static void check_line(uint32_t flags)
{
	struct line line;
	plait_event event = { .size = sizeof(event) };

	make_line(&line);
	OK(plait_signal_notify(rig.gate, 0, line.inbox, NULL, NULL,
			       &rig.error) == PLAIT_OK);
	IS_INT(call_with(line.plan, flags), PLAIT_E_STATE);
	HAS_STR(rig.error.text, "pull it first");
	IS_UINT(line.call.count, 0);
	IS_INT(plait_inbox_next(line.inbox, &event, NULL), PLAIT_OK);
	IS_INT(event.kind, PLAIT_EVENT_SIGNAL);
	IS_INT(call_with(line.plan, flags), PLAIT_OK);
	IS_UINT(line.call.count, 1);
	free_line(&line);
}

static void in_line(void)
{
	everywhere(check_line);
}

/* More runs than instances are started by the thread that their calls need: it
 * serves them while it waits for an instance. */
static void check_crowd(uint32_t flags)
{
	plait_run *runs[7];
	struct line line;

	make_line(&line);
	for (uint32_t i = 0; i < 7; i++)
		runs[i] = start(line.plan, flags);
	for (uint32_t i = 0; i < 7; i++)
		IS_INT(end(runs[i]), PLAIT_OK);
	IS_UINT(line.call.count, 7);
	IS_UINT(line.behind, 7);
	free_line(&line);
}

/* An event that the owner would have to take ends that wait; a failed start has
 * no run. */
static void check_pulls(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_event event = { .size = sizeof(event) };
	plait_run *runs[2], *none;
	struct line line;

	make_line(&line);
	OK(plait_signal_notify(rig.gate, 0, line.inbox, NULL, NULL,
			       &rig.error) == PLAIT_OK);
	runs[0] = start(line.plan, flags);
	runs[1] = start(line.plan, flags);
	IS_INT(plait_plan_run(line.plan, rig.queue, &desc, &none, &rig.error),
	       PLAIT_E_BUSY);
	HAS_STR(rig.error.text, "pull it, then run again");
	OK(none == NULL);
	IS_INT(plait_inbox_next(line.inbox, &event, NULL), PLAIT_OK);
	IS_INT(event.kind, PLAIT_EVENT_SIGNAL);
	none = start(line.plan, flags);
	IS_INT(end(none), PLAIT_OK);
	IS_INT(end(runs[0]), PLAIT_OK);
	IS_INT(end(runs[1]), PLAIT_OK);
	IS_UINT(line.call.count, 3);
	free_line(&line);
}

static void crowds(void)
{
	everywhere(check_crowd);
	everywhere(check_pulls);
}

static const struct tap_scenario all[] = {
	{ "waits", waits },
	{ "pumps", pumps },
	{ "others", others },
	{ "failures", failures },
	{ "loops", loops },
	{ "given up", given_up },
	{ "in line", in_line },
	{ "crowds", crowds },
};
TAP_MAIN(all)
