/* SPDX-License-Identifier: MIT */
/*
 * plait/collective.h - schedules of collectives as graphs of one process.
 *
 * All ranks of the schedule are memory of this context, on one device or
 * several.  plait_schedule_graph makes an ordinary graph: copies and launches
 * of reduction kernels, ordered by what they read and write.  Freeze and run
 * it, or add it to another graph by PLAIT_NODE_SUBGRAPH.
 *
 * Sizes.  A share of n elements is cut into k sub-chunks (`share_chunks` of
 * plait_schedule_info); sub-chunk j has the elements from floor(j * n / k) to
 * floor((j + 1) * n / k).  So n may be any number.
 *
 * Results.  Schedule, count and element type determine all bits: a reduction
 * has the order of the schedule's steps, and rounds after each operand.  f16 and
 * bf16 are added and multiplied as f32, then rounded to even.  Sums and products
 * of integers wrap.  A minimum or maximum is a NaN if an operand is; -0 is less
 * than 0.  Only the payload of a NaN depends on the backend.
 *
 * Example: the sum of two arrays, in both.
 *
 *     plait_buffer *buffers[2] = { a, b };
 *     plait_collective_desc desc = {
 *             .size = sizeof(desc), .element = PLAIT_ELEMENT_FLOAT,
 *             .element_bits = 32, .count = 1000, .outputs = buffers };
 *
 *     plait_schedule_graph(schedule, &desc, &graph, &error);
 *     plait_graph_freeze(graph, NULL, &plan, &error);
 *     plait_plan_call(plan, NULL, NULL, &error);
 */
#ifndef PLAIT_COLLECTIVE_H
#define PLAIT_COLLECTIVE_H

#include "plait/array.h"
#include "plait/graph.h"
#include "plait/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of plait_schedule_info. */
typedef uint32_t plait_schedule_flags;
enum {
	/* Input and output of a rank share memory. */
	PLAIT_SCHEDULE_IN_PLACE = 1 << 0
};

/* Properties of a schedule. */
typedef struct plait_schedule_info {
	uint32_t size;
	plait_schedule_flags flags;
	plait_coll_kind kind;
	uint32_t ranks;
	uint32_t root;
	/* Sub-chunks of a rank's share, which is what a count of elements
	 * means: the smaller of input and output of an allgather, gather,
	 * reduce_scatter or scatter; what a rank has for each rank of an
	 * alltoall; the larger one of others. */
	uint32_t share_chunks;
	/* Chunks of the largest input and of the largest output of a rank. */
	uint32_t input_chunks;
	uint32_t output_chunks;
	plait_coll_target target;
	/* Slots per connection that the schedule was made for. */
	uint32_t depth;
	uint64_t lanes;
	uint64_t steps;
	char name[64];
	/* Sizes of the collective that the schedule is meant for, in bytes of
	 * the larger buffer of a rank; max_bytes 0: no limit. */
	uint64_t min_bytes;
	uint64_t max_bytes;
} plait_schedule_info;

/* Operation of a reduction. */
typedef uint32_t plait_reduction;
enum {
	PLAIT_REDUCE_SUM = 0,
	PLAIT_REDUCE_PROD = 1,
	PLAIT_REDUCE_MIN = 2,
	PLAIT_REDUCE_MAX = 3
};

/* Elements and memory of a collective.  Arrays of buffers and devices have one
 * entry per rank. */
typedef struct plait_collective_desc {
	uint32_t size;
	uint32_t flags;
	/* INT and UINT of 8 to 64 bits, FLOAT of 16, 32 or 64, BFLOAT of 16. */
	plait_element element;
	uint32_t element_bits;
	plait_reduction reduction;
	uint32_t reserved0;
	/* Elements of a share; the same for all ranks. */
	uint64_t count;
	/* Buffers from their first byte on.  A rank whose schedule reads no
	 * input, or writes no output, needs none.  In place: the outputs alone,
	 * each with memory for the larger of input and output.  Both null: each
	 * run binds the parameters in0, out0, in1, ... (in place: out0, ...),
	 * at the cost of copies between them and temporaries. */
	plait_buffer *const *inputs;
	plait_buffer *const *outputs;
	/* Where each rank reduces; null: the devices of the buffers, or the
	 * context's first. */
	plait_device *const *devices;
} plait_collective_desc;

/*
 * plait_schedule_query - get the properties of a schedule.
 *
 * @param schedule borrowed, non-null: the schedule
 * @param info     borrowed, non-null: set `size`; the rest is filled
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_query(plait_schedule *schedule,
					    plait_schedule_info *info,
					    plait_error *error);

/*
 * plait_schedule_graph - make a graph of a schedule, for all of its ranks.
 *
 * The schedule is proved first.  The graph holds the buffers, its kernels and
 * its temporaries.
 *
 * @param schedule borrowed, non-null: the schedule
 * @param desc     borrowed, non-null: elements and memory
 * @param out      owned, non-null: the graph, one reference
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (refused, a wrong element type, a buffer
 *         that is missing or too small, chunks of unequal size in a custom
 *         collective), PLAIT_E_DEADLOCK, PLAIT_E_UNSUPPORTED (a device cannot
 *         reduce), PLAIT_E_UNAVAILABLE (no compiler), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_schedule_graph(plait_schedule *schedule,
					    const plait_collective_desc *desc,
					    plait_graph **out,
					    plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
