/* SPDX-License-Identifier: MIT */
/*
 * Worlds of three ranks, which are threads, while something fails on rank 1: each
 * allocation, then each call of each slot of ports.  Every rank ends with an error
 * that names a rank, or without one; nothing leaks; the next collective of the
 * world works, if the world stands, and the next world does.
 */
#include "world/threads.h"

enum { RANKS = 3, FAULTY = 1, COUNT = 20000, STEPS_MAX = 2000 };

/* Memory of one rank. */
struct memory {
	plait_allocator allocator;
	uint64_t live_bytes;
	uint64_t count;
	uint64_t fail; /* 0: none */
	bool is_hit;
};

static struct memory memories[RANKS];
static struct rank ranks[THREADS_MAX];
static float numbers[RANKS][COUNT];
static plait_status first[RANKS];
static char texts[RANKS][PLAIT_ERROR_TEXT_BYTES];

/* The failure at hand. */
static struct {
	uint64_t k;
	const char *slot; /* null: an allocation */
	bool in_open; /* from the opening of the world on, else behind it */
} fault;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	struct memory *memory = user_data;
	uint64_t fail = __atomic_load_n(&memory->fail, __ATOMIC_RELAXED);
	void *moved = NULL;

	if (new_bytes == 0) {
		free(pointer);
	} else {
		if (fail != 0 && __atomic_add_fetch(&memory->count, 1,
						    __ATOMIC_RELAXED) == fail) {
			__atomic_store_n(&memory->is_hit, true,
					 __ATOMIC_RELAXED);
			return NULL;
		}
		moved = realloc(pointer, new_bytes);
		if (moved == NULL)
			return NULL;
	}
	__atomic_add_fetch(&memory->live_bytes,
			   new_bytes - (pointer != NULL ? old_bytes : 0),
			   __ATOMIC_RELAXED);
	return moved;
}

static void arm(const struct rank *rank, uint64_t k)
{
	if (rank->rank == FAULTY && fault.slot == NULL)
		__atomic_store_n(&memories[FAULTY].fail, k, __ATOMIC_RELAXED);
}

/* ---- a rank ---- */

/* All ranks have left the first world before the next one: a rank that comes back
 * sooner meets the others in the world that they are about to leave. */
static pthread_barrier_t all_have_left;

static plait_status sum(struct rank *rank, plait_collective *collective)
{
	const plait_collective_run run = {
		.size = sizeof(run), .count = COUNT,
		.element = PLAIT_ELEMENT_FLOAT, .element_bits = 32,
		.output_memory = numbers[rank->rank],
	};
	plait_status status;

	for (uint32_t i = 0; i < COUNT; i++)
		numbers[rank->rank][i] = (float)(rank->rank + i % 97);
	status = plait_collective_call(collective, &run, &rank->error);
	for (uint32_t i = 0; i < COUNT && status == PLAIT_OK; i++)
		if (numbers[rank->rank][i] != (float)(3 + RANKS * (i % 97)))
			status = PLAIT_E_INTERNAL;
	return status;
}

/* Create a collective and call it twice. */
static plait_status use(struct rank *rank, plait_schedule *schedule)
{
	plait_collective *collective = NULL;
	plait_status status = plait_collective_create(
		rank->world, &schedule, 1, &collective, &rank->error);

	for (int i = 0; i < 2 && status == PLAIT_OK; i++)
		status = sum(rank, collective);
	plait_collective_release(collective);
	return status;
}

static plait_status open_world(struct rank *rank, uint64_t open_ns)
{
	rank->desc.open_ns = open_ns;
	return plait_world_open(rank->context, &rank->desc, &rank->world,
				&rank->error);
}

/* The attempt that fails; the world stays open if it stands. */
static plait_status try(struct rank *rank, plait_schedule *schedule)
{
	/* Ranks that did not hear of rank 1 wait this long. */
	const uint64_t short_ns = 200000000;
	plait_status status = PLAIT_OK;

	if (fault.in_open)
		arm(rank, fault.k);
	status = open_world(rank, fault.in_open ? short_ns : TAP_PATIENCE_NS);
	if (!fault.in_open)
		arm(rank, fault.k);
	if (status == PLAIT_OK)
		status = use(rank, schedule);
	arm(rank, 0);
	first[rank->rank] = status;
	memcpy(texts[rank->rank], status != PLAIT_OK ? rank->error.text : "",
	       status != PLAIT_OK ? sizeof(rank->error.text) : 1);
	return status;
}

/* Open a context, and compile. */
static plait_schedule *begin(struct rank *rank, bool is_faulty)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.options = rank->options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.allocator = &memories[rank->rank].allocator,
		.wrap = is_faulty ? "check,fault" : NULL,
		.log_level = PLAIT_LOG_NONE,
	};

	return rank_did(rank, plait_context_open(&desc, &rank->context,
						 &rank->error)) ?
		rank_compile(rank, "ring", PLAIT_COLL_ALLREDUCE,
			     PLAIT_COLL_IN_PLACE) : NULL;
}

static void end(struct rank *rank, plait_schedule *schedule)
{
	plait_world_release(rank->world);
	plait_schedule_release(schedule);
	plait_context_release(rank->context);
	rank->world = NULL;
	rank->context = NULL;
}

