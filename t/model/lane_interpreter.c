/* SPDX-License-Identifier: MIT */
/*
 * Regions over two lanes under every interleaving: each lane follows every
 * decision, an iteration happens before the next, also with failures and
 * cancellations; and the next run is right.  lane_compiler.c,
 * lane_interpreter.c, lane_park.c and lane_tasks.c are real; the pool is a word.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "no_external.h"
#include "region_plans.h"
#include "run/host/lane_compiler.h"
#include "run/host/lane_tasks.h"
#include "run/predicate_call.h"
#include "run/rehearse.h"

#include "base/error.h"
#include "sys/clock.h"

enum {
	RUNS = 2,
	RUNS_MAX = 4,
	ITERATIONS = 2,
	ARENA_BYTES = 1 << 16
};

static plait__context context;
static plait__plan_object plan_object;
static plait__frame_layout layout;
static plait__program program;
static plait__instance instance;
static plait__lane_program lane_program;
static plait__lane_set set;
static uint64_t iterations[2];
static enum shape shape;
static uint32_t run_count;
static bool here;		/* the thread that starts a run stays */
static bool yields;		/* lanes give way in each iteration */
static uint32_t workers;
static int32_t failing;		/* a role, in the last iteration, or -1 */
static bool cancels;

static uint8_t did[ROLES][RUNS_MAX][ITERATIONS];
static uint32_t choice;		/* the word that the region reads */
static uint32_t runs;		/* started; with `cancels` under `ending` */
static struct plait__mutex ending;
static at_u32 offers; /* advances when there is a reason to look */
static at_u32 done;

/* --- the other functions that the sources are linked with */

const plait_error plait__instance_exited; /* no thread ends here */
static _Alignas(64) char arena[ARENA_BYTES];
static uint32_t arena_used;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *block = arena + arena_used;

	(void)user_data;
	if (new_bytes == 0)
		return NULL;
	arena_used += (uint32_t)(new_bytes + 63) / 64 * 64;
	MC_CHECK(arena_used <= ARENA_BYTES);
	if (pointer != NULL)
		memcpy(block, pointer, old_bytes);
	return block;
}

uint32_t plait__pool_worker_count(const plait__pool *pool)
{
	(void)pool;
	return workers;
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
	/* Release: pairs with the claim, as in ready.c. */
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
	stir();
}

static void run_claimed(plait__task *task)
{
	if (task->run(task))
		task->over(task);
}

bool plait__task_run_here(plait__task *task)
{
	if (!plait__ready_claim(&task->ready))
		return false;
	run_claimed(task);
	return true;
}

void plait__task_run_unshared(plait__task *task)
{
	at_store_relaxed_u32(&task->ready.state, PLAIT__TASK_RUNNING);
	run_claimed(task);
}

bool plait__task_should_yield(const plait__task *task)
{
	(void)task;
	return yields;
}

uint32_t plait__rehearse_choose(const plait__plan *of, uint32_t region,
				uint64_t times)
{
	(void)of;
	(void)region;
	(void)times;
	return 0;
}

void plait__frame_turn_cell(const plait__frame *frame, const plait__loop_cell *turn)
{
	(void)frame;
	(void)turn;
}

uint64_t plait__clock_now_ns(void)
{
	return 0;
}

void plait__instance_fail(plait__instance *of, uint32_t command,
			  const plait_error *why)
{
	MC_CHECK(why->origin == 42);
	MC_CHECK((int32_t)sketch.roles[command] == failing);
	at_store_release_u32(&of->stop, 1);
}

/* --- the commands */

static bool is_in_body(uint32_t role)
{
	return role == B || role == B2 || role == C || role == C2;
}

/* The branch of an iteration; there are three, so the last one is none. */
static uint32_t branch_of(uint32_t run, uint32_t iteration)
{
	return shape == NEST ? (2 * run + iteration) % 3 : run;
}

static bool is_in_branch(uint32_t role, uint32_t branch)
{
	static const uint32_t branches[ROLES] = { [C2] = 1, [B2] = 2 };

	return branches[role] == branch;
}

