/* SPDX-License-Identifier: MIT */
/* Stacks of coroutines: reused, limited by number and bytes, guarded with and
 * without marks of the kernel; their memory when many are suspended, and when
 * they are back. */
#include "coroutine/coroutine_switch.h"

#include "lib/refuse.h"
#include "lib/tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { STACK = 65536, LIMIT_BYTES_EACH = 6144 };

static plait_error error = { .size = sizeof(error) };

/* Instrumented or emulated, a coroutine takes other memory and longer. */
static bool is_slow(void)
{
	const char *wrapper = getenv("PLAIT_TEST_WRAPPER");

	return SANITIZED || (wrapper != NULL && wrapper[0] != '\0');
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* ---- limits and reuse ---- */

static void reused(void)
{
	plait__stack_pool pool = { 0 };
	plait__coroutine many[3];
	const plait__stack *first;

	plait__stack_pool_init(&pool, 20000, 2, 0);
	memset(many, 0, sizeof(many));
	for (int i = 0; i < 2; i++)
		OK(plait__coroutine_init(&many[i], &pool, nothing, NULL,
					 &error) == PLAIT_OK);
	IS_INT(plait__coroutine_init(&many[2], &pool, nothing, NULL, &error),
	       PLAIT_E_BUSY);
	HAS_STR(error.text, "2 coroutines");
	first = many[1].stack;
	OK(plait__coroutine_resume(&many[1]));
	OK(plait__coroutine_init(&many[2], &pool, nothing, NULL, &error) ==
	   PLAIT_OK);
	OK(many[2].stack == first);
	OK(plait__coroutine_resume(&many[0]));
	OK(plait__coroutine_resume(&many[2]));
	IS_UINT(pool.count, 2);
	plait__stack_pool_fini(&pool);
}

/* Returns how many stacks the pool gives, at most `most`; the last refusal is in
 * `error`. */
static uint64_t take_all(plait__stack_pool *pool, plait__stack **stacks,
			 uint64_t most)
{
	uint64_t count = 0;

	while (count < most && plait__stack_pool_take(pool, &stacks[count],
						      &error) == PLAIT_OK)
		count++;
	return count;
}

static void limit_of_bytes(void)
{
	plait__stack_pool pool = { 0 };
	plait__stack *stacks[8];

	plait__stack_pool_init(&pool, STACK, 100, 5 * STACK + STACK / 2);
	IS_UINT(take_all(&pool, stacks, 8), 5);
	IS_INT(error.status, PLAIT_E_BUSY);
	HAS_STR(error.text, "PLAIT_COROUTINE_BYTES");
	plait__stack_pool_return(&pool, stacks[4]);
	IS_UINT(take_all(&pool, stacks + 4, 4), 1);
	plait__stack_pool_fini(&pool);

	memset(&pool, 0, sizeof(pool));
	plait__stack_pool_init(&pool, STACK, 3, 5 * STACK);
	IS_UINT(take_all(&pool, stacks, 8), 3);
	HAS_STR(error.text, "PLAIT_COROUTINES");
	plait__stack_pool_fini(&pool);

	memset(&pool, 0, sizeof(pool));
	plait__stack_pool_init(&pool, STACK, 3, STACK - 1);
	IS_UINT(take_all(&pool, stacks, 8), 0);
	plait__stack_pool_fini(&pool);
}

/* Each thread writes its number into a stack that no other has meanwhile. */
static void *take_and_return(void *arg)
{
	plait__stack_pool *pool = arg;
	bool alone = true;

	for (int i = 0; i < 2000; i++) {
		plait__stack *stack;
		volatile pthread_t *mine;

		if (plait__stack_pool_take(pool, &stack, NULL) != PLAIT_OK)
			return NULL;
		mine = (volatile pthread_t *)(void *)stack->low;
		*mine = pthread_self();
		alone = alone && *mine == pthread_self();
		plait__stack_pool_return(pool, stack);
	}
	return alone ? pool : NULL;
}

static void many_threads(void)
{
	plait__stack_pool pool = { 0 };
	pthread_t threads[4];
	void *result;

	plait__stack_pool_init(&pool, STACK, 4, 0);
	for (int i = 0; i < 4; i++)
		OK(pthread_create(&threads[i], NULL, take_and_return, &pool) ==
		   0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		OK(result == &pool);
	}
	OK(pool.count <= 4);
	plait__stack_pool_fini(&pool);
}

/* ---- refusals of the kernel ---- */

static plait_status take_without(int resource, struct rlimit *limit,
				 plait__stack_pool *pool, plait__stack **out)
{
	const rlim_t before = limit->rlim_cur;
	plait_status status;

	limit->rlim_cur = 0;
	(void)setrlimit(resource, limit);
	status = plait__stack_pool_take(pool, out, &error);
	limit->rlim_cur = before;
	(void)setrlimit(resource, limit);
	return status;
}

/* Nothing is lost by a refusal: the next take gets a stack. */
static void no_memory(void)
{
	plait__stack_pool pool = { 0 };
	plait__stack *stack = NULL;
	struct rlimit limit;

	if (is_slow()) {
		SKIP("the sanitizer or valgrind needs address space, too");
		return;
	}
	OK(getrlimit(RLIMIT_AS, &limit) == 0);
	plait__stack_pool_init(&pool, STACK, 1, 0);
	IS_INT(take_without(RLIMIT_AS, &limit, &pool, &stack), PLAIT_E_NOMEM);
	HAS_STR(error.text, "65536 bytes");
	IS_UINT(pool.count, 0);
	OK(plait__stack_pool_take(&pool, &stack, &error) == PLAIT_OK);
	plait__stack_pool_return(&pool, stack);
	plait__stack_pool_fini(&pool);
}

/* Never returns.  The stack without a guard page is not given out later. */
static void take_unguarded(void)
{
	plait__stack_pool pool = { 0 };
	plait__stack *stack;

	if (!refuse_guard_marks() || !refuse_guard_mappings())
		_exit(77);
	plait__stack_pool_init(&pool, STACK, 2, 0);
	for (int i = 0; i < 3; i++)
		if (plait__stack_pool_take(&pool, &stack, &error) !=
		    PLAIT_E_NOMEM || pool.count != 1 ||
		    strstr(error.text, "max_map_count") == NULL)
			_exit(8);
	_exit(7);
}

static void no_guard_page(void)
{
	int state = 0;
	pid_t child;

	if (is_slow()) {
		SKIP("the sanitizer or valgrind needs mprotect, too");
		return;
	}
	child = fork();
	if (child == 0)
		take_unguarded();
	OK(child > 0 && waitpid(child, &state, 0) == child);
	OK(WIFEXITED(state));
	if (WEXITSTATUS(state) == 77)
		SKIP("no seccomp here");
	else
		IS_INT(WEXITSTATUS(state), 7);
}

/* ---- guard pages ---- */

static plait__stack *below, *overflown;

/* Touches each page, so that the guard page is met and not jumped over. */
__attribute__((noinline)) static int32_t dig(volatile char *above, int depth)
{
	volatile char room[1024];

	room[0] = above[0];
	return depth > 0 ? dig(room, depth - 1) + room[0] : 0;
}

static int32_t overflow(void *user_data)
{
	volatile char begin[16] = { 0 };

	(void)user_data;
	return dig(begin, 1000);
}

static bool is_intact(const plait__stack *stack)
{
	for (size_t i = 0; i < 16384; i++)
		if (stack->low[i] != 'x')
			return false;
	return true;
}

/* The fault is in the guard page, and the stack below it as it was. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	const char *at = info->si_addr;

	(void)number;
	(void)context;
	_exit(at < overflown->low && at >= overflown->low - 4096 &&
	      is_intact(below) ? 7 : 8);
}

static void watch_faults(void)
{
	static char room[65536];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (sigaltstack(&stack, NULL) != 0 ||
	    sigaction(SIGSEGV, &action, NULL) != 0)
		_exit(3);
}

/* Never returns.  Stacks of a slab lie in order, so the one below is the first. */
static void overflow_second(bool marks)
{
	static plait__coroutine one;
	plait__stack_pool pool = { 0 };

	if (!marks && !refuse_guard_marks())
		_exit(77);
	plait__stack_pool_init(&pool, 16384, 0, 0);
	if (plait__stack_pool_take(&pool, &below, NULL) != PLAIT_OK ||
	    plait__coroutine_init(&one, &pool, overflow, NULL, NULL) !=
	    PLAIT_OK)
		_exit(4);
	overflown = one.stack;
	if (below->low + 16384 + 4096 != overflown->low)
		_exit(5);
	if (!marks && pool.limit != 16384)
		_exit(6);
	memset(below->low, 'x', 16384);
	watch_faults();
	(void)plait__coroutine_resume(&one);
	_exit(9);
}

static void check_guard_page(bool marks)
{
	int state = 0;
	pid_t child;

	if (is_slow() || sysconf(_SC_PAGESIZE) != 4096) {
		SKIP("a sanitizer or valgrind sees the fault first");
		return;
	}
	child = fork();
	if (child == 0)
		overflow_second(marks);
	OK(child > 0 && waitpid(child, &state, 0) == child);
	if (WIFEXITED(state) && WEXITSTATUS(state) == 77) {
		SKIP("no seccomp here");
		return;
	}
	OK(WIFEXITED(state));
	IS_INT(WEXITSTATUS(state), 7);
}

static void guard_page(void)
{
	check_guard_page(true);
}

static void guard_mapping(void)
{
	check_guard_page(false);
}

/* ---- memory ---- */

/* A line of a file in /proc, in KiB. */
static uint64_t read_kib(const char *path, const char *name)
{
	unsigned long long kib = 0;
	char line[256];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoull(line + strlen(name), NULL, 10);
	(void)fclose(file);
	return kib;
}

/* With the page tables. */
static uint64_t resident_kib(void)
{
	return read_kib("/proc/self/status", "VmRSS:") +
	       read_kib("/proc/self/status", "VmPTE:");
}

static uint64_t count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	uint64_t count = 0;
	int letter;

	if (file == NULL)
		return 0;
	while ((letter = fgetc(file)) != EOF)
		count += letter == '\n';
	(void)fclose(file);
	return count;
}

