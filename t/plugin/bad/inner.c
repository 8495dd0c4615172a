/* SPDX-License-Identifier: MIT */
/* No sin: an interposer that signs the description of devices. */
#include "good.h"

struct wrapper {
	plait_host *host;
	const plait_host_services *services;
	const plait_backend_table *table;
	plait_backend *inner;
};

static plait_status wrap(plait_host *host, const plait_host_services *services,
			 const plait_backend_table *inner_table,
			 plait_backend *inner, plait_backend **out,
			 plait_error *error)
{
	struct wrapper *wrapper;

	wrapper = services->resize(host, NULL, 0, sizeof(*wrapper));
	if (wrapper == NULL)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "inner: no memory");
	wrapper->host = host;
	wrapper->services = services;
	wrapper->table = inner_table;
	wrapper->inner = inner;
	*out = (plait_backend *)(void *)wrapper;
	return PLAIT_OK;
}

static void close_both(plait_backend *self)
{
	struct wrapper *wrapper = (void *)self;

	wrapper->table->close(wrapper->inner);
	wrapper->services->resize(wrapper->host, wrapper, sizeof(*wrapper), 0);
}

static uint32_t count(plait_backend *self)
{
	struct wrapper *wrapper = (void *)self;

	return wrapper->table->device_count(wrapper->inner);
}

static plait_status query(plait_backend *self, uint32_t device,
			  plait_backend_device *out, plait_error *error)
{
	struct wrapper *wrapper = (void *)self;
	plait_status status;

	status = wrapper->table->device_query(wrapper->inner, device, out,
					      error);
	memcpy(out->description, "inner", sizeof("inner") - 1);
	return status;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "inner");
	table->flags = PLAIT_PLUGIN_INTERPOSER;
	table->open = NULL;
	table->wrap = wrap;
	table->close = close_both;
	table->device_count = count;
	table->device_query = query;
	return PLAIT_OK;
}
