/* SPDX-License-Identifier: MIT */
/* Faulty results of backends: slots that fail without a text, succeed without a
 * result, or notify twice. */
#include "lib/objects.h"
#include "lib/unwrapped.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool open_bad(struct rig *rig, const char *backend)
{
	static char path[4096];
	const char *build = getenv("abs_top_builddir");
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = backend,
				    .plugin_path = path };

	snprintf(path, sizeof(path), "%s/t/plugin/bad/.libs", build ? build : ".");
	(void)settings; /* which are those of backends that do not lie */
	memset(rig, 0, sizeof(*rig));
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "open %s: %s", backend, rig->error.text) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       NULL) == PLAIT_OK);
}

static plait_status make_all(struct rig *rig, int which, void *out)
{
	static char memory[8];
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = 8 };
	plait_wrap_desc wrap = { .size = sizeof(wrap), .pointer = memory,
				 .bytes = 8 };

	switch (which) {
	case 0:
		return plait_queue_create(rig->device, NULL, out, &rig->error);
	case 1:
		return plait_signal_create(rig->device, NULL, out,
					   &rig->error);
	case 2:
		return plait_buffer_create(rig->device, &buffer, out,
					   &rig->error);
	default:
		return plait_buffer_wrap(rig->device, &wrap, out, &rig->error);
	}
}

static void refuse_all(const char *backend, const plait_status wants[4],
		       const char *const words[4])
{
	struct rig rig;
	int which;

	if (!open_bad(&rig, backend))
		return;
	for (which = 0; which < 4; which++) {
		void *made = &rig;

		memset(&rig.error, 0, sizeof(rig.error));
		IS_INT(make_all(&rig, which, &made), wants[which]);
		IS_INT(rig.error.status, wants[which]);
		IS_PTR(made, NULL);
		HAS_STR(rig.error.text, words[which]);
	}
	plait_context_release(rig.context);
	OK(all_gone());
}

static void without_a_word(void)
{
	static const plait_status wants[] = {
		PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED,
		PLAIT_E_UNSUPPORTED
	};
	static const char *const words[] = {
		"queue_create failed", "signal_create failed",
		"memory_create failed", "cannot wrap"
	};

	refuse_all("good", wants, words);
}

static void without_a_result(void)
{
	static const plait_status wants[] = {
		PLAIT_E_INTERNAL, PLAIT_E_INTERNAL, PLAIT_E_INTERNAL,
		PLAIT_E_INTERNAL
	};
	static const char *const words[] = {
		"queue_create succeeded without", "signal_create returned 77",
		"memory_create succeeded without",
		"memory_create succeeded without"
	};

	refuse_all("empty", wants, words);
}

/* --- notifications that come twice; the k-th of them */

static unsigned warnings;

/* On the thread of the backend. */
static void count_warning(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_WARNING &&
	    strstr(line, "plugin host: a notification came again") != NULL)
		__atomic_add_fetch(&warnings, 1, __ATOMIC_SEQ_CST);
}

static bool open_twice(struct rig *rig, unsigned k)
{
	char options[32];
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = "host", .wrap = "fault",
				    .options = options,
				    .log = count_warning,
				    .log_level = PLAIT_LOG_WARNING };

	warnings = 0;
	snprintf(options, sizeof(options), "fault:twice=%u", k);
	memset(rig, 0, sizeof(*rig));
	rig->error.size = sizeof(rig->error);
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "open host in fault: %s", rig->error.text) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       &rig->error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig->device, NULL, &rig->queue,
				     &rig->error) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, NULL, &rig->signal,
				      &rig->error) == PLAIT_OK);
}

