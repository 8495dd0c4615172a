/* SPDX-License-Identifier: MIT */
/* Submission of commands to the backend of a queue, all or nothing. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H

#include "object/queue/submission_builder.h"

/* Add commands to the builder; called under queue->lock. */
typedef plait_status (*plait__submission_fill)(
	struct plait__submission_builder *builder, const void *arg,
	plait_error *error);

/* Commands of a submission, at most. */
enum { PLAIT__SUBMISSION_MOST = INT32_MAX / 4 };

/* Submit the commands that `fill` adds, `count` at most. After a failure, of `fill`
 * or of the backend, nothing is submitted. Takes queue->lock; drops holds, so the
 * caller holds no lock. */
plait_status plait__submission_submit(struct plait__submission_builder *builder,
				      uint64_t count,
				      plait__submission_fill fill,
				      const void *arg, plait_error *error);

/* Add a wait, for a `fill`: the signal is of the queue's backend, and lives. */
plait_status
plait__submission_add_signal_wait(struct plait__submission_builder *builder,
				  plait__signal *signal, uint64_t sequence,
				  plait_error *error);
/* Check a command, which is no launch, and add it. */
plait_status
plait__submission_add_command(struct plait__submission_builder *builder,
			      const plait_command *command,
			      plait_error *error);

/* Submit an array. Errors name the command, unless the commands are
 * `internal`: made by the library for one call of the user. *out_sequence: the last
 * emission of a signal among them, or 0. */
plait_status plait__submission_submit_array(plait__queue *queue,
					    const plait_command *commands,
					    uint64_t count, bool internal,
					    uint64_t *out_sequence,
					    plait_error *error);

/* Submit internal commands. `held`, null or entered, is held until they are
 * done. */
plait_status plait__submission_submit_holding(
	plait__queue *queue, const plait_command *commands, uint64_t count,
	plait__object *held, plait_error *error);

/* Submit a wait for the queue's idle section, if it has one. */
plait_status plait__submission_submit_idle_section(plait__queue *queue,
						   plait_error *error);

#endif
