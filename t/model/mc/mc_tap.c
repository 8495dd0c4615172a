/* SPDX-License-Identifier: MIT */
/* Explorer results as TAP lines; see mc_tap.h. */
#include "mc_tap.h"

#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

#if defined(__SANITIZE_ADDRESS__)
#define MC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MC_ASAN 1
#endif
#endif
#ifndef MC_ASAN
#define MC_ASAN 0
#endif

enum {
	ASAN_EXECUTIONS = 1000, /* each ten times as long; all in a soak */
	RANDOM_EXECUTIONS = 3000,
	MUTANT_EXECUTIONS = 1500, /* depth first, of each scenario */
	SOAK_FACTOR = 100,
	SURVIVORS_BYTES = 65536
};

static struct mc_result result;

/* Asked for once, because asking prints it. */
static uint64_t seed_once(void)
{
	static uint64_t seed;
	static bool asked;

	if (!asked)
		seed = tap_seed();
	asked = true;
	return seed;
}

/* For t/model/mutants.t: "random" or "depth" alone, the first failure is
 * enough, and no mutants. */
static const char *stop_early(void)
{
	return getenv("MC_STOP");
}

static void print_failure(const struct mc_scenario *scenario)
{
	fflush(stdout);
	mc_replay(scenario, &result, stdout);
	fflush(stdout);
}

static void describe_extent(char *out, size_t out_bytes)
{
	if (result.complete)
		snprintf(out, out_bytes, "all there are");
	else
		snprintf(out, out_bytes, "all with %u %s and %u old values",
			 result.preemptions, result.deviations ?
			 "deviations" : "preemptions", result.stale);
}

static bool search_at_random(const struct mc_scenario *scenario)
{
	struct mc_options options = { 0 };

	options.random = true;
	options.seed = seed_once();
	options.executions = RANDOM_EXECUTIONS;
	if (MC_ASAN && !tap_soak())
		options.executions = ASAN_EXECUTIONS;
	else if (!MC_ASAN && tap_soak())
		options.executions *= SOAK_FACTOR;
	return mc_search(scenario, &options, &result);
}

static bool search_all(const struct mc_scenario *scenario)
{
	struct mc_options options = { 0 };

	if (MC_ASAN && !tap_soak())
		options.executions = ASAN_EXECUTIONS;
	else if (!MC_ASAN && tap_soak())
		options.executions = scenario->executions_max * SOAK_FACTOR;
	return mc_search(scenario, &options, &result);
}

/* A single word is enough for one of many mutants. */
static bool fail_early(const struct mc_scenario *scenario)
{
	if (strcmp(stop_early(), "random") == 0 ? search_at_random(scenario) :
						  search_all(scenario))
		return OK_THAT(true, "%s", scenario->name);
	printf("# %s: %s\n", scenario->name, result.reason);
	exit(1);
}

bool mc_proves(const struct mc_scenario *scenario)
{
	uint64_t executions;
	char extent[64];

	if (stop_early())
		return fail_early(scenario);
	if (search_all(scenario)) {
		executions = result.executions;
		describe_extent(extent, sizeof(extent));
		if (search_at_random(scenario))
			return OK_THAT(true, "%s: %llu executions, %s, and "
				       "%llu at random", scenario->name,
				       (unsigned long long)executions,
				       extent,
				       (unsigned long long)result.executions);
	}
	print_failure(scenario);
	return OK_THAT(false, "%s: %s", scenario->name, result.reason);
}

bool mc_finds(const struct mc_scenario *scenario, const char *reason)
{
	struct mc_options options = { 0 };
	uint64_t first;
	bool by_depth;

	by_depth = !mc_search(scenario, &options, &result) &&
		   strstr(result.reason, reason) != NULL;
	first = result.executions;
	options.random = true;
	options.seed = seed_once();
	options.executions = 20000;
	mc_search(scenario, &options, &result);
	return OK_THAT(by_depth && strstr(result.reason, reason) != NULL,
		       "%s: %s after %llu executions, at random after %llu",
		       scenario->name, reason, (unsigned long long)first,
		       (unsigned long long)result.executions);
}

static char *read_survivors(void)
{
	const char *top = getenv("abs_top_srcdir");
	static char text[SURVIVORS_BYTES];
	char path[4096];
	FILE *file;
	size_t got = 0;

	snprintf(path, sizeof(path), "%s/t/model/mc/survivors.txt",
		 top != NULL ? top : ".");
	file = fopen(path, "r");
	if (file != NULL) {
		got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	return text;
}

bool mc_notices(const struct mc_scenario *const *scenarios, uint32_t count,
		const char *const *files)
{
	uint32_t wrong;

	if (stop_early())
		return SKIP("mutants of %s", files[0]);
	if (MC_ASAN)
		return SKIP("mutants of %s: ten times as long under ASan; "
			    "a build without it does them", files[0]);
	fflush(stdout);
	wrong = mc_mutate(scenarios, count, files, read_survivors(),
			  tap_soak() ? 0 : MUTANT_EXECUTIONS, stdout);
	fflush(stdout);
	return OK_THAT(wrong == 0, "every weaker order in %s is noticed or "
		       "justified", files[0]);
}
