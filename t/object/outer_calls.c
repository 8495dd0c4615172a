/* SPDX-License-Identifier: MIT */
/*
 * Functions of an inbox that would wait for the command whose function they are:
 * each wait is refused, and what it waits for goes on behind the function.
 */
#include "lib/objects.h"

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

static const uint64_t timeouts[] = { 1, 3600000000000, PLAIT_FOREVER };

struct inside {
	struct rig *rig;
	plait_inbox *inbox;
	plait_queue *other;
	plait_signal *behind; /* emitted behind the command */
	plait_buffer *buffer;
	int32_t result;
	int calls;
};

static void begin(struct inside *inside, struct rig *rig)
{
	*inside = (struct inside){ .rig = rig };
	IS_INT(plait_inbox_create(rig->context, &inside->inbox, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(rig->device, NULL, &inside->other,
				  &rig->error), PLAIT_OK);
	IS_INT(plait_signal_create(rig->device, NULL, &inside->behind,
				   &rig->error), PLAIT_OK);
	inside->buffer = make_buffer(rig, 8, "b");
}

static void end(struct inside *inside)
{
	plait_buffer_release(inside->buffer);
	plait_signal_release(inside->behind);
	plait_queue_release(inside->other);
	plait_inbox_release(inside->inbox);
	close_rig(inside->rig);
}

static plait_status submit(struct inside *inside, plait_queue *queue,
			   plait_host_function function)
{
	const plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.inbox = inside->inbox, .function = function,
		.user_data = inside,
	};

	return plait_queue_submit(queue, &command, 1, NULL,
				  &inside->rig->error);
}

/* ---- waits for the queue ---- */

static int32_t try_queue(void *user_data)
{
	struct inside *inside = user_data;
	struct rig *rig = inside->rig;
	uint64_t word = 3;

	for (size_t i = 0; i < TAP_COUNT(timeouts); i++)
		REFUSED(plait_queue_finish(rig->queue, timeouts[i],
					   &rig->error),
			PLAIT_E_DEADLOCK, "has to end first");
	HAS_STR(rig->error.text, "queue \"q\"");
	IS_INT(plait_queue_finish(rig->queue, 0, &rig->error),
	       PLAIT_E_TIMEOUT);
	REFUSED(plait_queue_read(rig->queue, inside->buffer, 0, &word, 8,
				 &rig->error),
		PLAIT_E_DEADLOCK, "has to end first");
	REFUSED(plait_queue_write(rig->queue, inside->buffer, 0, &word, 8,
				  &rig->error),
		PLAIT_E_DEADLOCK, "has to end first");
	/* Another queue may be waited for. */
	IS_INT(plait_queue_fill(inside->other, inside->buffer, 0, 8, 5, 1,
				&rig->error), PLAIT_OK);
	IS_INT(plait_queue_read(inside->other, inside->buffer, 0, &word, 8,
				&rig->error), PLAIT_OK);
	IS_UINT(word, 0x0505050505050505);
	inside->calls++;
	return inside->result;
}

