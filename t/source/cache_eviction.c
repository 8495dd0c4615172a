/* SPDX-License-Identifier: MIT */
/* The bound of the cache: the least recently used entries go first, nothing
 * else goes at all, and concurrent processes never see a wrong entry. */
#include "source/cache.h"

#include "base/alloc.h"
#include "source/cache_eviction.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tap.h"

enum { CODE_BYTES = 1000, ENTRIES = 70 };

static char folder[] = "/tmp/plait-test-XXXXXX";
static plait__cache cache;
static plait__log no_log;

/* Entry `number`: its key, its path, and its content. */
struct entry {
	char key[32];
	char path[PATH_MAX];
	unsigned char code[CODE_BYTES];
};

static void name_entry(int number, struct entry *entry)
{
	snprintf(entry->key, sizeof(entry->key), "key %03d", number);
	memset(entry->code, number + 1, sizeof(entry->code));
	if (!plait__cache_path(&cache, "entry", number % 2 ? ".so" : ".bin",
			       entry->key, strlen(entry->key), entry->path,
			       sizeof(entry->path)))
		abort();
}

static bool store(int number)
{
	struct entry entry;

	name_entry(number, &entry);
	return plait__cache_store(entry.path, entry.key, strlen(entry.key),
				  entry.code, CODE_BYTES,
				  plait__alloc_default(), &no_log);
}

/* 1: there, and right; 0: not there; -1: wrong. */
static int find(int number)
{
	struct entry entry;
	uint64_t bytes = 0;
	void *code = NULL;
	int result;

	name_entry(number, &entry);
	if (!plait__cache_find(entry.path, entry.key, strlen(entry.key),
			       plait__alloc_default(), &no_log, &code,
			       &bytes))
		return 0;
	result = bytes == CODE_BYTES &&
		 memcmp(code, entry.code, CODE_BYTES) == 0 ? 1 : -1;
	plait__free(plait__alloc_default(), code, bytes);
	return result;
}

/* As if it had been used so many seconds after 1970: the clock of a file system
 * is too coarse for a sequence of uses. */
static void set_used(const char *path, time_t second)
{
	const struct timespec times[2] = { { .tv_sec = second },
					   { .tv_sec = second } };

	OK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void set_entry_used(int number, time_t second)
{
	struct entry entry;

	name_entry(number, &entry);
	set_used(entry.path, second);
}

static uint64_t size_of_one(void)
{
	struct entry entry;
	struct stat info = { 0 };

	name_entry(0, &entry);
	OK(stat(entry.path, &info) == 0);
	return (uint64_t)info.st_size;
}

static void set_most(uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	setenv("PLAIT_CACHE_MAX", text, 1);
}

static bool open_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!OK(mkdtemp(folder) != NULL))
		return false;
	setenv("PLAIT_CACHE_DIR", folder, 1);
	unsetenv("PLAIT_CACHE_MAX");
	plait__cache_open(&cache, &no_log);
	return OK(cache.folder[0] != '\0');
}

static void close_folder(void)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	while (stream != NULL && (entry = readdir(stream)) != NULL)
		(void)unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream != NULL)
		closedir(stream);
	OK(rmdir(folder) == 0);
}

static int count_there(int count)
{
	int there = 0;

	for (int i = 0; i < count; i++) {
		struct entry entry;

		name_entry(i, &entry);
		there += access(entry.path, F_OK) == 0;
	}
	return there;
}

/* ---- removed entries ---- */

/* Six fit.  A lookup counts as a use, and a new entry stays. */
static void longest_unused_first(void)
{
	uint64_t one;

	if (!open_folder())
		return;
	for (int i = 0; i < 6; i++) {
		OK(store(i));
		set_entry_used(i, 1000 + i);
	}
	one = size_of_one();
	set_most(6 * one);
	IS_INT(find(0), 1); /* 1 to 5 are older now */
	OK(store(6));
	IS_INT(count_there(7), 6);
	IS_INT(find(1), 0);
	IS_INT(find(0), 1);
	/* Half of them at once. */
	set_most(3 * one + one / 2);
	OK(store(7));
	IS_INT(count_there(8), 3);
	OK(find(7) == 1 && find(6) == 1 && find(0) == 1);
	/* A single entry that is too large stays, and works. */
	set_most(1);
	OK(store(8));
	IS_INT(count_there(9), 1);
	IS_INT(find(8), 1);
	close_folder();
}

/* More than are removed in one go. */
static void many_at_once(void)
{
	if (!open_folder())
		return;
	for (int i = 0; i < ENTRIES; i++) {
		(void)store(i);
		set_entry_used(i, 1000 + (i * 37) % ENTRIES);
	}
	IS_INT(count_there(ENTRIES), ENTRIES);
	set_most(10 * size_of_one());
	OK(store(ENTRIES));
	IS_INT(count_there(ENTRIES), 9);
	for (int i = 0; i < ENTRIES; i++)
		if ((i * 37) % ENTRIES >= ENTRIES - 9 && find(i) != 1)
			OK_THAT(false, "%d was used recently: removed", i);
	close_folder();
}

#define HASH "0123456789abcdef0123456789abcdef"

static void put_file(const char *name, bool old)
{
	char path[PATH_MAX + 300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!OK(file != NULL))
		return;
	fputs("0123456789", file);
	fclose(file);
	if (old)
		set_used(path, 1);
}

