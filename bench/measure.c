/* SPDX-License-Identifier: MIT */
/*
 * Process of one contestant, controlled by bench/replay.py through lines on stdin:
 *
 *	prepare WHO SHAPE NODES GRAIN_NS SPREAD THREADS TURNS
 *		-> "ok NODES EDGES" or "no REASON"
 *	check	-> "ok" or "no REASON"; before any measurement
 *	batch BUDGET_NS
 *		-> for each draw of the durations "DRAW RUNS MIN MEDIAN IDEAL
 *		   MEAN", in ns, then "ok"
 *	busy caller|worker|loose
 *		-> "ok"; a competing process runs during batches: on the processor
 *		   of the calling thread, on another, or anywhere, and then no
 *		   thread is pinned
 *	finish, calibrate -> "ok", "ok TURNS"
 *	hop	-> "ok NS": one way between the first two processors
 *
 * While another process is timed, this one sleeps with all its threads.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grain.h"
#include "hop.h"
#include "who.h"

enum {
	/* Draws of the durations: 1 us, and 50 us for one node in ten. */
	DRAWINGS = 16,
	LONG_FACTOR = 50,
	SAMPLES_MOST = 1 << 14,
	CHECKED_RUNS = 5
};

static struct graph graph;
static const struct who *who;
static const char *refused = "it does not say why";
static cpu_set_t processors;
/* The argument of `busy`, and the processor of the calling thread. */
static char busy[16];
static unsigned home;
static struct {
	uint32_t grain_ns;
	int heavy;
	unsigned threads;
	double turns;
} row;

static uint64_t samples[SAMPLES_MOST];
static struct {
	uint64_t budget_ns;
	uint32_t count;
	uint32_t warm;
	int wrong;
} batch;

void who_refuse(const char *why)
{
	refused = why;
}

/* Return true unless there are more threads than processors. */
int who_pins(void)
{
	return strcmp(busy, "loose") != 0 && row.threads <= who_processors();
}

void who_pin(unsigned n)
{
	cpu_set_t one;
	int cpu;

	if (!who_pins())
		return;
	if (gettid() == getpid())
		home = n;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &processors) || n-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
		return;
	}
}

unsigned who_processors(void)
{
	return (unsigned)CPU_COUNT(&processors);
}

/* --- durations of nodes ------------------------------------------------------ */

static int is_long(uint32_t drawing, uint32_t node)
{
	uint64_t x = ((uint64_t)drawing << 32 | node) + 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % 10 == 0;
}

static uint32_t turns_of(uint32_t drawing, uint32_t node)
{
	double ns = row.grain_ns;

	if (row.heavy && is_long(drawing, node))
		ns *= LONG_FACTOR;
	return (uint32_t)(ns * row.turns / 1000);
}

static void draw(uint32_t drawing)
{
	uint32_t i;

	for (i = 0; i < graph.count; i++)
		graph.nodes[i].turns = turns_of(drawing, i);
}

void who_draw(unsigned n)
{
	draw(n % DRAWINGS);
}

/* Return the ideal time, from critical path and total, for nodes of `even` or
 * `tall` ns. */
static double ideal(uint32_t drawing, double even, double tall)
{
	double *end = malloc(graph.count * sizeof(*end)), longest = 0, all = 0;
	uint32_t i, k;

	for (i = 0; end != NULL && i < graph.count; i++) {
		double cost = row.heavy && is_long(drawing, i) ? tall : even;

		end[i] = 0;
		for (k = graph.before_at[i]; k < graph.before_at[i + 1]; k++)
			if (end[i] < end[graph.before[k]])
				end[i] = end[graph.before[k]];
		end[i] += cost;
		all += cost;
		longest = end[i] > longest ? end[i] : longest;
	}
	free(end);
	all /= row.threads < who_processors() ? row.threads :
	       who_processors();
	return all > longest ? all : longest;
}

/* --- timing ------------------------------------------------------------------ */

static pid_t start_hog(void)
{
	pid_t hog = fork();

	if (hog != 0)
		return hog;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	who_pin(strcmp(busy, "caller") == 0 ? home : home == 0);
	for (;;)
		grain_measure(1000);
}

static void end_hog(pid_t hog)
{
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
}

static void timed_loop(void *unused)
{
	pid_t hog = busy[0] != '\0' ? start_hog() : -1;
	uint64_t end, start;
	uint32_t warm;

	(void)unused;
	for (warm = 0; warm < batch.warm; warm++)
		who->run();
	end = now_ns() + batch.budget_ns;
	for (batch.count = 0; batch.count < SAMPLES_MOST;) {
		start = now_ns();
		who->run();
		samples[batch.count] = now_ns() - start;
		start += samples[batch.count++];
		if (start >= end)
			break;
	}
	if (hog > 0)
		end_hog(hog);
}

static void enter(void (*loop)(void *))
{
	if (who->wake != NULL)
		who->wake();
	if (who->enter != NULL)
		who->enter(loop, NULL);
	else
		loop(NULL);
	if (who->rest != NULL)
		who->rest();
}

static double mean(void)
{
	double all = 0;
	uint32_t i;

	for (i = 0; i < batch.count; i++)
		all += (double)samples[i];
	return all / batch.count;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Return true if another thread of this process runs. */
static int somebody_runs(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	char path[320], line[256], *state;
	int running = 0;

	while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
		FILE *file;

		if (entry->d_name[0] == '.' ||
		    atoi(entry->d_name) == (int)gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/stat",
			 entry->d_name);
		file = fopen(path, "r");
		if (file == NULL)
			continue;
		if (fgets(line, sizeof(line), file) != NULL &&
		    (state = strrchr(line, ')')) != NULL)
			running |= state[1] == ' ' && state[2] == 'R';
		fclose(file);
	}
	if (tasks != NULL)
		closedir(tasks);
	return running;
}

