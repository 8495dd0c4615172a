/* SPDX-License-Identifier: MIT */
/* Rows of periods; see repeat_row.h. */
#include "flow/repeat/repeat_row.h"

/* A divisor below this part of the most periods is too short for a run. */
enum { LEAST_PART = 4 };

void plait__repeat_row_end(plait__repeat_row *row)
{
	if (row->now == 0)
		return;
	row->last[1] = row->last[0];
	row->last[0] = row->now;
	row->now = 0;
}

uint32_t plait__repeat_row_left(const plait__repeat_row *row, uint32_t endless)
{
	uint32_t least = row->last[0] < row->last[1] ? row->last[0] :
						       row->last[1];

	if (row->now >= endless)
		return PLAIT__REPEAT_ROW_ENDLESS;
	return least > row->now ? least - row->now : 0;
}

uint32_t plait__repeat_row_times(uint32_t periods, uint32_t most)
{
	if (periods == PLAIT__REPEAT_ROW_ENDLESS)
		return most;
	if (periods <= most)
		return periods;
	for (uint32_t times = most; times > most / LEAST_PART; times--)
		if (periods % times == 0)
			return times;
	return most;
}
