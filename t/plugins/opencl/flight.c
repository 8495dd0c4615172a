/* SPDX-License-Identifier: MIT */
/*
 * Emissions behind each command of one submission, on a stand-in: few events have a
 * callback, yet each emission has the result of its own command, and arrives while a
 * later command runs.
 */
#include <stdatomic.h>
#include <time.h>

#include "plugins/things.h"

enum { STEPS = 8, LIMIT_S = 10 };

static plait_error error;
static atomic_bool started, released;

static void open_it(struct things *things, const struct fakecl_setup *setup)
{
	error = (plait_error){ .size = sizeof(error) };
	standin()->reset(setup);
	IS_INT(open_things(things, &error), PLAIT_OK);
	IS_INT(create(things, &error), PLAIT_OK);
}

static void close_it(struct things *things)
{
	release(things);
	plait_context_release(things->context);
	OK(all_gone());
	standin_is_clean();
}

static plait_command emit(struct things *things)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_EMIT,
				.signal = things->signal };
}

static plait_command fill(struct things *things)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_FILL,
				.target = things->x, .bytes = BYTES,
				.pattern = 7, .pattern_bytes = 4 };
}

/* Fills, and an emission behind each. */
static void submit_fills(struct things *things)
{
	plait_command commands[2 * STEPS];

	for (int i = 0; i < STEPS; i++) {
		commands[2 * i] = fill(things);
		commands[2 * i + 1] = emit(things);
	}
	IS_INT(plait_queue_submit(things->a, commands, TAP_COUNT(commands),
				  NULL, &error), PLAIT_OK);
}

static void few_callbacks(void)
{
	struct fakecl_setup setup = { .devices = 1,
				      .fail = "clSetEventCallback" };

	for (setup.mode = 0; setup.mode < FAKECL_MODES; setup.mode++) {
		struct things things = { .context = NULL };
		uint64_t count;

		open_it(&things, &setup);
		count = standin_report().calls;
		submit_fills(&things);
		IS_INT(plait_signal_wait(things.signal, STEPS, PLAIT_FOREVER,
					 &error), PLAIT_OK);
		count = standin_report().calls - count;
		OK_THAT(count <= 2, "mode %u: %u callbacks",
			setup.mode, (unsigned)count);
		close_it(&things);
	}
}

/* The first command that fails, from 1. */
static void try_failure(const struct fakecl_setup *setup)
{
	struct things things = { .context = NULL };

	open_it(&things, setup);
	submit_fills(&things);
	for (uint64_t i = 1; i <= STEPS; i++) {
		const plait_status status = plait_signal_wait(
			things.signal, i, PLAIT_FOREVER, &error);

		OK_THAT((status == PLAIT_OK) == (i < setup->fail_command),
			"command %u fails, emission %u: %d, %s",
			(unsigned)setup->fail_command, (unsigned)i, status,
			status == PLAIT_OK ? "" : error.text);
		if (i == setup->fail_command)
			HAS_STR(error.text, "CL_OUT_OF_RESOURCES");
	}
	close_it(&things);
}

static void failures(void)
{
	struct fakecl_setup setup = { .devices = 1,
				      .code = CL_OUT_OF_RESOURCES };

	for (uint32_t i = 0; i < 4 * FAKECL_MODES; i++) {
		setup.mode = i / 4;
		setup.late = i % 2 != 0;
		setup.goes_on = i / 2 % 2 != 0;
		for (setup.fail_command = 1; setup.fail_command <= STEPS;
		     setup.fail_command++)
			try_failure(&setup);
	}
}

/* ---- failures of a command without a callback ---- */

/* A fill, whose emission is awaited, and one behind a gate that has failed. */
static void submit_behind_failure(struct things *things, plait_signal *gate)
{
	const plait_command commands[] = {
		fill(things), emit(things),
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_WAIT,
		  .signal = gate, .sequence = 1 },
		emit(things),
	};

	IS_INT(plait_signal_fail(gate, 77, "the bridge is out", &error),
	       PLAIT_OK);
	IS_INT(plait_queue_submit(things->a, commands, TAP_COUNT(commands),
				  NULL, &error), PLAIT_OK);
}

/* The driver refuses the callback of a command that fails, or ends well; the queue
 * has failed behind it. */
