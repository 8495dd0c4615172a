/* SPDX-License-Identifier: MIT */
/* Lookup of a context's devices by index and by name. */
#include "object/context/device_lookup.h"

#include "base/error.h"
#include "base/spelling_hint.h"

#include <string.h>

PLAIT_API plait_status plait_context_device_count(plait_context *context,
						  uint32_t *out_count,
						  plait_error *error)
{
	plait__context *self;
	plait_status status;

	if (out_count != NULL)
		*out_count = 0;
	status = plait__context_enter(context, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out_count != NULL)
		*out_count = self->device_count;
	else
		status = plait__fail(error, PLAIT_E_INVALID,
				     "out_count is null");
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_context_device(plait_context *context,
					    uint32_t index, plait_device **out,
					    plait_error *error)
{
	plait__context *self;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__context_enter(context, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else if (index >= self->device_count)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "device %u asked, there are %u",
				     (unsigned)index,
				     (unsigned)self->device_count);
	else
		*out = plait__object_handle(&self->devices[index].object);
	plait__object_leave(&self->object);
	return status;
}

plait__device *plait__device_find(plait__context *context, const char *name)
{
	uint32_t i;

	for (i = 0; i < context->device_count; i++) {
		plait__device *device = &context->devices[i];

		if (strcmp(device->object.label, name) == 0 ||
		    strcmp(device->port->backend->name, name) == 0)
			return device;
	}
	return NULL;
}

/* Returns true if the backend in a name such as "opencl:0" is open, or if the
 * name has none. */
static bool is_open(const plait__context *context, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t length = colon != NULL ? (size_t)(colon - name) : 0;

	for (uint32_t i = 0; colon != NULL && i < context->port_count; i++) {
		const char *open = context->ports[i].backend->name;

		if (strncmp(open, name, length) == 0 && open[length] == '\0')
			return true;
	}
	return colon == NULL;
}

static plait_status fail_unknown(plait__context *context, const char *name,
				 plait_error *error)
{
	plait__spelling_hint choices;
	uint32_t i;

	plait__spelling_hint_init(&choices, name);
	for (i = 0; i < context->device_count; i++)
		plait__spelling_hint_add(&choices,
					 context->devices[i].object.label);
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "device \"%.40s\" does not exist%s%s; there are %s",
			   name, is_open(context, name) ? "" :
			   ": its backend is not open, PLAIT_BACKEND says "
			   "which are", plait__spelling_hint_text(&choices),
			   plait__spelling_hint_list(&choices));
}

PLAIT_API plait_status plait_context_find_device(plait_context *context,
						 const char *name,
						 plait_device **out,
						 plait_error *error)
{
	plait__context *self;
	plait__device *found;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__context_enter(context, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (name == NULL || out == NULL) {
		status = plait__fail(error, PLAIT_E_INVALID, "%s is null",
				     name == NULL ? "name" : "out");
	} else {
		found = plait__device_find(self, name);
		if (found != NULL)
			*out = plait__object_handle(&found->object);
		else
			status = fail_unknown(self, name, error);
	}
	plait__object_leave(&self->object);
	return status;
}
