/* SPDX-License-Identifier: MIT */
/*
 * What every object starts with, and how it lives.
 *
 *     user references --\
 *                        > one hold --\
 *     threads inside ---/              > holds --0--> destroyed
 *     children, work in flight -------/
 *
 * The user's references are in the handle's slot.  When the last one goes,
 * `abandon` is called; when nobody is inside either, `close` is called, and
 * their common hold goes.  Holds of children and of work in flight keep
 * the memory.  An object without a handle has holds only.
 *
 * Destroying calls slots of the backend, so upcalls of a backend give holds
 * back by plait__object_drop_deferred.
 */
#ifndef PLAIT_SRC_OBJECT_HANDLE_OBJECT_H
#define PLAIT_SRC_OBJECT_HANDLE_OBJECT_H

#include "object/handle/handle_table.h"

typedef struct plait__context plait__context;
typedef struct plait__object plait__object;

/* What plait__object_name may need. */
enum { PLAIT__OBJECT_NAME_BYTES = 80, PLAIT__OBJECT_LABEL_BYTES = 48 };

typedef struct plait__class {
	int32_t type; /* PLAIT_OBJECT_ANY: the objects have no handle */
	/* Null: nothing to do.  The user's last reference is gone; threads
	 * may be inside. */
	void (*abandon)(plait__object *object);
	/* Null: nothing to do.  Nor is any thread inside now; may hold it. */
	void (*close)(plait__object *object);
	/* The last hold is gone: free it.  The context is still there. */
	void (*destroy)(plait__object *object);
	/* Null: its objects are never in the context's reclaim list.  Drops what
	 * finished work held; takes the object off the list if nothing is left.
	 * With `watch` it asks for a wake-up when more finishes; returns false
	 * if there will be none.  The caller has a hold. */
	bool (*reclaim)(plait__object *object, bool watch);
	/* What it holds itself keeps the context; and `destroy` keeps the
	 * memory with its slot, for another object of the class. */
	bool is_transient;
	/* It is made with this many holds more, of who makes it. */
	uint8_t maker_holds;
} plait__class;

struct plait__object {
	const plait__class *class;
	plait__context *context; /* held, but by itself and by devices */
	plait__handle_slot *slot;	 /* null without a handle */
	at_u64 holds;
	bool lingers; /* abandoned and held; who takes the last hold reads */
	plait__object *later; /* list of plait__object_drop_deferred */
	char label[PLAIT__OBJECT_LABEL_BYTES];
};

/* What a context does for its objects; object.c calls no other part of it. */
typedef struct plait__context_ops {
	/* The user closed the last handle of the context, and some objects
	 * linger. */
	void (*last_handle_closed)(plait__context *context);
	/* One more object lingers: it has no handle, and holds. */
	void (*object_lingers)(plait__context *context);
	/* Look for holds of finished work that can be dropped, unless that was
	 * done a moment ago. */
	void (*reclaim_if_due)(plait__context *context);
	/* Drop the last hold of the object on a thread that may call slots. */
	void (*defer_drop)(plait__context *context, plait__object *object);
} plait__context_ops;

/* The part of a context that its objects use; each context begins with it. */
typedef struct plait__context_base {
	plait__object object;
	const plait__context_ops *ops;
	at_u64 open_handles; /* that the user has, the context's own included */
	at_u64 lingering;    /* objects without a handle that are held */
} plait__context_base;

/* Memory that is zeroed, or that one of the same light class had, becomes an
 * object with one hold, which is the user's (a handle, one reference) or the
 * caller's.  Keeps `context`.  PLAIT_E_NOMEM. */
plait_status plait__object_init(plait__object *object,
				const plait__class *class,
				plait__context *context, plait_error *error);

/* For messages: cut to what fits, null is fine. */
void plait__object_set_label(plait__object *object, const char *label);

/* `queue "load"` or `queue 0x1000000000`; returns `room`. */
const char *plait__object_name(const plait__object *object,
			       char room[PLAIT__OBJECT_NAME_BYTES]);

/* The public handle. */
void *plait__object_handle(const plait__object *object);

/* Enter by a handle, as plait__handle_enter; and leave. */
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
/* The same for a scope; `object` is a plait__object. */
void plait__object_leave_on_exit(void *object);
/* Leave while holding locks: if it was the last one, `late` becomes the head
 * of a list that is to be closed when no lock is held. */
void plait__object_leave_deferred(plait__object *object, plait__object **late);
void plait__object_close_deferred(plait__object *late);

/* The public release. */
void plait__object_release(const void *handle, int32_t type);

void plait__object_hold(plait__object *object);
void plait__object_hold_times(plait__object *object, uint32_t times);
/* False: it is being destroyed. */
bool plait__object_try_hold(plait__object *object);
void plait__object_drop(plait__object *object);
/* For upcalls: the last hold waits for a thread that may call slots. */
void plait__object_drop_deferred(plait__object *object);

/* How many holds there are besides the user's; a hint. */
uint64_t plait__object_uses(const plait__object *object);

#endif
