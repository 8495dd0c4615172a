/* SPDX-License-Identifier: MIT */
/* Group H: host functions in queues. */
#include "conform.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- H1, H2 -------------------------------------------------------------- */

enum { CALLS = 1000 };

static atomic_int counts[CALLS];

static void exactly_once(struct conform *c)
{
	plait_queue *queues[2] = { conform_queue(c), conform_queue(c) };
	plait_command batch[10];
	int wrong = 0;

	for (int i = 0; i < CALLS; i += 10) {
		for (int k = 0; k < 10; k++)
			batch[k] = conform_call(conform_count_up,
						&counts[i + k]);
		NEED(plait_queue_submit(queues[i / 10 % 2], batch, 10, NULL,
					ERR));
	}
	NEED(plait_queue_finish(queues[0], PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(queues[1], PLAIT_FOREVER, ERR));
	for (int i = 0; i < CALLS; i++)
		wrong += atomic_load(&counts[i]) != 1;
	HOLDS_THAT(wrong == 0, "each of %d calls runs once with its argument:"
		   " %d do not", CALLS, wrong);
}

/* Checks the data of the command before, makes those of the command after. */
struct step {
	unsigned char in[16];
	unsigned char out[16];
	unsigned char want;
	bool wrong;
};

static int32_t take_step(void *user_data)
{
	struct step *step = user_data;

	for (int i = 0; i < 16; i++) {
		step->wrong = step->wrong || step->in[i] != step->want;
		step->out[i] = (unsigned char)(step->want + 1);
	}
	return 0;
}

static void between(struct conform *c)
{
	plait_buffer *buffer = conform_buffer(c, 16);
	plait_queue *queue = conform_queue(c);
	static struct step steps[100];
	int wrong = 0;

	NEED(plait_queue_fill(queue, buffer, 0, 16, 0, 1, ERR));
	for (int i = 0; i < 100; i++) {
		plait_command batch[3] = {
			conform_read(buffer, 0, steps[i].in, 16),
			conform_call(take_step, &steps[i]),
			conform_write(buffer, 0, steps[i].out, 16),
		};

		steps[i].want = (unsigned char)i;
		NEED(plait_queue_submit(queue, batch, 3, NULL, ERR));
	}
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	for (int i = 0; i < 100; i++)
		wrong += steps[i].wrong;
	HOLDS_THAT(wrong == 0, "functions see what ran before them, and are "
		   "seen by what runs behind: %d of 100 are wrong", wrong);
}

/* --- H3 ------------------------------------------------------------------ */

static int32_t values[] = { 1, -1, 42, -15, INT32_MAX, INT32_MIN };

static void error_value(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	static atomic_int before, behind;

	for (size_t i = 0; i < CONFORM_COUNT(values); i++) {
		plait_command batch[] = {
			conform_call(conform_count_up, &before),
			conform_call(conform_return_value, &values[i]),
			conform_call(conform_count_up, &behind),
			conform_emit(signal),
		};

		batch[1].label = "the guilty one";
		NEED(plait_queue_submit(queue, batch, 4, NULL, ERR));
		GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR),
		      PLAIT_E_FAILED);
		SAYS(values[i], "the guilty one");
		GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR),
		      PLAIT_OK);
		GIVES(plait_signal_wait(signal, i + 1, PLAIT_FOREVER, ERR),
		      PLAIT_E_FAILED);
		SAYS(values[i], "the guilty one");
		NEED(plait_signal_reset(signal, ERR));
		NEED(plait_queue_call(queue, conform_count_up, &before, ERR));
		NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	}
	HOLDS(atomic_load(&before) == 2 * (int)CONFORM_COUNT(values));
	HOLDS(atomic_load(&behind) == 0);
}

/* --- H4 ------------------------------------------------------------------ */

struct inner {
	plait_device *device;
	plait_queue *self;
	plait_queue *other;
	plait_signal *signal;
	atomic_int later;
	atomic_bool go; /* set when the submission has returned */
	plait_status submitted;
	plait_status queried;
	plait_status created;
	plait_status waited;
	plait_status finished;
};

