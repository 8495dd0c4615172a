/* SPDX-License-Identifier: MIT */
/* Handles of the target interface: pools of live and released handles of each
 * kind, and other numbers that calls return. */
#ifndef T_FUZZ_HANDLES_H
#define T_FUZZ_HANDLES_H

#include "stream.h"

/* ---- handles ---- */

enum kind {
	CONTEXT, DEVICE, QUEUE, SIGNAL, BUFFER, INBOX, RUN, KERNEL, GRAPH,
	PLAN, CALLABLE, KINDS
};

struct pool {
	void *live[MOST_HANDLES];
	unsigned references[MOST_HANDLES];
	unsigned count;
	void *stale[STALE_HANDLES];
	unsigned stale_count;
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool pools[KINDS];
static unsigned contexts_opened;

static void *draw_bad_handle(struct stream *s, enum kind kind)
{
	const struct pool *other = &pools[draw_byte(s) % KINDS];
	const struct pool *pool = &pools[kind];

	switch (draw_byte(s) % 4) {
	case 0:
		return NULL;
	case 1:
		return pool->stale[draw_byte(s) % STALE_HANDLES];
	case 2:
		return other->count > 0 ? other->live[0] : NULL;
	default: {
		uint64_t word = draw_word(s);

		return (void *)(uintptr_t)word;
	}
	}
}

static void *draw_handle(struct stream *s, enum kind kind)
{
	struct pool *pool = &pools[kind];
	void *handle;

	pthread_mutex_lock(&pools_lock);
	if (draw_rare(s) || pool->count == 0)
		handle = draw_bad_handle(s, kind);
	else
		handle = pool->live[draw_byte(s) % pool->count];
	pthread_mutex_unlock(&pools_lock);
	return handle;
}

static void release(enum kind kind, void *handle);
static void retain(enum kind kind, void *handle);

static void own(enum kind kind, void *handle)
{
	struct pool *pool = &pools[kind];
	bool full;

	if (handle == NULL)
		return;
	pthread_mutex_lock(&pools_lock);
	full = pool->count == MOST_HANDLES;
	if (!full) {
		pool->references[pool->count] = 1;
		pool->live[pool->count++] = handle;
	}
	pthread_mutex_unlock(&pools_lock);
	if (full)
		release(kind, handle);
}

/* Take one reference out of the pool; null if it has none. */
static void *disown(enum kind kind, unsigned number)
{
	struct pool *pool = &pools[kind];
	void *handle = NULL;

	pthread_mutex_lock(&pools_lock);
	if (pool->count > 0) {
		number %= pool->count;
		handle = pool->live[number];
		if (--pool->references[number] == 0) {
			pool->stale[pool->stale_count++ % STALE_HANDLES] =
				handle;
			pool->count--;
			pool->live[number] = pool->live[pool->count];
			pool->references[number] =
				pool->references[pool->count];
		}
	}
	pthread_mutex_unlock(&pools_lock);
	return handle;
}

static void release_one(struct stream *s, enum kind kind)
{
	void *handle;

	if (draw_rare(s)) {
		/* A live one is not the caller's to release. */
		pthread_mutex_lock(&pools_lock);
		handle = pools[kind].stale[draw_byte(s) % STALE_HANDLES];
		pthread_mutex_unlock(&pools_lock);
	} else {
		handle = disown(kind, draw_byte(s));
	}
	release(kind, handle);
}

static void retain_one(struct stream *s, enum kind kind)
{
	struct pool *pool = &pools[kind];
	unsigned number = draw_byte(s);

	pthread_mutex_lock(&pools_lock);
	if (pool->count > 0) {
		number %= pool->count;
		pool->references[number]++;
		retain(kind, pool->live[number]);
	}
	pthread_mutex_unlock(&pools_lock);
}

#define HANDLE_FUNCTIONS(name, kind)                                          \
	static inline plait_##name *draw_owned_##name(struct stream *s)       \
	{                                                                     \
		return disown(kind, draw_byte(s));                            \
	}                                                                     \
	static inline plait_##name *draw_##name(struct stream *s)             \
	{                                                                     \
		return draw_handle(s, kind);                                  \
	}                                                                     \
	static inline void own_##name(struct stream *s, plait_##name *handle) \
	{                                                                     \
		(void)s;                                                      \
		own(kind, handle);                                            \
	}                                                                     \
	static inline void retain_##name(struct stream *s)                    \
	{                                                                     \
		retain_one(s, kind);                                          \
	}                                                                     \
	static inline void release_##name(struct stream *s)                   \
	{                                                                     \
		release_one(s, kind);                                         \
	}

HANDLE_FUNCTIONS(context, CONTEXT)
HANDLE_FUNCTIONS(device, DEVICE)
HANDLE_FUNCTIONS(queue, QUEUE)
HANDLE_FUNCTIONS(signal, SIGNAL)
HANDLE_FUNCTIONS(buffer, BUFFER)
HANDLE_FUNCTIONS(inbox, INBOX)
HANDLE_FUNCTIONS(run, RUN)
HANDLE_FUNCTIONS(kernel, KERNEL)
HANDLE_FUNCTIONS(graph, GRAPH)
HANDLE_FUNCTIONS(plan, PLAN)
HANDLE_FUNCTIONS(callable, CALLABLE)

#define EACH_KIND(X)                                                          \
	X(context, CONTEXT) X(queue, QUEUE) X(signal, SIGNAL)                 \
	X(buffer, BUFFER) X(inbox, INBOX) X(run, RUN) X(kernel, KERNEL)       \
	X(graph, GRAPH) X(plan, PLAN) X(callable, CALLABLE)

static void release(enum kind kind, void *handle)
{
	switch (kind) {
#define RELEASE(name, kind)                                                   \
	case kind:                                                            \
		plait_##name##_release(handle);                               \
		break;
	EACH_KIND(RELEASE)
	default:
		break;
	}
}

static void retain(enum kind kind, void *handle)
{
	switch (kind) {
#define RETAIN(name, kind)                                                    \
	case kind:                                                            \
		plait_##name##_retain(handle);                                \
		break;
	EACH_KIND(RETAIN)
	default:
		break;
	}
}

/* A device lives as long as its context: its handle is only borrowed. */
static void note_device(struct stream *s, plait_device *device)
{
	struct pool *pool = &pools[DEVICE];

	(void)s;
	if (device == NULL)
		return;
	pthread_mutex_lock(&pools_lock);
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->live[i] == device)
			device = NULL;
	if (device != NULL && pool->count < MOST_HANDLES)
		pool->live[pool->count++] = device;
	pthread_mutex_unlock(&pools_lock);
}

