/* SPDX-License-Identifier: MIT */
/* Bad input at every entry: an error that names the mistake, and no effect. */
#include "lib/objects.h"

static void handles(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_device_info info = { .size = sizeof(info) };
	uint64_t n;
	uint32_t m;
	void *p;
	plait_device *d;
	plait_buffer *b;

	/* Null, forged, of another type. */
	REFUSED(plait_context_device_count(NULL, &m, e), PLAIT_E_HANDLE,
		"context handle is null");
	REFUSED(plait_context_device(forged(7), 0, &d, e), PLAIT_E_HANDLE,
		"not a plait handle");
	REFUSED(plait_context_find_device((void *)rig->queue, "x", &d, e),
		PLAIT_E_HANDLE, "is a queue, not a context");
	REFUSED(plait_context_report((void *)rig->device, NULL, 0, &n, e),
		PLAIT_E_HANDLE, "is a device, not a context");
	REFUSED(plait_device_query((void *)rig->context, &info, e),
		PLAIT_E_HANDLE, "is a context, not a device");
	REFUSED(plait_device_set_budget(NULL, 1, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_buffer_create((void *)rig->queue, NULL, &b, e),
		PLAIT_E_HANDLE, "not a device");
	REFUSED(plait_buffer_wrap(NULL, NULL, &b, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_buffer_view(forged(99), 0, 0, &b, e), PLAIT_E_HANDLE,
		"not a plait handle");
	REFUSED(plait_buffer_bytes((void *)rig->signal, &n, e),
		PLAIT_E_HANDLE, "is a signal, not a buffer");
	REFUSED(plait_buffer_map(NULL, 0, 1, 1, &p, e), PLAIT_E_HANDLE,
		"null");
	REFUSED(plait_buffer_unmap(NULL, &n, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_signal_query((void *)rig->queue, &n, &n, e),
		PLAIT_E_HANDLE, "not a signal");
	REFUSED(plait_signal_wait(NULL, 0, 0, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_signal_raise(NULL, 1, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_signal_fail(NULL, 1, NULL, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_signal_reset(NULL, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_signal_notify(rig->signal, 0, NULL, NULL, NULL, e),
		PLAIT_E_HANDLE, "inbox handle is null");
	REFUSED(plait_queue_submit((void *)rig->signal, NULL, 0, &n, e),
		PLAIT_E_HANDLE, "is a signal, not a queue");
	REFUSED(plait_queue_call(NULL, add_one, NULL, e), PLAIT_E_HANDLE,
		"null");
	REFUSED(plait_queue_read(NULL, NULL, 0, NULL, 0, e), PLAIT_E_HANDLE,
		"null");
	REFUSED(plait_queue_finish(NULL, 0, e), PLAIT_E_HANDLE, "null");
	/* No struct for the error is fine too. */
	IS_INT(plait_queue_finish(NULL, 0, NULL), PLAIT_E_HANDLE);
}

static void inbox_handles(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_event event = { .size = sizeof(event) };
	plait_inbox *i;
	uint64_t n;
	int32_t fd;

	REFUSED(plait_inbox_create(NULL, &i, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_next(NULL, &event, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_pump(NULL, 0, &n, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_wait(NULL, 0, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_answer(NULL, 1, 0, NULL, e), PLAIT_E_HANDLE,
		"null");
	REFUSED(plait_inbox_adopt(NULL, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_close(NULL, e), PLAIT_E_HANDLE, "null");
	REFUSED(plait_inbox_descriptor(NULL, &fd, e), PLAIT_E_HANDLE, "null");
}

static void released_is_over(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_queue *queue;
	plait_buffer *buffer = make_buffer(rig, 10, NULL);

	IS_INT(plait_queue_create(rig->device, NULL, &queue, e), PLAIT_OK);
	plait_queue_retain(queue);
	plait_queue_release(queue);
	IS_INT(plait_queue_finish(queue, 0, e), PLAIT_OK);
	plait_queue_release(queue);
	REFUSED(plait_queue_finish(queue, 0, e), PLAIT_E_HANDLE,
		"released before");
	plait_queue_release(queue);
	plait_queue_retain(queue);
	REFUSED(plait_queue_finish(queue, 0, e), PLAIT_E_HANDLE,
		"released before");
	plait_buffer_release(buffer);
	REFUSED(plait_queue_fill(rig->queue, buffer, 0, 1, 0, 1, e),
		PLAIT_E_HANDLE, "buffer handle");
	/* The caller of one call knows of no commands. */
	IS_INT(strncmp(rig->error.text, "buffer handle", 13), 0);
	/* A release of an invalid handle does nothing. */
	plait_queue_release(NULL);
	plait_signal_release(forged(12345));
	plait_buffer_release((void *)rig->queue);
	plait_inbox_release(forged(UINT64_MAX));
	plait_context_release((void *)rig->queue);
	IS_INT(plait_queue_finish(rig->queue, 0, e), PLAIT_OK);
}

static void other_context(struct rig *rig)
{
	struct rig other = *rig;
	plait_point points[2];
	plait_inbox *inbox;
	plait_buffer *buffer;

	if (!open_rig(&other))
		return;
	buffer = make_buffer(&other, 10, "theirs");
	REFUSED(plait_queue_fill(rig->queue, buffer, 0, 1, 0, 1, &rig->error),
		PLAIT_E_HANDLE, "\"theirs\" is of context 0x");
	HAS_STR(rig->error.text, "queue \"q\" of context 0x");
	REFUSED(plait_queue_emit(rig->queue, other.signal, NULL, &rig->error),
		PLAIT_E_HANDLE, "context");
	IS_INT(plait_inbox_create(other.context, &inbox, NULL), PLAIT_OK);
	REFUSED(plait_signal_notify(rig->signal, 0, inbox, NULL, NULL,
				    &rig->error), PLAIT_E_HANDLE, "context");
	points[0] = (plait_point){ rig->signal, 0 };
	points[1] = (plait_point){ other.signal, 0 };
	REFUSED(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL, 0, NULL,
				  &rig->error), PLAIT_E_INVALID,
		"point 1");
	plait_inbox_release(inbox);
	plait_buffer_release(buffer);
	plait_signal_release(other.gate);
	plait_signal_release(other.signal);
	plait_queue_release(other.queue);
	plait_context_release(other.context);
}

static void descriptors(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = 8 };
	plait_signal_desc signal = { .size = sizeof(signal), .flags = 64 };
	plait_queue_desc queue = { .size = sizeof(queue), .flags = 32 };
	plait_device_info info = { .size = 4 };
	plait_buffer *b = forged(1);
	plait_signal *s;
	plait_queue *q;

	REFUSED(plait_buffer_create(rig->device, NULL, &b, e), PLAIT_E_INVALID,
		"null");
	IS_PTR(b, NULL);
	REFUSED(plait_buffer_create(rig->device, &buffer, NULL, e),
		PLAIT_E_INVALID, "out is null");
	buffer.alignment_bytes = 3;
	REFUSED(plait_buffer_create(rig->device, &buffer, &b, e),
		PLAIT_E_INVALID, "power of two");
	buffer.alignment_bytes = 0;
	buffer.bytes = UINT64_MAX;
	REFUSED(plait_buffer_create(rig->device, &buffer, &b, e),
		PLAIT_E_NOMEM, "18446744073709551615");
	buffer.bytes = INT64_MAX;
	OK(plait_buffer_create(rig->device, &buffer, &b, e) < 0);
	buffer.flags = 8;
	REFUSED(plait_buffer_create(rig->device, &buffer, &b, e),
		PLAIT_E_INVALID, "0x8");
	buffer.size = 1;
	REFUSED(plait_buffer_create(rig->device, &buffer, &b, e),
		PLAIT_E_INVALID, "size 1");
	REFUSED(plait_signal_create(rig->device, &signal, &s, e),
		PLAIT_E_INVALID, "0x40");
	REFUSED(plait_queue_create(rig->device, &queue, &q, e),
		PLAIT_E_INVALID, "0x20");
	REFUSED(plait_device_query(rig->device, &info, e), PLAIT_E_INVALID,
		"size 4");
	REFUSED(plait_device_query(rig->device, NULL, e), PLAIT_E_INVALID,
		"null");
}

static void wrapping(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_wrap_desc wrap = { .size = sizeof(wrap), .bytes = 8 };
	plait_buffer *b = forged(1);

	REFUSED(plait_buffer_wrap(rig->device, &wrap, &b, e), PLAIT_E_INVALID,
		"pointer is null");
	wrap.pointer = forged(UINT64_MAX - 3);
	REFUSED(plait_buffer_wrap(rig->device, &wrap, &b, e), PLAIT_E_INVALID,
		"past the end");
	wrap.pointer = &wrap;
	wrap.released = add_one;
	REFUSED(plait_buffer_wrap(rig->device, &wrap, &b, e), PLAIT_E_INVALID,
		"PLAIT_CALL_ANY_THREAD");
	wrap.released = NULL;
	REFUSED(plait_buffer_wrap(rig->device, &wrap, NULL, e),
		PLAIT_E_INVALID, "out is null");
	wrap.flags = 1u << 31;
	REFUSED(plait_buffer_wrap(rig->device, &wrap, &b, e), PLAIT_E_INVALID,
		"0x80000000");
	wrap.flags = 0;
	wrap.native = 1;
	REFUSED(plait_buffer_wrap(rig->device, &wrap, &b, e), PLAIT_E_INVALID,
		"native_kind");
	IS_PTR(b, NULL);
}

static void no_place_for_results(struct rig *rig)
{
	plait_error *e = &rig->error;

	REFUSED(plait_signal_create(rig->device, NULL, NULL, e),
		PLAIT_E_INVALID, "out is null");
	REFUSED(plait_queue_create(rig->device, NULL, NULL, e),
		PLAIT_E_INVALID, "out is null");
	REFUSED(plait_inbox_create(rig->context, NULL, e), PLAIT_E_INVALID,
		"out is null");
}

static void places(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_device *d = forged(1);

	REFUSED(plait_context_device(rig->context, 99, &d, e),
		PLAIT_E_INVALID, "99");
	IS_PTR(d, NULL);
	REFUSED(plait_context_device(rig->context, 0, NULL, e),
		PLAIT_E_INVALID, "null");
	REFUSED(plait_context_device_count(rig->context, NULL, e),
		PLAIT_E_INVALID, "null");
	REFUSED(plait_context_find_device(rig->context, NULL, &d, e),
		PLAIT_E_INVALID, "name");
	REFUSED(plait_context_find_device(rig->context, "tpu:3", &d, e),
		PLAIT_E_UNAVAILABLE, "tpu:3");
	HAS_STR(e->text, rig->backend);
	IS_INT(plait_context_find_device(rig->context, rig->backend, &d, e),
	       PLAIT_OK);
	IS_PTR(d, rig->device);
}

static void buffers(struct rig *rig)
{
	plait_buffer *buffer = make_buffer(rig, 100, "x");
	plait_error *e = &rig->error;
	void *pointer = buffer;

	REFUSED(plait_buffer_bytes(buffer, NULL, e), PLAIT_E_INVALID,
		"out_bytes is null");
	REFUSED(plait_buffer_view(buffer, 0, 1, NULL, e), PLAIT_E_INVALID,
		"out is null");
	REFUSED(plait_buffer_map(buffer, 0, 1, PLAIT_MAP_READ, NULL, e),
		PLAIT_E_INVALID, "out_pointer is null");
	REFUSED(plait_buffer_map(buffer, 0, 1, 8, &pointer, e),
		PLAIT_E_INVALID, "0x8");
	IS_PTR(pointer, NULL);
	REFUSED(plait_buffer_map(buffer, 0, 0, PLAIT_MAP_READ, &pointer, e),
		PLAIT_E_INVALID, "0 bytes");
	REFUSED(plait_buffer_unmap(buffer, &pointer, e), PLAIT_E_INVALID,
		"not a mapping");
	plait_buffer_release(buffer);
}

static plait_status submit(struct rig *rig, const plait_command *command)
{
	plait_status status;

	rig->error.text[0] = '\0';
	status = plait_queue_submit(rig->queue, command, 1, NULL, &rig->error);
	return status;
}

static void commands(struct rig *rig)
{
	plait_buffer *buffer = make_buffer(rig, 100, "x");
	plait_command c = { .size = sizeof(c), .label = "this" };
	plait_command two[2] = { { .size = sizeof(c) }, { .kind = 77 } };

	REFUSED(plait_queue_submit(rig->queue, NULL, 1, NULL, &rig->error),
		PLAIT_E_INVALID, "null");
	IS_INT(plait_queue_submit(rig->queue, NULL, 0, NULL, NULL), PLAIT_OK);
	REFUSED(plait_queue_submit(rig->queue, &c, UINT64_MAX, NULL,
				   &rig->error), PLAIT_E_INVALID, "too many");
	REFUSED(plait_queue_submit(rig->queue, two, 2, NULL, &rig->error),
		PLAIT_E_UNSUPPORTED, "command 1: kind 77");
	c.kind = PLAIT_COMMAND_CALL;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "command 0 \"this\"");
	HAS_STR(rig->error.text, "PLAIT_CALL_ANY_THREAD");
	c.flags = PLAIT_CALL_ANY_THREAD;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "function is null");
	c.function = add_one;
	c.flags |= 1u << 30;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "flags 0x4");
	c.flags = PLAIT_CALL_ANY_THREAD;
	c.bytes = 3;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID,
		"bytes is set, which a call does not have");
	c = (plait_command){ .size = sizeof(c), .kind = PLAIT_COMMAND_FILL,
			     .target = buffer, .bytes = 4 };
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "pattern");
	c.pattern_bytes = 3;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "not 3");
	c.pattern_bytes = 4;
	c.target_offset = 97;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID,
		"target range 97+4 is outside the buffer \"x\" of 100 bytes");
	c.target_offset = UINT64_MAX;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "outside");
	c.target_offset = 1;
	c.bytes = UINT64_MAX;
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "outside");
	c = (plait_command){ .size = sizeof(c), .kind = PLAIT_COMMAND_COPY,
			     .target = buffer, .source = buffer, .bytes = 50,
			     .source_offset = 49 };
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "overlap");
	c = (plait_command){ .size = sizeof(c), .kind = PLAIT_COMMAND_READ,
			     .source = buffer, .bytes = 50 };
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "host is null");
	plait_buffer_release(buffer);
}

