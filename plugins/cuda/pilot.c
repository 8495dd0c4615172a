/* SPDX-License-Identifier: MIT */
/*
 * Pilots: the callback that reports batches of a queue, one at a time.  A pilot
 * is known to the driver by a number, so that a callback that comes when its
 * queue is gone finds nothing.
 */
#include <stddef.h>

#include "flight.h"

/* Guards the list, and the pilots that are in it or were.  Leaf lock, but for
 * the lock of completions. */
static pthread_mutex_t pilots_lock = PTHREAD_MUTEX_INITIALIZER;
/* All that are outstanding in this process. */
static struct cuda_streams *pilots;
static uintptr_t newest_pilot;

static void unlink_pilot(struct cuda_streams *streams)
{
	struct cuda_streams **link = &pilots;

	while (*link != NULL && *link != streams)
		link = &(*link)->pilot.next;
	if (*link != NULL)
		*link = streams->pilot.next;
}

static void *register_pilot(struct cuda_streams *streams, uint32_t ticket)
{
	uintptr_t number;

	pthread_mutex_lock(&pilots_lock);
	number = ++newest_pilot;
	streams->pilot = (struct cuda_pilot){ .next = pilots,
					      .number = number,
					      .ticket = ticket,
					      .outstanding = true };
	pilots = streams;
	pthread_mutex_unlock(&pilots_lock);
	return (void *)number;
}

void plaitp_cuda_forget_pilot(struct cuda_streams *streams)
{
	pthread_mutex_lock(&pilots_lock);
	unlink_pilot(streams);
	streams->pilot.outstanding = false;
	streams->pilot.arrived = false;
	pthread_mutex_unlock(&pilots_lock);
}

bool plaitp_cuda_take_pilot(struct cuda_streams *streams, CUresult *out)
{
	bool arrived;

	pthread_mutex_lock(&pilots_lock);
	arrived = streams->pilot.arrived;
	streams->pilot.arrived = false;
	*out = streams->pilot.code;
	pthread_mutex_unlock(&pilots_lock);
	return arrived;
}

bool plaitp_cuda_has_pilot(struct cuda_streams *streams)
{
	bool some;

	pthread_mutex_lock(&pilots_lock);
	some = streams->pilot.outstanding || streams->pilot.arrived;
	pthread_mutex_unlock(&pilots_lock);
	return some;
}

/* Runs on a thread of the driver.  The number may be of a pilot that is not
 * listed any more: its queue was closed. */
static void on_pilot(CUstream stream, CUresult code, void *number)
{
	struct driven *driven = NULL;
	struct cuda_streams *streams;

	(void)stream;
	pthread_mutex_lock(&pilots_lock);
	streams = pilots;
	while (streams != NULL && streams->pilot.number != (uintptr_t)number)
		streams = streams->pilot.next;
	if (streams != NULL) {
		unlink_pilot(streams);
		streams->pilot.outstanding = false;
		streams->pilot.arrived = true;
		streams->pilot.code = code;
		driven = streams->queue->self;
		plaitp_driven_begin_callback(driven);
	}
	pthread_mutex_unlock(&pilots_lock);
	if (driven != NULL)
		plaitp_driven_end_callback(driven);
}

struct cuda_call plaitp_cuda_add_pilot(plait_backend *self,
				       struct cuda_streams *streams,
				       CUstream stream, uint32_t ticket)
{
	struct cuda_call call = { "cuStreamAddCallback", CUDA_SUCCESS };

	call.code = self->cu.cuStreamAddCallback(
		stream, on_pilot, register_pilot(streams, ticket), 0);
	if (call.code != CUDA_SUCCESS)
		plaitp_cuda_forget_pilot(streams);
	return call;
}
