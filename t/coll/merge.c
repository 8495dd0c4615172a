/* SPDX-License-Identifier: MIT */
/*
 * Merged schedules: known algorithms in one memory, for counts that chunks do
 * not divide.  The operations are executed in random orders that their edges
 * permit; a value is a sum of random numbers, one for each input element.
 */
#include "coll/merge/merge.h"

#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "base/alloc.h"
#include "coll/promised.h"

static uint64_t merged, seed, staged;

struct machine {
	const plait__schedule *schedule;
	const plait__merge_request *request;
	plait__merge merge;
	uint64_t **inputs, **outputs, **temporaries;
	uint32_t *missing;	/* predecessors of an operation */
	uint64_t random;
};

/* ---- memory ---- */

static bool is_in_place(const struct machine *at)
{
	return at->schedule->flags & PLAIT__COLL_IN_PLACE;
}

static void make_memory(struct machine *at)
{
	uint32_t ranks = at->schedule->rank_count;
	uint64_t count = at->request->count;

	at->inputs = calloc(ranks, sizeof(*at->inputs));
	at->outputs = calloc(ranks, sizeof(*at->outputs));
	at->temporaries = calloc(at->merge.temporaries.count + 1ull,
				 sizeof(*at->temporaries));
	for (uint32_t i = 0; i < ranks; i++) {
		uint64_t in = plait__merge_elements(at->schedule, i, 0, count);
		uint64_t out = plait__merge_elements(at->schedule, i, 1, count);

		at->outputs[i] = calloc((in > out ? in : out) + 1, 8);
		at->inputs[i] = is_in_place(at) ? at->outputs[i] :
						  calloc(in + 1, 8);
		for (uint64_t k = 0; k < in; k++)
			at->inputs[i][promised_part(at->schedule, count, i,
						    false) + k] =
				promised_element(i, k);
	}
	for (uint32_t i = 0; i < at->merge.temporaries.count; i++) {
		const plait__merge_temporary *of =
			plait__vector_at(&at->merge.temporaries, i);

		at->temporaries[i] = calloc(of->elements + 1, 8);
	}
}

static void free_memory(struct machine *at)
{
	for (uint32_t i = 0; i < at->schedule->rank_count; i++) {
		if (!is_in_place(at))
			free(at->inputs[i]);
		free(at->outputs[i]);
	}
	for (uint32_t i = 0; i < at->merge.temporaries.count; i++)
		free(at->temporaries[i]);
	free(at->inputs);
	free(at->outputs);
	free(at->temporaries);
}

static uint64_t *address(const struct machine *at, plait__merge_place place)
{
	uint64_t **list = place.object == PLAIT__MERGE_INPUT ? at->inputs :
			  place.object == PLAIT__MERGE_OUTPUT ? at->outputs :
								at->temporaries;

	return list[place.number] + place.offset;
}

/* ---- operations ---- */

static uint32_t memory_of(const struct machine *at, plait__merge_place place)
{
	const plait__merge_temporary *of;
	uint32_t rank = place.number;

	if (place.object == PLAIT__MERGE_TEMPORARY) {
		of = plait__vector_at(&at->merge.temporaries, place.number);
		rank = of->rank;
	}
	return at->request->memories == NULL ? 0 :
					       at->request->memories[rank];
}

static bool is_outside(plait__merge_place place)
{
	return place.object != PLAIT__MERGE_TEMPORARY;
}

/* Kernels read and write one memory, and in detached merges temporaries. */
static bool is_permitted(const struct machine *at, const plait__merge_op *op)
{
	uint32_t own = memory_of(at, op->target);

	if (op->kind == PLAIT__MERGE_COPY)
		return true;
	if (at->request->detached &&
	    (is_outside(op->target) || is_outside(op->source)))
		return false;
	return memory_of(at, op->source) == own &&
	       (op->kind == PLAIT__MERGE_REDUCE ||
		memory_of(at, op->other) == own);
}

static void execute(const struct machine *at, const plait__merge_op *op)
{
	uint64_t *target = address(at, op->target);
	const uint64_t *source = address(at, op->source);
	const uint64_t *other = op->kind == PLAIT__MERGE_REDUCE ? target :
							address(at, op->other);

	for (uint64_t i = 0; i < op->elements; i++)
		target[i] = op->kind == PLAIT__MERGE_COPY ? source[i] :
							    other[i] + source[i];
}

