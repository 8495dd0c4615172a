/* SPDX-License-Identifier: MIT */
/* Private folders; see private_dir.h. */
#include "sys/private_dir.h"

#include "sys/trusted_folder.h"
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

/* ---- eviction ---- */

void plait__private_dir_touch(const char *path)
{
	(void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

enum { SCAN_FILES = 32 };

struct dated_file {
	struct timespec changed;
	uint64_t bytes;
	char name[NAME_MAX + 1];
};

/* The result of one scan of a folder: total size and oldest files. */
struct scan {
	uint64_t bytes;
	unsigned count;
	struct dated_file oldest[SCAN_FILES];
};

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec :
					a->tv_nsec < b->tv_nsec;
}

/* Insert a file by age; a full list drops its youngest. */
static void add_oldest(struct scan *scan, const char *name,
		     const struct stat *info)
{
	unsigned at = scan->count < SCAN_FILES ? scan->count++ : SCAN_FILES;

	while (at > 0 && is_before(&info->st_mtim,
				   &scan->oldest[at - 1].changed)) {
		if (at < SCAN_FILES)
			scan->oldest[at] = scan->oldest[at - 1];
		at--;
	}
	if (at == SCAN_FILES)
		return;
	scan->oldest[at].changed = info->st_mtim;
	scan->oldest[at].bytes = (uint64_t)info->st_size;
	(void)snprintf(scan->oldest[at].name, sizeof(scan->oldest[at].name),
		       "%s", name);
}

static void scan_files(DIR *stream, bool (*filter)(const char *name),
			const char *keep, struct scan *scan)
{
	struct dirent *entry;
	struct stat info;

	scan->bytes = 0;
	scan->count = 0;
	rewinddir(stream);
	while ((entry = readdir(stream)) != NULL) {
		if (!filter(entry->d_name) ||
		    fstatat(dirfd(stream), entry->d_name, &info,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(info.st_mode))
			continue;
		scan->bytes += (uint64_t)info.st_size;
		if (strcmp(entry->d_name, keep) != 0)
			add_oldest(scan, entry->d_name, &info);
	}
}

/* Returns the number of removed files. */
static unsigned remove_oldest(DIR *stream, struct scan *scan,
			      uint64_t max_bytes)
{
	unsigned removed = 0;

	for (unsigned i = 0; i < scan->count && scan->bytes > max_bytes; i++) {
		scan->bytes -= scan->oldest[i].bytes;
		removed += unlinkat(dirfd(stream), scan->oldest[i].name, 0) ==
			   0;
	}
	return removed;
}

uint64_t plait__private_dir_evict(const char *path,
				  bool (*filter)(const char *name),
				  const char *keep, uint64_t max_bytes)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct scan scan;
	uint64_t removed = 0;
	unsigned now;

	if (stream == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	do {
		scan_files(stream, filter, keep, &scan);
		now = remove_oldest(stream, &scan, max_bytes);
		removed += now;
	} while (scan.bytes > max_bytes && now > 0);
	(void)closedir(stream);
	return removed;
}

/* ---- ownership and permissions ---- */

static plait_status fail_errno(const char *path, int number, plait_error *error)
{
	char reason[96];

	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, number,
				  "folder %.120s: %s", path,
				  strerror_r(number, reason, sizeof(reason)));
}

/* Create each missing folder of the path, including the last one. */
static plait_status create_missing(const char *path, plait_error *error)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (path[0] != '/')
		return plait__fail(error, PLAIT_E_INVALID,
				   "folder %.120s: not an absolute path", path);
	if (length >= sizeof(part))
		return fail_errno(path, ENAMETOOLONG, error);
	memcpy(part, path, length + 1);
	for (size_t i = 1; i <= length; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST &&
		    errno != EISDIR)
			return fail_errno(part, errno, error);
		part[i] = path[i];
	}
	return PLAIT_OK;
}

/* Check the folder itself, which is open. */
static plait_status check_owner(const char *path, int fd, plait_error *error)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return fail_errno(path, errno, error);
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

/* Say what the path is, unless it is a folder. */
static plait_status check_kind(const char *path, plait_error *error)
{
	struct stat info;

	if (lstat(path, &info) != 0)
		return fail_errno(path, errno, error);
	if (S_ISDIR(info.st_mode))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNAVAILABLE, "folder %.120s: %s",
			   path, S_ISLNK(info.st_mode) ?
			   "is a symbolic link" : "is not a folder");
}

/* The last part of the path is no link, so the resolved one ends with it, below
 * the folder that is walked to. */
plait_status plait__private_dir_secure(const char *path, char *out,
				       size_t out_bytes, plait_error *error)
{
	plait_status status = create_missing(path, error);
	int fd;

	if (status == PLAIT_OK)
		status = check_kind(path, error);
	if (status != PLAIT_OK)
		return status;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return fail_errno(path, errno, error);
	status = check_owner(path, fd, error);
	(void)close(fd);
	if (status != PLAIT_OK)
		return status;
	fd = plait__trusted_folder_open(path, out, out_bytes, error);
	if (fd < 0)
		return PLAIT_E_UNAVAILABLE;
	/* The folder at the end of the walk counts. */
	status = check_owner(path, fd, error);
	(void)close(fd);
	return status;
}

plait_status plait__private_dir_create_temporary(const char *parent, char *out,
						 size_t out_bytes,
						 plait_error *error)
{
	static const char name[] = "/plait-XXXXXX";
	int fd = plait__trusted_folder_open(parent, out,
					    out_bytes - sizeof(name), error);

	out[fd < 0 ? 0 : strlen(out)] = '\0';
	if (fd < 0)
		return PLAIT_E_UNAVAILABLE;
	(void)close(fd);
	memcpy(out + strlen(out), name, sizeof(name));
	if (mkdtemp(out) != NULL)
		return PLAIT_OK;
	out[0] = '\0';
	return fail_errno(parent, errno, error);
}
