/* SPDX-License-Identifier: MIT */
/*
 * Runs that the user releases with everything else while they cannot go on: no
 * handle is left by which a gate could be raised, an inbox served or a run
 * waited for.  The runs end, and nothing lives on.
 */
#include "lib/objects.h"

#include <sched.h>

struct place {
	const char *backends;
	const char *queue; /* device of the queue */
	const char *wrap;
	const char *options;
	uint32_t workers; /* 0: PLAIT_CONTEXT_NO_WORKERS */
};

#define CHAOS "chaos:patience_ms=5"

static const struct place places[] = {
	{ "host", "host:0", NULL, NULL, 0 },
	{ "host", "host:0", NULL, NULL, 1 },
	{ "host", "host:0", NULL, NULL, 4 },
	{ "host", "host:0", "check", NULL, 2 },
	{ "host", "host:0", "fault", "fault:fail=25", 2 },
	{ "chaos", "chaos:0", NULL, CHAOS, 0 },
	{ "chaos", "chaos:0", NULL, CHAOS, 2 },
	{ "chaos", "chaos:0", "check", CHAOS, 0 },
	{ "chaos", "chaos:0", "fault", CHAOS ";fault:fail=30", 2 },
	{ "host,chaos", "host:0", NULL, CHAOS, 0 },
	{ "host,chaos", "chaos:0", NULL, CHAOS, 0 },
	{ "host,chaos", "chaos:0", NULL, CHAOS, 3 },
};

static const char *const kinds[] = {
	"join", "call", "inbox", "event", "emit", "gate", "wait", "newest",
	"copy", "while", "inbox-while", "gate-do",
};

/* r: rehearsed, 2: two runs, c: the first is cancelled, q: runs on queues */
static const char *const ways[] = {
	"", "r", "2", "r2", "c", "rc", "2c", "r2c", "q", "q2", "qc", "qr",
	"qr2",
};

/* The world of one combination. */
struct world {
	plait_context *context;
	plait_device *device;
	plait_device *queue_device;
	plait_inbox *inbox;
	plait_signal *signal;
	plait_signal *gate;
	plait_buffer *from;
	plait_buffer *to;
	plait_queue *queue;
	plait_error error;
};

static int32_t stop_at_once(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Faults are logged. */
static void hear(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	(void)level;
	(void)line;
}

static bool open_world(struct world *world, const struct place *place)
{
	const plait_context_desc desc = {
		.size = sizeof(desc),
		.backends = place->backends,
		.wrap = place->wrap,
		.options = place->options,
		.workers = place->workers,
		.flags = place->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.log = hear,
		.log_level = PLAIT_LOG_ERROR,
	};
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };
	plait_error *error = &world->error;

	memset(world, 0, sizeof(*world));
	error->size = sizeof(*error);
	return plait_context_open(&desc, &world->context, error) == PLAIT_OK &&
	       plait_context_device(world->context, 0, &world->device,
				    error) == PLAIT_OK &&
	       plait_context_find_device(world->context, place->queue,
					 &world->queue_device,
					 error) == PLAIT_OK &&
	       plait_inbox_create(world->context, &world->inbox,
				  error) == PLAIT_OK &&
	       plait_signal_create(world->device, NULL, &world->signal,
				   error) == PLAIT_OK &&
	       plait_signal_create(world->device, &gate, &world->gate,
				   error) == PLAIT_OK &&
	       plait_buffer_create(world->device, &bytes, &world->from,
				   error) == PLAIT_OK &&
	       plait_buffer_create(world->device, &bytes, &world->to,
				   error) == PLAIT_OK &&
	       plait_queue_create(world->queue_device, NULL, &world->queue,
				  error) == PLAIT_OK;
}

static void release_world(struct world *world)
{
	plait_buffer_release(world->from);
	plait_buffer_release(world->to);
	plait_signal_release(world->signal);
	plait_signal_release(world->gate);
	plait_inbox_release(world->inbox);
	plait_queue_release(world->queue);
	plait_context_release(world->context);
}

