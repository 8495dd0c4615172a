/* SPDX-License-Identifier: MIT */
/* Recording of a flow's ops, with PLAIT_FLOW_RECORD.  Callers hold the lock;
 * without a record these do nothing. */
#ifndef PLAIT_SRC_FLOW_FLOW_RECORD_H
#define PLAIT_SRC_FLOW_FLOW_RECORD_H

#include "flow/flow.h"

/* Returns false without memory. */
bool plait__flow_record_make(plait__flow *flow);
void plait__flow_record_free(plait__flow *flow);

/* The index of the data, which gets one with its first access: not if the record
 * has failed. */
uint32_t plait__flow_record_index(plait__flow *flow, plait__data *whole);

/* The task was committed, with flow->accesses. */
void plait__flow_record_task(const plait__flow_task *task,
			     const plait_task_desc *desc);

/* The function of a call that stands for an access of the host, of data without
 * memory: the record has such an access. */
int32_t plait__flow_record_stand_in(void *user_data);

/* The host's access was committed, as flow->accesses[0]. */
void plait__flow_record_host(plait__flow *flow, uint64_t number,
			     const char *label);

#endif
