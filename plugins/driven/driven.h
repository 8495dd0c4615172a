/* SPDX-License-Identifier: MIT */
/*
 * What backends share whose commands a driver runs: the sources of this folder
 * are compiled into each of them.
 *
 * Three things meet here.  The driver runs what can be handed to it, in one
 * in-order queue of its own for each queue.  Signals are counters of the core,
 * and host functions run on the core's workers.  This keeps the order between
 * the three; it starts no thread.
 *
 * One lock guards it all.  Callbacks of the driver never wait for it: they
 * leave a note, and whoever holds the lock reads the notes before he goes.
 */
#ifndef PLAITP_DRIVEN_H
#define PLAITP_DRIVEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

enum { DRIVEN_LABEL_BYTES = 48 };

typedef struct driven_batch driven_batch;
typedef struct plait_backend_queue driven_queue;
typedef struct plait_backend_signal driven_signal;
struct driven_ops;

/* What became of something that was delivered. */
struct driven_delivery {
	driven_batch *batch; /* may be gone, unless it is done or refused */
	bool done;	     /* its emissions are out */
	bool refused;	     /* its host function did not find a place */
	plait_error failure; /* why */
};

/* A backend's own record, struct plait_backend, begins with this. */
struct driven {
	plait_host *host;
	const plait_host_services *services;
	const struct driven_ops *verbs;

	/* Guards what follows, and all queues, batches and signals. */
	pthread_mutex_t lock;
	driven_queue *dirty;	  /* to be looked at */
	driven_queue *held;	  /* they need the driver: not in callbacks */
	driven_batch *out_first;  /* emissions and calls, in order */
	driven_batch **out_last;
	bool delivering;	  /* somebody empties that list */
	driven_batch *garbage;
	plait_backend_queue *parked_lane; /* a lane that goes on where a callback
				     * must not */

	pthread_mutex_t notes_lock; /* guards what follows; a leaf */
	driven_batch *notes;	    /* completed, newest first */
	bool left_behind;	    /* what follows, by a callback */
	struct driven_delivery left;
	bool pilot_called;
	uint32_t callbacks;	    /* that have not returned */
	pthread_cond_t quiet;	    /* there are none */
};

struct driven_wait {
	driven_signal *signal;
	uint64_t sequence;
	driven_batch *batch;
	/* Not null while the driver waits for it too. */
	driven_batch *source;
	struct driven_wait *next; /* of the source's */
	bool native;
};

struct driven_emit {
	plait_backend_point point; /* of the core's counter */
	driven_signal *signal;
	driven_batch *batch;
	struct driven_emit *older; /* of the signal, with an event */
	struct driven_emit *newer;
	bool listed;
};

/* A submission, from queue_submit until all of it has happened. */
struct driven_batch {
	driven_batch *next; /* in the queue; among the garbage */
	driven_batch *next_out;
	driven_batch *next_note;
	driven_queue *queue;
	uint64_t total_bytes;
	struct driven_wait *waits;
	struct driven_emit *emits;
	plait_work *works;
	void *events; /* the driver's: room for a pointer for each wait */
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t work_index; /* the first that was not handed on */
	uint32_t wait_index;
	uint32_t sources;    /* how many waits have one */
	struct driven_wait *dependents; /* whose source it is */
	void *event;	     /* the driver's, of the last command; or null */
	void *load;	     /* the driver's, until it is dropped; or null */
	int32_t code;	     /* how that ended; 0: well */
	bool flying;	     /* it has not ended */
	bool calling;	     /* a host function runs, or is about to */
	bool done;	     /* what is delivered is its emissions */
	bool failed;
};

struct plait_backend_queue {
	struct driven *self;
	uint32_t device;
	void *driver; /* the driver's */
	plait_backend_queue *lane; /* for host functions */
	uint64_t capacity;
	uint64_t pending;
	driven_batch *head;
	driven_batch *tail;
	driven_batch *next; /* the first that was not handed on whole */
	driven_batch *handed; /* the one before that; null if it retired */
	driven_queue *next_dirty;
	driven_queue *next_waiter;
	driven_signal *waits_for; /* in the list of this one */
	bool dirty;
	bool unflushed;
	bool lost; /* a function ended the lane's thread */
	bool failed;
	plait_error error;
	char label[DRIVEN_LABEL_BYTES];
};

struct plait_backend_signal {
	plait_backend_signal *counter; /* the core's */
	bool gate;
	uint64_t reached;
	uint64_t failed_from; /* 0: it has not failed */
	plait_error error;
	struct driven_emit *newest; /* that the driver can wait for */
	driven_queue *waiters;
};

/*
 * What a driver is asked for.  But for the first two the lock is held.  What
 * goes wrong fails the queue, by plaitp_driven_fail_queue.
 */
struct driven_ops {
	const char *name; /* of the backend, for texts */
	bool segments;	  /* it has them */
	/* Make queue->driver, on queue->device. */
	plait_status (*open_queue)(struct driven *self, driven_queue *queue,
				   const plait_queue_request *request,
				   plait_error *error);
	/* queue->driver may be null. */
	void (*close_queue)(struct driven *self, driven_queue *queue);
	/* Nothing is pending: can the queue be used again?  May be null;
	 * PLAIT_E_LOST when it cannot. */
	plait_status (*recover)(struct driven *self, driven_queue *queue,
				plait_error *error);
	/*
	 * Hand on the works of a batch from work_index up to its next host
	 * function or its end, behind the events of the sources of its waits,
	 * and see to it that plaitp_driven_complete is called when they are
	 * done: batch->flying, and batch->event where nothing is behind them.
	 * Without works and without sources there is nothing to do.
	 */
	void (*hand_on)(struct driven *self, driven_batch *batch);
	/* batch->event becomes that of `before`, if it can. */
	void (*share_event)(struct driven *self, driven_batch *batch,
			    const driven_batch *before);
	/* Let go of batch->event and batch->load, which may be null. */
	void (*drop)(struct driven *self, driven_batch *batch);
	/* Start what was handed on. */
	void (*flush)(struct driven *self, driven_queue *queue);
	/* What batch->code means. */
	void (*describe)(struct driven *self, const driven_batch *batch,
			 plait_error *out);
};

