/* SPDX-License-Identifier: MIT */
/*
 * Common part of backends for devices that a driver serves: queues, signals and
 * host functions.  These sources are compiled into each such backend.
 *
 * The driver runs commands in one in-order queue of its own for each queue.
 * Signals are counters of the core; host functions run on its workers.  This folder
 * keeps the order between the three, with one thread, the watcher, for ops->look.
 *
 * One lock guards the state of a context.  Callbacks of the driver never block
 * on it: they push the batch on a list of completions, which the holder of the
 * lock applies before it unlocks.
 *
 * Not here: calls of a driver; struct driven_ops asks the backend for them.
 */
#ifndef PLAITP_DRIVEN_H
#define PLAITP_DRIVEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

#include "spares.h"

enum { DRIVEN_LABEL_BYTES = 48 };

typedef struct plait_backend_queue driven_queue;
typedef struct plait_backend_signal driven_signal;
struct driven_ops;
/* Result of one delivery: of a batch's emissions, or of a host function. */
struct driven_delivery {
	driven_batch *batch; /* may be freed, unless done or refused */
	bool done;	     /* emissions, of a retired batch */
	bool refused;	     /* the core did not accept the host function */
	plait_error failure; /* the reason */
};

/* Points for which threads, or queues that are held back, have begun to sleep. */
enum { DRIVEN_SLEEPERS = 8 };
struct driven_sleepers {
	uint32_t count; /* above DRIVEN_SLEEPERS: there are others */
	plait_backend_point points[DRIVEN_SLEEPERS];
};

/* Context of a backend.  Must be the first member of struct plait_backend. */
struct driven {
	plait_host *host;
	const plait_host_services *services;
	const struct driven_ops *ops;
	/* The driver runs commands on threads that wait in it.  Constant. */
	bool waits_in_driver;

	/* Guards the fields below, and all queues, batches and signals. */
	pthread_mutex_t lock;
	driven_queue *queues;	      /* all */
	driven_queue *dirty;	      /* queues to advance */
	driven_queue *deferred;	      /* queues that need driver calls */
	driven_batch *delivery_head;  /* emissions and host functions */
	driven_batch **delivery_tail;
	bool delivering;	      /* a thread is emptying that list */
	driven_batch *garbage;
	bool has_ended;		      /* batches, that ops->collect has not seen */
	/* Makes driver calls that callbacks may not make. */
	plait_backend_queue *worker_lane;

	/* Guards the fields below.  Leaf lock. */
	pthread_mutex_t completion_lock;
	driven_batch *completions;    /* pushed by callbacks, newest first */
	struct driven_spares spares;
	bool has_news;		      /* for ops->collect, by a callback */
	bool has_unended;	      /* `unended` is set, by a callback */
	struct driven_sleepers sleepers; /* for ops->await */
	struct driven_delivery unended;
	bool worker_requested;
	uint32_t callbacks;	      /* that have not returned */
	pthread_cond_t no_callbacks;  /* callbacks has become 0 */
	bool watch_ends;
	pthread_cond_t watch_changed; /* watching or watch_ends is true now */

	/* The watcher looks at the driver; else it is parked.  Written under
	 * both locks. */
	bool watching;
	bool has_watcher;	      /* between open and close */
	pthread_t watcher;
};

struct driven_wait {
	driven_signal *signal;
	uint64_t sequence;
	driven_batch *batch;
	/* Batch that the driver waits for; null if none. */
	driven_batch *source;
	struct driven_wait *next; /* next dependent of the source */
	bool in_driver; /* left to the driver */
};

struct driven_emit {
	plait_backend_point point; /* of the core's counter */
	driven_signal *signal;
	driven_batch *batch;
	struct driven_emit *older; /* of the same signal, with an event */
	struct driven_emit *newer;
	bool listed;
};

