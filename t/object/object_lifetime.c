/* SPDX-License-Identifier: MIT */
/* Lifetimes of objects: any order of release, any thread, work in flight,
 * budgets, views. */
#include "lib/objects.h"

static void wait_gone(void)
{
	OK(all_gone());
}

/* --- order */

enum { PIECES = 6 };

static void release_piece(struct rig *rig, plait_buffer *buffer,
			  plait_inbox *inbox, int piece)
{
	switch (piece) {
	case 0:
		plait_context_release(rig->context);
		break;
	case 1:
		plait_queue_release(rig->queue);
		break;
	case 2:
		plait_signal_release(rig->signal);
		break;
	case 3:
		plait_signal_release(rig->gate);
		break;
	case 4:
		plait_buffer_release(buffer);
		break;
	default:
		plait_inbox_release(inbox);
	}
}

/* Work in flight that waits for a gate uses all of them. */
static void start_work(struct rig *rig, plait_buffer *buffer,
		       plait_inbox *inbox)
{
	const plait_command commands[] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_WAIT,
		  .signal = rig->gate, .sequence = 1 },
		{ .kind = PLAIT_COMMAND_FILL, .target = buffer, .bytes = 64,
		  .pattern_bytes = 1 },
		{ .kind = PLAIT_COMMAND_CALL, .inbox = inbox },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = rig->signal },
	};

	IS_INT(plait_queue_submit(rig->queue, commands, 4, NULL, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_signal_notify(rig->signal, 0, inbox, NULL, NULL,
				   &rig->error), PLAIT_OK);
}

static void one_order(struct rig rig, unsigned order, bool busy)
{
	bool gone[PIECES] = { false };
	plait_buffer *buffer;
	plait_inbox *inbox;
	int left;

	if (!open_rig(&rig))
		return;
	buffer = make_buffer(&rig, 64, NULL);
	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	if (busy)
		start_work(&rig, buffer, inbox);
	for (left = PIECES; left > 0; left--) {
		int skip = (int)(order % (unsigned)left);
		int piece = 0;

		order /= (unsigned)left;
		while (gone[piece] || skip-- > 0)
			piece++;
		gone[piece] = true;
		release_piece(&rig, buffer, inbox, piece);
	}
	wait_gone();
}

static void any_order(void)
{
	static const unsigned orders[] = { 0, 719, 100, 333, 512, 620, 45 };
	size_t i;
	size_t j;

	for (i = 0; i < SETTINGS; i++)
		for (j = 0; j < TAP_COUNT(orders); j++) {
			one_order(settings[i], orders[j], false);
			one_order(settings[i], orders[j], true);
		}
}

/* --- threads */

struct pile {
	plait_buffer *buffers[200];
	plait_queue *queue;
};

static void *release_pile(void *arg)
{
	struct pile *pile = arg;
	size_t i;

	for (i = 0; i < TAP_COUNT(pile->buffers); i++)
		plait_buffer_release(pile->buffers[i]);
	plait_queue_release(pile->queue);
	return NULL;
}

static void any_thread(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		struct pile piles[2];
		pthread_t threads[2];
		size_t j;
		size_t k;

		if (!open_rig(&rig))
			continue;
		for (j = 0; j < 2; j++) {
			OK(plait_queue_create(rig.device, NULL,
					      &piles[j].queue, NULL) ==
			   PLAIT_OK);
			for (k = 0; k < TAP_COUNT(piles[j].buffers); k++) {
				plait_buffer_desc desc = {
					.size = sizeof(desc), .bytes = 16 };

				plait_buffer_create(rig.device, &desc,
						    &piles[j].buffers[k],
						    NULL);
				plait_queue_fill(piles[j].queue,
						 piles[j].buffers[k], 0, 16,
						 k, 1, NULL);
			}
		}
		for (j = 0; j < 2; j++)
			pthread_create(&threads[j], NULL, release_pile,
				       &piles[j]);
		for (j = 0; j < 2; j++)
			pthread_join(threads[j], NULL);
		close_rig(&rig);
	}
}

/* --- submitted commands still run */

