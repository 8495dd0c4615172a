/* SPDX-License-Identifier: MIT */
/*
 * Weak memory: each location keeps all its stores in order; a thread has a
 * view, the oldest store of each location that it may still read; release
 * stores carry a view along, acquire loads take it over.  In addition vector
 * clocks, for races on plain fields, which fences do not move: publication by a
 * fence is against the rules, as it is for ThreadSanitizer.
 */
#include "mc_engine.h"

#include <string.h>

enum { LOCATIONS = 256, ROWS = MC_THREADS_MAX + 1, TABLE = 1024 };

struct view {
	uint16_t at[LOCATIONS];
};

struct clock {
	uint32_t at[ROWS];
};

struct store {
	struct store *older;
	uint64_t value;
	uint32_t index;
	struct view view;
	struct clock clock;
};

/* The last accesses that races are judged by. */
struct access {
	uint32_t when; /* 0: never */
	uint32_t row;
	const struct mc_site *site;
};

struct location {
	const void *address;
	struct store *newest; /* null: plain only */
	uint32_t slot;        /* in views */
	struct access plain_write;
	struct access plain_reads[ROWS];
	struct access atomics[ROWS];
};

struct knowledge {
	struct view current;
	struct view pending; /* by relaxed loads; counts after a fence */
	struct view fenced;  /* carried by relaxed stores after a fence */
	struct clock clock;
};

static struct {
	struct location locations[TABLE];
	uint32_t stamp[TABLE];
	uint32_t generation;
	uint32_t slots;
	struct store stores[MC_STEPS_MAX + TABLE];
	uint32_t store_count;
	struct knowledge rows[ROWS];
	struct view fence_order;
	_Alignas(64) char arena[1 << 16];
	uint32_t arena_used;
	uint32_t block_count;
	struct {
		char *start;
		uint32_t bytes;
		bool freed;
	} blocks[512];
} memory;

static void join_view(struct view *into, const struct view *from)
{
	uint32_t i;

	for (i = 0; i < memory.slots; i++)
		if (from->at[i] > into->at[i])
			into->at[i] = from->at[i];
}

static void join_clock(struct clock *into, const struct clock *from)
{
	uint32_t i;

	for (i = 0; i < ROWS; i++)
		if (from->at[i] > into->at[i])
			into->at[i] = from->at[i];
}

void mc_memory_reset(void)
{
	uint32_t row;

	memory.generation++;
	memory.slots = 0;
	memory.store_count = 0;
	memory.arena_used = 0;
	memory.block_count = 0;
	memset(memory.rows, 0, sizeof(memory.rows));
	memset(&memory.fence_order, 0, sizeof(memory.fence_order));
	for (row = 0; row < ROWS; row++)
		memory.rows[row].clock.at[row] = 1;
}

void mc_memory_fork(uint32_t rows)
{
	uint32_t row;

	for (row = 1; row <= rows; row++) {
		join_view(&memory.rows[row].current, &memory.rows[0].current);
		join_clock(&memory.rows[row].clock, &memory.rows[0].clock);
	}
	memory.rows[0].clock.at[0]++;
}

void mc_memory_join(uint32_t rows)
{
	uint32_t row;

	for (row = 1; row <= rows; row++) {
		join_view(&memory.rows[0].current, &memory.rows[row].current);
		join_clock(&memory.rows[0].clock, &memory.rows[row].clock);
	}
}

/* Stops an execution, also where there is no coroutine to leave. */
static void stop(void)
{
	if (mc_running())
		mc_leave();
}

static struct store *new_store(struct location *location, uint64_t value)
{
	struct store *store;

	if (memory.store_count == MC_STEPS_MAX + TABLE) {
		mc_abandon("the explorer ran out of stores");
		stop();
		memory.store_count--;
	}
	store = &memory.stores[memory.store_count++];
	store->older = location->newest;
	store->value = value;
	store->index = location->newest ? location->newest->index + 1 : 0;
	memset(&store->view, 0, memory.slots * sizeof(store->view.at[0]));
	memset(&store->clock, 0, sizeof(store->clock));
	location->newest = store;
	return store;
}

static uint64_t read_raw(const void *cell, uint32_t bytes)
{
	uint32_t word;
	uint64_t wide;

	if (bytes == sizeof(word)) {
		memcpy(&word, cell, sizeof(word));
		return word;
	}
	memcpy(&wide, cell, sizeof(wide));
	return wide;
}

