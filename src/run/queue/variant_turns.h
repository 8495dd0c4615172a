/* SPDX-License-Identifier: MIT */
/* Launches of a repeat that is submitted ahead: one variant per iteration. */
#ifndef PLAIT_SRC_RUN_QUEUE_VARIANT_TURNS_H
#define PLAIT_SRC_RUN_QUEUE_VARIANT_TURNS_H

#include "run/queue/queue_instance.h"

/* Returns true if the launch, copy or fill depends on nothing but the iteration and
 * the count of this region. */
bool plait__variant_turns_follow(const plait__queue_program *compiled,
				 uint32_t command, uint32_t region);
/* Set what says how the launch follows its repeat: `turns` and `follows`. */
void plait__variant_turns_find(const plait__queue_instance *state,
			       uint32_t command);
/* The variant of the current iteration, of a launch with `turns`. */
plait__launch_variant *
plait__variant_turns_at(const plait__queue_instance *state,
			const plait__queue_launch *launch);
/* The variant has the arguments of the current iteration. */
void plait__variant_turns_note(const plait__queue_instance *state,
			       const plait__queue_launch *launch,
			       plait__launch_variant *variant);
/* Returns the launch of the current iteration if an earlier run has bound it and
 * nothing else can have changed; or null. */
plait_backend_launch *
plait__variant_turns_bound(const plait__queue_instance *state,
			   const plait__queue_launch *launch);

#endif
