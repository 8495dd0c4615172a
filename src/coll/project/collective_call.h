/* SPDX-License-Identifier: MIT */
/*
 * Calls of collectives by the library.  Calls of one collective are numbered by
 * the order in which they begin, and one is in progress at a time: a call that
 * begins meanwhile fails on all ranks.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_COLLECTIVE_CALL_H
#define PLAIT_SRC_COLL_PROJECT_COLLECTIVE_CALL_H

#include "coll/project/collective_object.h"
#include "object/memory/buffer.h"

/* How a call that waits gives its thread away.  `turns`: pauses since the last
 * step.  PLAIT_E_CANCELLED: the rank leaves the call. */
typedef struct plait__collective_pause {
	plait_status (*pause)(void *arg, uint32_t turns, plait_error *error);
	void *arg;
} plait__collective_pause;

/* Check the arguments of a call, and find the bytes of input and output; no
 * rank is told. */
plait_status plait__collective_call_check(plait__collective *collective,
					  const plait_collective_run *run,
					  uint64_t out_bytes[2],
					  plait_error *error);

/* As plait_collective_call, of a collective that the caller holds, waiting by
 * `pause`.  `buffers`: those of input and output, held in place of the handles in
 * `run`, which may be stale; null where there is none.  PLAIT_E_STATE: another
 * call is in progress; all ranks are told. */
plait_status plait__collective_call_paused(plait__collective *collective,
					   const plait_collective_run *run,
					   plait__buffer *const buffers[2],
					   const plait__collective_pause *pause,
					   plait_error *error);

/* Take the number of the next call; the caller then leaves it.  Any thread. */
uint64_t plait__collective_call_take(plait__collective *collective);

/* Leave call `number`, or the next one if that is 0; all ranks are told. */
void plait__collective_call_leave(plait__collective *collective,
				  uint64_t number, const plait_error *why);

#endif