static int32_t act_inside(void *user_data)
{
	struct inner *inner = user_data;
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 10 };
	uint64_t reached, submitted;
	plait_buffer *buffer;

	conform_until(&inner->go);
	inner->submitted = plait_queue_call(inner->other, conform_count_up,
					    &inner->later, NULL);
	inner->queried = plait_signal_query(inner->signal, &reached,
					    &submitted, NULL);
	inner->created = plait_buffer_create(inner->device, &desc, &buffer,
					     NULL);
	plait_buffer_release(buffer);
	inner->waited = plait_signal_wait(inner->signal, 1, PLAIT_FOREVER,
					  NULL);
	inner->finished = plait_queue_finish(inner->self, PLAIT_FOREVER,
					     NULL);
	return 0;
}

static void inside(struct conform *c)
{
	static struct inner inner;

	inner.device = c->device;
	inner.self = conform_queue(c);
	inner.other = conform_queue(c);
	inner.signal = conform_signal(c);
	plait_command batch[2] = { conform_call(act_inside, &inner),
				   conform_emit(inner.signal) };
	NEED(plait_queue_submit(inner.self, batch, 2, NULL, ERR));
	atomic_store(&inner.go, true);
	NEED(plait_queue_finish(inner.self, PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(inner.other, PLAIT_FOREVER, ERR));
	GIVES(inner.submitted, PLAIT_OK);
	GIVES(inner.queried, PLAIT_OK);
	GIVES(inner.created, PLAIT_OK);
	HOLDS_THAT(inner.waited == PLAIT_E_DEADLOCK,
		   "a wait for what is behind answers PLAIT_E_DEADLOCK: %s",
		   plait_status_name(inner.waited));
	HOLDS_THAT(inner.finished == PLAIT_E_DEADLOCK,
		   "finish of its own queue answers PLAIT_E_DEADLOCK: %s",
		   plait_status_name(inner.finished));
	HOLDS(atomic_load(&inner.later) == 1);
}

/* --- H5, H6 -------------------------------------------------------------- */

struct slow {
	atomic_bool started;
	atomic_bool released;
	atomic_bool in_time;
};

static int32_t run_slowly(void *user_data)
{
	struct slow *slow = user_data;

	atomic_store(&slow->started, true);
	atomic_store(&slow->in_time,
		     conform_until(&slow->released));
	return 0;
}

static int32_t release_slow(void *user_data)
{
	struct slow *slow = user_data;

	atomic_store(&slow->released, true);
	return 0;
}

static void slow_one(struct conform *c)
{
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	static struct slow slow;

	NEED(plait_queue_call(queue, run_slowly, &slow, ERR));
	HOLDS(conform_until(&slow.started));
	NEED(plait_queue_call(other, release_slow, &slow, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS_THAT(atomic_load(&slow.in_time),
		   "another queue runs while a function takes its time");
}

struct answer {
	plait_inbox *inbox;
	uint64_t id;
	int64_t result;
	plait_status status;
	plait_status twice;
};

static void answer(void *argument)
{
	struct answer *own = argument;

	own->status = plait_inbox_answer(own->inbox, own->id, own->result,
					    own->result ? "it was too cold" :
					    NULL, NULL);
	own->twice = plait_inbox_answer(own->inbox, own->id, 0, NULL,
					   NULL);
}

/* Pull the call, and answer it on another thread. */
static void defer(struct conform *c, plait_inbox *inbox, int64_t result)
{
	plait_event event = { .size = sizeof(event) };
	struct answer own = { .inbox = inbox, .result = result };

	NEED(plait_inbox_wait(inbox, PLAIT_FOREVER, ERR));
	NEED(plait_inbox_next(inbox, &event, ERR));
	HOLDS(event.kind == PLAIT_EVENT_CALL && event.id != 0);
	HOLDS(event.user_data == inbox && event.function == NULL);
	own.id = event.id;
	conform_join(conform_start(c, answer, &own));
	HOLDS(own.status == PLAIT_OK);
	HOLDS(own.twice == PLAIT_E_INVALID);
}

/* Waits on another thread: on the owner's the call would end the wait. */
struct aside {
	plait_queue *queue;
	plait_status status;
};

static void finish_aside(void *argument)
{
	struct aside *aside = argument;

	aside->status = plait_queue_finish(aside->queue, PLAIT_FOREVER, NULL);
}

static void deferred(struct conform *c)
{
	struct aside aside = { 0 };
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	plait_inbox *inbox = conform_inbox(c);
	static atomic_int behind, beside;
	plait_command call = conform_call(NULL, inbox);

	call.flags = 0;
	call.inbox = inbox;
	NEED(plait_queue_submit(queue, &call, 1, NULL, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &behind, ERR));
	NEED(plait_inbox_wait(inbox, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&behind) == 0);
	defer(c, inbox, 0);
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&behind) == 1);

	NEED(plait_queue_submit(queue, &call, 1, NULL, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &behind, ERR));
	NEED(plait_queue_call(other, conform_count_up, &beside, ERR));
	aside.queue = other;
	conform_join(conform_start(c, finish_aside, &aside));
	HOLDS(aside.status == PLAIT_OK && atomic_load(&beside) == 1);
	defer(c, inbox, -77);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	SAYS(-77, "it was too cold");
	HOLDS(atomic_load(&behind) == 1);
}

/* --- H7, H8 -------------------------------------------------------------- */

struct outlook {
	pthread_t creator;
	atomic_int runs;
	atomic_int modes;
	atomic_int unblocked;
	atomic_int stack;
};

/* Use enough stack to detect one of only a few pages. */
static int32_t use_stack(void)
{
	volatile char deep[128 << 10];
	int32_t sum = 0;

	for (size_t i = 0; i < sizeof(deep); i += 512)
		deep[i] = (char)i;
	for (size_t i = 0; i < sizeof(deep); i += 512)
		sum += deep[i] != (char)i;
	return sum;
}

static bool modes_are_clean(void)
{
	fenv_t now;

	fegetenv(&now);
#if defined(__x86_64__)
	if ((now.__mxcsr & ~0x3fu) != 0x1f80 || now.__control_word != 0x37f)
		return false;
#endif
	return fegetround() == FE_TONEAREST;
}

static int32_t look_out(void *user_data)
{
	static const int asynchronous[] = { SIGINT, SIGTERM, SIGALRM, SIGHUP,
					    SIGUSR1, SIGUSR2, SIGCHLD };
	struct outlook *look = user_data;
	sigset_t mask;

	atomic_fetch_add(&look->runs, 1);
	if (!modes_are_clean())
		atomic_fetch_add(&look->modes, 1);
	if (use_stack() != 0)
		atomic_fetch_add(&look->stack, 1);
	if (pthread_equal(pthread_self(), look->creator))
		return 0;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < CONFORM_COUNT(asynchronous); i++)
		if (!sigismember(&mask, asynchronous[i])) {
			atomic_fetch_add(&look->unblocked, 1);
			break;
		}
	return 0;
}

