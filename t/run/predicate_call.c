/* SPDX-License-Identifier: MIT */
/*
 * Predicates that fail, on any thread or of an inbox's owner; and functions that
 * get memory which each run provides, as calls, predicates, coroutines, in a
 * part of a graph and as another process loads the plan; rejections.
 */
#include "lib/runs.h"

/* ---- failures ---- */

/* Counts down, then fails once; a CASE fails at once. */
struct fuse {
	int32_t left, end;
	uint64_t bodies, behind;
};

static int32_t burn(void *user_data)
{
	struct fuse *fuse = user_data;
	const int32_t end = fuse->end;

	if (fuse->left > 0)
		return fuse->left--;
	fuse->end = 0;
	return end;
}

static plait_plan *freeze_fuse(struct fuse *fuse, uint32_t kind,
			       plait_inbox *inbox)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "fuse", .function = burn,
		.user_data = fuse, .inbox = inbox,
		.flags = inbox == NULL ? PLAIT_CALL_ANY_THREAD : 0,
		.branch_count = kind == PLAIT_NODE_CASE ? 2 : 0,
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, desc, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	(void)add_call(body, "in it", bump, &fuse->bodies, NULL, 0);
	(void)add_call(graph, "behind", bump, &fuse->behind, &node, 1);
	plait_graph_release(body);
	plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
	return plan;
}

static void check_fuse(uint32_t flags, uint32_t kind, plait_inbox *inbox)
{
	const int32_t first = kind == PLAIT_NODE_CASE ? 0 : 3;
	struct fuse fuse = { .left = 0 };
	plait_plan *plan = freeze_fuse(&fuse, kind, inbox);

	for (uint32_t i = 0; i < 6; i++) {
		const bool fails = i % 3 != 2;
		const uint64_t more = kind == PLAIT_NODE_DO ||
				      (kind == PLAIT_NODE_CASE && !fails);

		const int32_t end = fails ? -7 - (int32_t)i : 0;

		fuse = (struct fuse){ .left = first, .end = end };
		IS_INT((i % 2 ? run_with : call_with)(plan, flags),
		       fails ? PLAIT_E_FAILED : PLAIT_OK);
		IS_UINT(fuse.bodies, (uint64_t)first + more);
		IS_UINT(fuse.behind, !fails);
		if (!fails)
			continue;
		IS_INT(rig.error.origin, end);
		HAS_STR(rig.error.text, "\"fuse\" failed with -");
	}
	plait_plan_release(plan);
}

static void check_failures(uint32_t flags)
{
	static const uint32_t kinds[] = { PLAIT_NODE_WHILE, PLAIT_NODE_DO,
					  PLAIT_NODE_CASE };
	plait_inbox *inbox = NULL;

	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	for (uint32_t k = 0; k < TAP_COUNT(kinds); k++) {
		check_fuse(flags, kinds[k], NULL);
		check_fuse(flags, kinds[k], inbox);
	}
	plait_inbox_release(inbox);
}

static void failures(void)
{
	everywhere(check_failures);
}

/* ---- memory of a run ---- */

/* Plans on queues have no coroutines. */
enum { SUSPENDS = RUN_FREEZE == 0 ? PLAIT_CALL_COROUTINE : 0 };

/* Memory of the functions of one run. */
struct state {
	uint32_t calls, coroutines, left;
	uint32_t owned;
};

static int32_t count_call(void *user_data)
{
	((struct state *)user_data)->calls++;
	return 0;
}

static int32_t count_owned(void *user_data)
{
	((struct state *)user_data)->owned++;
	return 0;
}

static int32_t count_coroutine(void *user_data)
{
	((struct state *)user_data)->coroutines++;
	return 0;
}

static int32_t is_left(void *user_data)
{
	struct state *state = user_data;

	return state->left > 0 ? (int32_t)state->left-- : 0;
}

static plait_node add_bound(plait_graph *graph, const char *label,
			    plait_host_function function, uint32_t flags,
			    plait_inbox *inbox, const plait_node *after)
{
	return add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .label = label, .flags = flags,
		.function = function, .inbox = inbox,
		.user_data_parameter = "state" }, after, after != NULL);
}

/* while left { call ; owner's call } ; coroutine */
static plait_graph *bound_graph(plait_inbox *inbox)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WHILE, .label = "left",
		.flags = PLAIT_CALL_ANY_THREAD, .function = is_left,
		.user_data_parameter = "state" }, NULL, 0);

	(void)add_bound(graph, "coroutine", count_coroutine,
			PLAIT_CALL_ANY_THREAD | SUSPENDS, NULL, &node);
	body = body_of(graph, node, 0);
	node = add_bound(body, "call", count_call, PLAIT_CALL_ANY_THREAD, NULL,
			 NULL);
	if (inbox != NULL)
		(void)add_bound(body, "owned", count_owned, 0, inbox, &node);
	plait_graph_release(body);
	return graph;
}

