/* SPDX-License-Identifier: MIT */
/*
 * Threads of the user's that wait for counters or pump: what they need to
 * sleep, and how they run lanes when there are no workers.
 */
#include "pool/state.h"

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
	plait__lane *lane = guest->lane;

	guest->lane = NULL;
	if (lane != NULL) {
		plait__ready_push(&pool->ready, &lane->item);
		plait__ready_finish(&pool->ready);
	}
	plait__mutex_lock(&pool->guest_lock);
	guest->next = pool->guests;
	pool->guests = guest;
	plait__mutex_unlock(&pool->guest_lock);
}

/* The thread ends inside a host function. */
static void lose_guest(void *arg)
{
	struct plait__guest *guest = arg;
	plait__lane *lane = guest->lane;

	guest->lane = NULL;
	plait__lane_lose(lane);
	plait__ready_finish(&guest->pool->ready);
	plait__guest_leave(guest);
}

bool plait__guest_run(struct plait__guest *guest)
{
	struct plait__ready *ready = &guest->pool->ready;
	struct plait__ready_item *item;
	struct plait__inside inside;
	bool guarded;

	if (guest->lane == NULL) {
		item = plait__ready_take(ready);
		if (item == NULL)
			return false;
		guest->lane = plait__lane_of(item);
	}
	guarded = plait__thread_guard_push(&guest->guard, lose_guest,
					   guest) == 0;
	plait__inside_enter(&inside, guest->pool);
	guest->lane = plait__lane_run(guest->lane);
	plait__inside_leave(&inside);
	if (guarded)
		plait__thread_guard_pop(&guest->guard);
	if (guest->lane == NULL)
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

void plait__guest_free_all(plait__pool *pool)
{
	struct plait__guest *guest;

	while ((guest = pop_guest(pool)) != NULL) {
		if (guest != &pool->first_guest)
			plait__free(&pool->allocator, guest, sizeof(*guest));
	}
}
