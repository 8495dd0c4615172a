/* SPDX-License-Identifier: MIT */
/*
 * plait/kernel.h - kernels: a name, a typed signature, and code behind it.
 *
 * A signature says what a kernel takes and what it does to memory:
 *
 *     saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)
 *
 * Types are i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool char pointer, and
 * `pointer T`.  GrCUDA's names are the same types: sint8 to sint64, uint8 to
 * uint64, float, double, and string (an `in pointer char`); so are int8 to
 * int64.  A pointer is `in` (or `const`: only read), `out` (only written) or
 * `inout` (the default).  The modes are trusted: schedules are proved with
 * them.  `: void` may follow, or an integer type: a C function that returns
 * one has failed when it is not 0.
 *
 * Arguments are checked against the signature when a kernel is launched or
 * added to a graph: their number, their size, whether they are memory, where
 * that memory is, how it is aligned, and whether it may be written.
 */
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include "plait/device.h"
#include "plait/queue.h"
#include "plait/source.h"

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

/*
 * A part of a launch: in each dimension the items from `begin` to before
 * `end`, never none.  Dimensions that the launch does not have are 0 to 1.
 */
typedef struct plait_range {
	uint32_t size;
	uint32_t dimensions;
	uint64_t begin[3];
	uint64_t end[3];
} plait_range;

/*
 * plait_range_function - a kernel's code on the host, for parts of a launch.
 *
 * Called for parts that together are the whole launch, at the same time on
 * several threads; where the launch has groups, a part has only whole ones
 * (but for the last of a dimension, which may be cut).  Arguments and result
 * are as of plait_kernel_function.  When one call fails, parts that were not
 * begun are left out.
 */
typedef int32_t (*plait_range_function)(const plait_range *range,
					void *const *arguments,
					const plait_launch *launch,
					void *user_data);

/* A function of whatever type; cast yours to it. */
typedef void (*plait_any_function)(void);

/* What a function of a library is. */
enum {
	/* A C function of exactly the type that the signature says. */
	PLAIT_FORM_DESCRIBED = 0,
	/* A plait_kernel_function. */
	PLAIT_FORM_FIXED = 1,
	/* A plait_range_function. */
	PLAIT_FORM_RANGE = 2
};

/*
 * A kernel.  Its implementation on the host is one of: `function`, `range`,
 * `described`, or a symbol of `library`.  It may run on any thread.  It must
 * return: one that leaves by longjmp or by a C++ exception has undefined
 * behaviour; one that ends its thread (pthread_exit) has failed.
 */
typedef struct plait_kernel_desc {
	uint32_t size;
	uint32_t flags;
	/* Copied; names the kernel and its arguments. */
	const char *signature;
	plait_kernel_function function;
	/* Handed to fixed and range functions; plait never looks at it. */
	void *user_data;
	plait_range_function range;
	/*
	 * A C function of exactly the type that the signature says, called
	 * through libffi: "f(a: f32, x: in pointer f32, n: u64): i32" is
	 * int32_t f(float, const float *, uint64_t).  It does all items
	 * of the launch, which it is not told about.
	 */
	plait_any_function described;
	/*
	 * Copied: a shared library, and the function in it.  A path has a
	 * slash; as with plugins, only you or root may be able to write the
	 * file and its folder.  A name without a slash is searched as the
	 * system does.  The library stays loaded.  A null `symbol` is the
	 * kernel's name.
	 */
	const char *library;
	const char *symbol;
	/* What the symbol is, one of PLAIT_FORM_... */
	uint32_t form;
	uint32_t reserved0;
	/* RANGE: items (where the launch has groups: groups) that one call
	 * should have at least; 0 leaves it to plait. */
	uint64_t grain;
	/*
	 * Copied: code in other forms; see source.h.  What the backends of the
	 * context can use is compiled when the kernel is created.  On the host
	 * an implementation above goes first.
	 */
	const plait_source *sources;
	uint64_t source_count;
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
	/* Graphs only: the number of this iteration, from 0 on, of the
	 * innermost WHILE or DO around the node (a CASE has none); an i32,
	 * i64, u32 or u64.  32 bits get the lowest 32 bits of it. */
	PLAIT_ARGUMENT_ITERATION = 4,
	/* Graphs only: the node's own scratch memory, of `scratch_bytes`
	 * bytes; what is in it when the node starts is not defined. */
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
 *         has the position and what was expected; no implementation, or two;
 *         a source that does not compile: the error's detail is the
 *         compiler's log), PLAIT_E_UNAVAILABLE (the library or the symbol, a
 *         compiler; the text says what is wrong with it), PLAIT_E_UNSUPPORTED
 *         (a described function, and plait was built without libffi; only
 *         sources that no backend of the context takes), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
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
 * @return as plait_queue_submit; PLAIT_E_INVALID also for a launch of more
 *         items than can be counted and for arguments that do not fit the
 *         signature (the text names the kernel and the argument),
 *         PLAIT_E_UNSUPPORTED when the kernel has no implementation for the
 *         queue's backend
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
