/* SPDX-License-Identifier: MIT */
/*
 * Environment variables (secure_getenv, AT_SECURE), the table of numeric ones
 * and the names of all; see env.h.
 */
#include "sys/env.h"

#include "base/spelling_hint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

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
				    "the default" },
	[PLAIT__ENV_COROUTINE_BYTES] = { "PLAIT_COROUTINE_BYTES", 16384,
					 UINT64_MAX, "the default" },
};

/* The other variables, without PLAIT_: of the library, of bindings, of
 * tests. */
static const char *const texts[] = {
	"BACKEND", "CACHE_DIR", "CC", "CFLAGS", "DUMP", "LOG", "OPTIONS",
	"PLUGIN_PATH", "TRANSPORT", "WRAP",
	"LIBRARY",
	"SANITIZER", "SEED", "SOAK", "TEST_SECONDS", "TEST_TIMES",
	"TEST_WRAPPER",
};

enum { PREFIX = 6, TEXTS = sizeof(texts) / sizeof(texts[0]) };

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

/* Returns the known name of this index, without PLAIT_; null behind the
 * last. */
static const char *known_name(uint32_t i)
{
	if (i < TEXTS)
		return texts[i];
	i -= TEXTS;
	return i < PLAIT__ENV_NUMBERS ? numbers[i].name + PREFIX : NULL;
}

/* Returns the distance of the most similar known name, UINT_MAX if none is
 * similar.  Names are compared without PLAIT_, which all have in common. */
static unsigned find_nearest(const char *name, const char **out)
{
	unsigned nearest = UINT_MAX;
	const char *known;

	for (uint32_t i = 0; (known = known_name(i)) != NULL; i++) {
		unsigned distance = plait__spelling_hint_distance(name, known);

		if (distance >= nearest)
			continue;
		nearest = distance;
		*out = known;
	}
	return nearest;
}

static bool describe_unknown(const char *entry, char *out, size_t out_bytes)
{
	char name[64];
	const char *nearest = "";
	unsigned distance;

	if (strncmp(entry, "PLAIT_", PREFIX) != 0)
		return false;
	entry += PREFIX;
	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(entry, "="),
		       entry);
	distance = find_nearest(name, &nearest);
	if (distance == 0 && strcmp(name, nearest) == 0)
		return false;
	(void)snprintf(out, out_bytes, "PLAIT_%s is not a variable of plait "
		       "and has no effect%s%s", name,
		       distance != UINT_MAX ? "; perhaps PLAIT_" : "", nearest);
	return true;
}

bool plait__env_describe_unknown(size_t *at, char *out, size_t out_bytes)
{
	if (environ == NULL || plait__env_privileged())
		return false;
	while (environ[*at] != NULL)
		if (describe_unknown(environ[(*at)++], out, out_bytes))
			return true;
	return false;
}
