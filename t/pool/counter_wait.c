/* SPDX-License-Identifier: MIT */
/* Waits for counters: any, all, timeouts, failure, many at once. */
#include "lib/pool.h"

#include "pool/task.h"

static uint32_t turns; /* of a task, on this thread */

static void counting(void)
{
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__counter *other = new_counter(pool, 0);
	plait_backend_point p = point(gate, 3);
	plait_backend_point q = point(other, 1);
	uint64_t reached = 99;

	IS_INT(plait__counter_poll(&p, &reached, NULL), PLAIT_PENDING);
	IS_INT(reached, 0);
	IS_INT(raise_gate(gate, 2), PLAIT_OK);
	IS_INT(raise_gate(gate, 1), PLAIT_E_INVALID);
	IS_INT(raise_gate(gate, 2), PLAIT_OK);
	IS_INT(plait__counter_poll(&p, &reached, NULL), PLAIT_PENDING);
	IS_INT(reached, 2);
	IS_INT(raise_gate(gate, UINT64_MAX), PLAIT_OK);
	IS_INT(plait__counter_poll(&p, &reached, NULL), PLAIT_OK);
	IS_UINT(reached, UINT64_MAX);
	p.sequence = UINT64_MAX;
	IS_INT(plait__counter_poll(&p, NULL, NULL), PLAIT_OK);
	IS_INT(plait__counter_raise(&q, NULL, NULL), PLAIT_E_STATE);
	plait__counter_destroy(gate);
	plait__counter_destroy(other);
	plait__pool_destroy(pool);
}

