/* SPDX-License-Identifier: MIT */
/*
 * Rows and slices of a command: what the user says of them, checked and put
 * into the simplest form.  Called by validate_command.c; submission.c hands them to the
 * backend whole, or one by one.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_STRIDED_COPY_H
#define PLAIT_SRC_OBJECT_QUEUE_STRIDED_COPY_H

#include "plait/plugin.h"
#include "plait/queue.h"

#include "object/context/context.h"

typedef struct plait__strided_copy {
	/* Without zeros; rows are 1 only where slices are, too.  What lies
	 * without gaps on both sides is one row. */
	plait_work_rows rows;
	uint64_t bytes; /* of each row */
	/* From the first byte to the last. */
	uint64_t target_bytes;
	uint64_t source_bytes;
} plait__strided_copy;

/* PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED. */
plait_status plait__strided_copy_read(plait__strided_copy *out, const plait_command *command,
				      plait_error *error);

/* Both in one memory: is a byte of the target one of the source? */
bool plait__strided_copy_overlaps(const plait__strided_copy *shape, uint64_t target,
				  uint64_t source);

/* Of rows that were kept somewhere: are they of a form that backends know, and
 * how far do they reach? */
bool plait__strided_copy_extent(const plait_work_rows *rows, uint64_t bytes,
				uint64_t *out_target, uint64_t *out_source);

/* How many rows the command has at most; 1 without any. */
uint64_t plait__strided_copy_count_rows(const plait_command *command);

/* An object with one hold that lives as long as the backend looks at it. */
plait_status plait__strided_copy_create_rows(plait__context *context,
					     const plait__strided_copy *shape,
					     plait__object **out_object,
					     const plait_work_rows **out,
					     plait_error *error);

#endif