struct suspended {
	plait__coroutine coroutine;
	int32_t number;
};

static int32_t suspend_once(void *user_data)
{
	struct suspended *self = user_data;
	volatile int32_t kept = self->number;

	plait__coroutine_suspend(&self->coroutine);
	return kept;
}

/* Returns how many are suspended now. */
static uint64_t suspend_all(struct suspended *all, uint64_t count,
			    plait__stack_pool *pool)
{
	for (uint64_t i = 0; i < count; i++) {
		all[i].number = (int32_t)i;
		if (plait__coroutine_init(&all[i].coroutine, pool,
					  suspend_once, &all[i], &error) !=
		    PLAIT_OK || plait__coroutine_resume(&all[i].coroutine))
			return i;
	}
	return count;
}

static uint64_t end_all(struct suspended *all, uint64_t count)
{
	uint64_t ended = 0;

	for (uint64_t i = 0; i < count; i++)
		ended += plait__coroutine_resume(&all[i].coroutine) &&
			 all[i].coroutine.result == (int32_t)i;
	return ended;
}

/* Returns true if this kernel has guard pages that are no mappings. */
static bool has_marks(void)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const bool has = madvise(page, bytes, 102) == 0;

	OK(munmap(page, bytes) == 0);
	return has;
}

static void check_many(uint64_t count)
{
	plait__stack_pool pool = { 0 };
	struct suspended *all = calloc(count, sizeof(*all));
	const uint64_t before = resident_kib();
	uint64_t suspended, each, mappings = count_mappings();

	if (!OK(all != NULL))
		return;
	plait__stack_pool_init(&pool, STACK, 0, 0);
	suspended = suspend_all(all, count, &pool);
	each = (resident_kib() - before) * 1024 / (suspended + 1);
	mappings = count_mappings() - mappings;
	IS_UINT(end_all(all, suspended), suspended);
	if (suspended < count && !has_marks()) {
		SKIP("each guard page is a mapping here");
	} else {
		IS_UINT(suspended, count);
		OK(is_slow() || each <= LIMIT_BYTES_EACH);
		OK(is_slow() || mappings < count / 20);
	}
	NOTE("%llu suspended: %llu bytes each, %llu mappings",
	     (unsigned long long)suspended, (unsigned long long)each,
	     (unsigned long long)mappings);
	plait__stack_pool_fini(&pool);
	free(all);
}

