/* SPDX-License-Identifier: MIT */
/*
 * Collectives of ranks that are threads: the bits of plait_schedule_graph for
 * each type and operation; ranks that differ, leave, are silent or end.
 */
#include "world/threads.h"

static plait_error error = { .size = sizeof(error) };
static struct rank ranks[THREADS_MAX];

static void begin(void)
{
	memset(ranks, 0, sizeof(ranks));
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

/* ---- bits ---- */

enum { ELEMENTS = 1003, RANKS = 3, TYPES = 12, OPERATIONS = 4 };

static const struct {
	plait_element element;
	uint32_t bits;
} types[TYPES] = {
	{ PLAIT_ELEMENT_INT, 8 }, { PLAIT_ELEMENT_INT, 16 },
	{ PLAIT_ELEMENT_INT, 32 }, { PLAIT_ELEMENT_INT, 64 },
	{ PLAIT_ELEMENT_UINT, 8 }, { PLAIT_ELEMENT_UINT, 16 },
	{ PLAIT_ELEMENT_UINT, 32 }, { PLAIT_ELEMENT_UINT, 64 },
	{ PLAIT_ELEMENT_FLOAT, 16 }, { PLAIT_ELEMENT_FLOAT, 32 },
	{ PLAIT_ELEMENT_FLOAT, 64 }, { PLAIT_ELEMENT_BFLOAT, 16 },
};

struct cell {
	unsigned char bytes[ELEMENTS * 8];
};

/* By type and operation: what each rank has, before and after. */
static struct cell given[TYPES * OPERATIONS][RANKS];
static struct cell got[TYPES * OPERATIONS][RANKS];

/* Random bits; floats without NaN, whose payload may differ. */
static void fill(uint32_t number, uint32_t rank)
{
	unsigned char *bytes = given[number][rank].bytes;
	uint32_t width = types[number / OPERATIONS].bits / 8;
	bool floats = types[number / OPERATIONS].element ==
			      PLAIT_ELEMENT_FLOAT ||
		      types[number / OPERATIONS].element ==
			      PLAIT_ELEMENT_BFLOAT;

	for (uint32_t i = 0; i < sizeof(given[0][0].bytes); i++)
		bytes[i] = (unsigned char)mix(number * 7919 + rank * 104729 +
					      i * UINT64_C(1000003));
	for (uint32_t i = 0; floats && i < ELEMENTS; i++)
		bytes[i * width + width - 1] &= 0xbf;
}

static void reduce_all(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);

	for (uint32_t i = 0; i < TYPES * OPERATIONS && collective; i++) {
		const plait_collective_run run = {
			.size = sizeof(run),
			.element = types[i / OPERATIONS].element,
			.element_bits = types[i / OPERATIONS].bits,
			.reduction = i % OPERATIONS, .count = ELEMENTS,
			.output_memory = got[i][rank->rank].bytes,
		};

		memcpy(&got[i][rank->rank], &given[i][rank->rank],
		       sizeof(got[0][0]));
		rank_did(rank, plait_collective_call(collective, &run,
						     &rank->error));
	}
	plait_collective_release(collective);
}

/* Execute the graph of all ranks in `given`. */
static bool run_graph(plait_context *context, plait_schedule *schedule,
		      uint32_t number)
{
	plait_buffer *buffers[RANKS] = { NULL };
	plait_collective_desc desc = {
		.size = sizeof(desc), .count = ELEMENTS, .outputs = buffers,
		.element = types[number / OPERATIONS].element,
		.element_bits = types[number / OPERATIONS].bits,
		.reduction = number % OPERATIONS,
	};
	plait_device *device = NULL;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	bool good = plait_context_device(context, 0, &device, &error) == 0;

	for (uint32_t i = 0; i < RANKS && good; i++) {
		const plait_wrap_desc wrap = {
			.size = sizeof(wrap), .flags = PLAIT_CALL_ANY_THREAD,
			.pointer = given[number][i].bytes,
			.bytes = sizeof(given[number][i].bytes),
		};

		good = plait_buffer_wrap(device, &wrap, &buffers[i], &error) ==
		       PLAIT_OK;
	}
	good = good &&
	       plait_schedule_graph(schedule, &desc, &graph, &error) == 0 &&
	       plait_graph_freeze(graph, NULL, &plan, &error) == 0 &&
	       plait_plan_call(plan, NULL, NULL, &error) == 0;
	plait_plan_release(plan);
	plait_graph_release(graph);
	for (uint32_t i = 0; i < RANKS; i++)
		plait_buffer_release(buffers[i]);
	return good;
}

