/* SPDX-License-Identifier: MIT */
/*
 * Primary contexts of devices, which other users of CUDA in the process share.
 * A context is current only during a call; no thread keeps it.
 *
 * A context costs hundreds of megabytes of the device and much time, and a path
 * between two devices slows the allocations of both.  So a context opens when
 * the device is used for the first time, and a path when a command needs it.
 */
#include "driven/process_state.h"

#include "fill.h"
#include "flight.h"

/* --- capture of the user's streams ---------------------------------------- */

/* Calls that allocate, free or wait fail while the user captures a stream, on
 * this thread or (mode GLOBAL) on any other, and spoil the capture.  They do
 * not in the mode RELAXED, which belongs to the thread. */
static _Thread_local struct {
	uint32_t depth; /* of enters */
	bool exchanged;
	CUstreamCaptureMode mode; /* of the user */
} capture;

static void relax_capture(plait_backend *self)
{
	if (capture.depth++ > 0)
		return;
	capture.mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	capture.exchanged = self->cu.cuThreadExchangeStreamCaptureMode(
				    &capture.mode) == CUDA_SUCCESS;
}

static void restore_capture(plait_backend *self)
{
	if (--capture.depth == 0 && capture.exchanged)
		self->cu.cuThreadExchangeStreamCaptureMode(&capture.mode);
}

/* --- opening -------------------------------------------------------------- */

bool plaitp_cuda_is_open(const struct cuda_device *device)
{
	return plaitp_driven_load(&device->opened) != 0;
}

static struct cuda_call make_service_stream(plait_backend *self,
					    struct cuda_device *device)
{
	struct cuda_call call = { "cuCtxGetStreamPriorityRange", CUDA_SUCCESS };

	call.code = self->cu.cuCtxGetStreamPriorityRange(
		&device->priority_least, &device->priority_most);
	if (call.code != CUDA_SUCCESS)
		return call;
	/* Higher priority than the queues' streams: a map must not wait behind
	 * a loop, as it might in a stream that shares its connection. */
	call.name = "cuStreamCreateWithPriority";
	call.code = self->cu.cuStreamCreateWithPriority(
		&device->service_stream, CU_STREAM_NON_BLOCKING,
		device->priority_most);
	return call;
}

/* The mode of captures is relaxed.  After a failure the context is released
 * again. */
static struct cuda_call make_context(plait_backend *self,
				     struct cuda_device *device)
{
	struct cuda_call call = { "cuDevicePrimaryCtxRetain", CUDA_SUCCESS };
	CUcontext ours;

	call.code = self->cu.cuDevicePrimaryCtxRetain(&device->context,
						      device->id);
	if (call.code != CUDA_SUCCESS)
		return call;
	call.name = "cuCtxPushCurrent";
	call.code = self->cu.cuCtxPushCurrent(device->context);
	if (call.code == CUDA_SUCCESS) {
		call = make_service_stream(self, device);
		self->cu.cuCtxPopCurrent(&ours);
	}
	if (call.code != CUDA_SUCCESS)
		self->cu.cuDevicePrimaryCtxRelease(device->id);
	return call;
}

/* Caller holds contexts_lock.  Threads that the driver starts here have the
 * program's signals blocked. */
static plait_status open_context(plait_backend *self,
				 struct cuda_device *device, plait_error *error)
{
	struct driven_process_state before;
	struct cuda_call call;
	plait_status status = plaitp_driven_process_save(&self->driven, &before,
							 error);

	if (status != PLAIT_OK)
		return status;
	relax_capture(self);
	call = make_context(self, device);
	restore_capture(self);
	plaitp_driven_process_restore(&self->driven, &before);
	if (call.code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self,
					     plaitp_cuda_number(self, device),
					     error, call.name, call.code, "");
	plaitp_driven_store(&device->opened, 1);
	return PLAIT_OK;
}

/* A device that could not be opened is tried again by the next call. */
static plait_status open_once(plait_backend *self, struct cuda_device *device,
			      plait_error *error)
{
	plait_status status = PLAIT_OK;

	pthread_mutex_lock(&self->contexts_lock);
	if (!plaitp_cuda_is_open(device))
		status = open_context(self, device, error);
	pthread_mutex_unlock(&self->contexts_lock);
	return status;
}

/* --- use ------------------------------------------------------------------ */

