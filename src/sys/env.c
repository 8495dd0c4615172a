/* SPDX-License-Identifier: MIT */
/* secure_getenv and AT_SECURE; see env.h. */
#include "sys/env.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

const char *plait__env_get(const char *name)
{
	return secure_getenv(name);
}

bool plait__env_privileged(void)
{
	return getauxval(AT_SECURE) != 0;
}

int plait__env_query_number(const char *name, uint64_t max, uint64_t *out)
{
	const char *text = plait__env_get(name);
	uint64_t value = 0;

	*out = 0;
	if (text == NULL || *text == '\0')
		return 0;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'),
					   &value))
			return -EINVAL;
	}
	if (value > max)
		return -EINVAL;
	*out = value;
	return 1;
}