static void clean_thread(struct conform *c)
{
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	static struct outlook look;

	look.creator = pthread_self();
	for (int i = 0; i < 50; i++) {
		NEED(plait_queue_call(queue, look_out, &look, ERR));
		NEED(plait_queue_call(other, look_out, &look, ERR));
	}
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(other, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&look.runs) == 100);
	HOLDS_THAT(atomic_load(&look.modes) == 0,
		   "floating point modes are the usual: not in %d of 100",
		   atomic_load(&look.modes));
	HOLDS_THAT(atomic_load(&look.unblocked) == 0,
		   "asynchronous signals are blocked on workers: not in %d "
		   "of 100", atomic_load(&look.unblocked));
	HOLDS(atomic_load(&look.stack) == 0);
}

struct owner {
	pthread_t thread;
	int runs;
	int strangers;
};

static int32_t run_by_owner(void *user_data)
{
	struct owner *owner = user_data;

	owner->runs++;
	owner->strangers += !pthread_equal(pthread_self(), owner->thread);
	return 0;
}

static void owned(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_inbox *inbox = conform_inbox(c);
	static struct owner owner;
	plait_command call = conform_call(run_by_owner, &owner);

	owner.thread = pthread_self();
	call.flags = 0;
	call.inbox = inbox;
	for (int i = 0; i < 100; i++)
		NEED(plait_queue_submit(queue, &call, 1, NULL, ERR));
	/* Waiting serves the inbox. */
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS(owner.runs == 100 && owner.strangers == 0);
	/* Neither PLAIT_CALL_ANY_THREAD nor an inbox: no thread may run it. */
	call.inbox = NULL;
	GIVES(plait_queue_submit(queue, &call, 1, NULL, ERR),
	      PLAIT_E_INVALID);
}