plait_status plaitp_cuda_enter(plait_backend *self, uint32_t number,
			       plait_error *error)
{
	struct cuda_device *device = &self->devices[number];
	plait_status status = PLAIT_OK;
	CUresult code;

	if (!plaitp_cuda_is_open(device))
		status = open_once(self, device, error);
	if (status != PLAIT_OK)
		return status;
	code = self->cu.cuCtxPushCurrent(device->context);
	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self, number, error,
					     "cuCtxPushCurrent", code, "");
	relax_capture(self);
	return PLAIT_OK;
}

void plaitp_cuda_leave(plait_backend *self)
{
	CUcontext ours;

	restore_capture(self);
	self->cu.cuCtxPopCurrent(&ours);
}

/* --- closing -------------------------------------------------------------- */

/* Without the context the events cannot be destroyed, only their records. */
static void destroy_events(plait_backend *self, struct cuda_device *device,
			   bool entered)
{
	struct cuda_event *event;

	while ((event = device->free_events) != NULL) {
		device->free_events = event->next;
		if (entered)
			self->cu.cuEventDestroy(event->event);
		self->services->resize(self->host, event, sizeof(*event), 0);
	}
}

void plaitp_cuda_close_context(plait_backend *self, struct cuda_device *device)
{
	plait_error ignored = { .size = sizeof(ignored) };
	bool entered;

	if (!plaitp_cuda_is_open(device))
		return;
	entered = plaitp_cuda_enter(self, plaitp_cuda_number(self, device),
				    &ignored) == PLAIT_OK;
	destroy_events(self, device, entered);
	plaitp_cuda_pool_clear(self, device, entered);
	if (entered)
		plaitp_cuda_free_pinned(self, device);
	plaitp_cuda_free_words(self, device, entered);
	if (entered && device->setter_module != NULL)
		self->cu.cuModuleUnload(device->setter_module);
	plaitp_cuda_free_fill_kernel(self, device, entered);
	if (entered) {
		self->cu.cuStreamDestroy(device->service_stream);
		plaitp_cuda_leave(self);
	}
	relax_capture(self);
	self->cu.cuDevicePrimaryCtxRelease(device->id);
	restore_capture(self);
	plaitp_driven_store(&device->opened, 0);
}

/* --- paths between devices ------------------------------------------------ */

static bool open_path(plait_backend *self, struct cuda_device *from,
		      const struct cuda_device *to)
{
	plait_error ignored = { .size = sizeof(ignored) };
	CUresult code;
	int can = 0;

	if (self->cu.cuDeviceCanAccessPeer(&can, from->id, to->id) !=
		    CUDA_SUCCESS || can == 0 ||
	    plaitp_cuda_enter(self, plaitp_cuda_number(self, from), &ignored) !=
		    PLAIT_OK)
		return false;
	code = self->cu.cuCtxEnablePeerAccess(to->context, 0);
	plaitp_cuda_leave(self);
	return code == CUDA_SUCCESS ||
	       code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

/* Memory of both devices exists: their contexts are open. */
bool plaitp_cuda_has_path(plait_backend *self, struct cuda_device *from,
			  struct cuda_device *to)
{
	uint64_t bit = UINT64_C(1) << plaitp_cuda_number(self, to);

	if ((plaitp_driven_load64(&from->asked_peers) & bit) == 0) {
		pthread_mutex_lock(&self->contexts_lock);
		if ((from->asked_peers & bit) == 0 && open_path(self, from, to))
			plaitp_driven_store64(&from->peers, from->peers | bit);
		plaitp_driven_store64(&from->asked_peers,
				      from->asked_peers | bit);
		pthread_mutex_unlock(&self->contexts_lock);
	}
	return (plaitp_driven_load64(&from->peers) & bit) != 0;
}

/* Without a context: the question uses no device. */
static bool can_access(plait_backend *self, uint32_t from, uint32_t to)
{
	int can = 0;

	return self->cu.cuDeviceCanAccessPeer(
		       &can, self->devices[from].id, self->devices[to].id) ==
		       CUDA_SUCCESS && can != 0;
}

/* The driver tells no latency and no bandwidth. */
plait_status plaitp_cuda_link_query(plait_backend *self, uint32_t from,
				    uint32_t to, plait_link_info *out,
				    plait_error *error)
{
	(void)error;
	if (from != PLAIT_LINK_HOST && to != PLAIT_LINK_HOST &&
	    can_access(self, from, to) && can_access(self, to, from))
		out->flags |= PLAIT_LINK_DIRECT;
	return PLAIT_OK;
}
