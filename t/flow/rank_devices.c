/* SPDX-License-Identifier: MIT */
/*
 * Flows over ranks with devices: which device runs a piece, ranks with unequal
 * devices, launches that no device runs, and backends whose calls fail.  Random
 * programs are in rank_programs.c.
 */
#include "world/threads.h"

enum { N = 64, PIECES = 4, RANKS = 2, STEPS = 5 };

/* Results of a rank; checked by the main thread. */
struct seen {
	plait_flow *flow;
	plait_data *data[2];
	plait_kernel *shift;
	uint64_t pieces;
	const void *host[2];
	const void *piece[PIECES]; /* where each of this rank found the target */
	plait_status status[4];
	plait_error error[4];
	uint64_t values[N];
};

static struct rank ranks[THREADS_MAX];
static struct seen all_seen[THREADS_MAX];
static uint32_t device_count[RANKS];

static const char *wrap_of_last;
static const char *backends_of[RANKS];
static const char *options_of[RANKS];

static void run(void (*function)(struct rank *rank))
{
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	for (uint32_t i = 0; i < RANKS; i++) {
		for (int e = 0; e < 4; e++)
			all_seen[i].error[e].size = sizeof(plait_error);
		ranks[i].backends = backends_of[i];
		ranks[i].devices = options_of[i];
	}
	ranks[RANKS - 1].wrap = wrap_of_last;
	(void)ranks_run(ranks, RANKS, "loopback", function);
}

/* Devices and options of each rank. */
static void set(uint32_t count0, const char *options0, uint32_t count1,
		const char *options1)
{
	device_count[0] = count0;
	device_count[1] = count1;
	backends_of[0] = count0 > 0 ? "host,chaos" : NULL;
	backends_of[1] = count1 > 0 ? "host,chaos" : NULL;
	options_of[0] = count0 > 0 ? options0 : NULL;
	options_of[1] = count1 > 0 ? options1 : NULL;
	wrap_of_last = NULL;
}

/* ---- a rank ---- */

/* b = the left neighbour of a, plus 1. */
static int32_t run_shift(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	const uint64_t *a = *(const uint64_t *const *)arguments[0];
	uint64_t *b = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];
	struct seen *seen = user_data;

	(void)launch;
	seen->piece[chunk->low[0] * PIECES / N] = b;
	for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
		b[x] = a[x > 0 ? x - 1 : N - 1] + 1;
	return 0;
}

static bool create_flow(struct rank *rank, struct seen *seen)
{
	plait_device *devices[4];
	const plait_flow_desc desc = { .size = sizeof(desc), .lanes = 2,
				       .world = rank->world, .devices = devices,
				       .device_count =
					       device_count[rank->rank] };

	/* The first one is the host. */
	for (uint32_t i = 0; i < desc.device_count; i++)
		if (!rank_did(rank, plait_context_device(
					    rank->context, 1 + i, &devices[i],
					    &rank->error)))
			return false;
	return rank_did(rank, plait_flow_create(rank->context, &desc,
						&seen->flow, &rank->error));
}

static struct seen *begin(struct rank *rank)
{
	struct seen *seen = &all_seen[rank->rank];
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8, .extent = { N } };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = run_shift,
		.user_data = seen,
		.signature = "shift(a: in pointer u64, b: out pointer u64, "
			     "c: struct chunk 48)" };
	plait_data_info info = { .size = sizeof(info) };

	(void)(create_flow(rank, seen) &&
	       rank_did(rank, plait_kernel_create(rank->context, &kernel,
						  &seen->shift, &rank->error)));
	for (int i = 0; i < 2; i++) {
		(void)rank_did(rank, plait_data_create(seen->flow, &data,
						       &seen->data[i],
						       &rank->error));
		(void)plait_data_query(seen->data[i], &info, NULL);
		seen->host[i] = info.pointer;
	}
	return seen;
}

