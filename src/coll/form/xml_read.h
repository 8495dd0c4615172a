/* SPDX-License-Identifier: MIT */
/*
 * Reading of MSCCL XML in the dialects of the MSCCL runtime, the Azure executor
 * and RCCL, old files included.
 *
 * The schedule has the meaning that the executors give to the file: steps use
 * local locations only, nops become waits of the step behind them, a wait for a
 * step that publishes nothing is one for the next step that does.
 */
#ifndef PLAIT_SRC_COLL_FORM_XML_READ_H
#define PLAIT_SRC_COLL_FORM_XML_READ_H

#include "coll/schedule/schedule.h"

/*
 * Read a document.  `name` is for errors; they have the line.  PLAIT_E_INVALID:
 * no XML, or against a rule of the format; PLAIT_E_UNSUPPORTED: built without
 * expat, or a collective that plait does not know.  The parser itself takes its
 * memory from the C library.
 */
plait_status plait__xml_read(const void *bytes, uint64_t size, const char *name,
			     const plait_allocator *allocator,
			     plait__schedule **out, plait_error *error);

#endif