/* Wait until all threads sleep: threads that spin before they sleep would disturb
 * the next contestant. */
static void settle(void)
{
	struct timespec ms = { 0, 1000000 };
	int i;

	for (i = 0; i < 2000 && somebody_runs(); i++)
		nanosleep(&ms, NULL);
}

static void do_batch(uint64_t budget_ns)
{
	uint32_t drawings = row.heavy ? DRAWINGS : 1, d;
	double even = 0, tall = 0;

	batch.budget_ns = budget_ns / drawings;
	if (row.grain_ns > 0)
		even = grain_measure(turns_of(0, 0));
	if (row.heavy) {
		row.heavy = 0;
		even = grain_measure(turns_of(0, 0));
		row.heavy = 1;
		tall = grain_measure((uint32_t)(row.grain_ns * row.turns / 1000 *
						LONG_FACTOR));
	}
	for (d = 0; d < drawings; d++) {
		draw(d);
		batch.warm = d == 0 ? 2 : 1;
		enter(timed_loop);
		qsort(samples, batch.count, sizeof(samples[0]), by_size);
		printf("%u %u %llu %llu %.0f %.0f\n", d, batch.count,
		       (unsigned long long)samples[0],
		       (unsigned long long)samples[batch.count / 2],
		       ideal(d, even, tall), mean());
	}
	settle();
	printf("ok\n");
}

/* --- commands ---------------------------------------------------------------------- */

static void do_prepare(const char *line)
{
	char name[32], shape[32], spread[32];
	unsigned nodes;
	int i;

	if (sscanf(line, "%31s %31s %u %u %31s %u %lf", name, shape, &nodes,
		   &row.grain_ns, spread, &row.threads, &row.turns) != 7) {
		printf("no not understood: %s\n", line);
		return;
	}
	row.heavy = strcmp(spread, "heavy") == 0;
	who = NULL;
	for (i = 0; whos[i].name != NULL; i++)
		if (strcmp(whos[i].name, name) == 0)
			who = &whos[i];
	if (who == NULL || graph_make(&graph, shape, nodes) != 0) {
		who = NULL;
		printf("no %s, or no shape %s\n", name, shape);
		return;
	}
	draw(0);
	graph.grain_ns = row.grain_ns;
	graph.body = row.grain_ns > 0 ? grain_work : grain_empty;
	printf("ok %u %u\n", graph.count, graph.edges);
}

static int prepare(void)
{
	/* Undo the pinning: new threads inherit the affinity of this one. */
	pthread_setaffinity_np(pthread_self(), sizeof(processors), &processors);
	return who->prepare(&graph, row.threads);
}

static void checked_loop(void *unused)
{
	int i;

	(void)unused;
	batch.wrong = 0;
	for (i = 0; i < CHECKED_RUNS; i++) {
		grain_check_begin();
		who->run();
		batch.wrong |= grain_check_end();
	}
}

/* Run with bodies that check the order. */
static void do_check(void)
{
	node_body timed = graph.body;
	uint32_t i;

	graph.body = grain_checked;
	for (i = 0; i < graph.count && row.grain_ns == 0; i++)
		graph.nodes[i].turns = i % 3 * 100;
	if (who == NULL || grain_check_open(&graph) != 0 ||
	    prepare() != 0) {
		printf("no %s\n", refused);
		return;
	}
	enter(checked_loop);
	who->finish();
	graph.body = timed;
	draw(0);
	if (batch.wrong != 0)
		printf("no WRONG: a node ran before one that it comes after, "
		       "twice, or never\n");
	else if (prepare() != 0)
		printf("no %s\n", refused);
	else
		printf("ok\n");
	settle();
}

static void do_finish(void)
{
	if (who != NULL)
		who->finish();
	who = NULL;
	graph_fini(&graph);
	printf("ok\n");
}

static void be_busy(const char *where)
{
	snprintf(busy, sizeof(busy), "%s", where);
	printf("ok\n");
}

static void answer(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "prepare ", 8) == 0)
		do_prepare(line + 8);
	else if (strcmp(line, "check") == 0)
		do_check();
	else if (strncmp(line, "batch ", 6) == 0)
		do_batch(strtoull(line + 6, NULL, 10));
	else if (strcmp(line, "finish") == 0)
		do_finish();
	else if (strcmp(line, "calibrate") == 0)
		printf("ok %.3f\n", grain_calibrate());
	else if (strcmp(line, "hop") == 0)
		printf("ok %.1f\n", hop_measure());
	else if (strncmp(line, "busy ", 5) == 0)
		be_busy(line + 5);
	else
		printf("no not understood: %s\n", line);
	fflush(stdout);
}

/* With an argument: print the names of the contestants only. */
int main(int argc, char **argv)
{
	char line[256];
	int i;

	(void)argv;
	sched_getaffinity(0, sizeof(processors), &processors);
	for (i = 0; argc > 1 && whos[i].name != NULL; i++)
		puts(whos[i].name);
	if (argc > 1)
		return 0;
	while (fgets(line, sizeof(line), stdin) != NULL)
		answer(line);
	return 0;
}
