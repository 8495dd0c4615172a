/* SPDX-License-Identifier: MIT */
/*
 * Lanes of a flow under every interleaving: each op runs once, behind its
 * predecessors; no worker sleeps while an op is ready; a waiting thread wakes;
 * entries of the ring are reused; failures reach true successors only.
 * flow_worker.c, flow_lanes.c, flow_lanes_words.c, held_ops.c and outcomes.c as they
 * are; the pool is a word.
 *
 * Thread 0 submits and waits; the others are the threads of the pool.
 */
#include "lib/tap.h"

#include "flow/lanes/flow_claim.h"
#include "flow/lanes/flow_worker.h"
#include "flow/lanes/held_ops.h"
#include "flow_pool.h"
#include "mc_tap.h"

#include <string.h>

enum { OPS = 5, LANES = 2, URGENT = 8, HELD = 9, MOST = 4 };

/* An op of a scenario; preds are numbers, with their truth. */
struct plan {
	uint32_t lane;
	uint64_t preds[2];
	uint64_t meta;	/* the bits of truth, and PREFIX */
	bool fails;
	bool outside;	/* thread 0 finishes it, after it has submitted all, or a
			 * worker to which its record arrives */
	bool reserved;	/* for thread 0, if it is ready */
};

static const struct plan *plan;
static uint32_t op_count, ring_size, lane_count = LANES;
static bool cancels, arrives;
static bool cancels_early;	/* before an op outside ends */
static bool helps_late;	/* thread 0 takes parked workers */
static bool calls_here;	/* thread 0 takes op 1 if it can */
static bool lists;	/* held ops are in lists */
static bool polls;	/* a thread that looks for ops finishes those outside */
static struct record {
	plait__flow_arrival arrival;
	uint64_t number;
	bool collected;
} records[OPS + 1];	/* of the ops outside */
static plait__flow_lanes lanes;
static struct plait__mutex lock; /* of the flow */
static plait__op ops[MOST];
static uint32_t runs[OPS + 1];	/* how often each op ran */
static at_u32 done;
static at_u32 stage;		/* of an entry that is reused */
static at_u32 sent;		/* the op outside that a poll finishes, or 0 */

/* --- ops */

/* Returns true if the op is not to be run. */
static bool is_spoiled(uint64_t number)
{
	const struct plan *op = &plan[number - 1];

	for (uint32_t i = 0; i < 2; i++)
		if (op->preds[i] != 0 &&
		    (op->meta >> PLAIT__OP_TRUE_SHIFT >> i & 1) != 0 &&
		    (plan[op->preds[i] - 1].fails || is_spoiled(op->preds[i])))
			return true;
	return false;
}

static void check_before(uint64_t number)
{
	const struct plan *op = &plan[number - 1];
	bool all = (op->meta & PLAIT__OP_PREFIX) != 0;

	for (uint64_t i = 1; i < number; i++)
		if ((all || op->preds[0] == i || op->preds[1] == i) &&
		    !is_spoiled(i) && !cancels)
			MC_CHECK(AT_PLAIN_READ(runs[i]) == 1);
}

/* Returns true if the thread that runs the op counts as one that seeks an item. */
static bool is_of_seeker(uint64_t number)
{
	for (uint32_t i = 0; i < lane_count; i++)
		if (lanes.workers[i].number == number && seeking[i].seeks)
			return true;
	return false;
}

static int32_t run_op(void *user_data)
{
	uint64_t number = (uintptr_t)user_data;

	check_before(number);
	MC_CHECK(!is_spoiled(number));
	MC_CHECK(!is_of_seeker(number));
	MC_CHECK(AT_PLAIN_READ(runs[number]) == 0);
	AT_PLAIN_WRITE(runs[number]) = 1;
	return plan[number - 1].fails ? 42 : 0;
}

/* Ops outside have arrived: a worker finishes them. */
static void collect(void *arg)
{
	plait__flow_arrival *at = plait__flow_lanes_take_arrivals(&lanes);

	(void)arg;
	while (at != NULL) {
		struct record *record = (struct record *)at;
		uint64_t number = AT_PLAIN_READ(record->number);

		MC_CHECK(!AT_PLAIN_READ(record->collected));
		AT_PLAIN_WRITE(record->collected) = true;
		at = AT_PLAIN_READ(at->next);
		MC_CHECK(AT_PLAIN_READ(runs[number]) == 1);
		plait__flow_lanes_finish(&lanes, number);
	}
}

