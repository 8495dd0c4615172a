/* SPDX-License-Identifier: MIT */
/*
 * Schedules beside published ones of the same programs: lanes of a rank, steps
 * of a lane, with the steps that only wait, and least depth are never more.  The
 * figures were counted in XML files of the MSCCL projects.
 */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/prove/prove.h"
#include "coll/text/chunk_text.h"
#include "base/alloc.h"
#include "lib/tap.h"

#include <string.h>

/* Size of a schedule. */
struct size {
	uint32_t lanes, steps, depth;
};

/* `text` null: the known algorithm `name` for the collective; share 0: its
 * choice. */
struct row {
	const char *name, *text;
	uint32_t kind, in_place, ranks, share, instances, protocol;
	struct size published;
};

enum {
	SUM = PLAIT__COLL_ALLREDUCE, GATHER = PLAIT__COLL_ALLGATHER,
	SCATTER = PLAIT__COLL_REDUCE_SCATTER, ALL = PLAIT__COLL_ALLTOALL,
	NEXT = PLAIT__COLL_ALLTONEXT,
	SIMPLE = PLAIT__PROTOCOL_SIMPLE, LL = PLAIT__PROTOCOL_LL,
	LL128 = PLAIT__PROTOCOL_LL128
};

/* A ring whose chunks use several channels in turn. */
#define RING(ranks, channels)						\
	"allreduce ranks=" #ranks " chunks=ranks in_place\n"		\
	"for r in 0..ranks {\n"						\
	"	at = r % " #channels "\n"				\
	"	c = input[(r + 1) % ranks, r]\n"			\
	"	for s in 2..ranks + 1 {\n"				\
	"		c = reduce(input[(r + s) % ranks, r], c, channel=at)\n" \
	"	}\n"							\
	"	for s in 1..ranks { c = copy(c, (r + s) % ranks, channel=at) }\n" \
	"}\n"

/* A ring in each of two nodes, an exchange between them, a ring in each; chunk c
 * ends its first ring at local rank c / 2. */
#define NODES								\
	"allreduce ranks=16 chunks=ranks in_place\n"			\
	"g = ranks / 2\n"						\
	"for c in 0..ranks { for node in 0..2 {\n"			\
	"	v = input[node * g + (c / 2 + 1) % g, c]\n"		\
	"	for s in 2..g + 1 {\n"					\
	"		v = reduce(input[node * g + (c / 2 + s) % g, c],\n" \
	"			   v, channel=c % 2)\n"			\
	"	}\n"							\
	"} }\n"								\
	"for c in 0..ranks {\n"						\
	"	one = c % 2 * g + c / 2\n"				\
	"	other = (1 - c % 2) * g + c / 2\n"			\
	"	v = reduce(input[one, c], input[other, c],\n"		\
	"		   channel=4 + c / 2 % 2)\n"			\
	"	copy(v, other, channel=4 + c / 2 % 2)\n"		\
	"}\n"								\
	"for c in 0..ranks { for node in 0..2 {\n"			\
	"	v = input[node * g + c / 2, c]\n"			\
	"	for s in 1..g {\n"					\
	"		v = copy(v, node * g + (c / 2 + s) % g,\n"	\
	"			 channel=2 + c % 2)\n"			\
	"	}\n"							\
	"} }\n"

