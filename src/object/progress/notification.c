/* SPDX-License-Identifier: MIT */
/* The table of notifications that backends owe; see notification.h. */
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
 * turn << 1 | armed.  Whoever takes the bit away calls the function; the turn
 * is one higher when the slot is armed again.  A ticket is turn << 22 | index,
 * never 0; an old one would have to wait for 2^42 turns to be taken for a new
 * one.
 */
struct plait__notification_slot {
	at_u64 state;
	plait_notify_function function; /* stored before the bit is */
	void *arg;
	struct plait__notification_slot *next;
	uint64_t index; /* constant */
};

struct plait__notification_chunk {
	struct plait__notification_slot slots[CHUNK_SLOTS];
	struct plait__notification_chunk *next; /* of the port's, or of the idle */
	/* Null while it is idle.  Changes under the table's lock, and not
	 * while a slot is armed. */
	plait__backend_port *port;
	/* Turns up to this one were armed for the port's predecessors. */
	uint64_t old_turns;
};

/* Published by a release store; they never go away, so that any number can be
 * looked up. */
static at_ptr chunks[CHUNKS];

/* Guards what is behind it, and who has which chunk.  A leaf. */
static struct plait__mutex table;
static uint32_t chunk_count;
static struct plait__notification_chunk *idle_chunks;

/* A thread has reported a stray call. */
static struct plait__eventcount reported;

/* --- chunks */

/* The lock is held; null: no memory, or no numbers are left. */
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

/* All slots go on from the highest turn, so that one number tells theirs from
 * those before. */
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
	chunk->old_turns = highest;
}

/* The lock of the port's slots is held. */
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
		chunk->next = port->upcalls.chunks;
		port->upcalls.chunks = chunk;
	}
	plait__mutex_unlock(&table);
	for (uint32_t i = 0; chunk != NULL && i < CHUNK_SLOTS; i++) {
		chunk->slots[i].next = port->upcalls.free;
		port->upcalls.free = &chunk->slots[i];
	}
}

/* --- slots */

static struct plait__notification_slot *pop_free(plait__backend_port *port)
{
	struct plait__notification_slot *slot;

	plait__mutex_lock(&port->upcalls.lock);
	if (port->upcalls.free == NULL)
		take_chunk(port);
	slot = port->upcalls.free;
	if (slot != NULL)
		port->upcalls.free = slot->next;
	plait__mutex_unlock(&port->upcalls.lock);
	return slot;
}

static void push_free(plait__backend_port *port, struct plait__notification_slot *slot)
{
	plait__mutex_lock(&port->upcalls.lock);
	slot->next = port->upcalls.free;
	port->upcalls.free = slot;
	plait__mutex_unlock(&port->upcalls.lock);
}

/* Null: no ticket ever was of this chunk. */
static struct plait__notification_chunk *find_chunk(uint64_t ticket)
{
	uint64_t index = ticket & (((uint64_t)1 << INDEX_BITS) - 1);

	/* Acquire: pairs with the store in create_chunk. */
	return at_load_acquire_ptr(&chunks[index >> CHUNK_BITS]);
}

static struct plait__notification_slot *
slot_of(struct plait__notification_chunk *chunk, uint64_t ticket)
{
	return &chunk->slots[ticket % CHUNK_SLOTS];
}

/* The slot of a ticket that nobody has used, now the caller's; or null. */
static struct plait__notification_slot *take(struct plait__notification_chunk *chunk,
					     uint64_t ticket)
{
	struct plait__notification_slot *slot = slot_of(chunk, ticket);
	uint64_t armed = ticket >> INDEX_BITS << 1 | 1;

	return at_cas_u64(&slot->state, &armed, armed - 1) ? slot : NULL;
}

/* The ticket of a slot that is the caller's, which is armed now. */
static uint64_t arm(struct plait__notification_slot *slot)
{
	uint64_t turn = (at_load_relaxed_u64(&slot->state) >> 1) + 1;

	at_store_release_u64(&slot->state, turn << 1 | 1);
	return turn << INDEX_BITS | slot->index;
}

/* --- calls that nobody is owed */

/* Whose ticket it was, kept until plait__end_report; or null. */
static plait__backend_port *begin_report(struct plait__notification_chunk *chunk,
					 uint64_t ticket)
{
	uint64_t turn = ticket >> INDEX_BITS;
	plait__backend_port *port;

	plait__mutex_lock(&table);
	port = chunk->port;
	if (turn <= chunk->old_turns ||
	    turn > at_load_relaxed_u64(&slot_of(chunk, ticket)->state) >> 1)
		port = NULL;
	if (port != NULL)
		port->upcalls.reporters++;
	plait__mutex_unlock(&table);
	return port;
}

