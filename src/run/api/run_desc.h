/* SPDX-License-Identifier: MIT */
/* Descriptors of runs. */
#ifndef PLAIT_SRC_RUN_API_RUN_DESC_H
#define PLAIT_SRC_RUN_API_RUN_DESC_H

#include "plait/run.h"

/* Read the caller's descriptor, which is not null.  PLAIT_E_INVALID,
 * PLAIT_E_UNSUPPORTED (flags). */
plait_status plait__run_desc_read(plait_run_desc *out,
				  const plait_run_desc *given,
				  plait_error *error);

#endif
