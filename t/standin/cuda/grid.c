/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: execution of a kernel.  Blocks run one after the
 * other.  A block's threads share a stack as long as none waits at a barrier;
 * one that does keeps its stack, and the next thread gets another.  Built
 * without sanitizers, which do not follow from one stack to another; valgrind
 * does if it is told.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

#include "device.h"

enum { STACK_BYTES = 128 << 10 };

struct fiber {
	ucontext_t context;
	char *stack;
	unsigned known; /* to valgrind, by this number */
	struct standin_index thread; /* that waits */
	bool waiting;
};

struct grid {
	const struct standin_launch *launch;
	struct standin_place place;
	unsigned threads, next; /* of a block; not started */
	struct fiber **fibers;
	unsigned fiber_count, used; /* there; by this block */
	struct fiber *running;
	ucontext_t main;
	void *shared;
	int code;
};

static _Thread_local struct grid *grid;

/* --- threads of a block --------------------------------------------------- */

static struct standin_index index_of(unsigned number)
{
	const unsigned *block = grid->launch->block;
	struct standin_index index = {
		number % block[0], number / block[0] % block[1],
		number / block[0] / block[1]
	};

	return index;
}

/* Runs threads until none is left to start. */
static void run_threads(void)
{
	const struct standin_launch *launch = grid->launch;

	while (grid->next < grid->threads) {
		unsigned number = grid->next++;

		grid->place.thread = index_of(launch->backwards ?
					      grid->threads - 1 - number :
					      number);
		launch->kernel->thread(launch->arguments);
	}
	setcontext(&grid->main);
}

static struct fiber *new_fiber(void)
{
	struct fiber *fiber = calloc(1, sizeof(*fiber));

	if (fiber == NULL || (fiber->stack = malloc(STACK_BYTES)) == NULL)
		abort();
	fiber->known = VALGRIND_STACK_REGISTER(fiber->stack,
					       fiber->stack + STACK_BYTES - 1);
	grid->fibers = realloc(grid->fibers, (grid->fiber_count + 1) *
				       sizeof(struct fiber *));
	if (grid->fibers == NULL)
		abort();
	grid->fibers[grid->fiber_count++] = fiber;
	return fiber;
}

static void start_fiber(void)
{
	struct fiber *fiber = grid->used < grid->fiber_count ?
				      grid->fibers[grid->used] : new_fiber();

	grid->used++;
	fiber->waiting = false;
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = STACK_BYTES;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, run_threads, 0);
	grid->running = fiber;
	swapcontext(&grid->main, &fiber->context);
}

/* All remaining threads are at the barrier: go on. */
static bool pass_barrier(void)
{
	bool any = false;
	unsigned i;

	for (i = 0; i < grid->used && grid->code == 0; i++) {
		struct fiber *fiber = grid->fibers[i];

		if (!fiber->waiting)
			continue;
		any = true;
		fiber->waiting = false;
		grid->place.thread = fiber->thread;
		grid->running = fiber;
		swapcontext(&grid->main, &fiber->context);
	}
	return any && grid->code == 0;
}

static void run_block(void)
{
	grid->next = 0;
	grid->used = 0;
	while (grid->next < grid->threads && grid->code == 0)
		start_fiber();
	while (pass_barrier())
		;
}

static void run_blocks(void)
{
	struct standin_index *at = &grid->place.block;
	const struct standin_index *size = &grid->place.grid_size;

	for (at->z = 0; at->z < size->z; at->z++)
		for (at->y = 0; at->y < size->y; at->y++)
			for (at->x = 0; at->x < size->x; at->x++) {
				if (grid->code != 0)
					return;
				run_block();
			}
}

static void free_grid(void)
{
	unsigned i;

	for (i = 0; i < grid->fiber_count; i++) {
		VALGRIND_STACK_DEREGISTER(grid->fibers[i]->known);
		free(grid->fibers[i]->stack);
		free(grid->fibers[i]);
	}
	free(grid->fibers);
	free(grid->shared);
}

int standin_run_grid(const struct standin_launch *launch)
{
	const unsigned *b = launch->block, *g = launch->grid;
	struct grid state = {
		.launch = launch,
		.threads = b[0] * b[1] * b[2],
		.place.block_size = { b[0], b[1], b[2] },
		.place.grid_size = { g[0], g[1], g[2] },
	};

	grid = &state;
	state.shared = calloc(1, launch->shared_bytes + 16u);
	run_blocks();
	free_grid();
	grid = NULL;
	return state.code;
}

/* --- services for kernels ------------------------------------------------- */

static struct standin_place *place(void)
{
	return &grid->place;
}

static void barrier(void)
{
	struct fiber *fiber = grid->running;

	fiber->thread = grid->place.thread;
	fiber->waiting = true;
	swapcontext(&fiber->context, &grid->main);
}

static void *shared(void)
{
	return grid->shared;
}

static void trap(int code)
{
	grid->code = code;
	setcontext(&grid->main);
}

static void set_condition(unsigned long long handle, unsigned value)
{
	int code = grid->launch->set_condition(grid->launch->driver, handle,
					       value);

	if (code != 0)
		trap(code);
}

static unsigned long long timer(void)
{
	return grid->launch->timer();
}

static void texture(unsigned long long handle, float x, float y, float out[4])
{
	int code = grid->launch->texture(handle, x, y, out);

	if (code != 0)
		trap(code);
}

static void store(unsigned long long handle, const void *data, unsigned bytes,
		  int x, int y)
{
	int code = grid->launch->store(handle, data, bytes, x, y);

	if (code != 0)
		trap(code);
}

const struct standin_host standin_grid_host = {
	place, barrier, shared, trap, set_condition, timer, texture, store
};
