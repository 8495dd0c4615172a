/* SPDX-License-Identifier: MIT */
/*
 * Contexts of the CUDA backend on the stand-in for its driver: none before a device
 * is used, one for each that is, however many threads begin; a failure at first use
 * is the error of that call; paths between devices open when a command needs them.
 */
#include <pthread.h>
#include <stdlib.h>

#include "segments.h"
#include "plait/native.h"

enum { DEVICES = 4, THREADS = 8 };

static bool open_unused(const char *standin)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda",
				    .workers = 1 };
	char options[1100];

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	builds = true;
	standin_prepare(standin);
	(void)snprintf(options, sizeof(options), "cuda:driver=%.400s",
		       standin_path);
	desc.options = options;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "%s", rig.error.text);
}

static plait_device *device_at(uint32_t index)
{
	plait_device *device = NULL;

	OK(plait_context_device(rig.context, index, &device, &rig.error) ==
	   PLAIT_OK);
	return device;
}

static void close_used(void)
{
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	standin_is_clean();
}

static uint64_t contexts(void)
{
	return rig_live(STANDIN_CONTEXT);
}

static void unused(void)
{
	plait_buffer *x;

	if (!open_unused("devices=4"))
		return;
	IS_UINT(contexts(), 0);
	x = words_on(device_at(2));
	IS_UINT(contexts(), 1);
	plait_buffer_release(x);
	x = words_on(device_at(2));
	IS_UINT(contexts(), 1);
	IS_UINT(rig_calls("cuDevicePrimaryCtxRetain"), 1);
	plait_buffer_release(x);
	close_used();
	IS_UINT(contexts(), 0);
}

/* The program asks for the context of a device that nothing has used. */
static void native(void)
{
	uint64_t handle = 0;

	if (!open_unused("devices=2"))
		return;
	OK(plait_device_native(device_at(1), PLAIT_NATIVE_CU_DEVICE, &handle,
			       &rig.error) == PLAIT_OK);
	IS_UINT(handle, 1);
	IS_UINT(contexts(), 0);
	OK(plait_device_native(device_at(1), PLAIT_NATIVE_CU_CONTEXT, &handle,
			       &rig.error) == PLAIT_OK);
	OK(handle != 0);
	IS_UINT(contexts(), 1);
	close_used();
}

static void *use(void *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(device, &desc, &buffer, NULL) == PLAIT_OK);
	plait_buffer_release(buffer);
	return NULL;
}

static void at_once(void)
{
	pthread_t threads[THREADS];

	if (!open_unused("devices=4"))
		return;
	for (uint32_t i = 0; i < THREADS; i++)
		OK(pthread_create(&threads[i], NULL, use,
				  device_at(i % DEVICES)) == 0);
	for (uint32_t i = 0; i < THREADS; i++)
		OK(pthread_join(threads[i], NULL) == 0);
	IS_UINT(contexts(), DEVICES);
	IS_UINT(rig_calls("cuDevicePrimaryCtxRetain"), DEVICES);
	IS_UINT(rig_calls("cuCtxEnablePeerAccess"), 0);
	close_used();
}

