/* SPDX-License-Identifier: MIT */
/* Actions of `plait coll`, and what they share.  A new action is a file and a row
 * in the table of coll.c. */
#ifndef PLAIT_TOOLS_COLL_H
#define PLAIT_TOOLS_COLL_H

#include "plait/plait.h"

#include "input.h"
#include "schedule.h"

#include <stdbool.h>

int coll_check(int argc, char **argv);
int coll_compile(int argc, char **argv);
int coll_draw(int argc, char **argv);
int coll_run(int argc, char **argv);
int coll_simulate(int argc, char **argv);
int coll_tune(int argc, char **argv);

/* Names in the order of PLAIT_COLL_... and PLAIT_TARGET_..., ended by null. */
extern const char *const coll_kinds[], *const coll_targets[];

/* Look `value` up in names that end with null.  Return COMMAND_DONE, or
 * COMMAND_USAGE after a message that lists them. */
int coll_choose(const char *option, const char *const *names,
		const char *value, uint32_t *out);

/* Return true for the name of an algorithm or of a collective; the path of a text
 * has a dot or a slash. */
bool coll_is_name(const char *subject);

/* Parse a number of 32 bits; as schedule_number. */
int coll_number(const char *option, const char *value, uint32_t *out);

/* Sizes in bytes of the larger one of a rank's input and output. */
enum { COLL_MOST_SIZES = 64 };
struct coll_sizes {
	uint64_t items[COLL_MOST_SIZES];
	uint32_t count;
};

/*
 * Parse sizes with suffixes K, M or G, separated by commas; A:B is A and its
 * doubles up to B.  Return COMMAND_DONE, or COMMAND_USAGE after a message.
 */
int coll_sizes_read(const char *value, struct coll_sizes *out);

/* Read options and one FILE.  Return COMMAND_DONE, or COMMAND_USAGE after a
 * message. */
int coll_options(int argc, char **argv, const struct option *known,
		 schedule_take take, void *user_data, const char **out_file);

/* Open a context (null: the backends of the environment, with workers) and read
 * a schedule (null: none).  The caller releases both, also after a failure. */
plait_status coll_open(const char *backends, const struct input *input,
		       plait_context **out_context, plait_schedule **out,
		       plait_error *error);

/* Prove and write a schedule to a file; null: standard output.  Return
 * COMMAND_DONE, or COMMAND_FAILED after a message, which begins with `name`. */
int coll_write(plait_schedule *schedule, plait_schedule_format format,
	       const char *path, const char *name);

/* Print the proof of a right schedule as a line of text. */
void coll_print_proof(const plait_proof *proof);

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