static void refused_callback(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	struct fakecl_setup setup = { .devices = 1, .fail_call = 1,
				      .fail = "clSetEventCallback",
				      .code = CL_OUT_OF_RESOURCES };

	for (uint32_t i = 0; i < 2 * FAKECL_MODES; i++) {
		struct things things = { .context = NULL };
		plait_signal *gate;
		plait_status status;

		setup.mode = i / 2;
		setup.fail_command = i % 2;
		open_it(&things, &setup);
		IS_INT(plait_signal_create(things.devices[0], &desc, &gate,
					   &error), PLAIT_OK);
		submit_behind_failure(&things, gate);
		OK(plait_signal_wait(things.signal, 2, PLAIT_FOREVER,
				     &error) < 0);
		status = plait_signal_wait(things.signal, 1, PLAIT_FOREVER,
					   &error);
		OK_THAT((status == PLAIT_OK) == (setup.fail_command == 0),
			"mode %u, command %u fails: %d %s", setup.mode,
			(unsigned)setup.fail_command, status, status < 0 ?
			error.text : "");
		plait_signal_release(gate);
		close_it(&things);
	}
}

/* The driver does not tell how commands ended. */
static void no_status(void)
{
	const struct fakecl_setup setup = { .devices = 1, .fail_call = 1,
					    .fail = "clGetEventInfo",
					    .fail_rest = true,
					    .mode = FAKECL_THREADS,
					    .code = CL_OUT_OF_RESOURCES };
	struct things things = { .context = NULL };

	open_it(&things, &setup);
	submit_fills(&things);
	IS_INT(plait_signal_wait(things.signal, STEPS, LIMIT_S *
				 UINT64_C(1000000000), &error),
	       PLAIT_E_NOMEM);
	close_it(&things);
}

/* ---- progress while a later command runs ---- */

/* Ends when the test says so, or, if that waits for it by mistake, later. */
static int32_t until_released(void *const *arguments,
			      const plait_launch *launch, void *data)
{
	const time_t end = time(NULL) + LIMIT_S;

	(void)arguments, (void)launch, (void)data;
	atomic_store(&started, true);
	while (!atomic_load(&released) && time(NULL) < end)
		sched_yield();
	return 0;
}

/* Commands, at most 5, then a launch that lasts, and its emission. */
static void submit_before_launch(struct things *things,
				 const plait_command *before, uint32_t count)
{
	static const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(things->x), buffer_argument(things->x),
		value_argument(&one), value_argument(&one),
	};
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	plait_command commands[7];

	memcpy(commands, before, count * sizeof(*before));
	commands[count] = (plait_command){
		.size = sizeof(*commands), .kind = PLAIT_COMMAND_LAUNCH,
		.kernel = things->map, .launch = &launch,
		.arguments = arguments, .argument_count = 4
	};
	commands[count + 1] = emit(things);
	atomic_store(&started, false);
	atomic_store(&released, false);
	IS_INT(plait_queue_submit(things->a, commands, count + 2, NULL,
				  &error), PLAIT_OK);
}

/* Two fills, each with its emission, and a launch that lasts. */
static void submit_lasting(struct things *things)
{
	const plait_command commands[] = { fill(things), emit(things),
					   fill(things), emit(things) };

	submit_before_launch(things, commands, TAP_COUNT(commands));
}

static void end_lasting(struct things *things)
{
	OK(!atomic_load(&released));
	IS_INT(plait_signal_wait(things->signal, 3, 0, &error),
	       PLAIT_E_TIMEOUT);
	atomic_store(&released, true);
	IS_INT(plait_signal_wait(things->signal, 3, PLAIT_FOREVER, &error),
	       PLAIT_OK);
}

/* Both are told in time, the later one first. */
static void waits(uint64_t limit_ns)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREADS };
	struct things things = { .context = NULL };

	open_it(&things, &setup);
	submit_lasting(&things);
	IS_INT(plait_signal_wait(things.signal, 2, limit_ns, &error),
	       PLAIT_OK);
	IS_INT(plait_signal_wait(things.signal, 1, limit_ns, &error),
	       PLAIT_OK);
	end_lasting(&things);
	close_it(&things);
}

/* The fills have ended, and the driver's only thread runs the launch, so that a
 * callback would come behind it. */
