/* SPDX-License-Identifier: MIT */
/* Candidates of plait coll tune with their predicted times: which of them are measured,
 * at which sizes, and in which order. */
#ifndef PLAIT_TOOLS_COLL_CANDIDATES_H
#define PLAIT_TOOLS_COLL_CANDIDATES_H

#include "coll.h"

#include <stdbool.h>

struct coll_candidate {
	char name[24];		/* of a known algorithm; of a text: empty */
	uint32_t chunks;	/* of a share; 0: the program's choice */
	uint32_t instances;
	uint32_t message_chunks; /* limit of joined messages; 0: none joined */
	plait_coll_protocol protocol;
};

/* The best candidate for a size; UINT64_MAX: none. */
struct coll_best {
	struct coll_candidate candidate;
	uint64_t time_ns;
};

/* Times of a candidate at all sizes; UINT64_MAX: unknown. */
struct coll_times {
	struct coll_candidate candidate;
	uint64_t predicted[COLL_MOST_SIZES];
	uint64_t measured[COLL_MOST_SIZES];
	int32_t place[COLL_MOST_SIZES]; /* by prediction, from 0 */
	double score;	/* sum over sizes; the less the better */
	bool was_tried; /* set by the caller */
};

struct coll_candidates {
	struct coll_times *items; /* the caller frees them */
	uint32_t count, room;
};

/* Add a candidate; returns false without memory. */
bool coll_candidates_add(struct coll_candidates *candidates,
			 const struct coll_candidate *candidate,
			 const uint64_t *predicted, uint32_t size_count);

enum { COLL_HOPELESS = -1 };

/* Sort candidates by their predictions, and give each a place at each size; one that is
 * hopeless has COLL_HOPELESS.  Remove those that are so at all sizes; returns their
 * number. */
uint32_t coll_candidates_choose(struct coll_candidates *candidates,
				uint32_t size_count);

#endif
