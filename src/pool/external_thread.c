/* SPDX-License-Identifier: MIT */
/*
 * Threads of the user's that wait for counters or pump: what they need to
 * sleep, and how they run lanes when there are no workers.
 */
#include "pool/pool_internal.h"

#include "base/error.h"

static struct plait__guest *pop_guest(plait__pool *pool)
{
	struct plait__guest *guest;

	plait__mutex_lock(&pool->guest_lock);
	guest = pool->guests;
	if (guest != NULL)
		pool->guests = guest->next;
	plait__mutex_unlock(&pool->guest_lock);
	return guest;
}

struct plait__guest *plait__guest_enter(plait__pool *pool)
{
	struct plait__guest *guest = pop_guest(pool);

	if (guest != NULL)
		return guest;
	guest = plait__alloc(&pool->allocator, sizeof(*guest));
	if (guest == NULL)
		return NULL;
	guest->pool = pool;
	plait__event_init(&guest->sleeper.event, 0);
	return guest;
}

void plait__guest_leave(struct plait__guest *guest)
{
	plait__pool *pool = guest->pool;
	struct plait__ready_item *item = guest->item;

	guest->item = NULL;
	if (item != NULL)
		plait__ready_return(&pool->ready, item);
	plait__mutex_lock(&pool->guest_lock);
	guest->next = pool->guests;
	pool->guests = guest;
	plait__mutex_unlock(&pool->guest_lock);
}

/* The thread ends inside a host function. */
static void lose_guest(void *arg)
{
	struct plait__guest *guest = arg;
	struct plait__ready_item *item = guest->item;

	guest->item = NULL;
	item->lose(item);
	plait__ready_finish(&guest->pool->ready);
	plait__guest_leave(guest);
}

bool plait__guest_run(struct plait__guest *guest)
{
	struct plait__ready *ready = &guest->pool->ready;
	struct plait__inside inside;
	bool guarded;

	if (guest->item == NULL)
		guest->item = plait__ready_take(ready);
	if (guest->item == NULL)
		return false;
	guarded = plait__thread_guard_push(&guest->guard, lose_guest,
					   guest) == 0;
	plait__inside_enter(&inside, guest->pool);
	guest->item = guest->item->run(guest->item);
	plait__inside_leave(&inside);
	if (guarded)
		plait__thread_guard_pop(&guest->guard);
	if (guest->item == NULL)
		plait__ready_finish(ready);
	return true;
}

plait_status plait__pool_pump(plait__pool *pool, plait_error *error)
{
	struct plait__guest *guest = plait__guest_enter(pool);
	bool done;

	if (guest == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "pump: no memory for %zu bytes",
				   sizeof(*guest));
	done = plait__guest_run(guest);
	plait__guest_leave(guest);
	if (done)
		return PLAIT_OK;
	if (plait__ready_idle(&pool->ready))
		return PLAIT_PENDING;
	plait__thread_yield(); /* another thread is at it */
	return PLAIT_OK;
}

bool plait__pool_has_work(const plait__pool *pool)
{
	return pool->worker_count == 0 && plait__ready_any(&pool->ready);
}

void plait__guest_free_all(plait__pool *pool)
{
	struct plait__guest *guest;

	while ((guest = pop_guest(pool)) != NULL) {
		if (guest != &pool->first_guest)
			plait__free(&pool->allocator, guest, sizeof(*guest));
	}
}