static const struct row rows[] = {
	{ "ring", NULL, SUM, 1, 4, 0, 1, LL, { 1, 7, 2 } },
	{ "ring, 2 channels", RING(8, 2), 0, 0, 0, 0, 3, SIMPLE,
	  { 6, 8, 1 } },
	{ "ring, 4 channels", RING(8, 4), 0, 0, 0, 0, 8, LL, { 32, 4, 1 } },
	{ "ring, 8 channels", RING(8, 8), 0, 0, 0, 0, 4, LL128, { 32, 2, 1 } },
	{ "ring, 8 channels", RING(64, 8), 0, 0, 0, 0, 1, SIMPLE,
	  { 8, 16, 1 } },
	{ "allpairs", NULL, SUM, 1, 3, 0, 1, SIMPLE, { 3, 7, 1 } },
	{ "allpairs", NULL, SUM, 1, 8, 0, 1, LL, { 7, 16, 1 } },
	{ "allpairs", NULL, SUM, 1, 8, 0, 2, LL, { 16, 22, 1 } },
	{ "allpairs", NULL, SUM, 1, 8, 0, 4, LL, { 32, 22, 1 } },
	{ "allpairs", NULL, SUM, 1, 8, 0, 8, SIMPLE, { 64, 22, 1 } },
	{ "allpairs", NULL, SUM, 0, 8, 0, 4, LL, { 32, 23, 1 } },
	{ "onestep", NULL, SUM, 1, 4, 0, 2, LL, { 8, 8, 1 } },
	{ "onestep", NULL, SUM, 1, 8, 0, 1, LL, { 8, 20, 1 } },
	{ "onestep", NULL, SUM, 1, 8, 0, 4, LL, { 32, 20, 1 } },
	{ "halving", NULL, SUM, 1, 8, 0, 4, SIMPLE, { 12, 5, 1 } },
	{ "halving", NULL, SUM, 1, 16, 0, 2, LL128, { 8, 6, 1 } },
	{ "halving", NULL, SUM, 1, 64, 0, 1, SIMPLE, { 6, 8, 1 } },
	{ "ring", NULL, GATHER, 1, 8, 0, 1, SIMPLE, { 1, 8, 2 } },
	{ "ring", NULL, GATHER, 1, 8, 0, 1, LL, { 1, 14, 1 } },
	{ "ring", NULL, GATHER, 1, 8, 0, 32, SIMPLE, { 32, 8, 2 } },
	{ "allpairs", NULL, GATHER, 1, 16, 0, 1, LL, { 15, 2, 1 } },
	{ "allpairs", NULL, GATHER, 1, 8, 0, 4, SIMPLE, { 28, 2, 1 } },
	{ "allpairs", NULL, GATHER, 1, 8, 0, 16, SIMPLE, { 112, 2, 1 } },
	{ "allpairs", NULL, GATHER, 1, 8, 0, 2, LL, { 28, 1, 1 } },
	{ "allpairs", NULL, GATHER, 1, 8, 0, 4, LL128, { 56, 1, 1 } },
	{ "allpairs", NULL, GATHER, 1, 8, 0, 8, SIMPLE, { 56, 2, 1 } },
	{ "allpairs", NULL, SCATTER, 1, 8, 0, 1, LL, { 8, 14, 1 } },
	{ "allpairs", NULL, ALL, 0, 8, 0, 1, LL, { 15, 1, 1 } },
	{ "allpairs", NULL, ALL, 0, 8, 0, 2, LL, { 28, 2, 1 } },
	{ "allpairs", NULL, ALL, 0, 8, 0, 4, LL, { 56, 2, 1 } },
	{ "direct", NULL, ALL, 0, 8, 0, 4, SIMPLE, { 60, 1, 1 } },
	{ "direct", NULL, ALL, 0, 8, 0, 8, SIMPLE, { 64, 2, 1 } },
	{ "twostep:8", NULL, ALL, 0, 16, 0, 1, LL128, { 16, 8, 1 } },
	{ "threestep:4", NULL, ALL, 0, 12, 0, 1, SIMPLE, { 12, 8, 1 } },
	{ "threestep:8", NULL, ALL, 0, 32, 2, 1, SIMPLE, { 39, 24, 1 } },
	{ "next:8", NULL, NEXT, 0, 16, 8, 2, SIMPLE, { 18, 1, 1 } },
	{ "doubletree", NULL, SUM, 1, 64, 0, 1, SIMPLE, { 7, 2, 1 } },
	{ "hierarchical, manual", NODES, 0, 0, 0, 0, 2, LL128, { 12, 12, 2 } },
};

static plait__chunk_program *make_program(const struct row *row,
					  plait_error *error)
{
	const plait__chunk_text_options options = { .ranks = 0 };
	const plait__chunk_request request = {
		.kind = row->kind, .rank_count = row->ranks,
		.share = row->share,
		.flags = row->in_place ? PLAIT__COLL_IN_PLACE : 0,
	};
	plait__chunk_program *program = NULL;
	plait_status status = row->text != NULL ?
		plait__chunk_text_read(plait__alloc_default(), row->text,
				       strlen(row->text), "text", &options,
				       &program, error) :
		plait__known_make(plait__alloc_default(), row->name, &request,
				  &program, error);

	return status == PLAIT_OK ? program : NULL;
}

static plait__schedule *compile(const struct row *row, plait_error *error)
{
	const plait__compile_request how = {
		.target = PLAIT__TARGET_EXECUTOR, .protocol = row->protocol,
		.instances = row->instances, .lanes = row->published.lanes,
		.depth = row->published.depth,
	};
	plait__chunk_program *program = make_program(row, error);
	plait__schedule *schedule = NULL;

	if (program != NULL &&
	    plait__compile_program(plait__alloc_default(), program, &how,
				   &schedule, error) != PLAIT_OK)
		schedule = NULL;
	plait__chunk_program_free(program);
	return schedule;
}

/* Executors take one wait a step; another one is a step of its own. */
static uint32_t count_steps(const plait__schedule *schedule,
			    const plait__coll_lane *lane)
{
	uint32_t steps = 0;

	for (uint64_t i = 0; i < lane->step_count; i++) {
		uint32_t waits =
			schedule->steps[lane->first_step + i].wait_count;

		steps += waits > 1 ? waits : 1;
	}
	return steps;
}

static struct size measure(const plait__schedule *schedule,
			   const plait__proof *proof)
{
	struct size size = { proof->lanes, 0, proof->depth_min };

	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		uint32_t steps = count_steps(schedule, &schedule->lanes[i]);

		if (steps > size.steps)
			size.steps = steps;
	}
	return size;
}

static void compare(const struct row *row)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule = compile(row, &error);
	const struct size *than = &row->published;
	plait__proof proof;
	struct size size;

	if (!OK_THAT(schedule != NULL, "%s: %s", row->name, error.text))
		return;
	if (OK_THAT(plait__prove_schedule(schedule, NULL, &proof, &error) ==
		    PLAIT_OK, "%s: %s", row->name, error.text)) {
		size = measure(schedule, &proof);
		OK_THAT(size.lanes <= than->lanes &&
			size.steps <= than->steps &&
			size.depth <= than->depth,
			"%s %u, %u ranks, %u instances: lanes %u of %u, steps "
			"%u of %u, depth %u of %u", row->name, row->kind,
			schedule->rank_count, row->instances, size.lanes,
			than->lanes, size.steps, than->steps, size.depth,
			than->depth);
	}
	plait__schedule_free(schedule);
}

static void is_never_larger(void)
{
	for (size_t i = 0; i < TAP_COUNT(rows); i++)
		compare(&rows[i]);
}

static const struct tap_scenario all[] = {
	{ "never larger than published", is_never_larger },
};
TAP_MAIN(all)
