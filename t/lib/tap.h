/* SPDX-License-Identifier: MIT */
/*
 * The Test Anything Protocol for C tests.  A file has scenarios; each is a
 * function with checks in it.  Every macro returns whether the check held.
 *
 *	static void adds(void) { IS_INT(1 + 1, 2); }
 *	static const struct tap_scenario all[] = { { "adds", adds } };
 *	TAP_MAIN(all)
 *
 * Run `t/sys/x.t` for all, `t/sys/x.t adds` for one, `seed=7` to replay a seed.
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tap_scenario {
	const char *name;
	void (*run)(void);
};

#define TAP_HERE __FILE__, __LINE__
#define TAP_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TAP_MAIN(scenarios) \
	int main(int argc, char **argv) \
	{ \
		return tap_main(argc, argv, scenarios, TAP_COUNT(scenarios)); \
	}

/* The expression holds. */
#define OK(expr) tap_ok(!!(expr), TAP_HERE, "%s", #expr)
/* Does the same with a text of the test's own: OK_THAT(x > 1, "round %d",
 * i). */
#define OK_THAT(expr, ...) tap_ok(!!(expr), TAP_HERE, __VA_ARGS__)
#define IS_INT(got, want) \
	tap_is_int((intmax_t)(got), (intmax_t)(want), TAP_HERE, #got)
#define IS_UINT(got, want) \
	tap_is_uint((uintmax_t)(got), (uintmax_t)(want), TAP_HERE, #got)
#define IS_PTR(got, want) tap_is_ptr((got), (want), TAP_HERE, #got)
#define IS_STR(got, want) tap_is_str((got), (want), TAP_HERE, #got)
/* The text contains the part. */
#define HAS_STR(got, part) tap_has_str((got), (part), TAP_HERE, #got)
/* One check that could not run here; always true. */
#define SKIP(...) tap_skip(__VA_ARGS__)
/* Nothing in this file can run here; ends the program. */
#define SKIP_ALL(...) tap_skip_all(__VA_ARGS__)
/* Known not to hold yet, with the reason; an unexpected pass is reported. */
#define TODO(expr, reason) tap_todo(!!(expr), TAP_HERE, #expr, reason)
/* A line for the log. */
#define NOTE(...) tap_note(__VA_ARGS__)

/*
 * The limit of waits for an event that must come.  Only a test that would wait
 * for ever reaches it: a busy machine is no failure.  Less than the limit of
 * t/lib/run, so that the failed check is named.
 */
#define TAP_PATIENCE_NS (UINT64_C(200) * 1000000000)

int tap_main(int argc, char **argv, const struct tap_scenario *scenarios,
	     size_t count);
/* seed=N of the command line, else $PLAIT_SEED, else a fixed one; printed. */
uint64_t tap_seed(void);
/* The value of `key=value` on the command line, or 0. */
const char *tap_argument(const char *key);
/* True when longer variants are requested (PLAIT_SOAK=1). */
bool tap_soak(void);
/* True when the wait that began at `since` is over the limit; `since` starts as
 * 0. */
bool tap_late(uint64_t *since);
/* Returns how many checks have failed so far. */
unsigned tap_failed(void);
/* From here on checks that hold print nothing, until tap_verbose prints one line, with
 * their number: for random tests, since t/lib/run limits the output. */
void tap_brief(void);
void tap_verbose(void);

__attribute__((format(printf, 4, 5)))
bool tap_ok(bool held, const char *file, int line, const char *format, ...);
bool tap_is_int(intmax_t got, intmax_t want, const char *file, int line,
		const char *text);
bool tap_is_uint(uintmax_t got, uintmax_t want, const char *file, int line,
		 const char *text);
bool tap_is_ptr(const volatile void *got, const volatile void *want,
		const char *file, int line, const char *text);
bool tap_is_str(const char *got, const char *want, const char *file, int line,
		const char *text);
bool tap_has_str(const char *got, const char *part, const char *file, int line,
		 const char *text);
bool tap_todo(bool held, const char *file, int line, const char *text,
	      const char *reason);
__attribute__((format(printf, 1, 2)))
bool tap_skip(const char *format, ...);
__attribute__((format(printf, 1, 2), noreturn))
void tap_skip_all(const char *format, ...);
__attribute__((format(printf, 1, 2)))
void tap_note(const char *format, ...);

#endif
