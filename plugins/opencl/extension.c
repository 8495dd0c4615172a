/* SPDX-License-Identifier: MIT */
/*
 * Extensions: versions of the devices, and functions, which the loader finds by
 * name.  Without a version there are no command buffers: the signatures of their
 * functions depend on it.
 *
 * On processors a buffer of few commands costs more than the commands, and so
 * does any that can be updated: as measured with Intel's runtime.
 */
#include <stddef.h>
#include <string.h>

#include "segment.h"

enum {
	MOST_EXTENSIONS = 512,
	VERSIONS_BYTES = 1024, /* names and versions of languages */
	LEAST_ON_HOST = 32 /* commands of a buffer */
};

/* --- command buffers ------------------------------------------------------ */

#define FUNCTION_NAME(name, parameters, arguments) \
	{ #name, offsetof(struct opencl_buffer_calls, name) },
#define OBJECT_NAME(type, name, parameters, arguments) \
	{ #name, offsetof(struct opencl_buffer_calls, name) },

static const struct {
	const char *name;
	size_t offset;
} functions[] = { OPENCL_BUFFER_CALLS(FUNCTION_NAME, OBJECT_NAME) };

/* Returns true if the platform has all but the last, which only devices that
 * can update commands need. */
static bool look_up(plait_backend *self, cl_platform_id platform)
{
	const size_t count = sizeof(functions) / sizeof(functions[0]);
	size_t i;

	for (i = 0; i < count; i++) {
		void *found = self->cl.clGetExtensionFunctionAddressForPlatform(
			platform, functions[i].name);

		if (found == NULL && i + 1 < count)
			return false;
		memcpy((char *)&self->buffers + functions[i].offset, &found,
		       sizeof(found));
	}
	return true;
}

static cl_uint version_of(const struct opencl_extension *all, size_t count,
			  const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strncmp(all[i].name, name, sizeof(all[i].name)) == 0)
			return all[i].version;
	return 0;
}

static bool is_between(cl_uint version, cl_uint least, cl_uint above)
{
	return version >= least && version < above;
}

static void adapt_updates(plait_backend *self, struct opencl_device *device,
			  cl_uint version)
{
	const cl_ulong known = OPENCL_UPDATE_ITEMS | OPENCL_UPDATE_GROUP |
			       OPENCL_UPDATE_ARGUMENTS;
	cl_ulong fields = 0;

	if (!is_between(version, OPENCL_VERSION(0, 9, 2),
			OPENCL_VERSION(2, 0, 0)) ||
	    self->buffers.clUpdateMutableCommandsKHR == NULL ||
	    self->cl.clGetDeviceInfo(device->id, OPENCL_MUTABLE_CAPABILITIES,
				     sizeof(fields), &fields, NULL) !=
		    CL_SUCCESS ||
	    (fields & OPENCL_UPDATE_ARGUMENTS) == 0)
		return;
	device->updatable = fields & known;
}

/* Queues of this backend are in-order, without other properties. */
static bool takes_queues(plait_backend *self,
			 const struct opencl_device *device)
{
	cl_ulong required = 0;

	return self->cl.clGetDeviceInfo(device->id,
					OPENCL_BUFFER_QUEUE_PROPERTIES,
					sizeof(required), &required, NULL) ==
		       CL_SUCCESS && required == 0;
}

static void adapt(plait_backend *self, struct opencl_device *device,
		  const struct opencl_extension *all, size_t count,
		  bool always)
{
	cl_uint version = version_of(all, count, "cl_khr_command_buffer");

	if (!is_between(version, OPENCL_VERSION(0, 9, 0),
			OPENCL_VERSION(2, 0, 0)) ||
	    !takes_queues(self, device))
		return;
	device->buffer_version = version;
	if (device->on_host && !always) {
		device->least_recorded = LEAST_ON_HOST;
		return;
	}
	adapt_updates(self, device,
		      version_of(all, count,
				 "cl_khr_command_buffer_mutable_dispatch"));
}

/* A device that does not tell its extensions has no command buffers.  `always`:
 * with segments=1. */
static void ask(plait_backend *self, struct opencl_device *device,
		bool always)
{
	struct opencl_extension *all;
	size_t bytes = 0, most = MOST_EXTENSIONS * sizeof(*all);

	if (self->cl.clGetDeviceInfo(device->id,
				     OPENCL_EXTENSIONS_WITH_VERSION, 0, NULL,
				     &bytes) != CL_SUCCESS ||
	    bytes == 0 || bytes > most)
		return;
	all = self->services->resize(self->host, NULL, 0, bytes);
	if (all == NULL)
		return;
	if (self->cl.clGetDeviceInfo(device->id,
				     OPENCL_EXTENSIONS_WITH_VERSION, bytes,
				     all, NULL) == CL_SUCCESS)
		adapt(self, device, all, bytes / sizeof(*all), always);
	self->services->resize(self->host, all, bytes, 0);
}

void plaitp_opencl_extension_find_buffers(plait_backend *self,
					  cl_platform_id platform,
					  bool always)
{
	uint32_t i;

	if (!look_up(self, platform))
		return;
	for (i = 0; i < self->device_count; i++)
		ask(self, &self->devices[i], always);
}

/* --- intermediate languages ----------------------------------------------- */

static bool takes_spirv(const plait_backend *self, cl_device_id device)
{
	char versions[VERSIONS_BYTES] = "";
	size_t bytes = 0;

	return self->cl.clGetDeviceInfo(device, OPENCL_IL_VERSION, 0, NULL,
					&bytes) == CL_SUCCESS &&
	       bytes > 0 && bytes < sizeof(versions) &&
	       self->cl.clGetDeviceInfo(device, OPENCL_IL_VERSION, bytes,
					versions, NULL) == CL_SUCCESS &&
	       strstr(versions, "SPIR-V") != NULL;
}

void plaitp_opencl_extension_find_il(plait_backend *self,
				     cl_platform_id platform)
{
	void *found = self->cl.clGetExtensionFunctionAddressForPlatform(
		platform, "clCreateProgramWithILKHR");
	uint32_t i;

	memcpy(&self->il.clCreateProgramWithILKHR, &found, sizeof(found));
	for (i = 0; i < self->device_count && found != NULL; i++)
		self->devices[i].takes_spirv =
			takes_spirv(self, self->devices[i].id);
}
