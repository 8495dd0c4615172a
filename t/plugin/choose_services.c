/* SPDX-License-Identifier: MIT */
/*
 * Choice of backends: their order and interposers, the report about it, and
 * failed allocations on the way.
 */
#include "lib/tap.h"

#include "lib/plugin_rig.h"
#include "lib/unwrapped.h"

#include "base/alloc.h"
#include "plugin/services.h"
#include "pool/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder with two good ones, a shy one, one without a driver, wrappers. */
static const char *folder;

static const char *fill_folder(void)
{
	static const char *const names[] = { "good",  "good2", "shy",
					     "absent", "inner", "outer",
					     "adder", "unwilling", "fussy" };
	const char *path = rig_folder();
	size_t i;

	for (i = 0; i < TAP_COUNT(names); i++)
		if (!rig_copy(names[i], path, names[i]))
			SKIP_ALL("plugins of t/plugin/bad are not built");
	return path;
}

/* The names of what is open, with commas between. */
static const char *opened(const char *backends, const char *wrap)
{
	static char names[256];
	plait__registry *registry = rig_open(folder, backends, wrap, NULL);
	size_t length = 0;
	uint32_t i;

	names[0] = '\0';
	if (registry == NULL)
		return rig_error.text;
	for (i = 0; i < plait__registry_count(registry); i++)
		length += (size_t)snprintf(
			names + length, sizeof(names) - length, "%s%s",
			i > 0 ? "," : "",
			plait__registry_backend(registry, i)->name);
	plait__registry_close(registry);
	return names;
}

static void all_that_are_usable(void)
{
	IS_STR(opened(NULL, NULL), "good2,fussy,good");
	IS_STR(opened("", NULL), "good2,fussy,good");
}

static void exactly_these(void)
{
	IS_STR(opened("good,good2", NULL), "good,good2");
	IS_STR(opened(" good2 , good ", NULL), "good2,good");
	IS_STR(opened("shy", NULL), "shy");
	HAS_STR(opened("good,absent", NULL), "libabsent.so.1: no such file");
	IS_INT(rig_error.status, PLAIT_E_UNAVAILABLE);
	IS_INT(rig_error.origin, 2);
	HAS_STR(rig_detail, "good: chosen, number 1");
	HAS_STR(rig_detail, "hint: plugins that are there too: adder");
	HAS_STR(opened("nobody,absent", NULL),
		"plugin nobody: no plait_nobody.so in ");
	HAS_STR(opened("inner", NULL),
		"plugin inner is an interposer, not a backend; set "
		"PLAIT_WRAP=inner");
	HAS_STR(opened("good,good", NULL), "backends: 'good' is listed");
	IS_INT(rig_error.status, PLAIT_E_INVALID);
}

static void all_but_these(void)
{
	const char *report;

	IS_STR(opened("^good2", NULL), "fussy,good");
	IS_STR(opened("^good2,^fussy", NULL), "good");
	IS_STR(opened("^good2,^fussy,^good", NULL),
	       "no usable backend: absent: libabsent.so.1: no such file");
	HAS_STR(opened("^good2,^fussy,^good,^absent", NULL),
		"backends: without absent, fussy, good, good2 there is no "
		"backend that is used unless it is named; name one of these: "
		"shy");
	report = rig_survey(folder, "^good,^nobody", NULL, NULL);
	HAS_STR(report, "good: left out by backends");
	HAS_STR(report, "note: backends: ^nobody has no effect, there is no "
		"plugin of this name\n");
	OK(strstr(report, "plait_good.so") == NULL);
}

/* --- interposers */

static const char *description(const char *wrap)
{
	static char text[256];
	plait__registry *registry = rig_open(folder, "good", wrap, NULL);
	plait__backend *backend;

	if (registry == NULL)
		return rig_error.text;
	backend = plait__registry_backend(registry, 0);
	IS_STR(backend->name, "good");
	memcpy(text, backend->devices[0].description, sizeof(text));
	plait__registry_close(registry);
	return text;
}

static void interposers_wrap(void)
{
	/* Each writes its name over what the inner one said. */
	IS_STR(description("inner"), "innernothing");
	IS_STR(description("outer"), "outernothing");
	IS_STR(description("inner,outer"), "innernothing");
	IS_STR(description("outer,inner"), "outernothing");
	IS_STR(opened(NULL, "inner"), "good2,fussy,good");
	IS_STR(opened("^inner", "inner"), "good2,fussy,good");
}

