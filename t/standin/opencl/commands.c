/* SPDX-License-Identifier: MIT */
/*
 * Queues, events, and the threads that run commands.  A queue runs in order;
 * behind a command that failed nothing is run until the host has been notified
 * of it, except in the mode of a driver that goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static _Thread_local bool telling;

static bool is_over(const struct fake_event *event)
{
	return event->state <= CL_COMPLETE;
}

/* --- queues --------------------------------------------------------------- */

static void end_queue(void *object)
{
	struct fake_queue *queue = object, **link = &fake.queues;

	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	fake_release(queue->context);
}

cl_command_queue fake_clCreateCommandQueue(cl_context context,
					   cl_device_id device,
					   cl_command_queue_properties how,
					   cl_int *code)
{
	struct fake_queue *queue;

	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		!fake_is(device, FAKE_DEVICE)	? CL_INVALID_DEVICE :
		(how & ~(cl_command_queue_properties)
		 CL_QUEUE_PROFILING_ENABLE) != 0 ?
				  CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	queue = fake_new(FAKE_QUEUE, sizeof(*queue), end_queue);
	fake_retain(context);
	queue->context = (struct fake_context *)context;
	queue->device = device;
	queue->profiles = how != 0;
	queue->next = fake.queues;
	fake.queues = queue;
	return (cl_command_queue)queue;
}

