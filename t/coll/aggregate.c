/* SPDX-License-Identifier: MIT */
/* Aggregation: which transfers become one, and which do not. */
#include "coll/coll_compile.h"
#include "coll/prove/prove.h"
#include "coll/text/chunk_text.h"
#include "base/alloc.h"
#include "coll/interpret.h"

static plait__schedule *compile(const char *text, uint32_t flags,
				uint32_t target, uint32_t message_chunks)
{
	const plait__chunk_text_options options = { .ranks = 0 };
	const plait__compile_request how = {
		.flags = flags, .target = target,
		.message_chunks = message_chunks,
	};
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program = NULL;
	plait__schedule *schedule = NULL;
	plait__proof proof;

	OK_THAT(plait__chunk_text_read(plait__alloc_default(), text,
				       strlen(text), "t", &options, &program,
				       &error) == PLAIT_OK, "%s", error.text);
	OK_THAT(plait__compile_program(plait__alloc_default(), program, &how,
				       &schedule, &error) == PLAIT_OK,
		"%s", error.text);
	plait__chunk_program_free(program);
	OK_THAT(plait__prove_schedule(schedule, NULL, &proof, &error) ==
		PLAIT_OK, "%s", error.text);
	IS_STR(interpret(schedule, tap_seed(), 3), "");
	return schedule;
}

/* Returns how many steps send, and the most chunks of one. */
static uint32_t count_sends(const plait__schedule *schedule, uint32_t *out_most)
{
	uint32_t sends = 0;

	*out_most = 0;
	for (uint64_t i = 0; i < schedule->step_count; i++) {
		const plait__coll_step *step = &schedule->steps[i];

		if (!plait__step_sends(step->kind))
			continue;
		sends++;
		if (step->count > *out_most)
			*out_most = step->count;
	}
	return sends;
}

static void sends(const char *text, uint32_t target, uint32_t count,
		  uint32_t want_sends, uint32_t want_most)
{
	plait__schedule *schedule = compile(text, 0, target, 0);
	uint32_t most;

	IS_UINT(count_sends(schedule, &most), count);
	plait__schedule_free(schedule);
	schedule = compile(text, PLAIT__COMPILE_AGGREGATE, target, 0);
	IS_UINT(count_sends(schedule, &most), want_sends);
	IS_UINT(most, want_most);
	plait__schedule_free(schedule);
}

static void joins_neighbours(void)
{
	sends("broadcast ranks=2 chunks=8\n"
	      "for i in 0..8 { copy(input[0, i], output[0, i]) }\n"
	      "for i in 0..8 { copy(input[0, i], output[1, i]) }\n",
	      PLAIT__TARGET_PLAIT, 8, 1, 8);
}

/* One pair of chunks is apart in the input, another one in the output. */
static void keeps_gaps(void)
{
	sends("custom ranks=2 inputs=5 outputs=5\n"
	      "promise output[1, 0] = input[0, 0]\n"
	      "promise output[1, 1] = input[0, 1]\n"
	      "promise output[1, 2] = input[0, 3]\n"
	      "promise output[1, 4] = input[0, 4]\n"
	      "copy(input[0, 0], output[1, 0])\n"
	      "copy(input[0, 1], output[1, 1])\n"
	      "copy(input[0, 3], output[1, 2])\n"
	      "copy(input[0, 4], output[1, 4])\n",
	      PLAIT__TARGET_PLAIT, 4, 3, 2);
}

/* The own chunk is a copy, ready before the others arrive; all leave at once. */
static void waits_less_than_a_message(void)
{
	sends("gather ranks=3 chunks=1 root=2\n"
	      "copy(input[0, 0], scratch[1, 0])\n"
	      "copy(input[1, 0], scratch[1, 1])\n"
	      "for i in 0..2 { copy(scratch[1, i], output[2, i]) }\n"
	      "copy(input[2, 0], output[2, 2])\n",
	      PLAIT__TARGET_PLAIT, 3, 2, 2);
}

/* The input could leave at once, the chunk behind it only a message later. */
static void delays_nothing_by_a_message(void)
{
	sends("custom ranks=3 inputs=2 outputs=2 in_place\n"
	      "promise output[2, 0] = input[1, 0]\n"
	      "promise output[2, 1] = input[0, 1]\n"
	      "copy(input[0, 1], 1)\n"
	      "for i in 0..2 { copy(input[1, i], 2) }\n",
	      PLAIT__TARGET_PLAIT, 3, 3, 1);
}

/* The second transfer overwrites what the first one reads: a join would need
 * itself. */
