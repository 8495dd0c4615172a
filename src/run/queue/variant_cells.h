/* SPDX-License-Identifier: MIT */
/* Room for the arguments of a bound launch: a cell for each, and further cells
 * behind those of all for values above 8 bytes. */
#ifndef PLAIT_SRC_RUN_QUEUE_VARIANT_CELLS_H
#define PLAIT_SRC_RUN_QUEUE_VARIANT_CELLS_H

#include "run/queue/queue_instance.h"

/* Returns the further cells of a value of that size; 0 up to 8 bytes. */
uint32_t plait__variant_cells_extra(uint32_t bytes);

/* Returns the cells of all arguments of a command. */
uint32_t plait__variant_cells_count(const plait__queue_program *compiled,
				    uint32_t command);

#endif
