/* SPDX-License-Identifier: MIT */
/*
 * Platforms, devices, sub-devices and the context they share.  A backend has
 * the devices of one platform: events and memory belong to a context, and a
 * context cannot span platforms.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "driven/process_state.h"

enum { MAX_PLATFORMS = 16, NAME_BYTES = 128 };

/* Estimated costs for the planner; not measured. */
enum { SUBMIT_NS = 1000, COMMAND_NS = 1000, HOP_NS = 2000 };

/* Minimum alignment: for vector instructions, which no driver promises. */
enum { LEAST_ALIGNMENT_BYTES = 64 };

static const char no_place[] = "";

static bool fits(const char *name, const char *part)
{
	return part == NULL || strstr(name, part) != NULL;
}

/* --- platforms ------------------------------------------------------------ */

/* Count the drivers registered in a folder. */
static unsigned count_drivers(const char *folder)
{
	DIR *open = opendir(folder);
	const struct dirent *entry;
	unsigned count = 0;

	while (open != NULL && (entry = readdir(open)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		count += dot != NULL && strcmp(dot, ".icd") == 0;
	}
	if (open != NULL)
		closedir(open);
	return count;
}

static plait_status refuse_empty(plait_backend *self, const char *loader,
				 plait_error *error)
{
	const char *vendors = plaitp_driven_process_variable("OCL_ICD_VENDORS");
	const char *folder = vendors != NULL ? vendors : "/etc/OpenCL/vendors";
	unsigned count = count_drivers(folder);
	char found[64] = "is";

	if (count > 0)
		snprintf(found, sizeof(found), "works of the %u", count);
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNAVAILABLE,
				  0, "opencl: %.60s finds no platform: no "
				  "driver %s registered in %s%.80s; Debian has "
				  "one for CPUs in pocl-opencl-icd", loader,
				  found,
				  vendors != NULL ? "OCL_ICD_VENDORS=" : "",
				  folder);
}

static plait_status list_platforms(plait_backend *self, const char *loader,
				   cl_platform_id *out, cl_uint *out_count,
				   plait_error *error)
{
	cl_int code = self->cl.clGetPlatformIDs(MAX_PLATFORMS, out, out_count);

	if (code == -1001 || (code == CL_SUCCESS && *out_count == 0))
		return refuse_empty(self, loader, error);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clGetPlatformIDs", code,
					       no_place);
	if (*out_count > MAX_PLATFORMS)
		*out_count = MAX_PLATFORMS;
	return PLAIT_OK;
}

static void name_platform(plait_backend *self, cl_platform_id platform,
			  cl_platform_info key, char name[NAME_BYTES])
{
	memset(name, 0, NAME_BYTES);
	if (self->cl.clGetPlatformInfo(platform, key, NAME_BYTES - 1, name,
				       NULL) != CL_SUCCESS)
		snprintf(name, NAME_BYTES, "unknown");
}

/* --- devices -------------------------------------------------------------- */

static plait_status ask(plait_backend *self, cl_device_id id,
			cl_device_info key, void *out, size_t bytes,
			plait_error *error)
{
	cl_int code = self->cl.clGetDeviceInfo(id, key, bytes, out, NULL);

	if (code == CL_SUCCESS)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error,
				       "clGetDeviceInfo", code, no_place);
}

static void name_device(plait_backend *self, cl_device_id id,
			cl_device_info key, char name[NAME_BYTES])
{
	memset(name, 0, NAME_BYTES);
	if (self->cl.clGetDeviceInfo(id, key, NAME_BYTES - 1, name, NULL) !=
	    CL_SUCCESS)
		snprintf(name, NAME_BYTES, "unknown");
}

