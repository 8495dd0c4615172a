/* SPDX-License-Identifier: MIT */
/*
 * The model of the interposer check: its cost per command in flight (with 64
 * times as many commands, one takes about as long, in time of this thread, so
 * that other programs do not count), and calls that the backend refuses.
 */
#include "lib/objects.h"

enum { FEW = 1024, MANY = 65536, TRIES = 4, LIMIT = 6 };

static struct rig rig;

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool open_checked(const char *wrap, const char *options)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .wrap = wrap,
		.options = options, .flags = PLAIT_CONTEXT_NO_WORKERS,
	};

	rig.error.size = sizeof(rig.error);
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open: %s", rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK);
}

/* Submit `count` calls behind a gate, then let them run.  Returns the time of
 * one; the thread that waits executes them. */
static double time_call(uint32_t count)
{
	const plait_queue_desc desc = { .size = sizeof(desc),
					.capacity = MANY + 8 };
	const plait_signal_desc gate_desc = { .size = sizeof(gate_desc),
					      .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_queue *queue = NULL;
	bool good = true;
	uint64_t start;
	int ran = 0;

	OK(plait_queue_create(rig.device, &desc, &queue, &rig.error) ==
	   PLAIT_OK);
	OK(plait_signal_create(rig.device, &gate_desc, &gate, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_wait(queue, gate, 1, &rig.error) == PLAIT_OK);
	start = thread_ns();
	for (uint32_t i = 0; i < count; i++)
		good = good && plait_queue_call(queue, add_one, &ran,
						&rig.error) == PLAIT_OK;
	OK_THAT(good, "%s", rig.error.text);
	OK(plait_signal_raise(gate, 1, &rig.error) == PLAIT_OK);
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	start = thread_ns() - start;
	IS_UINT(ran, count);
	plait_signal_release(gate);
	plait_queue_release(queue);
	return (double)start / count;
}

static void linear(void)
{
	double few, many, ratio = 1e9;

	if (!open_checked("check", NULL))
		return;
	/* One undisturbed try is enough. */
	for (int i = 0; i < TRIES && ratio > LIMIT; i++) {
		few = time_call(FEW);
		many = time_call(MANY);
		ratio = many / few < ratio ? many / few : ratio;
	}
	NOTE("%.1f times as long with %d commands as with %d", ratio, MANY,
	     FEW);
	OK(ratio <= LIMIT);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* A raise that the backend refused has not happened: the gate may be raised
 * to less, or fail. */
static void refused_raise(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	uint64_t reached = 0;

	if (!open_checked("check,fault",
			  "fault:slot=signal_raise,fail=1,status=busy"))
		return;
	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	IS_INT(plait_signal_raise(gate, 5, &rig.error), PLAIT_E_BUSY);
	OK_THAT(plait_signal_raise(gate, 2, &rig.error) == PLAIT_OK,
		"raise: %s", rig.error.text);
	IS_INT(plait_signal_query(gate, &reached, NULL, &rig.error), PLAIT_OK);
	IS_INT(reached, 2);
	OK_THAT(plait_signal_fail(gate, 7, "over", &rig.error) == PLAIT_OK,
		"fail: %s", rig.error.text);
	plait_signal_release(gate);
	plait_context_release(rig.context);
}

static const struct tap_scenario all[] = {
	{ "linear in commands in flight", linear },
	{ "a refused raise", refused_raise },
};
TAP_MAIN(all)
