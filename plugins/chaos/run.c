/* SPDX-License-Identifier: MIT */
/*
 * Execution of the queues: wait, run the commands in order, emit.  Each event
 * of a queue takes it to the next point at which time has to pass.
 */
#include <stdio.h>
#include <string.h>

#include "chaos.h"

static const char not_run[] = "not run: ";

const char *plaitp_chaos_run_queue_name(const chaos_queue *queue, char *buffer,
					size_t bytes)
{
	if (queue->label[0])
		snprintf(buffer, bytes, "queue \"%s\"", queue->label);
	else
		snprintf(buffer, bytes, "queue q%llu",
			 (unsigned long long)queue->number);
	return buffer;
}

static void schedule_queue(chaos *system, chaos_queue *queue, uint32_t state,
			   uint64_t delay_ns)
{
	queue->state = state;
	plaitp_chaos_clock_schedule(system, &queue->event, delay_ns);
}

void plaitp_chaos_run_start(chaos *system, chaos_queue *queue)
{
	uint64_t arrives_ns;

	pthread_cond_broadcast(&system->changed);
	if (queue->state != CHAOS_QUEUE_IDLE || !queue->head ||
	    !queue->head->flushed)
		return;
	arrives_ns = queue->head->arrives_ns;
	schedule_queue(system, queue, CHAOS_QUEUE_SCHEDULED,
		       arrives_ns > system->now_ns ?
		       arrives_ns - system->now_ns : 0);
}

void plaitp_chaos_run_wake(chaos *system, chaos_queue *queue)
{
	plaitp_chaos_clock_cancel(system, &queue->event);
	schedule_queue(
		system, queue, CHAOS_QUEUE_SCHEDULED,
		plaitp_chaos_random_delay(system, &system->options.hop_ns));
}

void plaitp_chaos_run_leave(chaos_queue *queue)
{
	chaos_queue **link = NULL;

	if (queue->state == CHAOS_QUEUE_WAITING) {
		link = &queue->head->waits[queue->wait_index].signal->waiters;
	} else if (queue->state == CHAOS_QUEUE_READY) {
		link = &queue->device->ready;
		queue->device->ready_count--;
	}
	if (!link)
		return;
	while (*link != queue)
		link = &(*link)->next_waiter;
	*link = queue->next_waiter;
	queue->state = CHAOS_QUEUE_IDLE;
}

/* A command has ended: retry one queue of the ready list, chosen at random. */
static void release_slot(chaos *system, chaos_device *device)
{
	chaos_queue *queue = device->ready;
	uint64_t skip;

	device->running--;
	if (!queue)
		return;
	skip = plaitp_chaos_random_below(system, device->ready_count);
	while (skip-- > 0)
		queue = queue->next_waiter;
	plaitp_chaos_run_leave(queue);
	schedule_queue(system, queue, CHAOS_QUEUE_SCHEDULED, 0);
}

/* Keep the first failure. */
static void fail_queue(chaos *system, chaos_queue *queue,
		       const plait_error *cause, const char *prefix)
{
	char text[PLAIT_ERROR_TEXT_BYTES + sizeof(not_run)];

	if (queue->failed)
		return;
	if (strncmp(cause->text, prefix, strlen(prefix)) == 0)
		prefix = "";
	snprintf(text, sizeof(text), "%s%s", prefix, cause->text);
	text[PLAIT_ERROR_TEXT_BYTES - 1] = 0;
	queue->failed = true;
	queue->error = (plait_error){ .size = sizeof(queue->error) };
	system->services->fail(&queue->error, cause->status, cause->origin,
			       text);
	queue->error.detail = cause->detail;
	plaitp_chaos_log(system, "q%llu: failed: %s",
			 (unsigned long long)queue->number,
			 queue->error.text);
}