/* Query limits and type of the device. */
static plait_status query_limits(plait_backend *self,
				 struct opencl_device *device,
				 plait_error *error)
{
	cl_uint units = 0, align_bits = 0;
	cl_ulong all_bytes = 0, largest_bytes = 0, local_bytes = 0;
	cl_device_type type = 0;
	cl_device_id id = device->id;
	plait_status status;

	if ((status = ask(self, id, CL_DEVICE_MAX_COMPUTE_UNITS, &units,
			  sizeof(units), error)) ||
	    (status = ask(self, id, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
			  &align_bits, sizeof(align_bits), error)) ||
	    (status = ask(self, id, CL_DEVICE_GLOBAL_MEM_SIZE, &all_bytes,
			  sizeof(all_bytes), error)) ||
	    (status = ask(self, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
			  &largest_bytes, sizeof(largest_bytes), error)) ||
	    (status = ask(self, id, CL_DEVICE_LOCAL_MEM_SIZE, &local_bytes,
			  sizeof(local_bytes), error)) ||
	    (status = ask(self, id, CL_DEVICE_IMAGE_SUPPORT,
			  &device->has_images, sizeof(device->has_images),
			  error)) ||
	    (status = ask(self, id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
			  &device->group_max, sizeof(device->group_max),
			  error)) ||
	    (status = ask(self, id, CL_DEVICE_TYPE, &type, sizeof(type),
			  error)))
		return status;
	device->parallel = units != 0 ? units : 1;
	device->alignment_bytes = LEAST_ALIGNMENT_BYTES;
	while (device->alignment_bytes < align_bits / 8)
		device->alignment_bytes *= 2;
	device->memory_bytes = all_bytes;
	device->local_bytes = local_bytes;
	device->largest_bytes = largest_bytes;
	device->on_host = (type & CL_DEVICE_TYPE_CPU) != 0;
	return PLAIT_OK;
}

static void describe(plait_backend *self, struct opencl_device *device,
		     cl_platform_id platform, uint32_t part, uint32_t parts)
{
	char name[NAME_BYTES], driver[NAME_BYTES], version[NAME_BYTES];
	char which[48] = "";

	name_device(self, device->id, CL_DEVICE_NAME, name);
	name_device(self, device->id, CL_DRIVER_VERSION, driver);
	name_platform(self, platform, CL_PLATFORM_VERSION, version);
	if (parts > 0)
		snprintf(which, sizeof(which), ", part %u of %u", part + 1,
			 parts);
	snprintf(device->description, sizeof(device->description),
		 "%.100s, %u compute units, driver %.40s, %.60s%s", name,
		 device->parallel, driver, version, which);
}

static plait_status add(plait_backend *self, cl_platform_id platform,
			cl_device_id id, uint32_t part, uint32_t parts,
			plait_error *error)
{
	struct opencl_device *device = &self->devices[self->device_count];
	plait_status status;

	memset(device, 0, sizeof(*device));
	device->id = id;
	device->is_part = parts > 0;
	/* From here on plaitp_opencl_close_devices releases it. */
	self->device_count++;
	status = query_limits(self, device, error);
	if (status == PLAIT_OK)
		describe(self, device, platform, part, parts);
	return status;
}

/* Add the parts of one device as devices, with `split`.  Parts beyond `parts`,
 * or behind a failure, are released unless the process keeps them. */
static plait_status add_parts(plait_backend *self, cl_platform_id platform,
			      cl_device_id id, uint32_t parts,
			      plait_error *error)
{
	cl_device_id ids[OPENCL_MAX_PARTS];
	plait_status status = PLAIT_OK;
	const uint32_t memory = self->device_count + 1; /* of all parts */
	cl_uint units = 0, made = 0, i;
	char name[NAME_BYTES];
	bool keep;
	cl_int code;

	status = ask(self, id, CL_DEVICE_MAX_COMPUTE_UNITS, &units,
		     sizeof(units), error);
	if (status != PLAIT_OK)
		return status;
	name_device(self, id, CL_DEVICE_NAME, name);
	if (units < parts ||
	    self->device_count + parts > OPENCL_MAX_DEVICES)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "opencl: split=%u: %.80s has %u "
					  "compute units", parts, name,
					  (unsigned)units);
	code = plaitp_opencl_make_parts(self, platform, id, parts,
					units / parts, ids, &made, &keep);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clCreateSubDevices", code,
					       name);
	for (i = 0; i < made; i++) {
		if (i < parts && status == PLAIT_OK) {
			status = add(self, platform, ids[i], i, parts, error);
			self->devices[self->device_count - 1].kept = keep;
			self->devices[self->device_count - 1].memory = memory;
		} else if (!keep) {
			self->cl.clReleaseDevice(ids[i]);
		}
	}
	return status;
}

