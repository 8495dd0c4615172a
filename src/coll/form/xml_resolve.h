/* SPDX-License-Identifier: MIT */
/* The meaning of an XML document as a schedule. */
#ifndef PLAIT_SRC_COLL_FORM_XML_RESOLVE_H
#define PLAIT_SRC_COLL_FORM_XML_RESOLVE_H

#include "coll/form/xml_document.h"
#include "coll/schedule/schedule.h"

/* Errors begin with the line, without the name of the file. */
plait_status plait__xml_resolve(const plait__xml_document *document,
				const plait_allocator *allocator,
				plait__schedule **out, plait_error *error);

#endif
