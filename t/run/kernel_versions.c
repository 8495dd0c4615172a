/* SPDX-License-Identifier: MIT */
/*
 * Replacement of kernels of plans: the next run uses the new one, runs in
 * flight keep the old one, and no kernel leaks; one that does not fit is
 * rejected with both signatures.
 */
#include "lib/runs.h"

#include <pthread.h>

enum { THREADS = 2, RUNS = 200, EXCHANGES = 50, LAUNCHES = 4 };

static const char *const signature = "put(to: inout pointer u64)";

/* Each launch writes the number of its kernel. */
static int32_t put(void *const *arguments, const plait_launch *launch,
		   void *user_data)
{
	(void)launch;
	**(uint64_t **)arguments[0] = *(const uint64_t *)user_data;
	return 0;
}

static plait_kernel *new_kernel(const char *text, const uint64_t *number)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = text, .function = put,
		.user_data = (void *)(uintptr_t)number,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "kernel: %s", rig.error.text);
	return kernel;
}

static const uint64_t numbers[] = { 1, 2, 3 };
static uint64_t cells[LAUNCHES];
static plait_buffer *buffers[LAUNCHES];

static void wrap_cells(void)
{
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		const plait_wrap_desc desc = {
			.size = sizeof(desc), .pointer = &cells[i],
			.bytes = sizeof(cells[i]),
		};

		OK_THAT(plait_buffer_wrap(rig.device, &desc, &buffers[i],
					  &rig.error) == PLAIT_OK, "wrap: %s",
			rig.error.text);
	}
}

static void release_cells(void)
{
	for (uint32_t i = 0; i < LAUNCHES; i++)
		plait_buffer_release(buffers[i]);
}

static plait_node add_put(plait_graph *graph, plait_kernel *kernel, uint32_t i)
{
	const plait_argument argument = {
		.size = sizeof(argument), .kind = PLAIT_ARGUMENT_BUFFER,
		.buffer = buffers[i],
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .label = "put", .kernel = kernel,
		.arguments = &argument, .argument_count = 1,
	};

	return add_node(graph, desc, NULL, 0);
}

/* LAUNCHES nodes on three lanes, the last of another kernel. */
static plait_plan *make_plan(plait_kernel *kernel, plait_kernel *last,
			     const plait_node_desc *more)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;
	plait_node nodes[LAUNCHES];

	for (uint32_t i = 0; i < LAUNCHES; i++)
		nodes[i] = add_put(graph, i + 1 < LAUNCHES ? kernel : last, i);
	if (more != NULL) {
		plait_node node = add_node(graph, *more, NULL, 0);

		for (uint32_t i = 0; i < LAUNCHES; i++)
			OK(plait_graph_add_edge(graph, node, nodes[i], NULL) ==
			   PLAIT_OK);
	}
	plan = freeze(graph, 3, 2);
	plait_graph_release(graph);
	return plan;
}

static bool all_put(uint64_t number, uint64_t last)
{
	bool good = cells[LAUNCHES - 1] == last;

	for (uint32_t i = 0; i + 1 < LAUNCHES; i++)
		good = good && cells[i] == number;
	memset(cells, 0, sizeof(cells));
	return good;
}

/* ---- one after the other ---- */

static void check_next(uint32_t flags)
{
	plait_kernel *kernels[3];
	plait_plan *plan;

	wrap_cells();
	for (uint32_t i = 0; i < 3; i++)
		kernels[i] = new_kernel(signature, &numbers[i]);
	plan = make_plan(kernels[0], kernels[2], NULL);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t from = i % 2, to = 1 - from;

		IS_INT(call_with(plan, flags), PLAIT_OK);
		OK(all_put(numbers[from], 3));
		IS_INT(plait_plan_exchange(plan, kernels[from], kernels[to],
					   &rig.error), PLAIT_OK);
		/* The kernel is another one now. */
		IS_INT(plait_plan_exchange(plan, kernels[from], kernels[2],
					   &rig.error), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "does not launch this put(");
		IS_INT(run_with(plan, flags), PLAIT_OK);
		OK(all_put(numbers[to], 3));
	}
	/* The plan keeps the kernels that it uses, and nothing else. */
	for (uint32_t i = 0; i < 3; i++)
		plait_kernel_release(kernels[i]);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(call_with(plan, flags | PLAIT_RUN_RECORD), PLAIT_OK);
	OK(all_put(2, 3));
	plait_plan_release(plan);
	release_cells();
}

static void next_run_uses_it(void)
{
	everywhere(check_next);
}

/* ---- in flight ---- */

static uint32_t held, let_go;

static int32_t hold(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&let_go, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	return 0;
}

static void *run_held(void *arg)
{
	static plait_error error = { .size = sizeof(error) };
	const plait_run_desc desc = { .size = sizeof(desc) };

	return plait_plan_call(arg, NULL, &desc, &error) == PLAIT_OK ? arg :
	       NULL;
}

