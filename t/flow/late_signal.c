/* SPDX-License-Identifier: MIT */
/* Wait tasks, for emissions of tasks before them. */
#include "flows.h"

static plait_task signal_task(plait_task_kind kind, uint64_t sequence,
			      const plait_access *access)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = kind, .label = "signal",
		.signal = flow_rig.signal, .sequence = sequence,
		.accesses = access, .access_count = access != NULL,
	};
	plait_task task = 0;

	OK_THAT(plait_flow_submit(flow, &desc, &task, &flow_rig.error) ==
		PLAIT_OK, "%s", flow_rig.error.text);
	return task;
}

static uint64_t reached_sequence(void)
{
	uint64_t reached = 0;

	(void)plait_signal_query(flow_rig.signal, &reached, NULL, NULL);
	return reached;
}

static int32_t note_reached(void *user_data)
{
	*(uint64_t *)user_data = reached_sequence();
	return 0;
}

/* Tasks behind the access do not begin before the gate has the sequence. */
static void hold_tasks(const plait_access *access, uint64_t sequence)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_WAIT,
		.signal = flow_rig.gate, .sequence = sequence,
		.accesses = access, .access_count = 1,
	};

	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error), PLAIT_OK);
}

/* A wait task comes behind the tasks before it that emit, and those come one after
 * another. */
static void awaited_emissions(void)
{
	/* Of the second emission, and of the newest. */
	const uint64_t waited[] = { 2, 0 };

	for (size_t s = 0; s < TAP_COUNT(waited) * FLOW_SETTINGS; s++) {
		plait_access held, after;
		plait_data *data[2];
		uint64_t seen = 0;

		if (!open_flow(&flow_settings[s % FLOW_SETTINGS], 64))
			continue;
		for (int i = 0; i < 2; i++)
			data[i] = new_data(0, 0, 0, 0, 0, "order");
		held = access_of(data[0], PLAIT_ACCESS_READ_WRITE, NULL);
		after = access_of(data[1], PLAIT_ACCESS_READ_WRITE, NULL);
		hold_tasks(&held, 5);
		signal_task(PLAIT_TASK_EMIT, 0, &held);
		signal_task(PLAIT_TASK_EMIT, 0, NULL);
		signal_task(PLAIT_TASK_WAIT, waited[s / FLOW_SETTINGS], &after);
		call_task("note", note_reached, &seen, &after, 1);
		IS_INT(wait_task(call_task("free", return_it, NULL, NULL, 0)),
		       PLAIT_OK);
		IS_INT(plait_flow_wait(flow, 0, 0, NULL), PLAIT_E_TIMEOUT);
		IS_UINT(reached_sequence(), 0);
		OK(plait_signal_raise(flow_rig.gate, 5, NULL) == PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(seen, 2);
		/* Without tasks that emit it is the newest of the signal's. */
		IS_INT(wait_task(signal_task(PLAIT_TASK_WAIT, 2, NULL)),
		       PLAIT_OK);
		IS_INT(wait_task(signal_task(PLAIT_TASK_WAIT, 0, NULL)),
		       PLAIT_OK);
		for (int i = 0; i < 2; i++)
			plait_data_release(data[i]);
		close_flow();
	}
}

static int32_t fail_with_five(void *user_data)
{
	(void)user_data;
	return 5;
}

/* A wait for an emission that does not come has the failure of its task. */
static void lost_emissions(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task explicit_wait, newest_wait, beyond;
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = new_data(0, 0, 0, 0, 0, "order");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		hold_tasks(&access, 5);
		call_task("bad", fail_with_five, NULL, &access, 1);
		signal_task(PLAIT_TASK_EMIT, 0, &access);
		explicit_wait = signal_task(PLAIT_TASK_WAIT, 1, NULL);
		newest_wait = signal_task(PLAIT_TASK_WAIT, 0, NULL);
		OK(plait_signal_raise(flow_rig.gate, 5, NULL) == PLAIT_OK);
		IS_INT(wait_task(explicit_wait), PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "\"bad\"");
		IS_INT(flow_rig.error.origin, 5);
		IS_INT(wait_task(newest_wait), PLAIT_E_FAILED);
		/* Another emission does not need the lost one. */
		access.mode = PLAIT_ACCESS_WRITE;
		hold_tasks(&access, 6);
		access.mode = PLAIT_ACCESS_READ;
		signal_task(PLAIT_TASK_EMIT, 0, &access);
		beyond = signal_task(PLAIT_TASK_WAIT, 2, NULL);
		OK(plait_signal_raise(flow_rig.gate, 6, NULL) == PLAIT_OK);
		IS_INT(wait_task(beyond), PLAIT_E_INVALID);
		HAS_STR(flow_rig.error.text, "no task before it submitted "
			"sequence 2");
		HAS_STR(flow_rig.error.text, "the newest is 1");
		(void)wait_task(0);
		plait_data_release(data);
		close_flow();
	}
}

