/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of every call fails once: PLAIT_E_NOMEM with a text, the
 * out-parameters cleared, nothing changed, nothing leaked, and the same call
 * works when there is memory again.
 */
#include "objects.h"

struct faults {
	uint64_t live_bytes;
	uint64_t count; /* since armed */
	uint64_t fail;	/* which one; 0: none */
	bool hit;
};

/* Everything runs on this thread: no workers, and nothing is left behind. */
static void *fail_one(void *user_data, void *pointer, uint64_t old_bytes,
		      uint64_t new_bytes)
{
	struct faults *faults = user_data;

	if (new_bytes != 0 && faults->fail != 0 &&
	    ++faults->count == faults->fail) {
		faults->hit = true;
		return NULL;
	}
	faults->live_bytes += new_bytes - (pointer != NULL ? old_bytes : 0);
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

struct place {
	struct rig rig;
	struct faults faults;
	plait_inbox *inbox;
	plait_buffer *buffer;
	int count;
	unsigned char bytes[64];
	uint64_t submitted; /* of the signal, before */
};

typedef plait_status (*operation)(struct place *place, plait_error *error);

/* --- what is tried; each tidies up after itself when it worked */

static plait_status create_buffer(struct place *place, plait_error *error)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 100 };
	plait_buffer *buffer = (void *)place;
	plait_status status = plait_buffer_create(place->rig.device, &desc,
						  &buffer, error);

	if (status != PLAIT_OK && buffer != NULL)
		return PLAIT_E_INTERNAL;
	plait_buffer_release(buffer);
	return status;
}

static plait_status wrap_buffer(struct place *place, plait_error *error)
{
	plait_wrap_desc desc = { .size = sizeof(desc),
				 .pointer = place->bytes, .bytes = 64,
				 .inbox = place->inbox };
	plait_event event = { .size = sizeof(event) };
	plait_buffer *buffer = (void *)place;
	plait_status status = plait_buffer_wrap(place->rig.device, &desc,
						&buffer, error);

	if (status != PLAIT_OK)
		return buffer != NULL ||
		       plait_inbox_next(place->inbox, &event, NULL) !=
			       PLAIT_PENDING ? PLAIT_E_INTERNAL : status;
	plait_buffer_release(buffer);
	if (plait_inbox_next(place->inbox, &event, NULL) != PLAIT_OK)
		return PLAIT_E_INTERNAL;
	return status;
}

static plait_status view_buffer(struct place *place, plait_error *error)
{
	plait_buffer *view = (void *)place;
	plait_status status = plait_buffer_view(place->buffer, 3, 9, &view,
						error);

	if (status != PLAIT_OK && view != NULL)
		return PLAIT_E_INTERNAL;
	plait_buffer_release(view);
	return status;
}

static plait_status map_buffer(struct place *place, plait_error *error)
{
	void *pointer = place;
	plait_status status = plait_buffer_map(place->buffer, 3, 9,
					       PLAIT_MAP_READ, &pointer,
					       error);

	if (status != PLAIT_OK)
		return pointer != NULL ? PLAIT_E_INTERNAL : status;
	return plait_buffer_unmap(place->buffer, pointer, error);
}

static plait_status create_signal(struct place *place, plait_error *error)
{
	plait_signal *signal = (void *)place;
	plait_status status = plait_signal_create(place->rig.device, NULL,
						  &signal, error);

	if (status != PLAIT_OK && signal != NULL)
		return PLAIT_E_INTERNAL;
	plait_signal_release(signal);
	return status;
}

static plait_status create_queue(struct place *place, plait_error *error)
{
	plait_queue *queue = (void *)place;
	plait_status status = plait_queue_create(place->rig.device, NULL,
						 &queue, error);

	if (status != PLAIT_OK && queue != NULL)
		return PLAIT_E_INTERNAL;
	plait_queue_release(queue);
	return status;
}

static plait_status create_inbox(struct place *place, plait_error *error)
{
	plait_inbox *inbox = (void *)place;
	plait_status status = plait_inbox_create(place->rig.context, &inbox,
						 error);

	if (status != PLAIT_OK && inbox != NULL)
		return PLAIT_E_INTERNAL;
	plait_inbox_release(inbox);
	return status;
}

