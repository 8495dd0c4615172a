/* SPDX-License-Identifier: MIT */
/*
 * Flows over a world of three ranks, which are threads, while each allocation of
 * rank 1 fails once, from the creation of the flow to its last task.  Every rank
 * ends, those with an error name a rank; nothing leaks, and the next flow of the
 * world works.
 */
#include "world/threads.h"

enum { RANKS = 3, FAULTY = 1, N = 48, TASKS = 12, STEPS_MAX = 2000 };

/* Memory of rank 1. */
static struct {
	uint64_t live_bytes, count, fail; /* 0: none */
	bool is_hit;
} memory;

static struct rank ranks[THREADS_MAX];
static plait_status first[RANKS];
static char texts[RANKS][PLAIT_ERROR_TEXT_BYTES];
static pthread_barrier_t all_have_ended;
static uint64_t step;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	uint64_t fail = __atomic_load_n(&memory.fail, __ATOMIC_RELAXED);
	void *moved = NULL;

	(void)user_data;
	if (new_bytes == 0) {
		free(pointer);
	} else {
		if (fail != 0 && __atomic_add_fetch(&memory.count, 1,
						    __ATOMIC_RELAXED) == fail) {
			__atomic_store_n(&memory.is_hit, true,
					 __ATOMIC_RELAXED);
			return NULL;
		}
		moved = realloc(pointer, new_bytes);
		if (moved == NULL)
			return NULL;
	}
	__atomic_add_fetch(&memory.live_bytes,
			   new_bytes - (pointer != NULL ? old_bytes : 0),
			   __ATOMIC_RELAXED);
	return moved;
}

static void arm(const struct rank *rank, uint64_t k)
{
	if (rank->rank == FAULTY)
		__atomic_store_n(&memory.fail, k, __ATOMIC_RELAXED);
}

/* ---- a rank ---- */

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Each rank's part is read and written by all: a transfer before each task. */
static plait_status submit(plait_flow *flow, plait_data *data, uint32_t i,
			   plait_error *error)
{
	const uint64_t part = N / RANKS, at = i % RANKS * part;
	const uint64_t other = (i + 1) % RANKS * part;
	const plait_box boxes[2] = { { { at, 0, 0 }, { at + part, 1, 1 } },
				     { { other, 0, 0 },
				       { other + part, 1, 1 } } };
	const plait_access accesses[2] = {
		{ .size = sizeof(accesses[0]), .data = data, .box = &boxes[0],
		  .mode = PLAIT_ACCESS_READ_WRITE },
		{ .size = sizeof(accesses[1]), .data = data, .box = &boxes[1],
		  .mode = PLAIT_ACCESS_READ } };
	const plait_task_desc task = {
		.size = sizeof(task), .kind = PLAIT_TASK_CALL, .label = "task",
		.function = do_nothing, .accesses = accesses,
		.access_count = 2 };

	return plait_flow_submit(flow, &task, NULL, error);
}

/* A whole flow; the first failure ends it. */
static plait_status use(struct rank *rank)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .horizon = 4,
				       .world = rank->world };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	plait_flow *flow = NULL;
	plait_data *data = NULL;
	uint64_t host[N];
	plait_status status = plait_flow_create(rank->context, &desc, &flow,
						&rank->error);

	if (status == PLAIT_OK)
		status = plait_data_create(flow, &numbers, &data, &rank->error);
	for (uint32_t i = 0; i < TASKS && status == PLAIT_OK; i++)
		status = submit(flow, data, i, &rank->error);
	if (status == PLAIT_OK)
		status = plait_data_read(data, NULL, host, &rank->error);
	if (status == PLAIT_OK)
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, &rank->error);
	arm(rank, 0);
	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

static const plait_allocator counted = { .size = sizeof(counted),
					 .resize = resize };

static void *live(void *arg)
{
	struct rank *rank = arg;
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.options = rank->options, .workers = 1,
		.allocator = rank->rank == FAULTY ? &counted : NULL,
	};

	rank->desc.open_ns = TAP_PATIENCE_NS;
	if (!rank_did(rank, plait_context_open(&desc, &rank->context,
					       &rank->error)) ||
	    !rank_did(rank, plait_world_open(rank->context, &rank->desc,
					     &rank->world, &rank->error)))
		abort();
	arm(rank, step);
	first[rank->rank] = use(rank);
	memcpy(texts[rank->rank], rank->error.text, sizeof(texts[0]));
	(void)pthread_barrier_wait(&all_have_ended);
	(void)rank_did(rank, use(rank));
	plait_world_release(rank->world);
	(void)rank_did(rank, plait_context_close(rank->context, PLAIT_FOREVER,
						 &rank->error));
	return NULL;
}

/* ---- all ranks ---- */

static void start(void)
{
	memset(ranks, 0, sizeof(ranks));
	memset(&memory, 0, sizeof(memory));
	(void)pthread_barrier_init(&all_have_ended, NULL, RANKS);
	for (uint32_t i = 0; i < RANKS; i++) {
		struct rank *rank = &ranks[i];

		rank->rank = i;
		rank->ranks = RANKS;
		rank->error.size = sizeof(rank->error);
		rank->desc.size = sizeof(rank->desc);
		rank->desc.transports = "loopback";
		(void)snprintf(rank->options, sizeof(rank->options),
			       "loopback:rank=%u,ranks=%u,name=a%ld.%llu", i,
			       RANKS, (long)getpid(), (unsigned long long)step);
		if (pthread_create(&rank->thread, NULL, live, rank))
			abort();
	}
	(void)ranks_join(ranks, RANKS);
	(void)pthread_barrier_destroy(&all_have_ended);
}

/* Returns false when nothing failed, or a rule was broken. */
static bool fail_one(void)
{
	bool is_good = true;

	start();
	for (uint32_t i = 0; i < RANKS; i++) {
		is_good &= OK_THAT(first[i] == PLAIT_OK || i == FAULTY ||
				   (first[i] != PLAIT_E_TIMEOUT &&
				    strstr(texts[i], "rank ") != NULL),
				   "allocation %llu: rank %u: %d: %s",
				   (unsigned long long)step, i, first[i],
				   texts[i]);
		is_good &= OK_THAT(ranks[i].status == PLAIT_OK,
				   "allocation %llu: rank %u works again: %s",
				   (unsigned long long)step, i,
				   ranks[i].status ? ranks[i].error.text : "");
	}
	is_good &= OK_THAT(memory.live_bytes == 0, "nothing is left");
	return is_good && memory.is_hit;
}

static void each_allocation(void)
{
	for (step = 1; step < STEPS_MAX && fail_one(); step++)
		;
	NOTE("%llu allocations failed", (unsigned long long)step - 1);
	OK(step > 20 && step < STEPS_MAX && !memory.is_hit);
}

static const struct tap_scenario all[] = {
	{ "each allocation", each_allocation },
};

TAP_MAIN(all)
