/* SPDX-License-Identifier: MIT */
/*
 * Ranks that run different programs, read what they have themselves, and end: the
 * difference is told by the next call, or by the end of the context.
 */
#include "flow/rank_ends.h"
#include "world/threads.h"

enum { STEPS = 5 };

/* Call of a rank.  The last rank owns the upper half. */
enum step {
	NONE,
	LOWER, UPPER, /* a function that writes this half */
	READ_LOWER, READ_UPPER,
	MAP_LOWER, MAP_UPPER, /* to read, and unmapped */
	WRITE, /* all, the same on all ranks */
	COPY_LOWER, COPY_UPPER, /* PLAIT_TASK_READ, and a wait for it */
	WAIT, /* for all */
};

/* The program of a rank: `other` is of the last one.  All calls succeed. */
struct program {
	const char *name;
	enum step own[STEPS], other[STEPS];
};

static const struct program programs[] = {
	{ "no task", { READ_LOWER }, { READ_UPPER } },
	{ "a read", { LOWER, READ_LOWER }, { UPPER, READ_UPPER } },
	{ "a mapping", { LOWER, MAP_LOWER }, { UPPER, MAP_UPPER } },
	{ "a read of a task", { LOWER, COPY_LOWER }, { UPPER, COPY_UPPER } },
	{ "a write", { WRITE, LOWER }, { WRITE, UPPER } },
	{ "reads of all", { WRITE, READ_LOWER }, { WRITE, READ_UPPER } },
	{ "other kinds", { LOWER, READ_LOWER }, { READ_LOWER, LOWER } },
};

/* The same on all ranks. */
static const struct program equal = {
	"equal programs", { LOWER, READ_LOWER, UPPER, WAIT },
	{ LOWER, READ_LOWER, UPPER, WAIT } };

/* The last rank submits one more task. */
static const struct program longer = {
	"one more task", { READ_LOWER }, { READ_LOWER, UPPER, WAIT } };

/* Ends of a program. */
enum end {
	CLOSE, /* releases, and a close of the context */
	WAIT_AND_CLOSE,
	DATA_LAST, /* releases in another order */
	SUBMIT, /* until it fails: a horizon at most */
	POLL, /* until it fails */
	ENDS
};

/* Results of a rank; checked by the main thread. */
struct seen {
	plait_error calls; /* the first failure of a call on the flow */
	plait_error close;
};

static struct rank ranks[THREADS_MAX];
static struct seen all_seen[THREADS_MAX];
static const struct program *program;
static enum end end;

static plait_status copy(plait_flow *flow, plait_data *data, bool is_upper,
			 plait_error *error)
{
	const plait_box box = half(is_upper);
	uint64_t host[N];
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_READ, .host = host,
		.source = data, .source_box = &box };
	plait_task task = 0;
	plait_status status = plait_flow_submit(flow, &desc, &task, error);

	return status != PLAIT_OK ? status :
	       plait_flow_wait(flow, task, PLAIT_FOREVER, error);
}

static plait_status map(plait_data *data, bool is_upper, plait_error *error)
{
	const plait_box box = half(is_upper);
	void *mapped = NULL;
	plait_status status = plait_data_map(data, &box, PLAIT_MAP_READ,
					     &mapped, error);

	return status != PLAIT_OK ? status :
	       plait_data_unmap(data, mapped, error);
}

static plait_status run_step(plait_flow *flow, plait_data *data,
			     enum step step, plait_error *error)
{
	static const uint64_t zeros[N];

	switch (step) {
	case NONE:
		return PLAIT_OK;
	case LOWER:
	case UPPER:
		return call(flow, data, step == UPPER, error);
	case READ_LOWER:
	case READ_UPPER:
		return read_half(data, step == READ_UPPER, error);
	case MAP_LOWER:
	case MAP_UPPER:
		return map(data, step == MAP_UPPER, error);
	case COPY_LOWER:
	case COPY_UPPER:
		return copy(flow, data, step == COPY_UPPER, error);
	case WRITE:
		return plait_data_write(data, NULL, zeros, error);
	default:
		return plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	}
}

/* Calls behind the program, before its releases. */
static plait_status run_end(plait_flow *flow, plait_data *data,
			    plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (end == WAIT_AND_CLOSE)
		return plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	for (int i = 0; end == SUBMIT && status == PLAIT_OK && i < 6 * 64; i++)
		status = read_half(data, false, error);
	for (int i = 0; end == POLL && status == PLAIT_OK && i < 25000; i++) {
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
		pause_a_little();
	}
	return status;
}

