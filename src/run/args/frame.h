/* SPDX-License-Identifier: MIT */
/*
 * Frames of arguments.  A kernel is called with an array of pointers to values.
 * The frame of an instance has all these arrays and values and is made once.  A
 * run changes values only: parameters at its start, rotating buffers at each
 * iteration.
 *
 *     frame:  [ launch 0 | launch 1 | ... ]
 *             [ &x &y | x y ]             command 0: pointers, then cells
 *             [ &a &x | x ]               `a` lies in the blob
 */
#ifndef PLAIT_SRC_RUN_ARGS_FRAME_H
#define PLAIT_SRC_RUN_ARGS_FRAME_H

#include "plait/run.h"

#include "graph/plan/plan_object.h"

/* A cell with the address of a rotating buffer. */
typedef struct plait__rotation_cell {
	uint32_t word;		/* index in the frame */
	uint32_t rotation;
	uint64_t ahead;
} plait__rotation_cell;

/* Offsets in a frame; equal for all instances.  Word 0 is unused: 0 means
 * "none". */
typedef struct plait__frame_layout {
	const plait__plan_object *plan_object;
	bool maps;		/* the host engine: buffers stay mapped */
	bool has_params;	/* runs have to bind something */
	uint32_t *arguments;	/* per command: first word of its pointers */
	uint32_t *predicates;	/* per region, likewise */
	uint32_t *rotation_first;	/* per command, and one behind the
					 * last */
	uint32_t *predicate_rotations; /* per region, likewise */
	plait__rotation_cell *rotations;
	uint32_t launches;	/* first word of the first launch */
	uint32_t launch_words;	/* words of one launch */
	uint32_t words;
	uint32_t rotation_count;
	void **slots;		/* addresses of the plan's buffers, if `maps` */
	/* Per slot: offset of a temporary in the arena of its device; null:
	 * the plan has none. */
	uint64_t *temporaries;
	uint64_t *arena_bytes;	/* arena of each device: scratch and
				 * temporaries */
	uint32_t *moves;	/* commands that copy or fill bound memory */
	uint32_t move_count;
	uint32_t *locals;	/* launches whose local memory a run binds */
	uint32_t local_count;
	/* Per parameter: the backend whose launches take its memory; null if
	 * none does. */
	const plait__backend_port **takers;
} plait__frame_layout;

typedef struct plait__frame {
	const plait__frame_layout *layout;
	void **words;
	uint8_t *blob;		/* the plan's blob, or a copy if runs bind
				 * values */
	void **arenas;		/* arena of each device: scratch, and
				 * temporaries if `maps` */
	void **slots;		/* those of the layout, and temporaries */
	uint64_t *iterations;	/* per region: number of the current
				 * iteration */
	struct plait__bound_buffer *bound; /* per parameter: the bound buffer */
	uint64_t stamp;		/* counts bindings, to find a missing one */
} plait__frame;

/* Make the frame of an instance, in zeroed memory.  Free it after a failure,
 * too. */
plait_status plait__frame_make(plait__frame *frame,
			       const plait__frame_layout *layout,
			       plait_error *error);
void plait__frame_free(plait__frame *frame);

/* The buffer that a rotation has, `ahead` iterations from now. */
uint32_t plait__frame_slot(const plait__frame *frame, uint32_t rotation,
			   uint64_t ahead);

/* The command's own scratch in the arena of its device; null: none. */
const plait__plan_scratch *plait__frame_scratch(const plait__frame *frame,
						uint32_t command);

/* Store the buffer of the current iteration in a cell. */
void plait__frame_rotate(const plait__frame *frame,
			 const plait__rotation_cell *cell);

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

/* Bind all parameters of a run, or none; release drops what they hold. */
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
