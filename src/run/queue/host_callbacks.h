/* SPDX-License-Identifier: MIT */
/* Callbacks of backends that execute commands of a plan on the host. */
#ifndef PLAIT_SRC_RUN_QUEUE_HOST_CALLBACKS_H
#define PLAIT_SRC_RUN_QUEUE_HOST_CALLBACKS_H

#include "run/queue/queue_instance.h"

/* plait__host_callback.perform: of a kernel on the host, of a function of the
 * user, of a copy or a fill.  Called by plait__host_callback_run, in a callback
 * scope; a failure is in *why, without the node. */
plait_status plait__host_callback_kernel(plait__host_callback *call,
					 plait_error *why);
plait_status plait__host_callback_function(plait__host_callback *call,
					   plait_error *why);
plait_status plait__host_callback_copy(plait__host_callback *call,
				       plait_error *why);

/* Callbacks for backends, on any thread; the data is a plait__host_callback; a
 * plait__queue_predicate that a function answers; one that the host reads from
 * memory.  Not 0: the run has failed or was stopped, and the queue fails. */
int32_t plait__host_callback_run(void *user_data);
int32_t plait__host_callback_ask_predicate(void *user_data);
int32_t plait__host_callback_read_predicate(void *user_data);

#endif
