/* SPDX-License-Identifier: MIT */
/* Queues of the template, which has none. */
#include <stddef.h>

#include "null.h"

plait_status plaitp_null_queue_create(plait_backend *self, uint32_t device,
				      const plait_queue_request *request,
				      plait_backend_queue **out,
				      plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_queue_destroy(plait_backend *self, plait_backend_queue *queue)
{
	(void)self;
	(void)queue;
}

plait_status plaitp_null_queue_submit(plait_backend *self,
				      plait_backend_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count, plait_error *error)
{
	(void)self;
	(void)queue;
	(void)submissions;
	(void)count;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_queue_flush(plait_backend *self,
				     plait_backend_queue *queue,
				     plait_error *error)
{
	(void)self;
	(void)queue;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_queue_recover(plait_backend *self,
				       plait_backend_queue *queue,
				       plait_error *error)
{
	(void)self;
	(void)queue;
	return plaitp_null_refuse(error);
}
