/* SPDX-License-Identifier: MIT */
/* Waits of flows: window, mappings, barriers, functions that wait. */
#include "flows.h"

static void submit_to(plait_flow *into, uint32_t flags, plait_status want)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = "x",
		.function = return_it, .flags = flags,
	};

	IS_INT(plait_flow_submit(into, &desc, NULL, &flow_rig.error), want);
}

/* A mapping holds the window: no room, until it ends. */
static void window(void)
{
	void *pointer;
	plait_data *data;
	plait_access access;
	plait_task behind;

	if (!open_flow(&flow_settings[3], 16))
		return;
	data = new_data(1, 8, 0, 0, 8, "u");
	access = access_of(data, PLAIT_ACCESS_READ, NULL);
	OK(plait_data_map(data, NULL, PLAIT_MAP_WRITE, &pointer, NULL) ==
	   PLAIT_OK);
	for (int i = 0; i < 13; i++)
		submit_to(flow, 0, PLAIT_OK);
	behind = call_task("behind", return_it, NULL, &access, 1);
	submit_to(flow, PLAIT_TASK_NO_WAIT, PLAIT_E_BUSY);
	HAS_STR(flow_rig.error.text, "task \"x\": no room for a task in the "
		"window of 16");
	submit_to(flow, 0, PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "mapping of data \"u\"");
	IS_INT(wait_task(behind), PLAIT_E_DEADLOCK);
	IS_INT(wait_task(0), PLAIT_E_DEADLOCK);
	IS_INT(plait_data_read(data, NULL, (uint64_t[8]){ 0 }, NULL),
	       PLAIT_E_DEADLOCK);
	IS_INT(plait_data_unmap(data, pointer, NULL), PLAIT_OK);
	IS_INT(plait_data_unmap(data, pointer, NULL), PLAIT_E_INVALID);
	submit_to(flow, 0, PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_data_release(data);
	close_flow();
}

/* The i-th box, of 1 to 191 rows and columns. */
static plait_box small_box(uint64_t i)
{
	uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
	uint64_t x = (bits >> 16) % 8000, y = (bits >> 32) % 8000;

	return (plait_box){ { x, y, 0 },
			    { x + 1 + bits % 191, y + 1 + (bits >> 8) % 191,
			      1 } };
}

/* The oldest op, which a mapping keeps open, keeps no borders of those that are done:
 * more pieces come than a map may have. */
static void boxes_beside_mapping(void)
{
	enum { BOXES = 3000 };
	plait_data *mapped, *plane;
	uint64_t wrong = 0;
	void *pointer;

	if (!open_flow(&flow_settings[0], 4096))
		return;
	mapped = new_data(1, 8, 0, 0, 8, "mapped");
	plane = new_data(2, 8192, 8192, 0, 1, "plane");
	OK(plait_data_map(mapped, NULL, PLAIT_MAP_READ, &pointer, NULL) ==
	   PLAIT_OK);
	for (int i = 0; i < BOXES && wrong == 0; i++) {
		const plait_box box = small_box((uint64_t)i);
		const plait_access access =
			access_of(plane, PLAIT_ACCESS_READ_WRITE, &box);

		wrong += wait_task(call_task("box", return_it, NULL, &access,
					     1)) != PLAIT_OK;
	}
	IS_UINT(wrong, 0);
	IS_INT(plait_data_unmap(mapped, pointer, NULL), PLAIT_OK);
	plait_data_release(mapped);
	plait_data_release(plane);
	close_flow();
}

static uint64_t before_barrier;

static int32_t count_before(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&before_barrier, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int32_t check_before(void *user_data)
{
	return __atomic_load_n(&before_barrier, __ATOMIC_SEQ_CST) !=
	       (uint64_t)(uintptr_t)user_data;
}

static void barriers(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.flags = PLAIT_TASK_BARRIER, .function = check_before,
		};

		if (!open_flow(&flow_settings[s], 64))
			continue;
		before_barrier = 0;
		for (uint64_t round = 1; round <= 20; round++) {
			for (int i = 0; i < 10; i++)
				call_task("count", count_before, NULL, NULL, 0);
			desc.user_data = forged(10 * round);
			OK(plait_flow_submit(flow, &desc, NULL, NULL) ==
			   PLAIT_OK);
		}
		IS_INT(wait_task(0), PLAIT_OK);
		close_flow();
	}
}

