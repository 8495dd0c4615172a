/* SPDX-License-Identifier: MIT */
/*
 * Looking at files before they are trusted: what they are, whose, and what
 * is in them.  Nothing here writes.
 */
#ifndef PLAIT_SRC_SYS_FILE_H
#define PLAIT_SRC_SYS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plait__file_kind {
	PLAIT__FILE_REGULAR,
	PLAIT__FILE_DIRECTORY,
	PLAIT__FILE_OTHER /* device, pipe, socket */
};

struct plait__file_info {
	enum plait__file_kind kind;
	uint32_t owner;
	uint32_t mode; /* permission bits */
	uint64_t bytes;
	uint64_t modified_ns; /* since 1970 */
};

/* What is there, behind symbolic links.  0 or a negative errno. */
int plait__file_query(const char *path, struct plait__file_info *out);

/*
 * Exactly `bytes` from `offset` of a regular file.  0, -ENODATA when the file
 * ends before, or a negative errno.  Never blocks on a pipe.
 */
int plait__file_read(const char *path, uint64_t offset, void *out,
		     size_t bytes);

/* The path without links, dots and doubled slashes.  0 or a negative errno. */
int plait__file_resolve(const char *path, char *out, size_t out_bytes);

/* One name in a folder, "." and ".." left out; false ends the listing. */
typedef bool (*plait__file_visit)(void *user_data, const char *name);

/* In the order of the file system.  0 or a negative errno. */
int plait__file_list(const char *folder, plait__file_visit visit,
		     void *user_data);

/* The user on whose behalf files are opened. */
uint32_t plait__file_user(void);

/* The words for a (negative or positive) errno, into `out`; returns `out`. */
const char *plait__file_reason(int error, char *out, size_t out_bytes);

#endif