/* Execute all, each time one that no other one precedes. */
static bool execute_all(struct machine *at)
{
	uint32_t count = at->merge.ops.count, left = count, good = 0;
	const plait__merge_op *ops = at->merge.ops.items;
	const uint32_t *befores = at->merge.befores.items;
	bool *done = calloc(count + 1ull, sizeof(*done));

	while (left > 0) {
		uint32_t pick = (uint32_t)((at->random = interpret_mix(
					at->random + 77)) % count), k;

		/* The last ready one before the pick, to be adverse. */
		for (k = 0; k < count; k++, pick = (pick + count - 1) % count) {
			uint32_t i = 0;

			while (i < ops[pick].before_count &&
			       done[befores[ops[pick].first_before + i]])
				i++;
			if (!done[pick] && i == ops[pick].before_count)
				break;
		}
		if (k == count)
			break;
		good += is_permitted(at, &ops[pick]);
		execute(at, &ops[pick]);
		done[pick] = true;
		left--;
	}
	free(done);
	return left == 0 && good == count;
}

static bool outputs_are_right(const struct machine *at)
{
	for (uint32_t i = 0; i < at->schedule->rank_count; i++) {
		uint64_t count = plait__merge_elements(at->schedule, i, 1,
						       at->request->count);
		uint64_t want;

		for (uint64_t k = 0; k < count; k++)
			if (promised_value(at->schedule, at->request->count, i,
					   k, &want) &&
			    at->outputs[i][promised_part(
				    at->schedule, at->request->count, i, true) +
					   k] != want)
				return false;
	}
	return true;
}

static bool merges(const plait__schedule *schedule,
		   const plait__merge_request *request)
{
	plait_error error = { .size = sizeof(error) };
	struct machine at = { .schedule = schedule, .request = request,
			      .random = seed + merged++ };
	bool good = plait__merge_schedule(schedule, request, &at.merge,
					  &error) == PLAIT_OK;

	if (good) {
		make_memory(&at);
		good = execute_all(&at) && outputs_are_right(&at);
		staged += at.merge.temporaries.count;
		free_memory(&at);
	}
	plait__merge_free(&at.merge);
	return good;
}

/* ---- known algorithms ---- */

static void check(const char *name, const plait__chunk_request *how,
		  const plait__compile_request *compile)
{
	static const uint64_t counts[] = { 0, 1, 7, 24 };
	static const uint32_t memories[] = { 0, 1, 1, 0, 4, 5, 0, 1 };
	plait__chunk_program *program;
	plait__schedule *schedule;

	if (plait__known_make(plait__alloc_default(), name, how, &program,
			      NULL) != PLAIT_OK)
		return;
	if (OK(plait__compile_program(plait__alloc_default(), program, compile,
				      &schedule, NULL) == PLAIT_OK)) {
		for (uint32_t i = 0; i < 3 * TAP_COUNT(counts); i++) {
			const plait__merge_request request = {
				.count = counts[i / 3],
				.detached = i % 3 == 1,
				.pieces = i % 3 == 2 ? 1 + merged % 5 : 0,
				.chains = 1 + merged % 3,
				.memories = merged % 3 == 0 ? memories : NULL,
			};

			if (!merges(schedule, &request))
				OK_THAT(false, "%s kind %u ranks %u share %u "
					"flags %u count %llu", name, how->kind,
					how->rank_count, how->share, how->flags,
					(unsigned long long)request.count);
		}
		plait__schedule_free(schedule);
	}
	plait__chunk_program_free(program);
}

static void check_kind(uint32_t number, uint32_t kind)
{
	static const plait__compile_request ways[] = {
		{ .instances = 1 },
		{ .instances = 2, .flags = PLAIT__COMPILE_NO_FUSION },
	};

	for (uint32_t i = 0; i < 2 * 8 * 3; i++) {
		const plait__chunk_request how = {
			.kind = kind, .flags = i % 2,
			.rank_count = 1 + i / 2 % 8, .share = i / 16,
			.root = i / 16 % (1 + i / 2 % 8),
		};

		check(plait__known_name(number), &how, &ways[i / 2 % 2]);
	}
}

