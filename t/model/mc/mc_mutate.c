/* SPDX-License-Identifier: MIT */
/*
 * Mutants of memory orders: each atomic operation of a source file is weakened,
 * one at a time, in the running program, to see whether a scenario fails.
 * Survivors must be justified in writing.
 */
#include "mc_engine.h"

#include <stdlib.h>
#include <string.h>

enum { RANDOM_EXECUTIONS = 700, LINES_MAX = 256 };

/* The linker makes these: the borders of the section of all sites. */
extern struct mc_site *const __start_mc_sites[];
extern struct mc_site *const __stop_mc_sites[];

static const struct {
	enum mc_weakening bit;
	const char *name;
} weakenings[] = {
	{ MC_RELAX, "relaxed" },
	{ MC_NO_ACQUIRE, "no-acquire" },
	{ MC_NO_RELEASE, "no-release" },
	{ MC_DROP, "dropped" },
	{ MC_ONE, "one" },
};

struct survey {
	const struct mc_scenario *const *scenarios;
	uint32_t count;
	const char *const *files;
	uint64_t limit; /* of executions depth first; 0: the scenario's */
	FILE *report;
	const char *lines[LINES_MAX]; /* of the justifications */
	bool used[LINES_MAX];
	uint32_t line_count;
	uint32_t mutants;
	uint32_t killed;
	uint32_t justified;
	uint32_t wrong;
};

static uint32_t applicable(enum mc_op op)
{
	switch (op) {
	case MC_LOAD_ACQUIRE:
	case MC_STORE_RELEASE:
		return MC_RELAX;
	case MC_RMW:
		return MC_NO_ACQUIRE | MC_NO_RELEASE;
	case MC_FENCE:
	case MC_MEMBARRIER:
	case MC_WAKE_ONE:
		return MC_DROP;
	case MC_WAKE_ALL:
		return MC_DROP | MC_ONE;
	default:
		return 0;
	}
}

static bool ends_in(const char *path, const char *name)
{
	size_t path_length = strlen(path);
	size_t name_length = strlen(name);

	return path_length >= name_length &&
	       strcmp(path + path_length - name_length, name) == 0;
}

static const char *wanted_file(const struct survey *survey,
			       const struct mc_site *site)
{
	uint32_t i;

	for (i = 0; survey->files[i] != NULL; i++)
		if (ends_in(site->file, survey->files[i]))
			return survey->files[i];
	return NULL;
}

