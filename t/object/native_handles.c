/* SPDX-License-Identifier: MIT */
/* Native handles: the objects of the system below, queried and wrapped. */
#include "lib/objects.h"

#include <dlfcn.h>

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

/* ---- queries of every backend ---- */

/* A value that is no answer, to detect writes. */
enum { UNTOLD = 77 };

static void ask_and_fail(struct rig *rig, plait_buffer *buffer)
{
	uint64_t told = UNTOLD, offset = UNTOLD;

	REFUSED(plait_device_native(rig->device, 999, &told, &rig->error),
		PLAIT_E_UNSUPPORTED, rig->backend);
	IS_UINT(told, 0);
	told = UNTOLD;
	REFUSED(plait_queue_native(rig->queue, PLAIT_NATIVE_CU_STREAM, &told,
				   &rig->error),
		PLAIT_E_UNSUPPORTED, rig->backend);
	IS_UINT(told, 0);
	told = UNTOLD;
	REFUSED(plait_buffer_native(buffer, PLAIT_NATIVE_CL_MEMORY, &told,
				    &offset, &rig->error),
		PLAIT_E_UNSUPPORTED, rig->backend);
	IS_UINT(told, 0);
	IS_UINT(offset, 0);
}

static void ask_wrongly(struct rig *rig, plait_buffer *buffer)
{
	plait_buffer *empty = make_buffer(rig, 0, "empty");
	uint64_t told = UNTOLD;

	REFUSED(plait_device_native(rig->device, 1, NULL, &rig->error),
		PLAIT_E_INVALID, "out is null");
	REFUSED(plait_queue_native(rig->queue, 1, NULL, &rig->error),
		PLAIT_E_INVALID, "out is null");
	REFUSED(plait_buffer_native(buffer, 1, NULL, NULL, &rig->error),
		PLAIT_E_INVALID, "out is null");
	REFUSED(plait_buffer_native(empty, 1, &told, NULL, &rig->error),
		PLAIT_E_INVALID, "no bytes");
	REFUSED(plait_device_native(NULL, 1, &told, &rig->error),
		PLAIT_E_HANDLE, "null");
	REFUSED(plait_queue_native(forged(64), 1, &told, &rig->error),
		PLAIT_E_HANDLE, "");
	REFUSED(plait_buffer_native(forged(64), 1, &told, NULL, &rig->error),
		PLAIT_E_HANDLE, "");
	IS_UINT(told, 0);
	plait_buffer_release(empty);
}

static void is_refused(void)
{
	EACH(rig) {
		plait_buffer *buffer = make_buffer(rig, 64, "b");

		ask_and_fail(rig, buffer);
		ask_wrongly(rig, buffer);
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

static void is_not_taken(void)
{
	EACH(rig) {
		static char memory[8];
		plait_wrap_desc wrap = { .size = sizeof(wrap), .bytes = 8,
					 .native_kind = 999, .native = 1 };
		plait_queue_desc desc = { .size = sizeof(desc),
					  .native_kind = 999, .native = 1 };
		plait_buffer *buffer = forged(1);
		plait_queue *queue = forged(1);

		REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer,
					  &rig->error),
			PLAIT_E_UNSUPPORTED, rig->backend);
		OK(buffer == NULL);
		REFUSED(plait_queue_create(rig->device, &desc, &queue,
					   &rig->error),
			PLAIT_E_UNSUPPORTED, rig->backend);
		OK(queue == NULL);
		wrap.pointer = memory;
		REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer,
					  &rig->error),
			PLAIT_E_INVALID, "exclude each other");
		wrap.pointer = NULL;
		wrap.bytes = 0;
		REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer,
					  &rig->error),
			PLAIT_E_INVALID, "no bytes");
		wrap.bytes = UINT64_MAX;
		REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer,
					  &rig->error),
			PLAIT_E_INVALID, "more than any memory");
		wrap.native_kind = 0;
		REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer,
					  &rig->error),
			PLAIT_E_INVALID, "does not say what it is");
		desc.native_kind = 0;
		REFUSED(plait_queue_create(rig->device, &desc, &queue,
					   &rig->error),
			PLAIT_E_INVALID, "does not say what it is");
		close_rig(rig);
	}
}

