/* SPDX-License-Identifier: MIT */
/* Command line of `plait conform`, list of groups, and score. */
#include "conform.h"
#include "ports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct conform_group *const groups[] = {
	&conform_load,	  &conform_buffers, &conform_natives,
	&conform_rows,	  &conform_queues,  &conform_signals,
	&conform_calls,	  &conform_errors,  &conform_kernels,
	&conform_cache,	  &conform_local_memory, &conform_large_values,
	&conform_launch_batch, &conform_repeats, &conform_images,
	&conform_segments, &conform_regions,
	&conform_deciding, &conform_links,   &conform_claims,
	&conform_mail,	  &conform_messages,
};

struct score {
	unsigned number;
	unsigned failed;
	unsigned skipped;
};

static const char usage_text[] =
	"usage: plait conform BACKEND [--only ID,GROUP,...] [--seed N]\n"
	"                     [--deadline SECONDS] [--expect FILE] [--verbose]\n"
	"       plait conform BACKEND --here --only ID\n"
	"       plait conform --list\n"
	"\n"
	"Runs the conformance suite on a backend and reports in TAP.\n"
	"  --only      checks (S4) or letters of groups (B)\n"
	"  --seed      seed of the random numbers (default 1)\n"
	"  --deadline  seconds per check (default 20)\n"
	"  --expect    a file of lines: unsupported|failing ID reason\n"
	"  --here      run the check in this process, for debuggers\n"
	"Exit status: 0 all passed, 1 a check failed, 2 usage or no such plugin,\n"
	"77 the backend reports that it is unavailable here.\n";

static int usage(const char *wrong, const char *what)
{
	fprintf(stderr, "plait conform: %s%s\n%s", wrong, what, usage_text);
	return CONFORM_USAGE;
}

static const struct conform_check *find_check(const char *id, size_t bytes)
{
	for (size_t g = 0; g < CONFORM_COUNT(groups); g++)
		for (size_t i = 0; i < groups[g]->count; i++) {
			const char *have = groups[g]->checks[i].id;

			if (strncmp(have, id, bytes) == 0 &&
			    (have[bytes] == 0 || bytes == 1))
				return &groups[g]->checks[i];
		}
	return NULL;
}

/* Return true if `id` is in the list of ids and group letters; null: all. */
static bool chosen(const char *id, const char *only)
{
	while (only != NULL && *only) {
		size_t bytes = strcspn(only, ",");

		if (strncmp(id, only, bytes) == 0 &&
		    (id[bytes] == 0 || bytes == 1))
			return true;
		only += bytes + (only[bytes] == ',');
		if (*only == 0)
			return false;
	}
	return true;
}

/* Return the first name that is neither check nor group, or null. */
static const char *unknown(const char *only)
{
	while (only != NULL && *only) {
		size_t bytes = strcspn(only, ",");

		if (bytes == 0 || find_check(only, bytes) == NULL)
			return only;
		only += bytes + (only[bytes] == ',');
	}
	return NULL;
}

static void print_text(const char *text)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		printf("# %.*s\n", (int)bytes, text);
		text += bytes + (text[bytes] == '\n');
	}
}

/* A skipped check counts neither as passed nor as failed. */
static void report_expected(const struct conform_check *check,
			    const struct conform_expected *expected,
			    const struct conform_result *result,
			    struct score *score)
{
	bool passed = result->verdict == CONFORM_PASS;
	bool never = expected->kind == EXPECTS_UNSUPPORTED;

	if (passed) {
		score->failed++;
		printf("not ok %u - %s %s\n", score->number, check->id,
		       check->title);
		printf("# it passes, though it is listed as %s: %s\n",
		       never ? "unsupported" : "failing", expected->reason);
	} else if (never) {
		score->skipped++;
		printf("ok %u - %s %s # SKIP unsupported: %s\n",
		       score->number, check->id, check->title,
		       expected->reason);
	} else {
		printf("not ok %u - %s %s # TO" "DO %s\n", score->number,
		       check->id, check->title, expected->reason);
	}
}

