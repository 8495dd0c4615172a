/* SPDX-License-Identifier: MIT */
/*
 * Failing calls of a backend: each one fails once, under a program that uses
 * all of the library's objects.  The error comes back or does not matter,
 * nothing leaks, `check` reports no violation, and the next run on the same
 * context works.
 */
#include <plait/plait.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/tap.h"

enum { BYTES = 256 };

/* The log, written by any thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool fault_told, rule_broken;
static char last_fault[256], last_rule[512];

static void hear(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	(void)level;
	pthread_mutex_lock(&lock);
	if (strstr(line, "fault: call ")) {
		fault_told = true;
		snprintf(last_fault, sizeof(last_fault), "%s", line);
	}
	if (strstr(line, "broke a rule")) {
		rule_broken = true;
		snprintf(last_rule, sizeof(last_rule), "%s", line);
	}
	pthread_mutex_unlock(&lock);
}

/* Read and cleared under the lock. */
static void take_log(bool *out_fault, bool *out_rule)
{
	pthread_mutex_lock(&lock);
	*out_fault = fault_told;
	*out_rule = rule_broken;
	fault_told = rule_broken = false;
	pthread_mutex_unlock(&lock);
}

/* A call that succeeds leaves the record as it was; one that fails writes its
 * status and a text. */
static void clear_record(plait_error *error)
{
	error->status = PLAIT_OK;
	error->text[0] = '\0';
}

static plait_status check_record(const char *call, plait_status status,
				 const plait_error *error)
{
	const bool whole = status < 0 ? error->status == status &&
						error->text[0] != '\0'
				      : error->status == PLAIT_OK &&
						error->text[0] == '\0';

	OK_THAT(whole, "%s: %d, and the record says %d \"%s\"", call, status,
		error->status, error->text);
	return status;
}

#define TRY(call) \
	(clear_record(error), status = check_record(#call, call, error))

struct program {
	plait_inbox *inbox;
	plait_buffer *x, *y;
	plait_queue *a, *b;
	plait_signal *signal, *gate;
	int calls, owner_calls, notes;
};

static int32_t count(void *user_data)
{
	++*(int *)user_data;
	return 0;
}

static plait_status create(plait_context *context, struct program *p,
			   plait_error *error)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
		.bytes = BYTES, .label = "bytes" };
	const plait_signal_desc gate = { .size = sizeof(gate),
		.flags = PLAIT_SIGNAL_GATE };
	plait_device *device;
	plait_status status;

	if (TRY(plait_context_device(context, 0, &device, error)) ||
	    TRY(plait_inbox_create(context, &p->inbox, error)) ||
	    TRY(plait_buffer_create(device, &bytes, &p->x, error)) ||
	    TRY(plait_buffer_create(device, &bytes, &p->y, error)) ||
	    TRY(plait_queue_create(device, NULL, &p->a, error)) ||
	    TRY(plait_queue_create(device, NULL, &p->b, error)) ||
	    TRY(plait_signal_create(device, NULL, &p->signal, error)) ||
	    TRY(plait_signal_create(device, &gate, &p->gate, error)))
		return status;
	return PLAIT_OK;
}

/* a waits for the gate, writes and emits; b copies and calls twice. */
static plait_status submit(struct program *p, unsigned char *host,
			   plait_error *error)
{
	const plait_command first[] = {
		{ .size = sizeof(*first), .kind = PLAIT_COMMAND_WAIT,
		  .signal = p->gate, .sequence = 1 },
		{ .size = sizeof(*first), .kind = PLAIT_COMMAND_WRITE,
		  .target = p->x, .host = host, .bytes = BYTES },
		{ .size = sizeof(*first), .kind = PLAIT_COMMAND_EMIT,
		  .signal = p->signal },
	};
	const plait_command second[] = {
		{ .size = sizeof(*second), .kind = PLAIT_COMMAND_WAIT,
		  .signal = p->signal },
		{ .size = sizeof(*second), .kind = PLAIT_COMMAND_COPY,
		  .target = p->y, .source = p->x, .bytes = BYTES },
		{ .size = sizeof(*second), .kind = PLAIT_COMMAND_CALL,
		  .function = count, .user_data = &p->calls,
		  .flags = PLAIT_CALL_ANY_THREAD },
		{ .size = sizeof(*second), .kind = PLAIT_COMMAND_CALL,
		  .function = count, .user_data = &p->owner_calls,
		  .inbox = p->inbox },
	};
	plait_status status;

	if (TRY(plait_queue_submit(p->a, first, 3, NULL, error)) ||
	    TRY(plait_queue_submit(p->b, second, 4, NULL, error)))
		return status;
	return TRY(plait_signal_notify(p->signal, 0, p->inbox, count,
				       &p->notes, error));
}