/* In a function of a task: no waits; submissions while there is room. */
static int32_t submit_inside(void *user_data)
{
	uint64_t word;
	int32_t wrong = 0;

	wrong += plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) !=
		 PLAIT_E_DEADLOCK;
	wrong += plait_data_read(user_data, NULL, &word, NULL) !=
		 PLAIT_E_DEADLOCK;
	for (plait_status status = PLAIT_OK; status != PLAIT_E_BUSY;) {
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = return_it,
		};

		status = plait_flow_submit(flow, &desc, NULL, NULL);
		if (status != PLAIT_OK && status != PLAIT_E_BUSY)
			return 100 - status;
	}
	return wrong;
}

static void inside(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 32))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		call_task("inside", submit_inside, data, &access, 1);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		plait_data_release(data);
		close_flow();
	}
}

/* ---- functions of the owner of an inbox ---- */

/* Data `i` is written by task `i`. */
enum { OWN, BEHIND, BEHIND_TOO, FREE, DATA };

struct owner {
	plait_inbox *inbox;
	plait_data *data[DATA];
	plait_task tasks[DATA];
	int32_t calls;
};

static void refuse_read(const struct owner *owner, uint32_t of)
{
	uint64_t word;
	void *pointer = NULL;

	IS_INT(plait_data_read(owner->data[of], NULL, &word, &flow_rig.error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "\"owner\"");
	IS_INT(plait_data_write(owner->data[of], NULL, &word,
				&flow_rig.error), PLAIT_E_DEADLOCK);
	IS_INT(plait_data_map(owner->data[of], NULL, PLAIT_MAP_READ, &pointer,
			      &flow_rig.error), PLAIT_E_DEADLOCK);
	IS_INT(wait_task(owner->tasks[of]), PLAIT_E_DEADLOCK);
	IS_INT(plait_flow_wait(flow, owner->tasks[of], 1, &flow_rig.error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "has to end first");
	IS_INT(plait_flow_wait(flow, owner->tasks[of], 0, &flow_rig.error),
	       PLAIT_E_TIMEOUT);
}

static int32_t set_word(void *user_data)
{
	*(uint64_t *)user_data = 7;
	return 0;
}

static int32_t wait_inside(void *user_data)
{
	struct owner *owner = user_data;
	uint64_t word = 0;

	refuse_read(owner, OWN);
	refuse_read(owner, BEHIND);
	refuse_read(owner, BEHIND_TOO);
	IS_INT(wait_task(0), PLAIT_E_DEADLOCK);
	/* Run by this wait, in the same thread. */
	IS_INT(wait_task(owner->tasks[FREE]), PLAIT_OK);
	IS_INT(plait_data_read(owner->data[FREE], NULL, &word,
			       &flow_rig.error), PLAIT_OK);
	IS_UINT(word, 7);
	owner->calls++;
	return 0;
}

static plait_task owner_task(const struct owner *owner, const char *label,
			     plait_host_function function, void *user_data,
			     const plait_access *accesses, uint64_t count)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = label,
		.function = function, .user_data = user_data,
		.inbox = owner->inbox, .accesses = accesses,
		.access_count = count,
	};
	plait_task task = 0;

	IS_INT(plait_flow_submit(flow, &desc, &task, &flow_rig.error),
	       PLAIT_OK);
	return task;
}

static void *word_of(plait_data *data)
{
	plait_data_info info = { .size = sizeof(info) };

	OK(plait_data_query(data, &info, NULL) == PLAIT_OK);
	return info.pointer;
}

