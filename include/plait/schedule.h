/* SPDX-License-Identifier: MIT */
/*
 * plait/schedule.h - schedules of collectives: read, prove and write them.
 *
 * A schedule says what each rank sends, receives, reduces and copies, in lanes
 * of steps; sizes are in chunks, so that it holds for any count of elements.
 * It is immutable.  Threads may share a schedule.
 *
 * Proof.  A proved schedule ends without deadlock for each timing and each
 * size, has no race, and computes what its collective promises.  The proof
 * reads the steps, not the program that they were compiled from.
 *
 * Example:
 *
 *     plait_proof proof = { .size = sizeof(proof) };
 *     plait_schedule *schedule;
 *     static char xml[1 << 20];
 *     uint64_t bytes = fread(xml, 1, sizeof(xml), stdin);
 *
 *     plait_schedule_read(context, xml, bytes, "ring.xml", &schedule, &error);
 *     if (plait_schedule_check(schedule, NULL, &proof, &error))
 *             fprintf(stderr, "%s\n", error.text);
 *     else
 *             printf("depth %u\n", (unsigned)proof.depth_min);
 *     plait_schedule_release(schedule);
 */
#ifndef PLAIT_SCHEDULE_H
#define PLAIT_SCHEDULE_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A schedule of a collective. */
typedef struct plait_schedule plait_schedule;

/* Collectives, by what output chunk c of rank r holds; n is the number of
 * ranks, k the number of chunks of a share. */
typedef uint32_t plait_coll_kind;
enum {
	/* The values of its promises. */
	PLAIT_COLL_CUSTOM = 0,
	/* The reduction of chunk c of all ranks. */
	PLAIT_COLL_ALLREDUCE = 1,
	/* Chunk c % k of rank c / k. */
	PLAIT_COLL_ALLGATHER = 2,
	/* The reduction of chunk r * k + c of all ranks. */
	PLAIT_COLL_REDUCE_SCATTER = 3,
	/* Chunk r * k + c % k of rank c / k. */
	PLAIT_COLL_ALLTOALL = 4,
	/* Chunk c of the root. */
	PLAIT_COLL_BROADCAST = 5,
	/* On the root: the reduction of chunk c of all ranks. */
	PLAIT_COLL_REDUCE = 6,
	/* On the root: chunk c % k of rank c / k. */
	PLAIT_COLL_GATHER = 7,
	/* Chunk r * k + c of the root. */
	PLAIT_COLL_SCATTER = 8,
	/* Except on rank 0: chunk c of rank r - 1. */
	PLAIT_COLL_ALLTONEXT = 9
};

/* Executor of a schedule: the rule of its FIFOs, and its limits. */
typedef uint32_t plait_coll_target;
enum {
	/* plait itself: a step takes its message, then needs a slot. */
	PLAIT_TARGET_PLAIT = 0,
	/* The MSCCL runtime, the Azure executor and RCCL: a step needs message
	 * and slot at once, and is split by size. */
	PLAIT_TARGET_MSCCL = 1,
	PLAIT_TARGET_EXECUTOR = 2,
	PLAIT_TARGET_RCCL = 3
};

/* Format of plait_schedule_write: XML as an executor reads it, or the binary
 * form, which keeps all of a schedule and is versioned. */
typedef int32_t plait_schedule_format;
enum {
	PLAIT_SCHEDULE_XML_MSCCL = 1,
	PLAIT_SCHEDULE_XML_EXECUTOR = 2,
	PLAIT_SCHEDULE_XML_RCCL = 3,
	PLAIT_SCHEDULE_BINARY = 4
};

/* Reason against a schedule. */
typedef uint32_t plait_proof_reason;
enum {
	/* None: the schedule is proved. */
	PLAIT_PROOF_PROVED = 0,
	/* Connections, counts, waits or bounds. */
	PLAIT_PROOF_SHAPE = 1,
	/* A circle of steps of which each needs the next. */
	PLAIT_PROOF_DEADLOCK = 2,
	/* Two accesses to a chunk that nothing orders. */
	PLAIT_PROOF_RACE = 3,
	/* A value that is not promised, or a chunk that holds none. */
	PLAIT_PROOF_VALUE = 4
};