/* Submission batch, from queue_submit until all of it has happened. */
struct driven_batch {
	driven_batch *next; /* in the queue, or in the garbage list */
	driven_batch *next_delivery;
	driven_batch *next_completion;
	driven_batch *next_flight; /* the backend's, in the list of the queue */
	driven_queue *queue;
	uint64_t total_bytes;
	struct driven_wait *waits;
	struct driven_emit *emits;
	plait_work *works;
	plait_work_series *series;
	void *events; /* the driver's: room for one pointer for each wait */
	uint32_t times;	     /* of the works; above 1 without host functions */
	uint32_t series_count;
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t work_index; /* first not enqueued; ops->enqueue advances it */
	uint32_t wait_index; /* first wait that holds the batch back */
	uint32_t sources;    /* number of waits that have a source */
	struct driven_wait *dependents; /* waits with this source */
	void *event;	     /* the driver's, of the last command; or null */
	void *driver_data;   /* the driver's, until dropped; or null */
	uint32_t ticket;     /* the backend's, of commands in flight */
	int32_t code;	     /* the driver's, set at completion; 0: success */
	bool in_flight;	     /* set by ops->enqueue, cleared at completion */
	bool announced;	     /* the backend's: the driver announces the end */
	bool calling;	     /* a host function runs or is about to */
	bool done;	     /* retired: the emissions are delivered */
	bool failed;	     /* retired with the queue's failure, or behind it */
};

struct plait_backend_queue {
	struct driven *self;
	uint32_t device;
	void *driver; /* the driver's queue or stream */
	plait_backend_queue *lane; /* the core's, for host functions */
	uint64_t capacity; /* works of batches that have not retired, at most */
	uint64_t pending;  /* number of these works */
	driven_batch *head;
	driven_batch *tail;
	driven_batch *next; /* first batch that is not wholly enqueued */
	driven_batch *last_enqueued; /* batch before `next`; null if retired */
	driven_batch *flight_head; /* the backend's: in flight, in order */
	driven_batch *flight_last;
	driven_queue *next_queue;
	driven_queue *next_unsettled; /* the backend's */
	driven_queue *next_dirty;
	driven_queue *next_waiter;
	driven_signal *waits_for; /* the signal of which this is a waiter */
	bool dirty;
	bool unsettled; /* the backend's */
	bool unflushed; /* ops->enqueue sets it: ops->flush is to be called */
	bool timed;	/* commands may ask for their times */
	bool lost; /* A host function ended its thread.  Written without the
		    * lock: by that thread, by queue_recover without batches. */
	bool failed;
	/* The first batch that has failed with the queue, if batches before it have
	 * not retired yet; else null. */
	const driven_batch *failed_from;
	plait_error error;
	char label[DRIVEN_LABEL_BYTES];
};

struct plait_backend_signal {
	plait_backend_signal *counter; /* the core's */
	bool gate;
	uint64_t reached;
	uint64_t failed_from; /* 0: not failed */
	plait_error error;
	/* Atomic words: the newest sequence for which a thread sleeps, and the
	 * last that was polled and had not happened. */
	uint64_t awaited, polled;
	struct driven_emit *newest; /* that the driver can wait for */
	driven_queue *waiters;
};

/*
 * Operations of a driver.  All run with self->lock held, but open_queue,
 * close_queue, await_event and unregister.  enqueue, flush and settle report a
 * failure by plaitp_driven_fail_queue or plaitp_driven_fail_from.
 */
