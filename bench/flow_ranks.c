/* SPDX-License-Identifier: MIT */
/*
 * Cost of tasks of a flow over a world: processes over shm, one a rank.  Each row
 * submits tasks on all ranks:
 *
 *	own	a function on a part of the next rank in turn: nothing moves
 *	ring	the same, which reads an element of the part before: one transfer
 *	stencil	a launch of one piece a rank, each with a halo of two elements
 *	sum	a launch of one piece a rank that adds to one element
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow_ranks [ROW|all [RANKS [TASKS]]]
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow_ranks --gate C
 *	FLOW_RANKS_WORKERS=1: workers of each context
 *
 * The overhead of a rank is its processor time by task, all threads: ranks may
 * outnumber processors, and wall time then has the time of other ranks.  The tasks
 * are empty.  A rank's memory is its resident set after a tenth of the tasks, and
 * after all.
 */
#include "plait/plait.h"
#include "sys/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS_MOST = 16, PART = 64, ROUNDS = 5 };
enum { GATE_NS = 5000, GATE_KIB = 512 };

/* Result of a rank, in memory that all processes share. */
struct result {
	double cpu_ns[ROUNDS], wall_ns[ROUNDS]; /* by task */
	long kib_before, kib_after;
};

static plait_error error = { .size = sizeof(error) };
static plait_flow *flow;
static plait_data *line, *other, *total;
static plait_kernel *kernel, *summand, *join;
static uint32_t ranks = 4;
static uint64_t tasks = 200000;

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow_ranks: %s\n", error.text);
	_exit(1);
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* ---- rows: each submits `count` tasks ---- */

static void call(const plait_access *accesses, uint64_t count)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = nothing, .accesses = accesses,
		.access_count = count,
	};

	must(plait_flow_submit(flow, &desc, NULL, &error));
}

static plait_box part_of(uint64_t rank)
{
	return (plait_box){ { rank * PART, 0, 0 },
			    { (rank + 1) * PART, 1, 1 } };
}

static void own(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const plait_box part = part_of(i % ranks);
		const plait_access access = { .size = sizeof(access),
					      .mode = PLAIT_ACCESS_READ_WRITE,
					      .data = line, .box = &part };

		call(&access, 1);
	}
}

/* The part before is that of the step before. */
static void ring(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		plait_data *const from = i / ranks % 2 != 0 ? other : line;
		plait_data *const to = i / ranks % 2 != 0 ? line : other;
		const plait_box part = part_of(i % ranks);
		const uint64_t last = part.low[0] == 0 ? ranks * PART :
							 part.low[0];
		const plait_box before = { { last - 1, 0, 0 }, { last, 1, 1 } };
		const plait_access accesses[] = {
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_READ,
			  .data = from, .box = &before },
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_WRITE,
			  .data = to, .box = &part },
		};

		call(accesses, 2);
	}
}

static void stencil(uint64_t count)
{
	static const plait_mapper near = { .size = sizeof(near),
					   .kind = PLAIT_MAPPER_NEIGHBORHOOD,
					   .extent = { 1 } };
	static const plait_mapper one = { .size = sizeof(one),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };

	for (uint64_t i = 0; i < count; i++) {
		const plait_access from = { .size = sizeof(from),
					    .data = i % 2 != 0 ? other : line,
					    .mapper = &near };
		const plait_access to = { .size = sizeof(to),
					  .data = i % 2 != 0 ? line : other,
					  .mapper = &one };
		const plait_argument arguments[] = { PLAIT_ACCESS(&from),
						     PLAIT_ACCESS(&to),
						     PLAIT_CHUNK() };
		const plait_task_desc desc = {
			.size = sizeof(desc), .kernel = kernel, .split = 1,
			.launch = PLAIT_ITEMS(ranks * PART), .pieces = ranks,
			.arguments = arguments, .argument_count = 3 };

		must(plait_flow_submit(flow, &desc, NULL, &error));
	}
}

/* Each launch adds up on what the one before left. */
static void sum(uint64_t count)
{
	const plait_access to = { .size = sizeof(to), .data = total,
				  .mode = PLAIT_ACCESS_REDUCE, .combine = join,
				  .flags = PLAIT_ACCESS_ACCUMULATE };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = summand, .split = 1,
		.launch = PLAIT_ITEMS(ranks * PART), .pieces = ranks,
		.arguments = arguments, .argument_count = 2 };

	for (uint64_t i = 0; i < count; i++)
		must(plait_flow_submit(flow, &desc, NULL, &error));
}

static const struct row {
	const char *name;
	void (*run)(uint64_t count);
} rows[] = {
	{ "own", own }, { "ring", ring }, { "stencil", stencil },
	{ "sum", sum },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* ---- a rank ---- */

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size = 0, pages = 0;

	if (file == NULL || fscanf(file, "%ld %ld", &size, &pages) != 2)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static plait_data *make_data(uint64_t elements)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 8,
				       .extent = { elements } };
	plait_data *data;

	must(plait_data_create(flow, &desc, &data, &error));
	return data;
}

static plait_kernel *make_kernel(plait_context *context, const char *signature)
{
	const plait_kernel_desc code = { .size = sizeof(code),
					 .function = no_work,
					 .signature = signature };
	plait_kernel *made;

	must(plait_kernel_create(context, &code, &made, &error));
	return made;
}

