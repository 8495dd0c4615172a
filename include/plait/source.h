/* SPDX-License-Identifier: MIT */
/*
 * plait/source.h - source text and binaries of kernels.
 *
 * A kernel may have code in several forms.  Portable source is one text for
 * all backends, a subset of C with a few keywords, described in
 * doc/kernels.md; its parameters are those of the kernel's signature.  All
 * other forms are code in the language of one backend, used unchanged.
 *
 * Example:
 *
 *     plait_source source = {
 *             .size = sizeof(source), .flags = PLAIT_SOURCE_NO_ALIAS,
 *             .code = "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }" };
 *     plait_kernel_desc desc = {
 *             .size = sizeof(desc), .sources = &source, .source_count = 1,
 *             .signature = "saxpy(a: f32, x: in pointer f32, "
 *                          "y: inout pointer f32, n: u64)" };
 *
 *     plait_kernel_create(context, &desc, &kernel, &error);
 *
 * One program of several texts: `before` lists texts that come before a source,
 * each with its own file name and lines in errors.  plait joins the texts and
 * compiles them as one, in every language; it links no objects.  NVRTC has no
 * linker of its own, and compilers inline across a joined text, but not across
 * objects.  So names and macros of a text are seen by the texts behind it.
 *
 * Compiled code is cached on disk, in PLAIT_CACHE_DIR, else in plait below
 * XDG_CACHE_HOME or ~/.cache; PLAIT_CACHE=0 disables the cache.  PLAIT_CC
 * selects the C compiler, PLAIT_CFLAGS adds flags, and PLAIT_DUMP=DIRECTORY
 * writes the compiled text, the command and the compiler's messages there.
 */
#ifndef PLAIT_SOURCE_H
#define PLAIT_SOURCE_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Form of code. */
typedef uint32_t plait_source_form;
enum {
	/* Portable source, for all backends. */
	PLAIT_SOURCE_PORTABLE = 0,
	/* C for backends that run kernels on the host: a function with exactly
	 * the kernel's signature, in C types, that processes all items of a
	 * launch.  On the host a result other than 0 fails the launch; devices
	 * have no results. */
	PLAIT_SOURCE_C = 1,
	PLAIT_SOURCE_OPENCL_C = 2,
	PLAIT_SOURCE_OPENCL_BINARY = 3,
	PLAIT_SOURCE_SPIRV = 4,
	PLAIT_SOURCE_CUDA_C = 5,
	PLAIT_SOURCE_PTX = 6,
	PLAIT_SOURCE_CUBIN = 7
};

/* Compilation flags. */
typedef uint32_t plait_source_flags;
enum {
	/* Every operation is rounded separately: no fused multiply-add except
	 * fma(), so results agree between backends to the last bit where the
	 * operations do. */
	PLAIT_SOURCE_STRICT = 1 << 0,
	/* The compiler may reorder arithmetic as if it were exact. */
	PLAIT_SOURCE_FAST = 1 << 1,
	/* No two pointers of a launch address the same memory, unless it is
	 * only read. */
	PLAIT_SOURCE_NO_ALIAS = 1 << 2
};

/* One piece of code for a kernel. */
typedef struct plait_source {
	uint32_t size;
	plait_source_form form;
	plait_source_flags flags;
	uint32_t reserved0;
	/* Name of the backend; null: all backends that accept the form. */
	const char *backend;
	/* The text or binary; copied. */
	const void *code;
	/* Length in bytes; 0: a text up to its NUL. */
	uint64_t bytes;
	/* Name of the function; null: the kernel's name.  Portable: null. */
	const char *entry;
	/* File name for error messages; null: the kernel's name. */
	const char *file;
	/* Macros, separated by blanks: "TILE=16 DEBUG". */
	const char *defines;
	/* Options of the backend's compiler, separated by blanks.  Portable:
	 * null. */
	const char *options;
	/* Texts that come before this one, in this order, as if it included
	 * them: one program of several texts.  Of each `code`, `bytes` and
	 * `file` count, and its other fields stay zero; the first one's `size`
	 * is that of all.  At most 65536; none before PTX or a binary. */
	const struct plait_source *before;
	uint64_t before_count;
} plait_source;

/*
 * plait_source_text - translate portable source to a backend's language.
 *
 * @param signature      borrowed, non-null: the kernel's signature
 * @param source         borrowed, non-null: portable source
 * @param form           value: language: C, OPENCL_C or CUDA_C
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse, a source
 *         that is not portable or has no KERNEL of that name),
 *         PLAIT_E_UNSUPPORTED (another form),
 *         PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_source_text(const char *signature,
					 const plait_source *source,
					 plait_source_form form, char *buffer,
					 uint64_t capacity_bytes,
					 uint64_t *out_bytes,
					 plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