/* Its first node has started when the kernel of the others is replaced. */
static void runs_keep_their_kernels(void)
{
	const plait_node_desc first = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.label = "hold", .function = hold,
	};

	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_kernel *kernels[2];
		plait_plan *plan;
		pthread_t thread;
		void *result;

		if (!open_host(worker_counts[w]))
			continue;
		wrap_cells();
		for (uint32_t i = 0; i < 2; i++)
			kernels[i] = new_kernel(signature, &numbers[i]);
		plan = make_plan(kernels[0], kernels[0], &first);
		held = let_go = 0;
		OK(pthread_create(&thread, NULL, run_held, plan) == 0);
		while (__atomic_load_n(&held, __ATOMIC_ACQUIRE) == 0)
			sched_yield();
		IS_INT(plait_plan_exchange(plan, kernels[0], kernels[1],
					   &rig.error), PLAIT_OK);
		plait_kernel_release(kernels[0]);
		__atomic_store_n(&let_go, 1, __ATOMIC_RELEASE);
		OK(pthread_join(thread, &result) == 0 && result == plan);
		OK(all_put(1, 1));
		IS_INT(call_with(plan, 0), PLAIT_OK);
		OK(all_put(2, 2));
		plait_kernel_release(kernels[1]);
		plait_plan_release(plan);
		release_cells();
		close_rig(&rig);
	}
}

/* ---- all at once ---- */

struct runner {
	plait_plan *plan;
	uint64_t wrong;
	plait_error error; /* of the last that was */
};

static void *run_many(void *arg)
{
	struct runner *runner = arg;

	for (int i = 0; i < RUNS; i++)
		runner->wrong += plait_plan_call(runner->plan, NULL, NULL,
						 &runner->error) != PLAIT_OK;
	return NULL;
}

/* Adds to the word; several runs may do that, so it is atomic. */
static int32_t tally(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	(void)arguments;
	(void)launch;
	__atomic_add_fetch((uint64_t *)user_data, 1, __ATOMIC_RELAXED);
	return 0;
}

static plait_kernel *new_tally(uint64_t *count)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = signature,
		.function = tally, .user_data = count,
	};
	plait_kernel *kernel = NULL;

	OK(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
	   PLAIT_OK);
	return kernel;
}

/* Each launch is done by one of the two kernels, whichever thread replaces them
 * meanwhile. */
static void exchanges_while_others_run(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct runner runners[THREADS];
		pthread_t threads[THREADS];
		uint64_t counts[2] = { 0, 0 };
		plait_kernel *kernels[2];
		plait_plan *plan;
		bool good = true;

		if (!open_host(worker_counts[w]))
			continue;
		wrap_cells();
		for (uint32_t i = 0; i < 2; i++)
			kernels[i] = new_tally(&counts[i]);
		plan = make_plan(kernels[0], kernels[0], NULL);
		for (uint32_t i = 0; i < THREADS; i++) {
			runners[i] = (struct runner){ .plan = plan };
			runners[i].error.size = sizeof(plait_error);
			OK(pthread_create(&threads[i], NULL, run_many,
					  &runners[i]) == 0);
		}
		for (uint32_t i = 0; i < EXCHANGES; i++)
			good = good && plait_plan_exchange(
				plan, kernels[i % 2], kernels[1 - i % 2],
				&rig.error) == PLAIT_OK;
		OK_THAT(good, "exchange: %s", rig.error.text);
		for (uint32_t i = 0; i < THREADS; i++)
			OK_THAT(pthread_join(threads[i], NULL) == 0 &&
				runners[i].wrong == 0, "%u runs: %s",
				(unsigned)runners[i].wrong,
				runners[i].error.text);
		IS_UINT(counts[0] + counts[1], THREADS * RUNS * LAUNCHES);
		for (uint32_t i = 0; i < 2; i++)
			plait_kernel_release(kernels[i]);
		plait_plan_release(plan);
		release_cells();
		close_rig(&rig);
	}
}

/* ---- rejections ---- */

static void refuses(void)
{
	plait_kernel *kernel, *other, *stranger;
	plait_plan *plan;

	if (!open_host(1))
		return;
	wrap_cells();
	kernel = new_kernel(signature, &numbers[0]);
	other = new_kernel("put(to: inout pointer u64, n: u32)", &numbers[1]);
	stranger = new_kernel(signature, &numbers[2]);
	plan = make_plan(kernel, kernel, NULL);
	IS_INT(plait_plan_exchange(plan, kernel, other, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "the plan has put(to: inout pointer u64), "
		"not put(to: inout pointer u64, n: u32)");
	IS_INT(plait_plan_exchange(plan, stranger, kernel, &rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_plan_exchange(plan, kernel, NULL, &rig.error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_plan_exchange(plan, NULL, kernel, &rig.error),
	       PLAIT_E_HANDLE);
	IS_INT(call_with(plan, 0), PLAIT_OK);
	OK(all_put(1, 1));
	plait_plan_release(plan);
	plan = make_plan(kernel, kernel, NULL);
	IS_INT(plait_plan_rehearse(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_exchange(plan, kernel, stranger, &rig.error),
	       PLAIT_E_STATE);
	/* The plan is prepared now. */
	IS_INT(plait_plan_rehearse(plan, 0, &rig.error), PLAIT_E_STATE);
	IS_INT(call_with(plan, 0), PLAIT_OK);
	OK(all_put(0, 0));
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_kernel_release(other);
	plait_kernel_release(stranger);
	release_cells();
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "the next run uses it", next_run_uses_it },
	{ "runs in flight keep their kernels", runs_keep_their_kernels },
	{ "exchanges while others run", exchanges_while_others_run },
	{ "refuses", refuses },
};
TAP_MAIN(all)
