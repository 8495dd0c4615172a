/* SPDX-License-Identifier: MIT */
/* Running mean of times; see time_model.h. */
#include "flow/policy/time_model.h"

#include <stdbool.h>

enum { OUTLIER = 8, FAR = 4 };

static void begin_anew(plait__time_model *model, uint64_t time)
{
	*model = (plait__time_model){
		.mean = time, .spread = time / 2, .count = 1,
	};
}

static uint64_t distance(uint64_t one, uint64_t other)
{
	return one > other ? one - other : other - one;
}

/* Move a value by an eighth of the way, rounded up, so that it arrives. */
static uint64_t moved(uint64_t value, uint64_t to)
{
	uint64_t step = (distance(value, to) + 7) / 8;

	return to > value ? value + step : value - step;
}

/* The spread first: the distance is from the mean so far. */
static void fold(plait__time_model *model, uint64_t time)
{
	model->spread = moved(model->spread, distance(model->mean, time));
	model->mean = moved(model->mean, time);
	model->count += model->count < UINT32_MAX;
}

/* Returns true if the time is far, and completes a row of such. The times of the
 * row widen the spread, hence the one before it. */
static bool completes_row(plait__time_model *model, uint64_t time)
{
	if (model->row_count == 0) {
		model->row_mean = model->mean;
		model->row_spread = model->spread;
	}
	if (distance(model->row_mean, time) <= FAR * model->row_spread)
		model->row_count = 0;
	else
		model->row_count++;
	return model->row_count == PLAIT__TIME_ROW;
}

void plait__time_model_add(plait__time_model *model, uint64_t ns)
{
	uint64_t time = ns < PLAIT__TIME_MOST_NS ? ns : PLAIT__TIME_MOST_NS;
	uint64_t held = model->held;

	if (model->count == 0 || completes_row(model, time)) {
		begin_anew(model, time);
		return;
	}
	model->held = time > OUTLIER * model->mean ? time : 0;
	if (model->held == 0)
		fold(model, time);
	else if (held != 0)
		fold(model, held);
}