static bool poll(void *arg)
{
	uint32_t number = at_exchange_u32(&sent, 0);

	(void)arg;
	if (number != 0)
		plait__flow_lanes_finish(&lanes, number);
	return number != 0;
}

static void end_poll(void *arg)
{
	plait__context_notify_waiters(arg);
}

/* --- thread 0 */

enum { CANCELLED = 1 << 30 };

static void await(uint64_t number)
{
	bool announced = false;

	for (;;) {
		uint32_t key = at_load_acquire_u32(&waiters);

		if (plait__flow_lanes_await(&lanes, number, &announced))
			return;
		if (polls && poll(NULL))
			plait__flow_lanes_stir(&lanes);
		else if (!plait__flow_lanes_help(&lanes, number) &&
			 !(helps_late && plait__flow_lanes_help_parked(
						 &lanes, 1, number)))
			(void)at_futex_wait(&waiters, key, UINT64_MAX);
	}
}

static void submit(uint64_t number)
{
	const struct plan *op = &plan[number - 1];
	plait__op *entry = plait__op_at(&lanes.ring, number);
	uint64_t count = (op->preds[0] != 0) + (op->preds[1] != 0);

	if (number > ring_size)
		await(number - ring_size);
	if (entry->cause != NULL)
		plait__outcomes_retire(&lanes.outcomes, entry);
	plait__op_set_pred(entry, 0, op->preds[0]);
	plait__op_set_pred(entry, 1, op->preds[1]);
	at_store_relaxed_u64(&entry->meta, op->meta | PLAIT__OP_CALL |
					   count << PLAIT__OP_COUNT_SHIFT);
	entry->call.host = run_op;
	AT_PLAIN_WRITE(entry->user_data) = (void *)(uintptr_t)number;
	if (op->outside)
		return;
	plait__mutex_lock(&lock);
	if (!op->reserved || !plait__flow_claim_is_ready(&lanes, number) ||
	    !plait__flow_lanes_reserve(&lanes, number))
		plait__flow_lanes_publish(
			&lanes, op->lane == URGENT ? lane_count :
				op->lane == HELD ? lane_count + 1 :
						   op->lane % lane_count,
			number);
	plait__mutex_unlock(&lock);
	if (calls_here && number == 1)
		(void)plait__flow_worker_call_here(&lanes, number);
}

static void cancel(void)
{
	MC_CHECK(plait__outcomes_cancel(&lanes.outcomes, CANCELLED));
	plait__flow_lanes_cancel(&lanes, op_count, CANCELLED);
}

static void submit_all(void)
{
	for (uint64_t i = 1; i <= op_count; i++)
		submit(i);
	if (cancels_early)
		cancel();
	for (uint64_t i = 1; i <= op_count; i++) {
		if (!plan[i - 1].outside)
			continue;
		AT_PLAIN_WRITE(runs[i]) = 1;
		AT_PLAIN_WRITE(records[i].number) = i;
		if (arrives) {
			plait__flow_lanes_arrive(&lanes, &records[i].arrival);
			continue;
		}
		if (polls) {
			at_store_release_u32(&sent, (uint32_t)i);
			continue;
		}
		plait__flow_lanes_finish(&lanes, i);
		plait__flow_lanes_stir(&lanes);
	}
	if (cancels && !cancels_early)
		cancel();
	for (uint64_t i = op_count; i > 0; i--)
		await(i);
	for (uint64_t i = 1; !cancels && i <= op_count; i++)
		MC_CHECK(AT_PLAIN_READ(runs[i]) == !is_spoiled(i));
	for (uint64_t i = 1; cancels && i <= op_count; i++)
		MC_CHECK(AT_PLAIN_READ(runs[i]) !=
			 plait__outcomes_has(&lanes.outcomes, i));
	/* Op 2 comes behind op 1, which is outside. */
	MC_CHECK(!cancels_early || AT_PLAIN_READ(runs[2]) == 0);
	at_store_release_u32(&done, 1);
	stir();
}

/* --- the pool */

static bool drive(void)
{
	for (uint32_t i = 0; i < lane_count; i++) {
		plait__task *task = &lanes.workers[i].task;

		if (!plait__ready_claim(&task->ready))
			continue;
		begin_worker(task, true);
		MC_CHECK(!task->run(task));
		return true;
	}
	return false;
}

static void run(uint32_t self)
{
	if (self == 0) {
		submit_all();
		return;
	}
	for (;;) {
		uint32_t key = at_load_acquire_u32(&offers);

		if (at_load_acquire_u32(&done) != 0)
			return;
		if (!drive())
			at_futex_wait(&offers, key, UINT64_MAX);
	}
}

