/* SPDX-License-Identifier: MIT */
/*
 * Arguments.  A kernel is called with an array of pointers to values; all of
 * them lie, for one instance, in its frame, made once.  What runs change are
 * the values: parameters at each run, rotating buffers at each iteration.
 *
 *     frame:  [ launch 0 | launch 1 | ... ]
 *             [ &x &y | x y ]             command 0: pointers, then cells
 *             [ &a &x | x ]               `a` lies in the blob
 */
#ifndef PLAIT_SRC_RUN_ARGS_FRAME_H
#define PLAIT_SRC_RUN_ARGS_FRAME_H

#include "plait/run.h"

#include "graph/plan/plan_object.h"

/* A cell that holds the buffer of an iteration. */
typedef struct plait__rotation_cell {
	uint32_t word;		/* of the frame */
	uint32_t rotation;
	uint64_t ahead;
} plait__rotation_cell;

/* Where things are in a frame; the same for all instances.  Word 0 is not
 * used: 0 is "nothing". */
typedef struct plait__frame_layout {
	const plait__plan_object *frozen;
	bool maps;		/* memory is mapped once, for the host */
	bool has_params;	/* runs have to bind something */
	uint32_t *arguments;	/* per command: its pointers' first word */
	uint32_t *predicates;	/* per region, likewise */
	uint32_t *rotation_first;	/* per command, with one behind the last */
	uint32_t *predicate_rotations; /* per region, likewise */
	plait__rotation_cell *rotations;
	uint32_t launches;	/* the first launch's word */
	uint32_t launch_words;	/* words of one */
	uint32_t words;
	uint32_t rotation_count;
	void **slots;		/* where the plan's buffers are mapped, if so */
	uint32_t *moves;	/* copies and fills of what runs bring */
	uint32_t move_count;
} plait__frame_layout;

typedef struct plait__frame {
	const plait__frame_layout *layout;
	void **words;
	uint8_t *blob;		/* a copy, if runs change it, or the plan's */
	void **arenas;		/* scratch, per device */
	uint64_t *iterations;	/* per region: the number of this one */
	struct plait__bound_buffer *bound; /* per parameter: what this run holds */
	uint64_t stamp;		/* counts bindings, to find what is missing */
} plait__frame;

plait_status plait__frame_make(plait__frame *frame,
			       const plait__frame_layout *layout,
			       plait_error *error);
void plait__frame_free(plait__frame *frame);

/* The slot that a rotation has, so many iterations ahead. */
uint32_t plait__frame_slot(const plait__frame *frame, uint32_t rotation,
			   uint64_t ahead);

/* The command's own scratch in the arena of its device; null: none. */
const plait__plan_scratch *plait__frame_scratch(const plait__frame *frame,
						uint32_t command);

/* Put the buffer of this iteration into a cell. */
void plait__frame_rotate(const plait__frame *frame, const plait__rotation_cell *cell);

static inline void *const *plait__frame_arguments(const plait__frame *frame,
						  uint32_t word)
{
	return frame->words + word;
}

static inline const plait_launch *
plait__frame_launch(const plait__frame *frame, uint32_t word)
{
	return (const plait_launch *)(void *)(frame->words + word);
}

/* bind_parameters.c: what a run was told, all or nothing; and its end. */
plait_status plait__bind_parameters(plait__frame *frame,
				    const plait_run_desc *desc,
				    plait_error *error);
void plait__bind_parameters_release(plait__frame *frame);

static inline plait_status plait__frame_bind(plait__frame *frame,
					     const plait_run_desc *desc,
					     plait_error *error)
{
	if (!frame->layout->has_params &&
	    (desc == NULL || desc->binding_count == 0))
		return PLAIT_OK;
	return plait__bind_parameters(frame, desc, error);
}

static inline void plait__frame_unbind(plait__frame *frame)
{
	if (frame->layout->has_params)
		plait__bind_parameters_release(frame);
}

#endif
