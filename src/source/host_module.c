/* SPDX-License-Identifier: MIT */
/* Modules: loading and execution of compiled host code. */
#include "source/host_module.h"

#include "base/alloc.h"
#include "base/error.h"
#include "kernel/launch.h"
#include "sys/dl.h"

#include <string.h>

plait_status plait__module_load(const char *path,
				const plait_allocator *allocator,
				plait__module **out, plait_error *error)
{
	plait__module *module = plait__alloc(allocator, sizeof(*module));
	const uint32_t *shape;
	char reason[160];
	union {
		void *address;
		int32_t (*run)(void *const *, const plait__module_part *);
	} found;

	if (module == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a compiled kernel");
	module->allocator = allocator;
	module->object = plait__dl_open_code(path, reason, sizeof(reason));
	if (module->object == NULL) {
		plait__free(allocator, module, sizeof(*module));
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "a compiled kernel cannot be loaded: %s",
				   reason);
	}
	shape = plait__dl_find(module->object, "plait_shape");
	found.address = plait__dl_find(module->object, "plait_run");
	if (shape == NULL || found.address == NULL) {
		plait__module_destroy(module);
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "the compiler's output has no plait_run; "
				   "is PLAIT_CC a C compiler?");
	}
	module->run = found.run;
	module->division = shape[0];
	memcpy(module->group, shape + 1, sizeof(module->group));
	*out = module;
	return PLAIT_OK;
}

void plait__module_destroy(plait__module *module)
{
	if (module == NULL)
		return;
	plait__dl_close(module->object);
	plait__free(module->allocator, module, sizeof(*module));
}

plait_status plait__module_settle(const plait__module *module,
				  plait_launch *launch, plait_error *error)
{
	const uint64_t group[3] = { module->group[0], module->group[1],
				    module->group[2] };

	if (module->division != PLAIT__MODULE_GROUPS)
		return PLAIT_OK;
	return plait__launch_resolve(group, launch, error);
}

/* Avoid 0, which a launch of a plan file may have. */
static uint64_t at_least_1(uint64_t count)
{
	return count > 0 ? count : 1;
}

int32_t plait__module_range(const plait_range *range, void *const *arguments,
			    const plait_launch *launch, void *user_data)
{
	const plait__module *module = user_data;
	plait__module_part part;

	for (int i = 0; i < 3; i++) {
		uint64_t items = at_least_1(launch->items[i]);
		uint64_t group = module->group[i];

		part.items[i] = items;
		part.groups[i] = (items - 1) / group + 1;
		/* Both bounds round up to group bounds. */
		part.begin[i] = range->begin[i] / group +
				(range->begin[i] % group != 0);
		part.end[i] = range->end[i] / group +
			      (range->end[i] % group != 0);
		part.group[i] = 0;
	}
	return module->run(arguments, &part);
}

int32_t plait__module_whole(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	plait_range range = { .size = sizeof(range),
			      .dimensions = launch->dimensions };

	for (int i = 0; i < 3; i++)
		range.end[i] = at_least_1(launch->items[i]);
	return plait__module_range(&range, arguments, launch, user_data);
}
