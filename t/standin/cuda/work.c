/* SPDX-License-Identifier: MIT */
/* A stand-in for libcuda.so.1: execution of a command or a node, on a thread of
 * the stand-in and without its lock. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

/* --- kernels -------------------------------------------------------------- */

/* Failures that tests ask for, counted over all kernels. */
static CUresult injected(void)
{
	CUresult code = CUDA_SUCCESS;

	pthread_mutex_lock(&standin.lock);
	if (standin.faults_until != 0 && --standin.faults_until == 0)
		code = standin.fault;
	pthread_mutex_unlock(&standin.lock);
	return code;
}

unsigned long long standin_timer(void)
{
	const struct standin_options *options = &standin.options;
	struct timespec now;
	unsigned long long stands;

	if (!options->timer_steps) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		return (unsigned long long)now.tv_sec * 1000000000u +
		       (unsigned long long)now.tv_nsec;
	}
	pthread_mutex_lock(&standin.lock);
	stands = standin.timer += options->timer_step;
	pthread_mutex_unlock(&standin.lock);
	return stands;
}

static CUresult run_kernel(struct work *work)
{
	struct standin_launch launch = work->launch;
	CUresult code = injected();

	if (code != CUDA_SUCCESS)
		return code;
	if (launch.kernel->ptx != NULL)
		return standin_interpret(work);
	launch.driver = work;
	launch.set_condition = standin_set_condition;
	launch.timer = standin_timer;
	launch.texture = standin_texture;
	launch.store = standin_store;
	launch.backwards = standin.options.seed & 1;
	return (CUresult)standin_run_grid(&launch);
}

/* --- the others ----------------------------------------------------------- */

/* Kernels of another stream may look at words meanwhile. */
static void fill_word(char *target, unsigned value)
{
	__atomic_store_n((unsigned *)(void *)target, value, __ATOMIC_RELAXED);
}

static void fill_row(char *target, const struct work *work)
{
	bool words = work->element == sizeof(unsigned) &&
		     (uintptr_t)target % sizeof(unsigned) == 0;
	size_t i;

	for (i = 0; i < work->bytes; i += work->element)
		if (words)
			fill_word(target + i, (unsigned)work->value);
		else
			memcpy(target + i, &work->value, work->element);
}

static void run_fill(const struct work *work)
{
	size_t row;

	for (row = 0; row < work->height; row++)
		fill_row(work->target + row * work->pitch, work);
}

/* Most copies are one line, which has no height. */
static void run_copy(const struct work *work)
{
	size_t i, k;

	if (work->height <= 1 && work->depth <= 1)
		memmove(work->target, work->source, work->bytes);
	else
		for (i = 0; i < work->depth; i++)
			for (k = 0; k < work->height; k++)
				memmove(work->target + i * work->slice +
						k * work->pitch,
					work->source + i * work->source_slice +
						k * work->source_pitch,
					work->bytes);
}

static void run_host(const struct work *work)
{
	standin_begin_callback();
	work->host(work->user_data);
	standin_end_callback();
}

static void run_callback(const struct work *work, CUresult before)
{
	standin_begin_callback();
	work->callback(work->stream, before, work->user_data);
	standin_end_callback();
}

static CUresult perform(struct work *work, CUresult before)
{
	switch (work->kind) {
	case WORK_NONE:
		break;
	case WORK_KERNEL:
		return run_kernel(work);
	case WORK_COPY:
		run_copy(work);
		break;
	case WORK_FILL:
		run_fill(work);
		break;
	case WORK_HOST:
		run_host(work);
		break;
	case WORK_CALLBACK:
		run_callback(work, before);
		break;
	case WORK_WRITE:
		/* All earlier writes of the stream are seen before it. */
		__atomic_store_n((unsigned *)(void *)work->target, work->value,
				 __ATOMIC_RELEASE);
		break;
	case WORK_GRAPH:
		return standin_run_program(work->program);
	}
	return CUDA_SUCCESS;
}

