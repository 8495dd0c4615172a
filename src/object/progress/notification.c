/* SPDX-License-Identifier: MIT */
/* Table of the notifications that backends owe; see notification.h. */
#include "object/progress/notification.h"

#include "object/context/context.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"
#include "sys/eventcount.h"

#include <stdint.h>

enum { INDEX_BITS = 22, CHUNK_BITS = 7, CHUNK_SLOTS = 1 << CHUNK_BITS };
enum { CHUNKS = 1 << (INDEX_BITS - CHUNK_BITS) };

/*
 * state: generation << 1 | armed. The thread that clears the bit calls the
 * function; each arming raises the generation by one. A token is generation <<
 * 22 | index, never 0; an old token would be valid again after 2^42
 * generations.
 */
struct plait__notification_slot {
	at_u64 state;
	plait_notify_function function; /* stored before the bit is set */
	void *arg;
	struct plait__notification_slot *next;
	uint64_t index; /* constant */
};

struct plait__notification_chunk {
	struct plait__notification_slot slots[CHUNK_SLOTS];
	struct plait__notification_chunk *next; /* in the port's list, or in the
						 * free list */
	/* Null: the chunk is idle. Written under the table's lock, while no
	 * slot is armed. */
	plait__backend_port *port;
	/* Generations up to this one were armed for earlier ports. */
	uint64_t old_generations;
};

/* Published by a release store and never freed, so any number can be looked
 * up. */
static at_ptr chunks[CHUNKS];

/* Guards the variables below and the ownership of chunks. No lock is taken
 * inside. */
static struct plait__mutex table;
static uint32_t chunk_count;
static struct plait__notification_chunk *idle_chunks;

/* Notified after each report of a stray call. */
static struct plait__eventcount reported;

/* --- chunks */

/* Caller holds the table's lock. Null: no memory, or no number left. */
static struct plait__notification_chunk *create_chunk(void)
{
	struct plait__notification_chunk *chunk;

	if (chunk_count == CHUNKS)
		return NULL;
	chunk = plait__alloc(plait__alloc_default(), sizeof(*chunk));
	if (chunk == NULL)
		return NULL;
	for (uint64_t i = 0; i < CHUNK_SLOTS; i++)
		chunk->slots[i].index =
			(uint64_t)chunk_count << CHUNK_BITS | i;
	at_store_release_ptr(&chunks[chunk_count++], chunk);
	return chunk;
}

/* Raise all slots to the highest generation, so that one number separates the
 * new port's tokens from older ones.  Caller holds the table's lock; no slot of
 * the chunk is armed. */
static void age_slots(struct plait__notification_chunk *chunk)
{
	uint64_t highest = 0;

	for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
		uint64_t state = at_load_relaxed_u64(&chunk->slots[i].state);

		if (highest < state >> 1)
			highest = state >> 1;
	}
	for (uint32_t i = 0; i < CHUNK_SLOTS; i++)
		at_store_relaxed_u64(&chunk->slots[i].state, highest << 1);
	chunk->old_generations = highest;
}

/* Caller holds the lock of the port's slots.  Take an idle chunk, of a port
 * that has ended, or a new one.  Without memory the free list stays empty. */
static void take_chunk(plait__backend_port *port)
{
	struct plait__notification_chunk *chunk;

	plait__mutex_lock(&table);
	chunk = idle_chunks;
	if (chunk != NULL)
		idle_chunks = chunk->next;
	else
		chunk = create_chunk();
	if (chunk != NULL) {
		age_slots(chunk);
		chunk->port = port;
		chunk->next = port->notifications.chunks;
		port->notifications.chunks = chunk;
	}
	plait__mutex_unlock(&table);
	for (uint32_t i = 0; chunk != NULL && i < CHUNK_SLOTS; i++) {
		chunk->slots[i].next = port->notifications.free;
		port->notifications.free = &chunk->slots[i];
	}
}

/* --- slots */

static struct plait__notification_slot *pop_free(plait__backend_port *port)
{
	struct plait__notification_slot *slot;

	plait__mutex_lock(&port->notifications.lock);
	if (port->notifications.free == NULL)
		take_chunk(port);
	slot = port->notifications.free;
	if (slot != NULL)
		port->notifications.free = slot->next;
	plait__mutex_unlock(&port->notifications.lock);
	return slot;
}

static void push_free(plait__backend_port *port,
		      struct plait__notification_slot *slot)
{
	plait__mutex_lock(&port->notifications.lock);
	slot->next = port->notifications.free;
	port->notifications.free = slot;
	plait__mutex_unlock(&port->notifications.lock);
}

/* Null: no token of this chunk was ever given out. */
static struct plait__notification_chunk *find_chunk(uint64_t token)
{
	uint64_t index = token & (((uint64_t)1 << INDEX_BITS) - 1);

	/* Acquire: pairs with the store in create_chunk. */
	return at_load_acquire_ptr(&chunks[index >> CHUNK_BITS]);
}

static struct plait__notification_slot *
slot_of(struct plait__notification_chunk *chunk, uint64_t token)
{
	return &chunk->slots[token % CHUNK_SLOTS];
}

/* Claim the slot of an unused token; null if the token was used. */
static struct plait__notification_slot *take(
	struct plait__notification_chunk *chunk, uint64_t token)
{
	struct plait__notification_slot *slot = slot_of(chunk, token);
	uint64_t armed = token >> INDEX_BITS << 1 | 1;

	return at_cas_u64(&slot->state, &armed, armed - 1) ? slot : NULL;
}