static void run_program(struct rank *rank)
{
	struct seen *seen = &all_seen[rank->rank];
	const enum step *steps = rank->rank + 1 == rank->ranks ?
					 program->other : program->own;
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	plait_flow *flow = NULL;
	plait_data *data = NULL;
	plait_status status = PLAIT_OK;

	(void)rank_did(rank, plait_flow_create(rank->context, &desc, &flow,
					       &rank->error));
	(void)rank_did(rank, plait_data_create(flow, &numbers, &data,
					       &rank->error));
	for (int i = 0; i < STEPS && status == PLAIT_OK; i++)
		status = run_step(flow, data, steps[i], &seen->calls);
	if (status == PLAIT_OK)
		(void)run_end(flow, data, &seen->calls);
	if (end != DATA_LAST)
		plait_data_release(data);
	plait_flow_release(flow);
	plait_world_release(rank->world);
	if (end == DATA_LAST)
		plait_data_release(data);
	(void)plait_context_close(rank->context, PLAIT_FOREVER, &seen->close);
	rank->world = NULL;
	rank->context = NULL;
}

static void run(const struct program *of, enum end how, uint32_t count,
		uint32_t workers)
{
	program = of;
	end = how;
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	for (uint32_t i = 0; i < count; i++) {
		ranks[i].workers = workers;
		all_seen[i].calls.size = sizeof(plait_error);
		all_seen[i].close.size = sizeof(plait_error);
	}
	IS_UINT(ranks_run(ranks, count, "shm", run_program), count);
}

/* A call has told the difference, or the close; not both. */
static void check(const struct seen *seen, uint32_t rank)
{
	const bool by_call = seen->calls.status != PLAIT_OK;

	OK_THAT(by_call ? is_difference(&seen->calls) :
			  is_difference(&seen->close),
		"%s, end %d: rank %u: %s; %s", program->name, end, rank,
		seen->calls.text, seen->close.text);
	if (by_call)
		OK_THAT(seen->close.status == PLAIT_OK,
			"%s, end %d: rank %u: %s", program->name, end, rank,
			seen->close.text);
	else
		IS_INT(seen->close.status, PLAIT_E_FAILED);
	if (end >= SUBMIT)
		OK(by_call);
}

static void run_all(uint32_t count, uint32_t workers)
{
	for (size_t k = 0; k < TAP_COUNT(programs); k++)
		for (enum end how = CLOSE; how < ENDS; how++) {
			run(&programs[k], how, count, workers);
			for (uint32_t i = 0; i < count; i++)
				check(&all_seen[i], i);
		}
}

static void tells_of_a_difference(void)
{
	run_all(2, 1);
}

static void tells_without_workers(void)
{
	run_all(2, 0);
}

/* Those that are equal to each other, too. */
static void tells_three_ranks(void)
{
	static const struct program three = {
		"three ranks", { LOWER, READ_LOWER }, { LOWER, READ_UPPER } };

	for (int i = 0; i < 10; i++) {
		run(&three, CLOSE, 3, 1);
		for (uint32_t r = 0; r < 3; r++)
			check(&all_seen[r], r);
	}
}

/* Of the last rank alone: the submissions of the others are equal on all. */
static void tells_of_one_more_task(void)
{
	run(&longer, CLOSE, 2, 1);
	OK(is_difference(&all_seen[1].calls) || is_difference(&all_seen[1].close));
}

static void lets_equal_programs_end(void)
{
	for (int i = 0; i < 20; i++) {
		run(&equal, i % 2 == 0 ? CLOSE : DATA_LAST, 2 + i % 3, i % 2);
		for (uint32_t r = 0; r < ranks[0].ranks; r++) {
			IS_STR(all_seen[r].calls.text, "");
			IS_STR(all_seen[r].close.text, "");
		}
	}
}

/* ---- a flow beside another one ---- */

enum { ROUNDS = 4000, FLOW_BYTES = 1 << 16 };

static size_t bytes; /* atomic: of all ranks */
static int freed[THREADS_MAX]; /* the first flow, while the second one is used */

static void *resize_and_count(void *user_data, void *pointer,
			      uint64_t old_bytes, uint64_t new_bytes)
{
	(void)user_data;
	__atomic_fetch_add(&bytes, new_bytes - old_bytes, __ATOMIC_SEQ_CST);
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static bool make_flow(struct rank *rank, plait_flow **flow, plait_data **data)
{
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };

	return rank_did(rank, plait_flow_create(rank->context, &desc, flow,
						&rank->error)) &&
	       rank_did(rank, plait_data_create(*flow, &numbers, data,
						&rank->error));
}

