/* SPDX-License-Identifier: MIT */
/* Construction of batches, shared by the passes that pack commands and
 * regions. */
#ifndef PLAIT_SRC_RUN_QUEUE_BATCH_BUILDER_H
#define PLAIT_SRC_RUN_QUEUE_BATCH_BUILDER_H

#include "run/queue/queue_program.h"

/* A batch is in flight at most once, but for the predicate and the emissions of
 * a region, whose last ones may be complete and not yet counted as such; a body
 * that is submitted ahead, as often in each of two windows. */
enum { PLAIT__BATCH_BUILDER_FLIGHTS = 2 };

typedef struct plait__batch_builder {
	plait__queue_program *compiled;
	const plait__plan *plan;
	const uint32_t *next_commands; /* links those of a chunk */
	uint32_t body;
	/* Per lane, the list of collected commands; per command, the next
	 * one. */
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
	uint8_t *packed;	/* per command: it is in a batch */
	uint8_t *awaited;	/* per command: it emits its mark */
	plait__vector touched;	/* lanes that may have a list */
	plait__vector marks;	/* that the command at hand waits for */
	plait__vector spare;	/* swapped with `marks` */
	uint32_t *stamps;	/* per command: newest `stamp` in marks */
	uint32_t stamp;
	uint32_t flights;	/* of batches that are packed now */
	bool failed;
} plait__batch_builder;

/* Append an item; null without memory, and the builder has failed. */
void *plait__batch_builder_push(plait__batch_builder *p,
				plait__vector *vector, const void *item);

/* The batches that are begun from now on are of this body. */
void plait__batch_builder_set_body(plait__batch_builder *p,
				   uint32_t body);
void plait__batch_builder_begin_batch(plait__batch_builder *p,
				      uint32_t lane);
/* Begin a submission of the last batch; null without memory. */
plait__queue_submission *plait__batch_builder_begin_submission(
	plait__batch_builder *p);
/* Begin a batch of one submission; null without memory. */
plait__queue_submission *
plait__batch_builder_single(plait__batch_builder *p, uint32_t lane);

/* Let a submission wait for a mark, or for p->marks. */
void plait__batch_builder_add_wait(plait__batch_builder *p,
				   plait__queue_submission *submission,
				   uint32_t mark);
void plait__batch_builder_add_waits(plait__batch_builder *p,
				    plait__queue_submission *submission);
void plait__batch_builder_add_work(plait__batch_builder *p,
				   plait__queue_submission *submission,
				   uint32_t work);

/* Returns true if the lanes are of one backend. */
bool plait__batch_builder_is_of_port(const plait__batch_builder *p,
				     uint32_t lane, uint32_t other);
/* Returns the command of the body at a position. */
uint32_t plait__batch_builder_find_before(const plait__batch_builder *p,
					  uint32_t lane, uint32_t position);
/* Add a mark to p->marks, once. */
void plait__batch_builder_note_mark(plait__batch_builder *p,
				    uint32_t mark);
/* Let p->marks be the waits of a command, or of the segment that ends with
 * it. */
void plait__batch_builder_find_waits(plait__batch_builder *p,
				     uint32_t command);

#endif
