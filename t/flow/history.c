/* SPDX-License-Identifier: MIT */
/*
 * Histories of measured times: size classes and estimates against brute force,
 * random times against a list, the text form with its damages, files.
 */
#include "policy_random.h"

#include "base/alloc.h"
#include "flow/history_file.h"
#include "flow/policy/history_estimate.h"
#include "flow/policy/history_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static plait__history history;
static plait_error error;

static void begin(void)
{
	error = (plait_error){ .size = sizeof(error) };
	plait__history_init(&history, plait__alloc_default());
}

static void end(void)
{
	plait__history_fini(&history);
}

static uint32_t device(const char *name)
{
	uint32_t number = UINT32_MAX;

	OK(plait__history_device(&history, name, &number) == PLAIT_OK);
	return number;
}

static plait__history_key key_of(uint32_t code, uint32_t number)
{
	plait__history_key key = { .device = number };

	memcpy(key.code, &code, sizeof(code));
	return key;
}

static void add(uint32_t code, uint32_t number, uint64_t items, uint64_t ns)
{
	plait__history_key key = key_of(code, number);

	OK(plait__history_add(&history, &key, items, ns) == PLAIT_OK);
}

static plait__estimate estimate(uint32_t code, uint32_t number, uint64_t items)
{
	plait__history_key key = key_of(code, number);

	return plait__history_estimate(&history, &key, items, 12345);
}

/* ---- size classes ---- */

__extension__ typedef unsigned __int128 wide;

/* n^4 is at least 2^c, for n below 2^31. */
static bool is_class(uint64_t items, uint32_t c)
{
	wide square = (wide)items * items, fourth = square * square;

	return fourth >> c >= 1 && fourth >> c < 2;
}

static void classes(void)
{
	uint32_t wrong = 0;

	for (uint64_t n = 1; n < 100000; n++)
		wrong += !is_class(n, plait__history_class(n));
	random_state = tap_seed() + 1;
	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t n = 1 + below((uint64_t)1 << (1 + below(31)));

		wrong += !is_class(n, plait__history_class(n));
	}
	IS_UINT(wrong, 0);
	IS_UINT(plait__history_class(0), 0);
	IS_UINT(plait__history_class(1), 0);
	IS_UINT(plait__history_class(UINT64_MAX), 255);
	IS_UINT(plait__history_class((uint64_t)1 << 63), 252);
	/* 2^63.25, .5 and .75, rounded up. */
	IS_UINT(plait__history_class(UINT64_C(0x9837f0518db8a970)), 253);
	IS_UINT(plait__history_class(UINT64_C(0x9837f0518db8a96f)), 252);
	IS_UINT(plait__history_class(UINT64_C(0xb504f333f9de6485)), 254);
	IS_UINT(plait__history_class(UINT64_C(0xb504f333f9de6484)), 253);
	IS_UINT(plait__history_class(UINT64_C(0xd744fccad69d6af5)), 255);
	IS_UINT(plait__history_class(UINT64_C(0xd744fccad69d6af4)), 254);
}

/* ---- estimates ---- */

static void sources(void)
{
	plait__estimate got;
	uint32_t a, b, c;

	begin();
	a = device("a");
	b = device("b");
	c = device("c");
	IS_UINT(device("b"), b);
	got = estimate(1, a, 1000);
	OK(got.ns == 12345 && got.source == PLAIT__ESTIMATE_GIVEN);
	add(1, a, 1 << 10, 1000);
	got = estimate(1, a, 1 << 10);
	OK(got.ns == 1000 && got.source == PLAIT__ESTIMATE_MEASURED);
	IS_UINT(got.count, 1);
	/* Four classes are a factor of two. */
	got = estimate(1, a, 1 << 13);
	OK(got.ns == 8000 && got.source == PLAIT__ESTIMATE_CLASS);
	IS_UINT(got.size_class, 40);
	IS_UINT(estimate(1, a, 1 << 8).ns, 250);
	IS_UINT(estimate(1, a, 1 << 12).ns, 4000);
	IS_UINT(estimate(1, a, 1218).ns, 1189);
	/* The nearest; of two the lower. */
	add(1, a, 1 << 14, 32000);
	IS_UINT(estimate(1, a, 1 << 13).size_class, 56);
	IS_UINT(estimate(1, a, 1 << 12).size_class, 40);
	/* Nothing in common with another device. */
	IS_UINT(estimate(1, b, 1 << 10).source, PLAIT__ESTIMATE_GIVEN);
	/* b takes 3 times as long, and then also 1. */
	add(2, a, 100, 500);
	add(2, b, 100, 1500);
	got = estimate(1, b, 1 << 10);
	OK(got.ns == 3000 && got.source == PLAIT__ESTIMATE_DEVICE);
	OK(got.device == a && got.ratio == 3 * 65536);
	add(3, a, 100, 500);
	add(3, b, 100, 500);
	IS_UINT(estimate(1, b, 1 << 10).ns, 2000);
	IS_UINT(estimate(1, b, 1 << 9).ns, 1000);
	IS_UINT(estimate(1, c, 1 << 10).source, PLAIT__ESTIMATE_GIVEN);
	end();
}

