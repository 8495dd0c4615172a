/* SPDX-License-Identifier: MIT */
/*
 * Submission builder: a submission under construction, in the arrays of its
 * queue. Caller holds queue->lock. submission.c uses it for the user's
 * commands, internal_commands.c and external_section.c for the library's.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_BUILDER_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_BUILDER_H

#include "object/queue/queue.h"

typedef struct plait__call plait__call;
typedef struct plait__inbox plait__inbox;
typedef struct plait__launch_record plait__launch_record;
typedef struct plait__signal plait__signal;

struct plait__submission_builder {
	plait__queue *queue;
	plait_submission *group; /* the last one */
	uint32_t group_count;
	uint32_t work_count;
	uint32_t point_count;
	int phase;	   /* what the last group got last: submission_builder.c */
	/* sequence of the newest emission of queue->progress */
	uint64_t progress;
	bool ordered;	   /* the port's order lock is held, from the first
			    * emission to the end of the submission */
	plait__signal *emitted; /* by next_emitted: signals that it emits */
	uint64_t last_emission;
	plait__call *calls; /* newest first */
	/* Internal commands only: held until they are done; or null. */
	plait__object *held;
	/* The launches that follow, in order, set by submit_launches for an
	 * array with a LAUNCH; at the end of the list `launch_error` is the
	 * reason why the next one has no record.  Null for other fills. */
	plait__launch_record *launches;
	const plait_error *launch_error;
	plait__object *late; /* to be closed without locks */
	uint64_t races_mark; /* of the race check, before the first command */
};

void plait__submission_begin_group(struct plait__submission_builder *builder);

/* Hold the object until the queue has completed this command. PLAIT_E_NOMEM. */
plait_status plait__submission_hold(struct plait__submission_builder *builder,
				    plait__object *object, plait_error *error);
void plait__submission_add_wait(struct plait__submission_builder *builder,
				plait_backend_signal *signal,
				uint64_t sequence);
void plait__submission_add_emit(struct plait__submission_builder *builder,
				plait_backend_signal *signal,
				uint64_t sequence);

/* Add a work item of the command's kind and label. */
plait_work *plait__submission_add_work(
	struct plait__submission_builder *builder,
	const plait_command *command);

/* Add a call for the owner of an inbox; it becomes the first of `calls`. */
plait_status plait__submission_add_call(
	struct plait__submission_builder *builder, const plait_command *command,
	plait__inbox *inbox, bool asks, plait_error *error);
/* Assign the next number of the signal; the first call takes the port's order
 * lock. PLAIT_E_NOMEM. */
plait_status plait__submission_add_emission(
	struct plait__submission_builder *builder, plait__signal *signal,
	plait_error *error);

#endif