/* --- an entry that is reused
 *
 * Thread 1 ends op 1, for which thread 2 waits.  Thread 0 has its entry for op 2
 * meanwhile, for which thread 3 waits, and which ends only when thread 2 has seen
 * the end of op 1. */

enum { HAS_ONE = 1, HAS_TWO = 2, ENDED_ONE = 3 };

static void set_stage(uint32_t value)
{
	at_store_release_u32(&stage, value);
	at_futex_wake_all(&stage);
}

static void await_stage(uint32_t value)
{
	uint32_t now;

	while ((now = at_load_acquire_u32(&stage)) < value)
		at_futex_wait(&stage, now, UINT64_MAX);
}

static void reuse(void)
{
	submit(1);
	set_stage(HAS_ONE);
	submit(2);
	set_stage(HAS_TWO);
	await_stage(ENDED_ONE);
	plait__flow_lanes_finish(&lanes, 2);
}

static void run_reuse(uint32_t self)
{
	if (self == 0) {
		reuse();
		return;
	}
	await_stage(self == 3 ? HAS_TWO : HAS_ONE);
	if (self == 1)
		plait__flow_lanes_finish(&lanes, 1);
	else
		await(self - 1);
	/* Thread 0 may yet have to store HAS_TWO. */
	if (self != 2)
		return;
	await_stage(HAS_TWO);
	set_stage(ENDED_ONE);
}

/* --- scenarios */

static void init_entries(void)
{
	for (uint32_t i = 0; i < MOST; i++) {
		at_init_u64(&ops[i].word, 0);
		at_init_u64(&ops[i].meta, 0);
		at_init_u64(&ops[i].awaited, 0);
		for (uint32_t p = 0; p < PLAIT__OP_PREDS; p++)
			at_init_u32(&ops[i].preds[p], 0);
	}
}

static void begin_with(const struct plan *of, uint32_t count, uint32_t size,
		       bool asymmetric)
{
	memset(arena, 0, sizeof(arena));
	memset(&lanes, 0, sizeof(lanes));
	memset(ops, 0, sizeof(ops));
	arena_used = 0;
	plan = of;
	op_count = count;
	ring_size = size;
	memset(records, 0, sizeof(records));
	memset(seeking, 0, sizeof(seeking));
	init_entries();
	for (uint32_t i = 0; i <= OPS; i++)
		AT_PLAIN_WRITE(runs[i]) = 0;
	at_init_u32(&offers, 0);
	at_init_u32(&waiters, 0);
	at_init_u32(&done, 0);
	at_init_u32(&stage, 0);
	at_init_u32(&sent, 0);
	lanes.ring = (plait__op_ring){ ops, size - 1 };
	at_init_u64(&lanes.idle, 0);
	at_init_u64(&lanes.reserved, 0);
	at_init_u32(&lanes.spinning, 0);
	at_init_u32(&lanes.arrived, 0);
	at_init_ptr(&lanes.arrivals, NULL);
	at_init_u64(&lanes.prefix, 0);
	at_init_u64(&lanes.cancelled, 0);
	at_init_u64(&lanes.cancel_cause, 0);
	at_init_u64(&lanes.outcomes.count, 0);
	at_init_u32(&lanes.outcomes.lock.state, 0);
	MC_CHECK(plait__outcomes_init(&lanes.outcomes, NULL, &lanes.ring));
	lanes.collect = collect;
	lanes.poll = polls ? poll : NULL;
	lanes.poll_end = end_poll;
	for (int i = 0; i < PLAIT__BRIEF_PLACES; i++)
		at_init_u64(&lanes.brief.places[i], 0);
	at_init_u64(&lanes.unshared, 0);
	lanes.held = NULL;
	if (lists)
		plait__held_ops_begin(&lanes);
	at_init_u32(&lock.state, 0);
	lanes.lock = &lock;
	MC_CHECK(plait__flow_lanes_init(&lanes, NULL, lane_count));
	lanes.asymmetric_fence = asymmetric;
	for (uint32_t i = 0; i < lane_count; i++)
		at_init_u32(&lanes.workers[i].looks, 0);
	for (uint32_t i = 0; i < lane_count + 2; i++)
		at_init_u64(&lanes.lanes[i].tail, 0);
	for (uint32_t i = 0; i < (lane_count + 2) * size; i++)
		at_init_u32(&lanes.numbers[i], 0);
}

#define TRUE_0 ((uint64_t)1 << PLAIT__OP_TRUE_SHIFT)

