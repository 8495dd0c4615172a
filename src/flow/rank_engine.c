/* SPDX-License-Identifier: MIT */
/* Ops that other ranks finish, and the thread of the flow; see rank_engine.h. */
#include "flow/rank_engine.h"

#include "flow/commit.h"
#include "flow/rank_end.h"
#include "flow/rank_exit.h"
#include "flow/rank_horizon.h"
#include "flow/rank_mail.h"
#include "flow/rank_move.h"
#include "flow/rank_place.h"
#include "flow/rank_poll.h"
#include "flow/rank_silence.h"
#include "flow/rank_slots.h"
#include "flow/rank_stop.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"

enum {
	YIELDS = 4,		/* of 0.3 us, before the thread sleeps */
	LOOK = 16,		/* turns between two looks at mail */
	SLEEP_NS = 5000000,	/* with a bell */
	END_NS = 1000000,	/* at the end: a slot that is taken rings no bell */
	POLL_NS = 200000,	/* without one */
	PEERS_NS = 50000000
};

/* ---- records ---- */

/* A plait__flow_arrival: finish the op.  Caller is a worker and holds no lock. */
static void finish(plait__flow_arrival *arrival)
{
	plait__rank_record *record = (plait__rank_record *)(void *)arrival;
	plait__flow_lanes *lanes = &record->ranks->flow->lanes;
	uint64_t number = record->number;

	if (record->why.status != PLAIT_OK)
		plait__outcomes_fail(&lanes->outcomes, number,
				     plait__op_at(&lanes->ring, number)->label,
				     &record->why);
	plait__rank_move_free(record);
	plait__flow_lanes_complete(lanes, number);
}

/* Caller holds the lock. */
static plait__rank_record *take(plait__flow_ranks *ranks)
{
	plait__rank_record *record = ranks->spare;

	if (record != NULL)
		ranks->spare = record->next;
	else
		record = plait__alloc(plait__rank_allocator(ranks),
				      sizeof(*record));
	if (record == NULL)
		return NULL;
	record->arrival.collect = finish;
	record->ranks = ranks;
	record->state = PLAIT__RANK_WAITING;
	record->has_begun = false;
	record->number = 0;
	record->submission = record->hash = 0;
	record->rows = (plait__rank_rows){ .memory = NULL };
	record->moved = 0;
	plait__error_clear(&record->why);
	return record;
}

static void append(plait__rank_queue *queue, plait__rank_record *record)
{
	record->next = NULL;
	if (queue->first == NULL)
		queue->first = record;
	else
		queue->last->next = record;
	queue->last = record;
}

/* ---- ops ---- */

/* Caller holds the lock. */
static void note_ready(const plait__rank_record *record)
{
	plait__flow_ranks *ranks = record->ranks;
	at_u64 *ready = record->sends ? &ranks->ready_sends :
					&ranks->ready_receives;

	/* A wait for a horizon has no link. */
	if (record->peer == ranks->rank)
		return;
	/* Relaxed: a hint. */
	at_store_relaxed_u64(ready, at_load_relaxed_u64(ready) |
					    UINT64_C(1) << record->peer);
}

/* Note that the op of a record has begun; number 0: it is not run.  The record may
 * not have its number yet: the submitter holds the lock until it has.  Returns true
 * if the record is the first one of its queue. */
static bool note_begun(plait__rank_record *record, uint64_t number)
{
	plait__flow_ranks *ranks = record->ranks;
	const plait__rank_peer *peer = &ranks->peers[record->peer];
	bool is_first;

	plait__mutex_lock(&ranks->lock);
	if (number == 0)
		(void)plait__outcomes_peek(&ranks->flow->lanes.outcomes,
					   record->number, &record->why);
	record->state = number == 0 ? PLAIT__RANK_SPOILED : PLAIT__RANK_READY;
	note_ready(record);
	is_first = (record->sends ? peer->sends.first : peer->receives.first) ==
		   record;
	plait__mutex_unlock(&ranks->lock);
	return is_first;
}

/* The same, and move what its link allows.  Returns true if the record is
 * complete, and the caller's.  Caller holds `moving`. */
static bool move_here(plait__rank_record *record, uint64_t number)
{
	plait__flow_ranks *ranks = record->ranks;

	ranks->begun = record;
	if (note_begun(record, number))
		(void)plait__rank_move_peer(ranks, record);
	if (ranks->begun == NULL)
		return true;
	ranks->begun = NULL;
	return false;
}