/* The interposer would count the calls of the next world anew. */
static void *live(void *arg)
{
	struct rank *rank = arg;
	bool is_faulty = fault.slot != NULL && rank->rank == FAULTY;
	plait_schedule *schedule = begin(rank, is_faulty);

	if (schedule == NULL)
		abort();
	(void)try(rank, schedule);
	if (!fault.in_open)
		(void)rank_did(rank, use(rank, schedule));
	plait_world_release(rank->world);
	rank->world = NULL;
	(void)pthread_barrier_wait(&all_have_left);
	if (is_faulty) {
		end(rank, schedule);
		schedule = begin(rank, false);
	}
	if (rank->status == PLAIT_OK &&
	    rank_did(rank, open_world(rank, TAP_PATIENCE_NS)))
		(void)rank_did(rank, use(rank, schedule));
	end(rank, schedule);
	return NULL;
}

/* ---- all ranks ---- */

static void start(void)
{
	static unsigned runs;

	runs++;
	memset(ranks, 0, sizeof(ranks));
	memset(memories, 0, sizeof(memories));
	for (uint32_t i = 0; i < RANKS; i++) {
		struct rank *rank = &ranks[i];

		memories[i].allocator = (plait_allocator){
			.size = sizeof(plait_allocator), .resize = resize,
			.user_data = &memories[i],
		};
		rank->rank = i;
		rank->ranks = RANKS;
		rank->error.size = sizeof(rank->error);
		rank->desc.size = sizeof(rank->desc);
		rank->desc.transports = "loopback";
		(void)snprintf(rank->options, sizeof(rank->options),
			       "loopback:rank=%u,ranks=%u,name=t%ld.%u%s%s", i,
			       RANKS, (long)getpid(), runs,
			       i == FAULTY && fault.slot ? ";fault:slot=" : "",
			       i == FAULTY && fault.slot ? fault.slot : "");
		if (i == FAULTY && fault.slot != NULL)
			(void)snprintf(rank->options + strlen(rank->options),
				       sizeof(rank->options) -
					       strlen(rank->options),
				       ",fail=%llu",
				       (unsigned long long)fault.k);
	}
	(void)pthread_barrier_init(&all_have_left, NULL, RANKS);
	for (uint32_t i = 0; i < RANKS; i++)
		if (pthread_create(&ranks[i].thread, NULL, live, &ranks[i]))
			abort();
	(void)ranks_join(ranks, RANKS);
	(void)pthread_barrier_destroy(&all_have_left);
}

/* Every rank but the faulty one names a rank; a world that stood before the failure
 * never waits for its limit. */
static bool is_told(uint32_t rank)
{
	if (first[rank] == PLAIT_OK || rank == FAULTY)
		return true;
	return strstr(texts[rank], "rank ") != NULL &&
	       (fault.in_open || first[rank] != PLAIT_E_TIMEOUT);
}

/* Memory of a context that ends on another thread goes last. */
static bool is_clean(void)
{
	uint64_t since = 0, left;

	do {
		left = plait_live_count(PLAIT_OBJECT_ANY);
		for (uint32_t i = 0; i < RANKS; i++)
			left += __atomic_load_n(&memories[i].live_bytes,
						__ATOMIC_RELAXED);
	} while (left != 0 && !tap_late(&since));
	return left == 0;
}

/* Returns false when nothing failed, or a rule was broken. */
static bool step(void)
{
	bool is_good = true;

	start();
	for (uint32_t i = 0; i < RANKS; i++) {
		is_good &= OK_THAT(is_told(i), "%s %llu: rank %u: %d: %s",
				   fault.slot ? fault.slot : "allocation",
				   (unsigned long long)fault.k, i, first[i],
				   texts[i]);
		is_good &= OK_THAT(ranks[i].status == PLAIT_OK,
				   "%s %llu: rank %u works again: %s",
				   fault.slot ? fault.slot : "allocation",
				   (unsigned long long)fault.k, i,
				   ranks[i].status ? ranks[i].error.text : "");
	}
	is_good &= OK_THAT(is_clean(), "nothing is left");
	return is_good;
}

/* All allocations of rank 1, one after the other. */
static void sweep(bool in_open)
{
	fault.slot = NULL;
	fault.in_open = in_open;
	for (fault.k = 1; fault.k < STEPS_MAX; fault.k++)
		if (!step() || !memories[FAULTY].is_hit)
			break;
	NOTE("%llu allocations failed", (unsigned long long)fault.k - 1);
	OK(fault.k > 10 && fault.k < STEPS_MAX);
}

static void allocations_behind_the_opening(void)
{
	sweep(false);
}

static void allocations_of_the_opening(void)
{
	sweep(true);
}

/* The calls of each slot, the first ones. */
static void slots(void)
{
	static const char *const names[] = {
		"port_open", "port_query", "mail_send", "mail_next",
		"link_create", "link_view", "peer_query",
	};

	fault.in_open = true;
	for (uint32_t i = 0; i < TAP_COUNT(names); i++) {
		fault.slot = names[i];
		for (fault.k = 1; fault.k <= 8; fault.k++)
			if (!step())
				return;
	}
}

static const struct tap_scenario all[] = {
	{ "allocations behind the opening", allocations_behind_the_opening },
	{ "allocations of the opening", allocations_of_the_opening },
	{ "slots", slots },
};

TAP_MAIN(all)
