/* SPDX-License-Identifier: MIT */
/*
 * Random chunk programs of 2 to 6 ranks: copies, reductions, parts, scratch,
 * nested parallel ways, channels and lanes of the program's own.  The promise of
 * each is what its operations do one after another; the interpreter checks the
 * schedules of several compilations against it, and all of them are proved.  A
 * mutant of each is refused, or the interpreter finds nothing wrong with it.
 */
#include "coll/coll_compile.h"
#include "coll/prove/prove.h"
#include "base/alloc.h"
#include "coll/interpret.h"

enum { CHUNKS = 4, RANKS = 6, BUFFERS = 4, SOURCES = RANKS * CHUNKS };

static uint64_t state;

/* Fail without a line for each success. */
static void must(bool held, const char *what)
{
	if (!held)
		OK_THAT(held, "%s", what);
}

#define MUST(expr) must(expr, #expr)

static uint32_t below(uint32_t n)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(interpret_mix(state) >> 32) % n;
}

/* Content of a chunk: how often each input. */
struct content {
	uint8_t times[SOURCES];
	bool is_set;
};

struct model {
	plait__chunk_program *program;
	uint32_t ranks;
	bool in_place, doubled;	/* doubled: an input counts twice somewhere */
	struct content cells[RANKS][BUFFERS][CHUNKS];
};

static struct content *cell(struct model *model, uint32_t rank, uint32_t buffer,
			    uint32_t index)
{
	if (buffer == PLAIT__COLL_OUTPUT && model->in_place)
		buffer = PLAIT__COLL_INPUT;
	return &model->cells[rank][buffer][index];
}

static bool is_set(struct model *model, const plait__chunk_range *range)
{
	for (uint32_t i = 0; i < range->count; i++)
		if (!cell(model, range->rank, range->buffer,
			  range->index + i)->is_set)
			return false;
	return true;
}

static plait__chunk_range random_range(const struct model *model,
				       uint32_t count)
{
	plait__chunk_range range = {
		.rank = below(model->ranks), .buffer = below(BUFFERS),
		.index = below(CHUNKS + 1 - count), .count = count,
	};

	return range;
}

static bool may_add(struct model *model, const plait__chunk_range *to,
		    const plait__chunk_range *from)
{
	for (uint32_t i = 0; i < to->count; i++)
		for (uint32_t k = 0; k < SOURCES; k++)
			if (cell(model, to->rank, to->buffer,
				 to->index + i)->times[k] +
			    cell(model, from->rank, from->buffer,
				 from->index + i)->times[k] > 1)
				return false;
	return true;
}

static void apply(struct model *model, const plait__chunk_range *to,
		  const plait__chunk_range *from, bool is_reduce)
{
	for (uint32_t i = 0; i < to->count; i++) {
		struct content *target = cell(model, to->rank, to->buffer,
					      to->index + i);
		const struct content *source = cell(
			model, from->rank, from->buffer, from->index + i);

		if (!is_reduce)
			*target = *source;
		for (uint32_t k = 0; is_reduce && k < SOURCES; k++)
			target->times[k] += source->times[k];
	}
}

static bool overlap(const struct model *model, plait__chunk_range a,
		    plait__chunk_range b)
{
	if (model->in_place && a.buffer == PLAIT__COLL_OUTPUT)
		a.buffer = PLAIT__COLL_INPUT;
	if (model->in_place && b.buffer == PLAIT__COLL_OUTPUT)
		b.buffer = PLAIT__COLL_INPUT;
	return a.rank == b.rank && a.buffer == b.buffer &&
	       a.index < b.index + b.count && b.index < a.index + a.count;
}

static void random_place(plait__chunk_place *place, uint32_t flavour)
{
	if (flavour & 1 && below(3) == 0) {
		place->flags |= PLAIT__CHUNK_HAS_CHANNEL;
		place->channel = below(3);
	}
}

static void random_op(struct model *model, uint32_t flavour)
{
	plait__chunk_range from = random_range(model, 1 + below(3));
	plait__chunk_range to = random_range(model, from.count);
	plait__chunk_place place = { .rank = to.rank, .buffer = to.buffer,
				     .index = to.index };
	bool is_reduce = below(2) == 0;
	uint64_t source, target, out;

	if (!is_set(model, &from) || overlap(model, from, to) ||
	    (is_reduce && (!is_set(model, &to) ||
			   !may_add(model, &to, &from))))
		return;
	random_place(&place, flavour);
	MUST(plait__chunk_get(model->program, &from, &source, NULL) == PLAIT_OK);
	if (is_reduce) {
		MUST(plait__chunk_get(model->program, &to, &target, NULL) ==
		   PLAIT_OK);
		MUST(plait__chunk_reduce(model->program, target, source, &place,
				       &out, NULL) == PLAIT_OK);
	} else {
		place.flags |= PLAIT__CHUNK_HAS_BUFFER;
		MUST(plait__chunk_copy(model->program, source, &place, &out,
				     NULL) == PLAIT_OK);
	}
	apply(model, &to, &from, is_reduce);
}

