/* SPDX-License-Identifier: MIT */
/*
 * Known algorithms with published proofs, as tests of the explorer: a ring of
 * one producer and one consumer, a work-stealing deque, a free list with and
 * without tags.  The correct ones pass, each weaker order is detected, and the
 * orders known to be needed are found to be needed.
 */
#include "lib/tap.h"

#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "sys/atomic.h"

/* --- ring ------------------------------------------------------------------ */

enum { RING = 2, ITEMS = 3 };

static at_u32 head; /* moved by the consumer, or by thieves */
static at_u32 tail; /* moved by the producer */
static uint32_t slots[RING];

static void ring_begin(void)
{
	uint32_t i;

	at_init_u32(&head, 0);
	at_init_u32(&tail, 0);
	for (i = 0; i < RING; i++)
		AT_PLAIN_WRITE(slots[i]) = 0;
}

static void ring_push(uint32_t value)
{
	uint32_t at = at_load_relaxed_u32(&tail);

	/* Pairs with the store in pop: the slot is free again. */
	while (at - at_load_acquire_u32(&head) == RING)
		at_spin_pause();
	AT_PLAIN_WRITE(slots[at % RING]) = value;
	at_store_release_u32(&tail, at + 1);
}

static uint32_t ring_pop(void)
{
	uint32_t at = at_load_relaxed_u32(&head);
	uint32_t value;

	/* Pairs with the store in push: the slot is full. */
	while (at_load_acquire_u32(&tail) == at)
		at_spin_pause();
	value = AT_PLAIN_READ(slots[at % RING]);
	at_store_release_u32(&head, at + 1);
	return value;
}

static void ring_run(uint32_t self)
{
	uint32_t i;

	for (i = 1; i <= ITEMS; i++) {
		if (self == 0)
			ring_push(i);
		else
			MC_CHECK(ring_pop() == i);
	}
}

static const struct mc_scenario ring = { "ring", ring_begin, ring_run, NULL,
					 2, 3, 2, 0, 20000 };

/* --- deque ----------------------------------------------------------------- */

enum { DEQUE = 4, EMPTY = 99 };

static at_u32 deque[DEQUE];
static uint32_t payload[DEQUE];
static at_u32 taken[DEQUE];

static void deque_begin(void)
{
	uint32_t i;

	at_init_u32(&head, 1); /* thieves' end; 1, so that below it is 0 */
	at_init_u32(&tail, 1);
	for (i = 0; i < DEQUE; i++) {
		at_init_u32(&deque[i], EMPTY);
		at_init_u32(&taken[i], 0);
		AT_PLAIN_WRITE(payload[i]) = 0;
	}
}

static void deque_push(uint32_t item)
{
	uint32_t bottom = at_load_relaxed_u32(&tail);

	AT_PLAIN_WRITE(payload[item]) = item + 1;
	at_store_relaxed_u32(&deque[bottom % DEQUE], item);
	at_store_release_u32(&tail, bottom + 1);
}

static uint32_t deque_take(void)
{
	uint32_t bottom = at_load_relaxed_u32(&tail) - 1;
	uint32_t top;
	uint32_t item = EMPTY;

	/* Release, so that a thief that sees it sees the items below. */
	at_store_release_u32(&tail, bottom);
	at_fence_seq_cst(); /* pairs with the one in steal */
	top = at_load_relaxed_u32(&head);
	if (top <= bottom)
		item = at_load_relaxed_u32(&deque[bottom % DEQUE]);
	if (top < bottom)
		return item;
	if (top == bottom && !at_cas_u32(&head, &top, top + 1))
		item = EMPTY;
	at_store_release_u32(&tail, bottom + 1);
	return item;
}

static uint32_t deque_steal(void)
{
	uint32_t top = at_load_acquire_u32(&head);
	uint32_t bottom;
	uint32_t item;

	at_fence_seq_cst(); /* pairs with the one in take */
	bottom = at_load_acquire_u32(&tail); /* pairs with push */
	if (top >= bottom)
		return EMPTY;
	item = at_load_relaxed_u32(&deque[top % DEQUE]);
	return at_cas_u32(&head, &top, top + 1) ? item : EMPTY;
}

