/* SPDX-License-Identifier: MIT */
/*
 * The interposer fault around the simulated system: each call fails and leaves
 * the state unchanged; devices get lost; notifications come late or twice.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

static int notes;

static void count_note(void *user_data, plait_status status)
{
	(void)user_data;
	(void)status;
	notes++;
}

struct scenario {
	plait_backend_queue *queue;
	plait_backend_signal *done, *gate;
	plait_backend_memory *memory;
};

/* Create all objects; stop at the first failure. */
static plait_status create(struct scenario *s)
{
	const plait_queue_request request = { .size = sizeof(request) };
	const plait_memory_request bytes = { .size = sizeof(bytes),
		.bytes = 64 };
	plait_status status;

	memset(s, 0, sizeof(*s));
	status = bed.table.queue_create(bed.self, 0, &request, &s->queue,
					&bed.error);
	if (status == PLAIT_OK)
		status = bed.table.signal_create(bed.self, 0, 0, &s->done,
						 &bed.error);
	if (status == PLAIT_OK)
		status = bed.table.signal_create(bed.self, 0,
						 PLAIT_BACKEND_SIGNAL_GATE,
						 &s->gate, &bed.error);
	if (status == PLAIT_OK)
		status = bed.table.memory_create(bed.self, 0, &bytes,
						 &s->memory, &bed.error);
	return status;
}

static void destroy(const struct scenario *s)
{
	if (s->queue)
		bed.table.queue_destroy(bed.self, s->queue);
	if (s->done)
		bed.table.signal_destroy(bed.self, s->done);
	if (s->gate)
		bed.table.signal_destroy(bed.self, s->gate);
	if (s->memory)
		bed.table.memory_destroy(bed.self, s->memory);
}

/* Wait for the gate, call, emit, get the notification.  Each step is repeated
 * until it works: a failed attempt must have left the state unchanged. */
static plait_status run(const struct scenario *s, uint64_t sequence)
{
	const plait_backend_point open = { s->gate, sequence };
	const plait_backend_point end = { s->done, sequence };
	static char letter = 'x';
	const plait_work work = bed_call_of(bed_write_letter, &letter);
	plait_status first = PLAIT_OK, status;

#define TRY(call) \
	while ((status = (call)) < 0) { \
		if (!first) \
			first = status; \
		if (status == PLAIT_E_LOST) \
			return status; \
	}
	TRY(bed_submit(s->queue, &open, &work, 1, &end));
	TRY(bed.table.queue_flush(bed.self, s->queue, &bed.error));
	TRY(bed.table.signal_notify(bed.self, &end, count_note, NULL,
				    &bed.error));
	TRY(bed.table.signal_raise(bed.self, &open, NULL, &bed.error));
	TRY(bed_wait_for(s->done, sequence, PLAIT_FOREVER));
	TRY(bed.table.signal_poll(bed.self, &end, NULL, &bed.error));
	while ((status = bed.table.pump(bed.self, &bed.error)) !=
	       PLAIT_PENDING) {
		if (status < 0 && !first)
			first = status;
		if (status == PLAIT_E_LOST)
			return status;
	}
#undef TRY
	return first;
}

static void every_call_can_fail(void)
{
	int k, failed = 0;

	for (k = 1; k < 300; k++) {
		struct scenario s;
		plait_status status;
		char options[32];

		snprintf(options, sizeof(options), "fail=%d seed=4", k);
		notes = 0;
		if (!bed_open_quietly("check,fault,chaos", options)) {
			/* check queries the devices: that is a call too. */
			IS_INT(bed.error.status, PLAIT_E_NOMEM);
			HAS_STR(bed.error.text, "device_query, answers -3");
			bed.table.close(bed.self);
			fakehost_fini(&bed.host);
			continue;
		}
		status = create(&s);
		if (status == PLAIT_OK) {
			status = run(&s, 1);
			IS_STR(bed.letters, "x");
			IS_INT(notes, 1);
		}
		failed += status != PLAIT_OK;
		if (status != PLAIT_OK)
			IS_INT(status, PLAIT_E_NOMEM);
		destroy(&s);
		bed_close();
		if (!strstr(bed.host.log, "answers"))
			break;
	}
	NOTE("%d calls failed, one by one", failed);
	OK(failed > 10 && k < 300);
}

static void one_slot_only(void)
{
	struct scenario s;

	if (!bed_open("fault,chaos", "fail=2 slot=queue_submit status=busy"))
		return;
	IS_INT(create(&s), PLAIT_OK);
	IS_INT(bed_submit(s.queue, NULL, NULL, 0, NULL), PLAIT_OK);
	IS_INT(bed_submit(s.queue, NULL, NULL, 0, NULL), PLAIT_E_BUSY);
	HAS_STR(bed.error.text, "fault: call 2, queue_submit, answers -7");
	IS_INT(bed_submit(s.queue, NULL, NULL, 0,
			  &(plait_backend_point){ s.done, 1 }), PLAIT_OK);
	IS_INT(bed_wait_for(s.done, 1, PLAIT_FOREVER), PLAIT_OK);
	destroy(&s);
	bed_close();
	HAS_STR(bed.host.log, "fault: 3 calls, 1 of them failed");
}

