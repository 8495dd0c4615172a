/* SPDX-License-Identifier: MIT */
/*
 * plait/trace.h - records of runs, timelines, and plans tuned by measurement.
 *
 * plait_plan_record allocates record buffers for a plan.  A run with
 * PLAIT_RUN_RECORD then writes the start, end and thread of each command, the
 * waits of each lane, and the decisions of loops.  The buffers are fixed: a
 * lane keeps its newest records and counts the dropped ones.
 *
 * Example:
 *
 *     plait_run_desc desc = { .size = sizeof(desc),
 *                             .flags = PLAIT_RUN_RECORD };
 *     static char json[1 << 20];
 *     uint64_t bytes;
 *
 *     plait_plan_record(plan, 0, &error);
 *     plait_plan_run(plan, queue, &desc, &run, &error);
 *     plait_run_wait(run, PLAIT_FOREVER, &error);
 *     plait_run_write(run, PLAIT_TRACE_JSON, json, sizeof(json), &bytes,
 *                     &error);
 *
 * Cost.  Recording reads the clock once per command and allocates nothing,
 * unless completed runs are held.  Runs without the flag have no cost.
 *
 * Records belong to a run and can be read until its release.  A run without a
 * handle, as by plait_plan_call, only adds to the measured costs of the plan.
 */
#ifndef PLAIT_TRACE_H
#define PLAIT_TRACE_H

#include "plait/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of a record. */
typedef uint32_t plait_record_kind;
enum {
	/* Execution of a command. */
	PLAIT_RECORD_COMMAND = 0,
	/* Wait of a lane before a command, for the command `other`.  Within a
	 * coroutine (plait/coroutine.h): time in which it was suspended. */
	PLAIT_RECORD_WAIT = 1,
	/* Decision of a loop or case: `other` is the number of the next body,
	 * UINT64_MAX for none. */
	PLAIT_RECORD_DECISION = 2
};

/* One record.  Records of one `lane` do not overlap; but the waits of a coroutine lie
 * within its COMMAND, which follows them. */
typedef struct plait_record {
	uint32_t size;
	plait_record_kind kind;
	/* Executing lane: that of the plan; in mode PLAIT_MODE_HELPED possibly
	 * another one; 0 if one thread executes the run; one of the run's own
	 * if the run has fewer lanes than the plan (PLAIT_LANES). */
	uint32_t lane;
	/* Lane of the command in the plan. */
	uint32_t planned_lane;
	/* Index of the command; see plait_plan_query_command. */
	uint64_t command;
	/* See the kinds; UINT64_MAX: none in particular. */
	uint64_t other;
	/* Iteration of the innermost loop, from 0 at each entry.  A loop's
	 * decision: the iteration that begins, or the number of iterations. */
	uint64_t iteration;
	/* An identifier of the thread, for comparisons. */
	uint64_t thread;
	/* Monotonic clock. */
	uint64_t start_ns;
	uint64_t end_ns;
} plait_record;

/*
 * plait_plan_record - allocate record buffers for the runs of a plan.
 *
 * One call per plan, at any time; runs may be in flight.  The call prepares the
 * plan.
 *
 * @param plan    borrowed, non-null: the plan
 * @param records value: records per lane; 0: 1,024, or enough for each command
 *                and wait with the expected number of iterations, at most
 *                65,536
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if buffers of this size exist), PLAIT_E_STATE
 *         (buffers of another size exist), PLAIT_E_INVALID (too many), and as
 *         plait_plan_prepare
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_record(plait_plan *plan, uint64_t records,
					 plait_error *error);

/*
 * plait_run_records - get the records of a run.
 *
 * Records are sorted by lane, then by time.  If `records` is null or too small,
 * the call returns the counts only.
 *
 * @param run         borrowed, non-null: a complete run with PLAIT_RUN_RECORD
 * @param records     borrowed, nullable: receives the records; `size` of the
 *                    first is set and is the array's stride
 * @param count       value: capacity of `records`
 * @param out_count   borrowed, nullable: number of records
 * @param out_dropped borrowed, nullable: number of dropped records
 * @param error       borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (`records` is not null and too small),
 *         PLAIT_E_STATE (the run is not complete, or not recorded),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_records(plait_run *run,
					 plait_record *records, uint64_t count,
					 uint64_t *out_count,
					 uint64_t *out_dropped,
					 plait_error *error);

/* Format of plait_run_write. */
typedef int32_t plait_trace_format;
enum {
	/* JSON for chrome://tracing and Perfetto: a thread per lane, commands,
	 * loops and waits, an arrow for each wait of the plan. */
	PLAIT_TRACE_JSON = 0,
	/* A picture: the measured schedule beside the planned one. */
	PLAIT_TRACE_SVG = 1
};

/*
 * plait_run_write - write the records of a run as text.
 *
 * @param run            borrowed, non-null: as for plait_run_records
 * @param format         value: the format
 * @param buffer         borrowed, nullable: receives the text, without a NUL
 * @param capacity_bytes value: the size of `buffer`
 * @param out_bytes      borrowed, nullable: required size
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a non-null buffer is too small; its
 *         contents are then undefined), PLAIT_E_STATE, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_write(plait_run *run,
				       plait_trace_format format,
				       void *buffer, uint64_t capacity_bytes,
				       uint64_t *out_bytes,
				       plait_error *error);

/* Options of plait_plan_tune; null: those of the plan. */
typedef struct plait_tune_desc {
	uint32_t size;
	uint32_t flags;
	/* AUTO: by the spread of the measured costs, among nodes and, with at
	 * least three recorded runs, between runs. */
	plait_mode mode;
	/* Maximum number of lanes per device; 0: the limit of the plan. */
	uint32_t lanes;
	/* Cost of observing the progress of another lane, in nanoseconds; 0:
	 * the plan's hop cost times the measured duration of a unit. */
	uint64_t hop_ns;
} plait_tune_desc;

/* Input and prediction of plait_plan_tune. */
typedef struct plait_tune_info {
	uint32_t size;
	uint32_t reserved0;
	/* Recorded runs, and commands with a measured duration. */
	uint64_t runs;
	uint64_t measured;
	/* Predicted duration of a run of the old and of the new plan, from
	 * the measured costs. */
	uint64_t before_ns;
	uint64_t after_ns;
} plait_tune_info;

/*
 * plait_plan_tune - plan the same graph again with measured costs.
 *
 * The cost of a command is the median of its last seven durations; a command
 * without a measurement keeps its given cost, scaled.  The costs of the new
 * plan are nanoseconds.  The new plan has the kernels that the old one uses now
 * and all its bindings; it is not prepared.  The old plan is unchanged; runs
 * may be in flight.  The planner is a heuristic: compare the predictions in
 * `info` before switching plans.
 *
 * @param plan  borrowed, non-null: a plan with recorded runs
 * @param desc  borrowed, nullable: options; null means those of the plan
 * @param out   owned, non-null: the new plan, one reference
 * @param info  borrowed, nullable: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (no recorded run), PLAIT_E_INVALID,
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_tune(plait_plan *plan,
				       const plait_tune_desc *desc,
				       plait_plan **out, plait_tune_info *info,
				       plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
