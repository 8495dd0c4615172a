/* SPDX-License-Identifier: MIT */
/*
 * Kernels and launches: C that the host compiles, run on the memory of a
 * simulated device.  A launch runs a part of its items when it starts and the
 * rest when it ends, like a copy.  The host keeps the code; the cache of the
 * core gets a marker for each kernel, which exercises the cache.
 */
#include <string.h>

#include "chaos.h"

struct plait_backend_kernel {
	plait_host_code *code;
	uint64_t total_bytes;
	uint64_t group[3];
	uint32_t device;
	uint32_t parameter_count;
	struct parameter {
		uint32_t bytes; /* of the value, or of an address */
		bool local;
	} parameters[];
};

struct plait_backend_launch {
	uint64_t total_bytes;
	const plait_backend_kernel *kernel;
	plait_host_part whole;
	uint32_t dimension; /* that is split in two parts */
	void **arguments; /* into `cells` */
	uint64_t *cells; /* a value may have several */
	unsigned char *local; /* blocks of local memory, behind the cells */
	uint64_t local_bytes;
};

/* Alignment of local memory, and the bytes that it begins with. */
enum { BLOCK_ALIGNMENT = 64, LOCAL_CONTENTS = 0xa5 };

/* ---- kernels ---- */

static const plait_code_parameter *nth_parameter(const plait_code *code,
						 uint32_t index)
{
	const unsigned char *bytes = (const void *)code->parameters;

	return (const plait_code_parameter *)(const void *)
		(bytes + (uint64_t)index * code->parameters[0].size);
}

static plait_backend_kernel *new_kernel(chaos *system, uint32_t device,
					const plait_code *code)
{
	uint64_t bytes = sizeof(plait_backend_kernel) +
		code->parameter_count * sizeof(struct parameter);
	plait_backend_kernel *kernel = plaitp_chaos_allocate(system, bytes);

	if (!kernel)
		return NULL;
	kernel->total_bytes = bytes;
	kernel->device = device;
	kernel->parameter_count = code->parameter_count;
	for (uint32_t i = 0; i < code->parameter_count; i++) {
		const plait_code_parameter *from = nth_parameter(code, i);

		kernel->parameters[i].local =
			from->flags & PLAIT_CODE_LOCAL;
		kernel->parameters[i].bytes =
			from->flags & (PLAIT_CODE_POINTER | PLAIT_CODE_LOCAL) ?
			(uint32_t)sizeof(void *) : (uint32_t)from->bytes;
	}
	return kernel;
}

/* Log if the cache has a marker of this text; else store one. */
static void note_marker(chaos *system, const plait_code *code)
{
	static const char marker[] = "chaos built this";
	const plait_host_services *services = system->services;
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes = 0;
	void *found = NULL;
	bool known = services->cache_get(system->host, code->name, code->code,
					 code->bytes, &found, &bytes,
					 &error) == PLAIT_OK;

	known = known && bytes == sizeof(marker) &&
		memcmp(found, marker, sizeof(marker)) == 0;
	if (found)
		services->resize(system->host, found, bytes, 0);
	if (!known)
		services->cache_put(system->host, code->name, code->code,
				    code->bytes, marker, sizeof(marker));
	plaitp_chaos_log(system, "kernel %s: %s", code->name,
			 known ? "was built before" : "is new");
}

plait_status plaitp_chaos_kernel_build(plait_backend *self, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_backend_kernel *kernel;
	plait_status status;

	*out = NULL;
	if (!system->options.kernels || code->form != PLAIT_SOURCE_C)
		return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
					 "device chaos:%u takes no code of "
					 "form %u", device, code->form);
	kernel = new_kernel(system, device, code);
	if (!kernel)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for kernel %.60s",
					 code->name);
	status = system->services->host_code_build(
		system->host, code, &kernel->code, kernel->group, error);
	if (status != PLAIT_OK) {
		plaitp_chaos_free(system, kernel, kernel->total_bytes);
		return status;
	}
	plaitp_chaos_lock(system);
	note_marker(system, code);
	plaitp_chaos_unlock(system);
	*out = kernel;
	return PLAIT_OK;
}

void plaitp_chaos_kernel_destroy(plait_backend *self,
				 plait_backend_kernel *kernel)
{
	chaos *system = chaos_of(self);

	system->services->host_code_destroy(system->host, kernel->code);
	plaitp_chaos_free(system, kernel, kernel->total_bytes);
}

plait_status plaitp_chaos_kernel_query(plait_backend *self,
				       plait_backend_kernel *kernel,
				       plait_kernel_facts *out,
				       plait_error *error)
{
	plait_kernel_facts full = { .size = sizeof(full) };

	(void)self;
	(void)error;
	memcpy(full.group, kernel->group, sizeof(full.group));
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}

/* ---- launches ---- */

