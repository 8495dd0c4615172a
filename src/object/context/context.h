/* SPDX-License-Identifier: MIT */
/*
 * A context: the opened backends with their devices, the worker pool, and the
 * threads that wait and reclaim. context.c opens and ends it,
 * context_settings.c reads its descriptor and the environment, reclaim.c and
 * reclaim_thread.c drop what finished work held.
 *
 * Lock order: queue, order (of a port), gate (of a signal), context, inbox,
 * watch, deferred, notifications, driver. No lock is held while a user function
 * runs or an object is destroyed; no slot is called under the last six.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_H

#include "plait/device.h"
#include "plait/plugin.h"

#include "object/context/context_close.h"
#include "object/context/context_notify.h"
#include "object/handle/object.h"
#include "object/progress/progress_driver.h"
#include "object/progress/notification.h"
#include "object/progress/timer.h"
#include "object/races/races.h"

#include "base/log.h"
#include "coroutine/stack_pool.h"
#include "kernel/intern.h"
#include "plugin/registry.h"
#include "pool/pool.h"
#include "pool/parallel_for.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

typedef struct plait__device plait__device;
typedef struct plait__inbox plait__inbox;

/* One opened backend. */
struct plait__backend_port {
	plait__context *context;
	plait__backend *backend;
	plait__device *devices; /* backend->device_count, in the context */
	/* capability bits that any of its devices has */
	uint32_t any;
	uint32_t all;		/* capability bits that all of them have */
	/* Guards the numbering of emissions: plait__signal.next, .last_queue and
	 * .next_emitted. */
	struct plait__mutex order;
	plait__notifications notifications; /* owed by the backend */
	at_u32 no_wait_in_driver; /* atomic: the backend has refused it */
};

/* Settings of a context, with all defaults applied. */
typedef struct plait__settings {
	plait_allocator allocator;
	plait__log log;
	const char *backends; /* the caller's; valid during open only */
	const char *plugin_path;
	const char *wrap;
	const char *options;
	uint32_t flags;
	uint32_t workers;
} plait__settings;

/* A function to be run on the context's reclaim thread. */
typedef struct plait__context_task {
	struct plait__context_task *next;
	void (*run)(struct plait__context_task *task);
} plait__context_task;

/* The reclaim thread, started when it is needed first. */
typedef struct plait__reclaim_thread {
	struct plait__mutex lock; /* guards the next field, and start */
	bool running;
	at_u32 stop;
	at_u32 wake_count; /* raised by each wake-up, then the event */
	struct plait__eventcount event;
	/* Likewise for urgent wake-ups. The thread sleeps on this event while
	 * it rests, when ordinary wake-ups do not wake it. */
	at_u32 urgent_count;
	struct plait__eventcount urgent;
	/* A user function may end the thread. Then the next generation runs in
	 * the other element, joins it, and takes over its hold of the
	 * context. */
	struct plait__thread threads[2];
	uint32_t generation;
	bool inherits;
	struct plait__thread_guard guard; /* of a thread that goes on while it
					   * exits */
	at_u64 token; /* plait__thread_token of the running generation */
} plait__reclaim_thread;

/* Entry of a context's reclaim list; part of an object of a class with
 * `reclaim`. */
typedef struct plait__reclaim_entry {
	plait__object *object;
	plait__backend_port *port;
	/* Guarded by the context's lock. */
	struct plait__reclaim_entry *next;
	struct plait__reclaim_entry *previous;
	bool listed; /* also guarded by the owner's lock; either suffices to
		      * read */
	uint64_t round; /* the last round that visited it */
} plait__reclaim_entry;

struct plait__wait_request;

/* Functions by which a waiting thread serves the inboxes that it owns;
 * inbox_pump.c has them. */
typedef struct plait__inbox_service {
	/* PLAIT_PENDING: no event; PLAIT_OK: a function was run;
	 * PLAIT_EVENT_READY: the next event has no function. */
	plait_status (*serve)(plait__context *context);
	/* Returns true if an inbox of the calling thread has an event. */
	bool (*has_waiting)(plait__context *context);
	/* Returns true if the calling thread owns an inbox. */
	bool (*owns_any)(plait__context *context);
	/* Returns true if the calling thread executes the function of an event
	 * of the context. */
	bool (*is_inside)(plait__context *context);
	/* Returns true if that is the function of a command that the emission
	 * of the signal comes behind, in the same queue. */
	bool (*blocks)(const plait__object *signal, uint64_t sequence);
	/* plait__wait_run inside a function of an event, without a limit:
	 * refuses a wait that closes a cycle of such waits. */
	plait_status (*wait_inside)(struct plait__wait_request *request,
				    plait_error *error);
} plait__inbox_service;

struct plait__context {
	union {
		plait__object object;
		plait__context_base base;
	};
	plait__settings settings;
	plait__pool *pool;
	plait__registry *registry;
	plait__backend_port *ports;
	plait__device *devices;
	uint32_t port_count;
	uint32_t device_count;
	uint32_t memory_count; /* of devices that are not the host */

	/* Eventcount of all waiting threads: notified at each change that one
	 * may await. */
	struct plait__eventcount wait_event;