static plait_status check_bytes(struct program *p, const unsigned char *host,
				plait_error *error)
{
	unsigned char back[BYTES];
	plait_status status;
	void *pointer;

	memset(back, 0, sizeof(back));
	if (TRY(plait_queue_read(p->a, p->y, 0, back, BYTES, error)))
		return status;
	OK(memcmp(back, host, BYTES) == 0);
	if (TRY(plait_buffer_map(p->x, 0, BYTES, PLAIT_MAP_READ, &pointer,
				 error)))
		return status;
	OK(memcmp(pointer, host, BYTES) == 0);
	(void)TRY(plait_buffer_unmap(p->x, pointer, error));
	/* Submit once more if the first attempt failed: then nothing had
	 * changed. */
	if (status != PLAIT_OK)
		plait_buffer_unmap(p->x, pointer, NULL);
	return status;
}

/* A plan of one call and one owner call: by a call, on a queue, and behind what
 * the queue has. */
static plait_status run_plan(struct program *p, plait_plan *plan,
			     plait_error *error)
{
	plait_run *run = NULL;
	plait_status status;

	if (TRY(plait_plan_call(plan, NULL, NULL, error)) ||
	    TRY(plait_plan_call(plan, p->a, NULL, error)) ||
	    TRY(plait_queue_call(p->b, count, &p->calls, error)) ||
	    TRY(plait_plan_call(plan, p->b, NULL, error)) ||
	    TRY(plait_plan_run(plan, p->b, NULL, &run, error)))
		return status;
	(void)TRY(plait_run_wait(run, PLAIT_FOREVER, error));
	plait_run_release(run);
	return status != PLAIT_OK ? status :
	       TRY(plait_queue_finish(p->b, PLAIT_FOREVER, error));
}

static plait_status work_with_plan(plait_context *context, struct program *p,
				   plait_error *error)
{
	plait_node_desc calls[] = {
		{ .size = sizeof(*calls), .kind = PLAIT_NODE_CALL,
		  .function = count, .user_data = &p->calls,
		  .flags = PLAIT_CALL_ANY_THREAD },
		{ .size = sizeof(*calls), .kind = PLAIT_NODE_CALL,
		  .function = count, .user_data = &p->owner_calls },
	};
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_status status = create(context, p, error);

	calls[1].inbox = p->inbox;
	if (status == PLAIT_OK &&
	    !TRY(plait_graph_create(context, &graph, error)) &&
	    !TRY(plait_graph_add(graph, &calls[0], NULL, 0, NULL, error)) &&
	    !TRY(plait_graph_add(graph, &calls[1], NULL, 0, NULL, error)))
		(void)TRY(plait_graph_freeze(graph, NULL, &plan, error));
	if (status == PLAIT_OK)
		status = run_plan(p, plan, error);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return status;
}

static plait_status work(plait_context *context, struct program *p,
			 unsigned char *host, plait_error *error)
{
	uint64_t since = 0;
	uint64_t served;
	plait_status status;

	if ((status = create(context, p, error)) ||
	    (status = submit(p, host, error)) ||
	    TRY(plait_signal_raise(p->gate, 1, error)) ||
	    TRY(plait_queue_finish(p->b, PLAIT_FOREVER, error)) ||
	    TRY(plait_queue_finish(p->a, PLAIT_FOREVER, error)) ||
	    TRY(plait_signal_wait(p->signal, 0, PLAIT_FOREVER, error)))
		return status;
	IS_INT(p->calls, 1);
	IS_INT(p->owner_calls, 1);
	while (p->notes == 0 && !tap_late(&since)) {
		plait_inbox_wait(p->inbox, 1000000, NULL);
		plait_inbox_pump(p->inbox, 0, &served, NULL);
	}
	IS_INT(p->notes, 1);
	return check_bytes(p, host, error);
}

