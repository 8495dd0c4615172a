/* SPDX-License-Identifier: MIT */
/* Devices: their attributes, and which of them can be used.  Their contexts are in
 * context.c. */
#include <stdio.h>
#include <string.h>

#include "driven/process_state.h"

#include "flight.h"
#include "segment.h"

enum { NAME_BYTES = 128 };

/* Estimated costs for the planner; no device was measured for them. */
enum { SUBMIT_NS = 3000, COMMAND_NS = 2500, HOP_NS = 5000, PARALLEL = 8 };

/* Alignment of every allocation of the driver. */
enum { ALIGNMENT_BYTES = 256 };

/* --- attributes ----------------------------------------------------------- */

static plait_status ask(plait_backend *self, const struct cuda_device *device,
			CUdevice_attribute attribute, int *out,
			plait_error *error)
{
	CUresult code = self->cu.cuDeviceGetAttribute(out, attribute,
						      device->id);

	if (code == CUDA_SUCCESS)
		return PLAIT_OK;
	return plaitp_cuda_fail_call(self, plaitp_cuda_number(self, device),
				     error, "cuDeviceGetAttribute", code, "");
}

static const CUdevice_attribute queried_attributes[] = {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
	CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
	CU_DEVICE_ATTRIBUTE_MAX_PITCH,
	/* No attribute tells of words of 32 bits. */
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
	CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT
};

enum { QUERIED = sizeof(queried_attributes) / sizeof(queried_attributes[0]) };

static void store_attributes(struct cuda_device *device,
			     const int values[QUERIED])
{
	int i;

	device->limits.group = (uint64_t)values[0];
	for (i = 0; i < 3; i++) {
		device->limits.block[i] = (uint64_t)values[1 + i];
		device->limits.grid[i] = (uint64_t)values[4 + i];
	}
	device->arch = 10 * values[7] + values[8];
	device->concurrent = values[9] != 0;
	device->registers = values[10] != 0;
	device->limits.pitch = (uint64_t)values[12];
	device->writes_words = values[13] != 0;
	device->mode = values[14];
	device->limits.local = (uint64_t)(values[16] > values[15] ?
					  values[16] : values[15]);
	device->limits.surface[0] = (uint64_t)values[17];
	device->limits.surface[1] = (uint64_t)values[18];
}

static const char *missing_nodes(int driver_version)
{
	if (driver_version < 12030)
		return ", without conditional nodes (12.3): the host decides "
		       "loops and branches";
	if (driver_version < 12040)
		return ", with kernels alone in conditional nodes (12.4): the "
		       "host decides loops and branches with copies or fills";
	if (driver_version < 12080)
		return ", without SWITCH nodes (12.8): branches are IF nodes";
	return "";
}

/* Ask for all limits; the description names what a driver of this version
 * lacks. */
static plait_status query_attributes(plait_backend *self,
				     struct cuda_device *device,
				     const char *name, plait_error *error)
{
	plait_status status = PLAIT_OK;
	int values[QUERIED] = { 0 };
	size_t bytes = 0;
	CUresult code;
	int i;

	for (i = 0; i < QUERIED && status == PLAIT_OK; i++)
		status = ask(self, device, queried_attributes[i], &values[i],
			     error);
	if (status != PLAIT_OK)
		return status;
	code = self->cu.cuDeviceTotalMem(&bytes, device->id);
	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self,
					     plaitp_cuda_number(self, device),
					     error, "cuDeviceTotalMem", code,
					     "");
	store_attributes(device, values);
	device->memory_bytes = bytes;
	snprintf(device->description, sizeof(device->description),
		 "%.72s, sm_%d, %d multiprocessors, driver of CUDA %d.%d%s",
		 name, device->arch, values[11], self->driver_version / 1000,
		 self->driver_version % 1000 / 10,
		 missing_nodes(self->driver_version));
	return PLAIT_OK;
}

/* --- list of devices ------------------------------------------------------ */