cl_int fake_clGetCommandQueueInfo(cl_command_queue handle,
				  cl_command_queue_info key, size_t room,
				  void *value, size_t *bytes)
{
	const struct fake_queue *queue = (struct fake_queue *)handle;
	const cl_command_queue_properties none = 0;

	if (!fake_is(queue, FAKE_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (key) {
	case CL_QUEUE_CONTEXT:
		return fake_give(&queue->context, sizeof(queue->context),
				 room, value, bytes);
	case CL_QUEUE_DEVICE:
		return fake_give(&queue->device, sizeof(queue->device), room,
				 value, bytes);
	case CL_QUEUE_PROPERTIES:
		return fake_give(&none, sizeof(none), room, value, bytes);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int fake_clRetainCommandQueue(cl_command_queue queue)
{
	if (!fake_is(queue, FAKE_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	fake_retain(queue);
	return CL_SUCCESS;
}

/* --- commands ------------------------------------------------------------- */

struct fake_command *fake_command(cl_command_queue queue, cl_uint count,
				  const cl_event *waits, cl_int *code)
{
	struct fake_command *command;
	cl_uint i;

	if (telling)
		fake_sin("a command is enqueued inside of a callback");
	*code = !fake_is(queue, FAKE_QUEUE) ? CL_INVALID_COMMAND_QUEUE :
		(count == 0) != (waits == NULL) ? CL_INVALID_EVENT_WAIT_LIST :
						  CL_SUCCESS;
	for (i = 0; i < count && *code == CL_SUCCESS; i++)
		if (!fake_is(waits[i], FAKE_EVENT))
			*code = CL_INVALID_EVENT_WAIT_LIST;
	if (*code != CL_SUCCESS)
		return NULL;
	command = calloc(1, sizeof(*command));
	if (command == NULL)
		abort();
	command->queue = (struct fake_queue *)queue;
	command->wait_count = count;
	command->waits = calloc(count + 1, sizeof(*command->waits));
	if (command->waits == NULL)
		abort();
	for (i = 0; i < count; i++) {
		fake_retain(waits[i]);
		command->waits[i] = (struct fake_event *)waits[i];
	}
	fake_retain(queue);
	command->event = fake_new(FAKE_EVENT, sizeof(*command->event), NULL);
	command->event->state = CL_QUEUED;
	return command;
}

void fake_enqueue(struct fake_command *command, cl_event *event)
{
	struct fake_queue *queue = command->queue;

	if (command->source != NULL)
		fake_retain(command->source);
	if (command->target != NULL)
		fake_retain(command->target);
	if (command->kernel != NULL)
		fake_retain(command->kernel);
	if (event != NULL) {
		fake_retain(command->event);
		*event = (cl_event)command->event;
	}
	command->flushed = fake.setup.mode == FAKECL_AT_ONCE;
	if (queue->head != NULL)
		queue->tail->next = command;
	else
		queue->head = command;
	queue->tail = command;
	if (command->flushed)
		fake_go_on();
}

static void free_command(struct fake_command *command)
{
	cl_uint i;

	for (i = 0; i < command->wait_count; i++)
		fake_release(command->waits[i]);
	if (command->source != NULL)
		fake_release(command->source);
	if (command->target != NULL)
		fake_release(command->target);
	if (command->kernel != NULL)
		fake_release(command->kernel);
	fake_release(command->event);
	fake_release(command->queue);
	free(command->waits);
	free(command->arguments);
	free(command);
}

/* --- running -------------------------------------------------------------- */

static bool is_ready(const struct fake_queue *queue)
{
	const struct fake_command *command = queue->head;
	cl_uint i;

	if (command == NULL || queue->running || !command->flushed)
		return false;
	for (i = 0; i < command->wait_count; i++)
		if (!is_over(command->waits[i]))
			return false;
	return true;
}

static struct fake_queue *find_ready(void)
{
	struct fake_queue *queue = fake.queues;

	while (queue != NULL && !is_ready(queue))
		queue = queue->next;
	return queue;
}

/* Its status if it fails before it starts. */
static cl_int judge(const struct fake_command *command)
{
	cl_uint i;

	if (++fake.report.commands == fake.setup.fail_command) {
		fake.failing = fake.setup.fail_rest;
		if (fake.report.failed == NULL)
			fake.report.failed = "a command";
		return fake.setup.code;
	}
	if (fake.failing)
		return fake.setup.code;
	for (i = 0; i < command->wait_count; i++)
		if (command->waits[i]->state < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return command->queue->failed != CL_SUCCESS && !fake.setup.goes_on ?
	       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

static void tell_later(struct fake_event *event)
{
	struct fake_told **link = &fake.told, *told;

	while ((told = event->told) != NULL) {
		event->told = told->next;
		/* The newest first, or in order. */
		while (!fake.setup.late && *link != NULL)
			link = &(*link)->next;
		told->next = *link;
		*link = told;
	}
}

static void run_head(struct fake_queue *queue)
{
	struct fake_command *command = queue->head;
	cl_int code = judge(command);

	queue->running = true;
	if (code == CL_SUCCESS && command->work != NULL) {
		pthread_mutex_unlock(&fake.lock);
		code = command->work(command);
		pthread_mutex_lock(&fake.lock);
	}
	queue->running = false;
	queue->head = command->next;
	queue->failed = code;
	command->event->state = code;
	command->event->queue = queue;
	if (command->buffer != NULL)
		fake_end_run(command->buffer);
	tell_later(command->event);
	free_command(command);
	pthread_cond_broadcast(&fake.changed);
}

static void tell(struct fake_told *told)
{
	cl_int state = told->event->state;

	told->event->queue->failed = CL_SUCCESS;
	fake.telling++;
	pthread_mutex_unlock(&fake.lock);
	telling = true;
	told->tell((cl_event)told->event, state, told->user_data);
	telling = false;
	pthread_mutex_lock(&fake.lock);
	fake_release(told->event);
	free(told);
	fake.telling--;
	pthread_cond_broadcast(&fake.changed);
}

void fake_await_told(void)
{
	while (fake.telling > 0)
		pthread_cond_wait(&fake.changed, &fake.lock);
}

static void tell_all(void)
{
	struct fake_told *told;

	while ((told = fake.told) != NULL) {
		fake.told = told->next;
		tell(told);
	}
}

static void run_all(void)
{
	struct fake_queue *queue;

	do {
		while ((queue = find_ready()) != NULL) {
			run_head(queue);
			if (!fake.setup.late)
				tell_all();
		}
		tell_all();
	} while (find_ready() != NULL);
}

static bool has_threads(void)
{
	return fake.setup.mode == FAKECL_THREAD ||
	       fake.setup.mode == FAKECL_THREADS;
}

void fake_go_on(void)
{
	if (has_threads())
		pthread_cond_broadcast(&fake.changed);
	else
		run_all();
}

/* --- the threads ---------------------------------------------------------- */

static void *run_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&fake.lock);
	while (!fake.stopping) {
		run_all();
		if (!fake.stopping)
			pthread_cond_wait(&fake.changed, &fake.lock);
	}
	pthread_mutex_unlock(&fake.lock);
	return NULL;
}

static uint32_t count_threads(void)
{
	return fake.setup.mode == FAKECL_THREADS ? FAKE_THREADS : 1;
}

void fake_begin_threads(void)
{
	uint32_t i;

	if (fake.running || !has_threads())
		return;
	fake.stopping = false;
	fake.running = true;
	for (i = 0; i < count_threads(); i++)
		if (pthread_create(&fake.threads[i], NULL, run_thread,
				   NULL) != 0)
			abort();
}

/* Without the lock. */
void fake_end_threads(void)
{
	uint32_t i, count;

	pthread_mutex_lock(&fake.lock);
	count = fake.running ? count_threads() : 0;
	fake.stopping = true;
	fake.running = false;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
	for (i = 0; i < count; i++)
		pthread_join(fake.threads[i], NULL);
}

/* --- waiting -------------------------------------------------------------- */

static bool somebody_runs(void)
{
	const struct fake_queue *queue;

	for (queue = fake.queues; queue != NULL; queue = queue->next)
		if (queue->running)
			return true;
	return fake.running;
}

/* One step; returns false when the awaited event never comes. */
static bool wait_a_step(void)
{
	if (telling)
		fake_sin("a callback waits");
	if (!has_threads() && find_ready() != NULL) {
		run_all();
		return true;
	}
	if (!somebody_runs()) {
		fake_sin("what is waited for was never flushed");
		return false;
	}
	pthread_cond_wait(&fake.changed, &fake.lock);
	return true;
}

void fake_await(struct fake_event *event)
{
	while (!is_over(event) && wait_a_step())
		;
}

static void flush(struct fake_queue *queue)
{
	struct fake_command *command;

	for (command = queue->head; command != NULL; command = command->next)
		command->flushed = true;
	fake_go_on();
}

cl_int fake_clFlush(cl_command_queue queue)
{
	if (!fake_is(queue, FAKE_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	flush((struct fake_queue *)queue);
	return CL_SUCCESS;
}

cl_int fake_clFinish(cl_command_queue handle)
{
	struct fake_queue *queue = (struct fake_queue *)handle;

	if (!fake_is(queue, FAKE_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	flush(queue);
	while (queue->head != NULL && wait_a_step())
		;
	queue->failed = CL_SUCCESS;
	return CL_SUCCESS;
}

cl_int fake_clWaitForEvents(cl_uint count, const cl_event *events)
{
	cl_int code = CL_SUCCESS;
	cl_uint i;

	fake.waits++;
	for (i = 0; i < count; i++) {
		struct fake_event *event = (struct fake_event *)events[i];

		if (!fake_is(event, FAKE_EVENT))
			return CL_INVALID_EVENT;
		/* Waiting flushes. */
		if (!is_over(event) && fake.setup.mode != FAKECL_AT_ONCE)
			for (struct fake_queue *queue = fake.queues;
			     queue != NULL; queue = queue->next)
				flush(queue);
		fake_await(event);
		if (event->queue != NULL)
			event->queue->failed = CL_SUCCESS;
		if (event->state < 0)
			code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	return code;
}

/* --- events --------------------------------------------------------------- */

/* The device's clock stands still, far from the host's: each command begins 3 us
 * after it was taken, and lasts 7. */
cl_int fake_clGetEventProfilingInfo(cl_event handle, cl_profiling_info key,
				    size_t room, void *value, size_t *bytes)
{
	const struct fake_event *event = (struct fake_event *)handle;
	cl_ulong time = 1000;

	if (!fake_is(event, FAKE_EVENT))
		return CL_INVALID_EVENT;
	if (event->state != CL_COMPLETE || event->queue == NULL ||
	    !event->queue->profiles)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (key == CL_PROFILING_COMMAND_START)
		time += 3000;
	else if (key == CL_PROFILING_COMMAND_END)
		time += 10000;
	else if (key != CL_PROFILING_COMMAND_QUEUED)
		return CL_INVALID_VALUE;
	return fake_give(&time, sizeof(time), room, value, bytes);
}

cl_int fake_clGetEventInfo(cl_event handle, cl_event_info key, size_t room,
			   void *value, size_t *bytes)
{
	const struct fake_event *event = (struct fake_event *)handle;

	if (!fake_is(event, FAKE_EVENT))
		return CL_INVALID_EVENT;
	if (key != CL_EVENT_COMMAND_EXECUTION_STATUS)
		return CL_INVALID_VALUE;
	return fake_give(&event->state, sizeof(event->state), room, value,
			 bytes);
}

cl_int fake_clRetainEvent(cl_event event)
{
	if (!fake_is(event, FAKE_EVENT))
		return CL_INVALID_EVENT;
	fake_retain(event);
	return CL_SUCCESS;
}

cl_int fake_clSetEventCallback(cl_event handle, cl_int state,
			       void (CL_CALLBACK *function)(cl_event, cl_int,
							    void *),
			       void *user_data)
{
	struct fake_event *event = (struct fake_event *)handle;
	struct fake_told *told;

	if (!fake_is(event, FAKE_EVENT))
		return CL_INVALID_EVENT;
	if (state != CL_COMPLETE)
		return CL_INVALID_VALUE;
	told = malloc(sizeof(*told));
	if (told == NULL)
		abort();
	fake_retain(event);
	*told = (struct fake_told){ function, user_data, event, event->told };
	event->told = told;
	if (is_over(event)) {
		tell_later(event);
		fake_go_on();
	}
	return CL_SUCCESS;
}
