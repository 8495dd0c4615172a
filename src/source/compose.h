/* SPDX-License-Identifier: MIT */
/*
 * Sources of kernels: one piece of code, read and checked, and portable source
 * composed into the language of a compiler.
 */
#ifndef PLAIT_SRC_SOURCE_COMPOSE_H
#define PLAIT_SRC_SOURCE_COMPOSE_H

#include "plait/source.h"

#include <stdbool.h>

#include "base/text.h"
#include "kernel/signature.h"

enum { PLAIT__SOURCE_FORMS = 8 };

/* Return the name of a form for messages; never null. */
const char *plait__compose_form_name(uint32_t form);

/* Returns true for a text, false for a binary. */
bool plait__compose_form_is_text(uint32_t form);

/*
 * Read the caller's descriptor into `out` and fill in `bytes`, `entry` and
 * `file`; the memory it points to stays the caller's.  `name` is the kernel's.
 * PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (a form or flag that is not known).
 */
plait_status plait__compose_read_source(const plait_source *given,
					const char *name, plait_source *out,
					plait_error *error);

/*
 * Compose the whole text for the compiler of `form` (C, OPENCL_C, CUDA_C):
 * prelude, parameters, defines, then the user's text with its own line numbers,
 * and for C the epilogue that host_module.h expects.  `source` was read; other
 * forms than portable source get defines and, for C, types and epilogue.
 * PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (portable source becomes no such form),
 * PLAIT_E_NOMEM.
 */
plait_status plait__compose_source(const plait_source *source,
				   const plait__signature *signature,
				   uint32_t form, plait__text *out,
				   plait_error *error);

/* Composed text, with the facts that its build needs. */
typedef struct plait__module_text {
	const char *name; /* of the kernel */
	const char *text;
	uint64_t bytes;
	uint32_t flags; /* PLAIT_SOURCE_STRICT, ... */
	const char *options; /* or null */
} plait__module_text;

/* Preludes of portable source: the files *.prelude, which the build converts to
 * strings. */
extern const char plait__prelude_cuda[];
extern const char plait__prelude_host[];
extern const char plait__prelude_image_cuda[]; /* after that of CUDA */
extern const char plait__prelude_image_host[]; /* after that of the host */
extern const char plait__prelude_image_opencl[]; /* after that of OpenCL */
extern const char plait__prelude_loop[]; /* after that of CUDA */
extern const char plait__prelude_opencl[];
extern const char plait__prelude_shared[]; /* after that of CUDA */

#endif
