/* SPDX-License-Identifier: MIT */
/*
 * Room for the blocks of a task.  Its needs are the connected parts of the data
 * that it accesses; together they fit into the memory, or the task is refused.
 * The blocks that have them are pinned while the others are made, so each is
 * loaded once.  In a memory with a capacity a block grows only if nothing has to
 * go for that; else the need gets a block of its own size.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_TASK_ROOM_H
#define PLAIT_SRC_FLOW_MEMORY_TASK_ROOM_H

#include "flow/memory/memory_state.h"

typedef struct plait__task_need {
	plait_box box;
	uint32_t data;
	uint32_t block; /* number; 0: it is to be made */
} plait__task_need;

typedef struct plait__task_room {
	plait__memory_state *state;
	uint32_t task;
	uint32_t device; /* or NONE: the host */
	uint32_t memory;
	plait__vector needs;  /* plait__task_need, by data */
	plait__vector pinned; /* numbers of blocks: uint32_t */
} plait__task_room;

/* List the needs of a task.  Returns false if it is refused: the state has the
 * numbers then, and no instruction was made. */
bool plait__task_room_open(plait__task_room *room, plait__memory_state *state,
			   uint32_t task, uint32_t device, uint32_t memory);
void plait__task_room_close(plait__task_room *room);

/* Make the blocks of one data.  `overwritten`: what the task writes, and does not
 * read. */
void plait__task_room_ensure(plait__task_room *room, uint32_t data,
			     const plait__vector *overwritten);

#endif
