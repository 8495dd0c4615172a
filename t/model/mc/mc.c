/* SPDX-License-Identifier: MIT */
/*
 * The explorer's search: an execution is a list of choices; depth first goes
 * through all lists within the bounds, random draws them.  Nothing but the
 * choices decides the course of an execution, so a list of them replays it.
 */
#include "mc_engine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_LINES_MAX = 300 };

struct mc_budget mc_budget;
uint32_t mc_variant;

static struct {
	uint16_t taken[MC_PATH_MAX];
	uint16_t count[MC_PATH_MAX];
	uint32_t length; /* the prescribed choices */
	uint32_t at;
	bool random;
	uint64_t state; /* of the generator */
	bool failed;
	char reason[MC_REASON_BYTES];
	FILE *trace;
	uint32_t lines; /* written to it */
	bool deviations;
	uint32_t preemptions;
	uint32_t stale;
} search;

static uint64_t draw(void)
{
	uint64_t z = (search.state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

bool mc_is_random(void)
{
	return search.random;
}

bool mc_failed(void)
{
	return search.failed;
}

/* `rarely`: at random the first is taken but once in 2^rarely. */
uint32_t mc_pick(uint32_t count, uint32_t rarely)
{
	uint32_t taken = 0;

	if (count < 2)
		return 0;
	if (search.at == MC_PATH_MAX) {
		mc_abandon("too many choices in one execution");
		return 0;
	}
	if (search.at < search.length) {
		taken = search.taken[search.at];
		if (taken >= count) {
			mc_abandon("not deterministic: the same choices "
				   "gave another program");
			taken = 0;
		}
	} else if (search.random && (draw() & ((1u << rarely) - 1)) == 0) {
		taken = (uint32_t)(draw() % count);
	}
	search.taken[search.at] = (uint16_t)taken;
	search.count[search.at++] = (uint16_t)count;
	return taken;
}

uint32_t mc_choose(uint32_t count)
{
	return mc_pick(count, 0);
}

bool mc_spend(uint32_t *budget)
{
	if (*budget == 0)
		return false;
	if (*budget != UINT32_MAX)
		--*budget;
	return true;
}

void mc_abandon(const char *reason)
{
	if (search.failed)
		return;
	search.failed = true;
	snprintf(search.reason, sizeof(search.reason), "%s", reason);
	if (search.trace != NULL)
		fprintf(search.trace, "# %s\n", reason);
}

void mc_fail(const char *format, ...)
{
	char reason[MC_REASON_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	mc_abandon(reason);
	if (mc_running())
		mc_leave();
}

bool mc_tracing(void)
{
	return search.trace != NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

void mc_trace(const struct mc_site *site, const char *format, ...)
{
	va_list args;

	if (search.trace == NULL || search.lines > TRACE_LINES_MAX)
		return;
	if (search.lines++ == TRACE_LINES_MAX) {
		fprintf(search.trace, "# and so on\n");
		return;
	}
	fprintf(search.trace, "# %*sthread %d %s:%d %s: ",
		4 * (int)mc_self(), "", (int)mc_self() - 1,
		base_name(site->file), site->line, site->name);
	va_start(args, format);
	vfprintf(search.trace, format, args);
	va_end(args);
	fputc('\n', search.trace);
}

static void execute(const struct mc_scenario *scenario)
{
	search.at = 0;
	mc_budget.deviations = search.deviations;
	mc_budget.preemptions = search.preemptions;
	mc_budget.stale = search.stale;
	mc_budget.spurious = scenario->spurious;
	mc_memory_reset();
	mc_threads_run(scenario);
	if (!search.failed && scenario->end != NULL)
		scenario->end();
}

/* The next list in order; false when there is none. */
static bool advance(void)
{
	search.length = search.at;
	while (search.length > 0) {
		search.length--;
		if (++search.taken[search.length] <
		    search.count[search.length]) {
			search.length++;
			return true;
		}
	}
	return false;
}

static void copy_failure(struct mc_result *result)
{
	result->failed = true;
	result->deviations = search.deviations;
	result->preemptions = search.preemptions;
	result->stale = search.stale;
	memcpy(result->reason, search.reason, sizeof(result->reason));
	memcpy(result->path, search.taken, search.at * sizeof(*result->path));
	result->path_count = search.at;
}

/* Returns true when it reached its end; false for a failure, or the limit. */
static bool search_within(const struct mc_scenario *scenario,
			  uint32_t preemptions, uint32_t stale, uint64_t limit,
			  struct mc_result *result)
{
	search.preemptions = preemptions;
	search.stale = stale;
	search.length = 0;
	do {
		if (limit != 0 && result->executions == limit)
			return false;
		execute(scenario);
		result->executions++;
		result->steps += search.at;
		if (search.failed) {
			copy_failure(result);
			return false;
		}
		if (search.random)
			search.length = 0;
	} while (search.random || advance());
	result->deviations = search.deviations;
	result->preemptions = preemptions;
	result->stale = stale;
	return true;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Narrow bounds come first where a limit may cut the search: depth first goes
 * through the ends of executions before their beginnings, and a part of wide
 * bounds is mostly ends.
 */
static const struct {
	bool deviations;
	uint32_t preemptions;
	uint32_t stale;
} narrow[] = { { true, 1, 1 },	{ true, 2, 1 },	 { false, 1, 0 },
	       { false, 1, 1 }, { false, 2, 1 } };

static void search_deeper(const struct mc_scenario *scenario, uint64_t limit,
			  struct mc_result *result)
{
	uint32_t preemptions;
	uint32_t stale;
	size_t i;

	for (i = 0; i < sizeof(narrow) / sizeof(narrow[0]) && limit; i++) {
		search.deviations = narrow[i].deviations;
		preemptions = smaller(narrow[i].preemptions,
				      scenario->preemptions);
		stale = smaller(narrow[i].stale, scenario->stale);
		if ((preemptions < scenario->preemptions ||
		     stale < scenario->stale) &&
		    !search_within(scenario, preemptions, stale, limit,
				   result))
			return;
	}
	search.deviations = false;
	result->complete = search_within(scenario, scenario->preemptions,
					 scenario->stale, limit, result);
}

bool mc_search(const struct mc_scenario *scenario,
	       const struct mc_options *options, struct mc_result *result)
{
	uint64_t limit = options->executions;

	memset(result, 0, sizeof(*result));
	memset(&search, 0, sizeof(search));
	result->random = options->random;
	search.random = options->random;
	search.state = options->seed;
	search.trace = options->trace;
	if (!options->random && limit == 0)
		limit = scenario->executions_max;
	if (options->random)
		search_within(scenario, scenario->preemptions,
			      scenario->stale, limit, result);
	else
		search_deeper(scenario, limit, result);
	return !result->failed;
}

void mc_replay(const struct mc_scenario *scenario,
	       const struct mc_result *failure, FILE *trace)
{
	memset(&search, 0, sizeof(search));
	memcpy(search.taken, failure->path,
	       failure->path_count * sizeof(*failure->path));
	search.length = failure->path_count;
	search.trace = trace;
	search.deviations = failure->deviations;
	search.preemptions = failure->preemptions;
	search.stale = failure->stale;
	search.random = failure->random; /* it decides what is on offer */
	fprintf(trace, "# %s: %s\n", scenario->name, failure->reason);
	execute(scenario);
}
