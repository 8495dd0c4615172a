/* SPDX-License-Identifier: MIT */
/* Chunk programs, tried while something fails. */
#include "fault/calls.h"

static const plait_coll_promise *promise_sum(void)
{
	static const uint32_t ranks[] = { 0, 1 };
	static const uint64_t indices[] = { 1, 1 };
	static const plait_coll_promise promise = {
		sizeof(promise), 0, 0, 2, ranks, indices
	};

	return &promise;
}

/* Rank 0 adds the second chunks of both in two ways. */
static plait_status add_operations(plait_coll *coll, plait_error *error)
{
	plait_chunk_place to = { .size = sizeof(to),
				 .flags = PLAIT_CHUNK_APPEND,
				 .buffer = PLAIT_CHUNK_SCRATCH };
	plait_chunk a, b;
	plait_status status = plait_coll_parallel(coll, 2, error);

	if (status == PLAIT_OK)
		status = plait_coll_chunk(coll, 0, PLAIT_CHUNK_INPUT, 0, 2, &a,
					  error);
	if (status == PLAIT_OK)
		status = plait_coll_part(coll, a, 1, 1, &a, error);
	if (status == PLAIT_OK)
		status = plait_coll_copy(coll, a, &to, &a, error);
	if (status == PLAIT_OK)
		status = plait_coll_chunk(coll, 1, PLAIT_CHUNK_INPUT, 1, 1, &b,
					  error);
	if (status == PLAIT_OK)
		status = plait_coll_reduce(coll, a, b, NULL, &a, error);
	to.flags = PLAIT_CHUNK_HAS_BUFFER;
	to.buffer = PLAIT_CHUNK_OUTPUT;
	if (status == PLAIT_OK)
		status = plait_coll_copy(coll, a, &to, &a, error);
	if (status == PLAIT_OK)
		status = plait_coll_chunk(coll, 1, PLAIT_CHUNK_INPUT, 0, 1, &a,
					  error);
	if (status == PLAIT_OK)
		status = plait_coll_join(coll, a, b, &a, error);
	return status == PLAIT_OK ? plait_coll_end(coll, error) : status;
}

static plait_status compile(plait_coll *coll, plait_error *error)
{
	const plait_compile_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_COMPILE_AGGREGATE,
		.lanes = 4,
	};
	plait_schedule *schedule = NULL;
	plait_status status = plait_coll_compile(coll, &desc, &schedule, error);

	plait_schedule_release(schedule);
	return status;
}

static plait_status create(struct place *place, plait_error *error)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_CUSTOM, .ranks = 2,
		.input_chunks = 2, .output_chunks = 1, .promise_count = 1,
		.promises = promise_sum(),
	};
	plait_coll *coll = NULL;
	plait_status status = plait_coll_create(place->context, &desc, &coll,
						error);

	if (status == PLAIT_OK)
		status = add_operations(coll, error);
	if (status == PLAIT_OK)
		status = compile(coll, error);
	plait_coll_retain(coll);
	plait_coll_release(coll);
	plait_coll_release(coll);
	return status;
}

static plait_status known(struct place *place, plait_error *error)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .ranks = 3,
	};
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(place->context, "allpairs",
					       &desc, &coll, error);

	if (status == PLAIT_OK)
		status = compile(coll, error);
	plait_coll_release(coll);
	return status;
}

static plait_status read_text(struct place *place, plait_error *error)
{
	static const char text[] =
		"custom ranks=2 inputs=1 outputs=1\n"
		"promise output[1, 0] = input[0, 0]\n"
		"for r in 0..1 { c = copy(input[r, 0], output[r + 1, 0]) }\n";
	plait_coll *coll = NULL;
	plait_status status = plait_coll_read(place->context, text,
					      sizeof(text) - 1, NULL, 0, 0,
					      &coll, error);

	if (status == PLAIT_OK)
		status = compile(coll, error);
	plait_coll_release(coll);
	return status;
}

static plait_status simulate(struct place *place, plait_error *error)
{
	static const char cluster[] = "cluster ranks=3\nlane rate=1\n";
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .ranks = 3,
	};
	plait_coll_simulation result = { .size = sizeof(result) };
	uint64_t bytes;
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(place->context, "ring", &desc,
					       &coll, error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, error);
	if (status == PLAIT_OK)
		status = plait_schedule_simulate(schedule, cluster,
						 sizeof(cluster) - 1, NULL, 3,
						 &result, error);
	if (status == PLAIT_OK)
		status = plait_schedule_draw(schedule, cluster,
					     sizeof(cluster) - 1, NULL, 3,
					     NULL, 0, &bytes, error);
	if (status == PLAIT_OK && result.tiles != 1)
		status = calls_wrong(error, "another number of tiles");
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

/* With buffers bound by the run, so that there are temporaries. */
static plait_status graph(struct place *place, plait_error *error)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .ranks = 3,
	};
	const plait_collective_desc collective = {
		.size = sizeof(collective), .element_bits = 32, .count = 7,
	};
	plait_schedule_info info = { .size = sizeof(info) };
	plait_schedule *schedule = NULL;
	plait_graph *made = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(place->context, "ring", &desc,
					       &coll, error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, error);
	if (status == PLAIT_OK)
		status = plait_schedule_query(schedule, &info, error);
	if (status == PLAIT_OK && info.ranks != 3)
		status = calls_wrong(error, "another number of ranks");
	if (status == PLAIT_OK)
		status = plait_schedule_graph(schedule, &collective, &made,
					      error);
	plait_graph_release(made);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

enum { PIECES_BYTES = 512 << 10 };

/* With so much memory on the host that there are pieces. */
static plait_status pieces(struct place *place, plait_error *error)
{
	static char memory[2][PIECES_BYTES];
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .ranks = 2,
		.flags = PLAIT_COLL_IN_PLACE,
	};
	plait_buffer *buffers[2] = { NULL, NULL };
	const plait_collective_desc collective = {
		.size = sizeof(collective), .element_bits = 32,
		.count = PIECES_BYTES / 4, .outputs = buffers,
	};
	plait_schedule *schedule = NULL;
	plait_graph *made = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(place->context, "ring", &desc,
					       &coll, error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, error);
	for (uint32_t i = 0; i < 2 && status == PLAIT_OK; i++) {
		const plait_wrap_desc wrap = {
			.size = sizeof(wrap), .flags = PLAIT_CALL_ANY_THREAD,
			.pointer = memory[i], .bytes = PIECES_BYTES,
		};

		status = plait_buffer_wrap(place->device, &wrap, &buffers[i],
					   error);
	}
	if (status == PLAIT_OK)
		status = plait_schedule_graph(schedule, &collective, &made,
					      error);
	plait_graph_release(made);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

const struct calls_entry calls_coll[] = {
	{ "plait_coll_create plait_coll_chunk plait_coll_copy "
	  "plait_coll_reduce plait_coll_part plait_coll_join "
	  "plait_coll_parallel plait_coll_end plait_coll_compile "
	  "plait_coll_retain plait_coll_release", create, NULL },
	{ "plait_coll_known", known, NULL },
	{ "plait_coll_read", read_text, NULL },
	{ "plait_schedule_query plait_schedule_graph", graph, NULL },
	{ "plait_schedule_graph plait_buffer_wrap", pieces, NULL },
	{ "plait_schedule_simulate plait_schedule_draw", simulate, NULL },
	{ NULL, NULL, NULL }
};