static void call_owner(struct rig *rig, plait_inbox *inbox, int *calls)
{
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .function = add_one, .user_data = calls,
				     .inbox = inbox };

	IS_INT(plait_queue_submit(rig->queue, &call, 1, NULL, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
}

static void announce(struct rig *rig, plait_inbox *inbox, int *events)
{
	uint64_t sequence;

	IS_INT(plait_queue_emit(rig->queue, rig->signal, &sequence,
				&rig->error), PLAIT_OK);
	IS_INT(plait_signal_notify(rig->signal, sequence, inbox, add_one,
				   events, &rig->error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
}

/* The event may follow the end of the queue. */
static void pump_until(struct rig *rig, plait_inbox *inbox, const int *events,
		       int want)
{
	uint64_t since = 0;

	while (*events < want && !tap_late(&since))
		(void)plait_inbox_pump(inbox, 0, NULL, &rig->error);
}

/* The second call follows the first one, which may have ended the last wait. */
static void is_counted(const struct rig *rig)
{
	plait_device_info info = { .size = sizeof(info) };
	uint64_t since = 0;

	while (__atomic_load_n(&warnings, __ATOMIC_SEQ_CST) == 0 &&
	       !tap_late(&since))
		pause_a_little();
	IS_UINT(warnings, 1);
	IS_INT(plait_device_query(rig->device, &info, NULL), PLAIT_OK);
	IS_UINT(info.stray_notifications, 1);
}

static void told_twice(unsigned k)
{
	plait_inbox *inbox = NULL;
	plait_event event = { .size = sizeof(event) };
	int calls = 0, events = 0;
	struct rig rig;

	if (!open_twice(&rig, k))
		return;
	IS_INT(plait_inbox_create(rig.context, &inbox, &rig.error), PLAIT_OK);
	for (int i = 1; i <= 3; i++) {
		call_owner(&rig, inbox, &calls);
		announce(&rig, inbox, &events);
		pump_until(&rig, inbox, &events, i);
	}
	IS_INT(calls, 3);
	IS_INT(events, 3);
	IS_INT(plait_inbox_next(inbox, &event, &rig.error), PLAIT_PENDING);
	plait_inbox_release(inbox);
	is_counted(&rig);
	plait_signal_release(rig.signal);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* Each of the calls and of the events is one; waits may add some. */
static void notified_twice(void)
{
	for (unsigned k = 1; k <= 6; k++)
		told_twice(k);
}

/* --- the host backend, except for one answer: SLOT=STATUS */

static bool open_liar(struct rig *rig, const char *slot, plait_status status)
{
	char text[32];

	snprintf(text, sizeof(text), "%s=%d", slot, (int)status);
	setenv("T_LIAR", text, 1);
	return open_bad(rig, "liar") &&
	       OK(plait_queue_create(rig->device, NULL, &rig->queue,
				     &rig->error) == PLAIT_OK);
}

static void submit_call(struct rig *rig, plait_inbox *inbox, int *calls)
{
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .label = "mine",
				     .function = add_one, .user_data = calls,
				     .inbox = inbox };

	IS_INT(plait_queue_submit(rig->queue, &call, 1, NULL, &rig->error),
	       PLAIT_OK);
}

/* Until the queue is done, regardless of reports in between. */
static void finish_at_last(struct rig *rig)
{
	uint64_t since = 0;
	plait_status status;

	do
		status = plait_queue_finish(rig->queue, PLAIT_FOREVER,
					    &rig->error);
	while (status != PLAIT_OK && !tap_late(&since));
	IS_INT(status, PLAIT_OK);
}

/* Waits for its inbox, and is reported as failed, which counts as a refusal. */
static void poll_fails(plait_status status)
{
	plait_inbox *inbox = NULL;
	struct rig rig;
	int calls = 0;

	if (!open_liar(&rig, "poll", status))
		return;
	IS_INT(plait_inbox_create(rig.context, &inbox, &rig.error), PLAIT_OK);
	submit_call(&rig, inbox, &calls);
	IS_INT(plait_queue_finish(rig.queue, 0, &rig.error), PLAIT_E_TIMEOUT);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_LOST);
	HAS_STR(rig.error.text, "plugin liar refuses to tell how far");
	IS_INT(calls, 0);
	while (calls == 0)
		IS_INT(plait_inbox_pump(inbox, 0, NULL, &rig.error),
		       PLAIT_OK);
	finish_at_last(&rig);
	plait_inbox_release(inbox);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static void polls_that_fail(void)
{
	poll_fails(77);
	poll_fails(PLAIT_E_HANDLE);
	poll_fails(PLAIT_E_FAILED);
}

/* Not run, and its queue goes on: the status that it failed with. */
static void notified(const char *slot, plait_status status, plait_status want,
		     const char *words)
{
	plait_inbox *inbox = NULL;
	struct rig rig;
	int calls = 0;

	if (!open_liar(&rig, slot, status))
		return;
	IS_INT(plait_inbox_create(rig.context, &inbox, &rig.error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		submit_call(&rig, inbox, &calls);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), want);
		HAS_STR(rig.error.text, words);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
	}
	IS_INT(calls, 0);
	plait_inbox_release(inbox);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static void notified_of_a_lie(void)
{
	static const char words[] =
		"a notification said that the queue had failed";

	notified("told", 77, PLAIT_E_INTERNAL, words);
	notified("told", PLAIT_E_NOMEM, PLAIT_E_INTERNAL, words);
}

static void refuses_to_notify(void)
{
	notified("notify", PLAIT_E_FAILED, PLAIT_E_FAILED,
		 "signal_notify failed");
	notified("notify", 77, PLAIT_E_INTERNAL, "signal_notify returned 77");
}

static void refuses_to_recover(plait_status status, plait_status want,
			       const char *words)
{
	struct rig rig;

	if (!open_liar(&rig, "recover", status))
		return;
	IS_INT(plait_queue_call(rig.queue, return_it, (void *)7, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error), want);
	HAS_STR(rig.error.text, words);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* A backend that reports to be busy is believed for seconds. */
static void recovers_never(void)
{
	refuses_to_recover(PLAIT_E_FAILED, PLAIT_E_FAILED,
			   "queue_recover failed");
	if (tap_soak())
		refuses_to_recover(PLAIT_E_BUSY, PLAIT_E_INTERNAL,
				   "queue_recover does not take it back");
}

/* --- notified too early, and then not again */

static int sleeper;

/* Does that thread sleep? */
static bool sleeps(int thread)
{
	char path[64], state = 'R';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (file == NULL)
		return true;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'S';
	fclose(file);
	return state == 'S';
}

/* On a worker: ends when the thread that waits for it sleeps, most likely. */
static int32_t end_when_it_sleeps(void *arg)
{
	uint64_t since = 0;

	(void)arg;
	while (!sleeps(sleeper) && !tap_late(&since))
		sched_yield();
	return 0;
}

static void notified_too_early(void)
{
	plait_inbox *inbox;
	struct rig rig;

	if (!open_liar(&rig, "early", 0))
		return;
	sleeper = (int)syscall(SYS_gettid);
	/* The owner of an inbox does not wait inside the backend. */
	IS_INT(plait_inbox_create(rig.context, &inbox, NULL), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_queue_call(rig.queue, end_when_it_sleeps, NULL,
					NULL), PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
	}
	plait_inbox_release(inbox);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static const struct tap_scenario all[] = {
	{ "notified too early", notified_too_early },
	{ "without a word", without_a_word },
	{ "without a result", without_a_result },
	{ "notified twice", notified_twice },
	{ "polls that fail", polls_that_fail },
	{ "notified of a lie", notified_of_a_lie },
	{ "refuses to notify", refuses_to_notify },
	{ "recovers never", recovers_never },
};

TAP_MAIN(all)
