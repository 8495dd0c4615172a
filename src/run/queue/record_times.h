/* SPDX-License-Identifier: MIT */
/* Start and end times of commands, in recorded runs. */
#ifndef PLAIT_SRC_RUN_QUEUE_RECORD_TIMES_H
#define PLAIT_SRC_RUN_QUEUE_RECORD_TIMES_H

#include "run/queue/run_driver.h"

/* A body begins. */
void plait__record_times_begin_body(plait__run_driver *driver, uint32_t body);
/* A body is over: record its commands. */
void plait__record_times_put_body(plait__run_driver *driver, uint32_t body);
/* A batch was submitted: await the completion of each of its commands. */
void plait__record_times_subscribe(plait__run_driver *driver, uint32_t batch);
/* Note the completion of a command.  Returns its body. */
uint32_t plait__record_times_completed(plait__run_driver *driver,
				       uint32_t listener, plait_status status);
/* An external command begins; and ends. */
void plait__record_times_begin_external(plait__run_driver *driver,
					uint32_t command);
void plait__record_times_end_external(plait__run_driver *driver,
				      uint32_t command);
/* The host has decided a region. */
void plait__record_times_decision(plait__run_driver *driver, uint32_t region,
				  uint32_t body, bool again);
/* The run is over. */
void plait__record_times_end(plait__run_driver *driver);

#endif
