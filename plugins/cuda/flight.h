/* SPDX-License-Identifier: MIT */
/*
 * Commands in flight, and the objects that depend on it: streams of a queue,
 * words that the host and devices share, objects that wait to be freed.
 */
#ifndef PLAITP_CUDA_FLIGHT_H
#define PLAITP_CUDA_FLIGHT_H

#include "backend.h"

/* Event with a reference count.  It is recorded at most once for each use, then
 * returns to its device's free list. */
struct cuda_event {
	struct cuda_event *next;
	CUevent event;
	uint32_t device;
	uint32_t references;
	uint32_t ticket; /* of the batch */
	bool recorded;	 /* behind the batch, or behind later ones too */
};

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

/* Callback that reports batches of a queue.  Guarded by a lock of pilot.c,
 * except for the ticket. */
struct cuda_pilot {
	struct cuda_streams *next;
	uintptr_t number; /* by which the driver knows it */
	uint32_t ticket; /* of its batch */
	bool outstanding; /* the driver has not called it */
	bool arrived; /* called, and not collected */
	CUresult code;
};

/* Bytes of the larger staging buffer, which holds a row of any image. */
enum { CUDA_STAGING_BYTES = 4 << 20 };

/* Streams of a queue: queue->driver. */
struct cuda_streams {
	driven_queue *queue;
	CUstream stream;
	bool imported;	   /* `stream` is the user's */
	CUstream callback_stream;  /* runs the completion callbacks */
	/* Staging buffers in pinned memory, small and large; or null. */
	void *staging[CUDA_PINNED_SIZES];
	/* Since the stream was last idle, guarded by driven.lock: bytes of the
	 * small buffer that early writes have filled; host memory, or that
	 * buffer, may change before the next command's turn (stage.c). */
	uint64_t early_bytes;
	bool is_late;
	uint32_t is_shared; /* atomic: the user has the stream's handle */
	/* Batches in flight.  Guarded by driven.lock. */
	struct cuda_streams *next_flying;
	driven_batch *flight_head; /* by next_completion, oldest first */
	driven_batch **flight_tail;
	driven_batch *flight_last; /* the newest, if there is one */
	uint32_t flight_count;
	uint32_t issued;  /* the newest ticket */
	uint32_t marked;  /* the newest that the device is to write */
	uint32_t reached; /* batches of other queues that waited for this ticket
			   * have ended */
	uint32_t retired; /* tickets up to this one have ended */
	uint32_t wanted;  /* callbacks report up to this ticket */
	bool mark_wanted; /* a thread polls, or the watcher looks */
	uint32_t idle_marks; /* written to an idle queue since a thread polled */
	bool exact;	  /* marks follow each batch: mark.c */
	struct cuda_word *word; /* the last ticket that has ended; or null */
	struct cuda_pilot pilot;
};

/* --- queue.c: operations of the driver */

plait_status plaitp_cuda_open_queue(struct driven *driven, driven_queue *queue,
				    const plait_queue_request *request,
				    plait_error *error);
void plaitp_cuda_close_queue(struct driven *driven, driven_queue *queue);

/* --- stage.c: reads and writes through staging buffers */

/* Commands of the batch follow in its stream.  Caller holds driven.lock. */
void plaitp_cuda_stage_batch(const driven_batch *batch);

/* --- flight.c: commands in flight; operations of the driver */

/* Append a batch, with the ticket streams->issued.  Caller holds
 * driven.lock. */
void plaitp_cuda_add_flight(plait_backend *self, struct cuda_streams *streams,
			    driven_batch *batch);
/* Want a callback for the batch, which has an event, if a thread sleeps for
 * it. */
void plaitp_cuda_want(struct cuda_streams *streams, const driven_batch *batch);
/* Returns true if the commands up to the ticket have ended. */
bool plaitp_cuda_has_ended(const struct cuda_streams *streams, uint32_t ticket);
/* Operations `collect` to `look` of struct driven_ops. */
void plaitp_cuda_collect(struct driven *driven);
bool plaitp_cuda_needs_driver(struct driven *driven);
void plaitp_cuda_settle(struct driven *driven);
void plaitp_cuda_await(struct driven *driven,
		       const struct driven_sleepers *sleepers);
void plaitp_cuda_poll(struct driven *driven, driven_queue *behind);
bool plaitp_cuda_look(struct driven *driven);

/* --- mark.c: tickets and events behind batches.  Caller holds driven.lock,
 * context is current; a function that returns false has set *call. */

/* Drop a reference; the last one frees the event for its device.  `event` may be
 * null.  No context is needed. */
void plaitp_cuda_release_event(plait_backend *self, struct cuda_event *event);
/* Returns true if the device writes tickets of the queue. */
bool plaitp_cuda_has_words(plait_backend *self,
			   const struct cuda_streams *streams);
/* Let the device write the newest ticket, unless it is to. */
bool plaitp_cuda_write_ticket(plait_backend *self,
			      struct cuda_streams *streams,
			      struct cuda_call *call);
/* Issue a ticket for a batch whose commands are enqueued, and its event. */
bool plaitp_cuda_mark_batch(plait_backend *self, driven_batch *batch,
			    struct cuda_call *call);
/* Record the event of a batch for which others are to wait. */
bool plaitp_cuda_mark_source(plait_backend *self, driven_batch *batch,
			     struct cuda_call *call);

/* --- pilot.c: the callback of a queue */

/* Call back when the stream has come here, and all up to the ticket has ended.
 * Context is current. */
struct cuda_call plaitp_cuda_add_pilot(plait_backend *self,
				       struct cuda_streams *streams,
				       CUstream stream, uint32_t ticket);
/* Returns true if a pilot has arrived since, with its result in *out. */
bool plaitp_cuda_take_pilot(struct cuda_streams *streams, CUresult *out);
bool plaitp_cuda_has_pilot(struct cuda_streams *streams);
/* A callback that is outstanding finds nothing from here on. */
void plaitp_cuda_forget_pilot(struct cuda_streams *streams);

/* --- unfreed.c: objects that wait to be freed */

/* Free the object when nothing is in flight.  The caller then enters and
 * leaves `driven`. */
void plaitp_cuda_free_later(plait_backend *self, struct cuda_device *device,
			    struct cuda_unfreed *one,
			    void (*function)(plait_backend *,
					     struct cuda_unfreed *, bool));
bool plaitp_cuda_has_unfreed(plait_backend *self);
/* Free all now, of one device or (null) of all; the driver may wait for the
 * device.  Enters each context itself. */
void plaitp_cuda_free_unfreed(plait_backend *self,
			      const struct cuda_device *device);
/* Remove an object for which `fits` returns true, called with `bytes` under
 * accounting_lock; null: none. */
struct cuda_unfreed *plaitp_cuda_reuse_unfreed(
	plait_backend *self, const struct cuda_device *device,
	bool (*fits)(const struct cuda_unfreed *, uint64_t), uint64_t bytes);

/* --- word.c: words in pinned memory.  Context is current. */

/* *out is a word that is 0; null after a failure. */
struct cuda_call plaitp_cuda_word_acquire(plait_backend *self,
					  struct cuda_device *device,
					  struct cuda_word **out);
/* Needs no current context.  `word` may be null.  No write of the device is
 * pending: the next owner gets the word at once. */
void plaitp_cuda_word_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_word *word);
/* Free all; no word is in use.  `entered`: the context is current; else only the
 * records are freed. */
void plaitp_cuda_free_words(plait_backend *self, struct cuda_device *device,
			    bool entered);

#endif
