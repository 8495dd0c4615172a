/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: streams and events.  A few threads take, at
 * random, from the streams with a runnable first command; with one thread, one
 * seed is one order.  An event stands for the command that it was recorded
 * behind at the time of the call: a wait for an event that was never recorded
 * waits for nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

enum { MAX_WORKERS = 16 };

static CUstream streams; /* of all contexts */
static pthread_t workers[MAX_WORKERS];
static unsigned running_workers;
static bool stopping;
static uint64_t enqueued;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- commands ------------------------------------------------------------- */

struct op *standin_keep(struct op *op)
{
	op->references++;
	return op;
}

void standin_drop(struct op *op)
{
	if (--op->references == 0)
		free(op);
}

static bool can_run(const struct op *op)
{
	size_t i;

	for (i = 0; i < op->wait_count; i++)
		if (!op->waits[i]->done)
			return false;
	return true;
}

static void finish(CUstream stream, struct op *op)
{
	size_t i;

	for (i = 0; i < op->wait_count; i++)
		standin_drop(op->waits[i]);
	free(op->waits);
	op->wait_count = 0;
	standin_free_work(&op->work);
	op->done = true;
	op->done_ns = now_ns();
	stream->count--;
	stream->head = op->next;
	if (stream->head == NULL)
		stream->tail = &stream->head;
	standin_drop(op);
	pthread_cond_broadcast(&standin.changed);
}

static void forget_stream(CUstream stream)
{
	CUstream *at = &streams;
	size_t i;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	if (stream->last != NULL)
		standin_drop(stream->last);
	for (i = 0; i < stream->wait_count; i++)
		standin_drop(stream->waits[i]);
	free(stream->waits);
	free(stream);
}

/* --- threads -------------------------------------------------------------- */

/* A device has few connections, and streams that share one wait for each other.
 * Those of another priority have others. */
static bool is_held_up(const struct CUstream_st *stream)
{
	CUstream other;

	for (other = streams; other != NULL && standin.options.shared;
	     other = other->next)
		if (other->object.context == stream->object.context &&
		    other->priority == stream->priority &&
		    other->head != NULL &&
		    other->head->number < stream->head->number)
			return true;
	return false;
}

/* Returns a stream that has something to do, or null. */
static CUstream choose(void)
{
	CUstream stream, chosen = NULL;
	uint64_t count = 0;

	for (stream = streams; stream != NULL; stream = stream->next)
		if (!stream->busy && stream->head != NULL &&
		    can_run(stream->head) && !is_held_up(stream) &&
		    standin_random(++count) == 0)
			chosen = stream;
	return chosen;
}

/* After an error that sticks only callbacks run, host functions neither. */
static void run(CUstream stream)
{
	struct op *op = stream->head;
	CUcontext context = stream->object.context;
	CUresult code = CUDA_SUCCESS, before = context->sticky;

	stream->busy = true;
	if (!standin_mute(&op->work, before) &&
	    (op->work.kind == WORK_CALLBACK ||
	     (before == CUDA_SUCCESS && op->work.kind != WORK_NONE))) {
		op->work.context = context;
		standin_begin_copy(&op->work);
		pthread_mutex_unlock(&standin.lock);
		standin_delay_copy(&op->work);
		code = standin_perform(&op->work, before);
		pthread_mutex_lock(&standin.lock);
		standin_end_copy(&op->work);
	}
	if (context->sticky == CUDA_SUCCESS)
		context->sticky = code;
	stream->busy = false;
	finish(stream, op);
	if (stream->destroyed && stream->head == NULL)
		forget_stream(stream);
}

/* A thread that runs a loop delays no other stream's commands: where there is
 * one thread, it executes one of them.  A loop in that does the same. */
void standin_go_on_elsewhere(void)
{
	CUstream stream;

	pthread_mutex_lock(&standin.lock);
	stream = standin.options.workers == 1 ? choose() : NULL;
	if (stream != NULL)
		run(stream);
	pthread_mutex_unlock(&standin.lock);
}

static void *work(void *number)
{
	CUstream stream;

	pthread_mutex_lock(&standin.lock);
	while (!stopping) {
		stream = (uintptr_t)number < standin.options.workers ?
				 choose() : NULL;
		if (stream != NULL)
			run(stream);
		else
			pthread_cond_wait(&standin.changed, &standin.lock);
	}
	pthread_mutex_unlock(&standin.lock);
	return NULL;
}

static void start_workers(void)
{
	while (stopping)
		pthread_cond_wait(&standin.changed, &standin.lock);
	while (running_workers < standin.options.workers &&
	       running_workers < MAX_WORKERS) {
		if (pthread_create(&workers[running_workers], NULL, work,
				   (void *)(uintptr_t)running_workers) != 0)
			abort();
		running_workers++;
	}
}

