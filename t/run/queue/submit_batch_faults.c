/* SPDX-License-Identifier: MIT */
/*
 * Failing calls of a backend: each fails once, while a plan with a loop is
 * made, run and run again.  That run fails or is not affected, and the next one
 * is right.  With kernels that the device runs, and with functions of the host;
 * with functions of an inbox in the loop and as predicates.
 */
#include "lib/queued.h"

enum { TIMES = 3, MOST_CALLS = 4000 };

static bool told;

static void hear_faults(void *user_data, int32_t level, const char *line)
{
	if (strstr(line, "fault: call ") != NULL)
		__atomic_store_n(&told, true, __ATOMIC_SEQ_CST);
	hear(user_data, level, line);
}

/* The way in which the plan is made and run. */
struct how {
	uint32_t lanes;
	bool by_queue;	/* or by a call */
	bool owned;	/* an inbox's owner has something to do */
	bool recorded;	/* by a queue */
};

struct made {
	plait_buffer *n, *x;
	plait_kernel *kernel;
	plait_graph *graph, *body;
	plait_plan *plan;
	plait_inbox *inbox;	/* or null: no owner has to act */
	uint32_t called, asked;
	bool calls;	/* some host function, with that inbox or without */
	bool fails;	/* the function that is called */
};

static int32_t be_called(void *user_data)
{
	((struct made *)user_data)->called++;
	return ((struct made *)user_data)->fails ? 7 : 0;
}

/* The loop that it decides does nothing. */
static int32_t be_asked(void *user_data)
{
	((struct made *)user_data)->asked++;
	return 0;
}

static plait_status add_calls(struct made *made, plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_CALL,
				 .function = be_called, .user_data = made,
				 .inbox = made->inbox,
				 .flags = made->inbox != NULL ? 0 :
					  PLAIT_CALL_ANY_THREAD };
	plait_status status;

	if (made->inbox == NULL && !made->calls)
		return PLAIT_OK;
	status = plait_graph_add(made->body, &desc, NULL, 0, NULL, error);
	desc.kind = PLAIT_NODE_WHILE;
	desc.function = be_asked;
	if (status == PLAIT_OK)
		status = plait_graph_add(made->body, &desc, NULL, 0, NULL,
					 error);
	return status;
}

static plait_status add_nodes(struct made *made, plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_FILL, .target = made->n,
				 .pattern = TIMES, .pattern_bytes = 4,
				 .bytes = WORDS * 4 };
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1, less = UINT32_MAX;
	plait_argument arguments[4] = {
		buffer_argument(made->n), buffer_argument(made->n),
		value_argument(&one), value_argument(&less),
	};
	plait_node fill, loop;
	plait_status status;

	status = plait_graph_add(made->graph, &desc, NULL, 0, &fill, error);
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_WHILE,
				  .predicate = made->n };
	if (status == PLAIT_OK)
		status = plait_graph_add(made->graph, &desc, &fill, 1, &loop,
					 error);
	if (status == PLAIT_OK)
		status = plait_graph_body(made->graph, loop, 0, &made->body,
					  error);
	desc = (plait_node_desc){
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = made->kernel, .launch = &launch,
		.arguments = arguments, .argument_count = 4,
	};
	if (status == PLAIT_OK)
		status = plait_graph_add(made->body, &desc, NULL, 0, &fill,
					 error);
	arguments[0] = arguments[1] = buffer_argument(made->x);
	arguments[3] = value_argument(&one);
	if (status == PLAIT_OK)
		status = plait_graph_add(made->body, &desc, NULL, 0, &fill,
					 error);
	return status == PLAIT_OK ? add_calls(made, error) : status;
}

static plait_status make(struct made *made, uint32_t lanes, bool owned,
			 plait_error *error)
{
	const plait_source source = { .size = sizeof(source),
				      .code = MAP_TEXT };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = builds ? NULL : map_words,
		.sources = builds ? &source : NULL, .source_count = builds,
		.signature = "map(from: in pointer u32, to: inout pointer "
			     "u32, a: u32, b: u32)",
	};
	const plait_buffer_desc buffer = { .size = sizeof(buffer),
					   .bytes = WORDS * 4 };
	const plait_freeze_desc freezing = { .size = sizeof(freezing),
					     .lanes = lanes };
	plait_status status;

	if ((status = plait_context_device(rig.context, 0, &rig.device,
					   error)) ||
	    (status = plait_queue_create(rig.device, NULL, &rig.queue,
					 error)) ||
	    (status = plait_buffer_create(rig.device, &buffer, &made->n,
					  error)) ||
	    (status = plait_buffer_create(rig.device, &buffer, &made->x,
					  error)) ||
	    (owned && (status = plait_inbox_create(rig.context, &made->inbox,
						   error))) ||
	    (status = plait_kernel_create(rig.context, &kernel, &made->kernel,
					  error)) ||
	    (status = plait_graph_create(rig.context, &made->graph, error)) ||
	    (status = add_nodes(made, error)))
		return status;
	return plait_graph_freeze(made->graph, &freezing, &made->plan, error);
}

