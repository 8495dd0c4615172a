/* SPDX-License-Identifier: MIT */
/*
 * Calls that take a struct with a size, for t/abi/sized_struct.c.  Each makes a
 * valid struct and passes the one that `given` derives from it.
 */
#ifndef T_SIZES_H
#define T_SIZES_H

#include "lib/objects.h"

#include "base/min_struct_sizes.h"

/* One call with a struct of some size. */
struct trial {
	uint32_t size;
	/* The last byte of each is set. */
	bool surplus;
	uint32_t count;
	unsigned char *room;
};

struct sized {
	const char *name;
	/* Sizes of the first version, and of this one. */
	uint32_t least;
	uint32_t bytes;
	plait_status (*call)(struct trial *trial);
	/* plait writes it. */
	bool is_result;
	bool needs_library;	/* libffi or expat */
};

#define SIZED(name, call, ...) SIZED_ONE(name, call, __VA_ARGS__, false, )
#define SIZED_ONE(name, call, result, ffi, ...) \
	{ #name, PLAIT__MIN_SIZE(name), sizeof(name), call, result, ffi }

/* The arguments of the calls. */
struct stage {
	struct rig rig;		/* the host without workers */
	plait_error error;	/* of the call that is tried */
	plait_kernel_function touch;
	plait_kernel *kernel;	/* touch(x: inout pointer u8, by: u32) */
	plait_buffer *buffer;	/* of 4096 bytes */
	plait_inbox *inbox;
	plait_graph *graph;	/* a launch of the kernel */
	plait_plan *plan;	/* of it, with the parameters x and by */
	plait_plan *named;	/* with a function "count" to be bound */
	int count;
};

extern struct stage stage;

/* `count` structs like those at `good`, of the size that is tried, in memory
 * that ends behind them. */
void *given(struct trial *trial, const void *good, uint64_t bytes,
	    uint32_t count);

#define GIVEN(good) given(trial, &(good), sizeof(good), 1)
#define GIVEN_ALL(good) \
	given(trial, good, sizeof((good)[0]), TAP_COUNT(good))

/* Each ends with a null. */
extern const struct sized sized_objects[];
extern const struct sized sized_kernels[];
extern const struct sized sized_graphs[];
extern const struct sized sized_runs[];
extern const struct sized sized_schedules[];
extern const struct sized sized_colls[];
extern const struct sized sized_flows[];
extern const struct sized sized_worlds[];

#endif
