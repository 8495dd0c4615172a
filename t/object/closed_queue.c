/* SPDX-License-Identifier: MIT */
/*
 * Queues that are released, or finished, with work in flight, under a backend
 * that refuses polls: a queue is neither destroyed nor recovered before its work
 * has ended, as the interposer `check` verifies, and all ends once the backend
 * answers. If it never does, the core gives up.
 */
#include "lib/objects.h"
#include "lib/unwrapped.h"

enum { POLLS = 12, SLICE_NS = 100000000 };

/* Lines of a context's log, counted: contexts of earlier scenarios may still
 * log. */
static struct heard {
	unsigned broken, refusals, abandoned;
} all_heard[96], *heard = all_heard;

/* On any thread. */
static void hear(void *user_data, int32_t level, const char *line)
{
	struct heard *own = user_data;

	(void)level;
	if (strstr(line, "broke a rule") != NULL)
		__atomic_add_fetch(&own->broken, 1, __ATOMIC_SEQ_CST);
	if (strstr(line, "is abandoned") != NULL)
		__atomic_add_fetch(&own->abandoned, 1, __ATOMIC_SEQ_CST);
	if (strstr(line, "fault: call ") != NULL)
		__atomic_add_fetch(&own->refusals, 1, __ATOMIC_SEQ_CST);
}

static bool is_broken(void)
{
	return __atomic_load_n(&heard->broken, __ATOMIC_SEQ_CST) != 0;
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
					  .log_user_data = heard + 1,
					  .log_level = PLAIT_LOG_WARNING };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	heard++;
	if (!OK(heard < all_heard + TAP_COUNT(all_heard)))
		return false;
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
	return __atomic_load_n(&heard->refusals, __ATOMIC_SEQ_CST) != 0;
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

/* ---- finished ---- */

/* gate | function; the first wait ends before, the second one with it. */
static void finish_under(struct rig *rig, const char *fault, intptr_t result)
{
	char options[80];

	snprintf(options, sizeof(options), "fault:slot=signal_poll,%s", fault);
	if (!open_refusing(rig, options))
		return;
	IS_INT(plait_queue_wait(rig->queue, rig->gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_queue_call(rig->queue, return_it, (void *)result, NULL),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, SLICE_NS / 50, &rig->error),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
	OK_THAT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error) ==
		(result == 0 ? PLAIT_OK : PLAIT_E_FAILED), "%s, %s: %s",
		rig->backend, fault, rig->error.text);
	OK_THAT(!is_broken(), "%s, %s: no rule is broken", rig->backend,
		fault);
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_queue_release(rig->queue);
	plait_context_release(rig->context);
	OK(all_gone());
}

static void finish_refused(void)
{
	for (unsigned i = SETTINGS; i-- > 0;)
		for (unsigned seed = 1; seed <= 6 && !is_broken(); seed++) {
			char fault[48];

			snprintf(fault, sizeof(fault),
				 "rate=400,seed=%u,status=%s", seed,
				 seed % 2 != 0 ? "busy" : "failed");
			finish_under(&settings[i], fault, seed % 4 / 2);
		}
}

/* ---- for ever ---- */

static unsigned refused(void)
{
	return __atomic_load_n(&heard->refusals, __ATOMIC_SEQ_CST);
}

/* The queue's work is done, and its backend never says so: calls that reclaim in
 * passing poll the queue, until it is abandoned. */
static void release_for_ever(struct rig *rig)
{
	plait_queue *other = NULL;
	uint64_t since = 0;
	unsigned before;

	IS_INT(plait_queue_create(rig->device, NULL, &other, NULL), PLAIT_OK);
	plait_queue_release(rig->queue);
	while (__atomic_load_n(&heard->abandoned, __ATOMIC_SEQ_CST) == 0 &&
	       !tap_late(&since))
		(void)plait_signal_wait(rig->gate, 1, 0, NULL);
	IS_UINT(__atomic_load_n(&heard->abandoned, __ATOMIC_SEQ_CST), 1);
	before = refused();
	OK_THAT(before >= 1000, "%s: %u polls were refused", rig->backend,
		before);
	for (int i = 0; i < 20; i++)
		IS_INT(plait_queue_call(other, return_it, NULL, NULL),
		       PLAIT_OK);
	IS_UINT(refused(), before);
	plait_queue_release(other);
}

