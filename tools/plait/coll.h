/* SPDX-License-Identifier: MIT */
/* Actions of `plait coll`, and what they share.  A new action is a file and a row
 * in the table of coll.c. */
#ifndef PLAIT_TOOLS_COLL_H
#define PLAIT_TOOLS_COLL_H

#include "plait/plait.h"

int coll_check(int argc, char **argv);

/* Promises of a file. */
struct coll_promises {
	plait_coll_promise *items; /* sorted by rank and index */
	uint64_t count;
	uint32_t *source_ranks;
	uint64_t *source_indices;
	uint64_t source_count;
};

/*
 * Read promises: each line is an output chunk and the sum of input chunks that
 * it shall hold, all as RANK.CHUNK, as in "1.0 = 0.0 + 2.1"; '#' begins a
 * comment.  Return COMMAND_DONE, or COMMAND_FAILED after a message.
 */
int coll_promises_read(const char *path, struct coll_promises *out);

void coll_promises_free(struct coll_promises *promises);

#endif
