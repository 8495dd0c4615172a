/* SPDX-License-Identifier: MIT */
/*
 * Work stealing, mode HELPED, under every interleaving: each command runs once
 * in each run, after all before it; a run ends once, and no worker sleeps that
 * the next run needs.  steal_worker.c and steal_setup.c as they are; the pool
 * is a word.
 *
 *     lane 0:  a   c          c after a and b, d after b
 *     lane 1:  b   d
 *
 * And where a worker claims a batch while others take one command from behind:
 *
 *     lane 0:  x   p   q      x after y, q after p
 *     lane 1:  y
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/host/steal_claim.h"
#include "run/host/steal_setup.h"
#include "run/host/call_op.h"

#include "base/alloc.h"
#include "sys/clock.h"
#include "sys/backoff.h"

#include <string.h>

enum { A, C, B, D, COMMANDS, LANES = 2 };
enum { X, P, Q, Y };

static plait__context context;
static plait__program program;
static plait__plan plan;
static plait__plan_body body;
static plait__plan_track tracks[LANES];
static plait__plan_command commands[COMMANDS + 1];
static uint32_t preds[] = { A, B, B };
static uint32_t row_preds[] = { Y, P };
static plait__instance instance;
static plait__steal_program compiled;
static plait__steal_set set;
/* With room in front of, and behind, memory that begins at a cache line. */
static struct {
	plait__steal_worker workers[LANES + 2];
	at_u64 words[COMMANDS + 64];
	plait__call_op ops[COMMANDS];
} memory;
static uint32_t numbers[COMMANDS]; /* the last run that executed it */
static uint32_t command_count, lane_count, run_count;
static bool in_a_row;		   /* the second plan */
static bool alternates;		   /* whether batches are claimed */
static uint32_t run_number;
static uint32_t ends;		   /* of runs */
static uint32_t turns[LANES];	   /* state that a worker leaves to its next
				    * turn */
static uint32_t offered;	   /* the thread that the offering thread leaves
				    * to the end */
static int32_t failing;		   /* a command, or -1 */
static uint64_t time_step;	   /* between two looks at the clock */
static uint64_t time_now;
static bool run_here;
static uint32_t spins;
static at_u32 offers; /* advances when there is a reason to look */
static at_u32 done;

/* --- the other functions that the source is linked with */

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t bytes)
{
	(void)allocator;
	(void)count;
	(void)bytes;
	return memory.ops;
}

void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes)
{
	(void)allocator;
	(void)pointer;
	(void)bytes;
}

/* The first piece is for the workers, the next for the words; see
 * pool/cacheline.h. */
void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	return bytes > sizeof(plait__steal_worker) ? (void *)memory.workers :
						(void *)memory.words;
}

void plait__task_init(plait__task *task, plait__pool *pool)
{
	(void)pool;
	at_init_u32(&task->ready.state, PLAIT__TASK_IDLE);
}

void plait__task_forget(plait__task *task)
{
	(void)task;
}