/* All calls of two slots fail from the second one on. */
static void from_then_on(void)
{
	struct scenario s;
	plait_backend_point point;

	if (!bed_open("fault,chaos", "from=2 slot=queue_submit+signal_poll "
		      "status=busy"))
		return;
	IS_INT(create(&s), PLAIT_OK);
	point = (plait_backend_point){ s.done, 1 };
	IS_INT(bed_submit(s.queue, NULL, NULL, 0, &point), PLAIT_OK);
	IS_INT(bed.table.signal_poll(bed.self, &point, NULL, &bed.error),
	       PLAIT_E_BUSY);
	HAS_STR(bed.error.text, "fault: call 2, signal_poll, answers -7");
	for (int i = 0; i < 3; i++)
		IS_INT(bed_submit(s.queue, NULL, NULL, 0, NULL), PLAIT_E_BUSY);
	IS_INT(bed_wait_for(s.done, 1, PLAIT_FOREVER), PLAIT_OK);
	destroy(&s);
	bed_close();
	HAS_STR(bed.host.log, "fault: 5 calls, 4 of them failed");
}

static void by_chance(void)
{
	static char log[sizeof(bed.host.log)];
	struct scenario s;

	for (int round = 0; round < 2; round++) {
		if (!bed_open("fault,chaos", "rate=300 seed=5"))
			return;
		while (create(&s) != PLAIT_OK)
			destroy(&s);
		for (uint64_t i = 1; i <= 5; i++)
			run(&s, i);
		destroy(&s);
		bed_close();
		OK(strstr(bed.host.log, "answers") != NULL);
		IS_STR(bed.letters, "xxxxx");
		if (round == 0)
			snprintf(log, sizeof(log), "%s", bed.host.log);
		else
			OK(strcmp(log, bed.host.log) == 0);
	}
}

/* At any point of the scenario all objects can be destroyed, without a leak. */
static void lose_at_any_call(const char *how)
{
	int k;

	for (k = 1; k < 300; k++) {
		plait_status status;
		char options[32];
		struct scenario s;

		snprintf(options, sizeof(options), "%s=%d", how, k);
		if (!bed_open("fault,chaos", options))
			return;
		status = create(&s);
		for (uint64_t i = 1; i <= 3 && status == PLAIT_OK; i++)
			status = run(&s, i);
		if (status != PLAIT_OK) {
			IS_INT(status, PLAIT_E_LOST);
			IS_INT(bed.table.pump(bed.self, &bed.error),
			       PLAIT_E_LOST);
			OK(bed_queue_on(0, NULL) == NULL);
		}
		destroy(&s);
		bed_close();
		if (status == PLAIT_OK)
			break;
	}
	OK(k > 10 && k < 300);
}

static void a_device_can_be_lost_at_any_call(void)
{
	lose_at_any_call("lost");
	lose_at_any_call("status=lost fail");
}

static void notify_with(const char *options, int want)
{
	struct scenario s;

	notes = 0;
	if (!bed_open("fault,chaos", options))
		return;
	IS_INT(create(&s), PLAIT_OK);
	IS_INT(run(&s, 1), PLAIT_OK);
	IS_INT(notes, want);
	destroy(&s);
	bed_close();
}

static void notifications(void)
{
	struct scenario s;
	plait_backend_point point;

	notify_with("late=1", 1);
	notify_with("twice=1", 2);
	notify_with("never=1", 0);
	notify_with("twice=2", 1);
	/* Late: the wait returns before the notification comes. */
	notes = 0;
	if (!bed_open("fault,chaos", "late=1 quirks=inline_notify"))
		return;
	IS_INT(create(&s), PLAIT_OK);
	point = (plait_backend_point){ s.gate, 0 };
	bed.table.signal_notify(bed.self, &point, count_note, NULL,
				&bed.error);
	IS_INT(notes, 0);
	IS_INT(bed_wait_for(s.gate, 0, PLAIT_FOREVER), PLAIT_OK);
	IS_INT(notes, 0);
	IS_INT(bed.table.pump(bed.self, &bed.error), PLAIT_OK);
	IS_INT(notes, 1);
	destroy(&s);
	bed_close();
}

static void options_that_make_no_sense(void)
{
	static const char *const bad[] = {
		"fail=x", "from=-1", "slot=close", "slot=pump+",
		"slot=+pump", "slot=pump+close", "status=fine", "rate=-1", "lost="
	};

	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		OK(!bed_open_quietly("fault,chaos", bad[i]));
		IS_INT(bed.error.status, PLAIT_E_INVALID);
		HAS_STR(bed.error.text, "fault: option ");
		bed_close();
	}
}

static const struct tap_scenario all[] = {
	{ "sweep", every_call_can_fail },
	{ "slot", one_slot_only },
	{ "from", from_then_on },
	{ "rate", by_chance },
	{ "lost", a_device_can_be_lost_at_any_call },
	{ "notify", notifications },
	{ "options", options_that_make_no_sense },
};
TAP_MAIN(all)
