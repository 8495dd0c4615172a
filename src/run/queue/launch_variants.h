/* SPDX-License-Identifier: MIT */
/* Cache of bound backend launches per command. */
#ifndef PLAIT_SRC_RUN_QUEUE_LAUNCH_VARIANTS_H
#define PLAIT_SRC_RUN_QUEUE_LAUNCH_VARIANTS_H

#include "run/queue/queue_instance.h"

/* Bind all launches that do not depend on a run; errors name the node. */
plait_status plait__launch_variants_make(plait__queue_instance *state,
					 plait_error *error);
/* Unbind all launches; also free the scratch arenas. */
void plait__launch_variants_free(plait__queue_instance *state);
/* Before a run: rebind launches after an exchange of their kernel. */
void plait__launch_variants_renew(plait__queue_instance *state);
/* After a run: unbind launches that have buffers of its parameters. */
void plait__launch_variants_release(plait__queue_instance *state);
/* Let the work of a command have the launch for the arguments of the current
 * iteration; NOP if it has no items.  Does nothing for a host callback. */
plait_status plait__launch_variants_bind(plait__queue_instance *state,
					 uint32_t command, plait_error *error);
/* The work of a command has changed: the device graph that has it, if any, is to be
 * updated. */
void plait__launch_variants_mark_stale(plait__queue_instance *state,
				       uint32_t command);

#endif
