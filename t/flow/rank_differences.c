/* SPDX-License-Identifier: MIT */
/*
 * Ranks that run different programs of fewer submissions than a horizon has: no
 * value of another program is read, and a wait for all tells of the difference.
 */
#include "lib/objects.h"
#include "world/threads.h"

enum { N = 64, STEPS = 5 };

/* Submission of a rank. */
enum step {
	NONE,
	LOWER, /* a function that writes the lower half: on rank 0 */
	UPPER, /* the same, the upper half: on the last rank */
	MOST, /* all of the upper half but one element */
	FILL_UPPER,
	READ_LOWER, READ_UPPER, READ,
	MAP, /* to read; all */
	AWAIT /* wait for all until that fails */
};

/* The program of a rank: `other` is of the last one. */
struct program {
	const char *name;
	enum step own[STEPS], other[STEPS];
	const char *text; /* in an error of both */
};

static const struct program programs[] = {
	{ "other boxes", { LOWER, UPPER, READ }, { LOWER, MOST, READ },
	  "different tasks" },
	{ "other kinds", { LOWER, UPPER, READ }, { LOWER, FILL_UPPER, READ },
	  "different tasks" },
	{ "another order", { LOWER, UPPER, READ }, { UPPER, LOWER, READ },
	  "different tasks" },
	{ "one more task", { LOWER, UPPER, READ },
	  { LOWER, UPPER, UPPER, READ }, "different tasks" },
	{ "one task less", { LOWER, UPPER, LOWER, READ },
	  { LOWER, UPPER, READ }, "different tasks" },
	{ "a mapping", { LOWER, UPPER, MAP }, { LOWER, FILL_UPPER, MAP },
	  "different tasks" },
	/* Each rank waits for values that the other one does not send. */
	{ "reads that wait for each other", { UPPER, READ_UPPER },
	  { LOWER, READ_LOWER }, "submission 1, " },
	{ "no values at all", { LOWER, AWAIT }, { UPPER, AWAIT },
	  "submission 1, " },
	{ "the third one", { LOWER, UPPER, LOWER, AWAIT },
	  { LOWER, UPPER, UPPER, AWAIT }, "submission 3, " },
};

/* Results of a rank; checked by the main thread. */
struct seen {
	plait_data *data;
	plait_status status;
	plait_error error;
};

static struct rank ranks[THREADS_MAX];
static struct seen all_seen[THREADS_MAX];
static const struct program *program;

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_status submit(plait_flow *flow, plait_data *data, enum step step,
			   plait_error *error)
{
	const plait_box box = {
		{ step == LOWER ? 0 : step == MOST ? N / 2 + 1 : N / 2, 0, 0 },
		{ step == LOWER ? N / 2 : N, 1, 1 } };
	const plait_access access = { .size = sizeof(access), .data = data,
				      .box = &box,
				      .mode = PLAIT_ACCESS_READ_WRITE };
	plait_task_desc desc = { .size = sizeof(desc), .label = "task" };

	if (step == FILL_UPPER) {
		desc.kind = PLAIT_TASK_FILL;
		desc.target = data;
		desc.target_box = &box;
	} else {
		desc.kind = PLAIT_TASK_CALL;
		desc.function = nothing;
		desc.accesses = &access;
		desc.access_count = 1;
	}
	return plait_flow_submit(flow, &desc, NULL, error);
}

static plait_status look(plait_data *data, enum step step, plait_error *error)
{
	const plait_box lower = { { 0, 0, 0 }, { N / 2, 1, 1 } };
	const plait_box upper = { { N / 2, 0, 0 }, { N, 1, 1 } };
	uint64_t host[N];
	void *mapped = NULL;
	plait_status status;

	if (step != MAP)
		return plait_data_read(data, step == READ_LOWER ? &lower :
				       step == READ_UPPER ? &upper : NULL,
				       host, error);
	status = plait_data_map(data, NULL, PLAIT_MAP_READ, &mapped, error);
	if (status == PLAIT_OK)
		(void)plait_data_unmap(data, mapped, NULL);
	return status;
}

/* The difference is told in time, which is not that of a loop without end. */
static plait_status await(plait_flow *flow, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (int i = 0; i < 25000 && status == PLAIT_OK; i++) {
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
		pause_a_little();
	}
	return status;
}

static plait_status run_step(plait_flow *flow, plait_data *data,
			     enum step step, plait_error *error)
{
	switch (step) {
	case NONE:
		return PLAIT_OK;
	case READ_LOWER:
	case READ_UPPER:
	case READ:
	case MAP:
		return look(data, step, error);
	case AWAIT:
		return await(flow, error);
	default:
		return submit(flow, data, step, error);
	}
}

