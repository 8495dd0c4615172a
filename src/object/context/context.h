/* SPDX-License-Identifier: MIT */
/*
 * A context: the backends with their devices, the pool, and who waits and
 * tidies up.  context.c opens and ends it, context_settings.c reads its descriptor
 * and the environment, reclaim.c and the thread of reclaim_thread.c give back what work in
 * flight kept.
 *
 * Locks, each before those behind it: queue, order (of a port), gate (of a
 * signal), context, inbox, watch, deferred, upcalls, driver.  None is held
 * while a function of the user's runs or anything is destroyed; no slot is
 * called under the last six.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_H

#include "plait/device.h"
#include "plait/plugin.h"

#include "object/handle/object.h"
#include "object/progress/progress_driver.h"
#include "object/progress/notification.h"

#include "base/log.h"
#include "kernel/intern.h"
#include "plugin/registry.h"
#include "pool/pool.h"
#include "pool/parallel_for.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

typedef struct plait__device plait__device;
typedef struct plait__inbox plait__inbox;

/* One backend of a context. */
struct plait__backend_port {
	plait__context *context;
	plait__backend *backend;
	plait__device *devices; /* backend->device_count, in the context */
	uint32_t any;		/* capability bits that any device has */
	uint32_t all;		/* those that all have */
	/* Guards the numbering of emissions: plait__signal.next and .last. */
	struct plait__mutex order;
	plait__notifications upcalls; /* that the backend owes */
};

/* What a context was asked to be; all resolved. */
typedef struct plait__settings {
	plait_allocator allocator;
	plait__log log;
	const char *backends; /* the caller's; only during open */
	const char *plugin_path;
	const char *wrap;
	const char *options;
	uint32_t flags;
	uint32_t workers;
} plait__settings;

/* Something to be done on a thread of the context. */
typedef struct plait__context_task {
	struct plait__context_task *next;
	void (*run)(struct plait__context_task *errand);
} plait__context_task;

/* The thread that tidies up; started when there is first need of it. */
typedef struct plait__reclaim_thread {
	struct plait__mutex lock; /* guards `running` and the start */
	bool running;
	at_u32 stop;
	at_u32 wake_count; /* moves with each kick; pairs with the event */
	struct plait__eventcount event;
	/* The same of what must not wait until the thread has rested, who
	 * sleeps on this one meanwhile: other kicks then wake nobody. */
	at_u32 urgent_count;
	struct plait__eventcount urgent;
	/* A function of the user's may end it: then the next one runs in the
	 * other place, joins it, and has its hold of the context. */
	struct plait__thread threads[2];
	uint32_t generation;
	bool inherits;
	struct plait__thread_guard guard; /* of one that dies and goes on */
	at_u64 token; /* plait__thread_token of the thread */
} plait__reclaim_thread;

/* An entry of the context's reclaim list, in an object whose class has
 * `reclaim`. */
typedef struct plait__reclaim_entry {
	plait__object *object;
	plait__backend_port *port;
	/* Guarded by the context's lock. */
	struct plait__reclaim_entry *next;
	struct plait__reclaim_entry *previous;
	bool listed; /* and by the owner's lock; either suffices to read */
	uint64_t round; /* the newest that has visited it */
} plait__reclaim_entry;

