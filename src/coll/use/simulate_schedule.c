/* SPDX-License-Identifier: MIT */
/* Public simulation of schedules on clusters, in numbers and as a picture. */
#include "coll/price/price.h"
#include "coll/prove/prove.h"
#include "coll/use/schedule_object.h"
#include "coll/use/shadow_plan.h"
#include "render/render.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

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

/* Arguments of both public calls, and the place of the result: the first of
 * `simulation` and `text` that is not null. */
typedef struct plait__simulate_request {
	plait__cluster cluster;
	uint64_t bytes;
	plait_coll_simulation *simulation;
	plait__text *text;
	plait_error *error;
} plait__simulate_request;

/* ---- pictures ---- */

static plait_status draw(const plait__schedule *schedule,
			 const plait__price *price,
			 const plait__simulate_request *request)
{
	plait__shadow_plan shadow;
	plait__schedule_caption caption = { .unit = "ns" };
	char title[160], detail[160];
	plait_status status = plait__shadow_plan_make(&shadow, schedule, price,
						      request->error);

	if (status == PLAIT_OK) {
		(void)snprintf(title, sizeof(title), "%s, %u ranks",
			       schedule->name[0] != 0 ? schedule->name :
							"collective",
			       schedule->rank_count);
		(void)snprintf(detail, sizeof(detail), "%llu bytes in %llu ns; "
			       "tile 1 of %llu, %llu bytes of each chunk; %llu "
			       "lanes, channels 0 to %u",
			       (unsigned long long)request->bytes,
			       (unsigned long long)price->time_ns,
			       (unsigned long long)price->tiles,
			       (unsigned long long)price->tile_bytes,
			       (unsigned long long)schedule->lane_count,
			       schedule->channel_count > 0 ?
				       schedule->channel_count - 1 : 0);
		caption.title = title;
		caption.detail = detail;
		caption.lanes = shadow.lane_names;
		plait__schedule_svg_captioned(shadow.plan, shadow.timeline,
					      &caption, request->text);
		if (request->text->failed)
			status = plait__fail(request->error, PLAIT_E_NOMEM,
					     "no memory to draw a schedule");
	}
	plait__shadow_plan_fini(&shadow, schedule);
	return status;
}

/* ---- both ---- */

static plait_status simulate(const plait__schedule *schedule,
			     const plait__simulate_request *request)
{
	plait__proof proof;
	plait__price price = { .last_unit = PLAIT__PRICE_NONE };
	plait_status status = plait__prove_schedule(schedule, NULL, &proof,
						    request->error);

	if (status == PLAIT_OK)
		status = plait__price_schedule(schedule, &request->cluster,
					       request->bytes,
					       schedule->allocator, &price,
					       request->error);
	if (status == PLAIT_OK)
		status = request->simulation != NULL ?
			 write_simulation(&price, request->simulation,
					  request->error) :
			 draw(schedule, &price, request);
	plait__price_fini(&price);
	return status;
}

static plait_status read_cluster(plait__simulate_request *request,
				 const char *cluster, uint64_t cluster_bytes,
				 const char *name)
{
	if (cluster == NULL)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "cluster is null");
	return plait__cluster_read(cluster, cluster_bytes,
				   name != NULL ? name : "cluster",
				   &request->cluster, request->error);
}

PLAIT_API plait_status plait_schedule_simulate(plait_schedule *schedule,
					       const char *cluster,
					       uint64_t cluster_bytes,
					       const char *name, uint64_t bytes,
					       plait_coll_simulation *out,
					       plait_error *error)
{
	plait__simulate_request request = { .bytes = bytes, .simulation = out,
					    .error = error };
	plait__schedule_object *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	status = read_cluster(&request, cluster, cluster_bytes, name);
	if (status == PLAIT_OK)
		status = plait__schedule_object_enter(schedule, &entered,
						      error);
	if (status != PLAIT_OK)
		return status;
	status = simulate(entered->schedule, &request);
	plait__object_leave(&entered->object);
	return status;
}

static plait_status return_picture(const plait__text *text, char *buffer,
				   uint64_t capacity_bytes, uint64_t *out_bytes,
				   plait_error *error)
{
	if (out_bytes != NULL)
		*out_bytes = text->length + 1;
	if (buffer == NULL)
		return PLAIT_OK;
	if (capacity_bytes <= text->length)
		return plait__fail(error, PLAIT_E_INVALID, "the picture needs "
				   "%llu bytes, the buffer has %llu",
				   (unsigned long long)text->length + 1,
				   (unsigned long long)capacity_bytes);
	memcpy(buffer, plait__text_get(text), text->length + 1);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_schedule_draw(plait_schedule *schedule,
					   const char *cluster,
					   uint64_t cluster_bytes,
					   const char *name, uint64_t bytes,
					   char *buffer,
					   uint64_t capacity_bytes,
					   uint64_t *out_bytes,
					   plait_error *error)
{
	plait__simulate_request request = { .bytes = bytes, .error = error };
	plait__schedule_object *entered;
	plait__text text;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = read_cluster(&request, cluster, cluster_bytes, name);
	if (status == PLAIT_OK)
		status = plait__schedule_object_enter(schedule, &entered,
						      error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, entered->schedule->allocator);
	request.text = &text;
	status = simulate(entered->schedule, &request);
	if (status == PLAIT_OK)
		status = return_picture(&text, buffer, capacity_bytes,
					out_bytes, error);
	plait__text_fini(&text);
	plait__object_leave(&entered->object);
	return status;
}