static bool turn(struct rank *rank, plait_flow *flow, plait_data *data)
{
	return rank_did(rank, call(flow, data, false, &rank->error)) &&
	       rank_did(rank, read_half(data, false, &rank->error));
}

/* A flow ends, and the next one rings the bell that both share. */
static void end_beside(struct rank *rank)
{
	plait_flow *first = NULL, *second = NULL;
	plait_data *one = NULL, *other = NULL;
	size_t before = 0;
	bool good;

	good = make_flow(rank, &first, &one) && make_flow(rank, &second, &other);
	for (int i = 0; good && i < 10; i++)
		good = turn(rank, first, one) && turn(rank, second, other);
	plait_data_release(one);
	before = __atomic_load_n(&bytes, __ATOMIC_SEQ_CST);
	plait_flow_release(first);
	for (int i = 0; good && i < ROUNDS; i++) {
		good = turn(rank, second, other);
		if (__atomic_load_n(&bytes, __ATOMIC_SEQ_CST) + FLOW_BYTES <
		    before)
			freed[rank->rank] = 1;
	}
	plait_data_release(other);
	plait_flow_release(second);
}

static void ends_beside_another_flow(void)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize_and_count };

	memset(ranks, 0, sizeof(ranks));
	memset(freed, 0, sizeof(freed));
	for (uint32_t i = 0; i < 2; i++) {
		ranks[i].workers = 2;
		ranks[i].allocator = &allocator;
	}
	IS_UINT(ranks_run(ranks, 2, "shm", end_beside), 2);
	OK(freed[0] && freed[1]);
}

/* ---- a close that waits ---- */

#define CLOSE_NS UINT64_C(7000000000)

static int lines, is_late; /* atomic: of the log; rank 0 has closed */

static void count_line(void *user_data, int32_t level, const char *text)
{
	(void)user_data;
	(void)level;
	if (strstr(text, "waits for rank 1, which told 2 of 3 submissions") !=
	    NULL)
		__atomic_fetch_add(&lines, 1, __ATOMIC_SEQ_CST);
}

/* Rank 1 submits its last task when rank 0 no longer waits for its end. */
static void close_early(struct rank *rank)
{
	struct seen *seen = &all_seen[rank->rank];
	plait_flow *flow = NULL;
	plait_data *data = NULL;

	if (!make_flow(rank, &flow, &data))
		return;
	for (int i = 0; i < 3; i++) {
		while (i == 2 && rank->rank == 1 &&
		       !__atomic_load_n(&is_late, __ATOMIC_SEQ_CST))
			pause_a_little();
		(void)call(flow, data, false, &seen->calls);
	}
	plait_data_release(data);
	plait_flow_release(flow);
	plait_world_release(rank->world);
	(void)plait_context_close(rank->context,
				  rank->rank == 0 ? CLOSE_NS : PLAIT_FOREVER,
				  &seen->close);
	if (rank->rank == 0)
		__atomic_store_n(&is_late, 1, __ATOMIC_SEQ_CST);
	rank->world = NULL;
	rank->context = NULL;
}

static void names_a_rank_that_is_late(void)
{
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	lines = is_late = 0;
	for (uint32_t i = 0; i < 2; i++) {
		ranks[i].workers = 1;
		ranks[i].log = count_line;
		all_seen[i].calls.size = sizeof(plait_error);
		all_seen[i].close.size = sizeof(plait_error);
	}
	IS_UINT(ranks_run(ranks, 2, "shm", close_early), 2);
	IS_INT(all_seen[0].close.status, PLAIT_E_TIMEOUT);
	HAS_STR(all_seen[0].close.text, "waits for rank 1, which told 2 of 3 "
					"submissions");
	IS_INT(all_seen[1].close.status, PLAIT_OK);
	IS_INT(lines, 1);
	for (int i = 0; i < 25000 && plait_live_count(PLAIT_OBJECT_ANY) != 0;
	     i++)
		pause_a_little();
}

static const struct tap_scenario all[] = {
	{ "names a rank that is late", names_a_rank_that_is_late },
	{ "tells of a difference", tells_of_a_difference },
	{ "tells without workers", tells_without_workers },
	{ "tells three ranks", tells_three_ranks },
	{ "tells of one more task", tells_of_one_more_task },
	{ "lets equal programs end", lets_equal_programs_end },
	{ "ends beside another flow", ends_beside_another_flow },
};

TAP_MAIN(all)