static void wrong_interposers_are_told(void)
{
	HAS_STR(description("good2"),
		"wrap: plugin good2 is a backend, not an interposer");
	IS_INT(rig_error.status, PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_detail, "good: not opened: an interposer");
	HAS_STR(description("inner,nobody"), "plugin nobody: no plait_nobody");
	HAS_STR(description("innner"), "plugin innner: no plait_innner.so in ");
	HAS_STR(rig_error.text, ", perhaps \"inner\"");
	HAS_STR(description("adder"),
		"plugin adder: has 2 devices around a backend with 1");
	HAS_STR(description("unwilling"), "unwilling: does not like it");
	HAS_STR(description("unwilling,inner"), "unwilling: does not like it");
	HAS_STR(description("inner,unwilling"), "unwilling: does not like it");
	HAS_STR(description("^inner"), "nothing can be excluded here");
	IS_INT(rig_error.status, PLAIT_E_INVALID);
}

/* --- optional backends */

static void optional_ones_may_lack(void)
{
	static const struct {
		const char *list, *report, *failure;
		unsigned count;
	} cases[] = {
		{ "nobody?,good", "backends: nobody?,good (backends)", NULL,
		  1 },
		{ "good,nobody?", "nobody: left out, optional: could", NULL, 1 },
		{ "good2?,good?", "good2: chosen, number 1", NULL, 2 },
		/* There, and no device. */
		{ "empty?,good", "empty: left out, optional: ", NULL, 1 },
		{ "nobody?,good,noone", "", "plugin noone: no plait_noone", 0 },
		{ "nobody?", "", "no usable backend: plugin nobody", 0 },
		{ "nobody?,noone?", "", "no usable backend among 2", 0 },
		/* Mistakes of the user. */
		{ "inner?,good", "", "plugin inner is an interposer", 0 },
	};

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		plait__registry *registry = rig_open(folder, cases[i].list,
						     NULL, NULL);

		if (cases[i].failure != NULL) {
			IS_PTR(registry, NULL);
			HAS_STR(rig_error.text, cases[i].failure);
			continue;
		}
		if (!OK_THAT(registry != NULL, "%s: %s", cases[i].list,
			     rig_error.text))
			continue;
		IS_UINT(plait__registry_count(registry), cases[i].count);
		HAS_STR(plait__registry_report(registry), cases[i].report);
		plait__registry_close(registry);
	}
	IS_PTR(rig_open(folder, "fussy?,good", NULL, "fussy:mode=wrong"),
	       NULL);
	IS_STR(rig_error.text, "wrong");
}

/* Open "good" and others; returns the log. */
static const char *logged(const char *list)
{
	plait__registry *registry = rig_open(folder, list, NULL, NULL);

	OK_THAT(registry != NULL, "%s: %s", list, rig_error.text);
	plait__registry_close(registry);
	return rig_logged();
}

/* An optional name and an excluded name that no plugin has. */
static void misspelt_names_are_told(void)
{
	const char *log = logged("fusy?,good");

	HAS_STR(log, "warning: backends: fusy? has no effect, there is no "
		"plugin of this name, perhaps \"fussy\"");
	log = logged("^fusy");
	HAS_STR(log, "warning: backends: ^fusy has no effect, there is no "
		"plugin of this name, perhaps \"fussy\"");
	/* Known names, which are missing or not usable here. */
	log = logged("opencl?,cuda?,chaos?,good,host?,absent?");
	OK(strstr(log, "warning") == NULL);
	HAS_STR(log, "info: plugin opencl: no plait_opencl.so in ");
	OK(strstr(logged("^opencl,^absent,^adder"), "warning") == NULL);
	HAS_STR(logged("opncl?,good"), "perhaps \"opencl\"");
}

/* --- options */

static void options_reach_their_backend(void)
{
	plait__registry *registry;
	const char *report;

	registry = rig_open(folder, "fussy", NULL, "fussy:mode=fussy is sad");
	IS_PTR(registry, NULL);
	IS_STR(rig_error.text, "fussy is sad");
	/* A backend that rejects a setting does not also get the warning that
	 * it had no effect. */
	OK(strstr(rig_logged(), "has no effect") == NULL);
	registry = rig_open(folder, "fussy", NULL,
			    "fussy:mdoe=1;fusy:mode=2");
	if (!OK(registry != NULL))
		return;
	report = plait__registry_report(registry);
	HAS_STR(report, "option fussy:mdoe has no effect, fussy did not read "
		"it, perhaps \"mode\"\n");
	HAS_STR(report, "option fusy:mode has no effect, fusy is not used, "
		"perhaps \"fussy\"\n");
	plait__registry_close(registry);
	registry = rig_open(folder, "fussy", NULL,
			    "good:mode=1;fussy:other=2");
	if (!OK(registry != NULL))
		return;
	report = plait__registry_report(registry);
	HAS_STR(report, "options: good:mode=1;fussy:other=2 (options)");
	HAS_STR(report, "option good:mode has no effect, good is not used");
	HAS_STR(report, "option fussy:other has no effect, fussy did not read");
	report = rig_logged();
	HAS_STR(report, "warning: option good:mode has no effect, good is not");
	HAS_STR(report, "warning: option fussy:other has no effect, fussy did");
	plait__registry_close(registry);
	IS_PTR(rig_open(folder, NULL, NULL, "mode=1"), NULL);
	IS_INT(rig_error.status, PLAIT_E_INVALID);
	HAS_STR(rig_error.text, "options: 'mode=1' has no backend");
}