static void runs_in_any_order(void)
{
	unsigned failed = tap_failed();

	seed = tap_seed();
	for (uint32_t i = 0; plait__known_name(i) != NULL; i++)
		for (uint32_t kind = 0; kind <= PLAIT__COLL_ALLTONEXT; kind++)
			if (plait__known_has(i, kind))
				check_kind(i, kind);
	OK(tap_failed() == failed);
	OK(staged > 0);
	NOTE("%llu merges", (unsigned long long)merged);
}

/* ---- schedules by hand ---- */

/* Two ranks exchange their chunk in place: each message has to outlive its
 * source. */
static void saves_what_messages_refer_to(void)
{
	plait__coll_rank ranks[] = { { 1, 1, 0, 0, 1 }, { 1, 1, 0, 1, 1 } };
	plait__coll_lane lanes[] = { { 0, 0, 1, 1, 0, 2 },
				     { 1, 0, 0, 0, 2, 2 } };
	plait__coll_step steps[] = {
		{ .kind = PLAIT__STEP_SEND, .count = 1 },
		{ .kind = PLAIT__STEP_RECV, .count = 1 },
		{ .kind = PLAIT__STEP_SEND, .count = 1 },
		{ .kind = PLAIT__STEP_RECV, .count = 1 },
	};
	const plait__schedule schedule = {
		.kind = PLAIT__COLL_CUSTOM, .flags = PLAIT__COLL_IN_PLACE,
		.rank_count = 2, .chunks = 1, .ranks = ranks, .lanes = lanes,
		.steps = steps, .lane_count = 2, .step_count = 4,
		.allocator = plait__alloc_default(),
	};
	const plait__merge_request request = { .count = 5 };

	staged = 0;
	OK(merges(&schedule, &request));
	IS_UINT(staged, 1);
}

/* A ring of four ranks: a sum that goes on is made where the message is.  In one
 * memory a chunk needs one temporary, for the first sum; elsewhere each rank but
 * the first copies the message to its own memory. */
static void sums_in_messages(void)
{
	static const uint32_t memories[] = { 0, 1, 2, 3 };
	const plait__chunk_request how = { .kind = PLAIT__COLL_ALLREDUCE,
					   .flags = 1, .rank_count = 4 };
	const plait__compile_request compile = { .flags = 0 };
	plait__chunk_program *program;
	plait__schedule *schedule;

	OK(plait__known_make(plait__alloc_default(), "ring", &how, &program,
			     NULL) == PLAIT_OK);
	OK(plait__compile_program(plait__alloc_default(), program, &compile,
				  &schedule, NULL) == PLAIT_OK);
	for (uint32_t i = 0; i < 2; i++) {
		const plait__merge_request request = {
			.count = 40, .memories = i == 0 ? NULL : memories,
		};
		uint32_t kinds[3] = { 0 };
		plait__merge merge;

		IS_INT(plait__merge_schedule(schedule, &request, &merge, NULL),
		       PLAIT_OK);
		for (uint32_t k = 0; k < merge.ops.count; k++)
			kinds[((const plait__merge_op *)plait__vector_at(
				&merge.ops, k))->kind]++;
		IS_UINT(merge.temporaries.count, i == 0 ? 4 : 3 * 4);
		IS_UINT(kinds[PLAIT__MERGE_REDUCE_TO], i == 0 ? 4 : 0);
		IS_UINT(kinds[PLAIT__MERGE_REDUCE], i == 0 ? 2 * 4 : 3 * 4);
		IS_UINT(kinds[PLAIT__MERGE_COPY], i == 0 ? 3 * 4 : 6 * 4);
		plait__merge_free(&merge);
	}
	plait__schedule_free(schedule);
	plait__chunk_program_free(program);
}

/* A copy from chunk 0 on to chunk 1 on repeats chunk 0. */
static void copies_by_chunk(void)
{
	plait__coll_rank ranks[] = { { 3, 3, 0, 0, 1 } };
	plait__coll_lane lanes[] = { { 0, 0, -1, -1, 0, 1 } };
	plait__coll_step steps[] = {
		{ .kind = PLAIT__STEP_COPY, .count = 2, .target = 1 },
	};
	const plait__schedule schedule = {
		.kind = PLAIT__COLL_BROADCAST, .flags = PLAIT__COLL_IN_PLACE,
		.rank_count = 1, .chunks = 3, .ranks = ranks, .lanes = lanes,
		.steps = steps, .lane_count = 1, .step_count = 1,
		.allocator = plait__alloc_default(),
	};
	const plait__merge_request request = { .count = 3 };
	plait__merge merge;
	const plait__merge_op *ops;

	IS_INT(plait__merge_schedule(&schedule, &request, &merge, NULL),
	       PLAIT_OK);
	ops = merge.ops.items;
	IS_UINT(merge.ops.count, 2);
	OK(ops[0].elements == 1 && ops[0].target.offset == 1);
	OK(ops[1].elements == 1 && ops[1].source.offset == 1 &&
	   ops[1].before_count == 1);
	plait__merge_free(&merge);
}

