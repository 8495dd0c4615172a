/* SPDX-License-Identifier: MIT */
/*
 * Search of the schedule with the least predicted time for each size.  Programs are the
 * known algorithms of a collective with some numbers of chunks, or one text; each
 * is tried with its protocols, with some numbers of instances, and with messages
 * joined to some numbers of chunks.
 */
#ifndef PLAIT_TOOLS_COLL_SEARCH_H
#define PLAIT_TOOLS_COLL_SEARCH_H

#include "coll_candidates.h"
#include "coll_clock.h"

#include <stddef.h>

/* Shared with the processes that measure. */
struct coll_findings {
	struct coll_best best[COLL_MOST_SIZES];
	plait_coll_kind kind;	/* of the last schedule, with its ranks */
	uint32_t ranks;
	uint32_t candidates, hopeless, measured;
	bool is_complete;	/* nothing was left out for lack of time */
	plait_error error;	/* of the last candidate that was refused */
};

struct coll_search {
	plait_context *context;
	plait_coll_desc desc;	/* for a text: `ranks` alone, 0: its own */
	plait_coll_target target;
	const struct input *text; /* null: the known algorithms */
	const char *text_name;
	const struct input *cluster;
	const char *cluster_name;
	const struct coll_sizes *sizes;
	bool prints_all;	/* print each candidate and time */
	struct coll_clock clock;
	/* To be measured: gets all candidates, none of which is the best one yet.
	 * Processes choose the protocol.  Null: predictions decide. */
	struct coll_candidates *list;
	struct coll_findings *findings;
};

/* No size has a best candidate. */
void coll_findings_clear(struct coll_findings *findings);

/* Keep a time of a candidate at a size. */
void coll_search_keep(struct coll_search *search,
		      const struct coll_candidate *candidate, uint32_t size,
		      uint64_t time_ns);

/* Predict all candidates, until the time ends; a refused one is left out. */
void coll_search_all(struct coll_search *search);

/* Compile a candidate for a range of sizes. */
plait_status coll_search_compile(struct coll_search *search,
				 const struct coll_candidate *candidate,
				 uint64_t min_bytes, uint64_t max_bytes,
				 plait_schedule **out);

/* Write the name of a candidate, and how it is compiled. */
void coll_search_name(const struct coll_search *search,
		      const struct coll_candidate *candidate, char *out,
		      size_t room);

void coll_search_print(const struct coll_search *search,
		       const struct coll_candidate *candidate, uint64_t size,
		       uint64_t time_ns);

#endif
