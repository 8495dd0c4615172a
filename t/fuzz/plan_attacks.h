/* SPDX-License-Identifier: MIT */
/* Known attacks by plans that are read: each changes a good plan. */
#ifndef T_FUZZ_PLAN_ATTACKS_H
#define T_FUZZ_PLAN_ATTACKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "plan/plan.h"

#define VICTIM UINT64_C(0x1111111111111111)

/* A variable of the program, which no buffer contains. */
static uint64_t victim = VICTIM;

/* A copy's target is a slot of the reserved kind, as large as memory, at an
 * offset that is the victim's address. */
static inline void attack_with_arena(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->args_count; i++) {
		plait__plan_arg *arg = &plan->args[i];

		if (arg->kind != PLAIT__ARG_MEMORY)
			continue;
		plan->slots[arg->index].kind = PLAIT__SLOT_ARENA;
		plan->slots[arg->index].bytes = (uint64_t)1 << 62;
		arg->offset = (uintptr_t)&victim;
	}
}

/* No patch writes the address that a run brings: the file's own stays. */
static inline void attack_with_patch(plait__plan *plan)
{
	const uint64_t address = (uintptr_t)&victim;

	plan->patches_count = 0;
	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_PARAM)
			memcpy(plan->blob + plan->args[i].blob, &address,
			       sizeof(address));
}

/* The patch of an argument writes over another range. */
static inline void attack_with_range(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->patches_count; i++) {
		plan->patches[i].blob = (uint32_t)plan->blob_count;
		plan->patches[i].bytes = 16;
	}
}

/* More scratch than the commands have. */
static inline void attack_with_scratch(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->devices_count; i++)
		plan->devices[i].scratch_bytes += 256 * plan->command_count;
}

static const struct {
	const char *name;
	void (*change)(plait__plan *plan);
} attacks[] = {
	{ "arena", attack_with_arena },
	{ "patch", attack_with_patch },
	{ "range", attack_with_range },
	{ "scratch", attack_with_scratch },
};

#endif
