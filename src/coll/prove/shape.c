/* SPDX-License-Identifier: MIT */
/*
 * Shape of a schedule: arrays and indices, connections and the counts of their
 * messages, waits, stores inside their buffers.  Later phases rely on it and
 * check no index again.
 *
 * A read outside its buffer is refused here, too, but as a fault of the value:
 * the chunk holds none.
 */
#include "coll/prove/proof_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/vector.h"

/* Limits that keep all indices below 32 bits and the work of a proof bounded by
 * the size of a schedule that a machine can use. */
enum {
	MAX_RANKS = 1 << 16,
	MAX_STEPS = 1 << 28,
	MAX_CHUNKS = 1 << 26,
	MAX_WORK = 1 << 28	/* chunks of all steps */
};

#define REFUSE(state, ...) \
	plait__proof_refuse(state, PLAIT__PROOF_SHAPE, __VA_ARGS__)

/* ---- arrays ---- */

static plait_status check_sizes(plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;
	uint64_t chunks = 0;

	if (schedule->rank_count == 0 || schedule->rank_count > MAX_RANKS)
		return REFUSE(state, "%u ranks; a schedule has 1 to %u",
			      schedule->rank_count, MAX_RANKS);
	if (schedule->step_count > MAX_STEPS ||
	    schedule->lane_count > MAX_STEPS ||
	    schedule->wait_count > MAX_STEPS)
		return REFUSE(state, "more than %u steps, lanes or waits",
			      MAX_STEPS);
	for (uint32_t rank = 0; rank < schedule->rank_count; rank++) {
		const plait__coll_rank *at = &schedule->ranks[rank];

		chunks += (uint64_t)at->input_chunks + at->output_chunks +
			  at->scratch_chunks;
	}
	if (chunks > MAX_CHUNKS)
		return REFUSE(state, "all ranks have more than %u chunks",
			      MAX_CHUNKS);
	return PLAIT_OK;
}

/* Check that lanes are in the order of ranks. */
static plait_status check_ranks(plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;
	uint64_t lane = 0;

	for (uint32_t rank = 0; rank < schedule->rank_count; rank++) {
		const plait__coll_rank *at = &schedule->ranks[rank];

		if (at->first_lane != lane ||
		    at->lane_count > schedule->lane_count - lane)
			return REFUSE(state, "rank %u: its lanes do not follow "
				      "those of the rank before it", rank);
		for (uint32_t i = 0; i < at->lane_count; i++)
			if (schedule->lanes[lane + i].rank != rank)
				return REFUSE(state, "rank %u: lane %u belongs "
					      "to rank %u", rank, i,
					      schedule->lanes[lane + i].rank);
		lane += at->lane_count;
	}
	if (lane != schedule->lane_count)
		return REFUSE(state, "%lu lanes belong to no rank",
			      (unsigned long)(schedule->lane_count - lane));
	return PLAIT_OK;
}

static bool is_peer(const plait__schedule *schedule, uint32_t rank,
		    int32_t peer)
{
	return peer == -1 || (peer >= 0 && (uint32_t)peer != rank &&
			      (uint32_t)peer < schedule->rank_count);
}

/* Check peers, and that steps are in the order of lanes; fill lane_of. */
static plait_status check_lanes(plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;
	uint64_t step = 0;

	for (uint32_t i = 0; i < state->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];
		uint32_t index = i - schedule->ranks[lane->rank].first_lane;

		if (!is_peer(schedule, lane->rank, lane->send_peer) ||
		    !is_peer(schedule, lane->rank, lane->recv_peer))
			return REFUSE(state, "rank %u lane %u: peers %d and %d; "
				      "a peer is another rank, or -1",
				      lane->rank, index, lane->send_peer,
				      lane->recv_peer);
		if (lane->first_step != step ||
		    lane->step_count > schedule->step_count - step)
			return REFUSE(state, "rank %u lane %u: its steps do not "
				      "follow those of the lane before it",
				      lane->rank, index);
		for (uint64_t k = 0; k < lane->step_count; k++)
			state->lane_of[step + k] = i;
		step += lane->step_count;
	}
	if (step != schedule->step_count)
		return REFUSE(state, "%lu steps belong to no lane",
			      (unsigned long)(schedule->step_count - step));
	return PLAIT_OK;
}

/* ---- steps ---- */

static bool reads_source(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_RECV &&
	       kind != PLAIT__STEP_RECV_SEND;
}

