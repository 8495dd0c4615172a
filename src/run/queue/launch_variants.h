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
/* Bind the launches of a batch to their arguments in this iteration.  On
 * failure the run has failed. */
void plait__launch_variants_bind(plait__queue_instance *state, uint32_t batch);
/* Likewise for one submission, whether or not its batch `binds`: also for that of
 * a segment, before anything of the run is submitted (device_graphs.c). */
void plait__launch_variants_bind_submission(
	plait__queue_instance *state,
	const plait__queue_submission *submission);

#endif
