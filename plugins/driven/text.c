/* SPDX-License-Identifier: MIT */
/* Error texts, and numbers in settings. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driven.h"

plait_status plaitp_driven_fail(const plait_host_services *services,
				plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return services->fail(error, status, origin, text);
}

int plaitp_driven_parse_bytes(const char *text, uint64_t *out)
{
	static const char letters[] = "KMGT";
	const char *letter;
	char *end;
	int shift;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno != 0)
		return -1;
	if (*end == '\0')
		return 0;
	letter = strchr(letters, *end);
	if (letter == NULL || end[1] != '\0')
		return -1;
	shift = 10 * (int)(letter - letters + 1);
	if (*out > UINT64_MAX >> shift)
		return -1;
	*out <<= shift;
	return 0;
}
