/* SPDX-License-Identifier: MIT */
/* Kernels of the backend that sins: C that the host compiles; see base.h. */
#include "base.h"

#include <string.h>

enum { CELLS = 96 };

struct plait_backend_kernel {
	plait_host_code *code;
	uint64_t group[3];
	bool idle; /* SIN_IDLE_DEVICE: it does nothing */
	uint32_t count;
	uint32_t bytes[32];
	uint32_t first[33]; /* cell of each argument */
	bool local[32];
	bool sampler[32];
	uint64_t local_bytes; /* SIN_PLACES_ONCE: of the first launch */
	/* SIN_SHARES_ARGUMENTS: of the launch that was made last. */
	uint64_t cells[CELLS];
};

struct plait_backend_launch {
	plait_backend_kernel *kernel;
	plait_host_part part;
	uint64_t cells[CELLS]; /* one or more for each argument */
	uint64_t local_used;
	char local[SINS_LOCAL_BYTES] __attribute__((aligned(64)));
};

/* The facts about the kernel, as far as this backend has them. */
static plait_backend_kernel *new_kernel(plait_backend *self,
					const plait_code *code)
{
	plait_backend_kernel *kernel = sins_allocate(self, sizeof(*kernel));
	const char *at = (const char *)code->parameters;

	if (kernel == NULL)
		return NULL;
	kernel->count = code->parameter_count < 32 ? code->parameter_count : 32;
	for (uint32_t i = 0; i < kernel->count; i++) {
		const plait_code_parameter *from = (const void *)at;

		kernel->bytes[i] = (from->flags & PLAIT_CODE_POINTER) != 0 ?
			(uint32_t)sizeof(void *) : (uint32_t)from->bytes;
		kernel->first[i + 1] = kernel->first[i] +
				       (kernel->bytes[i] + 7) / 8;
		if (SINS(CUTS_VALUES) && kernel->bytes[i] > 8)
			kernel->bytes[i] = 8;
		kernel->local[i] = (from->flags & PLAIT_CODE_LOCAL) != 0;
		kernel->sampler[i] = (from->flags & PLAIT_CODE_SAMPLER) != 0;
		if (SINS(SHORT_VALUES) && kernel->bytes[i] > 4 &&
		    (from->flags & PLAIT_CODE_POINTER) == 0)
			kernel->bytes[i] = 4;
		at += code->parameters->size;
	}
	return kernel;
}

/* SIN_REMEMBERS_NAMES: the text that came first with this name. */
static void remember(plait_backend *self, plait_code *code)
{
	pthread_mutex_lock(&self->lock);
	if (self->first_text == NULL) {
		self->first_text = sins_allocate(self, code->bytes + 1);
		self->first_bytes = code->bytes;
		if (self->first_text != NULL)
			memcpy(self->first_text, code->code, code->bytes);
	}
	if (self->first_text != NULL) {
		code->code = self->first_text;
		code->bytes = self->first_bytes;
	}
	pthread_mutex_unlock(&self->lock);
}

/* SIN_FORGETS_BUILT: a mark in the cache, and no code behind it. */
static bool was_built(plait_backend *self, const plait_code *code)
{
	const plait_host_services *services = self->services;
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes = 0;
	void *found = NULL;

	if (services->cache_get(self->host, code->name, code->code,
				code->bytes, &found, &bytes, &error) ==
	    PLAIT_OK) {
		sins_free(self, found, bytes);
		return true;
	}
	services->cache_put(self->host, code->name, code->code, code->bytes,
			    "built", 5);
	return false;
}

plait_status sins_kernel_build(plait_backend *self, uint32_t device,
			       const plait_code *given,
			       plait_backend_kernel **out, plait_error *error)
{
	plait_backend_kernel *kernel = new_kernel(self, given);
	plait_code code = *given;
	plait_status status;

	*out = NULL;
	if (kernel == NULL)
		return sins_no_memory(self, sizeof(*kernel), error);
	if (SINS(HIDES_LOG))
		code.log = NULL;
	if (SINS(REMEMBERS_NAMES))
		remember(self, &code);
	if (SINS(FORGETS_BUILT) && was_built(self, given)) {
		*out = kernel;
		return PLAIT_OK;
	}
	status = self->services->host_code_build(self->host, &code,
						 &kernel->code, kernel->group,
						 error);
	if (status != PLAIT_OK && SINS(BUILDS_ANYTHING))
		status = PLAIT_OK;
	kernel->idle = SINS(IDLE_DEVICE) && device > 0;
	if (status == PLAIT_OK)
		*out = kernel;
	else
		sins_free(self, kernel, sizeof(*kernel));
	return status;
}

void sins_kernel_destroy(plait_backend *self, plait_backend_kernel *kernel)
{
	self->services->host_code_destroy(self->host, kernel->code);
	sins_free(self, kernel, sizeof(*kernel));
}

