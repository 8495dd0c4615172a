/* SPDX-License-Identifier: MIT */
/*
 * Instructions: what a program of tasks does on devices with memories.  An
 * instruction is numbered from 1, and its predecessors are before it, each once,
 * with the reason.  On an in-order lane most of them need no wait: the waits are
 * those that neither the lane nor another wait implies.  Pure.
 *
 * Without memory the list is incomplete, and says so in `failed`.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_INSTRUCTIONS_H
#define PLAIT_SRC_FLOW_MEMORY_INSTRUCTIONS_H

#include "flow/region/box.h"

#include "base/vector.h"

typedef enum plait__instruction_kind {
	PLAIT__INSTRUCTION_ALLOC,  /* make a block */
	PLAIT__INSTRUCTION_FREE,   /* end one */
	PLAIT__INSTRUCTION_COPY,   /* between memories */
	PLAIT__INSTRUCTION_RESIZE, /* from a block to the one replacing it */
	PLAIT__INSTRUCTION_TASK,   /* of a device, or of the host */
	PLAIT__INSTRUCTION_JOIN	   /* stands for its predecessors */
} plait__instruction_kind;

typedef enum plait__instruction_why {
	PLAIT__WHY_TASK,  /* the program has it */
	PLAIT__WHY_READ,  /* the task reads the box */
	PLAIT__WHY_STAGE, /* the memories are no peers */
	PLAIT__WHY_BLOCK, /* the task needs a block, or another one */
	PLAIT__WHY_ROOM,  /* the task needs the room */
	PLAIT__WHY_MANY	  /* more readers than a front has room for */
} plait__instruction_why;

typedef enum plait__pred_why {
	PLAIT__PRED_READS_WRITTEN,
	PLAIT__PRED_WRITES_READ,
	PLAIT__PRED_WRITES_WRITTEN,
	PLAIT__PRED_BLOCK, /* which made the block */
	PLAIT__PRED_USED,  /* of a free: used the block */
	PLAIT__PRED_ROOM, /* of an alloc: which a free has made */
	PLAIT__PRED_FREED, /* of a free: frees of a memory are in order */
	PLAIT__PRED_MEMBER, /* of a join */
	PLAIT__PRED_BARRIER
} plait__pred_why;

enum { PLAIT__INSTRUCTION_NONE = UINT32_MAX };

typedef struct plait__instruction_pred {
	uint32_t number;
	uint32_t why; /* plait__pred_why */
} plait__instruction_pred;

/* Use of a block by a task: one per access; block 0: a token. */
typedef struct plait__operand {
	uint32_t access; /* index in the record */
	uint32_t block;
} plait__operand;

typedef struct plait__instruction {
	uint32_t kind;
	uint32_t why;
	uint32_t device; /* or NONE: the host */
	uint32_t lane;	 /* or NONE: takes no lane's time */
	uint32_t task;	 /* index in the record: it is, or is for, that task */
	uint32_t data;	 /* or NONE; so `memory` to `source_block` */
	uint32_t memory;
	uint32_t block;
	uint32_t source; /* of a copy: memory */
	uint32_t source_block;
	plait_box box;
	uint64_t bytes;
	uint32_t first_pred;
	uint32_t pred_count;
	uint32_t first_wait;
	uint32_t wait_count;
	uint32_t first_operand;
	uint32_t operand_count;
	uint32_t newest_successor; /* number, or 0 */
} plait__instruction;

typedef struct plait__instructions {
	bool failed;
	uint32_t lanes;
	uint32_t fixed_lanes; /* those at the beginning */
	plait__vector added_lanes; /* of each other one, the device: uint32_t */
	plait__vector items;
	plait__vector preds;	/* plait__instruction_pred */
	plait__vector waits;	/* numbers: uint32_t; of one, newest first */
	plait__vector operands; /* plait__operand */
	plait__vector clocks;	/* per instruction and lane: uint32_t; rows
				 * have room for more lanes */
	plait__vector newest;	/* per lane: number */
	plait__vector wanted;	/* of the open one: what it may wait for */
	uint32_t barrier;	/* number of the newest one, or 0 */
} plait__instructions;

void plait__instructions_init(plait__instructions *list,
			      const plait_allocator *allocator, uint32_t lanes);
void plait__instructions_fini(plait__instructions *list);

/* Add a lane of a device; returns its number. */
uint32_t plait__instructions_add_lane(plait__instructions *list,
				      uint32_t device);

/* Append an instruction, which is open until plait__instructions_close: its
 * predecessors and operands are added then.  Returns its number. */
uint32_t plait__instructions_open(plait__instructions *list,
				  const plait__instruction *instruction);

/* Add a predecessor of the open instruction; 0, and one that it has, have no
 * effect. */
void plait__instructions_follow(plait__instructions *list, uint64_t number,
				plait__pred_why why);

/* Let the open instruction be a barrier: behind all since the last one. */
void plait__instructions_follow_all(plait__instructions *list);

/* Add an operand of the open instruction. */
void plait__instructions_use(plait__instructions *list, uint32_t access,
			     uint32_t block);

/* Find out what the open instruction waits for. */
void plait__instructions_close(plait__instructions *list);

static inline plait__instruction *
plait__instructions_at(const plait__instructions *list, uint32_t number)
{
	return plait__vector_at(&list->items, number - 1);
}

static inline const plait__instruction_pred *
plait__instructions_pred(const plait__instructions *list,
			 const plait__instruction *of, uint32_t i)
{
	return plait__vector_at(&list->preds, of->first_pred + i);
}

static inline uint32_t
plait__instructions_wait(const plait__instructions *list,
			 const plait__instruction *of, uint32_t i)
{
	return *(uint32_t *)plait__vector_at(&list->waits, of->first_wait + i);
}

static inline const plait__operand *
plait__instructions_operand(const plait__instructions *list,
			    const plait__instruction *of, uint32_t i)
{
	return plait__vector_at(&list->operands, of->first_operand + i);
}

#endif