/* A header's inline function has a site in each file that includes it. */
static bool same_place(const struct mc_site *a, const struct mc_site *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

static struct mc_site *first_of(const struct mc_site *site)
{
	struct mc_site *const *at;

	for (at = __start_mc_sites; !same_place(*at, site); at++)
		;
	return *at;
}

static void weaken(const struct mc_site *site, uint32_t bits)
{
	struct mc_site *const *at;

	for (at = __start_mc_sites; at < __stop_mc_sites; at++)
		if (same_place(*at, site))
			(*at)->weakened = bits;
}

/* The scenarios that reach this operation: only those can detect it. */
static uint64_t visitors_of(const struct mc_site *site)
{
	struct mc_site *const *at;
	uint64_t visitors = 0;

	for (at = __start_mc_sites; at < __stop_mc_sites; at++)
		if (same_place(*at, site))
			visitors |= (*at)->visitors;
	return visitors;
}

static void note_visits(uint32_t scenario)
{
	struct mc_site *const *at;

	for (at = __start_mc_sites; at < __stop_mc_sites; at++) {
		if ((*at)->visits != 0)
			(*at)->visitors |= (uint64_t)1 << (scenario % 64);
		(*at)->visits = 0;
	}
}

/* "eventcount.c plait__eventcount_wait at_sub_u32", "...#2" for the second of
 * them. */
static void name_site(const char *file, const struct mc_site *site,
		      char *out, size_t out_bytes)
{
	struct mc_site *const *at;
	uint32_t before = 0;

	for (at = __start_mc_sites; at < __stop_mc_sites; at++)
		if (first_of(*at) == *at && (*at)->line < site->line &&
		    strcmp((*at)->file, site->file) == 0 &&
		    strcmp((*at)->function, site->function) == 0 &&
		    strcmp((*at)->name, site->name) == 0)
			before++;
	if (before == 0)
		snprintf(out, out_bytes, "%s %s %s", file, site->function,
			 site->name);
	else
		snprintf(out, out_bytes, "%s %s %s#%u", file, site->function,
			 site->name, before + 1);
}

static bool one_fails(const struct survey *survey, uint64_t visitors,
		      bool random)
{
	struct mc_options options = { 0 };
	static struct mc_result result;
	uint32_t i;

	options.random = random;
	options.seed = 1;
	options.executions = random ? RANDOM_EXECUTIONS : survey->limit;
	for (i = 0; i < survey->count; i++)
		if ((visitors >> (i % 64) & 1) != 0 &&
		    !mc_search(survey->scenarios[i], &options, &result))
			return true;
	return false;
}

/* Cheap first: a few random executions kill most mutants. */
static bool killed(const struct survey *survey, uint64_t visitors)
{
	return one_fails(survey, visitors, true) ||
	       one_fails(survey, visitors, false);
}

/* The unchanged source: no scenario may fail, and each visit is recorded. */
static bool survey_visits(struct survey *survey)
{
	uint32_t i;

	note_visits(0);
	for (i = 0; __start_mc_sites + i < __stop_mc_sites; i++)
		__start_mc_sites[i]->visitors = 0;
	for (i = 0; i < survey->count; i++) {
		if (killed(survey, (uint64_t)1 << (i % 64)))
			return false;
		note_visits(i);
	}
	return true;
}

static bool justify(struct survey *survey, const char *key)
{
	size_t length = strlen(key);
	uint32_t i;

	for (i = 0; i < survey->line_count; i++) {
		if (strncmp(survey->lines[i], key, length) != 0 ||
		    strncmp(survey->lines[i] + length, ": ", 2) != 0)
			continue;
		survey->used[i] = true;
		return true;
	}
	return false;
}

static void judge(struct survey *survey, const char *key, bool was_killed)
{
	survey->mutants++;
	if (was_killed) {
		survey->killed++;
		return;
	}
	if (justify(survey, key)) {
		survey->justified++;
		return;
	}
	survey->wrong++;
	fprintf(survey->report, "# undetected and not justified: %s\n",
		key);
}

static void try_site(struct survey *survey, const struct mc_site *site)
{
	const char *file = wanted_file(survey, site);
	uint32_t bits = applicable(site->op);
	char name[256];
	char key[300];
	size_t i;

	if (file == NULL || first_of(site) != site || bits == 0)
		return;
	name_site(file, site, name, sizeof(name));
	if (visitors_of(site) == 0) {
		snprintf(key, sizeof(key), "%s unreached", name);
		judge(survey, key, false);
		return;
	}
	for (i = 0; i < sizeof(weakenings) / sizeof(weakenings[0]); i++) {
		if ((bits & weakenings[i].bit) == 0)
			continue;
		snprintf(key, sizeof(key), "%s %s", name, weakenings[i].name);
		weaken(site, weakenings[i].bit);
		judge(survey, key, killed(survey, visitors_of(site)));
		weaken(site, 0);
	}
}

static void split_lines(struct survey *survey, char *text)
{
	char *save = NULL;
	char *line;

	for (line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		if (*line != '#' && survey->line_count < LINES_MAX)
			survey->lines[survey->line_count++] = line;
}

/* A line about these files that no longer describes a survivor is wrong. */
static void find_stale_lines(struct survey *survey)
{
	uint32_t i;
	uint32_t k;

	for (i = 0; i < survey->line_count; i++)
		for (k = 0; survey->files[k] != NULL && !survey->used[i]; k++) {
			size_t length = strlen(survey->files[k]);

			if (strncmp(survey->lines[i], survey->files[k],
				    length) != 0 ||
			    survey->lines[i][length] != ' ')
				continue;
			survey->wrong++;
			fprintf(survey->report,
				"# written as a survivor but is none: %s\n",
				survey->lines[i]);
		}
}

uint32_t mc_mutate(const struct mc_scenario *const *scenarios, uint32_t count,
		   const char *const *files, const char *justified,
		   uint64_t limit, FILE *report)
{
	struct survey survey = { 0 };
	struct mc_site *const *at;
	char *text = strdup(justified);

	if (text == NULL)
		return 1;
	survey.scenarios = scenarios;
	survey.count = count;
	survey.files = files;
	survey.limit = limit;
	survey.report = report;
	split_lines(&survey, text);
	if (survey_visits(&survey)) {
		for (at = __start_mc_sites; at < __stop_mc_sites; at++)
			try_site(&survey, *at);
		find_stale_lines(&survey);
	} else {
		survey.wrong = 1;
	}
	fprintf(report, "# %u mutants: %u noticed, %u survive with a reason, "
		"%u not as written\n", survey.mutants, survey.killed,
		survey.justified, survey.wrong);
	free(text);
	return survey.wrong;
}