static void queues(void)
{
	EACH(rig) {
		struct inside inside;

		begin(&inside, rig);
		IS_INT(submit(&inside, rig->queue, try_queue), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		inside.result = 4;
		IS_INT(submit(&inside, rig->queue, try_queue), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_INT(inside.calls, 2);
		end(&inside);
	}
}

/* Its function is run inside of the wait for `other`. */
static int32_t wait_for_outer(void *user_data)
{
	struct inside *inside = user_data;
	struct rig *rig = inside->rig;

	REFUSED(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
		PLAIT_E_DEADLOCK, "queue \"q\"");
	REFUSED(plait_queue_finish(inside->other, PLAIT_FOREVER, &rig->error),
		PLAIT_E_DEADLOCK, "has to end first");
	inside->calls++;
	return 0;
}

static int32_t wait_for_other(void *user_data)
{
	struct inside *inside = user_data;

	IS_INT(plait_signal_raise(inside->rig->gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_queue_finish(inside->other, PLAIT_FOREVER,
				  &inside->rig->error), PLAIT_OK);
	return 0;
}

static void nested(void)
{
	EACH(rig) {
		struct inside inside;

		begin(&inside, rig);
		IS_INT(plait_queue_wait(inside.other, rig->gate, 1, NULL),
		       PLAIT_OK);
		IS_INT(submit(&inside, inside.other, wait_for_outer),
		       PLAIT_OK);
		IS_INT(submit(&inside, rig->queue, wait_for_other), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(inside.calls, 1);
		end(&inside);
	}
}

/* ---- waits for emissions ---- */

static int32_t try_signal(void *user_data)
{
	struct inside *inside = user_data;
	struct rig *rig = inside->rig;
	plait_point points[2] = { { inside->behind, 1 }, { rig->signal, 1 } };
	uint64_t index = 9;

	REFUSED(plait_signal_wait(inside->behind, 1, PLAIT_FOREVER,
				  &rig->error),
		PLAIT_E_DEADLOCK, "behind it in the same queue");
	REFUSED(plait_signal_wait(inside->behind, 0, 5, &rig->error),
		PLAIT_E_DEADLOCK, "has to end first");
	IS_INT(plait_signal_wait(inside->behind, 1, 0, &rig->error),
	       PLAIT_E_TIMEOUT);
	REFUSED(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL,
					 PLAIT_FOREVER, NULL, &rig->error),
		PLAIT_E_DEADLOCK, "has to end first");
	/* The queue has made this emission in front of the command. */
	IS_INT(plait_signal_wait(rig->signal, 1, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ANY,
					PLAIT_FOREVER, &index, &rig->error),
	       PLAIT_OK);
	IS_UINT(index, 1);
	inside->calls++;
	return 0;
}

static void signals(void)
{
	EACH(rig) {
		struct inside inside;

		begin(&inside, rig);
		IS_INT(plait_queue_emit(rig->queue, rig->signal, NULL, NULL),
		       PLAIT_OK);
		IS_INT(submit(&inside, rig->queue, try_signal), PLAIT_OK);
		IS_INT(plait_queue_emit(rig->queue, inside.behind, NULL, NULL),
		       PLAIT_OK);
		IS_INT(plait_signal_wait(inside.behind, 1, PLAIT_FOREVER,
					 &rig->error), PLAIT_OK);
		IS_INT(inside.calls, 1);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		end(&inside);
	}
}

/* ---- a closed inbox ---- */

/* The command has failed by then, and the queue goes on. */
static int32_t close_then_finish(void *user_data)
{
	struct inside *inside = user_data;

	IS_INT(plait_inbox_close(inside->inbox, NULL), PLAIT_OK);
	IS_INT(plait_queue_finish(inside->rig->queue, PLAIT_FOREVER,
				  &inside->rig->error), PLAIT_E_CANCELLED);
	inside->calls++;
	return 0;
}

static void closed(void)
{
	EACH(rig) {
		struct inside inside;

		begin(&inside, rig);
		IS_INT(submit(&inside, rig->queue, close_then_finish),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(inside.calls, 1);
		end(&inside);
	}
}

/* ---- the end of the context ---- */

static int32_t try_close(void *user_data)
{
	struct inside *inside = user_data;
	struct rig *rig = inside->rig;

	for (size_t i = 0; i < TAP_COUNT(timeouts); i++)
		REFUSED(plait_context_close(rig->context, timeouts[i],
					    &rig->error),
			PLAIT_E_DEADLOCK, "host function");
	inside->calls++;
	return 0;
}

static void contexts(void)
{
	EACH(rig) {
		struct inside inside;
		uint64_t emitted;

		begin(&inside, rig);
		IS_INT(submit(&inside, rig->queue, try_close), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		/* The function of an event is no command. */
		IS_INT(plait_queue_emit(rig->queue, rig->signal, &emitted,
					NULL), PLAIT_OK);
		IS_INT(plait_signal_notify(rig->signal, emitted, inside.inbox,
					   try_close, &inside, &rig->error),
		       PLAIT_OK);
		IS_INT(plait_inbox_wait(inside.inbox, PLAIT_FOREVER,
					&rig->error), PLAIT_OK);
		IS_INT(plait_inbox_pump(inside.inbox, 0, NULL, NULL),
		       PLAIT_OK);
		IS_INT(inside.calls, 2);
		end(&inside);
	}
}

/* ---- PLAIT_CONTEXT_SYNC ---- */

/* A submission behind the function does not wait. */
static int32_t submit_more(void *user_data)
{
	struct inside *inside = user_data;

	IS_INT(plait_queue_call(inside->rig->queue, add_one, &inside->calls,
				&inside->rig->error), PLAIT_OK);
	IS_INT(inside->calls, 0);
	IS_INT(plait_queue_call(inside->other, add_one, &inside->calls,
				&inside->rig->error), PLAIT_OK);
	IS_INT(inside->calls, 1);
	return 0;
}

static void sync(void)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		struct inside inside;

		rig.flags |= PLAIT_CONTEXT_SYNC;
		if (!open_rig(&rig))
			continue;
		begin(&inside, &rig);
		IS_INT(submit(&inside, rig.queue, submit_more), PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
		IS_INT(inside.calls, 2);
		end(&inside);
	}
}

static const struct tap_scenario all[] = {
	{ "queues", queues },
	{ "nested", nested },
	{ "signals", signals },
	{ "closed", closed },
	{ "contexts", contexts },
	{ "sync", sync },
};
TAP_MAIN(all)
