/* SPDX-License-Identifier: MIT */
/* Graphs of schedules through the public calls: bits of each element type,
 * parameters, several devices, bad input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "plait/plait.h"

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *device;

static plait_schedule *compile(const char *name, plait_coll_kind kind,
			       uint32_t ranks, plait_coll_flags flags)
{
	const plait_coll_desc desc = { .size = sizeof(desc), .kind = kind,
				       .flags = flags, .ranks = ranks };
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;

	OK_THAT(plait_coll_known(context, name, &desc, &coll, &error) ==
		PLAIT_OK, "%s", error.text);
	OK_THAT(plait_coll_compile(coll, NULL, &schedule, &error) == PLAIT_OK,
		"%s", error.text);
	plait_coll_release(coll);
	return schedule;
}

static plait_buffer *wrap(void *memory, uint64_t bytes)
{
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .pointer = memory, .bytes = bytes };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_wrap(device, &desc, &buffer, &error) == PLAIT_OK,
		"%s", error.text);
	return buffer;
}

static plait_plan *freeze(plait_schedule *schedule,
			  const plait_collective_desc *desc)
{
	const plait_freeze_desc how = { .size = sizeof(how),
					.flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	OK_THAT(plait_schedule_graph(schedule, desc, &graph, &error) ==
		PLAIT_OK, "%s", error.text);
	OK_THAT(plait_graph_freeze(graph, &how, &plan, &error) == PLAIT_OK,
		"%s", error.text);
	plait_graph_release(graph);
	return plan;
}

/* Reduce two arrays in place; both get the result. */
static void reduce(plait_schedule *schedule, plait_element element,
		   uint32_t bits, plait_reduction reduction, void *one,
		   void *other, uint64_t count)
{
	plait_buffer *buffers[] = { wrap(one, count * bits / 8),
				    wrap(other, count * bits / 8) };
	const plait_collective_desc desc = {
		.size = sizeof(desc), .element = element, .element_bits = bits,
		.reduction = reduction, .count = count, .outputs = buffers,
	};
	plait_plan *plan = freeze(schedule, &desc);

	OK_THAT(plait_plan_call(plan, NULL, NULL, &error) == PLAIT_OK, "%s",
		error.text);
	OK(memcmp(one, other, count * bits / 8) == 0);
	plait_plan_release(plan);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
}

/* ---- elements ---- */

/* f16: 1 + 2^-11 rounds to even down, 1 + 3 * 2^-11 up; 65504 + 16 is infinite;
 * the sum of two subnormal numbers is exact; 2^-25 alone is lost. */
static void adds_halves(plait_schedule *schedule)
{
	uint16_t one[] = { 0x3c00, 0x3c01, 0x7bff, 0x0001, 0x7c00, 0x0400 };
	uint16_t other[] = { 0x1000, 0x1000, 0x4c00, 0x03ff, 0xfc00, 0x8001 };
	const uint16_t want[] = { 0x3c00, 0x3c02, 0x7c00, 0x0400, 0x7e00,
				  0x03ff };

	reduce(schedule, PLAIT_ELEMENT_FLOAT, 16, PLAIT_REDUCE_SUM, one, other,
	       TAP_COUNT(one));
	for (size_t i = 0; i < TAP_COUNT(one); i++)
		IS_UINT(i == 4 ? one[i] & 0x7fff : one[i], want[i]);
}

/* bf16: 1 + 2^-8 to even, 1 + 2^-7 + 2^-8 up, a NaN stays one. */
static void adds_bfloats(plait_schedule *schedule)
{
	uint16_t one[] = { 0x3f80, 0x3f81, 0x7f80, 0x7f7f };
	uint16_t other[] = { 0x3b80, 0x3b80, 0xff80, 0x7f7f };
	const uint16_t want[] = { 0x3f80, 0x3f82, 0x7fc0, 0x7f80 };

	reduce(schedule, PLAIT_ELEMENT_BFLOAT, 16, PLAIT_REDUCE_SUM, one, other,
	       TAP_COUNT(one));
	for (size_t i = 0; i < TAP_COUNT(one); i++)
		IS_UINT(i == 2 ? one[i] & 0x7fff : one[i], want[i]);
}

/* A NaN wins, and -0 is less than 0, whichever rank has it. */
static void orders_floats(plait_schedule *schedule)
{
	float one[] = { 1, NAN, 2, 0.0f, -0.0f }, least[5];
	float other[] = { 2, 1, NAN, -0.0f, 0.0f };

	memcpy(least, one, sizeof(least));
	reduce(schedule, PLAIT_ELEMENT_FLOAT, 32, PLAIT_REDUCE_MIN, least, other,
	       5);
	OK(least[0] == 1 && isnan(least[1]) && isnan(least[2]));
	OK(signbit(least[3]) && signbit(least[4]));
	memcpy(other, (float[]){ 2, 1, NAN, -0.0f, 0.0f }, sizeof(other));
	reduce(schedule, PLAIT_ELEMENT_FLOAT, 32, PLAIT_REDUCE_MAX, one, other,
	       5);
	OK(one[0] == 2 && isnan(one[1]) && isnan(one[2]));
	OK(!signbit(one[3]) && !signbit(one[4]));
}

