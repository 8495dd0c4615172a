/* SPDX-License-Identifier: MIT */
/*
 * plait/source.h - kernels from source text.
 *
 * A kernel may bring code in several forms.  Portable source is one text for
 * every backend: a subset of C with a few words of its own, which
 * doc/kernels.md explains:
 *
 *     KERNEL(saxpy)
 *     {
 *             EACH(i, n)
 *                     y[i] += a * x[i];
 *     }
 *
 * The parameters are those of the kernel's signature.  All other forms are
 * back doors: code in a backend's own language, taken as it is.
 *
 * Compiled code is kept in a cache on disk: PLAIT_CACHE_DIR, else plait in
 * XDG_CACHE_HOME or ~/.cache; PLAIT_CACHE=0 turns it off.  PLAIT_CC chooses
 * the C compiler, PLAIT_CFLAGS adds to its flags, and PLAIT_DUMP=FOLDER keeps
 * what was compiled, how, and what the compiler said.
 */
#ifndef PLAIT_SOURCE_H
#define PLAIT_SOURCE_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The form of a piece of code. */
enum {
	/* Portable source, for every backend. */
	PLAIT_SOURCE_PORTABLE = 0,
	/* C for backends that run kernels on the host: a text that defines
	 * a function with exactly the signature of the kernel, in C's own
	 * types; it does all of a launch.  On the host a result that is not
	 * 0 fails it; devices have no results. */
	PLAIT_SOURCE_C = 1,
	PLAIT_SOURCE_OPENCL_C = 2,
	PLAIT_SOURCE_OPENCL_BINARY = 3,
	PLAIT_SOURCE_SPIRV = 4,
	PLAIT_SOURCE_CUDA_C = 5,
	PLAIT_SOURCE_PTX = 6,
	PLAIT_SOURCE_CUBIN = 7
};

/* How it is compiled. */
enum {
	/* Every operation is rounded by itself: no fused multiply-add but
	 * fma(), so that results agree between backends to the last bit
	 * where the operations do. */
	PLAIT_SOURCE_STRICT = 1 << 0,
	/* Arithmetic may be rearranged as if it were exact. */
	PLAIT_SOURCE_FAST = 1 << 1,
	/* No two pointers of a launch lead to the same memory, unless it is
	 * only read. */
	PLAIT_SOURCE_NO_ALIAS = 1 << 2
};

/* One piece of code for a kernel. */
typedef struct plait_source {
	uint32_t size;
	/* PLAIT_SOURCE_PORTABLE, ... */
	uint32_t form;
	/* PLAIT_SOURCE_STRICT, ... */
	uint32_t flags;
	uint32_t reserved0;
	/* The one backend that it is for, or null: all that take its form. */
	const char *backend;
	/* The text, or the bytes of a binary; copied when it is kept. */
	const void *code;
	/* How long; 0 is a text up to its NUL. */
	uint64_t bytes;
	/* The function in it; null: of the kernel's name.  Null if portable. */
	const char *entry;
	/* What errors call the text; null: the name of the kernel. */
	const char *file;
	/* Macros for the text, with blanks between: "TILE=16 DEBUG". */
	const char *defines;
	/* For the compiler, in its own words, with blanks between; null if
	 * portable. */
	const char *options;
} plait_source;

/*
 * plait_source_text - portable source as a backend's compiler gets to see it.
 *
 * @param signature      borrowed, non-null: of the kernel
 * @param source         borrowed, non-null: a portable source
 * @param form           value: the language: C, OPENCL_C or CUDA_C
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: what the whole text needs
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse, a source
 *         that is not portable or has no KERNEL of that name),
 *         PLAIT_E_UNSUPPORTED (a form that portable source does not become),
 *         PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_source_text(const char *signature,
					 const plait_source *source,
					 uint32_t form, char *buffer,
					 uint64_t capacity_bytes,
					 uint64_t *out_bytes,
					 plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
