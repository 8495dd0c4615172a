/* SPDX-License-Identifier: MIT */
/* Blocks of a thread: aligned, separate while they are taken, and reused. */
#include "sys/thread_block.h"

#include <pthread.h>
#include <string.h>

#include "lib/tap.h"

static void reuses(void)
{
	char *first = plait__thread_block_take(100);
	char *second = plait__thread_block_take(100), *again, *larger;

	if (!OK(first != NULL && second != NULL))
		return;
	OK(first != second);
	IS_INT((uintptr_t)first % PLAIT__THREAD_BLOCK_ALIGNMENT, 0);
	IS_INT((uintptr_t)second % PLAIT__THREAD_BLOCK_ALIGNMENT, 0);
	memset(first, 1, 100);
	memset(second, 2, 100);
	OK(first[99] == 1 && second[99] == 2);
	plait__thread_block_give(first);
	again = plait__thread_block_take(50);
	OK_THAT(again == first, "a block that is free is taken again");
	larger = plait__thread_block_take(1 << 20);
	if (!OK(larger != NULL))
		return;
	memset(larger, 3, 1 << 20);
	OK_THAT(again[99] == 1 && second[99] == 2, "no block moves");
	plait__thread_block_give(larger);
	OK(plait__thread_block_take(1 << 20) == larger);
	plait__thread_block_give(larger);
	plait__thread_block_give(second);
	plait__thread_block_give(again);
}

static void is_bounded(void)
{
	OK(plait__thread_block_take(UINT64_MAX) == NULL);
	OK(plait__thread_block_take(UINT64_MAX / 2) == NULL);
	OK(plait__thread_block_take(UINT64_C(1) << 60) == NULL);
}

/* The sanitizers report what is left. */
static void *end_inside(void *user_data)
{
	char *block = plait__thread_block_take(1 << 16);

	if (block != NULL)
		memset(block, 4, 1 << 16);
	(void)plait__thread_block_take(8);
	*(bool *)user_data = block != NULL;
	pthread_exit(NULL);
}

static void ends_with_its_thread(void)
{
	pthread_t thread;
	bool taken = false;

	if (!IS_INT(pthread_create(&thread, NULL, end_inside, &taken), 0))
		return;
	pthread_join(thread, NULL);
	OK(taken);
}

static const struct tap_scenario all[] = {
	{ "reuses blocks", reuses },
	{ "is bounded", is_bounded },
	{ "ends with its thread", ends_with_its_thread },
};

TAP_MAIN(all)
