/* SPDX-License-Identifier: MIT */
/* Descriptors of runs. */
#include "run/api/run_desc.h"

#include "base/error.h"
#include "base/sized_struct.h"

plait_status plait__run_desc_read(plait_run_desc *out,
				  const plait_run_desc *given,
				  plait_error *error)
{
	const uint32_t known = PLAIT_RUN_NO_WAIT | PLAIT_RUN_SERIAL |
			       PLAIT_RUN_PARALLEL | PLAIT_RUN_RECORD |
			       PLAIT_RUN_OVERLAP;
	const uint32_t both = PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL;
	plait_status status;

	status = PLAIT__STRUCT_READ(plait_run_desc, out, given, error);
	if (status == PLAIT_OK && (out->flags & ~known) != 0)
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "plait_run_desc: flags 0x%x are not known",
				     out->flags & ~known);
	if (status == PLAIT_OK && (out->flags & both) == both)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "plait_run_desc: PLAIT_RUN_SERIAL and "
				     "PLAIT_RUN_PARALLEL exclude each other");
	return status;
}
