/* SPDX-License-Identifier: MIT */
/* Private folders; see folder.h. */
#include "sys/folder.h"

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

int plait__folder_make(const char *parent, char *out, size_t out_bytes)
{
	int length = snprintf(out, out_bytes, "%s/plait-XXXXXX", parent);

	if (length < 0 || (size_t)length >= out_bytes)
		return -ENAMETOOLONG;
	return mkdtemp(out) != NULL ? 0 : -errno;
}

bool plait__folder_owns(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

void plait__folder_discard(const char *path)
{
	(void)unlink(path);
}

void plait__folder_discard_foreign(const char *path)
{
	if (!plait__folder_owns(path))
		(void)unlink(path);
}

void plait__folder_remove(const char *path)
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

plait_status plait__folder_secure(const char *path, plait_error *error)
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
