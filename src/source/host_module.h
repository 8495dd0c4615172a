/* SPDX-License-Identifier: MIT */
/*
 * Code for the host that was compiled from source: built or found in the
 * cache, loaded, run, unloaded.
 */
#ifndef PLAIT_SRC_SOURCE_HOST_MODULE_H
#define PLAIT_SRC_SOURCE_HOST_MODULE_H

#include "plait/kernel.h"

#include "source/source.h"

#include "base/log.h"

/* How the work of a launch is divided; the values are those of the first word
 * of plait_shape in the compiled code. */
enum {
	PLAIT__MODULE_ELEMENTS = 0, /* the elements of any range, anywhere */
	PLAIT__MODULE_GROUPS = 1,   /* whole groups of a fixed shape */
	PLAIT__MODULE_WHOLE = 2	    /* not at all */
};

/*
 * A part of a launch: a box of items, or of groups when it is divided into
 * those.  The compiled code has the same struct.
 */
typedef struct plait__module_part {
	uint64_t items[3], groups[3], begin[3], end[3], group[3];
} plait__module_part;

typedef struct plait__module {
	const plait_allocator *allocator;
	void *object; /* of the dynamic linker */
	/* 0, or what failed. */
	int32_t (*run)(void *const *arguments,
		       const plait__module_part *part);
	uint32_t division;
	uint32_t group[3];
} plait__module;

/* A finished text, which a compiler makes a module of. */
typedef struct plait__module_text {
	const char *name; /* of the kernel */
	const char *text;
	uint64_t bytes;
	uint32_t flags; /* PLAIT_SOURCE_STRICT, ... */
	const char *options; /* or null */
} plait__module_text;

/*
 * Compile a text that plait__compose_source wrote as C for this process, or
 * take it from the cache.  Blocks while the compiler runs; what it says is
 * added to `words`.  As plait__build_from_source, but nothing is reported yet.
 */
plait_status plait__build_from_text(const plait__module_text *text,
				    const plait_allocator *allocator,
				    const plait__log *log, plait__text *words,
				    plait__module **out, plait_error *error);

/*
 * Compile `source` (portable or C) for this process, or take it from the
 * cache.  Blocks while the compiler runs.  PLAIT_E_INVALID (it does not
 * compile; the log is the error's detail), PLAIT_E_UNAVAILABLE (no compiler,
 * or it does not work, or there is nowhere to write), PLAIT_E_NOMEM.
 */
plait_status plait__build_from_source(const plait_source *source,
			       const plait__signature *signature,
			       const plait_allocator *allocator,
			       const plait__log *log, plait__module **out,
			       plait_error *error);

/* Nothing of it runs any more; null is fine. */
void plait__module_destroy(plait__module *module);

/*
 * Give a launch that was read the groups that the source has.
 * PLAIT_E_INVALID: it asks for others.
 */
plait_status plait__module_settle(const plait__module *module,
				  plait_launch *launch, plait_error *error);

/* A part of a launch, as a plait_range_function whose user_data is the module.
 * Every group is in the one part that has its first item. */
int32_t plait__module_range(const plait_range *range, void *const *arguments,
			    const plait_launch *launch, void *user_data);

/* All of one, as a plait_kernel_function, for what is not divided. */
int32_t plait__module_whole(void *const *arguments, const plait_launch *launch,
			    void *user_data);

#endif
