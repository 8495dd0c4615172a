/* SPDX-License-Identifier: MIT */
/*
 * Known algorithms as chunk programs.  A name may end in ":G", the number of
 * ranks of a node, for the algorithms that tell nodes apart; ranks i * G to
 * i * G + G - 1 are node i.
 */
#ifndef PLAIT_SRC_COLL_CHUNK_KNOWN_H
#define PLAIT_SRC_COLL_CHUNK_KNOWN_H

#include "coll/chunk/chunk_program.h"

/* Make the program of an algorithm; a share of 0 is its own choice.
 * PLAIT_E_INVALID: an unknown name, or an algorithm that has no program for this
 * collective or number of ranks; PLAIT_E_NOMEM; *out is null then. */
plait_status plait__known_make(const plait_allocator *allocator,
			       const char *name,
			       const plait__chunk_request *request,
			       plait__chunk_program **out, plait_error *error);

/* Returns the name of an algorithm, or null from the last one on. */
const char *plait__known_name(uint32_t number);
/* Returns true if an algorithm has a program for the collective. */
bool plait__known_has(uint32_t number, uint32_t kind);

/* ---- for the files of algorithms ---- */

/*
 * Writer of a program.  The first failure is kept and later calls do nothing,
 * so that an algorithm reads like its description.
 */
typedef struct plait__known {
	plait__chunk_program *program;
	plait_status status;
	plait_error *error;
	uint32_t kind, ranks, root, share;
	uint32_t group;		/* ranks of a node */
	bool in_place;
} plait__known;

/* A chunk range of a buffer of a rank. */
uint64_t plait__known_at(plait__known *known, uint32_t rank, uint32_t buffer,
			 uint32_t index, uint32_t count);
/* Copy to a place; returns the copy. */
uint64_t plait__known_copy(plait__known *known, uint64_t chunk, uint32_t rank,
			   uint32_t buffer, uint32_t index);
/* Reduce a chunk into the target; returns the sum. */
uint64_t plait__known_reduce(plait__known *known, uint64_t target,
			     uint64_t source);
/* Refer to an own value that may be changed: of the input in place, else of a
 * copy in `buffer`. */
uint64_t plait__known_own(plait__known *known, uint32_t rank, uint32_t index,
			  uint32_t count, uint32_t buffer);
/* Buffer of the values above. */
uint32_t plait__known_work(const plait__known *known, uint32_t buffer);
/* Fail with a reason. */
void plait__known_refuse(plait__known *known, const char *reason);

void plait__known_ring(plait__known *known);
void plait__known_allpairs(plait__known *known);
void plait__known_onestep(plait__known *known);
void plait__known_direct(plait__known *known);
void plait__known_halving(plait__known *known);
void plait__known_tree(plait__known *known);
void plait__known_doubletree(plait__known *known);
void plait__known_hierarchical(plait__known *known);
void plait__known_twostep(plait__known *known);
void plait__known_threestep(plait__known *known);
void plait__known_next(plait__known *known);

#endif
