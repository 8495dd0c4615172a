/* SPDX-License-Identifier: MIT */
/*
 * Rows and slices of a copy command: the user's shape, checked and simplified.
 * validate_command.c reads it; copy_work.c passes it to the backend.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_STRIDED_COPY_H
#define PLAIT_SRC_OBJECT_QUEUE_STRIDED_COPY_H

#include "plait/plugin.h"
#include "plait/queue.h"

#include "object/context/context.h"

typedef struct plait__strided_copy {
	/* Without zeros; `rows` is 1 only if `slices` is, too. Rows without
	 * gaps on both sides are merged. */
	plait_work_rows rows;
	uint64_t bytes; /* of each row */
	/* From the first byte to the end of the last. */
	uint64_t target_bytes;
	uint64_t source_bytes;
} plait__strided_copy;

/* PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED. */
plait_status plait__strided_copy_read(plait__strided_copy *out,
				      const plait_command *command,
				      plait_error *error);

/* Returns true if target and source, in one memory, may share a byte. */
bool plait__strided_copy_overlaps(const plait__strided_copy *shape,
				  uint64_t target, uint64_t source);

/* Check rows that were stored elsewhere: returns false if no backend accepts
 * their form, else how far they reach. */
bool plait__strided_copy_extent(const plait_work_rows *rows, uint64_t bytes,
				uint64_t *out_target, uint64_t *out_source);

/* Upper bound of the number of rows; 1 without any. */
uint64_t plait__strided_copy_count_rows(const plait_command *command);

/* Create an object, with one hold, that keeps the rows for the backend. */
plait_status plait__strided_copy_create_rows(plait__context *context,
					     const plait__strided_copy *shape,
					     plait__object **out_object,
					     const plait_work_rows **out,
					     plait_error *error);

#endif