static void describe_node(const struct world *world, const char *kind,
			  plait_node_desc *node, plait_node_desc *body)
{
	const bool asks_owner = strncmp(kind, "inbox", 5) == 0;

	*node = (plait_node_desc){ .size = sizeof(*node) };
	*body = (plait_node_desc){ .size = sizeof(*body) };
	if (strcmp(kind, "call") == 0 || asks_owner) {
		node->kind = PLAIT_NODE_CALL;
		node->function = stop_at_once;
	} else if (strcmp(kind, "event") == 0) {
		node->kind = PLAIT_NODE_CALL;
	} else if (strcmp(kind, "emit") == 0) {
		node->kind = PLAIT_NODE_EMIT;
		node->signal = world->signal;
	} else if (strcmp(kind, "gate") == 0) {
		node->kind = PLAIT_NODE_WAIT;
		node->signal = world->gate;
		node->sequence = 1;
	} else if (strcmp(kind, "wait") == 0 || strcmp(kind, "newest") == 0) {
		node->kind = PLAIT_NODE_WAIT;
		node->signal = world->signal;
		node->sequence = kind[0] == 'w' ? 1 : 0;
	} else if (strcmp(kind, "copy") == 0) {
		node->kind = PLAIT_NODE_COPY;
		node->source = world->from;
		node->target = world->to;
		node->bytes = 64;
	}
	if (strcmp(kind, "while") == 0 || strcmp(kind, "inbox-while") == 0) {
		node->kind = PLAIT_NODE_WHILE;
		node->function = stop_at_once;
		body->kind = PLAIT_NODE_CALL;
		body->function = stop_at_once;
		body->flags = PLAIT_CALL_ANY_THREAD;
	} else if (strcmp(kind, "gate-do") == 0) {
		node->kind = PLAIT_NODE_DO;
		node->function = stop_at_once;
		body->kind = PLAIT_NODE_WAIT;
		body->signal = world->gate;
		body->sequence = 1;
	}
	if (asks_owner || strcmp(kind, "event") == 0)
		node->inbox = world->inbox;
	else if (node->function != NULL)
		node->flags = PLAIT_CALL_ANY_THREAD;
}

static plait_plan *make_plan(struct world *world, const plait_node_desc *node,
			     const plait_node_desc *body, const char *way)
{
	const plait_freeze_desc freeze = {
		.size = sizeof(freeze),
		.flags = strchr(way, 'q') != NULL ? PLAIT_FREEZE_QUEUES : 0,
	};
	plait_error *error = &world->error;
	plait_graph *graph = NULL;
	plait_graph *inner = NULL;
	plait_plan *plan = NULL;
	plait_node made = 0;

	if (plait_graph_create(world->context, &graph, error) == PLAIT_OK &&
	    plait_graph_add(graph, node, NULL, 0, &made, error) == PLAIT_OK &&
	    (body->kind == PLAIT_NODE_JOIN ||
	     (plait_graph_body(graph, made, 0, &inner, error) == PLAIT_OK &&
	      plait_graph_add(inner, body, NULL, 0, NULL, error) == PLAIT_OK)))
		(void)plait_graph_freeze(graph, &freeze, &plan, error);
	plait_graph_release(inner);
	plait_graph_release(graph);
	if (plan != NULL && strchr(way, 'r') != NULL)
		(void)plait_plan_rehearse(plan, 0, error);
	return plan;
}

static void run_and_release(struct world *world, plait_plan *plan,
			    const char *way)
{
	plait_run *runs[2] = { NULL, NULL };

	(void)plait_plan_run(plan, world->queue, NULL, &runs[0],
			     &world->error);
	if (strchr(way, '2') != NULL)
		(void)plait_plan_run(plan, world->queue, NULL, &runs[1],
				     &world->error);
	if (strchr(way, 'c') != NULL)
		(void)plait_run_cancel(runs[0], NULL);
	plait_run_release(runs[0]);
	plait_run_release(runs[1]);
	plait_plan_release(plan);
}

/* Contexts end on threads of their own. */
static bool all_end(void)
{
	uint64_t since = 0;

	while (plait_live_count(PLAIT_OBJECT_ANY) > 0)
		if (tap_late(&since))
			return false;
	return true;
}

static bool try(const struct place *place, const char *kind, const char *way)
{
	plait_node_desc node;
	plait_node_desc body;
	struct world world;
	bool ended;

	if (open_world(&world, place)) {
		describe_node(&world, kind, &node, &body);
		run_and_release(&world, make_plan(&world, &node, &body, way),
				way);
	}
	release_world(&world);
	ended = all_end();
	OK_THAT(ended, "%s, %u workers, queue of %s, wrap %s: %s \"%s\": %s",
		place->backends, place->workers, place->queue,
		place->wrap != NULL ? place->wrap : "none", kind, way,
		ended ? "all ends" : world.error.text);
	return ended;
}