static void has_the_bits_of_the_graph(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	struct rank all = { .ranks = RANKS, .error.size = sizeof(all.error) };
	plait_schedule *schedule;
	uint32_t equal = 0;

	begin();
	for (uint32_t i = 0; i < TYPES * OPERATIONS; i++)
		for (uint32_t k = 0; k < RANKS; k++)
			fill(i, k);
	IS_UINT(ranks_run(ranks, RANKS, "loopback", reduce_all), RANKS);
	IS_STR(ranks[0].error.text, "");
	OK(plait_context_open(&desc, &all.context, &error) == PLAIT_OK);
	schedule = rank_compile(&all, "ring", PLAIT_COLL_ALLREDUCE,
				PLAIT_COLL_IN_PLACE);
	for (uint32_t i = 0; i < TYPES * OPERATIONS; i++) {
		OK_THAT(run_graph(all.context, schedule, i), "%s", error.text);
		for (uint32_t k = 0; k < RANKS; k++)
			equal += memcmp(&given[i][k], &got[i][k],
					(size_t)ELEMENTS *
					types[i / OPERATIONS].bits / 8) == 0;
	}
	IS_UINT(equal, TYPES * OPERATIONS * RANKS);
	plait_schedule_release(schedule);
	plait_context_release(all.context);
}

/* ---- sums of small numbers ---- */

static float numbers[THREADS_MAX][1 << 16];

static plait_collective_run sum_of(struct rank *rank, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		numbers[rank->rank][i] = (float)(rank->rank + i % 97);
	return (plait_collective_run){
		.size = sizeof(plait_collective_run), .count = count,
		.element = PLAIT_ELEMENT_FLOAT, .element_bits = 32,
		.output_memory = numbers[rank->rank],
	};
}

static bool is_sum(const struct rank *rank, uint64_t count)
{
	uint32_t n = rank->ranks;

	for (uint64_t i = 0; i < count; i++)
		if (numbers[rank->rank][i] !=
		    (float)(n * (n - 1) / 2 + n * (i % 97)))
			return false;
	return true;
}

static bool call(struct rank *rank, plait_collective *collective,
		 uint64_t count)
{
	const plait_collective_run run = sum_of(rank, count);

	if (!rank_did(rank, plait_collective_call(collective, &run,
						  &rank->error)))
		return false;
	return is_sum(rank, count) || rank_did(rank, PLAIT_E_FAILED);
}

static void call_many(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, rank->arg, PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);

	for (uint32_t i = 0; i < 300 && collective != NULL; i++)
		if (!call(rank, collective, mix(i) % (i % 50 == 0 ? 65000 : 50)))
			break;
	plait_collective_release(collective);
}

static void calls_many_times(void)
{
	static const char *const names[] = { "ring", "allpairs", "halving",
					     "tree" };
	static const char *const transports[] = { "loopback", "shm" };

	for (uint32_t i = 0; i < 8; i++) {
		begin();
		for (uint32_t k = 0; k < THREADS_MAX; k++)
			ranks[k].arg = (void *)(uintptr_t)names[i / 2];
		OK_THAT(ranks_run(ranks, 4, transports[i % 2], call_many) == 4,
			"%s over %s: %s", names[i / 2], transports[i % 2],
			ranks[0].error.text);
	}
}

/* ---- failures ---- */

static plait_status statuses[THREADS_MAX][4];
static char texts[THREADS_MAX][4][PLAIT_ERROR_TEXT_BYTES];

static void note(struct rank *rank, uint32_t number, plait_status status)
{
	statuses[rank->rank][number] = status;
	if (status != PLAIT_OK)
		memcpy(texts[rank->rank][number], rank->error.text,
		       sizeof(rank->error.text));
}

/* Rank 1 gives no memory in call 1, another count in call 2; call 3 is right. */
static void run_wrong(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);
	plait_collective_run run = sum_of(rank, 1000);

	if (collective == NULL)
		return;
	run.output_memory = rank->rank == 1 ? NULL : numbers[rank->rank];
	note(rank, 1, plait_collective_call(collective, &run, &rank->error));
	run.output_memory = numbers[rank->rank];
	run.count = rank->rank == 1 ? 1001 : 1000;
	note(rank, 2, plait_collective_call(collective, &run, &rank->error));
	(void)call(rank, collective, 1000);
	plait_collective_release(collective);
}

