/* SPDX-License-Identifier: MIT */
/*
 * Types of values in source text: vectors, which are structs with an array `v`
 * on every backend, and the user's structs, whose size is checked.
 */
#ifndef PLAIT_SRC_SOURCE_VALUE_TYPES_H
#define PLAIT_SRC_SOURCE_VALUE_TYPES_H

#include "source/compose.h"

/* Return C's own name of a scalar type, without any header. */
const char *plait__value_types_name(plait__type type);

/* Refuse structs without a name, which a text cannot declare. */
plait_status plait__value_types_check(const plait__signature *signature,
				      plait_error *error);

/* Define the vectors of a signature, each once; `preluded`: the text has the
 * names of a prelude, and pixels of images are vectors. */
void plait__value_types_add(plait__text *out, const plait__signature *signature,
			    bool preluded);

/* Append to the user's text: structs of another size do not compile. */
void plait__value_types_add_checks(plait__text *out,
				   const plait__signature *signature);

#endif