static void deque_use(uint32_t item)
{
	if (item == EMPTY)
		return;
	MC_CHECK(AT_PLAIN_READ(payload[item]) == item + 1);
	MC_CHECK(at_add_u32(&taken[item], 1) == 0);
}

static void deque_run(uint32_t self)
{
	if (self != 0) {
		deque_use(deque_steal());
		deque_use(deque_steal());
		return;
	}
	deque_push(0);
	deque_push(1);
	deque_use(deque_take());
	deque_use(deque_take());
}

static void deque_end(void)
{
	deque_use(deque_take());
	deque_use(deque_take());
	MC_CHECK(at_load_relaxed_u32(&taken[0]) == 1);
	MC_CHECK(at_load_relaxed_u32(&taken[1]) == 1);
}

static const struct mc_scenario stealing = { "deque", deque_begin, deque_run,
					     deque_end, 2, 4, 2, 0, 30000 };
static const struct mc_scenario two_thieves = {
	"deque, two thieves", deque_begin, deque_run, deque_end, 3, 2, 1, 0,
	20000
};

/* --- free list ------------------------------------------------------------- */

enum { NODES = 3, NONE = 0, WITHOUT_TAGS = 1 };

static at_u64 list_top;	      /* tag in the upper half, node in the lower */
static at_u32 next[NODES + 1]; /* of nodes 1 to NODES */
static at_u32 held[NODES + 1];

static void list_begin(void)
{
	uint32_t i;

	at_init_u64(&list_top, 1);
	for (i = 1; i <= NODES; i++) {
		at_init_u32(&next[i], i < NODES ? i + 1 : NONE);
		at_init_u32(&held[i], 0);
	}
}

static uint64_t retag(uint64_t old, uint32_t node)
{
	uint64_t tag = mc_variant == WITHOUT_TAGS ? 0 : (old >> 32) + 1;

	return tag << 32 | node;
}

static uint32_t list_pop(void)
{
	uint64_t top = at_load_acquire_u64(&list_top);
	uint32_t node;
	uint32_t after;

	for (;;) {
		node = (uint32_t)top;
		if (node == NONE)
			return NONE;
		after = at_load_relaxed_u32(&next[node]);
		if (at_cas_u64(&list_top, &top, retag(top, after)))
			break;
	}
	MC_CHECK(at_exchange_u32(&held[node], 1) == 0);
	return node;
}

static void list_push(uint32_t node)
{
	uint64_t top = at_load_relaxed_u64(&list_top);

	MC_CHECK(at_exchange_u32(&held[node], 0) == 1);
	do
		at_store_relaxed_u32(&next[node], (uint32_t)top);
	while (!at_cas_u64(&list_top, &top, retag(top, node)));
}

static void list_run(uint32_t self)
{
	uint32_t first = list_pop();

	list_pop(); /* keeps what it gets, if it gets one */
	if (self != 0)
		list_push(first);
}

static const struct mc_scenario list = { "free list", list_begin, list_run,
					 NULL, 2, 3, 2, 0, 200000 };

/* --------------------------------------------------------------------------- */

static void right_ones(void)
{
	mc_variant = 0;
	mc_proves(&ring);
	mc_proves(&stealing);
	mc_proves(&two_thieves);
	mc_proves(&list);
}

static void tags(void)
{
	mc_variant = WITHOUT_TAGS;
	mc_finds(&list, "held");
	mc_variant = 0;
}

static void weaker(void)
{
	static const struct mc_scenario *const scenarios[] = {
		&ring, &stealing, &two_thieves, &list
	};
	static const char *const files[] = { "known_algorithms.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "right ones", right_ones },
	{ "a free list without tags", tags },
	{ "weaker orders", weaker },
};

TAP_MAIN(all)
