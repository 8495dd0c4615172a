/* SPDX-License-Identifier: MIT */
/*
 * Ranks that are processes over shm, one of which gets a signal at each step of a
 * collective.  Its numbers are protected pages: each access to another page is a
 * fault, and at the k-th one the handler raises the signal.  The others have the
 * sums, or an error that names the rank; nothing is left of the world, and the
 * next one works.  Numbers in memory that peers read in place are protected alike.
 */
#include "lib/objects.h"
#include "lib/tap.h"
#include "plait/plait.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, HIT = 1, PAGE = 4096, PAGES = 12, OPEN = 3 };
#define SILENCE_NS UINT64_C(1000000000) /* a rank that runs is not as late */
/* Pages of numbers that peers read in place: a reduction of fewer ones is sent
 * through slots.  Pauses of ranks for which the others wait. */
enum { SHARED_PAGES = 96, PAUSES = 100, STEPS_MAX = 500, READER_TRIES = 20 };

/* Ways in which a rank ends: its exit status. */
enum { HAS_SUMS = 0, HAS_LOST = 1, HAS_TIMEOUT = 2, HAS_LEFT = 3, IS_WRONG = 4 };

/* How a world of processes runs. */
struct plan {
	const char *algorithm;
	int signal;
	uint64_t silence_ns;
	uint32_t step; /* 0: none */
	const char *name;
	bool is_shared; /* the numbers are read in place */
};

/* Written by the rank that is hit; shared with the test. */
static volatile uint32_t *faults;
static float *numbers;
static uint32_t pages = PAGES;

/* ---- the rank that gets the signal ---- */

static struct plan hit;
static uint32_t open_pages[OPEN], open_next;

static void close_pages(void)
{
	(void)mprotect(numbers, pages * PAGE, PROT_NONE);
	for (int i = 0; i < OPEN; i++)
		open_pages[i] = pages;
}

static void count_fault(int number, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)numbers;
	const uint32_t page = (uint32_t)(at / PAGE);
	const uint32_t old = open_pages[open_next];

	(void)context;
	if (at >= pages * PAGE) {
		signal(number, SIG_DFL);
		return;
	}
	if (++*faults == hit.step)
		(void)raise(hit.signal);
	if (old < pages)
		(void)mprotect((char *)numbers + old * PAGE, PAGE, PROT_NONE);
	open_pages[open_next] = page;
	open_next = (open_next + 1) % OPEN;
	(void)mprotect((char *)numbers + page * PAGE, PAGE,
		       PROT_READ | PROT_WRITE);
}

static void protect(void)
{
	struct sigaction action = { .sa_sigaction = count_fault,
				    .sa_flags = SA_SIGINFO };

	*faults = 0;
	(void)sigaction(SIGSEGV, &action, NULL);
	close_pages();
}

static void unprotect(void)
{
	(void)mprotect(numbers, pages * PAGE, PROT_READ | PROT_WRITE);
	signal(SIGSEGV, SIG_DFL);
}

/* ---- a rank ---- */

static uint32_t count_files(void)
{
	DIR *open = opendir("/proc/self/fd");
	uint32_t count = 0;

	while (open != NULL && readdir(open) != NULL)
		count++;
	if (open != NULL)
		closedir(open);
	return count;
}

/* Exits with IS_WRONG. */
static void must(bool good, const char *what, const plait_error *error)
{
	if (good)
		return;
	fprintf(stderr, "# %s: %s\n", what, error->text);
	_exit(IS_WRONG);
}

static plait_status create(plait_context *context, plait_world *world,
			   const char *algorithm, uint32_t ranks,
			   plait_collective **out, plait_error *error)
{
	const plait_coll_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_COLL_ALLREDUCE,
				       .flags = PLAIT_COLL_IN_PLACE,
				       .ranks = ranks };
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(context, algorithm, &desc,
					       &coll, error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, error);
	if (status == PLAIT_OK)
		status = plait_collective_create(world, &schedule, 1, out,
						 error);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

static plait_status sum(plait_collective *collective, uint32_t rank,
			uint32_t ranks, bool is_hit, plait_error *error)
{
	const uint32_t count = pages * (PAGE / (uint32_t)sizeof(float));
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = count,
		.output_memory = numbers };
	plait_status status;

	for (uint32_t i = 0; i < count; i++)
		numbers[i] = (float)(rank + i % 97);
	if (is_hit)
		protect();
	status = plait_collective_call(collective, &run, error);
	if (is_hit)
		unprotect();
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++)
		must(numbers[i] == (float)(ranks * (ranks - 1) / 2 +
					   ranks * (i % 97)), "sum", error);
	return status;
}

/* Returns the buffer of the numbers, or null. */
static plait_buffer *share(const struct plan *plan, plait_world *world,
			   plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = SHARED_PAGES * PAGE };
	plait_buffer *buffer = NULL;
	void *memory = NULL;

	if (!plan->is_shared)
		return NULL;
	must(plait_world_buffer(world, NULL, &desc, &buffer, error) ==
		     PLAIT_OK &&
	     plait_buffer_map(buffer, 0, desc.bytes,
			      PLAIT_MAP_READ | PLAIT_MAP_WRITE, &memory,
			      error) == PLAIT_OK, "world buffer", error);
	numbers = memory;
	pages = SHARED_PAGES;
	return buffer;
}

