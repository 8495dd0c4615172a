/* SPDX-License-Identifier: MIT */
/* Handle table: slots, generations, reference counts; see handle_table.h. */
#include "object/handle/handle_table.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/fork.h"
#include "sys/mutex.h"
#include "sys/thread.h"

#include <stddef.h>

enum {
	CHUNK_BITS = 10,
	CHUNK_SLOTS = 1 << CHUNK_BITS,
	CHUNKS = 1 << (PLAIT__HANDLE_SLOT_BITS - CHUNK_BITS),
	LAST_GENERATION = (1 << PLAIT__HANDLE_GENERATION_BITS) - 1,
	INSIDE_BITS = 16,
	USER_BITS = 19,
	TAG_SHIFT = INSIDE_BITS + USER_BITS
};

#define ONE_INSIDE ((uint64_t)1)
#define ONE_USER ((uint64_t)1 << INSIDE_BITS)
#define INSIDE_MAX (ONE_USER - 1)
#define USER_MAX (((uint64_t)1 << USER_BITS) - 1)
/* Tag of a slot without generations left: a type that no object has. */
#define RETIRED ((uint64_t)31 << PLAIT__HANDLE_GENERATION_BITS)
#define SLOT_MASK (((uint64_t)1 << PLAIT__HANDLE_SLOT_BITS) - 1)

/* Each chunk is published by a release store and never unmapped. */
static at_ptr chunks[CHUNKS];

/* Guards the variables below, and the growth of `chunks`. No lock is taken
 * inside. */
static struct plait__mutex lock;
static uint32_t slot_count;
/* FIFO, so that a generation lasts as long as possible. */
static plait__handle_slot *free_first;
static plait__handle_slot *free_last;

const char *plait__handle_type_name(int32_t type)
{
	static const char *const names[PLAIT__HANDLE_TYPES] = {
		"object", "context", "device", "queue", "signal", "buffer",
		"inbox",  "kernel",  "graph",  "plan",	"run",	  "callable",
		"schedule", "chunk program",
		"flow",	  "data",	"world",  "collective"
	};

	return type >= 0 && type < PLAIT__HANDLE_TYPES ? names[type] : "?";
}

/* --- slots */

static uint64_t tag_of(uint64_t state)
{
	return state >> TAG_SHIFT;
}

static uint64_t user_of(uint64_t state)
{
	return state >> INSIDE_BITS & USER_MAX;
}

static uint64_t inside_of(uint64_t state)
{
	return state & INSIDE_MAX;
}

static inline plait__handle_slot *find_slot(uint64_t index)
{
	/* Acquire: pairs with the store in grow. */
	plait__handle_slot *chunk = at_load_acquire_ptr(
		&chunks[index >> CHUNK_BITS]);

	return chunk != NULL ? &chunk[index % CHUNK_SLOTS] : NULL;
}

/* Caller holds `lock`. */
static void push_free(plait__handle_slot *slot)
{
	slot->next = NULL;
	if (free_last != NULL)
		free_last->next = slot;
	else
		free_first = slot;
	free_last = slot;
}

/* Add one chunk. Returns false without memory, or without a number left.
 * Caller holds `lock`. */
static bool grow(void)
{
	plait__handle_slot *chunk;
	char *block;
	uint32_t i;

	if (slot_count == (uint32_t)CHUNKS * CHUNK_SLOTS)
		return false;
	block = plait__alloc(plait__alloc_default(),
			     (CHUNK_SLOTS + 1) * sizeof(*chunk));
	if (block == NULL)
		return false;
	/* Align to a cache line; a chunk is never freed. */
	block += sizeof(*chunk) - (uintptr_t)block % sizeof(*chunk);
	chunk = (plait__handle_slot *)(void *)block;
	for (i = 0; i < CHUNK_SLOTS; i++) {
		chunk[i].index = slot_count + i;
		push_free(&chunk[i]);
	}
	at_store_release_ptr(&chunks[slot_count >> CHUNK_BITS], chunk);
	slot_count += CHUNK_SLOTS;
	return true;
}

