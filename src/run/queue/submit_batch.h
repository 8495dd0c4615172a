/* SPDX-License-Identifier: MIT */
/* The driver's calls of backend queues and signals: submit, flush, await,
 * recover. */
#ifndef PLAIT_SRC_RUN_QUEUE_SUBMIT_BATCH_H
#define PLAIT_SRC_RUN_QUEUE_SUBMIT_BATCH_H

#include "run/queue/run_driver.h"

/* Submit a batch; on failure nothing of it was submitted, and its marks have no
 * emissions.  PLAIT_E_LOST: the lane takes no more work. */
plait_status plait__submit_batch(plait__run_driver *driver, uint32_t batch,
				 plait_error *error);
/* Set the sequences that a submission waits for in this run. */
void plait__submit_number_waits(plait__run_driver *driver,
				const plait__queue_submission *submission);
/* Submit parts made by the caller.  The last one emits `mark`, or nothing if
 * it is none; `emit` is set to the point of that emission. */
plait_status plait__submit_parts(plait__run_driver *driver,
				 uint32_t lane,
				 const plait_submission *parts,
				 uint32_t count, uint32_t mark,
				 plait_backend_point *emit,
				 plait_error *error);
/* Flush all queues that have unflushed submissions. */
void plait__submit_flush(plait__run_driver *driver);

/* Arm a listener for the emission of its mark; later, if the caller of the run
 * waits and polls. */
void plait__submit_subscribe(plait__run_driver *driver, uint32_t listener);
/* Likewise, for a sequence that its mark had in this run. */
void plait__submit_subscribe_at(plait__run_driver *driver, uint32_t listener,
				uint64_t sequence);
/* Poll a listener.  Returns true if its mark was emitted, and its status. */
bool plait__submit_poll(plait__run_driver *driver, uint32_t listener,
			plait_status *out);
/* Arm the listeners that are polled, as far as backends do not refuse. */
void plait__submit_arm_polled(plait__run_driver *driver);
/* Get the error of a mark that failed, from its backend. */
void plait__submit_explain(plait__run_driver *driver, uint32_t listener,
			   plait_status status, plait_error *out);

/* Recover failed queues, or replace them; nothing is in flight.  A failure is
 * kept in driver->loss. */
void plait__submit_recover(plait__run_driver *driver);

#endif
