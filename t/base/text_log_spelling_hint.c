/* SPDX-License-Identifier: MIT */
/* Growing texts, the log, and the long texts behind errors. */
#include "lib/tap.h"

#include "plait/base.h"

#include "base/alloc.h"
#include "base/spelling_hint.h"
#include "base/log.h"
#include "base/text.h"
#include "base/vector.h"
#include "sys/error_detail.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* --- order */

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (a[0] > b[0]) - (a[0] < b[0]);
}

/* Pairs; the second part shows that they stay together. */
static void sorts(void)
{
	static const uint32_t counts[] = { 0, 1, 2, 3, 4, 7, 8, 100, 1000 };
	uint64_t state = tap_seed();

	for (size_t i = 0; i < TAP_COUNT(counts); i++) {
		uint64_t sum = 0, bad = 0;
		plait__vector vector;

		plait__vector_init(&vector, plait__alloc_default(), 16);
		for (uint32_t k = 0; k < counts[i]; k++) {
			uint64_t pair[2];

			state = state * 6364136223846793005u + 1;
			pair[0] = (state >> 40) % (counts[i] + 1);
			pair[1] = pair[0] * 3 + 1;
			sum += pair[0];
			if (plait__vector_push(&vector, pair, 1) == NULL)
				bad++;
		}
		plait__vector_sort(&vector, compare_numbers);
		for (uint32_t k = 0; k < counts[i]; k++) {
			const uint64_t *pair = plait__vector_at(&vector, k);

			sum -= pair[0];
			bad += pair[1] != pair[0] * 3 + 1 ||
			       (k > 0 && pair[-2] > pair[0]);
		}
		OK_THAT(bad == 0 && sum == 0, "%u numbers", counts[i]);
		plait__vector_fini(&vector);
	}
}

/* --- suggestions */

static void near_words(void)
{
	static const struct {
		const char *one, *other;
		unsigned distance;
	} table[] = {
		{ "cpu", "gpu", 1 },	{ "gup", "gpu", 1 },
		{ "hots", "host", 1 },	{ "chaso", "chaos", 1 },
		{ "sed", "seed", 1 },	{ "seed", "sed", 1 },
		{ "X", "x", 0 },	{ "same", "same", 0 },
		{ "abcdef", "bacdfe", 2 },
		{ "a", "b", UINT_MAX }, { "ab", "ac", UINT_MAX },
		{ "host", "chaos", UINT_MAX },
		{ "", "", UINT_MAX },	{ "", "abc", UINT_MAX },
		{ "abcdefghijabcdefghijabcdefghijabcdefghij",
		  "abcdefghijabcdefghijabcdefghijabcdefghij", 0 },
		{ "abcdefghijabcdefghijabcdefghijabcdefghijk",
		  "abcdefghijabcdefghijabcdefghijabcdefghij", UINT_MAX },
	};

	for (size_t i = 0; i < TAP_COUNT(table); i++)
		OK_THAT(plait__spelling_hint_distance(table[i].one, table[i].other) ==
				table[i].distance,
			"%s, %s", table[i].one, table[i].other);
}

static void choices(void)
{
	plait__spelling_hint some;

	plait__spelling_hint_init(&some, "alhpa");
	IS_STR(plait__spelling_hint_list(&some), "none");
	IS_STR(plait__spelling_hint_text(&some), "");
	plait__spelling_hint_add(&some, "x");
	IS_STR(plait__spelling_hint_list(&some), "\"x\"");
	IS_STR(plait__spelling_hint_text(&some), "");
	plait__spelling_hint_add(&some, "alpha");
	plait__spelling_hint_add(&some, "alph");
	IS_STR(plait__spelling_hint_list(&some), "\"x\", \"alpha\", \"alph\"");
	IS_STR(plait__spelling_hint_text(&some), ", perhaps \"alpha\"");
}

/* The list is cut; near names behind the cut are found as well. */
static void many_choices(void)
{
	plait__spelling_hint some;
	char name[16];
	const char *list;

	plait__spelling_hint_init(&some, "name07x");
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "name%02d", 99 - i);
		plait__spelling_hint_add(&some, name);
	}
	list = plait__spelling_hint_list(&some);
	OK(strlen(list) < PLAIT__SPELLING_HINT_LIST_BYTES);
	HAS_STR(list, "\"name99\", \"name98\"");
	IS_STR(list + strlen(list) - strlen("\", ..."), "\", ...");
	IS_STR(plait__spelling_hint_text(&some), ", perhaps \"name07\"");
	plait__spelling_hint_init(&some, "x");
	memset(name, 'y', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	plait__spelling_hint_add(&some, "a name as long as no list can have, for then "
				 "there would be no room for any other name of it, or "
				 "for itself, and so it is not");
	plait__spelling_hint_add(&some, name);
	IS_STR(plait__spelling_hint_list(&some), "...");
}