static void names_ranks_that_differ(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 3, "loopback", run_wrong), 3);
	IS_INT(statuses[1][1], PLAIT_E_INVALID);
	HAS_STR(texts[1][1], "the output of rank 1 is null");
	for (uint32_t i = 0; i < 3; i += 2) {
		IS_INT(statuses[i][1], PLAIT_E_CANCELLED);
		HAS_STR(texts[i][1], "left call 1");
	}
	for (uint32_t i = 0; i < 3; i++) {
		OK(statuses[i][2] == PLAIT_E_INVALID ||
		   statuses[i][2] == PLAIT_E_CANCELLED);
		OK_THAT(strstr(texts[i][2], "1001") != NULL ||
			strstr(texts[i][2], "left call 2") != NULL, "%s",
			texts[i][2]);
	}
}

/* Rank 2 ends instead of calling. */
static void run_lost(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);

	(void)call(rank, collective, 5000);
	if (rank->rank != 2) {
		const plait_collective_run run = sum_of(rank, 60000);

		note(rank, 1, plait_collective_call(collective, &run,
						    &rank->error));
	}
	plait_collective_release(collective);
}

static void names_a_rank_that_ended(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 4, "loopback", run_lost), 4);
	for (uint32_t i = 0; i < 4; i++)
		if (i != 2) {
			IS_INT(statuses[i][1], PLAIT_E_LOST);
			HAS_STR(texts[i][1], "rank 2");
		}
}

static pthread_barrier_t barrier;

/* Rank 0 calls, rank 1 does not. */
static void run_silent(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);
	const plait_collective_run run = sum_of(rank, 1000);

	if (rank->rank == 0)
		note(rank, 1, plait_collective_call(collective, &run,
						    &rank->error));
	(void)pthread_barrier_wait(&barrier);
	if (rank->rank == 1)
		note(rank, 1, plait_collective_call(collective, &run,
						    &rank->error));
	rank->desc.silence_ns = 0;
	(void)call(rank, collective, 1000);
	plait_collective_release(collective);
}

static void names_a_silent_rank(void)
{
	begin();
	(void)pthread_barrier_init(&barrier, NULL, 2);
	ranks[0].desc.silence_ns = 20000000;
	(void)ranks_run(ranks, 2, "loopback", run_silent);
	IS_INT(statuses[0][1], PLAIT_E_TIMEOUT);
	HAS_STR(texts[0][1], "rank 1 is silent: it sent no message");
	IS_INT(statuses[1][1], PLAIT_E_CANCELLED);
	HAS_STR(texts[1][1], "left call 1");
	IS_INT(ranks[1].status, PLAIT_OK);
	(void)pthread_barrier_destroy(&barrier);
}

/* ---- creation ---- */

static void run_other_schedules(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, rank->rank == 1 ? "allpairs" : "ring",
		PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE);

	note(rank, 0, rank->status);
	rank->status = PLAIT_OK;
	plait_collective_release(collective);
	collective = rank_collective(rank, "ring", PLAIT_COLL_ALLREDUCE,
				     PLAIT_COLL_IN_PLACE);
	(void)call(rank, collective, 100);
	plait_collective_release(collective);
}

static void run_refused(struct rank *rank)
{
	plait_collective *collective = NULL;
	plait_schedule *schedule;

	rank->ranks += rank->rank == 1;
	schedule = rank_compile(rank, "ring", PLAIT_COLL_ALLREDUCE, 0);
	note(rank, 0, plait_collective_create(rank->world, &schedule, 1,
					      &collective, &rank->error));
	plait_schedule_release(schedule);
}

static void compares_schedules(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 3, "loopback", run_other_schedules), 3);
	for (uint32_t i = 0; i < 3; i++)
		IS_INT(statuses[i][0], PLAIT_E_INVALID);
	HAS_STR(texts[0][0], "rank 1 creates the collective of other "
			     "schedules");
	begin();
	(void)ranks_run(ranks, 2, "loopback", run_refused);
	IS_INT(statuses[1][0], PLAIT_E_INVALID);
	HAS_STR(texts[1][0], "the schedule has 3 ranks, the world 2");
	IS_INT(statuses[0][0], PLAIT_E_CANCELLED);
	HAS_STR(texts[0][0], "rank 1 could not create this collective");
}

