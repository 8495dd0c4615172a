/* SPDX-License-Identifier: MIT */
/* Cost of a kernel's launches; see launch_cost.h. */
#include "object/kernel/launch_cost.h"

enum {
	/* Weight of a longer measurement, which may have been interrupted: 1 in
	 * 4. A shorter one counts at once. */
	SLOW_WEIGHT = 4
};

uint64_t plait__launch_cost_expect(const plait__launch_cost *cost,
				   uint64_t units)
{
	uint64_t unit_ps = at_load_relaxed_u64(&cost->unit_ps), ps;

	if (unit_ps == 0)
		return 0;
	if (__builtin_mul_overflow(unit_ps, units, &ps))
		return UINT64_MAX / 1000;
	return ps / 1000 + 1;
}

void plait__launch_cost_learn(plait__launch_cost *cost, uint64_t units,
			      uint64_t duration_ns, uint64_t short_ns)
{
	uint64_t old = at_load_relaxed_u64(&cost->unit_ps), ps;

	if (__builtin_mul_overflow(duration_ns, 1000, &ps))
		ps = UINT64_MAX;
	ps /= units;
	if (old != 0 && ps > old)
		ps = old + (ps - old) / SLOW_WEIGHT;
	ps = ps > 0 ? ps : 1;
	at_store_relaxed_u64(&cost->unit_ps, ps);
	at_store_relaxed_u64(&cost->short_units, (short_ns * 1000 - 1) / ps);
}
