/* SPDX-License-Identifier: MIT */
/* Priorities and held units of a node, for pictures. */
#ifndef PLAIT_SRC_PLAN_IO_LIMIT_TEXT_H
#define PLAIT_SRC_PLAN_IO_LIMIT_TEXT_H

#include "plan/plan.h"

enum { PLAIT__LIMIT_TEXT_BYTES = 160 };

/* Write ", priority 5, 2 of bus", or nothing; returns `text`.  Not escaped; cut
 * where it is too long. */
const char *plait__limit_text_of(const plait__plan *plan, uint32_t command,
				 char text[PLAIT__LIMIT_TEXT_BYTES]);

#endif
