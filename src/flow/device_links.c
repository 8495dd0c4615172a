/* SPDX-License-Identifier: MIT */
/* Links between the memories of a flow; see device_links.h. */
#include "flow/device_links.h"

#include "flow/flow_devices.h"
#include "flow/policy/links_read.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/device_link.h"
#include "sys/read_write_file.h"

enum { MOST_BYTES = 1 << 20 };

static const plait__device *device_at(const plait__flow_devices *devices,
				      uint32_t memory)
{
	for (uint32_t i = 0; i < devices->count; i++)
		if (devices->items[i].memory == memory)
			return devices->items[i].device;
	return NULL;
}

/* Take what a device tells of a direct link. */
static void take_link(plait__links *links, const plait__flow_devices *devices,
		      uint32_t from, uint32_t to)
{
	const plait__device *one = device_at(devices, from);
	const plait__device *other = device_at(devices, to);
	plait_link_info link = { .size = sizeof(link) };
	const uint32_t assumed = PLAIT_LINK_LATENCY_ASSUMED |
				 PLAIT_LINK_BANDWIDTH_ASSUMED;

	if (one == NULL || other == NULL || one->port != other->port ||
	    plait__device_link_query(one, other, &link, NULL) != PLAIT_OK ||
	    (link.flags & PLAIT_LINK_DIRECT) == 0 ||
	    (link.flags & assumed) != 0)
		return;
	plait__links_set(links, from, to, link.bytes_per_us, link.latency_ns);
}

static void take_links(plait__links *links,
		       const plait__flow_devices *devices)
{
	const uint32_t memories = devices->system.memories;

	for (uint32_t i = 0; i < memories * memories; i++)
		if (i / memories != i % memories)
			take_link(links, devices, i / memories, i % memories);
}

static plait_status read_file(plait__links *links, const char *path,
			      plait_error *error)
{
	void *text;
	uint64_t bytes;
	plait_status status = plait__read_whole_file(
		path, MOST_BYTES, links->allocator, &text, &bytes, error);

	if (status == PLAIT_OK) {
		status = plait__links_read(links, text, bytes, path, error);
		plait__free(links->allocator, text, bytes > 0 ? bytes : 1);
	}
	if (status != PLAIT_OK)
		plait__error_prefix(error, "plait_flow_desc: links: ");
	return status;
}

plait_status plait__device_links_make(plait__links *links,
				      const plait__flow *flow,
				      const char *path, plait_error *error)
{
	if (plait__links_init(links, plait__flow_allocator(flow),
			      flow->devices->system.memories,
			      PLAIT__MEMORY_HOST) != PLAIT_OK)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the devices of a flow");
	take_links(links, flow->devices);
	return path != NULL ? read_file(links, path, error) : PLAIT_OK;
}