/* A copy that goes from rank to rank, so that steps can be fused. */
static void random_chain(struct model *model)
{
	plait__chunk_range from = random_range(model, 1 + below(2)), to = from;
	uint32_t length = 1 + below(2 * RANKS);
	uint64_t source;

	if (!is_set(model, &from))
		return;
	MUST(plait__chunk_get(model->program, &from, &source, NULL) == PLAIT_OK);
	for (uint32_t i = 0; i < length; i++) {
		plait__chunk_place place = { .rank = below(model->ranks) };
		uint64_t target;

		to.rank = place.rank;
		if (to.rank == from.rank)
			continue;
		if (below(2) == 0 && is_set(model, &to) &&
		    may_add(model, &to, &from)) {
			MUST(plait__chunk_get(model->program, &to, &target,
					    NULL) == PLAIT_OK);
			MUST(plait__chunk_reduce(model->program, target, source,
					       &place, &source, NULL) ==
			   PLAIT_OK);
			apply(model, &to, &from, true);
		} else {
			MUST(plait__chunk_copy(model->program, source, &place,
					     &source, NULL) == PLAIT_OK);
			apply(model, &to, &from, false);
		}
		from = to;
	}
}

static void set_promises(struct model *model, plait__chunk_program *program)
{
	static plait__coll_promise promises[RANKS * CHUNKS];
	static plait__coll_source sources[RANKS * CHUNKS * SOURCES];
	uint64_t promise_count = 0, source_count = 0;

	for (uint32_t r = 0; r < model->ranks; r++)
		for (uint32_t i = 0; i < CHUNKS; i++) {
			const struct content *at = cell(
				model, r, PLAIT__COLL_OUTPUT, i);
			plait__coll_promise promise = {
				.rank = r, .index = i,
				.first_source = source_count,
			};

			if (!at->is_set || below(4) == 0)
				continue;
			for (uint32_t k = 0; k < SOURCES; k++)
				if (at->times[k])
					sources[source_count++] =
						(plait__coll_source){
							k / CHUNKS,
							k % CHUNKS };
			promise.source_count =
				source_count - promise.first_source;
			promises[promise_count++] = promise;
		}
	MUST(plait__chunk_program_promise(program, promises, promise_count,
					  sources, source_count, NULL) ==
	     PLAIT_OK);
}

static plait__chunk_program *make_program(uint32_t flavour)
{
	struct model model = { .ranks = 2 + below(RANKS - 1),
			       .in_place = below(2) };
	plait__chunk_request request = {
		.rank_count = model.ranks, .flags = model.in_place,
		.input_chunks = CHUNKS, .output_chunks = CHUNKS,
	};
	uint32_t length = 1 + below(40);

	MUST(plait__chunk_program_make(plait__alloc_default(), &request,
				     &model.program, NULL) == PLAIT_OK);
	for (uint32_t r = 0; r < model.ranks; r++)
		for (uint32_t i = 0; i < CHUNKS; i++) {
			model.cells[r][0][i].is_set = true;
			model.cells[r][0][i].times[r * CHUNKS + i] = 1;
		}
	/* Scratch that copies reach from anywhere. */
	for (uint32_t r = 0; r < model.ranks; r++)
		for (uint32_t b = 2; b < BUFFERS; b++) {
			plait__chunk_range range = { r, b, 0, CHUNKS };

			MUST(plait__chunk_program_grow(model.program, &range,
						     NULL) == PLAIT_OK);
		}
	for (uint32_t i = 0; i < length; i++) {
		uint32_t ways = flavour & 2 ? below(4) : 0;

		if (ways > 0)
			MUST(plait__chunk_parallel(model.program, ways, NULL) ==
			   PLAIT_OK);
		if (below(4) == 0)
			random_chain(&model);
		for (uint32_t k = 0; k < 3; k++)
			random_op(&model, flavour);
		if (ways > 0)
			MUST(plait__chunk_parallel_end(model.program, NULL) ==
			   PLAIT_OK);
	}
	set_promises(&model, model.program);
	return model.program;
}

