/* SPDX-License-Identifier: MIT */
/*
 * plait/kernel.h - kernels: a name, a typed signature and code.
 *
 * A signature names the parameters of a kernel, their types and how the kernel
 * accesses memory:
 *
 *     saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)
 *
 * Types are i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool char pointer, and
 * `pointer T`.  GrCUDA's names are aliases: sint8 to sint64, uint8 to uint64,
 * float, double, and string (an `in pointer char`); so are int8 to int64.  A
 * pointer is `in` (or `const`: read only), `out` (written only), `inout` (the
 * default) or `atomic`: read and written by atomic operations only.  Two
 * launches that both access memory as `atomic` need no order, if the code runs
 * on the device that has the memory; to anything else `atomic` is `inout`.  The
 * library trusts these modes: plans are verified with them.  `: void` may
 * follow, or an integer type: a C function that returns another value than 0 has
 * failed.
 *
 * Vectors of numbers are f32x2 f32x3 f32x4 f32x8 f32x16 and the like, and
 * `struct NAME 24 align 8` is a struct by value; name and alignment are
 * optional.
 *
 * `array1 T` to `array3 T` are pointers with the numbers that place elements in
 * one to three dimensions, and `chunk` has the items of a piece: a flow adds
 * both; doc/arrays.md.
 *
 * `in image`, `out image` and `sampler` are those of image.h.
 *
 * `local T` is memory of a group: the argument (PLAIT_LOCAL) is its number of
 * bytes.  It is __local in OpenCL, dynamic shared memory in CUDA, and a block
 * of the calling thread on the host; doc/kernels.md.
 *
 * Example:
 *
 *     static const char code[] = "KERNEL(scale) { EACH(i, n) x[i] *= a; }";
 *     uint64_t n = 1000;
 *     float a = 2;
 *
 *     plait_kernel_compile(context, "scale(x: pointer f32, a: f32, n: u64)",
 *                          code, &kernel, &error);
 *     plait_queue_launch(queue, kernel, PLAIT_ITEMS(n),
 *                        PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
 *                                        PLAIT_VALUE(a), PLAIT_VALUE(n)),
 *                        &error);
 *     plait_queue_finish(queue, PLAIT_FOREVER, &error);
 *
 * A launch and a graph node check the arguments against the signature: their
 * number, size and kind, and for memory its device, its alignment and whether
 * it may be written.
 */
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include "plait/device.h"
#include "plait/launch.h"
#include "plait/queue.h"
#include "plait/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * Host functions
 */

/*
 * plait_kernel_function - a kernel's host code for a whole launch.
 *
 * arguments[i] points to the value of argument i: to an f32, to a u64, or to a
 * pointer, which also local memory is.  Vectors and structs are aligned to 8
 * bytes.  The function processes all items of the launch.  It returns 0, or
 * a value that fails the command and becomes plait_error.origin.
 */
typedef int32_t (*plait_kernel_function)(void *const *arguments,
					 const plait_launch *launch,
					 void *user_data);

/*
 * A part of a launch: in each dimension the items from `begin` to before
 * `end`, at least one.  Dimensions beyond those of the launch are 0 to 1.
 */
typedef struct plait_range {
	uint32_t size;
	uint32_t dimensions;
	uint64_t begin[3];
	uint64_t end[3];
} plait_range;

/*
 * plait_range_function - a kernel's host code for a part of a launch.
 *
 * The library calls it for disjoint parts that cover the launch, concurrently
 * on several threads.  If the launch has groups, a part consists of whole
 * groups (the last group of a dimension may be cut).  Arguments and result
 * are those of plait_kernel_function.  After a call has failed, parts that
 * have not started are skipped.
 */
typedef int32_t (*plait_range_function)(const plait_range *range,
					void *const *arguments,
					const plait_launch *launch,
					void *user_data);

/* A function of any type; cast the function to it. */
typedef void (*plait_any_function)(void);

/* Type of a function in a shared library. */
typedef uint32_t plait_function_form;
enum {
	/* A C function of exactly the type that the signature describes. */
	PLAIT_FORM_DESCRIBED = 0,
	/* A plait_kernel_function. */
	PLAIT_FORM_FIXED = 1,
	/* A plait_range_function. */
	PLAIT_FORM_RANGE = 2
};

/* ------------------------------------------------------------------------
 * Kernels
 */

/* Flags of a kernel. */
typedef uint32_t plait_kernel_flags;
enum {
	/* The host implementation, which is not a RANGE, may suspend itself
	 * (plait/coroutine.h).  Plans and queues of the host launch it. */
	PLAIT_KERNEL_COROUTINE = 1 << 0,
	/* With PLAIT_KERNEL_COROUTINE: it continues only on the worker that
	 * began it, or the one that replaces it (plait/coroutine.h). */
	PLAIT_KERNEL_FIRST_WORKER = 1 << 1
};

