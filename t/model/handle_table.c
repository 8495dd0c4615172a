/* SPDX-License-Identifier: MIT */
/*
 * Handles under every interleaving: a thread that enters finds the object that
 * was meant, alive; the object is destroyed exactly once; a stale number finds
 * nothing.  The table is one for the process, so its source is included here:
 * each execution starts with an empty one.
 */
#include "lib/tap.h"

#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "object/handle/handle_table.c"

enum { ALIVE = 7 };

struct thing {
	uint32_t state; /* ALIVE until it is freed */
	plait__handle_slot *slot;
};

static _Alignas(64) char table[(CHUNK_SLOTS + 2) * sizeof(plait__handle_slot)];
static uint64_t handle;
static at_u64 published;
static at_u32 destroyed;
static at_u32 wins;
static bool again; /* a thread that destroys an object creates another one in
		    * its slot */

/* The table's memory, in place of base/alloc.c: one chunk, no more. */
const plait_allocator *plait__alloc_default(void)
{
	return NULL;
}

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	if (slot_count != 0 || bytes > sizeof(table))
		return NULL;
	memset(table, 0, sizeof(table));
	return table;
}

static uint64_t make(void)
{
	struct thing *thing = mc_alloc(sizeof(*thing));
	plait__handle_slot *slot;

	AT_PLAIN_WRITE(thing->state) = ALIVE;
	if (plait__handle_make(PLAIT_OBJECT_QUEUE, thing, &slot, NULL) !=
	    PLAIT_OK)
		return 0;
	return plait__handle_get(slot);
}

static plait__handle_slot *slot_of(uint64_t value)
{
	return find_slot(value & SLOT_MASK);
}

/* Only two slots are free, so that they are used again at once. */
static void begin(void)
{
	memset(chunks, 0, sizeof(chunks));
	memset(&lock, 0, sizeof(lock));
	slot_count = 0;
	free_first = NULL;
	free_last = NULL;
	at_init_u64(&published, 0);
	at_init_u32(&destroyed, 0);
	at_init_u32(&wins, 0);
	again = false;
	plait__mutex_lock(&lock);
	grow();
	free_last = free_first->next;
	free_last->next = NULL;
	plait__mutex_unlock(&lock);
	handle = make();
}

/* As plait__handle_count, which looks at the whole chunk. */
static uint32_t count_used(void)
{
	plait__handle_slot *first = find_slot(0);

	if (first == NULL)
		return UINT32_MAX;
	return is_of_type(first, PLAIT_OBJECT_QUEUE) +
	       is_of_type(first + 1, PLAIT_OBJECT_ANY);
}

