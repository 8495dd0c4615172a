/* SPDX-License-Identifier: MIT */
/*
 * One piece of code for a kernel, read and checked, and portable source
 * written out in the language of a compiler.
 */
#ifndef PLAIT_SRC_SOURCE_COMPOSE_H
#define PLAIT_SRC_SOURCE_COMPOSE_H

#include "plait/source.h"

#include <stdbool.h>

#include "base/text.h"
#include "kernel/signature.h"

enum { PLAIT__SOURCE_FORMS = 8 };

/* What a form is called in messages; never null. */
const char *plait__compose_form_name(uint32_t form);

/* Is it a text, not a binary? */
bool plait__compose_form_is_text(uint32_t form);

/*
 * Read the caller's descriptor into `out`, with `bytes`, `entry` and `file`
 * filled in; what it points to stays the caller's.  `name` is the kernel's.
 */
plait_status plait__compose_read_source(const plait_source *given, const char *name,
					plait_source *out, plait_error *error);

/*
 * The whole text for the compiler of `form` (C, OPENCL_C, CUDA_C): what the
 * words mean, the parameters, the macros, then the user's text from its own
 * line 1 on, and for C what makes a function of src/source/host_module.h of it.
 */
plait_status plait__compose_source(const plait_source *source,
				   const plait__signature *signature,
				   uint32_t form, plait__text *out,
				   plait_error *error);

/* A finished text, which a compiler makes a module of. */
typedef struct plait__module_text {
	const char *name; /* of the kernel */
	const char *text;
	uint64_t bytes;
	uint32_t flags; /* PLAIT_SOURCE_STRICT, ... */
	const char *options; /* or null */
} plait__module_text;

/* What portable source begins with: the files *.prelude, which the build
 * makes strings of. */
extern const char plait__prelude_cuda[];
extern const char plait__prelude_host[];
extern const char plait__prelude_loop[]; /* behind that of CUDA */
extern const char plait__prelude_opencl[];

#endif
