/* SPDX-License-Identifier: MIT */
/* Awaits that end otherwise than by what is awaited: deadlines, the end of the
 * context, a lost device, a fork; and what a time-out of the run says of them. */
#include "lib/runs.h"

#include <sys/wait.h>
#include <unistd.h>

#define SHORT_NS UINT64_C(1000000)
#define AN_HOUR UINT64_C(3600000000000)

/* A coroutine that writes down how its awaits ended. */
struct awaiter {
	plait_signal *gate;
	plait_run *other;
	plait_plan *plan;
	plait_queue *queue;
	uint64_t timeout_ns;
	plait_status first, second;
	plait_error error;
	uint32_t begun, ended;	/* atomic */
};

static plait_node_desc coroutine_desc(plait_host_function function,
				      void *user_data)
{
	return (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .label = "awaiter",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = function, .user_data = user_data,
	};
}

static plait_plan *plan_of(plait_host_function function, void *user_data)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, coroutine_desc(function, user_data), NULL, 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

/* A plan that is over when the gate has come to 1. */
static plait_plan *plan_behind(plait_signal *gate)
{
	const plait_node_desc wait = { .kind = PLAIT_NODE_WAIT,
				       .label = "behind", .signal = gate,
				       .sequence = 1 };
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, wait, NULL, 0);
	/* One for a run that was cancelled and is not over. */
	plan = freeze(graph, 1, 2);
	plait_graph_release(graph);
	return plan;
}

static plait_signal *new_gate(const char *label)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE,
					 .label = label };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	return gate;
}

static plait_queue *new_queue(void)
{
	plait_queue *queue = NULL;

	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	return queue;
}

/* ---- deadlines ---- */

static plait_status await_once(struct awaiter *self, uint64_t timeout_ns)
{
	self->error = (plait_error){ .size = sizeof(self->error) };
	if (self->plan != NULL)
		return plait_await_plan(self->plan, self->queue, NULL,
					timeout_ns, &self->error);
	return self->other != NULL ?
		plait_await_run(self->other, timeout_ns, &self->error) :
		plait_await_signal(self->gate, 1, timeout_ns, &self->error);
}

/* The second await has no deadline, and must not be ended by that of the
 * first. */
static int32_t await_twice(void *user_data)
{
	struct awaiter *self = user_data;
	char text[PLAIT_ERROR_TEXT_BYTES];

	self->first = await_once(self, self->timeout_ns);
	(void)snprintf(text, sizeof(text), "%s", self->error.text);
	__atomic_store_n(&self->begun, 1, __ATOMIC_SEQ_CST);
	self->second = await_once(self, PLAIT_FOREVER);
	(void)snprintf(self->error.text, sizeof(self->error.text), "%s", text);
	return 0;
}

enum kind { GATE, RUN, PLAN, KINDS };

static void begin_awaited(struct awaiter *self, enum kind kind)
{
	self->gate = new_gate("late gate");
	self->queue = new_queue();
	self->plan = kind == GATE ? NULL : plan_behind(self->gate);
	if (kind != RUN)
		return;
	OK(plait_plan_run(self->plan, self->queue, NULL, &self->other, NULL) ==
	   PLAIT_OK);
	plait_plan_release(self->plan);
	self->plan = NULL;
}

static void end_awaited(struct awaiter *self)
{
	(void)plait_queue_finish(self->queue, PLAIT_FOREVER, NULL);
	plait_run_release(self->other);
	plait_plan_release(self->plan);
	plait_queue_release(self->queue);
	plait_signal_release(self->gate);
}

static void check_kind(uint32_t flags, enum kind kind, uint64_t timeout_ns)
{
	static const char *const texts[] = {
		"signal \"late gate\" is to come to 1, and is at 0",
		"is not over", "is not over",
	};
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct awaiter self = { .first = -99, .second = -99,
				.timeout_ns = timeout_ns };
	plait_plan *plan = plan_of(await_twice, &self);
	plait_run *run = NULL;

	begin_awaited(&self, kind);
	OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) == PLAIT_OK);
	while (!__atomic_load_n(&self.begun, __ATOMIC_SEQ_CST))
		(void)plait_run_wait(run, SHORT_NS, NULL);
	IS_INT(self.first, PLAIT_E_TIMEOUT);
	OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	HAS_STR(self.error.text, "the deadline of the await has passed");
	HAS_STR(self.error.text, texts[kind]);
	/* A plan that timed out was cancelled, which its queue reports; the
	 * next one runs behind that. */
	IS_INT(self.second, kind == PLAN ? PLAIT_E_CANCELLED : PLAIT_OK);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_run_release(run);
	plait_plan_release(plan);
	end_awaited(&self);
}

