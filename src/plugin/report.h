/* SPDX-License-Identifier: MIT */
/* What was found, chosen, rejected, and why, as text for people. */
#ifndef PLAIT_SRC_PLUGIN_REPORT_H
#define PLAIT_SRC_PLUGIN_REPORT_H

#include "plugin/candidate.h"

/* Append the report.  Memory that ran out is remembered by `out`. */
void plait__report_write(plait__registry *registry, plait__text *out);

#endif
