/* SPDX-License-Identifier: MIT */
/*
 * A submission while it is built, in the arrays of its queue, whose lock the
 * caller holds.  submission.c builds it from the user's commands,
 * internal_commands.c and external_section.c from the library's own.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_BUILDER_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_BUILDER_H

#include "object/queue/queue.h"

typedef struct plait__call plait__call;
typedef struct plait__inbox plait__inbox;
typedef struct plait__signal plait__signal;

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

void plait__submission_begin_stretch(struct plait__submission_builder *batch);

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

/* A function for the owner of an inbox, first of batch->calls. */
plait_status plait__submission_add_call(struct plait__submission_builder *batch,
					const plait_command *command,
					plait__inbox *inbox, bool asks,
					plait_error *error);
plait_status plait__submission_add_emission(struct plait__submission_builder *batch,
					    plait__signal *signal,
					    plait_error *error);

#endif
