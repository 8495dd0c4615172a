/* SPDX-License-Identifier: MIT */
/*
 * Random programs of queues, signals and the host against an oracle, which has
 * the closure of all orders between all commands: the race check reports no
 * pair that is ordered, and a race of each command that has one.
 */
#include "lib/objects.h"

enum { QUEUES = 3, SIGNALS = 2, STEPS = 120, PROGRAMS = 60, BYTES = 32 };

/* A command, or an event on the host. */
struct step {
	uint32_t first, end;	/* bytes; none: first == end */
	bool writes;
	bool is_opaque;		/* may follow anything */
	bool tells;		/* a host function: the host may learn of it */
	bool reported;
	char label[8];
	uint64_t words[2];	/* read into */
	bool before[STEPS];	/* certainly */
	bool opaque[STEPS];	/* by a path on which the host has not seen the
				 * end of that opaque step */
};

static struct {
	plait_context *context;
	plait_device *device;
	plait_queue *queues[QUEUES];
	plait_signal *signals[SIGNALS];
	plait_signal *gate;
	plait_buffer *buffer;
	plait_error error;
	struct step steps[STEPS];
	uint32_t count;
	/* The newest step that each one is behind; STEPS: none. */
	uint32_t last_of[QUEUES];
	uint32_t emission[SIGNALS][STEPS];
	uint64_t emitted[SIGNALS];
	bool host[STEPS];	/* the host has seen it */
	uint32_t raises[STEPS];	/* of the gate, by sequence: a step */
	uint64_t raised, awaited;
	uint32_t reported[2 * STEPS][2];
	uint32_t report_count;
	uint32_t false_reports;
	uint64_t random;
	bool with_host;		/* host functions and gates, too */
} bed;

#define DO(call) OK_THAT((call) == PLAIT_OK, "%s: %s", #call, bed.error.text)

static uint32_t draw(uint32_t below)
{
	bed.random = bed.random * UINT64_C(6364136223846793005) + 1442695;
	return (uint32_t)(bed.random >> 33) % below;
}

/* ---- the oracle ---- */

static void follow(uint32_t step, uint32_t other)
{
	if (other == STEPS)
		return;
	bed.steps[step].before[other] = true;
	for (uint32_t i = 0; i < other; i++)
		bed.steps[step].before[i] |= bed.steps[other].before[i];
}

static void follow_in_queue(uint32_t step, uint32_t other)
{
	follow(step, other);
	if (other == STEPS)
		return;
	bed.steps[step].opaque[other] = bed.steps[other].is_opaque;
	for (uint32_t i = 0; i < other; i++)
		bed.steps[step].opaque[i] |= bed.steps[other].opaque[i];
}

/* A step of a queue, which follows what the host has seen. */
static uint32_t add_step(uint32_t queue)
{
	uint32_t step = bed.count++;

	follow_in_queue(step, bed.last_of[queue]);
	for (uint32_t i = 0; i < step; i++)
		if (bed.host[i])
			follow(step, i);
	bed.last_of[queue] = step;
	return step;
}

static void host_sees(uint32_t step)
{
	if (step == STEPS)
		return;
	bed.host[step] = true;
	for (uint32_t i = 0; i < step; i++)
		bed.host[i] |= bed.steps[step].before[i];
}

static bool conflict(const struct step *one, const struct step *other)
{
	return (one->writes || other->writes) && one->first < other->end &&
	       other->first < one->end;
}

static bool is_ordered(uint32_t one, uint32_t other)
{
	return one < other ? bed.steps[other].before[one] :
			     bed.steps[one].before[other];
}

/* Returns true if `from` may be before `to`, because the host, which learns of
 * `from`, then ends a host function or raises a gate in front of `to`. */
static bool may_be_before(uint32_t from, uint32_t to)
{
	for (uint32_t y = 0; y < bed.count; y++)
		if (bed.steps[to].opaque[y] && y != from &&
		    !bed.steps[from].before[y])
			return true;
	return false;
}

/* The host may know all that is behind a host function. */
static bool may_be_told(uint32_t from, uint32_t to)
{
	for (uint32_t x = 0; x < to; x++)
		if (bed.steps[x].tells &&
		    (x == from || bed.steps[x].before[from]))
			return true;
	return false;
}

static bool is_race(uint32_t one, uint32_t other)
{
	return conflict(&bed.steps[one], &bed.steps[other]) &&
	       !is_ordered(one, other);
}

