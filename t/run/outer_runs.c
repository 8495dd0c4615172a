/* SPDX-License-Identifier: MIT */
/*
 * Functions of a plan that run the plan again: on workers, on the owner of an
 * inbox, as coroutines, with the host engine and on queues.  A call that would
 * wait for the run around it fails, and says what to do.
 */
#include "lib/runs.h"

enum { MOST = 8 };

/* A plan whose only node runs a plan. */
struct nest {
	plait_plan *plan;	/* of the node */
	plait_plan *target;	/* run by the function */
	plait_inbox *inbox;
	plait_queue *queue;
	plait_run_desc desc;
	plait_run *own;		/* the run in flight, or null */
	plait_status (*inside)(struct nest *nest, plait_error *error);
	uint32_t depth;		/* of calls in progress */
	uint32_t deepest;
	uint32_t most;		/* depth at which none is made */
	plait_status status;	/* of the deepest call */
	plait_error error;
};

static plait_status by_call(struct nest *nest, plait_error *error)
{
	return plait_plan_call(nest->target, NULL, &nest->desc, error);
}

/* In its own queue, as the one of the outer run waits for it. */
static plait_status by_run(struct nest *nest, plait_error *error)
{
	plait_run *run = NULL;
	plait_status status = plait_plan_run(nest->target, nest->queue,
					     &nest->desc, &run, error);

	if (status != PLAIT_OK)
		return status;
	status = plait_run_wait(run, PLAIT_FOREVER, error);
	plait_run_release(run);
	return status;
}

static plait_status by_await(struct nest *nest, plait_error *error)
{
	return plait_await_plan(nest->target, nest->queue, &nest->desc,
				PLAIT_FOREVER, error);
}

static plait_status by_own_wait(struct nest *nest, plait_error *error)
{
	return plait_run_wait(nest->own, PLAIT_FOREVER, error);
}

static int32_t nest_once(void *user_data)
{
	struct nest *nest = user_data;
	plait_error error = { .size = sizeof(error) };
	plait_status status;

	if (++nest->depth > nest->deepest)
		nest->deepest = nest->depth;
	if (nest->depth < nest->most) {
		status = nest->inside(nest, &error);
		if (nest->status == PLAIT_OK && status != PLAIT_OK) {
			nest->status = status;
			nest->error = error;
		}
	}
	nest->depth--;
	return 0;
}

static plait_plan *make_plan(struct nest *nest, uint32_t node_flags,
			     uint32_t freeze_flags, plait_buffer *written,
			     uint32_t instances)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.label = "nest", .flags = node_flags, .function = nest_once,
		.user_data = nest, .inbox = nest->inbox,
	};
	const plait_freeze_desc how = { .size = sizeof(how),
					.flags = freeze_flags, .lanes = 1,
					.instances = instances };
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, desc, NULL, 0);
	plait_plan *plan = NULL;

	if (written != NULL)
		(void)add_node(graph, (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .label = "fill",
			.target = written, .bytes = 4, .pattern = 1,
			.pattern_bytes = 1 }, &node, 1);
	OK_THAT(plait_graph_freeze(graph, &how, &plan, &rig.error) == PLAIT_OK,
		"freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static void begin(struct nest *nest,
		  plait_status (*inside)(struct nest *nest, plait_error *error),
		  bool owned)
{
	*nest = (struct nest){ .inside = inside, .most = MOST,
			       .desc.size = sizeof(plait_run_desc),
			       .error.size = sizeof(plait_error) };
	OK(plait_queue_create(rig.device, NULL, &nest->queue, NULL) ==
	   PLAIT_OK);
	if (owned)
		OK(plait_inbox_create(rig.context, &nest->inbox, NULL) ==
		   PLAIT_OK);
}

static void end(struct nest *nest)
{
	/* Fails if a run in it was cancelled. */
	(void)plait_queue_finish(nest->queue, PLAIT_FOREVER, NULL);
	plait_queue_release(nest->queue);
	plait_plan_release(nest->plan);
	plait_inbox_release(nest->inbox);
}