static plait_buffer *const *draw_buffers(struct stream *s)
{
	plait_buffer **out = keep(s, MOST_ELEMENTS * sizeof(void *));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_buffer(s);
	return out;
}

static plait_queue *const *draw_queues(struct stream *s)
{
	plait_queue **out = keep(s, MOST_ELEMENTS * sizeof(void *));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_queue(s);
	return out;
}

static plait_device *const *draw_devices(struct stream *s)
{
	plait_device **out = keep(s, MOST_ELEMENTS * sizeof(void *));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_device(s);
	return out;
}

/* ---- nodes, events, addresses: numbers that calls return ---- */

static _Atomic uint64_t last_nodes[4];
static _Atomic uint64_t last_event;
static _Atomic(void *) mapped[4];

static void note_node(struct stream *s, plait_node node)
{
	if (node != 0)
		last_nodes[draw_byte(s) % 4] = node;
}

static plait_node draw_node(struct stream *s)
{
	unsigned byte = draw_byte(s);

	if (byte < 64)
		return 0;
	return byte < 248 ? last_nodes[byte % 4] : draw_word(s);
}

static const plait_node *draw_nodes(struct stream *s)
{
	plait_node *out = keep(s, MOST_ELEMENTS * sizeof(*out));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_node(s);
	return out;
}

static void note_event(struct stream *s, const plait_event *event)
{
	(void)s;
	if (event->size == sizeof(*event) && event->id != 0)
		last_event = event->id;
}

static uint64_t draw_event(struct stream *s)
{
	return draw_rare(s) ? draw_word(s) : last_event;
}

static void *draw_mapped(struct stream *s)
{
	return draw_rare(s) ? draw_memory(s) : mapped[draw_byte(s) % 4];
}

#endif