/* --- text */

static void grows(void)
{
	plait__text text;
	int i;

	plait__text_init(&text, plait__alloc_default());
	IS_STR(plait__text_get(&text), "");
	for (i = 0; i < 1000; i++)
		plait__text_add(&text, "%d,", i % 10);
	IS_UINT(text.length, 2000);
	OK(!text.failed);
	plait__text_cut(&text, 4);
	IS_STR(plait__text_get(&text), "0,1,");
	plait__text_cut(&text, 100);
	IS_STR(plait__text_get(&text), "0,1,");
	plait__text_add_bytes(&text, "", 0);
	plait__text_add_bytes(&text, "xyz", 2);
	IS_STR(plait__text_get(&text), "0,1,xy");
	plait__text_fini(&text);
	plait__text_fini(&text);
}

/* Serves `left` allocations. */
static void *resize_some(void *user_data, void *pointer, uint64_t old_bytes,
			 uint64_t new_bytes)
{
	int *left = user_data;

	if (new_bytes != 0 && (*left)-- <= 0)
		return NULL;
	return plait__alloc_default()->resize(NULL, pointer, old_bytes,
					      new_bytes);
}

static void remembers_failure(void)
{
	int left = 1;
	plait_allocator some = { sizeof(some), 0, resize_some, &left };
	plait__text text;
	char long_text[1000];

	memset(long_text, 'a', sizeof(long_text));
	plait__text_init(&text, &some);
	plait__text_add(&text, "first");
	OK(!text.failed);
	plait__text_add_bytes(&text, long_text, sizeof(long_text));
	OK(text.failed);
	left = 100;
	plait__text_add(&text, "later");
	OK_THAT(text.failed, "what failed stays failed");
	IS_STR(plait__text_get(&text), "first");
	plait__text_fini(&text);
	OK(!text.failed);
}

static void is_copied_whole_characters(void)
{
	char buffer[8];
	uint64_t bytes;
	uint64_t room;

	plait__text_copy("h\xc3\xa9llo", NULL, 0, &bytes);
	IS_UINT(bytes, 7);
	for (room = 1; room <= 7; room++) {
		static const char *const want[] = { "",      "h",
						    "h",     "h\xc3\xa9",
						    "h\xc3\xa9l",
						    "h\xc3\xa9ll",
						    "h\xc3\xa9llo" };

		memset(buffer, 'z', sizeof(buffer));
		plait__text_copy("h\xc3\xa9llo", buffer, room, NULL);
		IS_STR(buffer, want[room - 1]);
		OK(buffer[room] == 'z' || room == 8);
	}
}

/* --- log */

struct heard {
	int count;
	int32_t level;
	char line[PLAIT__LOG_LINE_BYTES + 8];
};

static void hear(void *user_data, int32_t level, const char *line)
{
	struct heard *heard = user_data;

	heard->count++;
	heard->level = level;
	snprintf(heard->line, sizeof(heard->line), "%s", line);
}

