/* SPDX-License-Identifier: MIT */
/*
 * plait/kernel.h - kernels: a name, a typed signature, and code behind it.
 *
 * A signature says what a kernel takes and what it does to memory:
 *
 *     saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)
 *
 * Types are i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool char pointer, and
 * `pointer T`.  A pointer is `in` (or `const`: only read), `out` (only
 * written) or `inout` (the default).  The modes are trusted: schedules are
 * proved with them.
 *
 * Arguments are checked against the signature when a kernel is launched or
 * added to a graph: their number, their size, and whether they are memory.
 */
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include "plait/device.h"
#include "plait/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_kernel plait_kernel;

/*
 * The work of one launch: up to three dimensions of items.  A zero counts as
 * "the default", so a zeroed launch runs one item.
 */
typedef struct plait_launch {
	uint32_t size;
	/* 1 to 3; 0 means 1. */
	uint32_t dimensions;
	/* Items in each dimension; 0 means 1. */
	uint64_t items[3];
	/* Items of a group; 0 leaves it to the backend. */
	uint64_t group[3];
} plait_launch;

/*
 * plait_kernel_function - a kernel's code on the host, in its fixed form.
 *
 * arguments[i] points to the value of argument i: to an f32, to an u64, or
 * to a pointer.  The function does all items of the launch.  Returns 0, or a
 * number that fails the command and is found in plait_error.origin.
 */
typedef int32_t (*plait_kernel_function)(void *const *arguments,
					 const plait_launch *launch,
					 void *user_data);

typedef struct plait_kernel_desc {
	uint32_t size;
	uint32_t flags;
	/* Copied; names the kernel and its arguments. */
	const char *signature;
	/* The host implementation; it may run on any thread. */
	plait_kernel_function function;
	void *user_data;
} plait_kernel_desc;

/* What an argument is. */
enum {
	/* `bytes` bytes at `value`, copied now. */
	PLAIT_ARGUMENT_VALUE = 0,
	/* A buffer, from `offset_bytes` on. */
	PLAIT_ARGUMENT_BUFFER = 1,
	/* Graphs only: `name`, brought by each run of the plan. */
	PLAIT_ARGUMENT_PARAMETER = 2,
	/* Graphs only: the buffer of this iteration; see
	 * plait_graph_rotate. */
	PLAIT_ARGUMENT_ROTATION = 3,
	/* Graphs only: the number of this iteration, an u32 or u64. */
	PLAIT_ARGUMENT_ITERATION = 4,
	/* Graphs only: the node's own scratch memory. */
	PLAIT_ARGUMENT_SCRATCH = 5
};

typedef struct plait_argument {
	uint32_t size;
	uint32_t kind;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
	const char *name;
	/* ROTATION: what plait_graph_rotate gave, and how many iterations
	 * to look ahead. */
	uint64_t rotation;
	uint64_t ahead;
} plait_argument;

/*
 * plait_kernel_create - a kernel from its signature and code.
 *
 * @param context borrowed, non-null: the context
 * @param desc    borrowed, non-null: signature and implementations
 * @param out     owned, non-null: the kernel, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse; the text
 *         has the position and what was expected; no implementation),
 *         PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_kernel_create(plait_context *context,
					   const plait_kernel_desc *desc,
					   plait_kernel **out,
					   plait_error *error);

/*
 * plait_kernel_retain - one more reference.
 *
 * @param kernel borrowed, nullable: the kernel; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_kernel_retain(plait_kernel *kernel);

/*
 * plait_kernel_release - give one reference back; work in flight keeps it.
 *
 * @param kernel consumed, nullable: the kernel; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_kernel_release(plait_kernel *kernel);

/*
 * plait_kernel_signature - the signature in its canonical form.
 *
 * @param kernel         borrowed, non-null: the kernel
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: what the whole text needs
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_kernel_signature(plait_kernel *kernel,
					      char *buffer,
					      uint64_t capacity_bytes,
					      uint64_t *out_bytes,
					      plait_error *error);

/*
 * plait_queue_launch - submit one launch of a kernel, outside any graph.
 *
 * Values are copied now; buffers are kept until the launch is done.
 *
 * @param queue     borrowed, non-null: the queue
 * @param kernel    borrowed, non-null: the kernel
 * @param launch    borrowed, nullable: how much; null means one item
 * @param arguments borrowed, nullable: one per parameter of the signature; the
 *                  first one's `size` is that of all
 * @param count     value: how many
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_queue_submit; PLAIT_E_INVALID also for arguments that do
 *         not fit the signature, PLAIT_E_UNSUPPORTED when the kernel has no
 *         implementation for the queue's backend
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_launch(plait_queue *queue,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