static void joins_no_circle(void)
{
	sends("custom ranks=2 inputs=4 outputs=4 in_place\n"
	      "promise output[0, 0] = input[1, 2]\n"
	      "promise output[1, 0] = input[0, 0]\n"
	      "promise output[1, 1] = input[0, 1]\n"
	      "copy(input[0, 0], 1)\n"
	      "copy(input[1, 2], input[0, 0])\n"
	      "copy(input[0, 1], 1)\n",
	      PLAIT__TARGET_PLAIT, 3, 2, 2);
	sends("custom ranks=2 inputs=4 outputs=4 in_place\n"
	      "promise output[0, 2] = input[0, 0]\n"
	      "promise output[1, 1] = input[0, 0]\n"
	      "copy(input[0, 0], 1)\n"
	      "copy(input[1, 0], input[0, 2])\n"
	      "copy(input[0, 2], input[0, 1])\n"
	      "copy(input[0, 1], 1)\n",
	      PLAIT__TARGET_PLAIT, 3, 3, 1);
}

static void keeps_directives_and_kinds(void)
{
	sends("broadcast ranks=2 chunks=4\n"
	      "for i in 0..4 { copy(input[0, i], output[0, i]) }\n"
	      "for i in 0..4 {\n"
	      "	copy(input[0, i], output[1, i], channel=i / 2)\n"
	      "}\n", PLAIT__TARGET_PLAIT, 4, 2, 2);
	sends("custom ranks=2 inputs=2 outputs=2 in_place\n"
	      "promise output[1, 0] = input[0, 0]\n"
	      "promise output[1, 1] = input[0, 1] + input[1, 1]\n"
	      "copy(input[0, 0], 1)\n"
	      "reduce(input[1, 1], input[0, 1])\n",
	      PLAIT__TARGET_PLAIT, 2, 2, 1);
}

/* Executors take at most 71 chunks a step. */
static void keeps_limits(void)
{
	sends("broadcast ranks=2 chunks=100\n"
	      "copy(input[0, 0 : 100], output[0, 0])\n"
	      "for i in 0..50 { copy(input[0, 2 * i : 2], output[1, 2 * i]) }\n",
	      PLAIT__TARGET_EXECUTOR, 50, 2, 70);
}

/* As many chunks as are asked for, but never more than the executor takes. */
static void keeps_message_chunks(void)
{
	static const struct {
		uint32_t target, message_chunks, sends, most;
	} rows[] = {
		{ PLAIT__TARGET_PLAIT, 1, 90, 1 },
		{ PLAIT__TARGET_PLAIT, 4, 23, 4 },
		{ PLAIT__TARGET_PLAIT, 100, 1, 90 },
		{ PLAIT__TARGET_EXECUTOR, 4, 23, 4 },
		{ PLAIT__TARGET_EXECUTOR, 100, 2, 71 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		plait__schedule *schedule = compile(
			"broadcast ranks=2 chunks=90\n"
			"copy(input[0, 0 : 90], output[0, 0])\n"
			"for i in 0..90 { copy(input[0, i], output[1, i]) }\n",
			PLAIT__COMPILE_AGGREGATE, rows[i].target,
			rows[i].message_chunks);
		uint32_t most;

		IS_UINT(count_sends(schedule, &most), rows[i].sends);
		IS_UINT(most, rows[i].most);
		plait__schedule_free(schedule);
	}
}

/* Rings of neighbouring chunks that begin at one rank become one ring. */
static void joins_rings(void)
{
	sends("allreduce ranks=4 chunks=ranks * 2 in_place\n"
	      "for i in 0..ranks * 2 {\n"
	      "	c = input[(i / 2 + 1) % ranks, i]\n"
	      "	for s in 2..ranks + 1 {\n"
	      "		c = reduce(input[(i / 2 + s) % ranks, i], c)\n"
	      "	}\n"
	      "	for s in 1..ranks { c = copy(c, (i / 2 + s) % ranks) }\n"
	      "}\n", PLAIT__TARGET_PLAIT, 48, 24, 2);
}

static const struct tap_scenario all[] = {
	{ "joins neighbours", joins_neighbours },
	{ "keeps gaps", keeps_gaps },
	{ "waits less than a message", waits_less_than_a_message },
	{ "delays nothing by a message", delays_nothing_by_a_message },
	{ "joins no circle", joins_no_circle },
	{ "keeps directives and kinds", keeps_directives_and_kinds },
	{ "keeps limits", keeps_limits },
	{ "keeps message chunks", keeps_message_chunks },
	{ "joins rings", joins_rings },
};
TAP_MAIN(all)
