/* SPDX-License-Identifier: MIT */
/*
 * Parts of devices.  A thread of PoCL that has told the end of the last event
 * gives back the event, with it the queue, and looks into the queue's device:
 * but no queue holds a part of a device, so that may be gone by then (seen with
 * 3.1).  So the parts of its devices are kept as long as the process lives, and
 * used again.
 */
#include <string.h>

#include "opencl.h"

enum { KEPT = 16 };

/* All that was made from one device, for so many parts. */
struct kept {
	cl_device_id whole;
	uint32_t parts;
	cl_uint count;
	cl_device_id ids[OPENCL_MAX_PARTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept all[KEPT];
static uint32_t all_count;

static bool is_pocl(const plait_backend *self, cl_platform_id platform)
{
	char name[64] = "";

	return self->cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME,
					  sizeof(name) - 1, name,
					  NULL) == CL_SUCCESS &&
	       strcmp(name, "Portable Computing Language") == 0;
}

/* The lock is held. */
static struct kept *find(cl_device_id whole, uint32_t parts)
{
	uint32_t i;

	for (i = 0; i < all_count; i++)
		if (all[i].whole == whole && all[i].parts == parts)
			return &all[i];
	return NULL;
}

static cl_int make(const plait_backend *self, cl_device_id whole, cl_uint units,
		   cl_device_id *ids, cl_uint *count)
{
	const cl_device_partition_property how[] = {
		CL_DEVICE_PARTITION_EQUALLY,
		(cl_device_partition_property)units, 0
	};

	return self->cl.clCreateSubDevices(whole, how, OPENCL_MAX_PARTS, ids,
					   count);
}

/* The lock is held; null: there is no room, or *code says what went wrong. */
static struct kept *make_kept(const plait_backend *self, cl_device_id whole,
			      uint32_t parts, cl_uint units, cl_int *code)
{
	struct kept *kept = &all[all_count];

	*code = CL_SUCCESS;
	if (all_count == KEPT)
		return NULL;
	*code = make(self, whole, units, kept->ids, &kept->count);
	if (*code != CL_SUCCESS)
		return NULL;
	kept->whole = whole;
	kept->parts = parts;
	all_count++;
	return kept;
}

cl_int plaitp_opencl_make_parts(const plait_backend *self,
				cl_platform_id platform, cl_device_id whole,
				uint32_t parts, cl_uint units,
				cl_device_id *ids, cl_uint *count, bool *keep)
{
	struct kept *kept = NULL;
	cl_int code = CL_SUCCESS;

	*keep = false;
	if (is_pocl(self, platform)) {
		pthread_mutex_lock(&lock);
		kept = find(whole, parts);
		if (kept == NULL)
			kept = make_kept(self, whole, parts, units, &code);
		pthread_mutex_unlock(&lock);
	}
	if (code != CL_SUCCESS)
		return code;
	if (kept == NULL)
		return make(self, whole, units, ids, count);
	/* From here on nobody changes it. */
	*keep = true;
	*count = kept->count;
	memcpy(ids, kept->ids, kept->count * sizeof(*ids));
	return CL_SUCCESS;
}
