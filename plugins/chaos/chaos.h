/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of the simulated system.  system.c has open and close,
 * option.c the options (option.h), link.c the links (link.h), clock.c virtual
 * time and events, random.c the random numbers, kernel.c, memory.c, queue.c and
 * signal.c the objects, run.c and segment.c the execution, drive.c wait and
 * pump, the only slots in which time advances.
 */
#ifndef PLAIT_PLUGINS_CHAOS_H
#define PLAIT_PLUGINS_CHAOS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

#include "link.h"
#include "option.h"

typedef struct chaos chaos;
typedef struct chaos_batch chaos_batch;
typedef struct chaos_device chaos_device;
typedef struct chaos_notice chaos_notice;
typedef struct chaos_world chaos_world; /* port.h */
typedef struct plait_backend_queue chaos_queue;
typedef struct plait_backend_signal chaos_signal;
typedef struct plait_backend_memory chaos_memory;

/* Local memory of a group on each device. */
enum { CHAOS_LOCAL_BYTES = 1 << 16 };

/* A scheduled callback, embedded in its owner, which sets the last two fields;
 * clock.c sets the others.  In the heap at most once. */
typedef struct chaos_event {
	uint64_t time_ns;
	uint64_t order; /* of events of one time: random, then their count */
	uint64_t place; /* 1 + index in the heap; 0: not scheduled */
	void (*callback)(chaos *system, void *owner);
	void *owner;
} chaos_event;

struct chaos_device {
	uint32_t index;
	uint32_t running; /* commands that have a slot */
	uint64_t memory_used; /* bytes */
	/* Ready queues that wait for one of `parallel` slots, newest first. */
	chaos_queue *ready;
	uint32_t ready_count;
};

struct chaos {
	plait_host *host;
	const plait_host_services *services;
	chaos_options options;

	/* Guards everything below and every object; released while a host
	 * function or a notification callback runs.  Only locks inside the host
	 * services are taken under it.  Slots take it; the other functions here
	 * with a `system`, but for system.c, are called with it. */
	pthread_mutex_t lock;
	/* Broadcast after each change that signal_wait may await. */
	pthread_cond_t changed;
	/* Signals with emissions that the host has not seen. */
	chaos_signal *unseen;
	pthread_t first_thread; /* that took the lock */
	bool many_threads; /* another one did, too: waits may sleep */
	bool any_thread; /* `first_thread` is set */
	uint32_t calls_running; /* host functions in progress */

	uint64_t random; /* state of the generator; begins as the seed */
	uint64_t now_ns; /* virtual */
	uint64_t order;  /* number of events scheduled so far */
	chaos_event **heap;
	uint64_t heap_count;
	uint64_t heap_capacity; /* at least heap_reserved */
	uint64_t heap_reserved; /* events that may be scheduled at one time */

	chaos_device *devices;
	chaos_queue *queues; /* newest first */
	uint64_t queue_number;
	uint64_t signal_number;
	uint64_t memory_number;
	chaos_world *worlds; /* newest first */
	uint64_t mail_number; /* records sent so far */
};

struct plait_backend_memory {
	uint64_t number;
	chaos_device *device;
	unsigned char *bytes; /* aligned, in `block`; or the wrapped memory */
	uint64_t size_bytes;
	uint64_t alignment; /* of allocated memory */
	void *block; /* allocation; null for wrapped memory */
	uint64_t block_bytes;
	struct chaos_map *maps; /* with the quirk staged_map */
};

/* A number that follows the execution, and what the launch has else. */
struct chaos_number {
	plait_work_series series;
	uint64_t saved;
};

struct chaos_batch {
	chaos_batch *next;
	uint64_t total_bytes; /* of its one allocation */
	uint64_t arrives_ns; /* when the device sees it; set by the submission */
	plait_backend_point *waits;
	plait_backend_point *emits;
	plait_work *work;
	struct chaos_number *numbers; /* of launches, in each execution */
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t number_count;
	uint32_t times; /* executions of the work, at least 1 */
	bool flushed; /* always without the quirk `batch` */
};

/*
 *   IDLE --submit/flush--> SCHEDULED -> WAITING -> READY -> RUNNING
 *    ^                        ^                               |
 *    +----- no batch left ----+--------- next batch ----------+
 * A raised signal takes a WAITING queue back to SCHEDULED, a free slot a READY one.
 */
enum {
	CHAOS_QUEUE_IDLE,    /* has no batch that it may start */
	CHAOS_QUEUE_SCHEDULED,  /* event: look at the next batch */
	CHAOS_QUEUE_WAITING, /* in the waiters of a signal */
	CHAOS_QUEUE_READY, /* in the ready list of its device */
	CHAOS_QUEUE_RUNNING, /* event: end of the command */
	CHAOS_QUEUE_CALLING  /* a thread runs its host function */
};

