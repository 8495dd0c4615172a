/* SPDX-License-Identifier: MIT */
/*
 * Notifications that come twice, late, although they were refused, or with
 * unknown numbers.  The port is made by hand, and its backend is this file, so
 * that the test controls each call.
 */
#include "object/context/context.h"
#include "object/progress/notification.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

enum { MANY = 1000, THREADS = 2 };

/* The arguments of signal_notify, in the order of its calls. */
struct asked {
	plait_notify_function function;
	void *user_data;
};

static struct asked asked[MANY];
static unsigned asked_count;
static bool refuses, calls_within;

static plait_status on_notify(plait_backend *self,
			      const plait_backend_point *point,
			      plait_notify_function function,
			      void *user_data, plait_error *error)
{
	(void)self;
	(void)point;
	(void)error;
	if (asked_count < MANY)
		asked[asked_count++] = (struct asked){ function, user_data };
	if (calls_within)
		function(user_data, PLAIT_OK);
	return refuses ? PLAIT_E_BUSY : PLAIT_OK;
}

struct lines {
	unsigned count;
	char last[PLAIT__LOG_LINE_BYTES];
};

static void keep_line(void *user_data, int32_t level, const char *line)
{
	struct lines *lines = user_data;

	IS_INT(level, PLAIT_LOG_WARNING);
	lines->count++;
	snprintf(lines->last, sizeof(lines->last), "%s", line);
}

/* In memory of its own, which no thread may touch once it is freed. */
struct place {
	plait__context context;
	plait__backend backend;
	plait__backend_port port;
};

static struct place *open_place(plait_log_hook hook, void *user_data)
{
	struct place *place = calloc(1, sizeof(*place));

	if (place == NULL)
		abort();
	asked_count = 0;
	refuses = false;
	calls_within = false;
	plait__log_init(&place->context.settings.log, hook, user_data,
			PLAIT_LOG_WARNING);
	snprintf(place->backend.name, sizeof(place->backend.name), "liar");
	place->backend.table.signal_notify = on_notify;
	place->port.context = &place->context;
	place->port.backend = &place->backend;
	return place;
}

static void close_place(struct place *place)
{
	plait__notification_close(&place->port);
	free(place);
}

static void count_up(void *user_data, plait_status status)
{
	(void)status;
	__atomic_add_fetch((int *)user_data, 1, __ATOMIC_SEQ_CST);
}

static plait_status arm(struct place *place, int *calls)
{
	const plait_backend_point point = { NULL, 1 };
	plait_error error = { .size = sizeof(error) };

	return plait__notification_arm(&place->port, &point, count_up, calls,
				       &error);
}

static void call(unsigned which)
{
	asked[which].function(asked[which].user_data, PLAIT_OK);
}

static void once(void)
{
	struct lines lines = { 0 };
	struct place *place = open_place(keep_line, &lines);
	int first = 0, second = 0;

	IS_INT(arm(place, &first), PLAIT_OK);
	call(0);
	IS_INT(first, 1);
	IS_UINT(plait__notification_count_strays(&place->port), 0);
	call(0);
	IS_INT(first, 1);
	IS_UINT(plait__notification_count_strays(&place->port), 1);
	IS_UINT(lines.count, 1);
	HAS_STR(lines.last, "plugin liar: a notification came again");
	HAS_STR(lines.last, "call the function once for each PLAIT_OK");
	/* The slot in the table is used again; the number is another one. */
	IS_INT(arm(place, &second), PLAIT_OK);
	call(0);
	IS_INT(second, 0);
	call(1);
	IS_INT(second, 1);
	IS_INT(first, 1);
	IS_UINT(plait__notification_count_strays(&place->port), 2);
	close_place(place);
}

/* Logged when there are twice as many as at the last time. */
static void again_and_again(void)
{
	struct lines lines = { 0 };
	struct place *place = open_place(keep_line, &lines);
	int calls = 0;

	IS_INT(arm(place, &calls), PLAIT_OK);
	for (int i = 0; i <= 1000; i++)
		call(0);
	IS_INT(calls, 1);
	IS_UINT(plait__notification_count_strays(&place->port), 1000);
	IS_UINT(lines.count, 10);
	HAS_STR(lines.last, "(512 in all)");
	close_place(place);
}

static void refused(void)
{
	struct lines lines = { 0 };
	struct place *place = open_place(keep_line, &lines);
	int calls = 0;

	refuses = true;
	IS_INT(arm(place, &calls), PLAIT_E_BUSY);
	call(0);
	IS_INT(calls, 0);
	IS_UINT(plait__notification_count_strays(&place->port), 1);
	/* A backend that has notified cannot refuse any more. */
	calls_within = true;
	IS_INT(arm(place, &calls), PLAIT_OK);
	IS_INT(calls, 1);
	refuses = false;
	IS_INT(arm(place, &calls), PLAIT_OK);
	IS_INT(calls, 2);
	IS_UINT(plait__notification_count_strays(&place->port), 1);
	close_place(place);
}

