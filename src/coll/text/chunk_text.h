/* SPDX-License-Identifier: MIT */
/*
 * Text form of chunk programs, doc/coll-text.md: a header line, then statements
 * with loops, conditions and integer variables.  The reader executes the text
 * while it parses: each operation is a call of the program that it makes.
 */
#ifndef PLAIT_SRC_COLL_TEXT_CHUNK_TEXT_H
#define PLAIT_SRC_COLL_TEXT_CHUNK_TEXT_H

#include "coll/chunk/chunk_program.h"

/* Replacements of the header; 0: those of the text. */
typedef struct plait__chunk_text_options {
	uint32_t ranks, chunks;
	uint32_t tag;		/* of the program */
} plait__chunk_text_options;

/* Read a text, which needs no NUL.  Errors begin with "NAME:LINE: ":
 * PLAIT_E_INVALID or PLAIT_E_NOMEM, and *out is null. */
plait_status plait__chunk_text_read(const plait_allocator *allocator,
				    const char *text, uint64_t bytes,
				    const char *name,
				    const plait__chunk_text_options *options,
				    plait__chunk_program **out,
				    plait_error *error);

#endif