static void wraps_integers(plait_schedule *schedule)
{
	int8_t one[] = { 100, -100, -128 }, other[] = { 100, -100, 127 };
	int8_t least[] = { 100, -100, -128 };
	int64_t far[] = { INT64_MAX, 3 }, away[] = { 2, -5 };

	reduce(schedule, PLAIT_ELEMENT_INT, 8, PLAIT_REDUCE_SUM, one, other, 3);
	OK(one[0] == -56 && one[1] == 56 && one[2] == -1);
	memcpy(other, (int8_t[]){ 100, 1, 127 }, sizeof(other));
	reduce(schedule, PLAIT_ELEMENT_INT, 8, PLAIT_REDUCE_MIN, least, other,
	       3);
	OK(least[0] == 100 && least[1] == -100 && least[2] == -128);
	reduce(schedule, PLAIT_ELEMENT_INT, 64, PLAIT_REDUCE_PROD, far, away, 2);
	OK(far[0] == -2 && far[1] == -15);
}

static void elements(void)
{
	plait_schedule *schedule = compile("ring", PLAIT_COLL_ALLREDUCE, 2,
					   PLAIT_COLL_IN_PLACE);

	adds_halves(schedule);
	adds_bfloats(schedule);
	orders_floats(schedule);
	wraps_integers(schedule);
	plait_schedule_release(schedule);
}

/* ---- memory ---- */

/* Runs of one plan with buffers of their own. */
static void parameters(void)
{
	plait_schedule *schedule = compile("ring", PLAIT_COLL_ALLGATHER, 2, 0);
	const plait_collective_desc desc = {
		.size = sizeof(desc), .element = PLAIT_ELEMENT_INT,
		.element_bits = 32, .count = 3,
	};
	plait_plan *plan = freeze(schedule, &desc);

	for (int32_t i = 0; i < 3; i++) {
		int32_t in[2][3] = { { i, 1, 2 }, { 3, 4, 5 + i } };
		int32_t out[2][6] = { { 0 } };
		const int32_t want[] = { i, 1, 2, 3, 4, 5 + i };
		plait_buffer *buffers[] = { wrap(in[0], 12), wrap(in[1], 12),
					    wrap(out[0], 24), wrap(out[1], 24) };
		static const char *const names[] = { "in0", "in1", "out0",
						     "out1" };
		plait_binding bindings[4];
		const plait_run_desc run = { .size = sizeof(run),
					     .bindings = bindings,
					     .binding_count = 4 };

		for (uint32_t k = 0; k < 4; k++) {
			bindings[k] = (plait_binding){
				.size = sizeof(*bindings),
				.buffer = buffers[k]
			};
			IS_INT(plait_plan_find_parameter(
				       plan, names[k], &bindings[k].parameter,
				       &error), PLAIT_OK);
		}
		OK_THAT(plait_plan_call(plan, NULL, &run, &error) == PLAIT_OK,
			"%s", error.text);
		OK(memcmp(out[0], want, 24) == 0 &&
		   memcmp(out[1], want, 24) == 0);
		for (uint32_t k = 0; k < 4; k++)
			plait_buffer_release(buffers[k]);
	}
	plait_plan_release(plan);
	plait_schedule_release(schedule);
}

/* ---- pieces ---- */

enum { PIECE_RANKS = 4, PIECE_COUNT = 400007 };

static void fill(float **memory)
{
	uint32_t state = 1;

	for (uint32_t r = 0; r < PIECE_RANKS; r++)
		for (uint32_t i = 0; i < PIECE_COUNT; i++) {
			state = state * 1664525u + 1013904223u;
			memory[r][i] = (float)(state >> 8) / 3;
		}
}

/* Sum the memory of all ranks in place, with buffers of the graph or of the run;
 * *out is the number of nodes. */
static void sum_up(plait_schedule *schedule, float **memory, bool is_bound,
		   uint64_t *out)
{
	plait_buffer *buffers[PIECE_RANKS];
	plait_binding bindings[PIECE_RANKS];
	const plait_collective_desc desc = {
		.size = sizeof(desc), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = PIECE_COUNT,
		.outputs = is_bound ? NULL : buffers,
	};
	const plait_run_desc run = { .size = sizeof(run), .bindings = bindings,
				     .binding_count = is_bound ? PIECE_RANKS :
								 0 };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan;

	for (uint32_t r = 0; r < PIECE_RANKS; r++)
		buffers[r] = wrap(memory[r], PIECE_COUNT * sizeof(float));
	plan = freeze(schedule, &desc);
	for (uint32_t r = 0; is_bound && r < PIECE_RANKS; r++) {
		char name[] = { 'o', 'u', 't', (char)('0' + r), 0 };

		bindings[r] = (plait_binding){ .size = sizeof(*bindings),
					       .buffer = buffers[r] };
		IS_INT(plait_plan_find_parameter(plan, name,
						 &bindings[r].parameter,
						 &error), PLAIT_OK);
	}
	OK_THAT(plait_plan_call(plan, NULL, &run, &error) == PLAIT_OK, "%s",
		error.text);
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	*out = info.nodes;
	plait_plan_release(plan);
	for (uint32_t r = 0; r < PIECE_RANKS; r++)
		plait_buffer_release(buffers[r]);
}

