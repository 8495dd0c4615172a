/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a wait for a queue. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_DIAGNOSIS_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_DIAGNOSIS_H

#include "object/queue/queue.h"

/* Write which call blocks the queue, and the inbox or backend that has yet to
 * answer it, ": ..."; "" if none does. */
void plait__queue_diagnosis_describe_call(plait__queue *queue, char *out,
					  uint32_t bytes);

/* For the queue `arg`: write that, or else the gate that it waits for, "; ...";
 * "" if there is neither. For plait__wait_request.describe. */
void plait__queue_diagnosis_describe(void *arg, char *out, uint32_t bytes);

#endif
