/* SPDX-License-Identifier: MIT */
/*
 * plait/launch.h - the geometry and the arguments of a kernel launch.
 *
 * A queue (plait_queue_launch, PLAIT_COMMAND_LAUNCH), a node of a graph and a
 * task of a flow describe a launch by these types.
 *
 * Example:
 *
 *     uint64_t n = 1000;
 *
 *     plait_queue_launch(queue, kernel, PLAIT_ITEMS(n),
 *                        PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
 *                                        PLAIT_VALUE(n)), &error);
 */
#ifndef PLAIT_LAUNCH_H
#define PLAIT_LAUNCH_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_kernel plait_kernel;

/* ------------------------------------------------------------------------
 * Geometry
 */

/*
 * The geometry of one launch: up to three dimensions of items.  A zero means
 * the default, so a zeroed launch runs one item.
 */
typedef struct plait_launch {
	uint32_t size;
	/* 1 to 3; 0 means 1. */
	uint32_t dimensions;
	/* Items in each dimension; 0 means 1. */
	uint64_t items[3];
	/* Items of a group in each dimension; 0: the backend chooses. */
	uint64_t group[3];
} plait_launch;

/* C: a pointer to a launch of 1 to 3 dimensions, as in PLAIT_ITEMS(640, 480),
 * for the duration of the enclosing block. */
#define PLAIT_ITEMS(...) \
	(&(plait_launch){ sizeof(plait_launch), \
			  sizeof((uint64_t[]){ __VA_ARGS__ }) / \
				  sizeof(uint64_t), \
			  { __VA_ARGS__ }, { 0, 0, 0 } })

/* ------------------------------------------------------------------------
 * Arguments
 */

/* Kind of an argument. */
typedef uint32_t plait_argument_kind;
enum {
	/* `bytes` bytes at `value`, copied during the call. */
	PLAIT_ARGUMENT_VALUE = 0,
	/* A buffer, from `offset_bytes` on. */
	PLAIT_ARGUMENT_BUFFER = 1,
	/* Graphs only: `name`; each run of the plan provides the argument. */
	PLAIT_ARGUMENT_PARAMETER = 2,
	/* Graphs only: the buffer of the iteration; see
	 * plait_graph_add_rotation. */
	PLAIT_ARGUMENT_ROTATION = 3,
	/* Graphs only: the iteration, from 0, of the innermost loop around the
	 * node (a CASE has none), or a number of `series` that follows it; an
	 * i32, i64, u32 or u64.  32-bit types receive the low 32 bits. */
	PLAIT_ARGUMENT_ITERATION = 4,
	/* Graphs only: the node's private memory of `scratch_bytes` bytes; its
	 * initial contents are undefined. */
	PLAIT_ARGUMENT_SCRATCH = 5,
	/* `bytes` bytes of local memory for each group, a multiple of the
	 * element's size; its initial contents are undefined.  A PARAMETER of
	 * such a type is bound to a u64, the number of bytes. */
	PLAIT_ARGUMENT_LOCAL = 6,
	/* Flows only: `value` is a plait_data, all of it.  The kernel gets the
	 * address of its first element; rows of a part have the distance that
	 * they have in the whole. */
	PLAIT_ARGUMENT_DATA = 7,
	/* Flows only: `value` points to a plait_access.  The kernel gets the
	 * address of the first element of the data, not of the box. */
	PLAIT_ARGUMENT_ACCESS = 8,
	/* Flows only: the items of the piece, a plait_box, for a parameter
	 * `chunk` (where it may be left out, doc/arrays.md) or `struct NAME 48`.
	 * Items of a piece are counted from 0. */
	PLAIT_ARGUMENT_CHUNK = 9,
	/* Graphs only: a value in memory of the program, `offset_bytes` behind
	 * the start of the memory that each run provides as `name`
	 * (PLAIT_PARAMETER_HOST).  The launch reads the value when all nodes
	 * and loops before it are complete, in each iteration again; so a
	 * function or a READ before it can compute the value.  Nothing may
	 * change the value until the launch is complete.  On queues the host
	 * submits the launch after it has seen that completion. */
	PLAIT_ARGUMENT_HOST = 10
};

/* Flags of a series. */
typedef uint32_t plait_series_flags;
enum {
	/* The count of the loop, a REPEAT, is added. */
	PLAIT_SERIES_FROM_COUNT = 1 << 0
};

/*
 * A number that follows the iteration i of a loop: offset + scale * i, plus the
 * count of the loop with PLAIT_SERIES_FROM_COUNT, and at most `limit`.  The sum
 * is computed in 64 bits with sign.  With scale -1 and FROM_COUNT it counts
 * down; with scale -20, FROM_COUNT and a limit of 20 it is the length of each
 * of the blocks of 20 that make up the count.
 */
typedef struct plait_series {
	uint32_t size;
	plait_series_flags flags;
	int64_t offset;
	int64_t scale;
	/* 0: none. */
	int64_t limit;
} plait_series;

typedef struct plait_argument {
	uint32_t size;
	plait_argument_kind kind;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
	const char *name;
	/* ROTATION: the number from plait_graph_add_rotation, and how many
	 * iterations ahead of the current one, 0 to 15. */
	uint64_t rotation;
	uint64_t ahead;
	/* ITERATION: null (the iteration), or copied: a number in its
	 * place. */
	const plait_series *series;
} plait_argument;

/*
 * Initialisers of a plait_argument.  PLAIT_VALUE takes the address of a
 * variable, which is read during the call.
 */
#define PLAIT_VALUE(variable) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_VALUE, &(variable), \
	  sizeof(variable), 0, 0, 0, 0, 0, 0 }
#define PLAIT_BUFFER(buffer) PLAIT_BUFFER_AT(buffer, 0)
#define PLAIT_BUFFER_AT(buffer, offset_bytes) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_BUFFER, 0, 0, (buffer), \
	  (offset_bytes), 0, 0, 0, 0 }
#define PLAIT_PARAMETER(name) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_PARAMETER, 0, 0, 0, 0, \
	  (name), 0, 0, 0 }
#define PLAIT_ROTATION(rotation, ahead) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_ROTATION, 0, 0, 0, 0, 0, \
	  (rotation), (ahead), 0 }
#define PLAIT_LOCAL(bytes) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_LOCAL, 0, (bytes), 0, 0, 0, \
	  0, 0, 0 }
#define PLAIT_HOST_VALUE(name, offset_bytes) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_HOST, 0, 0, 0, \
	  (offset_bytes), (name), 0, 0, 0 }
#define PLAIT_ITERATION(series) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_ITERATION, 0, 0, 0, 0, 0, 0, \
	  0, (series) }

/* C: two parameters of a call, an array of arguments and their number, as in
 * PLAIT_ARGUMENTS(PLAIT_BUFFER(x), PLAIT_VALUE(n)). */
#define PLAIT_ARGUMENTS(...) \
	(plait_argument[]){ __VA_ARGS__ }, \
	sizeof((plait_argument[]){ __VA_ARGS__ }) / sizeof(plait_argument)

#ifdef __cplusplus
}
#endif

#endif