/* Arm a slot that the caller owns, and return its token. */
static uint64_t arm(struct plait__notification_slot *slot)
{
	uint64_t generation = (at_load_relaxed_u64(&slot->state) >> 1) + 1;

	at_store_release_u64(&slot->state, generation << 1 | 1);
	return generation << INDEX_BITS | slot->index;
}

/* --- stray calls */

/* The port that the token was given out for, which stays until end_report; or
 * null. */
static plait__backend_port *begin_report(
	struct plait__notification_chunk *chunk, uint64_t token)
{
	uint64_t generation = token >> INDEX_BITS;
	plait__backend_port *port;

	plait__mutex_lock(&table);
	port = chunk->port;
	if (generation <= chunk->old_generations ||
	    generation > at_load_relaxed_u64(&slot_of(chunk, token)->state) >>
		    1)
		port = NULL;
	if (port != NULL)
		port->notifications.reporters++;
	plait__mutex_unlock(&table);
	return port;
}

static void end_report(plait__backend_port *port)
{
	plait__mutex_lock(&table);
	port->notifications.reporters--;
	plait__mutex_unlock(&table);
	plait__eventcount_notify(&reported);
}

/* Log the 1st, 2nd, 4th, 8th ... stray call: a backend that repeats it must not
 * fill the log. */
static void report_stray(struct plait__notification_chunk *chunk,
			 uint64_t token)
{
	plait__backend_port *port = begin_report(chunk, token);
	uint64_t count;

	if (port == NULL)
		return;
	count = at_add_u64(&port->notifications.strays, 1) + 1;
	if ((count & (count - 1)) == 0)
		plait__log_line(
			&port->context->settings.log, PLAIT_LOG_WARNING,
			"plugin %s: a notification came again, or after "
			"signal_notify had refused it (%llu in all), "
			"and is ignored; call the function once for "
			"each PLAIT_OK (P-S10)",
			port->backend->name, (unsigned long long)count);
	end_report(port);
}

static bool is_quiet(void *arg)
{
	plait__backend_port *port = arg;
	bool quiet;

	plait__mutex_lock(&table);
	quiet = port->notifications.reporters == 0;
	plait__mutex_unlock(&table);
	return quiet;
}

/* --- notifying */

/* Replace a status that is none by PLAIT_E_INTERNAL. */
static plait_status check_status(const plait__backend_port *port,
				 plait_status status)
{
	if (status <= PLAIT_OK && status >= PLAIT_E_INTERNAL)
		return status;
	plait__log_line(&port->context->settings.log, PLAIT_LOG_WARNING,
			"plugin %s: a notification came with status %d, which "
			"is none; it counts as PLAIT_E_INTERNAL",
			port->backend->name, (int)status);
	return PLAIT_E_INTERNAL;
}

/* Notification callback.  A token that is not outstanding is reported, and has
 * no other effect. */
static void on_notified(void *user_data, plait_status status)
{
	uint64_t token = (uintptr_t)user_data;
	struct plait__notification_chunk *chunk = find_chunk(token);
	struct plait__notification_slot *slot;
	plait_notify_function function;
	void *arg;

	if (chunk == NULL)
		return;
	slot = take(chunk, token);
	if (slot == NULL) {
		report_stray(chunk, token);
		return;
	}
	function = slot->function;
	arg = slot->arg;
	/* The port exists until the callback was called. */
	status = check_status(chunk->port, status);
	push_free(chunk->port, slot);
	function(arg, status);
}

plait_status plait__notification_arm(plait__backend_port *port,
				     const plait_backend_point *point,
				     plait_notify_function function, void *arg,
				     plait_error *error)
{
	const plait__backend *backend = port->backend;
	struct plait__notification_slot *slot = pop_free(port);
	plait_status status;
	uint64_t token;

	if (slot == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a notification");
	slot->function = function;
	slot->arg = arg;
	token = arm(slot);
	status = backend->table.signal_notify(backend->self, point, on_notified,
					      (void *)(uintptr_t)token,
					      error);
	/* A backend that refuses and still calls has called. */
	if (status == PLAIT_OK || take(find_chunk(token), token) == NULL)
		return PLAIT_OK;
	push_free(port, slot);
	return status;
}

uint32_t plait__notification_count_owed(const plait__backend_port *port)
{
	const struct plait__notification_chunk *chunk;
	uint32_t owed = 0;

	plait__mutex_lock(&table);
	for (chunk = port->notifications.chunks; chunk != NULL;
	     chunk = chunk->next)
		for (uint32_t i = 0; i < CHUNK_SLOTS; i++)
			owed += (at_load_relaxed_u64(&chunk->slots[i].state) &
				 1) != 0;
	plait__mutex_unlock(&table);
	return owed;
}

uint64_t plait__notification_count_strays(const plait__backend_port *port)
{
	return at_load_relaxed_u64(&port->notifications.strays);
}

void plait__notification_close(plait__backend_port *port)
{
	struct plait__notification_chunk *chunk;

	plait__mutex_lock(&table);
	while ((chunk = port->notifications.chunks) != NULL) {
		port->notifications.chunks = chunk->next;
		chunk->port = NULL;
		chunk->next = idle_chunks;
		idle_chunks = chunk;
	}
	plait__mutex_unlock(&table);
	(void)plait__eventcount_await(&reported, is_quiet, port,
				      PLAIT__CLOCK_NEVER, PLAIT__BACKOFF_SLEEP);
}