static void *as_pointer(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

static void destroy(plait__handle_slot *slot, struct thing *thing)
{
	MC_CHECK(AT_PLAIN_READ(thing->state) == ALIVE);
	AT_PLAIN_WRITE(thing->state) = 0;
	if (!again) {
		plait__handle_free(slot);
		mc_free(thing);
	} else {
		MC_CHECK(plait__handle_retire(slot));
		mc_free(thing);
		thing = mc_alloc(sizeof(*thing));
		AT_PLAIN_WRITE(thing->state) = ALIVE;
		again = false;
		plait__handle_reuse(slot, PLAIT_OBJECT_QUEUE, thing);
		at_store_relaxed_u64(&published, plait__handle_get(slot));
	}
	at_add_u32(&destroyed, 1);
}

/* A call of the API; true if it entered. */
static bool call(uint64_t value)
{
	void *found;

	if (plait__handle_enter(as_pointer(value), PLAIT_OBJECT_QUEUE, &found,
				NULL) != PLAIT_OK)
		return false;
	MC_CHECK(found != NULL);
	MC_CHECK(AT_PLAIN_READ(((struct thing *)found)->state) == ALIVE);
	if (plait__handle_leave(slot_of(value)))
		destroy(slot_of(value), found);
	return true;
}

static bool release(uint64_t value)
{
	plait__handle_end end;
	void *found;

	end = plait__handle_release(as_pointer(value), PLAIT_OBJECT_QUEUE,
				    &found);
	if (end == PLAIT__HANDLE_NO_ACTION)
		return false;
	MC_CHECK(found != NULL);
	MC_CHECK(AT_PLAIN_READ(((struct thing *)found)->state) == ALIVE);
	if (end == PLAIT__HANDLE_CLOSE || plait__handle_leave(slot_of(value)))
		destroy(slot_of(value), found);
	return true;
}

static void run_call(uint32_t self)
{
	if (self == 0)
		MC_CHECK(release(handle));
	else
		call(handle);
}

/* One reference and two threads that release it: a mistake, and no harm. */
static void run_release_twice(uint32_t self)
{
	(void)self;
	if (release(handle))
		at_add_u32(&wins, 1);
}

static void end_release_twice(void)
{
	MC_CHECK(at_load_relaxed_u32(&wins) == 1);
	MC_CHECK(at_load_relaxed_u32(&destroyed) == 1);
	MC_CHECK(count_used() == 0);
}

/* Two references, and a call that takes a third for a while. */
static void begin_retained(void)
{
	begin();
	plait__handle_retain(as_pointer(handle), PLAIT_OBJECT_QUEUE);
}

static void run_retain(uint32_t self)
{
	if (self == 0) {
		plait__handle_retain(as_pointer(handle), PLAIT_OBJECT_QUEUE);
		release(handle);
	}
	release(handle);
}

/* The slot is used again while a thread still has the old number. */
static void run_reuse(uint32_t self)
{
	uint64_t fresh;

	if (self != 0) {
		call(handle);
		return;
	}
	release(handle);
	make(); /* the other free slot, then this one, if no thread is inside */
	fresh = make();
	at_store_relaxed_u64(&published, fresh);
}

/* Does the same without freeing the slot. */
static void begin_again(void)
{
	begin();
	again = true;
}

static void run_again(uint32_t self)
{
	uint64_t fresh;

	if (self == 0)
		release(handle);
	else
		call(handle);
	fresh = at_load_relaxed_u64(&published);
	if (fresh != 0)
		call(fresh);
}

/* Returns true when no other thread is inside; then all that they did is
 * visible. */
static void run_shared(uint32_t self)
{
	plait__handle_end end;
	void *found;

	if (self != 0) {
		if (plait__handle_enter(as_pointer(handle),
					PLAIT_OBJECT_QUEUE, &found, NULL) !=
		    PLAIT_OK)
			return;
		AT_PLAIN_WRITE(((struct thing *)found)->state) = ALIVE;
		plait__handle_leave(slot_of(handle));
		return;
	}
	end = plait__handle_release(as_pointer(handle), PLAIT_OBJECT_QUEUE,
				    &found);
	/* No thread can enter any more, so alone now is alone for ever. */
	if (!plait__handle_is_shared(slot_of(handle)))
		AT_PLAIN_WRITE(((struct thing *)found)->state) = ALIVE;
	if (end == PLAIT__HANDLE_LEAVE)
		plait__handle_leave(slot_of(handle));
}

static void end_reuse(void)
{
	uint64_t fresh = at_load_relaxed_u64(&published);

	MC_CHECK(at_load_relaxed_u32(&destroyed) == 1);
	MC_CHECK(!call(handle));
	MC_CHECK(fresh == 0 || (fresh != handle && call(fresh)));
}

/*
 * A number that another thread read without any order may be refused as not
 * made yet; if it lets that thread in, the object is all there.
 */
static void run_publish(uint32_t self)
{
	uint64_t value;

	if (self == 0) {
		at_store_relaxed_u64(&published, make());
		return;
	}
	value = at_load_relaxed_u64(&published);
	if (value != 0)
		call(value);
}

/*
 * The past of an object is read while the slot goes to another one, of another
 * context, whose events are other ones.  The first object has one event, which
 * a plain store precedes; the later one has nine.
 */
enum { FIRST_PAST = 1, LATER_PAST = 9 };

static char contexts[2];
static uint32_t written;

static void begin_past(void)
{
	begin();
	again = true;
	AT_PLAIN_WRITE(written) = 0;
}

static bool is_past(uint64_t value, int context, uint64_t event)
{
	return plait__handle_is_past(as_pointer(value), PLAIT_OBJECT_QUEUE,
				     &contexts[context], event);
}

static void note_and_replace(void)
{
	AT_PLAIN_WRITE(written) = 1;
	plait__handle_note_past(slot_of(handle), &contexts[0], FIRST_PAST);
	release(handle);
	plait__handle_note_past(slot_of(handle), &contexts[1], LATER_PAST);
}

static void run_past(uint32_t self)
{
	uint64_t fresh;

	if (self == 0) {
		note_and_replace();
		return;
	}
	MC_CHECK(!is_past(handle, 0, LATER_PAST));
	MC_CHECK(!is_past(handle, 1, FIRST_PAST));
	if (is_past(handle, 0, FIRST_PAST))
		MC_CHECK(AT_PLAIN_READ(written) == 1);
	fresh = at_load_relaxed_u64(&published);
	if (fresh != 0) {
		MC_CHECK(!is_past(fresh, 0, FIRST_PAST));
		if (is_past(fresh, 1, LATER_PAST))
			MC_CHECK(AT_PLAIN_READ(written) == 1);
	}
}

static void end_past(void)
{
	uint64_t fresh = at_load_relaxed_u64(&published);

	MC_CHECK(!is_past(handle, 0, FIRST_PAST));
	MC_CHECK(is_past(fresh, 1, LATER_PAST));
	MC_CHECK(!is_past(fresh, 1, LATER_PAST + 1));
	MC_CHECK(!is_past(fresh, 0, FIRST_PAST));
}

static void end_destroyed(void)
{
	MC_CHECK(at_load_relaxed_u32(&destroyed) == 1);
	MC_CHECK(!call(handle));
	MC_CHECK(count_used() == 0);
}

#define HANDLE(id, text, begin, run, end, threads, pre, stale)                \
	static const struct mc_scenario id = { text,    begin, run,   end,    \
					       threads, pre,   stale, 0,      \
					       5000 }

HANDLE(call_2, "a call and the release", begin, run_call, end_destroyed, 2, 5,
	2);
HANDLE(call_3, "two calls and the release", begin, run_call, end_destroyed, 3,
	2, 1);
HANDLE(twice, "released by two", begin, run_release_twice, end_release_twice,
	2, 5, 2);
HANDLE(retained, "retained and released", begin_retained, run_retain,
	end_destroyed, 2, 4, 2);
HANDLE(reuse, "a slot used again", begin, run_reuse, end_reuse, 2, 4, 2);
HANDLE(again_2, "a slot used again by its owner", begin_again, run_again,
	end_reuse, 2, 4, 2);
HANDLE(shared, "other threads inside", begin, run_shared, NULL, 2, 4, 2);
HANDLE(past, "the past of a slot used again", begin_past, run_past, end_past, 2,
	4, 2);
HANDLE(publish, "made and published", begin, run_publish, NULL, 2, 4, 2);

static const struct mc_scenario *const scenarios[] = {
	&call_2, &call_3, &twice, &retained, &reuse, &shared, &publish,
	&again_2, &past,
};

static void explore(void)
{
	size_t i;

	for (i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "object/handle/handle_table.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "handles", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