static plait_status run(plait_context *context, bool plans,
			plait_error *error)
{
	static unsigned char host[BYTES];
	struct program p;
	plait_status status;

	for (int i = 0; i < BYTES; i++)
		host[i] = (unsigned char)(i * 7);
	memset(&p, 0, sizeof(p));
	status = plans ? work_with_plan(context, &p, error) :
			 work(context, &p, host, error);
	if (status != PLAIT_OK && p.gate) {
		/* Submitted commands may go on; they have finished before the
		 * stack of this function is gone. */
		for (int i = 0; i < 2; i++)
			plait_signal_raise(p.gate, 1, NULL);
		for (int i = 0; i < 3; i++) {
			plait_queue_finish(p.b, PLAIT_FOREVER, NULL);
			plait_queue_finish(p.a, PLAIT_FOREVER, NULL);
		}
	}
	plait_inbox_release(p.inbox);
	plait_buffer_release(p.x);
	plait_signal_release(p.gate);
	plait_queue_release(p.b);
	plait_signal_release(p.signal);
	plait_queue_release(p.a);
	plait_buffer_release(p.y);
	return status;
}

/* All objects end, if not at once: a context may end on a thread of its own. */
static bool all_end(void)
{
	uint64_t since = 0;

	while (plait_live_count(PLAIT_OBJECT_ANY) > 0)
		if (tap_late(&since))
			return false;
	return true;
}

/* True when no call is left to fail: the program ran without a failure. */
static bool try(const char *backend, const char *fault, bool plans, bool lost)
{
	char options[160];
	const plait_context_desc desc = { .size = sizeof(desc),
		.backends = backend, .wrap = "check,fault",
		.options = options, .log = hear,
		.log_level = PLAIT_LOG_WARNING, .workers = 2 };
	plait_error error = { .size = sizeof(error) };
	plait_context *context;
	plait_status status;
	bool failed, sinned;

	snprintf(options, sizeof(options), "fault:%s", fault);
	take_log(&failed, &sinned);
	status = plait_context_open(&desc, &context, &error);
	if (status == PLAIT_OK) {
		status = run(context, plans, &error);
		if (status != PLAIT_OK && !lost)
			OK_THAT(run(context, plans, &error) == PLAIT_OK,
				"%s %s: the next run works: %s", backend,
				fault, error.text);
		plait_context_release(context);
	}
	if (!OK_THAT(all_end(), "%s %s: nothing is left", backend, fault)) {
		NOTE("%s; %d: %s", last_fault, status, error.text);
		return true;
	}
	take_log(&failed, &sinned);
	OK_THAT(!sinned, "%s %s: no rule is broken%s%s", backend, fault,
		sinned ? ": " : "", sinned ? last_rule : "");
	OK_THAT(failed || status == PLAIT_OK, "%s %s: %d %s", backend, fault,
		status, error.text);
	return !failed;
}

static void sweep(const char *backend, const char *key, bool plans, bool lost)
{
	int k;

	for (k = 1; k < 400; k++) {
		char fault[32];

		snprintf(fault, sizeof(fault), "%s=%d", key, k);
		if (try(backend, fault, plans, lost))
			break;
	}
	NOTE("%s: %d calls failed with %s", backend, k - 1, key);
	OK(k > 20 && k < 400);
}

static void simulated_calls(void)
{
	sweep("chaos", "fail", false, false);
}

static void simulated_loss(void)
{
	sweep("chaos", "lost", false, true);
}

static void host_calls(void)
{
	sweep("host", "fail", false, false);
}

static void host_loss(void)
{
	sweep("host", "lost", false, true);
}

static void plans_simulated(void)
{
	sweep("chaos", "fail", true, false);
	sweep("chaos", "lost", true, true);
}

static void plans_on_host(void)
{
	sweep("host", "fail", true, false);
	sweep("host", "lost", true, true);
}

static const struct tap_scenario all[] = {
	{ "chaos-fail", simulated_calls },
	{ "chaos-lost", simulated_loss },
	{ "host-fail", host_calls },
	{ "host-lost", host_loss },
	{ "plans-chaos", plans_simulated },
	{ "plans-host", plans_on_host },
};
TAP_MAIN(all)
