/* SPDX-License-Identifier: MIT */
/* Submission of commands to the backend of a queue, all or nothing. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H

#include "object/queue/submission_builder.h"

/* Add commands to the builder; called under queue->lock. */
typedef plait_status (*plait__submission_fill)(
	struct plait__submission_builder *builder, const void *arg,
	plait_error *error);

/* Submit the commands that `fill` adds, `count` at most. After a failure, of `fill`
 * or of the backend, nothing is submitted. Takes queue->lock; drops holds, so the
 * caller holds no lock. */
plait_status plait__submission_submit(struct plait__submission_builder *builder,
				      uint64_t count,
				      plait__submission_fill fill,
				      const void *arg, plait_error *error);

/* Submit an array. Errors name the command, unless the commands are
 * `internal`: made by the library for one call of the user. *out_sequence: the last
 * emission of a signal among them, or 0. */
plait_status plait__submission_submit_array(plait__queue *queue,
					    const plait_command *commands,
					    uint64_t count, bool internal,
					    uint64_t *out_sequence,
					    plait_error *error);

/* Submit internal commands whose launches are prepared: one record for each, in
 * order, which the caller keeps. */
plait_status plait__submission_submit_prepared(
	plait__queue *queue, const plait_command *commands, uint64_t count,
	plait__launch_record *launches, plait_error *error);

/* Submit internal commands. `held`, null or entered, is held until they are
 * done. */
plait_status plait__submission_submit_holding(
	plait__queue *queue, const plait_command *commands, uint64_t count,
	plait__object *held, plait_error *error);

/* Submit a wait for the queue's idle section, if it has one. */
plait_status plait__submission_submit_idle_section(plait__queue *queue,
						   plait_error *error);

#endif