static void suspended_at_once(void)
{
	const uint64_t count = is_slow() ? 500 :
			       tap_soak() ? 1000000 : 100000;

	if (read_kib("/proc/meminfo", "MemAvailable:") < count * 8 + 262144) {
		SKIP("not enough memory here");
		return;
	}
	check_many(count);
}

static void flat(void)
{
	const uint64_t count = is_slow() ? 10000 :
			       tap_soak() ? 10000000 : 1000000;
	plait__stack_pool pool = { 0 };
	plait__coroutine one;
	uint64_t ended = 0, before = 0;

	plait__stack_pool_init(&pool, STACK, 0, 0);
	for (uint64_t i = 0; i < count; i++) {
		if (i == 1000)
			before = resident_kib();
		memset(&one, 0, sizeof(one));
		if (plait__coroutine_init(&one, &pool, nothing, NULL,
					  &error) == PLAIT_OK)
			ended += plait__coroutine_resume(&one);
	}
	IS_UINT(ended, count);
	IS_UINT(pool.count, 1);
	OK(is_slow() || resident_kib() < before + 1024);
	plait__stack_pool_fini(&pool);
}

static uint64_t count_resident(plait__stack **stacks, uint64_t count)
{
	uint64_t resident = 0;
	unsigned char pages;

	for (uint64_t i = 0; i < count; i++)
		resident += mincore(stacks[i]->low, 1, &pages) == 0 &&
			    (pages & 1);
	return resident;
}