static plait_status refuse_empty(plait_backend *self, int count,
				 const char *wanted, plait_error *error)
{
	const char *visible =
		plaitp_driven_process_variable("CUDA_VISIBLE_DEVICES");

	return plaitp_driven_fail(
		self->services, error, PLAIT_E_UNAVAILABLE, 0,
		"cuda: none of the driver's %d devices%s%.60s matches the "
		"options%s%.60s", count,
		visible != NULL ? " with CUDA_VISIBLE_DEVICES=" : "",
		visible != NULL ? visible : "",
		wanted != NULL ? ": device=" : "",
		wanted != NULL ? wanted : "");
}

/* Other devices get their contexts at first use.  One in exclusive use of another
 * process shows that only when its context is created. */
static plait_status check_mode(plait_backend *self, struct cuda_device *device,
			       plait_error *error)
{
	uint32_t number = plaitp_cuda_number(self, device);
	plait_status status;

	if (device->mode == CU_COMPUTEMODE_PROHIBITED)
		return plaitp_driven_fail(
			self->services, error, PLAIT_E_UNAVAILABLE, 0,
			"cuda:%u: its compute mode prohibits contexts; "
			"nvidia-smi -c 0 allows them", number);
	if (device->mode == CU_COMPUTEMODE_DEFAULT)
		return PLAIT_OK;
	status = plaitp_cuda_enter(self, number, error);
	if (status == PLAIT_OK)
		plaitp_cuda_leave(self);
	return status;
}

/* Append the device if it matches the options; one that does not is no
 * error. */
static plait_status add(plait_backend *self, int ordinal,
			const struct cuda_options *options, plait_error *error)
{
	struct cuda_device *device = &self->devices[self->device_count];
	char name[NAME_BYTES] = "unknown";
	plait_status status;
	CUresult code;

	memset(device, 0, sizeof(*device));
	code = self->cu.cuDeviceGet(&device->id, ordinal);
	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self, (uint32_t)ordinal, error,
					     "cuDeviceGet", code, "");
	self->cu.cuDeviceGetName(name, sizeof(name), device->id);
	name[sizeof(name) - 1] = '\0';
	if (options->device != NULL && strstr(name, options->device) == NULL)
		return PLAIT_OK;
	status = query_attributes(self, device, name, error);
	if (status == PLAIT_OK)
		status = check_mode(self, device, error);
	if (status != PLAIT_OK) {
		plaitp_cuda_close_context(self, device);
		return status;
	}
	if (options->memory_bytes != 0)
		device->memory_bytes = options->memory_bytes;
	device->pool.budget_bytes = options->pool_bytes;
	self->device_count++;
	return PLAIT_OK;
}

/* Devices that are full, in use by another process alone, or broken. */
struct left_out {
	int count;
	plait_error first;
};

static void add_all(plait_backend *self, int count,
		    const struct cuda_options *options,
		    struct left_out *left_out)
{
	plait_error error;
	char line[400];
	int i;

	for (i = 0; i < count && self->device_count < CUDA_MAX_DEVICES; i++) {
		error = (plait_error){ .size = sizeof(error) };
		if (add(self, i, options, &error) == PLAIT_OK)
			continue;
		if (left_out->count++ == 0)
			left_out->first = error;
		snprintf(line, sizeof(line), "cuda: the driver's device %d is "
			 "left out: %.300s", i, error.text);
		self->services->log(self->host, PLAIT_LOG_WARNING, line);
	}
}

/* The report of the context has the reason, too. */
static void describe_left_out(plait_backend *self,
			      const struct left_out *left_out)
{
	struct cuda_device *last = &self->devices[self->device_count - 1];
	size_t used = strlen(last->description);
	const char *reason = strstr(left_out->first.text, ": ");

	reason = reason != NULL ? reason + 2 : left_out->first.text;
	if (left_out->count > 0)
		snprintf(last->description + used,
			 sizeof(last->description) - used,
			 "; %d of the driver's devices left out: %.100s",
			 left_out->count, reason);
}

static plait_status refuse_init(plait_backend *self, CUresult code,
				const char *driver, plait_error *error)
{
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_UNAVAILABLE, code,
		"cuda: cuInit of %.80s failed with %s (%d): %s", driver,
		plaitp_cuda_code_name(code), (int)code,
		plaitp_cuda_code_hint(code));
}

