/* SPDX-License-Identifier: MIT */
/* Tensors of other libraries as buffers: layouts, the thread of the deleter,
 * read-only memory, and rejected tensors. */
#include "lib/tensors.h"

/* One tensor of the test in both forms, and its state. */
struct ours {
	struct dl_legacy legacy;
	struct dl_versioned versioned;
	int64_t shape[20];
	int64_t strides[20];
	int deleted; /* atomic: any thread */
	pthread_t by;
};

static _Alignas(64) float cells[64];

static void note(struct ours *ours)
{
	ours->by = pthread_self();
	__atomic_add_fetch(&ours->deleted, 1, __ATOMIC_SEQ_CST);
}

static void delete_legacy(struct dl_legacy *self)
{
	note(self->manager);
}

static void delete_versioned(struct dl_versioned *self)
{
	note(self->manager);
}

/* `strides` null: none. */
static void make_ours(struct ours *ours, int32_t ndim, const int64_t *shape,
		      const int64_t *strides)
{
	struct dl_tensor tensor = { .data = cells, .device_type = 1,
				    .ndim = ndim, .code = 2, .bits = 32,
				    .lanes = 1, .shape = ours->shape };

	memset(ours, 0, sizeof(*ours));
	memcpy(ours->shape, shape, (size_t)ndim * sizeof(*shape));
	if (strides != NULL) {
		memcpy(ours->strides, strides,
		       (size_t)ndim * sizeof(*strides));
		tensor.strides = ours->strides;
	}
	ours->legacy = (struct dl_legacy){ tensor, ours, delete_legacy };
	ours->versioned = (struct dl_versioned){ 1, 1, ours, delete_versioned,
						 0, tensor };
}

/* A tensor of 4 rows of 3. */
static void make_plain(struct ours *ours)
{
	const int64_t shape[] = { 4, 3 };

	make_ours(ours, 2, shape, NULL);
}

static bool was_deleted(struct ours *ours)
{
	for (int i = 0; i < 20000 && __atomic_load_n(&ours->deleted,
						     __ATOMIC_SEQ_CST) == 0;
	     i++)
		pause_a_little();
	return __atomic_load_n(&ours->deleted, __ATOMIC_SEQ_CST) == 1;
}

/* --- in */

static void both_forms(void)
{
	static struct ours ours;
	plait_array array;
	plait_buffer *buffer;

	EACH(rig) {
		for (int legacy = 0; legacy < 2; legacy++) {
			uint32_t flags = legacy ? PLAIT_TENSOR_LEGACY : 0;
			uint64_t bytes = 0;

			make_plain(&ours);
			IS_INT(import(rig, legacy ? (void *)&ours.legacy :
				      (void *)&ours.versioned,
				      flags | PLAIT_CALL_ANY_THREAD, NULL,
				      &array, &buffer), PLAIT_OK);
			IS_INT(plait_buffer_bytes(buffer, &bytes, NULL),
			       PLAIT_OK);
			IS_UINT(bytes, 48);
			IS_UINT(array.dimensions, 2);
			IS_UINT(array.element, PLAIT_ELEMENT_FLOAT);
			IS_UINT(array.element_bits, 32);
			IS_UINT(array.flags, 0);
			IS_UINT(array.offset_bytes, 0);
			OK(array.shape[0] == 4 && array.shape[1] == 3);
			OK(array.strides[0] == 3 && array.strides[1] == 1);
			cells[0] = 0;
			IS_INT(plait_queue_fill(rig->queue, buffer, 0, 4,
						0x3f800000, 4, &rig->error),
			       PLAIT_OK);
			IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
						  &rig->error), PLAIT_OK);
			OK(cells[0] == 1);
			IS_INT(__atomic_load_n(&ours.deleted,
					       __ATOMIC_SEQ_CST), 0);
			plait_buffer_release(buffer);
			OK(was_deleted(&ours));
		}
		close_rig(rig);
	}
}

/* The deleter runs on the owner's thread, from a call that it makes, also when
 * another thread dropped the last reference. */
static void *release_it(void *buffer)
{
	plait_buffer_release(buffer);
	return NULL;
}