static void check_deadlines(uint32_t flags)
{
	for (enum kind kind = GATE; kind < KINDS; kind++) {
		check_kind(flags, kind, SHORT_NS);
		check_kind(flags, kind, 0);
	}
}

/* An event that has happened counts more than a deadline that has passed. */
static int32_t poll_only(void *user_data)
{
	struct awaiter *self = user_data;

	self->first = await_once(self, 0);
	return 0;
}

static void check_polls(uint32_t flags)
{
	for (enum kind kind = GATE; kind < PLAN; kind++) {
		struct awaiter self = { .first = -99 };
		plait_plan *plan = plan_of(poll_only, &self);

		begin_awaited(&self, kind);
		IS_INT(run_with(plan, flags), PLAIT_OK);
		IS_INT(self.first, PLAIT_E_TIMEOUT);
		OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
		(void)plait_queue_finish(self.queue, PLAIT_FOREVER, NULL);
		IS_INT(run_with(plan, flags), PLAIT_OK);
		IS_INT(self.first, PLAIT_OK);
		plait_plan_release(plan);
		end_awaited(&self);
	}
}

/* Many deadlines in another order than they are asked for, most of which do not
 * come. */
enum { MANY = 24, TURNS = 20 };

struct sleeper {
	plait_signal *gate;
	uint32_t number, bad;
};

static int32_t sleep_often(void *user_data)
{
	struct sleeper *self = user_data;

	for (uint32_t i = 0; i < TURNS; i++) {
		const uint64_t times[] = { SHORT_NS, SHORT_NS / 8, 0, AN_HOUR };
		uint32_t which = (self->number * 7 + i * 5) % 4;
		plait_status want = which == 3 ? PLAIT_OK : PLAIT_E_TIMEOUT;

		/* The gate is at 1. */
		self->bad += plait_await_signal(self->gate, which == 3 ? 1 : 2,
						times[which], NULL) != want;
	}
	return 0;
}

static void check_many(uint32_t flags)
{
	struct sleeper sleepers[MANY];
	plait_signal *gate = new_gate("many");
	plait_graph *graph = new_graph();
	plait_plan *plan;
	uint32_t bad = 0;

	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	for (uint32_t i = 0; i < MANY; i++) {
		sleepers[i] = (struct sleeper){ .gate = gate, .number = i };
		(void)add_node(graph, coroutine_desc(sleep_often, &sleepers[i]),
			       NULL, 0);
	}
	plan = freeze(graph, MANY, 1);
	IS_INT(run_with(plan, flags), PLAIT_OK);
	for (uint32_t i = 0; i < MANY; i++)
		bad += sleepers[i].bad;
	IS_UINT(bad, 0);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_signal_release(gate);
}

static void deadlines(void)
{
	on_the_host(check_deadlines);
	on_the_host(check_polls);
	on_the_host(check_many);
}

/* ---- time-outs of the run ---- */

/* Wait until the run says what its coroutine awaits. */
static void await_suspended(plait_run *run, const char *text)
{
	uint64_t since = 0;

	do {
		rig.error.text[0] = '\0';
		IS_INT(plait_run_wait(run, SHORT_NS, &rig.error),
		       PLAIT_E_TIMEOUT);
	} while (strstr(rig.error.text, text) == NULL && !tap_late(&since));
	HAS_STR(rig.error.text, text);
}

static void check_named(uint32_t flags)
{
	static const char *const texts[] = {
		"\"awaiter\" waits for signal \"late gate\" to come to 1, which "
		"is at 0",
		"\"awaiter\" waits for the end of run",
	};
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	for (enum kind kind = GATE; kind < PLAN; kind++) {
		struct awaiter self = { .timeout_ns = 0 };
		plait_plan *plan = plan_of(await_twice, &self);
		plait_run *run = NULL;

		begin_awaited(&self, kind);
		OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) ==
		   PLAIT_OK);
		await_suspended(run, texts[kind]);
		OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
		plait_run_release(run);
		plait_plan_release(plan);
		end_awaited(&self);
	}
}