static void unmake(struct made *made)
{
	plait_plan_release(made->plan);
	plait_graph_release(made->body);
	plait_graph_release(made->graph);
	plait_kernel_release(made->kernel);
	plait_buffer_release(made->n);
	plait_buffer_release(made->x);
	plait_inbox_release(made->inbox);
}

/* A correct run has recorded each of its commands. */
static plait_status run_recorded(struct made *made, plait_error *error)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
	static plait_record records[256];
	uint64_t count = 0, dropped = 0, loops = 0;
	plait_run *run;
	plait_status status;

	status = plait_plan_record(made->plan, TAP_COUNT(records), error);
	if (status == PLAIT_OK)
		status = plait_plan_run(made->plan, rig.queue, &desc, &run,
					error);
	if (status != PLAIT_OK)
		return status;
	status = plait_run_wait(run, PLAIT_FOREVER, error);
	records[0].size = sizeof(records[0]);
	if (status == PLAIT_OK)
		OK(plait_run_records(run, records, TAP_COUNT(records), &count,
				     &dropped, error) == PLAIT_OK);
	for (uint64_t i = 0; i < count && i < TAP_COUNT(records); i++)
		loops += records[i].kind == PLAIT_RECORD_COMMAND &&
			 records[i].iteration == TIMES - 1;
	if (status == PLAIT_OK)
		OK(dropped == 0 && loops >= 2);
	plait_run_release(run);
	return status;
}

/* Set x, run, and check the result. */
static plait_status run_once(struct made *made, const struct how *how,
			     uint32_t *out_x, plait_error *error)
{
	uint32_t words[WORDS] = { 0 };
	plait_status status, said;

	made->called = made->asked = 0;
	status = plait_queue_write(rig.queue, made->x, 0, words, sizeof(words),
				   error);
	if (status == PLAIT_OK)
		status = plait_queue_finish(rig.queue, PLAIT_FOREVER, error);
	if (status == PLAIT_OK && how->recorded)
		status = run_recorded(made, error);
	else if (status == PLAIT_OK && how->by_queue)
		status = plait_plan_run(made->plan, rig.queue, NULL, NULL,
					error);
	else if (status == PLAIT_OK)
		status = plait_plan_call(made->plan, NULL, NULL, error);
	if (status == PLAIT_OK)
		status = plait_queue_read(rig.queue, made->x, 0, words,
					  sizeof(words), error);
	said = plait_queue_finish(rig.queue, PLAIT_FOREVER,
				  status == PLAIT_OK ? error : NULL);
	*out_x = words[0];
	return status != PLAIT_OK ? status : said;
}

/* The K-th call fails; returns whether there was one. */
static bool try_fault(uint32_t k, const struct how *how)
{
	char options[80];
	plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos",
		.wrap = "check,fault", .options = options,
		.flags = PLAIT_CONTEXT_NO_WORKERS, .log = hear_faults,
		.log_level = PLAIT_LOG_WARNING,
	};
	struct made made = { .plan = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_status status;
	uint32_t x = 0;

	memset(&rig, 0, sizeof(rig));
	told = false;
	builds = !how->by_queue;
	(void)snprintf(options, sizeof(options),
		       "chaos:seed=%u,devices=1;fault:fail=%u", k, k);
	if (plait_context_open(&desc, &rig.context, &error) != PLAIT_OK)
		return told;
	status = make(&made, how->lanes, how->owned, &error);
	for (int i = 0; i < 3 && made.plan != NULL; i++) {
		bool before = told;

		status = run_once(&made, how, &x, &error);
		if (before || status == PLAIT_OK)
			OK_THAT(status == PLAIT_OK && x == TIMES,
				"call %u, run %d: %u, %s", k, i, x,
				error.text);
		if (status == PLAIT_OK)
			OK(made.called == (how->owned ? TIMES : 0) &&
			   made.asked == made.called);
	}
	unmake(&made);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK_THAT(all_gone(), "call %u", k);
	return told;
}

