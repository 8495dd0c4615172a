/* SPDX-License-Identifier: MIT */
/* Public simulation of schedules on clusters. */
#include "coll/price/price.h"
#include "coll/prove/prove.h"
#include "coll/use/schedule_object.h"
#include "base/error.h"
#include "base/sized_struct.h"

static plait_status write_simulation(const plait__price *price,
				     plait_coll_simulation *out,
				     plait_error *error)
{
	const plait_coll_simulation ours = {
		.size = sizeof(ours),
		.time_ns = price->time_ns,
		.tiles = price->tiles,
		.executed_tiles = price->executed_tiles,
		.tile_bytes = price->tile_bytes,
		.critical_steps = price->critical_units,
		.critical_ns = price->critical_ns,
		.latency_ns = price->latency_ns,
	};

	return PLAIT__STRUCT_WRITE(plait_coll_simulation, out, &ours, error);
}

static plait_status simulate(const plait__schedule *schedule,
			     const plait__cluster *cluster, uint64_t bytes,
			     plait_coll_simulation *out, plait_error *error)
{
	plait__proof proof;
	plait__price price = { .last_unit = PLAIT__PRICE_NONE };
	plait_status status = plait__prove_schedule(schedule, NULL, &proof,
						    error);

	if (status == PLAIT_OK)
		status = plait__price_schedule(schedule, cluster, bytes,
					       schedule->allocator, &price,
					       error);
	if (status == PLAIT_OK)
		status = write_simulation(&price, out, error);
	plait__price_fini(&price);
	return status;
}

PLAIT_API plait_status plait_schedule_simulate(plait_schedule *schedule,
					       const char *cluster,
					       uint64_t cluster_bytes,
					       const char *name, uint64_t bytes,
					       plait_coll_simulation *out,
					       plait_error *error)
{
	plait__schedule_object *entered;
	plait__cluster ours;
	plait_status status;

	if (cluster == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "cluster is null");
	status = plait__cluster_read(cluster, cluster_bytes,
				     name != NULL ? name : "cluster", &ours,
				     error);
	if (status == PLAIT_OK)
		status = plait__schedule_object_enter(schedule, &entered,
						      error);
	if (status != PLAIT_OK)
		return status;
	status = simulate(entered->schedule, &ours, bytes, out, error);
	plait__object_leave(&entered->object);
	return status;
}
