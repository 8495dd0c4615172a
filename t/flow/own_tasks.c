/* SPDX-License-Identifier: MIT */
/*
 * Coroutines of plans that are tasks, and that wait for their own task, for one
 * behind it, for room, or for each other's tasks: refused, where the wait would
 * never end.
 */
#include "flows.h"

/* ROOM: tasks that fit behind one; one more place is for a mark. */
enum { RING = 4, WINDOW = 16, ROOM = WINDOW - 2 };

#define SHORT_NS UINT64_C(1000000)

/* One coroutine, its plan, and the task that runs it. */
struct actor {
	void (*body)(struct actor *actor);
	plait_plan *plan;
	plait_task task;
	plait_task behind;	/* a task behind it, or the one to await */
	plait_data *data;
	plait_signal *gate;	/* raised when all is submitted */
	uint64_t timeout_ns;
	uint32_t count;		/* tasks that it has submitted */
	plait_status status;
	plait_error error;
};

static struct actor actors[RING];
static uint64_t met;	/* atomic: coroutines that have begun */

static int32_t act(void *user_data)
{
	struct actor *actor = user_data;

	actor->error.size = sizeof(actor->error);
	if (plait_await_signal(actor->gate, 1, PLAIT_FOREVER, NULL))
		return 1;
	actor->body(actor);
	return 0;
}

static plait_plan *plan_of(struct actor *actor)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = act, .user_data = actor,
	};
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	IS_INT(plait_graph_create(flow_rig.context, &graph, NULL), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &flow_rig.error),
	       PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error),
	       PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static plait_task submit_plan(struct actor *actor, const char *label)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = actor->data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_PLAN,
		.plan = actor->plan, .label = label, .accesses = &access,
		.access_count = 1,
	};
	plait_task task = 0;

	IS_INT(plait_flow_submit(flow, &desc, &task, &flow_rig.error),
	       PLAIT_OK);
	return task;
}

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_status submit_call(plait_data *data, plait_task *out,
				plait_error *error)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = do_nothing, .accesses = &access,
		.access_count = data != NULL,
	};

	return plait_flow_submit(flow, &desc, out, error);
}

static void open_gate(struct actor *actor, void (*body)(struct actor *actor))
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	*actor = (struct actor){ .body = body, .status = -99,
				 .timeout_ns = PLAIT_FOREVER };
	IS_INT(plait_signal_create(flow_rig.device, &gate, &actor->gate, NULL),
	       PLAIT_OK);
	actor->data = new_data(1, 2, 1, 1, 8, "data");
}

static void open_actor(struct actor *actor, void (*body)(struct actor *actor))
{
	open_gate(actor, body);
	actor->plan = plan_of(actor);
	actor->task = submit_plan(actor, "own");
}

static void start(const struct actor *actor)
{
	IS_INT(plait_signal_raise(actor->gate, 1, NULL), PLAIT_OK);
}

static void close_actor(struct actor *actor)
{
	plait_data_release(actor->data);
	plait_plan_release(actor->plan);
	plait_signal_release(actor->gate);
}

/* In all settings. */
static void everywhere(void (*check)(void))
{
	for (uint32_t i = 0; i < FLOW_SETTINGS; i++) {
		if (!open_flow(&flow_settings[i], WINDOW))
			continue;
		check();
		close_flow();
	}
}

/* ---- its own task ---- */

static void refuse(struct actor *actor, plait_status status, const char *text)
{
	IS_INT(status, PLAIT_E_DEADLOCK);
	HAS_STR(actor->error.text, text);
}

static void await_own(struct actor *actor)
{
	const char *text = "task 1 \"own\"";
	plait_error *error = &actor->error;
	uint64_t words[2];

	refuse(actor, plait_await_task(flow, actor->task, PLAIT_FOREVER, error),
	       text);
	refuse(actor, plait_await_task(flow, actor->task, SHORT_NS, error),
	       text);
	refuse(actor, plait_flow_wait(flow, actor->task, PLAIT_FOREVER, error),
	       text);
	refuse(actor, plait_await_task(flow, 0, PLAIT_FOREVER, error), text);
	refuse(actor, plait_await_task(flow, actor->behind, PLAIT_FOREVER,
				       error), text);
	refuse(actor, plait_data_read(actor->data, NULL, words, error), text);
	IS_INT(plait_await_task(flow, actor->task, 0, error), PLAIT_E_TIMEOUT);
	IS_INT(plait_flow_wait(flow, actor->task, 0, error), PLAIT_E_TIMEOUT);
	/* Tasks that are not behind it. */
	IS_INT(submit_call(NULL, &actor->behind, error), PLAIT_OK);
	IS_INT(plait_await_task(flow, actor->behind, PLAIT_FOREVER, error),
	       PLAIT_OK);
	actor->status = plait_yield(error);
}

