/* SPDX-License-Identifier: MIT */
/* plait_live_count: the table of handles counts. */
#include "plait/base.h"

#include "object/handle/handle_table.h"

PLAIT_API uint64_t plait_live_count(int32_t object)
{
	return plait__handle_count(object);
}
