/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: the driver's own lock, as drivers are reported
 * to hold it, in callbacks and while memory is freed; calls that wait for the
 * context although they return nothing of it; callbacks that never come
 * after an error; and the hooks of a recorder of locks.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

static const struct standin_recorder *recorder;
static unsigned running_callbacks, waiting_frees;

/* Callbacks that an error has muted. */
struct muted {
	struct muted *next;
	CUstreamCallback callback;
	CUstream stream;
	CUresult code;
	void *user_data;
};

static struct muted *all_muted;

void standin_find_recorder(void)
{
	recorder = dlsym(RTLD_DEFAULT, "standin_recorder_hooks");
}

void standin_tell_call(const char *name)
{
	if (recorder != NULL && !standin_in_host_function)
		recorder->call(name);
}

static bool is_locked(void)
{
	return (standin.options.locked_callbacks && running_callbacks != 0) ||
	       (standin.options.locked_frees && waiting_frees != 0);
}

void standin_lock_driver(void)
{
	while (!standin_in_host_function && is_locked())
		pthread_cond_wait(&standin.changed, &standin.lock);
}

void standin_idle_locked(CUcontext context)
{
	waiting_frees++;
	standin_idle(context);
	waiting_frees--;
	pthread_cond_broadcast(&standin.changed);
}

bool standin_wait_in_call(const char *name)
{
	static const char *const names[] = {
		"cuMemAlloc", "cuMemHostAlloc", "cuMemHostRegister",
		"cuModuleLoadDataEx", "cuArray3DCreate",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (standin.options.waits && strcmp(names[i], name) == 0) {
			standin_idle_locked(standin_current());
			return true;
		}
	return false;
}

void standin_begin_callback(void)
{
	pthread_mutex_lock(&standin.lock);
	running_callbacks++;
	pthread_mutex_unlock(&standin.lock);
	standin_in_host_function = true;
	if (recorder != NULL)
		recorder->begin_callback();
}

void standin_end_callback(void)
{
	if (recorder != NULL)
		recorder->end_callback();
	standin_in_host_function = false;
	pthread_mutex_lock(&standin.lock);
	running_callbacks--;
	pthread_cond_broadcast(&standin.changed);
	pthread_mutex_unlock(&standin.lock);
}

/* --- callbacks that do not come ------------------------------------------- */

bool standin_mute(const struct work *work, CUresult before)
{
	struct muted *one;

	if (work->kind != WORK_CALLBACK || before == CUDA_SUCCESS ||
	    !standin.options.mute)
		return false;
	one = standin_new(sizeof(*one));
	*one = (struct muted){ .next = all_muted, .callback = work->callback,
			       .stream = work->stream, .code = before,
			       .user_data = work->user_data };
	all_muted = one;
	return true;
}

uint64_t standin_speak(void)
{
	struct muted *all, *one;
	uint64_t count = 0;

	pthread_mutex_lock(&standin.lock);
	all = all_muted;
	all_muted = NULL;
	pthread_mutex_unlock(&standin.lock);
	while ((one = all) != NULL) {
		all = one->next;
		standin_begin_callback();
		one->callback(one->stream, one->code, one->user_data);
		standin_end_callback();
		free(one);
		count++;
	}
	return count;
}
