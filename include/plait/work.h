/* SPDX-License-Identifier: MIT */
/*
 * plait/work.h - commands, submissions and segments in the interface of
 * backends; included by plait/plugin.h, which has the rules.
 *
 * Example: a backend's loop over a submission.
 *
 *     static void run_all(const plait_submission *submission)
 *     {
 *             for (uint32_t i = 0; i < submission->work_count; i++) {
 *                     const plait_work *work = &submission->work[i];
 *
 *                     if (work->kind == PLAIT_WORK_CALL)
 *                             work->function(work->user_data);
 *             }
 *     }
 */
#ifndef PLAIT_WORK_H
#define PLAIT_WORK_H

#include "plait/code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of the backend, opaque to the core. */
typedef struct plait_backend plait_backend;
typedef struct plait_backend_queue plait_backend_queue;
typedef struct plait_backend_signal plait_backend_signal;
typedef struct plait_backend_segment plait_backend_segment;

typedef struct plait_backend_point {
	plait_backend_signal *signal;
	uint64_t sequence;
} plait_backend_point;

/* Times of a command, by the clock of the service clock_ns, or virtual ones.
 * Written by the backend before it raises the emissions of the submission; 0: not
 * executed, or not measured. */
typedef struct plait_work_times {
	uint64_t start_ns;
	uint64_t end_ns;
} plait_work_times;

/* Kind of a plait_work, with the numbers of plait_command. */
typedef uint32_t plait_work_kind;
enum {
	PLAIT_WORK_NOP = 0,
	PLAIT_WORK_CALL = 1,
	PLAIT_WORK_COPY = 2,
	PLAIT_WORK_FILL = 3,
	PLAIT_WORK_READ = 4,
	PLAIT_WORK_WRITE = 5,
	/* Devices with `forms`. */
	PLAIT_WORK_LAUNCH = 8,
	/* PLAIT_CAP_SEGMENT: all of `segment`, as one command. */
	PLAIT_WORK_SEGMENT = 9,
	/* PLAIT_CAP_REGION, in segments only: see plait_work_region. */
	PLAIT_WORK_REGION = 10
};

/*
 * Rows of a COPY, READ or WRITE: `slices` slices of `rows` rows of `bytes`
 * bytes; 1 slice, or more slices of at least 2 rows.  Distances are in bytes
 * from start to start, at least the size of a row or slice, and never 0; the
 * distance of slices is a multiple of that of rows.  `host` counts as the
 * target of a READ and the source of a WRITE.
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

/* Kind of a plait_work_region, with the numbers of plans. */
typedef uint32_t plait_work_region_kind;
enum {
	PLAIT_WORK_WHILE = 0,	/* test, body, test, body, ... */
	PLAIT_WORK_DO = 1,	/* body, test, body, test, ... */
	PLAIT_WORK_CASE = 2,	/* the body of an index, or none */
	PLAIT_WORK_IF = 4	/* the body, once, if the word is not 0 */
};

/*
 * A loop or branch of a segment.  The 32-bit word at `source` of its work is
 * the predicate: a loop goes on while it is not 0.  No plan has an IF; one is in a
 * loop whose bodies differ from iteration to iteration.  The bodies follow the
 * region's command: body i is the next body_work[i] commands, nested regions
 * included. A command has predecessors in its own body only, and all commands
 * of an iteration follow all of the previous one.  `body_work` is valid during
 * the call.
 *
 * `decider`, if not 0, is a launch directly in a loop's body, and no other
 * command of the body writes the word: if the kernel passes its decision to the
 * device (`DECIDE` in portable source), the device need not read the word.
 */
typedef struct plait_work_region {
	uint32_t size;
	plait_work_region_kind kind;
	const uint32_t *body_work;
	uint32_t body_count; /* at least 1; loops and IF: 1 */
	uint32_t decider; /* index of a command of the segment, or 0 */
} plait_work_region;

/* One command, checked by the core: ranges fit and do not overlap. */
typedef struct plait_work {
	uint32_t size;
	plait_work_kind kind;
	uint32_t pattern_bytes;
	uint32_t reserved0;
	uint64_t pattern;
	uint64_t bytes;
	plait_backend_memory *target;
	uint64_t target_offset;
	plait_backend_memory *source;
	uint64_t source_offset;
	void *host;
	/* CALL: 0 is success, else PLAIT_E_FAILED with the result as origin. */
	int32_t (*function)(void *user_data);
	void *user_data;
	/* Null, or the name for errors; valid until completion. */
	const char *label;
	/* LAUNCH */
	plait_backend_launch *launch;
	/* SEGMENT: of the queue's device, and idle */
	plait_backend_segment *segment;
	/* COPY, READ, WRITE with PLAIT_CAP_ROWS: null, or at least 2 rows;
	 * valid until completion, or until the segment is destroyed. */
	const plait_work_rows *rows;
	/* REGION */
	const plait_work_region *region;
	/* Null, or receives the times of the command, in a queue with
	 * PLAIT_QUEUE_TIMES; valid until the submission is complete.  A backend
	 * may ignore it. */
	plait_work_times *times;
} plait_work;

/*
 * A number of a repeated submission: in execution k, from 0 on, the argument of
 * the launch of work[work] is first + k * step, modulo 2^64.  The argument is an
 * integer of 4 bytes, which gets the low ones, or of 8.
 */
typedef struct plait_work_series {
	uint32_t size;
	uint32_t work;
	uint32_t argument;
	uint32_t reserved0;
	uint64_t first;
	uint64_t step;
} plait_work_series;

/*
 * A submission: wait for all of `waits`, execute the work in order, then emit
 * all of `emits`.  Each of the three may be empty.  In an array of submissions
 * the first one's `size` applies to all.
 *
 * A device with `repeats` executes all of the work `times` times, 0 counting as
 * 1; repeated work is NOP, COPY, FILL and LAUNCH.  In the capacity of the queue it
 * counts once.  The first series' `size` applies to all.
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
	uint32_t times;
	const plait_work_series *series;
	uint32_t series_count;
	uint32_t reserved0;
} plait_submission;

/*
 * Commands of a segment, which is executed repeatedly: NOP, COPY, FILL, LAUNCH
 * and REGION, of one device and its memory.  The predecessors of work[i] are
 * before[before_first[i]] to before[before_first[i + 1] - 1], all lower than i;
 * before_first has work_count + 1 entries.  The first work's `size` applies to
 * all.
 *
 * Commands are of several lanes, unless the device sets in_order_segments: its
 * segments run their commands one after the other.  Not with PLAIT_CAP_REGION.
 */
typedef struct plait_segment_request {
	uint32_t size;
	uint32_t flags;
	const plait_work *work;
	const uint32_t *before;
	const uint32_t *before_first;
	uint32_t work_count;
	uint32_t reserved0;
	/* Null, or the name for errors; valid during the call. */
	const char *label;
} plait_segment_request;

#ifdef __cplusplus
}
#endif

#endif