struct plait_backend_queue {
	chaos_event event;
	chaos_queue *next;
	chaos_queue *previous;
	chaos_queue *next_waiter; /* of a signal, or in the ready list */
	uint64_t number;
	chaos_device *device;
	char label[48];
	uint64_t capacity; /* commands */
	uint64_t pending;  /* commands, also those that are not flushed */
	chaos_batch *head;
	chaos_batch *tail;
	chaos_batch *unflushed; /* the first unflushed batch */
	uint32_t state;
	uint32_t wait_index; /* in `head`: the first wait that is not over */
	uint32_t work_index; /* in `head`: the command that runs or is next */
	uint32_t turn; /* executions of the work of `head` that have ended */
	bool spurious_done; /* the wait has had its spurious wake-up */
	bool failed; /* until recovered; `error` is the first failure */
	/* In state CALLING: the thread that runs the host function. */
	pthread_t caller;
	/* Progress at the start of the command: bytes of a copy, items of a
	 * launch. */
	uint64_t steps_done;
	plait_error error;
};

struct chaos_notice {
	chaos_event event;
	chaos_notice *next;
	chaos_signal *signal;
	uint64_t sequence;
	plait_notify_function function;
	void *user_data;
};

struct plait_backend_signal {
	chaos_event event; /* makes emissions visible to the host */
	uint64_t number;
	uint32_t flags;
	uint64_t reached; /* as queues see it */
	uint64_t raised_ns; /* time of the last emission */
	uint64_t host_reached; /* as the host sees it */
	uint64_t failed_from; /* 0: not failed */
	chaos_queue *waiters;
	chaos_notice *notices; /* not delivered yet */
	/* In `unseen` of the system; null if not listed. */
	chaos_signal *unseen_next;
	chaos_signal **unseen_link;
	plait_error error;
};

static inline chaos *chaos_of(plait_backend *self)
{
	return (chaos *)(void *)self;
}

/* system.c */
void plaitp_chaos_lock(chaos *system);
void plaitp_chaos_unlock(chaos *system);
/* Zeroed; null without memory. */
void *plaitp_chaos_allocate(chaos *system, uint64_t bytes);
void plaitp_chaos_free(chaos *system, void *pointer, uint64_t bytes);
__attribute__((format(printf, 5, 6)))
plait_status plaitp_chaos_fail(chaos *system, plait_error *error,
			       plait_status status, int64_t origin,
			       const char *format, ...);
/* Log a step with its virtual time, with log=1. */
__attribute__((format(printf, 2, 3)))
void plaitp_chaos_log(chaos *system, const char *format, ...);
plait_status plaitp_chaos_open(plait_host *host,
			       const plait_host_services *services,
			       plait_backend **out, plait_error *error);
void plaitp_chaos_close(plait_backend *self);
uint32_t plaitp_chaos_device_count(plait_backend *self);
plait_status plaitp_chaos_device_query(plait_backend *self, uint32_t device,
				       plait_backend_device *out,
				       plait_error *error);

/* random.c */
uint64_t plaitp_chaos_random(chaos *system);
uint64_t plaitp_chaos_random_below(chaos *system, uint64_t limit);
uint64_t plaitp_chaos_random_delay(chaos *system, const chaos_range *range);

/* clock.c */
plait_status plaitp_chaos_clock_reserve(chaos *system, plait_error *error);
void plaitp_chaos_clock_unreserve(chaos *system);
void plaitp_chaos_clock_schedule(chaos *system, chaos_event *event,
				 uint64_t delay_ns);
void plaitp_chaos_clock_cancel(chaos *system, chaos_event *event);
/* Time of the next event; UINT64_MAX if there is none. */
uint64_t plaitp_chaos_clock_next_ns(const chaos *system);
/* Advance to the next event, which exists, and run it. */
void plaitp_chaos_clock_step(chaos *system);

/* memory.c */
plait_status plaitp_chaos_memory_create(plait_backend *self, uint32_t device,
					const plait_memory_request *request,
					plait_backend_memory **out,
					plait_error *error);
void plaitp_chaos_memory_destroy(plait_backend *self,
				 plait_backend_memory *memory);
plait_status plaitp_chaos_memory_map(plait_backend *self,
				     plait_backend_memory *memory,
				     uint64_t offset, uint64_t bytes,
				     uint32_t flags, void **out,
				     plait_error *error);
plait_status plaitp_chaos_memory_unmap(plait_backend *self,
				       plait_backend_memory *memory,
				       void *pointer, plait_error *error);
/* Transfer bytes [from, to) of a copy, fill, read or write. */
void plaitp_chaos_memory_transfer(const plait_work *work, uint64_t from,
				  uint64_t to);