static void names(void)
{
	on_the_host(check_named);
}

/* ---- records ---- */

enum { RECORDS = 16 };

/* Suspended twice by a gate, which the program raises meanwhile. */
static int32_t await_steps(void *user_data)
{
	struct awaiter *self = user_data;

	return plait_await_signal(self->gate, 1, PLAIT_FOREVER, NULL) ||
	       plait_await_signal(self->gate, 2, PLAIT_FOREVER, NULL);
}

static void raise_steps(struct awaiter *self, plait_run *run)
{
	await_suspended(run, "to come to 1");
	OK(plait_signal_raise(self->gate, 1, NULL) == PLAIT_OK);
	await_suspended(run, "to come to 2");
	OK(plait_signal_raise(self->gate, 2, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
}

/* Gaps, and then the command that they lie in; returns its time without
 * them. */
static uint64_t check_gaps(plait_run *run)
{
	plait_record records[RECORDS];
	uint64_t count = 0, suspended = 0;
	const plait_record *whole;

	records[0].size = sizeof(records[0]);
	OK(plait_run_records(run, records, RECORDS, &count, NULL, NULL) ==
	   PLAIT_OK);
	if (!OK_THAT(count >= 3 && count <= RECORDS, "%llu records",
		     (unsigned long long)count))
		return 0;
	whole = &records[count - 1];
	IS_INT(whole->kind, PLAIT_RECORD_COMMAND);
	for (uint64_t i = 0; i + 1 < count; i++) {
		IS_INT(records[i].kind, PLAIT_RECORD_WAIT);
		IS_UINT(records[i].command, whole->command);
		IS_UINT(records[i].other, UINT64_MAX);
		OK(records[i].start_ns >= whole->start_ns &&
		   records[i].end_ns <= whole->end_ns);
		suspended += records[i].end_ns - records[i].start_ns;
	}
	OK(suspended <= whole->end_ns - whole->start_ns);
	return whole->end_ns - whole->start_ns - suspended;
}

static void check_records(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = flags | PLAIT_RUN_RECORD };
	const plait_tune_desc tune = { .size = sizeof(tune) };
	plait_tune_info info = { .size = sizeof(info) };
	struct awaiter self = { .begun = 0 };
	plait_plan *plan = plan_of(await_steps, &self), *tuned = NULL;
	plait_run *run = NULL;
	uint64_t busy_ns;

	self.gate = new_gate("steps");
	OK(plait_plan_record(plan, RECORDS, NULL) == PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) == PLAIT_OK);
	raise_steps(&self, run);
	busy_ns = check_gaps(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	/* The cost is without the gaps. */
	IS_INT(plait_plan_tune(plan, &tune, &tuned, &info, &rig.error),
	       PLAIT_OK);
	IS_UINT(info.after_ns, busy_ns);
	plait_run_release(run);
	plait_plan_release(tuned);
	plait_plan_release(plan);
	plait_signal_release(self.gate);
}

static void record_gaps(void)
{
	on_the_host(check_records);
}

/* ---- the end of the context ---- */

static int32_t outlive(void *user_data)
{
	struct awaiter *self = user_data;

	self->first = plait_await_signal(self->gate, 1, self->timeout_ns, NULL);
	self->second = plait_yield(NULL);
	__atomic_store_n(&self->ended, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* No handle is left while the function awaits: a gate that no thread can raise
 * any more, or an emission without a source. */
static void close_around(bool gate, uint64_t timeout_ns)
{
	struct awaiter self = { .first = -99, .second = -99,
				.timeout_ns = timeout_ns };
	plait_run *run = NULL;
	plait_plan *plan;
	uint64_t since = 0;

	self.gate = gate ? rig.gate : rig.signal;
	plan = plan_of(outlive, &self);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, SHORT_NS, NULL), PLAIT_E_TIMEOUT);
	plait_run_release(run);
	plait_plan_release(plan);
	close_rig(&rig);
	while (!__atomic_load_n(&self.ended, __ATOMIC_SEQ_CST) &&
	       !tap_late(&since))
		pause_a_little();
	OK(__atomic_load_n(&self.ended, __ATOMIC_SEQ_CST));
	OK_THAT(self.first != PLAIT_OK && self.first != PLAIT_E_TIMEOUT,
		"the await returned %d", (int)self.first);
}

static void ends_of_contexts(void)
{
	for (int i = 0; i < 8; i++)
		if (open_host(i % 4 < 2 ? 2 : 0))
			close_around(i % 2 == 0,
				     i < 4 ? PLAIT_FOREVER : AN_HOUR);
}

/* ---- a lost device ---- */

static int32_t await_device(void *user_data)
{
	struct awaiter *self = user_data;

	self->first = plait_await_plan(self->plan, self->queue, NULL, AN_HOUR,
				       NULL);
	__atomic_store_n(&self->ended, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* A plan that fills a buffer of the simulated device. */
static plait_plan *plan_of_fill(plait_device *device, plait_buffer *buffer)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	OK(plait_graph_fill(graph, buffer, 0, 64, 7, 4, 0, NULL,
			    &rig.error) == PLAIT_OK);
	(void)device;
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

/* The K-th call of the simulated device, and all after it, report a loss.  The
 * coroutine's own plan makes no call of a backend. */
static plait_status lose_at(uint32_t k)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };
	char options[80];
	struct awaiter self = { .first = -99 };
	plait_buffer *buffer = NULL;
	plait_device *device = NULL;
	plait_plan *plan;

	(void)snprintf(options, sizeof(options),
		       "fault:lost=%u,slot=queue_submit+signal_poll+"
		       "signal_notify+queue_flush", k);
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host,chaos", .workers = 2,
		.wrap = "fault", .options = options,
	};
	rig = (struct rig){ .error = { .size = sizeof(plait_error) } };
	if (!OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		     PLAIT_OK, "%s", rig.error.text))
		return PLAIT_OK;
	OK(plait_context_find_device(rig.context, "chaos:0", &device, NULL) ==
	   PLAIT_OK);
	OK(plait_queue_create(device, NULL, &self.queue, NULL) == PLAIT_OK);
	OK(plait_buffer_create(device, &bytes, &buffer, NULL) == PLAIT_OK);
	self.plan = plan_of_fill(device, buffer);
	plan = plan_of(await_device, &self);
	IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error), PLAIT_OK);
	OK(self.ended);
	(void)plait_queue_finish(self.queue, SHORT_NS, NULL);
	plait_plan_release(plan);
	plait_plan_release(self.plan);
	plait_buffer_release(buffer);
	plait_queue_release(self.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	return self.first;
}

