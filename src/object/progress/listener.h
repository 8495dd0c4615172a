/* SPDX-License-Identifier: MIT */
/*
 * Listener: a record that is called once, when an event of its owner has
 * happened.  It is part of the object to be told, so that subscribing needs no
 * memory and cannot fail.  A list belongs to the source of the event, whose lock
 * guards it; the listeners are called without that lock.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_LISTENER_H
#define PLAIT_SRC_OBJECT_PROGRESS_LISTENER_H

#include "plait/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct plait__listener plait__listener;

struct plait__listener {
	plait__listener *next;
	bool linked; /* not yet taken to be called */
	uint64_t sequence; /* of a list in this order */
	/* Possibly in a notification callback. The record may be gone when it
	 * returns. */
	void (*notify)(plait__listener *listener, plait_status status);
};

/* The object of type `type` whose member `member` is the listener. */
#define PLAIT__LISTENER_OWNER(listener, type, member)                          \
	((type *)(void *)((unsigned char *)(listener) -                        \
			  offsetof(type, member)))

/* Caller holds the lock of the list. */
static inline void plait__listener_push(plait__listener **list,
					plait__listener *listener)
{
	listener->linked = true;
	listener->next = *list;
	*list = listener;
}

/* Likewise, for the event `sequence`: in front of those of later ones. */
static inline void plait__listener_insert(plait__listener **list,
					  plait__listener *listener,
					  uint64_t sequence)
{
	while (*list != NULL && (*list)->sequence < sequence)
		list = &(*list)->next;
	listener->sequence = sequence;
	plait__listener_push(list, listener);
}

/* Returns false if the listener is being called, or was. Caller holds the
 * lock. */
static inline bool plait__listener_unlink(plait__listener **list,
					  plait__listener *listener)
{
	if (!listener->linked)
		return false;
	while (*list != listener)
		list = &(*list)->next;
	*list = listener->next;
	listener->linked = false;
	return true;
}

/* Empty the list: the caller calls its former listeners. Caller holds the
 * lock. */
static inline plait__listener *plait__listener_take_all(plait__listener **list)
{
	plait__listener *taken = *list;

	*list = NULL;
	for (plait__listener *at = taken; at != NULL; at = at->next)
		at->linked = false;
	return taken;
}

/* Take the listeners of the events up to `sequence` from a list that is in
 * order. Caller holds the lock. */
static inline plait__listener *plait__listener_take(plait__listener **list,
						    uint64_t sequence)
{
	plait__listener *taken = *list, **end = list;

	for (; *end != NULL && (*end)->sequence <= sequence;
	     end = &(*end)->next)
		(*end)->linked = false;
	if (end == list)
		return NULL;
	*list = *end;
	*end = NULL;
	return taken;
}

/* Call listeners that were taken. Caller holds no lock of theirs. */
static inline void plait__listener_call_all(plait__listener *taken,
					    plait_status status)
{
	plait__listener *next;

	for (; taken != NULL; taken = next) {
		next = taken->next;
		taken->notify(taken, status);
	}
}

/* A plait_notify_function: the listener of a backend's notification. */
static inline void plait__listener_notify(void *listener, plait_status status)
{
	((plait__listener *)listener)->notify(listener, status);
}

#endif