/* The work of an iteration, unless the run is stopped. */
static bool is_due(uint32_t role, uint32_t run, uint32_t iteration)
{
	if (!is_in_body(role))
		return iteration == 0 && role != NOTHING &&
		       (role != D || shape == LOOP);
	if (shape == LOOP)
		return true;
	return (shape == NEST || iteration == 0) &&
	       is_in_branch(role, branch_of(run, iteration));
}

static void expect(uint32_t role, uint32_t run, uint32_t iteration)
{
	if (is_due(role, run, iteration))
		MC_CHECK(AT_PLAIN_READ(did[role][run][iteration]) == 1);
}

/* All before this iteration. */
static void expect_before(uint32_t run, uint32_t iteration)
{
	expect(A, run, 0);
	for (uint32_t i = 0; i < iteration; i++)
		for (uint32_t role = B; role <= C2; role++)
			expect(role, run, i);
}

/* The predecessor on its lane, and the command that it waits for. */
static void expect_preds(uint32_t role, uint32_t run, uint32_t i)
{
	bool crosses = shape == LOOP && (role == B2 || role == C2);

	if (crosses || (shape != LOOP && role == C))
		expect(B, run, i);
	if (crosses)
		expect(C, run, i);
	if (role == Z || role == D)
		expect_before(run, ITERATIONS);
	if (role == D)
		expect(Z, run, 0);
	else if (role != A)
		expect_before(run, i);
}

/* The decision of a loop: the last command of an iteration sets it, which is on
 * the lane that does not decide if that one has commands. */
static void tell_loop(uint32_t role, uint32_t run, uint32_t i)
{
	static const uint32_t last[] = { C, C2, B2 };

	if (role == A && shape != BRANCH)
		AT_PLAIN_WRITE(choice) = 1;
	else if (shape == LOOP ? role == C2 :
		 shape == NEST && role == last[branch_of(run, i)])
		AT_PLAIN_WRITE(choice) = i + 1 < ITERATIONS;
}

static int32_t run_command(void *user_data)
{
	uint32_t role = (uint32_t)(uintptr_t)user_data;
	uint32_t run = AT_PLAIN_READ(runs) - 1;
	uint32_t i = is_in_body(role) ? (uint32_t)iterations[0] : 0;

	MC_CHECK(i < ITERATIONS && is_due(role, run, i));
	expect_preds(role, run, i);
	MC_CHECK(AT_PLAIN_READ(did[role][run][i]) == 0);
	if ((int32_t)role == failing && run == 0 && i == ITERATIONS - 1)
		return 42;
	AT_PLAIN_WRITE(did[role][run][i]) = 1;
	tell_loop(role, run, i);
	return 0;
}

static int32_t decide_loop(void *user_data)
{
	uint32_t run = AT_PLAIN_READ(runs) - 1;

	(void)user_data;
	expect(A, run, 0);
	/* The failure of the iteration before was seen. */
	MC_CHECK(failing < 0 || at_load_relaxed_u32(&instance.stop) == 0);
	return (int32_t)AT_PLAIN_READ(choice);
}

static int32_t decide_branch(void *user_data)
{
	uint32_t run = AT_PLAIN_READ(runs) - 1;
	uint32_t i = shape == NEST ? (uint32_t)iterations[0] : 0;

	(void)user_data;
	expect_before(run, i);
	return (int32_t)branch_of(run, i);
}

const plait__store_function *plait__program_predicate(const plait__program *of,
						      uint32_t region)
{
	static const plait__store_function loop = { decide_loop, NULL, NULL };
	static const plait__store_function branch = { decide_branch, NULL,
						      NULL };

	(void)of;
	return region == 1 || shape == BRANCH ? &branch : &loop;
}

/* The plan has no payloads. */
bool plait__predicate_call(plait__instance *of, uint32_t region,
			   uint32_t *out_word)
{
	*out_word = (uint32_t)plait__program_predicate(of->program, region)
			    ->function(NULL);
	return true;
}

void plait__call_op_make(const plait__program *of, plait__object *const *kernels,
			 uint32_t command, plait__call_op *out)
{
	(void)of;
	(void)kernels;
	memset(out, 0, sizeof(*out));
	out->host = run_command;
	out->is_host = 1;
	out->user_data = (void *)(uintptr_t)sketch.roles[command];
	out->command = command;
}