/* --- H9 ------------------------------------------------------------------ */

/* More than there are worker threads, so that each loss shows. */
enum { LEAVERS = 8 };

struct leaving {
	plait_queue *queue;
	plait_signal *signal;
	atomic_int behind;
	plait_status status; /* PLAIT_PENDING: the waiting thread itself ended */
};

__attribute__((noreturn)) static int32_t leave(void *unused)
{
	pthread_exit(unused);
}

/* The waiting thread may itself run the function. */
static void wait_for_leaver(void *argument)
{
	struct leaving *own = argument;
	plait_command batch[] = {
		conform_call(leave, NULL),
		conform_call(conform_count_up, &own->behind),
		conform_emit(own->signal),
	};
	plait_status status;

	batch[0].label = "the leaver";
	status = plait_queue_submit(own->queue, batch, 3, NULL, NULL);
	if (status == PLAIT_OK)
		status = plait_queue_finish(own->queue, PLAIT_FOREVER, NULL);
	own->status = status;
}

static void leaver(struct conform *c)
{
	static struct leaving own;
	static atomic_int after;
	plait_queue *other = conform_queue(c);

	own.queue = conform_queue(c);
	own.signal = conform_signal(c);
	for (uint64_t i = 1; i <= LEAVERS; i++) {
		own.status = PLAIT_PENDING;
		conform_join(conform_start(c, wait_for_leaver, &own));
		if (own.status == PLAIT_PENDING)
			own.status = plait_queue_finish(own.queue,
							PLAIT_FOREVER, NULL);
		HOLDS_THAT(own.status == PLAIT_E_FAILED,
			   "a function that ends its thread has failed: %s",
			   plait_status_name(own.status));
		GIVES(plait_signal_wait(own.signal, i, PLAIT_FOREVER, ERR),
		      PLAIT_E_FAILED);
		HOLDS_THAT(strstr(c->error.text, "the leaver") != NULL,
			   "the failure names the command: \"%s\"",
			   c->error.text);
		NEED(plait_signal_reset(own.signal, ERR));
	}
	HOLDS(atomic_load(&own.behind) == 0);
	NEED(plait_queue_call(own.queue, conform_count_up, &after, ERR));
	NEED(plait_queue_call(other, conform_count_up, &after, ERR));
	NEED(plait_queue_finish(own.queue, PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(other, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&after) == 2);
}

static const struct conform_check checks[] = {
	{ "H1", "functions run exactly once with their arguments", 0,
	  exactly_once },
	{ "H2", "functions run behind what is before, before what is behind",
	  0, between },
	{ "H3", "a function's error is reported with its value", 0,
	  error_value },
	{ "H4", "functions may submit; waiting inside is a deadlock error",
	  0, inside },
	{ "H5", "a slow function does not stall other queues", NEED_PARALLEL,
	  slow_one },
	{ "H6", "a call is answered later, from another thread",
	  NEED_NOTIFY | NEED_GATE, deferred },
	{ "H7", "functions find clean modes, blocked signals, a stack", 0,
	  clean_thread },
	{ "H8", "a function for an inbox runs on its owner's thread",
	  NEED_NOTIFY | NEED_GATE, owned },
	{ "H9", "a function that ends its thread has failed", 0, leaver },
};

CONFORM_GROUP(conform_calls, "Host functions");
