/* SPDX-License-Identifier: MIT */
/* Queues and the threads of the backend that sins; see base.h. */
#include "base.h"

#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool happened(const plait_backend_point *point)
{
	return sins_state(point) != PLAIT_PENDING;
}

/* Caller holds the lock.  Returns whether its first batch may start. */
static bool runnable(const plait_backend_queue *queue)
{
	const struct batch *batch = queue->first;
	uint32_t count;

	if (queue->running || batch == NULL)
		return false;
	if (SINS(IGNORES_WAITS) || (queue->failed && SINS(FAILED_OVERTAKES)))
		return true;
	count = batch->wait_count;
	if (SINS(WAITS_FOR_ONE) && count > 1)
		count = 1;
	/* A gate may never be raised for a queue that failed. */
	for (uint32_t i = 0; i < count; i++)
		if (!happened(&batch->waits[i]) &&
		    !(queue->failed && batch->waits[i].signal->gate &&
		      !SINS(FAILED_HEEDS_GATES)))
			return false;
	return true;
}

static plait_backend_queue *find_runnable(plait_backend *self)
{
	plait_backend_queue *queue;

	if (SINS(SERIAL) && self->working)
		return NULL;
	for (queue = self->queues; queue != NULL; queue = queue->next) {
		if (runnable(queue))
			return queue;
		if (SINS(ONE_FOR_ALL) && queue->first != NULL)
			return NULL;
	}
	return NULL;
}

/* A wait for a failed signal fails the queue, with the same error. */
static void inherit_failure(plait_backend_queue *queue,
			    const struct batch *batch)
{
	static const char prefix[] = "not run: ";
	const plait_error *failure;

	for (uint32_t i = 0; i < batch->wait_count && !queue->failed; i++) {
		plait_status state = sins_state(&batch->waits[i]);

		if (state >= 0 || SINS(NOT_PROPAGATED))
			continue;
		failure = &batch->waits[i].signal->failure;
		queue->failed = true;
		queue->failure = *failure;
		if (strncmp(failure->text, prefix, strlen(prefix)) == 0 &&
		    !SINS(BLAMES_TWICE))
			continue;
		snprintf(queue->failure.text, sizeof(queue->failure.text),
			 "%s%.200s", prefix, failure->text);
	}
}

/* The batch that is being executed, and the position in it. */
struct turn {
	struct seat *seat;
	plait_backend_queue *queue;
	struct batch *batch;
	const plait_work *work;
};

/* Set the numbers of an execution of a batch. */
static void set_numbers(const struct batch *batch, uint32_t execution)
{
	uint32_t count = batch->series_count;

	if (SINS(ONE_NUMBER) && count > 1)
		count = 1;
	for (uint32_t i = 0; i < count; i++) {
		const plait_work_series *series = &batch->series[i];
		uint64_t first = SINS(FORGETS_FIRST) && series->step == 1 ?
				 0 : series->first;
		uint64_t number = SINS(STILL_NUMBERS) ? first :
				  first + execution * series->step;

		sins_launch_number(batch->work[series->work].launch,
				   series->argument, number);
	}
}

/* Without the lock: only this thread touches the queue's failure now. */
static void run_once(struct turn *turn)
{
	plait_backend *self = turn->seat->self;
	plait_backend_queue *queue = turn->queue;
	const struct batch *batch = turn->batch;
	uint32_t count = batch->work_count, launches = 0;
	plait_error error;

	if (SINS(DROPS_LAST) && count > 50)
		count--;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = SINS(BACKWARDS) ? count - 1 - i : i;
		const plait_work *work = &batch->work[at];

		if (queue->failed && !SINS(RUNS_BEHIND) &&
		    !(SINS(LAUNCHES_BEHIND) && work->kind == PLAIT_WORK_LAUNCH) &&
		    !((SINS(SEGMENT_BEHIND) || SINS(LOOP_BEHIND)) &&
		      work->kind == PLAIT_WORK_SEGMENT))
			return;
		if (SINS(DROPS_CALL) && i == 9 &&
		    work->kind == PLAIT_WORK_CALL)
			continue;
		launches += work->kind == PLAIT_WORK_LAUNCH;
		if (SINS(LAUNCHES_ONCE) && launches > 1 &&
		    work->kind == PLAIT_WORK_LAUNCH)
			continue;
		turn->work = work;
		if (sins_work(self, work, &error) != PLAIT_OK && !queue->failed) {
			queue->failed = true;
			queue->failure = error;
		}
	}
}

