/* SPDX-License-Identifier: MIT */
/* Texts that come before a source, as if it included them: plait_source.before.
 * Their descriptors may have the size of an older ABI. */
#ifndef PLAIT_SRC_SOURCE_TEXTS_BEFORE_H
#define PLAIT_SRC_SOURCE_TEXTS_BEFORE_H

#include "plait/source.h"

enum { PLAIT__TEXTS_NAME_BYTES = 128 };

/* Check the texts before a source whose other fields were read. */
plait_status plait__texts_before_check(const plait_source *out,
				       const char *name, plait_error *error);

/* Returns text `i`, whose check has passed.  `name` gets its file, or a name in
 * place of one; *out_bytes its length. */
const plait_source *plait__texts_before_at(const plait_source *source,
					   uint64_t i,
					   char name[PLAIT__TEXTS_NAME_BYTES],
					   uint64_t *out_bytes);

#endif