static const struct plan chain[] = {
	{ .lane = 0 },
	{ .lane = 0, .preds = { 1 } },
	{ .lane = 0, .preds = { 2 } },
};
static const struct plan reused[] = {
	{ .outside = true },
	{ .outside = true },
};
static const struct plan diamond[] = {
	{ .lane = 0 },
	{ .lane = 1, .preds = { 1 } },
	{ .lane = 0, .preds = { 1 } },
	{ .lane = 1, .preds = { 2, 3 } },
};
static const struct plan failing[] = {
	{ .lane = 0, .fails = true },
	{ .lane = 1, .preds = { 1 }, .meta = TRUE_0 },
	{ .lane = URGENT, .preds = { 1 } },
};
static const struct plan outside[] = {
	{ .outside = true },
	{ .lane = HELD, .preds = { 1 } },
	{ .lane = 0 },
};
static const struct plan two_outside[] = {
	{ .outside = true },
	{ .outside = true },
	{ .lane = HELD, .preds = { 1, 2 } },
};
static const struct plan two_held[] = {
	{ .outside = true },
	{ .lane = HELD, .preds = { 1 } },
	{ .lane = HELD, .preds = { 1 } },
};
static const struct plan held_chain[] = {
	{ .lane = 0 },
	{ .lane = HELD, .preds = { 1 } },
	{ .lane = HELD, .preds = { 2 } },
};
static const struct plan held_barrier[] = {
	{ .outside = true },
	{ .lane = 0 },
	{ .lane = HELD, .meta = PLAIT__OP_PREFIX },
};
static const struct plan kept[] = {
	{ .lane = 0, .reserved = true },
	{ .lane = 1, .reserved = true },
};
static const struct plan barrier[] = {
	{ .lane = 0 },
	{ .lane = 1 },
	{ .lane = 0, .meta = PLAIT__OP_PREFIX },
};

static void reset(void)
{
	lane_count = LANES;
	cancels = arrives = cancels_early = helps_late = false;
	calls_here = polls = lists = calls_seekers = false;
	patience = 0;
}

#define FLOW(id, text, ops, count, size, asymmetric, threads, pre, stale, ...) \
	static void begin_##id(void)                                          \
	{                                                                     \
		reset();                                                      \
		__VA_ARGS__;                                                  \
		begin_with(ops, count, size, asymmetric);                     \
	}                                                                     \
	static const struct mc_scenario id = { text, begin_##id, run, NULL,   \
					       threads, pre, stale, 0, 4000 }

static void begin_reuse(void)
{
	reset();
	lane_count = 1;
	begin_with(reused, 2, 1, true);
}

static void begin_reuse_heavy(void)
{
	begin_reuse();
	lanes.asymmetric_fence = false;
}

static const struct mc_scenario flow_awaited = {
	"flow, an entry with two waiters", begin_reuse, run_reuse, NULL, 4, 3,
	1, 0, 20000
};
static const struct mc_scenario flow_awaited_heavy = {
	"flow, an entry with two waiters, without membarrier",
	begin_reuse_heavy, run_reuse, NULL, 4, 3, 1, 0, 20000
};

FLOW(flow_one, "flow, one op", chain, 1, 4, true, 2, 3, 2, lane_count = 1);
FLOW(flow_lane, "flow, one lane", chain, 2, 4, true, 2, 3, 2, lane_count = 1);
FLOW(flow_lane_heavy, "flow, one lane, without membarrier", chain, 2, 4, false,
	2, 3, 2, lane_count = 1);
FLOW(flow_chain, "flow, a chain", chain, 2, 4, true, 2, 3, 1, );
FLOW(flow_heavy, "flow, without membarrier", chain, 2, 4, false, 2, 3, 1, );
FLOW(flow_reuse, "flow, entries are reused", chain, 3, 2, true, 2, 3, 1, );
FLOW(flow_reuse_two, "flow, reused, two workers", chain, 3, 2, true, 3, 2, 1, );
FLOW(flow_reuse_one, "flow, reused, two threads for one lane", chain, 3, 2,
	true, 3, 2, 1, lane_count = 1);
FLOW(flow_fork, "flow, fork and join", diamond, 4, 4, true, 3, 2, 1, );
FLOW(flow_failing, "flow, an op fails", failing, 3, 4, true, 2, 3, 1, );
FLOW(flow_failing_reuse, "flow, an op fails, reused", failing, 3, 2, true, 3,
	2, 1, );