struct driven_ops {
	const char *name; /* name of the backend, for error texts */
	bool segments;	  /* the backend has segments */
	bool repeats;	  /* `enqueue` heeds batch->times and series */
	/* The device writes its progress into memory: threads poll before they
	 * sleep. */
	bool polls_first;
	/* Create queue->driver on queue->device. */
	plait_status (*open_queue)(struct driven *self, driven_queue *queue,
				   const plait_queue_request *request,
				   plait_error *error);
	/* Destroy queue->driver, or null. */
	void (*close_queue)(struct driven *self, driven_queue *queue);
	/* Make a failed queue without pending work usable again; may be null.
	 * PLAIT_E_LOST: it cannot recover. */
	plait_status (*recover)(struct driven *self, driven_queue *queue,
				plait_error *error);
	/* Enqueue the works of a batch from work_index up to its next host
	 * function or its end, batch->times times, after the events of the
	 * sources of its waits.  When they are done plaitp_driven_complete is
	 * called, or `collect` sees it: set batch->in_flight, and batch->event if
	 * no work follows.  Does nothing with neither works nor sources. */
	void (*enqueue)(struct driven *self, driven_batch *batch);
	/* Share the event of `before` with `batch`, if possible. */
	void (*share_event)(struct driven *self, driven_batch *batch,
			    const driven_batch *before);
	/* Release batch->event and batch->driver_data, which may be null. */
	void (*drop)(struct driven *self, driven_batch *batch);
	/* Null, or write the times of a batch of a timed queue that happened. */
	void (*measure)(struct driven *self, driven_batch *batch);
	/* Submit the enqueued commands to the device. */
	void (*flush)(struct driven *self, driven_queue *queue);
	/* With waits_in_driver.  Retain batch->event; null: it has ended. */
	void *(*hold_event)(struct driven *self, const driven_batch *batch);
	/* Wait for the event and release it, without self->lock. */
	void (*await_event)(struct driven *self, void *event);
	/* Describe batch->code. */
	void (*describe)(struct driven *self, const driven_batch *batch,
			 plait_error *out);

	/* The following may be null, together: of a backend that reports
	 * completions by plaitp_driven_begin_callback. */

	/* Begin the end of a queue, without self->lock: no callback for it
	 * begins from here on. */
	void (*unregister)(driven_queue *queue);
	/* End the batches whose commands have ended, without a call of the
	 * driver: in_flight, code, plaitp_driven_mark_dirty. */
	void (*collect)(struct driven *self);
	/* Returns true if settle has calls of the driver to make. */
	bool (*needs_driver)(struct driven *self);
	/* Make calls of the driver that callbacks may not make. */
	void (*settle)(struct driven *self);
	/* Threads sleep for emissions of batches in flight: for these points and
	 * earlier ones, as plaitp_driven_is_awaited says.  settle makes the calls. */
	void (*await)(struct driven *self,
		      const struct driven_sleepers *sleepers);
	/* A thread polls, or a queue is full; `behind`: null, or for a batch of
	 * that queue behind which there are others. */
	void (*poll)(struct driven *self, driven_queue *behind);
	/* Ask the driver whether devices are lost, which it returns: on the
	 * watcher, ten times a second while commands are in flight. */
	bool (*look)(struct driven *self);
};

/* --- text.c */

