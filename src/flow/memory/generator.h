/* SPDX-License-Identifier: MIT */
/*
 * Generator of instructions: from the tasks of a record to what devices with
 * memories do.  Tasks are added one at a time, in their order; each appends its
 * instructions to the list.  Launches run on devices: piece i of n on the device
 * at i/n of them, and a whole launch where the policies say.  All other tasks run
 * on the host, in memory 0.  The result depends on the record, the system, the
 * options and the calls alone.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_GENERATOR_H
#define PLAIT_SRC_FLOW_MEMORY_GENERATOR_H

#include "flow/memory/task_placer.h"

/* Stays where it was initialised. */
typedef struct plait__generator {
	plait__memory_system system;
	plait__instructions list;
	plait__memory_state state;
	plait__memory_state ahead; /* after the tasks that were expected */
	plait__task_placer placer;
} plait__generator;

/* Begin without tasks; the record outlives the generator, and may grow. */
void plait__generator_init(plait__generator *generator,
			   const plait__record *record,
			   const plait__memory_system *system,
			   const plait__placer_options *options);
void plait__generator_fini(plait__generator *generator);

/* Lookahead, which is optional: note what a task of the record will need, so
 * that blocks are made large enough for it.  All tasks are expected, in their
 * order, or none; each before it is added. */
void plait__generator_expect(plait__generator *generator, uint32_t task);

/* Append the instructions of a task of the record.  Returns false without
 * memory, and if the task is refused: what it needs is more than its memory has.
 * The refusal is in the state, and the list as it was. */
bool plait__generator_add(plait__generator *generator, uint32_t task);

/* Add all tasks of the record, up to one that is refused. */
void plait__generator_run(plait__generator *generator, bool lookahead);

/* Returns true if there was no memory: the list is incomplete. */
bool plait__generator_has_failed(const plait__generator *generator);

#endif
