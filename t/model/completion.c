/* SPDX-License-Identifier: MIT */
/*
 * A suspended lane under every interleaving with the event that it awaits, a
 * stop of its run and its deadline: one thread at a time runs the lane, it ends
 * with the outcome of one of them, no wake-up is lost, and the completion is
 * freed once.  completion.c and cancel_external.c as they are; the lane polls as
 * coroutine_command.c does.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/external/cancel_external.h"
#include "run/external/completion.h"
#include "run/run.h"

#include "base/alloc.h"
#include "pool/counter.h"

#include <string.h>

enum { EVENT, STOP, DEADLINE };

static plait__context context;
static plait__program program;
static plait__instance instance;
static plait__external external;
static plait__object needs;
static plait__await await;	/* of the lane */
static struct plait__mutex lane_lock, source_lock;
static at_u32 blocks;		/* of memory */
static uint32_t offers_seen;	/* by the lane */
static at_u32 offers;		/* how often the lane was resumed */
static at_u32 happened;		/* the event */
static at_u32 late;		/* the deadline has passed */
static at_u32 ended;		/* the lane */
static uint32_t payload;	/* written before the event */
static uint32_t outcome;	/* of the lane */
/* Guarded by source_lock. */
static bool fired;
static plait__listener *armed_listener;
static plait__timer *armed_timer;

/* --- memory and objects */

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	at_add_u32(&blocks, 1);
	return mc_alloc(bytes);
}

void plait__free(const plait_allocator *allocator, void *block, uint64_t bytes)
{
	(void)allocator;
	(void)bytes;
	at_sub_u32(&blocks, 1);
	mc_free(block);
}

/* The label is a mark that races show in. */
plait_status plait__object_init(plait__object *object,
				const plait__class *class, plait__context *of,
				plait_error *error)
{
	(void)error;
	object->class = class;
	object->context = of;
	AT_PLAIN_WRITE(object->label[0]) = 'x';
	at_store_relaxed_u64(&object->holds, 1);
	return PLAIT_OK;
}

void plait__object_hold(plait__object *object)
{
	at_add_u64(&object->holds, 1);
}

void plait__object_drop(plait__object *object)
{
	if (at_sub_u64(&object->holds, 1) == 1)
		object->class->destroy(object);
}

void plait__object_drop_deferred(plait__object *object)
{
	plait__object_drop(object);
}

plait_status plait__counter_reserve_callbacks(plait__pool *pool, uint32_t count,
					      plait_error *error)
{
	(void)pool;
	(void)count;
	(void)error;
	return PLAIT_OK;
}

void plait__counter_unreserve_callbacks(plait__pool *pool, uint32_t count)
{
	(void)pool;
	(void)count;
}

void plait__context_notify_waiters(plait__context *of)
{
	MC_CHECK(of == &context);
}

/* --- sources: of the event and of time */

static plait_status subscribe(plait__await *self, plait__listener *listener,
			      plait_error *error)
{
	bool at_once;

	(void)error;
	MC_CHECK(self == external.await);
	plait__mutex_lock(&source_lock);
	at_once = fired;
	if (!at_once)
		armed_listener = listener;
	plait__mutex_unlock(&source_lock);
	if (at_once)
		listener->notify(listener, PLAIT_OK);
	return PLAIT_OK;
}

static bool withdraw_source(plait__await *self, plait__listener *listener)
{
	bool withdrawn;

	MC_CHECK(self == external.await);
	plait__mutex_lock(&source_lock);
	withdrawn = armed_listener == listener;
	if (withdrawn)
		armed_listener = NULL;
	plait__mutex_unlock(&source_lock);
	return withdrawn;
}

static plait__await_class source = { .subscribe = subscribe };

plait_status plait__timer_arm(plait__timers *timers, plait__timer *timer,
			      plait_error *error)
{
	(void)error;
	MC_CHECK(timers == &context.timers);
	plait__mutex_lock(&source_lock);
	armed_timer = timer;
	plait__mutex_unlock(&source_lock);
	return PLAIT_OK;
}

bool plait__timer_disarm(plait__timers *timers, plait__timer *timer)
{
	bool armed;

	MC_CHECK(timers == &context.timers);
	plait__mutex_lock(&source_lock);
	armed = armed_timer == timer;
	armed_timer = NULL;
	plait__mutex_unlock(&source_lock);
	return armed;
}

void plait__call_retract(plait__call *call)
{
	(void)call;
	mc_fail("no owner has a call");
}

/* --- the lane */

