/* SPDX-License-Identifier: MIT */
/*
 * Opening, wrapping and closing of backends. Results of slots are checked
 * before use, and their texts are copied, never kept.
 */
#include "plugin/instance.h"

#include "plugin/defaults.h"
#include "plugin/canary.h"
#include "plugin/guarded_error.h"
#include "plugin/load.h"
#include "plugin/services.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* An open instance: the backend, or an interposer around it. */
struct plait__layer {
	plait_backend_table table; /* an interposer keeps a pointer to it */
	plait_backend *self;
	struct plait_host host;
};

/* A device record for a plugin, followed by a canary. */
struct guarded_device {
	plait_backend_device record;
	unsigned char canary[PLAIT__CANARY_BYTES];
};

/* --- devices */

/* The core maps the memory of a host device for good and calls host
 * functions there. */
static bool can_be_host(const plait_backend_device *device)
{
	const uint32_t needed = PLAIT_CAP_MAP | PLAIT_CAP_HOST_CALL;

	return (device->capabilities & needed) == needed &&
	       device->forms == 0;
}

static plait_status check_device(const struct plait__layer *layer,
				 uint32_t index,
				 const plait_backend_device *device,
				 plait_error *error)
{
	const char *name = layer->table.name;
	uint64_t alignment = device->alignment_bytes;
	const char *gap;

	if (memchr(device->description, '\0',
		   sizeof(device->description)) == NULL)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: the description of device %u "
				   "has no NUL within %zu bytes", name, index,
				   sizeof(device->description));
	if (device->parallel == 0)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: device %u runs 0 commands at a "
				   "time; at least 1 is needed", name, index);
	if (alignment == 0 || (alignment & (alignment - 1)) != 0)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: device %u aligns to %llu "
				   "bytes, which is not a power of two", name,
				   index, (unsigned long long)alignment);
	gap = plait__defaults_find_gap(&layer->table, device->capabilities,
				       device->forms);
	if (gap != NULL)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: device %u has capabilities "
				   "0x%x and takes forms 0x%x, but slot %s is "
				   "null", name, index, device->capabilities,
				   device->forms, gap);
	if ((device->capabilities & PLAIT_CAP_HOST) != 0 &&
	    !can_be_host(device))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: device %u says that it is the "
				   "host, but has capabilities 0x%x and takes "
				   "forms 0x%x; it would need 0x%x and 0", name,
				   index, device->capabilities, device->forms,
				   PLAIT_CAP_MAP | PLAIT_CAP_HOST_CALL);
	return PLAIT_OK;
}

/* Clear bits of later interface versions; keep texts on one line. */
static void sanitize_device(plait_backend_device *device)
{
	const uint32_t known = PLAIT_CAP_MAP | PLAIT_CAP_WRAP |
			       PLAIT_CAP_HOST_CALL | PLAIT_CAP_GATE |
			       PLAIT_CAP_NOTIFY | PLAIT_CAP_NEEDS_PUMP |
			       PLAIT_CAP_VIRTUAL_TIME | PLAIT_CAP_NATIVE |
			       PLAIT_CAP_SEGMENT | PLAIT_CAP_ROWS |
			       PLAIT_CAP_REGION | PLAIT_CAP_LASTS |
			       PLAIT_CAP_HOST | PLAIT_CAP_POLLS |
			       PLAIT_CAP_IMAGE;
	const uint32_t forms = (2U << PLAIT_SOURCE_CUBIN) - 2;
	char *c;

	device->size = sizeof(*device);
	device->capabilities &= known;
	device->forms &= forms;
	for (c = device->description; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
}

static plait_status query_device(struct plait__layer *layer, uint32_t index,
				 plait_backend_device *out,
				 plait_error *error)
{
	const char *name = layer->table.name;
	struct guarded_device device;
	plait__guarded_error guarded;
	plait_status status;

	plait__guarded_error_init(&guarded);
	memset(&device, 0, sizeof(device));
	device.record.size = sizeof(device.record);
	plait__canary_init(device.canary);
	status = layer->table.device_query(layer->self, index, &device.record,
					   &guarded.record);
	if (!plait__canary_is_intact(device.canary))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: device_query wrote past the "
				   "%zu bytes of its result", name,
				   sizeof(device.record));
	status = plait__guarded_error_check(&guarded, status, name,
					    "device_query", error);
	if (status == PLAIT_OK)
		status = check_device(layer, index, &device.record, error);
	if (status != PLAIT_OK)
		return status;
	sanitize_device(&device.record);
	*out = device.record;
	return PLAIT_OK;
}

static void free_devices(plait__registry *registry, plait__backend *backend)
{
	plait__free(registry->allocator, backend->devices,
		    backend->device_count * sizeof(*backend->devices));
	backend->devices = NULL;
	backend->device_count = 0;
}

static plait_status count_devices(struct plait__layer *layer,
				  uint32_t before, uint32_t *out,
				  plait_error *error)
{
	const char *name = layer->table.name;
	uint32_t count = layer->table.device_count(layer->self);

	if (count == 0 || count > PLAIT__BACKEND_MAX_DEVICES)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: says it has %u devices; 1 to "
				   "%d are possible", name, count,
				   PLAIT__BACKEND_MAX_DEVICES);
	if (before != 0 && count != before)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: has %u devices around a "
				   "backend with %u", name, count, before);
	*out = count;
	return PLAIT_OK;
}

/* Query all devices from a layer; replaces those that the inner layer
 * reported. */
