/* SPDX-License-Identifier: MIT */
/* Failures of lanes and counters: waits that end, recovery, and threads that a
 * task ends. */
#include "lib/pool.h"

#include "pool/callback_scope.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static plait_status ask(plait__counter *counter, uint64_t n,
			plait_error *error)
{
	plait_backend_point wanted = point(counter, n);

	return plait__counter_poll(&wanted, NULL, error);
}

static void failure_spreads(void)
{
	plait__pool *pool = new_pool(2);
	plait__lane *lane = new_lane_of(pool, 0, "first");
	plait__lane *next = new_lane_of(pool, 0, "second");
	plait__lane *third = new_lane_of(pool, 0, "third");
	plait__counter *a = new_counter(pool, 0);
	plait__counter *b = new_counter(pool, 0);
	plait__counter *c = new_counter(pool, 0);
	plait__counter *never = new_gate(pool);
	plait_error error = { .size = sizeof(error) };
	at_u32 count = { 0 };
	plait_work work[3] = { call(count_up, &count), call(return_seven, NULL),
			       call(count_up, &count) };

	work[1].label = "seven";
	send_call(lane, NULL, 0, count_up, &count, a, 1);
	send(lane, NULL, 0, work, 3, a, 2, NULL);
	/* A failed lane waits for nothing any more. */
	send_call(lane, never, 1, count_up, &count, a, 3);
	send_call(next, a, 1, count_up, &count, b, 1);
	send_call(next, a, 2, count_up, &count, b, 2);
	send_call(third, b, 2, count_up, &count, c, 1);
	IS_INT(wait_point(pool, c, 1, &error), PLAIT_E_FAILED);
	IS_STR(error.text, "not run: command \"seven\" failed with 7 in queue \"first\"");
	IS_INT(error.origin, 7);
	IS_INT(wait_point(pool, a, 3, &error), PLAIT_E_FAILED);
	IS_STR(error.text, "command \"seven\" failed with 7 in queue \"first\"");
	IS_INT(at_load_relaxed_u32(&count), 3);
	/* Points before the failure stay good. */
	IS_INT(ask(a, 1, NULL), PLAIT_OK);
	IS_INT(ask(a, 2, NULL), PLAIT_E_FAILED);
	IS_INT(ask(b, 1, NULL), PLAIT_OK);
	IS_INT(ask(b, 2, NULL), PLAIT_E_FAILED);
	/* Lanes recover, counters remember. */
	IS_INT(plait__lane_recover(lane, NULL), PLAIT_OK);
	IS_INT(plait__lane_recover(lane, NULL), PLAIT_OK);
	send_call(lane, NULL, 0, count_up, &count, a, 4);
	IS_INT(wait_point(pool, a, 4, &error), PLAIT_E_FAILED);
	IS_INT(at_load_relaxed_u32(&count), 4);
	IS_INT(plait__counter_reset(a, NULL), PLAIT_OK);
	IS_INT(ask(a, 2, NULL), PLAIT_OK);
	send_call(lane, NULL, 0, count_up, &count, a, 5);
	IS_INT(wait_point(pool, a, 5, &error), PLAIT_OK);
	/* The second lane was not recovered. */
	send_call(next, NULL, 0, count_up, &count, b, 3);
	IS_INT(wait_point(pool, b, 3, &error), PLAIT_E_FAILED);
	IS_INT(at_load_relaxed_u32(&count), 5);
	plait__lane_destroy(lane);
	plait__lane_destroy(next);
	plait__lane_destroy(third);
	plait__counter_destroy(a);
	plait__counter_destroy(b);
	plait__counter_destroy(c);
	plait__counter_destroy(never);
	plait__pool_destroy(pool);
}