/* --- runs */

/* The part of run.c: a run that has finished is not cancelled any more. */
static void cancel(void)
{
	plait__mutex_lock(&ending);
	if (AT_PLAIN_READ(runs) == 1)
		at_store_release_u32(&instance.stop, 1);
	plait__mutex_unlock(&ending);
}

static void start_run(void)
{
	plait__mutex_lock(&ending);
	AT_PLAIN_WRITE(runs) = AT_PLAIN_READ(runs) + 1;
	at_store_relaxed_u32(&instance.stop, 0);
	plait__mutex_unlock(&ending);
	plait__lane_set_start(&set, here);
}

static void end_run(plait__instance *of)
{
	uint32_t run = AT_PLAIN_READ(runs) - 1;
	bool whole = !(run == 0 && (failing >= 0 || cancels));

	MC_CHECK(of == &instance);
	/* The thread that did the last part did it before. */
	for (uint32_t role = A; role < ROLES; role++)
		for (uint32_t i = 0; i < ITERATIONS; i++)
			MC_CHECK(AT_PLAIN_READ(did[role][run][i]) <=
				 is_due(role, run, i));
	for (uint32_t role = A; whole && role < ROLES; role++)
		for (uint32_t i = 0; i < ITERATIONS; i++)
			expect(role, run, i);
	MC_CHECK(at_load_relaxed_u32(&instance.stop) == 0 || !whole);
	if (run + 1 < run_count) {
		start_run();
		return;
	}
	at_store_release_u32(&done, 1);
	stir();
}

/* --- scenarios */

static void make_program(void)
{
	static uint32_t turns[COMMANDS_MAX + 1];
	static uint32_t predicate_rotations[3];

	arena_used = 0;
	memset(&lane_program, 0, sizeof(lane_program));
	draw(shape);
	context.settings.allocator = (plait_allocator){
		sizeof(plait_allocator), 0, resize, NULL
	};
	plan_object.plan = &sketch.plan;
	layout.plan_object = &plan_object;
	layout.cell_first = turns;
	layout.predicate_cells = predicate_rotations;
	program.plan = &sketch.plan;
	program.context = &context;
	program.layout = layout;
	instance.program = &program;
	instance.frame.layout = &program.layout;
	instance.frame.iterations = iterations;
	MC_CHECK(plait__lane_program_compile(&lane_program, &program, false, NULL, NULL) ==
		 PLAIT_OK);
}

static void make_lane_set(bool asymmetric_fence)
{
	memset(&set, 0, sizeof(set));
	MC_CHECK(plait__lane_set_make(&set, &instance, &lane_program, end_run,
				     NULL) ==
		 PLAIT_OK);
	set.asymmetric_fence = asymmetric_fence;
	for (uint32_t i = 0; i < lane_program.progress_count; i++)
		at_init_u64(&set.progress[i], 0);
	at_init_u32(&set.remaining, 0);
	plait__mutex_init(&set.lock);
}

static void clear_history(void)
{
	for (uint32_t role = 0; role < ROLES; role++)
		for (uint32_t run = 0; run < RUNS_MAX; run++)
			for (uint32_t i = 0; i < ITERATIONS; i++)
				AT_PLAIN_WRITE(did[role][run][i]) = 0;
	memset(iterations, 0, sizeof(iterations));
	AT_PLAIN_WRITE(choice) = 0;
	AT_PLAIN_WRITE(runs) = 0;
	at_init_u32(&instance.stop, 0);
	at_init_u32(&offers, 0);
	at_init_u32(&done, 0);
	plait__mutex_init(&ending);
}

static void begin_with(enum shape of, int32_t fails, bool cancelled)
{
	shape = of;
	failing = fails;
	cancels = cancelled;
	here = false;
	yields = false;
	workers = 0;
	run_count = RUNS;
	make_program();
	make_lane_set(true);
	clear_history();
}

static void begin_loop(void)
{
	begin_with(LOOP, -1, false);
}

static void begin_loop_once(void)
{
	begin_loop();
	run_count = 1;
}

