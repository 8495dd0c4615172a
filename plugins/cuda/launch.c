/* SPDX-License-Identifier: MIT */
/* Launches: geometry and arguments in the driver's form, in one allocation. */
#include <string.h>

#include "kernel.h"

/* Default size of blocks. */
enum { USUAL_BLOCK = 256 };

/* --- geometry ------------------------------------------------------------- */

static plait_status refuse(plait_backend *self,
			   const plait_backend_kernel *kernel,
			   plait_error *error, const char *what,
			   uint64_t wanted, uint64_t most)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "cuda: %.80s: %s: %llu; at most %llu can "
				  "run", kernel->entry, what,
				  (unsigned long long)wanted,
				  (unsigned long long)most);
}

/* Returns the largest divisor of `items` up to `most`. */
static uint64_t divisor(uint64_t items, uint64_t most)
{
	uint64_t i = items < most ? items : most;

	while (i > 1 && items % i != 0)
		i--;
	return i > 0 ? i : 1;
}

/* Choose a block that divides the items: nothing may be rounded up. */
static void choose_exact(const plait_backend_kernel *kernel,
			 const uint64_t items[3], uint64_t block[3])
{
	const struct cuda_limits *limits = &kernel->device->limits;
	uint64_t left = kernel->group_max < USUAL_BLOCK ?
			(uint64_t)kernel->group_max : USUAL_BLOCK;
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t most = left < limits->block[i] ? left :
							  limits->block[i];

		block[i] = divisor(items[i], most);
		left /= block[i];
	}
}

/* Choose a block for portable code, which runs all items with any geometry. */
static void choose_any(const plait_backend_kernel *kernel, uint32_t dimensions,
		       uint64_t block[3])
{
	uint64_t items = kernel->group_max < USUAL_BLOCK ?
			 (uint64_t)kernel->group_max : USUAL_BLOCK;

	block[0] = items;
	block[1] = 1;
	block[2] = 1;
	if (dimensions > 1 && items >= 32) {
		block[0] = 32;
		block[1] = items / 32;
	}
}

static plait_status check_block(plait_backend *self,
				const plait_backend_kernel *kernel,
				const uint64_t block[3], plait_error *error)
{
	const struct cuda_limits *limits = &kernel->device->limits;
	uint64_t members = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (block[i] > limits->block[i])
			return refuse(self, kernel, error,
				      "a side of a group", block[i],
				      limits->block[i]);
		members *= block[i];
	}
	if (members > (uint64_t)kernel->group_max)
		return refuse(self, kernel, error, "a group of items", members,
			      (uint64_t)kernel->group_max);
	return PLAIT_OK;
}

static void choose_block(const plait_launch_request *request,
			 uint64_t block[3])
{
	const plait_backend_kernel *kernel = request->kernel;
	bool chosen = false;
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t group = request->group[i] != 0 ? request->group[i] :
							  kernel->group[i];

		chosen |= group != 0;
		block[i] = group != 0 ? group : 1;
	}
	if (!chosen && kernel->portable)
		choose_any(kernel, request->dimensions, block);
	else if (!chosen)
		choose_exact(kernel, request->items, block);
}

/* Cut the items into blocks and a grid within the device's limits. */
static plait_status set_geometry(plait_backend *self,
				 const plait_launch_request *request,
				 plait_backend_launch *launch,
				 plait_error *error)
{
	const plait_backend_kernel *kernel = request->kernel;
	const struct cuda_limits *limits = &kernel->device->limits;
	/* Portable code without a group size loops over items beyond the
	 * grid. */
	bool elastic = kernel->portable && kernel->group[0] == 0;
	plait_status status;
	uint64_t block[3];
	int i;

	choose_block(request, block);
	status = check_block(self, kernel, block, error);
	for (i = 0; i < 3 && status == PLAIT_OK; i++) {
		uint64_t grid = (request->items[i] - 1) / block[i] + 1;

		if (grid > limits->grid[i] && !elastic)
			return refuse(self, kernel, error, "groups in a row",
				      grid, limits->grid[i]);
		if (grid > limits->grid[i])
			grid = limits->grid[i];
		launch->block[i] = (unsigned)block[i];
		launch->grid[i] = (unsigned)grid;
	}
	return status;
}

/* --- arguments ------------------------------------------------------------ */

static const plait_launch_argument *
argument_at(const plait_launch_request *request, uint32_t index)
{
	return (const void *)((const char *)request->arguments +
			      (size_t)request->arguments->size * index);
}

static bool is_image(const struct cuda_parameter *parameter)
{
	return parameter->image_in || parameter->image_out;
}

/* Values are aligned for any type. */
static uint64_t room_of(const struct cuda_parameter *parameter)
{
	uint64_t bytes = plaitp_cuda_parameter_bytes(parameter);

	return (bytes + 15) & ~(uint64_t)15;
}

/* Memory of another device requires peer access. */
static plait_status check_path(plait_backend *self,
			       const plait_launch_request *request,
			       uint32_t index, plait_error *error)
{
	const plait_backend_memory *memory =
		argument_at(request, index)->memory;
	struct cuda_device *device = request->kernel->device;

	if (memory->device == device || memory->wrapped != NULL ||
	    plaitp_cuda_has_path(self, device, memory->device))
		return PLAIT_OK;
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_UNSUPPORTED, 0,
		"cuda: argument %u of %.80s: cuda:%u has no path to the "
		"memory of cuda:%u", index + 1, request->kernel->entry,
		plaitp_cuda_number(self, device),
		plaitp_cuda_number(self, memory->device));
}

