/* SPDX-License-Identifier: MIT */
/*
 * A submission while it is put together: submission.c does that from the user's
 * commands, internal_commands.c from what the library itself wants of a queue.  The queue's
 * lock is held; all but plait__submission_submit is for its `add`.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_H

#include "object/queue/validate_command.h"
#include "object/queue/queue.h"

struct plait__submission_builder {
	plait__queue *queue;
	plait_submission *stretch; /* the last one */
	uint32_t stretch_count;
	uint32_t work_count;
	uint32_t point_count;
	int phase;	   /* what the last stretch got last */
	uint64_t progress; /* the newest emission of the queue's signal */
	bool ordered;	   /* the port's order lock is held */
	plait__signal *emitted;
	uint64_t last_emission;
	plait__call *calls; /* newest first */
	/* Of a launch: what its command uses, and, unless it is a call, what
	 * it becomes; null. */
	plait__object *held;
	plait_backend_launch *launch;
	plait__object *late; /* to be closed when no lock is held */
};

typedef plait_status (*plait__submission_fill)(struct plait__submission_builder *batch,
					       const void *arg, plait_error *error);

/* What `add` adds, `count` commands at most: all or nothing. */
plait_status plait__submission_submit(struct plait__submission_builder *batch, uint64_t count,
				      plait__submission_fill add, const void *arg,
				      plait_error *error);

/* The object stays until the queue has come to here.  PLAIT_E_NOMEM. */
plait_status plait__submission_hold(struct plait__submission_builder *batch,
				    plait__object *object, plait_error *error);
void plait__submission_add_wait(struct plait__submission_builder *batch,
				plait_backend_signal *signal, uint64_t sequence);
void plait__submission_add_emit(struct plait__submission_builder *batch,
				plait_backend_signal *signal, uint64_t sequence);

/* Behind what is there: of the command's kind and label, else nothing. */
plait_work *plait__submission_add_work(struct plait__submission_builder *batch,
				       const plait_command *command);

/* copy_work.c: of a COPY, FILL, READ or WRITE that was checked. */
plait_status plait__copy_work_add(struct plait__submission_builder *batch,
				  const plait_command *command,
				  const plait__command_operands *operands,
				  plait_error *error);
/* Else each row is a work of its own. */
bool plait__copy_work_supports_rows(const plait__queue *queue);

/* A function for the owner of an inbox, first of batch->calls. */
plait_status plait__submission_add_call(struct plait__submission_builder *batch,
					const plait_command *command,
					plait__inbox *inbox, bool asks,
					plait_error *error);
plait_status plait__submission_add_emission(struct plait__submission_builder *batch,
					    plait__signal *signal,
					    plait_error *error);

#endif