static void write_raw(void *cell, uint32_t bytes, uint64_t value)
{
	uint32_t word = (uint32_t)value;

	if (bytes == sizeof(word))
		memcpy(cell, &word, sizeof(word));
	else
		memcpy(cell, &value, sizeof(value));
}

static struct location *find(const void *address)
{
	uint32_t at = (uint32_t)((uintptr_t)address >> 2) * 2654435761u >> 22;
	struct location *location;
	uint32_t tries;

	for (tries = 0; tries < TABLE; tries++) {
		at %= TABLE;
		location = &memory.locations[at];
		if (memory.stamp[at] != memory.generation) {
			memory.stamp[at] = memory.generation;
			memset(location, 0, sizeof(*location));
			location->address = address;
			return location;
		}
		if (location->address == address)
			return location;
		at++;
	}
	mc_abandon("the explorer ran out of locations");
	stop();
	return &memory.locations[0];
}

/* At the first touch the memory itself holds the first store. */
static struct location *find_atomic(const void *cell, uint32_t bytes)
{
	struct location *location = find(cell);
	uint32_t row;

	if (location->newest != NULL)
		return location;
	if (memory.slots == LOCATIONS) {
		mc_abandon("the explorer ran out of atomic locations");
		stop();
		memory.slots--;
	}
	location->slot = memory.slots++;
	for (row = 0; row < memory.store_count; row++)
		memory.stores[row].view.at[location->slot] = 0;
	new_store(location, read_raw(cell, bytes));
	return location;
}

static struct knowledge *mine(void)
{
	return &memory.rows[mc_self()];
}

static bool seen(const struct access *access)
{
	return access->when <= mine()->clock.at[access->row];
}

static void report_race(const struct access *other, struct mc_site *site)
{
	char reason[MC_REASON_BYTES];

	snprintf(reason, sizeof(reason),
		 "race: %s at %s:%d and %s at %s:%d are not ordered",
		 site->name, site->file, site->line, other->site->name,
		 other->site->file, other->site->line);
	mc_abandon(reason);
	stop();
}

static void note(struct access *access, struct mc_site *site)
{
	access->row = mc_self();
	access->when = mine()->clock.at[access->row];
	access->site = site;
}

/* An atomic access must be after the last plain one (an at_init is one). */
static void note_atomic(struct location *location, struct mc_site *site)
{
	if (!seen(&location->plain_write))
		report_race(&location->plain_write, site);
	note(&location->atomics[mc_self()], site);
}

static void note_plain_write(struct location *location, struct mc_site *site)
{
	uint32_t row;

	if (!seen(&location->plain_write))
		report_race(&location->plain_write, site);
	for (row = 0; row < ROWS; row++) {
		if (!seen(&location->plain_reads[row]))
			report_race(&location->plain_reads[row], site);
		if (!seen(&location->atomics[row]))
			report_race(&location->atomics[row], site);
	}
	note(&location->plain_write, site);
}

void mc_plain(const void *address, bool write, struct mc_site *site)
{
	struct location *location;

	site->visits++;
	mc_memory_check(address, site);
	location = find(address);
	if (write) {
		note_plain_write(location, site);
	} else {
		if (!seen(&location->plain_write))
			report_race(&location->plain_write, site);
		note(&location->plain_reads[mc_self()], site);
	}
	if (mc_tracing())
		mc_trace(site, "plain %s", write ? "write" : "read");
}

/* The store that a read of this thread sees; the newest costs nothing. */
static struct store *choose_store(struct location *location,
				  bool (*fits)(const struct store *store,
					       uint64_t argument),
				  uint64_t argument)
{
	uint32_t oldest = mine()->current.at[location->slot];
	struct store *store = location->newest;
	struct store *candidates[16];
	uint32_t count = 0;
	uint32_t taken;

	candidates[count++] = store;
	if (!mc_running() || (mc_budget.stale == 0 && !mc_is_random()))
		return store;
	while (store->index > oldest && count < 16) {
		store = store->older;
		if (fits == NULL || fits(store, argument))
			candidates[count++] = store;
	}
	taken = mc_pick(count, 2);
	if (taken != 0)
		mc_spend(&mc_budget.stale);
	return candidates[taken];
}

