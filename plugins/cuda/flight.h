/* SPDX-License-Identifier: MIT */
/*
 * Commands in flight, and the objects that depend on it: streams of a queue,
 * words that the host and devices share, objects that wait to be freed.
 */
#ifndef PLAITP_CUDA_FLIGHT_H
#define PLAITP_CUDA_FLIGHT_H

#include "backend.h"

/* Word in pinned memory of the host.  `next` is valid in a free list only. */
struct cuda_word {
	struct cuda_word *next;
	uint32_t *host;
	CUdeviceptr address; /* for devices */
};

/* First member of an object that is freed when nothing is in flight. */
struct cuda_unfreed {
	struct cuda_unfreed *next;
	struct cuda_device *device;
	/* `entered`: the context is current; else only the record is freed. */
	void (*release)(plait_backend *self, struct cuda_unfreed *one,
			bool entered);
};

/* Callback that reports batches of a queue.  Guarded by a lock of flight.c,
 * except for the ticket. */
struct cuda_pilot {
	struct cuda_streams *next;
	uintptr_t number; /* by which the driver knows it */
	uint32_t ticket; /* of its batch */
	bool outstanding; /* the driver has not called it */
	bool arrived; /* called, and not collected */
	CUresult code;
};

/* Streams of a queue: queue->driver. */
struct cuda_streams {
	driven_queue *queue;
	CUstream stream;
	bool imported;	   /* `stream` is the user's */
	CUstream callback_stream;  /* runs the completion callbacks */
	/* Staging buffers in pinned memory, small and large; or null. */
	void *staging[CUDA_PINNED_SIZES];
	/* Batches in flight.  Guarded by driven.lock. */
	struct cuda_streams *next_flying;
	driven_batch *flight_head; /* by next_completion, oldest first */
	driven_batch **flight_tail;
	uint32_t flight_count;
	uint32_t issued;  /* the newest ticket */
	uint32_t retired; /* tickets up to this one have ended */
	struct cuda_word *word; /* the last ticket that has ended; or null */
	struct cuda_pilot pilot;
};

/* --- queue.c: operations of the driver */

plait_status plaitp_cuda_open_queue(struct driven *driven, driven_queue *queue,
				    const plait_queue_request *request,
				    plait_error *error);
void plaitp_cuda_close_queue(struct driven *driven, driven_queue *queue);

/* --- flight.c: commands in flight; operations of the driver */

/* Append a batch whose event is recorded, with the ticket streams->issued.
 * Caller holds driven.lock. */
void plaitp_cuda_add_flight(plait_backend *self, struct cuda_streams *streams,
			    driven_batch *batch);
/* A callback that is outstanding finds nothing from here on. */
void plaitp_cuda_forget_pilot(struct cuda_streams *streams);
void plaitp_cuda_collect(struct driven *driven);
bool plaitp_cuda_needs_driver(struct driven *driven);
void plaitp_cuda_settle(struct driven *driven);
bool plaitp_cuda_look(struct driven *driven);

/* --- unfreed.c: objects that wait to be freed */

/* Free the object when nothing is in flight.  The caller then enters and
 * leaves `driven`. */
void plaitp_cuda_free_later(plait_backend *self, struct cuda_device *device,
			    struct cuda_unfreed *one,
			    void (*function)(plait_backend *,
					     struct cuda_unfreed *, bool));
bool plaitp_cuda_has_unfreed(plait_backend *self);
/* Free all now, of one device or (null) of all. */
void plaitp_cuda_free_unfreed(plait_backend *self,
			      const struct cuda_device *device);
/* Remove an object for which `fits` returns true; null: none. */
struct cuda_unfreed *plaitp_cuda_reuse_unfreed(
	plait_backend *self, const struct cuda_device *device,
	bool (*fits)(const struct cuda_unfreed *, uint64_t), uint64_t bytes);

/* --- word.c: words in pinned memory.  Context is current. */

struct cuda_call plaitp_cuda_word_acquire(plait_backend *self,
					  struct cuda_device *device,
					  struct cuda_word **out);
/* Needs no current context.  `word` may be null. */
void plaitp_cuda_word_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_word *word);
void plaitp_cuda_free_words(plait_backend *self, struct cuda_device *device,
			    bool entered);

#endif
