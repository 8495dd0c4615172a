/* SPDX-License-Identifier: MIT */
/* Size-prefixed structs, read and written; see sized_struct.h. */
#include "base/sized_struct.h"

#include "base/error.h"

#include <string.h>

/* A size that is none of the struct's would cut a field, such as a pointer, in
 * two. */
static plait_status check_size(uint32_t bytes, size_t first_bytes,
			       size_t alignment, const char *what,
			       plait_error *error)
{
	if (bytes < first_bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: size %u is below %zu; set it to "
				   "sizeof(%s)",
				   what, bytes, first_bytes, what);
	if (bytes > PLAIT__SIZED_STRUCT_MAX_BYTES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: size %u is not a size; set it to "
				   "sizeof(%s)",
				   what, bytes, what);
	if (bytes % alignment != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: size %u is not a multiple of %zu; set "
				   "it to sizeof(%s)",
				   what, bytes, alignment, what);
	return PLAIT_OK;
}

plait_status plait__sized_struct_read(void *known, size_t known_bytes,
				      size_t first_bytes, size_t alignment,
				      const void *given, const char *what,
				      plait_error *error)
{
	const unsigned char *bytes = given;
	plait_status status;
	uint32_t size;
	size_t i;

	memset(known, 0, known_bytes);
	if (given == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null", what);
	memcpy(&size, given, sizeof(size));
	status = check_size(size, first_bytes, alignment, what, error);
	if (status != PLAIT_OK)
		return status;
	for (i = known_bytes; i < size; i++)
		if (bytes[i] != 0)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "%s: byte %zu is set, but this "
					   "library (%s) knows only %zu",
					   what, i, plait_version(),
					   known_bytes);
	memcpy(known, given, size < known_bytes ? size : known_bytes);
	return PLAIT_OK;
}

plait_status plait__sized_struct_write(void *given, const void *ours,
				       size_t known_bytes, size_t first_bytes,
				       size_t alignment, const char *what,
				       plait_error *error)
{
	plait_status status;
	uint32_t size;

	if (given == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null", what);
	memcpy(&size, given, sizeof(size));
	status = check_size(size, first_bytes, alignment, what, error);
	if (status != PLAIT_OK)
		return status;
	memset(given, 0, size);
	memcpy(given, ours, size < known_bytes ? size : known_bytes);
	memcpy(given, &size, sizeof(size));
	return PLAIT_OK;
}
