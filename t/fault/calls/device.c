/* SPDX-License-Identifier: MIT */
/* Contexts, devices and buffers, tried while something fails. */
#include "fault/calls.h"

static plait_status internal(plait_error *error, const char *text)
{
	error->status = PLAIT_E_INTERNAL;
	strncpy(error->text, text, sizeof(error->text) - 1);
	return PLAIT_E_INTERNAL;
}

/* --- contexts */

static plait_status open_and_close(struct place *place,
				   plait_context_desc *desc,
				   plait_error *error)
{
	plait_context *context = (void *)place;
	plait_status status;

	desc->size = sizeof(*desc);
	desc->backends = place->backend;
	desc->allocator = &place->allocator;
	status = plait_context_open(desc, &context, error);
	if (status != PLAIT_OK && context != NULL)
		return internal(error, "out is set");
	plait_context_retain(context);
	plait_context_release(context);
	if (status == PLAIT_OK)
		status = plait_context_close(context, PLAIT_FOREVER, error);
	/* No memory to wait: the reference was kept. */
	if (status == PLAIT_E_NOMEM)
		plait_context_release(context);
	return status;
}

static plait_status open_alone(struct place *place, plait_error *error)
{
	plait_context_desc desc = { .flags = PLAIT_CONTEXT_NO_WORKERS };

	return open_and_close(place, &desc, error);
}

static plait_status open_with_workers(struct place *place, plait_error *error)
{
	plait_context_desc desc = { .workers = 2 };

	return open_and_close(place, &desc, error);
}

static void hear(void *user_data, int32_t level, const char *line)
{
	(void)level;
	(void)line;
	calls_add_one(user_data);
}

static plait_status open_with_all(struct place *place, plait_error *error)
{
	const bool host = strcmp(place->backend, "host") == 0;
	plait_context_desc desc = {
		.workers = 1,
		.wrap = "check,fault",
		.options = host ? "host:devices=2,memory=1M"
				: "chaos:devices=2",
		.log = hear,
		.log_user_data = &place->count,
		.log_level = PLAIT_LOG_DEBUG
	};

	return open_and_close(place, &desc, error);
}

static plait_status report(struct place *place, plait_error *error)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .allocator = &place->allocator };
	char text[4096];
	uint64_t bytes;
	plait_status status = plait_backend_report(&desc, text, sizeof(text),
						   &bytes, error);

	if (status != PLAIT_OK && (text[0] != '\0' || bytes != 0))
		return internal(error, "a text in spite of the failure");
	return status;
}

static plait_status look_around(struct place *place, plait_error *error)
{
	plait_device_info info = { .size = sizeof(info) };
	plait_link_info link = { .size = sizeof(link) };
	plait_device *device;
	plait_status status;
	uint32_t count;
	uint64_t bytes;
	char text[64];

	if ((status = plait_context_device_count(place->context, &count,
						 error)) ||
	    (status = plait_context_device(place->context, count - 1, &device,
					   error)) ||
	    (status = plait_context_find_device(place->context, place->backend,
						&device, error)) ||
	    (status = plait_context_report(place->context, text, sizeof(text),
					   &bytes, error)) ||
	    (status = plait_device_set_budget(device, 1 << 20, error)) ||
	    (status = plait_device_query(device, &info, error)) ||
	    (status = plait_device_query_link(device, NULL, &link, error)))
		return status;
	return info.budget_bytes == 1 << 20 && bytes != 0 ? PLAIT_OK :
		       internal(error, "not what was set");
}

/* A name that does not exist: its error has a long text. */
static plait_status find_nothing(struct place *place, plait_error *error)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "nowhere",
					  .allocator = &place->allocator };
	plait_context *context;
	plait_status status = plait_context_open(&desc, &context, error);
	uint64_t bytes = 0;

	if (status != PLAIT_E_UNAVAILABLE)
		return status;
	/* The detail may be the allocation that failed. */
	if (error->detail != 0)
		(void)plait_error_detail(error->detail, NULL, 0, &bytes);
	return PLAIT_OK;
}

/* --- buffers */

static plait_status create_buffer(struct place *place, plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 100 };
	plait_buffer *buffer = (void *)place;
	plait_status status = plait_buffer_create(place->device, &desc,
						  &buffer, error);
	uint64_t bytes = 0;

	if (status != PLAIT_OK && buffer != NULL)
		return internal(error, "out is set");
	if (status == PLAIT_OK)
		status = plait_buffer_bytes(buffer, &bytes, error);
	plait_buffer_retain(buffer);
	plait_buffer_release(buffer);
	plait_buffer_release(buffer);
	return status;
}

