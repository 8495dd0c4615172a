/* SPDX-License-Identifier: MIT */
/*
 * Releases while another thread is inside a call: misuse, but no object in use
 * is destroyed.  The test enters below the API, to be inside at the release.
 */
#include "lib/objects.h"

#include "object/queue/internal_commands.h"
#include "object/queue/submission.h"

#include "sys/clock.h"

/* The queue gets work after its release, by a thread that was inside. */
static void work_after_release(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		plait_command commands[3] = {
			{ .size = sizeof(commands[0]),
			  .kind = PLAIT_COMMAND_WAIT, .sequence = 1 },
			{ .kind = PLAIT_COMMAND_CALL,
			  .flags = PLAIT_CALL_ANY_THREAD,
			  .function = add_one },
			{ .kind = PLAIT_COMMAND_EMIT }
		};
		plait__queue *inside;
		uint64_t sequence;
		int ran = 0;

		if (!open_rig(rig))
			continue;
		commands[0].signal = rig->gate;
		commands[1].user_data = &ran;
		commands[2].signal = rig->signal;
		IS_INT(plait__queue_enter(rig->queue, &inside, NULL),
		       PLAIT_OK);
		plait_queue_release(rig->queue);
		IS_INT(plait__submission_submit_array(inside, commands, 3, false,
						      &sequence, NULL),
		       PLAIT_OK);
		/* The last one out: it must neither wait nor destroy. */
		plait__object_leave(&inside->object);
		IS_UINT(plait_live_count(PLAIT_OBJECT_QUEUE), 1);
		IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
		IS_INT(plait_signal_wait(rig->signal, sequence, PLAIT_FOREVER,
					 NULL), PLAIT_OK);
		IS_INT(ran, 1);
		rig->queue = NULL;
		close_rig(rig);
	}
}

/* Under the lock: the context's reclaim thread may use it, too. */
static int count_pending(plait__context *context)
{
	const plait__reclaim_entry *entry;
	int count = 0;

	plait__mutex_lock(&context->lock);
	for (entry = context->first_entry; entry != NULL; entry = entry->next)
		count++;
	plait__mutex_unlock(&context->lock);
	return count;
}

/* A reclaim examines pending objects, not all that exist. */
static void idle_queues_cost_nothing(void)
{
	enum { MANY = 50 };
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		plait_queue *many[MANY];
		plait__context *inside = NULL;
		plait_buffer *buffer;
		int i;

		if (!open_rig(rig))
			continue;
		for (i = 0; i < MANY; i++)
			plait_queue_create(rig->device, NULL, &many[i], NULL);
		buffer = make_buffer(rig, 8, NULL);
		plait__context_enter(rig->context, &inside, NULL);
		IS_INT(count_pending(inside), 0);
		plait_queue_wait(many[7], rig->gate, 1, NULL);
		plait_queue_fill(many[7], buffer, 0, 8, 1, 1, NULL);
		plait_buffer_release(buffer);
		IS_INT(count_pending(inside), 1);
		plait_signal_raise(rig->gate, 1, NULL);
		plait_queue_finish(many[7], PLAIT_FOREVER, NULL);
		plait__reclaim_now(inside);
		IS_INT(count_pending(inside), 0);
		plait__object_leave(&inside->object);
		for (i = 0; i < MANY; i++)
			plait_queue_release(many[i]);
		close_rig(rig);
	}
}

enum { RESTS = 20, REST_NS = 1000000 };

static uint64_t count_looks(plait__context *context)
{
	uint64_t count;

	plait__mutex_lock(&context->reclaim_lock);
	count = context->reclaim_round;
	plait__mutex_unlock(&context->reclaim_lock);
	return count;
}

/*
 * Objects that linger for long, such as those that a plan keeps, make the
 * reclaim thread look now and then, not at each event: it rests between two
 * looks.  How often it is woken meanwhile depends on the machine: one that is
 * and has no processor is woken again.
 */
static void few_reclaims(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		plait_buffer *buffer;
		plait__context *inside;
		uint64_t start_ns, rests, looks;

		if (!open_rig(rig))
			continue;
		buffer = make_buffer(rig, 8, NULL);
		plait_queue_wait(rig->queue, rig->gate, 1, NULL);
		plait_queue_fill(rig->queue, buffer, 0, 8, 1, 1, NULL);
		plait_buffer_release(buffer);
		plait__context_enter(rig->context, &inside, NULL);
		start_ns = plait__clock_now_ns();
		looks = count_looks(inside);
		do
			plait__context_notify_waiters(inside);
		while (plait__clock_now_ns() - start_ns < RESTS * REST_NS);
		looks = count_looks(inside) - looks;
		rests = (plait__clock_now_ns() - start_ns) / REST_NS;
		OK_THAT(looks <= rests + 2, "%llu looks in %llu rests",
			(unsigned long long)looks, (unsigned long long)rests);
		plait__object_leave(&inside->object);
		plait_signal_raise(rig->gate, 1, NULL);
		plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL);
		close_rig(rig);
	}
}

static void nothing_waits(plait_inbox *inbox)
{
	uint64_t count = 9;

	IS_INT(plait_inbox_pump(inbox, 0, &count, NULL), PLAIT_OK);
	IS_UINT(count, 0);
}

/*
 * A call for the owner of an inbox that is cancelled on its way there: a
 * canceller that looks into the inbox, under the lock, finds it before its
 * owner does; one that found nothing there has already set the cancellation.
 */
static void stopped_on_the_way(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		struct plait__mutex lock;
		at_u32 stop;
		int ran = 0;
		plait__call_request wanted = { .function = add_one,
					     .user_data = &ran,
					     .lock = &lock, .stop = &stop };
		plait__queue *queue;
		plait__call *call = NULL;
		plait_inbox *inbox = NULL;

		if (!open_rig(rig))
			continue;
		plait__mutex_init(&lock);
		at_store_relaxed_u32(&stop, 1);
		IS_INT(plait_inbox_create(rig->context, &inbox, NULL),
		       PLAIT_OK);
		plait__inbox_enter(inbox, &wanted.inbox, NULL);
		plait__queue_enter(rig->queue, &queue, NULL);
		IS_INT(plait__internal_submit_call(queue, &wanted, &call, NULL),
		       PLAIT_E_CANCELLED);
		OK(call == NULL);
		IS_INT(plait_queue_finish(rig->queue, 0, NULL), PLAIT_OK);
		nothing_waits(inbox);
		at_store_relaxed_u32(&stop, 0);
		plait_queue_wait(rig->queue, rig->gate, 1, NULL);
		IS_INT(plait__internal_submit_call(queue, &wanted, &call, NULL),
		       PLAIT_OK);
		plait__call_retract(call);
		plait__object_drop(&call->event_record.object);
		plait_signal_raise(rig->gate, 1, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_CANCELLED);
		nothing_waits(inbox);
		IS_INT(ran, 0);
		plait__object_leave(&queue->object);
		plait__object_leave(&wanted.inbox->object);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "idle queues cost nothing", idle_queues_cost_nothing },
	{ "few reclaims while objects linger", few_reclaims },
	{ "work after the release", work_after_release },
	{ "stopped on the way", stopped_on_the_way },
};

TAP_MAIN(all)