static const plait_launch_argument *
nth_argument(const plait_launch_request *request, uint32_t index)
{
	const unsigned char *bytes = (const void *)request->arguments;

	return (const plait_launch_argument *)(const void *)
		(bytes + (uint64_t)index * request->arguments[0].size);
}

/* The size of a block of local memory, with the padding behind it; 0 for other
 * parameters. */
static uint64_t block_bytes(const plait_backend_kernel *kernel, uint32_t index,
			    const plait_launch_argument *argument)
{
	uint64_t bytes = 0;

	if (kernel->parameters[index].local)
		memcpy(&bytes, argument->value, sizeof(bytes));
	return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT *
		BLOCK_ALIGNMENT;
}

static uint64_t count_local(const plait_launch_request *request)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < request->argument_count; i++)
		bytes += block_bytes(request->kernel, i,
				     nth_argument(request, i));
	return bytes;
}

static uint64_t count_cells(const struct parameter *parameter)
{
	return (parameter->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static uint64_t count_all_cells(const plait_backend_kernel *kernel)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < kernel->parameter_count; i++)
		count += count_cells(&kernel->parameters[i]);
	return count;
}

/* Fill the cells of an argument. */
static void bind(plait_backend_launch *launch, uint32_t index, uint64_t *cells,
		 const plait_launch_argument *argument)
{
	const struct parameter *parameter = &launch->kernel->parameters[index];
	unsigned char *address;

	launch->arguments[index] = cells;
	if (parameter->local) {
		address = launch->local + launch->local_bytes;
		launch->local_bytes += block_bytes(launch->kernel, index,
						   argument);
		memcpy(cells, &address, sizeof(address));
		return;
	}
	if (!argument->memory) {
		memcpy(cells, argument->value, parameter->bytes);
		return;
	}
	address = argument->memory->bytes + argument->offset;
	memcpy(cells, &address, sizeof(address));
}

plait_status plaitp_chaos_launch_create(plait_backend *self,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error)
{
	chaos *system = chaos_of(self);
	uint32_t count = request->kernel->parameter_count;
	uint64_t cells = count_all_cells(request->kernel);
	uint64_t bytes = sizeof(plait_backend_launch) +
		count * sizeof(void *) + cells * sizeof(uint64_t) +
		BLOCK_ALIGNMENT + count_local(request);
	plait_status status = plaitp_chaos_link_check_launch(
		system, request->kernel->device, request, error);
	plait_backend_launch *launch;
	uint64_t *cell;

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	*out = launch = plaitp_chaos_allocate(system, bytes);
	if (!launch)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a launch");
	launch->total_bytes = bytes;
	launch->kernel = request->kernel;
	launch->cells = (uint64_t *)(void *)(launch + 1);
	launch->arguments = (void **)(void *)(launch->cells + cells);
	launch->local = (unsigned char *)(launch->arguments + count);
	launch->local += -(uintptr_t)launch->local % BLOCK_ALIGNMENT;
	launch->whole.size = sizeof(launch->whole);
	memcpy(launch->whole.items, request->items, sizeof(request->items));
	memcpy(launch->whole.end, request->items, sizeof(request->items));
	while (launch->dimension < 2 &&
	       request->items[launch->dimension + 1] > 1)
		launch->dimension++;
	cell = launch->cells;
	for (uint32_t i = 0; i < count; i++) {
		bind(launch, i, cell, nth_argument(request, i));
		cell += count_cells(&request->kernel->parameters[i]);
	}
	return PLAIT_OK;
}

void plaitp_chaos_launch_destroy(plait_backend *self,
				 plait_backend_launch *launch)
{
	plaitp_chaos_free(chaos_of(self), launch, launch->total_bytes);
}

uint64_t plaitp_chaos_launch_exchange(plait_backend_launch *launch,
				      uint32_t argument, uint64_t value)
{
	uint32_t bytes = launch->kernel->parameters[argument].bytes;
	uint64_t old = 0;

	memcpy(&old, launch->arguments[argument], bytes);
	memcpy(launch->arguments[argument], &value, bytes);
	return old;
}

uint64_t plaitp_chaos_launch_steps(const plait_backend_launch *launch)
{
	return launch->whole.items[launch->dimension];
}

void plaitp_chaos_launch_run(chaos *system,
			     const plait_backend_launch *launch, uint64_t from,
			     uint64_t to)
{
	plait_host_part part = launch->whole;

	if (from >= to)
		return;
	part.begin[launch->dimension] = from;
	part.end[launch->dimension] = to;
	/* Local memory begins with undefined contents.  One launch may be on
	 * several queues, but the caller's lock lets one part run at a time. */
	memset(launch->local, LOCAL_CONTENTS, launch->local_bytes);
	system->services->host_code_run(system->host, launch->kernel->code,
					&part, launch->arguments);
}
