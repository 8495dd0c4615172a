/* SPDX-License-Identifier: MIT */
/* Segments as command buffers: made by segment.c from commands that record.c
 * records; enqueue.c submits them. */
#ifndef PLAITP_OPENCL_SEGMENT_H
#define PLAITP_OPENCL_SEGMENT_H

#include "opencl.h"

/* A launch as it was recorded.  Only its arguments and sizes can change. */
struct opencl_recorded {
	cl_kernel kernel; /* retained; or null: no launch */
	opencl_command command; /* to update; or null */
	const plait_backend_kernel *of; /* `chosen` of the launch */
	cl_uint dimensions;
	bool grouped;
};

struct plait_backend_segment {
	uint64_t total_bytes;
	struct opencl_device *device;
	opencl_buffer buffer; /* null: the commands are enqueued one by one */
	bool settled; /* begin sets it, patch clears it: no command has changed
		       * since the last run */
	bool refused; /* the driver does not record it anew */
	uint32_t work_count;
	struct opencl_recorded *recorded; /* one for each work */
	plait_work works[];
};

/* The last call of the driver. */
struct opencl_call {
	const char *name;
	cl_int code;
};

/* --- extension.c */

/* Find out which devices have command buffers, and the functions.  `always`:
 * use all that they have, also where it is slower. */
void plaitp_opencl_extension_find_buffers(plait_backend *self,
					  cl_platform_id platform,
					  bool always);
/* Find out which devices take SPIR-V, and the function. */
void plaitp_opencl_extension_find_il(plait_backend *self,
				     cl_platform_id platform);

/* --- record.c */

/* Record all commands into segment->buffer; also after a failure the caller
 * forgets them.  Caller holds arguments_lock. */
struct opencl_call plaitp_opencl_record(plait_backend *self,
					plait_backend_segment *segment);
void plaitp_opencl_record_forget(plait_backend *self,
				 plait_backend_segment *segment);
/* Update a recorded launch to segment->works[index].  Returns false if the
 * driver cannot. */
bool plaitp_opencl_record_update(plait_backend *self,
				 plait_backend_segment *segment,
				 uint32_t index);

/* --- fill.c */

/* A piece of a fill that the driver accepts as one command. */
struct opencl_fill {
	unsigned char pattern[8];
	size_t width; /* bytes of `pattern` */
	uint64_t at;  /* first byte, from the fill's offset on */
	uint64_t bytes; /* 0 before the first piece */
};

/* Go on to the next piece.  Returns false after the last one. */
bool plaitp_opencl_fill_next(const plait_work *work, struct opencl_fill *piece);

/* --- segment.c */

/* PLAIT_E_UNSUPPORTED: too short, or refused by the driver; the core submits the
 * commands one by one. */
plait_status plaitp_opencl_segment_create(plait_backend *self, uint32_t device,
					  const plait_segment_request *request,
					  plait_backend_segment **out,
					  plait_error *error);
void plaitp_opencl_segment_destroy(plait_backend *self,
				   plait_backend_segment *segment);
/* Change a command of an idle segment.  Cannot fail: what cannot be updated is
 * enqueued command by command, and recorded anew by a later begin. */
plait_status plaitp_opencl_segment_patch(plait_backend *self,
					 plait_backend_segment *segment,
					 uint32_t index, const plait_work *work,
					 plait_error *error);
/* Begin a run; record the buffer anew if the commands have settled.  Returns
 * true if the buffer is to be enqueued, else its commands.  Caller holds
 * driven.lock and arguments_lock. */
bool plaitp_opencl_segment_begin(plait_backend *self,
				 plait_backend_segment *segment);
/* Log the device's counts unless all are 0. */
void plaitp_opencl_segment_log(plait_backend *self,
			       const struct opencl_device *device);

#endif