static plait_status run_outer(struct nest *nest)
{
	plait_status status = plait_plan_run(nest->plan, rig.queue, NULL,
					     &nest->own, &rig.error);

	if (status != PLAIT_OK)
		return status;
	status = plait_run_wait(nest->own, PLAIT_FOREVER, &rig.error);
	plait_run_release(nest->own);
	nest->own = NULL;
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	return status;
}

/* As many runs as there are instances; the next one is refused. */
static void check_depth(struct nest *nest, uint32_t instances)
{
	IS_UINT(nest->deepest, instances);
	IS_INT(nest->status, PLAIT_E_DEADLOCK);
	HAS_STR(nest->error.text, "`instances` of plait_freeze_desc");
	OK_THAT(strstr(nest->error.text, instances == 1 ? "to 2" : "to 3") !=
		NULL, "%s", nest->error.text);
}

/* ---- functions of any thread ---- */

static void check_functions(uint32_t flags)
{
	for (uint32_t instances = 1; instances <= 2; instances++) {
		struct nest nest;

		begin(&nest, by_call, false);
		nest.plan = make_plan(&nest, PLAIT_CALL_ANY_THREAD, RUN_FREEZE,
				      NULL, instances);
		nest.target = nest.plan;
		IS_INT(call_with(nest.plan, flags), PLAIT_OK);
		check_depth(&nest, instances);
		nest.status = PLAIT_OK;
		IS_INT(run_outer(&nest), PLAIT_OK);
		check_depth(&nest, instances);
		/* A thread that polls gets the status of the flag. */
		nest.status = PLAIT_OK;
		nest.desc.flags = PLAIT_RUN_NO_WAIT;
		IS_INT(call_with(nest.plan, flags), PLAIT_OK);
		IS_INT(nest.status, PLAIT_E_BUSY);
		end(&nest);
	}
}

/* The plan of the function is called by a function of another plan. */
static void check_two_plans(uint32_t flags)
{
	struct nest nest, other;

	begin(&nest, by_call, false);
	begin(&other, by_call, false);
	nest.plan = make_plan(&nest, PLAIT_CALL_ANY_THREAD, 0, NULL, 1);
	other.plan = make_plan(&other, PLAIT_CALL_ANY_THREAD, 0, NULL, 3);
	nest.target = other.plan;
	other.target = nest.plan;
	IS_INT(call_with(nest.plan, flags), PLAIT_OK);
	IS_INT(nest.status, PLAIT_OK);
	IS_UINT(nest.deepest, 1);
	IS_UINT(other.deepest, 1);
	check_depth(&(struct nest){ .deepest = 1, .status = other.status,
				    .error = other.error }, 1);
	end(&nest);
	end(&other);
}

/* On queues no function may wait for any run. */
static void check_on_queues(uint32_t flags)
{
	struct nest nest;

	begin(&nest, by_call, false);
	nest.plan = make_plan(&nest, PLAIT_CALL_ANY_THREAD,
			      PLAIT_FREEZE_QUEUES, NULL, 2);
	nest.target = nest.plan;
	IS_INT(call_with(nest.plan, flags), PLAIT_OK);
	IS_INT(nest.status, PLAIT_E_DEADLOCK);
	IS_UINT(nest.deepest, 1);
	end(&nest);
}

static void functions(void)
{
	on_the_host(check_functions);
	on_the_host(check_two_plans);
	everywhere(check_on_queues);
}

/* ---- functions of an owner, which may wait ---- */

static void try_owner(uint32_t flags, uint32_t freeze_flags, bool call)
{
	for (uint32_t instances = 1; instances <= 2; instances++) {
		struct nest nest;

		begin(&nest, call ? by_call : by_run, true);
		nest.plan = make_plan(&nest, 0, freeze_flags, NULL, instances);
		nest.target = nest.plan;
		IS_INT(call_with(nest.plan, flags), PLAIT_OK);
		check_depth(&nest, instances);
		end(&nest);
	}
}