plait_status sins_kernel_query(plait_backend *self,
			       plait_backend_kernel *kernel,
			       plait_kernel_facts *out, plait_error *error)
{
	(void)self;
	(void)error;
	memcpy(out->group, kernel->group, sizeof(out->group));
	return PLAIT_OK;
}

/* Returns the address of the next local memory. */
static char *place_local(plait_backend_launch *launch,
			 const plait_launch_argument *from)
{
	uint64_t at = SINS(SHARES_LOCAL) ? 0 : launch->local_used, bytes;

	memcpy(&bytes, from->value, sizeof(bytes));
	if (SINS(PLACES_ONCE) && launch->kernel->local_bytes == 0)
		launch->kernel->local_bytes = bytes;
	if (SINS(PLACES_ONCE))
		bytes = launch->kernel->local_bytes;
	launch->local_used = at + (bytes + 15) / 16 * 16;
	return launch->local + at;
}

static void bind(plait_backend_launch *launch, uint64_t *cells, uint32_t i,
		 const plait_launch_argument *from)
{
	char *address;

	if (launch->kernel->local[i]) {
		address = place_local(launch, from);
		memcpy(cells, &address, sizeof(address));
		return;
	}
	if (from->memory == NULL) {
		memcpy(cells, from->value, launch->kernel->bytes[i]);
		if (SINS(ONE_SAMPLER) && launch->kernel->sampler[i])
			*cells = 0;
		return;
	}
	address = from->memory->data +
		(SINS(LOSES_OFFSET) ? 0 : from->offset);
	memcpy(cells, &address, sizeof(address));
}

static void shape(plait_backend_launch *launch,
		  const plait_launch_request *request)
{
	plait_host_part *part = &launch->part;

	part->size = sizeof(*part);
	memcpy(part->items, request->items, sizeof(part->items));
	memcpy(part->end, request->items, sizeof(part->end));
	for (int i = 0; i < 3; i++) {
		if (SINS(FLAT_ONLY) && i > 0)
			part->end[i] = 1;
		if (SINS(ROUNDS_DOWN) && request->group[i] > 1)
			part->end[i] -= part->end[i] % request->group[i];
	}
}

plait_status sins_launch_create(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch **out, plait_error *error)
{
	plait_backend_launch *launch = sins_allocate(self, sizeof(*launch));
	const char *at = (const char *)request->arguments;

	*out = launch;
	if (launch == NULL)
		return sins_no_memory(self, sizeof(*launch), error);
	launch->kernel = request->kernel;
	shape(launch, request);
	pthread_mutex_lock(&self->lock);
	for (uint32_t i = 0; i < launch->kernel->count; i++) {
		const plait_launch_argument *from = (const void *)at;

		bind(launch, &launch->cells[launch->kernel->first[i]], i,
		     from);
		at += request->arguments->size;
	}
	memcpy(launch->kernel->cells, launch->cells, sizeof(launch->cells));
	pthread_mutex_unlock(&self->lock);
	if (launch->local_used <= SINS_LOCAL_BYTES / (SINS(BOASTS_LOCAL) ? 2 : 1))
		return PLAIT_OK;
	*out = NULL;
	sins_free(self, launch, sizeof(*launch));
	return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				    "no local memory");
}

void sins_launch_destroy(plait_backend *self, plait_backend_launch *launch)
{
	sins_free(self, launch, sizeof(*launch));
}

void sins_launch_number(plait_backend_launch *launch, uint32_t argument,
			uint64_t number)
{
	memcpy(&launch->cells[launch->kernel->first[argument]], &number,
	       launch->kernel->bytes[argument]);
}

/* SIN_DROPS_LAUNCH: each 16th. */
static bool is_dropped(plait_backend *self)
{
	bool dropped;

	pthread_mutex_lock(&self->lock);
	dropped = SINS(DROPS_LAUNCH) && ++self->launches % 16 == 0;
	pthread_mutex_unlock(&self->lock);
	return dropped;
}

void sins_launch_run(plait_backend *self, const plait_work *work)
{
	plait_backend_launch *launch = work->launch;
	plait_host_part part = launch->part;
	void *arguments[32];

	if (launch->kernel->code == NULL || launch->kernel->idle ||
	    is_dropped(self))
		return;
	for (uint32_t i = 0; i < launch->kernel->count; i++) {
		uint32_t at = launch->kernel->first[i];

		arguments[i] = SINS(SHARES_ARGUMENTS) ?
			&launch->kernel->cells[at] : &launch->cells[at];
	}
	self->services->host_code_run(self->host, launch->kernel->code, &part,
				      arguments);
	if (SINS(OVERLAPS) && part.end[0] > 1)
		part.begin[0] = part.end[0] - 1;
	if (SINS(WORKS_TWICE) || part.begin[0] > 0)
		self->services->host_code_run(self->host, launch->kernel->code,
					      &part, arguments);
}
