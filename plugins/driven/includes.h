/* SPDX-License-Identifier: MIT */
/*
 * Identity of the files that a text for a driver's compiler includes, for the
 * key of its cached binary: a header may change while the text does not.
 */
#ifndef PLAITP_DRIVEN_INCLUDES_H
#define PLAITP_DRIVEN_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

#include "driven.h"

/* Hash of the included files; zero for a text without any. */
struct driven_includes {
	uint64_t hash[2];
};

/*
 * Hash every file that the text may include.  `options`: words separated by
 * blanks or NUL.  Returns false if the files cannot be told: a computed
 * include, one that no -I option finds, __has_include, or an option that
 * includes.  Such a text must not be cached.
 */
bool plaitp_driven_includes_read(const plait_host_services *services,
				 plait_host *host, const char *text,
				 uint64_t bytes, const char *options,
				 size_t options_bytes,
				 struct driven_includes *out);

#endif