/* A plait__op_begin. */
static plait_status begin(void *user_data, uint64_t number, plait_error *error)
{
	plait__rank_record *record = user_data;
	plait__flow_ranks *ranks = record->ranks;
	plait_status status = PLAIT_PENDING;

	if (number != 0 && record->rows.memory != NULL &&
	    plait__rank_move_enter(ranks)) {
		if (move_here(record, number)) {
			status = plait__error_copy(error, &record->why);
			plait__rank_move_use(record);
		}
		plait__rank_move_leave(ranks);
	} else {
		(void)note_begun(record, number);
	}
	/* Not during a nap: the worker polls. */
	if (status == PLAIT_PENDING)
		plait__slot_link_ring(&ranks->bell);
	return status;
}

/* Commit the op of a record, with the flow's accesses.  Caller holds both locks:
 * the op may begin at once. */
static plait_status commit(plait__rank_record *record, plait__flow_task *task,
			   plait_error *error)
{
	plait_status status;

	task->filled.user_data = record;
	status = plait__commit_task(task, error);
	record->number = task->number;
	return status;
}

static void make_task(plait__flow_task *out, plait__flow_ranks *ranks,
		      uint32_t accesses, const char *label)
{
	plait__flow_task_clear(out, ranks->flow);
	out->kind = PLAIT__OP_ASYNC;
	out->is_late = out->is_always = true;
	out->label = label;
	out->access_count = accesses;
	out->filled.call.begin = begin;
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a transfer");
}

/* A prepared task, which is placed. */
static plait_status commit_transfer(plait__flow_ranks *ranks,
				    const plait__rank_step *step,
				    plait__flow_task *task, plait_error *error)
{
	plait__rank_peer *peer = &ranks->peers[step->peer];
	plait__rank_record *record;
	plait_status status;

	plait__mutex_lock(&ranks->lock);
	record = take(ranks);
	if (record == NULL) {
		plait__mutex_unlock(&ranks->lock);
		return fail_memory(error);
	}
	record->peer = step->peer;
	record->sends = step->sends;
	record->transfer = step->transfer;
	record->submission = ranks->submission;
	record->hash = ranks->hash;
	record->rows = plait__rank_slots_rows(step->data, &step->box);
	status = commit(record, task, error);
	if (status == PLAIT_OK)
		append(step->sends ? &peer->sends : &peer->receives, record);
	else
		plait__rank_keep(ranks, record);
	plait__mutex_unlock(&ranks->lock);
	return status;
}

plait_status plait__rank_engine_transfer(plait__flow_ranks *ranks,
					 const plait__rank_step *step,
					 const plait__device_split *split,
					 plait_error *error)
{
	const plait__rank_peer *peer = &ranks->peers[step->peer];
	plait__flow *flow = ranks->flow;
	plait__flow_task task;
	plait_status status;

	if (!plait__commit_reserve_accesses(flow, 1))
		return fail_memory(error);
	make_task(&task, ranks, 1, step->sends ? peer->to : peer->from);
	flow->accesses[0] = (plait__flow_access){
		.whole = step->data, .box = step->box,
		.map = &step->data->map,
		.mode = step->sends ? PLAIT__ACCESS_READS :
				      PLAIT__ACCESS_WRITES,
	};
	status = plait__rank_place_begin(&task, split, error);
	if (status == PLAIT_OK)
		status = commit_transfer(ranks, step, &task, error);
	plait__rank_place_end(&task, status);
	return status;
}

/* Caller holds the lock. */
static void keep_wait(plait__flow_ranks *ranks, plait__rank_record *record)
{
	ranks->horizon_wait = record;
	/* Relaxed: see pass_horizon. */
	at_store_relaxed_u32(&ranks->has_horizon_wait, 1);
}

plait_status plait__rank_engine_wait(plait__flow_ranks *ranks,
				     uint64_t horizon, uint64_t *out,
				     plait_error *error)
{
	plait__rank_record *record;
	plait__flow_task task;
	plait_status status;

	make_task(&task, ranks, 0, "horizon");
	plait__mutex_lock(&ranks->lock);
	record = take(ranks);
	status = record == NULL ? fail_memory(error) : PLAIT_OK;
	if (status == PLAIT_OK) {
		record->transfer = horizon;
		record->peer = ranks->rank; /* which has no records */
		record->sends = false;
		status = commit(record, &task, error);
		*out = record->number;
		if (status == PLAIT_OK)
			keep_wait(ranks, record);
		else
			plait__rank_keep(ranks, record);
	}
	plait__mutex_unlock(&ranks->lock);
	return status;
}