static void released_queue_runs(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		int count = 0;
		int j;

		if (!open_rig(&rig))
			continue;
		plait_queue_wait(rig.queue, rig.gate, 1, NULL);
		for (j = 0; j < 100; j++)
			plait_queue_call(rig.queue, add_one, &count, NULL);
		plait_queue_emit(rig.queue, rig.signal, NULL, NULL);
		plait_queue_release(rig.queue);
		IS_INT(plait_queue_finish(rig.queue, 0, NULL),
		       PLAIT_E_HANDLE);
		IS_INT(plait_signal_raise(rig.gate, 1, NULL), PLAIT_OK);
		IS_INT(plait_signal_wait(rig.signal, 1, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 100);
		rig.queue = NULL;
		close_rig(&rig);
	}
}

static void released_context_runs(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		int count = 0;
		int j;

		if (!open_rig(&rig))
			continue;
		for (j = 0; j < 50; j++)
			plait_queue_call(rig.queue, add_one, &count, NULL);
		close_rig(&rig);
		IS_INT(__atomic_load_n(&count, __ATOMIC_SEQ_CST), 50);
	}
}

/* A wait for a gate that has no handle any more is cancelled. */
static void gates_are_cancelled(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		int count = 0;

		if (!open_rig(&rig))
			continue;
		plait_queue_wait(rig.queue, rig.gate, 1, NULL);
		plait_queue_call(rig.queue, add_one, &count, NULL);
		plait_signal_release(rig.gate);
		rig.gate = NULL;
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_E_CANCELLED);
		HAS_STR(rig.error.text, "signal \"gate\" was released");
		IS_INT(count, 0);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		close_rig(&rig);
	}
}

/* --- budget */