/* Each command as often, then the next one. */
static void run_each(struct turn *turn, uint32_t times)
{
	struct batch *batch = turn->batch, single;

	/* A submission may link the next batch meanwhile. */
	pthread_mutex_lock(&turn->seat->self->lock);
	single = *batch;
	pthread_mutex_unlock(&turn->seat->self->lock);
	single.work_count = 1;
	turn->batch = &single;
	for (uint32_t i = 0; i < batch->work_count; i++, single.work++)
		for (uint32_t k = 0; k < times; k++) {
			set_numbers(batch, k);
			run_once(turn);
		}
	turn->batch = batch;
}

static void run_work(struct turn *turn)
{
	struct batch *batch = turn->batch;
	uint32_t times = SINS(REPEATS_ONCE) ? 1 : batch->times;

	if (SINS(REPEATS_EACH)) {
		run_each(turn, times);
		return;
	}
	for (uint32_t i = 0; i < times; i++) {
		set_numbers(batch, i);
		run_once(turn);
	}
}

/* Caller holds the lock. */
static struct note *emit(plait_backend *self, plait_backend_queue *queue,
			 const struct batch *batch)
{
	const plait_error *failure = queue->failed ? &queue->failure : NULL;
	struct note *told = NULL;

	if (SINS(NOTHING_EMITS_NOTHING) && batch->work_count == 0)
		return NULL;
	if (SINS(FAILS_SILENTLY) && failure != NULL)
		return NULL;
	for (uint32_t i = 0; i < batch->emit_count; i++)
		sins_raise(self, batch->emits[i].signal,
			   batch->emits[i].sequence, failure, &told);
	return told;
}

/* Caller does not hold the lock. */
static void end_batch(plait_backend *self, plait_backend_queue *queue,
		      struct batch *batch)
{
	struct note *told;

	pthread_mutex_lock(&self->lock);
	told = SINS(EARLY) ? NULL : emit(self, queue, batch);
	queue->first = batch->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	queue->pending -= batch->work_count;
	queue->running = false;
	self->working = false;
	pthread_cond_broadcast(&self->work);
	pthread_cond_broadcast(&self->changed);
	pthread_mutex_unlock(&self->lock);
	sins_tell(self, told);
	sins_free(self, batch, batch->bytes);
}

/* A function ended this thread: another one takes its seat, and joins it. */
static void leave(void *argument)
{
	struct turn *turn = argument;
	struct seat *seat = turn->seat;
	plait_backend_queue *queue = turn->queue;

	if (!SINS(LEAVER_SUCCEEDS) && !queue->failed) {
		queue->failed = true;
		sins_blame(turn->work, "ended its thread", -1,
			   &queue->failure);
	}
	pthread_mutex_lock(&seat->self->lock);
	seat->gone = pthread_self();
	seat->left = true;
	if (pthread_create(&seat->thread, NULL, sins_thread, seat) != 0)
		abort();
	pthread_mutex_unlock(&seat->self->lock);
	end_batch(seat->self, queue, turn->batch);
}