/* ---- mutants ---- */

static uint32_t refused, equivalent;

/* Exchange a step with the next one of its lane. */
static void swap_steps(plait__schedule *schedule, uint64_t number)
{
	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];
		plait__coll_step *step = &schedule->steps[number];

		if (number >= lane->first_step &&
		    number + 1 < lane->first_step + lane->step_count) {
			plait__coll_step first = step[0];

			step[0] = step[1];
			step[1] = first;
		}
	}
}

static void mutate(plait__schedule *schedule, uint64_t number)
{
	plait__coll_step *step = &schedule->steps[number];

	switch (below(7)) {
	case 0:
		step->wait_count -= step->wait_count > 0;
		break;
	case 1:
		step->count++;
		break;
	case 2:
		step->source++;
		break;
	case 3:
		step->target++;
		break;
	case 4:
		step->kind = (uint8_t)below(PLAIT__STEP_REDUCE + 1);
		break;
	case 5:
		step->target_buffer = (uint8_t)below(3);
		break;
	default:
		swap_steps(schedule, number);
	}
}

/* Change the schedule, then undo the change; returns as check_schedule.  The
 * proof is for executors whose steps need message and slot at once, as those of
 * the interpreter do. */
static const char *check_mutant(plait__schedule *schedule, uint64_t seed)
{
	const plait__prove_request request = {
		.flags = PLAIT__PROVE_TARGET, .target = PLAIT__TARGET_MSCCL,
	};
	uint64_t number = schedule->step_count == 0 ? 0 :
			  below((uint32_t)schedule->step_count);
	plait__coll_step saved[2] = { { .kind = 0 } };
	uint64_t left = schedule->step_count - number;
	plait__proof proof;
	const char *why = "";

	if (left == 0)
		return why;
	memcpy(saved, &schedule->steps[number],
	       (left < 2 ? left : 2) * sizeof(saved[0]));
	mutate(schedule, number);
	if (plait__prove_schedule(schedule, &request, &proof, NULL) ==
	    PLAIT_OK) {
		why = interpret(schedule, seed, 3);
		equivalent++;
	} else {
		refused++;
	}
	memcpy(&schedule->steps[number], saved,
	       (left < 2 ? left : 2) * sizeof(saved[0]));
	return why;
}

/* ---- all ---- */

/* Returns an empty text, or what is wrong with the schedule. */
static const char *check_schedule(plait__schedule *schedule, uint64_t seed,
				  plait_error *error)
{
	plait__proof proof;
	const char *why;

	if (plait__prove_schedule(schedule, NULL, &proof, error) != PLAIT_OK)
		return error->text;
	why = interpret(schedule, seed, 2);
	return *why != 0 ? why : check_mutant(schedule, seed);
}

static bool check_program(uint64_t seed)
{
	plait__chunk_program *program;
	bool good = true;

	state = seed;
	program = make_program(below(4));
	for (uint32_t i = 0; good && i < 4; i++) {
		plait__compile_request how = {
			.flags = below(8), .instances = 1 + below(3),
			.depth = 1 + below(3), .lanes = below(4),
		};
		plait_error error = { .size = sizeof(error) };
		plait__schedule *schedule;
		const char *why = error.text;

		if (how.flags & PLAIT__COMPILE_AGGREGATE)
			how.message_chunks = below(4);
		if (plait__compile_program(plait__alloc_default(), program,
					   &how, &schedule, &error) ==
		    PLAIT_OK) {
			why = check_schedule(schedule, seed + i, &error);
			plait__schedule_free(schedule);
		}
		/* A channel of the program's may be taken by other ways. */
		good = *why == 0 || strstr(why, "is taken") != NULL;
		if (!good)
			OK_THAT(good, "seed %" PRIu64 " compilation %u: %s", seed,
				i, why);
	}
	plait__chunk_program_free(program);
	return good;
}

static void compiles_right(void)
{
	uint64_t seed = tap_seed();
	const char *argument = tap_argument("programs");
	uint32_t count = argument ? (uint32_t)atoi(argument) :
			 tap_soak() ? 100000 : 1500;

	for (uint32_t i = 0; i < count; i++)
		if (!check_program(seed + i))
			return;
	OK_THAT(refused > count && equivalent > count / 100,
		"%u programs; mutants: %u refused, %u as good", count, refused,
		equivalent);
}

static const struct tap_scenario all[] = {
	{ "compiles right", compiles_right },
};
TAP_MAIN(all)