/* Memory larger than a cache is reduced in pieces, with the same bits. */
static void pieces(void)
{
	static const char *const names[] = { "ring", "allpairs", "halving",
					     "onestep" };
	float *memory[PIECE_RANKS], *whole[PIECE_RANKS];
	uint64_t nodes, fewer;

	for (uint32_t r = 0; r < PIECE_RANKS; r++) {
		memory[r] = malloc(PIECE_COUNT * sizeof(float));
		whole[r] = malloc(PIECE_COUNT * sizeof(float));
	}
	for (size_t i = 0; i < TAP_COUNT(names); i++) {
		plait_schedule *schedule = compile(names[i],
						   PLAIT_COLL_ALLREDUCE,
						   PIECE_RANKS,
						   PLAIT_COLL_IN_PLACE);

		fill(memory);
		fill(whole);
		sum_up(schedule, memory, false, &nodes);
		sum_up(schedule, whole, true, &fewer);
		OK_THAT(nodes > fewer, "%s: %llu nodes", names[i],
			(unsigned long long)nodes);
		for (uint32_t r = 0; r < PIECE_RANKS; r++)
			OK_THAT(memcmp(memory[r], whole[r],
				       PIECE_COUNT * sizeof(float)) == 0,
				"%s: rank %u has these bits", names[i], r);
		plait_schedule_release(schedule);
	}
	for (uint32_t r = 0; r < PIECE_RANKS; r++) {
		free(memory[r]);
		free(whole[r]);
	}
}

/* ---- bad input ---- */

static void is_refused(plait_schedule *schedule, plait_collective_desc desc,
		       const char *text)
{
	plait_graph *graph = (plait_graph *)1;

	IS_INT(plait_schedule_graph(schedule, &desc, &graph, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, text);
	IS_PTR(graph, NULL);
}

static void refuses(void)
{
	plait_schedule *schedule = compile("ring", PLAIT_COLL_ALLGATHER, 2, 0);
	plait_schedule *inside = compile("ring", PLAIT_COLL_ALLREDUCE, 2,
					 PLAIT_COLL_IN_PLACE);
	char memory[2][16], more[2][8];
	plait_buffer *buffers[] = { wrap(memory[0], 16), wrap(memory[1], 16) };
	plait_buffer *inputs[] = { wrap(more[0], 8), wrap(more[1], 8) };
	plait_buffer *missing[] = { buffers[0], NULL };
	const plait_collective_desc good = {
		.size = sizeof(good), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = 2, .inputs = inputs,
		.outputs = buffers,
	};
	plait_collective_desc desc = good;
	plait_schedule_info info = { .size = sizeof(info) };

	IS_INT(plait_schedule_graph(schedule, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	desc.count = 3;
	is_refused(schedule, desc, "the input of rank 0 has 8 bytes, but needs "
		   "12");
	desc.count = UINT64_MAX / 2;
	is_refused(schedule, desc, "is too large");
	desc = good;
	desc.element_bits = 24;
	is_refused(schedule, desc, "cannot be reduced");
	desc = good;
	desc.reduction = 4;
	is_refused(schedule, desc, "reduction 4");
	desc = good;
	desc.inputs = NULL;
	is_refused(schedule, desc, "inputs is null");
	desc = good;
	desc.outputs = missing;
	is_refused(schedule, desc, "the output of rank 1 is null");
	is_refused(inside, good, "in place");
	IS_INT(plait_schedule_query(schedule, NULL, &error), PLAIT_E_INVALID);
	IS_INT(plait_schedule_query(inside, &info, &error), PLAIT_OK);
	IS_UINT(info.flags, PLAIT_SCHEDULE_IN_PLACE);
	IS_UINT(info.share_chunks, 2);
	IS_UINT(info.min_bytes, 0);
	IS_UINT(info.max_bytes, 0);
	IS_UINT(info.ranks, 2);
	IS_STR(info.name, "ring");
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	plait_buffer_release(inputs[0]);
	plait_buffer_release(inputs[1]);
	plait_schedule_release(schedule);
	plait_schedule_release(inside);
}

/* ---- all ---- */

static void run(void (*scenario)(void))
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };

	OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK, "%s",
		error.text);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	scenario();
	IS_INT(plait_context_close(context, TAP_PATIENCE_NS, &error), PLAIT_OK);
}

static void test_elements(void)
{
	run(elements);
}

static void test_parameters(void)
{
	run(parameters);
}

static void test_pieces(void)
{
	run(pieces);
}

static void test_refuses(void)
{
	run(refuses);
}

static const struct tap_scenario all[] = {
	{ "bits of elements", test_elements },
	{ "parameters", test_parameters },
	{ "pieces", test_pieces },
	{ "refuses", test_refuses },
};
TAP_MAIN(all)