/* Without a task that could emit it, a sequence is refused at once. */
static void refused_emissions(void)
{
	const plait_task_desc wait = {
		.size = sizeof(wait), .kind = PLAIT_TASK_WAIT, .sequence = 1,
	};
	plait_task_desc desc = wait;

	if (!open_flow(&flow_settings[0], 64))
		return;
	desc.signal = flow_rig.signal;
	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "was not submitted; the newest is 0");
	IS_INT(plait_signal_wait(flow_rig.signal, 1, 0, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "when it begins");
	desc.sequence = UINT64_MAX;
	signal_task(PLAIT_TASK_EMIT, 0, NULL);
	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	close_flow();
}

/* ---- emissions that are known to be lost ---- */

enum { WINDOW = 16, FAILURES = 10 * WINDOW };

/* An emission is not run, for a task before it. */
static void lose_emission(void)
{
	plait_data *data = new_data(0, 0, 0, 0, 0, "order");
	const plait_access access = access_of(data, PLAIT_ACCESS_READ_WRITE,
					      NULL);

	call_task("bad", fail_with_five, NULL, &access, 1);
	IS_INT(wait_task(signal_task(PLAIT_TASK_EMIT, 0, &access)),
	       PLAIT_E_FAILED);
	plait_data_release(data);
}

/* Waits have the failure of the lost emission. */
static void wait_in_vain(void)
{
	for (uint64_t sequence = 0; sequence < 2; sequence++) {
		IS_INT(wait_task(signal_task(PLAIT_TASK_WAIT, sequence, NULL)),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "\"bad\"");
	}
}

/* Emit another signal, which then is away. */
static void emit_another(void)
{
	plait_signal *const signal = flow_rig.signal;

	OK(plait_signal_create(flow_rig.device, NULL, &flow_rig.signal,
			       NULL) == PLAIT_OK);
	IS_INT(wait_task(signal_task(PLAIT_TASK_EMIT, 0, NULL)), PLAIT_OK);
	IS_INT(wait_task(signal_task(PLAIT_TASK_WAIT, 1, NULL)), PLAIT_OK);
	plait_signal_release(flow_rig.signal);
	flow_rig.signal = signal;
}

/* It does not matter that the task of the lost emission was waited for, nor how many
 * tasks failed since. */
static void known_losses(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_flow(&flow_settings[s], WINDOW))
			continue;
		lose_emission();
		wait_in_vain();
		emit_another();
		for (int i = 0; i < FAILURES; i++)
			IS_INT(wait_task(call_task("more", fail_with_five, NULL,
						   NULL, 0)), PLAIT_E_FAILED);
		wait_in_vain();
		/* The next emission has the sequence. */
		signal_task(PLAIT_TASK_EMIT, 0, NULL);
		for (uint64_t sequence = 0; sequence < 2; sequence++)
			IS_INT(wait_task(signal_task(PLAIT_TASK_WAIT, sequence,
						     NULL)), PLAIT_OK);
		(void)wait_task(0);
		close_flow();
	}
}

/* More tasks than those behind which failures are looked at. */
enum { TASKS = (1 << 16) + 512 };

/* Failures that the flow remembers many tasks later. */
static uint64_t count_remembered(void)
{
	plait_flow_info info = { .size = sizeof(info) };
	int refused = 0;

	for (int i = 0; i < TASKS; i++) {
		const plait_task_desc desc = { .size = sizeof(desc),
					       .kind = PLAIT_TASK_CALL,
					       .function = return_it };

		refused += plait_flow_submit(flow, &desc, NULL, NULL) !=
			   PLAIT_OK;
	}
	IS_INT(refused, 0);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	return info.failed;
}

/* As data that was spoiled: until another task emits the signal, or its release. */
static void forgotten_losses(void)
{
	for (int is_emitted = 0; is_emitted < 2; is_emitted++) {
		if (!open_flow(&flow_settings[0], 256))
			continue;
		lose_emission();
		OK(count_remembered() > 0);
		wait_in_vain();
		if (is_emitted) {
			signal_task(PLAIT_TASK_EMIT, 0, NULL);
		} else {
			plait_signal_release(flow_rig.signal);
			flow_rig.signal = NULL;
		}
		IS_UINT(count_remembered(), 0);
		close_flow();
	}
}

static const struct tap_scenario all[] = {
	{ "awaited emissions", awaited_emissions },
	{ "lost emissions", lost_emissions },
	{ "refused emissions", refused_emissions },
	{ "known losses", known_losses },
	{ "forgotten losses", forgotten_losses },
};

TAP_MAIN(all)