static void any_and_all(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *a = new_gate(pool);
	plait__counter *b = new_gate(pool);
	plait_backend_point p[4] = { point(a, 1), point(b, 1), point(a, 1),
				     point(b, 1) };
	plait_error error = { .size = sizeof(error) };

	IS_INT(plait__counter_wait(pool, NULL, 0, 0, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	IS_INT(plait__counter_wait(pool, NULL, 0, 1, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	IS_INT(plait__counter_wait(pool, p, 4, 1, 0, &error),
	       PLAIT_E_TIMEOUT);
	HAS_STR(error.text, "4 of 4 points");
	raise_gate(b, 1);
	IS_INT(plait__counter_wait(pool, p, 4, 1, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	IS_INT(plait__counter_wait(pool, p, 4, 0, 1000000, &error),
	       PLAIT_E_TIMEOUT);
	HAS_STR(error.text, "2 of 4 points");
	raise_gate(a, 1);
	IS_INT(plait__counter_wait(pool, p, 4, 0, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	plait__counter_destroy(a);
	plait__counter_destroy(b);
	plait__pool_destroy(pool);
}

static void timeouts_are_never_early(void)
{
	static const uint64_t times_ns[] = { 0, 1, 1000, 100000, 3000000,
					     20000000 };
	uint32_t workers;
	size_t i;

	for (workers = 0; workers < 2; workers++) {
		plait__pool *pool = new_pool(workers);
		plait__counter *gate = new_gate(pool);
		plait_backend_point p = point(gate, 1);

		for (i = 0; i < TAP_COUNT(times_ns); i++) {
			uint64_t start = plait__clock_now_ns();

			IS_INT(plait__counter_wait(pool, &p, 1, 0, times_ns[i],
						   NULL), PLAIT_E_TIMEOUT);
			OK(plait__clock_now_ns() - start >= times_ns[i]);
		}
		plait__counter_destroy(gate);
		plait__pool_destroy(pool);
	}
}

/* --- many at once -------------------------------------------------------- */

enum { THREADS = 6, GATES = 40 };

struct crowd {
	plait__pool *pool;
	plait__counter *gates[GATES];
	at_u32 ready;
	at_u32 right;
};

struct member {
	struct plait__thread thread;
	struct crowd *crowd;
	uint32_t index;
};

/* All of many points, any of a few, and one alone: each is woken. */
static void wait_often(void *arg)
{
	struct member *member = arg;
	struct crowd *crowd = member->crowd;
	plait_backend_point p[GATES];
	plait_status status;
	uint32_t round;
	uint32_t i;

	at_add_u32(&crowd->ready, 1);
	for (round = 1; round <= 20; round++) {
		for (i = 0; i < GATES; i++)
			p[i] = point(crowd->gates[i], round);
		status = plait__counter_wait(crowd->pool, p,
					     member->index % 3 == 0 ? GATES :
					     member->index % 3 == 1 ? 5 : 1,
					     member->index % 3 == 1,
					     PLAIT_FOREVER, NULL);
		if (status == PLAIT_OK)
			at_add_u32(&crowd->right, 1);
	}
}

static void all_waiters_are_woken_by(uint32_t workers)
{
	static struct member members[THREADS];
	struct crowd crowd = { .pool = new_pool(workers) };
	uint32_t i;
	uint32_t round;

	for (i = 0; i < GATES; i++)
		crowd.gates[i] = new_gate(crowd.pool);
	for (i = 0; i < THREADS; i++) {
		members[i].crowd = &crowd;
		members[i].index = i;
		plait__thread_start(&members[i].thread, "member", wait_often,
				    &members[i], NULL);
	}
	OK(becomes(&crowd.ready, THREADS));
	for (round = 1; round <= 20; round++) {
		for (i = 0; i < GATES; i++) {
			raise_gate(crowd.gates[i], round);
			if ((i + round) % 7 == 0)
				plait__thread_yield();
		}
	}
	for (i = 0; i < THREADS; i++)
		plait__thread_join(&members[i].thread);
	IS_INT(at_load_relaxed_u32(&crowd.right), THREADS * 20);
	for (i = 0; i < GATES; i++)
		plait__counter_destroy(crowd.gates[i]);
	plait__pool_destroy(crowd.pool);
}

static void all_waiters_are_woken(void)
{
	all_waiters_are_woken_by(2);
	all_waiters_are_woken_by(0);
}

struct lonely {
	plait__pool *pool;
	plait_backend_point points[3];
	at_u32 status; /* of the wait, plus 100 */
};

static void wait_for_any(void *arg)
{
	struct lonely *lonely = arg;

	at_store_release_u32(&lonely->status, (uint32_t)(100 +
		plait__counter_wait(lonely->pool, lonely->points, 3, 1,
				    TAP_PATIENCE_NS, NULL)));
}

/* The raise of one point wakes a thread that waits for any of several. */
static void any_wakes_a_sleeper(void)
{
	struct lonely lonely = { .pool = new_pool(1) };
	struct plait__thread thread;
	plait_backend_point never;
	uint32_t i;

	for (i = 0; i < 3; i++)
		lonely.points[i] = point(new_gate(lonely.pool), 1);
	never = lonely.points[0];
	plait__thread_start(&thread, "any", wait_for_any, &lonely, NULL);
	/* Long enough for it to sleep; if it does not, this proves less. */
	IS_INT(plait__counter_wait(lonely.pool, &never, 1, 0, 3000000, NULL),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait__counter_raise(&lonely.points[1], NULL, NULL), PLAIT_OK);
	OK(becomes(&lonely.status, 100));
	plait__thread_join(&thread);
	for (i = 0; i < 3; i++)
		plait__counter_destroy(
			(plait__counter *)lonely.points[i].signal);
	plait__pool_destroy(lonely.pool);
}

/* --- one sleeper, one step at a time ------------------------------------- */

static void echo(void *arg)
{
	struct crowd *crowd = arg;
	uint64_t n;

	for (n = 1; n <= 300; n++) {
		wait_point(crowd->pool, crowd->gates[0], n, NULL);
		raise_gate(crowd->gates[1], n);
	}
}

static void no_wake_is_lost(void)
{
	struct crowd crowd = { .pool = new_pool(1) };
	struct plait__thread thread;
	uint64_t n;
	uint32_t lost = 0;

	crowd.gates[0] = new_gate(crowd.pool);
	crowd.gates[1] = new_gate(crowd.pool);
	plait__thread_start(&thread, "echo", echo, &crowd, NULL);
	for (n = 1; n <= 300; n++) {
		/* While it spins, while it yields, and while it sleeps. */
		if (n % 3 == 0) {
			plait_backend_point never = point(crowd.gates[1], n);
			plait__counter_wait(crowd.pool, &never, 1, 0,
					    (n % 9) * 20000, NULL);
		}
		raise_gate(crowd.gates[0], n);
		lost += wait_point(crowd.pool, crowd.gates[1], n, NULL) !=
			PLAIT_OK;
	}
	IS_INT(lost, 0);
	plait__thread_join(&thread);
	plait__counter_destroy(crowd.gates[0]);
	plait__counter_destroy(crowd.gates[1]);
	plait__pool_destroy(crowd.pool);
}

/* --- notifications ------------------------------------------------------- */

struct told {
	at_u32 times;
	plait_status status;
};

static void tell(void *user_data, plait_status status)
{
	struct told *told = user_data;

	told->status = status;
	at_add_u32(&told->times, 1);
}

static void notifications(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *gate = new_gate(pool);
	struct told told[4] = { 0 };
	plait_backend_point p;
	plait_error why = { .size = sizeof(why), .status = PLAIT_E_FAILED,
			    .text = "broke" };
	int i;

	for (i = 0; i < 4; i++) {
		p = point(gate, (uint64_t)(4 - i));
		IS_INT(plait__counter_notify(&p, tell, &told[3 - i], NULL),
		       PLAIT_OK);
	}
	raise_gate(gate, 2);
	IS_INT(at_load_relaxed_u32(&told[0].times), 1);
	IS_INT(at_load_relaxed_u32(&told[1].times), 1);
	IS_INT(at_load_relaxed_u32(&told[2].times), 0);
	p = point(gate, 3);
	IS_INT(plait__counter_raise(&p, &why, NULL), PLAIT_OK);
	for (i = 0; i < 4; i++)
		IS_INT(at_load_relaxed_u32(&told[i].times), 1);
	IS_INT(told[1].status, PLAIT_OK);
	IS_INT(told[2].status, PLAIT_E_FAILED);
	IS_INT(told[3].status, PLAIT_E_FAILED);
	/* A point that has happened: at once. */
	p = point(gate, 2);
	IS_INT(plait__counter_notify(&p, tell, &told[0], NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&told[0].times), 2);
	IS_INT(told[0].status, PLAIT_OK);
	plait__counter_destroy(gate);
	plait__pool_destroy(pool);
}

static bool count_turn(plait__task *task)
{
	(void)task;
	turns++;
	plait__task_set_idle(task);
	return false;
}

/* An external thread with a lane that gives way to a task ends its turn before
 * it runs the task; then the task is as if it had never been claimed. */
static void a_task_is_claimed_and_not_run(void)
{
	plait__pool *pool = new_pool(0);
	plait__lane *lane = new_lane(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__task task = { .run = count_turn };
	at_u32 count = { 0 };

	plait__task_init(&task, pool);
	for (uint64_t i = 1; i <= 1000; i++)
		send_call(lane, NULL, 0, count_up, &count, done, i);
	plait__task_offer(&task);
	turns = 0;
	IS_INT(plait__external_thread_pump(pool, NULL), PLAIT_OK);
	OK(at_load_relaxed_u32(&count) < 1000);
	IS_UINT(turns, 0);
	IS_UINT(at_load_relaxed_u32(&task.ready.pins), 0);
	/* On the list it still is. */
	while (plait__external_thread_pump(pool, NULL) == PLAIT_OK)
		continue;
	IS_UINT(turns, 1);
	IS_UINT(at_load_relaxed_u32(&count), 1000);
	/* plait__task_forget would wait for the thread that has claimed the
	 * task. */
	if (at_load_relaxed_u32(&task.ready.pins) == 0)
		plait__task_forget(&task);
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static const struct tap_scenario all[] = {
	{ "a task is claimed and not run", a_task_is_claimed_and_not_run },
	{ "counting", counting },
	{ "any and all", any_and_all },
	{ "timeouts are never early", timeouts_are_never_early },
	{ "all waiters are woken", all_waiters_are_woken },
	{ "any wakes a sleeper", any_wakes_a_sleeper },
	{ "no wake is lost", no_wake_is_lost },
	{ "notifications", notifications },
};

TAP_MAIN(all)
