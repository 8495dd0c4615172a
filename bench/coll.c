/* SPDX-License-Identifier: MIT */
/*
 * Compile times of collectives: seconds for the program and for the schedule,
 * the least of three.
 *
 *	bench/coll [ALGORITHM RANKS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "base/alloc.h"
#include "sys/clock.h"

struct times {
	double program, schedule;
	uint64_t steps;
};

static int measure(const char *name, uint32_t ranks, struct times *out)
{
	const plait__chunk_request request = {
		.kind = PLAIT__COLL_ALLREDUCE, .flags = PLAIT__COLL_IN_PLACE,
		.rank_count = ranks,
	};
	const plait__compile_request how = { .flags = 0 };
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;
	uint64_t start = plait__clock_now_ns(), middle;

	if (plait__known_make(plait__alloc_default(), name, &request, &program,
			      &error) != PLAIT_OK) {
		fprintf(stderr, "%s\n", error.text);
		return -1;
	}
	middle = plait__clock_now_ns();
	if (plait__compile_program(plait__alloc_default(), program, &how,
				   &schedule, &error) != PLAIT_OK)
		fprintf(stderr, "%s\n", error.text);
	out->schedule = (double)(plait__clock_now_ns() - middle) * 1e-9;
	out->program = (double)(middle - start) * 1e-9;
	out->steps = schedule != NULL ? schedule->step_count : 0;
	plait__schedule_free(schedule);
	plait__chunk_program_free(program);
	return out->steps > 0 ? 0 : -1;
}

static int print_row(const char *name, uint32_t ranks)
{
	struct times best = { 1e9, 1e9, 0 }, now;

	for (int i = 0; i < 3; i++) {
		if (measure(name, ranks, &now) != 0)
			return 1;
		best.steps = now.steps;
		if (now.program < best.program)
			best.program = now.program;
		if (now.schedule < best.schedule)
			best.schedule = now.schedule;
	}
	printf("%-14s %4u ranks %8llu steps  program %6.3f s  schedule %6.3f "
	       "s  %5.0f ns a step\n", name, ranks,
	       (unsigned long long)best.steps, best.program, best.schedule,
	       (best.program + best.schedule) * 1e9 / (double)best.steps);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "ring", "hierarchical:8",
					     "halving", "tree" };
	int failed = 0;

	if (argc == 3)
		return print_row(argv[1], (uint32_t)atoi(argv[2]));
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (uint32_t ranks = 128; ranks <= 1024; ranks *= 2)
			failed |= print_row(names[i], ranks);
	return failed | print_row("allpairs", 256);
}
