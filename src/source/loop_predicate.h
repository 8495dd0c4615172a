/* SPDX-License-Identifier: MIT */
/* Texts that decide the loop around their kernel with DECIDE. */
#ifndef PLAIT_SRC_SOURCE_LOOP_PREDICATE_H
#define PLAIT_SRC_SOURCE_LOOP_PREDICATE_H

#include "source/compose.h"

/* Returns true if the text has the word DECIDE outside of comments and
 * quotes. */
bool plait__loop_predicate_is_used(const plait_source *source);

#endif
