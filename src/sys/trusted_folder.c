/* SPDX-License-Identifier: MIT */
/* The walk to a folder that only trusted users can replace; see
 * trusted_folder.h. */
#include "sys/trusted_folder.h"

#include "sys/dl.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One walk. */
struct walk {
	const char *path;	/* resolved */
	size_t done;		/* bytes of it that were walked */
	char library[PATH_MAX];	/* libplait; "" if unknown */
	uid_t owners[3];	/* this user, the owners of "/" and libplait */
	plait_error *error;
};

static int fail_errno(const char *path, int number, plait_error *error)
{
	char reason[96];

	(void)plait__fail_origin(error, PLAIT_E_UNAVAILABLE, number,
				 "folder %.120s: %s", path,
				 strerror_r(number, reason, sizeof(reason)));
	return -1;
}

/* In a namespace that does not map root, the owner of "/" is root. */
static void find_owners(struct walk *walk)
{
	struct stat info;

	walk->owners[0] = geteuid();
	walk->owners[1] = stat("/", &info) == 0 ? info.st_uid : 0;
	walk->owners[2] = 0;
	if (plait__dl_query_path(NULL, walk->library,
				 sizeof(walk->library)) != 0)
		walk->library[0] = '\0';
	else if (stat(walk->library, &info) == 0)
		walk->owners[2] = info.st_uid;
}

/* Returns true for a folder on the way to libplait. */
static bool is_above_library(const struct walk *walk)
{
	size_t length = walk->done;

	return length == 1 ||
	       (strncmp(walk->library, walk->path, length) == 0 &&
		walk->library[length] == '/');
}

static bool is_trusted(const struct walk *walk, uid_t owner)
{
	return owner == 0 || owner == walk->owners[0] ||
	       owner == walk->owners[1] || owner == walk->owners[2];
}

/* Check the folder that the walk has reached. */
static bool check(const struct walk *walk, int fd)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return fail_errno(walk->path, errno, walk->error) == 0;
	if (is_above_library(walk))
		return true;
	if (!is_trusted(walk, info.st_uid)) {
		(void)plait__fail(walk->error, PLAIT_E_UNAVAILABLE,
				  "folder %.*s: belongs to user %u, who may "
				  "replace what is in it",
				  (int)(walk->done < 120 ? walk->done : 120),
				  walk->path, (unsigned)info.st_uid);
		return false;
	}
	if ((info.st_mode & 022) != 0 && (info.st_mode & S_ISVTX) == 0) {
		(void)plait__fail(walk->error, PLAIT_E_UNAVAILABLE,
				  "folder %.*s: others may replace what is "
				  "in it (mode %04o)",
				  (int)(walk->done < 120 ? walk->done : 120),
				  walk->path, (unsigned)info.st_mode & 07777);
		return false;
	}
	return true;
}

/* Open the next part of the path, below `fd`, which is closed. */
static int step(struct walk *walk, int fd)
{
	const char *part = walk->path + walk->done;
	char name[NAME_MAX + 1];
	size_t length;
	int next;

	part += *part == '/';
	length = strcspn(part, "/");
	if (length > NAME_MAX) {
		(void)close(fd);
		return fail_errno(walk->path, ENAMETOOLONG, walk->error);
	}
	memcpy(name, part, length);
	name[length] = '\0';
	next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		(void)fail_errno(walk->path, errno, walk->error);
	(void)close(fd);
	walk->done = (size_t)(part + length - walk->path);
	return next;
}

int plait__trusted_folder_open(const char *path, char *real, size_t real_bytes,
			       plait_error *error)
{
	struct walk walk = { .error = error, .path = real, .done = 1 };
	char resolved[PATH_MAX];
	int fd;

	if (realpath(path, resolved) == NULL)
		return fail_errno(path, errno, error);
	if (strlen(resolved) >= real_bytes)
		return fail_errno(path, ENAMETOOLONG, error);
	memcpy(real, resolved, strlen(resolved) + 1);
	find_owners(&walk);
	fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(path, errno, error);
	while (fd >= 0) {
		if (!check(&walk, fd)) {
			(void)close(fd);
			return -1;
		}
		if (real[walk.done] == '\0')
			return fd;
		fd = step(&walk, fd);
	}
	return -1;
}