/* ---- several schedules, buffers ---- */

/* An allgather with a schedule up to 4000 bytes and one above. */
static plait_collective *make_chosen(struct rank *rank)
{
	const plait_coll_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_COLL_ALLGATHER,
				       .ranks = rank->ranks };
	plait_compile_desc how = { .size = sizeof(how), .max_bytes = 4000 };
	plait_schedule *schedules[2] = { NULL };
	plait_collective *collective = NULL;
	plait_coll *coll = NULL;

	rank_did(rank, plait_coll_known(rank->context, "ring", &desc, &coll,
					&rank->error));
	for (uint32_t i = 0; i < 2; i++) {
		rank_did(rank, plait_coll_compile(coll, &how, &schedules[i],
						  &rank->error));
		how.min_bytes = 4001;
		how.max_bytes = 1 << 16;
	}
	rank_did(rank, plait_collective_create(rank->world, schedules, 2,
					       &collective, &rank->error));
	plait_schedule_release(schedules[0]);
	plait_schedule_release(schedules[1]);
	plait_coll_release(coll);
	return collective;
}

static uint32_t *map(struct rank *rank, plait_buffer *buffer, uint64_t offset,
		     uint64_t count, plait_map_flags flags)
{
	void *memory = NULL;

	rank_did(rank, plait_buffer_map(buffer, offset, 4 * count, flags,
					&memory, &rank->error));
	return memory;
}

/* Gather `count` numbers of each rank; true if all are right. */
static bool gather(struct rank *rank, plait_collective *collective,
		   plait_buffer *const *buffers, uint64_t count)
{
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
		.element_bits = 32, .count = count, .input = buffers[0],
		.output = buffers[1], .input_offset = 64,
	};
	uint32_t *memory = map(rank, buffers[0], 64, count, PLAIT_MAP_WRITE);
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < count; i++)
		memory[i] = (uint32_t)(rank->rank * 100000 + i);
	rank_did(rank, plait_buffer_unmap(buffers[0], memory, &rank->error));
	note(rank, 1, plait_collective_call(collective, &run, &rank->error));
	if (statuses[rank->rank][1] != PLAIT_OK)
		return false;
	memory = map(rank, buffers[1], 0, count * rank->ranks, PLAIT_MAP_READ);
	for (uint64_t i = 0; i < count * rank->ranks; i++)
		wrong += memory[i] != i / count * 100000 + i % count;
	rank_did(rank, plait_buffer_unmap(buffers[1], memory, &rank->error));
	return wrong == 0;
}

static void run_chosen(struct rank *rank)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = 1 << 17 };
	plait_collective *collective = make_chosen(rank);
	plait_buffer *buffers[2] = { NULL };
	plait_device *device;

	rank_did(rank, plait_context_device(rank->context, 0, &device,
					    &rank->error));
	for (uint32_t i = 0; i < 2; i++)
		rank_did(rank, plait_buffer_create(device, &bytes, &buffers[i],
						   &rank->error));
	for (uint64_t count = 10; count <= 1000 && collective != NULL;
	     count *= 10)
		if (!gather(rank, collective, buffers, count))
			rank_did(rank, PLAIT_E_FAILED);
	if (collective != NULL && gather(rank, collective, buffers, 10000))
		rank_did(rank, PLAIT_E_FAILED);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	plait_collective_release(collective);
}

static void takes_the_schedule_that_fits(void)
{
	begin();
	OK_THAT(ranks_run(ranks, 2, "loopback", run_chosen) == 2, "%s",
		ranks[0].error.text);
	IS_INT(statuses[0][1], PLAIT_E_INVALID);
	HAS_STR(texts[0][1], "no schedule of the collective is for count "
			     "10000");
}

static const struct tap_scenario all[] = {
	{ "bits", has_the_bits_of_the_graph },
	{ "many calls", calls_many_times },
	{ "ranks that differ", names_ranks_that_differ },
	{ "a rank that ended", names_a_rank_that_ended },
	{ "a silent rank", names_a_silent_rank },
	{ "other schedules", compares_schedules },
	{ "a schedule that fits", takes_the_schedule_that_fits },
};

TAP_MAIN(all)
