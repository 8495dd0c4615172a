/* SPDX-License-Identifier: MIT */
/* Inspection of files: kinds, owners, contents, names, reasons. */
#include "lib/tap.h"

#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plait-test-XXXXXX";
static char file[64], link_to[64], pipe_at[64];

static void kinds(void)
{
	struct plait__file_info info;

	IS_INT(plait__file_query(file, &info), 0);
	IS_INT(info.kind, PLAIT__FILE_REGULAR);
	IS_UINT(info.bytes, 10);
	IS_UINT(info.mode, 0640);
	IS_UINT(info.owner, plait__file_user());
	IS_INT(plait__file_query(link_to, &info), 0);
	IS_UINT(info.bytes, 10);
	IS_INT(plait__file_query(folder, &info), 0);
	IS_INT(info.kind, PLAIT__FILE_DIRECTORY);
	IS_INT(plait__file_query(pipe_at, &info), 0);
	IS_INT(info.kind, PLAIT__FILE_OTHER);
	IS_INT(plait__file_query("/nowhere", &info), -ENOENT);
	IS_UINT(info.bytes, 0);
	IS_INT(plait__file_query("", &info), -ENOENT);
}

static void contents(void)
{
	char bytes[16] = "";

	struct plait__file_info info;
	int at = plait__file_open(AT_FDCWD, file, &info);

	OK(at >= 0);
	IS_UINT(info.bytes, 10);
	IS_INT(info.kind, PLAIT__FILE_REGULAR);
	IS_INT(plait__file_read(at, 0, bytes, 10), 0);
	IS_STR(bytes, "0123456789");
	IS_INT(plait__file_read(at, 7, bytes, 3), 0);
	OK(memcmp(bytes, "789", 3) == 0);
	IS_INT(plait__file_read(at, 7, bytes, 4), -ENODATA);
	IS_INT(plait__file_read(at, 10, bytes, 0), 0);
	IS_INT(plait__file_read(at, UINT64_MAX, bytes, 1), -ENODATA);
	plait__file_close(at);
	IS_INT(plait__file_query_open(at, &info), -EBADF);
	IS_INT(plait__file_open(AT_FDCWD, "/nowhere", &info), -ENOENT);
	IS_INT(plait__file_open(AT_FDCWD, "/proc/self/exe", &info), -ELOOP);
	/* A pipe without a writer does not block the reader. */
	at = plait__file_open(AT_FDCWD, pipe_at, &info);
	OK(at >= 0);
	IS_INT(info.kind, PLAIT__FILE_OTHER);
	OK(plait__file_read(at, 0, bytes, 1) < 0);
	plait__file_close(at);
}

static void real_paths(void)
{
	char path[256], twisted[256];

	snprintf(twisted, sizeof(twisted), "%s/../%s//.//link", folder,
		 strrchr(folder, '/') + 1);
	IS_INT(plait__file_resolve(twisted, path, sizeof(path)), 0);
	IS_STR(path, file);
	IS_INT(plait__file_resolve(twisted, path, strlen(file)),
	       -ENAMETOOLONG);
	IS_INT(plait__file_resolve("/nowhere/x", path, sizeof(path)), -ENOENT);
}

static bool count_name(void *user_data, const char *name)
{
	OK(name[0] != '.');
	return --*(int *)user_data != 0;
}

static void names(void)
{
	int left = 100;

	IS_INT(plait__file_list(folder, count_name, &left), 0);
	IS_INT(left, 97);
	left = 1;
	IS_INT(plait__file_list(folder, count_name, &left), 0);
	IS_INT(left, 0);
	IS_INT(plait__file_list(file, count_name, &left), -ENOTDIR);
	IS_INT(plait__file_list("/nowhere", count_name, &left), -ENOENT);
}

static void reasons(void)
{
	char out[64];

	IS_STR(plait__file_reason(-ENOENT, out, sizeof(out)),
	       "No such file or directory");
	IS_STR(plait__file_reason(EACCES, out, sizeof(out)),
	       "Permission denied");
	IS_STR(plait__file_reason(99999, out, sizeof(out)), "unknown error");
	IS_STR(plait__file_reason(EACCES, out, 5), "Perm");
}

static const struct tap_scenario all[] = {
	{ "kinds", kinds },	    { "contents", contents },
	{ "real_paths", real_paths }, { "names", names },
	{ "reasons", reasons },
};

static bool set_up(void)
{
	int fd;

	if (mkdtemp(folder) == NULL)
		return false;
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(link_to, sizeof(link_to), "%s/link", folder);
	snprintf(pipe_at, sizeof(pipe_at), "%s/pipe", folder);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
	return fd >= 0 && write(fd, "0123456789", 10) == 10 &&
	       close(fd) == 0 && chmod(file, 0640) == 0 &&
	       symlink("file", link_to) == 0 && mkfifo(pipe_at, 0600) == 0;
}

int main(int argc, char **argv)
{
	int code;

	if (!set_up())
		SKIP_ALL("no temporary folder");
	code = tap_main(argc, argv, all, TAP_COUNT(all));
	unlink(pipe_at);
	unlink(link_to);
	unlink(file);
	rmdir(folder);
	return code;
}
