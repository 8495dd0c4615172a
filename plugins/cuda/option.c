/* SPDX-License-Identifier: MIT */
/* Settings of the user.  An invalid value is an error that names the key, never
 * replaced by a default. */
#include <stdio.h>
#include <string.h>

#include "backend.h"

static const char bytes[] = "a number of bytes";

/* Default budget of each device's pool; default time between looks of a loop at
 * its stop word, and the most, in microseconds. */
enum {
	USUAL_POOL_BYTES = 256 << 20,
	USUAL_LOOK_US = 50,
	MOST_LOOK_US = 1000000
};

static const char *option(plait_backend *self, const char *key)
{
	return self->services->option(self->host, key);
}

static plait_status refuse(plait_backend *self, const char *key,
			   const char *value, const char *wanted,
			   plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_INVALID, 0,
				  "cuda: %s=%.60s: %s is wanted", key, value,
				  wanted);
}

/* *out: the option has the value `other`, not "usual". */
static plait_status choose(plait_backend *self, const char *key,
			   const char *other, bool *out, plait_error *error)
{
	const char *value = option(self, key);
	char wanted[32];

	*out = value != NULL && strcmp(value, other) == 0;
	if (value == NULL || *out || strcmp(value, "usual") == 0)
		return PLAIT_OK;
	(void)snprintf(wanted, sizeof(wanted), "%.16s or usual", other);
	return refuse(self, key, value, wanted, error);
}

static plait_status choose_callbacks(plait_backend *self,
				     struct cuda_options *out,
				     plait_error *error)
{
	const char *value = option(self, "callbacks");

	out->pilots_each = value != NULL && strcmp(value, "each") == 0;
	out->pilots_direct = value != NULL && strcmp(value, "direct") == 0;
	if (value == NULL || out->pilots_each || out->pilots_direct ||
	    strcmp(value, "usual") == 0)
		return PLAIT_OK;
	return refuse(self, "callbacks", value, "each, direct or usual",
		      error);
}

/* Read digits, in microseconds. */
static plait_status read_look(plait_backend *self, uint32_t *out_ns,
			      plait_error *error)
{
	const char *text = option(self, "look");
	uint64_t number = USUAL_LOOK_US;

	if (text != NULL && (plaitp_driven_parse_bytes(text, &number) != 0 ||
			     number > MOST_LOOK_US))
		return refuse(self, "look", text, "0 to 1000000 (microseconds)",
			      error);
	*out_ns = (uint32_t)number * 1000;
	return PLAIT_OK;
}

plait_status plaitp_cuda_options(plait_backend *self, struct cuda_options *out,
				 plait_error *error)
{
	const char *memory = option(self, "memory");
	const char *pool = option(self, "pool");
	plait_status status;

	memset(out, 0, sizeof(*out));
	out->device = option(self, "device");
	out->nvrtc = option(self, "nvrtc");
	out->driver = option(self, "driver");
	if (out->driver == NULL)
		out->driver = "libcuda.so.1";
	out->pool_bytes = USUAL_POOL_BYTES;
	if (memory != NULL &&
	    (plaitp_driven_parse_bytes(memory, &out->memory_bytes) != 0 ||
	     out->memory_bytes == 0))
		return refuse(self, "memory", memory, bytes, error);
	if (pool != NULL &&
	    plaitp_driven_parse_bytes(pool, &out->pool_bytes) != 0)
		return refuse(self, "pool", pool, bytes, error);
	status = choose(self, "graphs", "strict", &out->strict, error);
	if (status == PLAIT_OK)
		status = choose(self, "fills", "calls", &out->fills_by_calls,
				error);
	if (status == PLAIT_OK)
		status = choose(self, "marks", "each", &out->marks_each,
				error);
	if (status == PLAIT_OK)
		status = choose_callbacks(self, out, error);
	if (status == PLAIT_OK)
		status = choose(self, "copies", "alone", &out->copies_alone,
				error);
	if (status == PLAIT_OK)
		status = read_look(self, &out->look_ns, error);
	return status;
}
