/* SPDX-License-Identifier: MIT */
/*
 * Hop latency: ping-pong between two pinned threads.  A hypervisor migrates
 * virtual processors, so the latency varies over time; times with two threads are
 * meaningless without it.
 */
#include <pthread.h>
#include <sched.h>

#include "grain.h"
#include "hop.h"
#include "who.h"

enum { ROUNDS = 100, BLOCKS = 21 };

static struct {
	_Alignas(128) uint32_t ball;
	_Alignas(128) uint32_t back;
} table;

/* Spin, with an occasional yield: another thread may occupy the processor of the
 * other side. */
static void wait_for(uint32_t *word, uint32_t value)
{
	uint32_t looks = 0;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
		if (++looks % 100000 == 0)
			sched_yield();
}

static void *other_side(void *unused)
{
	uint32_t i;

	(void)unused;
	who_pin(1);
	for (i = 1; i <= ROUNDS * BLOCKS; i++) {
		wait_for(&table.ball, i);
		__atomic_store_n(&table.back, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Return the minimum of the blocks. */
static double play(void)
{
	uint32_t i, block, turn = 0;
	double best = 0, ns;

	for (block = 0; block < BLOCKS; block++) {
		uint64_t start = now_ns();

		for (i = 0; i < ROUNDS; i++) {
			__atomic_store_n(&table.ball, ++turn, __ATOMIC_RELEASE);
			wait_for(&table.back, turn);
		}
		ns = (double)(now_ns() - start) / (2 * ROUNDS);
		best = best == 0 || ns < best ? ns : best;
	}
	return best;
}

double hop_measure(void)
{
	pthread_t thread;
	double ns;

	if (who_processors() < 2)
		return 0;
	table.ball = 0;
	table.back = 0;
	who_pin(0);
	if (pthread_create(&thread, NULL, other_side, NULL) != 0)
		return 0;
	ns = play();
	pthread_join(thread, NULL);
	return ns;
}
