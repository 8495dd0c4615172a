/* SPDX-License-Identifier: MIT */
/*
 * Rooms for the work of flat repeats, of which a window is one submission.  Work
 * that depends on nothing but the iteration stays in the room from run to run, if
 * there is enough of it; then a run neither binds nor copies.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_REPEAT_ROOM_H
#define PLAIT_SRC_RUN_QUEUE_REPEAT_ROOM_H

#include "run/queue/batch_builder.h"
#include "run/queue/run_driver.h"

/* The only stage of the body of a repeat that is submitted ahead:
 * compile_repeats.c refuses bodies with regions, external commands or lanes of
 * several backends. */
const plait__queue_stage *
plait__repeat_room_stage(const plait__queue_program *compiled, uint32_t region);
/* Compiler pass: reserve room for the work of a region, if it is such a repeat. */
void plait__repeat_room_place(plait__batch_builder *p, uint32_t region);
/* Bind the work of the first iteration, of a repeat whose iterations the backend
 * counts: the work of all but for numbers.  Returns false if the run has been
 * stopped. */
bool plait__repeat_room_begin(plait__run_driver *driver, uint32_t region);
/* Get the bound work of the next iterations, at most a window; null if they have
 * none.  Returns false if the run has been stopped.  The frame has the number of
 * the first iteration, before and after the call. */
bool plait__repeat_room_fill(plait__run_driver *driver, uint32_t region,
			     uint64_t iterations, const plait_work **out);

#endif