	struct plait__mutex lock; /* guards the lists, `spare` and `end` */
	plait__context_end *end; /* null: no thread waits for the end */
	at_u64 abandoned; /* works that keep the context for ever */
	plait_error abandoned_why; /* the first; guarded by `lock` */
	plait_error untold; /* see plait__context_close_tell; guarded by `lock` */
	/* Reclaim list: only objects with work in flight, so that a round costs
	 * no more. */
	plait__reclaim_entry *first_entry;
	plait__reclaim_entry *last_entry;
	uint64_t reclaim_round; /* guarded by `reclaim_lock` */
	plait__inbox *inboxes;
	/* Stored with the first inbox, before `inbox_count` is raised. */
	const plait__inbox_service *inbox_service;
	at_u32 inbox_count;
	at_u32 unflushed; /* queues with a failed last flush */
	plait__intern signatures; /* of kernels */
	/* Tables of a released graph, for the next graph; or null. */
	/* Of flows: awaits without a time limit (flow/own_tasks.h). */
	struct plait__mutex own_awaits_lock;
	void *own_awaits;
	void *spare;
	void (*destroy_spare)(void *spare);
	struct plait__mutex team_lock; /* guards the creation of `team` */
	plait__parallel_for *team; /* null until a kernel has parts */

	/* Taken for one reclaim round. Only a caller that needs the result
	 * waits for it, and never the thread that holds it. */
	struct plait__mutex reclaim_lock;
	at_u64 reclaimer_token; /* plait__thread_token of the holder, or 0 */
	/* Callback, or null: called after `reclaim_lock` is released; guarded
	 * by it. */
	void (*after_reclaim)(plait__context *context);
	at_u64 next_reclaim_ns; /* earliest time of the next round */
	struct plait__mutex deferred_lock; /* guards the lists below */
	plait__object *deferred;
	plait__context_task *tasks;
	at_u32 deferred_any;
	plait__reclaim_thread reclaimer;
	plait__progress_driver driver;
	plait__timers timers;
	plait__races *races; /* or null; constant */
	plait__stack_pool stacks; /* of coroutines */
};

/* Null unless works that race are to be reported. */
static inline plait__races *plait__context_races(const plait__context *context)
{
	return context->races;
}

/* context_settings.c. Read the descriptor, then the environment, then the
 * defaults. */
plait_status plait__settings_read(plait__settings *out,
				  const plait_context_desc *desc,
				  plait_error *error);
void plait__settings_config(const plait__settings *settings,
			    plait__registry_config *out);

static inline const plait_allocator *
plait__context_allocator(const plait__context *context)
{
	return &context->settings.allocator;
}

PLAIT__OBJECT_ENTER(context, PLAIT_OBJECT_CONTEXT);

plait_status plait__context_fail_other(const plait__object *one,
				       const plait__object *other,
				       plait_error *error);

/* Two objects have to share a context: PLAIT_E_HANDLE naming both if not. */
static inline plait_status plait__context_check_same(const plait__object *one,
						     const plait__object *other,
						     plait_error *error)
{
	return one->context == other->context ?
		       PLAIT_OK :
		       plait__context_fail_other(one, other, error);
}

/* A backend has work of which it does not tell the end (refusals.h): the context
 * never ends, and the reclaim thread drives none of it. */
void plait__context_abandon(plait__context *context, const plait_error *why);

/* Returns true if the user has no handle and the context will end. */
static inline bool plait__context_is_final(const plait__context *context)
{
	return at_load_acquire_u64(&context->base.open_handles) == 0 &&
	       at_load_acquire_u64(&context->abandoned) == 0;
}

/* Exchange the spare tables: store `spare`, or null to take them. Returns the
 * former ones, which are the caller's. */
void *plait__context_swap_spare(plait__context *context, void *spare,
				void (*destroy)(void *spare));

/* The parallel-for object for launches in parts; *out is null without workers.
 * PLAIT_E_NOMEM. */
plait_status plait__context_parallel_for(plait__context *context,
					 plait__parallel_for **out,
					 plait_error *error);

/* --- reclaim.c */

/* Drop the object's last hold later; also in notification callbacks. */
void plait__reclaim_defer_drop(plait__context *context, plait__object *object);
/* Returns true if plait__reclaim_pending has deferred drops to do. */
static inline bool plait__context_has_deferred(const plait__context *context)
{
	/* Acquire: pairs with the store in reclaim.c. */
	return at_load_acquire_u32(&context->deferred_any) != 0;
}

/* The slow path of plait__context_reclaim. */
void plait__reclaim_pending(plait__context *context);
/* Run a reclaim round if any object lingers, and do the deferred drops. */
static inline void plait__context_reclaim(plait__context *context)
{
	if (plait__context_has_deferred(context) ||
	    at_load_acquire_u64(&context->base.lingering) != 0)
		plait__reclaim_pending(context);
}
/* Run a round in any case, and return after it. */
void plait__reclaim_now(plait__context *context);
/* Run a round, unless one has just run and the thread will run the next. */
void plait__reclaim_if_due(plait__context *context);

/* Add an entry to the reclaim list, if it is not in there; remove it. The owner
 * of the entry serializes the calls. */
void plait__reclaim_list(plait__context *context, plait__reclaim_entry *entry);
void plait__reclaim_unlist(plait__context *context,
			   plait__reclaim_entry *entry);

#endif
