/* SPDX-License-Identifier: MIT */
/* Simulation of a plan with several hop costs; see speedup_model.h. */
#include "run/host/speedup_model.h"

#include "plan/simulate/simulate.h"

static plait_status simulate(plait__speedup_model *model, uint32_t point,
			     const plait__plan *plan, uint32_t threads,
			     const plait_allocator *allocator,
			     plait_error *error)
{
	const plait__simulate_system system = {
		.hop_cost = model->hops[point],
	};
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(plan, &system, allocator,
						   &timeline, error);

	if (status != PLAIT_OK)
		return status;
	model->makespans[point] = timeline->makespan;
	model->total = 0;
	for (uint32_t i = 0; i < timeline->lane_count; i++)
		if (__builtin_add_overflow(model->total,
					   timeline->lane_busy[i],
					   &model->total))
			model->total = UINT64_MAX;
	/* A lower bound: the work, spread evenly over the threads. */
	if (model->makespans[point] < model->total / threads)
		model->makespans[point] = model->total / threads;
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

plait_status plait__speedup_model_make(plait__speedup_model *model,
				       const plait__plan *plan,
				       uint32_t threads,
				       const plait_allocator *allocator,
				       plait_error *error)
{
	uint64_t mean;
	plait_status status;

	model->hops[0] = 0;
	status = simulate(model, 0, plan, threads, allocator, error);
	/* Hop costs between a fraction of a mean command and a few of them
	 * matter; with longer hops lanes save little. */
	mean = model->total / (plan->command_count + 1ull);
	model->hops[1] = mean / 4 + 1;
	model->hops[2] = mean / 2 * 5 + 4;
	for (uint32_t i = 1; status == PLAIT_OK && i < PLAIT__SPEEDUP_POINTS;
	     i++)
		status = simulate(model, i, plan, threads, allocator,
				  error);
	return status;
}

/* Linear between the points, extrapolated behind the last. */
static double makespan_at(const plait__speedup_model *model, double hop)
{
	uint32_t i = hop <= (double)model->hops[1] ? 0 : 1;
	double from = (double)model->makespans[i];
	double far = (double)(model->hops[i + 1] - model->hops[i]);

	return from + ((double)model->makespans[i + 1] - from) *
		      (hop - (double)model->hops[i]) / far;
}

double plait__speedup_model_saving(const plait__speedup_model *model,
				   uint64_t serial_ns, uint64_t hop_ns)
{
	double total = (double)model->total, unit;

	if (serial_ns == 0 || model->total == 0)
		return 0;
	unit = (double)serial_ns / total;
	return (double)serial_ns -
	       makespan_at(model, (double)hop_ns / unit) * unit;
}
