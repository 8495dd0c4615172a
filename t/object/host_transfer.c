/* SPDX-License-Identifier: MIT */
/* Reads and writes that are interrupted in their wait: the state that they
 * leave behind. */
#include "lib/objects.h"

enum { BYTES = 8 };

/* For each setting: open, run the given function, which has to close. */
#define EACH(rig) \
	for (struct rig *rig = settings; rig != settings + SETTINGS; rig++) \
		if (open_rig(rig))

static plait_buffer *create_buffer(struct rig *rig)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(rig->device, &desc, &buffer, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_fill(rig->queue, buffer, 0, BYTES, 0x55, 1,
				&rig->error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	return buffer;
}

static bool is_all(const unsigned char *bytes, unsigned char value)
{
	for (int i = 0; i < BYTES; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void raise_and_finish(struct rig *rig)
{
	IS_INT(plait_signal_raise(rig->gate, 1, &rig->error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
}

/* The caller's memory is not touched after the call has failed. */
static void read_behind_a_gate(void)
{
	struct rig *rig = &settings[2];
	unsigned char host[BYTES] = { 0 };
	plait_buffer *buffer;

	if (!open_rig(rig))
		return;
	buffer = create_buffer(rig);
	plait_queue_wait(rig->queue, rig->gate, 1, NULL);
	IS_INT(plait_queue_read(rig->queue, buffer, 0, host, BYTES,
				&rig->error), PLAIT_E_DEADLOCK);
	HAS_STR(rig->error.text, "a gate that is at 0");
	raise_and_finish(rig);
	OK(is_all(host, 0));
	/* The queue is usable. */
	IS_INT(plait_queue_read(rig->queue, buffer, 0, host, BYTES,
				&rig->error), PLAIT_OK);
	OK(is_all(host, 0x55));
	plait_buffer_release(buffer);
	close_rig(rig);
}

static void write_behind_a_gate(void)
{
	struct rig *rig = &settings[2];
	unsigned char host[BYTES], found[BYTES];
	plait_buffer *buffer;

	if (!open_rig(rig))
		return;
	buffer = create_buffer(rig);
	memset(host, 1, BYTES);
	plait_queue_wait(rig->queue, rig->gate, 1, NULL);
	IS_INT(plait_queue_write(rig->queue, buffer, 0, host, BYTES,
				 &rig->error), PLAIT_E_DEADLOCK);
	memset(host, 2, BYTES);
	raise_and_finish(rig);
	IS_INT(plait_queue_read(rig->queue, buffer, 0, found, BYTES,
				&rig->error), PLAIT_OK);
	OK(is_all(found, 1));
	plait_buffer_release(buffer);
	close_rig(rig);
}

/* Released while it is in flight: no handle is left. */
static void read_and_released(void)
{
	struct rig *rig = &settings[2];
	unsigned char host[BYTES] = { 0 };
	plait_buffer *buffer;

	if (!open_rig(rig))
		return;
	buffer = create_buffer(rig);
	plait_queue_wait(rig->queue, rig->gate, 1, NULL);
	IS_INT(plait_queue_read(rig->queue, buffer, 0, host, BYTES,
				&rig->error), PLAIT_E_DEADLOCK);
	plait_buffer_release(buffer);
	plait_queue_release(rig->queue);
	rig->queue = NULL;
	IS_INT(plait_signal_raise(rig->gate, 1, &rig->error), PLAIT_OK);
	close_rig(rig);
	OK(is_all(host, 0));
}

/* An event that the owner has to take: the read goes on behind it. */
static void read_behind_an_event(void)
{
	EACH(rig) {
		unsigned char host[BYTES] = { 0 };
		plait_event event = { .size = sizeof(event) };
		plait_command call = { .size = sizeof(call),
				       .kind = PLAIT_COMMAND_CALL };
		plait_buffer *buffer = create_buffer(rig);
		plait_inbox *inbox = NULL;

		IS_INT(plait_inbox_create(rig->context, &inbox, &rig->error),
		       PLAIT_OK);
		call.inbox = inbox;
		IS_INT(plait_queue_submit(rig->queue, &call, 1, NULL,
					  &rig->error), PLAIT_OK);
		IS_INT(plait_queue_read(rig->queue, buffer, 0, host, BYTES,
					&rig->error), PLAIT_EVENT_READY);
		OK(is_all(host, 0));
		IS_INT(plait_inbox_next(inbox, &event, &rig->error), PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL,
					     &rig->error), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		OK(is_all(host, 0x55));
		plait_inbox_release(inbox);
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

static void refused(void)
{
	EACH(rig) {
		unsigned char host[BYTES] = { 0 };
		plait_buffer *buffer = create_buffer(rig);

		IS_INT(plait_queue_read(rig->queue, buffer, 1, host, BYTES,
					&rig->error), PLAIT_E_INVALID);
		IS_INT(plait_queue_read(rig->queue, buffer, 0, host,
					UINT64_MAX, &rig->error),
		       PLAIT_E_INVALID);
		IS_INT(plait_queue_write(rig->queue, NULL, 0, host, 1,
					 &rig->error), PLAIT_E_HANDLE);
		IS_INT(plait_queue_read(rig->queue, buffer, BYTES, NULL, 0,
					&rig->error), PLAIT_OK);
		OK(is_all(host, 0));
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

/* --- inside a host function */

struct inside {
	struct rig *rig;
	plait_buffer *buffer;
	plait_status read;
	plait_status written;
	plait_error error;
};

static int32_t transfer_inside(void *user_data)
{
	struct inside *inside = user_data;
	plait_queue *queue = inside->rig->queue;
	unsigned char host[BYTES] = { 0 };

	inside->read = plait_queue_read(queue, inside->buffer, 0, host, BYTES,
					&inside->error);
	inside->written = plait_queue_write(queue, inside->buffer, 0, host,
					    BYTES, NULL);
	return 0;
}

/* Nothing was submitted, or the write would be found. */
static void from_a_function(void)
{
	EACH(rig) {
		struct inside inside = { .rig = rig,
					 .buffer = create_buffer(rig) };
		unsigned char host[BYTES];

		inside.error.size = sizeof(inside.error);
		IS_INT(plait_queue_call(rig->queue, transfer_inside, &inside,
					&rig->error), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(inside.read, PLAIT_E_DEADLOCK);
		HAS_STR(inside.error.text, "a host function must not wait; "
			"submit a READ or WRITE");
		IS_INT(inside.written, PLAIT_E_DEADLOCK);
		IS_INT(plait_queue_read(rig->queue, inside.buffer, 0, host,
					BYTES, &rig->error), PLAIT_OK);
		OK(is_all(host, 0x55));
		plait_buffer_release(inside.buffer);
		close_rig(rig);
	}
}

static int32_t wait_inside(void *user_data)
{
	struct inside *inside = user_data;

	inside->read = plait_signal_wait(inside->rig->gate, 1, PLAIT_FOREVER,
					 &inside->error);
	return 0;
}

static void wait_in_a_function(void)
{
	EACH(rig) {
		struct inside inside = { .rig = rig };

		inside.error.size = sizeof(inside.error);
		IS_INT(plait_queue_call(rig->queue, wait_inside, &inside,
					&rig->error), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(inside.read, PLAIT_E_DEADLOCK);
		HAS_STR(inside.error.text, "a host function must not wait");
		HAS_STR(inside.error.text, "make the function a coroutine");
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "read behind a gate", read_behind_a_gate },
	{ "write behind a gate", write_behind_a_gate },
	{ "read and released", read_and_released },
	{ "read behind an event", read_behind_an_event },
	{ "refused", refused },
	{ "from a function", from_a_function },
	{ "wait in a function", wait_in_a_function },
};

TAP_MAIN(all)