static void on_the_owner(void)
{
	static struct ours ours;
	plait_inbox *inbox;
	plait_array array;
	plait_buffer *buffer;
	pthread_t thread;
	uint64_t count;

	EACH(rig) {
		make_plain(&ours);
		OK(plait_inbox_create(rig->context, &inbox, &rig->error) ==
		   PLAIT_OK);
		IS_INT(import(rig, &ours.versioned, 0, inbox, &array,
			      &buffer), PLAIT_OK);
		pthread_create(&thread, NULL, release_it, buffer);
		pthread_join(thread, NULL);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, &rig->error),
		       PLAIT_OK);
		IS_INT(ours.deleted, 0);
		IS_INT(plait_inbox_pump(inbox, 0, &count, &rig->error),
		       PLAIT_OK);
		IS_UINT(count, 1);
		IS_INT(ours.deleted, 1);
		OK(pthread_equal(ours.by, pthread_self()));
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

/* Work in flight keeps it: the gate is closed until all was released. */
static void work_keeps_it(void)
{
	static struct ours ours;
	plait_array array;
	plait_buffer *buffer;
	plait_command wait = { .size = sizeof(wait),
			       .kind = PLAIT_COMMAND_WAIT, .sequence = 1 };

	EACH(rig) {
		make_plain(&ours);
		IS_INT(import(rig, &ours.versioned, PLAIT_CALL_ANY_THREAD,
			      NULL, &array, &buffer), PLAIT_OK);
		wait.signal = rig->gate;
		IS_INT(plait_queue_submit(rig->queue, &wait, 1, NULL,
					  &rig->error), PLAIT_OK);
		IS_INT(plait_queue_fill(rig->queue, buffer, 0, 48, 0, 4,
					&rig->error), PLAIT_OK);
		plait_buffer_release(buffer);
		IS_INT(__atomic_load_n(&ours.deleted, __ATOMIC_SEQ_CST), 0);
		IS_INT(plait_signal_raise(rig->gate, 1, &rig->error),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		OK(was_deleted(&ours));
		close_rig(rig);
	}
}

static const struct layout {
	const char *what;
	int32_t ndim;
	int64_t shape[4];
	int64_t strides[4];
	uint64_t bytes;
	uint64_t offset;
	uint32_t flags;
} layouts[] = {
	{ "a scalar", 0, { 0 }, { 0 }, 4, 0, 0 },
	{ "columns", 2, { 4, 3 }, { 1, 4 }, 48, 0, 0 },
	{ "every second", 1, { 5 }, { 2 }, 36, 0, 0 },
	{ "backwards", 1, { 5 }, { -1 }, 20, 16, 0 },
	{ "one way and the other", 2, { 3, 2 }, { -4, 1 }, 40, 32, 0 },
	{ "nothing", 2, { 4, 0 }, { 1, 1 }, 0, 0, 0 },
	{ "one element of a wide stride", 1, { 1 }, { 1000 }, 4, 0, 0 },
	{ "a row again and again", 2, { 8, 3 }, { 0, 1 }, 12, 0,
	  PLAIT_ARRAY_OVERLAPS | PLAIT_ARRAY_READ_ONLY },
	{ "windows", 2, { 4, 3 }, { 1, 1 }, 24, 0,
	  PLAIT_ARRAY_OVERLAPS | PLAIT_ARRAY_READ_ONLY },
};

static void check_layout(struct rig *rig, const struct layout *layout)
{
	static struct ours ours;
	plait_array array;
	plait_buffer *buffer;
	uint64_t bytes = 1;
	void *pointer;

	make_ours(&ours, layout->ndim, layout->shape, layout->strides);
	ours.versioned.tensor.data = cells + 30;
	ours.versioned.tensor.byte_offset = 8;
	if (!OK_THAT(import(rig, &ours.versioned, PLAIT_CALL_ANY_THREAD, NULL,
			    &array, &buffer) == PLAIT_OK, "%s: %s",
		     layout->what, rig->error.text))
		return;
	(void)plait_buffer_bytes(buffer, &bytes, NULL);
	IS_UINT(bytes, layout->bytes);
	IS_UINT(array.offset_bytes, layout->offset);
	IS_UINT(array.flags, layout->flags);
	if (bytes > 0) {
		IS_INT(plait_buffer_map(buffer, 0, bytes, PLAIT_MAP_READ,
					&pointer, &rig->error), PLAIT_OK);
		IS_PTR((char *)pointer + array.offset_bytes, cells + 32);
	}
	plait_buffer_release(buffer);
	OK(was_deleted(&ours));
}

static void all_layouts(void)
{
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(layouts); i++)
			check_layout(rig, &layouts[i]);
		close_rig(rig);
	}
}