static void everything_released(void)
{
	bool ended = true;

	/* Objects that live on would count in the next combination. */
	for (size_t i = 0; i < TAP_COUNT(places); i++)
		for (size_t kind = 0; kind < TAP_COUNT(kinds); kind++)
			for (size_t way = 0; way < TAP_COUNT(ways) && ended;
			     way++)
				ended = try(&places[i], kinds[kind],
					    ways[way]);
}

/* --- waits for an emission that no source is left for */

static plait_plan *make_signal_plan(struct world *world, int32_t kind)
{
	const plait_node_desc node = {
		.size = sizeof(node), .kind = kind, .signal = world->signal,
		.sequence = kind == PLAIT_NODE_WAIT ? 1 : 0,
	};
	const plait_node_desc none = { .size = sizeof(none) };

	return make_plan(world, &node, &none, "");
}

static void check_deadlock(struct world *world, plait_run *run)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &world->error),
	       PLAIT_E_DEADLOCK);
	OK_THAT(strstr(world->error.text, "can never be emitted") != NULL,
		"%s", world->error.text);
	plait_run_release(run);
}

/* Two plans wait; the user's handle is the last source. */
static void signal_released(void)
{
	for (size_t i = 0; i < 3; i++) {
		plait_queue *other = NULL;
		plait_run *runs[2] = { NULL, NULL };
		plait_plan *plans[2];
		struct world world;

		OK(open_world(&world, &places[i]));
		IS_INT(plait_queue_create(world.queue_device, NULL, &other,
					  &world.error), PLAIT_OK);
		for (int k = 0; k < 2; k++) {
			plans[k] = make_signal_plan(&world, PLAIT_NODE_WAIT);
			IS_INT(plait_plan_run(plans[k],
					      k == 0 ? world.queue : other,
					      NULL, &runs[k], &world.error),
			       PLAIT_OK);
		}
		IS_INT(plait_run_wait(runs[0], 0, NULL), PLAIT_E_TIMEOUT);
		plait_signal_release(world.signal);
		world.signal = NULL;
		check_deadlock(&world, runs[0]);
		check_deadlock(&world, runs[1]);
		plait_plan_release(plans[0]);
		plait_plan_release(plans[1]);
		plait_queue_release(other);
		release_world(&world);
		OK(all_end());
	}
}

/* A plan that emits is a source after the handle. */
static void plan_emits(bool runs_it)
{
	for (size_t i = 0; i < 3; i++) {
		plait_queue *other = NULL;
		plait_plan *waits, *emits;
		plait_run *run = NULL;
		struct world world;

		OK(open_world(&world, &places[i]));
		IS_INT(plait_queue_create(world.queue_device, NULL, &other,
					  &world.error), PLAIT_OK);
		waits = make_signal_plan(&world, PLAIT_NODE_WAIT);
		emits = make_signal_plan(&world, PLAIT_NODE_EMIT);
		IS_INT(plait_plan_run(waits, world.queue, NULL, &run,
				      &world.error), PLAIT_OK);
		plait_signal_release(world.signal);
		world.signal = NULL;
		IS_INT(plait_run_wait(run, 0, NULL), PLAIT_E_TIMEOUT);
		if (runs_it)
			IS_INT(plait_plan_run(emits, other, NULL, NULL,
					      &world.error), PLAIT_OK);
		plait_plan_release(emits);
		if (runs_it) {
			IS_INT(plait_run_wait(run, PLAIT_FOREVER,
					      &world.error), PLAIT_OK);
			plait_run_release(run);
		} else {
			check_deadlock(&world, run);
		}
		plait_plan_release(waits);
		plait_queue_release(other);
		release_world(&world);
		OK(all_end());
	}
}

static void plan_emits_later(void)
{
	plan_emits(true);
}

static void plan_released(void)
{
	plan_emits(false);
}

/* A graph with the signal may become a plan that emits it. */
static void graph_released(void)
{
	struct world world;
	plait_graph *graph = NULL;
	plait_run *run = NULL;
	plait_plan *plan;
	plait_node_desc node = { .size = sizeof(node),
				 .kind = PLAIT_NODE_EMIT };

	OK(open_world(&world, &places[2]));
	node.signal = world.signal;
	IS_INT(plait_graph_create(world.context, &graph, NULL), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL, NULL), PLAIT_OK);
	plan = make_signal_plan(&world, PLAIT_NODE_WAIT);
	IS_INT(plait_plan_run(plan, world.queue, NULL, &run, NULL), PLAIT_OK);
	plait_signal_release(world.signal);
	world.signal = NULL;
	IS_INT(plait_run_wait(run, 0, NULL), PLAIT_E_TIMEOUT);
	plait_graph_release(graph);
	check_deadlock(&world, run);
	plait_plan_release(plan);
	release_world(&world);
	OK(all_end());
}