/* A submission that failed has emitted nothing. */
static plait_status check_submitted(struct place *place, plait_status status)
{
	uint64_t submitted;

	plait_signal_query(place->rig.signal, NULL, &submitted, NULL);
	if (status != PLAIT_OK && submitted != place->submitted)
		return PLAIT_E_INTERNAL;
	place->submitted = submitted;
	return status;
}

static plait_status submit_all_kinds(struct place *place, plait_error *error)
{
	plait_command commands[24] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_NOP },
		{ .kind = PLAIT_COMMAND_FILL, .target = place->buffer,
		  .bytes = 64, .pattern_bytes = 1 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = place->rig.signal },
		{ .kind = PLAIT_COMMAND_CALL, .inbox = place->inbox,
		  .function = add_one, .user_data = &place->count },
		{ .kind = PLAIT_COMMAND_WAIT, .signal = place->rig.gate,
		  .sequence = 1 },
		{ .kind = PLAIT_COMMAND_READ, .source = place->buffer,
		  .bytes = 64, .host = place->bytes },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = place->rig.signal },
	};
	plait_status status;
	int i;

	for (i = 7; i < 24; i++)
		commands[i] = commands[i % 7];
	status = check_submitted(place, plait_queue_submit(
		place->rig.queue, commands, 24, NULL, error));
	if (status != PLAIT_OK)
		return status;
	return plait_queue_finish(place->rig.queue, PLAIT_FOREVER, error);
}

static plait_status write_and_read(struct place *place, plait_error *error)
{
	plait_status status = plait_queue_write(place->rig.queue,
						place->buffer, 0,
						place->bytes, 64, error);

	return status != PLAIT_OK ? status :
		plait_queue_read(place->rig.queue, place->buffer, 0,
				 place->bytes, 64, error);
}

static plait_status fail_and_finish(struct place *place, plait_error *error)
{
	plait_status status = plait_queue_call(place->rig.queue, return_it,
					       (void *)3, error);

	if (status != PLAIT_OK)
		return status;
	status = plait_queue_finish(place->rig.queue, PLAIT_FOREVER, error);
	return status == PLAIT_E_FAILED ? PLAIT_OK : status;
}

static plait_status notify(struct place *place, plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	status = plait_signal_notify(place->rig.gate, 1, place->inbox, NULL,
				     NULL, error);
	if (status != PLAIT_OK)
		return status;
	/* The gate is there already. */
	plait_inbox_wait(place->inbox, PLAIT_FOREVER, NULL);
	return plait_inbox_next(place->inbox, &event, error);
}

static plait_status wait_for_many(struct place *place, plait_error *error)
{
	plait_point points[12];
	uint64_t index;
	int i;

	for (i = 0; i < 12; i++)
		points[i] = (plait_point){ place->rig.gate, 1 };
	return plait_points_wait(points, 12, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				 &index, error);
}

static plait_status wait_and_time_out(struct place *place, plait_error *error)
{
	plait_status status = plait_signal_wait(place->rig.gate, 9, 100000,
						error);

	return status == PLAIT_E_TIMEOUT ? PLAIT_OK : status;
}

static plait_status report(struct place *place, plait_error *error)
{
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = fail_one,
				      .user_data = &place->faults };
	plait_context_desc desc = { .size = sizeof(desc),
				    .allocator = &allocator };
	char text[4096];

	return plait_backend_report(&desc, text, sizeof(text), NULL, error);
}

static plait_status open_another(struct place *place, plait_error *error)
{
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = fail_one,
				      .user_data = &place->faults };
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = place->rig.backend,
				    .allocator = &allocator };
	plait_context *context = (void *)place;
	plait_status status = plait_context_open(&desc, &context, error);

	if (status != PLAIT_OK && context != NULL)
		return PLAIT_E_INTERNAL;
	plait_context_release(context);
	return status;
}

static const struct {
	const char *name;
	operation run;
} operations[] = {
	{ "plait_buffer_create", create_buffer },
	{ "plait_buffer_wrap", wrap_buffer },
	{ "plait_buffer_view", view_buffer },
	{ "plait_buffer_map", map_buffer },
	{ "plait_signal_create", create_signal },
	{ "plait_queue_create", create_queue },
	{ "plait_inbox_create", create_inbox },
	{ "plait_queue_submit", submit_all_kinds },
	{ "plait_queue_read and _write", write_and_read },
	{ "plait_queue_finish", fail_and_finish },
	{ "plait_signal_notify", notify },
	{ "plait_points_wait", wait_for_many },
	{ "plait_signal_wait", wait_and_time_out },
	{ "plait_backend_report", report },
	{ "plait_context_open", open_another },
};