static void report(const struct conform_check *check,
		   const struct conform_expected *expected,
		   const struct conform_options *options,
		   const struct conform_result *result, struct score *score)
{
	score->number++;
	if (result->verdict == CONFORM_SKIP) {
		score->skipped++;
		printf("ok %u - %s %s # SKIP %s\n", score->number, check->id,
		       check->title, result->reason);
	} else if (expected != NULL) {
		report_expected(check, expected, result, score);
	} else {
		bool passed = result->verdict == CONFORM_PASS;

		score->failed += !passed;
		printf("%s %u - %s %s\n", passed ? "ok" : "not ok",
		       score->number, check->id, check->title);
	}
	if (result->verdict == CONFORM_FAIL || options->verbose)
		print_text(result->text);
	fflush(stdout);
}

static unsigned count_chosen(const char *only)
{
	unsigned count = 0;

	for (size_t g = 0; g < CONFORM_COUNT(groups); g++)
		for (size_t i = 0; i < groups[g]->count; i++)
			count += chosen(groups[g]->checks[i].id, only);
	return count;
}

static int list(const char *only)
{
	for (size_t g = 0; g < CONFORM_COUNT(groups); g++) {
		printf("# %s\n", groups[g]->name);
		for (size_t i = 0; i < groups[g]->count; i++)
			if (chosen(groups[g]->checks[i].id, only))
				printf("%s\t%s\n", groups[g]->checks[i].id,
				       groups[g]->checks[i].title);
	}
	return CONFORM_GOOD;
}

static void run_group(const struct conform_group *group,
		      const struct conform_options *options,
		      const struct conform_expectations *expectations,
		      struct conform_result *result, struct score *score)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct conform_check *check = &group->checks[i];
		uint64_t start = conform_now_ns();

		if (!chosen(check->id, options->only))
			continue;
		conform_run(check, options, result);
		report(check, conform_expectations_find(expectations,
							check->id),
		       options, result, score);
		if (options->verbose)
			printf("# %s took %llu ms\n", check->id,
			       (unsigned long long)
			       ((conform_now_ns() - start) / 1000000));
	}
}

/* The backend does not open.  Skip only if the backend itself declines; a wrong
 * name or file is a failure. */
static int decline(const struct conform_options *options, const char *why)
{
	const size_t length = strlen(options->backend);
	char others[512];

	switch (conform_why_declined(options->backend, others,
				     sizeof(others))) {
	case CONFORM_ABSENT:
		fprintf(stderr, "plait conform: %s\n", why);
		if (others[0] != '\0')
			fprintf(stderr, "plait conform: plugins that are "
				"there: %s\n", others);
		return CONFORM_USAGE;
	case CONFORM_REFUSED:
		printf("1..1\nnot ok 1 - L0 the backend opens or declines\n");
		print_text(why);
		return CONFORM_BAD;
	default:
		/* Most reasons start with the name of the backend. */
		if (strncmp(why, options->backend, length) == 0 &&
		    why[length] == ':')
			printf("1..0 # SKIP %s\n", why);
		else
			printf("1..0 # SKIP %s: %s\n", options->backend, why);
		return CONFORM_SKIPPED;
	}
}

static int run_all(const struct conform_options *given,
		   const struct conform_expectations *expectations)
{
	static struct conform_result result;
	struct conform_options own = *given;
	const struct conform_options *options = &own;
	struct score score = { 0 };

	conform_probe(options, &result);
	/* All other groups are of devices. */
	if (result.transport && own.only == NULL)
		own.only = "N";
	/* Of a job, one process is enough. */
	if (result.transport && conform_launched_rank() > 0)
		return CONFORM_GOOD;
	if (result.verdict == CONFORM_SKIP)
		return decline(options, result.reason);
	printf("# backend %s, seed %llu\n", options->backend,
	       (unsigned long long)options->seed);
	if (result.verdict == CONFORM_FAIL) {
		printf("1..1\nnot ok 1 - L0 the backend opens or declines\n");
		print_text(result.text);
		return CONFORM_BAD;
	}
	printf("1..%u\n", count_chosen(options->only));
	for (size_t g = 0; g < CONFORM_COUNT(groups); g++)
		run_group(groups[g], options, expectations, &result, &score);
	printf("# %u checks, %u failed, %u skipped\n", score.number,
	       score.failed, score.skipped);
	conform_graphs_print();
	return score.failed ? CONFORM_BAD : CONFORM_GOOD;
}

