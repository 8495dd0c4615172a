/* SPDX-License-Identifier: MIT */
/* Inboxes: owners, events, calls, exactly once, closing, waiting. */
#include <poll.h>

#include "lib/objects.h"

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

static plait_inbox *make_inbox(struct rig *rig)
{
	plait_inbox *inbox;

	OK(plait_inbox_create(rig->context, &inbox, &rig->error) == PLAIT_OK);
	return inbox;
}

static plait_status submit_call(struct rig *rig, plait_inbox *inbox,
				plait_host_function function, void *user_data)
{
	plait_command command = { .size = sizeof(command),
				  .kind = PLAIT_COMMAND_CALL,
				  .inbox = inbox, .function = function,
				  .user_data = user_data, .label = "mine" };

	return plait_queue_submit(rig->queue, &command, 1, NULL, &rig->error);
}

static plait_status next(plait_inbox *inbox, plait_event *event)
{
	memset(event, 0xee, sizeof(*event));
	event->size = sizeof(*event);
	return plait_inbox_next(inbox, event, NULL);
}

static bool is_readable(plait_inbox *inbox)
{
	struct pollfd poll_fd = { .events = POLLIN };

	OK(plait_inbox_descriptor(inbox, &poll_fd.fd, NULL) == PLAIT_OK);
	return poll(&poll_fd, 1, 0) == 1;
}

/* --- pull, pump, wait */

static void pulls(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		plait_event event;
		int user;

		IS_INT(next(inbox, &event), PLAIT_PENDING);
		IS_INT(event.kind, 0);
		OK(!is_readable(inbox));
		IS_INT(submit_call(rig, inbox, NULL, &user), PLAIT_OK);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig->error),
		       PLAIT_OK);
		OK(is_readable(inbox));
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_EVENT_READY);
		IS_INT(plait_queue_finish(rig->queue, 0, NULL),
		       PLAIT_EVENT_READY);
		IS_INT(next(inbox, &event), PLAIT_OK);
		OK(!is_readable(inbox));
		IS_UINT(event.size, sizeof(event));
		IS_INT(event.kind, PLAIT_EVENT_CALL);
		OK(event.id != 0 && event.id < (uint64_t)1 << 53);
		IS_PTR(event.user_data, &user);
		IS_INT(event.status, PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, 1000000, NULL),
		       PLAIT_E_TIMEOUT);
		IS_INT(plait_inbox_answer(inbox, event.id + 1, 0, NULL,
					     &rig->error), PLAIT_E_INVALID);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_E_INVALID);
		IS_INT(plait_inbox_answer(inbox, 0, 0, NULL, NULL),
		       PLAIT_E_INVALID);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_wait(inbox, 0, NULL), PLAIT_E_TIMEOUT);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

/* No wait at all: also a device that needs a pump gets on by polling. */
static void polls(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		plait_status status = PLAIT_PENDING;
		plait_event event;
		uint64_t since = 0;

		IS_INT(submit_call(rig, inbox, NULL, NULL), PLAIT_OK);
		while (status == PLAIT_PENDING && !tap_late(&since))
			status = next(inbox, &event);
		IS_INT(status, PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

static void pumps(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		uint64_t done;
		int count = 0;
		int i;

		/* A wait on the owner's thread serves the inbox. */
		for (i = 0; i < 100; i++)
			submit_call(rig, inbox, add_one, &count);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(count, 100);
		/* A queue has one at a time, so pump finds one at most. */
		submit_call(rig, inbox, add_one, &count);
		submit_call(rig, inbox, NULL, NULL);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(plait_inbox_pump(inbox, 0, &done, NULL), PLAIT_OK);
		IS_UINT(done, 1);
		IS_INT(count, 101);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(plait_inbox_pump(inbox, 0, &done, NULL),
		       PLAIT_EVENT_READY);
		IS_UINT(done, 0);
		plait_inbox_close(inbox, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_EVENT_READY);
		plait_inbox_release(inbox);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_CANCELLED);
		close_rig(rig);
	}
}

