/* SPDX-License-Identifier: MIT */
/* Sized structs of chunk programs. */
#include "sizes.h"

static plait_status make(const plait_coll_desc *desc, plait_coll **out)
{
	const plait_coll_desc usual = {
		.size = sizeof(usual), .kind = PLAIT_COLL_BROADCAST, .ranks = 2,
	};

	return plait_coll_create(stage.rig.context,
				 desc != NULL ? desc : &usual, out,
				 &stage.error);
}

static plait_status try_coll_desc(struct trial *trial)
{
	const plait_coll_desc good = { .kind = PLAIT_COLL_BROADCAST,
				       .ranks = 2 };
	plait_coll *coll = NULL;
	plait_status status = make(GIVEN(good), &coll);

	plait_coll_release(coll);
	return status;
}

static plait_status copy(const plait_chunk_place *place, plait_coll **out)
{
	plait_chunk chunk = 0;
	plait_status status = make(NULL, out);

	if (status == PLAIT_OK)
		status = plait_coll_chunk(*out, 0, PLAIT_CHUNK_INPUT, 0, 1,
					  &chunk, &stage.error);
	if (status == PLAIT_OK)
		status = plait_coll_copy(*out, chunk, place, NULL,
					 &stage.error);
	return status;
}

static plait_status try_place(struct trial *trial)
{
	const plait_chunk_place good = { .flags = PLAIT_CHUNK_HAS_BUFFER,
					 .rank = 1,
					 .buffer = PLAIT_CHUNK_OUTPUT };
	plait_coll *coll = NULL;
	plait_status status = copy(GIVEN(good), &coll);

	plait_coll_release(coll);
	return status;
}

static plait_status try_compile_desc(struct trial *trial)
{
	const plait_coll_desc ring = { .size = sizeof(ring), .ranks = 2,
				       .kind = PLAIT_COLL_ALLREDUCE };
	const plait_compile_desc good = { .instances = 2 };
	plait_coll *coll = NULL;
	plait_schedule *schedule = NULL;
	plait_status status = plait_coll_known(stage.rig.context, "ring", &ring,
					       &coll, &stage.error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, GIVEN(good), &schedule,
					    &stage.error);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

const struct sized sized_colls[] = {
	SIZED(plait_coll_desc, try_coll_desc, false, false),
	SIZED(plait_chunk_place, try_place, false, false),
	SIZED(plait_compile_desc, try_compile_desc, false, false),
	{ .call = NULL }
};
