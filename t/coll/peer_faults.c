/* SPDX-License-Identifier: MIT */
/*
 * Programs that compilers of the same kind translate to wrong steps without a
 * word, each as a source text: here the schedule is right, and the step that was
 * wrong there is looked at; or the text is refused with the reason.
 */
#include "coll/coll_compile.h"
#include "coll/prove/prove.h"
#include "coll/text/chunk_text.h"
#include "base/alloc.h"
#include "coll/interpret.h"

static plait__chunk_program *read_text(const char *text, plait_error *error)
{
	const plait__chunk_text_options options = { .ranks = 0 };
	plait__chunk_program *program;

	return plait__chunk_text_read(plait__alloc_default(), text,
				      strlen(text), "t", &options, &program,
				      error) == PLAIT_OK ? program : NULL;
}

/* Compile for plait and for an executor with its two slots; run and prove both.
 * Returns the executor's. */
static plait__schedule *is_right(const char *name, const char *text,
				 uint32_t instances)
{
	static const uint32_t targets[] = { PLAIT__TARGET_PLAIT,
					    PLAIT__TARGET_EXECUTOR };
	plait__schedule *schedule = NULL;

	for (size_t i = 0; i < TAP_COUNT(targets); i++) {
		const plait__compile_request how = {
			.target = targets[i], .instances = instances,
			.protocol = PLAIT__PROTOCOL_SIMPLE,
		};
		plait_error error = { .size = sizeof(error) };
		plait__chunk_program *program = read_text(text, &error);
		plait__proof proof;

		plait__schedule_free(schedule);
		schedule = NULL;
		if (!OK_THAT(program != NULL, "%s: %s", name, error.text))
			return NULL;
		OK_THAT(plait__compile_program(plait__alloc_default(), program,
					       &how, &schedule, &error) ==
			PLAIT_OK, "%s: %s", name, error.text);
		plait__chunk_program_free(program);
		IS_STR(interpret(schedule, tap_seed(), 5), "");
		OK_THAT(plait__prove_schedule(schedule, NULL, &proof, &error) ==
			PLAIT_OK, "%s is proved: %s", name, error.text);
		OK_THAT(proof.depth_min <= 2, "%s: two slots suffice", name);
	}
	return schedule;
}

/* Returns a step of the rank with this kind, or null. */
static const plait__coll_step *find_step(const plait__schedule *schedule,
					 uint32_t rank, uint32_t kind)
{
	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];

		for (uint64_t j = 0; j < lane->step_count; j++)
			if (lane->rank == rank &&
			    schedule->steps[lane->first_step + j].kind == kind)
				return &schedule->steps[lane->first_step + j];
	}
	return NULL;
}

/* A: of a sum of two chunks that is passed on, one is overwritten later, so that
 * a step that stores none of them loses the other. */
static void keeps_partly_dead_sums(void)
{
	plait__schedule *schedule = is_right("A",
		"custom ranks=3 inputs=2 outputs=2 in_place\n"
		"promise output[1, 0] = input[2, 0]\n"
		"promise output[1, 1] = input[0, 1] + input[1, 1]\n"
		"promise output[2, 1] = input[0, 1] + input[1, 1]\n"
		"c = reduce(input[1, 0 : 2], input[0, 0 : 2])\n"
		"d = copy(c, scratch[2, *])\n"
		"copy(input[2, 0], output[1, 0])\n"
		"copy(part(d, 1, 1), output[2, 1])\n", 1);

	if (schedule == NULL)
		return;
	OK(find_step(schedule, 1, PLAIT__STEP_RECV_REDUCE_SEND) == NULL);
	OK(find_step(schedule, 1, PLAIT__STEP_RECV_REDUCE_BOTH) != NULL ||
	   find_step(schedule, 1, PLAIT__STEP_RECV_REDUCE) != NULL);
	plait__schedule_free(schedule);
}

/* B: a chunk is stored in scratch and passed on to a rank with another layout of
 * its scratch. */
static void stores_by_the_own_layout(void)
{
	plait__schedule *schedule = is_right("B",
		"custom ranks=3 inputs=2 outputs=2\n"
		"promise output[1, 0] = input[1, 0]\n"
		"promise output[1, 1] = input[0, 0]\n"
		"promise output[2, 0] = input[0, 0]\n"
		"y = copy(input[1, 0 : 2], scratch[1, 0])\n"
		"x = copy(input[0, 0], scratch1[1, 0])\n"
		"z = copy(x, scratch1[2, 0])\n"
		"copy(z, output[2, 0])\n"
		"copy(part(y, 0, 1), output[1, 0])\n"
		"copy(x, output[1, 1])\n", 1);
	const plait__coll_step *step;

	if (schedule == NULL)
		return;
	step = find_step(schedule, 1, PLAIT__STEP_RECV_SEND);
	if (OK(step != NULL)) {
		IS_UINT(step->target_buffer, PLAIT__COLL_SCRATCH);
		IS_UINT(step->target, 2);
	}
	IS_UINT(schedule->ranks[2].scratch_chunks, 1);
	plait__schedule_free(schedule);
}

/* C: instances of a program with steps of one, two and four chunks; and of
 * collectives whose input and output differ. */