static plait_status run_bound(plait_plan *plan, uint32_t flags, void *state,
			      bool called)
{
	const plait_binding binding =
		PLAIT_BIND_HOST(0, state, sizeof(struct state));
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags,
				      .bindings = &binding,
				      .binding_count = 1 };

	return called ? plait_plan_call(plan, NULL, &desc, &rig.error) :
			run_desc(plan, &desc);
}

/* Each run has memory of its own. */
static void check_rounds(plait_plan *plan, uint32_t flags, bool owned)
{
	for (uint32_t round = 0; round < 4; round++) {
		struct state *state = calloc(1, sizeof(*state));

		state->left = round;
		OK_THAT(run_bound(plan, flags, state, round % 2) == PLAIT_OK,
			"%s", rig.error.text);
		IS_UINT(state->calls, round);
		IS_UINT(state->owned, owned ? round : 0);
		IS_UINT(state->coroutines, 1);
		free(state);
	}
	plait_plan_release(plan);
}

static void check_bound(uint32_t flags)
{
	plait_graph *graph, *whole = new_graph();
	plait_inbox *inbox = NULL;

	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	graph = bound_graph(inbox);
	check_rounds(freeze(graph, 2, 2), flags, true);
	plait_graph_release(graph);
	graph = bound_graph(NULL);
	check_rounds(freeze(graph, 2, 2), flags, false);
	(void)add_node(whole, (plait_node_desc){
		.kind = PLAIT_NODE_SUBGRAPH, .subgraph = graph }, NULL, 0);
	check_rounds(freeze(whole, 2, 2), flags, false);
	plait_graph_release(whole);
	plait_graph_release(graph);
	plait_inbox_release(inbox);
}

static void bound(void)
{
	everywhere(check_bound);
}

/* Two calls without edges, each with memory of its own name. */
static void check_side_by_side(uint32_t flags)
{
	struct state states[2] = { { .calls = 0 } };
	const plait_binding bindings[2] = {
		PLAIT_BIND_HOST(0, &states[0], sizeof(states[0])),
		PLAIT_BIND_HOST(1, &states[1], sizeof(states[1])),
	};
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags,
				      .bindings = bindings,
				      .binding_count = 2 };
	plait_graph *graph = new_graph();
	plait_node_desc call = { .kind = PLAIT_NODE_CALL,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = count_call,
				 .user_data_parameter = "a" };
	plait_plan *plan;

	add_node(graph, call, NULL, 0);
	call.user_data_parameter = "b";
	call.function = count_owned;
	add_node(graph, call, NULL, 0);
	plan = freeze(graph, 2, 1);
	IS_INT(plait_plan_call(plan, NULL, &desc, &rig.error), PLAIT_OK);
	IS_UINT(states[0].calls + 10 * states[0].owned, 1);
	IS_UINT(states[1].calls + 10 * states[1].owned, 10);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void side_by_side(void)
{
	everywhere(check_side_by_side);
}

/* ---- functions of a run ---- */

/* The memory of a run names its functions, so each run has its own ones. */
struct chosen {
	struct state state;
	plait_host_function decide, work;
};

static int32_t call_decide(void *user_data)
{
	struct chosen *chosen = user_data;

	return chosen->decide(&chosen->state);
}

static int32_t call_work(void *user_data)
{
	struct chosen *chosen = user_data;

	return chosen->work(&chosen->state);
}

/* Takes two at once. */
static int32_t is_left_twice(void *user_data)
{
	struct state *state = user_data;

	state->left -= state->left > 1 ? 2 : state->left;
	return (int32_t)state->left;
}

static int32_t cannot_decide(void *user_data)
{
	(void)user_data;
	return -9;
}

static plait_plan *chosen_plan(uint32_t instances)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "asks",
		.flags = PLAIT_CALL_ANY_THREAD, .function = call_decide,
		.user_data_parameter = "run",
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, desc, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	(void)add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.function = call_work, .user_data_parameter = "run" },
		       NULL, 0);
	plait_graph_release(body);
	plan = freeze(graph, 1, instances);
	plait_graph_release(graph);
	return plan;
}

static plait_run *start_chosen(plait_plan *plan, plait_queue *queue,
			       struct chosen *chosen, uint32_t flags)
{
	const plait_binding binding =
		PLAIT_BIND_HOST(0, chosen, sizeof(*chosen));
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = flags | PLAIT_RUN_OVERLAP,
				      .bindings = &binding,
				      .binding_count = 1 };
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(plan, queue, &desc, &run, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return run;
}