/* Textures and surfaces are their device's. */
static plait_status set_image(plait_backend *self,
			      const plait_launch_request *request,
			      uint32_t index, char *out, plait_error *error)
{
	const plait_backend_memory *memory =
		argument_at(request, index)->memory;
	struct cuda_device *device = request->kernel->device;

	if (memory->device != device)
		return plaitp_driven_fail(
			self->services, error, PLAIT_E_UNSUPPORTED, 0,
			"cuda: argument %u of %.80s: cuda:%u reads and writes "
			"no image of cuda:%u; copy it", index + 1,
			request->kernel->entry,
			plaitp_cuda_number(self, device),
			plaitp_cuda_number(self, memory->device));
	if (request->kernel->parameters[index].image_in)
		memcpy(out, &memory->image->in, sizeof(memory->image->in));
	else
		memcpy(out, &memory->image->out, sizeof(memory->image->out));
	return PLAIT_OK;
}

static plait_status set_argument(plait_backend *self,
				 const plait_launch_request *request,
				 uint32_t index, char *out, plait_error *error)
{
	const plait_launch_argument *argument = argument_at(request, index);
	const struct cuda_parameter *parameter =
		&request->kernel->parameters[index];
	CUdeviceptr address;

	/* An image that is not bound yet has no value either. */
	if (argument->memory == NULL) {
		if (argument->value != NULL && !is_image(parameter))
			memcpy(out, argument->value,
			       plaitp_cuda_parameter_bytes(parameter));
		return PLAIT_OK;
	}
	if (argument->memory->image != NULL)
		return set_image(self, request, index, out, error);
	address = argument->memory->address + argument->offset;
	memcpy(out, &address, sizeof(address));
	return check_path(self, request, index, error);
}

/* Place local memory behind what has been placed; returns its offset. */
static uint32_t place_local(plait_backend_launch *launch,
			    const plait_launch_argument *argument)
{
	uint32_t at = (launch->shared_bytes + 15) & ~15u;
	uint64_t bytes;

	memcpy(&bytes, argument->value, sizeof(bytes));
	launch->shared_bytes = at + (unsigned)bytes;
	return at;
}

static uint64_t count_arguments(const plait_launch_request *request)
{
	return (uint64_t)plaitp_cuda_passed_count(request->kernel) +
	       plaitp_cuda_loop_arguments(request->kernel);
}

/* Set arguments of no loop; segments set those of theirs. */
static void set_loop(plait_backend_launch *launch, uint32_t first,
		     const plait_backend_kernel *kernel,
		     struct cuda_loop *loop)
{
	void *const members[] = { &loop->condition, &loop->word, &loop->stop,
				  &loop->arrived };

	launch->loop = loop;
	launch->may_skip = kernel->decides == CUDA_MAY_DECIDE;
	memcpy(&launch->arguments[first], members,
	       plaitp_cuda_loop_arguments(kernel) * sizeof(void *));
}

/* Fill the launch's block: a table of pointers, then the values, of which local
 * memory has its offset. */
static plait_status set_arguments(plait_backend *self,
				  const plait_launch_request *request,
				  plait_backend_launch *launch,
				  plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t table = count_arguments(request) * sizeof(void *);
	char *at = (char *)launch->arguments + ((table + 15) & ~(uint64_t)15);
	uint32_t i, passed = 0, offset;

	for (i = 0; i < request->argument_count && status == PLAIT_OK; i++) {
		const struct cuda_parameter *parameter =
			&request->kernel->parameters[i];

		if (parameter->local) {
			offset = place_local(launch, argument_at(request, i));
			memcpy(at, &offset, sizeof(offset));
		} else {
			status = set_argument(self, request, i, at, error);
		}
		if (plaitp_cuda_is_passed(request->kernel, parameter))
			launch->arguments[passed++] = at;
		at += room_of(parameter);
	}
	if (request->kernel->decides)
		set_loop(launch, passed, request->kernel,
			 (struct cuda_loop *)(void *)at);
	return status;
}

/* --- slots ---------------------------------------------------------------- */

static uint64_t count_bytes(const plait_launch_request *request)
{
	uint64_t bytes = sizeof(plait_backend_launch) + 16 +
			 count_arguments(request) * sizeof(void *) + 16 +
			 sizeof(struct cuda_loop);
	uint32_t i;

	for (i = 0; i < request->argument_count; i++)
		bytes += room_of(&request->kernel->parameters[i]);
	return bytes;
}

plait_status plaitp_cuda_launch_create(plait_backend *self,
				       const plait_launch_request *request,
				       plait_backend_launch **out,
				       plait_error *error)
{
	const plait_backend_kernel *kernel = request->kernel;
	uint64_t bytes = count_bytes(request);
	plait_backend_launch *launch =
		self->services->resize(self->host, NULL, 0, bytes);
	uint64_t head = (sizeof(*launch) + 15) & ~(uint64_t)15;
	plait_status status;

	*out = NULL;
	if (launch == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a launch");
	memset(launch, 0, bytes);
	launch->total_bytes = bytes;
	launch->function = kernel->function;
	launch->arguments = (void **)(void *)((char *)launch + head);
	status = set_geometry(self, request, launch, error);
	if (status == PLAIT_OK)
		status = set_arguments(self, request, launch, error);
	if (status == PLAIT_OK)
		*out = launch;
	else
		plaitp_cuda_launch_destroy(self, launch);
	return status;
}

void plaitp_cuda_launch_destroy(plait_backend *self,
				plait_backend_launch *launch)
{
	self->services->resize(self->host, launch, launch->total_bytes, 0);
}
