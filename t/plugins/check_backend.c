/* SPDX-License-Identifier: MIT */
/*
 * The interposer check around faulty backends: the simulated system with one
 * slot of its table replaced.  Each broken rule is reported by name.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

static plait_backend_table chaos;
static plait_backend_queue *queues[2];
static plait_backend_signal *done, *gate;

static bool wrapped(plait_backend_table *sinner, const char *options)
{
	if (!bed_wrap("check", options, sinner))
		return false;
	queues[0] = bed_queue_on(0, "a");
	queues[1] = bed_queue_on(1, "b");
	done = bed_signal_of(0);
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	return OK(queues[0] && queues[1] && done && gate);
}

/* Closes all; the log blames the backend with this text, and no other party. */
static void blamed(const char *text)
{
	for (int i = 0; i < 2; i++)
		if (queues[i])
			bed.table.queue_destroy(bed.self, queues[i]);
	if (done)
		bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
	bed.table.close(bed.self);
	HAS_STR(bed.host.log, text);
	HAS_STR(bed.host.log, "check: the backend broke a rule, ");
	if (!OK(!strstr(bed.host.log, "the core broke")))
		NOTE("%s", bed.host.log);
	IS_UINT(bed.host.live_blocks, 0);
	fakehost_fini(&bed.host);
}

/* --- answers -------------------------------------------------------------- */

static plait_status the_answer;
static const char *the_text;

static plait_status answer_flush(plait_backend *self,
				 plait_backend_queue *queue,
				 plait_error *error)
{
	(void)self;
	(void)queue;
	error->status = the_answer;
	snprintf(error->text, sizeof(error->text), "%s", the_text);
	return the_answer;
}

static plait_status mismatched_flush(plait_backend *self,
				     plait_backend_queue *queue,
				     plait_error *error)
{
	answer_flush(self, queue, error);
	return PLAIT_E_LOST;
}

static void flush_answers(plait_status status, const char *said,
			  const char *text)
{
	plait_backend_table sinner = chaos;

	the_answer = status;
	the_text = said;
	sinner.queue_flush = answer_flush;
	if (!wrapped(&sinner, ""))
		return;
	IS_INT(bed.table.queue_flush(bed.self, queues[0], &bed.error),
	       PLAIT_E_INTERNAL);
	blamed(text);
}

static void answers(void)
{
	plait_backend_table sinner = chaos;

	flush_answers(99, "", "queue_flush: answered 99, which this slot must not");
	flush_answers(PLAIT_PENDING, "", "answered 1, which this slot must not");
	flush_answers(-77, "x", "answered -77, which is no status");
	flush_answers(PLAIT_E_LOST, "", "failed with -11 and no error text");
	the_answer = PLAIT_E_NOMEM;
	the_text = "no memory";
	sinner.queue_flush = mismatched_flush;
	if (!wrapped(&sinner, ""))
		return;
	bed.table.queue_flush(bed.self, queues[0], &bed.error);
	blamed("failed with -11, but its error says -3");
}

/* A correct error passes through unchanged. */
static void honest_errors_pass(void)
{
	plait_backend_table honest = chaos;

	the_answer = PLAIT_E_LOST;
	the_text = "the cable is out";
	honest.queue_flush = answer_flush;
	if (!wrapped(&honest, ""))
		return;
	IS_INT(bed.table.queue_flush(bed.self, queues[0], &bed.error),
	       PLAIT_E_LOST);
	IS_STR(bed.error.text, "the cable is out");
	IS_UINT(bed.host.errors, 0);
	bed.table.queue_destroy(bed.self, queues[0]);
	bed.table.queue_destroy(bed.self, queues[1]);
	bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
	bed_close();
}

static plait_status query_lasting(plait_backend *self, uint32_t device,
				  plait_backend_device *out,
				  plait_error *error)
{
	plait_status status = chaos.device_query(self, device, out, error);

	out->capabilities |= PLAIT_CAP_LASTS;
	return status;
}

/* A device with PLAIT_CAP_LASTS must not answer PLAIT_E_LOST. */
static void lost_though_it_lasts(void)
{
	plait_backend_table sinner = chaos;

	the_answer = PLAIT_E_LOST;
	the_text = "the cable is out";
	sinner.queue_flush = answer_flush;
	sinner.device_query = query_lasting;
	if (!wrapped(&sinner, ""))
		return;
	IS_INT(bed.table.queue_flush(bed.self, queues[0], &bed.error),
	       PLAIT_E_INTERNAL);
	blamed("queue_flush: is lost, but claims PLAIT_CAP_LASTS");
}