/* --- read-only memory is not written by anything */

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void check_launches(struct rig *rig, plait_buffer *buffer)
{
	static const char *const modes[] = { "in", "out", "inout" };
	plait_argument argument = memory_of(buffer, 0);
	plait_node_desc node = { .size = sizeof(node),
				 .kind = PLAIT_NODE_LAUNCH, .label = "n",
				 .arguments = &argument, .argument_count = 1 };
	plait_graph *graph;
	char text[64];

	for (int i = 0; i < 3; i++) {
		plait_status want = i == 0 ? PLAIT_OK : PLAIT_E_INVALID;

		(void)snprintf(text, sizeof(text), "f(x: %s pointer f32)",
			       modes[i]);
		node.kernel = make_kernel(rig, (plait_kernel_desc){
			.signature = text, .function = do_nothing });
		IS_INT(launch_it(rig, node.kernel, NULL, &argument, 1), want);
		if (want != PLAIT_OK)
			HAS_STR(rig->error.text, "buffer \"theirs\" is "
				"read-only and would be written");
		OK(plait_graph_create(rig->context, &graph, NULL) ==
		   PLAIT_OK);
		IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL,
				       &rig->error), want);
		if (want != PLAIT_OK)
			HAS_STR(rig->error.text, "node \"n\": ");
		plait_graph_release(graph);
		plait_kernel_release(node.kernel);
	}
}

static void read_only(void)
{
	static struct ours ours;
	plait_buffer *buffer, *view, *plain;
	plait_array array;
	float word = 1;
	void *pointer;

	EACH(rig) {
		make_plain(&ours);
		ours.versioned.flags = 1;
		IS_INT(import(rig, &ours.versioned, PLAIT_CALL_ANY_THREAD,
			      NULL, &array, &buffer), PLAIT_OK);
		IS_UINT(array.flags, PLAIT_ARRAY_READ_ONLY);
		plain = make_buffer(rig, 48, "plain");
		OK(plait_buffer_view(buffer, 4, 8, &view, NULL) == PLAIT_OK);
		IS_INT(plait_queue_fill(rig->queue, buffer, 0, 4, 0, 4,
					&rig->error), PLAIT_E_INVALID);
		HAS_STR(rig->error.text, "\"theirs\" is read-only");
		IS_INT(plait_queue_fill(rig->queue, view, 0, 4, 0, 4,
					&rig->error), PLAIT_E_INVALID);
		IS_INT(plait_queue_write(rig->queue, buffer, 0, &word, 4,
					 &rig->error), PLAIT_E_INVALID);
		IS_INT(plait_queue_copy(rig->queue, buffer, 0, plain, 0, 48,
					&rig->error), PLAIT_E_INVALID);
		IS_INT(plait_queue_copy(rig->queue, plain, 0, buffer, 0, 48,
					&rig->error), PLAIT_OK);
		IS_INT(plait_buffer_map(buffer, 0, 4, PLAIT_MAP_WRITE,
					&pointer, &rig->error),
		       PLAIT_E_INVALID);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		check_launches(rig, buffer);
		plait_buffer_release(plain);
		plait_buffer_release(view);
		plait_buffer_release(buffer);
		OK(was_deleted(&ours));
		close_rig(rig);
	}
}

/* --- a rejected tensor stays the caller's */

static void refuse(struct rig *rig, struct ours *ours, plait_status want,
		   const char *part)
{
	plait_buffer *buffer = (void *)rig;
	plait_array array;

	IS_INT(import(rig, &ours->versioned, PLAIT_CALL_ANY_THREAD, NULL,
		      &array, &buffer), want);
	OK(buffer == NULL);
	HAS_STR(rig->error.text, part);
	IS_INT(ours->deleted, 0);
	make_plain(ours);
}

