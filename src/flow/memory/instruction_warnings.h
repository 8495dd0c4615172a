/* SPDX-License-Identifier: MIT */
/* Warnings of generated instructions: correct ones that are likely slow.  Pure. */
#ifndef PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_WARNINGS_H
#define PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_WARNINGS_H

#include "flow/memory/generator.h"
#include "flow/show/traffic.h"

/* Blocks of one data in one memory at a time, without a warning; the other limits
 * are those of flows that run. */
enum { PLAIT__WARNING_BLOCKS_MOST = 10 };

typedef enum plait__instruction_warning_kind {
	PLAIT__INSTRUCTION_WARNING_BLOCKS,
	PLAIT__INSTRUCTION_WARNING_COPIES,
	PLAIT__INSTRUCTION_WARNING_EVICTIONS
} plait__instruction_warning_kind;

typedef struct plait__instruction_warning {
	uint32_t kind;
	uint32_t count; /* blocks, copies, horizons */
	uint32_t memory;
	uint32_t data; /* not of evictions */
	uint32_t task; /* index; of copies */
} plait__instruction_warning;

/* Append the warnings to a vector of them, which is empty.  Returns false without
 * memory. */
bool plait__instruction_warnings_find(const plait__generator *generator,
				      plait__vector *out);

/* A line for each warning. */
void plait__instruction_warnings_text(const plait__record *record,
				      const plait__vector *warnings,
				      plait__text *out);

/* An object for each warning, with a comma before all but the first; before that
 * if `begun`. */
void plait__instruction_warnings_json(const plait__record *record,
				      const plait__vector *warnings, bool begun,
				      plait__text *out);

#endif