static void check_owner(uint32_t flags)
{
	try_owner(flags, 0, true);
	try_owner(flags, 0, false);
	try_owner(flags, PLAIT_FREEZE_QUEUES, true);
	try_owner(flags, PLAIT_FREEZE_QUEUES, false);
}

static void check_own_run(uint32_t flags)
{
	struct nest nest;

	begin(&nest, by_own_wait, true);
	nest.plan = make_plan(&nest, 0, 0, NULL, 1);
	nest.desc.flags = flags;
	IS_INT(run_outer(&nest), PLAIT_OK);
	IS_INT(nest.status, PLAIT_E_DEADLOCK);
	HAS_STR(nest.error.text, "has to end first");
	end(&nest);
}

/* The run of another plan is behind the outer run in its queue. */
static void check_own_queue(uint32_t flags)
{
	struct nest nest, other;

	begin(&nest, by_run, true);
	begin(&other, by_run, false);
	nest.plan = make_plan(&nest, 0, 0, NULL, 1);
	other.plan = make_plan(&other, PLAIT_CALL_ANY_THREAD, 0, NULL, 1);
	other.most = 1;
	plait_queue_release(nest.queue);
	plait_queue_retain(rig.queue);
	nest.queue = rig.queue;
	nest.target = other.plan;
	nest.desc.flags = flags;
	IS_INT(run_outer(&nest), PLAIT_OK);
	IS_INT(nest.status, PLAIT_E_DEADLOCK);
	HAS_STR(nest.error.text, "before it in its queue");
	IS_UINT(other.deepest, 1);
	end(&nest);
	end(&other);
}

static void owners(void)
{
	everywhere(check_own_queue);
	everywhere(check_owner);
	everywhere(check_own_run);
}

/* ---- queues of runs and commands, in functions of an owner ---- */