static void extremes(void)
{
	uint32_t a, b;

	begin();
	a = device("a");
	b = device("b");
	add(1, a, 1, UINT64_MAX);
	IS_UINT(estimate(1, a, UINT64_MAX).ns, UINT64_MAX);
	add(2, a, UINT64_MAX, 1);
	IS_UINT(estimate(2, a, 0).ns, 0);
	add(3, b, 1, 0);
	add(3, a, 1, 7);
	/* A ratio of 0 is none, nor is one to 0. */
	IS_UINT(estimate(1, b, 1).source, PLAIT__ESTIMATE_GIVEN);
	add(4, b, 1, 1);
	IS_UINT(estimate(4, a, 1).source, PLAIT__ESTIMATE_GIVEN);
	end();
}

/* ---- many entries ---- */

enum { CODES = 12, NUMBERS = 3, SIZES = 6, ALL = CODES * NUMBERS * SIZES };

static struct known {
	plait__time_model time;
	uint64_t stamp;
} list[ALL];

/* Forget the older half of what is known, as the history does. */
static void forget(uint32_t limit)
{
	uint32_t count = 0, dropped;

	for (uint32_t i = 0; i < ALL; i++)
		count += list[i].stamp > 0;
	if (count < limit)
		return;
	for (dropped = count - count / 2; dropped > 0; dropped--) {
		uint32_t oldest = ALL;

		for (uint32_t i = 0; i < ALL; i++)
			if (list[i].stamp > 0 &&
			    (oldest == ALL ||
			     list[i].stamp < list[oldest].stamp))
				oldest = i;
		list[oldest] = (struct known){ .stamp = 0 };
	}
}

static uint32_t compare_all(void)
{
	uint32_t wrong = 0, count = 0;

	for (uint32_t i = 0; i < ALL; i++) {
		plait__history_key key = key_of(i / (NUMBERS * SIZES),
						i / SIZES % NUMBERS);
		const plait__history_entry *entry;

		key.size_class = i % SIZES * 4;
		entry = plait__history_find(&history, &key);
		wrong += (entry != NULL) != (list[i].stamp > 0);
		wrong += entry != NULL && list[i].stamp > 0 &&
			 (entry->time.mean != list[i].time.mean ||
			  entry->time.count != list[i].time.count);
		count += list[i].stamp > 0;
	}
	return wrong + (history.entries.count != count);
}

/* Write, and read into a new one: the order of ages stays, too. */
static void write_and_read(void)
{
	plait__history_damage damage;
	plait__history copy;
	plait__text one, two;

	plait__text_init(&one, plait__alloc_default());
	plait__text_init(&two, plait__alloc_default());
	plait__history_init(&copy, plait__alloc_default());
	plait__history_text_write(&history, &one);
	OK(plait__history_text_read(&copy, one.bytes, one.length, "x", &damage,
				    &error) == PLAIT_OK);
	IS_UINT(damage.count, 0);
	plait__history_text_write(&copy, &two);
	OK(strcmp(plait__text_get(&one), plait__text_get(&two)) == 0);
	plait__history_fini(&copy);
	plait__text_fini(&one);
	plait__text_fini(&two);
}

static uint32_t play(void)
{
	static const char *const names[NUMBERS] = { "a", "bb", "c c" };
	uint32_t wrong = 0;

	begin();
	memset(list, 0, sizeof(list));
	history.limit = 2 + (uint32_t)below(ALL);
	for (uint32_t i = 0; i < NUMBERS; i++)
		wrong += device(names[i]) != i;
	for (uint32_t i = 0; i < 500; i++) {
		uint32_t at = (uint32_t)below(ALL);
		uint64_t ns = below(1000);

		if (list[at].stamp == 0)
			forget(history.limit);
		list[at].stamp = i + 1;
		plait__time_model_add(&list[at].time, ns);
		add(at / (NUMBERS * SIZES), at / SIZES % NUMBERS,
		    (uint64_t)1 << at % SIZES, ns);
		if (below(50) == 0)
			plait__history_sort(&history);
	}
	wrong += compare_all();
	write_and_read();
	wrong += compare_all();
	end();
	return wrong;
}