/* --- services */

static void services_serve(void)
{
	const plait_host_services *services = plait__services_get();
	plait__registry *registry = rig_open(folder, "good", NULL,
					     "good:a=b");
	plait_error error = { .size = sizeof(error) };
	plait_host *host;
	char *block;

	if (!OK(registry != NULL))
		return;
	host = plait__registry_backend(registry, 0)->host;
	IS_UINT(services->size, sizeof(*services));
	OK(services->abi_min <= PLAIT_PLUGIN_ABI &&
	   services->abi_max >= PLAIT_PLUGIN_ABI);
	block = services->resize(host, NULL, 0, 10);
	OK(block != NULL);
	block = services->resize(host, block, 10, 20);
	OK(block != NULL);
	IS_PTR(services->resize(host, block, 20, 0), NULL);
	IS_PTR(services->resize(host, NULL, 0, UINT64_MAX), NULL);
	(void)rig_logged();
	services->log(host, PLAIT_LOG_WARNING, "hello");
	services->log(host, PLAIT_LOG_WARNING, NULL);
	IS_STR(rig_logged(), "warning: good: hello\n");
	services->log(host, PLAIT_LOG_WARNING, "good: hello");
	services->log(host, PLAIT_LOG_WARNING, "good hello");
	IS_STR(rig_logged(), "warning: good: hello\n"
	       "warning: good: good hello\n");
	IS_INT(services->fail(&error, PLAIT_E_LOST, 7, "gone"), PLAIT_E_LOST);
	IS_STR(error.text, "gone");
	IS_INT(error.origin, 7);
	IS_INT(services->fail(NULL, PLAIT_E_LOST, 7, NULL), PLAIT_E_LOST);
	OK(services->clock_ns(host) > 0);
	IS_STR(services->option(host, "a"), "b");
	IS_PTR(services->option(host, "b"), NULL);
	IS_PTR(services->option(host, NULL), NULL);
	plait__registry_close(registry);
	OK(strstr(rig_logged(), "not freed") == NULL);
}

