/* SPDX-License-Identifier: MIT */
/* Batches of regions that the host decides, or submits ahead. */
#ifndef PLAIT_SRC_RUN_QUEUE_REGION_BATCHES_H
#define PLAIT_SRC_RUN_QUEUE_REGION_BATCHES_H

#include "run/queue/batch_builder.h"

void plait__region_batches_pack_enter(plait__batch_builder *p,
				      uint32_t region);
/* Those of other lanes, before each iteration of a repeat that is submitted
 * ahead. */
void plait__region_batches_pack_gates(plait__batch_builder *p,
				      uint32_t region);
void plait__region_batches_pack_leave(plait__batch_builder *p,
				      uint32_t region);
/* At the end of a body. */
void plait__region_batches_pack_end(plait__batch_builder *p,
				    uint32_t body);

#endif