static void stir(void)
{
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

void plait__task_offer(plait__task *task)
{
	(void)AT_PLAIN_READ(offered);
	/* Release: pairs with the claim, as in ready.c. */
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
	stir();
}

bool plait__task_run_here(plait__task *task)
{
	uint32_t lane = ((plait__steal_worker *)(void *)task)->lane;

	if (!plait__ready_claim(&task->ready))
		return false;
	AT_PLAIN_WRITE(turns[lane]) = AT_PLAIN_READ(turns[lane]) + 1;
	if (task->run(task))
		task->over(task);
	return true;
}

/* The point at which it has published its results, and may be about to rest. */
bool plait__task_should_yield(const plait__task *task)
{
	uint32_t lane = ((const plait__steal_worker *)(const void *)task)->lane;

	AT_PLAIN_WRITE(turns[lane]) = AT_PLAIN_READ(turns[lane]) + 1;
	return false;
}

uint64_t plait__clock_now_ns(void)
{
	return time_now += time_step;
}

/* No spinning: a worker that finds nothing rests, or pauses once before. */
void plait__backoff_init(struct plait__backoff *ladder,
			 enum plait__backoff_policy policy)
{
	(void)policy;
	ladder->spins_left = spins;
}

bool plait__backoff_step(struct plait__backoff *ladder)
{
	if (ladder->spins_left == 0)
		return false;
	ladder->spins_left--;
	at_spin_pause();
	return true;
}

const plait_error plait__instance_exited; /* no thread ends here */

void plait__instance_fail(plait__instance *of, uint32_t command,
			  const plait_error *why)
{
	MC_CHECK(failing == (int32_t)command);
	MC_CHECK(why->origin == 42);
	at_store_release_u32(&of->stop, 1);
}

/* --- the commands */

static bool comes_after_failure(uint32_t command)
{
	return in_a_row ? failing == P && command == Q :
	       failing == A ? command == C :
	       failing == B ? command == C || command == D : false;
}

static int32_t run_command(void *user_data)
{
	uint32_t self = (uint32_t)(uintptr_t)user_data;
	const plait__plan_command *at = &commands[self];
	uint32_t now = AT_PLAIN_READ(run_number);

	MC_CHECK(!comes_after_failure(self));
	for (uint32_t i = at->pred_first; i < at[1].pred_first; i++)
		MC_CHECK(AT_PLAIN_READ(numbers[plan.preds[i]]) == now);
	/* The thread that ran it before has done so in an earlier run. */
	MC_CHECK(AT_PLAIN_READ(numbers[self]) < now);
	AT_PLAIN_WRITE(numbers[self]) = now;
	return failing == (int32_t)self ? 42 : 0;
}

void plait__call_op_make(const plait__program *of, plait__object *const *kernels,
			 uint32_t command, plait__call_op *out)
{
	(void)of;
	(void)kernels;
	memset(out, 0, sizeof(*out));
	out->host = run_command;
	out->is_host = 1;
	out->user_data = (void *)(uintptr_t)command;
	out->command = command;
}

static void start_run(void)
{
	AT_PLAIN_WRITE(run_number) = AT_PLAIN_READ(run_number) + 1;
	at_store_relaxed_u32(&instance.stop, 0);
	if (alternates)
		at_store_relaxed_u32(&set.short_commands, run_number % 2);
	plait__steal_set_start(&set, run_here);
}

static void end_run(plait__instance *of)
{
	uint32_t now = AT_PLAIN_READ(run_number);

	MC_CHECK(of == &instance);
	for (uint32_t i = 0; failing < 0 && i < command_count; i++)
		MC_CHECK(AT_PLAIN_READ(numbers[i]) == now);
	AT_PLAIN_WRITE(ends) = AT_PLAIN_READ(ends) + 1;
	if (now < run_count) {
		start_run();
		return;
	}
	AT_PLAIN_WRITE(offered) = 0;
	at_store_release_u32(&done, 1);
	stir();
}

/* --- scenarios */

static void make_plan(void)
{
	static const uint32_t first_preds[] = { 0, 0, 2, 2, 3 };
	static const uint32_t row_first[] = { 0, 1, 1, 2, 2 };

	for (uint32_t i = 0; i <= COMMANDS; i++)
		commands[i].pred_first = in_a_row ? row_first[i] :
						    first_preds[i];
	for (uint32_t i = 0; i < LANES; i++)
		tracks[i] = (plait__plan_track){ i, 2 * i, 2, 1 };
	if (in_a_row) {
		tracks[0].count = 3;
		tracks[1] = (plait__plan_track){ 1, 3, 1, 1 };
	}
	if (command_count == 1) {
		tracks[0].count = 1;
		tracks[1].count = 0;
	}
	plan.bodies = &body;
	plan.commands = commands;
	plan.command_count = command_count;
	plan.preds = in_a_row ? row_preds : preds;
	plan.tracks = tracks;
	plan.mode = PLAIT__MODE_HELPED;
	body.track_count = lane_count;
	program.plan = &plan;
	program.context = &context;
}

static void make_steal_set(int32_t fails, uint64_t step, bool here)
{
	make_plan();
	memset(&memory, 0, sizeof(memory));
	memset(&compiled, 0, sizeof(compiled));
	memset(&set, 0, sizeof(set));
	for (uint32_t i = 0; i < COMMANDS; i++) {
		AT_PLAIN_WRITE(numbers[i]) = 0;
	}
	at_init_u64(&set.run, 0);
	at_init_u64(&set.idle, 0);
	at_init_u32(&set.short_commands, 0);
	at_init_u32(&set.batch_claims, 0);
	at_init_u32(&set.records, 0);
	at_init_u64(&set.woken_ns, 0);
	at_init_u32(&set.remaining, 0);
	at_init_u32(&instance.stop, 0);
	at_init_u32(&offers, 0);
	at_init_u32(&done, 0);
	AT_PLAIN_WRITE(run_number) = 0;
	AT_PLAIN_WRITE(ends) = 0;
	AT_PLAIN_WRITE(turns[0]) = AT_PLAIN_WRITE(turns[1]) = 0;
	AT_PLAIN_WRITE(offered) = 0;
	alternates = false;
	failing = fails;
	time_step = step;
	time_now = 0;
	run_here = here;
	spins = 0;
	MC_CHECK(plait__steal_program_applies(&plan) == (lane_count > 1));
	MC_CHECK(plait__steal_program_compile(&compiled, &program, NULL,
					NULL) == PLAIT_OK);
	MC_CHECK(plait__steal_set_make(&set, &instance, &compiled, end_run,
				       NULL) ==
		 PLAIT_OK);
	for (uint32_t i = 0; i < command_count; i++)
		at_init_u64(&set.states[i], 0);
	for (uint32_t i = 0; i < lane_count; i++)
		at_init_u64(&set.workers[i].front, 0);
}

static void begin_with(uint32_t lanes, int32_t fails, uint64_t step, bool here)
{
	in_a_row = false;
	lane_count = lanes;
	command_count = lanes == 1 ? 1 : COMMANDS;
	run_count = 2;
	make_steal_set(fails, step, here);
}

static void begin(void)
{
	begin_with(LANES, -1, 1000000, false);
}

/* Batches are claimed. */
static void begin_small(void)
{
	begin();
	at_init_u32(&set.short_commands, 1);
}

static void begin_row(void)
{
	begin();
	in_a_row = true;
	make_steal_set(-1, 1000000, false);
	at_init_u32(&set.short_commands, 1);
}

static void begin_alternating(void)
{
	begin_row();
	alternates = true;
	run_count = 3;
}

static void begin_row_once(void)
{
	begin_row();
	run_count = 1;
}

static void begin_row_failing(void)
{
	begin_row();
	failing = P;
}

static void begin_here(void)
{
	begin_with(LANES, -1, 1000000, true);
}

static void begin_unwoken(void)
{
	begin_with(LANES, -1, 0, false);
	spins = 1;
}

static void begin_failing(void)
{
	begin_with(LANES, B, 1000000, false);
}

static void begin_heavy(void)
{
	begin();
	set.asymmetric_fence = false;
}

/* One worker, which may be late for each run that the other thread starts. */
static void begin_late(void)
{
	begin_with(1, -1, 1000000, false);
}

static void begin_late_heavy(void)
{
	begin_late();
	set.asymmetric_fence = false;
}

/* Runs pass by a worker that has nothing of its own to do. */
static void begin_passed(void)
{
	in_a_row = false;
	lane_count = LANES;
	command_count = 1;
	run_count = 3;
	make_steal_set(-1, 1000000, false);
}

/* The part of the pool's threads, and of those that wait for the run. */
static void run(uint32_t self)
{
	uint32_t key;

	if (self == 0)
		start_run();
	for (;;) {
		key = at_load_acquire_u32(&offers);
		if (at_load_acquire_u32(&done) != 0)
			return;
		if (!plait__steal_set_drive(&set))
			at_futex_wait(&offers, key, UINT64_MAX);
	}
}

static void end(void)
{
	MC_CHECK(ends == run_count);
	MC_CHECK(run_number == run_count);
	for (uint32_t i = 0; i < command_count; i++)
		MC_CHECK(at_load_relaxed_u64(&set.states[i]) ==
			 4 * run_count);
	MC_CHECK(at_load_relaxed_u32(&set.remaining) == 0);
}

#define HELPED_TO(id, text, begin, threads, pre, stale, most)                 \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, most }
#define HELPED(id, text, begin, threads, pre, stale)                          \
	HELPED_TO(id, text, begin, threads, pre, stale, 1000)

HELPED(helped_two, "helped, two threads", begin, 2, 3, 1);
HELPED(helped_three, "helped, three threads for two workers", begin, 3, 2, 1);
HELPED(helped_here, "helped, the starter stays", begin_here, 2, 3, 1);
HELPED(helped_unwoken, "helped, no thread is woken", begin_unwoken, 2, 3, 1);
HELPED(helped_failing, "helped, a command fails", begin_failing, 2, 3, 1);
HELPED(helped_heavy, "helped, without membarrier", begin_heavy, 2, 3, 1);
/* Small enough to be searched deeper. */
HELPED_TO(helped_late, "helped, a worker is late", begin_late, 2, 2, 0, 10000);
HELPED(helped_late_heavy, "helped, late without membarrier", begin_late_heavy,
	2, 3, 2);
HELPED_TO(helped_row, "helped, some in a row, others from behind",
	begin_row_once, 2, 3, 1, 10000);
HELPED(helped_rows, "helped, in a row and again", begin_row, 2, 3, 1);
HELPED(helped_row_three, "helped, in a row, three threads", begin_row, 3, 2, 1);
HELPED(helped_row_failing, "helped, in a row, one fails", begin_row_failing,
	2, 3, 1);
HELPED(helped_alternating, "helped, in a row every other time",
	begin_alternating, 2, 3, 1);
HELPED(helped_small, "helped, small commands", begin_small, 2, 3, 1);
HELPED(helped_passed, "helped, runs pass by a worker", begin_passed, 2, 3, 1);

static const struct mc_scenario *const scenarios[] = {
	&helped_late, &helped_late_heavy, &helped_passed, &helped_two,
	&helped_row, &helped_rows, &helped_here, &helped_three,
	&helped_unwoken, &helped_failing, &helped_heavy, &helped_row_three,
	&helped_row_failing, &helped_small, &helped_alternating,
};

/* The other scenarios exercise no further order that could be weakened. */
enum { FOR_ORDERS = 6 };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = {
		"run/host/steal_worker.c",
		"run/host/steal_setup.c",
		"run/host/steal_claim.h",
		NULL
	};

	mc_notices(scenarios, FOR_ORDERS, files);
}

static const struct tap_scenario all[] = {
	{ "helping", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
