/* SPDX-License-Identifier: MIT */
/* Atomic operations and futexes: the result of each operation, and the answers
 * of futexes. */
#include "lib/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/thread.h"

static void words_of_32_bits(void)
{
	uint32_t expected = 7;
	at_u32 word;

	at_init_u32(&word, 5);
	IS_UINT(at_load_relaxed_u32(&word), 5);
	at_store_relaxed_u32(&word, 6);
	IS_UINT(at_load_acquire_u32(&word), 6);
	at_store_release_u32(&word, UINT32_MAX);
	IS_UINT(at_add_u32(&word, 2), UINT32_MAX);
	IS_UINT(at_sub_u32(&word, 2), 1);
	IS_UINT(at_exchange_u32(&word, 0xf0), UINT32_MAX);
	IS_UINT(at_or_u32(&word, 0x0f), 0xf0);
	IS_UINT(at_and_u32(&word, 0x3c), 0xff);
	OK(!at_cas_u32(&word, &expected, 1));
	IS_UINT(expected, 0x3c);
	OK(at_cas_u32(&word, &expected, 1));
	IS_UINT(at_load_acquire_u32(&word), 1);
}

static void words_of_64_bits(void)
{
	uint64_t expected = 7;
	at_u64 word;

	at_init_u64(&word, 5);
	IS_UINT(at_load_relaxed_u64(&word), 5);
	at_store_relaxed_u64(&word, (uint64_t)1 << 40);
	IS_UINT(at_load_acquire_u64(&word), (uint64_t)1 << 40);
	at_store_release_u64(&word, UINT64_MAX);
	IS_UINT(at_add_u64(&word, 2), UINT64_MAX);
	IS_UINT(at_sub_u64(&word, 2), 1);
	IS_UINT(at_exchange_u64(&word, 0xf0), UINT64_MAX);
	IS_UINT(at_or_u64(&word, 0x0f), 0xf0);
	IS_UINT(at_and_u64(&word, 0x3c), 0xff);
	OK(!at_cas_u64(&word, &expected, 1));
	IS_UINT(expected, 0x3c);
	OK(at_cas_u64(&word, &expected, 1));
	IS_UINT(at_load_acquire_u64(&word), 1);
}

static void pointers(void)
{
	char a;
	char b;
	void *expected = &b;
	at_ptr word;

	at_init_ptr(&word, &a);
	IS_PTR(at_load_relaxed_ptr(&word), &a);
	at_store_relaxed_ptr(&word, NULL);
	IS_PTR(at_load_acquire_ptr(&word), NULL);
	at_store_release_ptr(&word, &a);
	IS_PTR(at_exchange_ptr(&word, NULL), &a);
	OK(!at_cas_ptr(&word, &expected, &a));
	IS_PTR(expected, NULL);
	OK(at_cas_ptr(&word, &expected, &b));
	IS_PTR(at_load_acquire_ptr(&word), &b);
}

static void plain_fields(void)
{
	int field = 1;

	AT_PLAIN_WRITE(field) = 2;
	IS_INT(AT_PLAIN_READ(field), 2);
}

static at_u32 futex;
static at_u32 ready;

static void futex_answers(void)
{
	uint64_t now;

	at_init_u32(&futex, 3);
	IS_INT(at_futex_wait(&futex, 4, UINT64_MAX), -EAGAIN);
	IS_INT(at_futex_wait(&futex, 3, 0), -ETIMEDOUT);
	now = plait__clock_now_ns();
	IS_INT(at_futex_wait(&futex, 3, now + 2000000), -ETIMEDOUT);
	OK(plait__clock_now_ns() >= now + 2000000);
	at_futex_wake_all(&futex); /* no waiter: nothing happens */
	at_futex_wake_one(&futex);
}

static void *wait_for_change(void *arg)
{
	at_u32 *results = arg;

	at_add_u32(&ready, 1);
	while (at_load_acquire_u32(&futex) == 3)
		if (at_futex_wait(&futex, 3, UINT64_MAX) == -EINTR)
			at_add_u32(results, 1);
	return NULL;
}

static void futex_wakes_all(void)
{
	pthread_t threads[3];
	at_u32 interrupted;
	size_t i;

	at_init_u32(&futex, 3);
	at_init_u32(&ready, 0);
	at_init_u32(&interrupted, 0);
	for (i = 0; i < TAP_COUNT(threads); i++)
		pthread_create(&threads[i], NULL, wait_for_change,
			       &interrupted);
	while (at_load_acquire_u32(&ready) < TAP_COUNT(threads))
		plait__thread_yield();
	at_store_release_u32(&futex, 4);
	at_futex_wake_all(&futex);
	for (i = 0; i < TAP_COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	OK_THAT(true, "all sleepers came back");
}

static void ignore_signal(int number)
{
	(void)number;
}

static void futex_tells_of_signals(void)
{
	struct sigaction action = { 0 };
	at_u32 interrupted;
	pthread_t thread;

	action.sa_handler = ignore_signal; /* without SA_RESTART */
	sigaction(SIGUSR1, &action, NULL);
	at_init_u32(&futex, 3);
	at_init_u32(&ready, 0);
	at_init_u32(&interrupted, 0);
	pthread_create(&thread, NULL, wait_for_change, &interrupted);
	while (at_load_acquire_u32(&ready) == 0)
		plait__thread_yield();
	while (at_load_acquire_u32(&interrupted) == 0) {
		pthread_kill(thread, SIGUSR1);
		plait__thread_yield();
	}
	at_store_release_u32(&futex, 4);
	at_futex_wake_all(&futex);
	pthread_join(thread, NULL);
	OK(at_load_acquire_u32(&interrupted) > 0);
}

static void barrier(void)
{
	if (!at_membarrier_available()) {
		SKIP("the kernel has no private expedited membarrier");
		return;
	}
	IS_INT(at_membarrier(), 0);
	OK(at_membarrier_available());
	at_fence_asymmetric();
	at_fence_seq_cst();
	at_spin_pause();
}

static const struct tap_scenario all[] = {
	{ "32 bits", words_of_32_bits },
	{ "64 bits", words_of_64_bits },
	{ "pointers", pointers },
	{ "plain fields", plain_fields },
	{ "answers of a futex", futex_answers },
	{ "waking all", futex_wakes_all },
	{ "signals", futex_tells_of_signals },
	{ "membarrier", barrier },
};

TAP_MAIN(all)
