/* SPDX-License-Identifier: MIT */
/* Translation of plan commands to backend work. */
#ifndef PLAIT_SRC_RUN_QUEUE_TRANSLATE_WORK_H
#define PLAIT_SRC_RUN_QUEUE_TRANSLATE_WORK_H

#include "run/queue/queue_instance.h"

/* Translate an entry of plait__queue_program.work to zeroed `out`. */
void plait__translate_work(plait__queue_instance *state, uint32_t work,
			   plait_work *out);
/* Translate a copy or a fill again, with the memory that this run was given. */
plait_status plait__translate_work_bound(plait__queue_instance *state,
					 uint32_t command, plait_error *error);

#endif
