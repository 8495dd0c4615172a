/* SPDX-License-Identifier: MIT */
/* Words that portable source cannot have, since some language keeps them. */
#ifndef PLAIT_SRC_SOURCE_RESERVED_WORDS_H
#define PLAIT_SRC_SOURCE_RESERVED_WORDS_H

#include "source/compose.h"

/*
 * Parameters are named by the signature, and become part of a text where no
 * line of the user's has them.  `at` is where the text says KERNEL.
 * PLAIT_E_INVALID.
 */
plait_status plait__reserved_words_check(const plait_source *source,
					 const plait__signature *signature,
					 const char *at, plait_error *error);

#endif