static const char *command_name(const plait_work *work, char *buffer,
				size_t bytes)
{
	static const char *const kinds[] = {
		"nop", "host function", "copy", "fill", "read", "write"
	};

	if (work->label)
		snprintf(buffer, bytes, "command \"%.60s\"", work->label);
	else
		snprintf(buffer, bytes, "%s",
			 work->kind == PLAIT_WORK_LAUNCH ? "launch" :
			 work->kind == PLAIT_WORK_SEGMENT ? "segment" :
			 work->kind < sizeof(kinds) / sizeof(kinds[0]) ?
			 kinds[work->kind] : "command");
	return buffer;
}

/* Handle the return of a host function.  Caller holds the lock. */
static void handle_return(chaos *system, chaos_queue *queue,
			  const plait_work *work, int32_t value,
			  const char *what)
{
	plait_error cause = { .size = sizeof(cause) };
	char name[80];

	system->calls_running--;
	pthread_cond_broadcast(&system->changed);
	if (value == 0)
		return;
	plaitp_chaos_fail(system, &cause, PLAIT_E_FAILED, value, "%s %s",
			  command_name(work, name, sizeof(name)), what);
	fail_queue(system, queue, &cause, "");
}

/* 0: as any command. */
static uint64_t launch_ns(const chaos *system, const chaos_queue *queue,
			  const plait_work *work)
{
	uint32_t index = queue->device->index;
	uint64_t ns;

	if (work->kind != PLAIT_WORK_LAUNCH)
		return 0;
	index = index < CHAOS_SPEEDS ? index : CHAOS_SPEEDS - 1;
	return __builtin_mul_overflow(plaitp_chaos_run_steps(work),
				      system->options.item_ns[index], &ns) ?
		       UINT64_MAX / 2 : ns;
}

static void schedule_end(chaos *system, chaos_queue *queue)
{
	const plait_work *work = &queue->head->work[queue->work_index];
	uint64_t ns = plaitp_chaos_link_ns(system, work);

	if (ns == 0)
		ns = launch_ns(system, queue, work);
	if (ns == 0)
		ns = plaitp_chaos_random_delay(system,
					       &system->options.command_ns);
	schedule_queue(system, queue, CHAOS_QUEUE_RUNNING, ns);
}

struct calling {
	chaos *system;
	chaos_queue *queue;
	const plait_work *work;
};

/* Cleanup handler: the host function ended its thread. */
static void handle_thread_exit(void *arg)
{
	const struct calling *calling = arg;

	plaitp_chaos_lock(calling->system);
	handle_return(calling->system, calling->queue, calling->work, -1,
		      "did not return but ended its thread (pthread_exit)");
	schedule_end(calling->system, calling->queue);
	plaitp_chaos_unlock(calling->system);
}

/* Run the host function without the lock. */
static void call(chaos *system, chaos_queue *queue, const plait_work *work)
{
	struct calling calling = { system, queue, work };
	char what[32];
	int32_t value;

	queue->state = CHAOS_QUEUE_CALLING;
	queue->caller = pthread_self();
	system->calls_running++;
	plaitp_chaos_unlock(system);
	pthread_cleanup_push(handle_thread_exit, &calling);
	value = work->function(work->user_data);
	pthread_cleanup_pop(0);
	plaitp_chaos_lock(system);
	snprintf(what, sizeof(what), "failed with %d", (int)value);
	handle_return(system, queue, work, value, what);
}

uint64_t plaitp_chaos_run_steps(const plait_work *work)
{
	if (work->kind == PLAIT_WORK_LAUNCH)
		return plaitp_chaos_launch_steps(work->launch);
	if (work->kind == PLAIT_WORK_CALL || work->kind == PLAIT_WORK_NOP)
		return 0;
	return work->rows ? work->bytes * work->rows->rows *
		work->rows->slices : work->bytes;
}

void plaitp_chaos_run_part(chaos *system, const plait_work *work,
			   uint64_t from, uint64_t to)
{
	if (work->kind == PLAIT_WORK_LAUNCH)
		plaitp_chaos_launch_run(system, work->launch, from, to);
	else
		plaitp_chaos_memory_transfer(work, from, to);
}