/* Caller holds the lock, which is released meanwhile. */
static void run_batch(struct seat *seat, plait_backend_queue *queue)
{
	struct turn turn = { seat, queue, queue->first, NULL };
	plait_backend *self = seat->self;
	struct note *told = NULL;

	queue->running = true;
	self->working = true;
	inherit_failure(queue, turn.batch);
	if (SINS(EARLY))
		told = emit(self, queue, turn.batch);
	pthread_mutex_unlock(&self->lock);
	if (SINS(EARLY))
		sins_tell(self, told);
	pthread_cleanup_push(leave, &turn);
	run_work(&turn);
	pthread_cleanup_pop(0);
	end_batch(self, queue, turn.batch);
	pthread_mutex_lock(&self->lock);
}

void *sins_thread(void *argument)
{
	struct seat *seat = argument;
	plait_backend *self = seat->self;
	plait_backend_queue *queue;

	if (seat->left)
		pthread_join(seat->gone, NULL);
	pthread_mutex_lock(&self->lock);
	for (;;) {
		queue = find_runnable(self);
		if (queue != NULL)
			run_batch(seat, queue);
		else if (self->closing)
			break;
		else
			pthread_cond_wait(&self->work, &self->lock);
	}
	pthread_mutex_unlock(&self->lock);
	return NULL;
}

/* --- slots */

plait_status sins_queue_create(plait_backend *self, uint32_t device,
			       const plait_queue_request *request,
			       plait_backend_queue **out, plait_error *error)
{
	plait_backend_queue *queue;

	*out = NULL;
	if (request->native_kind != 0)
		return sins_no_native(self, error);
	queue = sins_allocate(self, sizeof(*queue));
	if (queue == NULL)
		return sins_no_memory(self, sizeof(*queue), error);
	queue->last = &queue->first;
	queue->device = device;
	queue->capacity = request->capacity ? request->capacity : 1 << 20;
	pthread_mutex_lock(&self->lock);
	queue->next = self->queues;
	self->queues = queue;
	pthread_mutex_unlock(&self->lock);
	*out = queue;
	return PLAIT_OK;
}

void sins_queue_destroy(plait_backend *self, plait_backend_queue *queue)
{
	plait_backend_queue **link = &self->queues;

	pthread_mutex_lock(&self->lock);
	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	pthread_mutex_unlock(&self->lock);
	sins_free(self, queue, sizeof(*queue));
}

static struct batch *copy_batch(plait_backend *self,
				const plait_submission *from)
{
	uint64_t work = from->work_count * sizeof(plait_work);
	uint64_t waits = from->wait_count * sizeof(plait_backend_point);
	uint64_t emits = from->emit_count * sizeof(plait_backend_point);
	uint64_t series = from->series_count * sizeof(plait_work_series);
	uint64_t bytes = sizeof(struct batch) + work + waits + emits + series;
	struct batch *batch = sins_allocate(self, bytes);

	if (batch == NULL)
		return NULL;
	batch->bytes = bytes;
	batch->work_count = from->work_count;
	batch->wait_count = from->wait_count;
	batch->emit_count = from->emit_count;
	batch->copies = (plait_work *)(batch + 1);
	batch->waits = (plait_backend_point *)((char *)batch->copies + work);
	batch->emits = batch->waits + from->wait_count;
	batch->series = (plait_work_series *)(batch->emits + from->emit_count);
	batch->times = from->times > 1 ? from->times : 1;
	batch->series_count = from->series_count;
	if (series > 0)
		memcpy(batch->series, from->series, series);
	for (uint32_t i = 0; i < from->work_count; i++) {
		batch->copies[i] = from->work[i];
		if (SINS(LAUNCHES_EARLY) &&
		    from->work[i].kind == PLAIT_WORK_LAUNCH)
			sins_launch_run(self, &from->work[i]);
	}
	for (uint32_t i = 0; i < from->wait_count; i++)
		batch->waits[i] = from->waits[i];
	for (uint32_t i = 0; i < from->emit_count; i++)
		batch->emits[i] = from->emits[i];
	batch->work = SINS(READS_LATE) ? from->work : batch->copies;
	if (SINS(TRUNCATES))
		for (uint32_t i = 0; i < from->wait_count; i++)
			batch->waits[i].sequence &= 0xffffffff;
	return batch;
}