/* --- text.c */

/* Write an error with a text made like printf's; returns `status`. */
plait_status plaitp_driven_fail(const plait_host_services *services,
				plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Digits and perhaps K, M, G or T; 0 or -1. */
int plaitp_driven_parse_bytes(const char *text, uint64_t *out);

/* --- queue.c: queues from outside */

plait_status plaitp_driven_queue_create(plait_backend *backend,
					uint32_t device,
					const plait_queue_request *request,
					plait_backend_queue **out,
					plait_error *error);
void plaitp_driven_queue_destroy(plait_backend *backend,
				 plait_backend_queue *queue);
plait_status plaitp_driven_queue_submit(plait_backend *backend,
					plait_backend_queue *queue,
					const plait_submission *submissions,
					uint32_t count, plait_error *error);
plait_status plaitp_driven_queue_recover(plait_backend *backend,
					 plait_backend_queue *queue,
					 plait_error *error);

/* --- advance.c: queues from inside; the lock is held */

void plaitp_driven_mark_dirty(struct driven *self, driven_queue *queue);
/* Look at all that is marked; `may_call`: not inside a callback. */
void plaitp_driven_advance(struct driven *self, bool may_call);
/* The first failure of a queue stays. */
void plaitp_driven_fail_queue(struct driven *self, driven_queue *queue,
			      const plait_error *cause, const char *prefix);

/* --- batch.c: works up to a host function; the lock is held */

/* Nothing of it is for the driver. */
bool plaitp_driven_work_is_empty(const plait_work *work);
/* Its end, and in *last its last work that is not empty, or UINT32_MAX. */
uint32_t plaitp_driven_batch_end(const driven_batch *batch, uint32_t *last);
/* The pattern of a fill as it looks when it starts at byte `shift`. */
void plaitp_driven_rotate_pattern(unsigned char out[8], const unsigned char pattern[8],
				  size_t width, uint64_t shift);

/* --- turn.c: the lock, notes, and what is done without the lock */

void plaitp_driven_enter(struct driven *self);
/* Settle, release the lock, tell whom it concerns. */
void plaitp_driven_leave(struct driven *self);
/* Behind all that is to be delivered; the lock is held. */
void plaitp_driven_deliver_later(struct driven *self, driven_batch *batch);
/* Delivered or without emissions; the lock is held. */
void plaitp_driven_discard(struct driven *self, driven_batch *batch);
/* Told by the driver, on any thread, with any of its locks held. */
void plaitp_driven_complete(driven_batch *batch, int32_t code);
/* The services are there, `self` is zeroed else; closed in any case. */
plait_status plaitp_driven_open(struct driven *self,
				const struct driven_ops *verbs,
				plait_error *error);
void plaitp_driven_close(struct driven *self);

/* --- signal.c */

enum driven_state { DRIVEN_PENDING, DRIVEN_REACHED, DRIVEN_FAILED };

enum driven_state plaitp_driven_signal_state(const driven_signal *signal,
					     uint64_t sequence);
/* Raise it for queues, who are marked; the lock is held. */
void plaitp_driven_signal_advance(struct driven *self, driven_signal *signal,
				  uint64_t sequence, const plait_error *failure);

plait_status plaitp_driven_signal_create(plait_backend *backend,
					 uint32_t device, uint32_t flags,
					 plait_backend_signal **out,
					 plait_error *error);
void plaitp_driven_signal_destroy(plait_backend *backend,
				  plait_backend_signal *signal);
plait_status plaitp_driven_signal_poll(plait_backend *backend,
				       const plait_backend_point *point,
				       uint64_t *out_reached,
				       plait_error *error);
plait_status plaitp_driven_signal_wait(plait_backend *backend,
				       const plait_backend_point *points,
				       uint32_t count, uint32_t any,
				       uint64_t timeout_ns,
				       plait_error *error);
plait_status plaitp_driven_signal_notify(plait_backend *backend,
					 const plait_backend_point *point,
					 plait_notify_function function,
					 void *user_data, plait_error *error);
plait_status plaitp_driven_signal_raise(plait_backend *backend,
					const plait_backend_point *point,
					const plait_error *failure,
					plait_error *error);
plait_status plaitp_driven_signal_reset(plait_backend *backend,
					plait_backend_signal *signal,
					plait_error *error);
plait_status plaitp_driven_pump(plait_backend *backend, plait_error *error);

/* What both sides are has to fit, and the table gets what is the same for all;
 * flags, priority and slots are the caller's. */
plait_status plaitp_driven_check_abi(const plait_host_services *services,
				     plait_backend_table *table, const char *name,
				     plait_error *error);
/* Where queues, signals and pump are in the table. */
void plaitp_driven_fill_slots(plait_backend_table *table);

static inline struct driven *driven_of(plait_backend *backend)
{
	return (struct driven *)(void *)backend;
}

#endif