FLOW(flow_outside, "flow, another thread finishes", outside, 3, 4, true, 2, 3,
	1, );
FLOW(flow_outside_heavy, "flow, another finishes, without membarrier",
	outside, 3, 4, false, 2, 3, 1, );
FLOW(flow_cancelling, "flow, cancelled", chain, 2, 4, true, 2, 3, 1,
	lane_count = 1, cancels = true);
FLOW(flow_cancelling_early, "flow, cancelled before it can begin", outside, 3,
	4, true, 2, 3, 1, lane_count = 1, cancels = cancels_early = true);
FLOW(flow_arriving, "flow, arrived", outside, 2, 4, true, 2, 3, 2,
	lane_count = 1, arrives = true);
FLOW(flow_arriving_heavy, "flow, arrived, without membarrier", outside, 2, 4,
	false, 2, 3, 2, lane_count = 1, arrives = true);
/* A worker takes one arrival while the other one comes. */
FLOW(flow_arriving_twice, "flow, two arrived", two_outside, 3, 4, true, 2, 3,
	1, lane_count = 1, arrives = true);
FLOW(flow_helping, "flow, a parked worker of the waiter", chain, 2, 4, true,
	2, 3, 2, lane_count = 1, helps_late = true);
FLOW(flow_helping_heavy, "flow, the same, without membarrier", chain, 2, 4,
	false, 2, 3, 2, lane_count = 1, helps_late = true);
FLOW(flow_helping_two, "flow, one of two parked workers, reused", chain, 3,
	2, true, 3, 2, 1, helps_late = true);
FLOW(flow_reserved, "flow, a reserved op", kept, 1, 4, true, 2, 3, 2,
	lane_count = 1);
FLOW(flow_reserved_two, "flow, two reserved ops", kept, 2, 4, true, 3, 2, 1, );
FLOW(flow_reserved_here, "flow, a reserved op for two threads", kept, 2, 4,
	true, 2, 3, 2, lane_count = 1, calls_here = true);
FLOW(flow_reserved_sought, "flow, a reserved op, a worker seeks", kept, 1, 4,
	true, 2, 3, 2, lane_count = 1, patience = 1);
FLOW(flow_reserved_called, "flow, a reserved op, a worker is called away", kept,
	2, 4, true, 2, 3, 2, lane_count = 1, patience = 1, calls_seekers = true);
FLOW(flow_polling, "flow, workers poll", two_held, 3, 4, true, 3, 2, 1,
	polls = true);
FLOW(flow_listed, "flow, held ops in lists, workers poll", two_held, 3, 4, true,
	3, 2, 1, polls = lists = true);
FLOW(flow_listed_arriving, "flow, a held op in lists, two arrived", two_outside,
	3, 4, true, 2, 3, 1, lane_count = 1, lists = arrives = true);
FLOW(flow_listed_reuse, "flow, held ops in lists, reused", held_chain, 3, 2,
	true, 3, 2, 1, lists = true);
FLOW(flow_listed_barrier, "flow, a barrier in a list", held_barrier, 3, 4, true,
	3, 2, 1, lists = true);
FLOW(flow_barrier, "flow, a barrier", barrier, 3, 4, true, 3, 2, 1, );

static const struct mc_scenario *const scenarios[] = {
	&flow_one, &flow_lane, &flow_lane_heavy, &flow_arriving,
	&flow_arriving_twice, &flow_arriving_heavy, &flow_heavy, &flow_chain, &flow_reuse,
	&flow_outside, &flow_outside_heavy, &flow_failing, &flow_cancelling,
	&flow_cancelling_early, &flow_awaited, &flow_awaited_heavy,
	&flow_helping, &flow_helping_heavy, &flow_helping_two,
	&flow_failing_reuse, &flow_fork, &flow_reuse_two, &flow_reuse_one, &flow_barrier,
	&flow_reserved, &flow_reserved_two, &flow_reserved_here,
	&flow_reserved_sought, &flow_reserved_called, &flow_polling,
	&flow_listed, &flow_listed_arriving, &flow_listed_reuse, &flow_listed_barrier,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = {
		"flow/lanes/flow_worker.c",
		"flow/lanes/flow_lanes.c",
		"flow/lanes/flow_lanes_words.c",
		"flow/lanes/held_ops.c",
		"flow/lanes/held_ops.h",
		"flow/lanes/flow_claim.h",
		"flow/lanes/op_ring.h",
		"flow/lanes/outcomes.h",
		"flow/lanes/outcomes.c",
		NULL
	};

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "lanes", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