/* ---- the thread: ranks that end ---- */

/* Of a rank that has ended, or that submits no more, nothing comes that is not
 * there at the next look. */
static void check_peer(plait__flow_ranks *ranks, uint32_t rank)
{
	plait__rank_peer *peer = &ranks->peers[rank];

	if (peer->is_lost)
		return;
	peer->why.size = sizeof(peer->why);
	if (plait__world_port_check_peer(plait__world_route(ranks->world,
							    rank),
					 rank, &peer->why) == PLAIT_OK)
		return;
	peer->is_lost = peer->is_suspect;
	peer->is_suspect = true;
}

static void check_peers(plait__flow_ranks *ranks, uint64_t *next)
{
	uint64_t now = plait__clock_now_ns();

	if (now < *next)
		return;
	*next = now + PEERS_NS;
	plait__mutex_lock(&ranks->moving);
	for (uint32_t i = 0; i < ranks->count; i++)
		if (i != ranks->rank)
			check_peer(ranks, i);
	plait__mutex_unlock(&ranks->moving);
}

/* ---- the thread: its end ---- */

/* Returns true if all is sent: the op of a send that was not run is done before its
 * failure is. */
static bool is_sent(plait__flow_ranks *ranks)
{
	bool is_empty = true;

	plait__mutex_lock(&ranks->lock);
	for (uint32_t i = 0; i < ranks->count; i++)
		is_empty &= ranks->peers[i].sends.first == NULL;
	plait__mutex_unlock(&ranks->lock);
	return is_empty;
}

/* Returns true if all ranks that live took all slots.  One that has ended its flow
 * did; its counter may not have come. */
static bool is_drained(plait__flow_ranks *ranks)
{
	bool is_done = true;

	plait__mutex_lock(&ranks->moving);
	plait__mutex_lock(&ranks->lock);
	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__rank_peer *peer = &ranks->peers[i];

		/* Acquire: pairs with the release in plait__slot_link_pop. */
		is_done &= i == ranks->rank || peer->is_lost || peer->is_over ||
			   at_load_acquire_u64(peer->send.taken) ==
				   peer->send.own;
	}
	plait__mutex_unlock(&ranks->lock);
	plait__mutex_unlock(&ranks->moving);
	return is_done;
}

/* The process ends, and waits until all is sent. */
static void leave(plait__flow_ranks *ranks)
{
	/* Acquire: pairs with the release in rank_exit.c. */
	if (at_load_acquire_u32(&ranks->leaves) != 0 &&
	    (plait__rank_stop_is_set(ranks) ||
	     (is_sent(ranks) && is_drained(ranks) &&
	      plait__rank_horizon_leave(ranks))))
		/* Release: pairs with the acquire in rank_exit.c. */
		at_store_release_u32(&ranks->has_left, 1);
}

static void say_farewell(plait__flow_ranks *ranks)
{
	plait__horizon last;

	plait__mutex_lock(&ranks->lock);
	last = plait__program_hash_end(&ranks->program, PLAIT__HORIZON_LAST);
	plait__mutex_unlock(&ranks->lock);
	(void)plait__rank_horizon_send(ranks, &last, NULL);
}

/* Returns true if the programs of all ranks that live equal this rank's. */
static bool is_compared(plait__flow_ranks *ranks)
{
	bool is_done;

	plait__mutex_lock(&ranks->moving);
	plait__mutex_lock(&ranks->lock);
	is_done = plait__rank_horizon_are_equal(ranks);
	plait__mutex_unlock(&ranks->lock);
	plait__mutex_unlock(&ranks->moving);
	return is_done;
}

/* Returns true if the thread is to leave. */
static bool is_over(plait__flow_ranks *ranks, bool *said)
{
	if (at_load_acquire_u32(&ranks->stops) != 0)
		return true;
	/* Acquire: pairs with the release in plait__rank_engine_end. */
	if (at_load_acquire_u32(&ranks->ends) == 0 || !is_sent(ranks))
		return false;
	if (!*said)
		say_farewell(ranks);
	*said = true;
	return plait__rank_stop_is_set(ranks) ||
	       (is_drained(ranks) && is_compared(ranks));
}

