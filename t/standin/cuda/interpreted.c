/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: modules of real PTX, which t/standin/ptx
 * interprets.  A kernel may access memory that the driver knows, and the
 * module's variables; a failure is printed, and fails the context.
 */
#include <stdio.h>
#include <stdlib.h>

#include "standin.h"
#include "standin/ptx/ptx.h"

/* First driver with conditional nodes. */
enum { CONDITIONS_VERSION = 12030 };

struct table {
	struct standin_module module;
	struct standin_kernel kernels[];
};

/* The module's table, or null with the reason in `message`. */
const struct standin_module *standin_parse(CUmodule module, const char *text,
					   char *message)
{
	struct table *table;
	unsigned count, i;

	module->ptx = ptx_parse(text, message);
	if (module->ptx == NULL)
		return NULL;
	count = ptx_kernel_count(module->ptx);
	table = standin_new(sizeof(*table) + count * sizeof(table->kernels[0]));
	table->module.arch = ptx_target(module->ptx);
	table->module.driver = ptx_sets_conditions(module->ptx) ?
			       CONDITIONS_VERSION : 0;
	table->module.count = count;
	table->module.kernels = table->kernels;
	for (i = 0; i < count; i++) {
		const struct ptx_kernel *from = ptx_kernel_at(module->ptx, i);

		table->kernels[i] = (struct standin_kernel){
			.name = from->name, .sizes = from->sizes,
			.count = from->count, .most_threads = from->most_threads,
			.ptx = from
		};
	}
	return &table->module;
}

void standin_free_parsed(CUmodule module)
{
	if (module->ptx == NULL)
		return;
	ptx_release(module->ptx);
	free((void *)(uintptr_t)module->table);
	module->table = NULL;
}

static bool find(void *user, uint64_t address, uint64_t *begin, uint64_t *end)
{
	bool found;

	(void)user;
	pthread_mutex_lock(&standin.lock);
	found = standin_find_range(address, begin, end) ||
		standin_find_variable(address, begin, end);
	pthread_mutex_unlock(&standin.lock);
	return found;
}

CUresult standin_interpret(struct work *work)
{
	const struct standin_launch *from = &work->launch;
	struct ptx_launch launch = {
		.grid = { from->grid[0], from->grid[1], from->grid[2] },
		.block = { from->block[0], from->block[1], from->block[2] },
		.shared_bytes = from->shared_bytes,
		.arguments = from->arguments, .seed = standin.options.seed,
		.user = work, .find = find,
		.set_condition = standin_set_condition,
		.timer = standin_timer, .texture = standin_texture,
		.store = standin_store
	};
	char message[PTX_MESSAGE_BYTES];
	enum ptx_result result = ptx_launch(work->function->module->ptx,
					    from->kernel->ptx, &launch, message);

	if (result != PTX_DONE)
		fprintf(stderr, "# stand-in: %s\n", message);
	return (CUresult)result;
}
