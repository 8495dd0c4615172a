/* SPDX-License-Identifier: MIT */
/* Words and sums for the forms of generated instructions.  Pure. */
#ifndef PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_WORDS_H
#define PLAIT_SRC_FLOW_MEMORY_INSTRUCTION_WORDS_H

#include "flow/memory/generator.h"

/* Returns "alloc", "free", "copy", "resize", "join", or the kind of the task. */
const char *plait__instruction_words_kind(const plait__record *record,
					  const plait__instruction *instruction);

/* Returns why there is an instruction, without its subject: "the task reads
 * it". */
const char *plait__instruction_words_why(uint32_t why);

/* Returns why an instruction follows another one: "reads what it wrote". */
const char *plait__instruction_words_pred(uint32_t why);

/* Returns "host", "tasks 0", "tasks 0.1", the second one, or "copies 0". */
enum { PLAIT__INSTRUCTION_LANE = 32 };
const char *plait__instruction_words_lane(const plait__instructions *list,
					  uint32_t lane,
					  char room[PLAIT__INSTRUCTION_LANE]);

/* Bytes that a task moves from and to its memory: those of each access, once for
 * a read and once for a write. */
uint64_t plait__instruction_words_traffic(const plait__record *record,
					  const plait__instructions *list,
					  const plait__instruction *task);

typedef struct plait__instruction_sums {
	uint64_t counts[PLAIT__INSTRUCTION_JOIN + 1]; /* by kind */
	uint64_t bytes[PLAIT__INSTRUCTION_JOIN + 1];
	uint64_t waits;
} plait__instruction_sums;

plait__instruction_sums
plait__instruction_words_sum(const plait__instructions *list);

#endif