/* ---- the thread ---- */

/* Sleep until the bell rings, unless something moves meanwhile; or nap while workers
 * poll. */
static bool rest(plait__flow_ranks *ranks)
{
	uint32_t state;
	bool moved;

	if (plait__rank_poll_nap(ranks))
		return false;
	state = plait__slot_link_announce(&ranks->bell);
	moved = plait__rank_move_all(ranks);
	if (!moved && at_load_acquire_u32(&ranks->stops) == 0)
		plait__slot_link_sleep(&ranks->bell, state,
				       plait__clock_now_ns() +
				       (!ranks->has_bell ? POLL_NS :
					at_load_relaxed_u32(&ranks->ends) != 0 ?
						END_NS : SLEEP_NS));
	plait__slot_link_withdraw(&ranks->bell);
	return moved;
}

/* Returns true if a thread has moved slots since the last look. */
static bool has_moved(plait__flow_ranks *ranks)
{
	/* Relaxed: a count to be compared. */
	uint32_t moves = at_load_relaxed_u32(&ranks->moves);
	bool moved = moves != ranks->moves_seen;

	ranks->moves_seen = moves;
	return moved;
}

static void run(void *arg)
{
	plait__flow_ranks *ranks = arg;
	uint64_t next_peers = 0;
	uint32_t turns = 0, idle = 0;
	bool said = false;

	while (!is_over(ranks, &said)) {
		bool moved = plait__rank_move_all(ranks);

		plait__flow_lanes_share_late(&ranks->flow->lanes);
		leave(ranks);
		idle = moved ? 0 : idle + 1;
		if (turns++ % LOOK == 0 || idle > YIELDS)
			plait__rank_mail_look(ranks);
		if (idle > YIELDS || turns % 4096 == 0)
			check_peers(ranks, &next_peers);
		if (moved || has_moved(ranks))
			plait__rank_silence_end(ranks);
		else if (idle > YIELDS)
			plait__rank_silence_look(ranks);
		if (idle > YIELDS) {
			plait__rank_horizon_tell(ranks);
			/* Relaxed: is_over orders it. */
			if (at_load_relaxed_u32(&ranks->ends) != 0)
				plait__rank_end_look(ranks);
			if (rest(ranks)) {
				idle = 0;
				plait__rank_silence_end(ranks);
			}
		} else if (!moved && !plait__rank_poll_nap(ranks)) {
			plait__thread_yield();
		}
	}
	if (!said)
		return;
	plait__rank_end_report(ranks);
	/* Nothing more is awaited.  Release: pairs with rank_exit.c. */
	at_store_release_u32(&ranks->has_left, 1);
	plait__rank_exit_remove(ranks);
	plait__object_drop_deferred(&ranks->flow->object);
}

plait_status plait__rank_engine_start(plait__flow_ranks *ranks,
				      plait_error *error)
{
	if (plait__thread_start(&ranks->thread, "plait/ranks", run, ranks,
				NULL) != 0)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no thread for a flow over a world");
	ranks->has_thread = true;
	return PLAIT_OK;
}

void plait__rank_engine_end(plait__flow_ranks *ranks)
{
	/* Release: pairs with is_over. */
	at_store_release_u32(&ranks->ends, 1);
	plait__rank_stop_ring(ranks);
}

void plait__rank_engine_stop(plait__flow_ranks *ranks)
{
	const plait_error why = { .size = sizeof(why),
				  .status = PLAIT_E_CANCELLED,
				  .text = "the flow was not created" };

	if (ranks->has_thread && at_load_acquire_u32(&ranks->ends) == 0)
		plait__rank_stop_all(ranks, &why);
	at_store_release_u32(&ranks->stops, 1);
	if (ranks->has_thread) {
		plait__rank_stop_ring(ranks);
		plait__thread_join(&ranks->thread);
	}
}

void plait__rank_engine_free(plait__flow_ranks *ranks)
{
	plait__rank_record *next;

	for (plait__rank_record *at = ranks->spare; at != NULL; at = next) {
		next = at->next;
		plait__free(plait__rank_allocator(ranks), at, sizeof(*at));
	}
	for (plait__rank_record *at = ranks->used; at != NULL; at = next) {
		next = at->next;
		plait__free(plait__rank_allocator(ranks), at, sizeof(*at));
	}
}