/* ---- the host: addresses ---- */

static void tell_address(struct rig *rig)
{
	plait_buffer *buffer = make_buffer(rig, 64, "b"), *view;
	uint64_t told = 0, of_view = 0, offset = UNTOLD;
	void *mapped = NULL;

	IS_INT(plait_buffer_native(buffer, PLAIT_NATIVE_POINTER, &told,
				   &offset, &rig->error), PLAIT_OK);
	IS_UINT(offset, 0);
	IS_INT(plait_buffer_map(buffer, 0, 64, PLAIT_MAP_READ, &mapped,
				&rig->error), PLAIT_OK);
	OK(told != 0 && told == (uintptr_t)mapped);
	IS_INT(plait_buffer_unmap(buffer, mapped, &rig->error), PLAIT_OK);
	IS_INT(plait_buffer_view(buffer, 24, 8, &view, &rig->error), PLAIT_OK);
	IS_INT(plait_buffer_native(view, PLAIT_NATIVE_POINTER, &of_view,
				   &offset, &rig->error), PLAIT_OK);
	IS_UINT(of_view, told);
	IS_UINT(offset, 24);
	plait_buffer_release(view);
	plait_buffer_release(buffer);
}

static void tell_wrapped(struct rig *rig)
{
	static char memory[8];
	plait_wrap_desc wrap = { .size = sizeof(wrap), .pointer = memory,
				 .bytes = 8 };
	uint64_t told = 0;
	plait_buffer *buffer;

	IS_INT(plait_buffer_wrap(rig->device, &wrap, &buffer, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_buffer_native(buffer, PLAIT_NATIVE_POINTER, &told, NULL,
				   &rig->error), PLAIT_OK);
	OK(told == (uintptr_t)memory);
	plait_buffer_release(buffer);
}

static void is_address(void)
{
	struct rig *rig = &settings[0];

	if (!open_rig(rig))
		return;
	tell_address(rig);
	tell_wrapped(rig);
	close_rig(rig);
}

/* Through the interposers, and with the slot failing. */
static void is_wrapped(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .workers = 1, .backends = "host",
		.wrap = "check,trace,fault",
		.options = "fault:slot=native_query,fail=2,status=busy",
	};
	struct rig *rig = &settings[0];
	uint64_t told = 0;
	plait_buffer *buffer;

	rig->error.size = sizeof(rig->error);
	if (!OK_THAT(plait_context_open(&desc, &rig->context, &rig->error) ==
		     PLAIT_OK, "open: %s", rig->error.text))
		return;
	IS_INT(plait_context_device(rig->context, 0, &rig->device,
				    &rig->error), PLAIT_OK);
	buffer = make_buffer(rig, 64, "b");
	IS_INT(plait_buffer_native(buffer, PLAIT_NATIVE_POINTER, &told, NULL,
				   &rig->error), PLAIT_OK);
	OK(told != 0);
	REFUSED(plait_buffer_native(buffer, PLAIT_NATIVE_POINTER, &told, NULL,
				    &rig->error),
		PLAIT_E_BUSY, "native_query");
	IS_UINT(told, 0);
	IS_INT(plait_buffer_native(buffer, PLAIT_NATIVE_POINTER, &told, NULL,
				   &rig->error), PLAIT_OK);
	plait_buffer_release(buffer);
	plait_context_release(rig->context);
	OK(all_gone());
}

/* ---- OpenCL, where there is some: use by foreign code ---- */

enum { CL_READ_WRITE = 1 };

typedef void *(*cl_create_buffer)(void *, uint64_t, size_t, void *, int *);
typedef void *(*cl_create_queue)(void *, void *, uint64_t, int *);
typedef int (*cl_release)(void *);

struct cl {
	cl_create_buffer create_buffer;
	cl_create_queue create_queue;
	cl_release release_buffer;
	cl_release release_queue;
	void *context;
	void *device;
	void *memory;
	void *queue;
};

static void *find(void *library, const char *name)
{
	void *found = dlsym(library, name);

	OK_THAT(found != NULL, "%s", name);
	return found;
}