/* By the claimer: the lane is no other thread's. */
static void offer(plait__external *self)
{
	MC_CHECK(self == &external);
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

static void await_offer(void)
{
	while (at_load_acquire_u32(&offers) == offers_seen)
		at_futex_wait(&offers, offers_seen, UINT64_MAX);
	offers_seen++;
	/* Once for each time that the lane was parked. */
	MC_CHECK(at_load_acquire_u32(&offers) == offers_seen);
}

static void end_lane(uint32_t how)
{
	plait__completion_disarm(&external);
	plait__completion_give_up(&external);
	if (external.subscribed)
		plait__completion_detach(&external);
	AT_PLAIN_WRITE(outcome) = how;
	at_store_release_u32(&ended, 1);
}

/* Returns true if the lane has ended. */
static bool poll_lane(bool timed)
{
	plait__completion_resume(&external);
	if (at_load_relaxed_u32(&instance.stop) != 0)
		end_lane(STOP);
	else if (at_load_acquire_u32(&happened) != 0)
		end_lane(EVENT);
	else if (timed && at_load_acquire_u32(&late) != 0)
		end_lane(DEADLINE);
	else
		return false;
	return true;
}

static void run_lane(bool timed)
{
	while (!poll_lane(timed)) {
		if (timed)
			MC_CHECK(plait__completion_arm(&external, 1, NULL) ==
				 PLAIT_OK);
		if (plait__completion_park(&external, true, NULL) ==
		    PLAIT_PENDING)
			await_offer();
	}
	MC_CHECK(AT_PLAIN_READ(outcome) != EVENT ||
		 AT_PLAIN_READ(payload) == 1);
}

/* --- the other threads */

static void fire_event(void)
{
	plait__listener *listener;

	AT_PLAIN_WRITE(payload) = 1;
	at_store_release_u32(&happened, 1);
	plait__mutex_lock(&source_lock);
	fired = true;
	listener = armed_listener;
	armed_listener = NULL;
	plait__mutex_unlock(&source_lock);
	if (listener != NULL)
		listener->notify(listener, PLAIT_OK);
}

static void fire_stop(void)
{
	at_store_release_u32(&instance.stop, 1);
	plait__cancel_external(&external);
}

/* The timer thread: a timer that is armed late expires at once. */
static void fire_deadline(void)
{
	plait__timer *timer = NULL;

	at_store_release_u32(&late, 1);
	while (timer == NULL && at_load_acquire_u32(&ended) == 0) {
		plait__mutex_lock(&source_lock);
		timer = armed_timer;
		armed_timer = NULL;
		plait__mutex_unlock(&source_lock);
		if (timer == NULL)
			at_spin_pause();
	}
	if (timer != NULL)
		timer->expired(timer);
}

/* --- scenarios: thread 0 is the lane's */

static void run_event(uint32_t self)
{
	if (self == 0)
		run_lane(false);
	else
		fire_event();
}

static void run_stop(uint32_t self)
{
	if (self == 0)
		run_lane(false);
	else
		fire_stop();
}

static void run_stop_race(uint32_t self)
{
	if (self == 0)
		run_lane(false);
	else if (self == 1)
		fire_event();
	else
		fire_stop();
}

static void run_deadline(uint32_t self)
{
	if (self == 0)
		run_lane(true);
	else
		fire_deadline();
}

static void run_race(uint32_t self)
{
	if (self == 0)
		run_lane(true);
	else if (self == 1)
		fire_event();
	else
		fire_deadline();
}

static void begin(void)
{
	source.withdraw = NULL;
	memset(&context, 0, sizeof(context));
	memset(&program, 0, sizeof(program));
	memset(&instance, 0, sizeof(instance));
	memset(&external, 0, sizeof(external));
	memset(&needs, 0, sizeof(needs));
	memset(&lane_lock, 0, sizeof(lane_lock));
	memset(&source_lock, 0, sizeof(source_lock));
	program.context = &context;
	instance.program = &program;
	at_init_u32(&instance.stop, 0);
	at_init_u64(&needs.holds, 1);
	external.instance = &instance;
	external.lock = &lane_lock;
	external.offer = offer;
	await.class = &source;
	await.object = &needs;
	external.await = &await;
	offers_seen = 0;
	fired = false;
	armed_listener = NULL;
	armed_timer = NULL;
	AT_PLAIN_WRITE(payload) = 0;
	AT_PLAIN_WRITE(outcome) = 99;
	at_init_u32(&blocks, 0);
	at_init_u32(&offers, 0);
	at_init_u32(&happened, 0);
	at_init_u32(&late, 0);
	at_init_u32(&ended, 0);
	MC_CHECK(plait__completion_make(&external, NULL) == PLAIT_OK);
}

/* A source that takes its listener back, as runs do. */
static void begin_withdrawable(void)
{
	begin();
	source.withdraw = withdraw_source;
}

/* A subscription whose event has not come keeps the completion until then. */
static void end(void)
{
	plait__listener *listener = armed_listener;

	MC_CHECK(AT_PLAIN_READ(outcome) <= DEADLINE);
	MC_CHECK(armed_timer == NULL);
	if (external.completion != NULL)
		plait__completion_detach(&external);
	if (listener != NULL)
		listener->notify(listener, PLAIT_OK);
	MC_CHECK(at_load_acquire_u32(&blocks) == 0);
	MC_CHECK(at_load_relaxed_u64(&needs.holds) == 1);
}

#define SUSPENDED(id, text, begin, run, threads, pre)                       \
	static const struct mc_scenario id = { text, begin, run, end,       \
					       threads, pre, 1, 0, 3000 }

SUSPENDED(event, "an event resumes the lane", begin, run_event, 2, 4);
SUSPENDED(stop, "a stop resumes the lane", begin, run_stop, 2, 4);
SUSPENDED(stop_race, "an event and a stop", begin, run_stop_race, 3, 2);
SUSPENDED(deadline, "a deadline resumes the lane", begin, run_deadline, 2, 4);
SUSPENDED(race, "an event and a deadline", begin, run_race, 3, 2);
SUSPENDED(withdrawn, "an event and a stop, which withdraws",
	  begin_withdrawable, run_stop_race, 3, 2);

static const struct mc_scenario *const scenarios[] = {
	&event, &stop, &stop_race, &deadline, &race, &withdrawn,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static const struct tap_scenario all[] = {
	{ "suspended", explore },
};

TAP_MAIN(all)