static void answers(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		plait_event event;
		int count = 0;

		submit_call(rig, inbox, return_it, (void *)9);
		submit_call(rig, inbox, add_one, &count);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_STR(rig->error.text, "command \"mine\" failed with 9");
		IS_INT(rig->error.origin, 9);
		IS_INT(count, 0);
		IS_INT(plait_signal_wait(rig->signal, 1, PLAIT_FOREVER,
					 &rig->error), PLAIT_E_FAILED);
		submit_call(rig, inbox, NULL, NULL);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(next(inbox, &event), PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, -3,
					     "LuaError: x is nil", NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_STR(rig->error.text,
		       "command \"mine\": LuaError: x is nil");
		IS_INT(rig->error.origin, -3);
		/* Equal calls work again after a failure. */
		submit_call(rig, inbox, add_one, &count);
		submit_call(rig, inbox, add_one, &count);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 2);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

/* --- functions may call anything */

struct nested {
	struct rig *rig;
	plait_inbox *inbox;
	int depth;
	int wrong;
};

static int32_t nest(void *user_data)
{
	struct nested *nested = user_data;
	plait_queue *queue;
	uint64_t done;
	int count = 0;

	if (++nested->depth < 4) {
		/* A queue of its own: this one waits for its inbox. */
		plait_queue_create(nested->rig->device, NULL, &queue, NULL);
		plait_command command = { .size = sizeof(command),
					  .kind = PLAIT_COMMAND_CALL,
					  .inbox = nested->inbox,
					  .function = nest,
					  .user_data = nested };

		plait_queue_submit(queue, &command, 1, NULL, NULL);
		nested->wrong += plait_queue_finish(queue, PLAIT_FOREVER,
						    NULL) != PLAIT_OK;
		plait_queue_call(queue, add_one, &count, NULL);
		nested->wrong += plait_queue_finish(queue, PLAIT_FOREVER,
						    NULL) != PLAIT_OK;
		nested->wrong += count != 1;
		plait_queue_release(queue);
	}
	nested->wrong += plait_inbox_pump(nested->inbox, 0, &done, NULL) != 0;
	nested->wrong += plait_inbox_adopt(nested->inbox, NULL) != PLAIT_OK;
	return 0;
}

static void nests(void)
{
	EACH(rig) {
		struct nested nested = { rig, make_inbox(rig), 0, 0 };

		submit_call(rig, nested.inbox, nest, &nested);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(nested.depth, 4);
		IS_INT(nested.wrong, 0);
		plait_inbox_release(nested.inbox);
		close_rig(rig);
	}
}

static int32_t end_it(void *user_data)
{
	plait_inbox_close(user_data, NULL);
	plait_inbox_release(user_data);
	return 0;
}

static void ends_inside(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);

		submit_call(rig, inbox, end_it, inbox);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_CANCELLED);
		close_rig(rig);
	}
}

/* --- owners */

struct thief {
	plait_inbox *inbox;
	plait_status took, pumped, waited, adopted, then;
	uint64_t kept;
	plait_error error;
};

static void *steal(void *arg)
{
	struct thief *thief = arg;
	plait_event event = { .size = sizeof(event), .sequence = 77 };

	thief->error.size = sizeof(thief->error);
	thief->took = plait_inbox_next(thief->inbox, &event, &thief->error);
	thief->kept = event.sequence;
	thief->pumped = plait_inbox_pump(thief->inbox, 0, NULL, NULL);
	thief->waited = plait_inbox_wait(thief->inbox, 0, NULL);
	thief->adopted = plait_inbox_adopt(thief->inbox, NULL);
	thief->then = plait_inbox_next(thief->inbox, &event, NULL);
	return NULL;
}

static void run_thief(struct thief *thief)
{
	pthread_t thread;

	pthread_create(&thread, NULL, steal, thief);
	pthread_join(thread, NULL);
}

static int32_t let_steal(void *user_data)
{
	run_thief(user_data);
	return 0;
}

static void owners(void)
{
	EACH(rig) {
		struct thief thief = { .inbox = make_inbox(rig) };
		struct thief inside = { .inbox = thief.inbox };
		plait_event event;

		submit_call(rig, thief.inbox, let_steal, &inside);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(inside.adopted, PLAIT_E_BUSY);
		IS_INT(inside.then, PLAIT_E_THREAD);
		run_thief(&thief);
		IS_INT(thief.took, PLAIT_E_THREAD);
		/* A rejected caller's memory is not written. */
		IS_UINT(thief.kept, 77);
		HAS_STR(thief.error.text, "belongs to thread ");
		HAS_STR(thief.error.text, "this is thread ");
		IS_INT(thief.pumped, PLAIT_E_THREAD);
		IS_INT(thief.waited, PLAIT_E_THREAD);
		IS_INT(thief.adopted, PLAIT_OK);
		IS_INT(thief.then, PLAIT_PENDING);
		IS_INT(next(thief.inbox, &event), PLAIT_E_THREAD);
		IS_INT(plait_inbox_adopt(thief.inbox, NULL), PLAIT_OK);
		IS_INT(next(thief.inbox, &event), PLAIT_PENDING);
		plait_inbox_release(thief.inbox);
		close_rig(rig);
	}
}

/* --- notifications, exactly once */