static void log_has_levels(void)
{
	struct heard heard = { 0, 0, "" };
	plait__log log;
	char long_line[3000];

	plait__log_init(&log, hear, &heard, PLAIT_LOG_WARNING);
	plait__log_line(&log, PLAIT_LOG_INFO, "not heard");
	IS_INT(heard.count, 0);
	plait__log_line(&log, PLAIT_LOG_ERROR, "number %d\nand more", 7);
	IS_INT(heard.count, 1);
	IS_INT(heard.level, PLAIT_LOG_ERROR);
	IS_STR(heard.line, "number 7 and more");
	memset(long_line, 'b', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	plait__log_line(&log, PLAIT_LOG_ERROR, "%s", long_line);
	IS_UINT(strlen(heard.line), PLAIT__LOG_LINE_BYTES - 1);
	plait__log_line(NULL, PLAIT_LOG_ERROR, "nobody listens");
	plait__log_init(&log, hear, &heard, PLAIT_LOG_DEFAULT);
	plait__log_line(&log, PLAIT_LOG_ERROR, "off by default");
	IS_INT(heard.count, 2);
	plait__log_line(&log, -5, "no level");
	plait__log_line(&log, 99, "no level");
	IS_INT(heard.count, 2);
}

static void log_levels_have_names(void)
{
	int32_t level = 77;

	OK(plait__log_parse_level("warning", &level));
	IS_INT(level, PLAIT_LOG_WARNING);
	OK(plait__log_parse_level("5", &level));
	IS_INT(level, PLAIT_LOG_DEBUG);
	OK(plait__log_parse_level("none", &level));
	IS_INT(level, PLAIT_LOG_NONE);
	OK(!plait__log_parse_level("", &level));
	OK(!plait__log_parse_level("0", &level));
	OK(!plait__log_parse_level("55", &level));
	OK(!plait__log_parse_level("loud", &level));
	IS_INT(level, PLAIT_LOG_NONE);
	IS_STR(plait__log_level_name(99), "level?");
	IS_STR(plait__log_level_name(-1), "level?");
}

/* --- details */

static void details_are_kept(void)
{
	plait_error error = { .size = sizeof(error) };
	char buffer[16];
	uint64_t bytes;

	plait__detail_attach(&error, "the long story");
	OK(error.detail != 0);
	IS_INT(plait_error_detail(error.detail, NULL, 0, &bytes), PLAIT_OK);
	IS_UINT(bytes, 15);
	IS_INT(plait_error_detail(error.detail, buffer, sizeof(buffer), NULL),
	       PLAIT_OK);
	IS_STR(buffer, "the long story");
	IS_INT(plait_error_detail(error.detail, buffer, 4, &bytes), PLAIT_OK);
	IS_STR(buffer, "the");
	IS_UINT(bytes, 15);
	IS_INT(plait_error_detail(0, buffer, 4, &bytes), PLAIT_E_HANDLE);
	IS_STR(buffer, "");
	IS_UINT(bytes, 0);
	IS_INT(plait_error_detail(UINT64_MAX, NULL, 0, NULL), PLAIT_E_HANDLE);
	plait__detail_attach(NULL, "nobody asked");
}

static void details_are_bounded(void)
{
	uint64_t first = plait__detail_keep("first");
	uint64_t last = 0;
	char buffer[16];
	int i;

	for (i = 1; i < PLAIT__DETAIL_COUNT; i++)
		last = plait__detail_keep("another");
	IS_INT(plait_error_detail(first, NULL, 0, NULL), PLAIT_OK);
	last = plait__detail_keep("one too many");
	IS_INT(plait_error_detail(first, NULL, 0, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_error_detail(last, buffer, sizeof(buffer), NULL),
	       PLAIT_OK);
	IS_STR(buffer, "one too many");
	IS_INT(plait_error_detail(last + 1, NULL, 0, NULL), PLAIT_E_HANDLE);
}

static void long_details_are_cut(void)
{
	static char text[PLAIT__DETAIL_MAX_BYTES + 100];
	static char back[PLAIT__DETAIL_MAX_BYTES + 100];
	uint64_t detail, bytes;

	memset(text, 'c', sizeof(text) - 1);
	detail = plait__detail_keep(text);
	IS_INT(plait_error_detail(detail, back, sizeof(back), &bytes),
	       PLAIT_OK);
	OK(bytes <= PLAIT__DETAIL_MAX_BYTES);
	HAS_STR(back + bytes - 60, "(cut: the text is longer)\n");
}

static void durations(void)
{
	static const struct { uint64_t ns; const char *text; } known[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1 us" },
		{ 1500, "1.5 us" }, { 1000000, "1 ms" },
		{ 20050000, "20.05 ms" }, { 300000000, "300 ms" },
		{ 3600000000000, "3600 s" }, { 1000999999, "1 s" },
		{ 1001000000, "1.001 s" },
		{ UINT64_MAX - 1, "18446744073.709 s" },
	};
	char room[PLAIT__TEXT_DURATION_BYTES];

	for (size_t i = 0; i < TAP_COUNT(known); i++)
		IS_STR(plait__text_duration(known[i].ns, room), known[i].text);
}

static const struct tap_scenario all[] = {
	{ "durations", durations },
	{ "sorts", sorts },
	{ "near words", near_words },
	{ "choices", choices },
	{ "many choices", many_choices },
	{ "grows", grows },
	{ "remembers_failure", remembers_failure },
	{ "is_copied_whole_characters", is_copied_whole_characters },
	{ "log_has_levels", log_has_levels },
	{ "log_levels_have_names", log_levels_have_names },
	{ "details_are_kept", details_are_kept },
	{ "details_are_bounded", details_are_bounded },
	{ "long_details_are_cut", long_details_are_cut },
};

TAP_MAIN(all)