/* Add the matching devices of one platform.  None is no error. */
static plait_status add_devices(plait_backend *self, cl_platform_id platform,
				const struct opencl_options *options,
				plait_error *error)
{
	cl_device_id ids[OPENCL_MAX_DEVICES];
	plait_status status = PLAIT_OK;
	char name[NAME_BYTES];
	cl_uint count = 0, i;
	cl_int code;

	code = self->cl.clGetDeviceIDs(platform, options->type,
				       OPENCL_MAX_DEVICES, ids, &count);
	if (code == CL_DEVICE_NOT_FOUND)
		return PLAIT_OK;
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clGetDeviceIDs", code,
					       no_place);
	for (i = 0; i < count && i < OPENCL_MAX_DEVICES &&
	     status == PLAIT_OK; i++) {
		name_device(self, ids[i], CL_DEVICE_NAME, name);
		if (!fits(name, options->device))
			continue;
		if (options->parts > 0)
			status = add_parts(self, platform, ids[i],
					   options->parts, error);
		else
			status = add(self, platform, ids[i], 0, 0, error);
	}
	return status;
}

/* Append a name to a list in a text. */
static void list_name(char *text, size_t room, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, room - used, "%s%.40s", used > 0 ? ", " : "",
		 name);
}

/* PoCL compiles a kernel for each work-group size that it meets. */
#define LAZY_PLATFORM "Portable Computing Language"

/* Adapt to the platform and its devices, of which there is one at least.  PoCL's
 * threads run all commands; on processors those of some other drivers include
 * the threads that wait.  PoCL enqueues the commands of a command buffer one by
 * one, which costs more than to do so outside. */
static void adapt(plait_backend *self, const struct opencl_options *options,
		  cl_platform_id id, const char *platform)
{
	bool lazy = strcmp(platform, LAZY_PLATFORM) == 0;
	bool on_host = true;
	uint32_t i;

	self->compiles_lazily = options->warm || (!options->no_warm && lazy);
	for (i = 0; i < self->device_count; i++)
		on_host = on_host && self->devices[i].on_host;
	self->driven.waits_in_driver = options->wait_in_driver ||
				       (!options->wait_outside && !lazy &&
					on_host);
	plaitp_opencl_extension_find_il(self, id);
	if (options->segments || (!options->no_segments && !lazy))
		plaitp_opencl_extension_find_buffers(self, id,
						     options->segments);
}

/* Choose the first platform that has a matching device.  All devices are of
 * that one, because a context cannot span platforms. */
static plait_status choose(plait_backend *self,
			   const struct opencl_options *options,
			   plait_error *error)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	char seen[100] = "", name[NAME_BYTES];
	plait_status status;
	cl_uint count = 0, i;

	status = list_platforms(self, options->loader != NULL ?
				options->loader : plaitp_opencl_default_loader,
				platforms, &count, error);
	for (i = 0; i < count && status == PLAIT_OK; i++) {
		name_platform(self, platforms[i], CL_PLATFORM_NAME, name);
		list_name(seen, sizeof(seen), name);
		if (!fits(name, options->platform))
			continue;
		status = add_devices(self, platforms[i], options, error);
		if (status == PLAIT_OK)
			adapt(self, options, platforms[i], name);
		if (status != PLAIT_OK || self->device_count > 0)
			return status;
	}
	if (status != PLAIT_OK)
		return status;
	if (options->platform == NULL && options->device == NULL &&
	    options->type == CL_DEVICE_TYPE_ALL)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "opencl: the platforms %s have no "
					  "device", seen);
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNAVAILABLE,
				  0, "opencl: no device of the platforms %s "
				  "matches platform=%.30s, device=%.30s and "
				  "type", seen,
				  options->platform ? options->platform : "",
				  options->device ? options->device : "");
}

/* --- the context ---------------------------------------------------------- */

/* The one context of all devices, and a queue of each for maps.  After a
 * failure the caller closes what was made. */
static plait_status create_context(plait_backend *self, plait_error *error)
{
	cl_device_id ids[OPENCL_MAX_DEVICES];
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i < self->device_count; i++)
		ids[i] = self->devices[i].id;
	self->context = self->cl.clCreateContext(NULL, self->device_count, ids,
						 NULL, NULL, &code);
	if (self->context == NULL)
		return plaitp_opencl_fail_call(self->services, error,
					       "clCreateContext", code,
					       no_place);
	for (i = 0; i < self->device_count; i++) {
		struct opencl_device *device = &self->devices[i];

		device->map_queue = self->cl.clCreateCommandQueue(
			self->context, device->id, 0, &code);
		if (device->map_queue == NULL)
			return plaitp_opencl_fail_call(self->services, error,
						       "clCreateCommandQueue",
						       code, no_place);
	}
	return PLAIT_OK;
}