static void end_report(plait__backend_port *port)
{
	plait__mutex_lock(&table);
	port->upcalls.reporters--;
	plait__mutex_unlock(&table);
	plait__eventcount_notify(&reported);
}

/* A backend that does it all the time must not fill the log: the 1st, 2nd,
 * 4th, 8th is told. */
static void report_stray(struct plait__notification_chunk *chunk, uint64_t ticket)
{
	plait__backend_port *port = begin_report(chunk, ticket);
	uint64_t count;

	if (port == NULL)
		return;
	count = at_add_u64(&port->upcalls.strays, 1) + 1;
	if ((count & (count - 1)) == 0)
		plait__log_line(&port->context->settings.log,
				PLAIT_LOG_WARNING,
				"plugin %s: a notification came again, or after "
				"signal_notify had refused it (%llu in all), "
				"and is ignored; call the function once for "
				"each PLAIT_OK (P-S10)", port->backend->name,
				(unsigned long long)count);
	end_report(port);
}

static bool is_quiet(void *arg)
{
	plait__backend_port *port = arg;
	bool quiet;

	plait__mutex_lock(&table);
	quiet = port->upcalls.reporters == 0;
	plait__mutex_unlock(&table);
	return quiet;
}

/* --- for the rest of the layer */

/* What it says, if that is a status; nobody is told anything else. */
static plait_status judge(const plait__backend_port *port, plait_status said)
{
	if (said <= PLAIT_OK && said >= PLAIT_E_INTERNAL)
		return said;
	plait__log_line(&port->context->settings.log, PLAIT_LOG_WARNING,
			"plugin %s: a notification came with status %d, which "
			"is none; it counts as PLAIT_E_INTERNAL",
			port->backend->name, (int)said);
	return PLAIT_E_INTERNAL;
}

/* Upcall. */
static void fire(void *user_data, plait_status status)
{
	uint64_t ticket = (uintptr_t)user_data;
	struct plait__notification_chunk *chunk = find_chunk(ticket);
	struct plait__notification_slot *slot;
	plait_notify_function function;
	void *arg;

	if (chunk == NULL)
		return;
	slot = take(chunk, ticket);
	if (slot == NULL) {
		report_stray(chunk, ticket);
		return;
	}
	function = slot->function;
	arg = slot->arg;
	/* The port is there until the function has been called. */
	status = judge(chunk->port, status);
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
	uint64_t ticket;

	if (slot == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a notification");
	slot->function = function;
	slot->arg = arg;
	ticket = arm(slot);
	status = backend->table.signal_notify(backend->self, point, fire,
					      (void *)(uintptr_t)ticket,
					      error);
	/* A backend that refuses and calls all the same has called. */
	if (status == PLAIT_OK || take(find_chunk(ticket), ticket) == NULL)
		return PLAIT_OK;
	push_free(port, slot);
	return status;
}

uint32_t plait__notification_count_owed(const plait__backend_port *port)
{
	const struct plait__notification_chunk *chunk;
	uint32_t owed = 0;

	plait__mutex_lock(&table);
	for (chunk = port->upcalls.chunks; chunk != NULL; chunk = chunk->next)
		for (uint32_t i = 0; i < CHUNK_SLOTS; i++)
			owed += (at_load_relaxed_u64(&chunk->slots[i].state) &
				 1) != 0;
	plait__mutex_unlock(&table);
	return owed;
}

uint64_t plait__notification_count_strays(const plait__backend_port *port)
{
	return at_load_relaxed_u64(&port->upcalls.strays);
}

void plait__notification_close(plait__backend_port *port)
{
	struct plait__notification_chunk *chunk;

	plait__mutex_lock(&table);
	while ((chunk = port->upcalls.chunks) != NULL) {
		port->upcalls.chunks = chunk->next;
		chunk->port = NULL;
		chunk->next = idle_chunks;
		idle_chunks = chunk;
	}
	plait__mutex_unlock(&table);
	(void)plait__eventcount_await(&reported, is_quiet, port,
				      PLAIT__CLOCK_NEVER, PLAIT__BACKOFF_SLEEP);
}