static plait__handle_slot *pop_free(void)
{
	plait__handle_slot *slot;

	plait__mutex_lock(&lock);
	slot = free_first;
	if (slot == NULL && grow())
		slot = free_first;
	if (slot != NULL) {
		free_first = slot->next;
		if (free_first == NULL)
			free_last = NULL;
	}
	plait__mutex_unlock(&lock);
	return slot;
}

void plait__handle_reuse(plait__handle_slot *slot, int32_t type, void *object)
{
	uint64_t tag = (uint64_t)type << PLAIT__HANDLE_GENERATION_BITS |
		       slot->generation;

	at_store_relaxed_ptr(&slot->object, object);
	at_store_relaxed_u64(&slot->past, 0);
	at_store_release_u64(&slot->state, tag << TAG_SHIFT | ONE_USER);
}

plait_status plait__handle_make(int32_t type, void *object,
				plait__handle_slot **out, plait_error *error)
{
	plait__handle_slot *slot = pop_free();

	*out = NULL;
	if (slot == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a handle of a %s",
				   plait__handle_type_name(type));
	plait__handle_reuse(slot, type, object);
	*out = slot;
	return PLAIT_OK;
}

uint64_t plait__handle_get(const plait__handle_slot *slot)
{
	return tag_of(at_load_relaxed_u64(&slot->state))
		       << PLAIT__HANDLE_SLOT_BITS |
	       slot->index;
}

bool plait__handle_retire(plait__handle_slot *slot)
{
	bool lasts = slot->generation < LAST_GENERATION;

	slot->generation += lasts;
	/* Relaxed: the slot has no user and no thread inside. A thread with a
	 * stale handle learns only that the handle is stale. */
	at_store_relaxed_u64(&slot->state, (lasts ? slot->generation : RETIRED)
						   << TAG_SHIFT);
	return lasts;
}

void plait__handle_recycle(plait__handle_slot *slot)
{
	plait__mutex_lock(&lock);
	push_free(slot);
	plait__mutex_unlock(&lock);
}

void plait__handle_free(plait__handle_slot *slot)
{
	if (plait__handle_retire(slot))
		plait__handle_recycle(slot);
}

void plait__handle_exhaust_generations(plait__handle_slot *slot)
{
	slot->generation = LAST_GENERATION;
}

/* --- errors */

/* Returns true if the value is a handle that exists, or existed as far as its
 * slot can tell.  *out_type is set in any case. */
static bool is_handle(uint64_t value, int32_t *out_type)
{
	plait__handle_slot *slot;
	uint64_t generation;
	uint64_t now;

	*out_type = (int32_t)(value >> (PLAIT__HANDLE_SLOT_BITS +
					PLAIT__HANDLE_GENERATION_BITS));
	if (value >> 53 != 0 || *out_type <= PLAIT_OBJECT_ANY ||
	    *out_type >= PLAIT__HANDLE_TYPES)
		return false;
	slot = find_slot(value & SLOT_MASK);
	if (slot == NULL)
		return false;
	generation = value >> PLAIT__HANDLE_SLOT_BITS & LAST_GENERATION;
	now = tag_of(at_load_acquire_u64(&slot->state));
	if (now == value >> PLAIT__HANDLE_SLOT_BITS || now == RETIRED)
		return true;
	return generation < (now & LAST_GENERATION);
}

static const char *article(const char *noun)
{
	return noun[0] == 'i' ? "an" : "a";
}

