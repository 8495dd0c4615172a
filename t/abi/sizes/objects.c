/* SPDX-License-Identifier: MIT */
/* Sized structs of contexts, devices, buffers, queues, signals and inboxes. */
#include "sizes.h"
#include "lib/tensors.h"

/* ---- contexts and devices ---- */

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	return realloc(pointer, new_bytes);
}

static plait_status open_with(const plait_context_desc *desc)
{
	plait_context *context = NULL;
	plait_status status = plait_context_open(desc, &context, &stage.error);

	plait_context_release(context);
	return status;
}

static plait_status try_allocator(struct trial *trial)
{
	const plait_allocator good = { .resize = resize };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.flags = PLAIT_CONTEXT_NO_WORKERS, .allocator = GIVEN(good)
	};

	return open_with(&desc);
}

static plait_status try_context(struct trial *trial)
{
	const plait_context_desc good = { .backends = "host",
					  .flags = PLAIT_CONTEXT_NO_WORKERS };

	return open_with(GIVEN(good));
}

static plait_status try_device(struct trial *trial)
{
	const plait_device_info good = { .size = 0 };

	return plait_device_query(stage.rig.device, GIVEN(good), &stage.error);
}

static plait_status try_link(struct trial *trial)
{
	const plait_link_info good = { .size = 0 };

	return plait_device_query_link(stage.rig.device, NULL, GIVEN(good),
				       &stage.error);
}

/* ---- memory ---- */

static plait_status try_buffer(struct trial *trial)
{
	const plait_buffer_desc good = { .bytes = 64, .label = "b" };
	plait_buffer *buffer = NULL;
	plait_status status = plait_buffer_create(stage.rig.device,
						  GIVEN(good), &buffer,
						  &stage.error);

	plait_buffer_release(buffer);
	return status;
}

static plait_status try_wrap(struct trial *trial)
{
	static _Alignas(64) char memory[64];
	const plait_wrap_desc good = { .pointer = memory, .label = "w",
				       .bytes = sizeof(memory) };
	plait_buffer *buffer = NULL;
	plait_status status = plait_buffer_wrap(stage.rig.device, GIVEN(good),
						&buffer, &stage.error);

	plait_buffer_release(buffer);
	return status;
}

static const plait_array numbers = { .element = PLAIT_ELEMENT_FLOAT,
				     .element_bits = 32, .lanes = 1,
				     .dimensions = 1, .shape = { 16 },
				     .flags = PLAIT_ARRAY_COMPACT };

static void give_back(struct dl_versioned *tensor)
{
	if (tensor != NULL)
		tensor->deleter(tensor);
}

static plait_status try_export(struct trial *trial)
{
	void *tensor = NULL;
	plait_status status = plait_array_export(stage.buffer, GIVEN(numbers),
						 0, &tensor, &stage.error);

	give_back(tensor);
	return status;
}

/* Takes a tensor in; its last owner gives it back. */
static plait_status take_in(const plait_import_desc *desc, plait_array *array)
{
	plait_array mine = numbers;
	plait_buffer *buffer = NULL;
	void *tensor = NULL;
	plait_status status;

	mine.size = sizeof(mine);
	status = plait_array_export(stage.buffer, &mine, 0, &tensor,
				    &stage.error);
	if (!IS_INT(status, PLAIT_OK))
		return status;
	status = plait_array_import(stage.rig.device, tensor, desc, array,
				    &buffer, &stage.error);
	if (status != PLAIT_OK)
		give_back(tensor);
	plait_buffer_release(buffer);
	return status;
}

static plait_status try_array(struct trial *trial)
{
	const plait_import_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_CALL_ANY_THREAD };
	const plait_array good = { .size = 0 };

	return take_in(&desc, GIVEN(good));
}

static plait_status try_import(struct trial *trial)
{
	const plait_import_desc good = { .flags = PLAIT_CALL_ANY_THREAD };
	plait_array array = { .size = sizeof(array) };

	return take_in(GIVEN(good), &array);
}

/* ---- queues, signals, inboxes ---- */

static plait_status try_signal(struct trial *trial)
{
	const plait_signal_desc good = { .label = "s" };
	plait_signal *signal = NULL;
	plait_status status = plait_signal_create(stage.rig.device,
						  GIVEN(good), &signal,
						  &stage.error);

	plait_signal_release(signal);
	return status;
}

static plait_status try_queue(struct trial *trial)
{
	const plait_queue_desc good = { .label = "q", .capacity = 100 };
	plait_queue *queue = NULL;
	plait_status status = plait_queue_create(stage.rig.device, GIVEN(good),
						 &queue, &stage.error);

	plait_queue_release(queue);
	return status;
}

static plait_status submit(const plait_command *commands, uint64_t count)
{
	plait_status status = plait_queue_submit(stage.rig.queue, commands,
						 count, NULL, &stage.error);

	if (status == PLAIT_OK)
		status = plait_queue_finish(stage.rig.queue, PLAIT_FOREVER,
					    &stage.error);
	return status;
}

static plait_status try_command(struct trial *trial)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .target_row = 8, .source_row = 16 };
	const plait_command good[] = {
		{ .kind = PLAIT_COMMAND_FILL, .bytes = 64, .pattern = 3,
		  .pattern_bytes = 1, .target = stage.buffer },
		{ .kind = PLAIT_COMMAND_COPY, .bytes = 8, .rows = &rows,
		  .source = stage.buffer, .target = stage.buffer,
		  .target_offset = 100 },
	};

	return submit(GIVEN_ALL(good), TAP_COUNT(good));
}

static plait_status try_rows(struct trial *trial)
{
	const plait_rows good = { .rows = 2, .slices = 2, .target_row = 8,
				  .target_slice = 16, .source_row = 8,
				  .source_slice = 16 };
	const plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_COPY,
		.bytes = 8, .rows = GIVEN(good), .source = stage.buffer,
		.target = stage.buffer, .target_offset = 100
	};

	return submit(&command, 1);
}

static plait_status try_event(struct trial *trial)
{
	const plait_event good = { .size = 0 };
	plait_event *event = GIVEN(good);
	plait_status status;

	if (!IS_INT(plait_signal_notify(stage.rig.signal, 0, stage.inbox, NULL,
					NULL, NULL), PLAIT_OK) ||
	    !IS_INT(plait_inbox_wait(stage.inbox, PLAIT_FOREVER, NULL),
		    PLAIT_OK))
		return PLAIT_E_INTERNAL;
	status = plait_inbox_next(stage.inbox, event, &stage.error);
	if (status != PLAIT_OK) { /* it is still there */
		plait_event known = { .size = sizeof(known) };

		IS_INT(plait_inbox_next(stage.inbox, &known, NULL), PLAIT_OK);
	}
	return status;
}

const struct sized sized_objects[] = {
	SIZED(plait_allocator, try_allocator, false),
	SIZED(plait_context_desc, try_context, false),
	SIZED(plait_device_info, try_device, true),
	SIZED(plait_link_info, try_link, true),
	SIZED(plait_buffer_desc, try_buffer, false),
	SIZED(plait_wrap_desc, try_wrap, false),
	SIZED(plait_array, try_export, false),
	SIZED(plait_array, try_array, true),
	SIZED(plait_import_desc, try_import, false),
	SIZED(plait_signal_desc, try_signal, false),
	SIZED(plait_queue_desc, try_queue, false),
	SIZED(plait_command, try_command, false),
	SIZED(plait_rows, try_rows, false),
	SIZED(plait_event, try_event, true),
	{ .call = NULL }
};
