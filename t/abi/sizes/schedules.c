/* SPDX-License-Identifier: MIT */
/* Sized structs of schedules of collectives. */
#include "sizes.h"

static plait_status check(const plait_proof_desc *desc, plait_proof *proof)
{
	static const char text[] =
		"<algo name=\"copy\" proto=\"Simple\" nchannels=\"1\" "
		"nchunksperloop=\"1\" ngpus=\"1\" coll=\"custom\" "
		"inplace=\"0\"><gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" "
		"s_chunks=\"0\"><tb id=\"0\" send=\"-1\" recv=\"-1\" "
		"chan=\"0\"><step s=\"0\" type=\"cpy\" srcbuf=\"i\" "
		"srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
		"depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb></gpu></algo>";
	plait_schedule *schedule = NULL;
	plait_status status = plait_schedule_read(stage.rig.context, text,
						  sizeof(text) - 1, NULL,
						  &schedule, &stage.error);

	if (status == PLAIT_OK)
		status = plait_schedule_check(schedule, desc, proof,
					      &stage.error);
	plait_schedule_release(schedule);
	return status;
}

static plait_status try_promise(struct trial *trial)
{
	const uint32_t rank = 0;
	const uint64_t index = 0;
	const plait_coll_promise good[] = {
		{ .source_count = 1, .source_ranks = &rank,
		  .source_indices = &index },
	};
	const plait_proof_desc desc = { .size = sizeof(desc),
					.flags = PLAIT_PROOF_HAS_PROMISES,
					.promise_count = 1,
					.promises = GIVEN_ALL(good) };
	plait_proof proof = { .size = sizeof(proof) };

	return check(&desc, &proof);
}

static plait_status try_proof_desc(struct trial *trial)
{
	const plait_proof_desc good = { .depth = 1 };
	plait_proof proof = { .size = sizeof(proof) };

	return check(GIVEN(good), &proof);
}

static plait_status try_proof(struct trial *trial)
{
	const plait_proof good = { .size = 0 };

	return check(NULL, GIVEN(good));
}

static plait_status make_ring(plait_schedule **out)
{
	const plait_coll_desc ring = { .size = sizeof(ring), .ranks = 2,
				       .kind = PLAIT_COLL_ALLREDUCE };
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(stage.rig.context, "ring", &ring,
					       &coll, &stage.error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, out, &stage.error);
	plait_coll_release(coll);
	return status;
}

static plait_status try_info(struct trial *trial)
{
	const plait_schedule_info good = { .size = 0 };
	plait_schedule *schedule = NULL;
	plait_status status = make_ring(&schedule);

	if (status == PLAIT_OK)
		status = plait_schedule_query(schedule, GIVEN(good),
					      &stage.error);
	plait_schedule_release(schedule);
	return status;
}

static plait_status try_simulation(struct trial *trial)
{
	static const char cluster[] = "cluster ranks=2\nlane rate=1\n";
	const plait_coll_simulation good = { .size = 0 };
	plait_schedule *schedule = NULL;
	plait_status status = make_ring(&schedule);

	if (status == PLAIT_OK)
		status = plait_schedule_simulate(schedule, cluster,
						 sizeof(cluster) - 1, NULL, 64,
						 GIVEN(good), &stage.error);
	plait_schedule_release(schedule);
	return status;
}

static plait_status try_collective(struct trial *trial)
{
	const plait_collective_desc good = { .element_bits = 32, .count = 4 };
	plait_schedule *schedule = NULL;
	plait_graph *graph = NULL;
	plait_status status = make_ring(&schedule);

	if (status == PLAIT_OK)
		status = plait_schedule_graph(schedule, GIVEN(good), &graph,
					      &stage.error);
	plait_graph_release(graph);
	plait_schedule_release(schedule);
	return status;
}

const struct sized sized_schedules[] = {
	SIZED(plait_coll_promise, try_promise, false, true),
	SIZED(plait_proof_desc, try_proof_desc, false, true),
	SIZED(plait_proof, try_proof, true, true),
	SIZED(plait_schedule_info, try_info, true, false),
	SIZED(plait_collective_desc, try_collective, false, false),
	SIZED(plait_coll_simulation, try_simulation, true, false),
	{ .call = NULL }
};