static void signal_commands(struct rig *rig)
{
	plait_command c = { .size = sizeof(c), .kind = PLAIT_COMMAND_EMIT,
			    .signal = rig->gate };
	plait_command two[2] = { { .size = sizeof(c) }, { .kind = 77 } };
	uint64_t before;
	uint64_t after;

	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "gate");
	c = (plait_command){ .size = sizeof(c), .kind = PLAIT_COMMAND_WAIT,
			     .signal = rig->signal, .sequence = 5 };
	REFUSED(submit(rig, &c), PLAIT_E_INVALID, "sequence 5");
	/* All or nothing: the emission in front did not happen. */
	IS_INT(plait_signal_query(rig->signal, NULL, &before, NULL), PLAIT_OK);
	two[0] = (plait_command){ .size = sizeof(c),
				  .kind = PLAIT_COMMAND_EMIT,
				  .signal = rig->signal };
	REFUSED(plait_queue_submit(rig->queue, two, 2, NULL, &rig->error),
		PLAIT_E_UNSUPPORTED, "command 1");
	IS_INT(plait_signal_query(rig->signal, NULL, &after, NULL), PLAIT_OK);
	IS_UINT(after, before);
	/* And its number is given to the next one. */
	IS_INT(plait_queue_emit(rig->queue, rig->signal, &after, NULL),
	       PLAIT_OK);
	IS_UINT(after, before + 1);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL), PLAIT_OK);
}