static void replicates_any_counts(void)
{
	static const char doubling[] = "allgather ranks=8%s\n"
		"for r in 0..ranks { copy(input[r, 0], output[r, r]) }\n"
		"for step in 0..3 {\nd = 1 << step\nfor r in 0..ranks {\n"
		"if r & d == 0 {\n"
		"copy(output[r, r / d * d : d], r + d)\n"
		"copy(output[r + d, r / d * d + d : d], r)\n}\n}\n}\n";
	char text[sizeof(doubling) + 16];

	for (uint32_t instances = 2; instances < 4; instances++) {
		snprintf(text, sizeof(text), doubling, "");
		plait__schedule_free(is_right("C", text, instances));
		snprintf(text, sizeof(text), doubling, " in_place");
		plait__schedule_free(is_right("C, in place", text, instances));
		plait__schedule_free(is_right("C'",
			"alltoall ranks=4\n"
			"for r in 0..4 { for p in 0..4 {\n"
			"copy(input[r, p], output[p, r])\n}\n}\n", instances));
	}
}

/* D: a program that begins with a reduction inside of a rank. */
static void begins_with_a_reduction(void)
{
	plait__schedule *schedule = is_right("D",
		"custom ranks=2 inputs=2 outputs=1\n"
		"promise output[1, 0] = input[0, 0] + input[0, 1]\n"
		"copy(reduce(input[0, 0], input[0, 1]), output[1, 0])\n", 1);

	if (schedule == NULL)
		return;
	OK(find_step(schedule, 0, PLAIT__STEP_REDUCE) != NULL);
	plait__schedule_free(schedule);
}

/* E: a reduction between ranks whose chunks have other numbers, and are in other
 * buffers. */
static void reduces_to_other_places(void)
{
	plait__schedule *schedule = is_right("E",
		"custom ranks=2 inputs=3 outputs=1\n"
		"promise output[1, 0] = input[1, 2] + input[0, 0] + input[0, 1]\n"
		"t = reduce(input[1, 2], input[0, 0])\n"
		"s = copy(input[0, 1], scratch[0, *])\n"
		"copy(reduce(t, s), output[1, 0])\n", 1);
	const plait__coll_step *step;

	if (schedule == NULL)
		return;
	step = find_step(schedule, 1, PLAIT__STEP_RECV_REDUCE);
	if (OK(step != NULL)) {
		IS_UINT(step->source_buffer, PLAIT__COLL_INPUT);
		IS_UINT(step->source, 2);
		IS_UINT(step->target, 2);
	}
	plait__schedule_free(schedule);
}

/* F: two reductions of a lane, the second one of a message that answers the
 * first one: its wait may not move in front of the first. */
static void waits_where_it_must(void)
{
	plait__schedule_free(is_right("F",
		"custom ranks=2 inputs=3 outputs=1\n"
		"promise output[0, 0] = input[0, 0] + input[0, 1] + input[0, 2]\n"
		"a = reduce(input[0, 0], input[0, 1])\n"
		"b = copy(a, scratch[1, 0])\n"
		"c = copy(b, scratch[0, 0])\n"
		"d = reduce(input[0, 2], c)\n"
		"copy(d, output[0, 0])\n", 1));
}

/* G: each rank sends more than there are slots before it receives, in lanes of
 * the program's own. */
static void orders_sends_by_slots(void)
{
	plait__schedule *schedule = is_right("G",
		"custom ranks=2 inputs=20 outputs=20\n"
		"for r in 0..2 { for i in 0..20 {\n"
		"promise output[1 - r, i] = input[r, i]\n"
		"copy(input[r, i], output[1 - r, i], channel=0, lanes=0, 0)\n"
		"}\n}\n", 1);

	if (schedule == NULL)
		return;
	IS_UINT(schedule->lane_count, 2);
	plait__schedule_free(schedule);
}

/* A copy to no index, and chunks that no operation uses. */
static void takes_sizes_from_the_header(void)
{
	static const char unused[] = "custom ranks=2 inputs=4 outputs=4\n"
		"promise output[1, 0] = input[0, 0]\n"
		"copy(input[0, 0], output[1, 0])\n";
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule = is_right("unused chunks", unused, 1);

	OK(read_text("custom ranks=2 inputs=1 outputs=1\n"
		     "copy(input[0, 0], output[1, *])\n", &error) == NULL);
	HAS_STR(error.text, "t:2:");
	OK(read_text("custom ranks=2 inputs=1 outputs=1\n"
		     "copy(output[0, 0], 1)\n", &error) == NULL);
	HAS_STR(error.text, "t:2:");
	if (schedule != NULL)
		IS_UINT(schedule->chunks, 4);
	plait__schedule_free(schedule);
}

static const struct tap_scenario all[] = {
	{ "A keeps partly dead sums", keeps_partly_dead_sums },
	{ "B stores by the own layout", stores_by_the_own_layout },
	{ "C replicates any counts", replicates_any_counts },
	{ "D begins with a reduction", begins_with_a_reduction },
	{ "E reduces to other places", reduces_to_other_places },
	{ "F waits where it must", waits_where_it_must },
	{ "G orders sends by slots", orders_sends_by_slots },
	{ "takes sizes from the header", takes_sizes_from_the_header },
};
TAP_MAIN(all)