/* The next port gets the same slot in the table, but not the blame. */
static void too_late(void)
{
	struct lines before = { 0 }, after = { 0 };
	struct place *place = open_place(keep_line, &before);
	struct asked kept[2];
	int calls = 0, others = 0;

	for (int i = 0; i < 2; i++)
		IS_INT(arm(place, &calls), PLAIT_OK);
	memcpy(kept, asked, sizeof(kept));
	for (unsigned i = 0; i < 2; i++)
		call(i);
	close_place(place);
	kept[0].function(kept[0].user_data, PLAIT_OK);
	place = open_place(keep_line, &after);
	for (int i = 0; i < 2; i++)
		IS_INT(arm(place, &others), PLAIT_OK);
	for (int i = 0; i < 2; i++)
		kept[i].function(kept[i].user_data, PLAIT_OK);
	IS_INT(calls, 2);
	IS_INT(others, 0);
	IS_UINT(plait__notification_count_strays(&place->port), 0);
	for (unsigned i = 0; i < 2; i++)
		call(i);
	IS_INT(others, 2);
	IS_UINT(before.count + after.count, 0);
	close_place(place);
}

static void keep_status(void *user_data, plait_status status)
{
	*(plait_status *)user_data = status;
}

/* The callback takes a status; another number is logged. */
static void made_up_statuses(void)
{
	static const plait_status said[] = {
		PLAIT_OK, PLAIT_E_FAILED, PLAIT_E_INTERNAL, 77, PLAIT_PENDING,
		PLAIT_E_INTERNAL - 1, INT32_MIN, INT32_MAX
	};
	const plait_backend_point point = { NULL, 1 };
	plait_error error = { .size = sizeof(error) };
	struct lines lines = { 0 };
	struct place *place = open_place(keep_line, &lines);
	plait_status told;

	for (unsigned i = 0; i < TAP_COUNT(said); i++) {
		IS_INT(plait__notification_arm(&place->port, &point, keep_status,
					       &told, &error), PLAIT_OK);
		asked[i].function(asked[i].user_data, said[i]);
		IS_INT(told, i < 3 ? said[i] : PLAIT_E_INTERNAL);
		IS_UINT(lines.count, i < 3 ? 0 : i - 2);
	}
	HAS_STR(lines.last, "plugin liar: a notification came with status");
	close_place(place);
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 31);
}

static void made_up(void)
{
	struct lines lines = { 0 };
	struct place *place = open_place(keep_line, &lines);
	uint64_t random = tap_seed();
	int calls = 0, local = 0;

	IS_INT(arm(place, &calls), PLAIT_OK);
	asked[0].function(NULL, PLAIT_OK);
	asked[0].function(&local, PLAIT_OK);
	asked[0].function(place, PLAIT_OK);
	asked[0].function((void *)UINTPTR_MAX, PLAIT_OK);
	/* Slots that are far from their next use. */
	for (int i = 0; i < 100000; i++)
		asked[0].function((void *)(uintptr_t)(draw(&random) |
						      UINT64_C(1) << 62),
				  PLAIT_OK);
	IS_INT(calls, 0);
	IS_UINT(plait__notification_count_strays(&place->port), 0);
	IS_UINT(lines.count, 0);
	call(0);
	IS_INT(calls, 1);
	close_place(place);
}

static void *call_all(void *arg)
{
	bool backwards = arg != NULL;

	for (unsigned i = 0; i < MANY; i++)
		call(backwards ? MANY - 1 - i : i);
	return NULL;
}

/* Two threads call everything: each notification comes from one of them. */
static void two_threads(void)
{
	static int calls[MANY];
	struct place *place = open_place(NULL, NULL);
	pthread_t thread;
	unsigned wrong = 0;

	place->context.settings.log.level = PLAIT_LOG_NONE;
	for (int round = 1; round <= 20; round++) {
		asked_count = 0;
		for (unsigned i = 0; i < MANY; i++)
			wrong += arm(place, &calls[i]) != PLAIT_OK;
		if (pthread_create(&thread, NULL, call_all, place) != 0)
			abort();
		call_all(NULL);
		pthread_join(thread, NULL);
		for (unsigned i = 0; i < MANY; i++)
			wrong += calls[i] != round;
	}
	IS_UINT(wrong, 0);
	IS_UINT(plait__notification_count_strays(&place->port), 20 * MANY);
	close_place(place);
}

static int in_hook, may_leave, has_left;

static void dawdle(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	(void)level;
	(void)line;
	__atomic_store_n(&in_hook, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&may_leave, __ATOMIC_ACQUIRE))
		plait__thread_yield();
	for (int i = 0; i < 100; i++)
		plait__thread_yield();
	has_left = 1;
}

static void *call_first(void *arg)
{
	(void)arg;
	call(0);
	return NULL;
}

/* The context ends while the log is being written: it waits for that. */
static void logged_at_the_end(void)
{
	struct place *place = open_place(dawdle, NULL);
	pthread_t thread;
	int calls = 0;

	IS_INT(arm(place, &calls), PLAIT_OK);
	call(0);
	if (pthread_create(&thread, NULL, call_first, NULL) != 0)
		abort();
	while (!__atomic_load_n(&in_hook, __ATOMIC_ACQUIRE))
		plait__thread_yield();
	__atomic_store_n(&may_leave, 1, __ATOMIC_RELEASE);
	plait__notification_close(&place->port);
	IS_INT(has_left, 1);
	free(place);
	pthread_join(thread, NULL);
}

static const struct tap_scenario all[] = {
	{ "once", once },
	{ "again and again", again_and_again },
	{ "refused", refused },
	{ "too late", too_late },
	{ "made up", made_up },
	{ "made-up statuses", made_up_statuses },
	{ "two threads", two_threads },
	{ "logged at the end", logged_at_the_end },
};

TAP_MAIN(all)
