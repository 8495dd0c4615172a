/* SPDX-License-Identifier: MIT */
/* Generated instructions as text and as JSON: doc/flow-memories.md.  Pure. */
#ifndef PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_FORMS_H
#define PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_FORMS_H

#include "flow/memory/generator.h"

void plait__instruction_forms_text(const plait__record *record,
				   const plait__generator *generator,
				   plait__text *out);
void plait__instruction_forms_json(const plait__record *record,
				   const plait__generator *generator,
				   plait__text *out);

#endif