/* Cold, like the next two functions: each API call enters a handle. */
static __attribute__((cold, noinline)) plait_status
refuse(uint64_t value, int32_t type, plait_error *error)
{
	const char *wanted = plait__handle_type_name(type);
	const char *name;
	int32_t found;

	if (value == 0)
		return plait__fail(error, PLAIT_E_HANDLE,
				   "%s handle is null", wanted);
	if (!is_handle(value, &found))
		return plait__fail(error, PLAIT_E_HANDLE,
				   "0x%llx is not a plait handle; %s %s was "
				   "expected", (unsigned long long)value,
				   article(wanted), wanted);
	name = plait__handle_type_name(found);
	if (found != type)
		return plait__fail(error, PLAIT_E_HANDLE,
				   "handle 0x%llx is %s %s, not %s %s",
				   (unsigned long long)value, article(name),
				   name, article(wanted), wanted);
	return plait__fail(error, PLAIT_E_HANDLE,
			   "%s handle 0x%llx: released before", wanted,
			   (unsigned long long)value);
}

static __attribute__((cold, noinline)) plait_status
refuse_full(uint64_t value, int32_t type, plait_error *error)
{
	return plait__fail(error, PLAIT_E_BUSY,
			   "%llu threads are inside %s 0x%llx",
			   (unsigned long long)INSIDE_MAX,
			   plait__handle_type_name(type),
			   (unsigned long long)value);
}

__attribute__((cold)) plait_status
plait__handle_check_fork(plait_error *error)
{
	int32_t parent = plait__fork_check();

	if (parent == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_FORKED,
			   "the library was initialised in process %d before "
			   "fork(); in the child only exec() helps",
			   (int)parent);
}

/* --- enter, leave, retain, release */

/* Find the slot of a handle and load its state; null if the handle is stale. */
static inline plait__handle_slot *find_live(uint64_t value, int32_t type,
					    uint64_t *out_state)
{
	uint64_t tag = value >> PLAIT__HANDLE_SLOT_BITS;
	plait__handle_slot *slot;

	if (tag >> PLAIT__HANDLE_GENERATION_BITS != (uint64_t)type)
		return NULL;
	slot = find_slot(value & SLOT_MASK);
	if (slot == NULL)
		return NULL;
	*out_state = at_load_acquire_u64(&slot->state);
	if (tag_of(*out_state) != tag || user_of(*out_state) == 0)
		return NULL;
	return slot;
}

plait_status plait__handle_enter(const void *handle, int32_t type, void **out,
				 plait_error *error)
{
	uint64_t value = (uintptr_t)handle;
	plait__handle_slot *slot;
	uint64_t state;

	*out = NULL;
	if (plait__fork_check() != 0)
		return plait__handle_check_fork(error);
	do {
		slot = find_live(value, type, &state);
		if (slot == NULL)
			return refuse(value, type, error);
		if (inside_of(state) == INSIDE_MAX)
			return refuse_full(value, type, error);
		/* Acquire: pairs with the store in make. */
	} while (!at_cas_u64(&slot->state, &state, state + ONE_INSIDE));
	*out = at_load_relaxed_ptr(&slot->object);
	return PLAIT_OK;
}

bool plait__handle_is_live(const void *handle, int32_t type)
{
	uint64_t state;

	return find_live((uintptr_t)handle, type, &state) != NULL;
}

void *plait__handle_peek(const void *handle, int32_t type)
{
	uint64_t state;
	plait__handle_slot *slot = find_live((uintptr_t)handle, type, &state);

	return slot != NULL ? at_load_relaxed_ptr(&slot->object) : NULL;
}

void plait__handle_note_past(plait__handle_slot *slot, void *context,
			     uint64_t event)
{
	/* Release, both: a thread that reads a value of a later object
	 * sees the tag of that object, too. */
	at_store_release_ptr(&slot->past_context, context);
	at_store_release_u64(&slot->past, event);
}

