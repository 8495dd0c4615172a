/* SPDX-License-Identifier: MIT */
/*
 * Batches in flight.  Each has an event, but few have a callback of the driver:
 * on PoCL one costs two switches of threads.
 *
 *     quiet      in flight without a callback: its end is seen when a callback comes,
 *                or a thread polls
 *     announced  in flight with a callback, or about to get one: the last batch of a
 *                queue, and those for which threads or queues sleep
 *
 * With events=all, and in queues that measure times, events.c adds callbacks to all
 * batches, and this file has none of them.  Caller holds driven.lock.
 */
#ifndef PLAITP_OPENCL_FLIGHT_H
#define PLAITP_OPENCL_FLIGHT_H

#include "opencl.h"

/* The commands of the batch are in flight; the last has the event, which becomes the
 * batch's. */
void plaitp_opencl_flight_add(driven_batch *batch, cl_event event);
/* A later batch without commands ends with the newest in flight. */
void plaitp_opencl_flight_share(driven_queue *queue);

/* Operations for driven. */

void plaitp_opencl_flight_collect(struct driven *driven);
void plaitp_opencl_flight_await(struct driven *driven,
				const struct driven_sleepers *sleepers);
void plaitp_opencl_flight_poll(struct driven *driven, driven_queue *behind);
bool plaitp_opencl_flight_needs_driver(struct driven *driven);
/* Add the callbacks. */
void plaitp_opencl_flight_settle(struct driven *driven);

#endif