static void run_program(struct rank *rank)
{
	struct seen *seen = &all_seen[rank->rank];
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	plait_flow *flow = NULL;

	(void)rank_did(rank, plait_flow_create(rank->context, &desc, &flow,
					       &rank->error));
	(void)rank_did(rank, plait_data_create(flow, &numbers, &seen->data,
					       &rank->error));
	for (int i = 0; i < STEPS && seen->status == PLAIT_OK; i++)
		seen->status = run_step(flow, seen->data,
					rank->rank + 1 == rank->ranks ?
						program->other[i] :
						program->own[i],
					&seen->error);
	plait_data_release(seen->data);
	plait_flow_release(flow);
}

static void run(uint32_t count, const char *transport)
{
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		all_seen[i].error.size = sizeof(all_seen[i].error);
	IS_UINT(ranks_run(ranks, count, transport, run_program), count);
	for (uint32_t i = 0; i < count; i++)
		IS_STR(ranks[i].error.text, "");
}

static void run_all(uint32_t count, const char *transport)
{
	for (size_t k = 0; k < TAP_COUNT(programs); k++) {
		program = &programs[k];
		run(count, transport);
		for (uint32_t i = 0; i < count; i++) {
			OK_THAT(all_seen[i].status == PLAIT_E_INVALID,
				"%s: rank %u: status %d", program->name, i,
				all_seen[i].status);
			OK_THAT(strstr(all_seen[i].error.text, program->text) !=
				NULL, "%s: rank %u: %s", program->name, i,
				all_seen[i].error.text);
			HAS_STR(all_seen[i].error.text, "rank ");
		}
	}
}

static void finds_short_programs(void)
{
	run_all(2, "loopback");
}

static void finds_them_over_shm(void)
{
	run_all(2, "shm");
}

/* ---- ranks without a flow ---- */

static bool has_error, is_short;

/* The last rank asks for a flow that no world has; its error may be null, or without
 * room for a text. */
static void create_one(struct rank *rank)
{
	const bool is_last = rank->rank + 1 == rank->ranks;
	struct seen *seen = &all_seen[rank->rank];
	const plait_flow_desc desc = {
		.size = sizeof(desc), .world = rank->world,
		.flags = is_last ? PLAIT_FLOW_RECORD : 0 };
	plait_flow *flow = NULL;

	if (is_last && is_short)
		seen->error.size = offsetof(plait_error, detail);
	seen->status = plait_flow_create(rank->context, &desc, &flow,
					 is_last && !has_error ? NULL :
								 &seen->error);
	plait_flow_release(flow);
}

static void tells_why(bool with_error, bool with_a_short_one)
{
	has_error = with_error;
	is_short = with_a_short_one;
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		all_seen[i].error.size = sizeof(all_seen[i].error);
	IS_UINT(ranks_run(ranks, 3, "loopback", create_one), 3);
	IS_INT(all_seen[2].status, PLAIT_E_UNSUPPORTED);
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(all_seen[i].status, PLAIT_E_CANCELLED);
		HAS_STR(all_seen[i].error.text, "rank 2 could not create this "
			"flow: plait_flow_desc");
		HAS_STR(all_seen[i].error.text, "leave flags 0");
	}
}

static void tells_why_a_rank_has_no_flow(void)
{
	tells_why(true, false);
	tells_why(false, false);
	tells_why(true, true);
}

/* ---- ranks that end ---- */

/* The last rank has ended its flow; the others find it without a submission. */
static void finds_an_end(void)
{
	static const struct program ends = {
		"an end", { LOWER, LOWER, AWAIT }, { LOWER }, "" };

	program = &ends;
	run(2, "loopback");
	IS_INT(all_seen[0].status, PLAIT_E_INVALID);
	HAS_STR(all_seen[0].error.text,
		"rank 1 has ended its flow before submission 2, \"task\" on "
		"rank 0");
	IS_INT(all_seen[1].status, PLAIT_OK);
}

/* Equal programs, which ranks leave at different times. */
static void lets_equal_programs_end(void)
{
	static const struct program equal = {
		"equal", { LOWER, UPPER, READ, MAP },
		{ LOWER, UPPER, READ, MAP }, "" };

	program = &equal;
	for (int i = 0; i < 20; i++) {
		run(2, "loopback");
		IS_INT(all_seen[0].status, PLAIT_OK);
		IS_INT(all_seen[1].status, PLAIT_OK);
	}
}

static const struct tap_scenario all[] = {
	{ "finds short programs", finds_short_programs },
	{ "finds them over shm", finds_them_over_shm },
	{ "finds an end", finds_an_end },
	{ "tells why a rank has no flow", tells_why_a_rank_has_no_flow },
	{ "lets equal programs end", lets_equal_programs_end },
};

TAP_MAIN(all)
