/* SPDX-License-Identifier: MIT */
/*
 * Payloads of commands: kernels, geometry, arguments, memory and parameters.
 * The front end fills these tables; the planner copies them, and changes no more
 * than the numbers of regions; engines and writers read them.
 */
#ifndef PLAIT_SRC_PLAN_PAYLOAD_H
#define PLAIT_SRC_PLAN_PAYLOAD_H

#include <stdint.h>
#include <string.h>

typedef struct plait__plan_kernel {
	uint32_t name;			/* offset in strings */
	uint32_t signature;		/* offset in strings */
} plait__plan_kernel;

/* Size of a launch; launches of equal size share one, but for those with
 * series: each is of one payload. */
typedef struct plait__plan_geometry {
	uint32_t dimensions;		/* 1 to 3 */
	uint32_t param;			/* index in params, or none */
	uint64_t items[3];		/* at least 1 */
	uint64_t group[3];		/* 0: the backend's choice */
	/* Per dimension: 1 + the index in series that replaces the items; 0:
	 * none.  A geometry with a parameter has none. */
	uint32_t series[3];
	uint32_t reserved0;
} plait__plan_geometry;

/* Flags of a series, with the numbers of plait_series_flags. */
enum { PLAIT__SERIES_FROM_COUNT = 1 };

/* A number that follows the iteration of a loop; see plait_series. */
typedef struct plait__plan_series {
	uint32_t region;		/* or none: not in this partial plan */
	uint32_t flags;			/* PLAIT__SERIES_...: of a `repeat` */
	int64_t offset;
	int64_t scale;
	int64_t limit;			/* 0: none */
} plait__plan_series;

/* Returns the number of a series at an iteration; `count` is that of its
 * `repeat`. */
static inline int64_t plait__payload_series_at(const plait__plan_series *series,
				       uint64_t iteration, uint64_t count)
{
	uint64_t sum = (uint64_t)series->offset +
		       (uint64_t)series->scale * iteration;

	if ((series->flags & PLAIT__SERIES_FROM_COUNT) != 0)
		sum += count;
	return series->limit > 0 && (int64_t)sum > series->limit ?
		       series->limit : (int64_t)sum;
}

/* A resource: how many units the commands that run at one time may hold. */
typedef struct plait__plan_resource {
	uint32_t name;			/* offset in strings */
	uint32_t units;			/* 1 to PLAIT__RESOURCE_UNITS */
} plait__plan_resource;

enum { PLAIT__RESOURCE_UNITS = 1024, PLAIT__RESOURCES = 64 };

/*
 * Units that a node holds while its commands run.  In a plan these are the
 * units [first, first + count), ascending by node, resource and first, and the
 * holders of one unit are ordered.  In the planner's input a hold without
 * `first` is a need, in any order.
 */
typedef struct plait__plan_hold {
	uint32_t node;
	uint32_t resource;
	uint32_t first;			/* or none: not yet chosen */
	uint32_t count;			/* at least 1 */
} plait__plan_hold;

enum {
	PLAIT__FUNCTION_COLLECTIVE = 8,	/* a coroutine, a rank's part of a
					 * collective; also called when its run
					 * was stopped */
	PLAIT__FUNCTION_FIRST_WORKER = 4, /* a coroutine, always on one
					   * worker */
	PLAIT__FUNCTION_COROUTINE = 2,	/* may suspend itself; any thread */
	PLAIT__FUNCTION_ANY_THREAD = 1	/* otherwise: the owner thread of an
					 * inbox */
};

/* A host function; its code is stored outside the plan. */
typedef struct plait__plan_function {
	uint32_t name;			/* offset in strings, or none */
	uint32_t flags;			/* PLAIT__FUNCTION_... */
} plait__plan_function;

/* A user's signal; the object is stored outside the plan. */
typedef struct plait__plan_signal {
	uint32_t name;			/* offset in strings, or none */
	uint32_t device;		/* index in devices */
} plait__plan_signal;

/* In `small` of a payload: `object` is a signal, not a function. */
enum { PLAIT__PAYLOAD_SIGNAL = 1 };

/*
 * Payload of a command.
 *
 * 	LAUNCH	kernel, geometry, args
 * 	HOST, CALLBACK	object: index in functions; args: its user data, a
 * 		PARAM (memory of the program), or none
 * 	COPY	args: target, source (MEMORY, a ROTATION, or a PARAM: a buffer,
 * 		or for one of them memory of the program); bytes.  With rows: bytes of
 * 		each; value: number of rows in all; and a third argument, a
 * 		plait_work_rows (VALUE)
 * 	FILL	args: target; bytes; value: the pattern; small: its bytes
 * 	EMIT, WAIT	object: index in signals; value: the sequence;
 * 			small: PLAIT__PAYLOAD_SIGNAL
 * 	a predicate	args: the word (MEMORY), or as HOST
 * 	a count	of a `repeat`; args: a PARAM or the word (MEMORY), or bytes:
 * 		the count; value: the part of it that an iteration takes
 */
typedef struct plait__plan_payload {
	/* Launches: index in kernels, and in geometries, or none.  The other
	 * names are reserved: channels received from and sent to. */
	union {
		uint32_t kernel;
		uint32_t channel_in;
	};
	union {
		uint32_t geometry;
		uint32_t channel_out;
	};
	uint32_t arg_first;
	uint32_t arg_count;
	uint32_t object;		/* or none */
	uint32_t small;
	uint64_t bytes;
	uint64_t value;
} plait__plan_payload;

