/* SPDX-License-Identifier: MIT */
/* Measured times of a schedule, for plait coll tune: its ranks are processes of this
 * machine, which `plait coll run --processes` starts. */
#ifndef PLAIT_TOOLS_COLL_MEASURE_H
#define PLAIT_TOOLS_COLL_MEASURE_H

#include "coll.h"

/* Measure all sizes: for each the least of two mean times.  PLAIT_E_FAILED: the
 * error has the first line that a rank has printed. */
plait_status coll_measure(plait_schedule *schedule, uint32_t ranks,
			  const struct coll_sizes *sizes, uint64_t *out_times,
			  plait_error *error);

#endif
