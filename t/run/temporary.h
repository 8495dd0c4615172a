/* SPDX-License-Identifier: MIT */
/* Temporaries of the rig's device. */
#ifndef PLAIT_T_RUN_TEMPORARY_H
#define PLAIT_T_RUN_TEMPORARY_H

#include "lib/runs.h"

static inline plait_buffer *temporary(uint64_t bytes, const char *label)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
					 .flags = PLAIT_BUFFER_TEMPORARY,
					 .label = label };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_create(rig.device, &desc, &buffer, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return buffer;
}

#endif