static void signals(struct rig *rig)
{
	plait_error *e = &rig->error;
	plait_point point = { rig->signal, 0 };
	uint64_t index;

	REFUSED(plait_signal_wait(rig->signal, 9, 0, e), PLAIT_E_INVALID,
		"sequence 9");
	REFUSED(plait_signal_raise(rig->signal, 1, e), PLAIT_E_STATE,
		"not a gate");
	REFUSED(plait_signal_fail(rig->signal, 1, NULL, e), PLAIT_E_STATE,
		"not a gate");
	IS_INT(plait_signal_raise(rig->gate, 5, e), PLAIT_OK);
	REFUSED(plait_signal_raise(rig->gate, 4, e), PLAIT_E_INVALID,
		"gate\" is at 5 and cannot go back to 4");
	REFUSED(plait_signal_raise(rig->gate, UINT64_MAX, e), PLAIT_E_INVALID,
		"end below");
	IS_INT(plait_signal_raise(rig->gate, 5, e), PLAIT_OK);
	REFUSED(plait_signal_wait_points(NULL, 1, 0, 0, NULL, e), PLAIT_E_INVALID,
		"null");
	REFUSED(plait_signal_wait_points(&point, 1, 9, 0, NULL, e), PLAIT_E_INVALID,
		"mode 9");
	REFUSED(plait_signal_wait_points(&point, UINT64_MAX, 0, 0, NULL, e),
		PLAIT_E_INVALID, "too many");
	IS_INT(plait_signal_wait_points(NULL, 0, 0, PLAIT_FOREVER, &index, e),
	       PLAIT_OK);
	IS_INT(plait_signal_wait(rig->signal, 0, PLAIT_FOREVER, e), PLAIT_OK);
}