static void see(struct location *location, const struct store *store,
		bool acquire)
{
	struct knowledge *me = mine();

	if (store->index > me->current.at[location->slot])
		me->current.at[location->slot] = (uint16_t)store->index;
	if (acquire) {
		join_view(&me->current, &store->view);
		join_clock(&me->clock, &store->clock);
	} else {
		join_view(&me->pending, &store->view);
	}
}

/* `before` is the store that a read-modify-write replaces, or null. */
static void publish(struct location *location, uint64_t value, bool release,
		    const struct store *before)
{
	struct knowledge *me = mine();
	struct store *store = new_store(location, value);

	me->current.at[location->slot] = (uint16_t)store->index;
	join_view(&store->view, release ? &me->current : &me->fenced);
	store->view.at[location->slot] = (uint16_t)store->index;
	if (release)
		join_clock(&store->clock, &me->clock);
	if (before != NULL) {
		join_view(&store->view, &before->view);
		join_clock(&store->clock, &before->clock);
	}
	me->clock.at[mc_self()]++;
	mc_threads_wrote();
}

uint64_t mc_load(const void *cell, uint32_t bytes, struct mc_site *site)
{
	bool acquire = site->op == MC_LOAD_ACQUIRE &&
		       (site->weakened & MC_RELAX) == 0;
	struct location *location;
	struct store *store;

	mc_point(site);
	mc_memory_check(cell, site);
	location = find_atomic(cell, bytes);
	note_atomic(location, site);
	store = choose_store(location, NULL, 0);
	see(location, store, acquire);
	if (mc_tracing())
		mc_trace(site, "@%u reads %llu%s", location->slot,
			 (unsigned long long)store->value,
			 store == location->newest ? "" : " (an old value)");
	return store->value;
}

void mc_store(void *cell, uint32_t bytes, uint64_t value,
	      struct mc_site *site)
{
	bool release = site->op == MC_STORE_RELEASE &&
		       (site->weakened & MC_RELAX) == 0;
	struct location *location;

	mc_point(site);
	mc_memory_check(cell, site);
	location = find_atomic(cell, bytes);
	if (site->op == MC_INIT)
		note_plain_write(location, site);
	else
		note_atomic(location, site);
	publish(location, value, release, NULL);
	write_raw(cell, bytes, value);
	if (mc_tracing())
		mc_trace(site, "@%u := %llu", location->slot,
			 (unsigned long long)value);
}

static uint64_t combine(enum mc_rmw kind, uint64_t old, uint64_t value,
			uint32_t bytes)
{
	uint64_t result = value;

	if (kind == MC_ADD)
		result = old + value;
	else if (kind == MC_SUB)
		result = old - value;
	else if (kind == MC_OR)
		result = old | value;
	else if (kind == MC_AND)
		result = old & value;
	return bytes == sizeof(uint32_t) ? (uint32_t)result : result;
}

static uint64_t replace(struct location *location, void *cell, uint32_t bytes,
			uint64_t value, struct mc_site *site)
{
	struct store *before = location->newest;

	see(location, before, (site->weakened & MC_NO_ACQUIRE) == 0);
	publish(location, value, (site->weakened & MC_NO_RELEASE) == 0,
		before);
	write_raw(cell, bytes, value);
	if (mc_tracing())
		mc_trace(site, "@%u %llu -> %llu", location->slot,
			 (unsigned long long)before->value,
			 (unsigned long long)value);
	return before->value;
}

uint64_t mc_rmw(void *cell, uint32_t bytes, enum mc_rmw kind, uint64_t value,
		struct mc_site *site)
{
	struct location *location;

	mc_point(site);
	mc_memory_check(cell, site);
	location = find_atomic(cell, bytes);
	note_atomic(location, site);
	value = combine(kind, location->newest->value, value, bytes);
	return replace(location, cell, bytes, value, site);
}

static bool differs(const struct store *store, uint64_t argument)
{
	return store->value != argument;
}

/* A compare that fails is only a load, and may see an old value. */
bool mc_cas(void *cell, uint32_t bytes, uint64_t *expected, uint64_t value,
	    struct mc_site *site)
{
	struct location *location;
	struct store *store;