/* Add all usable devices.  Some that are not usable are a warning, none at all
 * is PLAIT_E_UNAVAILABLE with the first reason. */
static plait_status list_devices(plait_backend *self,
				 const struct cuda_options *options,
				 plait_error *error)
{
	struct left_out left_out = { .count = 0 };
	CUresult code = self->cu.cuInit(0);
	int count = 0;

	if (code == CUDA_SUCCESS)
		code = self->cu.cuDeviceGetCount(&count);
	else if (code != CUDA_ERROR_NO_DEVICE)
		return refuse_init(self, code, options->driver, error);
	if (code != CUDA_SUCCESS && code != CUDA_ERROR_NO_DEVICE)
		return plaitp_cuda_fail_call(self, 0, error,
					     "cuDeviceGetCount", code, "");
	add_all(self, count, options, &left_out);
	if (self->device_count == 0 && left_out.count > 0)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE,
					  left_out.first.origin,
					  "cuda: no device can be used: %s",
					  left_out.first.text);
	if (self->device_count == 0)
		return refuse_empty(self, count, options->device, error);
	describe_left_out(self, &left_out);
	return PLAIT_OK;
}

plait_status plaitp_cuda_open_devices(plait_backend *self,
				      const struct cuda_options *options,
				      plait_error *error)
{
	plait_status status = list_devices(self, options, error);

	if (status != PLAIT_OK)
		plaitp_cuda_close_devices(self);
	return status;
}

void plaitp_cuda_close_devices(plait_backend *self)
{
	uint32_t i;

	for (i = 0; i < self->device_count; i++) {
		plaitp_cuda_log_counts(self, &self->devices[i]);
		plaitp_cuda_close_context(self, &self->devices[i]);
	}
	self->device_count = 0;
}

/* --- slots ---------------------------------------------------------------- */

uint32_t plaitp_cuda_device_count(plait_backend *self)
{
	return self->device_count;
}

plait_status plaitp_cuda_device_query(plait_backend *self, uint32_t index,
				      plait_backend_device *out,
				      plait_error *error)
{
	const struct cuda_device *device = &self->devices[index];
	plait_backend_device known = {
		.size = sizeof(known),
		.capabilities = PLAIT_CAP_MAP | PLAIT_CAP_HOST_CALL |
				PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY |
				PLAIT_CAP_NATIVE | PLAIT_CAP_SEGMENT |
				PLAIT_CAP_ROWS | PLAIT_CAP_POLLS |
				PLAIT_CAP_IMAGE,
		.alignment_bytes = ALIGNMENT_BYTES,
		.submit_ns = SUBMIT_NS,
		.command_ns = COMMAND_NS,
		.hop_ns = HOP_NS
	};
	uint32_t bytes = out->size;

	if (index >= self->device_count)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_INVALID, 0,
					  "cuda: device %u of %u", index,
					  self->device_count);
	if (device->registers)
		known.capabilities |= PLAIT_CAP_WRAP;
	/* With graphs=strict the core asks for what is missing, and the run
	 * fails, instead of leaving regions to the host. */
	if (plaitp_cuda_has_regions(self) || self->strict)
		known.capabilities |= PLAIT_CAP_REGION;
	if (self->services->worker_count(self->host) == 0)
		known.capabilities |= PLAIT_CAP_NEEDS_PUMP;
	known.forms = 1u << PLAIT_SOURCE_CUDA_C | 1u << PLAIT_SOURCE_PTX |
		      1u << PLAIT_SOURCE_CUBIN;
	known.parallel = device->concurrent ? PARALLEL : 1;
	known.memory_bytes = device->memory_bytes;
	known.local_bytes = device->limits.local;
	memcpy(known.description, device->description,
	       sizeof(known.description));
	/* The core's record may be shorter (older) or longer (newer) than this
	 * one. */
	if (bytes == 0 || bytes > sizeof(known))
		bytes = sizeof(known);
	known.size = bytes;
	memcpy(out, &known, bytes);
	return PLAIT_OK;
}