static void random_times(void)
{
	play_rounds(tap_soak() ? 2000 : 20, play);
}

/* ---- text ---- */

#define CODE "000102030405060708090a0b0c0d0e0f"
#define HEAD "plait history 1\ndevice 0 host: 8\n"

static plait__history_damage damage;

static plait_status read_text(const char *text)
{
	return plait__history_text_read(&history, text, strlen(text), "times",
					&damage, &error);
}

static void text(void)
{
	plait__history_key key = { .code = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
					     11, 12, 13, 14, 15 },
				   .size_class = 40 };
	const plait__history_entry *entry;
	plait__text out;

	begin();
	IS_INT(read_text(HEAD "time " CODE " 0 40 1000 500 17\n"), PLAIT_OK);
	IS_UINT(damage.count, 0);
	entry = plait__history_find(&history, &key);
	OK(entry != NULL && entry->time.mean == 1000 &&
	   entry->time.spread == 500 && entry->time.count == 17);
	/* An entry that is there stays; device 7 of the text is device 0. */
	IS_INT(read_text("plait history 1\ndevice 7 host: 8\n"
			 "time " CODE " 7 40 1 1 1\n"
			 "time " CODE " 7 41 2 2 2\n"), PLAIT_OK);
	IS_UINT(damage.count, 0);
	plait__text_init(&out, plait__alloc_default());
	plait__history_text_write(&history, &out);
	IS_STR(plait__text_get(&out), HEAD "time " CODE " 0 40 1000 500 17\n"
	       "time " CODE " 0 41 2 2 2\n");
	plait__text_fini(&out);
	end();
}

static void damages(void)
{
	static const char *const lines[] = {
		"", "tim", "time " CODE, "time " CODE "\n",
		"time " CODE " 0 40 1000 500\n",
		"time " CODE " 0 40 1000 500 17 \n",
		"time " CODE " 0 40 1000 500 17 1\n",
		"time " CODE " 0 40 1000 500 0\n",
		"time " CODE " 0 40 1000 500 4294967296\n",
		"time " CODE " 0 40 576460752303423489 500 17\n",
		"time " CODE " 0 40 18446744073709551616 500 17\n",
		"time " CODE " 0 256 1000 500 17\n",
		"time " CODE " 1 40 1000 500 17\n",
		"time " CODE " 256 40 1000 500 17\n",
		"time " CODE " 0  40 1000 500 17\n",
		"time " CODE " 0 -40 1000 500 17\n",
		"time " CODE "0 0 40 1000 500 17\n",
		"time G" CODE " 0 40 1000 500 17\n",
		"time 00 0 40 1000 500 17\n",
		"device\n", "device 1\n", "device 1 \n", "device 256 x\n",
		"device 0 another\n", "devices 1 x\n", "\n",
	};
	char whole[400];

	for (size_t i = 0; i < TAP_COUNT(lines); i++) {
		bool is_empty = lines[i][0] == '\0';

		begin();
		snprintf(whole, sizeof(whole), "%s%s", HEAD, lines[i]);
		IS_INT(read_text(whole), PLAIT_OK);
		IS_UINT(damage.count, !is_empty);
		IS_UINT(damage.first_line, is_empty ? 0 : 3);
		OK((damage.reason == NULL) == is_empty);
		IS_UINT(history.entries.count, 0);
		end();
	}
	begin();
	IS_INT(read_text("plait history 1\nx\ndevice 3 d\ny\n"
			 "time " CODE " 3 1 1 1 1\nz\n"), PLAIT_OK);
	OK(damage.count == 3 && damage.first_line == 2);
	IS_UINT(history.entries.count, 1);
	end();
}

static void no_history(void)
{
	static const char *const texts[] = {
		"", "\n", "plait history 1", "plait history 2\n",
		"plait history 1 \n", "plait history 10\n", "time\n",
	};

	begin();
	for (size_t i = 0; i < TAP_COUNT(texts); i++) {
		IS_INT(read_text(texts[i]), PLAIT_E_INVALID);
		HAS_STR(error.text, "times:1: expected \"plait history 1\"");
	}
	IS_UINT(history.devices.count, 0);
	end();
}