/* --- the place in which they are tried */

static bool open_place(struct place *place, const struct rig *setting)
{
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = fail_one,
				      .user_data = &place->faults };
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = setting->backend,
				    .allocator = &allocator };
	plait_signal_desc gate = { .size = sizeof(gate),
				   .flags = PLAIT_SIGNAL_GATE };
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = 64 };
	struct rig *rig = &place->rig;
	plait_status status;

	memset(place, 0, sizeof(*place));
	*rig = *setting;
	rig->error.size = sizeof(rig->error);
	status = plait_context_open(&desc, &rig->context, &rig->error);
	if (status == PLAIT_OK)
		status = plait_context_device(rig->context, 0, &rig->device,
					      NULL);
	if (status == PLAIT_OK)
		status = plait_queue_create(rig->device, NULL, &rig->queue,
					    NULL);
	if (status == PLAIT_OK)
		status = plait_signal_create(rig->device, NULL, &rig->signal,
					     NULL);
	if (status == PLAIT_OK)
		status = plait_signal_create(rig->device, &gate, &rig->gate,
					     NULL);
	if (status == PLAIT_OK)
		status = plait_inbox_create(rig->context, &place->inbox,
					    NULL);
	if (status == PLAIT_OK)
		status = plait_buffer_create(rig->device, &buffer,
					     &place->buffer, NULL);
	if (status == PLAIT_OK)
		status = plait_signal_raise(rig->gate, 1, NULL);
	return OK_THAT(status == PLAIT_OK, "a place to try in: %s",
		       rig->error.text);
}

static bool close_place(struct place *place)
{
	plait_buffer_release(place->buffer);
	plait_inbox_release(place->inbox);
	plait_signal_release(place->rig.signal);
	plait_signal_release(place->rig.gate);
	plait_queue_release(place->rig.queue);
	plait_context_release(place->rig.context);
	return all_gone() && place->faults.live_bytes == 0;
}

/* Null, or what was wrong when allocation `fail` of it failed. */
static const char *try(struct place *place, operation run, uint64_t fail)
{
	static plait_error error;
	plait_status status;

	error = (plait_error){ .size = sizeof(error) };
	place->faults.hit = false;
	place->faults.count = 0;
	place->faults.fail = fail;
	status = run(place, &error);
	place->faults.fail = 0;
	if (status != PLAIT_OK && status != PLAIT_E_NOMEM)
		return plait_status_name(status);
	if (status != PLAIT_OK && error.text[0] == '\0')
		return "no text";
	if (status != PLAIT_OK && !place->faults.hit)
		return "fails without a reason";
	/* What is left of it ends, and then it works. */
	(void)plait_queue_finish(place->rig.queue, PLAIT_FOREVER, NULL);
	place->submitted = 0;
	plait_signal_reset(place->rig.signal, NULL);
	plait_signal_query(place->rig.signal, NULL, &place->submitted, NULL);
	status = run(place, &error);
	return status == PLAIT_OK ? NULL : error.text;
}

static void try_all(const struct rig *setting, size_t which)
{
	static struct place place;
	const char *wrong = NULL;
	bool gone = true;
	uint64_t k;

	for (k = 1; k < 2000 && wrong == NULL && gone; k++) {
		if (!open_place(&place, setting))
			return;
		wrong = try(&place, operations[which].run, k);
		gone = close_place(&place);
		if (!place.faults.hit)
			break;
	}
	OK_THAT(wrong == NULL && gone && k < 2000,
		"%s on %s: allocation %llu: %s", operations[which].name,
		setting->backend, (unsigned long long)k,
		wrong != NULL ? wrong : gone ? "" : "something is left");
	NOTE("%s: %llu allocations", operations[which].name,
	     (unsigned long long)k - 1);
}

static void every_allocation(void)
{
	size_t i;

	for (i = 0; i < TAP_COUNT(operations); i++) {
		try_all(&settings[1], i);
		try_all(&settings[2], i);
	}
}

static const struct tap_scenario all[] = {
	{ "every allocation fails once", every_allocation },
};

TAP_MAIN(all)
