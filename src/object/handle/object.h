/* SPDX-License-Identifier: MIT */
/*
 * Object header: handle, reference counts, class.
 *
 *     user references --\
 *                        > one hold --\
 *     threads inside ---/              > holds --0--> destroyed
 *     children, work in flight -------/
 *
 * User references are counted in the handle's slot. When the last one goes,
 * `abandon` is called; when no thread is inside either, `close` is called and
 * their common hold is dropped. Holds of children and of work in flight keep
 * the memory. An object without a handle has holds only.
 *
 * Destruction calls slots of the backend, so notification callbacks drop holds
 * by plait__object_drop_deferred.
 */
#ifndef PLAIT_SRC_OBJECT_HANDLE_OBJECT_H
#define PLAIT_SRC_OBJECT_HANDLE_OBJECT_H

#include "object/handle/handle_table.h"

typedef struct plait__context plait__context;
typedef struct plait__object plait__object;

/* Room for plait__object_name, and for a label. */
enum { PLAIT__OBJECT_NAME_BYTES = 80, PLAIT__OBJECT_LABEL_BYTES = 48 };

typedef struct plait__class {
	int32_t type; /* PLAIT_OBJECT_ANY: the objects have no handle */
	/* Null: no action. The user's last reference is gone; threads may be
	 * inside. */
	void (*abandon)(plait__object *object);
	/* Null: no action. No thread is inside any more; work in flight may
	 * hold it. */
	void (*close)(plait__object *object);
	/* The last hold is gone: free the memory. The context still exists. */
	void (*destroy)(plait__object *object);
	/* Null: objects of the class are never in the context's reclaim list.
	 * Drops the holds of finished work, and takes the object off the list
	 * if none is left. With `watch` it requests a wake-up for the next
	 * completion; returns false if there will be none. The caller has a
	 * hold. */
	bool (*reclaim)(plait__object *object, bool watch);
	/* The objects that it holds keep the context; and `destroy` keeps the
	 * memory with its slot, for another object of the class. */
	bool is_transient;
	/* Holds that the creator gets in addition to the first. */
	uint8_t maker_holds;
} plait__class;

struct plait__object {
	const plait__class *class;
	/* Held, except by itself, devices and objects of a transient class. */
	plait__context *context;
	plait__handle_slot *slot;	 /* null: no handle */
	at_u64 holds;
	bool lingers; /* closed and still held: set at the close, read by the
		       * last drop */
	/* The user never gets its handle, which does not keep the context
	 * open. Set before plait__object_init. */
	bool is_internal;
	plait__object *later; /* link of plait__object_drop_deferred's list */
	char label[PLAIT__OBJECT_LABEL_BYTES];
};

/* Operations of a context that object.c needs; filled by context.c. */
typedef struct plait__context_ops {
	/* The user has closed the last handle of the context, and objects
	 * linger. */
	void (*last_handle_closed)(plait__context *context);
	/* One more object lingers: closed, and held by work in flight. */
	void (*object_lingers)(plait__context *context);
	/* Drop the holds of finished work, unless that was done a moment
	 * ago. */
	void (*reclaim_if_due)(plait__context *context);
	/* Drop the object's last hold on a thread that may call slots. */
	void (*defer_drop)(plait__context *context, plait__object *object);
} plait__context_ops;

/* The first member of each context, which its objects use. */
typedef struct plait__context_base {
	plait__object object;
	const plait__context_ops *ops;
	/* Handles that the user holds, the context's own included; not those
	 * of internal objects. */
	at_u64 open_handles;
	at_u64 lingering;    /* closed objects that are held */
} plait__context_base;

/* Zeroed memory, or that of a destroyed object of the same transient class,
 * becomes an object with one hold: the user's (a handle with one reference) or,
 * without a handle, the caller's, and `maker_holds` more. Holds `context`, unless
 * the class is transient. PLAIT_E_NOMEM: nothing is held, and the caller frees the
 * memory. */
plait_status plait__object_init(plait__object *object,
				const plait__class *class,
				plait__context *context, plait_error *error);

/* The user never gets the handle of this new object, whose reference the caller
 * has: it does not keep the context open. */
void plait__object_make_internal(plait__object *object);

/* For messages; truncated to the room; null is fine. */
void plait__object_set_label(plait__object *object, const char *label);

/* `queue "load"` or `queue 0x1000000000`; returns `room`. */
const char *plait__object_name(const plait__object *object,
			       char room[PLAIT__OBJECT_NAME_BYTES]);

/* The public handle. */
void *plait__object_handle(const plait__object *object);

/* Enter by a handle, as plait__handle_enter; leave. */
static inline plait_status plait__object_enter(const void *handle,
					       int32_t type,
					       plait__object **out,
					       plait_error *error)
{
	void *object;
	plait_status status = plait__handle_enter(handle, type, &object, error);

	*out = object;
	return status;
}

/* Defines plait__NAME_enter for handles of type plait_NAME.  The declaration at
 * the end takes the semicolon. */
#define PLAIT__OBJECT_ENTER(name, type)                                        \
	static inline plait_status plait__##name##_enter(                      \
		plait_##name *handle, plait__##name **out, plait_error *error) \
	{                                                                      \
		void *object;                                                  \
		plait_status status =                                          \
			plait__handle_enter(handle, type, &object, error);     \
                                                                               \
		*out = object;                                                 \
		return status;                                                 \
	}                                                                      \
	struct plait__##name

/* Defines the public plait_NAME_retain and plait_NAME_release. */
#define PLAIT__OBJECT_REFERENCES(name, type)                                   \
	PLAIT_API void plait_##name##_retain(plait_##name *name)               \
	{                                                                      \
		plait__handle_retain(name, type);                              \
	}                                                                      \
	PLAIT_API void plait_##name##_release(plait_##name *name)              \
	{                                                                      \
		plait__object_release(name, type);                             \
	}                                                                      \
	struct plait__##name

void plait__object_leave(plait__object *object);
/* Leave, as a scope's exit function; `object` is a plait__object. */
void plait__object_leave_on_exit(void *object);
/* Leave while locks are held. If the caller was the last inside, the object is
 * pushed onto the list *late, which plait__object_close_deferred closes when no
 * lock is held. */
void plait__object_leave_deferred(plait__object *object, plait__object **late);
void plait__object_close_deferred(plait__object *late);

/* Public release; does nothing to a stale handle. The last one calls `abandon`,
 * and `close` if no thread is inside: the caller holds no lock. */
void plait__object_release(const void *handle, int32_t type);

void plait__object_hold(plait__object *object);
void plait__object_hold_times(plait__object *object, uint32_t times);
/* Returns false if the object is being destroyed. */
bool plait__object_try_hold(plait__object *object);
/* Drop a hold. If that may be the last one the caller holds no lock and is in no
 * notification callback, because `destroy` calls slots. */
void plait__object_drop(plait__object *object);
/* For notification callbacks: the last hold is dropped later, by a thread that
 * may call slots. */
void plait__object_drop_deferred(plait__object *object);

/* Number of holds besides the user's; a hint. */
uint64_t plait__object_uses(const plait__object *object);

#endif
