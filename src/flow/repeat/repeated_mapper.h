/* SPDX-License-Identifier: MIT */
/* Mappers of repeated tasks: all but functions of the program, which may map otherwise
 * each time.  Pure. */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEATED_MAPPER_H
#define PLAIT_SRC_FLOW_REPEAT_REPEATED_MAPPER_H

#include "plait/mapper.h"

#include <stdbool.h>

/* Returns true if a repeated task may have the mapper, or null. */
bool plait__repeated_mapper_applies(const plait_mapper *mapper);

/* Of mappers that apply: the boxes that it has, and whether both are the same. */
uint64_t plait__repeated_mapper_boxes(const plait_mapper *mapper);
bool plait__repeated_mapper_equals(const plait_mapper *a,
				   const plait_mapper *b);

#endif