/* The call that begins the use fails; the next one opens the context. */
static void check_failure(const char *name, int code, plait_status status)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_buffer *buffer = NULL;

	if (!open_unused("devices=2"))
		return;
	rig_fail(name, 1, code);
	/* The library tries again when there is no memory. */
	if (status == PLAIT_E_NOMEM)
		rig_fail(name, 2, code);
	IS_INT(plait_buffer_create(device_at(0), &desc, &buffer, &rig.error),
	       status);
	HAS_STR(rig.error.text, name);
	OK(strstr(rig.error.text, "lost") == NULL);
	IS_UINT(contexts(), 0);
	OK(plait_buffer_create(device_at(0), &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	IS_UINT(contexts(), 1);
	plait_buffer_release(buffer);
	close_used();
}

static void failures(void)
{
	check_failure("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY,
		      PLAIT_E_NOMEM);
	check_failure("cuDevicePrimaryCtxRetain",
		      CUDA_ERROR_DEVICE_UNAVAILABLE, PLAIT_E_UNAVAILABLE);
	check_failure("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN, PLAIT_E_FAILED);
	check_failure("cuCtxGetStreamPriorityRange", CUDA_ERROR_UNKNOWN,
		      PLAIT_E_FAILED);
	check_failure("cuStreamCreateWithPriority", CUDA_ERROR_OUT_OF_MEMORY,
		      PLAIT_E_NOMEM);
}

/* ---- paths ---- */

static plait_status launch_on(plait_kernel *map, plait_buffer *from,
			      plait_buffer *to)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[] = {
		buffer_argument(from), buffer_argument(to),
		value_argument(&one), value_argument(&one),
	};
	plait_status status = plait_queue_launch(rig.queue, map, &launch,
						 arguments, 4, &rig.error);
	plait_status ended = plait_queue_finish(rig.queue, PLAIT_FOREVER,
						status == PLAIT_OK ?
						&rig.error : NULL);

	return status != PLAIT_OK ? status : ended;
}

/* A kernel of one device writes to the memory of another. */
static void check_path(const char *standin, plait_status status)
{
	plait_buffer *near, *far;
	plait_kernel *map;

	if (!open_unused(standin))
		return;
	rig.device = device_at(0);
	OK(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error) ==
	   PLAIT_OK);
	map = map_kernel();
	near = words_on(rig.device);
	far = words_on(device_at(1));
	OK(launch_on(map, near, near) == PLAIT_OK);
	IS_UINT(rig_calls("cuCtxEnablePeerAccess"), 0);
	for (int i = 0; i < 2; i++) {
		IS_INT(launch_on(map, near, far), status);
		if (status != PLAIT_OK)
			HAS_STR(rig.error.text, "no path to the memory of "
				"cuda:1");
	}
	IS_UINT(rig_calls("cuCtxEnablePeerAccess"), 1);
	plait_buffer_release(near);
	plait_buffer_release(far);
	plait_kernel_release(map);
	close_used();
}

static void paths(void)
{
	check_path("devices=2", PLAIT_OK);
	check_path("devices=2,refuse=cuCtxEnablePeerAccess:704", PLAIT_OK);
	/* The devices could reach each other, but the path does not open. */
	check_path("devices=2,refuse=cuCtxEnablePeerAccess:217",
		   PLAIT_E_UNSUPPORTED);
}

/* The driver is asked without a context; a link is direct where both devices
 * access each other's memory. */
static void check_link(const char *standin, uint32_t flags)
{
	plait_link_info link = { .size = sizeof(link) };

	if (!open_unused(standin))
		return;
	OK(plait_device_query_link(device_at(0), device_at(1), &link,
				   &rig.error) == PLAIT_OK);
	IS_UINT(link.flags & PLAIT_LINK_DIRECT, flags);
	OK(link.flags & PLAIT_LINK_LATENCY_ASSUMED);
	OK(plait_device_query_link(device_at(0), NULL, &link, &rig.error) ==
	   PLAIT_OK);
	IS_UINT(link.flags & PLAIT_LINK_DIRECT, PLAIT_LINK_DIRECT);
	IS_UINT(contexts(), 0);
	close_used();
}

static void links(void)
{
	check_link("devices=2", PLAIT_LINK_DIRECT);
	check_link("devices=2,peers=none", 0);
	check_link("devices=2,fail=cuDeviceCanAccessPeer:2", 0);
}

/* ---- modes ---- */

/* In exclusive use by another process: seen when the backend opens. */
static void modes(void)
{
	static char report[16384];
	uint32_t count = 0;

	if (!open_unused("devices=2,mode=3,fail=cuDevicePrimaryCtxRetain:1:46"))
		return;
	OK(plait_context_device_count(rig.context, &count, &rig.error) ==
	   PLAIT_OK);
	IS_UINT(count, 1);
	IS_UINT(contexts(), 1);
	(void)plait_context_report(rig.context, report, sizeof(report), NULL,
				   NULL);
	HAS_STR(report, "left out: cuDevicePrimaryCtxRetain failed");
	close_used();
}

static const struct tap_scenario all[] = {
	{ "unused", unused },
	{ "native", native },
	{ "at once", at_once },
	{ "failures", failures },
	{ "paths", paths },
	{ "links", links },
	{ "modes", modes },
};
TAP_MAIN(all)
