/* SPDX-License-Identifier: MIT */
/* Sized structs of worlds and their collectives, in a world of one rank. */
#include "sizes.h"

static plait_status open_world(plait_world **out)
{
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = "" };

	return plait_world_open(stage.rig.context, &desc, out, &stage.error);
}

static plait_status try_desc(struct trial *trial)
{
	const plait_world_desc good = { .transports = "" };
	plait_world *world = NULL;
	plait_status status = plait_world_open(stage.rig.context, GIVEN(good),
					       &world, &stage.error);

	plait_world_release(world);
	return status;
}

static plait_status try_info(struct trial *trial)
{
	const plait_world_info good = { .size = 0 };
	plait_world *world = NULL;
	plait_status status = open_world(&world);

	if (status == PLAIT_OK)
		status = plait_world_query(world, GIVEN(good), &stage.error);
	plait_world_release(world);
	return status;
}

static plait_status make_alone(plait_schedule **out)
{
	const plait_coll_desc desc = { .size = sizeof(desc), .ranks = 1,
				       .kind = PLAIT_COLL_ALLREDUCE,
				       .flags = PLAIT_COLL_IN_PLACE };
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(stage.rig.context, "ring", &desc,
					       &coll, &stage.error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, out, &stage.error);
	plait_coll_release(coll);
	return status;
}

static plait_status try_run(struct trial *trial)
{
	static int numbers[4];
	const plait_collective_run good = {
		.element_bits = 32, .count = 4, .output_memory = numbers
	};
	plait_collective *collective = NULL;
	plait_schedule *schedule = NULL;
	plait_world *world = NULL;
	plait_status status = open_world(&world);

	if (status == PLAIT_OK)
		status = make_alone(&schedule);
	if (status == PLAIT_OK)
		status = plait_collective_create(world, &schedule, 1,
						 &collective, &stage.error);
	if (status == PLAIT_OK)
		status = plait_collective_call(collective, GIVEN(good),
					       &stage.error);
	plait_collective_release(collective);
	plait_schedule_release(schedule);
	plait_world_release(world);
	return status;
}

const struct sized sized_worlds[] = {
	SIZED(plait_world_desc, try_desc, false, false),
	SIZED(plait_world_info, try_info, true, false),
	SIZED(plait_collective_run, try_run, false, false),
	{ .call = NULL }
};
