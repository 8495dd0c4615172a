/* SPDX-License-Identifier: MIT */
/* The user's settings.  What cannot be understood is an error that names the
 * key, never a default. */
#include <string.h>

#include "backend.h"

static const char *option(plait_backend *self, const char *key)
{
	return self->services->option(self->host, key);
}

plait_status plaitp_cuda_options(plait_backend *self, struct cuda_options *out,
				 plait_error *error)
{
	const char *memory = option(self, "memory");

	memset(out, 0, sizeof(*out));
	out->device = option(self, "device");
	out->nvrtc = option(self, "nvrtc");
	out->driver = option(self, "driver");
	if (out->driver == NULL)
		out->driver = "libcuda.so.1";
	if (memory == NULL ||
	    (plaitp_driven_parse(memory, &out->memory_bytes) == 0 &&
	     out->memory_bytes != 0))
		return PLAIT_OK;
	return plaitp_driven_fail(self->services, error, PLAIT_E_INVALID, 0,
				  "cuda: memory=%.60s: a number of bytes is "
				  "wanted", memory);
}
