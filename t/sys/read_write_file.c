/* SPDX-License-Identifier: MIT */
/* Reads and replacement of whole files: a failure leaves the old content, and
 * no temporary file. */
#include "lib/tap.h"

#include "base/alloc.h"
#include "sys/read_write_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plait-test-XXXXXX";
static plait_error error = { .size = sizeof(error) };

static const char *in(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static plait_status write_text(const char *path, const char *text)
{
	error = (plait_error){ .size = sizeof(error) };
	return plait__write_file_atomically(path, text, strlen(text), &error);
}

/* Returns whether the file holds exactly `text`. */
static bool holds(const char *path, const char *text)
{
	uint64_t bytes;
	void *block;
	bool same;

	if (plait__read_whole_file(path, 1 << 20, plait__alloc_default(), &block,
				   &bytes, &error) != PLAIT_OK) {
		NOTE("%s", error.text);
		return false;
	}
	same = bytes == strlen(text) && memcmp(block, text, bytes) == 0;
	plait__free(plait__alloc_default(), block, bytes > 0 ? bytes : 1);
	return same;
}

static unsigned count_names(void)
{
	DIR *stream = opendir(folder);
	unsigned count = 0;

	while (stream != NULL && readdir(stream) != NULL)
		count++;
	closedir(stream);
	return count - 2;
}

static plait_status read_most(const char *path, uint64_t most)
{
	void *block = &block;
	uint64_t bytes = 7;
	plait_status status;

	error = (plait_error){ .size = sizeof(error) };
	status = plait__read_whole_file(path, most, plait__alloc_default(), &block,
					&bytes, &error);
	if (status == PLAIT_OK)
		plait__free(plait__alloc_default(), block,
			    bytes > 0 ? bytes : 1);
	else
		OK(block == NULL && bytes == 0);
	return status;
}

static void written_is_read(void)
{
	const char *path = in("one");
	struct stat info;

	IS_INT(write_text(path, "first"), PLAIT_OK);
	OK(holds(path, "first"));
	IS_INT(write_text(path, ""), PLAIT_OK);
	OK(holds(path, ""));
	IS_INT(write_text(path, "the third is longer"), PLAIT_OK);
	OK(holds(path, "the third is longer"));
	OK(stat(path, &info) == 0 && info.st_size == 19);
	IS_UINT(count_names(), 1);
}

static void modes(void)
{
	const char *path = in("mode");
	struct stat info;
	mode_t before = umask(027);

	IS_INT(write_text(path, "x"), PLAIT_OK);
	OK(stat(path, &info) == 0);
	IS_UINT(info.st_mode & 07777, 0640);
	umask(before);
	OK(chmod(path, 0604) == 0);
	IS_INT(write_text(path, "y"), PLAIT_OK);
	OK(stat(path, &info) == 0);
	IS_UINT(info.st_mode & 07777, 0604);
	unlink(path);
}

static void links_are_followed(void)
{
	struct stat info;

	IS_INT(write_text(in("real"), "old"), PLAIT_OK);
	OK(symlink("real", in("link")) == 0);
	IS_INT(write_text(in("link"), "new"), PLAIT_OK);
	OK(holds(in("real"), "new"));
	OK(lstat(in("link"), &info) == 0 && S_ISLNK(info.st_mode));
	unlink(in("link"));
	unlink(in("real"));
}

static void no_regular_file(void)
{
	struct stat info;

	OK(mkfifo(in("pipe"), 0600) == 0);
	IS_INT(write_text(in("pipe"), "x"), PLAIT_E_INVALID);
	HAS_STR(error.text, "pipe: not a regular file");
	IS_INT(read_most(in("pipe"), 10), PLAIT_E_INVALID);
	IS_INT(write_text(folder, "x"), PLAIT_E_INVALID);
	IS_INT(read_most(folder, 10), PLAIT_E_INVALID);
	HAS_STR(error.text, "not a regular file");
	IS_INT(write_text("/dev/full", "x"), PLAIT_E_INVALID);
	OK(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
	IS_INT(read_most("/dev/zero", 10), PLAIT_E_INVALID);
	unlink(in("pipe"));
}

static void not_there(void)
{
	char longer[PATH_MAX + 10];

	IS_INT(write_text("/nowhere/x", "x"), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, ENOENT);
	HAS_STR(error.text, "/nowhere/x: cannot be written: No such file");
	IS_INT(read_most("/nowhere/x", 10), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, ENOENT);
	IS_INT(write_text("", "x"), PLAIT_E_UNAVAILABLE);
	IS_INT(write_text("/dev/null/x", "x"), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, ENOTDIR);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	IS_INT(write_text(longer, "x"), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, ENAMETOOLONG);
	/* The name fits, the temporary file's does not. */
	memcpy(longer, folder, strlen(folder));
	longer[strlen(folder)] = '/';
	longer[strlen(folder) + 1 + 250] = '\0';
	IS_INT(write_text(longer, "x"), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, ENAMETOOLONG);
}

static void limits(void)
{
	IS_INT(write_text(in("ten"), "0123456789"), PLAIT_OK);
	IS_INT(read_most(in("ten"), 10), PLAIT_OK);
	IS_INT(read_most(in("ten"), 9), PLAIT_E_INVALID);
	HAS_STR(error.text, "10 bytes; at most 9 are read");
	unlink(in("ten"));
}

/* No room: the old file stays, and no part of the new one. */
static void no_room(void)
{
	struct rlimit before, tight = { 8, 8 };
	unsigned names;

	IS_INT(write_text(in("room"), "old"), PLAIT_OK);
	names = count_names();
	signal(SIGXFSZ, SIG_IGN);
	OK(getrlimit(RLIMIT_FSIZE, &before) == 0);
	tight.rlim_max = before.rlim_max;
	OK(setrlimit(RLIMIT_FSIZE, &tight) == 0);
	IS_INT(write_text(in("room"), "far too long"), PLAIT_E_UNAVAILABLE);
	OK(setrlimit(RLIMIT_FSIZE, &before) == 0);
	IS_INT(error.origin, EFBIG);
	HAS_STR(error.text, "room: cannot be written: File too large");
	OK(holds(in("room"), "old"));
	IS_UINT(count_names(), names);
	unlink(in("room"));
}

static void no_right(void)
{
	if (geteuid() == 0) {
		SKIP("root may write everywhere");
		return;
	}
	IS_INT(write_text(in("mine"), "old"), PLAIT_OK);
	OK(chmod(folder, 0500) == 0);
	IS_INT(write_text(in("mine"), "new"), PLAIT_E_UNAVAILABLE);
	IS_INT(error.origin, EACCES);
	OK(chmod(folder, 0700) == 0);
	OK(holds(in("mine"), "old"));
	unlink(in("mine"));
}

/* A leftover of another process with the same number is not touched. */
static void leftovers(void)
{
	char name[64];

	snprintf(name, sizeof(name), "new.%ld-0", (long)getpid());
	IS_INT(write_text(in(name), "left"), PLAIT_OK);
	IS_INT(write_text(in("new"), "new"), PLAIT_OK);
	OK(holds(in("new"), "new"));
	OK(holds(in(name), "left"));
	unlink(in(name));
	unlink(in("new"));
}

static void *no_memory(void *user_data, void *pointer, uint64_t old_bytes,
		       uint64_t new_bytes)
{
	(void)user_data, (void)pointer, (void)old_bytes, (void)new_bytes;
	return NULL;
}

static void memory_runs_out(void)
{
	plait_allocator none = { .size = sizeof(none), .resize = no_memory };
	uint64_t bytes;
	void *block;

	IS_INT(plait__read_whole_file(in("one"), 100, &none, &block, &bytes,
				      &error), PLAIT_E_NOMEM);
	OK(block == NULL);
	unlink(in("one"));
	rmdir(folder);
}

static const struct tap_scenario all[] = {
	{ "written is read", written_is_read },
	{ "modes", modes },
	{ "links are followed", links_are_followed },
	{ "no regular file", no_regular_file },
	{ "not there", not_there },
	{ "limits", limits },
	{ "no room", no_room },
	{ "no right", no_right },
	{ "leftovers", leftovers },
	{ "memory runs out", memory_runs_out },
};

int main(int argc, char **argv)
{
	if (mkdtemp(folder) == NULL)
		SKIP_ALL("no folder for files: %s", strerror(errno));
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
