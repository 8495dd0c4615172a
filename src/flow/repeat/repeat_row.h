/* SPDX-License-Identifier: MIT */
/*
 * Repeat row: how many periods of a stretch come one behind the other, without a task or a
 * call in between, and how many of them a run should have.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEAT_ROW_H
#define PLAIT_SRC_FLOW_REPEAT_REPEAT_ROW_H

#include <stdbool.h>
#include <stdint.h>

/* More periods than a row has: it goes on. */
#define PLAIT__REPEAT_ROW_ENDLESS UINT32_MAX

/* Begins as zeroed memory. */
typedef struct plait__repeat_row {
	uint32_t last[2]; /* lengths of the last rows; 0: there was none */
	uint32_t now;	  /* periods of this one until now */
	uint32_t rows;	  /* that have ended */
} plait__repeat_row;

/* The row has ended. */
void plait__repeat_row_end(plait__repeat_row *row);

/* Periods that are still to come in this row as in the shorter one of the last two: 0 if
 * none are expected.  A row of `endless` periods goes on. */
uint32_t plait__repeat_row_left(const plait__repeat_row *row,
				uint32_t endless);

/* Returns true if lengths are known: the last two rows were equal, or equal ones do not
 * come, or the row goes on.  The first row begins where the stretch was found. */
bool plait__repeat_row_is_steady(const plait__repeat_row *row, uint32_t endless);

/* Periods of a run, at most `most`, of which rows consist. */
uint32_t plait__repeat_row_times(uint32_t periods, uint32_t most);

#endif
