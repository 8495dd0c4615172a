/* SPDX-License-Identifier: MIT */
/* Buffers as tensors for other libraries: they outlive all handles, can be
 * deleted on any thread, and lie inside their buffer. */
#include "lib/tensors.h"

static plait_array describe(uint32_t rows, uint32_t columns)
{
	return (plait_array){ .size = sizeof(plait_array),
			      .flags = PLAIT_ARRAY_COMPACT,
			      .element = PLAIT_ELEMENT_FLOAT,
			      .element_bits = 32, .lanes = 1, .dimensions = 2,
			      .shape = { rows, columns } };
}

static void check_tensor(const struct dl_tensor *tensor)
{
	const float *data = tensor->data;
	int wrong = 0;

	IS_INT(tensor->device_type, 1);
	IS_INT(tensor->ndim, 2);
	IS_UINT(tensor->byte_offset, 0);
	OK(tensor->code == 2 && tensor->bits == 32 && tensor->lanes == 1);
	OK(tensor->shape[0] == 3 && tensor->shape[1] == 5);
	OK(tensor->strides[0] == 5 && tensor->strides[1] == 1);
	for (int64_t i = 0; i < 3; i++)
		for (int64_t k = 0; k < 5; k++)
			wrong += data[i * 5 + k] != (float)(i * 5 + k + 1);
	IS_INT(wrong, 0);
}

/* The tensor lives on when everything else was released. */
static void outlives_all(struct rig *rig, uint32_t flags)
{
	plait_buffer *buffer = make_buffer(rig, 64, "ours");
	plait_array array = describe(3, 5);
	struct dl_versioned *versioned;
	struct dl_legacy *legacy;
	float values[16];
	void *tensor;

	for (int i = 0; i < 16; i++)
		values[i] = (float)i;
	array.offset_bytes = 4;
	IS_INT(plait_queue_write(rig->queue, buffer, 0, values, 64,
				 &rig->error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_array_export(buffer, &array, flags, &tensor,
				  &rig->error), PLAIT_OK);
	plait_buffer_release(buffer);
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_queue_release(rig->queue);
	plait_context_release(rig->context);
	IS_UINT(plait_live_count(PLAIT_OBJECT_BUFFER), 1);
	versioned = tensor;
	legacy = tensor;
	check_tensor(flags != 0 ? &legacy->tensor : &versioned->tensor);
	if (flags == 0) {
		IS_UINT(versioned->major, 1);
		IS_UINT(versioned->flags, 0);
		versioned->deleter(versioned);
	} else {
		legacy->deleter(legacy);
	}
	OK(all_gone());
}

static void exports(void)
{
	EACH(rig)
		outlives_all(rig, 0);
	EACH(rig)
		outlives_all(rig, PLAIT_TENSOR_LEGACY);
}

static void *delete_it(void *tensor)
{
	struct dl_versioned *self = tensor;

	self->deleter(self);
	return NULL;
}

/* Out, in again, and back from another thread. */
static void there_and_back(void)
{
	plait_array array, back;
	plait_buffer *buffer, *again;
	struct dl_versioned *tensor;
	pthread_t thread;
	void *out;

	EACH(rig) {
		buffer = make_buffer(rig, 60, "ours");
		array = describe(3, 5);
		array.flags |= PLAIT_ARRAY_READ_ONLY;
		IS_INT(plait_array_export(buffer, &array, 0, &out,
					  &rig->error), PLAIT_OK);
		tensor = out;
		IS_UINT(tensor->flags, 1);
		IS_INT(import(rig, out, PLAIT_CALL_ANY_THREAD, NULL, &back,
			      &again), PLAIT_OK);
		IS_UINT(back.flags, PLAIT_ARRAY_READ_ONLY);
		plait_buffer_release(again);
		array.flags = PLAIT_ARRAY_COMPACT;
		IS_INT(plait_array_export(buffer, &array, 0, &out,
					  &rig->error), PLAIT_OK);
		plait_buffer_release(buffer);
		pthread_create(&thread, NULL, delete_it, out);
		pthread_join(thread, NULL);
		close_rig(rig);
	}
}

static void refuse_export(struct rig *rig, plait_buffer *buffer,
			  plait_array array, uint32_t flags,
			  plait_status want, const char *part)
{
	void *tensor = rig;

	IS_INT(plait_array_export(buffer, &array, flags, &tensor,
				  &rig->error), want);
	OK(tensor == NULL);
	HAS_STR(rig->error.text, part);
}

static void refuses_exports(void)
{
	plait_array array;
	plait_buffer *buffer;
	void *tensor;

	EACH(rig) {
		buffer = make_buffer(rig, 60, "ours");
		array = describe(3, 5);
		array.offset_bytes = 4;
		refuse_export(rig, buffer, array, 0, PLAIT_E_INVALID,
			      "array 4+60 is outside the buffer \"ours\"");
		array.flags = 0;
		array.strides[0] = -5;
		array.strides[1] = 1;
		refuse_export(rig, buffer, array, 0, PLAIT_E_INVALID,
			      "it goes down 40");
		array = describe(3, 4);
		array.offset_bytes = 2;
		refuse_export(rig, buffer, array, 0, PLAIT_E_INVALID,
			      "not aligned to 4");
		array.element = 256;
		refuse_export(rig, buffer, array, 0, PLAIT_E_UNSUPPORTED,
			      "more than a tensor can say");
		array = describe(3, 4);
		array.dimensions = 17;
		refuse_export(rig, buffer, array, 0, PLAIT_E_UNSUPPORTED,
			      "17 dimensions");
		array = describe(3, 4);
		array.flags = 1 << 20;
		refuse_export(rig, buffer, array, 0, PLAIT_E_INVALID,
			      "flags 0x100000");
		refuse_export(rig, buffer, describe(3, 4), 1,
			      PLAIT_E_INVALID, "0x1 of the call");
		array = describe(3, 4);
		array.flags |= PLAIT_ARRAY_READ_ONLY;
		refuse_export(rig, buffer, array, PLAIT_TENSOR_LEGACY,
			      PLAIT_E_UNSUPPORTED, "cannot say");
		refuse_export(rig, NULL, array, 0, PLAIT_E_HANDLE, "null");
		IS_INT(plait_array_export(buffer, NULL, 0, &tensor,
					  &rig->error), PLAIT_E_INVALID);
		IS_INT(plait_array_export(buffer, &array, 0, NULL,
					  &rig->error), PLAIT_E_INVALID);
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "exports outlive all", exports },
	{ "there and back", there_and_back },
	{ "refuses exports", refuses_exports },
};
TAP_MAIN(all)
