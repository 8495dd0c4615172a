/* SPDX-License-Identifier: MIT */
/*
 * Values of a repetition in a flow with devices: the elements that its tasks need in
 * each memory before the first of them, those that they write there, and the
 * memories that have the newest values behind the last one.
 */
#ifndef PLAIT_SRC_FLOW_REPETITION_VALUES_H
#define PLAIT_SRC_FLOW_REPETITION_VALUES_H

#include "flow/capture_state.h"

/* Append the accesses, the needs and the results that a capture has found; none
 * without devices.  Each data of an access is held.  Returns false without
 * memory. */
bool plait__repetition_values_take(plait__repetition *again,
				   const plait__flow_capture *capture);

/* Run `number` of the repetition leaves its results.  Caller holds the lock; there is
 * room for them. */
void plait__repetition_values_leave(const plait__repetition *again,
				    uint64_t number);

#endif