/* A ring of two ranks: a sum and a copy of each chunk are a component. */
static void cuts_into_pieces(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_ALLREDUCE,
					   .flags = 1, .rank_count = 2 };
	const plait__compile_request compile = { .flags = 0 };
	const plait__merge_request request = { .count = 42, .pieces = 5,
					       .chains = 2 };
	const plait__merge_request whole = { .count = 42 };
	uint32_t components;
	plait__chunk_program *program;
	plait__schedule *schedule;
	plait__merge merge;
	const plait__merge_op *ops;
	const uint32_t *befores;

	OK(plait__known_make(plait__alloc_default(), "ring", &how, &program,
			     NULL) == PLAIT_OK);
	OK(plait__compile_program(plait__alloc_default(), program, &compile,
				  &schedule, NULL) == PLAIT_OK);
	IS_INT(plait__merge_schedule(schedule, &request, &merge, NULL),
	       PLAIT_OK);
	ops = merge.ops.items;
	befores = merge.befores.items;
	IS_UINT(merge.ops.count, 4 * 5);
	for (uint32_t i = 0; i < merge.ops.count; i++) {
		uint32_t piece = i / 4, component = i / 2;
		bool begins = i % 2 == 0;

		IS_UINT(ops[i].target.offset,
			(1 - component % 2) * 21 + 5 * piece);
		IS_UINT(ops[i].elements, piece == 4 ? 1 : 5);
		IS_UINT(ops[i].before_count, begins && component < 2 ? 0 : 1);
		if (ops[i].before_count == 1)
			IS_UINT(befores[ops[i].first_before],
				begins ? i - 3 : i - 1);
	}
	plait__merge_free(&merge);
	IS_INT(plait__merge_schedule(schedule, &whole, &merge, NULL),
	       PLAIT_OK);
	IS_INT(plait__merge_chains_count(&merge, &components), 0);
	IS_UINT(components, 2);
	plait__merge_free(&merge);
	plait__schedule_free(schedule);
	plait__chunk_program_free(program);
}

/* Chunks of 1 and 2 elements meet. */
static void refuses_unequal_chunks(void)
{
	plait__coll_rank ranks[] = { { 2, 2, 0, 0, 1 } };
	plait__coll_lane lanes[] = { { 0, 0, -1, -1, 0, 1 } };
	plait__coll_step steps[] = {
		{ .kind = PLAIT__STEP_REDUCE, .count = 1, .target = 1,
		  .target_buffer = PLAIT__COLL_INPUT },
	};
	const plait__schedule schedule = {
		.kind = PLAIT__COLL_CUSTOM, .rank_count = 1, .chunks = 2,
		.ranks = ranks, .lanes = lanes, .steps = steps,
		.lane_count = 1, .step_count = 1,
		.allocator = plait__alloc_default(),
	};
	plait__merge_request request = { .count = 3 };
	plait_error error = { .size = sizeof(error) };
	plait__merge merge;

	IS_INT(plait__merge_schedule(&schedule, &request, &merge, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "3 elements in 2 chunks");
	plait__merge_free(&merge);
	request.count = 4;
	IS_INT(plait__merge_schedule(&schedule, &request, &merge, &error),
	       PLAIT_OK);
	plait__merge_free(&merge);
}

static const struct tap_scenario all[] = {
	{ "messages outlive their source", saves_what_messages_refer_to },
	{ "sums in messages", sums_in_messages },
	{ "copies by chunk", copies_by_chunk },
	{ "cuts into pieces", cuts_into_pieces },
	{ "refuses unequal chunks", refuses_unequal_chunks },
	{ "any order that the edges permit", runs_in_any_order },
};
TAP_MAIN(all)
