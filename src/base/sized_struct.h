/* SPDX-License-Identifier: MIT */
/* Size-prefixed descriptors: the only code that interprets their `size`. */
#ifndef PLAIT_SRC_BASE_SIZED_STRUCT_H
#define PLAIT_SRC_BASE_SIZED_STRUCT_H

#include <stddef.h>
#include <string.h>

#include "plait/base.h"

#include "base/min_struct_sizes.h"

/* No descriptor is larger; a larger size is garbage. */
enum { PLAIT__SIZED_STRUCT_MAX_BYTES = 4096 };

/*
 * Copy the caller's descriptor `given` into `known`, which has `known_bytes`.
 *
 * An older caller passes fewer bytes: the rest becomes zero, the default of
 * every field. A newer caller may pass more if the surplus is zero, because
 * then it uses no unknown field. `first_bytes` is the size in ABI 1, the
 * minimum; each size is a multiple of `alignment`. `what` names the struct in
 * the error. PLAIT_E_INVALID (null, a wrong size), PLAIT_E_UNSUPPORTED (a
 * surplus that is not zero): `known` is zero then.
 */
plait_status plait__sized_struct_read(void *known, size_t known_bytes,
				      size_t first_bytes, size_t alignment,
				      const void *given, const char *what,
				      plait_error *error);

/* Like plait__sized_struct_read, but without a copy if none is needed: *out
 * is the caller's struct if it has the known size, else `known`. */
static inline plait_status plait__sized_struct_view(
	const void **out, void *known, size_t known_bytes, size_t first_bytes,
	size_t alignment, const void *given, const char *what,
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
	return plait__sized_struct_read(known, known_bytes, first_bytes,
					alignment, given, what, error);
}

/* Copy a result: as much of `ours` as fits into the caller's `given`, which
 * keeps its size; the rest becomes zero. PLAIT_E_INVALID. */
plait_status plait__sized_struct_write(void *given, const void *ours,
				       size_t known_bytes, size_t first_bytes,
				       size_t alignment, const char *what,
				       plait_error *error);

/*
 * The macros that callers use: they derive the sizes from the struct's name.
 * `known`, `room` and `ours` point to a struct of that type in this library.
 */
#define PLAIT__STRUCT_READ(type, known, given, error)                          \
	plait__sized_struct_read(known, PLAIT__SIZE_OF(type, known),           \
				 PLAIT__MIN_SIZE(type), _Alignof(type), given,   \
				 #type, error)
#define PLAIT__STRUCT_VIEW(type, out, room, given, error)                      \
	plait__sized_struct_view(out, room, PLAIT__SIZE_OF(type, room),        \
				 PLAIT__MIN_SIZE(type), _Alignof(type), given,   \
				 #type, error)
#define PLAIT__STRUCT_WRITE(type, given, ours, error)                          \
	plait__sized_struct_write(given, ours, PLAIT__SIZE_OF(type, ours),     \
				  PLAIT__MIN_SIZE(type), _Alignof(type), #type,  \
				  error)
/* Warns if the pointer has another type. */
#define PLAIT__SIZE_OF(type, pointer)                                       \
	(sizeof(type) + 0 * sizeof((pointer) == (const type *)0))

#endif
