/* SPDX-License-Identifier: MIT */
/* Held ops in lists; see held_ops.h. */
#include "flow/lanes/held_ops.h"

#include "base/alloc.h"

/* ---- construction ---- */

static size_t bytes_of(const plait__flow_lanes *lanes)
{
	return (lanes->ring.mask + 1) * sizeof(uint32_t);
}

static void release(plait__flow_lanes *lanes, plait__held_ops *held)
{
	plait__free(lanes->allocator, held->next, bytes_of(lanes));
	plait__free(lanes->allocator, held->waiting, bytes_of(lanes));
	plait__cacheline_free(lanes->allocator, held, sizeof(*held));
}

void plait__held_ops_begin(plait__flow_lanes *lanes)
{
	plait__held_ops *held =
		plait__cacheline_alloc(lanes->allocator, sizeof(*held));

	if (held == NULL)
		return;
	plait__mutex_init(&held->lock);
	at_init_u32(&held->ready, PLAIT__HELD_NONE);
	held->next = plait__alloc(lanes->allocator, bytes_of(lanes));
	held->waiting = plait__alloc(lanes->allocator, bytes_of(lanes));
	if (held->next == NULL || held->waiting == NULL) {
		release(lanes, held);
		return;
	}
	for (uint64_t i = 0; i <= lanes->ring.mask; i++)
		held->waiting[i] = PLAIT__HELD_NONE;
	lanes->held = held;
}

void plait__held_ops_fini(plait__flow_lanes *lanes)
{
	if (lanes->held != NULL)
		release(lanes, lanes->held);
	lanes->held = NULL;
}

/* ---- lists ---- */

static void append_ready(plait__held_ops *held, uint32_t entry)
{
	held->next[entry] = PLAIT__HELD_NONE;
	/* Relaxed: the lock orders it; see plait__held_ops_peek. */
	if (at_load_relaxed_u32(&held->ready) == PLAIT__HELD_NONE)
		at_store_relaxed_u32(&held->ready, entry);
	else
		held->next[held->last] = entry;
	held->last = entry;
}

/* Put an op, which no thread takes meanwhile, into the list where it belongs.  Caller
 * holds the lock.  The end of an op marks it as done and takes the lock then: the look
 * here sees the mark, or that end finds the entry in its list. */
static void enlist(plait__flow_lanes *lanes, uint64_t number)
{
	plait__held_ops *held = lanes->held;
	uint32_t entry = (uint32_t)(number & lanes->ring.mask);
	uint64_t undone = plait__flow_claim_undone(lanes, number);

	if (undone == 0) {
		append_ready(held, entry);
		return;
	}
	held->next[entry] = held->waiting[undone & lanes->ring.mask];
	held->waiting[undone & lanes->ring.mask] = entry;
}

void plait__held_ops_add(plait__flow_lanes *lanes, uint64_t number)
{
	plait__mutex_lock(&lanes->held->lock);
	enlist(lanes, number);
	plait__mutex_unlock(&lanes->held->lock);
}

/* The oldest op of a list was put in first, mostly. */
static uint32_t reverse(plait__held_ops *held, uint32_t entry)
{
	uint32_t before = PLAIT__HELD_NONE, next;

	for (; entry != PLAIT__HELD_NONE; entry = next) {
		next = held->next[entry];
		held->next[entry] = before;
		before = entry;
	}
	return before;
}

/* Of the next op of the entry, too, if that is numbered by now. */
void plait__held_ops_end(plait__flow_lanes *lanes, uint64_t number)
{
	plait__held_ops *held = lanes->held;
	uint32_t *waiting = &held->waiting[number & lanes->ring.mask];
	uint32_t entry, next;

	plait__mutex_lock(&held->lock);
	entry = reverse(held, *waiting);
	*waiting = PLAIT__HELD_NONE;
	for (; entry != PLAIT__HELD_NONE; entry = next) {
		next = held->next[entry];
		/* Relaxed: published, with the lock. */
		enlist(lanes,
		       at_load_relaxed_u64(&lanes->ring.ops[entry].word) / 4);
	}
	plait__mutex_unlock(&held->lock);
}

uint64_t plait__held_ops_take(plait__flow_lanes *lanes)
{
	plait__held_ops *held = lanes->held;
	uint64_t number = 0;
	uint32_t entry;

	if (at_load_relaxed_u32(&held->ready) == PLAIT__HELD_NONE)
		return 0;
	plait__mutex_lock(&held->lock);
	entry = at_load_relaxed_u32(&held->ready);
	if (entry != PLAIT__HELD_NONE) {
		at_store_relaxed_u32(&held->ready, held->next[entry]);
		number = at_load_relaxed_u64(&lanes->ring.ops[entry].word) / 4;
	}
	plait__mutex_unlock(&held->lock);
	return number;
}
