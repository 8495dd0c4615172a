/* SPDX-License-Identifier: MIT */
/*
 * Threads of the explored program: coroutines on one thread, the choice of the
 * next one, futexes, and the clock.  mc.c makes the choices.
 */
#include "mc_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define MC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MC_ASAN 1
#endif
#endif
#ifdef MC_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 256 << 10 };
#else
enum { STACK_BYTES = 64 << 10 };
#endif

enum { ENGINE = MC_THREADS_MAX, SPINS_UNTIL_STUCK = 3 };

enum state { READY, SLEEPING, ENDED };

struct thread {
	enum state state;
	bool yielded;         /* its last operation was a pause */
	uint32_t pauses;      /* in a row */
	uint64_t stuck_at;    /* stores so far when it began to pause */
	uint32_t alone;       /* pauses since another thread ran */
	const void *futex;
	uint64_t deadline_ns;
	int wait_result;
	const struct mc_site *site; /* the operation it is about to do */
	void *stack_pointer;
	void *fake_stack;
#if !defined(__x86_64__)
	ucontext_t context;
#endif
};

static struct {
	struct thread threads[MC_THREADS_MAX + 1];
	uint32_t count;
	uint32_t current;
	bool running;
	bool starting; /* each thread goes to its first operation */
	uint32_t steps;
	uint64_t stores;
	uint64_t now_ns;
	const struct mc_scenario *scenario;
	_Alignas(64) char stacks[MC_THREADS_MAX][STACK_BYTES];
	const void *engine_stack;
	size_t engine_stack_bytes;
} run;

/* --- switching ---------------------------------------------------------- */

static void thread_main(void);

#if defined(__x86_64__)
void mc_switch(void **save, void *load);
__asm__(".text\n"
	".type mc_switch,@function\n"
	"mc_switch:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n"
	"	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n"
	"	popq %r12\n	popq %rbx\n	popq %rbp\n"
	"	ret\n"
	".size mc_switch, .-mc_switch\n");

static void prepare_stack(struct thread *thread, char *stack)
{
	void **top = (void **)(void *)(stack + STACK_BYTES - 64);

	/* As after a call: six registers, the address, then no caller. */
	top[-1] = NULL;
	top[-2] = (void *)(uintptr_t)thread_main;
	memset(top - 8, 0, 6 * sizeof(*top));
	thread->stack_pointer = top - 8;
}

static void switch_stacks(struct thread *from, struct thread *to)
{
	mc_switch(&from->stack_pointer, to->stack_pointer);
}
#else
static void prepare_stack(struct thread *thread, char *stack)
{
	getcontext(&thread->context);
	thread->context.uc_stack.ss_sp = stack;
	thread->context.uc_stack.ss_size = STACK_BYTES;
	thread->context.uc_link = NULL;
	makecontext(&thread->context, thread_main, 0);
}

static void switch_stacks(struct thread *from, struct thread *to)
{
	swapcontext(&from->context, &to->context);
}
#endif

static void entered(void)
{
#ifdef MC_ASAN
	struct thread *me = &run.threads[run.current];
	const void *bottom;
	size_t bytes;

	__sanitizer_finish_switch_fiber(me->fake_stack, &bottom, &bytes);
	if (run.engine_stack == NULL) {
		run.engine_stack = bottom;
		run.engine_stack_bytes = bytes;
	}
#endif
}

/* `leaving`: the current stack is not used again. */
static void switch_to(uint32_t next, bool leaving)
{
	struct thread *from = &run.threads[run.current];
	struct thread *to = &run.threads[next];

	if (next == run.current)
		return;
	from->alone = 0;
#ifdef MC_ASAN
	__sanitizer_start_switch_fiber(
		leaving ? NULL : &from->fake_stack,
		next == ENGINE ? run.engine_stack : run.stacks[next],
		next == ENGINE ? run.engine_stack_bytes : STACK_BYTES);
#else
	(void)leaving;
#endif
	run.current = next;
	switch_stacks(from, to);
	entered();
}

bool mc_running(void)
{
	return run.running;
}

uint32_t mc_self(void)
{
	return run.running ? run.current + 1 : 0;
}

void mc_leave(void)
{
	switch_to(ENGINE, true);
	abort(); /* never resumed */
}

/* --- the next thread
 * -------------------------------------------------------- */

enum how { RUN, SPURIOUS, TIMEOUT };

struct option {
	uint32_t thread;
	enum how how;
};

/* The thread waits for another thread's store, or takes the time of all
 * others. */
static bool stuck(const struct thread *thread)
{
	return (thread->pauses >= SPINS_UNTIL_STUCK &&
		thread->stuck_at == run.stores) ||
	       thread->alone >= SPINS_UNTIL_STUCK;
}