/* All of the other ranks' tasks are done here, too: each reads all. */
static void meet(void)
{
	static uint64_t host[RANKS_MOST * PART];

	must(plait_data_read(line, NULL, host, &error));
	must(plait_data_read(other, NULL, host, &error));
	must(plait_data_read(total, NULL, host, &error));
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
}

static void measure(const struct row *row, struct result *result)
{
	row->run(tasks / 10);
	meet();
	result->kib_before = resident_kib();
	for (int i = 0; i < ROUNDS; i++) {
		double cpu = cpu_ns();
		uint64_t begin = plait__clock_now_ns();
		uint64_t count = tasks / ROUNDS;

		row->run(count);
		meet();
		result->cpu_ns[i] = (cpu_ns() - cpu) / (double)count;
		result->wall_ns[i] = (double)(plait__clock_now_ns() - begin) /
				     (double)count;
	}
	result->kib_after = resident_kib();
}

static void run_rank(const struct row *row, uint32_t rank, long name,
		     struct result *result)
{
	const char *workers = getenv("FLOW_RANKS_WORKERS");
	char options[96];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .options = options,
		.workers = workers != NULL ? (uint32_t)atoi(workers) : 0 };
	const plait_world_desc shm = { .size = sizeof(shm),
				       .transports = "shm" };
	plait_flow_desc over = { .size = sizeof(over) };
	plait_context *context;

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%u,name=b%ld",
		 rank, ranks, name);
	must(plait_context_open(&desc, &context, &error));
	must(plait_world_open(context, &shm, &over.world, &error));
	must(plait_flow_create(context, &over, &flow, &error));
	kernel = make_kernel(context, "nothing(from: in pointer u64, "
				      "to: out pointer u64, "
				      "c: struct chunk 48)");
	summand = make_kernel(context, "summand(to: inout pointer u64, "
				       "c: struct chunk 48)");
	join = make_kernel(context, "join(into: inout pointer u64, "
				    "from: in pointer u64, n: u64)");
	line = make_data((uint64_t)ranks * PART);
	other = make_data((uint64_t)ranks * PART);
	total = make_data(1);
	measure(row, result);
	plait_data_release(line);
	plait_data_release(other);
	plait_data_release(total);
	plait_kernel_release(kernel);
	plait_kernel_release(summand);
	plait_kernel_release(join);
	plait_flow_release(flow);
	plait_world_release(over.world);
	must(plait_context_close(context, PLAIT_FOREVER, &error));
	_exit(0);
}

/* ---- all ranks ---- */

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Print minimum and median of the rank with most of each.  Returns false beyond a
 * limit. */
static bool report(const struct row *row, struct result *results)
{
	double cpu[2] = { 0, 0 }, wall[2] = { 0, 0 };
	long grown = 0;
	bool holds;

	for (uint32_t r = 0; r < ranks; r++) {
		struct result *at = &results[r];

		qsort(at->cpu_ns, ROUNDS, sizeof(double), compare);
		qsort(at->wall_ns, ROUNDS, sizeof(double), compare);
		for (int i = 0; i < 2; i++) {
			double one = at->cpu_ns[i * ROUNDS / 2];
			double two = at->wall_ns[i * ROUNDS / 2];

			cpu[i] = one > cpu[i] ? one : cpu[i];
			wall[i] = two > wall[i] ? two : wall[i];
		}
		if (at->kib_after - at->kib_before > grown)
			grown = at->kib_after - at->kib_before;
	}
	holds = cpu[1] <= GATE_NS && grown <= GATE_KIB;
	printf("%-8s %u ranks: processor %6.0f %6.0f ns a task and rank, wall "
	       "%6.0f %6.0f, memory %+ld KiB%s\n", row->name, ranks, cpu[0],
	       cpu[1], wall[0], wall[1], grown, holds ? "" : "  (over)");
	return holds;
}

static bool run_row(const struct row *row)
{
	const long name = (long)getpid();
	pid_t pids[RANKS_MOST];
	struct result *results = mmap(NULL, RANKS_MOST * sizeof(*results),
				      PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool good = results != MAP_FAILED;
	int status;

	for (uint32_t i = 0; good && i < ranks; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			run_rank(row, i, name * ROWS + (row - rows), &results[i]);
	}
	for (uint32_t i = 0; good && i < ranks; i++)
		good &= waitpid(pids[i], &status, 0) == pids[i] && status == 0;
	if (!good)
		fprintf(stderr, "flow_ranks: a rank of row %s failed\n",
			row->name);
	good = good && report(row, results);
	munmap(results, RANKS_MOST * sizeof(*results));
	return good;
}

int main(int count, char **words)
{
	bool gate = count > 1 && strcmp(words[1], "--gate") == 0;
	const char *only = count > 1 && !gate ? words[1] : "all";
	bool good = true;

	if (gate)
		tasks = 1000000;
	if (count > 2 && !gate)
		ranks = (uint32_t)atoi(words[2]);
	if (count > 3)
		tasks = strtoull(words[3], NULL, 10);
	if (ranks < 2 || ranks > RANKS_MOST)
		return 2;
	for (int i = 0; i < ROWS; i++)
		if (strcmp(only, "all") == 0 ||
		    strcmp(only, rows[i].name) == 0)
			good &= run_row(&rows[i]);
	return gate && !good;
}
