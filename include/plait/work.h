/* SPDX-License-Identifier: MIT */
/*
 * plait/work.h - what backends are given to do: commands, in submissions with
 * their waits and emissions, and in segments.  Included by plait/plugin.h,
 * which says what is to be kept.
 */
#ifndef PLAIT_WORK_H
#define PLAIT_WORK_H

#include "plait/code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Yours: cast them to what you like. */
typedef struct plait_backend plait_backend;
typedef struct plait_backend_queue plait_backend_queue;
typedef struct plait_backend_signal plait_backend_signal;
typedef struct plait_backend_segment plait_backend_segment;

typedef struct plait_backend_point {
	plait_backend_signal *signal;
	uint64_t sequence;
} plait_backend_point;

/* Kinds of plait_work; the numbers are those of plait_command. */
enum {
	PLAIT_WORK_NOP = 0,
	PLAIT_WORK_CALL = 1,
	PLAIT_WORK_COPY = 2,
	PLAIT_WORK_FILL = 3,
	PLAIT_WORK_READ = 4,
	PLAIT_WORK_WRITE = 5,
	/* What a device with `forms` takes. */
	PLAIT_WORK_LAUNCH = 8,
	/* With PLAIT_CAP_SEGMENT: all of `segment`, as one command. */
	PLAIT_WORK_SEGMENT = 9,
	/* With PLAIT_CAP_REGION, in segments alone: see plait_work_region. */
	PLAIT_WORK_REGION = 10
};

/*
 * `rows` times the bytes of a work, and all that `slices` times; 1 slice, or
 * more of at least 2 rows.  Distances are from start to start, in bytes, at
 * least as long as what is there, those of slices multiples of those of rows;
 * none is 0.  What is the host's in a READ or a WRITE is target or source, too.
 */
typedef struct plait_work_rows {
	uint32_t size;
	uint32_t reserved0;
	uint64_t rows;
	uint64_t slices;
	uint64_t target_row;
	uint64_t target_slice;
	uint64_t source_row;
	uint64_t source_slice;
} plait_work_rows;

/* Kinds of plait_work_region; the numbers are those of plans. */
enum {
	PLAIT_WORK_WHILE = 0,	/* test, body, test, body, ... */
	PLAIT_WORK_DO = 1,	/* body, test, body, test, ... */
	PLAIT_WORK_CASE = 2	/* the body of an index, or none */
};

/*
 * Commands of a segment that run as the word of 4 bytes says which its work has as
 * its `source`: a loop goes on while it is not 0.  Its bodies lie right behind it,
 * one after the other: body i is the next body_work[i] commands, those of regions
 * inside with them.  A command comes behind others of the same body alone, and
 * all of an iteration behind all of the last one.  `body_work` is good during the
 * call.
 *
 * `decider`, where it is not 0, is a launch of a loop's own body, and nothing else
 * in there writes to the word: if its kernel can tell the device how it decides
 * (`DECIDE` in portable source), nobody has to look at the word.
 */
typedef struct plait_work_region {
	uint32_t size;
	uint32_t kind;
	const uint32_t *body_work;
	uint32_t body_count; /* at least 1; of loops 1 */
	uint32_t decider; /* a command of the segment, or 0 */
} plait_work_region;

/* One command, checked by the core: ranges are inside, nothing overlaps. */
typedef struct plait_work {
	uint32_t size;
	uint32_t kind;
	uint32_t pattern_bytes;
	uint32_t reserved0;
	uint64_t pattern;
	uint64_t bytes;
	plait_backend_memory *target;
	uint64_t target_offset;
	plait_backend_memory *source;
	uint64_t source_offset;
	void *host;
	/* CALL: run it; 0 is success, else PLAIT_E_FAILED with that origin. */
	int32_t (*function)(void *user_data);
	void *user_data;
	/* Null, or the name for errors; lives until the command is done. */
	const char *label;
	/* LAUNCH */
	plait_backend_launch *launch;
	/* SEGMENT, of the queue's device and idle */
	plait_backend_segment *segment;
	/* COPY, READ, WRITE with PLAIT_CAP_ROWS: null, or rows, of 2 at least;
	 * there until the command is done, or its segment is destroyed. */
	const plait_work_rows *rows;
	/* REGION */
	const plait_work_region *region;
} plait_work;

/*
 * A stretch of a queue: when all of `waits` have happened, the work in order,
 * then all of `emits`.  Any of the three may be empty.  Several are submitted
 * at once as an array; the first one's `size` is that of all.
 */
typedef struct plait_submission {
	uint32_t size;
	uint32_t flags;
	const plait_work *work;
	const plait_backend_point *waits;
	const plait_backend_point *emits;
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t reserved0;
} plait_submission;

/*
 * Commands that are run again and again, frozen: NOP, COPY, FILL, LAUNCH and
 * REGION, all of one device and its memory.  work[i] comes behind those in `before` from
 * before_first[i] up to before_first[i + 1], which all are lower than i;
 * before_first has one more entry than there is work.  The first work's `size`
 * is that of all.
 */
typedef struct plait_segment_request {
	uint32_t size;
	uint32_t flags;
	const plait_work *work;
	const uint32_t *before;
	const uint32_t *before_first;
	uint32_t work_count;
	uint32_t reserved0;
	/* Null, or the name for errors; good during the call. */
	const char *label;
} plait_segment_request;

#ifdef __cplusplus
}
#endif

#endif