static bool is_there(const char *name)
{
	char path[PATH_MAX + 300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

/* A sparse entry larger than the default bound stays unless a setting says
 * otherwise. */
static void put_huge(const char *name)
{
	char path[PATH_MAX + 300];

	put_file(name, true);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	OK(truncate(path, (off_t)1 << 31) == 0);
	set_used(path, 1);
}

/* 1 GiB, unless a number says something else. */
static void usual_bound(void)
{
	static const struct {
		const char *text;
		bool stays;
	} table[] = {
		{ NULL, false }, { "", false },	   { "many", false },
		{ "-1", false }, { "0", true },	   { "3000000000", true },
	};

	for (size_t i = 0; i < TAP_COUNT(table); i++) {
		if (!open_folder())
			return;
		if (table[i].text != NULL)
			setenv("PLAIT_CACHE_MAX", table[i].text, 1);
		put_huge("a-" HASH ".so");
		OK(store(0));
		OK_THAT(is_there("a-" HASH ".so") == table[i].stays,
			"PLAIT_CACHE_MAX=%s: %s",
			table[i].text != NULL ? table[i].text : "(unset)",
			table[i].stays ? "stays" : "goes");
		close_folder();
	}
}

/* No number, no bound, nothing given. */
static void bounds(void)
{
	static const char *const texts[] = { "0", "", "many", "-1", NULL };

	for (size_t i = 0; i < TAP_COUNT(texts); i++) {
		if (!open_folder())
			return;
		if (texts[i] != NULL)
			setenv("PLAIT_CACHE_MAX", texts[i], 1);
		for (int k = 0; k < 5; k++)
			(void)store(k);
		IS_INT(count_there(5), 5);
		close_folder();
	}
}

/* ---- files that stay ---- */

static void only_entries_go(void)
{
	static const char *const others[] = {
		"notes.txt", "a-" HASH, "a-" HASH ".c", "a-" HASH ".so.old",
		"-" HASH ".so", "a-0123.so", HASH ".so", "a-" HASH "0.so",
		"a.b-" HASH ".so", "a-" HASH ".sofa",
	};
	/* The last two: their writer is gone. */
	static const char *const entries[] = {
		"a-" HASH ".so", "b-c-" HASH ".bin", "a-" HASH ".so.123-0",
		"a-" HASH ".bin.77777-15",
	};

	if (!open_folder())
		return;
	for (size_t i = 0; i < TAP_COUNT(others); i++)
		put_file(others[i], true);
	for (size_t i = 0; i < TAP_COUNT(entries); i++)
		put_file(entries[i], true);
	set_most(1);
	OK(store(0));
	IS_INT(find(0), 1);
	for (size_t i = 0; i < TAP_COUNT(others); i++)
		OK_THAT(is_there(others[i]), "%s stays", others[i]);
	for (size_t i = 0; i < TAP_COUNT(entries); i++)
		OK_THAT(!is_there(entries[i]), "%s is removed", entries[i]);
	close_folder();
}

/* ---- a disk that is full ---- */

static int count_files(void)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while (stream != NULL && (entry = readdir(stream)) != NULL)
		count += entry->d_name[0] != '.';
	if (stream != NULL)
		closedir(stream);
	return count;
}

/* No file can get longer than this. */
static void set_longest(const struct rlimit *before, uint64_t bytes)
{
	struct rlimit limit = *before;

	limit.rlim_cur = (rlim_t)bytes;
	OK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* An entry that does not fit leaves nothing behind, and is stored when there is
 * room. */
static void no_room(void)
{
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	struct rlimit before;
	uint64_t whole;
	bool stored;

	if (!open_folder() || !OK(getrlimit(RLIMIT_FSIZE, &before) == 0))
		return;
	OK(store(0));
	whole = size_of_one();
	for (uint64_t bytes = 0; bytes < whole; bytes += 1 + bytes / 3) {
		set_longest(&before, bytes);
		stored = store(1);
		OK(setrlimit(RLIMIT_FSIZE, &before) == 0);
		OK_THAT(!stored, "nothing is stored in %llu of %llu bytes",
			(unsigned long long)bytes, (unsigned long long)whole);
		IS_INT(count_files(), 1);
		IS_INT(find(1), 0);
	}
	IS_INT(find(0), 1);
	OK(store(1));
	IS_INT(find(1), 1);
	close_folder();
	signal(SIGXFSZ, handler);
}

/* ---- processes ---- */

/* Room for three, and all want eight: each finds the right one or none. */
static int in_process(int which)
{
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 8; i++) {
			int number = (i * 3 + which) % 8;
			int found = find(number);

			if (found < 0)
				return 1;
			/* Another process may write the same name: then the
			 * entry is that one, or is not kept. */
			if (found == 0)
				(void)store(number);
		}
	}
	return 0;
}

static void ten_at_once(void)
{
	pid_t children[10];
	uint64_t most;
	int bad = 0, status;

	if (!open_folder())
		return;
	OK(store(0));
	most = 3 * size_of_one();
	set_most(most);
	for (int i = 0; i < 10; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(in_process(i));
	}
	for (int i = 0; i < 10; i++)
		bad += waitpid(children[i], &status, 0) != children[i] ||
		       !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	IS_INT(bad, 0);
	/* The next write leaves no more than fits. */
	OK(store(9));
	OK(count_there(10) <= 3);
	IS_INT(find(9), 1);
	close_folder();
}

static const struct tap_scenario all[] = {
	{ "longest unused first", longest_unused_first },
	{ "many at once", many_at_once },
	{ "bounds", bounds },
	{ "usual bound", usual_bound },
	{ "only entries go", only_entries_go },
	{ "no room", no_room },
	{ "ten at once", ten_at_once },
};

TAP_MAIN(all)
