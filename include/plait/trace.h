/* SPDX-License-Identifier: MIT */
/*
 * plait/trace.h - what runs did, and when.
 *
 * A plan that was told to (plait_plan_record) has room to write down what a run
 * with PLAIT_RUN_RECORD does: when each command began and ended, on which
 * thread, how long a lane waited and for what, and how loops decided.  The
 * room is fixed: each lane keeps its newest records and counts the others.
 * Recording allocates nothing, unless runs that are over are held; it costs a
 * look at the clock per command.  Runs without that flag do not notice.
 *
 * Records are of the run: they can be pulled until it is released.  A run
 * that nobody holds, as by plait_plan_call, only adds to what the plan knows
 * of its commands' costs.
 */
#ifndef PLAIT_TRACE_H
#define PLAIT_TRACE_H

#include "plait/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a record is about. */
enum {
	/* A command ran. */
	PLAIT_RECORD_COMMAND = 0,
	/* A lane waited before a command; `other` is the one waited for. */
	PLAIT_RECORD_WAIT = 1,
	/* A loop or case decided; `other` is the number of the body that
	 * comes now, UINT64_MAX for none. */
	PLAIT_RECORD_DECISION = 2
};

/* One thing that a run did.  Those of one `lane` do not overlap. */
typedef struct plait_record {
	uint32_t size;
	/* PLAIT_RECORD_... */
	uint32_t kind;
	/* Who did it: the lane of the plan that has the command, but in mode
	 * PLAIT_MODE_HELPED another one may have helped; where one thread
	 * does all of a run it is 0; and where a run has fewer lanes than the
	 * plan (PLAIT_LANES), it is one of those. */
	uint32_t lane;
	/* The lane of the plan that has the command. */
	uint32_t planned_lane;
	/* Which command; see plait_plan_command. */
	uint64_t command;
	/* See PLAIT_RECORD_...; UINT64_MAX: none in particular. */
	uint64_t other;
	/* Of the innermost loop around it, from 0 each time that is entered;
	 * of a loop's decision, the one that begins, or how many there were. */
	uint64_t iteration;
	/* The thread, for comparisons. */
	uint64_t thread;
	/* The monotonic clock. */
	uint64_t start_ns;
	uint64_t end_ns;
} plait_record;

/*
 * plait_plan_record - make room to record runs of a plan.
 *
 * At any time, runs may be in flight; once.  Prepares the plan.
 *
 * @param plan    borrowed, non-null: the plan
 * @param records value: how many each lane keeps; 0: 1,024, or enough for each
 *                command and wait, where loops run as often as was expected
 *                up to 65,536
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when there is as much room already), PLAIT_E_STATE
 *         (there is room of another size), PLAIT_E_INVALID (too many), and as
 *         plait_plan_prepare
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_record(plait_plan *plan, uint64_t records,
					 plait_error *error);

/*
 * plait_run_records - pull what a run has written down.
 *
 * By lane, then by time.  With `records` null or room for fewer only the
 * numbers are told.
 *
 * @param run         borrowed, non-null: a run with PLAIT_RUN_RECORD that is
 *                    done
 * @param records     borrowed, nullable: receives them; set `size` of the
 *                    first, which is the distance between them
 * @param count       value: room for how many
 * @param out_count   borrowed, nullable: how many there are
 * @param out_dropped borrowed, nullable: how many had no room
 * @param error       borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (`records` is not null and too small),
 *         PLAIT_E_STATE (the run is not done, or was not recorded),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_records(plait_run *run,
					 plait_record *records, uint64_t count,
					 uint64_t *out_count,
					 uint64_t *out_dropped,
					 plait_error *error);

/* What plait_run_write writes. */
enum {
	/* JSON that chrome://tracing and Perfetto read: a thread per lane, its
	 * commands, loops and waits, an arrow for each wait of the plan. */
	PLAIT_TRACE_JSON = 0,
	/* A picture: what the lanes did, beside what was planned. */
	PLAIT_TRACE_SVG = 1
};

/*
 * plait_run_write - what a run has written down, as text.
 *
 * @param run            borrowed, non-null: as for plait_run_records
 * @param format         value: one of PLAIT_TRACE_...
 * @param buffer         borrowed, nullable: receives it, without a NUL
 * @param capacity_bytes value: the size of `buffer`
 * @param out_bytes      borrowed, nullable: what it needs
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a buffer that is not null and too small;
 *         nothing useful was written), PLAIT_E_STATE, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_write(plait_run *run, int32_t format,
				       void *buffer, uint64_t capacity_bytes,
				       uint64_t *out_bytes,
				       plait_error *error);

/* How to plan anew; null: as the plan was. */
typedef struct plait_tune_desc {
	uint32_t size;
	uint32_t flags;
	/* PLAIT_MODE_...; AUTO: by the spread of what was measured, among nodes
	 * and, of three recorded runs or more, from run to run. */
	uint32_t mode;
	/* Most lanes of every device; 0: as many as were allowed. */
	uint32_t lanes;
	/* What seeing another lane's progress takes; 0: the plan's hop cost at
	 * what a unit of cost took. */
	uint64_t hop_ns;
} plait_tune_desc;

/* What planning anew had to go by, and what it promises. */
typedef struct plait_tune_info {
	uint32_t size;
	uint32_t reserved0;
	/* Runs that were recorded, and commands of which a time is known. */
	uint64_t runs;
	uint64_t measured;
	/* With what was measured, predicted for a run of the old plan and of
	 * the new one. */
	uint64_t before_ns;
	uint64_t after_ns;
} plait_tune_info;

/*
 * plait_plan_tune - plan the same graph anew, with what its commands took.
 *
 * Of each command the median of its last seven times counts; of those that were
 * not seen, the cost that they were given, in proportion.  The new plan's costs
 * are nanoseconds.  It has the kernels that the old one uses now, and all else
 * that it was bound to; it is not prepared.  The old plan goes on as it is,
 * runs may be on their way.  A schedule is found by a heuristic: compare what
 * `info` tells before you change.
 *
 * @param plan  borrowed, non-null: a plan of which runs were recorded
 * @param desc  borrowed, nullable: how; null means as the plan was
 * @param out   owned, non-null: the new plan, one reference
 * @param info  borrowed, nullable: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (no run was recorded), PLAIT_E_UNSUPPORTED (a
 *         plan of a part of a graph), PLAIT_E_INVALID, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
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