/* What threads that wait do for the inboxes they own; filled by inbox/. */
typedef struct plait__inbox_service {
	/* PLAIT_PENDING: nothing to do; PLAIT_OK: a function was run;
	 * PLAIT_EVENT_READY: an event without a function waits. */
	plait_status (*serve)(plait__context *context);
	/* Does an inbox of the calling thread have an event? */
	bool (*has_waiting)(plait__context *context);
	/* Does the calling thread own any inbox? */
	bool (*owns_any)(plait__context *context);
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

	/* Anything that a waiting thread may wait for has changed. */
	struct plait__eventcount pulse;

	struct plait__mutex lock; /* guards the lists and `spare` */
	/* Objects with something pending, so that a round costs no more. */
	plait__reclaim_entry *first_entry;
	plait__reclaim_entry *last_entry;
	uint64_t reclaim_round; /* guarded by `reclaim_lock` */
	plait__inbox *inboxes;
	/* Stored with the first inbox, before `inbox_count` is raised. */
	const plait__inbox_service *inbox_service;
	at_u32 inbox_count;
	at_u32 unflushed; /* queues whose last flush failed */
	plait__intern signatures; /* of kernels */
	/* What a released graph left to the next one, or null. */
	void *spare;
	void (*destroy_spare)(void *spare);
	struct plait__mutex team_lock; /* guards the making of `team` */
	plait__parallel_for *team; /* null until a kernel has parts */

	/* Waited for only by who needs what a sweep gives back, and never by
	 * the thread that has it. */
	struct plait__mutex reclaim_lock;
	at_u64 reclaimer_token; /* plait__thread_token of who has it, or 0 */
	/* Null, or to be called when `reclaim_lock` is given up; guarded by it. */
	void (*after_reclaim)(plait__context *context);
	at_u64 next_reclaim_ns; /* when to look at every queue again */
	struct plait__mutex deferred_lock; /* guards the lists below */
	plait__object *deferred;
	plait__context_task *tasks;
	at_u32 deferred_any;
	plait__reclaim_thread reclaimer;
	plait__progress_driver driver;
};

/* context_settings.c: the descriptor, then the environment, then the defaults. */
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

/* Two objects must share a context: PLAIT_E_HANDLE naming both if not. */
static inline plait_status plait__context_check_same(const plait__object *one,
						     const plait__object *other,
						     plait_error *error)
{
	return one->context == other->context ?
		       PLAIT_OK :
		       plait__context_fail_other(one, other, error);
}

/* Count one more open handle, which is never closed: no thread is to take the
 * context for one that its user has left. */
void plait__context_keep_open(plait__context *context);

/* Leave `spare` to the next graph, or take what is there (null).  Returns what
 * was there, which is the caller's now. */
void *plait__context_swap_spare(plait__context *context, void *spare,
				void (*destroy)(void *spare));

/* Who helps with launches in parts; null in *out when there are no workers.
 * PLAIT_E_NOMEM. */
plait_status plait__context_parallel_for(plait__context *context, plait__parallel_for **out,
					 plait_error *error);

/* context_notify.c.  Something that a thread may wait for has changed.  From
 * upcalls too. */
void plait__context_notify_waiters(plait__context *context);
/* Have the reclaim thread, if it runs, look around. */
void plait__context_notify_reclaimer(plait__context *context);

/* --- reclaim.c; called by those who finish work */

/* Drop it, but not here; from upcalls too. */
void plait__reclaim_defer_drop(plait__context *context, plait__object *object);
/* Did upcalls leave something to plait__reclaim_pending? */
static inline bool plait__context_has_deferred(const plait__context *context)
{
	/* Acquire: pairs with the store in reclaim.c. */
	return at_load_acquire_u32(&context->deferred_any) != 0;
}

/* Give back what is not used any more, if anything waits for that. */
void plait__reclaim_pending(plait__context *context);
/* The same, whether or not something waits for it. */
void plait__reclaim_now(plait__context *context);
/* The same, unless somebody did a moment ago and the thread will again. */
void plait__reclaim_if_due(plait__context *context);

/* Add to the reclaim list, if it is not in there; and remove.  The owner of the
 * entry serialises its calls. */
void plait__reclaim_list(plait__context *context, plait__reclaim_entry *entry);
void plait__reclaim_unlist(plait__context *context,
			   plait__reclaim_entry *entry);

/* --- reclaim_thread.c */

/* For plait__context_ops. */
void plait__reclaim_thread_last_handle_closed(plait__context *context);
void plait__reclaim_thread_object_lingers(plait__context *context);

/* Have `errand` run; not from upcalls. */
void plait__reclaim_thread_submit(plait__context *context, plait__context_task *errand);
/* Get the thread to look around; not from upcalls. */
void plait__reclaim_thread_wake(plait__context *context);

/* Is this the thread that tidies up? */
bool plait__reclaim_thread_is_current(plait__context *context);
void plait__reclaim_thread_stop(plait__context *context);

#endif