/* A race that no host function can prevent, in any execution. */
static bool is_certain(uint32_t older, uint32_t newer)
{
	return is_race(older, newer) && !may_be_before(older, newer) &&
	       !may_be_before(newer, older) && !may_be_told(older, newer);
}

/* ---- reports ---- */

static void hear(void *user_data, int32_t level, const char *text)
{
	const char *one = strstr(text, "\"s"), *other;
	unsigned long older, newer;

	(void)user_data;
	(void)level;
	if (strstr(text, "race: ") == NULL || one == NULL)
		return;
	older = strtoul(one + 2, NULL, 10);
	other = strstr(one + 2, "\"s");
	newer = other != NULL ? strtoul(other + 2, NULL, 10) : STEPS;
	if (newer >= STEPS)
		return;
	bed.steps[newer].reported = true;
	if (bed.report_count == 2 * STEPS)
		return;
	bed.reported[bed.report_count][0] = (uint32_t)older;
	bed.reported[bed.report_count++][1] = (uint32_t)newer;
}

/* ---- steps ---- */

static void submit(uint32_t queue, plait_command command)
{
	command.size = sizeof(command);
	DO(plait_queue_submit(bed.queues[queue], &command, 1, NULL,
			      &bed.error));
}

static void access_bytes(uint32_t queue)
{
	uint32_t number = add_step(queue);
	struct step *step = &bed.steps[number];
	plait_command command = { .label = step->label };

	(void)snprintf(step->label, sizeof(step->label), "s%u", number);
	step->first = draw(BYTES - 8);
	step->end = step->first + 1 + draw(8);
	step->writes = draw(2) == 0;
	command.bytes = step->end - step->first;
	if (step->writes) {
		command.kind = PLAIT_COMMAND_FILL;
		command.target = bed.buffer;
		command.target_offset = step->first;
		command.pattern_bytes = 1;
	} else {
		command.kind = PLAIT_COMMAND_READ;
		command.source = bed.buffer;
		command.source_offset = step->first;
		command.host = step->words;
	}
	submit(queue, command);
}

static void emit(uint32_t queue, uint32_t signal)
{
	uint32_t step = add_step(queue);

	if (bed.emitted[signal] > 0)
		follow_in_queue(step, bed.emission[signal][
					      bed.emitted[signal]]);
	bed.emission[signal][++bed.emitted[signal]] = step;
	submit(queue, (plait_command){ .kind = PLAIT_COMMAND_EMIT,
				       .signal = bed.signals[signal] });
}

/* One of the newest emissions; 0: there is none. */
static uint64_t draw_emission(uint32_t signal)
{
	uint64_t newest = bed.emitted[signal];

	return newest == 0 ? 0 :
	       newest - draw(newest < 5 ? (uint32_t)newest : 5);
}

static void wait_on_queue(uint32_t queue, uint32_t signal)
{
	uint64_t sequence = draw_emission(signal);

	if (sequence == 0)
		return;
	follow_in_queue(add_step(queue), bed.emission[signal][sequence]);
	submit(queue, (plait_command){ .kind = PLAIT_COMMAND_WAIT,
				       .signal = bed.signals[signal],
				       .sequence = sequence });
}

static void raise_all(void)
{
	if (bed.awaited == bed.raised)
		return;
	bed.raised = bed.awaited;
	DO(plait_signal_raise(bed.gate, bed.raised, &bed.error));
	host_sees(bed.raises[bed.raised]);
}

static void wait_on_host(uint32_t signal)
{
	uint64_t sequence = draw_emission(signal);

	if (sequence == 0)
		return;
	raise_all();
	DO(plait_signal_wait(bed.signals[signal], sequence, PLAIT_FOREVER,
			     &bed.error));
	host_sees(bed.emission[signal][sequence]);
}

static void finish(uint32_t queue)
{
	raise_all();
	DO(plait_queue_finish(bed.queues[queue], PLAIT_FOREVER, &bed.error));
	host_sees(bed.last_of[queue]);
}

static void call(uint32_t queue)
{
	uint32_t step = add_step(queue);

	bed.steps[step].is_opaque = true;
	bed.steps[step].tells = true;
	submit(queue, (plait_command){ .kind = PLAIT_COMMAND_CALL,
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .function = return_it });
}