/* One step from data `from` to the other one. */
static plait_status launch(struct seen *seen, int from, plait_error *error)
{
	static const plait_mapper all = { .size = sizeof(all),
					  .kind = PLAIT_MAPPER_ALL };
	static const plait_mapper own = { .size = sizeof(own),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access a = { .size = sizeof(a), .data = seen->data[from],
				 .mapper = &all };
	const plait_access b = { .size = sizeof(b), .mapper = &own,
				 .data = seen->data[1 - from] };
	const plait_argument arguments[] = { PLAIT_ACCESS(&a),
					     PLAIT_ACCESS(&b), PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = seen->shift, .split = 1,
		.launch = PLAIT_ITEMS(N), .label = "shift",
		.arguments = arguments, .argument_count = 3 };

	(void)plait_flow_split(seen->flow, &desc, NULL, 0, &seen->pieces, NULL);
	return plait_flow_submit(seen->flow, &desc, NULL, error);
}

/* Zeros, and steps.  Returns the first failure of a call. */
static plait_status work(struct seen *seen, plait_error *error)
{
	uint64_t zeros[N] = { 0 };
	plait_status status = PLAIT_OK;

	for (int i = 0; i < 2 && status == PLAIT_OK; i++)
		status = plait_data_write(seen->data[i], NULL, zeros, error);
	for (int i = 0; i < STEPS && status == PLAIT_OK; i++)
		status = launch(seen, i % 2, error);
	return status != PLAIT_OK ? status :
	       plait_data_read(seen->data[STEPS % 2], NULL, seen->values,
			       error);
}

static void end(struct seen *seen)
{
	for (int i = 0; i < 1000 && plait_flow_wait(seen->flow, 0,
						    PLAIT_FOREVER, NULL) < 0; i++)
		;
	plait_data_release(seen->data[0]);
	plait_data_release(seen->data[1]);
	plait_kernel_release(seen->shift);
	plait_flow_release(seen->flow);
}

/* ---- places ---- */

static void work_once(struct rank *rank)
{
	struct seen *seen = begin(rank);

	(void)rank_did(rank, work(seen, &rank->error));
	end(seen);
}

static uint32_t count_wrong(const struct seen *seen)
{
	uint32_t wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += seen->values[i] != STEPS;
	return wrong;
}

static void check_values(void)
{
	for (uint32_t r = 0; r < RANKS; r++) {
		IS_STR(ranks[r].error.text, "");
		IS_UINT(count_wrong(&all_seen[r]), 0);
	}
}

static void runs_pieces_on_devices_of_their_rank(void)
{
	set(2, "chaos:devices=2", 2, "chaos:devices=2");
	run(work_once);
	check_values();
	for (uint32_t r = 0; r < RANKS; r++) {
		const struct seen *seen = &all_seen[r];
		const void *const *own = &seen->piece[2 * r];

		IS_UINT(seen->pieces, PIECES);
		OK(seen->piece[2 - 2 * r] == NULL);
		OK(seen->piece[3 - 2 * r] == NULL);
		OK(own[0] != NULL && own[1] != NULL && own[0] != own[1]);
		for (int i = 0; i < 4; i++)
			OK(own[i / 2] != seen->host[i % 2]);
	}
}

static void takes_ranks_with_other_devices(void)
{
	set(2, "chaos:devices=2", 0, NULL);
	run(work_once);
	check_values();
	IS_UINT(all_seen[0].pieces, 4);
	OK(all_seen[1].piece[3] == all_seen[1].host[STEPS % 2]);
	set(1, "chaos:devices=1", 3, "chaos:devices=3,peers=none");
	run(work_once);
	check_values();
	IS_UINT(all_seen[1].pieces, 2);
}

/* ---- refusals ---- */

static void launch_once(struct rank *rank)
{
	struct seen *seen = begin(rank);

	seen->status[0] = launch(seen, 0, &seen->error[0]);
	seen->status[1] = plait_data_read(seen->data[1], NULL, seen->values,
					  &seen->error[1]);
	end(seen);
}

static void refuses_a_launch_that_no_device_runs(void)
{
	set(1, "chaos:host_calls=0", 1, "chaos:host_calls=0");
	run(launch_once);
	for (uint32_t r = 0; r < RANKS; r++) {
		IS_STR(ranks[r].error.text, "");
		IS_INT(all_seen[r].status[0], PLAIT_E_UNSUPPORTED);
		HAS_STR(all_seen[r].error[0].text, "no device of the flow");
		IS_INT(all_seen[r].status[1], PLAIT_OK);
	}
}

static void tells_the_others_of_a_refusal(void)
{
	set(0, NULL, 1, "chaos:host_calls=0");
	run(launch_once);
	IS_INT(all_seen[1].status[0], PLAIT_E_UNSUPPORTED);
	IS_INT(all_seen[0].status[1], PLAIT_E_UNSUPPORTED);
	HAS_STR(all_seen[0].error[1].text, "failed on rank 1: shift: no device");
}

/* ---- faults of the last rank's backend ---- */

static void work_twice(struct rank *rank)
{
	struct seen *seen = begin(rank);

	seen->status[0] = work(seen, &seen->error[0]);
	if (seen->status[0] == PLAIT_OK)
		seen->status[2] = count_wrong(seen) > 0;
	seen->status[1] = work(seen, &seen->error[1]);
	if (seen->status[1] == PLAIT_OK)
		seen->status[2] |= count_wrong(seen) > 0;
	end(seen);
}

/* Returns false if no call has failed. */
static bool fail_call(const char *format, unsigned k, bool goes_on)
{
	bool has_failed = false;
	char options[120];

	(void)snprintf(options, sizeof(options), format, k);
	set(1, "chaos:devices=1", 2, options);
	wrap_of_last = "fault";
	run(work_twice);
	for (uint32_t r = 0; r < RANKS; r++) {
		const struct seen *seen = &all_seen[r];

		IS_STR(ranks[r].error.text, "");
		OK_THAT(seen->status[2] == 0, "%s, rank %u: values", options,
			r);
		OK_THAT(!goes_on || seen->status[1] == PLAIT_OK ||
			seen->status[0] == PLAIT_OK, "%s, rank %u: %s",
			options, r, seen->error[1].text);
		/* Without memory neither rank goes on, or both do. */
		OK_THAT(goes_on || (seen->status[1] == PLAIT_OK) ==
				   (all_seen[0].status[1] == PLAIT_OK),
			"%s, rank %u: %s", options, r, seen->error[1].text);
		has_failed |= seen->status[0] != PLAIT_OK ||
			      seen->status[1] != PLAIT_OK;
	}
	return has_failed;
}

static void fail_calls(const char *format, bool goes_on)
{
	uint32_t failed = 0;

	for (unsigned k = 1; k <= 12; k++)
		failed += fail_call(format, k, goes_on);
	OK_THAT(failed > 1, "%u runs failed", failed);
}

static void goes_on_behind_a_failed_call(void)
{
	fail_calls("chaos:devices=2;fault:fail=%u,slot=queue_submit", true);
}

static void fails_on_all_ranks_without_memory(void)
{
	fail_calls("chaos:devices=2;fault:from=%u,slot=memory_create", false);
}

static const struct tap_scenario all[] = {
	{ "runs pieces on devices of their rank",
	  runs_pieces_on_devices_of_their_rank },
	{ "takes ranks with other devices", takes_ranks_with_other_devices },
	{ "refuses a launch that no device runs",
	  refuses_a_launch_that_no_device_runs },
	{ "tells the others of a refusal", tells_the_others_of_a_refusal },
	{ "goes on behind a failed call", goes_on_behind_a_failed_call },
	{ "fails on all ranks without memory", fails_on_all_ranks_without_memory },
};

TAP_MAIN(all)
