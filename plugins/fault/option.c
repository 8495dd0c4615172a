/* SPDX-License-Identifier: MIT */
/* Parser of the options.  A value that is not valid is an error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

#define NAME(slot) [FORWARD_SLOT(slot)] = #slot

/* Slots that can fail; the others are null. */
static const char *const slots[FORWARD_SLOTS] = {
	NAME(device_query), NAME(memory_create), NAME(memory_map),
	NAME(memory_unmap), NAME(queue_create), NAME(queue_submit),
	NAME(queue_flush), NAME(queue_recover), NAME(signal_create),
	NAME(signal_poll), NAME(signal_wait), NAME(signal_notify),
	NAME(signal_raise), NAME(signal_reset), NAME(pump), NAME(kernel_build),
	NAME(kernel_query), NAME(launch_create), NAME(native_query),
	NAME(segment_create), NAME(segment_patch), NAME(segment_stop),
	NAME(wait_in_driver), NAME(link_query), NAME(port_open),
	NAME(port_query), NAME(mail_send), NAME(mail_next), NAME(link_create),
	NAME(link_view), NAME(peer_query), NAME(link_lend), NAME(link_reclaim),
	NAME(shared_create), NAME(shared_map)
};

static const struct {
	const char *name;
	plait_status status;
} statuses[] = {
	{ "invalid", PLAIT_E_INVALID }, { "nomem", PLAIT_E_NOMEM },
	{ "unsupported", PLAIT_E_UNSUPPORTED },
	{ "unavailable", PLAIT_E_UNAVAILABLE }, { "state", PLAIT_E_STATE },
	{ "busy", PLAIT_E_BUSY }, { "failed", PLAIT_E_FAILED },
	{ "lost", PLAIT_E_LOST }, { "internal", PLAIT_E_INTERNAL },
};

struct reader {
	plait_host *host;
	const plait_host_services *services;
	plait_error *error;
};

const char *plaitp_fault_option_slot_name(uint32_t slot)
{
	return slots[slot];
}

static plait_status refuse(const struct reader *reader, const char *key,
			   const char *value, const char *expected)
{
	char text[PLAIT_ERROR_TEXT_BYTES];

	snprintf(text, sizeof(text), "fault: option %s=%.60s: expected %s",
		 key, value, expected);
	return reader->services->fail(reader->error, PLAIT_E_INVALID, 0, text);
}

static plait_status read_number(const struct reader *reader, const char *key,
				uint64_t *value)
{
	const char *text = reader->services->option(reader->host, key);
	uint64_t read;
	char *end;

	if (!text)
		return PLAIT_OK;
	errno = 0;
	read = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return refuse(reader, key, text, "a number");
	*value = read;
	return PLAIT_OK;
}

/* The slot with the name up to `end`, or FORWARD_SLOTS. */
static uint32_t find_slot(const char *name, const char *end)
{
	size_t length = (size_t)(end - name);
	uint32_t i = 0;

	while (i < FORWARD_SLOTS &&
	       (!slots[i] || strlen(slots[i]) != length ||
		memcmp(slots[i], name, length) != 0))
		i++;
	return i;
}

static plait_status read_slots(const struct reader *reader, uint64_t *out)
{
	const char *text = reader->services->option(reader->host, "slot");

	if (!text)
		return PLAIT_OK;
	*out = 0;
	for (const char *name = text;; name++) {
		const char *end = name + strcspn(name, "+");
		uint32_t slot = find_slot(name, end);

		if (slot == FORWARD_SLOTS)
			return refuse(reader, "slot", text, "the name of a "
				      "slot that can fail, such as "
				      "queue_submit, or several with +");
		*out |= UINT64_C(1) << slot;
		if (*end == '\0')
			return PLAIT_OK;
		name = end;
	}
}

static plait_status read_status(const struct reader *reader,
				plait_status *out)
{
	const char *text = reader->services->option(reader->host, "status");

	if (!text)
		return PLAIT_OK;
	for (uint32_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (strcmp(statuses[i].name, text) == 0) {
			*out = statuses[i].status;
			return PLAIT_OK;
		}
	return refuse(reader, "status", text,
		      "invalid, nomem, unsupported, unavailable, state, busy, "
		      "failed, lost or internal");
}

plait_status plaitp_fault_options(plait_host *host,
				  const plait_host_services *services,
				  fault_options *out, plait_error *error)
{
	const struct reader reader = { host, services, error };
	plait_status status;

	*out = (fault_options){ .slots = UINT64_MAX,
				.status = PLAIT_E_NOMEM };
	if ((status = read_number(&reader, "fail", &out->fail)) ||
	    (status = read_number(&reader, "from", &out->from)) ||
	    (status = read_number(&reader, "lost", &out->lost)) ||
	    (status = read_number(&reader, "late", &out->late)) ||
	    (status = read_number(&reader, "twice", &out->twice)) ||
	    (status = read_number(&reader, "never", &out->never)) ||
	    (status = read_number(&reader, "rate", &out->rate)) ||
	    (status = read_number(&reader, "seed", &out->seed)) ||
	    (status = read_slots(&reader, &out->slots)) ||
	    (status = read_status(&reader, &out->status)))
		return status;
	out->can_lose = out->lost > 0 || out->status == PLAIT_E_LOST;
	return PLAIT_OK;
}
