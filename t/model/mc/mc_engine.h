/* SPDX-License-Identifier: MIT */
/* Internal interface between the parts of the explorer; scenarios use mc.h. */
#ifndef PLAIT_T_MC_ENGINE_H
#define PLAIT_T_MC_ENGINE_H

#include "mc.h"
#include "mc_atomic.h"

enum { MC_STEPS_MAX = 3000 };

/* The ways to weaken an operation; bits of mc_site.weakened. */
enum mc_weakening {
	MC_RELAX = 1,      /* a load or store becomes relaxed */
	MC_NO_ACQUIRE = 2, /* of a read-modify-write */
	MC_NO_RELEASE = 4,
	MC_DROP = 8,       /* a fence, a barrier or a wake is left out */
	MC_ONE = 16        /* a wake of all wakes one */
};

/* mc.c: the search. */
uint32_t mc_pick(uint32_t count, uint32_t rarely); /* one choice of the path */
bool mc_spend(uint32_t *budget);    /* false in depth-first search when 0 */
bool mc_is_random(void);
bool mc_failed(void);
void mc_trace(const struct mc_site *site, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool mc_tracing(void);
void mc_abandon(const char *reason); /* record; the caller leaves */

/* The remaining bounds of this execution. */
struct mc_budget {
	bool deviations; /* `preemptions` pays for switches that are free,
			  * too */
	uint32_t preemptions;
	uint32_t stale;
	uint32_t spurious;
};
extern struct mc_budget mc_budget;

/* mc_thread.c: coroutines, the choice of the next thread, sleeping. */
void mc_threads_run(const struct mc_scenario *scenario);
uint32_t mc_self(void);  /* row in the clocks: 0 outside, thread + 1 inside */
bool mc_running(void);
void mc_point(struct mc_site *site);
void mc_threads_wrote(void);
void mc_leave(void) __attribute__((noreturn)); /* end the execution now */

/* mc_memory.c: the values that a read may see. */
void mc_memory_reset(void);
void mc_memory_fork(uint32_t rows); /* rows 1..  take over the knowledge of row
				     * 0 */
void mc_memory_join(uint32_t rows); /* row 0 takes over the knowledge of all */
void mc_memory_fence(void);
uint64_t mc_memory_peek(const void *cell, uint32_t bytes,
			struct mc_site *site);
void mc_memory_check(const void *address, struct mc_site *site);

#endif
