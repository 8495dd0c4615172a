/* SPDX-License-Identifier: MIT */
/*
 * Queues that are released with work in flight, under a backend that refuses
 * polls: a queue is not destroyed before its work has ended, as the interposer
 * `check` verifies, and all ends once the backend answers.
 */
#include "lib/objects.h"
#include "lib/unwrapped.h"

enum { POLLS = 12, SLICE_NS = 100000000 };

static unsigned broken, refusals;

/* On any thread. */
static void hear(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	(void)level;
	if (strstr(line, "broke a rule") != NULL)
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
	if (strstr(line, "fault: call ") != NULL)
		__atomic_add_fetch(&refusals, 1, __ATOMIC_SEQ_CST);
}

static bool is_broken(void)
{
	return __atomic_load_n(&broken, __ATOMIC_SEQ_CST) != 0;
}

static bool open_refusing(struct rig *rig, const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = rig->backend,
					  .wrap = "check,fault",
					  .options = options,
					  .flags = rig->flags,
					  .workers = rig->workers,
					  .log = hear,
					  .log_level = PLAIT_LOG_WARNING };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	broken = refusals = 0;
	memset(&rig->error, 0, sizeof(rig->error));
	rig->error.size = sizeof(rig->error);
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "open %s: %s", rig->backend, rig->error.text) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       NULL) == PLAIT_OK) &&
	       OK(plait_queue_create(rig->device, NULL, &rig->queue,
				     NULL) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, NULL, &rig->signal,
				      NULL) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, &gate, &rig->gate,
				      NULL) == PLAIT_OK);
}

/* Until the backend answers, unless the queue was destroyed. */
static void wait_at_last(struct rig *rig)
{
	uint64_t since = 0;
	plait_status status;

	do
		status = plait_signal_wait(rig->signal, 1, SLICE_NS,
					   &rig->error);
	while (status != PLAIT_OK && !is_broken() && !tap_late(&since));
	IS_INT(status, PLAIT_OK);
}

/* Returns false if no poll was refused. */
static bool close_under(struct rig *rig, const char *fault)
{
	char options[80];
	int calls = 0;

	snprintf(options, sizeof(options), "fault:slot=signal_poll,%s", fault);
	if (!open_refusing(rig, options))
		return false;
	IS_INT(plait_queue_wait(rig->queue, rig->gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_queue_call(rig->queue, add_one, &calls, NULL), PLAIT_OK);
	IS_INT(plait_queue_emit(rig->queue, rig->signal, NULL, NULL),
	       PLAIT_OK);
	plait_queue_release(rig->queue);
	IS_INT(__atomic_load_n(&calls, __ATOMIC_SEQ_CST), 0);
	IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
	wait_at_last(rig);
	IS_INT(__atomic_load_n(&calls, __ATOMIC_SEQ_CST), 1);
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_context_release(rig->context);
	if (OK_THAT(!is_broken(), "%s, %s: no rule is broken", rig->backend,
		    fault))
		OK_THAT(all_gone(), "%s, %s: all ends", rig->backend, fault);
	return __atomic_load_n(&refusals, __ATOMIC_SEQ_CST) != 0;
}

/* Each of the first polls: one of them is that of the release. The simulated
 * system first, since a lane of the host that is destroyed with work in flight
 * blocks its caller. */
static void one_refusal(void)
{
	for (unsigned i = SETTINGS; i-- > 0 && !is_broken();) {
		bool refused = true;
		unsigned k;

		for (k = 1; k <= POLLS && refused && !is_broken(); k++) {
			char fault[32];

			snprintf(fault, sizeof(fault), "fail=%u,status=%s", k,
				 k % 2 != 0 ? "nomem" : "failed");
			refused = close_under(&settings[i], fault);
		}
		OK_THAT(k > 2, "%s: polls were refused", settings[i].backend);
	}
}

/* Of the polls of the queue while it ends as well. */
static void many_refusals(void)
{
	for (unsigned i = SETTINGS; i-- > 0;)
		for (unsigned seed = 1; seed <= 4 && !is_broken(); seed++) {
			char fault[48];

			snprintf(fault, sizeof(fault),
				 "rate=700,seed=%u,status=busy", seed);
			(void)close_under(&settings[i], fault);
		}
}

static const struct tap_scenario all[] = {
	{ "one refusal", one_refusal },
	{ "many refusals", many_refusals },
};
TAP_MAIN(all)