static void open_owner(struct owner *owner)
{
	*owner = (struct owner){ .calls = 0 };
	IS_INT(plait_inbox_create(flow_rig.context, &owner->inbox,
				  &flow_rig.error), PLAIT_OK);
	for (int i = 0; i < DATA; i++)
		owner->data[i] = new_data(0, 0, 0, 0, 8, "u");
}

static void close_owner(struct owner *owner)
{
	for (int i = 0; i < DATA; i++)
		plait_data_release(owner->data[i]);
	plait_inbox_release(owner->inbox);
	close_flow();
}

/* Task 1 is behind task 0 and on any thread, task 2 behind both and in the
 * inbox, task 3 behind none and in the inbox. */
static void submit_owners(struct owner *owner, plait_host_function function)
{
	plait_access accesses[DATA];

	for (int i = 0; i < DATA; i++)
		accesses[i] = access_of(owner->data[i],
					PLAIT_ACCESS_READ_WRITE, NULL);
	owner->tasks[OWN] = owner_task(owner, "owner", function, owner,
				       accesses, 1);
	owner->tasks[BEHIND] = call_task("behind", return_it, NULL, accesses,
					 2);
	owner->tasks[BEHIND_TOO] = owner_task(owner, "too", return_it, NULL,
					      accesses + 1, 2);
	owner->tasks[FREE] = owner_task(owner, "free", set_word,
					word_of(owner->data[FREE]),
					accesses + 3, 1);
}

static void owners(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner owner;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		open_owner(&owner);
		submit_owners(&owner, wait_inside);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_INT(owner.calls, 1);
		close_owner(&owner);
	}
}

/* The function of a task that is run inside of another one's wait. */
static int32_t wait_for_outer(void *user_data)
{
	struct owner *owner = user_data;

	refuse_read(owner, OWN);
	refuse_read(owner, BEHIND);
	owner->calls++;
	return 0;
}

static int32_t wait_for_inner(void *user_data)
{
	struct owner *owner = user_data;
	plait_access access = access_of(owner->data[FREE],
					PLAIT_ACCESS_READ_WRITE, NULL);
	plait_task inner = owner_task(owner, "owner", wait_for_outer, owner,
				      &access, 1);

	IS_INT(wait_task(inner), PLAIT_OK);
	return 0;
}

static void nested_owners(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner owner;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		open_owner(&owner);
		submit_owners(&owner, wait_for_inner);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_INT(owner.calls, 1);
		close_owner(&owner);
	}
}

/* A submission without room does not wait for its own task. */
static int32_t fill_window(void *user_data)
{
	struct owner *owner = user_data;
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK) {
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = return_it,
		};

		status = plait_flow_submit(flow, &desc, NULL,
					   &flow_rig.error);
	}
	IS_INT(status, PLAIT_E_BUSY);
	owner->calls++;
	return 0;
}

/* The task is cancelled, and its function goes on. */
static int32_t close_inside(void *user_data)
{
	struct owner *owner = user_data;
	uint64_t word;

	IS_INT(plait_inbox_close(owner->inbox, NULL), PLAIT_OK);
	IS_INT(wait_task(owner->tasks[OWN]), PLAIT_E_CANCELLED);
	IS_INT(plait_data_read(owner->data[BEHIND], NULL, &word,
			       &flow_rig.error), PLAIT_E_CANCELLED);
	owner->calls++;
	return 0;
}

static void ends_of_owners(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		struct owner owner;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		open_owner(&owner);
		submit_owners(&owner, fill_window);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_INT(owner.calls, 1);
		submit_owners(&owner, close_inside);
		(void)wait_task(0);
		IS_INT(owner.calls, 2);
		close_owner(&owner);
	}
}

/* A plan's function waits for the task that runs the plan. */
static int32_t wait_in_plan(void *user_data)
{
	struct owner *owner = user_data;

	refuse_read(owner, OWN);
	owner->calls++;
	return 0;
}