void standin_stop_workers(void)
{
	unsigned i, count = running_workers;

	stopping = true;
	pthread_cond_broadcast(&standin.changed);
	pthread_mutex_unlock(&standin.lock);
	for (i = 0; i < count; i++)
		pthread_join(workers[i], NULL);
	pthread_mutex_lock(&standin.lock);
	running_workers = 0;
	stopping = false;
	pthread_cond_broadcast(&standin.changed);
}

/* --- enqueuing ------------------------------------------------------------ */

static void add_wait(struct op ***waits, size_t *count, struct op *op)
{
	if (op == NULL || op->done)
		return;
	*waits = realloc(*waits, (*count + 1) * sizeof(struct op *));
	if (*waits == NULL)
		abort();
	(*waits)[(*count)++] = standin_keep(op);
}

void standin_wait_later(CUstream stream, struct op *op)
{
	add_wait(&stream->waits, &stream->wait_count, op);
}

static bool is_legacy(CUstream stream)
{
	return stream == stream->object.context->legacy;
}

/* The stream without a name and those that block wait for each other. */
static void add_legacy_waits(CUstream stream, struct op *op)
{
	CUcontext context = stream->object.context;
	CUstream other;

	if (!is_legacy(stream)) {
		if (!(stream->flags & CU_STREAM_NON_BLOCKING))
			add_wait(&op->waits, &op->wait_count,
				 context->legacy->last);
		return;
	}
	for (other = streams; other != NULL; other = other->next)
		if (other->object.context == context && other != stream &&
		    !(other->flags & CU_STREAM_NON_BLOCKING))
			add_wait(&op->waits, &op->wait_count, other->last);
}

struct op *standin_enqueue(CUstream stream, const struct work *work)
{
	struct op *op = standin_new(sizeof(*op));

	start_workers();
	while (standin.options.depth != 0 &&
	       stream->count >= standin.options.depth)
		pthread_cond_wait(&standin.changed, &standin.lock);
	stream->count++;
	op->references = 2; /* the queue's and that of `last` */
	op->number = ++enqueued;
	op->work = *work;
	op->waits = stream->waits;
	op->wait_count = stream->wait_count;
	stream->waits = NULL;
	stream->wait_count = 0;
	add_legacy_waits(stream, op);
	*stream->tail = op;
	stream->tail = &op->next;
	if (stream->last != NULL)
		standin_drop(stream->last);
	stream->last = op;
	pthread_cond_broadcast(&standin.changed);
	return op;
}

void standin_await(struct op *op)
{
	standin_keep(op);
	while (!op->done)
		pthread_cond_wait(&standin.changed, &standin.lock);
	standin_drop(op);
}

static CUstream busy_stream(CUcontext context)
{
	CUstream stream;

	for (stream = streams; stream != NULL; stream = stream->next)
		if (stream->object.context == context && stream->head != NULL)
			return stream;
	return NULL;
}

void standin_idle(CUcontext context)
{
	while (busy_stream(context) != NULL)
		pthread_cond_wait(&standin.changed, &standin.lock);
}

/* --- streams -------------------------------------------------------------- */

CUstream standin_stream(CUstream handle)
{
	CUcontext context = standin_current();
	CUstream stream;

	/* Null and CU_STREAM_LEGACY. */
	if (handle == NULL || (uintptr_t)handle == 1)
		return context->legacy;
	stream = standin_find(handle, STANDIN_STREAM);
	return stream != NULL && stream->object.context == context ? stream :
								     NULL;
}

CUstream standin_new_stream(CUcontext context, unsigned flags, int priority)
{
	CUstream stream = standin_new(sizeof(*stream));

	stream->object.context = context;
	stream->tail = &stream->head;
	stream->flags = flags;
	stream->priority = priority;
	stream->next = streams;
	streams = stream;
	return stream;
}

void standin_end_stream(CUstream stream)
{
	if (!is_legacy(stream))
		standin_remove(&stream->object);
	stream->destroyed = true;
	if (stream->head == NULL)
		forget_stream(stream);
}

