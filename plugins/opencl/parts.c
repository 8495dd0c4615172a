/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices.  A PoCL thread that has reported the end of the last event
 * releases the event, and with it the queue, and then reads the device of the
 * queue.  The queue holds no reference to a sub-device, which may be freed by
 * then (seen with 3.1).  Sub-devices of PoCL are therefore kept for the life of
 * the process and used again.
 */
#include <string.h>

#include "opencl.h"

enum { KEPT = 16 };

/* All sub-devices of one split of a device. */
struct kept {
	cl_device_id whole;
	uint32_t parts;
	cl_uint count;
	cl_device_id ids[OPENCL_MAX_PARTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept kept_parts[KEPT];
static uint32_t kept_parts_count;

static bool is_pocl(const plait_backend *self, cl_platform_id platform)
{
	char name[64] = "";

	return self->cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME,
					  sizeof(name) - 1, name,
					  NULL) == CL_SUCCESS &&
	       strcmp(name, "Portable Computing Language") == 0;
}

/* Caller holds the lock. */
static struct kept *find(cl_device_id whole, uint32_t parts)
{
	uint32_t i;

	for (i = 0; i < kept_parts_count; i++)
		if (kept_parts[i].whole == whole &&
		    kept_parts[i].parts == parts)
			return &kept_parts[i];
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

/* Caller holds the lock.  Returns null if the table is full, or if *code is an
 * error. */
static struct kept *make_kept(const plait_backend *self, cl_device_id whole,
			      uint32_t parts, cl_uint units, cl_int *code)
{
	struct kept *kept = &kept_parts[kept_parts_count];

	*code = CL_SUCCESS;
	if (kept_parts_count == KEPT)
		return NULL;
	*code = make(self, whole, units, kept->ids, &kept->count);
	if (*code != CL_SUCCESS)
		return NULL;
	kept->whole = whole;
	kept->parts = parts;
	kept_parts_count++;
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
	/* Entries are immutable once added. */
	*keep = true;
	*count = kept->count;
	memcpy(ids, kept->ids, kept->count * sizeof(*ids));
	return CL_SUCCESS;
}
