/* SPDX-License-Identifier: MIT */
/*
 * Identity of what a text for the C compiler includes, for the key of the
 * cache: a header may change while the text that includes it does not.
 */
#ifndef PLAIT_SRC_SOURCE_INCLUDES_H
#define PLAIT_SRC_SOURCE_INCLUDES_H

#include <stdbool.h>

#include "source/compiler.h"

/* Returns true unless the text, behind the prelude of portable source, and the
 * compiler's words certainly include no file. */
bool plait__includes_possible(const plait__compiler *compiler,
			      const char *text, uint64_t bytes);

/*
 * Add the hash of the preprocessed file `from` to `key`; `folder` is for
 * temporary files, and its name does not count.  Returns false if the identity
 * cannot be known: the file does not preprocess, or the assembler reads files.
 */
bool plait__includes_add(const plait__compiler *compiler, const char *from,
			 const char *folder, plait__text *key);

#endif
