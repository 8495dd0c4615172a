/* SPDX-License-Identifier: MIT */
/*
 * Hash of a program: a word per task, gathered in horizons of equally many tasks.
 * Ranks compare horizons; the words of the last ones are kept, so that the first
 * task that differs has an index and a label.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_RANK_PROGRAM_HASH_H
#define PLAIT_SRC_FLOW_RANK_PROGRAM_HASH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Most tasks of a horizon, and the default. */
	PLAIT__HORIZON_TASKS = 64,
	/* Horizons that a rank may be ahead of another one. */
	PLAIT__HORIZON_AHEAD = 4,
	/* Kept horizons, a power of two: of a rank that is as far behind, of one
	 * that is as far ahead, and the own one. */
	PLAIT__HORIZON_KEPT = 16,
	PLAIT__HORIZON_LABEL = 32
};

/* Ends of a program. */
enum {
	PLAIT__HORIZON_LAST = 1, /* the rank submits no more */
	PLAIT__HORIZON_LEFT = 2	 /* its process ends: it serves no more */
};

/* Horizon as ranks tell it: no padding. */
typedef struct plait__horizon {
	uint64_t number;   /* 1, 2, ... */
	uint64_t before;   /* hash of all tasks before it */
	uint64_t slots;	   /* of a last one: sent to the rank that it is told */
	uint64_t after;	   /* hash of all tasks up to its newest one */
	uint32_t count;	   /* tasks */
	uint32_t end;	   /* 0, or PLAIT__HORIZON_LAST, _LEFT */
	uint16_t each[PLAIT__HORIZON_TASKS]; /* words of the tasks, cut */
} plait__horizon;

typedef struct plait__program_hash {
	uint32_t period;
	uint64_t tasks;
	uint64_t hash;
	plait__horizon horizons[PLAIT__HORIZON_KEPT]; /* by number */
	uint64_t hashes[PLAIT__HORIZON_KEPT][PLAIT__HORIZON_TASKS]; /* after each */
	char labels[PLAIT__HORIZON_KEPT][PLAIT__HORIZON_TASKS]
		   [PLAIT__HORIZON_LABEL];
} plait__program_hash;

/* `period` tasks make a horizon.  Memory is zeroed. */
void plait__program_hash_init(plait__program_hash *hash, uint32_t period);

/* Returns a word with another one mixed in; begin with 0. */
static inline uint64_t plait__program_hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Add a task; `label` may be null.  Returns its horizon if that is over, else
 * null. */
const plait__horizon *plait__program_hash_add(plait__program_hash *hash,
					      uint64_t word,
					      const char *label);

/* The horizon in which the next task is: it may have none. */
plait__horizon plait__program_hash_end(const plait__program_hash *hash,
				       uint32_t end);

/* Find a kept horizon, over or not; null: there is none. */
const plait__horizon *
plait__program_hash_kept(const plait__program_hash *hash, uint64_t number);

/* Find a horizon that is over and kept; null: there is none. */
const plait__horizon *
plait__program_hash_find(const plait__program_hash *hash, uint64_t number);

/* The label of a task of a kept horizon, "" without one. */
const char *plait__program_hash_label(const plait__program_hash *hash,
				      uint64_t number, uint32_t index);

/* Index of the first task that differs in a kept horizon, over or not, and the same
 * one of another rank; PLAIT__HORIZON_TASKS: none differs.  A task beyond the last
 * one of a rank that submits no more does.  If the hash alone differs, and no cut
 * word, the index is that of the last task that both have. */
uint32_t plait__program_hash_differ(const plait__program_hash *hash,
				    const plait__horizon *own,
				    const plait__horizon *other);

/* Returns true if the newest task of a kept horizon, which has one, differs. */
bool plait__program_hash_newest_differs(const plait__program_hash *hash,
					const plait__horizon *own,
					const plait__horizon *other);

#endif
