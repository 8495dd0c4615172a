/* SPDX-License-Identifier: MIT */
/*
 * Failing allocations: every allocation of every call fails once.  Required are
 * PLAIT_E_NOMEM with a text, cleared out-parameters, no change, no leak, and
 * that the same call works when there is memory again.  The calls are in
 * t/fault/calls.
 */
#include "calls.h"

static void arm(struct place *place, uint64_t k)
{
	__atomic_store_n(&place->memory.hit, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&place->memory.count, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&place->memory.fail, k, __ATOMIC_SEQ_CST);
}

static bool disarm(struct place *place)
{
	__atomic_store_n(&place->memory.fail, 0, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&place->memory.hit, __ATOMIC_SEQ_CST) != 0;
}

static bool may_be(plait_status status)
{
	return status == PLAIT_E_NOMEM;
}

static void every_allocation(void)
{
	static const struct calls_fault fault = { .arm = arm,
						  .disarm = disarm,
						  .may_be = may_be };

	calls_sweep_all(&fault);
}

static const struct tap_scenario all[] = {
	{ "every allocation fails once", every_allocation },
};

TAP_MAIN(all)
