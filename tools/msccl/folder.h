/* SPDX-License-Identifier: MIT */
/*
 * Proved schedules of a folder, and the one that fits a call.  Every rank
 * chooses the same one from equal folders: files are sorted by name, and the
 * choice depends on the call alone.
 */
#ifndef PLAIT_TOOLS_MSCCL_FOLDER_H
#define PLAIT_TOOLS_MSCCL_FOLDER_H

#include "executor.h"

#include <plait/plait.h>

/* One file. */
typedef struct folder_file {
	char *path;
	plait_schedule_info info;
	uint64_t safe_bytes;
	int *handles;	/* by rank; -1: not loaded */
} folder_file;

typedef struct folder {
	folder_file *files;
	size_t count;
} folder;

/* Read and prove each file of `path` that ends with ".xml"; a file that is not
 * proved for the executor is left out, with its reason on standard error, and so
 * are ".sched" files in binary form.
 * Return false, with a message, if the folder cannot be read. */
bool folder_read(const char *path, folder *out);

void folder_free(folder *all);

/* Return the file that is meant for the call, of several the one with the
 * narrowest range of sizes; null: none. */
folder_file *folder_find(const folder *all, const executor_call *call);

#endif