static plait_status give_no_memory(plait_backend *self, uint32_t device,
				   const plait_memory_request *request,
				   plait_backend_memory **out,
				   plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	(void)error;
	*out = NULL;
	return PLAIT_OK;
}

static void success_without_a_thing(void)
{
	plait_backend_table sinner = chaos;

	sinner.memory_create = give_no_memory;
	if (!wrapped(&sinner, ""))
		return;
	OK(bed_memory_on(0, 8) == NULL);
	IS_INT(bed.error.status, PLAIT_E_INTERNAL);
	blamed("memory_create: succeeded without giving memory");
}

/* --- signals -------------------------------------------------------------- */

static uint64_t the_reached;

static plait_status poll_lies(plait_backend *self,
			      const plait_backend_point *point,
			      uint64_t *out_reached, plait_error *error)
{
	(void)self;
	(void)error;
	*out_reached = the_reached;
	return the_reached >= point->sequence ? PLAIT_OK : PLAIT_PENDING;
}

static void poll_says(uint64_t first, uint64_t second, const char *text)
{
	plait_backend_table sinner = chaos;
	plait_backend_point point;

	sinner.signal_poll = poll_lies;
	if (!wrapped(&sinner, ""))
		return;
	for (uint64_t n = 1; n <= 3; n++) {
		point = (plait_backend_point){ done, n };
		bed_submit(queues[0], NULL, NULL, 0, &point);
	}
	bed_wait_for(done, 3, PLAIT_FOREVER);
	point.sequence = 0;
	the_reached = first;
	bed.table.signal_poll(bed.self, &point, NULL, &bed.error);
	the_reached = second;
	bed.table.signal_poll(bed.self, &point, NULL, &bed.error);
	blamed(text);
}

static void counters(void)
{
	poll_says(3, 2, "signal 1 went back from 3 to 2");
	poll_says(2, 4, "signal 1 is at 4 of 3 submitted");
}

static plait_status wait_lies(plait_backend *self,
			      const plait_backend_point *points,
			      uint32_t count, uint32_t any,
			      uint64_t timeout_ns, plait_error *error)
{
	(void)self;
	(void)points;
	(void)count;
	(void)any;
	(void)timeout_ns;
	error->status = the_answer;
	snprintf(error->text, sizeof(error->text), "so it is");
	return the_answer;
}

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* The signal is reported before the function in front of it has run. */
static void too_early(uint32_t any, const char *text)
{
	plait_backend_table sinner = chaos;
	plait_work work = bed_call_of(do_nothing, NULL);
	plait_backend_point point;

	sinner.signal_wait = wait_lies;
	the_answer = PLAIT_OK;
	if (!wrapped(&sinner, ""))
		return;
	point = (plait_backend_point){ done, 1 };
	bed_submit(queues[0], NULL, &work, 1, &point);
	bed.table.signal_wait(bed.self, &point, 1, any, 0, &bed.error);
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		;
	blamed(text);
}

static void signals_before_work(void)
{
	too_early(0, "signal 1 is at 1 before the work in front of it");
	too_early(1, "one of 1 points has happened, but none can have");
}

static plait_status query_real_time(plait_backend *self, uint32_t device,
				    plait_backend_device *out,
				    plait_error *error)
{
	plait_status status = chaos.device_query(self, device, out, error);

	out->capabilities &= ~(uint32_t)PLAIT_CAP_VIRTUAL_TIME;
	return status;
}

static void timeouts(void)
{
	plait_backend_table sinner = chaos;

	sinner.device_query = query_real_time;
	if (!wrapped(&sinner, ""))
		return;
	/* Chaos simulates the hour, but reports real time. */
	IS_INT(bed_wait_for(gate, 1, UINT64_C(3600000000000)),
	       PLAIT_E_TIMEOUT);
	blamed("of 3600000000000 ns");
	sinner = chaos;
	sinner.signal_wait = wait_lies;
	the_answer = PLAIT_E_TIMEOUT;
	if (!wrapped(&sinner, ""))
		return;
	bed_wait_for(gate, 1, PLAIT_FOREVER);
	blamed("a wait without end timed out");
}