static bool stores_target(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_SEND &&
	       kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

static uint32_t buffer_chunks(const plait__coll_rank *rank, uint32_t buffer)
{
	return buffer == PLAIT__COLL_INPUT ? rank->input_chunks :
	       buffer == PLAIT__COLL_OUTPUT ? rank->output_chunks :
	       rank->scratch_chunks;
}

/* A store outside of its buffer is a fault of shape, a read one of value. */
static plait_status check_range(plait__proof_state *state, uint32_t index,
				bool is_target)
{
	const plait__coll_step *step = &state->schedule->steps[index];
	const plait__coll_lane *lane =
		&state->schedule->lanes[state->lane_of[index]];
	uint32_t buffer = is_target ? step->target_buffer : step->source_buffer;
	uint32_t first = is_target ? step->target : step->source;
	char name[PLAIT__PROOF_NAME_BYTES];
	uint32_t chunks;

	if (buffer > PLAIT__COLL_SCRATCH)
		return REFUSE(state, "%s: no buffer has the number %u",
			      plait__proof_step_name(state, index, name),
			      buffer);
	chunks = buffer_chunks(&state->schedule->ranks[lane->rank], buffer);
	if ((uint64_t)first + step->count <= chunks)
		return PLAIT_OK;
	return plait__proof_refuse(
		state, is_target ? PLAIT__PROOF_SHAPE : PLAIT__PROOF_VALUE,
		"%s: %s %s chunk %lu, but the buffer has %u",
		plait__proof_step_name(state, index, name),
		is_target ? "stores" : "reads", plait__proof_buffer_name(buffer),
		(unsigned long)first + step->count - 1, chunks);
}

static plait_status check_ends(plait__proof_state *state, uint32_t index)
{
	const plait__coll_step *step = &state->schedule->steps[index];
	const plait__coll_lane *lane =
		&state->schedule->lanes[state->lane_of[index]];
	char name[PLAIT__PROOF_NAME_BYTES];

	if (plait__step_sends(step->kind) && lane->send_peer < 0)
		return REFUSE(state, "%s: the lane has no peer to send to",
			      plait__proof_step_name(state, index, name));
	if (plait__step_receives(step->kind) && lane->recv_peer < 0)
		return REFUSE(state, "%s: the lane has no peer to receive from",
			      plait__proof_step_name(state, index, name));
	return PLAIT_OK;
}

static plait_status check_waits(plait__proof_state *state, uint32_t index)
{
	const plait__schedule *schedule = state->schedule;
	const plait__coll_step *step = &schedule->steps[index];
	uint32_t own = state->lane_of[index];
	const plait__coll_rank *rank =
		&schedule->ranks[schedule->lanes[own].rank];
	char name[PLAIT__PROOF_NAME_BYTES];

	if (step->first_wait > schedule->wait_count ||
	    step->wait_count > schedule->wait_count - step->first_wait)
		return REFUSE(state, "%s: its waits are outside of the array",
			      plait__proof_step_name(state, index, name));
	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];

		if (wait->lane < rank->first_lane || wait->lane == own ||
		    wait->lane - rank->first_lane >= rank->lane_count)
			return REFUSE(state, "%s: a wait does not name another "
				      "lane of its rank",
				      plait__proof_step_name(state, index,
							     name));
		if (wait->step >= schedule->lanes[wait->lane].step_count)
			return REFUSE(state, "%s waits for step %u of lane %u, "
				      "which has %lu steps",
				      plait__proof_step_name(state, index,
							     name),
				      wait->step,
				      wait->lane - rank->first_lane,
				      (unsigned long)schedule->lanes[wait->lane]
					      .step_count);
	}
	return PLAIT_OK;
}

static plait_status check_step(plait__proof_state *state, uint32_t index)
{
	const plait__coll_step *step = &state->schedule->steps[index];
	char name[PLAIT__PROOF_NAME_BYTES];
	plait_status status;

	if (step->kind > PLAIT__STEP_REDUCE)
		return REFUSE(state, "%s: no step has the kind %u",
			      plait__proof_step_name(state, index, name),
			      step->kind);
	if ((step->count == 0) != (step->kind == PLAIT__STEP_NOP))
		return REFUSE(state, "%s: %u chunks",
			      plait__proof_step_name(state, index, name),
			      step->count);
	status = check_ends(state, index);
	if (!status)
		status = check_waits(state, index);
	if (!status && stores_target(step->kind))
		status = check_range(state, index, true);
	return status;
}

static plait_status check_steps(plait__proof_state *state)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < state->step_count && !status; i++)
		status = check_step(state, i);
	return status;
}

static plait_status check_reads(plait__proof_state *state)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < state->step_count && !status; i++)
		if (reads_source(state->schedule->steps[i].kind))
			status = check_range(state, i, false);
	return status;
}

/* ---- connections ---- */

/* An end of a connection: the lane that sends, or that receives. */
typedef struct lane_end {
	uint32_t from, to, channel, lane;
} lane_end;