static void budgets(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_device_info info = { .size = sizeof(info) };
		plait_buffer_desc desc = { .size = sizeof(desc) };
		plait_buffer *first;
		plait_buffer *second = NULL;
		char want[160];

		if (!open_rig(&rig))
			continue;
		IS_INT(plait_device_set_budget(rig.device, 2000, NULL),
		       PLAIT_OK);
		first = make_buffer(&rig, 1000, NULL);
		desc.bytes = 4096;
		IS_INT(plait_buffer_create(rig.device, &desc, &second,
					   &rig.error), PLAIT_E_NOMEM);
		IS_PTR(second, NULL);
		snprintf(want, sizeof(want), "device %s:0: 4096 bytes asked, "
			 "1000 of its budget of 2000 left", rig.backend);
		IS_STR(rig.error.text, want);
		IS_INT(plait_device_query(rig.device, &info, NULL), PLAIT_OK);
		IS_UINT(info.used_bytes, 1000);
		IS_UINT(info.budget_bytes, 2000);
		/* In flight, then done: released memory is available again. */
		IS_INT(plait_queue_fill(rig.queue, first, 0, 1000, 1, 1, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_emit(rig.queue, rig.signal, NULL, NULL),
		       PLAIT_OK);
		plait_buffer_release(first);
		IS_INT(plait_signal_wait(rig.signal, 0, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		desc.bytes = 2000;
		IS_INT(plait_buffer_create(rig.device, &desc, &second,
					   &rig.error), PLAIT_OK);
		plait_buffer_release(second);
		IS_INT(plait_device_query(rig.device, &info, NULL), PLAIT_OK);
		IS_UINT(info.used_bytes, 0);
		IS_INT(plait_device_set_budget(rig.device, UINT64_MAX, NULL),
		       PLAIT_OK);
		close_rig(&rig);
	}
}

/* --- views and maps */

static void maps(plait_buffer *inner)
{
	void *p = NULL;

	IS_INT(plait_buffer_map(inner, 0, 10, PLAIT_MAP_READ, &p,
				NULL), PLAIT_OK);
	OK(p != NULL);
	IS_INT(plait_buffer_unmap(inner, (char *)p + 1, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_buffer_unmap(inner, p, NULL), PLAIT_OK);
	IS_INT(plait_buffer_unmap(inner, p, NULL), PLAIT_E_INVALID);
	IS_INT(plait_buffer_map(inner, 0, 0, PLAIT_MAP_READ, &p, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_buffer_map(inner, 5, 6, PLAIT_MAP_READ, &p, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_buffer_map(inner, 0, 1, 0, &p, NULL),
	       PLAIT_E_INVALID);
	/* Left mapped: ended with the buffer. */
	IS_INT(plait_buffer_map(inner, 0, 1, PLAIT_MAP_WRITE, &p,
				NULL), PLAIT_OK);
}

/* Memory of a buffer, wrapped while it is mapped, is still that memory. */
static void overlap_through_a_map(struct rig *rig, plait_buffer *whole)
{
	plait_wrap_desc desc = { .size = sizeof(desc), .bytes = 20 };
	plait_buffer *wrapped = NULL;
	void *p = NULL;

	IS_INT(plait_buffer_map(whole, 30, 50, PLAIT_MAP_WRITE, &p, NULL),
	       PLAIT_OK);
	desc.pointer = (char *)p + 10; /* 40 to 60 of the whole */
	IS_INT(plait_buffer_wrap(rig->device, &desc, &wrapped, NULL),
	       PLAIT_OK);
	IS_INT(plait_queue_copy(rig->queue, whole, 31, wrapped, 0, 10,
				&rig->error), PLAIT_E_INVALID);
	HAS_STR(rig->error.text, "overlap");
	IS_INT(plait_queue_copy(rig->queue, wrapped, 19, whole, 59, 1,
				&rig->error), PLAIT_E_INVALID);
	IS_INT(plait_queue_copy(rig->queue, whole, 30, wrapped, 0, 10,
				&rig->error), PLAIT_OK);
	IS_INT(plait_queue_copy(rig->queue, wrapped, 0, whole, 60, 20,
				&rig->error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_buffer_release(wrapped);
	IS_INT(plait_buffer_unmap(whole, p, NULL), PLAIT_OK);
}

static void views(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_buffer *whole;
		plait_buffer *part;
		plait_buffer *inner;
		unsigned char out[4] = { 0 };
		uint64_t bytes;

		if (!open_rig(&rig))
			continue;
		whole = make_buffer(&rig, 100, "whole");
		IS_INT(plait_buffer_view(whole, 10, 50, &part, NULL),
		       PLAIT_OK);
		IS_INT(plait_buffer_view(part, 40, 11, &inner, &rig.error),
		       PLAIT_E_INVALID);
		IS_PTR(inner, NULL);
		IS_INT(plait_buffer_view(part, UINT64_MAX, 2, &inner, NULL),
		       PLAIT_E_INVALID);
		IS_INT(plait_buffer_view(part, 40, 10, &inner, NULL),
		       PLAIT_OK);
		IS_INT(plait_buffer_bytes(inner, &bytes, NULL), PLAIT_OK);
		IS_UINT(bytes, 10);
		IS_INT(plait_queue_fill(rig.queue, inner, 2, 4, 0xabcd, 2,
					NULL), PLAIT_OK);
		plait_buffer_release(part);
		IS_INT(plait_queue_read(rig.queue, whole, 52, out, 4, NULL),
		       PLAIT_OK);
		IS_INT(out[0], 0xcd);
		IS_INT(out[3], 0xab);
		overlap_through_a_map(&rig, whole);
		/* Overlap is seen through views. */
		IS_INT(plait_queue_copy(rig.queue, inner, 0, whole, 45, 6,
					&rig.error), PLAIT_E_INVALID);
		IS_INT(plait_queue_copy(rig.queue, inner, 0, whole, 44, 6,
					&rig.error), PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_buffer_release(whole);
		maps(inner);
		plait_buffer_release(inner);
		close_rig(&rig);
	}
}

static void empty_buffers(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_buffer *none;

		if (!open_rig(&rig))
			continue;
		none = make_buffer(&rig, 0, NULL);
		IS_INT(plait_queue_fill(rig.queue, none, 0, 0, 0, 1, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_copy(rig.queue, none, 0, none, 0, 0, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_read(rig.queue, none, 0, NULL, 0, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_write(rig.queue, none, 0, NULL, 0, NULL),
		       PLAIT_OK);
		plait_buffer_release(none);
		close_rig(&rig);
	}
}

/* --- wrapped memory */

static unsigned char mine[64];
static int told;

/* By a call, on any thread. */
static void wrap_with_call(struct rig *rig, plait_wrap_desc desc)
{
	plait_buffer *buffer;
	uint64_t since = 0;

	desc.inbox = NULL;
	desc.flags = PLAIT_CALL_ANY_THREAD;
	desc.released = add_one;
	IS_INT(plait_buffer_wrap(rig->device, &desc, &buffer, NULL), PLAIT_OK);
	plait_buffer_release(buffer);
	while (__atomic_load_n(&told, __ATOMIC_SEQ_CST) == 0 &&
	       !tap_late(&since))
		pause_a_little();
	IS_INT(__atomic_load_n(&told, __ATOMIC_SEQ_CST), 1);
}

/* Memory of the host that is the buffer's own, or that of another wrap. */
static void wraps_overlap(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_wrap_desc desc = { .size = sizeof(desc),
					 .pointer = mine, .bytes = 64 };
		plait_buffer *buffer, *other;

		if (!open_rig(&rig))
			continue;
		IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer,
					 &rig.error), PLAIT_OK);
		IS_INT(plait_queue_read(rig.queue, buffer, 0, mine + 8, 32,
					&rig.error), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "host overlaps");
		IS_INT(plait_queue_write(rig.queue, buffer, 32, mine + 8, 32,
					 &rig.error), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "host overlaps");
		IS_INT(plait_queue_write(rig.queue, buffer, 32, mine, 32,
					 &rig.error), PLAIT_OK);
		desc.pointer = mine + 32;
		IS_INT(plait_buffer_wrap(rig.device, &desc, &other,
					 &rig.error), PLAIT_OK);
		IS_INT(plait_queue_copy(rig.queue, other, 0, buffer, 16, 32,
					&rig.error), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "overlap");
		plait_buffer_release(other);
		plait_buffer_release(buffer);
		close_rig(&rig);
	}
}

static void wraps(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_wrap_desc desc = { .size = sizeof(desc),
					 .pointer = mine,
					 .bytes = sizeof(mine),
					 .user_data = &told };
		plait_event event = { .size = sizeof(event) };
		plait_buffer *buffer;
		plait_inbox *inbox;

		if (!open_rig(&rig))
			continue;
		told = 0;
		memset(mine, 0, sizeof(mine));
		IS_INT(plait_inbox_create(rig.context, &inbox, NULL),
		       PLAIT_OK);
		desc.inbox = inbox;
		IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer,
					 &rig.error), PLAIT_OK);
		IS_INT(plait_queue_fill(rig.queue, buffer, 0, 64, 7, 1, NULL),
		       PLAIT_OK);
		plait_buffer_release(buffer);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(event.kind, PLAIT_EVENT_RELEASED);
		IS_INT(event.status, PLAIT_OK);
		IS_PTR(event.user_data, &told);
		IS_INT(mine[63], 7);
		wrap_with_call(&rig, desc);
		/* An inbox that closes first reports that it does not know; an
		 * answer that it had already stays. */
		IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer, NULL),
		       PLAIT_OK);
		plait_buffer_release(buffer);
		IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_close(inbox, NULL), PLAIT_OK);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(event.status, PLAIT_OK);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(event.status, PLAIT_E_CANCELLED);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_E_STATE);
		plait_buffer_release(buffer);
		IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer, NULL),
		       PLAIT_E_STATE);
		IS_PTR(buffer, NULL);
		plait_inbox_release(inbox);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "any order", any_order },
	{ "any thread", any_thread },
	{ "a released queue runs", released_queue_runs },
	{ "a released context runs", released_context_runs },
	{ "gates are cancelled", gates_are_cancelled },
	{ "budgets", budgets },
	{ "views", views },
	{ "empty buffers", empty_buffers },
	{ "wraps overlap", wraps_overlap },
	{ "wraps", wraps },
};

TAP_MAIN(all)
