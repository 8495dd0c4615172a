/* SPDX-License-Identifier: MIT */
/* Rows of periods; see repeat_row.h. */
#include "flow/repeat/repeat_row.h"

enum {
	/* A divisor below this part of the most periods is too short for a run. */
	LEAST_PART = 4,
	/* Rows without two equal ones in a row: none are expected. */
	UNEQUAL = 8
};

void plait__repeat_row_end(plait__repeat_row *row)
{
	if (row->now == 0)
		return;
	row->last[1] = row->last[0];
	row->last[0] = row->now;
	row->now = 0;
	row->rows++;
}

uint32_t plait__repeat_row_left(const plait__repeat_row *row, uint32_t endless)
{
	uint32_t least = row->last[0] < row->last[1] ? row->last[0] :
						       row->last[1];

	if (row->now >= endless)
		return PLAIT__REPEAT_ROW_ENDLESS;
	return least > row->now ? least - row->now : 0;
}

bool plait__repeat_row_is_steady(const plait__repeat_row *row, uint32_t endless)
{
	return row->now >= endless || row->rows >= UNEQUAL ||
	       (row->last[0] != 0 && row->last[0] == row->last[1]);
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
