/* SPDX-License-Identifier: MIT */
/* Array of arguments; see argument_array.h. */
#include "graph/build/argument_array.h"

#include "base/sized_struct.h"

#include <string.h>

static plait_status copy_argument(const plait__node_draft *draft, uint32_t i,
				  plait_argument *room)
{
	const char *first = (const char *)draft->desc->arguments;
	unsigned char copy[PLAIT__SIZED_STRUCT_MAX_BYTES];
	uint32_t size;

	memcpy(&size, first, sizeof(size));
	if (i == 0)
		return PLAIT__STRUCT_READ(plait_argument, room, first,
					  draft->error);
	/* The size of the first one is checked already. */
	memcpy(copy, first + (uint64_t)i * size, size);
	memcpy(copy, &size, sizeof(size));
	return PLAIT__STRUCT_READ(plait_argument, room, copy, draft->error);
}

plait_status plait__argument_array_read(const plait__node_draft *draft,
					uint32_t i, plait_argument *room,
					const plait_argument **out)
{
	if (draft->desc->arguments->size == sizeof(*room)) {
		*out = &draft->desc->arguments[i];
		return PLAIT_OK;
	}
	*out = room;
	return copy_argument(draft, i, room);
}
