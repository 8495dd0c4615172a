/* SPDX-License-Identifier: MIT */
/*
 * Code for the host that was compiled from source: built or found in the
 * cache, loaded, run, unloaded.
 */
#ifndef PLAIT_SRC_SOURCE_HOST_MODULE_H
#define PLAIT_SRC_SOURCE_HOST_MODULE_H

#include "plait/kernel.h"

#include "source/compose.h"


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

/* Load a shared object that a compiler made of a composed text. */
plait_status plait__module_load(const char *path,
			      const plait_allocator *allocator,
			      plait__module **out, plait_error *error);

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
