/* SPDX-License-Identifier: MIT */
/* Texts that decide the loop around their kernel. */
#ifndef PLAIT_SRC_SOURCE_LOOP_PREDICATE_H
#define PLAIT_SRC_SOURCE_LOOP_PREDICATE_H

#include "source/compose.h"

/* Is the word DECIDE in the text of `source`, outside of comments and quotes? */
bool plait__loop_predicate_is_used(const plait_source *source);

#endif
