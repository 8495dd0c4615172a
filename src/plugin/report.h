/* SPDX-License-Identifier: MIT */
/*
 * The report: plugins found, chosen and rejected, with reasons, as text for
 * people.
 */
#ifndef PLAIT_SRC_PLUGIN_REPORT_H
#define PLAIT_SRC_PLUGIN_REPORT_H

#include "plugin/candidate.h"

/* Append the report. `out` remembers a failed allocation. */
void plait__report_write(plait__registry *registry, plait__text *out);

#endif