static void bad_elements(struct rig *rig, struct ours *ours)
{
	struct dl_tensor *tensor = &ours->versioned.tensor;

	tensor->bits = 4;
	refuse(rig, ours, PLAIT_E_UNSUPPORTED, "4 bits are not whole bytes");
	tensor->bits = 0;
	refuse(rig, ours, PLAIT_E_INVALID, "elements of 0 bits");
	tensor->lanes = 0;
	refuse(rig, ours, PLAIT_E_INVALID, "32 bits and 0 lanes");
	tensor->byte_offset = 2;
	refuse(rig, ours, PLAIT_E_INVALID, "not aligned to 4 bytes");
	tensor->byte_offset = UINT64_MAX;
	refuse(rig, ours, PLAIT_E_INVALID, "leaves memory");
	tensor->data = NULL;
	refuse(rig, ours, PLAIT_E_INVALID, "data is null");
	tensor->device_type = 2;
	refuse(rig, ours, PLAIT_E_UNSUPPORTED, "DLPack's kind 2");
}

static void bad_shapes(struct rig *rig, struct ours *ours)
{
	struct dl_tensor *tensor = &ours->versioned.tensor;

	tensor->ndim = -1;
	refuse(rig, ours, PLAIT_E_INVALID, "-1 dimensions");
	tensor->ndim = 17;
	refuse(rig, ours, PLAIT_E_UNSUPPORTED, "17 dimensions; at most 16");
	tensor->shape = NULL;
	refuse(rig, ours, PLAIT_E_INVALID, "without a shape");
	ours->shape[1] = -3;
	refuse(rig, ours, PLAIT_E_INVALID, "dimension 1 has -3 elements");
	ours->shape[0] = INT64_MAX;
	refuse(rig, ours, PLAIT_E_INVALID, "further than memory");
	ours->shape[0] = INT64_MAX / 8;
	refuse(rig, ours, PLAIT_E_INVALID, "further than memory");
	tensor->strides = ours->strides;
	ours->strides[0] = INT64_MIN;
	refuse(rig, ours, PLAIT_E_INVALID, "further than memory");
	tensor->strides = ours->strides;
	ours->strides[0] = -((int64_t)1 << 58);
	refuse(rig, ours, PLAIT_E_INVALID, "leaves memory");
	ours->versioned.major = 2;
	refuse(rig, ours, PLAIT_E_UNSUPPORTED, "of DLPack 2.1");
}

static void bad_calls(struct rig *rig, struct ours *ours)
{
	plait_inbox *inbox;
	plait_buffer *buffer;
	plait_array array;

	OK(plait_inbox_create(rig->context, &inbox, &rig->error) == PLAIT_OK);
	IS_INT(import(rig, &ours->versioned, 0, NULL, &array, &buffer),
	       PLAIT_E_INVALID);
	HAS_STR(rig->error.text, "say where the deleter may run");
	IS_INT(import(rig, &ours->versioned, PLAIT_CALL_ANY_THREAD, inbox,
		      &array, &buffer), PLAIT_E_INVALID);
	IS_INT(import(rig, &ours->versioned, 1 << 9, inbox, &array, &buffer),
	       PLAIT_E_INVALID);
	IS_INT(import(rig, NULL, 0, inbox, &array, &buffer), PLAIT_E_INVALID);
	IS_INT(plait_inbox_close(inbox, NULL), PLAIT_OK);
	IS_INT(import(rig, &ours->versioned, 0, inbox, &array, &buffer),
	       PLAIT_E_STATE);
	IS_INT(plait_array_import(rig->device, &ours->versioned, NULL, &array,
				  &buffer, &rig->error), PLAIT_E_INVALID);
	IS_INT(plait_array_import(rig->device, &ours->versioned, NULL, NULL,
				  &buffer, &rig->error), PLAIT_E_INVALID);
	IS_INT(plait_array_import(rig->device, &ours->versioned, NULL, &array,
				  NULL, &rig->error), PLAIT_E_INVALID);
	IS_INT(plait_array_import(NULL, &ours->versioned, NULL, &array,
				  &buffer, &rig->error), PLAIT_E_HANDLE);
	IS_INT(ours->deleted, 0);
	plait_inbox_release(inbox);
}

static void refuses_tensors(void)
{
	static struct ours ours;

	EACH(rig) {
		make_plain(&ours);
		bad_elements(rig, &ours);
		bad_shapes(rig, &ours);
		bad_calls(rig, &ours);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "both forms come in", both_forms },
	{ "the deleter runs on the owner's thread", on_the_owner },
	{ "work in flight keeps a tensor", work_keeps_it },
	{ "all layouts", all_layouts },
	{ "read-only memory is not written", read_only },
	{ "refuses tensors", refuses_tensors },
};
TAP_MAIN(all)
