/* SPDX-License-Identifier: MIT */
/*
 * Scheduler of collectives for executors of MSCCL schedules: chooses among the
 * proved schedules of the folder MSCCL_ALGO_DIR.  A call without one is left to
 * the executor's own algorithms.  All calls are serialized by one lock.
 */
#include "executor.h"
#include "folder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Guarded by lock. */
static struct {
	pthread_mutex_t lock;
	bool is_read;
	folder all;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Find a function of the executor, which may have been loaded with symbols of
 * its own only, as languages do. */
static void *find_function(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);
	void *library;

	if (function != NULL)
		return function;
	library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
	if (library == NULL)
		return NULL;
	function = dlsym(library, name);
	dlclose(library); /* the executor's own reference stays */
	return function;
}

/* Let the executor load the rank's part of the file, once. */
static int load(folder_file *file, int rank)
{
	executor_load_function *load_file;

	if (file->handles[rank] >= 0)
		return EXECUTOR_SUCCESS;
	*(void **)&load_file = find_function("mscclLoadAlgo");
	if (load_file == NULL) {
		fprintf(stderr, "plait: the program has no executor of MSCCL "
			"schedules: mscclLoadAlgo is missing\n");
		return EXECUTOR_SYSTEM_ERROR;
	}
	return load_file(file->path, &file->handles[rank], rank);
}

static int scheduler_init(void)
{
	const char *path = getenv("MSCCL_ALGO_DIR");
	bool is_read = true;

	pthread_mutex_lock(&state.lock);
	if (!state.is_read)
		is_read = folder_read(path != NULL ? path : "msccl-algorithms",
				      &state.all);
	state.is_read = is_read;
	pthread_mutex_unlock(&state.lock);
	return is_read ? EXECUTOR_SUCCESS : EXECUTOR_SYSTEM_ERROR;
}

static int scheduler_choose(executor_call *call)
{
	folder_file *file = NULL;
	int result = EXECUTOR_SUCCESS;

	call->is_scheduled = false;
	pthread_mutex_lock(&state.lock);
	if (call->operation < EXECUTOR_MEAN)
		file = folder_find(&state.all, call);
	if (file != NULL)
		result = load(file, call->rank);
	if (file != NULL && result == EXECUTOR_SUCCESS) {
		call->handle = file->handles[call->rank];
		call->is_scheduled = true;
	}
	pthread_mutex_unlock(&state.lock);
	return result;
}

static int unload(const folder_file *file)
{
	executor_unload_function *unload_file;
	int result = EXECUTOR_SUCCESS;

	*(void **)&unload_file = find_function("mscclUnloadAlgo");
	for (uint32_t i = 0; i < file->info.ranks && unload_file != NULL; i++)
		if (file->handles[i] >= 0 &&
		    unload_file(file->handles[i]) != EXECUTOR_SUCCESS)
			result = EXECUTOR_SYSTEM_ERROR;
	return result;
}

static int scheduler_fini(void)
{
	int result = EXECUTOR_SUCCESS;

	pthread_mutex_lock(&state.lock);
	for (size_t i = 0; i < state.all.count; i++)
		if (unload(&state.all.files[i]) != EXECUTOR_SUCCESS)
			result = EXECUTOR_SYSTEM_ERROR;
	folder_free(&state.all);
	state.is_read = false;
	pthread_mutex_unlock(&state.lock);
	return result;
}

__attribute__((visibility("default")))
executor_scheduler mscclScheduler = {
	.name = "plait",
	.init = scheduler_init,
	.choose = scheduler_choose,
	.fini = scheduler_fini,
};