static void waits_for_ended(uint64_t limit_ns)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREAD };
	struct things things = { .context = NULL };

	open_it(&things, &setup);
	submit_lasting(&things);
	while (!atomic_load(&started))
		sched_yield();
	IS_INT(plait_signal_wait(things.signal, 2, limit_ns, &error),
	       PLAIT_OK);
	end_lasting(&things);
	close_it(&things);
}

/* An emission without a command of its own ends with the command before it. */
static void waits_without_command(uint64_t limit_ns)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREADS };
	struct things things = { .context = NULL };

	open_it(&things, &setup);
	submit_before_launch(&things, (plait_command[]){
		fill(&things), emit(&things), emit(&things) }, 3);
	IS_INT(plait_signal_wait(things.signal, 2, limit_ns, &error),
	       PLAIT_OK);
	end_lasting(&things);
	close_it(&things);
}

/* More points than the backend keeps. */
static void waits_for_many(uint64_t limit_ns)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREADS };
	struct things things = { .context = NULL };
	plait_point points[12];

	open_it(&things, &setup);
	submit_lasting(&things);
	for (int i = 0; i < 12; i++)
		points[i] = (plait_point){ things.signal, 1 + i / 11 };
	IS_INT(plait_signal_wait_points(points, 12, PLAIT_WAIT_ALL,
					limit_ns, NULL, &error),
	       PLAIT_OK);
	end_lasting(&things);
	close_it(&things);
}

/* The notification is requested before the driver has the commands. */
static void notified(void)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREADS };
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	struct things things = { .context = NULL };
	plait_signal *gate;
	plait_inbox *inbox;
	plait_event event = { .size = sizeof(event) };

	open_it(&things, &setup);
	IS_INT(plait_inbox_create(things.context, &inbox, &error), PLAIT_OK);
	IS_INT(plait_signal_create(things.devices[0], &desc, &gate, &error),
	       PLAIT_OK);
	submit_before_launch(&things, (plait_command[]){
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_WAIT,
		  .signal = gate, .sequence = 1 },
		fill(&things), emit(&things), fill(&things), emit(&things) },
		5);
	IS_INT(plait_signal_notify(things.signal, 1, inbox, NULL, NULL,
				   &error), PLAIT_OK);
	IS_INT(plait_signal_raise(gate, 1, &error), PLAIT_OK);
	IS_INT(plait_inbox_wait(inbox, LIMIT_S / 2 * UINT64_C(1000000000),
				&error), PLAIT_OK);
	IS_INT(plait_inbox_next(inbox, &event, &error), PLAIT_OK);
	end_lasting(&things);
	plait_signal_release(gate);
	plait_inbox_release(inbox);
	close_it(&things);
}

/* Queries alone tell of both: no thread sleeps. */
static void queries(void)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREAD };
	struct things things = { .context = NULL };
	const time_t end = time(NULL) + LIMIT_S / 2;
	uint64_t reached;

	open_it(&things, &setup);
	submit_lasting(&things);
	do {
		(void)plait_signal_query(things.signal, &reached, NULL, &error);
		sched_yield();
	} while (reached < 2 && time(NULL) < end);
	IS_INT(reached, 2);
	end_lasting(&things);
	close_it(&things);
}

/* A queue that waits in the driver for a command without a callback ends, too. */
static void other_queue(uint64_t limit_ns)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .mode = FAKECL_THREADS };
	struct things things = { .context = NULL };

	open_it(&things, &setup);
	submit_lasting(&things);
	IS_INT(plait_queue_wait(things.b, things.signal, 1, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_fill(things.b, things.y, 0, BYTES, 7, 4, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(things.b, limit_ns, &error), PLAIT_OK);
	end_lasting(&things);
	close_it(&things);
}

static void each(void (*wait)(uint64_t limit_ns))
{
	wait(PLAIT_FOREVER);
	wait(LIMIT_S / 2 * UINT64_C(1000000000));
}

/* Threads wait in the driver; with a limit of time a callback has to wake them. */
static void waiters(void)
{
	each(waits);
	each(waits_for_ended);
	each(waits_without_command);
	each(waits_for_many);
	notified();
	each(other_queue);
}

int main(int argc, char **argv)
{
	static const struct tap_scenario all[] = {
		{ "few callbacks", few_callbacks },
		{ "failures", failures },
		{ "refused callback", refused_callback },
		{ "no status", no_status },
		{ "waiters", waiters },
		{ "queries", queries },
	};

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	standin()->teach("map", NULL, until_released);
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
