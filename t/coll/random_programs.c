/* SPDX-License-Identifier: MIT */
/*
 * Random chunk programs of 2 to 6 ranks: copies, reductions, parts, scratch,
 * nested parallel ways, channels and lanes of the program's own.  The promise of
 * each is what its operations do one after another; the interpreter checks the
 * schedules of several compilations against it.
 */
#include "coll/coll_compile.h"
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

		if (plait__compile_program(plait__alloc_default(), program,
					   &how, &schedule, &error) ==
		    PLAIT_OK) {
			why = interpret(schedule, seed + i, 2);
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
	OK_THAT(true, "%u programs", count);
}

static const struct tap_scenario all[] = {
	{ "compiles right", compiles_right },
};
TAP_MAIN(all)
