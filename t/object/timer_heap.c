/* SPDX-License-Identifier: MIT */
/* Timers in random order against a plain list; and their thread. */
#include "object/progress/timer.h"

#include "sys/clock.h"

#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

enum { MANY = 300, STEPS = 20000 };

static plait__timer timers[MANY];
static bool is_in[MANY];

/* The earliest due time of those that are in; UINT64_MAX: none. */
static uint64_t earliest(void)
{
	uint64_t found = UINT64_MAX;

	for (int i = 0; i < MANY; i++)
		if (is_in[i] && timers[i].due_ns < found)
			found = timers[i].due_ns;
	return found;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void orders(void)
{
	uint64_t random = tap_seed() * 2 + 1;
	plait__timer *root = NULL;
	uint32_t bad = 0;

	memset(is_in, 0, sizeof(is_in));
	for (int step = 0; step < STEPS && bad == 0; step++) {
		uint64_t at = next_random(&random) % MANY;

		if (is_in[at] && next_random(&random) % 4 == 0)
			at = (uint64_t)(root - timers);
		if (is_in[at]) {
			plait__timer_heap_remove(&root, &timers[at]);
		} else {
			timers[at].due_ns = next_random(&random) % 100;
			plait__timer_heap_add(&root, &timers[at]);
		}
		is_in[at] = !is_in[at];
		bad += (root != NULL ? root->due_ns : UINT64_MAX) != earliest();
	}
	IS_UINT(bad, 0);
}

/* ---- the thread ---- */

static uint32_t expired_count;	/* atomic */

static void count_expired(plait__timer *timer)
{
	(void)timer;
	__atomic_add_fetch(&expired_count, 1, __ATOMIC_SEQ_CST);
}

static uint32_t expired(void)
{
	return __atomic_load_n(&expired_count, __ATOMIC_SEQ_CST);
}

static void threads(void)
{
	static plait__timers all;
	plait__timer late = { .due_ns = plait__clock_deadline(3600000000000u),
			      .expired = count_expired };
	plait__timer soon = { .due_ns = 0, .expired = count_expired };
	uint64_t since = 0;

	/* One that is due earlier than the one that the thread sleeps for. */
	IS_INT(plait__timer_arm(&all, &late, NULL), PLAIT_OK);
	for (uint32_t i = 1; i <= 3; i++) {
		IS_INT(plait__timer_arm(&all, &soon, NULL), PLAIT_OK);
		while (expired() < i && !tap_late(&since))
			continue;
		IS_UINT(expired(), i);
		OK(!plait__timer_disarm(&all, &soon));
	}
	OK(plait__timer_disarm(&all, &late));
	OK(!plait__timer_disarm(&all, &late));
	plait__timer_stop(&all);
	IS_UINT(expired(), 3);
	/* Without a thread. */
	memset(&all, 0, sizeof(all));
	plait__timer_stop(&all);
}

static const struct tap_scenario scenarios[] = {
	{ "orders", orders },
	{ "threads", threads },
};
TAP_MAIN(scenarios)
