/* SPDX-License-Identifier: MIT */
/* Range checks of the payload tables of a plan that was read from bytes. */
#ifndef PLAIT_SRC_PLAN_CHECK_PAYLOAD_TABLES_H
#define PLAIT_SRC_PLAN_CHECK_PAYLOAD_TABLES_H

#include "plan/plan.h"

/* Fail unless every reference of the payload tables lies within its table. */
plait_status plait__payload_tables_check(const plait__plan *plan,
					 plait_error *error);

#endif