static void drop(plait_buffer *buffer, plait_error *error)
{
	if (buffer == NULL)
		return;
	must(plait_buffer_unmap(buffer, numbers, error) == PLAIT_OK, "unmap",
	     error);
	plait_buffer_release(buffer);
}

/* Returns the status of the call; all else must succeed. */
static plait_status live(const struct plan *plan, uint32_t rank,
			 uint32_t ranks, const char *name, plait_error *error)
{
	char options[96];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host",
					  .options = options };
	const plait_world_desc shm = { .size = sizeof(shm),
				       .transports = "shm",
				       .open_ns = TAP_PATIENCE_NS,
				       .silence_ns = plan->silence_ns };
	const uint32_t files = count_files();
	plait_error ignored = { .size = sizeof(ignored) };
	plait_collective *collective = NULL;
	plait_context *context = NULL;
	plait_world *world = NULL;
	plait_buffer *buffer;
	plait_status status;

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%u,name=%s",
		 rank, ranks, name);
	must(plait_context_open(&desc, &context, error) == PLAIT_OK &&
	     plait_world_open(context, &shm, &world, error) == PLAIT_OK &&
	     create(context, world, plan->algorithm, ranks, &collective,
		    error) == PLAIT_OK, "open", error);
	buffer = share(plan, world, error);
	/* All have created theirs when a call has ended. */
	must(sum(collective, rank, ranks, false, error) == PLAIT_OK,
	     "the first call", error);
	/* The rank waits for what the others offer, so that it reads all in place. */
	for (uint32_t i = 0; buffer != NULL && rank != HIT && i < PAUSES; i++)
		pause_a_little();
	status = sum(collective, rank, ranks,
		     ranks == RANKS && rank == HIT, error);
	drop(buffer, &ignored);
	plait_collective_release(collective);
	plait_world_release(world);
	must(plait_context_close(context, PLAIT_FOREVER, &ignored) == PLAIT_OK,
	     "close", &ignored);
	must(count_files() == files, "descriptors are left", error);
	return status;
}

/* An error names the rank that got the signal. */
static int judge(plait_status status, uint32_t rank, const plait_error *error)
{
	if (status == PLAIT_OK)
		return HAS_SUMS;
	if (rank != HIT)
		must(strstr(error->text, "rank 1") != NULL, "name", error);
	return status == PLAIT_E_LOST ? HAS_LOST :
	       status == PLAIT_E_TIMEOUT ? HAS_TIMEOUT : HAS_LEFT;
}

/* Survivors of a killed rank are the ranks of a next world. */
static void run_rank(const struct plan *plan, uint32_t rank)
{
	plait_error error = { .size = sizeof(error) };
	char next[64];
	int result;

	hit = *plan;
	(void)alarm(TAP_PATIENCE_NS / 1000000000);
	result = judge(live(plan, rank, RANKS, plan->name, &error), rank,
		       &error);
	if (plan->signal == SIGKILL && plan->step != 0 && rank != HIT) {
		snprintf(next, sizeof(next), "%sn", plan->name);
		must(live(plan, rank > HIT, RANKS - 1, next, &error) ==
		     PLAIT_OK, "the next world", &error);
	}
	_exit(result);
}

/* ---- the ranks ---- */

static void start(const struct plan *plan, pid_t ranks[RANKS])
{
	for (uint32_t i = 0; i < RANKS; i++) {
		ranks[i] = fork();
		if (ranks[i] == 0)
			run_rank(plan, i);
		OK(ranks[i] > 0);
	}
}

static int end_of(pid_t rank)
{
	int status = -1;

	(void)waitpid(rank, &status, 0);
	return status;
}

static bool is_left(const char *name)
{
	DIR *open = opendir("/dev/shm");
	struct dirent *entry;
	bool found = false;

	while (open != NULL && (entry = readdir(open)) != NULL)
		found |= strstr(entry->d_name, name) != NULL;
	if (open != NULL)
		closedir(open);
	return found;
}

static bool has_exited(int status, int with)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == with;
}

/* Returns the accesses to other pages in a call without a signal. */
static uint32_t count_steps(const char *algorithm)
{
	char name[64];
	const struct plan plan = { .algorithm = algorithm, .name = name };
	pid_t ranks[RANKS];

	snprintf(name, sizeof(name), "sig%ld.%s", (long)getpid(), algorithm);
	start(&plan, ranks);
	for (uint32_t i = 0; i < RANKS; i++)
		OK(has_exited(end_of(ranks[i]), HAS_SUMS));
	NOTE("%s: %u steps", algorithm, *faults);
	OK(*faults >= PAGES && *faults < STEPS_MAX);
	return *faults;
}