static plait_status read_devices(plait__registry *registry,
				 struct plait__layer *layer,
				 plait__backend *backend, plait_error *error)
{
	uint32_t count = 0, i;
	plait_status status;

	status = count_devices(layer, backend->device_count, &count, error);
	if (status != PLAIT_OK)
		return status;
	if (backend->devices == NULL) {
		backend->devices =
			plait__alloc_array(registry->allocator, count,
					   sizeof(*backend->devices));
		if (backend->devices == NULL) {
			registry->no_memory = true;
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for %u devices", count);
		}
		backend->device_count = count;
	}
	for (i = 0; status == PLAIT_OK && i < count; i++)
		status = query_device(layer, i, &backend->devices[i], error);
	return status;
}

/* --- layers */

static void init_layer(plait__registry *registry,
		       const plait__candidate *candidate,
		       struct plait__layer *layer)
{
	layer->table = candidate->table;
	memcpy(layer->host.name, candidate->name, sizeof(layer->host.name));
	layer->host.allocator = registry->allocator;
	layer->host.log = registry->log;
	layer->host.options = &registry->options;
	layer->host.pool = registry->pool;
	at_init_u64(&layer->host.live_bytes, 0);
	at_init_u32(&layer->host.out_of_memory, 0);
}

/* Open the backend (`inner` null) or the interposer around `inner`. */
static plait_status open_layer(plait__registry *registry,
			       struct plait__layer *layer,
			       struct plait__layer *inner, plait_error *error)
{
	const plait_host_services *services = plait__services_get();
	const char *slot = inner != NULL ? "wrap" : "open";
	const char *name = layer->table.name;
	plait__guarded_error guarded;
	plait_backend *self = NULL;
	plait_status status;

	plait__guarded_error_init(&guarded);
	if (inner != NULL)
		status = layer->table.wrap(&layer->host, services,
					   &inner->table, inner->self, &self,
					   &guarded.record);
	else
		status = layer->table.open(&layer->host, services, &self,
					   &guarded.record);
	if (status != PLAIT_OK &&
	    at_load_relaxed_u32(&layer->host.out_of_memory))
		registry->no_memory = true;
	status = plait__guarded_error_check(&guarded, status, name,
					    slot, error);
	if (status == PLAIT_OK && self == NULL)
		status =
			plait__fail(error, PLAIT_E_INTERNAL,
				    "plugin %s: %s succeeded without returning "
				    "an instance",
				    name, slot);
	if (status == PLAIT_OK)
		layer->self = self;
	return status;
}

/* Interposers are opened from the inside out: the list begins with the
 * outermost. A transport without devices is asked for none. */
static plait_status open_layers(plait__registry *registry,
				const plait__candidate *candidate,
				plait__backend *backend, uint32_t *out_open,
				plait_error *error)
{
	bool devices = (candidate->table.flags & PLAIT_PLUGIN_TRANSPORT) == 0;
	uint32_t count = registry->wraps.count + 1, i;
	plait_status status = PLAIT_OK;

	*out_open = 0;
	for (i = 0; status == PLAIT_OK && i < count; i++) {
		struct plait__layer *layer = &backend->layers[i];

		if (i > 0)
			candidate = plait__candidate_find(
				registry, registry->wraps.names[count - 1 - i]);
		init_layer(registry, candidate, layer);
		status = open_layer(registry, layer,
				    i > 0 ? layer - 1 : NULL, error);
		if (status != PLAIT_OK)
			return status;
		*out_open = i + 1;
		if (devices)
			status = read_devices(registry, layer, backend,
					      error);
	}
	return status;
}

/* Closing the outermost layer closes the layers inside it. */
static void close_layers(plait__registry *registry, plait__backend *backend,
			 uint32_t open)
{
	uint32_t i;

	if (open > 0)
		backend->layers[open - 1].table.close(
			backend->layers[open - 1].self);
	for (i = 0; i < open; i++) {
		struct plait_host *host = &backend->layers[i].host;
		uint64_t left = at_load_relaxed_u64(&host->live_bytes);

		if (left != 0)
			plait__log_line(registry->log, PLAIT_LOG_WARNING,
					"plugin %s: closed, but %llu bytes "
					"of its memory were not freed",
					host->name, (unsigned long long)left);
	}
	free_devices(registry, backend);
	plait__free(registry->allocator, backend->layers,
		    (registry->wraps.count + 1) * sizeof(*backend->layers));
	backend->layers = NULL;
}

plait_status plait__instance_open(plait__registry *registry,
				  const plait__candidate *candidate,
				  plait__backend *out, plait_error *error)
{
	struct plait__layer *outermost;
	plait_status status;
	uint32_t open;

	memset(out, 0, sizeof(*out));
	out->layers = plait__alloc_array(registry->allocator,
					 registry->wraps.count + 1,
					 sizeof(*out->layers));
	if (out->layers == NULL) {
		registry->no_memory = true;
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for backend %s",
				   candidate->name);
	}
	status = open_layers(registry, candidate, out, &open, error);
	if (status != PLAIT_OK) {
		close_layers(registry, out, open);
		return status;
	}
	outermost = &out->layers[open - 1];
	out->table = outermost->table;
	out->self = outermost->self;
	out->host = &out->layers[0].host;
	memcpy(out->name, candidate->name, sizeof(out->name));
	return PLAIT_OK;
}

void plait__instance_close(plait__registry *registry, plait__backend *backend)
{
	close_layers(registry, backend, registry->wraps.count + 1);
}