static int compare_numbers(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_connections(const lane_end *left, const lane_end *right)
{
	int result = compare_numbers(left->from, right->from);

	if (result == 0)
		result = compare_numbers(left->to, right->to);
	return result ? result : compare_numbers(left->channel, right->channel);
}

static int compare_ends(const void *left, const void *right)
{
	const lane_end *one = left, *other = right;
	int result = compare_connections(one, other);

	return result ? result : compare_numbers(one->lane, other->lane);
}

/* List the lanes that send, or that receive, sorted by connection. */
static int list_ends(const plait__proof_state *state, bool sending,
		     plait__vector *ends)
{
	plait__vector_init(ends, state->allocator, sizeof(lane_end));
	for (uint32_t i = 0; i < state->lane_count; i++) {
		const plait__coll_lane *lane = &state->schedule->lanes[i];
		int32_t peer = sending ? lane->send_peer : lane->recv_peer;
		lane_end item = { lane->rank, (uint32_t)peer, lane->channel, i };

		if (!sending) {
			item.from = (uint32_t)peer;
			item.to = lane->rank;
		}
		if (peer >= 0 && !PLAIT__VECTOR_ADD(ends, &item))
			return -1;
	}
	plait__vector_sort(ends, compare_ends);
	return 0;
}

static plait_status check_unique(plait__proof_state *state,
				 const plait__vector *ends, const char *verb)
{
	for (uint32_t i = 1; i < ends->count; i++) {
		const lane_end *one = plait__vector_at(ends, i - 1);
		const lane_end *other = plait__vector_at(ends, i);

		if (compare_connections(one, other) == 0)
			return REFUSE(state, "two lanes %s on channel %u from "
				      "rank %u to rank %u", verb,
				      one->channel, one->from, one->to);
	}
	return PLAIT_OK;
}

static void match(plait__proof_state *state, const plait__vector *senders,
		  const plait__vector *receivers)
{
	uint32_t i = 0, k = 0;

	while (i < senders->count && k < receivers->count) {
		const lane_end *sender = plait__vector_at(senders, i);
		const lane_end *receiver = plait__vector_at(receivers, k);
		int order = compare_connections(sender, receiver);

		if (order == 0) {
			state->receiver[sender->lane] = receiver->lane;
			state->sender[receiver->lane] = sender->lane;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

static plait_status match_lanes(plait__proof_state *state)
{
	plait__vector senders, receivers;
	plait_status status;

	for (uint32_t i = 0; i < state->lane_count; i++)
		state->sender[i] = state->receiver[i] = PLAIT__PROOF_NO_LANE;
	if (list_ends(state, true, &senders) |
	    list_ends(state, false, &receivers)) {
		status = plait__proof_no_memory(state);
	} else {
		status = check_unique(state, &senders, "send");
		if (!status)
			status = check_unique(state, &receivers, "receive");
	}
	if (!status)
		match(state, &senders, &receivers);
	plait__vector_fini(&senders);
	plait__vector_fini(&receivers);
	return status;
}

/* ---- messages ---- */

static void list_messages(plait__proof_state *state)
{
	uint32_t sends = 0, receipts = 0, step = 0;

	for (uint32_t i = 0; i < state->lane_count; i++) {
		state->first_send[i] = sends;
		state->first_receipt[i] = receipts;
		for (; step < state->step_count && state->lane_of[step] == i;
		     step++) {
			uint32_t kind = state->schedule->steps[step].kind;

			if (plait__step_sends(kind))
				state->sends[sends++] = step;
			if (plait__step_receives(kind))
				state->receipts[receipts++] = step;
		}
	}
	state->first_send[state->lane_count] = sends;
	state->first_receipt[state->lane_count] = receipts;
}

static uint32_t sends_of(const plait__proof_state *state, uint32_t lane)
{
	return lane == PLAIT__PROOF_NO_LANE ? 0 :
	       state->first_send[lane + 1] - state->first_send[lane];
}

static uint32_t receipts_of(const plait__proof_state *state, uint32_t lane)
{
	return lane == PLAIT__PROOF_NO_LANE ? 0 :
	       state->first_receipt[lane + 1] - state->first_receipt[lane];
}

/* Refuse the first send of a lane that is received nowhere, or the first
 * receipt that nothing is sent to. */
static plait_status check_numbers(plait__proof_state *state, uint32_t lane)
{
	uint32_t sends = sends_of(state, lane);
	uint32_t receipts = receipts_of(state, lane);
	uint32_t received = receipts_of(state, state->receiver[lane]);
	uint32_t sent = sends_of(state, state->sender[lane]);
	char name[PLAIT__PROOF_NAME_BYTES];

	if (sends > received)
		return REFUSE(state, "%s: rank %d receives %u of the %u "
			      "messages on channel %u",
			      plait__proof_step_name(state,
				      state->sends[state->first_send[lane] +
						   received], name),
			      state->schedule->lanes[lane].send_peer, received,
			      sends, state->schedule->lanes[lane].channel);
	if (receipts > sent)
		return REFUSE(state, "%s: rank %d sends %u of the %u messages "
			      "on channel %u",
			      plait__proof_step_name(state,
				      state->receipts[state->first_receipt
							      [lane] + sent],
				      name),
			      state->schedule->lanes[lane].recv_peer, sent,
			      receipts, state->schedule->lanes[lane].channel);
	return PLAIT_OK;
}

/* Check that the k-th send and the k-th receipt of a connection have equal
 * counts. check_numbers has passed for all lanes. */
static plait_status check_counts(plait__proof_state *state, uint32_t lane)
{
	const plait__coll_step *steps = state->schedule->steps;
	const uint32_t *sends, *receipts;
	char one[PLAIT__PROOF_NAME_BYTES], other[PLAIT__PROOF_NAME_BYTES];

	if (sends_of(state, lane) == 0)
		return PLAIT_OK;
	sends = &state->sends[state->first_send[lane]];
	receipts = &state->receipts[state->first_receipt[state->receiver[lane]]];
	for (uint32_t i = 0; i < sends_of(state, lane); i++)
		if (steps[sends[i]].count != steps[receipts[i]].count)
			return REFUSE(state, "%s sends %u chunks, %s receives "
				      "%u",
				      plait__proof_step_name(state, sends[i],
							     one),
				      steps[sends[i]].count,
				      plait__proof_step_name(state, receipts[i],
							     other),
				      steps[receipts[i]].count);
	return PLAIT_OK;
}

static plait_status check_messages(plait__proof_state *state)
{
	plait_status status = PLAIT_OK;

	list_messages(state);
	for (uint32_t i = 0; i < state->lane_count && !status; i++)
		status = check_numbers(state, i);
	for (uint32_t i = 0; i < state->lane_count && !status; i++)
		status = check_counts(state, i);
	return status;
}

/* ---- all ---- */

static uint32_t *numbers(const plait__proof_state *state, uint64_t count,
			 bool *failed)
{
	uint32_t *array = plait__alloc_array(state->allocator, count,
					     sizeof(uint32_t));

	*failed |= count > 0 && array == NULL;
	return array;
}

static plait_status allocate(plait__proof_state *state)
{
	uint64_t lanes = state->schedule->lane_count;
	uint64_t steps = state->schedule->step_count;
	bool failed = false;

	state->lane_count = (uint32_t)lanes;
	state->step_count = (uint32_t)steps;
	state->sender = numbers(state, lanes, &failed);
	state->receiver = numbers(state, lanes, &failed);
	state->first_send = numbers(state, lanes + 1, &failed);
	state->first_receipt = numbers(state, lanes + 1, &failed);
	state->sends = numbers(state, steps, &failed);
	state->receipts = numbers(state, steps, &failed);
	state->lane_of = numbers(state, steps, &failed);
	state->order = numbers(state, steps, &failed);
	return failed ? plait__proof_no_memory(state) : PLAIT_OK;
}

static plait_status check_work(plait__proof_state *state)
{
	uint64_t chunks = 0;

	for (uint32_t i = 0; i < state->step_count; i++)
		chunks += state->schedule->steps[i].count;
	if (chunks > MAX_WORK)
		return REFUSE(state, "all steps have more than %u chunks",
			      MAX_WORK);
	return PLAIT_OK;
}

/* Fill the numbers of the proof. */
static plait_status count(plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;
	plait__proof *proof = state->proof;

	proof->steps = schedule->step_count;
	for (uint32_t i = 0; i < schedule->rank_count; i++)
		if (schedule->ranks[i].lane_count > proof->lanes)
			proof->lanes = schedule->ranks[i].lane_count;
	for (uint32_t i = 0; i < state->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];

		if (lane->step_count > proof->steps_max)
			proof->steps_max = (uint32_t)lane->step_count;
		if (lane->channel >= proof->channels)
			proof->channels = lane->channel + 1;
	}
	for (uint32_t i = 0; i < state->step_count; i++)
		if (schedule->steps[i].count > proof->count_max)
			proof->count_max = schedule->steps[i].count;
	return PLAIT_OK;
}

plait_status plait__shape_check(plait__proof_state *state)
{
	static plait_status (*const parts[])(plait__proof_state *) = {
		check_sizes, allocate, check_ranks, check_lanes, count,
		check_steps, match_lanes, check_messages, check_work,
		check_reads
	};
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = parts[i](state);
		if (status)
			return status;
	}
	return status;
}