/* Only so many free stacks keep their pages as the pool says. */
static void given_back(void)
{
	enum { COUNT = 200, BYTES = 4 << 20 };
	static plait__stack *stacks[COUNT];
	plait__stack_pool pool = { 0 };

	plait__stack_pool_init(&pool, BYTES, 0, 0);
	OK(pool.keep >= 16 && pool.keep < COUNT);
	IS_UINT(take_all(&pool, stacks, COUNT), COUNT);
	for (int i = 0; i < COUNT; i++)
		stacks[i]->low[0] = 'x';
	for (int i = 0; i < COUNT; i++)
		plait__stack_pool_return(&pool, stacks[i]);
	IS_UINT(count_resident(stacks, COUNT), pool.keep);
	IS_UINT(take_all(&pool, stacks, COUNT), COUNT);
	IS_UINT(pool.count, COUNT);
	plait__stack_pool_fini(&pool);
}

static const struct tap_scenario all[] = {
	{ "reused", reused },
	{ "limit of bytes", limit_of_bytes },
	{ "many threads", many_threads },
	{ "no memory", no_memory },
	{ "no guard page", no_guard_page },
	{ "guard page", guard_page },
	{ "guard mapping", guard_mapping },
	{ "suspended at once", suspended_at_once },
	{ "flat", flat },
	{ "given back", given_back },
};
TAP_MAIN(all)
