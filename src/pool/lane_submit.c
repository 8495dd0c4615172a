/* SPDX-License-Identifier: MIT */
/* The submitters' side of a lane: creation, submission, destruction. */
#include "pool/cacheline.h"
#include "pool/pool_internal.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Waits and emissions do not count against the capacity, up to this many
 * entries per command. */
enum { ENTRIES_PER_COMMAND = 4, MIN_ENTRIES = 64 };

static uint32_t level_of(int32_t priority)
{
	if (priority > 0)
		return PLAIT__READY_HIGH;
	return priority < 0 ? PLAIT__READY_LOW : PLAIT__READY_NORMAL;
}

plait_status plait__lane_create(plait__pool *pool,
				const plait_queue_request *request,
				plait__lane **out, plait_error *error)
{
	plait__lane *lane;

	*out = NULL;
	/* Lanes measure no times. */
	if ((request->flags & ~(uint32_t)PLAIT_QUEUE_TIMES) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "queue: flags 0x%x are not known",
				   (unsigned)request->flags);
	lane = plait__cacheline_alloc(&pool->allocator, sizeof(*lane));
	if (lane == NULL)
		goto no_memory;
	if (!plait__command_ring_init(&lane->ring, &pool->allocator,
				      &lane->head))
		goto free_lane;
	lane->pool = pool;
	lane->capacity = request->capacity != 0 ? request->capacity :
						  PLAIT__LANE_DEFAULT_CAPACITY;
	lane->item.level = level_of(request->priority);
	lane->item.run = plait__lane_run;
	lane->item.lose = plait__lane_lose;
	lane->waiter.kind = PLAIT__WAITER_LANE;
	if (request->label != NULL)
		(void)snprintf(lane->label, sizeof(lane->label), "%s",
			       request->label);
	*out = lane;
	return PLAIT_OK;

free_lane:
	plait__cacheline_free(&pool->allocator, lane, sizeof(*lane));
no_memory:
	return plait__fail(error, PLAIT_E_NOMEM,
			   "queue: no memory for its %zu bytes", sizeof(*lane));
}

/* Wait for the thread that may still be leaving the lane, and for commands that
 * are pending in spite of the rule, as behind a backend that is given up. Without
 * workers this thread runs them. */
static void await_idle(plait__lane *lane)
{
	const bool has_workers = lane->pool->worker_count > 0;
	struct plait__backoff backoff;
	bool scheduled;

	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	for (;;) {
		plait__mutex_lock(&lane->lock);
		scheduled = lane->scheduled;
		plait__mutex_unlock(&lane->lock);
		if (!scheduled)
			return;
		if (!has_workers &&
		    plait__external_thread_pump(lane->pool, NULL) == PLAIT_OK)
			continue;
		if (!plait__backoff_step(&backoff))
			plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	}
}

void plait__lane_destroy(plait__lane *lane)
{
	plait__pool *pool;

	if (lane == NULL)
		return;
	pool = lane->pool;
	await_idle(lane);
	plait__command_ring_fini(&lane->ring, &pool->allocator,
				 lane->head.segment);
	plait__cacheline_free(&pool->allocator, lane, sizeof(*lane));
}

/* --- submission --------------------------------------------------------- */

/* Submissions and works have the size that their caller was built with. */
static const plait_submission *
submission_at(const plait_submission *submissions, uint32_t index)
{
	uint64_t each = submissions->size;

	if (each == 0)
		each = sizeof(plait_submission);
	return (const plait_submission *)(const void *)
		((const char *)submissions + index * each);
}

static const plait_work *work_at(const plait_submission *submission,
				 uint32_t index)
{
	uint64_t each = submission->work->size;

	if (each == 0)
		each = sizeof(plait_work);
	return (const plait_work *)(const void *)
		((const char *)submission->work + index * each);
}

/* The contents of one call. */
struct batch {
	const plait_submission *submissions;
	uint32_t count;
	uint64_t work;
	uint64_t entries;
};

static plait_status check_work(const plait_submission *submission,
				plait_error *error)
{
	uint32_t i;

	for (i = 0; i < submission->work_count; i++) {
		const plait_work *work = work_at(submission, i);

		if (work->kind > PLAIT_WORK_WRITE)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "command %u: kind %u is not known",
					   (unsigned)i, (unsigned)work->kind);
		if (work->kind > PLAIT_WORK_CALL &&
		    work->bytes > PLAIT__COMMAND_MAX_BYTES)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "command %u: %llu bytes are more "
					   "than memory has", (unsigned)i,
					   (unsigned long long)work->bytes);
	}
	return PLAIT_OK;
}

static plait_status count_commands(struct batch *batch, plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t i;

	for (i = 0; status == PLAIT_OK && i < batch->count; i++) {
		const plait_submission *one =
			submission_at(batch->submissions, i);

		status = check_work(one, error);
		batch->work += one->work_count;
		batch->entries += (uint64_t)one->work_count + one->wait_count +
			     one->emit_count;
	}
	return status;
}

