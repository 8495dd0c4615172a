/* SPDX-License-Identifier: MIT */
/*
 * Proofs of the order of random ops against the closure of all pairs: ops with
 * boxes of one to three dimensions, predecessors, ops that were done, prefixes;
 * parts of a program are forgotten in between.
 */
#include "policy_random.h"

#include "flow/access/front_access.h"
#include "flow/proof/order_proof.h"

#include "base/alloc.h"

enum { OPS = 48, OBJECTS = 2, SIDE = 6, ROUNDS = 4000 };

struct op {
	plait__order_access accesses[2];
	uint32_t access_count;
	uint64_t behind; /* bit i: op i + 1 comes before */
};

static struct op ops[OPS];

static plait_box random_box(uint32_t dimensions)
{
	plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };

	for (uint32_t d = 0; d < dimensions; d++) {
		box.low[d] = below(SIDE);
		box.high[d] = box.low[d] + 1 + below(SIDE - box.low[d]);
	}
	return box;
}

static bool conflict(const struct op *one, const struct op *other)
{
	for (uint32_t i = 0; i < one->access_count; i++)
		for (uint32_t j = 0; j < other->access_count; j++)
			if (one->accesses[i].object ==
				    other->accesses[j].object &&
			    ((one->accesses[i].mode | other->accesses[j].mode) &
			     PLAIT__ACCESS_WRITES) != 0 &&
			    plait__box_overlap(&one->accesses[i].box,
					       &other->accesses[j].box))
				return true;
	return false;
}

/* Op i comes behind op `before`, and behind what that one does. */
static void order(uint32_t i, uint32_t before)
{
	ops[i].behind |= UINT64_C(1) << before | ops[before].behind;
}

static void add_pred(plait__order_proof *proof, uint32_t i, uint32_t before)
{
	plait__order_proof_add_pred(proof, before + 1, false);
	order(i, before);
}

/* `done`: ops that all later ones are behind. */
static void add_op(plait__order_proof *proof, uint32_t i, uint32_t settled,
		   uint32_t dimensions, uint64_t *done)
{
	plait__order_op op = { .number = i + 1, .settled = settled,
			       .is_prefix = below(20) == 0 };

	ops[i] = (struct op){ .access_count = (uint32_t)below(3) };
	for (uint32_t a = 0; a < ops[i].access_count; a++) {
		ops[i].accesses[a] = (plait__order_access){
			(uint32_t)below(OBJECTS), 1 + (uint32_t)below(3),
			random_box(dimensions)
		};
		plait__order_proof_add_access(proof, &ops[i].accesses[a]);
	}
	if (i > 0 && below(8) == 0) {
		uint32_t before = (uint32_t)below(i);

		plait__order_proof_add_pred(proof, before + 1, true);
		*done |= UINT64_C(1) << before | ops[before].behind;
	}
	for (uint32_t k = 0; k < settled; k++)
		order(i, k);
	ops[i].behind |= *done;
	/* Most conflicts are ordered. */
	for (uint32_t k = 0; k < i; k++)
		if (op.is_prefix)
			order(i, k);
		else if (conflict(&ops[i], &ops[k]) && below(60) != 0)
			add_pred(proof, i, k);
	plait__order_proof_add(proof, &op);
}

/* Returns true if the conflicting ops among the first `count` are ordered. */
static bool is_ordered(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (conflict(&ops[i], &ops[k]) &&
			    (ops[i].behind >> k & 1) == 0)
				return false;
	return true;
}

/* Two ops that conflict without an order, and their accesses. */
static bool is_right(const plait__order_conflict *found)
{
	uint32_t before = (uint32_t)found->ops[0]->number - 1;
	uint32_t after = (uint32_t)found->ops[1]->number - 1;
	const plait__order_access *one = found->accesses[0];
	const plait__order_access *other = found->accesses[1];

	return before < after && conflict(&ops[before], &ops[after]) &&
	       (ops[after].behind >> before & 1) == 0 &&
	       one->object == other->object &&
	       plait__box_overlap(&one->box, &other->box) &&
	       ((one->mode | other->mode) & PLAIT__ACCESS_WRITES) != 0;
}

static uint32_t faults, proofs;

static uint32_t play(void)
{
	const uint32_t dimensions = 1 + (uint32_t)below(3);
	plait__order_conflict found;
	plait__order_proof proof;
	plait_status status = PLAIT_OK;
	uint32_t settled = 0, wrong = 0;
	uint64_t done = 0;

	plait__order_proof_init(&proof, plait__alloc_default());
	for (uint32_t i = 0; status == PLAIT_OK && i < OPS; i++) {
		if (below(6) == 0)
			settled += (uint32_t)below(i - settled + 1);
		add_op(&proof, i, settled, dimensions, &done);
		if (below(8) != 0)
			continue;
		status = plait__order_proof_run(&proof, &found, NULL);
		wrong += (status == PLAIT_OK) != is_ordered(i + 1);
		wrong += status != PLAIT_OK && !is_right(&found);
		faults += status != PLAIT_OK;
		proofs++;
		plait__order_proof_forget(&proof, settled);
		wrong += proof.ops.count != i + 1 - settled;
	}
	plait__order_proof_fini(&proof);
	return wrong;
}

static void programs(void)
{
	play_rounds(tap_soak() ? 100 * ROUNDS : ROUNDS, play);
	NOTE("%u proofs, %u found a fault", proofs, faults);
	OK(faults > ROUNDS / 20 && faults < proofs / 2);
}

/* Every allocation fails once. */
static uint64_t left;

static void *take(void *user_data, void *pointer, uint64_t old_bytes,
		  uint64_t bytes)
{
	const plait_allocator *real = user_data;

	if (bytes > 0 && left-- == 0)
		return NULL;
	return real->resize(real->user_data, pointer, old_bytes, bytes);
}

static void memory(void)
{
	plait_allocator failing = *plait__alloc_default();
	plait__order_conflict found;
	plait__order_proof proof;
	plait_error error = { .size = sizeof(error) };
	plait_status status = PLAIT_E_NOMEM;

	failing.resize = take;
	failing.user_data = (void *)(uintptr_t)plait__alloc_default();
	for (uint64_t k = 0; status != PLAIT_OK && k < 1000; k++) {
		uint64_t done = 0;

		left = k;
		plait__order_proof_init(&proof, &failing);
		random_state = 1;
		for (uint32_t i = 0; i < 4; i++)
			add_op(&proof, i, i, 1, &done);
		status = plait__order_proof_run(&proof, &found, &error);
		OK_THAT(status == PLAIT_OK || status == PLAIT_E_NOMEM,
			"allocation %llu: %d", (unsigned long long)k, status);
		plait__order_proof_fini(&proof);
	}
	IS_INT(status, PLAIT_OK);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
	{ "memory", memory },
};

TAP_MAIN(all)
