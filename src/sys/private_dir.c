/* SPDX-License-Identifier: MIT */
/* Private folders; see private_dir.h. */
#include "sys/private_dir.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int plait__private_dir_create_temporary(const char *parent, char *out, size_t out_bytes)
{
	int length = snprintf(out, out_bytes, "%s/plait-XXXXXX", parent);

	if (length < 0 || (size_t)length >= out_bytes)
		return -ENAMETOOLONG;
	return mkdtemp(out) != NULL ? 0 : -errno;
}

bool plait__private_dir_is_own_file(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

void plait__private_dir_unlink(const char *path)
{
	(void)unlink(path);
}

void plait__private_dir_unlink_foreign(const char *path)
{
	if (!plait__private_dir_is_own_file(path))
		(void)unlink(path);
}

void plait__private_dir_remove(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (stream == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(stream)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(fd, entry->d_name, 0);
	(void)closedir(stream);
	(void)rmdir(path);
}

/* ---- a bound for what is in one ---- */

void plait__private_dir_touch(const char *path)
{
	(void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

enum { BATCH = 32 };

struct aged {
	struct timespec changed;
	uint64_t bytes;
	char name[NAME_MAX + 1];
};

/* What one look at a folder finds: all bytes, and the oldest files. */
struct look {
	uint64_t bytes;
	unsigned count;
	struct aged oldest[BATCH];
};

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec :
					a->tv_nsec < b->tv_nsec;
}

/* The oldest first; the youngest falls out when there is no room. */
static void put_aged(struct look *look, const char *name,
		     const struct stat *info)
{
	unsigned at = look->count < BATCH ? look->count++ : BATCH;

	while (at > 0 && is_before(&info->st_mtim,
				   &look->oldest[at - 1].changed)) {
		if (at < BATCH)
			look->oldest[at] = look->oldest[at - 1];
		at--;
	}
	if (at == BATCH)
		return;
	look->oldest[at].changed = info->st_mtim;
	look->oldest[at].bytes = (uint64_t)info->st_size;
	(void)snprintf(look->oldest[at].name, sizeof(look->oldest[at].name),
		       "%s", name);
}

static void look_around(DIR *stream, bool (*is_meant)(const char *name),
			const char *keep, struct look *look)
{
	struct dirent *entry;
	struct stat info;

	look->bytes = 0;
	look->count = 0;
	rewinddir(stream);
	while ((entry = readdir(stream)) != NULL) {
		if (!is_meant(entry->d_name) ||
		    fstatat(dirfd(stream), entry->d_name, &info,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(info.st_mode))
			continue;
		look->bytes += (uint64_t)info.st_size;
		if (strcmp(entry->d_name, keep) != 0)
			put_aged(look, entry->d_name, &info);
	}
}

/* How many went. */
static unsigned remove_oldest(DIR *stream, struct look *look,
			      uint64_t most_bytes)
{
	unsigned removed = 0;

	for (unsigned i = 0; i < look->count && look->bytes > most_bytes; i++) {
		look->bytes -= look->oldest[i].bytes;
		removed += unlinkat(dirfd(stream), look->oldest[i].name, 0) ==
			   0;
	}
	return removed;
}

uint64_t plait__private_dir_evict(const char *path, bool (*is_meant)(const char *name),
				  const char *keep, uint64_t most_bytes)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct look look;
	uint64_t removed = 0;
	unsigned now;

	if (stream == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	do {
		look_around(stream, is_meant, keep, &look);
		now = remove_oldest(stream, &look, most_bytes);
		removed += now;
	} while (look.bytes > most_bytes && now > 0);
	(void)closedir(stream);
	return removed;
}

/* ---- folders to trust ---- */

static plait_status refuse(const char *path, int number, plait_error *error)
{
	char reason[96];

	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, number,
				  "folder %.120s: %s", path,
				  strerror_r(number, reason, sizeof(reason)));
}

/* Each missing folder of the path, the last one included. */
static plait_status make_all(const char *path, plait_error *error)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (path[0] != '/')
		return plait__fail(error, PLAIT_E_INVALID,
				   "folder %.120s: not an absolute path", path);
	if (length >= sizeof(part))
		return refuse(path, ENAMETOOLONG, error);
	memcpy(part, path, length + 1);
	for (size_t i = 1; i <= length; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST &&
		    errno != EISDIR)
			return refuse(part, errno, error);
		part[i] = path[i];
	}
	return PLAIT_OK;
}

static plait_status check_own(const char *path, plait_error *error)
{
	struct stat info;

	if (lstat(path, &info) != 0)
		return refuse(path, errno, error);
	if (!S_ISDIR(info.st_mode))
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "folder %.120s: %s", path,
				   S_ISLNK(info.st_mode) ?
					   "is a symbolic link" :
					   "is no folder");
	if (info.st_uid != geteuid())
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "folder %.120s: belongs to user %u, not to "
				   "user %u", path, (unsigned)info.st_uid,
				   (unsigned)geteuid());
	if ((info.st_mode & 022) != 0)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "folder %.120s: others may write to it "
				   "(mode %04o)", path,
				   (unsigned)info.st_mode & 07777);
	return PLAIT_OK;
}

/*
 * Above the folder: whoever may rename things there could replace it.  That
 * is its owner, who has to be this user or the one who owns "/" (root, also
 * where a namespace does not map it), and who may write to it, unless it has
 * the sticky bit, as /tmp.
 */
static plait_status check_above(const char *path, plait_error *error)
{
	struct stat info, root;

	if (stat(path, &info) != 0 || stat("/", &root) != 0)
		return refuse(path, errno, error);
	if (info.st_uid != geteuid() && info.st_uid != 0 &&
	    info.st_uid != root.st_uid)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "folder %.120s: belongs to user %u, who may "
				   "replace what is in it", path,
				   (unsigned)info.st_uid);
	if ((info.st_mode & 022) != 0 && (info.st_mode & S_ISVTX) == 0)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "folder %.120s: others may replace what is "
				   "in it (mode %04o)", path,
				   (unsigned)info.st_mode & 07777);
	return PLAIT_OK;
}

plait_status plait__private_dir_secure(const char *path, plait_error *error)
{
	char real[PATH_MAX];
	plait_status status = make_all(path, error);
	char *slash;

	if (status == PLAIT_OK)
		status = check_own(path, error);
	if (status != PLAIT_OK)
		return status;
	if (realpath(path, real) == NULL)
		return refuse(path, errno, error);
	while ((slash = strrchr(real, '/')) != NULL && slash != real) {
		*slash = '\0';
		status = check_above(real, error);
		if (status != PLAIT_OK)
			return status;
	}
	return PLAIT_OK;
}