/* Give the launch of the current command the numbers of this execution. */
static void take_numbers(chaos_queue *queue)
{
	chaos_batch *batch = queue->head;

	for (uint32_t i = 0; i < batch->number_count; i++) {
		struct chaos_number *at = &batch->numbers[i];

		if (at->series.work == queue->work_index)
			at->saved = plaitp_chaos_launch_exchange(
				batch->work[queue->work_index].launch,
				at->series.argument,
				at->series.first +
					queue->turn * at->series.step);
	}
}

/* The launch may be part of other submissions, too. */
static void give_numbers_back(chaos_queue *queue)
{
	chaos_batch *batch = queue->head;

	for (uint32_t i = 0; i < batch->number_count; i++) {
		struct chaos_number *at = &batch->numbers[i];

		if (at->series.work == queue->work_index)
			(void)plaitp_chaos_launch_exchange(
				batch->work[queue->work_index].launch,
				at->series.argument, at->saved);
	}
}

/* Caller holds the lock. */
static void run_part(chaos *system, chaos_queue *queue, uint64_t from,
		     uint64_t to)
{
	take_numbers(queue);
	plaitp_chaos_run_part(system, &queue->head->work[queue->work_index],
			      from, to);
	give_numbers_back(queue);
}

/* Returns true if the segment has ended. */
static bool run_segment(chaos *system, const plait_work *work, bool begins)
{
	return plaitp_chaos_segment_run(
		system, work->segment,
		plaitp_chaos_segment_quota(system, work->segment, begins));
}

static void begin(chaos *system, chaos_queue *queue)
{
	const plait_work *work = &queue->head->work[queue->work_index];
	chaos_device *device = queue->device;
	char name[80];

	if (device->running >= system->options.parallel) {
		queue->state = CHAOS_QUEUE_READY;
		queue->next_waiter = device->ready;
		device->ready = queue;
		device->ready_count++;
		return;
	}
	device->running++;
	plaitp_chaos_log(system, "q%llu: %s starts",
			 (unsigned long long)queue->number,
			 command_name(work, name, sizeof(name)));
	queue->steps_done = 0;
	if (work->times && work->times->start_ns == 0)
		work->times->start_ns = system->now_ns + 1;
	if (work->kind == PLAIT_WORK_SEGMENT) {
		plaitp_chaos_segment_begin(system, work->segment);
		(void)run_segment(system, work, true);
	} else if (work->kind == PLAIT_WORK_CALL) {
		call(system, queue, work);
	} else if (work->kind != PLAIT_WORK_NOP) {
		/* Run a part now and the rest at the end, so that a reader that
		 * is too early or a writer that is too late is detected. */
		queue->steps_done = plaitp_chaos_random_below(
			system, plaitp_chaos_run_steps(work) + 1);
		run_part(system, queue, 0, queue->steps_done);
	}
	schedule_end(system, queue);
}

/* A command counts once, with its last execution. */
static void end_command(chaos_queue *queue)
{
	const chaos_batch *batch = queue->head;

	queue->pending -= queue->turn + 1 == batch->times;
	if (++queue->work_index < batch->work_count ||
	    queue->turn + 1 == batch->times)
		return;
	queue->turn++;
	queue->work_index = 0;
}

/* The commands that a failed queue has not executed are over. */
static void skip_work(chaos_queue *queue)
{
	const chaos_batch *batch = queue->head;

	if (queue->turn + 1 < batch->times)
		queue->work_index = 0;
	queue->turn = batch->times - 1;
	queue->pending -= batch->work_count - queue->work_index;
	queue->work_index = batch->work_count;
}

/* Returns false if the command goes on. */
static bool end(chaos *system, chaos_queue *queue)
{
	const plait_work *work = &queue->head->work[queue->work_index];
	char name[80];

	if (work->kind == PLAIT_WORK_SEGMENT) {
		if (!run_segment(system, work, false)) {
			schedule_end(system, queue);
			return false;
		}
	} else if (work->kind != PLAIT_WORK_CALL &&
		   work->kind != PLAIT_WORK_NOP)
		run_part(system, queue, queue->steps_done,
			 plaitp_chaos_run_steps(work));
	if (work->times)
		work->times->end_ns = system->now_ns + 1;
	plaitp_chaos_log(system, "q%llu: %s ends",
			 (unsigned long long)queue->number,
			 command_name(work, name, sizeof(name)));
	end_command(queue);
	release_slot(system, queue->device);
	return true;
}