/* Format an error text.  Returns `status`. */
plait_status plaitp_driven_fail(const plait_host_services *services,
				plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Parse digits and an optional K, M, G or T, powers of 1024.  Returns 0 or -1. */
int plaitp_driven_parse_bytes(const char *text, uint64_t *out);

/* --- queue.c: the queue slots of the backend table */

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

/* --- advance.c: state machine of queues; caller holds self->lock */

/* Let the next leave of the lock advance the queue. */
void plaitp_driven_mark_dirty(struct driven *self, driven_queue *queue);
/* Advance all dirty queues.  `may_call`: false inside a callback of the
 * driver. */
void plaitp_driven_advance(struct driven *self, bool may_call);
/* Mark the queue failed from its oldest batch on, with its first failure; the caller
 * marks it dirty. */
void plaitp_driven_fail_queue(struct driven *self, driven_queue *queue,
			      const plait_error *cause, const char *prefix);
/* The same from a batch on: those before it end as they do. */
void plaitp_driven_fail_from(struct driven *self, const driven_batch *batch,
			     const plait_error *cause, const char *prefix);

/* --- batch.c: works up to a host function; caller holds self->lock */

/* Returns true if the work has no command for the driver. */
bool plaitp_driven_work_is_empty(const plait_work *work);
/* Returns the end of the works to enqueue.  *last is the last work that is not
 * empty, or UINT32_MAX. */
uint32_t plaitp_driven_batch_end(const driven_batch *batch, uint32_t *last);
/* Rotate a fill pattern so that it starts with its byte `shift`. */
void plaitp_driven_rotate_pattern(unsigned char out[8],
				  const unsigned char pattern[8], size_t width,
				  uint64_t shift);

/* --- lock.c: the lock, completions, and deliveries without the lock */

void plaitp_driven_enter(struct driven *self);
/* Apply completions, advance the queues, deliver, and unlock. */
void plaitp_driven_leave(struct driven *self);
/* Append to the deliveries.  Caller holds self->lock. */
void plaitp_driven_deliver_later(struct driven *self, driven_batch *batch);
/* Collect a batch that is delivered or has no emissions; a later leave frees
 * it.  Caller holds self->lock. */
void plaitp_driven_discard(struct driven *self, driven_batch *batch);
/* Report the completion of a batch, on any thread, with any lock of the driver
 * held. */
void plaitp_driven_complete(driven_batch *batch, int32_t code);
/* The same for a backend with ops->collect.  The caller of `begin` may hold a
 * leaf lock; the backend is not closed before `end`. */
void plaitp_driven_begin_callback(struct driven *self);
void plaitp_driven_end_callback(struct driven *self);
/* Call the function on a worker of the core, in the order of the lane. */
plait_status plaitp_driven_submit_call(struct driven *self,
				       plait_backend_queue *lane,
				       int32_t (*function)(void *),
				       void *user_data, plait_error *error);
/* Look at what has ended, if the lock is free; its holder looks anyway.  Any
 * thread, callbacks of the driver included. */
void plaitp_driven_poke(struct driven *self);
/* A thread polls the point, which has not happened.  The first time may be the
 * only one, and costs nothing; from the second time on, look at what has ended.
 * Returns true if it has looked: not for gates, without ops->poll, or while
 * another thread has the lock. */
bool plaitp_driven_poll(struct driven *self, driven_signal *signal,
			uint64_t sequence);
/* A thread, or a queue that is held back, sleeps for the point.  The next to
 * leave the lock calls ops->await.  With or without self->lock. */
void plaitp_driven_await(struct driven *self, driven_signal *signal,
			 uint64_t sequence);
/* Returns true if a thread sleeps for an emission of the batch, or for a later
 * one of the same signal. */
bool plaitp_driven_is_awaited(const driven_batch *batch);
/* Requires `services` and `host`; all else is zero.  Call plaitp_driven_close
 * after a failure, too. */
plait_status plaitp_driven_open(struct driven *self,
				const struct driven_ops *ops,
				plait_error *error);
void plaitp_driven_close(struct driven *self);

/* --- watch.c: the watcher, of a backend with ops->look */

/* A command is in flight: wake the watcher if it is parked.  Caller holds
 * self->lock. */
void plaitp_driven_watch(struct driven *self);
/* Start the thread if the backend has ops->look.  PLAIT_E_NOMEM: no thread. */
plait_status plaitp_driven_watch_open(struct driven *self, plait_error *error);
/* Also without an open, or after one that failed. */
void plaitp_driven_watch_close(struct driven *self);

/* --- signal.c */

/* Returns true if the batch emits the point, or one behind it. */
bool plaitp_driven_emits(const driven_batch *batch,
			 const plait_backend_point *point);

enum driven_state { DRIVEN_PENDING, DRIVEN_REACHED, DRIVEN_FAILED };

/* Return the state of the point as queues see it, which the core's counter may
 * not have yet.  Caller holds self->lock. */
enum driven_state plaitp_driven_signal_state(const driven_signal *signal,
					     uint64_t sequence);
/* Advance the signal as queues see it; mark its waiters dirty.  Caller holds
 * self->lock. */
void plaitp_driven_signal_advance(struct driven *self, driven_signal *signal,
				  uint64_t sequence,
				  const plait_error *failure);

/* Fill the slots of queues, signals and pump. */
void plaitp_driven_fill_slots(plait_backend_table *table);

/* --- table.c */

/* Check the interface versions of both sides, and fill the table but for flags,
 * priority and slots.  PLAIT_E_UNSUPPORTED. */
plait_status plaitp_driven_check_abi(const plait_host_services *services,
				     plait_backend_table *table,
				     const char *name, plait_error *error);

static inline struct driven *driven_of(plait_backend *backend)
{
	return (struct driven *)(void *)backend;
}

#endif