static int parse_number(const char *text, uint64_t *out)
{
	char *end;

	/* strtoull would accept blanks and signs. */
	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return errno || *end ? -1 : 0;
}

/* Set an option with a value; return -1 if name or value is wrong. */
static int set_value(struct conform_options *options, const char *name,
		     const char *value)
{
	uint64_t number;

	if (value == NULL)
		return -1;
	if (strcmp(name, "--only") == 0)
		options->only = value;
	else if (strcmp(name, "--expect") == 0)
		options->expect = value;
	else if (strcmp(name, "--seed") == 0)
		return parse_number(value, &options->seed);
	else if (strcmp(name, "--deadline") != 0 ||
		 parse_number(value, &number) != 0 || number < 1 ||
		 number > 86400)
		return -1;
	else
		options->deadline_s = (uint32_t)number;
	return 0;
}

/* Return 0, or the exit status after a message. */
static int parse(struct conform_options *options, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--list") == 0) {
			options->list = true;
		} else if (strcmp(argv[i], "--verbose") == 0) {
			options->verbose = true;
		} else if (strcmp(argv[i], "--here") == 0) {
			options->here = true;
		} else if (argv[i][0] == '-') {
			if (set_value(options, argv[i], argv[i + 1]) != 0)
				return usage("bad option ", argv[i]);
			i++;
		} else if (options->backend != NULL) {
			return usage("one backend at a time: ", argv[i]);
		} else {
			options->backend = argv[i];
		}
	}
	if (unknown(options->only) != NULL)
		return usage("no such check: ", unknown(options->only));
	if (options->here && (options->only == NULL ||
			      find_check(options->only,
					 strlen(options->only)) == NULL))
		return usage("--here needs --only with one check", "");
	if (options->backend == NULL && !options->list)
		return usage("expected a BACKEND", "");
	return 0;
}

/* Return 0, or the exit status after a message. */
static int read_expected(const struct conform_options *options,
			 struct conform_expectations *out)
{
	if (options->expect == NULL)
		return 0;
	if (conform_expectations_read(out, options->expect) != 0)
		return CONFORM_USAGE;
	for (size_t i = 0; i < out->count; i++) {
		const char *id = out->list[i].id;

		if (strlen(id) < 2 || find_check(id, strlen(id)) == NULL)
			return usage("no such check in the list: ", id);
	}
	return 0;
}

/* Checks submit work that waits for later calls of the same thread. */
static void ignore_sync(void)
{
	const char *sync = getenv("PLAIT_SYNC");

	if (sync == NULL || strcmp(sync, "0") == 0)
		return;
	printf("# PLAIT_SYNC=%s is ignored: checks submit work that waits for "
	       "later calls\n", sync);
	unsetenv("PLAIT_SYNC");
}

int conform_main(int argc, char **argv)
{
	struct conform_options options = { .seed = 1, .deadline_s = 20 };
	struct conform_expectations expectations = { 0 };
	int status;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0)
			return printf("%s", usage_text) < 0;
	status = parse(&options, argc, argv);
	if (status != 0)
		return status;
	if (options.list)
		return list(options.only);
	ignore_sync();
	if (options.here && options.only != NULL)
		conform_run_here(find_check(options.only,
					    strlen(options.only)), &options);
	status = read_expected(&options, &expectations);
	if (status == 0)
		status = run_all(&options, &expectations);
	free(expectations.list);
	return status;
}
