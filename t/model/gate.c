/* SPDX-License-Identifier: MIT */
/*
 * A coroutine that suspends itself for a gate, under every interleaving with the
 * release of the gate's last handle, as when the program closes its context: the
 * coroutine is refused, or resumed; and the gate is destroyed once, after it.
 * gate.c, object.c and handle_table.c as they are; the coroutine enters, holds
 * and leaves the gate as await.c does.
 */
#include "lib/tap.h"

#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "object/context/backend_result.h"
#include "object/signal/signal.h"

/* The table is one for the process: each execution begins with an empty one. */
#include "object/handle/handle_table.c"

static _Alignas(64) char table[(CHUNK_SLOTS + 2) * sizeof(plait__handle_slot)];
static plait__context context;
static plait__signal gate;
static plait__backend backend;
static plait__backend_port port;
static struct plait__mutex counter_lock;
static bool cancelled;		/* the gate's counter; guarded by its lock */
static at_u32 resumed;		/* the coroutine */
static uint32_t suspended;	/* set by the coroutine */
static at_u32 destroyed;	/* the gate */

/* --- memory, names and contexts */

const plait_allocator *plait__alloc_default(void)
{
	return NULL;
}

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	if (slot_count != 0 || bytes > sizeof(table))
		return NULL;
	memset(table, 0, sizeof(table));
	return table;
}

void plait__text_copy(const char *text, char *buffer, uint64_t bytes,
		      uint64_t *out_needed)
{
	(void)text;
	(void)buffer;
	(void)bytes;
	(void)out_needed;
}

void plait__races_raise(plait__races *races, plait__race_signal **race,
			uint64_t sequence)
{
	(void)races;
	(void)race;
	(void)sequence;
}

void plait__context_notify_waiters(plait__context *of)
{
	MC_CHECK(of == &context);
}

plait_status plait__backend_result_check(const plait__backend_port *of,
					 plait_status status, const char *slot,
					 plait_error *room,
					 plait_error *error)
{
	(void)of;
	(void)slot;
	(void)room;
	(void)error;
	return status;
}

static void ignore(plait__context *of)
{
	MC_CHECK(of == &context);
}

static void drop_later(plait__context *of, plait__object *object)
{
	(void)of;
	plait__object_drop(object);
}

static const plait__context_ops ops = {
	.last_handle_closed = ignore, .object_lingers = ignore,
	.reclaim_if_due = ignore, .defer_drop = drop_later,
};

/* --- the backend's counter */

static plait_status fail_counter(plait_backend *self,
				 const plait_backend_point *point,
				 const plait_error *failure,
				 plait_error *error)
{
	(void)self;
	(void)point;
	(void)error;
	MC_CHECK(failure != NULL);
	plait__mutex_lock(&counter_lock);
	cancelled = true;
	plait__mutex_unlock(&counter_lock);
	at_store_release_u32(&resumed, 1);
	at_futex_wake_all(&resumed);
	return PLAIT_OK;
}

static void suspend(void)
{
	bool parked;

	plait__mutex_lock(&counter_lock);
	parked = !cancelled;
	plait__mutex_unlock(&counter_lock);
	while (parked && at_load_acquire_u32(&resumed) == 0)
		at_futex_wait(&resumed, 0, UINT64_MAX);
}

/* --- threads */

static void destroy_gate(plait__object *object)
{
	MC_CHECK(object == &gate.object);
	at_add_u32(&destroyed, 1);
}

static const plait__class gate_class = {
	.type = PLAIT_OBJECT_SIGNAL, .abandon = plait__gate_abandon,
	.destroy = destroy_gate,
};

static const plait__class context_class = { .type = PLAIT_OBJECT_ANY };

static uint64_t handle;

static void await_gate(void)
{
	plait__signal *self;

	if (plait__signal_enter((plait_signal *)(uintptr_t)handle, &self,
				NULL) != PLAIT_OK)
		return;
	plait__object_hold(&self->object);
	plait__object_leave(&self->object);
	suspend();
	MC_CHECK(at_load_acquire_u32(&destroyed) == 0);
	AT_PLAIN_WRITE(suspended) = 1;
	plait__object_drop(&self->object);
}

static void run(uint32_t self)
{
	if (self == 0)
		await_gate();
	else
		plait__object_release((void *)(uintptr_t)handle,
				      PLAIT_OBJECT_SIGNAL);
}

/* Another call is inside the gate meanwhile. */
static void run_beside(uint32_t self)
{
	plait__signal *entered;

	if (self != 2) {
		run(self);
		return;
	}
	if (plait__signal_enter((plait_signal *)(uintptr_t)handle, &entered,
				NULL) == PLAIT_OK)
		plait__object_leave(&entered->object);
}

static void begin(void)
{
	memset(chunks, 0, sizeof(chunks));
	memset(&lock, 0, sizeof(lock));
	slot_count = 0;
	free_first = NULL;
	free_last = NULL;
	memset(&context, 0, sizeof(context));
	memset(&gate, 0, sizeof(gate));
	memset(&backend, 0, sizeof(backend));
	memset(&port, 0, sizeof(port));
	memset(&counter_lock, 0, sizeof(counter_lock));
	cancelled = false;
	at_init_u32(&resumed, 0);
	at_init_u32(&destroyed, 0);
	AT_PLAIN_WRITE(suspended) = 0;
	context.base.ops = &ops;
	context.base.object.context = &context;
	context.base.object.class = &context_class;
	at_init_u64(&context.base.object.holds, 1);
	backend.table.signal_raise = fail_counter;
	port.backend = &backend;
	gate.port = &port;
	gate.is_gate = true;
	MC_CHECK(plait__object_init(&gate.object, &gate_class, &context,
				    NULL) == PLAIT_OK);
	handle = plait__handle_get(gate.object.slot);
}

static void end(void)
{
	MC_CHECK(at_load_acquire_u32(&destroyed) == 1);
	MC_CHECK(at_load_relaxed_u64(&context.base.object.holds) == 1);
	MC_CHECK(!AT_PLAIN_READ(suspended) || gate.failed);
}

static const struct mc_scenario close_2 = {
	"a coroutine and the release", begin, run, end, 2, 5, 2, 0, 5000
};
static const struct mc_scenario close_3 = {
	"beside another call", begin, run_beside, end, 3, 3, 1, 0, 5000
};
static const struct mc_scenario *const scenarios[] = { &close_2, &close_3 };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static const struct tap_scenario all[] = {
	{ "close", explore },
};

TAP_MAIN(all)
