/* SPDX-License-Identifier: MIT */
/*
 * Modules: host code compiled from source, loaded into the process.  Built by
 * build.h.
 */
#ifndef PLAIT_SRC_SOURCE_HOST_MODULE_H
#define PLAIT_SRC_SOURCE_HOST_MODULE_H

#include "plait/kernel.h"

#include "source/compose.h"

/* Division of a launch; the values are those of the first word of plait_shape
 * in the compiled code. */
enum {
	PLAIT__MODULE_ELEMENTS = 0, /* any range of elements */
	PLAIT__MODULE_GROUPS = 1,   /* whole groups of a fixed shape */
	PLAIT__MODULE_WHOLE = 2	    /* not at all */
};

/*
 * Part of a launch: a box of items, or of groups where the launch is divided
 * into groups.  The compiled code has the same struct.
 */
typedef struct plait__module_part {
	uint64_t items[3], groups[3], begin[3], end[3], group[3];
} plait__module_part;

typedef struct plait__module {
	const plait_allocator *allocator;
	void *object; /* from the dynamic linker */
	/* Returns 0, or the error of the code. */
	int32_t (*run)(void *const *arguments,
		       const plait__module_part *part);
	uint32_t division; /* PLAIT__MODULE_...; plait_shape gives it and `group` */
	uint32_t group[3]; /* never 0; 1 without groups */
} plait__module;

/* Load a shared object that a compiler made of a composed text.  `path` is absolute
 * and never had other contents in this process; the file may be removed afterwards.
 * PLAIT_E_UNAVAILABLE: it cannot be loaded, or has no plait_run.  PLAIT_E_NOMEM. */
plait_status plait__module_load(const char *path,
				const plait_allocator *allocator,
				plait__module **out, plait_error *error);

/* Unload a module of which nothing runs any more; null is allowed. */
void plait__module_destroy(plait__module *module);

/*
 * Set the groups of a launch that was read to those of the source, if that has any.
 * PLAIT_E_INVALID: the launch asks for others.
 */
plait_status plait__module_settle(const plait__module *module,
				  plait_launch *launch, plait_error *error);

/* Run a part of a launch; a plait_range_function with the module as user_data.
 * Each group belongs to the part that has its first item. */
int32_t plait__module_range(const plait_range *range, void *const *arguments,
			    const plait_launch *launch, void *user_data);

/* Run a whole launch; a plait_kernel_function, for code that is not divided. */
int32_t plait__module_whole(void *const *arguments, const plait_launch *launch,
			    void *user_data);

#endif