static void begin_loop_here(void)
{
	begin_loop();
	here = true;
}

static void begin_loop_yielding(void)
{
	begin_loop();
	yields = true;
}

static void begin_loop_spinning(void)
{
	begin_loop();
	workers = 1;
}

static void begin_loop_heavy(void)
{
	begin_with(LOOP, -1, false);
	set.asymmetric_fence = false;
}

static void begin_branch(void)
{
	begin_with(BRANCH, -1, false);
	run_count = RUNS_MAX;
}

static void begin_nest(void)
{
	begin_with(NEST, -1, false);
}

static void begin_failing_home(void)
{
	begin_with(LOOP, B, false);
}

static void begin_failing_other(void)
{
	begin_with(LOOP, C, false);
}

static void begin_nest_failing(void)
{
	begin_with(NEST, C2, false);
}

static void begin_loop_cancelled(void)
{
	begin_with(LOOP, -1, true);
}

static void begin_branch_cancelled(void)
{
	begin_with(BRANCH, -1, true);
}

static void begin_nest_cancelled(void)
{
	begin_with(NEST, -1, true);
}

/* Threads of the pool, and those that wait for the run. */
static void drive(void)
{
	uint32_t key;

	for (;;) {
		key = at_load_acquire_u32(&offers);
		if (at_load_acquire_u32(&done) != 0)
			return;
		if (!plait__lane_set_drive(&set))
			at_futex_wait(&offers, key, UINT64_MAX);
	}
}

static void run(uint32_t self)
{
	if (self == 0)
		start_run();
	if (self == 2 && cancels)
		cancel();
	else
		drive();
}

static void end(void)
{
	MC_CHECK(runs == run_count);
	MC_CHECK(set.parked == NULL);
	MC_CHECK(at_load_relaxed_u32(&set.remaining) == 0);
}

#define REGION_TO(id, text, begin, threads, pre, stale, most)                 \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, most }
#define REGION(id, text, begin, threads, pre, stale)                          \
	REGION_TO(id, text, begin, threads, pre, stale, 1000)

REGION(loop, "a loop", begin_loop, 2, 3, 1);
/* Small enough to be searched deeper. */
REGION_TO(loop_once, "a loop, one run", begin_loop_once, 2, 2, 1, 10000);
REGION(loop_here, "a loop, the starter stays", begin_loop_here, 2, 3, 1);
REGION(loop_yields, "a loop that gives way", begin_loop_yielding, 2, 3, 1);
REGION(loop_spins, "a loop whose lanes spin", begin_loop_spinning, 2, 3, 1);
REGION(loop_heavy, "a loop, without membarrier", begin_loop_heavy, 2, 3, 1);
REGION(branch, "a case", begin_branch, 2, 3, 1);
REGION(nest, "a case in a loop", begin_nest, 2, 3, 1);
REGION(fails_home, "a loop that fails at home", begin_failing_home, 2, 3, 1);
REGION(fails_other, "a loop, the other lane fails", begin_failing_other, 2, 3, 1);
REGION(nest_fails, "a case in a loop that fails", begin_nest_failing, 2, 3, 1);
REGION(loop_cancelled, "a loop that is cancelled", begin_loop_cancelled, 3, 2,
	1);
REGION(branch_cancelled, "a case that is cancelled", begin_branch_cancelled, 3,
	2, 1);
REGION(nest_cancelled, "a case in a loop that is cancelled",
	begin_nest_cancelled, 3, 2, 1);

static const struct mc_scenario *const scenarios[] = {
	&loop_once, &loop, &branch, &fails_other, &loop_heavy, &loop_spins,
	&nest, &loop_here, &loop_yields, &fails_home, &nest_fails,
	&loop_cancelled, &branch_cancelled, &nest_cancelled,
};

/* The other scenarios exercise no further order that could be weakened. */
enum { FOR_ORDERS = 5 };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "run/host/lane_interpreter.c",
					     "run/host/lane_tasks.c",
					     "run/host/lane_park.h", NULL };

	mc_notices(scenarios, FOR_ORDERS, files);
}

static const struct tap_scenario all[] = {
	{ "regions", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
