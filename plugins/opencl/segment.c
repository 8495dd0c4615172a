/* SPDX-License-Identifier: MIT */
/*
 * Segments: their commands, and a command buffer of them.  A launch that changes
 * is updated in the buffer.  If the driver cannot, the buffer is forgotten, and
 * the commands are enqueued one by one until a run finds them unchanged, which
 * records them anew: recording pays only if it is used again.
 *
 * Queues that measure times always enqueue the commands one by one.
 */
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "driven/atomic.h"

/* --- counts --------------------------------------------------------------- */

static void count(const plait_backend_segment *segment,
		  enum opencl_buffer_count kind)
{
	plaitp_driven_count(&segment->device->buffer_counts[kind]);
}

void plaitp_opencl_segment_log(plait_backend *self,
			       const struct opencl_device *device)
{
	uint32_t counts[OPENCL_BUFFER_COUNTS], sum = 0;
	char line[160];
	int i;

	for (i = 0; i < OPENCL_BUFFER_COUNTS; i++) {
		counts[i] = plaitp_driven_load(&device->buffer_counts[i]);
		sum += counts[i];
	}
	if (sum == 0)
		return;
	snprintf(line, sizeof(line), "opencl:%u: graphs: %u made, %u patched, "
		 "%u to make anew, %u refused, %u left to single commands",
		 (unsigned)(device - self->devices),
		 counts[OPENCL_BUFFERS_MADE], counts[OPENCL_BUFFERS_PATCHED],
		 counts[OPENCL_BUFFERS_ANEW], counts[OPENCL_BUFFERS_REFUSED],
		 counts[OPENCL_BUFFERS_LEFT]);
	self->services->log(self->host, PLAIT_LOG_INFO, line);
}

/* --- creation ------------------------------------------------------------- */

static void copy_work(plait_work *out, const plait_segment_request *request,
		      uint32_t index)
{
	const size_t stride = request->work->size;

	memcpy(out, (const char *)request->work + stride * index,
	       stride < sizeof(*out) ? stride : sizeof(*out));
}

/* Copies the works; records nothing. */
static plait_backend_segment *new_segment(plait_backend *self,
					  struct opencl_device *device,
					  const plait_segment_request *request)
{
	const uint64_t n = request->work_count;
	const uint64_t bytes = sizeof(plait_backend_segment) +
			       n * (sizeof(plait_work) +
				    sizeof(struct opencl_recorded));
	plait_backend_segment *segment =
		self->services->resize(self->host, NULL, 0, bytes);
	uint32_t i;

	if (segment == NULL)
		return NULL;
	memset(segment, 0, bytes);
	segment->total_bytes = bytes;
	segment->device = device;
	segment->work_count = request->work_count;
	segment->recorded = (void *)(segment->works + n);
	for (i = 0; i < request->work_count; i++)
		copy_work(&segment->works[i], request, i);
	return segment;
}

static uint32_t count_works(const plait_backend_segment *segment)
{
	uint32_t i, some = 0;

	for (i = 0; i < segment->work_count; i++)
		some += !plaitp_driven_work_is_empty(&segment->works[i]);
	return some;
}

static bool moves_images(const plait_backend_segment *segment)
{
	uint32_t i = 0;

	while (i < segment->work_count &&
	       !plaitp_opencl_image_moves(&segment->works[i]))
		i++;
	return i < segment->work_count;
}

/* Leave a short segment, or one that moves images, to the core, which submits
 * the commands one by one. */
static plait_status leave(plait_backend *self, plait_backend_segment *segment,
			  plait_error *error)
{
	const uint32_t least = segment->device->least_recorded;

	count(segment, OPENCL_BUFFERS_LEFT);
	plaitp_opencl_segment_destroy(self, segment);
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "opencl: a command buffer pays from %u "
				  "commands on, without moves of images",
				  least);
}

/* Leave a segment that the driver does not record to the core, too. */
static plait_status refuse(plait_backend *self, uint32_t device,
			   const plait_segment_request *request,
			   const struct opencl_call *call, plait_error *error)
{
	plait_status status = plaitp_opencl_fail_call(
		self->services, error, call->name, call->code,
		request->label != NULL ? request->label : "a segment");

	if (status == PLAIT_E_NOMEM || status == PLAIT_E_LOST)
		return status;
	plaitp_driven_count(&self->devices[device]
				     .buffer_counts[OPENCL_BUFFERS_REFUSED]);
	self->services->log(self->host, PLAIT_LOG_WARNING, error->text);
	return error->status = PLAIT_E_UNSUPPORTED;
}

plait_status plaitp_opencl_segment_create(plait_backend *self, uint32_t device,
					  const plait_segment_request *request,
					  plait_backend_segment **out,
					  plait_error *error)
{
	plait_backend_segment *segment =
		new_segment(self, &self->devices[device], request);
	struct opencl_call call;

	*out = NULL;
	if (segment == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl: no memory for a segment");
	if (count_works(segment) < segment->device->least_recorded ||
	    count_works(segment) == 0 || moves_images(segment))
		return leave(self, segment, error);
	pthread_mutex_lock(&self->arguments_lock);
	call = plaitp_opencl_record(self, segment);
	pthread_mutex_unlock(&self->arguments_lock);
	if (call.code != CL_SUCCESS) {
		plaitp_opencl_segment_destroy(self, segment);
		return refuse(self, device, request, &call, error);
	}
	count(segment, OPENCL_BUFFERS_MADE);
	*out = segment;
	return PLAIT_OK;
}

void plaitp_opencl_segment_destroy(plait_backend *self,
				   plait_backend_segment *segment)
{
	plaitp_opencl_record_forget(self, segment);
	self->services->resize(self->host, segment, segment->total_bytes, 0);
}

/* --- changes -------------------------------------------------------------- */

plait_status plaitp_opencl_segment_patch(plait_backend *self,
					 plait_backend_segment *segment,
					 uint32_t index, const plait_work *work,
					 plait_error *error)
{
	const plait_segment_request request = { .work = work };

	(void)error;
	copy_work(&segment->works[index], &request, 0);
	segment->settled = false;
	if (segment->buffer == NULL)
		return PLAIT_OK;
	if (plaitp_opencl_record_update(self, segment, index)) {
		count(segment, OPENCL_BUFFERS_PATCHED);
		return PLAIT_OK;
	}
	plaitp_opencl_record_forget(self, segment);
	count(segment, OPENCL_BUFFERS_ANEW);
	return PLAIT_OK;
}

bool plaitp_opencl_segment_begin(plait_backend *self,
				 plait_backend_segment *segment)
{
	const bool settled = segment->settled;

	segment->settled = true;
	if (segment->buffer != NULL || !settled || segment->refused)
		return segment->buffer != NULL;
	if (plaitp_opencl_record(self, segment).code != CL_SUCCESS) {
		plaitp_opencl_record_forget(self, segment);
		segment->refused = true;
		count(segment, OPENCL_BUFFERS_REFUSED);
		return false;
	}
	count(segment, OPENCL_BUFFERS_MADE);
	return true;
}
