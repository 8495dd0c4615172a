/* SPDX-License-Identifier: MIT */
/* Scenarios of lent memory: streams, and memory that is taken back. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lent.h"
#include "rank.h"

enum { MOST_RANKS = 8 };

/* One end of a stream. */
struct end {
	struct half half;
	bool sends;
	unsigned char *memory; /* a piece for each slot */
	uint64_t returned;     /* sender: messages whose memory was changed */
	bool has_lent;	       /* receiver: for the next message */
	uint64_t room_bytes;
	bool reclaims;
};

static uint64_t most_bytes;

/* --- messages ------------------------------------------------------------- */

static uint64_t length(uint32_t from, uint32_t to, uint64_t index)
{
	uint64_t mixed = (from * 31 + to * 17 + index) *
			 UINT64_C(0x9e3779b97f4a7c15);

	return (mixed >> 60) == 0 ? mixed >> 40 & 1
				  : (mixed >> 20) % most_bytes + 1;
}

static unsigned char pattern(uint32_t from, uint64_t index, uint64_t i)
{
	return (unsigned char)(from * 101 + index * 7 + i * 13 + (i >> 8));
}

static void fill(unsigned char *bytes, uint32_t from, uint64_t index,
		 uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		bytes[i] = pattern(from, index, i);
}

static void check(const unsigned char *bytes, uint32_t from, uint64_t index,
		  uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		if (bytes[i] != pattern(from, index, i))
			rank_must(false, __FILE__, __LINE__, "contents");
}

static plait_link_slot *slot_of(const struct half *half)
{
	return (plait_link_slot *)(void *)(half->view.slots + half->count %
					   half->view.depth *
					   half->view.stride);
}

static plait_status lend(const struct half *half, void *memory, uint64_t bytes)
{
	return rank.table.link_lend(rank.self, half->link, memory, bytes,
				    &rank.error);
}

static plait_status reclaim(const struct half *half)
{
	return rank.table.link_reclaim(rank.self, half->link, &rank.error);
}

static uint64_t lent(const struct half *half)
{
	return __atomic_load_n(half->view.lent, __ATOMIC_ACQUIRE);
}

static void send_lent(struct half *half, unsigned char *memory, uint64_t bytes)
{
	plait_link_slot *slot = slot_of(half);

	fill(memory, rank.facts.rank, half->count, bytes);
	memset(slot + 1, 0xee, bytes);
	MUST(lend(half, memory, bytes) == PLAIT_OK);
	slot->bytes = bytes;
	__atomic_store_n(half->view.ready, ++half->count, __ATOMIC_RELEASE);
}

static void take(struct half *half)
{
	__atomic_store_n(half->view.taken, ++half->count, __ATOMIC_RELEASE);
}

/* --- streams -------------------------------------------------------------- */

static unsigned char *piece(const struct end *end, uint64_t index)
{
	return end->memory + index % end->half.view.depth * most_bytes;
}

/* Change what the transport has let go of. */
static void change(struct end *end, uint64_t until)
{
	for (; end->returned < until; end->returned++)
		memset(piece(end, end->returned), 0x55, most_bytes);
}

static void send_next(struct end *end)
{
	struct half *half = &end->half;
	uint64_t bytes = length(rank.facts.rank, half->peer, half->count);

	change(end, lent(half));
	if (rank_random(16) == 0 && reclaim(half) == PLAIT_OK)
		change(end, half->count);
	if (!rank_can_fill(half) || end->returned + half->view.depth <=
				    half->count)
		return;
	if (bytes > 0 && rank_random(3) > 0) {
		send_lent(half, piece(end, half->count), bytes);
		return;
	}
	fill((unsigned char *)(slot_of(half) + 1), rank.facts.rank,
	     half->count, bytes);
	slot_of(half)->bytes = bytes;
	__atomic_store_n(half->view.ready, ++half->count, __ATOMIC_RELEASE);
}

/* Lend room of the right size, or of another one, or the slot; or take it
 * back. */
static void lend_room(struct end *end)
{
	struct half *half = &end->half;
	uint64_t bytes = length(half->peer, rank.facts.rank, half->count);

	end->reclaims |= end->has_lent && rank_random(16) == 0;
	if (end->reclaims && reclaim(half) == PLAIT_OK) {
		memset(end->memory, 0x55, most_bytes);
		end->reclaims = false;
		end->has_lent = false;
	}
	if (end->has_lent || end->reclaims || bytes == 0 ||
	    rank_random(4) == 0)
		return;
	if (rank_random(4) == 0)
		bytes = bytes > 1 ? bytes - 1 : bytes + 1;
	if (bytes > most_bytes)
		return;
	end->room_bytes = bytes;
	end->has_lent = lend(half, rank_random(4) == 0 ? NULL : end->memory,
			     bytes) == PLAIT_OK;
}

static void receive_next(struct end *end)
{
	struct half *half = &end->half;
	const plait_link_slot *slot = slot_of(half);
	uint64_t bytes = length(half->peer, rank.facts.rank, half->count);

	if (!rank_can_read(half)) {
		lend_room(end);
		return;
	}
	MUST(slot->bytes == bytes);
	if (lent(half) == half->count + 1) {
		MUST(end->has_lent && end->room_bytes == bytes);
		check(end->memory, half->peer, half->count, bytes);
	} else {
		check((const unsigned char *)(slot + 1), half->peer,
		      half->count, bytes);
	}
	end->has_lent = false;
	end->reclaims = false;
	take(half);
}

