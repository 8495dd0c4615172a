/* SPDX-License-Identifier: MIT */
/*
 * Test of the test library: each macro passes when it should, and each fails
 * when it should, which a child process with a wrong scenario shows.
 */
#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;

static void passes(void)
{
	int thing = 1;

	OK(1 + 1 == 2);
	OK_THAT(thing, "with words, %d", thing);
	IS_INT(-1, -1);
	IS_UINT(UINT64_MAX, UINT64_MAX);
	IS_PTR(&thing, &thing);
	IS_STR("a", "a");
	IS_STR(NULL, NULL);
	HAS_STR("needle in hay", "in");
	NOTE("a note of %d words", 5);
	OK(tap_failed() == 0);
	OK(tap_seed() != 0);
}

/* Each of these fails in the child that `failing` starts. */
static void wrong_ok(void) { OK(1 > 2); }
static void wrong_that(void) { OK_THAT(0, "no"); }
static void wrong_int(void) { IS_INT(1, 2); }
static void wrong_uint(void) { IS_UINT(1, 2); }
static void wrong_ptr(void) { IS_PTR(&self, NULL); }
static void wrong_str(void) { IS_STR("a", NULL); }
static void wrong_part(void) { HAS_STR("hay", "needle"); }
static void wrong_empty(void) { }
static void wrong_brief(void) { tap_brief(); OK(1); OK(1 > 2); }
static void wrong_idle(void) { tap_brief(); tap_verbose(); }
static void all_skipped(void) { SKIP_ALL("nothing of %s here", "it"); }

static void one_skipped(void) { SKIP("no %s", "moon"); }
static void briefly(void)
{
	tap_brief();
	OK(1);
	IS_INT(2, 2);
	tap_verbose();
	OK(3);
}
static void known(void) { TODO(0, "not built"); }

static const struct tap_scenario wrong[] = {
	{ "wrong_ok", wrong_ok }, { "wrong_that", wrong_that },
	{ "wrong_int", wrong_int }, { "wrong_uint", wrong_uint },
	{ "wrong_ptr", wrong_ptr }, { "wrong_str", wrong_str },
	{ "wrong_part", wrong_part }, { "wrong_empty", wrong_empty },
	{ "wrong_brief", wrong_brief }, { "wrong_idle", wrong_idle },
};
static const struct tap_scenario lenient[] = {
	{ "one_skipped", one_skipped }, { "known", known },
	{ "all_skipped", all_skipped }, { "briefly", briefly },
};

/* Runs this program with an argument; returns the exit status, fills the
 * output. */
static int run_self(const char *argument, char *out, size_t size)
{
	char command[4096];
	size_t length;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "'%s' child=%s 2>&1", self, argument);
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	length = fread(out, 1, size - 1, pipe);
	out[length] = 0;
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fails(void)
{
	char out[4096];

	for (size_t i = 0; i < TAP_COUNT(wrong); i++) {
		int status = run_self(wrong[i].name, out, sizeof(out));

		OK_THAT(status == 1, "%s exits with 1", wrong[i].name);
		HAS_STR(out, "not ok 1 - ");
		HAS_STR(out, "\n1..1\n");
	}
}

static void skips(void)
{
	char out[4096];

	IS_INT(run_self("all_skipped", out, sizeof(out)), 0);
	IS_STR(out, "1..0 # SKIP nothing of it here\n");
	IS_INT(run_self("one_skipped", out, sizeof(out)), 0);
	IS_STR(out, "ok 1 - one_skipped: not run # SKIP no moon\n1..1\n");
}

static void knows_what_is_missing(void)
{
	char out[4096];

	IS_INT(run_self("known", out, sizeof(out)), 0);
	IS_STR(out, "not ok 1 - known: 0 # TODO not built\n1..1\n");
}

static void counts_what_it_does_not_print(void)
{
	char out[4096];

	IS_INT(run_self("briefly", out, sizeof(out)), 0);
	IS_STR(out, "ok 1 - briefly: 2 checks held\nok 2 - briefly: 3\n1..2\n");
}

static void refuses_unknown_names(void)
{
	char out[4096];

	IS_INT(run_self("no_such_scenario", out, sizeof(out)), 1);
	HAS_STR(out, "not ok 1 - some scenario ran");
}

static const struct tap_scenario right[] = {
	{ "passes", passes },
	{ "fails", fails },
	{ "skips", skips },
	{ "knows_what_is_missing", knows_what_is_missing },
	{ "counts_what_it_does_not_print", counts_what_it_does_not_print },
	{ "refuses_unknown_names", refuses_unknown_names },
};

int main(int argc, char **argv)
{
	char *child[2] = { argv[0], NULL };

	self = argv[0];
	if (argc != 2 || strncmp(argv[1], "child=", 6) != 0)
		return tap_main(argc, argv, right, TAP_COUNT(right));
	child[1] = argv[1] + 6;
	for (size_t i = 0; i < TAP_COUNT(lenient); i++)
		if (strcmp(child[1], lenient[i].name) == 0)
			return tap_main(2, child, lenient, TAP_COUNT(lenient));
	return tap_main(2, child, wrong, TAP_COUNT(wrong));
}