static void recover_with_pending(void)
{
	plait__pool *pool = new_pool(1);
	plait__lane *lane = new_lane_of(pool, 0, "busy");
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait_error error = { .size = sizeof(error) };

	send_call(lane, gate, 1, return_seven, NULL, done, 1);
	IS_INT(plait__lane_recover(lane, &error), PLAIT_E_BUSY);
	HAS_STR(error.text, "3 commands are pending");
	raise_gate(gate, 1);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_E_FAILED);
	IS_INT(plait__lane_recover(lane, &error), PLAIT_OK);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static void failed_gate(void)
{
	plait__pool *pool = new_pool(1);
	plait__lane *lane = new_lane(pool);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait_error why = { .size = sizeof(why), .status = PLAIT_E_FAILED,
			    .origin = 42, .text = "no bread" };
	plait_error error = { .size = sizeof(error) };
	plait_backend_point p = point(gate, 2);
	at_u32 count = { 0 };
	uint64_t reached = 0;

	raise_gate(gate, 1);
	/* A wait for a point far behind the failure ends too. */
	send_call(lane, gate, 9, count_up, &count, done, 1);
	IS_INT(plait__counter_raise(&p, &why, NULL), PLAIT_OK);
	IS_INT(wait_point(pool, done, 1, &error), PLAIT_E_FAILED);
	IS_STR(error.text, "not run: no bread");
	IS_INT(error.origin, 42);
	IS_INT(at_load_relaxed_u32(&count), 0);
	IS_INT(plait__counter_poll(&p, &reached, &error), PLAIT_E_FAILED);
	IS_STR(error.text, "no bread");
	IS_INT(reached, 2);
	IS_INT(ask(gate, 1, NULL), PLAIT_OK);
	IS_INT(wait_point(pool, gate, 1000, NULL), PLAIT_E_FAILED);
	p.sequence = 3;
	IS_INT(plait__counter_raise(&p, NULL, NULL), PLAIT_E_STATE);
	IS_INT(plait__counter_raise(&p, &why, NULL), PLAIT_E_STATE);
	IS_INT(plait__counter_reset(gate, NULL), PLAIT_OK);
	IS_INT(ask(gate, 3, NULL), PLAIT_PENDING);
	IS_INT(plait__counter_raise(&p, NULL, NULL), PLAIT_OK);
	IS_INT(ask(gate, 3, NULL), PLAIT_OK);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

/* The first failure of all points ends the wait though others are missing. */
static void a_failure_ends_a_wait(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *missing = new_gate(pool);
	plait__counter *gate = new_gate(pool);
	plait_backend_point p[2] = { point(missing, 1), point(gate, 1) };
	plait_error why = { .size = sizeof(why), .status = PLAIT_E_LOST,
			    .text = "gone" };

	IS_INT(plait__counter_raise(&p[1], &why, NULL), PLAIT_OK);
	IS_INT(plait__counter_wait(pool, p, 2, 0, PLAIT_FOREVER, NULL),
	       PLAIT_E_LOST);
	IS_INT(plait__counter_wait(pool, p, 2, 1, PLAIT_FOREVER, NULL),
	       PLAIT_E_LOST);
	plait__counter_destroy(missing);
	plait__counter_destroy(gate);
	plait__pool_destroy(pool);
}

/* --- lost threads */

static int32_t end_thread(void *arg)
{
	at_add_u32(arg, 1);
	pthread_exit(NULL);
	return 0;
}

/* The only worker is lost again and again. */
static void a_lost_worker_is_replaced(void)
{
	plait__pool *pool = new_pool(1);
	plait__lane *lane = new_lane_of(pool, 0, "q");
	plait__counter *done = new_counter(pool, 0);
	plait_error error = { .size = sizeof(error) };
	at_u32 count = { 0 };
	uint64_t n = 0;
	int i;

	for (i = 0; i < 5; i++) {
		plait_work work[2] = { call(end_thread, &count),
				       call(count_up, &count) };

		work[0].label = "leaver";
		send(lane, NULL, 0, work, 2, done, ++n, NULL);
		IS_INT(wait_point(pool, done, n, &error), PLAIT_E_FAILED);
		IS_STR(error.text,
		       "command \"leaver\" did not return but ended its "
		       "thread (pthread_exit) in queue \"q\"");
		IS_INT(plait__counter_reset(done, NULL), PLAIT_OK);
		IS_INT(plait__lane_recover(lane, NULL), PLAIT_OK);
		send_call(lane, NULL, 0, count_up, &count, done, ++n);
		IS_INT(wait_point(pool, done, n, &error), PLAIT_OK);
	}
	IS_INT(at_load_relaxed_u32(&count), 10);
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

struct external {
	plait__pool *pool;
	plait__counter *done;
	at_u32 returned;
};

static void wait_outside(void *arg)
{
	struct external *outer = arg;

	wait_point(outer->pool, outer->done, 1, NULL);
	at_store_release_u32(&outer->returned, 1);
}

/* A thread of the user that waits, and is ended by a task that it runs. */
static void a_lost_external_thread_leaves_the_rest(void)
{
	struct external outer = { .pool = new_pool(0) };
	plait__lane *lane = new_lane(outer.pool);
	struct plait__thread thread;
	plait_error error = { .size = sizeof(error) };
	at_u32 count = { 0 };

	outer.done = new_counter(outer.pool, 0);
	send_call(lane, NULL, 0, end_thread, &count, outer.done, 1);
	plait__thread_start(&thread, "external", wait_outside, &outer, NULL);
	OK(becomes(&count, 1));
	plait__thread_join(&thread);
	IS_INT(at_load_relaxed_u32(&outer.returned), 0);
	IS_INT(wait_point(outer.pool, outer.done, 1, &error), PLAIT_E_FAILED);
	HAS_STR(error.text, "pthread_exit");
	IS_INT(plait__external_thread_pump(outer.pool, NULL), PLAIT_PENDING);
	plait__lane_destroy(lane);
	plait__counter_destroy(outer.done);
	plait__pool_destroy(outer.pool);
}

static int32_t look_inside(void *arg)
{
	plait__pool *pool = *(plait__pool **)arg;
	sigset_t mask;
	char name[16] = "";

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	return plait__callback_scope_pool == pool &&
			       (plait__pool_worker_count(pool) == 0 ||
				(sigismember(&mask, SIGUSR1) == 1 &&
				 sigismember(&mask, SIGSEGV) == 0 &&
				 strncmp(name, "plait/", 6) == 0)) ?
		       0 : 1;
}

static void threads_know_where_they_are(void)
{
	uint32_t workers;

	for (workers = 0; workers < 2; workers++) {
		plait__pool *pool = new_pool(workers);
		plait__lane *lane = new_lane(pool);
		plait__counter *done = new_counter(pool, 0);

		OK(!plait__callback_scope_is_active());
		OK(plait__callback_scope_pool != pool);
		send_call(lane, NULL, 0, look_inside, &pool, done, 1);
		IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
		OK(!plait__callback_scope_is_active());
		plait__lane_destroy(lane);
		plait__counter_destroy(done);
		plait__pool_destroy(pool);
	}
}

static int32_t round_up(void *arg)
{
	(void)arg;
	return fesetround(FE_UPWARD);
}

static int32_t check_rounding(void *arg)
{
	(void)arg;
	return fegetround() == FE_TONEAREST ? 0 : 1;
}

/* A host function that changes the rounding does so for itself alone. */
static void rounding_is_clean(void)
{
	uint32_t workers;

	for (workers = 0; workers < 2; workers++) {
		plait__pool *pool;
		plait__lane *lane;
		plait__counter *done;
		plait_work work[3] = { call(check_rounding, NULL),
				       call(round_up, NULL),
				       call(check_rounding, NULL) };

		/* The user's own setting is neither seen nor lost. */
		fesetround(FE_DOWNWARD);
		pool = new_pool(workers);
		lane = new_lane(pool);
		done = new_counter(pool, 0);
		send(lane, NULL, 0, work, 3, done, 1, NULL);
		IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
		IS_INT(fegetround(), FE_DOWNWARD);
		fesetround(FE_TONEAREST);
		plait__lane_destroy(lane);
		plait__counter_destroy(done);
		plait__pool_destroy(pool);
	}
}

static const struct tap_scenario all[] = {
	{ "failure spreads", failure_spreads },
	{ "recover with pending", recover_with_pending },
	{ "failed gate", failed_gate },
	{ "a failure ends a wait", a_failure_ends_a_wait },
	{ "a lost worker is replaced", a_lost_worker_is_replaced },
	{ "a lost external thread leaves the rest",
	  a_lost_external_thread_leaves_the_rest },
	{ "threads know where they are", threads_know_where_they_are },
	{ "rounding is clean", rounding_is_clean },
};

TAP_MAIN(all)