bool plait__handle_is_past(const void *handle, int32_t type,
			   const void *context, uint64_t event)
{
	uint64_t state;
	/* Acquire: the values below are not those of an earlier object. */
	plait__handle_slot *slot = find_live((uintptr_t)handle, type, &state);

	/* Acquire: pairs with note_past. */
	if (slot == NULL || at_load_acquire_u64(&slot->past) < event ||
	    (context != NULL &&
	     at_load_acquire_ptr(&slot->past_context) != context))
		return false;
	/* Relaxed: the loads before order it. */
	return tag_of(at_load_relaxed_u64(&slot->state)) == tag_of(state);
}

plait_status plait__handle_refuse(const void *handle, int32_t type,
				  plait_error *error)
{
	return refuse((uintptr_t)handle, type, error);
}

bool plait__handle_leave(plait__handle_slot *slot)
{
	uint64_t state = at_sub_u64(&slot->state, ONE_INSIDE) - ONE_INSIDE;

	return user_of(state) == 0 && inside_of(state) == 0;
}

void plait__handle_retain(const void *handle, int32_t type)
{
	plait__handle_slot *slot;
	uint64_t state;

	if (plait__fork_check() != 0)
		return;
	do {
		slot = find_live((uintptr_t)handle, type, &state);
		/* A full count stays full: the object is immortal. */
		if (slot == NULL || user_of(state) == USER_MAX)
			return;
	} while (!at_cas_u64(&slot->state, &state, state + ONE_USER));
}

/* State after the last reference is dropped: the caller stays inside, unless no
 * other thread is. */
static uint64_t without_users(uint64_t state)
{
	return state - ONE_USER + (inside_of(state) != 0 ? ONE_INSIDE : 0);
}

plait__handle_end plait__handle_release(const void *handle, int32_t type,
					void **out)
{
	plait__handle_slot *slot;
	uint64_t state;
	uint64_t next;
	bool last;
	bool full;

	*out = NULL;
	if (plait__fork_check() != 0)
		return PLAIT__HANDLE_NO_ACTION;
	do {
		slot = find_live((uintptr_t)handle, type, &state);
		if (slot == NULL || user_of(state) == USER_MAX)
			return PLAIT__HANDLE_NO_ACTION;
		last = user_of(state) == 1;
		next = last ? without_users(state) : state - ONE_USER;
		full = last && inside_of(state) == INSIDE_MAX;
		if (full)
			plait__thread_yield(); /* a thread inside leaves soon */
	} while (full || !at_cas_u64(&slot->state, &state, next));
	if (!last)
		return PLAIT__HANDLE_NO_ACTION;
	*out = at_load_relaxed_ptr(&slot->object);
	return inside_of(next) != 0 ? PLAIT__HANDLE_LEAVE :
				      PLAIT__HANDLE_CLOSE;
}

bool plait__handle_is_shared(const plait__handle_slot *slot)
{
	return inside_of(at_load_acquire_u64(&slot->state)) > 1;
}

static uint32_t slots_made(void)
{
	uint32_t made;

	plait__mutex_lock(&lock);
	made = slot_count;
	plait__mutex_unlock(&lock);
	return made;
}

/* Returns true if the slot has an object of this type, or of any type. */
static bool is_of_type(plait__handle_slot *slot, int32_t type)
{
	/* Relaxed: the count is a hint. */
	uint64_t tag = tag_of(at_load_relaxed_u64(&slot->state));
	uint64_t is = tag >> PLAIT__HANDLE_GENERATION_BITS;

	return is != PLAIT_OBJECT_ANY && tag != RETIRED &&
	       (type == PLAIT_OBJECT_ANY || is == (uint64_t)type);
}

uint64_t plait__handle_count(int32_t type)
{
	uint32_t made = slots_made();
	uint64_t count = 0;

	if (type < 0 || type >= PLAIT__HANDLE_TYPES)
		return 0;
	for (uint32_t i = 0; i < made; i++)
		count += is_of_type(find_slot(i), type);
	return count;
}

PLAIT_API uint64_t plait_live_count(int32_t object)
{
	return plait__handle_count(object);
}