/* Without a pool there are no lanes, and each service says so. */
static void services_without_a_pool(void)
{
	const plait_host_services *services = plait__services_get();
	plait__registry *registry = rig_open(folder, "good", NULL, NULL);
	plait_error error = { .size = sizeof(error) };
	plait_backend_queue *lane = (plait_backend_queue *)&error;
	plait_backend_signal *counter = (plait_backend_signal *)&error;
	plait_host *host;
	uint64_t reached;

	if (!OK(registry != NULL))
		return;
	host = plait__registry_backend(registry, 0)->host;
	IS_INT(services->lane_create(host, NULL, &lane, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_PTR(lane, NULL);
	HAS_STR(error.text, "good: this host has no lanes");
	IS_INT(services->lane_submit(host, NULL, NULL, 0, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->lane_recover(host, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->counter_create(host, 0, &counter, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_PTR(counter, NULL);
	IS_INT(services->counter_poll(host, NULL, &reached, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->counter_wait(host, NULL, 0, 0, 0, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->counter_notify(host, NULL, NULL, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->counter_raise(host, NULL, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->counter_reset(host, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(services->pump(host, &error), PLAIT_E_UNSUPPORTED);
	IS_UINT(services->worker_count(host), 0);
	IS_INT(services->worker_place(host, NULL, 0, &error),
	       PLAIT_E_UNSUPPORTED);
	services->lane_destroy(host, NULL);
	services->counter_destroy(host, NULL);
	plait__registry_close(registry);
}

static int32_t add_one(void *user_data)
{
	++*(int *)user_data;
	return 0;
}

static void note_status(void *user_data, plait_status status)
{
	*(plait_status *)user_data = status;
}

/* With one they are the pool's, handed through. */
/* A backend with queues that are not lanes; the counter is at 1. */
static void emit_by_hand(plait_host *host, plait_backend_signal *counter)
{
	const plait_host_services *services = plait__services_get();
	const plait_error failure = { .size = sizeof(failure),
				      .status = PLAIT_E_FAILED,
				      .text = "it was too cold" };
	plait_error error = { .size = sizeof(error) };
	plait_backend_point point = { counter, 2 };
	uint64_t reached = 0;

	services->counter_emit(host, &point, NULL);
	IS_INT(services->counter_poll(host, &point, &reached, &error),
	       PLAIT_OK);
	point.sequence = 3;
	services->counter_emit(host, &point, &failure);
	IS_INT(services->counter_poll(host, &point, &reached, &error),
	       PLAIT_E_FAILED);
	IS_UINT(reached, 3);
}

static void services_with_a_pool(void)
{
	const plait_host_services *services = plait__services_get();
	plait_queue_request request = { .size = sizeof(request) };
	plait_error error = { .size = sizeof(error) };
	plait_backend_signal *counter = NULL;
	plait_backend_queue *lane = NULL;
	plait_status noted = PLAIT_PENDING;
	plait__registry *registry;
	uint64_t reached = 0;
	plait_host *host;
	int calls = 0;
	plait_work work = { .size = sizeof(work), .kind = PLAIT_WORK_CALL,
			    .function = add_one, .user_data = &calls };
	plait_backend_point point = { NULL, 1 };
	plait_submission submission = { .size = sizeof(submission),
					.work = &work, .emits = &point,
					.work_count = 1, .emit_count = 1 };

	if (!OK(plait__pool_create(plait__alloc_default(), 0, &rig_config.pool,
				   NULL) == PLAIT_OK))
		return;
	registry = rig_open(folder, "good", NULL, NULL);
	host = plait__registry_backend(registry, 0)->host;
	IS_INT(services->lane_create(host, &request, &lane, &error), PLAIT_OK);
	IS_INT(services->counter_create(host, 0, &counter, &error), PLAIT_OK);
	point.signal = counter;
	IS_INT(services->lane_submit(host, lane, &submission, 1, &error),
	       PLAIT_OK);
	IS_INT(services->counter_notify(host, &point, note_status, &noted,
					&error),
	       PLAIT_OK);
	IS_INT(services->counter_wait(host, &point, 1, 0, PLAIT_FOREVER,
				      &error),
	       PLAIT_OK);
	IS_INT(calls, 1);
	IS_INT(noted, PLAIT_OK);
	IS_INT(services->counter_poll(host, &point, &reached, &error),
	       PLAIT_OK);
	IS_UINT(reached, 1);
	IS_INT(services->pump(host, &error), PLAIT_PENDING);
	IS_INT(services->counter_raise(host, &point, NULL, &error),
	       PLAIT_E_STATE);
	emit_by_hand(host, counter);
	IS_INT(services->counter_reset(host, counter, &error), PLAIT_OK);
	IS_INT(services->lane_recover(host, lane, &error), PLAIT_OK);
	IS_UINT(services->worker_count(host), 0);
	IS_INT(services->worker_place(host, NULL, 0, &error), PLAIT_OK);
	services->lane_destroy(host, lane);
	services->counter_destroy(host, counter);
	plait__registry_close(registry);
	plait__pool_destroy(rig_config.pool);
	rig_config.pool = NULL;
}

/* --- memory */

struct counting {
	uint64_t calls, fail_at, live;
};

static void *resize_counting(void *user_data, void *pointer,
			     uint64_t old_bytes, uint64_t new_bytes)
{
	struct counting *counting = user_data;
	void *block;

	if (new_bytes != 0 && ++counting->calls == counting->fail_at)
		return NULL;
	block = plait__alloc_default()->resize(NULL, pointer, old_bytes,
					       new_bytes);
	counting->live += new_bytes - (pointer != NULL ? old_bytes : 0);
	return block;
}

/* Fail the 1st allocation, then the 2nd, ... until opening succeeds. */
static void check_each_failure(const char *backends, const char *wrap,
			       bool survey)
{
	struct counting counting = { 0, 0, 0 };
	plait_allocator allocator = { sizeof(allocator), 0, resize_counting,
				      &counting };
	plait_status status = PLAIT_E_NOMEM;
	uint64_t k, wrong = 0;

	rig_config.allocator = &allocator;
	for (k = 1; k < 10000 && status != PLAIT_OK; k++) {
		counting = (struct counting){ 0, k, 0 };
		if (survey)
			(void)rig_survey(folder, backends, wrap, "good:a=b");
		else
			plait__registry_close(rig_open(folder, backends, wrap,
						       "good:a=b"));
		status = rig_error.status;
		wrong += counting.live != 0;
		wrong += status != PLAIT_OK && status != PLAIT_E_NOMEM;
	}
	rig_config.allocator = plait__alloc_default();
	IS_UINT(wrong, 0);
	OK_THAT(k > 10 && k < 10000, "%llu allocations",
		(unsigned long long)k);
}

static void each_allocation_may_fail(void)
{
	check_each_failure(NULL, NULL, false);
	check_each_failure("good,good2", "inner,outer", false);
	check_each_failure("^good", NULL, true);
}

/* A plugin that got no memory is not simply left out. */
static void starved_plugins_are_told(void)
{
	const char *hungry = rig_folder();
	struct counting counting = { 0, 0, 0 };
	plait_allocator allocator = { sizeof(allocator), 0, resize_counting,
				      &counting };
	plait_status status = PLAIT_E_NOMEM;
	uint64_t k, wrong = 0;

	OK(rig_copy("hungry", hungry, "hungry"));
	OK(rig_copy("good", hungry, "good"));
	rig_config.allocator = &allocator;
	for (k = 1; k < 1000 && status != PLAIT_OK; k++) {
		counting = (struct counting){ 0, k, 0 };
		status = rig_try(hungry, NULL);
		wrong += status != PLAIT_OK && status != PLAIT_E_NOMEM;
	}
	rig_config.allocator = plait__alloc_default();
	IS_UINT(wrong, 0);
	IS_INT(status, PLAIT_OK);
	(void)rig_logged();
}

static void many_at_once(void)
{
	plait__registry *first = rig_open(folder, "good2", "outer", NULL);
	plait__registry *second = rig_open(folder, "good2", NULL, NULL);

	OK(first != NULL && second != NULL);
	IS_STR(plait__registry_backend(second, 0)->devices[0].description,
	       "does nothing");
	plait__registry_close(first);
	plait__registry_close(second);
	plait__registry_close(NULL);
}

/* --- threads */

enum { SURVEYORS = 4, SURVEYS = 20 };

static char survey_paths[512];

static void *survey(void *result)
{
	plait__registry_config config = {
		.allocator = plait__alloc_default(),
		.plugin_path = survey_paths,
		.options = "absent:a=b",
	};
	plait__text text;
	int i;

	for (i = 0; i < SURVEYS; i++) {
		plait__text_init(&text, config.allocator);
		if (plait__registry_survey(&config, &text, NULL) == PLAIT_OK &&
		    strstr(plait__text_get(&text), "libabsent.so.1") != NULL)
			++*(int *)result;
		plait__text_fini(&text);
	}
	return NULL;
}

/* Contexts may be opened on many threads at once. */
static void threads_do_not_meet(void)
{
	const char *path = rig_folder();
	pthread_t threads[SURVEYORS];
	int results[SURVEYORS] = { 0 };
	int i;

	OK(rig_copy("absent", path, "absent"));
	OK(rig_copy("noslot", path, "noslot"));
	OK(rig_copy("inner", path, "inner"));
	snprintf(survey_paths, sizeof(survey_paths), "%s", path);
	for (i = 0; i < SURVEYORS; i++)
		pthread_create(&threads[i], NULL, survey, &results[i]);
	for (i = 0; i < SURVEYORS; i++) {
		pthread_join(threads[i], NULL);
		IS_INT(results[i], SURVEYS);
	}
}

static const struct tap_scenario all[] = {
	{ "all_that_are_usable", all_that_are_usable },
	{ "exactly_these", exactly_these },
	{ "all_but_these", all_but_these },
	{ "interposers_wrap", interposers_wrap },
	{ "wrong_interposers_are_told", wrong_interposers_are_told },
	{ "optional_ones_may_lack", optional_ones_may_lack },
	{ "misspelt_names_are_told", misspelt_names_are_told },
	{ "options_reach_their_backend", options_reach_their_backend },
	{ "services_serve", services_serve },
	{ "services_without_a_pool", services_without_a_pool },
	{ "services_with_a_pool", services_with_a_pool },
	{ "each_allocation_may_fail", each_allocation_may_fail },
	{ "starved_plugins_are_told", starved_plugins_are_told },
	{ "many_at_once", many_at_once },
	{ "threads_do_not_meet", threads_do_not_meet },
};

int main(int argc, char **argv)
{
	unsetenv("PLAIT_PLUGIN_PATH");
	folder = fill_folder();
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