/* plait_plan_call returns, too. */
static void *release_later(void *arg)
{
	struct world *world = arg;
	uint64_t since = 0;

	/* The caller is in the wait, or about to be. */
	while (plait_live_count(PLAIT_OBJECT_PLAN) == 0 && !tap_late(&since))
		sched_yield();
	plait_signal_release(world->signal);
	return NULL;
}

static void call_returns(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct world world;
		pthread_t thread;
		plait_plan *plan;

		OK(open_world(&world, &places[i]));
		plan = make_signal_plan(&world, PLAIT_NODE_WAIT);
		OK(pthread_create(&thread, NULL, release_later, &world) == 0);
		IS_INT(plait_plan_call(plan, NULL, NULL, &world.error),
		       PLAIT_E_DEADLOCK);
		pthread_join(thread, NULL);
		world.signal = NULL;
		plait_plan_release(plan);
		release_world(&world);
		OK(all_end());
	}
}

/* --- runs that wait for emissions of runs in flight: the program cancels */

/* Wait for `awaited`, then emit `emitted`, on a queue of its own; or the other
 * way round. */
static plait_run *run_both(struct world *world, plait_signal *awaited,
			   uint64_t sequence, plait_signal *emitted,
			   bool emits_first)
{
	const plait_node_desc wait = {
		.size = sizeof(wait), .kind = PLAIT_NODE_WAIT,
		.signal = awaited, .sequence = sequence,
	};
	const plait_node_desc emit = {
		.size = sizeof(emit), .kind = PLAIT_NODE_EMIT,
		.signal = emitted,
	};
	plait_graph *graph = NULL;
	plait_queue *queue = NULL;
	plait_plan *plan = NULL;
	plait_run *run = NULL;
	plait_node first = 0;

	IS_INT(plait_graph_create(world->context, &graph, NULL), PLAIT_OK);
	IS_INT(plait_graph_add(graph, emits_first ? &emit : &wait, NULL, 0,
			       &first, &world->error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, emits_first ? &wait : &emit, &first, 1,
			       NULL, &world->error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &world->error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(world->queue_device, NULL, &queue, NULL),
	       PLAIT_OK);
	IS_INT(plait_plan_run(plan, queue, NULL, &run, &world->error),
	       PLAIT_OK);
	plait_queue_release(queue);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return run;
}

/* One run of the cycle is cancelled: the other one loses its source. */
static void cycle_cancelled(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct world world;
		plait_signal *other = NULL;
		plait_run *runs[2];

		OK(open_world(&world, &places[i]));
		IS_INT(plait_signal_create(world.device, NULL, &other, NULL),
		       PLAIT_OK);
		runs[0] = run_both(&world, world.signal, 1, other, false);
		runs[1] = run_both(&world, other, 1, world.signal, false);
		plait_signal_release(world.signal);
		plait_signal_release(other);
		world.signal = NULL;
		IS_INT(plait_run_wait(runs[0], 0, NULL), PLAIT_E_TIMEOUT);
		IS_INT(plait_run_cancel(runs[0], NULL), PLAIT_OK);
		plait_run_release(runs[0]);
		check_deadlock(&world, runs[1]);
		release_world(&world);
		OK(all_end());
	}
}

static void too_few_cancelled(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct world world;
		plait_run *run;

		OK(open_world(&world, &places[i]));
		run = run_both(&world, world.signal, 2, world.signal, true);
		plait_signal_release(world.signal);
		world.signal = NULL;
		IS_INT(plait_run_wait(run, 0, NULL), PLAIT_E_TIMEOUT);
		IS_INT(plait_run_cancel(run, NULL), PLAIT_OK);
		plait_run_release(run);
		release_world(&world);
		OK(all_end());
	}
}

static const struct tap_scenario all[] = {
	{ "everything is released", everything_released },
	{ "the signal is released", signal_released },
	{ "a plan that emits runs later", plan_emits_later },
	{ "a plan that emits is released", plan_released },
	{ "a graph that emits is released", graph_released },
	{ "a call returns", call_returns },
	{ "a run of a cycle is cancelled", cycle_cancelled },
	{ "a run that waits for too many is cancelled", too_few_cancelled },
};
TAP_MAIN(all)