/* Returns the limit for commands, waits and emissions together. */
static uint64_t max_entries(const plait__lane *lane)
{
	uint64_t max;

	if (__builtin_mul_overflow(lane->capacity, ENTRIES_PER_COMMAND, &max) ||
	    __builtin_add_overflow(max, MIN_ENTRIES, &max))
		return UINT64_MAX;
	return max;
}

static bool fits(plait__lane *lane, uint64_t work, uint64_t entries)
{
	return lane->work_submitted - lane->done_seen + work <=
		       lane->capacity &&
	       at_load_relaxed_u64(&lane->published) - lane->consumed_seen +
			       entries <= max_entries(lane);
}

/* Caller holds lane->lock. Reads the cache line of the running thread only
 * if the last known values do not suffice. */
static bool has_room(plait__lane *lane, uint64_t work, uint64_t entries)
{
	if (fits(lane, work, entries))
		return true;
	/* Acquire: pairs with advance in lane.c; only the numbers are used. */
	lane->consumed_seen = at_load_acquire_u64(&lane->consumed);
	lane->done_seen = at_load_acquire_u64(&lane->done);
	return fits(lane, work, entries);
}

static void append_points(plait__lane *lane, uint32_t kind,
			  const plait_backend_point *points, uint32_t count)
{
	struct plait__command *command;
	uint64_t taken;
	uint32_t i;

	for (i = 0; i < count; i++) {
		command = plait__command_ring_take(&lane->ring, 1, &taken);
		command->kind = kind & 0xff;
		command->counter = (plait__counter *)points[i].signal;
		command->sequence = points[i].sequence;
		command->label = NULL;
	}
}

static void append_work(plait__lane *lane, const plait_submission *submission)
{
	struct plait__command *command;
	uint64_t taken;
	uint32_t i = 0;

	while (i < submission->work_count) {
		command = plait__command_ring_take(
			&lane->ring, submission->work_count - i, &taken);
		for (; taken > 0; taken--)
			plait__command_pack(command++,
					    work_at(submission, i++));
	}
}

static void append(plait__lane *lane, const plait_submission *submission)
{
	append_points(lane, PLAIT__COMMAND_WAIT, submission->waits,
		      submission->wait_count);
	append_work(lane, submission);
	append_points(lane, PLAIT__COMMAND_EMIT, submission->emits,
		      submission->emit_count);
}

/* PLAIT_E_INVALID for a batch that would not fit into an empty lane either. */
static plait_status fail_full(const plait__lane *lane,
			      const struct batch *batch, plait_error *error)
{
	const bool too_much_work = batch->work > lane->capacity;

	if (too_much_work || batch->entries > max_entries(lane))
		return plait__fail(
			error, PLAIT_E_INVALID,
			"queue%s%s: %llu commands%s at once, but "
			"it has room for %llu; submit fewer at a "
			"time, or give it a greater capacity",
			lane->label[0] != '\0' ? " " : "", lane->label,
			(unsigned long long)(too_much_work ? batch->work :
							     batch->entries),
			too_much_work ? "" : ", waits and emissions",
			(unsigned long long)(too_much_work ?
						     lane->capacity :
						     max_entries(lane)));
	return plait__fail(error, PLAIT_E_BUSY,
			   "queue%s%s: %llu commands more, but %llu of at "
			   "most %llu are pending",
			   lane->label[0] != '\0' ? " " : "", lane->label,
			   (unsigned long long)batch->work,
			   (unsigned long long)(lane->work_submitted -
						lane->done_seen),
			   (unsigned long long)lane->capacity);
}

/* Caller holds lane->lock. *out_idle: the lane was idle. */
static plait_status enqueue(plait__lane *lane, const struct batch *batch,
			bool *out_idle, plait_error *error)
{
	uint32_t i;

	if (!has_room(lane, batch->work, batch->entries))
		return fail_full(lane, batch, error);
	if (!plait__command_ring_reserve(&lane->ring, &lane->pool->allocator,
					 batch->entries))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "queue%s%s: no memory for %llu commands",
				   lane->label[0] != '\0' ? " " : "",
				   lane->label,
				   (unsigned long long)batch->entries);
	for (i = 0; i < batch->count; i++)
		append(lane, submission_at(batch->submissions, i));
	lane->work_submitted += batch->work;
	*out_idle = !lane->scheduled;
	lane->scheduled = true;
	/* Release: pairs with the load in lane.c; publishes the commands. */
	at_store_release_u64(&lane->published,
			     at_load_relaxed_u64(&lane->published) +
				     batch->entries);
	return PLAIT_OK;
}

plait_status plait__lane_submit(plait__lane *lane,
				const plait_submission *submissions,
				uint32_t count, plait_error *error)
{
	struct batch batch = { .submissions = submissions, .count = count };
	plait_status status = count_commands(&batch, error);
	bool idle = false;

	if (status != PLAIT_OK || batch.entries == 0)
		return status;
	plait__mutex_lock(&lane->lock);
	status = enqueue(lane, &batch, &idle, error);
	plait__mutex_unlock(&lane->lock);
	/* This thread owns a lane that was idle until the push. */
	if (idle)
		plait__ready_push(&lane->pool->ready, &lane->item);
	return status;
}