static void losses(void)
{
	uint32_t lost = 0;
	plait_status status = PLAIT_E_LOST;

	for (uint32_t k = 1; k < 100 && status != PLAIT_OK; k++) {
		status = lose_at(k);
		lost += status == PLAIT_E_LOST;
	}
	/* A device that is never lost. */
	IS_INT(status, PLAIT_OK);
	OK_THAT(lost > 0, "an await ended with a loss");
}

/* ---- a fork inside of a coroutine ---- */

static int32_t fork_inside(void *user_data)
{
	struct awaiter *self = user_data;
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit((plait_yield(NULL) != PLAIT_E_FORKED) +
		      (plait_await_signal(self->gate, 1, 0, NULL) !=
		       PLAIT_E_FORKED) +
		      (plait_await_plan(self->plan, self->queue, NULL, 0,
					NULL) != PLAIT_E_FORKED));
	if (child > 0 && waitpid(child, &status, 0) == child)
		self->first = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
	self->second = plait_yield(NULL);
	return 0;
}

static void forks(void)
{
	for (uint32_t workers = 0; workers < 3; workers += 2) {
		struct awaiter self = { .first = -99, .second = -99 };
		plait_plan *plan;

		if (!open_host(workers))
			return;
		begin_awaited(&self, PLAN);
		plan = plan_of(fork_inside, &self);
		IS_INT(run_with(plan, 0), PLAIT_OK);
		IS_INT(self.first, 0);
		/* The parent goes on. */
		IS_INT(self.second, PLAIT_OK);
		plait_plan_release(plan);
		end_awaited(&self);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "deadlines", deadlines },
	{ "names", names },
	{ "records", record_gaps },
	{ "ends of contexts", ends_of_contexts },
	{ "losses", losses },
	{ "forks", forks },
};
TAP_MAIN(all)