/* Three runs in flight, behind a gate each on its own queue. */
static void check_chosen(uint32_t flags)
{
	const plait_signal_desc closed = { .size = sizeof(closed),
					   .flags = PLAIT_SIGNAL_GATE };
	struct chosen chosen[3] = {
		{ { .left = 8 }, is_left, count_call },
		{ { .left = 8 }, is_left_twice, count_owned },
		{ { .left = 8 }, cannot_decide, count_call },
	};
	plait_plan *plan = chosen_plan(3);
	plait_signal *gate = NULL;
	plait_queue *queues[3];
	plait_run *runs[3];

	OK(plait_signal_create(rig.device, &closed, &gate, NULL) == PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		OK(plait_queue_create(rig.device, NULL, &queues[i], NULL) ==
		   PLAIT_OK);
		OK(plait_queue_wait(queues[i], gate, 1, NULL) == PLAIT_OK);
		runs[i] = start_chosen(plan, queues[i], &chosen[i], flags);
	}
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_run_wait(runs[i], PLAIT_FOREVER, &rig.error),
		       i == 2 ? PLAIT_E_FAILED : PLAIT_OK);
		plait_run_release(runs[i]);
		(void)plait_queue_finish(queues[i], PLAIT_FOREVER, NULL);
		plait_queue_release(queues[i]);
	}
	IS_INT(rig.error.origin, -9);
	IS_UINT(chosen[0].state.calls + 100 * chosen[0].state.owned, 8);
	IS_UINT(chosen[1].state.calls + 100 * chosen[1].state.owned, 300);
	IS_UINT(chosen[2].state.calls, 0);
	plait_signal_release(gate);
	plait_plan_release(plan);
}

static void chosen(void)
{
	everywhere(check_chosen);
}

/* ---- saved ---- */

static void bind_code(plait_plan *plan)
{
	plait_function_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_CALL_ANY_THREAD,
		.function = is_left };

	IS_INT(plait_plan_bind_function(plan, "left", &desc, &rig.error),
	       PLAIT_OK);
	desc.function = count_call;
	IS_INT(plait_plan_bind_function(plan, "call", &desc, &rig.error),
	       PLAIT_OK);
	desc.function = count_coroutine;
	desc.flags |= SUSPENDS;
	if (!IS_INT(plait_plan_bind_function(plan, "coroutine", &desc,
					     &rig.error), PLAIT_OK))
		NOTE("%s", rig.error.text);
}

static void saved(void)
{
	static char bytes[1 << 16];
	plait_parameter_info info = { .size = sizeof(info) };
	plait_plan *plan, *again = NULL;
	plait_graph *graph;
	uint64_t count = 0;

	if (!open_host(1))
		return;
	graph = bound_graph(NULL);
	plan = freeze(graph, 1, 1);
	OK(plait_plan_query_parameter(plan, 0, &info, &rig.error) == PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_HOST);
	IS_STR(info.type, "inout");
	IS_STR(info.name, "state");
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &rig.error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	IS_INT(plait_plan_read(rig.context, bytes, count, &again, &rig.error),
	       PLAIT_OK);
	bind_code(again);
	check_rounds(again, 0, false);
	close_rig(&rig);
}

/* ---- rejections ---- */

static void refuse(plait_graph *graph, plait_node_desc desc, const char *part)
{
	desc.size = sizeof(desc);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
}

static void refused(void)
{
	struct state state = { .left = 0 };
	plait_node_desc desc = { .kind = PLAIT_NODE_CALL,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = count_call,
				 .user_data = &state,
				 .user_data_parameter = "state" };
	plait_buffer *buffer;
	plait_graph *graph;

	if (!open_host(0))
		return;
	graph = new_graph();
	buffer = make_buffer(&rig, 16, "buffer");
	refuse(graph, desc, "user_data_parameter is in place of user_data");
	desc.user_data = NULL;
	desc.user_data_parameter = "";
	refuse(graph, desc, "user_data_parameter is empty");
	desc.user_data_parameter = "taken";
	add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .target = buffer,
		.source_parameter = "taken", .bytes = 4 }, NULL, 0);
	refuse(graph, desc, "\"taken\" is of another kind elsewhere");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_WHILE,
				  .predicate = buffer,
				  .user_data_parameter = "state" };
	refuse(graph, desc, "user_data_parameter");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_JOIN,
				  .user_data_parameter = "state" };
	refuse(graph, desc, "user_data_parameter is set, which a join does");
	plait_buffer_release(buffer);
	plait_graph_release(graph);
	close_rig(&rig);
}

static const struct tap_scenario scenarios[] = {
	{ "failures", failures },
	{ "bound", bound },
	{ "side by side", side_by_side },
	{ "functions of a run", chosen },
	{ "saved", saved },
	{ "refused", refused },
};

TAP_MAIN(scenarios)