/* --- notifications -------------------------------------------------------- */

static int notes;
static plait_status told;

static void count_note(void *user_data, plait_status status)
{
	(void)user_data;
	(void)status;
	notes++;
}

static plait_status notify_sinfully(plait_backend *self,
				    const plait_backend_point *point,
				    plait_notify_function function,
				    void *user_data, plait_error *error)
{
	(void)self;
	(void)point;
	for (int i = 0; i < (int)the_reached; i++)
		function(user_data, told);
	error->status = the_answer;
	snprintf(error->text, sizeof(error->text), "I cannot");
	return the_answer;
}

static void notify_times(uint64_t times, plait_status answer, bool raised,
			 const char *text)
{
	plait_backend_table sinner = chaos;
	plait_backend_point point;

	sinner.signal_notify = notify_sinfully;
	the_reached = times;
	the_answer = answer;
	notes = 0;
	if (!wrapped(&sinner, ""))
		return;
	point = (plait_backend_point){ gate, 1 };
	if (raised)
		bed.table.signal_raise(bed.self, &point, NULL, &bed.error);
	bed.table.signal_notify(bed.self, &point, count_note, NULL,
				&bed.error);
	IS_INT(notes, times > 0);
	blamed(text);
}

static void notifications(void)
{
	plait_backend_table sinner = chaos;

	notify_times(2, PLAIT_OK, true, "notification 1 came 2 times");
	told = 77;
	notify_times(1, PLAIT_OK, true, "notification 1 came with 77, which is");
	told = PLAIT_OK;
	notify_times(1, PLAIT_E_BUSY, true, "notified, and then refused to");
	notify_times(1, PLAIT_OK, false, "notifying: signal 2 is at 1 before");
	/* No notification at all: the fault may be the core's or the backend's. */
	sinner.signal_notify = notify_sinfully;
	the_reached = 0;
	the_answer = PLAIT_OK;
	if (!wrapped(&sinner, ""))
		return;
	bed.table.signal_notify(bed.self, &(plait_backend_point){ gate, 1 },
				count_note, NULL, &bed.error);
	bed.table.signal_destroy(bed.self, gate);
	HAS_STR(bed.host.log, "the core or the backend broke a rule, "
		"signal_destroy: signal 2 has 1 notifications");
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	for (int i = 0; i < 2; i++)
		bed.table.queue_destroy(bed.self, queues[i]);
	bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
	bed_close_sinful();
}

/* --- work ----------------------------------------------------------------- */

enum sin { BACKWARDS, TWICE, DROPPED, IMPATIENT, SWALLOWED };
static enum sin the_sin;

struct swallow {
	int32_t (*function)(void *user_data);
	void *user_data;
};

static struct swallow swallowed[8];
static uint32_t swallowed_count;

static int32_t swallow(void *user_data)
{
	struct swallow *one = user_data;

	one->function(one->user_data);
	return 0;
}

static void change_work(plait_work *work, uint32_t *count)
{
	plait_work first = work[0];

	if (the_sin == DROPPED) {
		*count = 0;
	} else if (the_sin == TWICE) {
		work[(*count)++] = first;
	} else if (the_sin == BACKWARDS) {
		work[0] = work[*count - 1];
		work[*count - 1] = first;
	} else if (the_sin == SWALLOWED) {
		for (uint32_t i = 0; i < *count; i++) {
			struct swallow *one = &swallowed[swallowed_count++];

			*one = (struct swallow){ work[i].function,
						 work[i].user_data };
			work[i].function = swallow;
			work[i].user_data = one;
		}
	}
}

static plait_status submit_sinfully(plait_backend *self,
				    plait_backend_queue *queue,
				    const plait_submission *submissions,
				    uint32_t count, plait_error *error)
{
	plait_submission changed = submissions[0];
	plait_work work[8];

	memcpy(work, changed.work, changed.work_count * sizeof(*work));
	change_work(work, &changed.work_count);
	changed.work = work;
	if (the_sin == IMPATIENT)
		changed.wait_count = 0;
	return chaos.queue_submit(self, queue, &changed, count, error);
}

static int32_t fail_with_3(void *user_data)
{
	(void)user_data;
	return 3;
}

