/* SPDX-License-Identifier: MIT */
/*
 * Environment variables (secure_getenv, AT_SECURE) and the table of numeric
 * ones; see env.h.
 */
#include "sys/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* `fallback`: null if a context refuses to open with an invalid value. */
static const struct number {
	const char *name;
	uint64_t min, max;
	const char *fallback;
} numbers[PLAIT__ENV_NUMBERS] = {
	[PLAIT__ENV_WORKERS] = { "PLAIT_WORKERS", 0, PLAIT__ENV_MAX_WORKERS,
				 NULL },
	[PLAIT__ENV_SYNC] = { "PLAIT_SYNC", 0, 1, NULL },
	[PLAIT__ENV_CHECK] = { "PLAIT_CHECK", 0, 1, NULL },
	[PLAIT__ENV_REGIONS] = { "PLAIT_REGIONS", 0, 1, NULL },
	[PLAIT__ENV_LANES] = { "PLAIT_LANES", 0, UINT32_MAX,
			       "the number of processors, or workers plus one,"
			       },
	[PLAIT__ENV_LANES_GAIN_NS] = { "PLAIT_LANES_GAIN_NS", 0,
				       UINT32_MAX, "2000" },
	[PLAIT__ENV_SEGMENTS] = { "PLAIT_SEGMENTS", 0, UINT32_MAX, "4" },
	[PLAIT__ENV_CC_SECONDS] = { "PLAIT_CC_SECONDS", 1, 86400, "120" },
	[PLAIT__ENV_CACHE] = { "PLAIT_CACHE", 0, 1, "1" },
	[PLAIT__ENV_CACHE_MAX] = { "PLAIT_CACHE_MAX", 0, UINT64_MAX,
				   "1073741824" },
	[PLAIT__ENV_COROUTINE_STACK] = { "PLAIT_COROUTINE_STACK", 16384,
					 UINT64_C(1) << 32, "65536" },
	[PLAIT__ENV_COROUTINES] = { "PLAIT_COROUTINES", 1, UINT32_MAX,
				    "16384" },
};

const char *plait__env_get(const char *name)
{
	return secure_getenv(name);
}

bool plait__env_privileged(void)
{
	return getauxval(AT_SECURE) != 0;
}

static bool read_number(const char *text, uint64_t *out)
{
	uint64_t value = 0;

	for (; *text != '\0'; text++)
		if (*text < '0' || *text > '9' ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'),
					   &value))
			return false;
	*out = value;
	return true;
}

/* Returns null if the variable is unset or empty. */
static const char *get_text(const struct number *number)
{
	const char *text = plait__env_get(number->name);

	return text != NULL && *text != '\0' ? text : NULL;
}

bool plait__env_query_number(enum plait__env_number which, uint64_t *out)
{
	const struct number *number = &numbers[which];
	const char *text = get_text(number);
	uint64_t value;

	if (text == NULL || !read_number(text, &value) ||
	    value < number->min || value > number->max)
		return false;
	*out = value;
	return true;
}

bool plait__env_describe_error(enum plait__env_number which, char *out,
			       size_t out_bytes)
{
	const struct number *number = &numbers[which];
	const char *text = get_text(number);
	char range[64] = "neither 0 nor 1";
	uint64_t value;

	if (text == NULL || plait__env_query_number(which, &value))
		return false;
	if (number->min != 0 || number->max != 1)
		(void)snprintf(range, sizeof(range),
			       "not a number from %llu to %llu",
			       (unsigned long long)number->min,
			       (unsigned long long)number->max);
	(void)snprintf(out, out_bytes, "%s=\"%.64s\" is %s%s%s%s",
		       number->name, text, range,
		       number->fallback != NULL ? "; " : "",
		       number->fallback != NULL ? number->fallback : "",
		       number->fallback != NULL ? " is used instead" : "");
	return true;
}

bool plait__env_is_strict(enum plait__env_number which)
{
	return numbers[which].fallback == NULL;
}
