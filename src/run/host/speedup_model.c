/* SPDX-License-Identifier: MIT */
/* Plans simulated with hops of several lengths; see speedup_model.h. */
#include "run/host/speedup_model.h"

#include "plan/simulate/simulate.h"

static plait_status simulate(plait__speedup_model *forecast, uint32_t point,
			     const plait__plan *plan, uint32_t threads,
			     const plait_allocator *allocator,
			     plait_error *error)
{
	const plait__simulate_system system = {
		.hop_cost = forecast->hops[point],
	};
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(plan, &system, allocator,
						   &timeline, error);

	if (status != PLAIT_OK)
		return status;
	forecast->takes[point] = timeline->makespan;
	forecast->total = 0;
	for (uint32_t i = 0; i < timeline->lane_count; i++)
		if (__builtin_add_overflow(forecast->total,
					   timeline->lane_busy[i],
					   &forecast->total))
			forecast->total = UINT64_MAX;
	/* Nor can fewer threads do it sooner. */
	if (forecast->takes[point] < forecast->total / threads)
		forecast->takes[point] = forecast->total / threads;
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

plait_status plait__speedup_model_make(plait__speedup_model *forecast,
				       const plait__plan *plan, uint32_t threads,
				       const plait_allocator *allocator,
				       plait_error *error)
{
	uint64_t mean;
	plait_status status;

	forecast->hops[0] = 0;
	status = simulate(forecast, 0, plan, threads, allocator, error);
	/* Between a fraction of a command and some of them lies what matters;
	 * where hops are longer lanes save little. */
	mean = forecast->total / (plan->command_count + 1ull);
	forecast->hops[1] = mean / 4 + 1;
	forecast->hops[2] = mean / 2 * 5 + 4;
	for (uint32_t i = 1; status == PLAIT_OK && i < PLAIT__SPEEDUP_POINTS;
	     i++)
		status = simulate(forecast, i, plan, threads, allocator,
				  error);
	return status;
}

/* The last stretch goes on beyond its end. */
static double takes(const plait__speedup_model *forecast, double hop)
{
	uint32_t i = hop <= (double)forecast->hops[1] ? 0 : 1;
	double from = (double)forecast->takes[i];
	double far = (double)(forecast->hops[i + 1] - forecast->hops[i]);

	return from + ((double)forecast->takes[i + 1] - from) *
		      (hop - (double)forecast->hops[i]) / far;
}

double plait__speedup_model_saving(const plait__speedup_model *forecast,
				   uint64_t serial_ns, uint64_t hop_ns)
{
	double total = (double)forecast->total, unit;

	if (serial_ns == 0 || forecast->total == 0)
		return 0;
	unit = (double)serial_ns / total;
	return (double)serial_ns -
	       takes(forecast, (double)hop_ns / unit) * unit;
}
