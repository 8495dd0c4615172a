/* SPDX-License-Identifier: MIT */
/* Settings of the user.  An invalid value is an error that names the key, never
 * replaced by a default. */
#include <string.h>

#include "opencl.h"

static const char *option(plait_backend *self, const char *key)
{
	return self->services->option(self->host, key);
}

static plait_status refuse(plait_backend *self, const char *key,
			   const char *text, const char *wanted,
			   plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_INVALID, 0,
				  "opencl: %s=%.60s: %s is wanted", key, text,
				  wanted);
}

static plait_status read_memory(plait_backend *self,
				struct opencl_options *out,
				plait_error *error)
{
	const char *text = option(self, "memory");

	if (text != NULL &&
	    (plaitp_driven_parse_bytes(text, &out->memory_bytes) != 0 ||
	     out->memory_bytes == 0))
		return refuse(self, "memory", text, "a number of bytes",
			      error);
	return PLAIT_OK;
}

static plait_status read_parts(plait_backend *self,
			       struct opencl_options *out, plait_error *error)
{
	const char *text = option(self, "split");
	uint64_t parts = 0;

	if (text != NULL &&
	    (plaitp_driven_parse_bytes(text, &parts) != 0 || parts < 2 ||
	     parts > OPENCL_MAX_PARTS))
		return refuse(self, "split", text,
			      "a number of parts from 2 to 64", error);
	out->parts = (uint32_t)parts;
	return PLAIT_OK;
}

/* The type of devices; all without the option. */
static plait_status read_type(plait_backend *self, struct opencl_options *out,
			      plait_error *error)
{
	static const struct {
		const char *name;
		cl_device_type type;
	} types[] = {
		{ "all", CL_DEVICE_TYPE_ALL },
		{ "cpu", CL_DEVICE_TYPE_CPU },
		{ "gpu", CL_DEVICE_TYPE_GPU },
		{ "accelerator", CL_DEVICE_TYPE_ACCELERATOR },
	};
	const char *text = option(self, "type");
	size_t i;

	out->type = CL_DEVICE_TYPE_ALL;
	if (text == NULL)
		return PLAIT_OK;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(text, types[i].name) == 0) {
			out->type = types[i].type;
			return PLAIT_OK;
		}
	return refuse(self, "type", text, "cpu, gpu, accelerator or all",
		      error);
}

static plait_status read_place(plait_backend *self, struct opencl_options *out,
			       plait_error *error)
{
	const char *text = option(self, "place");

	out->driver_memory = text != NULL && strcmp(text, "driver") == 0;
	if (text != NULL && !out->driver_memory && strcmp(text, "host") != 0)
		return refuse(self, "place", text, "host or driver", error);
	return PLAIT_OK;
}

static plait_status read_events(plait_backend *self,
				struct opencl_options *out,
				plait_error *error)
{
	const char *text = option(self, "events");

	out->each_event = text != NULL && strcmp(text, "all") == 0;
	if (text != NULL && !out->each_event && strcmp(text, "last") != 0)
		return refuse(self, "events", text, "last or all", error);
	return PLAIT_OK;
}

static plait_status read_warm(plait_backend *self, struct opencl_options *out,
			      plait_error *error)
{
	const char *text = option(self, "warm");

	out->warm = text != NULL && strcmp(text, "yes") == 0;
	out->no_warm = text != NULL && strcmp(text, "no") == 0;
	if (text != NULL && !out->warm && !out->no_warm)
		return refuse(self, "warm", text, "yes or no", error);
	return PLAIT_OK;
}

static plait_status read_wait(plait_backend *self, struct opencl_options *out,
			      plait_error *error)
{
	const char *text = option(self, "wait");

	out->wait_in_driver = text != NULL && strcmp(text, "driver") == 0;
	out->wait_outside = text != NULL && strcmp(text, "host") == 0;
	if (text != NULL && !out->wait_in_driver && !out->wait_outside)
		return refuse(self, "wait", text, "driver or host", error);
	return PLAIT_OK;
}

static plait_status read_segments(plait_backend *self,
				  struct opencl_options *out,
				  plait_error *error)
{
	const char *text = option(self, "segments");

	out->segments = text != NULL && strcmp(text, "yes") == 0;
	out->no_segments = text != NULL && strcmp(text, "no") == 0;
	if (text != NULL && !out->segments && !out->no_segments)
		return refuse(self, "segments", text, "yes or no", error);
	return PLAIT_OK;
}

plait_status plaitp_opencl_options(plait_backend *self,
				   struct opencl_options *out,
				   plait_error *error)
{
	plait_status status;

	memset(out, 0, sizeof(*out));
	out->platform = option(self, "platform");
	out->device = option(self, "device");
	out->loader = option(self, "loader");
	status = read_type(self, out, error);
	if (status == PLAIT_OK)
		status = read_parts(self, out, error);
	if (status == PLAIT_OK)
		status = read_memory(self, out, error);
	if (status == PLAIT_OK)
		status = read_place(self, out, error);
	if (status == PLAIT_OK)
		status = read_events(self, out, error);
	if (status == PLAIT_OK)
		status = read_warm(self, out, error);
	if (status == PLAIT_OK)
		status = read_wait(self, out, error);
	if (status == PLAIT_OK)
		status = read_segments(self, out, error);
	return status;
}
