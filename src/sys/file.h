/* SPDX-License-Identifier: MIT */
/*
 * Read-only queries of files before they are trusted: kind, owner, mode and
 * content. Writing is in read_write_file.h and private_dir.h.
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

/* Query a file, following symbolic links. Returns 0 or a negative errno. */
int plait__file_query(const char *path, struct plait__file_info *out);

/* Open a file of a folder (AT_FDCWD: any path) for reading, not following a
 * link, and query it. Never blocks on a pipe. Returns a descriptor or a negative
 * errno. */
int plait__file_open(int folder, const char *name,
		     struct plait__file_info *out);
void plait__file_close(int file);

/* Read exactly `bytes` at `offset` of a regular file. Returns 0, -ENODATA if
 * the file is shorter, or a negative errno. */
int plait__file_read(int file, uint64_t offset, void *out, size_t bytes);

/* Query an open file or folder. Returns 0 or a negative errno. */
int plait__file_query_open(int file, struct plait__file_info *out);

/* Resolve links, dots and doubled slashes. Returns 0 or a negative errno. */
int plait__file_resolve(const char *path, char *out, size_t out_bytes);

/* Receives one name of a folder, except "." and ".."; returns false to stop. */
typedef bool (*plait__file_visit)(void *user_data, const char *name);

/* List a folder, in the order of the file system. Returns 0 or a negative
 * errno. */
int plait__file_list(const char *folder, plait__file_visit visit,
		     void *user_data);

/* Returns the effective user, on behalf of which files are opened. */
uint32_t plait__file_user(void);

/* Write the message of a (negative or positive) errno into `out`; returns
 * `out`. */
const char *plait__file_reason(int error, char *out, size_t out_bytes);

#endif
