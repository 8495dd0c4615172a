/* SPDX-License-Identifier: MIT */
/*
 * The explorer: runs a few threads of real source, compiled with
 * -DPLAIT_EXPLORE, under every interleaving and every value that weak memory
 * may show, within bounds, or under random ones.  See README.md.
 */
#ifndef PLAIT_T_MC_H
#define PLAIT_T_MC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MC_THREADS_MAX = 6, MC_REASON_BYTES = 400, MC_PATH_MAX = 8192 };

/* One small program.  State is static; `begin` sets all of it again. */
struct mc_scenario {
	const char *name;
	void (*begin)(void);
	void (*run)(uint32_t self); /* on each thread, 0 to threads - 1 */
	void (*end)(void);          /* after all have ended; may be null */
	uint32_t threads;
	/* Bounds of the depth-first search; see README.md for the meaning. */
	uint32_t preemptions;
	uint32_t stale;
	uint32_t spurious;
	uint64_t executions_max; /* 0: as many as there are */
};

struct mc_options {
	bool random;
	uint64_t seed;
	uint64_t executions; /* random: how many; depth first: a limit */
	FILE *trace;         /* replay: each step is written here */
};

struct mc_result {
	bool failed;
	bool random;   /* as in the options, for the replay */
	bool complete; /* depth first: everything within bounds was seen */
	/* Bounds of the failing execution; without a failure all within these
	 * was seen. */
	bool deviations; /* any switch but the first on offer was counted */
	uint32_t preemptions;
	uint32_t stale;
	uint64_t executions;
	uint64_t steps;
	char reason[MC_REASON_BYTES];
	uint16_t path[MC_PATH_MAX]; /* the choices of the failing execution */
	uint32_t path_count;
};

/* True when no execution failed. */
bool mc_search(const struct mc_scenario *scenario,
	       const struct mc_options *options, struct mc_result *result);

/* One execution along result->path, each step printed. */
void mc_replay(const struct mc_scenario *scenario,
	       const struct mc_result *failure, FILE *trace);

/* Called in scenarios: ends the execution as failed. */
void mc_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define MC_CHECK(expression)                                                  \
	((expression) ? (void)0 :                                             \
			mc_fail("%s:%d: %s", __FILE__, __LINE__, #expression))

/* A choice of the scenario's own: 0 to count - 1, all explored. */
uint32_t mc_choose(uint32_t count);

/* Virtual time: moves when a deadline passes. */
uint64_t mc_clock_now_ns(void);

/*
 * Memory that is checked: an access after mc_free fails the execution, and
 * so does an mc_free that is not ordered after every access.  All of it is
 * gone with the execution; addresses are not used twice.
 */
void *mc_alloc(uint64_t bytes);
void mc_free(void *block);

/*
 * Mutants.  Weaken every operation of the source files that end in one of
 * `files`, one at a time and each way it can be weakened; a scenario must fail.
 * Survivors, and operations that no scenario reaches, are looked up in
 * `justified`, a text of lines "file function operation weakening: why".
 * Returns how many are not as written there; reports all on `report`.  Depth
 * first goes as far as `limit` in each scenario.
 */
uint32_t mc_mutate(const struct mc_scenario *const *scenarios, uint32_t count,
		   const char *const *files, const char *justified,
		   uint64_t limit, FILE *report);

/* For hand-written variants in scenarios: the one that is being run. */
extern uint32_t mc_variant;

#endif
