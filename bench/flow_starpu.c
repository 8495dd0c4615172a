/* SPDX-License-Identifier: MIT */
/*
 * The rows of bench/flow with StarPU: tasks with data whose order is inferred.
 * Boxes are handles of their own.  Not the row of tiles with halos: Debian's
 * StarPU takes at most 8 data for each task.  Prints the least time of a row, in ns for
 * each task: submitted, and submitted and run.
 *
 *	bench/flow_starpu ROW ROUNDS WORKERS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <starpu.h>

enum { TASKS = 2048, LINE = 64, READERS = 100, MOST = 4 };

static float memory[2][LINE];
static starpu_data_handle_t handles[2][LINE];
static struct starpu_codelet codelets[MOST + 1][2];

static void nothing(void *buffers[], void *argument)
{
	(void)buffers;
	(void)argument;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void start(unsigned workers)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = (int)workers;
	conf.ncuda = conf.nopencl = conf.nmic = conf.nmpi_ms = 0;
	conf.sched_policy_name = workers == 1 ? "eager" : "lws";
	conf.catch_signals = 0;
	setenv("STARPU_SILENT", "1", 0);
	if (starpu_init(&conf) != 0)
		exit(77);
	for (int i = 0; i < 2 * LINE; i++)
		starpu_vector_data_register(
			&handles[i & 1][i / 2], STARPU_MAIN_RAM,
			(uintptr_t)&memory[i & 1][i / 2], 1, sizeof(float));
}

/* A task that reads `count` handles and writes the last one, if `writes`. */
static struct starpu_codelet *codelet_of(int count, int writes)
{
	struct starpu_codelet *codelet = &codelets[count][writes];

	if (codelet->cpu_funcs[0] != NULL)
		return codelet;
	starpu_codelet_init(codelet);
	codelet->cpu_funcs[0] = nothing;
	codelet->where = STARPU_CPU;
	codelet->nbuffers = count;
	for (int i = 0; i < count; i++)
		codelet->modes[i] = STARPU_R;
	if (writes && count > 0)
		codelet->modes[count - 1] = count == 1 ? STARPU_RW : STARPU_W;
	return codelet;
}

static void submit(starpu_data_handle_t *of, int count, int writes)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet_of(count, writes);
	for (int i = 0; i < count; i++)
		task->handles[i] = of[i];
	if (starpu_task_submit(task) != 0)
		abort();
}

/* ---- rows ---- */

static void independent(void)
{
	for (int i = 0; i < TASKS; i++)
		submit(NULL, 0, 0);
}

static void chain(void)
{
	for (int i = 0; i < TASKS; i++)
		submit(&handles[0][0], 1, 1);
}

static void boxes(void)
{
	for (int i = 0; i < TASKS; i++)
		submit(&handles[0][i % LINE], 1, 1);
}

static void stencil(void)
{
	for (int i = 0; i < TASKS; i++) {
		int from = i / LINE % 2, at = i % LINE, count = 0;
		starpu_data_handle_t all[MOST];

		for (int x = at - 1; x <= at + 1; x++)
			if (x >= 0 && x < LINE)
				all[count++] = handles[from][x];
		all[count++] = handles[!from][at];
		submit(all, count, 1);
	}
}

static void readers(void)
{
	for (int i = 0; i < TASKS; i++)
		submit(&handles[0][0], 1, i % (READERS + 1) == READERS);
}

static const struct {
	const char *name;
	void (*submit)(void);
} rows[] = {
	{ "independent", independent }, { "chain", chain },
	{ "launch", chain },		{ "boxes", boxes },
	{ "stencil", stencil },		{ "readers", readers },
};

static void measure(void (*row)(void), int rounds)
{
	uint64_t submitted = UINT64_MAX, whole = UINT64_MAX;

	while (rounds-- > 0) {
		uint64_t begin = now(), middle, end;

		row();
		middle = now();
		starpu_task_wait_for_all();
		end = now();
		if (middle - begin < submitted)
			submitted = middle - begin;
		if (end - begin < whole)
			whole = end - begin;
	}
	printf("%.0f %.0f\n", (double)submitted / TASKS, (double)whole / TASKS);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	start((unsigned)atoi(argv[3]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(argv[1], rows[i].name) == 0)
			measure(rows[i].submit, atoi(argv[2]));
	for (int i = 0; i < 2 * LINE; i++)
		starpu_data_unregister(handles[i & 1][i / 2]);
	starpu_shutdown();
	return 0;
}