/* kernel.c */
plait_status plaitp_chaos_kernel_build(plait_backend *self, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error);
void plaitp_chaos_kernel_destroy(plait_backend *self,
				 plait_backend_kernel *kernel);
plait_status plaitp_chaos_kernel_query(plait_backend *self,
				       plait_backend_kernel *kernel,
				       plait_kernel_facts *out,
				       plait_error *error);
plait_status plaitp_chaos_launch_create(plait_backend *self,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error);
void plaitp_chaos_launch_destroy(plait_backend *self,
				 plait_backend_launch *launch);
/* The number of steps of a launch, and the execution of [from, to). */
uint64_t plaitp_chaos_launch_steps(const plait_backend_launch *launch);
/* Give an argument of at most 8 bytes another value; return the old one. */
uint64_t plaitp_chaos_launch_exchange(plait_backend_launch *launch,
				      uint32_t argument, uint64_t value);
void plaitp_chaos_launch_run(chaos *system,
			     const plait_backend_launch *launch, uint64_t from,
			     uint64_t to);

/* segment.c */
plait_status plaitp_chaos_segment_create(plait_backend *self, uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error);
void plaitp_chaos_segment_destroy(plait_backend *self,
				  plait_backend_segment *segment);
plait_status plaitp_chaos_segment_patch(plait_backend *self,
					plait_backend_segment *segment,
					uint32_t index, const plait_work *work,
					plait_error *error);
plait_status plaitp_chaos_segment_stop(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t stop, plait_error *error);
void plaitp_chaos_segment_begin(chaos *system, plait_backend_segment *segment);
/* Run up to `steps` commands and decisions; returns true if it has ended. */
bool plaitp_chaos_segment_run(chaos *system, plait_backend_segment *segment,
			      uint64_t steps);
/* A random number of steps at the start; later all of one body, or 1 or more. */
uint64_t plaitp_chaos_segment_quota(chaos *system,
				    const plait_backend_segment *segment,
				    bool begins);

/* queue.c */
plait_status plaitp_chaos_queue_create(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       plait_backend_queue **out,
				       plait_error *error);
void plaitp_chaos_queue_destroy(plait_backend *self,
				plait_backend_queue *queue);
plait_status plaitp_chaos_queue_flush(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error);
plait_status plaitp_chaos_queue_recover(plait_backend *self,
					plait_backend_queue *queue,
					plait_error *error);
plait_status plaitp_chaos_queue_submit(plait_backend *self,
				       plait_backend_queue *queue,
				       const plait_submission *submissions,
				       uint32_t count, plait_error *error);

/* run.c: execution of queues. */
/* The number of steps of a command, and the execution of [from, to). */
uint64_t plaitp_chaos_run_steps(const plait_work *work);
void plaitp_chaos_run_part(chaos *system, const plait_work *work,
			   uint64_t from, uint64_t to);
void plaitp_chaos_run_event(chaos *system, void *owner);
/* Broadcast `changed`; schedule an idle queue whose first batch is flushed. */
void plaitp_chaos_run_start(chaos *system, chaos_queue *queue);
/* Schedule a queue after the end of its wait. */
void plaitp_chaos_run_wake(chaos *system, chaos_queue *queue);
/* Remove the queue from the list that it waits in. */
void plaitp_chaos_run_leave(chaos_queue *queue);
/* `queue "label"`, or the number of the queue; for texts. */
const char *plaitp_chaos_run_queue_name(const chaos_queue *queue, char *buffer,
					size_t bytes);

/* signal.c */
plait_status plaitp_chaos_signal_create(plait_backend *self, uint32_t device,
					uint32_t flags,
					plait_backend_signal **out,
					plait_error *error);
void plaitp_chaos_signal_destroy(plait_backend *self,
				 plait_backend_signal *signal);
plait_status plaitp_chaos_signal_poll(plait_backend *self,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error);
plait_status plaitp_chaos_signal_notify(plait_backend *self,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error);
plait_status plaitp_chaos_signal_raise(plait_backend *self,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error);
plait_status plaitp_chaos_signal_reset(plait_backend *self,
				       plait_backend_signal *signal,
				       plait_error *error);
/* Raise `signal` now, from a queue or the host. */
void plaitp_chaos_signal_emit(chaos *system, chaos_signal *signal,
			      uint64_t sequence, const plait_error *failure);
/* PLAIT_PENDING, PLAIT_OK or the failure, for an observer that sees
 * `reached`. */
plait_status plaitp_chaos_signal_state(const chaos_signal *signal,
				       uint64_t sequence, uint64_t reached);

/* drive.c */
plait_status plaitp_chaos_signal_wait(plait_backend *self,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns,
				      plait_error *error);
plait_status plaitp_chaos_pump(plait_backend *self, plait_error *error);

#endif
