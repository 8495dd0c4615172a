/* SPDX-License-Identifier: MIT */
/*
 * Running mean of measured times, and their mean distance from it. A time above
 * 8 means counts only if the next one is above them, too; 8 times in a row beyond
 * 4 distances, as they were before the row, begin anew.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_TIME_MODEL_H
#define PLAIT_SRC_FLOW_POLICY_TIME_MODEL_H

#include <stdint.h>

enum { PLAIT__TIME_ROW = 8 };

/* Longer times are cut: 18 years. */
#define PLAIT__TIME_MOST_NS ((uint64_t)1 << 59)

typedef struct plait__time_model {
	uint64_t mean;		/* ns, as all times here */
	uint64_t spread;	/* mean distance from the mean */
	uint64_t held;		/* the last time, above 8 means; 0: none */
	/* Mean and spread before the row of far times. */
	uint64_t row_mean;
	uint64_t row_spread;
	uint32_t row_count;
	uint32_t count;		/* times in the mean, up to UINT32_MAX; 0: the
				 * model is empty */
} plait__time_model;

void plait__time_model_add(plait__time_model *model, uint64_t ns);

#endif