/*
 * A kernel.  The host implementation is one of `function`, `range`,
 * `described`, or a symbol of `library`, and may run on any thread.  It must
 * return: leaving by longjmp or a C++ exception is undefined behaviour; ending
 * the thread (pthread_exit) fails the command.
 */
typedef struct plait_kernel_desc {
	uint32_t size;
	plait_kernel_flags flags;
	/* Copied; names the kernel and its parameters. */
	const char *signature;
	plait_kernel_function function;
	/* Passed to `function` and `range`; the library never reads it. */
	void *user_data;
	plait_range_function range;
	/*
	 * A C function of exactly the type that the signature describes,
	 * called through libffi: "f(a: f32, x: in pointer f32, n: u64): i32"
	 * is int32_t f(float, const float *, uint64_t).  The function
	 * processes all items of the launch and does not receive the launch.
	 */
	plait_any_function described;
	/*
	 * Copied: a shared library, and the function in it.  A path contains
	 * a slash; as with plugins, only the user or root may be able to write
	 * the file and its directory.  A name without a slash is searched by
	 * the dynamic linker.  The library stays loaded.  A null `symbol` is
	 * the kernel's name.
	 */
	const char *library;
	const char *symbol;
	/* Type of the symbol. */
	plait_function_form form;
	uint32_t reserved0;
	/* RANGE: minimum number of items (of groups, if the launch has groups)
	 * per call; 0: the library chooses. */
	uint64_t grain;
	/*
	 * Copied: code in other forms; see source.h.  The code that the
	 * backends of the context accept is compiled when the kernel is
	 * created.  On the host an implementation above takes precedence.
	 */
	const plait_source *sources;
	uint64_t source_count;
} plait_kernel_desc;

/*
 * plait_kernel_create - create a kernel from a signature and code.
 *
 * @param context borrowed, non-null: the context
 * @param desc    borrowed, non-null: signature and implementations
 * @param out     owned, non-null: the kernel, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse: the text
 *         has the position and the expected token; no implementation, or two;
 *         a source that does not compile: the error's detail is the
 *         compiler's log), PLAIT_E_UNAVAILABLE (no such library, symbol or
 *         compiler: the text has the reason), PLAIT_E_UNSUPPORTED (a described
 *         function in a build without libffi; only sources that no backend of
 *         the context accepts), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_kernel_create(plait_context *context,
					   const plait_kernel_desc *desc,
					   plait_kernel **out,
					   plait_error *error);

/*
 * plait_kernel_compile - create a kernel from portable source text.
 *
 * A short form of plait_kernel_create with one plait_source.
 *
 * @param context   borrowed, non-null: the context
 * @param signature copied, non-null: the signature
 * @param code      copied, non-null: portable source; see source.h
 * @param out       owned, non-null: the kernel, one reference
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_kernel_create
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_kernel_compile(plait_context *context,
					    const char *signature,
					    const char *code,
					    plait_kernel **out,
					    plait_error *error);

/*
 * plait_kernel_retain - add one reference.
 *
 * @param kernel borrowed, nullable: the kernel; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_kernel_retain(plait_kernel *kernel);

/*
 * plait_kernel_release - give one reference back; work in flight holds its own.
 *
 * @param kernel consumed, nullable: the kernel; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_kernel_release(plait_kernel *kernel);

/*
 * plait_kernel_signature - get the signature in canonical form.
 *
 * @param kernel         borrowed, non-null: the kernel
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
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
 * plait_kernel_messages - get what the compiler wrote about a kernel's code.
 *
 * The output for the code that launches on the device execute, with the
 * warnings of a build that succeeded; the log at level info has the first
 * warning.  Empty for functions, and for code from the cache, which no compiler
 * has read.
 *
 * @param kernel         borrowed, non-null: the kernel
 * @param device         borrowed, non-null: a device of the kernel's context
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a device of another context),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_kernel_messages(plait_kernel *kernel,
					     plait_device *device,
					     char *buffer,
					     uint64_t capacity_bytes,
					     uint64_t *out_bytes,
					     plait_error *error);

/*
 * plait_queue_launch - submit one kernel launch to a queue.
 *
 * Values are copied during the call; the launch holds its buffers until it
 * completes.
 *
 * @param queue     borrowed, non-null: the queue
 * @param kernel    borrowed, non-null: the kernel
 * @param launch    borrowed, nullable: the geometry; null means one item
 * @param arguments borrowed, nullable: one per parameter of the signature; the
 *                  first one's `size` is that of all
 * @param count     value: number of arguments
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_queue_submit; PLAIT_E_INVALID also if the number of items
 *         overflows or an argument does not fit the signature (the text names
 *         the kernel and the argument), PLAIT_E_UNSUPPORTED if the kernel has
 *         no code for the queue's backend, or the device has less local
 *         memory than the arguments ask for
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
