/* SPDX-License-Identifier: MIT */
/* Words that portable source cannot use, since some language reserves them. */
#ifndef PLAIT_SRC_SOURCE_RESERVED_WORDS_H
#define PLAIT_SRC_SOURCE_RESERVED_WORDS_H

#include "source/compose.h"

/*
 * Check the parameters' names, which the signature gives and no line of the
 * user's text contains.  `at` is the position of KERNEL.  PLAIT_E_INVALID.
 */
plait_status plait__reserved_words_check(const plait_source *source,
					 const plait__signature *signature,
					 const char *at, plait_error *error);

#endif