	mc_point(site);
	mc_memory_check(cell, site);
	location = find_atomic(cell, bytes);
	note_atomic(location, site);
	store = choose_store(location, differs, *expected);
	if (store->value == *expected) {
		replace(location, cell, bytes, value, site);
		return true;
	}
	see(location, store, (site->weakened & MC_NO_ACQUIRE) == 0);
	if (mc_tracing())
		mc_trace(site, "@%u is %llu, not %llu", location->slot,
			 (unsigned long long)store->value,
			 (unsigned long long)*expected);
	*expected = store->value;
	return false;
}

static void fence_row(uint32_t row)
{
	struct knowledge *who = &memory.rows[row];

	join_view(&who->current, &who->pending);
	join_view(&memory.fence_order, &who->current);
	join_view(&who->current, &memory.fence_order);
	join_view(&who->fenced, &who->current);
}

void mc_memory_fence(void)
{
	fence_row(mc_self());
}

void mc_fence(struct mc_site *site)
{
	mc_point(site);
	if ((site->weakened & MC_DROP) == 0)
		mc_memory_fence();
	if (mc_tracing())
		mc_trace(site, "fence");
}

/*
 * A full fence here, one on every other thread meanwhile, one at the end.
 * The others fence in no order that they could count on, so none of them
 * learns from another.
 */
static void fence_all(void)
{
	static struct view order;
	struct knowledge *who;
	uint32_t row;

	mc_memory_fence();
	order = memory.fence_order;
	for (row = 1; row < ROWS; row++) {
		who = &memory.rows[row];
		join_view(&who->current, &who->pending);
		join_view(&memory.fence_order, &who->current);
		join_view(&who->current, &order);
		join_view(&who->fenced, &who->current);
	}
	mc_memory_fence();
}

int mc_membarrier(struct mc_site *site)
{
	mc_point(site);
	if ((site->weakened & MC_DROP) == 0)
		fence_all();
	if (mc_tracing())
		mc_trace(site, "fence on all threads");
	return 0;
}

/* The kernel's look at a futex word; it has fenced before. */
uint64_t mc_memory_peek(const void *cell, uint32_t bytes,
			struct mc_site *site)
{
	struct location *location = find_atomic(cell, bytes);
	struct store *store;

	note_atomic(location, site);
	store = choose_store(location, NULL, 0);
	see(location, store, false);
	return store->value;
}

void *mc_alloc(uint64_t bytes)
{
	uint64_t rounded = (bytes + 63) & ~(uint64_t)63;
	char *block = memory.arena + memory.arena_used;
	uint32_t at = memory.block_count;

	if (bytes == 0 || rounded > sizeof(memory.arena) - memory.arena_used ||
	    at == sizeof(memory.blocks) / sizeof(memory.blocks[0]))
		return NULL;
	memory.arena_used += (uint32_t)rounded;
	memory.blocks[at].start = block;
	memory.blocks[at].bytes = (uint32_t)rounded;
	memory.blocks[at].freed = false;
	memory.block_count++;
	memset(block, 0, rounded);
	return block;
}

/* Every access to the memory must have happened before. */
static void check_free(const char *start, uint32_t bytes)
{
	struct mc_site *site = MC_SITE("mc_free", MC_PLAIN);
	const char *address;
	uint32_t i;

	for (i = 0; i < TABLE; i++) {
		address = memory.locations[i].address;
		if (memory.stamp[i] == memory.generation && address >= start &&
		    address < start + bytes)
			note_plain_write(&memory.locations[i], site);
	}
}

void mc_free(void *block)
{
	uint32_t i;

	for (i = 0; i < memory.block_count && block != NULL; i++) {
		if (memory.blocks[i].start != block)
			continue;
		if (memory.blocks[i].freed)
			mc_fail("freed twice");
		check_free(memory.blocks[i].start, memory.blocks[i].bytes);
		memory.blocks[i].freed = true;
	}
}

void mc_memory_check(const void *address, struct mc_site *site)
{
	const char *at = address;
	uint32_t i;

	if (at < memory.arena || at >= memory.arena + sizeof(memory.arena))
		return;
	for (i = 0; i < memory.block_count; i++)
		if (memory.blocks[i].freed && at >= memory.blocks[i].start &&
		    at < memory.blocks[i].start + memory.blocks[i].bytes)
			mc_fail("%s at %s:%d touches freed memory",
				site->name, site->file, site->line);
}