/* Leaves objects; so the scenarios of contexts that end are before. */
static void for_ever(void)
{
	for (unsigned i = SETTINGS; i-- > 0;) {
		struct rig *rig = &settings[i];

		if (!open_refusing(rig, "fault:slot=signal_poll,from=1,"
					"status=busy"))
			return;
		IS_INT(plait_queue_call(rig->queue, return_it, NULL, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_LOST);
		HAS_STR(rig->error.text, "refuses to tell how far");
		release_for_ever(rig);
		OK(!is_broken());
		plait_signal_release(rig->gate);
		plait_signal_release(rig->signal);
		plait_context_release(rig->context);
	}
}

/* The simulated system begins no work that was not flushed. */
static void never_flushed(void)
{
	struct rig *rig = &settings[SETTINGS - 1];
	uint64_t since = 0;
	unsigned before;

	if (!open_refusing(rig, "chaos:quirks=batch;fault:"
				"slot=queue_flush,from=1,status=busy"))
		return;
	IS_INT(plait_queue_call(rig->queue, return_it, NULL, NULL), PLAIT_OK);
	plait_queue_release(rig->queue);
	while (__atomic_load_n(&heard->abandoned, __ATOMIC_SEQ_CST) == 0 &&
	       !tap_late(&since))
		(void)plait_signal_wait(rig->gate, 1, 0, NULL);
	IS_UINT(__atomic_load_n(&heard->abandoned, __ATOMIC_SEQ_CST), 1);
	/* Another thread may be in a flush that it began before. */
	do {
		before = refused();
		for (int i = 0; i < 20; i++)
			(void)plait_signal_wait(rig->gate, 1, 0, NULL);
	} while (refused() != before && !tap_late(&since));
	IS_UINT(refused(), before);
	OK(!is_broken());
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_context_release(rig->context);
}

/* ---- closed for ever ---- */

/* The queue was released, and its backend does not say that it is done. */
static bool submit_refused(struct rig *rig, const char *options)
{
	if (!open_refusing(rig, options))
		return false;
	IS_INT(plait_queue_call(rig->queue, return_it, NULL, NULL), PLAIT_OK);
	plait_queue_release(rig->queue);
	plait_signal_release(rig->signal);
	return true;
}

static void *close_lost(void *arg)
{
	struct rig *rig = arg;

	IS_INT(plait_context_close(rig->context, PLAIT_FOREVER, &rig->error),
	       PLAIT_E_LOST);
	HAS_STR(rig->error.text, "never ends");
	HAS_STR(rig->error.text, "refuses to");
	return NULL;
}

/* The queue is abandoned, the last handle is closed, a thread waits: in this
 * order, and in any other. */
static void close_in_order(struct rig *rig, const char *options, bool late,
			   bool waits)
{
	uint64_t since = 0;
	pthread_t thread;

	if (!submit_refused(rig, options))
		return;
	if (waits)
		OK(pthread_create(&thread, NULL, close_lost, rig) == 0);
	while (late && !tap_late(&since) &&
	       __atomic_load_n(&heard->abandoned, __ATOMIC_SEQ_CST) == 0)
		(void)plait_signal_wait(rig->gate, 1, 0, NULL);
	plait_signal_release(rig->gate);
	if (waits)
		pthread_join(thread, NULL);
	else
		(void)close_lost(rig);
	OK(!is_broken());
}

/* Leaves objects, too. */
static void closed(void)
{
	for (unsigned i = SETTINGS; i-- > 0;)
		for (unsigned order = 0; order < 4; order++)
			close_in_order(&settings[i], "fault:slot=signal_poll,"
				       "from=1,status=busy", order % 2 != 0,
				       order / 2 != 0);
	close_in_order(&settings[SETTINGS - 1], "chaos:quirks=batch;fault:"
		       "slot=queue_flush,from=1,status=busy", false, false);
}

/* Abandoned work does not end the wait for handles, which another thread may
 * release. */
static void closed_with_handles(void)
{
	for (unsigned i = SETTINGS; i-- > 0;) {
		struct rig *rig = &settings[i];

		if (!submit_refused(rig, "fault:slot=signal_poll,from=1,"
					 "status=busy"))
			return;
		plait_context_retain(rig->context);
		REFUSED(plait_context_close(rig->context, 1000, &rig->error),
			PLAIT_E_TIMEOUT, "signal 1");
		plait_signal_release(rig->gate);
		(void)close_lost(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "one refusal", one_refusal },
	{ "many refusals", many_refusals },
	{ "finish refused", finish_refused },
	{ "for ever", for_ever },
	{ "never flushed", never_flushed },
	{ "closed", closed },
	{ "closed with handles", closed_with_handles },
};
TAP_MAIN(all)