static plait_status wrap_buffer(struct place *place, plait_error *error)
{
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = place->bytes, .bytes = 64,
				       .inbox = place->inbox };
	plait_event event = { .size = sizeof(event) };
	plait_buffer *buffer = (void *)place;
	plait_status status = plait_buffer_wrap(place->device, &desc, &buffer,
						error);

	if (status != PLAIT_OK)
		return buffer == NULL && plait_inbox_next(place->inbox, &event,
							  NULL) ==
						 PLAIT_PENDING
			       ? status : internal(error, "it was announced");
	plait_buffer_release(buffer);
	if (plait_inbox_next(place->inbox, &event, NULL) != PLAIT_OK)
		return internal(error, "it was not announced");
	return status;
}

/* A thread of the context announces it; without such a thread this one does. */
static plait_status wrap_and_call(struct place *place, plait_error *error)
{
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = place->bytes, .bytes = 64,
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .released = calls_add_one,
				       .user_data = &place->count };
	const int before = __atomic_load_n(&place->count, __ATOMIC_SEQ_CST);
	plait_buffer *buffer;
	plait_status status = plait_buffer_wrap(place->device, &desc, &buffer,
						error);
	uint64_t since = 0;

	if (status != PLAIT_OK)
		return status;
	plait_buffer_release(buffer);
	while (__atomic_load_n(&place->count, __ATOMIC_SEQ_CST) == before)
		if (tap_late(&since))
			return internal(error, "it was not announced");
	return PLAIT_OK;
}

static plait_status view_buffer(struct place *place, plait_error *error)
{
	plait_buffer *view = (void *)place;
	plait_status status = plait_buffer_view(place->buffer, 3, 9, &view,
						error);

	if (status != PLAIT_OK && view != NULL)
		return internal(error, "out is set");
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
		return pointer == NULL ? status : internal(error, "out is set");
	status = plait_buffer_unmap(place->buffer, pointer, error);
	/* Nothing has changed, so it is mapped yet. */
	if (status != PLAIT_OK)
		(void)plait_buffer_unmap(place->buffer, pointer, NULL);
	return status;
}

/* Objects of the driver below, where there are any. */
static plait_status ask_native(struct place *place, plait_error *error)
{
	uint64_t told[3] = { 1, 1, 1 }, offset = 1;
	const plait_status status[3] = {
		plait_device_native(place->device, PLAIT_NATIVE_POINTER,
				    &told[0], error),
		plait_queue_native(place->queue, PLAIT_NATIVE_POINTER,
				   &told[1], error),
		plait_buffer_native(place->buffer, PLAIT_NATIVE_POINTER,
				    &told[2], &offset, error),
	};

	for (int i = 0; i < 3; i++) {
		if (status[i] != PLAIT_OK && told[i] != 0)
			return internal(error, "out is set");
		if (status[i] != PLAIT_OK &&
		    status[i] != PLAIT_E_UNSUPPORTED)
			return status[i];
	}
	return offset == 0 ? PLAIT_OK : internal(error, "no offset given");
}

const struct calls_entry calls_device[] = {
	{ "plait_context_open plait_context_retain plait_context_release "
	  "plait_context_close",
	  open_alone, NULL },
	{ "plait_context_open", open_with_workers, NULL },
	{ "plait_context_open", open_with_all, NULL },
	{ "plait_context_open plait_error_detail", find_nothing, NULL },
	{ "plait_backend_report", report, NULL },
	{ "plait_context_device_count plait_context_device "
	  "plait_context_find_device plait_context_report "
	  "plait_device_set_budget plait_device_query "
	  "plait_device_query_link", look_around, NULL },
	{ "plait_buffer_create plait_buffer_bytes plait_buffer_retain "
	  "plait_buffer_release", create_buffer, NULL },
	{ "plait_buffer_wrap", wrap_buffer, NULL },
	{ "plait_buffer_wrap", wrap_and_call, NULL },
	{ "plait_buffer_view", view_buffer, NULL },
	{ "plait_buffer_map plait_buffer_unmap", map_buffer, NULL },
	{ "plait_device_native plait_queue_native plait_buffer_native",
	  ask_native, NULL },
	{ NULL, NULL, NULL }
};