static void check_own(void)
{
	struct actor *actor = &actors[0];

	open_actor(actor, await_own);
	IS_INT(submit_call(actor->data, &actor->behind, &flow_rig.error),
	       PLAIT_OK);
	start(actor);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	IS_INT(actor->status, PLAIT_OK);
	close_actor(actor);
}

/* Its task is the oldest one, so there will be no room. */
static void fill_window(struct actor *actor)
{
	do
		actor->status = submit_call(actor->data, NULL, &actor->error);
	while (actor->status == PLAIT_OK && ++actor->count < 10 * WINDOW);
}

static void check_room(void)
{
	struct actor *actor = &actors[0];

	open_actor(actor, fill_window);
	start(actor);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	IS_UINT(actor->count, ROOM);
	IS_INT(actor->status, PLAIT_E_DEADLOCK);
	HAS_STR(actor->error.text, "task 1 \"own\"");
	close_actor(actor);
}

/* While an older task is not done there will be room. */
static void check_room_behind(void)
{
	const plait_task_desc older = {
		.size = sizeof(older), .kind = PLAIT_TASK_WAIT,
		.signal = flow_rig.gate, .sequence = 1,
	};
	struct actor *actor = &actors[0];

	IS_INT(plait_flow_submit(flow, &older, NULL, &flow_rig.error),
	       PLAIT_OK);
	open_actor(actor, fill_window);
	start(actor);
	IS_INT(plait_flow_wait(flow, actor->task, SHORT_NS, NULL),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait_signal_raise(flow_rig.gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	IS_UINT(actor->count, ROOM);
	IS_INT(actor->status, PLAIT_E_DEADLOCK);
	close_actor(actor);
}

/* Its mapping is the oldest op, so there will be no room. */
static void fill_behind_mapping(struct actor *actor)
{
	void *mapped = NULL;

	IS_INT(plait_data_map(actor->data, NULL, PLAIT_MAP_WRITE, &mapped,
			      &actor->error), PLAIT_OK);
	do
		actor->status = submit_call(NULL, NULL, &actor->error);
	while (actor->status == PLAIT_OK && ++actor->count < 10 * WINDOW);
	refuse(actor, actor->status, "behind a mapping of");
	IS_INT(plait_data_unmap(actor->data, mapped, NULL), PLAIT_OK);
	actor->status = submit_call(NULL, NULL, &actor->error);
}

/* The coroutine is no task of the flow. */
static void check_mapping(void)
{
	struct actor *actor = &actors[0];

	open_gate(actor, fill_behind_mapping);
	actor->plan = plan_of(actor);
	start(actor);
	IS_INT(plait_plan_call(actor->plan, NULL, NULL, &flow_rig.error),
	       PLAIT_OK);
	IS_INT(actor->status, PLAIT_OK);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	OK(actor->count > 0 && actor->count < WINDOW);
	close_actor(actor);
}

static void own(void)
{
	everywhere(check_mapping);
	everywhere(check_own);
	everywhere(check_room);
	everywhere(check_room_behind);
}

/* ---- each other's ---- */

/* The last that begins its await closes the ring. */
static void await_next(struct actor *actor)
{
	__atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
	actor->status = plait_await_task(flow, actor->behind,
					 actor->timeout_ns, &actor->error);
}

static void begin_ring(uint32_t count, uint64_t timeout_ns)
{
	met = 0;
	for (uint32_t i = 0; i < count; i++) {
		open_actor(&actors[i], await_next);
		actors[i].timeout_ns = timeout_ns;
	}
	for (uint32_t i = 0; i < count; i++)
		actors[i].behind = actors[(i + 1) % count].task;
}

static void end_ring(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		start(&actors[i]);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	IS_UINT(met, count);
	for (uint32_t i = 0; i < count; i++)
		close_actor(&actors[i]);
}

static void check_rings(void)
{
	for (uint32_t count = 2; count <= RING; count++) {
		uint32_t refused = 0;

		begin_ring(count, PLAIT_FOREVER);
		end_ring(count);
		for (uint32_t i = 0; i < count; i++) {
			if (actors[i].status == PLAIT_OK)
				continue;
			refused++;
			IS_INT(actors[i].status, PLAIT_E_DEADLOCK);
			HAS_STR(actors[i].error.text, "use a time limit");
		}
		IS_UINT(refused, 1);
	}
}

/* A chain is none: the last has nothing to await. */
static void check_chain(void)
{
	begin_ring(RING, PLAIT_FOREVER);
	IS_INT(submit_call(NULL, &actors[RING - 1].behind, NULL), PLAIT_OK);
	end_ring(RING);
	for (uint32_t i = 0; i < RING; i++)
		IS_INT(actors[i].status, PLAIT_OK);
}

/* A time limit ends it, too: nothing is refused. */
static void check_limits(void)
{
	uint32_t late = 0;

	begin_ring(2, SHORT_NS);
	end_ring(2);
	for (uint32_t i = 0; i < 2; i++) {
		OK_THAT(actors[i].status == PLAIT_OK ||
			actors[i].status == PLAIT_E_TIMEOUT, "%d",
			(int)actors[i].status);
		late += actors[i].status == PLAIT_E_TIMEOUT;
	}
	OK(late > 0);
}

static void rings(void)
{
	everywhere(check_rings);
	everywhere(check_chain);
	everywhere(check_limits);
}

/* ---- each other's, in several flows ---- */

static plait_flow *flows[RING];	/* of the actor with this index */

/* The task to await is in the flow of the next one. */
static void await_next_flow(struct actor *actor)
{
	const uint64_t next = (uint64_t)(actor - actors + 1) % actor->count;

	__atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
	actor->status = plait_await_task(flows[next], actor->behind,
					 actor->timeout_ns, &actor->error);
}

/* `is_ring`: the last awaits the first; else a task that is done. */
static void begin_flows(uint32_t count, bool is_ring)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 16,
				       .lanes = 2, .label = "other" };
	plait_flow *first = flow;

	met = 0;
	for (uint32_t i = 0; i < count; i++) {
		flows[i] = first;
		if (i > 0)
			IS_INT(plait_flow_create(flow_rig.context, &desc,
						 &flows[i], NULL), PLAIT_OK);
		flow = flows[i];
		open_actor(&actors[i], await_next_flow);
		actors[i].timeout_ns = PLAIT_FOREVER;
		actors[i].count = count;
	}
	flow = first;
	for (uint32_t i = 0; i < count; i++)
		actors[i].behind = actors[(i + 1) % count].task;
	if (!is_ring)
		IS_INT(submit_call(NULL, &actors[count - 1].behind, NULL),
		       PLAIT_OK);
}

static uint32_t end_flows(uint32_t count)
{
	uint32_t refused = 0;

	for (uint32_t i = 0; i < count; i++)
		start(&actors[i]);
	for (uint32_t i = 0; i < count; i++)
		IS_INT(plait_flow_wait(flows[i], 0, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
	IS_UINT(met, count);
	for (uint32_t i = 0; i < count; i++) {
		close_actor(&actors[i]);
		if (i > 0)
			plait_flow_release(flows[i]);
		if (actors[i].status == PLAIT_OK)
			continue;
		refused++;
		IS_INT(actors[i].status, PLAIT_E_DEADLOCK);
		HAS_STR(actors[i].error.text, " of flow \"");
	}
	return refused;
}

static void check_flows(void)
{
	for (uint32_t count = 2; count <= RING; count++) {
		begin_flows(count, true);
		IS_UINT(end_flows(count), 1);
		begin_flows(count, false);
		IS_UINT(end_flows(count), 0);
	}
}

static void several_flows(void)
{
	everywhere(check_flows);
}

static const struct tap_scenario all[] = {
	{ "own", own },
	{ "rings", rings },
	{ "several flows", several_flows },
};
TAP_MAIN(all)