static uint32_t add_runnable(struct option *options, uint32_t count,
			     uint32_t except)
{
	uint32_t i;

	for (i = 0; i < run.count; i++) {
		if (i == except || run.threads[i].state != READY ||
		    stuck(&run.threads[i]))
			continue;
		options[count].thread = i;
		options[count++].how = RUN;
	}
	return count;
}

/*
 * Only threads that pause are left.  They take turns: the order makes no
 * difference, and as a choice it would be one without end.
 */
static uint32_t add_stuck(struct option *options)
{
	uint32_t start = run.current == ENGINE ? 0 : run.current + 1;
	uint32_t i;

	for (i = 0; i < run.count; i++) {
		options[0].thread = (start + i) % run.count;
		options[0].how = RUN;
		if (run.threads[options[0].thread].state == READY)
			return 1;
	}
	return 0;
}

static uint32_t add_sleepers(struct option *options, uint32_t count)
{
	uint32_t i;

	if (mc_budget.spurious == 0)
		return count;
	for (i = 0; i < run.count; i++) {
		if (run.threads[i].state != SLEEPING)
			continue;
		options[count].thread = i;
		options[count++].how = SPURIOUS;
		if (run.threads[i].deadline_ns == UINT64_MAX)
			continue;
		options[count].thread = i;
		options[count++].how = TIMEOUT;
	}
	return count;
}

/* No thread can run: time passes until the first deadline, if there is one. */
static uint32_t add_earliest(struct option *options)
{
	uint64_t earliest = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < run.count; i++) {
		if (run.threads[i].state != SLEEPING ||
		    run.threads[i].deadline_ns >= earliest)
			continue;
		earliest = run.threads[i].deadline_ns;
		options[0].thread = i;
		options[0].how = TIMEOUT;
	}
	return earliest == UINT64_MAX ? 0 : 1;
}

static void report_deadlock(void)
{
	char reason[MC_REASON_BYTES] = "deadlock:";
	const struct thread *thread;
	size_t used = strlen(reason);
	uint32_t i;

	for (i = 0; i < run.count; i++) {
		thread = &run.threads[i];
		if (thread->state != SLEEPING || used >= sizeof(reason) - 1)
			continue;
		used += (size_t)snprintf(reason + used, sizeof(reason) - used,
					 " thread %u sleeps at %s:%d;", i,
					 thread->site->file,
					 thread->site->line);
	}
	mc_abandon(reason);
	mc_leave();
}

static void apply(const struct option *option)
{
	struct thread *thread = &run.threads[option->thread];

	if (option->how == RUN)
		return;
	thread->state = READY;
	if (option->how == SPURIOUS) {
		mc_spend(&mc_budget.spurious);
		thread->wait_result = mc_pick(2, 0) ? -EINTR : 0;
		return;
	}
	if (thread->deadline_ns > run.now_ns)
		run.now_ns = thread->deadline_ns;
	thread->wait_result = -ETIMEDOUT;
}

static uint32_t list_options(struct option *options)
{
	const struct thread *me = &run.threads[run.current];
	bool runnable = run.current != ENGINE && me->state == READY;
	bool stay = runnable && !stuck(me);
	bool free_choice = !stay || me->yielded;
	uint32_t count = 0;

	if (stay && !me->yielded) {
		options[count].thread = run.current;
		options[count++].how = RUN;
	}
	if (free_choice || mc_budget.preemptions > 0 || mc_is_random())
		count = add_runnable(options, count, run.current);
	if (stay && me->yielded) {
		options[count].thread = run.current;
		options[count++].how = RUN;
	}
	if (count == 0)
		count = add_stuck(options);
	return add_sleepers(options, count);
}

/* Decide which thread does the next operation, and let it. */
static void schedule(bool leaving)
{
	struct option options[3 * MC_THREADS_MAX + 1];
	struct thread *me = &run.threads[run.current];
	uint32_t count = list_options(options);
	uint32_t taken;
	uint32_t i;
	bool preempted;

	if (count == 0)
		count = add_earliest(options);
	if (count == 0) {
		for (i = 0; i < run.count; i++)
			if (run.threads[i].state == SLEEPING)
				report_deadlock();
		if (run.current != ENGINE)
			switch_to(ENGINE, true);
		return;
	}
	if (mc_budget.deviations && mc_budget.preemptions == 0)
		count = 1;
	taken = mc_pick(count, options[0].thread == run.current ? 1 : 0);
	preempted = run.current != ENGINE && me->state == READY &&
		    !me->yielded && !stuck(me) &&
		    options[taken].thread != run.current;
	if (mc_budget.deviations)
		preempted = taken != 0;
	if (preempted)
		mc_spend(&mc_budget.preemptions);
	apply(&options[taken]);
	switch_to(options[taken].thread, leaving);
}

