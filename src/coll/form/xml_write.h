/* SPDX-License-Identifier: MIT */
/*
 * Writing of schedules as MSCCL XML.  Equal schedules give equal bytes, and what
 * was written reads as a schedule that gives the same bytes again.
 */
#ifndef PLAIT_SRC_COLL_FORM_XML_WRITE_H
#define PLAIT_SRC_COLL_FORM_XML_WRITE_H

#include "base/text.h"
#include "coll/schedule/schedule.h"

/*
 * Append the document for an executor: PLAIT__TARGET_MSCCL, _EXECUTOR or _RCCL.
 * PLAIT_E_UNSUPPORTED: the schedule is outside of its limits; the error names the
 * limit.  The schedule has the shape of a proved one.
 */
plait_status plait__xml_write(const plait__schedule *schedule, uint32_t target,
			      plait__text *text, plait_error *error);

#endif
