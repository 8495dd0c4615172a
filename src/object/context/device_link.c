/* SPDX-License-Identifier: MIT */
/* Links between the memories of devices and of the program: figures of backends,
 * and assumptions where none is told. */
#include "object/context/device_link.h"

#include "plugin/link_facts.h"

#include "base/error.h"
#include "base/sized_struct.h"

/* Assumed where nothing is known: an ordinary card in an ordinary slot. */
enum { ASSUMED_NS = 10000, ASSUMED_BYTES_PER_US = 10000 };

/* A memory and itself. */
static const plait_link_info same_memory = {
	.size = sizeof(same_memory),
	.flags = PLAIT_LINK_DIRECT | PLAIT_LINK_SHARED,
	.bytes_per_us = UINT64_MAX
};

static const plait_link_info assumed = {
	.size = sizeof(assumed),
	.flags = PLAIT_LINK_LATENCY_ASSUMED | PLAIT_LINK_BANDWIDTH_ASSUMED,
	.latency_ns = ASSUMED_NS,
	.bytes_per_us = ASSUMED_BYTES_PER_US
};

/* Take figures that are 0 from `other`, and whether they are assumed. */
static void fill_gaps(plait_link_info *link, const plait_link_info *other)
{
	if (link->latency_ns == 0) {
		link->latency_ns = other->latency_ns;
		link->flags |= other->flags & PLAIT_LINK_LATENCY_ASSUMED;
	}
	if (link->bytes_per_us == 0) {
		link->bytes_per_us = other->bytes_per_us;
		link->flags |= other->flags & PLAIT_LINK_BANDWIDTH_ASSUMED;
	}
}

/* The link between a device and the program. Reads and writes of the host are
 * one command. */
static plait_status query_half(const plait__device *device, bool to_host,
			       plait_link_info *out, plait_error *error)
{
	const plait__backend *backend = device->port->backend;
	plait_status status;

	*out = same_memory;
	if (device->memory == PLAIT__PROGRAM_MEMORY)
		return PLAIT_OK;
	status = to_host ? plait__link_facts_query(backend, device->index,
						   PLAIT_LINK_HOST, out,
						   error) :
			   plait__link_facts_query(backend, PLAIT_LINK_HOST,
						   device->index, out, error);
	if (status != PLAIT_OK)
		return status;
	out->flags = PLAIT_LINK_DIRECT;
	fill_gaps(out, &assumed);
	return PLAIT_OK;
}

/* The way through memory of the program. Two halves take turns for each piece,
 * so large copies have the lower bandwidth. */
static plait_status query_detour(const plait__device *from,
				 const plait__device *to,
				 plait_link_info *out, plait_error *error)
{
	plait_link_info second;
	plait_status status = query_half(from, true, out, error);

	if (status == PLAIT_OK)
		status = query_half(to, false, &second, error);
	if (status != PLAIT_OK)
		return status;
	if ((out->flags & PLAIT_LINK_SHARED) != 0) {
		*out = second;
		return PLAIT_OK;
	}
	if ((second.flags & PLAIT_LINK_SHARED) != 0)
		return PLAIT_OK;
	out->flags = (out->flags | second.flags) & ~PLAIT_LINK_DIRECT;
	out->latency_ns += second.latency_ns;
	if (second.bytes_per_us < out->bytes_per_us)
		out->bytes_per_us = second.bytes_per_us;
	return PLAIT_OK;
}

/* The devices are of one backend, and do not share their memory. */
static plait_status query_pair(const plait__device *from,
			       const plait__device *to, plait_link_info *out,
			       plait_error *error)
{
	plait_link_info other = assumed;
	plait_status status = plait__link_facts_query(
		from->port->backend, from->index, to->index, out, error);

	if (status == PLAIT_OK && (out->flags & PLAIT_LINK_DIRECT) == 0 &&
	    (out->latency_ns == 0 || out->bytes_per_us == 0))
		status = query_detour(from, to, &other, error);
	if (status == PLAIT_OK)
		fill_gaps(out, &other);
	return status;
}

plait_status plait__device_link_query(const plait__device *from,
				      const plait__device *to,
				      plait_link_info *out, plait_error *error)
{
	if (from == NULL)
		return query_half(to, false, out, error);
	if (to == NULL)
		return query_half(from, true, out, error);
	if (from->memory == to->memory) {
		*out = same_memory;
		return PLAIT_OK;
	}
	if (from->port == to->port)
		return query_pair(from, to, out, error);
	return query_detour(from, to, out, error);
}

/* Enter the device, unless the handle is null. */
static plait_status enter(plait_device *handle, plait__device **out,
			  plait_error *error)
{
	*out = NULL;
	return handle != NULL ? plait__device_enter(handle, out, error) :
				PLAIT_OK;
}

static void leave(plait__device *device)
{
	if (device != NULL)
		plait__device_leave(device);
}

/* The devices are entered; one may be null. */
static plait_status query(const plait__device *from, const plait__device *to,
			  plait_link_info *info, plait_error *error)
{
	plait_link_info found;
	plait_status status = PLAIT_OK;

	if (from != NULL && to != NULL)
		status = plait__context_check_same(&from->object, &to->object,
						   error);
	if (status == PLAIT_OK)
		status = plait__device_link_query(from, to, &found, error);
	if (status != PLAIT_OK)
		return status;
	return PLAIT__STRUCT_WRITE(plait_link_info, info, &found, error);
}

PLAIT_API plait_status plait_device_query_link(plait_device *from,
					       plait_device *to,
					       plait_link_info *info,
					       plait_error *error)
{
	plait__device *source, *target;
	plait_status status;

	if (from == NULL && to == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "both ends are null, the memory of the "
				   "program: a link has a device at one end");
	status = enter(from, &source, error);
	if (status != PLAIT_OK)
		return status;
	status = enter(to, &target, error);
	if (status == PLAIT_OK)
		status = query(source, target, info, error);
	leave(target);
	leave(source);
	return status;
}
