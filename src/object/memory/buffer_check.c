/* SPDX-License-Identifier: MIT */
/* Range and write checks of buffers; see buffer_check.h. */
#include "object/memory/buffer_check.h"

#include "base/error.h"

plait_status plait__buffer_check_range(const plait__buffer *buffer,
				       uint64_t offset, uint64_t bytes,
				       const char *what, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s %llu+%llu is outside the %s of %llu bytes",
			   what, (unsigned long long)offset,
			   (unsigned long long)bytes,
			   plait__object_name(&buffer->object, room),
			   (unsigned long long)buffer->bytes);
}

plait_status plait__buffer_check_write(const plait__buffer *buffer,
				       plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (!buffer->root->read_only)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is read-only and would be written",
			   plait__object_name(&buffer->object, room));
}

plait_status plait__buffer_refuse_temporary(plait__buffer **buffer,
					    plait_error *error)
{
	plait__object *object = &(*buffer)->object;
	char room[PLAIT__OBJECT_NAME_BYTES];

	plait__fail(error, PLAIT_E_INVALID,
		    "%s is a temporary: only nodes of graphs take it, and each "
		    "run of their plan has memory for it",
		    plait__object_name(object, room));
	plait__object_leave(object);
	*buffer = NULL;
	return PLAIT_E_INVALID;
}
