/* SPDX-License-Identifier: MIT */
/*
 * Choice of the calls that fail: the k-th, all after a loss, or a random part.
 */
#include <stdio.h>

#include "fault.h"

static uint64_t draw(fault *self)
{
	uint64_t z = self->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % 1000;
}

/* Return the failure of this call, or PLAIT_OK; count it, and set `lost`.
 * Caller holds self->lock. */
static plait_status decide(fault *self, uint32_t slot)
{
	const fault_options *options = &self->options;
	plait_status status = PLAIT_OK;

	if (self->lost)
		return PLAIT_E_LOST;
	if ((options->slots >> slot & 1) == 0)
		return PLAIT_OK;
	self->calls++;
	if (self->calls == options->fail ||
	    (options->from > 0 && self->calls >= options->from) ||
	    (options->rate > 0 && draw(self) < options->rate))
		status = options->status;
	if (self->calls == options->lost)
		status = PLAIT_E_LOST;
	self->lost = status == PLAIT_E_LOST;
	return status;
}

plait_status plaitp_fault_choose(forward *base, uint32_t slot,
				 plait_error *error)
{
	fault *self = (fault *)(void *)base;
	const char *name = plaitp_fault_option_slot_name(slot);
	plait_status status;
	bool just_lost;
	uint64_t call;
	char line[160];

	pthread_mutex_lock(&self->lock);
	just_lost = !self->lost;
	status = decide(self, slot);
	just_lost = just_lost && self->lost;
	self->failed += status != PLAIT_OK;
	call = self->calls;
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	if (just_lost)
		plaitp_fault_loss_drain(self);
	snprintf(line, sizeof(line), "fault: call %llu, %s, answers %d%s",
		 (unsigned long long)call, name, status,
		 just_lost ? ": the device is lost" : "");
	forward_log(&self->base, PLAIT_LOG_WARNING, line);
	return self->base.services->fail(error, status, 0, line);
}