/* Flags of a proof. */
typedef uint32_t plait_proof_flags;
enum {
	/* Where ranks are promised the same value they get the same bits. */
	PLAIT_PROOF_SAME_BITS = 1,
	/* The schedule is within the limits of that executor. */
	PLAIT_PROOF_EXPORTS_MSCCL = 2,
	PLAIT_PROOF_EXPORTS_EXECUTOR = 4,
	PLAIT_PROOF_EXPORTS_RCCL = 8
};

/* Promise of a custom collective: an output chunk is the reduction of input
 * chunks, each once. */
typedef struct plait_coll_promise {
	uint32_t size;
	/* The output chunk. */
	uint32_t rank;
	uint64_t index;
	/* The input chunks. */
	uint64_t source_count;
	const uint32_t *source_ranks;
	const uint64_t *source_indices;
} plait_coll_promise;

/* Flags of plait_proof_desc. */
typedef uint32_t plait_proof_desc_flags;
enum {
	/* Prove for `target`; without it for the schedule's. */
	PLAIT_PROOF_HAS_TARGET = 1,
	/* Prove against `kind` and `root`; without it against the
	 * schedule's. */
	PLAIT_PROOF_HAS_KIND = 2,
	/* Prove against `promises`; `kind` is not used then. */
	PLAIT_PROOF_HAS_PROMISES = 4
};

/* For what to prove a schedule; zeros: for what it says of itself. */
typedef struct plait_proof_desc {
	uint32_t size;
	plait_proof_desc_flags flags;
	plait_coll_target target;
	/* Slots per connection; 0: the schedule's. */
	uint32_t depth;
	plait_coll_kind kind;
	uint32_t root;
	/* Bytes per slot; 0: the schedule's. */
	uint64_t slot_bytes;
	/* Sorted by rank and index. */
	uint64_t promise_count;
	const plait_coll_promise *promises;
} plait_proof_desc;

/* Result of a proof. */
typedef struct plait_proof {
	uint32_t size;
	plait_proof_reason reason;
	plait_proof_flags flags;
	/* Slots per connection for which it was proved. */
	uint32_t depth;
	/* Least depth without deadlock; 0: none, or not reached by the
	 * proof. */
	uint32_t depth_min;
	/* Most lanes of a rank, channels, most steps of a lane, most chunks of
	 * a step. */
	uint32_t lanes;
	uint32_t channels;
	uint32_t lane_steps;
	uint32_t step_chunks;
	uint32_t ranks;
	uint64_t steps;
	/* Largest collective, in bytes, that the target ends with this depth;
	 * UINT64_MAX: any. */
	uint64_t safe_bytes;
} plait_proof;

/* Time of a schedule on a cluster, as the model of doc/cluster.md predicts
 * it. */
typedef struct plait_coll_simulation {
	uint32_t size;
	uint32_t flags;
	uint64_t time_ns;
	/* Passes over the steps, those of them that were executed, and the bytes
	 * of each chunk that one of them moves. */
	uint64_t tiles;
	uint64_t executed_tiles;
	uint64_t tile_bytes;
	/* The critical path of the executed tiles: number of steps, time inside
	 * of them, latencies between them. */
	uint64_t critical_steps;
	uint64_t critical_ns;
	uint64_t latency_ns;
} plait_coll_simulation;

