/* SPDX-License-Identifier: MIT */
/* Error records for slots of plugins; see guarded_error.h. */
#include "plugin/guarded_error.h"

#include "plugin/load.h"

#include "base/error.h"

#include <string.h>

void plait__guarded_error_init(plait__guarded_error *guarded)
{
	memset(guarded, 0, sizeof(*guarded));
	guarded->record.size = sizeof(guarded->record);
	plait__canary_init(guarded->canary);
}

plait_status plait__guarded_error_check(plait__guarded_error *guarded,
					plait_status status, const char *name,
					const char *slot, plait_error *error)
{
	if (!plait__canary_is_intact(guarded->canary))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: %s wrote past the %zu bytes "
				   "of the error", name, slot,
				   sizeof(guarded->record));
	status = plait__load_check_status(status, name, slot, &guarded->record);
	if (status != PLAIT_OK)
		plait__error_copy(error, &guarded->record);
	return status;
}