static void works(enum sin sin, int32_t (*function)(void *), const char *text)
{
	plait_backend_table sinner = chaos;
	plait_work work[2];
	plait_backend_point point;

	sinner.queue_submit = submit_sinfully;
	the_sin = sin;
	swallowed_count = 0;
	if (!wrapped(&sinner, ""))
		return;
	work[0] = bed_call_of(function, NULL);
	work[0].label = "first";
	work[1] = bed_call_of(do_nothing, NULL);
	point = (plait_backend_point){ done, 1 };
	bed_submit(queues[0],
		   sin == IMPATIENT ? &(plait_backend_point){ gate, 1 } : NULL,
		   work, 2, &point);
	bed_wait_for(done, 1, PLAIT_FOREVER);
	if (sin == IMPATIENT)
		bed.table.signal_raise(bed.self,
				       &(plait_backend_point){ gate, 1 }, NULL,
				       &bed.error);
	if (sin == DROPPED) {
		/* The model still waits for the dropped command. */
		queues[0] = NULL;
		done = NULL;
	}
	HAS_STR(bed.host.log, text);
	if (sin != DROPPED) {
		blamed(text);
		return;
	}
	bed.table.close(bed.self);
	fakehost_fini(&bed.host);
}

static void work(void)
{
	works(BACKWARDS, do_nothing, "is not the next one of queue 1");
	works(TWICE, do_nothing, "\"first\" runs a second time");
	works(DROPPED, do_nothing, "signal 1 is at 1 before the work");
	works(IMPATIENT, do_nothing, "does not wait for signal 2 at 1");
	works(SWALLOWED, fail_with_3, "is behind a failure");
	works(SWALLOWED, fail_with_3, "signal 1 at 1 hides that it failed");
}

/* --- the capacity of a queue ---------------------------------------------- */

static plait_status query_repeating(plait_backend *self, uint32_t device,
				    plait_backend_device *out,
				    plait_error *error)
{
	plait_status status = chaos.device_query(self, device, out, error);

	out->repeats = 1;
	return status;
}

static plait_status refuse_work(plait_backend *self, plait_backend_queue *queue,
				const plait_submission *submissions,
				uint32_t count, plait_error *error)
{
	(void)self;
	(void)queue;
	(void)submissions;
	(void)count;
	error->status = PLAIT_E_INVALID;
	snprintf(error->text, sizeof(error->text), "too much");
	return PLAIT_E_INVALID;
}

/* Two commands, `times` times, in a queue of this capacity. */
static void capacity(uint64_t room, uint32_t times, bool sins)
{
	const plait_work work[2] = { { .size = sizeof(work[0]) },
				     { .size = sizeof(work[0]) } };
	const plait_submission submission = {
		.size = sizeof(submission), .work = work, .work_count = 2,
		.times = times,
	};
	const plait_queue_request request = { .size = sizeof(request),
					      .capacity = room };
	plait_backend_table sinner = chaos;
	plait_backend_queue *queue = NULL;

	sinner.device_query = query_repeating;
	sinner.queue_submit = refuse_work;
	if (!wrapped(&sinner, ""))
		return;
	IS_INT(bed.table.queue_create(bed.self, 0, &request, &queue,
				      &bed.error), PLAIT_OK);
	IS_INT(bed.table.queue_submit(bed.self, queue, &submission, 1,
				      &bed.error), PLAIT_E_INVALID);
	OK((strstr(bed.host.log, "repeated ones count once") != NULL) == sins);
	bed.table.queue_destroy(bed.self, queue);
	if (sins) {
		blamed("refused 2 commands in a queue for 2");
		return;
	}
	for (int i = 0; i < 2; i++)
		bed.table.queue_destroy(bed.self, queues[i]);
	bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
	bed.table.close(bed.self);
	fakehost_fini(&bed.host);
}

static void capacities(void)
{
	capacity(2, 100, true);
	capacity(2, 1, false);
	capacity(1, 100, false);
	capacity(0, 100, false);
}

static void load(void)
{
	OK(fakehost_load("chaos", &chaos));
}

static const struct tap_scenario all[] = {
	{ "load", load },
	{ "answers", answers },
	{ "honest", honest_errors_pass },
	{ "lasting", lost_though_it_lasts },
	{ "nothing", success_without_a_thing },
	{ "counters", counters },
	{ "early", signals_before_work },
	{ "timeouts", timeouts },
	{ "notify", notifications },
	{ "work", work },
	{ "capacities", capacities },
};
TAP_MAIN(all)
