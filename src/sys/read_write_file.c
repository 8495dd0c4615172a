/* SPDX-License-Identifier: MIT */
/* Reads and atomic replacements of whole files; see read_write_file.h. */
#include "sys/read_write_file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEMPORARIES = 1000 };

static plait_status fail_errno(const char *path, const char *what, int number,
			   plait_error *error)
{
	char reason[96];

	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, number,
				  "%.*s: %s: %s",
				  PLAIT__TEXT_FIT(path, 120), what,
				  strerror_r(number, reason, sizeof(reason)));
}

/* ---- reading ---- */

static plait_status check_file(int fd, const char *path, uint64_t max_bytes,
			       uint64_t *out_bytes, plait_error *error)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return fail_errno(path, "cannot be inspected", errno, error);
	if (!S_ISREG(info.st_mode))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.*s: not a regular file",
				   PLAIT__TEXT_FIT(path, 160));
	*out_bytes = (uint64_t)info.st_size;
	if (*out_bytes > max_bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.*s: %llu bytes; at most %llu are read",
				   PLAIT__TEXT_FIT(path, 120),
				   (unsigned long long)*out_bytes,
				   (unsigned long long)max_bytes);
	return PLAIT_OK;
}

static plait_status read_all(int fd, const char *path, char *to,
			     uint64_t bytes, plait_error *error)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t count = read(fd, to + done, bytes - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return fail_errno(path, "cannot be read", errno, error);
		if (count == 0)
			return fail_errno(path, "became shorter", EIO, error);
		done += (uint64_t)count;
	}
	return PLAIT_OK;
}

static plait_status read_open(int fd, const char *path, uint64_t max_bytes,
			      const plait_allocator *allocator, void **out,
			      uint64_t *out_bytes, plait_error *error)
{
	uint64_t bytes = 0;
	plait_status status = check_file(fd, path, max_bytes, &bytes, error);
	char *block;

	if (status != PLAIT_OK)
		return status;
	block = plait__alloc(allocator, bytes > 0 ? bytes : 1);
	if (block == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the %llu bytes of %.*s",
				   (unsigned long long)bytes,
				   PLAIT__TEXT_FIT(path, 120));
	status = read_all(fd, path, block, bytes, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, block, bytes > 0 ? bytes : 1);
		return status;
	}
	*out = block;
	*out_bytes = bytes;
	return PLAIT_OK;
}

plait_status plait__read_whole_file(const char *path, uint64_t max_bytes,
				    const plait_allocator *allocator,
				    void **out, uint64_t *out_bytes,
				    plait_error *error)
{
	/* A pipe must not block the open. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	plait_status status;

	*out = NULL;
	*out_bytes = 0;
	if (fd < 0)
		return fail_errno(path, "cannot be opened", errno, error);
	status = read_open(fd, path, max_bytes, allocator, out, out_bytes,
			   error);
	(void)close(fd);
	return status;
}

/* ---- writing ---- */

static plait_status write_all(int fd, const char *path, const char *from,
			      uint64_t count, plait_error *error)
{
	while (count > 0) {
		ssize_t done = write(fd, from, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail_errno(path, "cannot be written", errno,
					  error);
		from += done;
		count -= (uint64_t)done;
	}
	while (fsync(fd) != 0) {
		/* Files that cannot be synced have no disk. */
		if (errno == EINVAL || errno == EROFS)
			break;
		if (errno != EINTR)
			return fail_errno(path, "cannot be written", errno,
					  error);
	}
	return PLAIT_OK;
}

/*
 * Create a new file next to `path`, named PATH.PID-N; names left behind by
 * another process with the same id are skipped. The kernel applies the umask,
 * which a process cannot query without changing it for all its threads.
 */
static int create_temporary(const char *path, char *temporary,
			    size_t path_bytes)
{
	for (unsigned i = 0; i < MAX_TEMPORARIES; i++) {
		int length = snprintf(temporary, path_bytes, "%s.%ld-%u", path,
				      (long)getpid(), i);
		int fd;

		if (length < 0 || (size_t)length >= path_bytes) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0644);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Write everything that can fail before the rename; closes `fd`. */
static plait_status write_temporary(int fd, const char *path,
				    const struct stat *old, const void *bytes,
				    uint64_t count, plait_error *error)
{
	plait_status status = write_all(fd, path, bytes, count, error);

	if (status == PLAIT_OK && old != NULL &&
	    fchmod(fd, old->st_mode & 0777) != 0)
		status = fail_errno(path, "cannot get its mode", errno, error);
	if (close(fd) != 0 && errno != EINTR && status == PLAIT_OK)
		status = fail_errno(path, "cannot be written", errno, error);
	return status;
}

/* `old` describes the present file, null for none; its mode is kept. */
static plait_status replace(const char *path, const struct stat *old,
			    const void *bytes, uint64_t count,
			    plait_error *error)
{
	char temporary[PATH_MAX];
	int fd = create_temporary(path, temporary, sizeof(temporary));
	plait_status status;

	if (fd < 0)
		return fail_errno(path, "cannot be written", errno, error);
	status = write_temporary(fd, path, old, bytes, count, error);
	if (status == PLAIT_OK && rename(temporary, path) != 0)
		status = fail_errno(path, "cannot be replaced", errno, error);
	if (status != PLAIT_OK)
		(void)unlink(temporary);
	return status;
}

plait_status plait__write_file_atomically(const char *path, const void *bytes,
					  uint64_t count, plait_error *error)
{
	char resolved[PATH_MAX];
	struct stat old;

	if (stat(path, &old) != 0)
		return errno == ENOENT ?
		       replace(path, NULL, bytes, count, error) :
		       fail_errno(path, "cannot be inspected", errno, error);
	/* A device or pipe must not be replaced. */
	if (!S_ISREG(old.st_mode))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.*s: not a regular file",
				   PLAIT__TEXT_FIT(path, 160));
	if (realpath(path, resolved) == NULL)
		return fail_errno(path, "cannot be inspected", errno, error);
	return replace(resolved, &old, bytes, count, error);
}