/* `run_outer` waits for the run. */
static plait_status by_own_queue(struct nest *nest, plait_error *error)
{
	uint64_t emitted = 0;
	plait_status status;

	IS_INT(plait_queue_emit(rig.queue, rig.signal, &emitted, NULL),
	       PLAIT_OK);
	IS_INT(plait_signal_wait(rig.signal, emitted, PLAIT_FOREVER, error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(error->text, "behind it in the same queue");
	IS_INT(plait_plan_call(nest->target, rig.queue, &nest->desc, error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(error->text, "has to end first");
	status = plait_queue_finish(rig.queue, PLAIT_FOREVER, error);
	HAS_STR(error->text, "queue \"q\"");
	return status;
}

static void try_own_queue(uint32_t flags, uint32_t freeze_flags)
{
	struct nest nest, other;

	begin(&nest, by_own_queue, true);
	begin(&other, by_run, false);
	other.plan = make_plan(&other, PLAIT_CALL_ANY_THREAD, 0, NULL, 1);
	other.most = 1;
	nest.plan = make_plan(&nest, 0, freeze_flags, NULL, 1);
	nest.target = other.plan;
	nest.desc.flags = flags;
	IS_INT(run_outer(&nest), PLAIT_OK);
	IS_INT(nest.status, PLAIT_E_DEADLOCK);
	IS_UINT(nest.deepest, 1);
	IS_UINT(other.deepest, 0);
	end(&nest);
	end(&other);
}

static void check_finish(uint32_t flags)
{
	try_own_queue(flags, 0);
	try_own_queue(flags, PLAIT_FREEZE_QUEUES);
}

/* A command's function waits for a run behind the command. */
static int32_t wait_for_run_behind(void *user_data)
{
	struct nest *nest = user_data;

	nest->status = by_run(nest, &nest->error);
	return 0;
}

static void check_behind_command(uint32_t flags)
{
	plait_command command = { .size = sizeof(command),
				  .kind = PLAIT_COMMAND_CALL,
				  .function = wait_for_run_behind };
	struct nest nest, other;

	begin(&nest, by_run, true);
	begin(&other, by_run, false);
	other.plan = make_plan(&other, PLAIT_CALL_ANY_THREAD, 0, NULL, 1);
	other.most = 1;
	nest.target = other.plan;
	nest.desc.flags = flags;
	command.inbox = nest.inbox;
	command.user_data = &nest;
	IS_INT(plait_queue_submit(nest.queue, &command, 1, NULL, NULL),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(nest.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	IS_INT(nest.status, PLAIT_E_DEADLOCK);
	HAS_STR(nest.error.text, "before it in its queue");
	/* The run that was not waited for. */
	IS_INT(plait_queue_finish(nest.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	IS_UINT(other.deepest, 1);
	end(&nest);
	end(&other);
}

/* The close of the inbox ends the run while its function goes on: the run is
 * not around the calls that follow. */
static plait_status by_closing(struct nest *nest, plait_error *error)
{
	uint64_t since = 0;

	IS_INT(plait_inbox_close(nest->inbox, NULL), PLAIT_OK);
	while (plait_run_poll(nest->own, error) == PLAIT_PENDING &&
	       !tap_late(&since))
		(void)plait_inbox_pump(nest->inbox, 1, NULL, NULL);
	IS_INT(plait_run_wait(nest->own, PLAIT_FOREVER, error),
	       PLAIT_E_CANCELLED);
	plait_run_release(nest->own);
	nest->own = NULL;
	plait_plan_release(nest->plan);
	nest->plan = NULL;
	return plait_plan_call(nest->target, NULL, NULL, error);
}

static void check_closed(uint32_t flags)
{
	struct nest nest, other;
	uint64_t since = 0;

	(void)flags;
	begin(&nest, by_closing, true);
	begin(&other, by_run, false);
	other.plan = make_plan(&other, PLAIT_CALL_ANY_THREAD, 0, NULL, 1);
	other.most = 1;
	nest.plan = make_plan(&nest, 0, 0, NULL, 1);
	nest.target = other.plan;
	IS_INT(plait_plan_run(nest.plan, rig.queue, NULL, &nest.own, NULL),
	       PLAIT_OK);
	/* Nothing but the inbox keeps the plan alive. */
	while (nest.deepest == 0 && !tap_late(&since))
		IS_INT(plait_inbox_pump(nest.inbox, 0, NULL, NULL), PLAIT_OK);
	IS_INT(nest.status, PLAIT_OK);
	IS_UINT(other.deepest, 1);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
	       PLAIT_E_CANCELLED);
	end(&nest);
	end(&other);
}

static void queues(void)
{
	everywhere(check_finish);
	everywhere(check_behind_command);
	everywhere(check_closed);
}

/* ---- runs that conflict ---- */

static void check_refusal(struct nest *nest)
{
	IS_UINT(nest->deepest, 1);
	IS_INT(nest->status, PLAIT_E_DEADLOCK);
	HAS_STR(nest->error.text, "PLAIT_RUN_OVERLAP");
}

static void try_conflict(uint32_t flags, plait_buffer *buffer, bool call,
			 bool owned)
{
	struct nest nest;

	begin(&nest, call ? by_call : by_run, owned);
	nest.plan = make_plan(&nest, owned ? 0 : PLAIT_CALL_ANY_THREAD, 0,
			      buffer, 3);
	nest.target = nest.plan;
	IS_INT(call_with(nest.plan, flags), PLAIT_OK);
	check_refusal(&nest);
	/* The run that was not waited for follows. */
	nest.most = 1;
	IS_INT(plait_queue_finish(nest.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	nest.deepest = 0;
	nest.status = PLAIT_OK;
	nest.most = call ? 3 : 2;
	nest.desc.flags = PLAIT_RUN_OVERLAP;
	IS_INT(call_with(nest.plan, flags), PLAIT_OK);
	IS_UINT(nest.deepest, nest.most);
	IS_INT(nest.status, PLAIT_OK);
	end(&nest);
}

static plait_buffer *new_buffer(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 4 };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_create(rig.device, &desc, &buffer, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return buffer;
}

static void check_conflicts(uint32_t flags)
{
	plait_buffer *buffer = new_buffer();

	try_conflict(flags, buffer, true, false);
	try_conflict(flags, buffer, true, true);
	try_conflict(flags, buffer, false, true);
	plait_buffer_release(buffer);
}

static void conflicts(void)
{
	on_the_host(check_conflicts);
}

/* ---- coroutines ---- */

static void check_coroutine(uint32_t flags)
{
	plait_buffer *buffer = new_buffer();
	struct nest nest;

	begin(&nest, by_await, false);
	nest.plan = make_plan(&nest, PLAIT_CALL_ANY_THREAD |
			      PLAIT_CALL_COROUTINE, 0, NULL, 1);
	nest.target = nest.plan;
	IS_INT(run_with(nest.plan, flags), PLAIT_OK);
	check_depth(&nest, 1);
	end(&nest);
	begin(&nest, by_await, false);
	nest.plan = make_plan(&nest, PLAIT_CALL_ANY_THREAD |
			      PLAIT_CALL_COROUTINE, 0, buffer, 3);
	nest.target = nest.plan;
	nest.most = 2;
	IS_INT(run_with(nest.plan, flags), PLAIT_OK);
	check_refusal(&nest);
	end(&nest);
	plait_buffer_release(buffer);
}

static void coroutines(void)
{
	on_the_host(check_coroutine);
}

/* ---- functions of queues, on workers that executed runs before ---- */

struct stray {
	plait_plan *plan;
	int stopping;
	plait_status status;
};

static int32_t fail(void *user_data)
{
	(void)user_data;
	return 7;
}

/* The run before it failed, and is not the function's. */
static int32_t look(void *user_data)
{
	struct stray *stray = user_data;

	stray->stopping += plait_run_is_stopping();
	stray->status = plait_plan_call(stray->plan, NULL, NULL, NULL);
	return 0;
}

static void check_strays(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct stray stray = { .status = PLAIT_OK };
	plait_graph *graph = new_graph();
	const plait_signal_desc gate_desc = { .size = sizeof(gate_desc),
					      .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_queue *other = NULL;
	uint64_t seen = 0;

	OK(plait_signal_create(rig.device, &gate_desc, &gate, NULL) ==
	   PLAIT_OK);
	(void)add_call(graph, "fail", fail, NULL, NULL, 0);
	stray.plan = freeze(graph, 1, 1);
	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
	IS_INT(plait_queue_wait(rig.queue, gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_plan_run(stray.plan, rig.queue, &desc, NULL, &rig.error),
	       PLAIT_OK);
	/* The gate is raised while no thread of the test executes anything. */
	IS_INT(plait_signal_raise(gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
	       PLAIT_E_FAILED);
	IS_INT(plait_queue_call(other, look, &stray, NULL), PLAIT_OK);
	IS_INT(plait_queue_emit(other, rig.signal, &seen, NULL), PLAIT_OK);
	IS_INT(plait_signal_wait(rig.signal, seen, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	IS_INT(stray.stopping, 0);
	IS_INT(stray.status, PLAIT_E_FAILED);
	plait_queue_release(other);
	plait_signal_release(gate);
	plait_plan_release(stray.plan);
	plait_graph_release(graph);
}

static void strays(void)
{
	on_the_host(check_strays);
}

static const struct tap_scenario all[] = {
	{ "functions", functions },
	{ "owners", owners },
	{ "queues", queues },
	{ "conflicts", conflicts },
	{ "coroutines", coroutines },
	{ "strays", strays },
};
TAP_MAIN(all)
