/* SPDX-License-Identifier: MIT */
/*
 * State of one reading of a text with the tasks of a flow; doc/flow-text.md has
 * the grammar.  flow_text.c reads lines, text_accesses.c what a task accesses.
 */
#ifndef PLAIT_SRC_FLOW_TEXT_FLOW_TEXT_H
#define PLAIT_SRC_FLOW_TEXT_FLOW_TEXT_H

#include "flow/flow.h"

#include "base/vector.h"
#include "graph/text/lexer.h"

enum {
	PLAIT__FLOW_TEXT_ACCESSES = 32, /* of a task */
	PLAIT__FLOW_TEXT_REDUCTIONS = 4, /* of a task */
	PLAIT__FLOW_TEXT_DEPTH = 8,	/* of repeats */
	PLAIT__FLOW_TEXT_TASKS = 1000000
};

typedef struct plait__flow_text_data {
	char name[PLAIT__OBJECT_LABEL_BYTES];
	plait_data *handle; /* one reference */
	uint32_t dimensions;
} plait__flow_text_data;

typedef struct plait__flow_text {
	plait__flow *flow;
	plait__lexer line;
	plait__vector data;
	/* Open repeats: the line that each of them is at. */
	uint32_t depth;
	struct plait__flow_text_repeat {
		plait__lexer line;
		uint64_t left; /* iterations behind this one */
	} repeats[PLAIT__FLOW_TEXT_DEPTH];
	uint64_t tasks;
	/* Of the task in preparation. */
	uint32_t access_count;
	plait_access accesses[PLAIT__FLOW_TEXT_ACCESSES];
	plait_box boxes[PLAIT__FLOW_TEXT_ACCESSES];
	plait_mapper mappers[PLAIT__FLOW_TEXT_ACCESSES];
	plait_launch launch;
	/* One reference each; made for their first launch: of launches that
	 * reduce as many accesses, and the one that combines. */
	plait_kernel *kernels[PLAIT__FLOW_TEXT_REDUCTIONS + 1];
	plait_kernel *combine;
	plait_argument arguments[PLAIT__FLOW_TEXT_REDUCTIONS + 1];
	uint32_t reduction_count;
	plait_access reductions[PLAIT__FLOW_TEXT_REDUCTIONS];
} plait__flow_text;

#endif