CUresult standin_cuStreamCreateWithPriority(CUstream *out, unsigned int flags,
					    int priority)
{
	CUcontext context = standin_current();

	if (out == NULL || flags > CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	if (priority > 0)
		priority = 0;
	*out = standin_new_stream(context, flags,
				  priority < -5 ? -5 : priority);
	standin_add(&(*out)->object, STANDIN_STREAM, context);
	return CUDA_SUCCESS;
}

CUresult standin_cuStreamDestroy(CUstream stream)
{
	if (standin_find(stream, STANDIN_STREAM) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_end_stream(stream);
	return CUDA_SUCCESS;
}

CUresult standin_cuStreamQuery(CUstream handle)
{
	CUstream stream = standin_stream(handle);

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	return stream->head == NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult standin_cuStreamSynchronize(CUstream handle)
{
	CUcontext context = standin_current();
	CUstream stream = standin_stream(handle);

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->last != NULL)
		standin_await(stream->last);
	return context->sticky;
}

CUresult standin_cuStreamGetCtx(CUstream handle, CUcontext *context)
{
	/* Null, and the names 1 and 2 of default streams. */
	CUstream stream = (uintptr_t)handle <= 2 ? standin_stream(NULL) :
			  standin_find(handle, STANDIN_STREAM);

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	*context = stream->object.context;
	return CUDA_SUCCESS;
}

CUresult standin_cuStreamGetPriority(CUstream handle, int *priority)
{
	CUstream stream = standin_stream(handle);

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	*priority = stream->priority;
	return CUDA_SUCCESS;
}

CUresult standin_cuStreamAddCallback(CUstream handle,
				     CUstreamCallback function,
				     void *user_data, unsigned int flags)
{
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = WORK_CALLBACK, .callback = function,
			     .stream = handle, .user_data = user_data };

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (function == NULL || flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	standin_enqueue(stream, &work);
	return CUDA_SUCCESS;
}

CUresult standin_cuLaunchHostFunc(CUstream handle, CUhostFn function,
				  void *user_data)
{
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = WORK_HOST, .host = function,
			     .user_data = user_data };

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (function == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	standin_enqueue(stream, &work);
	return CUDA_SUCCESS;
}

/* Words of memory: streams write them; they do not wait for them here. */
CUresult standin_cuStreamWaitValue32(CUstream stream, CUdeviceptr address,
				     uint32_t value, unsigned int flags)
{
	(void)stream, (void)address, (void)value, (void)flags;
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult standin_cuStreamWriteValue32(CUstream stream, CUdeviceptr address,
				      uint32_t value, unsigned int flags)
{
	struct work work = { .kind = WORK_WRITE,
			     .target = (char *)(uintptr_t)address,
			     .value = value };

	if (!standin.options.writes)
		return CUDA_ERROR_NOT_SUPPORTED;
	stream = standin_stream(stream);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags != 0 || address % sizeof(value) != 0 ||
	    standin_memory_kind(work.target, sizeof(value)) == STANDIN_KINDS)
		return CUDA_ERROR_INVALID_VALUE;
	standin_enqueue(stream, &work);
	return CUDA_SUCCESS;
}

static const struct work nothing;

/* --- events --------------------------------------------------------------- */

CUresult standin_cuEventCreate(CUevent *out, unsigned int flags)
{
	CUevent event;

	if (out == NULL || flags > 3)
		return CUDA_ERROR_INVALID_VALUE;
	event = standin_new(sizeof(*event));
	event->flags = flags;
	standin_add(&event->object, STANDIN_EVENT, standin_current());
	*out = event;
	return CUDA_SUCCESS;
}

void standin_end_event(CUevent event)
{
	if (event->op != NULL)
		standin_drop(event->op);
	standin_remove(&event->object);
	free(event);
}

CUresult standin_cuEventDestroy(CUevent event)
{
	if (standin_find(event, STANDIN_EVENT) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_end_event(event);
	return CUDA_SUCCESS;
}

CUresult standin_cuEventRecord(CUevent event, CUstream handle)
{
	CUstream stream = standin_stream(handle);

	if (stream == NULL || standin_find(event, STANDIN_EVENT) == NULL ||
	    event->object.context != stream->object.context)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->op != NULL)
		standin_drop(event->op);
	event->op = standin_keep(standin_enqueue(stream, &nothing));
	return CUDA_SUCCESS;
}

CUresult standin_cuStreamWaitEvent(CUstream handle, CUevent event,
				   unsigned int flags)
{
	CUstream stream = standin_stream(handle);

	if (stream == NULL || standin_find(event, STANDIN_EVENT) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (event->op == NULL)
		return CUDA_SUCCESS;
	standin_wait_later(stream, event->op);
	standin_enqueue(stream, &nothing);
	return CUDA_SUCCESS;
}

CUresult standin_cuEventQuery(CUevent event)
{
	if (standin_find(event, STANDIN_EVENT) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	return event->op == NULL || event->op->done ? CUDA_SUCCESS :
						      CUDA_ERROR_NOT_READY;
}

CUresult standin_cuEventSynchronize(CUevent event)
{
	CUcontext context = standin_current();

	if (standin_find(event, STANDIN_EVENT) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->op != NULL)
		standin_await(event->op);
	return context->sticky;
}

CUresult standin_cuEventElapsedTime(float *milliseconds, CUevent start,
				    CUevent end)
{
	if (standin_find(start, STANDIN_EVENT) == NULL ||
	    standin_find(end, STANDIN_EVENT) == NULL ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING ||
	    start->op == NULL || end->op == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!start->op->done || !end->op->done)
		return CUDA_ERROR_NOT_READY;
	*milliseconds = (float)((double)end->op->done_ns -
				(double)start->op->done_ns) / 1e6f;
	return CUDA_SUCCESS;
}
