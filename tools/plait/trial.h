/* SPDX-License-Identifier: MIT */
/* Trial of device graphs, for `plait info --graphs`. */
#ifndef PLAIT_TOOLS_TRIAL_H
#define PLAIT_TOOLS_TRIAL_H

#include "survey.h"

/* Run three small plans on each device that takes segments: copies and fills, a
 * loop, a branch.  The text has a line for each device: its graphs made and
 * refused, or the error. */
survey_maker trial_make;

#endif
