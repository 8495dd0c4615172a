/* SPDX-License-Identifier: MIT */
/* Counts of loops that repeat: fixed when the loop is entered. */
#ifndef PLAIT_SRC_RUN_ARGS_LOOP_COUNT_H
#define PLAIT_SRC_RUN_ARGS_LOOP_COUNT_H

#include "run/args/frame.h"

/* Returns true if the count of a repeat is a word in memory. */
bool plait__loop_count_is_word(const plait__plan *plan, uint32_t region);

/* Enter a repeat: stores its count in the frame, `word` if it is in memory.
 * Returns the number of iterations. */
uint64_t plait__loop_count_enter(const plait__frame *frame, uint32_t region,
				 uint32_t word);

/* Returns the number of iterations of a repeat that was entered. */
uint64_t plait__loop_count_iterations(const plait__frame *frame,
				      uint32_t region);

/* Returns true if a repeat has another iteration after the current one
 * (`again`), or is entered and has any; `word` as above. */
bool plait__loop_count_goes_on(const plait__frame *frame, uint32_t region,
			       bool again, uint32_t word);

/* Returns the word of a count in mapped memory, read now; 0 for other counts.
 * The layout maps. */
uint32_t plait__loop_count_mapped_word(const plait__frame *frame,
				       uint32_t region);

#endif
