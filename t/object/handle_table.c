/* SPDX-License-Identifier: MIT */
/* The table of handles: enter, leave, and the detection of invalid numbers. */
#include "object/handle/handle_table.h"

#include "lib/tap.h"

#include "sys/thread.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int thing;

static void *as_handle(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

static plait__handle_slot *make(int32_t type)
{
	plait__handle_slot *slot;

	OK(plait__handle_make(type, &thing, &slot, NULL) == PLAIT_OK);
	return slot;
}

static void end(plait__handle_slot *slot, int32_t type)
{
	void *handle = as_handle(plait__handle_get(slot));
	void *found;

	OK(plait__handle_release(handle, type, &found) == PLAIT__HANDLE_CLOSE);
	plait__handle_free(slot);
}

static void numbers(void)
{
	plait__handle_slot *slot = make(PLAIT_OBJECT_QUEUE);
	uint64_t value = plait__handle_get(slot);

	OK(value != 0 && value < (uint64_t)1 << 53);
	IS_INT(value >> 48, PLAIT_OBJECT_QUEUE);
	IS_UINT(plait__handle_count(PLAIT_OBJECT_QUEUE), 1);
	IS_UINT(plait__handle_count(PLAIT_OBJECT_ANY), 1);
	end(slot, PLAIT_OBJECT_QUEUE);
	IS_UINT(plait__handle_count(PLAIT_OBJECT_ANY), 0);
	IS_UINT(plait__handle_count(-1), 0);
	IS_UINT(plait__handle_count(1000), 0);
}

static void comes_and_goes(void)
{
	plait__handle_slot *slot = make(PLAIT_OBJECT_BUFFER);
	void *handle = as_handle(plait__handle_get(slot));
	plait_error error = { .size = sizeof(error) };
	void *found;

	IS_INT(plait__handle_enter(handle, PLAIT_OBJECT_BUFFER, &found, NULL),
	       PLAIT_OK);
	IS_PTR(found, &thing);
	OK(!plait__handle_is_shared(slot));
	IS_INT(plait__handle_enter(handle, PLAIT_OBJECT_BUFFER, &found, NULL),
	       PLAIT_OK);
	OK(plait__handle_is_shared(slot));
	OK(!plait__handle_leave(slot));
	plait__handle_retain(handle, PLAIT_OBJECT_BUFFER);
	OK(plait__handle_release(handle, PLAIT_OBJECT_BUFFER, &found) ==
	   PLAIT__HANDLE_NO_ACTION);
	IS_PTR(found, NULL);
	/* The last reference is dropped while a thread is inside. */
	OK(plait__handle_release(handle, PLAIT_OBJECT_BUFFER, &found) ==
	   PLAIT__HANDLE_LEAVE);
	IS_PTR(found, &thing);
	OK(!plait__handle_leave(slot));
	IS_INT(plait__handle_enter(handle, PLAIT_OBJECT_BUFFER, &found,
				   &error), PLAIT_E_HANDLE);
	HAS_STR(error.text, "buffer handle 0x");
	HAS_STR(error.text, "released before");
	OK(plait__handle_release(handle, PLAIT_OBJECT_BUFFER, &found) ==
	   PLAIT__HANDLE_NO_ACTION);
	OK(plait__handle_leave(slot));
	plait__handle_free(slot);
	IS_INT(plait__handle_enter(handle, PLAIT_OBJECT_BUFFER, &found,
				   &error), PLAIT_E_HANDLE);
	HAS_STR(error.text, "released before");
}

static const char *refused(uint64_t value, int32_t type)
{
	static plait_error error;
	void *found;

	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait__handle_enter(as_handle(value), type, &found, &error),
	       PLAIT_E_HANDLE);
	IS_PTR(found, NULL);
	plait__handle_retain(as_handle(value), type);
	OK(plait__handle_release(as_handle(value), type, &found) ==
	   PLAIT__HANDLE_NO_ACTION);
	return error.text;
}