static void each_call(struct how how)
{
	uint32_t k = 1;

	broken = 0;
	while (k < MOST_CALLS && try_fault(k, &how))
		k++;
	OK_THAT(k > 60 && k < MOST_CALLS, "%u calls", k);
	IS_UINT(broken, 0);
}

static void called(void)
{
	each_call((struct how){ .lanes = 2 });
}

static void on_a_queue(void)
{
	each_call((struct how){ .lanes = 1, .by_queue = true });
}

static void with_owners(void)
{
	each_call((struct how){ .lanes = 2, .owned = true });
	each_call((struct how){ .lanes = 1, .by_queue = true, .owned = true });
}

/* Clocks, marks and their readings behind a run may fail, too. */
static void recorded(void)
{
	each_call((struct how){ .lanes = 2, .by_queue = true,
				.recorded = true });
}

/* Every second run fails, and no queue comes back: the plan makes new ones. */
static void fail_in_turns(const struct how *how)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos",
		.wrap = "check,fault",
		.options = "chaos:devices=1;"
			   "fault:slot=queue_recover,rate=1000,status=failed",
		.flags = PLAIT_CONTEXT_NO_WORKERS, .log = hear,
		.log_level = PLAIT_LOG_WARNING,
	};
	struct made made = { .calls = true };
	plait_error error = { .size = sizeof(error) };
	plait_status status;
	uint32_t x = 0;

	memset(&rig, 0, sizeof(rig));
	OK(plait_context_open(&desc, &rig.context, &error) == PLAIT_OK &&
	   make(&made, how->lanes, how->owned, &error) == PLAIT_OK);
	for (int i = 0; i < 6 && made.plan != NULL; i++) {
		made.fails = i % 2 == 1;
		status = run_once(&made, how, &x, &error);
		OK_THAT(made.fails ? status == PLAIT_E_FAILED :
			status == PLAIT_OK && x == TIMES, "run %d: %u, %s", i,
			x, error.text);
	}
	unmake(&made);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static void queues_that_stay_broken(void)
{
	broken = 0;
	for (uint32_t i = 0; i < 8; i++) {
		builds = i % 2 == 1;
		fail_in_turns(&(struct how){ .lanes = 1 + i / 4,
					     .owned = i / 2 % 2 == 1 });
	}
	IS_UINT(broken, 0);
}

/* A backend that accepts nothing at all, for any reason: runs fail, and do not
 * retry for ever. */
static void take_nothing(const char *why, plait_status wanted, uint32_t lanes)
{
	char options[80];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos",
		.wrap = "check,fault", .options = options,
		.flags = lanes > 1 ? 0 : PLAIT_CONTEXT_NO_WORKERS,
		.workers = lanes - 1, .log = hear,
		.log_level = PLAIT_LOG_ERROR,
	};
	struct made made = { .calls = true };
	plait_error error = { .size = sizeof(error) };

	memset(&rig, 0, sizeof(rig));
	(void)snprintf(options, sizeof(options), "chaos:devices=1;fault:"
		       "slot=queue_submit,rate=1000,status=%s", why);
	OK(plait_context_open(&desc, &rig.context, &error) == PLAIT_OK &&
	   make(&made, lanes, false, &error) == PLAIT_OK);
	for (int i = 0; i < 3 && made.plan != NULL; i++) {
		error.text[0] = '\0';
		IS_INT(plait_plan_call(made.plan, NULL, NULL, &error), wanted);
		OK_THAT(strstr(error.text, "submitted") != NULL ||
			wanted == PLAIT_E_LOST, "%s", error.text);
	}
	unmake(&made);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK_THAT(all_gone(), "%s", why);
}

static void nothing_is_accepted(void)
{
	static const struct {
		const char *why;
		plait_status status;
	} all_whys[] = {
		{ "nomem", PLAIT_E_NOMEM }, { "busy", PLAIT_E_BUSY },
		{ "failed", PLAIT_E_FAILED }, { "state", PLAIT_E_STATE },
		{ "unavailable", PLAIT_E_UNAVAILABLE },
	};

	broken = 0;
	for (uint32_t i = 0; i < 2 * TAP_COUNT(all_whys); i++) {
		builds = i % 2 == 1;
		take_nothing(all_whys[i / 2].why, all_whys[i / 2].status,
			     1 + i % 2);
	}
	IS_UINT(broken, 0);
}

static const struct tap_scenario all[] = {
	{ "called", called },
	{ "on a queue", on_a_queue },
	{ "with owners", with_owners },
	{ "recorded", recorded },
	{ "queues that stay broken", queues_that_stay_broken },
	{ "nothing is accepted", nothing_is_accepted },
};
TAP_MAIN(all)