static void free_batches(plait_backend *self, struct batch *batch)
{
	struct batch *next;

	for (; batch != NULL; batch = next) {
		next = batch->next;
		sins_free(self, batch, batch->bytes);
	}
}

/* Caller holds the lock.  Append all commands, or none. */
static bool append(plait_backend *self, plait_backend_queue *queue,
		   struct batch *first, struct batch **last, uint64_t work)
{
	if (work > queue->capacity - queue->pending)
		return false;
	*queue->last = first;
	queue->last = last;
	queue->pending += work;
	pthread_cond_broadcast(&self->work);
	while (SINS(SUBMIT_BLOCKS) && queue->first != NULL)
		pthread_cond_wait(&self->changed, &self->lock);
	return true;
}

static void sin_at_submit(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (SINS(MASK_LEFT))
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (SINS(MODES_LEFT))
		fesetround(FE_TOWARDZERO);
}

/* Returns true for a command between devices that the sinner does not run. */
static bool is_refused(const plait_backend_queue *queue, const plait_work *work)
{
	const plait_backend_memory *target = work->target;
	const plait_backend_memory *source = work->source;

	if (SINS(LINK_REFUSES))
		return target != NULL && source != NULL &&
		       target->device != source->device;
	return SINS(SHARES_NOTHING) && target != NULL &&
	       target->device != queue->device;
}

static bool has_refused(const plait_backend_queue *queue,
			const struct batch *batch)
{
	for (; batch != NULL; batch = batch->next)
		for (uint32_t i = 0; i < batch->work_count; i++)
			if (is_refused(queue, &batch->work[i]))
				return true;
	return false;
}

plait_status sins_queue_submit(plait_backend *self, plait_backend_queue *queue,
			       const plait_submission *submissions,
			       uint32_t count, plait_error *error)
{
	struct batch *first = NULL, **last = &first;
	uint64_t work = 0;
	bool taken;

	if (count == 0)
		return PLAIT_OK;
	sin_at_submit();
	for (uint32_t i = 0; i < count; i++) {
		*last = copy_batch(self, &submissions[i]);
		if (*last == NULL) {
			free_batches(self, first);
			return sins_no_memory(self, sizeof(*first), error);
		}
		work += (uint64_t)submissions[i].work_count *
			(SINS(COUNTS_TIMES) ? (*last)->times : 1);
		last = &(*last)->next;
	}
	if (has_refused(queue, first)) {
		free_batches(self, first);
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "sins: memory of another device");
	}
	pthread_mutex_lock(&self->lock);
	taken = append(self, queue, first, last, work);
	pthread_mutex_unlock(&self->lock);
	if (taken)
		return PLAIT_OK;
	free_batches(self, first);
	if (work > queue->capacity && !SINS(BUSY_FOR_EVER))
		return self->services->fail(error, PLAIT_E_INVALID, 0,
					    "sins: the queue is small");
	return self->services->fail(error, PLAIT_E_BUSY, 0,
				    "sins: the queue is full");
}

/* As if its thread were just leaving the last command, every other time. */
static plait_status refuse_to_recover(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error)
{
	pthread_mutex_lock(&self->lock);
	queue->leaving = !queue->leaving;
	pthread_mutex_unlock(&self->lock);
	if (!queue->leaving)
		return PLAIT_OK;
	return self->services->fail(error, SINS(QUIET) ? PLAIT_E_BUSY :
				    PLAIT_E_STATE, 0,
				    "sins: commands are pending");
}

plait_status sins_queue_recover(plait_backend *self,
				plait_backend_queue *queue, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (SINS(QUIET) || SINS(STATE_WHILE_BUSY))
		status = refuse_to_recover(self, queue, error);
	if (status != PLAIT_OK)
		return status;
	pthread_mutex_lock(&self->lock);
	if (!SINS(RECOVERS_NOT))
		queue->failed = false;
	self->dead = SINS(DIES);
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}