static void notifies(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		plait_event event;
		char text[256];
		int count = 0;
		int i;

		/* Nothing emitted yet: 0 has happened. */
		IS_INT(plait_signal_notify(rig->signal, 0, inbox, NULL, NULL,
					   NULL), PLAIT_OK);
		IS_INT(plait_signal_notify(rig->signal, 1, inbox, NULL, NULL,
					   NULL), PLAIT_E_INVALID);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(next(inbox, &event), PLAIT_OK);
		IS_INT(event.kind, PLAIT_EVENT_SIGNAL);
		IS_PTR(event.signal, rig->signal);
		/* With a function: run by any waiting thread, or pump. */
		plait_queue_wait(rig->queue, rig->gate, 1, NULL);
		for (i = 0; i < 10; i++) {
			plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
			plait_signal_notify(rig->signal, 0, inbox, add_one,
					    &count, NULL);
		}
		IS_INT(next(inbox, &event), PLAIT_PENDING);
		plait_signal_raise(rig->gate, 1, NULL);
		plait_signal_wait(rig->signal, 0, PLAIT_FOREVER, NULL);
		while (count < 10 && plait_inbox_wait(inbox, PLAIT_FOREVER,
						      NULL) == PLAIT_OK)
			plait_inbox_pump(inbox, 0, NULL, NULL);
		IS_INT(count, 10);
		/* A failed one says why. */
		plait_queue_call(rig->queue, return_it, (void *)4, NULL);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		plait_signal_notify(rig->signal, 0, inbox, NULL, NULL, NULL);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(next(inbox, &event), PLAIT_OK);
		IS_INT(event.status, PLAIT_E_FAILED);
		IS_INT(event.origin, 4);
		IS_UINT(event.sequence, 11);
		IS_INT(plait_error_detail(event.detail, text, sizeof(text),
					  NULL), PLAIT_OK);
		HAS_STR(text, "4");
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

static void closes(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		plait_event event;
		int kinds[4] = { 0 };
		int i;

		/* One taken, one that waits behind it, ten requested. */
		submit_call(rig, inbox, NULL, NULL);
		submit_call(rig, inbox, NULL, NULL);
		for (i = 0; i < 10; i++)
			plait_signal_notify(rig->gate, 100 + (uint64_t)i, inbox,
					    NULL, NULL, NULL);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(next(inbox, &event), PLAIT_OK);
		IS_INT(plait_inbox_close(inbox, NULL), PLAIT_OK);
		IS_INT(plait_inbox_close(inbox, NULL), PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_E_INVALID);
		OK(is_readable(inbox));
		while (next(inbox, &event) == PLAIT_OK) {
			kinds[event.kind]++;
			if (event.status != PLAIT_E_CANCELLED)
				OK_THAT(false, "status %d", event.status);
		}
		IS_INT(kinds[PLAIT_EVENT_CALL], 1);
		IS_INT(kinds[PLAIT_EVENT_SIGNAL], 10);
		IS_INT(next(inbox, &event), PLAIT_E_STATE);
		IS_INT(plait_inbox_wait(inbox, 0, NULL), PLAIT_E_STATE);
		OK(!is_readable(inbox));
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_CANCELLED);
		HAS_STR(rig->error.text, "inbox was closed");
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(submit_call(rig, inbox, NULL, NULL), PLAIT_E_STATE);
		IS_INT(plait_signal_notify(rig->gate, 1, inbox, NULL, NULL,
					   NULL), PLAIT_E_STATE);
		/* Late events are delivered to no inbox. */
		plait_signal_raise(rig->gate, 200, NULL);
		IS_INT(next(inbox, &event), PLAIT_E_STATE);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

/* A function of a cancelled call is not run; of a notification it is. */
static void closed_functions(void)
{
	EACH(rig) {
		plait_inbox *inbox = make_inbox(rig);
		uint64_t done;
		int count = 0;

		plait_queue_wait(rig->queue, rig->gate, 1, NULL);
		submit_call(rig, inbox, add_one, &count);
		plait_signal_notify(rig->gate, 7, inbox, add_one, &count,
				    NULL);
		plait_inbox_close(inbox, NULL);
		IS_INT(plait_inbox_pump(inbox, 0, &done, NULL), PLAIT_OK);
		IS_UINT(done, 2);
		IS_INT(count, 1);
		plait_inbox_release(inbox);
		plait_signal_raise(rig->gate, 1, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_CANCELLED);
		close_rig(rig);
	}
}

/* --- another thread waits for work that the owner has to run */

struct finisher {
	struct rig *rig;
	plait_status status;
	int done;
};

static void *finish(void *arg)
{
	struct finisher *finisher = arg;

	finisher->status = plait_queue_finish(finisher->rig->queue,
					      PLAIT_FOREVER, NULL);
	__atomic_store_n(&finisher->done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void others_wait(void)
{
	EACH(rig) {
		struct finisher finisher = { rig, PLAIT_PENDING, 0 };
		plait_inbox *inbox = make_inbox(rig);
		pthread_t thread;
		int count = 0;
		int i;

		if (strcmp(rig->backend, "chaos") == 0) {
			/* A wait on the simulated clock ends at once. */
			plait_inbox_release(inbox);
			close_rig(rig);
			continue;
		}
		for (i = 0; i < 20; i++)
			submit_call(rig, inbox, add_one, &count);
		pthread_create(&thread, NULL, finish, &finisher);
		while (__atomic_load_n(&finisher.done, __ATOMIC_SEQ_CST) == 0)
			if (plait_inbox_wait(inbox, 1000000, NULL) == PLAIT_OK)
				plait_inbox_pump(inbox, 0, NULL, NULL);
		pthread_join(thread, NULL);
		IS_INT(finisher.status, PLAIT_OK);
		IS_INT(count, 20);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

/* --- a loop of waits that run out costs no memory */

struct ledger {
	uint64_t live;
	uint64_t calls;
};

static void *count_memory(void *user_data, void *pointer, uint64_t old_bytes,
			  uint64_t new_bytes)
{
	struct ledger *ledger = user_data;

	__atomic_add_fetch(&ledger->live, new_bytes - (pointer ? old_bytes : 0),
			   __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&ledger->calls, 1, __ATOMIC_SEQ_CST);
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static void one_round(struct rig *rig, plait_inbox *inbox,
		      plait_buffer *buffer, int *count)
{
	plait_queue_fill(rig->queue, buffer, 0, 64, 1, 1, NULL);
	plait_queue_call(rig->queue, add_one, count, NULL);
	submit_call(rig, inbox, add_one, count);
	plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
	plait_queue_wait(rig->queue, rig->signal, 0, NULL);
	plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL);
}

static void no_growth(void)
{
	struct ledger ledger = { 0, 0 };
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = count_memory,
				      .user_data = &ledger };
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = "host",
				    .allocator = &allocator };
	struct rig rig = { .backend = "host" };
	plait_signal_desc gate = { .size = sizeof(gate),
				   .flags = PLAIT_SIGNAL_GATE };
	plait_buffer *buffer;
	plait_inbox *inbox;
	uint64_t live = 0, now, calls = 0, since = 0;
	int count = 0, i;

	unsetenv("PLAIT_WRAP"); /* Interposers keep records of their own. */
	unsetenv("PLAIT_CHECK");
	IS_INT(plait_context_open(&desc, &rig.context, &rig.error), PLAIT_OK);
	plait_context_device(rig.context, 0, &rig.device, NULL);
	plait_queue_create(rig.device, NULL, &rig.queue, NULL);
	plait_signal_create(rig.device, NULL, &rig.signal, NULL);
	plait_signal_create(rig.device, &gate, &rig.gate, NULL);
	buffer = make_buffer(&rig, 64, NULL);
	inbox = make_inbox(&rig);
	for (i = 0; i < 2200; i++) {
		if (i == 200) {
			live = __atomic_load_n(&ledger.live, __ATOMIC_SEQ_CST);
			calls = __atomic_load_n(&ledger.calls,
						__ATOMIC_SEQ_CST);
		}
		if (i % 10 == 0)
			plait_signal_wait(rig.gate, 1, 1000, NULL);
		one_round(&rig, inbox, buffer, &count);
	}
	IS_INT(count, 4400);
	/* A notification may be on its way back, and the pool may need one more
	 * segment; growth with the rounds would be far more. */
	now = __atomic_load_n(&ledger.live, __ATOMIC_SEQ_CST);
	OK_THAT(now <= live + 16384, "%llu bytes, then %llu",
		(unsigned long long)live, (unsigned long long)now);
	calls = __atomic_load_n(&ledger.calls, __ATOMIC_SEQ_CST) - calls;
	/* The pool allocates for each call of an inbox and for some waits. */
	OK_THAT(calls <= 4 * 2000 + 100, "%llu calls of the allocator",
		(unsigned long long)calls);
	plait_inbox_release(inbox);
	plait_buffer_release(buffer);
	close_rig(&rig);
	while (__atomic_load_n(&ledger.live, __ATOMIC_SEQ_CST) != 0 &&
	       !tap_late(&since))
		pause_a_little();
	IS_UINT(ledger.live, 0);
}

static const struct tap_scenario all[] = {
	{ "pulls", pulls },
	{ "polls", polls },
	{ "pumps", pumps },
	{ "answers", answers },
	{ "nests", nests },
	{ "ends inside", ends_inside },
	{ "owners", owners },
	{ "notifies", notifies },
	{ "closes", closes },
	{ "closed functions", closed_functions },
	{ "others wait", others_wait },
	{ "no growth", no_growth },
};

TAP_MAIN(all)
