/* SPDX-License-Identifier: MIT */
/*
 * Frames of arguments.  A kernel is called with an array of pointers to values.
 * The frame of an instance has all these arrays and values and is made once.  A
 * run changes values only: parameters at its start; rotating buffers, numbers
 * of series and launches whose items follow series at each iteration.
 *
 *     frame:  [ launch 0 | launch 1 | ... ]
 *             [ &x &y | x y ]             command 0: pointers, then cells
 *             [ &a &x | x ]               `a` lies in the blob
 */
#ifndef PLAIT_SRC_RUN_ARGS_FRAME_H
#define PLAIT_SRC_RUN_ARGS_FRAME_H

#include "plait/run.h"

#include "graph/plan/plan_object.h"

enum {
	PLAIT__CELL_BUFFER = 0,	/* the address of a rotating buffer */
	PLAIT__CELL_NUMBER = 1,	/* a number of a series */
	PLAIT__CELL_LAUNCH = 2	/* a launch whose items follow series */
};

/* A cell that changes with the iteration. */
typedef struct plait__loop_cell {
	uint32_t word;		/* index in the frame */
	uint32_t kind;		/* PLAIT__CELL_... */
	uint32_t link;		/* rotation, series or geometry */
	uint32_t ahead;		/* BUFFER: iterations from the current one */
	uint64_t offset;	/* BUFFER: byte offset */
} plait__loop_cell;

/* The iteration of a command that is not the current one of its frame, since
 * the command was submitted ahead.  A turn of a run is another thing. */
typedef struct plait__frame_turn {
	uint32_t region;
	uint64_t iteration;
} plait__frame_turn;

/* An argument that is a value in memory of the program. */
typedef struct plait__host_value {
	uint32_t command;
	uint32_t argument;
} plait__host_value;

/* Offsets in a frame; equal for all instances, and constant once made.  Word 0
 * is unused: 0 means "none". */
typedef struct plait__frame_layout {
	const plait__plan_object *plan_object;
	bool maps;		/* the host engine: buffers stay mapped */
	bool has_params;	/* runs have to bind something */
	uint32_t *arguments;	/* per command: first word of its pointers */
	uint32_t *predicates;	/* per region, likewise */
	uint32_t *cell_first;	/* per command, and one behind the last */
	uint32_t *predicate_cells; /* per region, likewise */
	plait__loop_cell *cells;
	/* Per command: first word of a launch of its own, whose items follow
	 * series; 0: it has none.  Null: none has. */
	uint32_t *own_launches;
	uint32_t launches;	/* first word of the first launch */
	uint32_t launch_words;	/* words of one launch */
	uint32_t words;
	uint32_t cell_count;
	void **slots;		/* addresses of the plan's buffers, if `maps` */
	/* Per slot: offset of a temporary in the arena of its device; null:
	 * the plan has none. */
	uint64_t *temporaries;
	uint64_t *arena_bytes;	/* arena of each device: scratch and
				 * temporaries */
	uint32_t *moves;	/* commands that copy or fill bound memory */
	uint32_t move_count;
	uint32_t *checked;	/* launches whose arguments each run checks */
	uint32_t checked_count;
	plait__host_value *host_values;
	uint32_t host_value_count;
	/* Per parameter: the backend whose launches take its memory; null if
	 * none does. */
	const plait__backend_port **takers;
	bool *idle_params;	/* per parameter: no command uses it */
} plait__frame_layout;

typedef struct plait__frame {
	const plait__frame_layout *layout;
	void **words;
	uint8_t *blob;		/* copy of the plan's blob, in which runs write
				 * the values that they bind */
	void **arenas;		/* arena of each device: scratch, and
				 * temporaries if `maps` */
	void **slots;		/* those of the layout, and temporaries */
	uint64_t *iterations;	/* per region: number of the current
				 * iteration, set by the engine */
	uint64_t *counts;	/* per region: of a repeat; loop_count.h */
	struct plait__bound_buffer *bound; /* per parameter */
	uint64_t stamp;		/* counts runs that bind: a parameter with
				 * another stamp is not bound */
} plait__frame;

/* Make the frame of an instance, in zeroed memory.  Free it after a failure,
 * too: PLAIT_E_NOMEM.  The layout has to outlive the frame. */
plait_status plait__frame_make(plait__frame *frame,
			       const plait__frame_layout *layout,
			       plait_error *error);
void plait__frame_free(plait__frame *frame);

/* The buffer that a rotation has, `ahead` iterations from the turn, or if that
 * is null from now. */
uint32_t plait__frame_slot(const plait__frame *frame, uint32_t rotation,
			   uint64_t ahead, const plait__frame_turn *turn);

/* The number of a series, likewise. */
int64_t plait__frame_number(const plait__frame *frame, uint32_t series,
			    const plait__frame_turn *turn);

/* Let the items of a launch follow the series of its geometry, likewise.
 * Returns false if it has no items, or more than 2^64 - 1. */
bool plait__frame_size(const plait__frame *frame, uint32_t geometry,
		       const plait__frame_turn *turn, plait_launch *launch);

/* The command's own scratch in the arena of its device; null: none. */
const plait__plan_scratch *plait__frame_scratch(const plait__frame *frame,
						uint32_t command);

/* Store the content of a cell for the current iteration.  By the one thread that
 * runs the command of the cell. */
void plait__frame_turn_cell(const plait__frame *frame,
			    const plait__loop_cell *cell);

/* The word of a command's launch: its own, or that of its geometry. */
static inline uint32_t
plait__frame_launch_word(const plait__frame_layout *layout, uint32_t command,
			 uint32_t geometry)
{
	uint32_t own = layout->own_launches != NULL ?
		       layout->own_launches[command] : 0;

	return own != 0 ? own :
	       layout->launches + geometry * layout->launch_words;
}

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

/* Bind all parameters of a run, or none; `desc` may be null.  The caller has the
 * instance.  PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_UNSUPPORTED (memory of
 * another backend than the launch's, or without a mapping), or what memory_map
 * returns.  Release drops what they hold, deferred: also in notification
 * callbacks. */
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