static void says_what_is_wrong(void)
{
	plait__handle_slot *slot = make(PLAIT_OBJECT_BUFFER);
	uint64_t value = plait__handle_get(slot);
	uint64_t step = (uint64_t)1 << PLAIT__HANDLE_SLOT_BITS;

	HAS_STR(refused(0, PLAIT_OBJECT_QUEUE), "queue handle is null");
	HAS_STR(refused(value, PLAIT_OBJECT_QUEUE), "is a buffer, not a queue");
	HAS_STR(refused(value, PLAIT_OBJECT_INBOX), "not an inbox");
	/* Numbers that never were handles. */
	HAS_STR(refused(1, PLAIT_OBJECT_QUEUE), "not a plait handle");
	HAS_STR(refused((uintptr_t)&thing, PLAIT_OBJECT_QUEUE),
		"not a plait handle");
	HAS_STR(refused(UINT64_MAX, PLAIT_OBJECT_QUEUE), "not a plait handle");
	HAS_STR(refused(value + step, PLAIT_OBJECT_BUFFER),
		"not a plait handle");
	HAS_STR(refused((uint64_t)31 << 48, PLAIT_OBJECT_BUFFER),
		"not a plait handle");
	HAS_STR(refused(((uint64_t)PLAIT_OBJECT_BUFFER << 48) | 0xfffffe,
			PLAIT_OBJECT_BUFFER), "not a plait handle");
	/* An equal slot and generation with another type. */
	HAS_STR(refused(value ^ ((uint64_t)PLAIT_OBJECT_BUFFER << 48) ^
			((uint64_t)PLAIT_OBJECT_QUEUE << 48),
			PLAIT_OBJECT_QUEUE), "not a plait handle");
	end(slot, PLAIT_OBJECT_BUFFER);
	HAS_STR(refused(value, PLAIT_OBJECT_BUFFER), "released before");
	HAS_STR(refused(value, PLAIT_OBJECT_QUEUE), "is a buffer, not a queue");
}

static void generations_end(void)
{
	plait__handle_slot *slot = make(PLAIT_OBJECT_PLAN);
	uint32_t index = slot->index;
	uint64_t last;
	int i;

	plait__handle_exhaust_generations(slot);
	end(slot, PLAIT_OBJECT_PLAN); /* its generations are used up now */
	last = (uint64_t)PLAIT_OBJECT_PLAN << 48 | (uint64_t)0xffffff << 24 |
	       index;
	HAS_STR(refused(last, PLAIT_OBJECT_PLAN), "released before");
	/* No slot of the table's first chunk comes up with that number. */
	for (i = 0; i < 3000; i++) {
		plait__handle_slot *other = make(PLAIT_OBJECT_PLAN);

		if (other->index == index)
			OK_THAT(false, "a retired slot is used again");
		end(other, PLAIT_OBJECT_PLAN);
	}
}

static void many(void)
{
	enum { COUNT = 5000 };
	static plait__handle_slot *slots[COUNT];
	void *found;
	int i;

	for (i = 0; i < COUNT; i++)
		if (plait__handle_make(PLAIT_OBJECT_GRAPH, &slots[i],
				       &slots[i], NULL) != PLAIT_OK)
			break;
	IS_INT(i, COUNT);
	while (i-- > 0) {
		void *handle = as_handle(plait__handle_get(slots[i]));

		if (plait__handle_enter(handle, PLAIT_OBJECT_GRAPH, &found,
					NULL) != PLAIT_OK ||
		    found != &slots[i] || plait__handle_leave(slots[i]))
			break;
		if (plait__handle_release(handle, PLAIT_OBJECT_GRAPH,
					  &found) != PLAIT__HANDLE_CLOSE)
			break;
		plait__handle_free(slots[i]);
	}
	IS_INT(i, -1);
	IS_UINT(plait__handle_count(PLAIT_OBJECT_GRAPH), 0);
}

/* --- threads: enter, leave, retain and release one handle at once */

enum { THREADS = 3, ROUNDS = 20000 };

static struct {
	void *handle;
	plait__handle_slot *slot;
	at_u64 ended;
} shared;

static void release_shared(void)
{
	plait__handle_end end;
	void *found;

	end = plait__handle_release(shared.handle, PLAIT_OBJECT_RUN, &found);
	if (end == PLAIT__HANDLE_CLOSE ||
	    (end == PLAIT__HANDLE_LEAVE && plait__handle_leave(shared.slot)))
		at_add_u64(&shared.ended, 1);
}

static void visit(void *arg)
{
	void *found;
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		if (plait__handle_enter(shared.handle, PLAIT_OBJECT_RUN,
					&found, NULL) != PLAIT_OK)
			continue;
		if (i % 3 == 0)
			plait__handle_retain(shared.handle, PLAIT_OBJECT_RUN);
		if (plait__handle_leave(shared.slot))
			at_add_u64(&shared.ended, 1);
		if (i % 3 == 0)
			release_shared();
	}
}

static void ends_once(void)
{
	struct plait__thread threads[THREADS];
	int i;

	shared.slot = make(PLAIT_OBJECT_RUN);
	shared.handle = as_handle(plait__handle_get(shared.slot));
	for (i = 0; i < THREADS; i++)
		plait__thread_start(&threads[i], "visit", visit, NULL, NULL);
	release_shared();
	for (i = 0; i < THREADS; i++)
		plait__thread_join(&threads[i]);
	IS_UINT(at_load_acquire_u64(&shared.ended), 1);
	plait__handle_free(shared.slot);
}

static const struct tap_scenario all[] = {
	{ "numbers", numbers },
	{ "comes_and_goes", comes_and_goes },
	{ "says_what_is_wrong", says_what_is_wrong },
	{ "generations_end", generations_end },
	{ "many", many },
	{ "ends_once", ends_once },
};

TAP_MAIN(all)