void mc_point(struct mc_site *site)
{
	struct thread *me = &run.threads[run.current];

	site->visits++;
	if (!run.running)
		return;
	if (++run.steps > MC_STEPS_MAX) {
		mc_abandon("too many steps: a loop without an end");
		mc_leave();
	}
	me->site = site;
	if (site->op > MC_LOAD_ACQUIRE && site->op != MC_PAUSE)
		me->pauses = 0; /* it has left its loop: it will change
				 * things */
	if (run.starting)
		switch_to(ENGINE, false);
	else
		schedule(false);
	if (site->op != MC_PAUSE) {
		me->yielded = false;
		return;
	}
	if (me->pauses == 0 || me->stuck_at != run.stores) {
		me->stuck_at = run.stores;
		me->pauses = 0;
	}
	me->pauses++;
	me->alone++;
	me->yielded = true;
}

void mc_pause(struct mc_site *site)
{
	mc_point(site);
}

void mc_threads_wrote(void)
{
	run.stores++;
}

/* --- futexes ------------------------------------------------------------- */

/* Enqueue-and-compare is one step, as under the lock of the kernel. */
int mc_futex_wait(void *cell, uint32_t expected, uint64_t deadline_ns,
		  struct mc_site *site)
{
	struct thread *me;

	mc_point(site);
	mc_memory_check(cell, site);
	mc_memory_fence();
	if (mc_memory_peek(cell, sizeof(expected), site) != expected) {
		if (mc_tracing())
			mc_trace(site, "does not sleep: not %u", expected);
		return -EAGAIN;
	}
	if (!run.running) {
		mc_fail("a sleep outside of the threads");
		return -EAGAIN;
	}
	if (deadline_ns <= run.now_ns)
		return -ETIMEDOUT;
	if (mc_tracing())
		mc_trace(site, "sleeps");
	me = &run.threads[run.current];
	me->state = SLEEPING;
	me->futex = cell;
	me->deadline_ns = deadline_ns;
	me->wait_result = 0;
	schedule(false);
	if (mc_tracing())
		mc_trace(site, "woke up: %s", me->wait_result == 0 ? "woken" :
			 me->wait_result == -EINTR ? "a signal" : "timeout");
	return me->wait_result;
}

static uint32_t list_waiters(const void *cell, uint32_t *waiters)
{
	uint32_t count = 0;
	uint32_t i;

	for (i = 0; i < run.count; i++)
		if (run.threads[i].state == SLEEPING &&
		    run.threads[i].futex == cell)
			waiters[count++] = i;
	return count;
}

void mc_futex_wake(void *cell, struct mc_site *site)
{
	bool one = site->op == MC_WAKE_ONE || (site->weakened & MC_ONE) != 0;
	uint32_t waiters[MC_THREADS_MAX];
	uint32_t count;
	uint32_t i;

	mc_point(site);
	if ((site->weakened & MC_DROP) != 0)
		return;
	/*
	 * The kernel takes the address and reads nothing there: the memory
	 * may be gone already, as it may be at the end of any unlock.
	 */
	mc_memory_fence();
	count = list_waiters(cell, waiters);
	if (mc_tracing())
		mc_trace(site, "wakes %s of %u", one ? "one" : "all", count);
	if (count == 0)
		return;
	if (one) {
		waiters[0] = waiters[mc_pick(count, 0)];
		count = 1;
	}
	for (i = 0; i < count; i++) {
		run.threads[waiters[i]].state = READY;
		run.threads[waiters[i]].wait_result = 0;
	}
}

uint64_t mc_clock_now_ns(void)
{
	return run.now_ns;
}

/* --- one execution ------------------------------------------------------- */

static void thread_main(void)
{
	entered();
	run.scenario->run(run.current);
	run.threads[run.current].state = ENDED;
	run.threads[run.current].pauses = 0;
	if (run.starting)
		switch_to(ENGINE, true);
	schedule(true);
	abort(); /* a thread that has ended is not scheduled */
}

void mc_threads_run(const struct mc_scenario *scenario)
{
	uint32_t i;

	memset(run.threads, 0, sizeof(run.threads));
	run.count = scenario->threads;
	run.scenario = scenario;
	run.steps = 0;
	run.stores = 0;
	run.now_ns = 1000;
	run.current = ENGINE;
	scenario->begin();
	mc_memory_fork(run.count);
	for (i = 0; i < run.count; i++) {
#ifdef MC_ASAN
		/* Frames of an execution that was left are still marked. */
		__asan_unpoison_memory_region(run.stacks[i], STACK_BYTES);
#endif
		prepare_stack(&run.threads[i], run.stacks[i]);
	}
	run.running = true;
	run.starting = true;
	for (i = 0; i < run.count && !mc_failed(); i++)
		switch_to(i, false);
	run.starting = false;
	if (!mc_failed())
		schedule(false);
	run.running = false;
	mc_memory_join(run.count);
}
