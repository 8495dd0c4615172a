/* SPDX-License-Identifier: MIT */
/*
 * The Test Anything Protocol, implementation.  Every line is flushed, the plan
 * too: a sanitizer ends the process without flushing, and a leak must not look
 * like a test that forgot its plan.  Checks may come from any thread.
 */
#include "tap.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Guards the counters and keeps lines whole; recursive is not needed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned run_count, failed_count;
static bool is_brief; /* checks that hold print nothing */
static unsigned long brief_count; /* of these, since tap_brief */
static const char *scenario_name = "";
static char **arguments;
static int argument_count;
static pid_t owner; /* process of tap_main */

/* LeakSanitizer asks at the exit of a process.  In a child of fork() it would wait
 * for locks that threads of the parent held. */
int __lsan_is_turned_off(void) __attribute__((visibility("default")));

int __lsan_is_turned_off(void)
{
	return owner != 0 && getpid() != owner;
}

static void print_result(bool held, const char *directive, const char *format,
			 va_list args)
{
	run_count++;
	printf("%s %u - %s%s", held ? "ok" : "not ok", run_count,
	       scenario_name, scenario_name[0] ? ": " : "");
	/* '#' would start a directive. */
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c; c++)
		putchar(*c == '#' || *c == '\n' ? ' ' : *c);
	printf("%s\n", directive);
	fflush(stdout);
}

__attribute__((format(printf, 3, 4)))
static void result(bool held, const char *directive, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_result(held, directive, format, args);
	va_end(args);
}

__attribute__((format(printf, 5, 6)))
static bool check(bool held, const char *file, int line, const char *text,
		  const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&lock);
	if (held && is_brief)
		brief_count++;
	else
		result(held, "", "%s", text);
	if (!held) {
		failed_count++;
		printf("#   at %s:%d\n", file, line);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		fflush(stdout);
	}
	pthread_mutex_unlock(&lock);
	return held;
}

bool tap_ok(bool held, const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return check(held, file, line, text, "%s", "");
}

bool tap_is_int(intmax_t got, intmax_t want, const char *file, int line,
		const char *text)
{
	return check(got == want, file, line, text,
		     "#    got %jd\n#   want %jd\n", got, want);
}

bool tap_is_uint(uintmax_t got, uintmax_t want, const char *file, int line,
		 const char *text)
{
	return check(got == want, file, line, text,
		     "#    got %ju (0x%jx)\n#   want %ju (0x%jx)\n",
		     got, got, want, want);
}

bool tap_is_ptr(const volatile void *got, const volatile void *want,
		const char *file, int line, const char *text)
{
	return check(got == want, file, line, text, "#    got 0x%jx\n#   want 0x%jx\n",
		     (uintmax_t)(uintptr_t)got, (uintmax_t)(uintptr_t)want);
}

static const char *shown(const char *text)
{
	return text ? text : "(null)";
}

bool tap_is_str(const char *got, const char *want, const char *file, int line,
		const char *text)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	return check(same, file, line, text, "#    got \"%s\"\n#   want \"%s\"\n",
		     shown(got), shown(want));
}

bool tap_has_str(const char *got, const char *part, const char *file, int line,
		 const char *text)
{
	return check(got && strstr(got, part), file, line, text,
		     "#    got \"%s\"\n#   with \"%s\"\n", shown(got), part);
}

bool tap_todo(bool held, const char *file, int line, const char *text,
	      const char *reason)
{
	char directive[256];

	(void)file;
	(void)line;
	snprintf(directive, sizeof(directive), " # TODO %s", reason);
	pthread_mutex_lock(&lock);
	result(held, directive, "%s", text);
	pthread_mutex_unlock(&lock);
	return held;
}

bool tap_skip(const char *format, ...)
{
	char reason[256], directive[272];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	snprintf(directive, sizeof(directive), " # SKIP %s", reason);
	pthread_mutex_lock(&lock);
	result(true, directive, "%s", "not run");
	pthread_mutex_unlock(&lock);
	return true;
}

void tap_skip_all(const char *format, ...)
{
	va_list args;

	printf("1..0 # SKIP ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	exit(0);
}

void tap_note(const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&lock);
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	pthread_mutex_unlock(&lock);
}

unsigned tap_failed(void)
{
	unsigned count;

	pthread_mutex_lock(&lock);
	count = failed_count;
	pthread_mutex_unlock(&lock);
	return count;
}

void tap_brief(void)
{
	pthread_mutex_lock(&lock);
	is_brief = true;
	brief_count = 0;
	pthread_mutex_unlock(&lock);
}

void tap_verbose(void)
{
	pthread_mutex_lock(&lock);
	if (is_brief) {
		failed_count += brief_count == 0;
		result(brief_count > 0, "", "%lu checks held", brief_count);
	}
	is_brief = false;
	pthread_mutex_unlock(&lock);
}

const char *tap_argument(const char *key)
{
	size_t length = strlen(key);

	for (int i = 1; i < argument_count; i++)
		if (strncmp(arguments[i], key, length) == 0 &&
		    arguments[i][length] == '=')
			return arguments[i] + length + 1;
	return NULL;
}

uint64_t tap_seed(void)
{
	const char *text = tap_argument("seed");
	uint64_t seed;

	if (!text)
		text = getenv("PLAIT_SEED");
	seed = text ? strtoull(text, NULL, 0) : 20250101;
	tap_note("seed=%" PRIu64, seed);
	return seed;
}

bool tap_late(uint64_t *since)
{
	struct timespec time;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &time);
	now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	if (*since == 0)
		*since = now;
	return now - *since >= TAP_PATIENCE_NS;
}

bool tap_soak(void)
{
	const char *text = getenv("PLAIT_SOAK");

	return text && text[0] && strcmp(text, "0") != 0;
}

/* Without names on the command line everything is chosen. */
static bool chosen(const char *name)
{
	bool named = false;

	for (int i = 1; i < argument_count; i++) {
		if (strchr(arguments[i], '='))
			continue;
		named = true;
		if (strcmp(arguments[i], name) == 0)
			return true;
	}
	return !named;
}

int tap_main(int argc, char **argv, const struct tap_scenario *scenarios,
	     size_t count)
{
	argument_count = argc;
	arguments = argv;
	owner = getpid();
	for (size_t i = 0; i < count; i++) {
		unsigned before = run_count;

		if (!chosen(scenarios[i].name))
			continue;
		scenario_name = scenarios[i].name;
		scenarios[i].run();
		if (run_count == before)
			check(false, TAP_HERE, "checks something", "%s", "");
	}
	scenario_name = "";
	if (run_count == 0)
		check(false, TAP_HERE, "some scenario ran", "%s", "");
	printf("1..%u\n", run_count);
	fflush(stdout);
	return failed_count != 0;
}