static void register_wait(chaos *system, chaos_queue *queue,
			  chaos_signal *signal)
{
	queue->state = CHAOS_QUEUE_WAITING;
	queue->next_waiter = signal->waiters;
	signal->waiters = queue;
	if (!(system->options.quirks & CHAOS_SPURIOUS) ||
	    queue->spurious_done)
		return;
	queue->spurious_done = true;
	plaitp_chaos_clock_schedule(system, &queue->event,
				    plaitp_chaos_random_delay(system,
						 &system->options.hop_ns));
}

/* Returns true if all waits of the batch are over; goes on at `wait_index`. If
 * not, the queue is a waiter of that signal. Caller holds the lock. */
static bool waited(chaos *system, chaos_queue *queue, chaos_batch *batch)
{
	for (; queue->wait_index < batch->wait_count; queue->wait_index++) {
		plait_backend_point *point = &batch->waits[queue->wait_index];
		chaos_signal *signal = point->signal;
		plait_status status = plaitp_chaos_signal_state(
			signal, point->sequence, signal->reached);

		/* A failed queue skips waits for gates, which may never be
		 * raised. */
		if (queue->failed && status == PLAIT_PENDING &&
		    (signal->flags & PLAIT_BACKEND_SIGNAL_GATE))
			continue;
		if (status == PLAIT_PENDING) {
			plaitp_chaos_log(system, "q%llu: waits for s%llu at "
					 "%llu",
					 (unsigned long long)queue->number,
					 (unsigned long long)signal->number,
					 (unsigned long long)point->sequence);
			register_wait(system, queue, signal);
			return false;
		}
		queue->spurious_done = false;
		if (status < 0)
			fail_queue(system, queue, &signal->error, not_run);
	}
	return true;
}

static void emit(chaos *system, chaos_queue *queue, chaos_batch *batch)
{
	for (uint32_t i = 0; i < batch->emit_count; i++) {
		chaos_signal *signal = batch->emits[i].signal;

		plaitp_chaos_log(system, "q%llu: raises s%llu to %llu%s",
				 (unsigned long long)queue->number,
				 (unsigned long long)signal->number,
				 (unsigned long long)batch->emits[i].sequence,
				 queue->failed ? ", failed" : "");
		plaitp_chaos_signal_emit(system, signal,
					 batch->emits[i].sequence,
					 queue->failed ? &queue->error : NULL);
	}
	queue->head = batch->next;
	queue->wait_index = 0;
	queue->work_index = 0;
	queue->turn = 0;
	plaitp_chaos_free(system, batch, batch->total_bytes);
}

/*
 * A failed queue still waits for emissions of other queues: two queues may emit
 * one signal in an order that only these waits keep.
 */
void plaitp_chaos_run_event(chaos *system, void *owner)
{
	chaos_queue *queue = owner;
	chaos_batch *batch;

	if (queue->state == CHAOS_QUEUE_RUNNING && !end(system, queue))
		return;
	if (queue->state == CHAOS_QUEUE_WAITING)
		plaitp_chaos_run_leave(queue);
	queue->state = CHAOS_QUEUE_IDLE;
	batch = queue->head;
	if (!batch || !batch->flushed)
		return;
	if (batch->arrives_ns > system->now_ns) {
		plaitp_chaos_run_start(system, queue);
		return;
	}
	if (!waited(system, queue, batch))
		return;
	if (queue->failed)
		skip_work(queue);
	if (queue->work_index < batch->work_count) {
		begin(system, queue);
		return;
	}
	emit(system, queue, batch);
	schedule_queue(system, queue, CHAOS_QUEUE_SCHEDULED,
		       1 + plaitp_chaos_random_below(system, 16));
}