static void kill_at(const char *algorithm, uint32_t step)
{
	char name[64];
	const struct plan plan = { .algorithm = algorithm, .signal = SIGKILL,
				   .step = step, .name = name };
	pid_t ranks[RANKS];
	int status;

	snprintf(name, sizeof(name), "sig%ld.%s%u", (long)getpid(), algorithm,
		 step);
	start(&plan, ranks);
	for (uint32_t i = 0; i < RANKS; i++) {
		status = end_of(ranks[i]);
		OK_THAT(i == HIT ? WIFSIGNALED(status) &&
					   WTERMSIG(status) == SIGKILL :
				   (step > 1 && has_exited(status, HAS_SUMS)) ||
					   has_exited(status, HAS_LOST),
			"%s, step %u: rank %u: status 0x%x", algorithm, step,
			i, (unsigned)status);
	}
	OK_THAT(!is_left(name), "step %u: nothing is in /dev/shm", step);
}

static void kills_at_each_step(void)
{
	static const char *const algorithms[] = { "ring", "allpairs" };

	for (size_t i = 0; i < TAP_COUNT(algorithms); i++) {
		const uint32_t steps = count_steps(algorithms[i]);

		for (uint32_t step = 1; step <= steps; step++)
			kill_at(algorithms[i], step);
	}
}

/* Start the ranks, and wait until the rank has stopped itself. */
static void start_to_stop(const struct plan *plan, pid_t ranks[RANKS])
{
	int status = 0;

	start(plan, ranks);
	OK(waitpid(ranks[HIT], &status, WUNTRACED) == ranks[HIT] &&
	   WIFSTOPPED(status));
}

static void goes_on_behind_a_stop(void)
{
	const uint32_t steps = count_steps("ring");
	char name[64];
	struct plan plan = { .algorithm = "ring", .signal = SIGSTOP,
			     .name = name };
	pid_t ranks[RANKS];

	for (plan.step = 1; plan.step <= steps; plan.step++) {
		snprintf(name, sizeof(name), "sig%ld.s%u", (long)getpid(),
			 plan.step);
		start_to_stop(&plan, ranks);
		OK(kill(ranks[HIT], SIGCONT) == 0);
		for (uint32_t i = 0; i < RANKS; i++)
			OK(has_exited(end_of(ranks[i]), HAS_SUMS));
		OK(!is_left(name));
	}
}

/* Let the rank stop in a call.  Returns how many of the others name it; one whose
 * messages it has received all, or whose copies it reads, has the sums. */
static uint32_t stop_at(const struct plan *plan)
{
	pid_t ranks[RANKS];
	uint32_t named = 0;
	int status;

	start_to_stop(plan, ranks);
	for (uint32_t i = 0; i < RANKS; i++) {
		if (i == HIT)
			continue;
		status = end_of(ranks[i]);
		named += has_exited(status, HAS_TIMEOUT) ||
			 has_exited(status, HAS_LEFT);
		OK_THAT(has_exited(status, HAS_TIMEOUT) ||
			has_exited(status, HAS_LEFT) ||
			(plan->is_shared && has_exited(status, HAS_SUMS)),
			"rank %u: status 0x%x", i, (unsigned)status);
	}
	OK(kill(ranks[HIT], SIGCONT) == 0);
	status = end_of(ranks[HIT]);
	OK_THAT(has_exited(status, HAS_LEFT) || has_exited(status, HAS_LOST) ||
		(named == 0 && has_exited(status, HAS_SUMS)),
		"the stopped rank: status 0x%x", (unsigned)status);
	OK(!is_left(plan->name));
	return named;
}

/* All wait for the rank itself. */
static void names_a_stopped_rank(void)
{
	char name[64];
	const struct plan plan = { .algorithm = "allpairs", .signal = SIGSTOP,
				   .silence_ns = SILENCE_NS, .step = 1,
				   .name = name };

	snprintf(name, sizeof(name), "sig%ld.t", (long)getpid());
	OK(stop_at(&plan) == RANKS - 1);
}

/* A rank that was late reads copies only, so it may take several tries. */
static void name_reader(uint32_t step)
{
	char name[64];
	const struct plan plan = { .algorithm = "allpairs", .signal = SIGSTOP,
				   .silence_ns = SILENCE_NS, .step = step,
				   .name = name, .is_shared = true };
	uint32_t named = 0;

	for (uint32_t i = 0; named == 0 && i < READER_TRIES; i++) {
		snprintf(name, sizeof(name), "sig%ld.r%u.%u", (long)getpid(),
			 step, i);
		named = stop_at(&plan);
	}
	OK(named > 0);
}

/* It stops while it reads memory of the others, which nevertheless end: behind the
 * pages of two of three chunks, which it may have copied while it waited. */
static void names_a_rank_that_reads(void)
{
	name_reader(SHARED_PAGES * 3 / 4);
	name_reader(SHARED_PAGES * 5 / 4);
}

static const struct tap_scenario all[] = {
	{ "kills at each step", kills_at_each_step },
	{ "goes on behind a stop", goes_on_behind_a_stop },
	{ "names a stopped rank", names_a_stopped_rank },
	{ "names a rank that reads", names_a_rank_that_reads },
};

int main(int argc, char **argv)
{
	void *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	faults = shared;
	numbers = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || (void *)numbers == MAP_FAILED)
		return 1;
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