/*
 * plait_schedule_read - read a schedule from MSCCL XML or the binary form.
 *
 * All dialects are read, and files without the newer attributes.  A file that
 * breaks a rule of the format is an error, with the line.
 *
 * @param context borrowed, non-null: the context that the schedule belongs to
 * @param bytes   borrowed, non-null: the document, or the binary form
 * @param count   value: its size
 * @param name    borrowed, nullable: name of the file, for errors
 * @param out     owned, non-null: receives the schedule
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no XML, against a rule of the format, or
 *         damaged), PLAIT_E_UNSUPPORTED (built without expat, an unknown
 *         collective, or another version of the binary form),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED, PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_read(plait_context *context,
					   const void *bytes, uint64_t count,
					   const char *name,
					   plait_schedule **out,
					   plait_error *error);

/*
 * plait_schedule_retain - add one reference.
 *
 * @param schedule borrowed, nullable: the schedule; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_schedule_retain(plait_schedule *schedule);

/*
 * plait_schedule_release - give one reference back.
 *
 * @param schedule consumed, nullable: the schedule; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_schedule_release(plait_schedule *schedule);

/*
 * plait_schedule_check - prove a schedule, or name the reason against it.
 *
 * After PLAIT_E_DEADLOCK, and after PLAIT_E_INVALID with a reason in `proof`,
 * the schedule is refused: the error names rank, lane and step, and the circle
 * or the chunk.
 *
 * @param schedule borrowed, non-null: the schedule
 * @param desc     borrowed, nullable: for what to prove it; null: for what it
 *                 says of itself
 * @param proof    borrowed, non-null: set `size`; the rest is filled, also if
 *                 the schedule is refused
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_DEADLOCK, PLAIT_E_INVALID, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED, PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_check(plait_schedule *schedule,
					    const plait_proof_desc *desc,
					    plait_proof *proof,
					    plait_error *error);

/*
 * plait_schedule_write - write a schedule as XML or in binary form.
 *
 * The schedule is proved first; a refused one is not written.  Equal schedules
 * give equal bytes.
 *
 * @param schedule       borrowed, non-null: the schedule
 * @param format         value: PLAIT_SCHEDULE_XML_..., or
 *                       PLAIT_SCHEDULE_BINARY
 * @param buffer         borrowed, nullable: receives the bytes; null asks for
 *                       their number
 * @param capacity_bytes value: size of `buffer`
 * @param out_bytes      borrowed, nullable: number of all bytes
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (refused, unknown format, or the buffer is
 *         too small), PLAIT_E_DEADLOCK, PLAIT_E_UNSUPPORTED (outside of the
 *         limits of that executor), PLAIT_E_HANDLE, PLAIT_E_FORKED,
 *         PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_write(plait_schedule *schedule,
					    plait_schedule_format format,
					    void *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);

/*
 * plait_schedule_simulate - predict the time of a schedule on a cluster.
 *
 * The schedule is proved first.  Equal schedules, clusters and sizes give equal
 * times.
 *
 * @param schedule      borrowed, non-null: the schedule
 * @param cluster       borrowed, non-null: the text of doc/cluster.md; needs no
 *                      NUL
 * @param cluster_bytes value: length of the text in bytes
 * @param name          borrowed, nullable: the file's name, for errors
 * @param bytes         value: size of the larger one of a rank's input and
 *                      output, 1 to 2^40
 * @param out           borrowed, non-null: set `size`; the rest is filled
 * @param error         borrowed, nullable: filled on failure: line and mistake
 *                      of the cluster, or why the schedule is refused
 * @return PLAIT_OK, PLAIT_E_INVALID (refused, a mistake in the cluster, fewer
 *         ranks or lanes than the schedule has, or another size), PLAIT_E_DEADLOCK
 *         (refused, or not safe at this size), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED, PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_simulate(plait_schedule *schedule,
					       const char *cluster,
					       uint64_t cluster_bytes,
					       const char *name, uint64_t bytes,
					       plait_coll_simulation *out,
					       plait_error *error);

/*
 * plait_schedule_draw - draw the first tile of a simulated schedule as SVG.
 *
 * A row for each lane, with its channel and peers, a box for each step, an arrow
 * for each message and wait; the critical path is outlined.
 *
 * @param schedule       borrowed, non-null: the schedule
 * @param cluster        borrowed, non-null: as for plait_schedule_simulate
 * @param cluster_bytes  value: length of the text in bytes
 * @param name           borrowed, nullable: the file's name, for errors
 * @param bytes          value: as for plait_schedule_simulate
 * @param buffer         borrowed, nullable: receives the picture, with a NUL;
 *                       null asks for the size
 * @param capacity_bytes value: size of `buffer`
 * @param out_bytes      borrowed, nullable: size of the picture, NUL included
 * @param error          borrowed, nullable: filled on failure
 * @return as plait_schedule_simulate; PLAIT_E_INVALID also: the buffer is too
 *         small
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_draw(plait_schedule *schedule,
					   const char *cluster,
					   uint64_t cluster_bytes,
					   const char *name, uint64_t bytes,
					   char *buffer,
					   uint64_t capacity_bytes,
					   uint64_t *out_bytes,
					   plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
