/* SPDX-License-Identifier: MIT */
/* Batches of the driver: bound, then submitted.  A failure is one of the run. */
#ifndef PLAIT_SRC_RUN_QUEUE_PREPARED_BATCH_H
#define PLAIT_SRC_RUN_QUEUE_PREPARED_BATCH_H

#include "run/queue/run_driver.h"

/* Fail the run, as a batch was refused for the reason `why`, which gets a
 * prefix. */
void plait__prepared_batch_fail(plait__run_driver *driver, uint32_t batch,
				plait_error *why);
/* Bind and update a batch.  Returns false if the run is stopped. */
bool plait__prepared_batch_bind(plait__run_driver *driver, uint32_t batch);
/* Submit a batch that is bound; if it is refused the run fails. */
void plait__prepared_batch_submit(plait__run_driver *driver, uint32_t batch);
/* Bind and submit `count` batches.  Returns false if the run is stopped. */
bool plait__prepared_batch_submit_all(plait__run_driver *driver,
				      uint32_t first, uint32_t count);

#endif