/* Host functions and callbacks run on the host. */
static bool is_on_device(const struct work *work)
{
	return work->kind != WORK_NONE && work->kind != WORK_HOST &&
	       work->kind != WORK_CALLBACK;
}

CUresult standin_perform(struct work *work, CUresult before)
{
	bool on_device = is_on_device(work);
	CUresult code;

	if (on_device)
		standin_arena_open();
	code = perform(work, before);
	if (on_device)
		standin_arena_close();
	return code;
}

/* --- owning --------------------------------------------------------------- */

static void drop_module(CUmodule module)
{
	if (--module->references == 0)
		standin_end_module(module);
}

void standin_free_work(struct work *work)
{
	if (work->kind == WORK_KERNEL) {
		free(work->launch.arguments);
		drop_module(work->function->module);
	}
	if (work->program != NULL)
		standin_drop_program(work->program);
	free(work->staged);
	work->staged = NULL;
	work->program = NULL;
	work->kind = WORK_NONE;
}

/* A single block: the pointers, then each value, each at a multiple of 16. */
static void **copy_arguments(const struct standin_kernel *kernel,
			     void **arguments)
{
	size_t bytes = kernel->count * sizeof(void *) + 16, i;
	void **copy;
	char *at;

	for (i = 0; i < kernel->count; i++)
		bytes += (kernel->sizes[i] + 15) / 16 * 16;
	copy = standin_new(bytes);
	at = (char *)copy + (kernel->count * sizeof(void *) + 15) / 16 * 16;
	for (i = 0; i < kernel->count; i++) {
		copy[i] = memcpy(at, arguments[i], kernel->sizes[i]);
		at += (kernel->sizes[i] + 15) / 16 * 16;
	}
	return copy;
}

void standin_copy_work(struct work *to, const struct work *from)
{
	*to = *from;
	if (from->kind != WORK_KERNEL)
		return;
	to->launch.arguments = copy_arguments(from->launch.kernel,
					      from->launch.arguments);
	to->function->module->references++;
}

static bool is_sensible(CUfunction function, const unsigned grid[3],
			const unsigned block[3], unsigned shared_bytes)
{
	const struct standin_kernel *kernel = function->kernel;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	unsigned most = kernel->most_threads != 0 ? kernel->most_threads :
						    1024;

	return grid[0] != 0 && grid[1] != 0 && grid[2] != 0 &&
	       grid[0] <= 2147483647u && grid[1] <= 65535 &&
	       grid[2] <= 65535 && threads != 0 && threads <= most &&
	       block[0] <= 1024 && block[1] <= 1024 && block[2] <= 64 &&
	       shared_bytes <= (unsigned)function->dynamic_bytes;
}

static bool has_arguments(const struct standin_kernel *kernel,
			  void **arguments)
{
	unsigned i;

	if (kernel->count != 0 && arguments == NULL)
		return false;
	for (i = 0; i < kernel->count; i++)
		if (arguments[i] == NULL)
			return false;
	return true;
}

CUresult standin_fill_launch(struct work *work, CUfunction function,
			     const unsigned grid[3], const unsigned block[3],
			     unsigned shared_bytes, void **arguments)
{
	const struct standin_kernel *kernel = function->kernel;

	if (!is_sensible(function, grid, block, shared_bytes) ||
	    !has_arguments(kernel, arguments))
		return CUDA_ERROR_INVALID_VALUE;
	work->kind = WORK_KERNEL;
	work->context = function->module->object.context;
	work->function = function;
	work->launch.kernel = kernel;
	memcpy(work->launch.grid, grid, sizeof(work->launch.grid));
	memcpy(work->launch.block, block, sizeof(work->launch.block));
	work->launch.shared_bytes = shared_bytes;
	work->launch.arguments = copy_arguments(kernel, arguments);
	function->module->references++;
	return CUDA_SUCCESS;
}