/* The raise is a step of its own, in front of the wait. */
static void wait_for_gate(uint32_t queue)
{
	if (bed.awaited == bed.raised || draw(2) == 0) {
		uint32_t raise = bed.count++;

		bed.steps[raise].is_opaque = true;
		if (bed.awaited > 0)
			follow(raise, bed.raises[bed.awaited]);
		bed.raises[++bed.awaited] = raise;
	}
	follow_in_queue(add_step(queue), bed.raises[bed.awaited]);
	submit(queue, (plait_command){ .kind = PLAIT_COMMAND_WAIT,
				       .signal = bed.gate,
				       .sequence = bed.awaited });
}

static void take_step(void)
{
	uint32_t queue = draw(QUEUES), signal = draw(SIGNALS);

	switch (draw(bed.with_host ? 13 : 11)) {
	case 0: case 1: emit(queue, signal); break;
	case 2: case 3: wait_on_queue(queue, signal); break;
	case 4: wait_on_host(signal); break;
	case 5:
		if (draw(4) == 0)
			finish(queue);
		break;
	case 11: call(queue); break;
	case 12: wait_for_gate(queue); break;
	default: access_bytes(queue); break;
	}
}

/* ---- programs ---- */

static bool has_race(uint32_t newer)
{
	for (uint32_t i = 0; i < newer; i++)
		if (is_race(i, newer))
			return true;
	return false;
}

static void compare(void)
{
	uint32_t missed = 0;

	for (uint32_t i = 0; i < bed.report_count; i++)
		if (!is_certain(bed.reported[i][0], bed.reported[i][1])) {
			NOTE("no race: s%u and s%u", bed.reported[i][0],
			     bed.reported[i][1]);
			bed.false_reports++;
		}
	IS_UINT(bed.false_reports, 0);
	if (bed.with_host)
		return;
	/* Behind the last line nothing is logged. */
	for (uint32_t i = 0; i < bed.count && bed.report_count < 32; i++)
		if (has_race(i) && !bed.steps[i].reported) {
			NOTE("s%u has a race that is not reported", i);
			missed++;
		}
	IS_UINT(missed, 0);
}

static void one_program(uint64_t seed, bool with_host)
{
	const plait_context_desc context = {
		.size = sizeof(context), .backends = "host", .wrap = "check",
		.flags = PLAIT_CONTEXT_NO_WORKERS, .log = hear,
		.log_level = PLAIT_LOG_ERROR };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	const plait_buffer_desc buffer = { .size = sizeof(buffer),
					   .bytes = BYTES };

	memset(&bed, 0, sizeof(bed));
	bed.error.size = sizeof(bed.error);
	bed.random = seed;
	bed.with_host = with_host;
	DO(plait_context_open(&context, &bed.context, &bed.error));
	DO(plait_context_device(bed.context, 0, &bed.device, &bed.error));
	for (int i = 0; i < QUEUES; i++) {
		bed.last_of[i] = STEPS;
		DO(plait_queue_create(bed.device, NULL, &bed.queues[i],
				      &bed.error));
	}
	for (int i = 0; i < SIGNALS; i++)
		DO(plait_signal_create(bed.device, NULL, &bed.signals[i],
				       &bed.error));
	DO(plait_signal_create(bed.device, &gate, &bed.gate, &bed.error));
	DO(plait_buffer_create(bed.device, &buffer, &bed.buffer, &bed.error));
	while (bed.count < STEPS - 2)
		take_step();
	for (uint32_t i = 0; i < QUEUES; i++)
		finish(i);
	plait_buffer_release(bed.buffer);
	plait_signal_release(bed.gate);
	for (int i = 0; i < SIGNALS; i++)
		plait_signal_release(bed.signals[i]);
	for (int i = 0; i < QUEUES; i++)
		plait_queue_release(bed.queues[i]);
	plait_context_release(bed.context);
	compare();
}

static void run_programs(bool with_host)
{
	uint64_t seed = tap_seed();

	for (uint64_t i = 0; i < PROGRAMS; i++) {
		unsigned failed = tap_failed();

		one_program(seed + i, with_host);
		if (tap_failed() != failed)
			NOTE("seed=%llu", (unsigned long long)(seed + i));
	}
}

static void exact(void)
{
	run_programs(false);
}

static void with_host_functions(void)
{
	run_programs(true);
}

static const struct tap_scenario all[] = {
	{ "queues, signals and waits", exact },
	{ "host functions and gates, too", with_host_functions },
};

TAP_MAIN(all)