static void *device_native(struct rig *rig, uint32_t kind)
{
	uint64_t told = 0;

	IS_INT(plait_device_native(rig->device, kind, &told, &rig->error),
	       PLAIT_OK);
	return forged(told);
}

static bool make_natives(struct rig *rig, struct cl *cl)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	int code = -1;

	if (!OK(library != NULL))
		return false;
	*(void **)&cl->create_buffer = find(library, "clCreateBuffer");
	*(void **)&cl->create_queue = find(library, "clCreateCommandQueue");
	*(void **)&cl->release_buffer = find(library, "clReleaseMemObject");
	*(void **)&cl->release_queue = find(library, "clReleaseCommandQueue");
	OK(device_native(rig, PLAIT_NATIVE_CL_PLATFORM) != NULL);
	cl->context = device_native(rig, PLAIT_NATIVE_CL_CONTEXT);
	cl->device = device_native(rig, PLAIT_NATIVE_CL_DEVICE);
	cl->memory = cl->create_buffer(cl->context, CL_READ_WRITE, 64, NULL,
				       &code);
	OK(code == 0 && cl->memory != NULL);
	cl->queue = cl->create_queue(cl->context, cl->device, 0, &code);
	return OK(code == 0 && cl->queue != NULL);
}

static void use_natives(struct rig *rig, struct cl *cl)
{
	plait_wrap_desc wrap = { .size = sizeof(wrap), .bytes = 65,
				 .native_kind = PLAIT_NATIVE_CL_MEMORY,
				 .native = (uintptr_t)cl->memory };
	const plait_queue_desc desc = {
		.size = sizeof(desc), .native_kind = PLAIT_NATIVE_CL_QUEUE,
		.native = (uintptr_t)cl->queue
	};
	uint64_t told = 0, last = 0;
	plait_buffer *buffer;
	plait_queue *queue;

	REFUSED(plait_buffer_wrap(rig->device, &wrap, &buffer, &rig->error),
		PLAIT_E_INVALID, "fewer bytes");
	wrap.bytes = 64;
	IS_INT(plait_buffer_wrap(rig->device, &wrap, &buffer, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(rig->device, &desc, &queue, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_buffer_native(buffer, PLAIT_NATIVE_CL_MEMORY, &told,
				   NULL, &rig->error), PLAIT_OK);
	OK(told == (uintptr_t)cl->memory);
	IS_INT(plait_queue_native(queue, PLAIT_NATIVE_CL_QUEUE, &told,
				  &rig->error), PLAIT_OK);
	OK(told == (uintptr_t)cl->queue);
	IS_INT(plait_queue_fill(queue, buffer, 0, 64, 42, 8, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_read(queue, buffer, 56, &last, 8, &rig->error),
	       PLAIT_OK);
	IS_UINT(last, 42);
	plait_buffer_release(buffer);
	plait_queue_release(queue);
}

/* Long runs only: a driver that hangs is no failure of this test. */
static void is_opencl(void)
{
	struct rig rig = { .backend = "opencl", .workers = 1,
			   .error = { .size = sizeof(plait_error) } };
	const plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
					  .backends = "opencl" };
	struct cl cl;

	if (!tap_soak()) {
		SKIP("set PLAIT_SOAK=1: a real driver of OpenCL");
		return;
	}
	if (plait_context_open(&desc, &rig.context, &rig.error) != PLAIT_OK) {
		SKIP("%s", rig.error.text);
		return;
	}
	IS_INT(plait_context_device(rig.context, 0, &rig.device, &rig.error),
	       PLAIT_OK);
	if (make_natives(&rig, &cl)) {
		use_natives(&rig, &cl);
		cl.release_queue(cl.queue);
		cl.release_buffer(cl.memory);
	}
	plait_context_release(rig.context);
	OK(all_gone());
}

static const struct tap_scenario all[] = {
	{ "is refused", is_refused },
	{ "is not taken", is_not_taken },
	{ "is an address", is_address },
	{ "is wrapped", is_wrapped },
	{ "is opencl", is_opencl },
};

TAP_MAIN(all)