static plait_plan *owner_plan(struct owner *owner)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.function = wait_in_plan, .user_data = owner,
		.inbox = owner->inbox,
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

static void owners_in_plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc run = { .size = sizeof(run), .label = "owner",
					.kind = PLAIT_TASK_PLAN,
					.access_count = 1 };
		plait_access access;
		struct owner owner;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		open_owner(&owner);
		run.plan = owner_plan(&owner);
		access = access_of(owner.data[OWN], PLAIT_ACCESS_READ_WRITE,
				   NULL);
		run.accesses = &access;
		IS_INT(plait_flow_submit(flow, &run, &owner.tasks[OWN],
					 &flow_rig.error), PLAIT_OK);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_INT(owner.calls, 1);
		plait_plan_release(run.plan);
		close_owner(&owner);
	}
}

/* Each mapping of the thread counts, not only its oldest one. */
static void two_mappings(void)
{
	void *pointers[2];
	plait_data *data[2];
	uint64_t word;

	if (!open_flow(&flow_settings[3], 16))
		return;
	for (int i = 0; i < 2; i++) {
		data[i] = new_data(0, 0, 0, 0, 8, i == 0 ? "u" : "v");
		IS_INT(plait_data_map(data[i], NULL, PLAIT_MAP_WRITE,
				      &pointers[i], NULL), PLAIT_OK);
	}
	IS_INT(plait_data_read(data[1], NULL, &word, &flow_rig.error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "mapping of data \"v\"");
	for (int i = 0; i < 2; i++) {
		IS_INT(plait_data_unmap(data[i], pointers[i], NULL), PLAIT_OK);
		plait_data_release(data[i]);
	}
	close_flow();
}

static int32_t leave_thread(void *user_data)
{
	(void)user_data;
	pthread_exit(NULL);
	return 0;
}

/* A function that ends its thread has failed. */
static void thread_exit(void)
{
	if (!open_flow(&flow_settings[2], 32))
		return;
	call_task("leaves", leave_thread, NULL, NULL, 0);
	/* By a worker: this thread only looks. */
	while (plait_flow_wait(flow, 0, 0, &flow_rig.error) == PLAIT_E_TIMEOUT)
		pause_a_little();
	HAS_STR(flow_rig.error.text, "pthread_exit");
	IS_INT(wait_task(call_task("next", return_it, NULL, NULL, 0)),
	       PLAIT_OK);
	close_flow();
}

/* Behind the event of a notification a poll finds all tasks done, though the
 * thread that posted the event may still be inside the op. */
static void polls(void)
{
	enum { ROUNDS = 2000 };
	plait_inbox *inbox = NULL;
	unsigned late = 0;

	if (!open_flow(&flow_settings[3], 64))
		return;
	OK(plait_inbox_create(flow_rig.context, &inbox, NULL) == PLAIT_OK);
	for (int i = 0; i < ROUNDS; i++) {
		plait_event event = { .size = sizeof(event) };
		uint64_t since = 0;

		(void)call_task("task", return_it, NULL, NULL, 0);
		(void)plait_flow_notify(flow, 0, inbox, NULL, NULL, NULL);
		while (plait_inbox_next(inbox, &event, NULL) ==
			       PLAIT_PENDING && !tap_late(&since))
			;
		late += plait_flow_wait(flow, 0, 0, NULL) != PLAIT_OK;
	}
	IS_UINT(late, 0);
	plait_inbox_release(inbox);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "window", window },
	{ "boxes beside a mapping", boxes_beside_mapping },
	{ "barriers", barriers },
	{ "inside", inside },
	{ "owners", owners },
	{ "nested owners", nested_owners },
	{ "ends of owners", ends_of_owners },
	{ "owners in plans", owners_in_plans },
	{ "two mappings", two_mappings },
	{ "thread exit", thread_exit },
	{ "polls", polls },
};

TAP_MAIN(all)