/* Descriptions are cut and cleaned; there are 256 devices at most. */
static void devices(void)
{
	char name[600];
	uint32_t number;

	begin();
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	IS_UINT(device(name), 0);
	name[PLAIT__HISTORY_NAME_BYTES - 1] = '\0';
	IS_UINT(device(name), 0);
	IS_UINT(device("a\nb\x7f"), 1);
	IS_UINT(device("a b "), 1);
	for (uint32_t i = 2; i < PLAIT__HISTORY_DEVICES; i++) {
		snprintf(name, sizeof(name), "device %u", i);
		IS_UINT(device(name), i);
	}
	write_and_read();
	IS_INT(plait__history_device(&history, "one more", &number),
	       PLAIT_E_NOMEM);
	IS_INT(read_text("plait history 1\ndevice 0 more\n"
			 "device 1 device 9\n"), PLAIT_OK);
	OK(damage.count == 1 && damage.first_line == 2);
	end();
}

/* ---- files ---- */

static void write_text(const char *path, const char *bytes)
{
	FILE *file = fopen(path, "w");

	OK(file != NULL && fputs(bytes, file) >= 0 && fclose(file) == 0);
}

static void files(void)
{
	char folder[] = "/tmp/plait-history-XXXXXX", path[64];
	char told[PLAIT__HISTORY_FILE_DAMAGE_BYTES];

	OK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/times", folder);
	begin();
	IS_INT(plait__history_file_read(&history, path, told, &error),
	       PLAIT_OK);
	add(5, device("host"), 100, 700);
	IS_INT(plait__history_file_write(&history, path, &error), PLAIT_OK);
	end();
	begin();
	IS_INT(plait__history_file_read(&history, path, told, &error),
	       PLAIT_OK);
	IS_STR(told, "");
	IS_UINT(estimate(5, 0, 100).ns, 700);
	write_text(path, HEAD "nonsense\n");
	IS_INT(plait__history_file_read(&history, path, told, &error),
	       PLAIT_OK);
	HAS_STR(told, "times: 1 damaged lines are skipped; line 3: neither a "
		      "device nor a time");
	write_text(path, "something else\n");
	IS_INT(plait__history_file_read(&history, path, told, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "or no history; remove the file");
	write_text(path, "");
	IS_INT(plait__history_file_read(&history, path, told, NULL),
	       PLAIT_E_INVALID);
	/* A folder is no file, and stays. */
	IS_INT(plait__history_file_read(&history, folder, told, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait__history_file_write(&history, folder, &error),
	       PLAIT_E_INVALID);
	end();
	OK(unlink(path) == 0);
	OK(rmdir(folder) == 0);
}

/* ---- memory ---- */

static uint64_t allowed;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	const plait_allocator *whole = plait__alloc_default();

	(void)user_data;
	if (new_bytes > 0 && allowed-- == 0) {
		allowed = 0;
		return NULL;
	}
	return whole->resize(whole->user_data, pointer, old_bytes, new_bytes);
}

/* Each allocation fails once: the history keeps what it had, and takes the same
 * times again. */
static void no_memory(void)
{
	static const plait_allocator allocator = { .size = sizeof(allocator),
						   .resize = resize };
	bool failed = true;

	for (uint64_t k = 0; failed && k < 40; k++) {
		uint32_t number = 0, lost = 0;

		allowed = k;
		plait__history_init(&history, &allocator);
		failed = plait__history_device(&history, "d", &number) !=
			 PLAIT_OK;
		for (uint32_t i = 0; i < 200; i++) {
			plait__history_key key = key_of(i, 0);

			if (failed)
				allowed = 1000;
			lost += plait__history_add(&history, &key, 1, i + 1) !=
				PLAIT_OK;
			failed |= lost > 0;
		}
		IS_UINT(history.entries.count, 200 - lost);
		OK(lost <= 1);
		plait__history_fini(&history);
	}
	OK(!failed);
}

static const struct tap_scenario all[] = {
	{ "classes", classes },
	{ "sources", sources },
	{ "extremes", extremes },
	{ "random times", random_times },
	{ "text", text },
	{ "damages", damages },
	{ "no history", no_history },
	{ "devices", devices },
	{ "files", files },
	{ "no memory", no_memory },
};

TAP_MAIN(all)