plait_status plaitp_opencl_open_devices(plait_backend *self,
					const struct opencl_options *options,
					plait_error *error)
{
	plait_status status = choose(self, options, error);
	uint32_t i;

	if (status == PLAIT_OK)
		status = create_context(self, error);
	self->driver_memory = options->driver_memory;
	self->each_event = options->each_event;
	for (i = 0; i < self->device_count; i++)
		if (options->memory_bytes != 0)
			self->devices[i].memory_bytes = options->memory_bytes;
	if (status != PLAIT_OK)
		plaitp_opencl_close_devices(self);
	return status;
}

void plaitp_opencl_close_devices(plait_backend *self)
{
	uint32_t i;

	for (i = 0; i < self->device_count; i++)
		if (self->devices[i].map_queue != NULL)
			self->cl.clReleaseCommandQueue(
				self->devices[i].map_queue);
	plaitp_opencl_samplers_release(self);
	if (self->context != NULL)
		self->cl.clReleaseContext(self->context);
	for (i = 0; i < self->device_count; i++)
		if (self->devices[i].is_part && !self->devices[i].kept)
			self->cl.clReleaseDevice(self->devices[i].id);
	self->context = NULL;
	self->device_count = 0;
}

/* --- slots ---------------------------------------------------------------- */

uint32_t plaitp_opencl_device_count(plait_backend *self)
{
	return self->device_count;
}

/* Memory that is used in place is the host's, whichever processor has it: a command copies
 * its bytes once.  What drivers do elsewhere, and how fast, OpenCL does not tell. */
plait_status plaitp_opencl_link_query(plait_backend *self, uint32_t from,
				      uint32_t to, plait_link_info *out,
				      plait_error *error)
{
	(void)error;
	if (from != PLAIT_LINK_HOST && to != PLAIT_LINK_HOST &&
	    !self->driver_memory && self->devices[from].on_host &&
	    self->devices[to].on_host)
		out->flags |= PLAIT_LINK_DIRECT;
	return PLAIT_OK;
}

plait_status plaitp_opencl_device_query(plait_backend *self, uint32_t index,
					plait_backend_device *out,
					plait_error *error)
{
	const struct opencl_device *device = &self->devices[index];
	plait_backend_device known = {
		.size = sizeof(known),
		.capabilities = PLAIT_CAP_MAP | PLAIT_CAP_HOST_CALL |
				PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY |
				PLAIT_CAP_NATIVE | PLAIT_CAP_ROWS,
		.submit_ns = SUBMIT_NS,
		.command_ns = COMMAND_NS,
		.hop_ns = HOP_NS
	};
	uint32_t bytes = out->size;

	if (index >= self->device_count)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_INVALID, 0,
					  "opencl: device %u of %u", index,
					  self->device_count);
	if (device->on_host)
		known.capabilities |= PLAIT_CAP_WRAP;
	/* PoCL 3.1 ends the process at a command of an image on a part. */
	if (device->has_images && !device->is_part)
		known.capabilities |= PLAIT_CAP_IMAGE;
	if (device->buffer_version != 0)
		known.capabilities |= PLAIT_CAP_SEGMENT;
	if (self->services->worker_count(self->host) == 0)
		known.capabilities |= PLAIT_CAP_NEEDS_PUMP;
	known.forms = 1u << PLAIT_SOURCE_OPENCL_C |
		      1u << PLAIT_SOURCE_OPENCL_BINARY;
	if (device->takes_spirv)
		known.forms |= 1u << PLAIT_SOURCE_SPIRV;
	known.parallel = device->parallel;
	known.memory = device->memory;
	known.memory_bytes = device->memory_bytes;
	known.alignment_bytes = device->alignment_bytes;
	known.local_bytes = device->local_bytes;
	known.in_order_segments = 1;
	known.repeats = 1;
	snprintf(known.description, sizeof(known.description), "%.200s%s",
		 device->description, device->buffer_version == 0 ? "" :
		 device->updatable == 0 ? ", command buffers" :
		 ", mutable command buffers");
	/* The core's record may be shorter (older) or longer (newer) than this
	 * one. */
	if (bytes == 0 || bytes > sizeof(known))
		bytes = sizeof(known);
	known.size = bytes;
	memcpy(out, &known, bytes);
	return PLAIT_OK;
}