static void make_end(struct end *end, plait_link_direction direction,
		     uint32_t peer, uint32_t depth)
{
	memset(end, 0, sizeof(*end));
	end->sends = direction == PLAIT_LINK_SEND;
	end->half = rank_half(direction, peer, 5, depth, most_bytes);
	MUST(end->half.view.lent != NULL);
	end->memory = malloc(depth * most_bytes);
	MUST(end->memory != NULL);
}

static void end_stream(struct end *end, uint64_t messages)
{
	if (end->sends)
		rank_await(end->half.view.taken, messages);
	while (reclaim(&end->half) != PLAIT_OK)
		rank_pump();
	rank_destroy(&end->half);
	free(end->memory);
}

void lent_streams(uint32_t depth, uint64_t slot_bytes, uint64_t messages)
{
	static struct end ends[2 * MOST_RANKS];
	uint32_t i, left, count;

	most_bytes = slot_bytes;
	rank_open(0);
	count = 2 * rank.facts.ranks;
	MUST(rank.facts.ranks <= MOST_RANKS);
	for (i = 0; i < count; i++)
		make_end(&ends[i], i % 2 == 0 ? PLAIT_LINK_SEND :
						PLAIT_LINK_RECEIVE,
			 i / 2, depth);
	do {
		for (i = left = 0; i < count; i++) {
			if (ends[i].half.count == messages)
				continue;
			left++;
			if (rank_random(3) == 0)
				continue;
			if (ends[i].sends)
				send_next(&ends[i]);
			else
				receive_next(&ends[i]);
		}
		rank_pump();
	} while (left > 0);
	for (i = 0; i < count; i++)
		end_stream(&ends[i], messages);
	rank_meet();
	rank_close();
}

/* --- taken back ----------------------------------------------------------- */

enum { BYTES = 300000 };

static unsigned char memory[BYTES];

/* The receiver takes back before a message has left; the sender before, and
 * behind that. */
static void reclaim_turn(struct half *half, uint64_t pumps)
{
	uint64_t i;

	if (rank.facts.rank == 1) {
		MUST(lend(half, memory, BYTES) == PLAIT_OK);
		MUST(reclaim(half) == PLAIT_OK);
		memset(memory, 0xaa, BYTES);
	}
	rank_meet();
	if (rank.facts.rank == 0) {
		send_lent(half, memory, BYTES);
		MUST(pumps > 0 || reclaim(half) == PLAIT_OK);
		for (i = 0; i < pumps; i++)
			rank_pump();
		while (reclaim(half) != PLAIT_OK)
			rank_pump();
		memset(memory, 0x55, BYTES);
	}
	rank_meet();
	if (rank.facts.rank == 0) {
		rank_await(half->view.taken, half->count);
	} else {
		rank_await(half->view.ready, half->count + 1);
		MUST(lent(half) == 0);
		check((unsigned char *)(slot_of(half) + 1), 0, half->count,
		      BYTES);
		MUST(memory[0] == 0xaa && memory[BYTES - 1] == 0xaa);
		take(half);
	}
	rank_meet();
}

void lent_reclaims(void)
{
	struct half half;
	uint64_t i;

	rank_open(0);
	half = rank_half(rank.facts.rank == 0 ? PLAIT_LINK_SEND :
						PLAIT_LINK_RECEIVE,
			 rank.facts.rank == 0, 7, 2, BYTES);
	for (i = 0; i < 8; i++)
		reclaim_turn(&half, i % 4 * 3);
	rank_destroy(&half);
	rank_meet();
	rank_close();
}

/* The head has left, and the sender stops. */
static void stop_sender(struct half *half)
{
	int process = (int)getpid();

	send_lent(half, memory, BYTES);
	rank_pump();
	rank_mail(1, &process, sizeof(process));
	raise(SIGSTOP);
	rank_await(half->view.lent, 1);
}

static void reclaim_stopped(struct half *half)
{
	unsigned char bytes[1 << 16];
	uint32_t peer;
	int process;

	MUST(lend(half, memory, BYTES) == PLAIT_OK);
	MUST(rank_next(&peer, bytes) == sizeof(process));
	memcpy(&process, bytes, sizeof(process));
	while (reclaim(half) != PLAIT_OK)
		rank_pump();
	memset(memory, 0xaa, BYTES);
	while (!rank_can_read(half)) {
		kill(process, SIGCONT);
		rank_pump();
	}
	if (lent(half) == 0) {
		check((unsigned char *)(slot_of(half) + 1), 0, 0, BYTES);
		MUST(memory[0] == 0xaa && memory[BYTES - 1] == 0xaa);
	}
	take(half);
}

void lent_stops(void)
{
	struct half half;

	rank_open(0);
	half = rank_half(rank.facts.rank == 0 ? PLAIT_LINK_SEND :
						PLAIT_LINK_RECEIVE,
			 rank.facts.rank == 0, 7, 2, BYTES);
	rank_meet();
	if (rank.facts.rank == 0)
		stop_sender(&half);
	else
		reclaim_stopped(&half);
	rank_meet();
	rank_destroy(&half);
	rank_meet();
	rank_close();
}
