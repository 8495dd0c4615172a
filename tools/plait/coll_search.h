/* SPDX-License-Identifier: MIT */
/*
 * Search of the schedule with the least predicted or measured time for each size.  Programs
 * are the known algorithms of a collective with some numbers of chunks, or one
 * text; each is tried with all protocols, with some numbers of instances, and
 * with messages joined to some numbers of chunks.
 */
#ifndef PLAIT_TOOLS_COLL_SEARCH_H
#define PLAIT_TOOLS_COLL_SEARCH_H

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

/* The caller sets all but the last three. */
struct coll_search {
	plait_context *context;
	plait_coll_desc desc;	/* for a text: `ranks` alone, 0: its own */
	plait_coll_target target;
	const struct input *text; /* null: the known algorithms */
	const char *text_name;
	const struct input *cluster; /* null: measure on this machine */
	const char *cluster_name;
	const struct coll_sizes *sizes;
	bool prints_all;	/* print each candidate and time */
	struct coll_best best[COLL_MOST_SIZES];
	plait_coll_kind kind;	/* of the last schedule, with its ranks */
	uint32_t ranks;
	plait_error error;	/* of the last candidate that was refused */
};

/* Try all candidates; a refused one is left out. */
void coll_search_all(struct coll_search *search);

/* Compile a candidate for a range of sizes. */
plait_status coll_search_compile(struct coll_search *search,
				 const struct coll_candidate *candidate,
				 uint64_t min_bytes, uint64_t max_bytes,
				 plait_schedule **out);

void coll_search_print(const struct coll_search *search,
		       const struct coll_candidate *candidate, uint64_t size,
		       uint64_t time_ns);

#endif
