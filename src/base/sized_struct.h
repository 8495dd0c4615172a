/* SPDX-License-Identifier: MIT */
/* Reading size-prefixed descriptors: the one place that understands them. */
#ifndef PLAIT_SRC_BASE_SIZED_STRUCT_H
#define PLAIT_SRC_BASE_SIZED_STRUCT_H

#include <stddef.h>
#include <string.h>

#include "plait/base.h"

#include "base/min_struct_sizes.h"

/* Larger than any descriptor will ever be; a size above it is garbage. */
enum { PLAIT__SIZED_STRUCT_MAX_BYTES = 4096 };

/*
 * Copy the caller's descriptor `given` into `known`, our own of `known_bytes`.
 *
 * An older caller passes less: the rest is zero, the default of every field.
 * A newer caller passes more: fine while the surplus is zero, because then
 * nothing that we do not understand was asked for.  `first_bytes` is the size
 * in ABI 1; nobody may pass less.  `what` names the struct in the error.
 */
plait_status plait__sized_struct_read(void *known, size_t known_bytes,
				      size_t first_bytes, const void *given,
				      const char *what, plait_error *error);

/*
 * The same without a copy where there is no need for one: *out is the
 * caller's own when it has the size that we know, else it is `known`.
 */
static inline plait_status plait__sized_struct_view(const void **out, void *known,
						    size_t known_bytes,
						    size_t first_bytes,
						    const void *given,
						    const char *what,
						    plait_error *error)
{
	uint32_t size;

	*out = given;
	if (given != NULL) {
		memcpy(&size, given, sizeof(size));
		if (size == known_bytes)
			return PLAIT_OK;
	}
	*out = known;
	return plait__sized_struct_read(known, known_bytes, first_bytes, given, what,
					error);
}

/* The same for results: how much of `ours` fits the caller's `given`. */
plait_status plait__sized_struct_write(void *given, const void *ours,
				       size_t known_bytes, size_t first_bytes,
				       const char *what, plait_error *error);

/*
 * What everybody calls: the struct's name is enough to know its sizes of then
 * and of now.  `known`, `room` and `ours` point to our own one of that type.
 */
#define PLAIT__STRUCT_READ(type, known, given, error)                              \
	plait__sized_struct_read(known, PLAIT__SIZE_OF(type, known),                \
				 PLAIT__MIN_SIZE(type), given, #type, error)
#define PLAIT__STRUCT_VIEW(type, out, room, given, error)                          \
	plait__sized_struct_view(out, room, PLAIT__SIZE_OF(type, room),             \
				 PLAIT__MIN_SIZE(type), given, #type, error)
#define PLAIT__STRUCT_WRITE(type, given, ours, error)                              \
	plait__sized_struct_write(given, ours, PLAIT__SIZE_OF(type, ours),          \
				  PLAIT__MIN_SIZE(type), #type, error)
/* With a warning if the pointer is one to something else. */
#define PLAIT__SIZE_OF(type, pointer)                                       \
	(sizeof(type) + 0 * sizeof((pointer) == (const type *)0))

#endif