enum {
	PLAIT__ARG_VALUE = 0,		/* a copy: bytes in blob */
	PLAIT__ARG_PARAM = 1,		/* a value bound at each run */
	PLAIT__ARG_MEMORY = 2,		/* {slot, offset} */
	PLAIT__ARG_ROTATION = 3,	/* the slot of this iteration */
	PLAIT__ARG_INDEX = 4,		/* the iteration's number */
	PLAIT__ARG_SCRATCH = 5,		/* the command's own scratch */
	PLAIT__ARG_SERIES = 6		/* a number of a series */
};

/* One argument.  Memory is always {slot, offset}, never a pointer. */
typedef struct plait__plan_arg {
	uint32_t kind;			/* PLAIT__ARG_... */
	uint32_t index;			/* of param, slot, rotation, region,
					 * series */
	union {
		/* MEMORY: byte offset into the slot.  ROTATION: number of
		 * iterations to look ahead, in the lower bits; the byte offset
		 * above them, which launches have not. */
		uint64_t offset;
		/* VALUE, PARAM, INDEX, SERIES: range of its bytes in blob.  A
		 * PARAM of a COPY or FILL has its offset there too, after the
		 * pointer. */
		struct {
			uint32_t blob;
			uint32_t bytes;
		};
	};
} plait__plan_arg;

/* Bits of the iterations that a ROTATION looks ahead. */
enum { PLAIT__ROTATION_AHEAD_BITS = 4 };

static inline uint64_t plait__payload_rotation(uint64_t ahead, uint64_t offset)
{
	return ahead | offset << PLAIT__ROTATION_AHEAD_BITS;
}

static inline uint64_t plait__payload_rotation_ahead(const plait__plan_arg *arg)
{
	return arg->offset & ((1 << PLAIT__ROTATION_AHEAD_BITS) - 1);
}

static inline uint64_t
plait__payload_rotation_offset(const plait__plan_arg *arg)
{
	return arg->offset >> PLAIT__ROTATION_AHEAD_BITS;
}

/* Bytes of a PARAM that has an offset. */
enum { PLAIT__PARAM_WITH_OFFSET = 16 };

/* Returns the offset of a PARAM within the memory that a run brings. */
static inline uint64_t plait__payload_param_offset(const uint8_t *blob,
						   const plait__plan_arg *arg)
{
	uint64_t offset = 0;

	if (arg->bytes == PLAIT__PARAM_WITH_OFFSET)
		memcpy(&offset, blob + arg->blob + sizeof(offset),
		       sizeof(offset));
	return offset;
}

/* Returns the alignment of a value in the blob: a number's size; that of a
 * vector or struct is 8. */
static inline uint32_t plait__payload_value_alignment(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 ? bytes :
	       (uint32_t)sizeof(uint64_t);
}

/* Parameter `param` goes to blob[blob .. blob + bytes).  Sorted by param. */
typedef struct plait__plan_patch {
	uint32_t param;
	uint32_t blob;
	uint32_t bytes;
	uint32_t arg;			/* index in args, or none */
} plait__plan_patch;

enum {
	PLAIT__PARAM_VALUE = 0,
	PLAIT__PARAM_MEMORY = 1,
	PLAIT__PARAM_GEOMETRY = 2,
	PLAIT__PARAM_SIGNAL = 3,
	PLAIT__PARAM_HOST = 4		/* memory of the program: an address */
};

/* Largest value: a struct. */
enum { PLAIT__PARAM_MAX_BYTES = 4096 };

typedef struct plait__plan_param {
	uint32_t name;
	uint32_t kind;			/* PLAIT__PARAM_... */
	uint32_t type;			/* of the signature's types */
	uint32_t bytes;
} plait__plan_param;

/* Returns true for a parameter that is memory: accesses name it. */
static inline int plait__payload_param_is_memory(
	const plait__plan_param *param)
{
	return param->kind == PLAIT__PARAM_MEMORY ||
	       param->kind == PLAIT__PARAM_HOST;
}

/* Returns true for an argument that is memory of the program. */
static inline int plait__payload_arg_is_host(const plait__plan_param *params,
					     const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_PARAM &&
	       params[arg->index].kind == PLAIT__PARAM_HOST;
}

enum {
	PLAIT__SLOT_BOUND = 0,		/* a buffer bound by name */
	PLAIT__SLOT_PARAM = 1,		/* a buffer that each run brings */
	PLAIT__SLOT_ARENA = 2		/* a temporary: memory of the instance,
					 * in the arena of its device */
};

/* A buffer that arguments refer to. */
typedef struct plait__plan_slot {
	uint32_t name;
	uint32_t kind;			/* PLAIT__SLOT_... */
	uint32_t device;
	uint32_t param;			/* SLOT_PARAM: index in params */
	uint64_t bytes;
} plait__plan_slot;

/* Iteration i of a region uses rotation_slots[slot_first + (i mod count)];
 * with a prologue, iteration 0 uses the first and i > 0 the others in turn. */
typedef struct plait__plan_rotation {
	uint32_t region;
	uint32_t slot_first;
	uint32_t slot_count;
	uint32_t prologue;
} plait__plan_rotation;

/* Reserved: a connection between two lanes. */
typedef struct plait__plan_channel {
	uint32_t source_lane;
	uint32_t destination_lane;
	uint32_t depth;
	uint32_t protocol;
} plait__plan_channel;

#endif
