/* SPDX-License-Identifier: MIT */
/*
 * Owners whose functions wait for each other, in a cycle of two or three threads:
 * for queues, emissions and runs.  The wait that closes the cycle is refused, and
 * the others end.  The threads make no checks: their statuses are checked after
 * the join.
 */
#include "lib/runs.h"

enum { MOST = 3, KINDS = 3 };
enum { QUEUES, SIGNALS, RUNS };

struct owner {
	plait_inbox *inbox;
	plait_queue *queue;
	plait_signal *behind; /* emitted behind the command */
	plait_plan *plan;
	plait_run *run;	      /* of the plan, on the queue */
	struct owner *next;   /* the one that its function waits for */
	int kind;
	uint64_t timeout_ns;
	plait_status inside;  /* of the wait in the function */
	plait_status last;    /* of the wait for the queue, outside */
	plait_error error;    /* of the wait inside */
};

static struct owner owners[MOST];
static pthread_barrier_t barrier;

static int32_t wait_for_next(void *user_data)
{
	struct owner *owner = user_data, *next = owner->next;

	(void)pthread_barrier_wait(&barrier);
	owner->error.size = sizeof(owner->error);
	owner->inside =
		owner->kind == QUEUES ?
			plait_queue_finish(next->queue, owner->timeout_ns,
					   &owner->error) :
		owner->kind == SIGNALS ?
			plait_signal_wait(next->behind, 1, owner->timeout_ns,
					  &owner->error) :
			plait_run_wait(next->run, owner->timeout_ns,
				       &owner->error);
	return 0;
}

static void make_plan(struct owner *owner)
{
	plait_graph *graph = new_graph();

	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .inbox = owner->inbox,
		.function = wait_for_next, .user_data = owner }, NULL, 0);
	owner->plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
}

static void make(struct owner *owner)
{
	OK(plait_inbox_create(rig.context, &owner->inbox, NULL) == PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &owner->queue, NULL) ==
	   PLAIT_OK);
	OK(plait_signal_create(rig.device, NULL, &owner->behind, NULL) ==
	   PLAIT_OK);
	make_plan(owner);
}

static void unmake(struct owner *owner)
{
	plait_run_release(owner->run);
	plait_plan_release(owner->plan);
	plait_signal_release(owner->behind);
	plait_queue_release(owner->queue);
	plait_inbox_release(owner->inbox);
}

/* A run on the queue, or a command, and an emission behind it. */
static void submit(struct owner *owner)
{
	const plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.inbox = owner->inbox, .function = wait_for_next,
		.user_data = owner,
	};

	if (owner->kind == RUNS)
		IS_INT(plait_plan_run(owner->plan, owner->queue, NULL,
				      &owner->run, &rig.error), PLAIT_OK);
	else
		IS_INT(plait_queue_submit(owner->queue, &command, 1, NULL,
					  &rig.error), PLAIT_OK);
	IS_INT(plait_queue_emit(owner->queue, owner->behind, NULL, NULL),
	       PLAIT_OK);
}

static void *own(void *arg)
{
	struct owner *owner = arg;

	if (plait_inbox_adopt(owner->inbox, NULL) != PLAIT_OK)
		abort();
	(void)pthread_barrier_wait(&barrier); /* all is submitted */
	owner->last = plait_queue_finish(owner->queue, PLAIT_FOREVER, NULL);
	return NULL;
}

static void run_cycle(uint32_t count, int kind, uint64_t last_timeout_ns)
{
	pthread_t threads[MOST];

	IS_INT(pthread_barrier_init(&barrier, NULL, count), 0);
	for (uint32_t i = 0; i < count; i++) {
		owners[i] = (struct owner){
			.next = &owners[(i + 1) % count], .kind = kind,
			.timeout_ns = i + 1 < count ? PLAIT_FOREVER :
						      last_timeout_ns };
		make(&owners[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		submit(&owners[i]);
	for (uint32_t i = 1; i < count; i++)
		IS_INT(pthread_create(&threads[i], NULL, own, &owners[i]), 0);
	(void)own(&owners[0]);
	for (uint32_t i = 1; i < count; i++)
		IS_INT(pthread_join(threads[i], NULL), 0);
	IS_INT(pthread_barrier_destroy(&barrier), 0);
}

/* One of the waits inside ended with `status`, the others well. */
static void check_cycle(uint32_t count, plait_status status, const char *text)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		IS_INT(owners[i].last, PLAIT_OK);
		found += owners[i].inside == status;
		if (owners[i].inside == status)
			HAS_STR(owners[i].error.text, text);
		else
			IS_INT(owners[i].inside, PLAIT_OK);
		unmake(&owners[i]);
	}
	IS_UINT(found, 1);
}

static void cycles(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		if (!open_host(workers))
			continue;
		for (uint32_t count = 2; count <= MOST; count++)
			for (int kind = 0; kind < KINDS; kind++) {
				run_cycle(count, kind, PLAIT_FOREVER);
				check_cycle(count, PLAIT_E_DEADLOCK,
					    "another thread waits for");
			}
		close_rig(&rig);
	}
}

/* A wait with a limit closes no cycle. */
static void limits(void)
{
	if (!open_host(1))
		return;
	for (int kind = 0; kind < KINDS; kind++) {
		run_cycle(2, kind, 1000);
		check_cycle(2, PLAIT_E_TIMEOUT, "");
	}
	close_rig(&rig);
}

/* A wait for the queue of a function that waits for nothing: no cycle. */
static int32_t pass(void *user_data)
{
	(void)user_data;
	(void)pthread_barrier_wait(&barrier);
	return 0;
}

static void chains(void)
{
	const plait_command command = { .size = sizeof(command),
					.kind = PLAIT_COMMAND_CALL,
					.function = pass };
	plait_command passes = command;
	pthread_t thread;

	if (!open_host(1))
		return;
	IS_INT(pthread_barrier_init(&barrier, NULL, 2), 0);
	for (int i = 0; i < 2; i++) {
		owners[i] = (struct owner){ .next = &owners[1 - i],
					    .timeout_ns = PLAIT_FOREVER };
		make(&owners[i]);
	}
	submit(&owners[0]);
	passes.inbox = owners[1].inbox;
	IS_INT(plait_queue_submit(owners[1].queue, &passes, 1, NULL,
				  &rig.error), PLAIT_OK);
	IS_INT(pthread_create(&thread, NULL, own, &owners[1]), 0);
	(void)own(&owners[0]);
	IS_INT(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 2; i++) {
		IS_INT(owners[i].inside, PLAIT_OK);
		IS_INT(owners[i].last, PLAIT_OK);
		unmake(&owners[i]);
	}
	IS_INT(pthread_barrier_destroy(&barrier), 0);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "cycles", cycles },
	{ "limits", limits },
	{ "chains", chains },
};
TAP_MAIN(all)