/* Nothing is above the last sequence, so nothing there can fail. */
static void end_of_range(struct rig *rig)
{
	const uint64_t last = UINT64_MAX - 1;
	plait_error *e = &rig->error;
	uint64_t reached;

	REFUSED(plait_queue_wait(rig->queue, rig->gate, UINT64_MAX, e),
		PLAIT_E_INVALID, "end below");
	IS_INT(plait_signal_raise(rig->gate, last - 1, e), PLAIT_OK);
	IS_INT(plait_signal_fail(rig->gate, 3, "x", e), PLAIT_OK);
	IS_INT(plait_signal_reset(rig->gate, e), PLAIT_OK);
	REFUSED(plait_signal_fail(rig->gate, 3, "x", e), PLAIT_E_INVALID,
		"end of its range");
	IS_INT(plait_signal_query(rig->gate, &reached, NULL, e), PLAIT_OK);
	IS_UINT(reached, last);
	IS_INT(plait_signal_wait(rig->gate, last, 0, e), PLAIT_OK);
}

static void short_records(struct rig *rig)
{
	plait_event event = { .size = 7 };
	struct {
		plait_error error;
		char guard[8];
	} room = { .error = { .size = 40 } };
	plait_inbox *inbox;

	IS_INT(plait_inbox_create(rig->context, &inbox, NULL), PLAIT_OK);
	REFUSED(plait_inbox_next(inbox, &event, &rig->error), PLAIT_E_INVALID,
		"size 7");
	REFUSED(plait_inbox_next(inbox, NULL, &rig->error), PLAIT_E_INVALID,
		"null");
	memset(room.error.text, 'x', sizeof(room.error.text));
	IS_INT(plait_signal_wait(rig->signal, 9, 0, &room.error),
	       PLAIT_E_INVALID);
	/* Not a byte behind the given size. */
	IS_INT(room.error.text[40 - offsetof(plait_error, text)], 'x');
	IS_INT(room.error.text[100], 'x');
	plait_inbox_release(inbox);
}

static void run_all(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];

		if (!open_rig(&rig))
			continue;
		handles(&rig);
		inbox_handles(&rig);
		released_is_over(&rig);
		other_context(&rig);
		descriptors(&rig);
		wrapping(&rig);
		no_place_for_results(&rig);
		places(&rig);
		buffers(&rig);
		commands(&rig);
		signal_commands(&rig);
		signals(&rig);
		short_records(&rig);
		end_of_range(&rig);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
		close_rig(&rig);
	}
}

static void sizes(void)
{
	IS_UINT(plait_sizeof("plait_error"), sizeof(plait_error));
	IS_UINT(plait_sizeof("plait_command"), sizeof(plait_command));
	IS_UINT(plait_sizeof("plait_event"), sizeof(plait_event));
	IS_UINT(plait_sizeof("plait_plan_info"), sizeof(plait_plan_info));
	IS_UINT(plait_sizeof("plait_nothing"), 0);
	IS_UINT(plait_sizeof(NULL), 0);
}

static const struct tap_scenario all[] = {
	{ "bad input", run_all },
	{ "sizes", sizes },
};

TAP_MAIN(all)
