/* SPDX-License-Identifier: MIT */
/* Links between the simulated memories; see link.h. */
#include <string.h>

#include "chaos.h"

/* Returns true if a copy between memories of the two devices is a command. */
static bool reaches(const chaos_options *options, uint64_t one, uint64_t other)
{
	uint64_t apart = one < other ? other - one : one - other;

	if (apart == 0 || options->shared)
		return true;
	switch (options->peers) {
	case CHAOS_PEERS_ALL:
		return true;
	case CHAOS_PEERS_RING:
		return apart == 1 || apart == options->devices - 1;
	default:
		return false;
	}
}

plait_status plaitp_chaos_link_query(plait_backend *self, uint32_t from,
				     uint32_t to, plait_link_info *out,
				     plait_error *error)
{
	const chaos_options *options = &chaos_of(self)->options;
	bool with_host = from == PLAIT_LINK_HOST || to == PLAIT_LINK_HOST;
	const chaos_link *link = with_host ? &options->host_link :
					     &options->link;
	plait_link_info full = { .size = sizeof(full) };

	(void)error;
	if (with_host || reaches(options, from, to)) {
		full.flags = PLAIT_LINK_DIRECT;
		full.latency_ns = link->latency_ns;
		full.bytes_per_us = link->bytes_per_us;
	}
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}

/* --- commands */

static plait_status check_memory(chaos *system, uint32_t device,
				 const plait_backend_memory *memory,
				 plait_error *error)
{
	if (!memory || reaches(&system->options, device, memory->device->index))
		return PLAIT_OK;
	return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
				 "device chaos:%u does not reach memory of "
				 "device chaos:%u (option peers)", device,
				 memory->device->index);
}

plait_status plaitp_chaos_link_check_work(chaos *system, uint32_t device,
					  const plait_work *work,
					  plait_error *error)
{
	plait_status status = check_memory(system, device, work->target, error);

	if (status == PLAIT_OK)
		status = check_memory(system, device, work->source, error);
	if (status == PLAIT_OK && work->target && work->source)
		status = check_memory(system, work->target->device->index,
				      work->source, error);
	return status;
}

plait_status plaitp_chaos_link_check_launch(chaos *system, uint32_t device,
					    const plait_launch_request *request,
					    plait_error *error)
{
	const char *arguments = (const char *)request->arguments;
	plait_status status = PLAIT_OK;
	uint32_t i;

	for (i = 0; status == PLAIT_OK && i < request->argument_count; i++) {
		const plait_launch_argument *argument = (const void *)
			(arguments + i * request->arguments->size);

		status = check_memory(system, device, argument->memory, error);
	}
	return status;
}

uint64_t plaitp_chaos_link_ns(const chaos *system, const plait_work *work)
{
	const chaos_options *options = &system->options;
	const chaos_link *link = &options->link;
	uint64_t ns;

	if (work->kind == PLAIT_WORK_READ || work->kind == PLAIT_WORK_WRITE)
		link = &options->host_link;
	else if (work->kind != PLAIT_WORK_COPY || options->shared ||
		 work->target->device == work->source->device)
		return 0;
	if (link->bytes_per_us == 0)
		return 0;
	if (__builtin_mul_overflow(plaitp_chaos_run_steps(work), 1000, &ns))
		ns = UINT64_MAX;
	ns /= link->bytes_per_us;
	return link->latency_ns + ns;
}
