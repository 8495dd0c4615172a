/* SPDX-License-Identifier: MIT */
/* Read-only queries of files; see file.h. */
#include "sys/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `result` is that of the system call that wrote `info`. */
static int describe(int result, const struct stat *info,
		    struct plait__file_info *out)
{
	memset(out, 0, sizeof(*out));
	if (result != 0)
		return -errno;
	out->kind = S_ISREG(info->st_mode)   ? PLAIT__FILE_REGULAR
		    : S_ISDIR(info->st_mode) ? PLAIT__FILE_DIRECTORY
					     : PLAIT__FILE_OTHER;
	out->owner = (uint32_t)info->st_uid;
	out->mode = (uint32_t)info->st_mode & 07777;
	out->bytes = (uint64_t)info->st_size;
	out->modified_ns = (uint64_t)info->st_mtim.tv_sec * 1000000000 +
			   (uint64_t)info->st_mtim.tv_nsec;
	return 0;
}

int plait__file_query(const char *path, struct plait__file_info *out)
{
	struct stat info;

	return describe(stat(path, &info), &info, out);
}

int plait__file_query_open(int file, struct plait__file_info *out)
{
	struct stat info;

	return describe(fstat(file, &info), &info, out);
}

static int read_all(int fd, uint64_t offset, char *out, size_t bytes)
{
	while (bytes > 0) {
		ssize_t done = pread(fd, out, bytes, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (done == 0)
			return -ENODATA;
		out += done;
		offset += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return 0;
}

int plait__file_open(int folder, const char *name,
		     struct plait__file_info *out)
{
	int file, result;

	do {
		file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
			      O_NOCTTY | O_NOFOLLOW);
	} while (file < 0 && errno == EINTR);
	if (file < 0)
		return -errno;
	result = plait__file_query_open(file, out);
	if (result == 0)
		return file;
	close(file);
	return result;
}

void plait__file_close(int file)
{
	(void)close(file);
}

int plait__file_read(int file, uint64_t offset, void *out, size_t bytes)
{
	if (offset > (uint64_t)INT64_MAX - bytes)
		return -ENODATA;
	return read_all(file, offset, out, bytes);
}

int plait__file_resolve(const char *path, char *out, size_t out_bytes)
{
	char resolved[PATH_MAX];
	size_t length;

	if (realpath(path, resolved) == NULL)
		return -errno;
	length = strlen(resolved);
	if (length >= out_bytes)
		return -ENAMETOOLONG;
	memcpy(out, resolved, length + 1);
	return 0;
}

int plait__file_list(const char *folder, plait__file_visit visit,
		     void *user_data)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	int result;

	if (stream == NULL)
		return -errno;
	for (;;) {
		errno = 0;
		entry = readdir(stream);
		if (entry == NULL)
			break;
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (!visit(user_data, entry->d_name))
			break;
	}
	result = entry == NULL ? -errno : 0;
	closedir(stream);
	return result;
}

uint32_t plait__file_user(void)
{
	return (uint32_t)geteuid();
}

const char *plait__file_reason(int error, char *out, size_t out_bytes)
{
	const char *words = strerrordesc_np(error < 0 ? -error : error);

	(void)snprintf(out, out_bytes, "%s",
		       words != NULL ? words : "unknown error");
	return out;
}
