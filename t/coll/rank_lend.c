/* SPDX-License-Identifier: MIT */
/*
 * Lent memory of step machines: all ranks in one thread, in random order, over a
 * transport that reads what is lent as late as it may, and writes into the
 * targets that steps ask for.  A rank changes its memory as soon as its call has
 * ended.
 */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/machines.h"
#include "coll/project/collective_wait.h"
#include "coll/project/rank_lend.h"
#include "world/world_port.h"

enum { DEPTH_MOST = 64, PATIENCE = 8 };

/* A link whose halves share no memory. */
struct plait_backend_link {
	at_u64 ready[2], taken[2], lent[2]; /* of sender, of receiver */
	unsigned char *slots[2];
	uint32_t depth;
	uint64_t stride;
	const unsigned char *loans[DEPTH_MOST];
	uint64_t moved;
	uint32_t waited;	/* looks since the message could come */
	bool has_room;
	unsigned char *room;
	uint64_t room_index, room_bytes;
};

static struct {
	plait__transport transport;
	plait__world_port port;
	struct plait_backend_link links[512];
	uint64_t lends, directs, asks;
	bool never_fails, fails_to_reclaim;
} fake;

static uint64_t seed, calls;

static uint64_t next_random(void)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	return interpret_mix(seed);
}

/* ---- the transport ---- */

static plait_link_slot *slot_at(const struct plait_backend_link *link,
				uint32_t end, uint64_t index)
{
	return (plait_link_slot *)(void *)(link->slots[end] +
					   index % link->depth * link->stride);
}

/* Handles of halves: the lowest bit tells the receiver's. */
static struct plait_backend_link *link_of(plait_backend_link *raw,
					  bool *out_receives)
{
	*out_receives = (uintptr_t)raw & 1;
	return (void *)((uintptr_t)raw & ~(uintptr_t)1);
}

static plait_status link_lend(plait_backend *self, plait_backend_link *raw,
			      void *memory, uint64_t bytes, plait_error *error)
{
	bool receives;
	struct plait_backend_link *link = link_of(raw, &receives);

	(void)self;
	(void)error;
	if (!fake.never_fails && next_random() % 8 == 0)
		return PLAIT_E_NOMEM;
	if (!receives) {
		link->loans[at_load_relaxed_u64(&link->ready[0]) %
			    link->depth] = memory;
		fake.lends++;
		return PLAIT_OK;
	}
	fake.asks++;
	link->has_room = true;
	link->room = memory;
	link->room_bytes = bytes;
	link->room_index = at_load_relaxed_u64(&link->taken[1]);
	return PLAIT_OK;
}

static plait_status link_reclaim(plait_backend *self, plait_backend_link *raw,
				 plait_error *error)
{
	bool receives;
	struct plait_backend_link *link = link_of(raw, &receives);
	uint64_t ready = at_load_relaxed_u64(&link->ready[0]);

	(void)self;
	(void)error;
	if (fake.fails_to_reclaim)
		return PLAIT_E_FAILED;
	if (next_random() % 2 == 0)
		return PLAIT_PENDING;
	link->has_room &= !receives;
	for (uint64_t i = link->moved; i < ready && !receives; i++) {
		plait_link_slot *slot = slot_at(link, 0, i);

		if (link->loans[i % link->depth] != NULL)
			memcpy(slot + 1, link->loans[i % link->depth],
			       slot->bytes);
		link->loans[i % link->depth] = NULL;
	}
	if (!receives)
		link->loans[ready % link->depth] = NULL;
	return PLAIT_OK;
}

static bool is_any_lent(const struct machines *at)
{
	for (uint32_t i = 0; i < at->link_count; i++) {
		if (fake.links[i].has_room)
			return true;
		for (uint32_t k = 0; k < fake.links[i].depth; k++)
			if (fake.links[i].loans[k] != NULL)
				return true;
	}
	return false;
}

/* Move the next message.  Bytes go from lent memory into asked-for memory, or
 * through slots at either end. */
static void deliver(struct plait_backend_link *link)
{
	const plait_link_slot *from = slot_at(link, 0, link->moved);
	plait_link_slot *to = slot_at(link, 1, link->moved);
	const unsigned char *loan = link->loans[link->moved % link->depth];
	bool direct = loan != NULL && link->has_room && link->room != NULL &&
		      link->room_index == link->moved &&
		      link->room_bytes == from->bytes;

	memcpy(to, from, sizeof(*to));
	memcpy(direct ? link->room : (unsigned char *)(to + 1),
	       loan != NULL ? loan : (const unsigned char *)(from + 1),
	       from->bytes);
	link->loans[link->moved % link->depth] = NULL;
	link->waited = 0;
	link->moved++;
	if (direct) {
		at_store_release_u64(&link->lent[1], link->moved);
		fake.directs++;
	}
	at_store_release_u64(&link->ready[1], link->moved);
}

/* A message of lent memory waits a while to be asked for. */
static bool pump_link(struct plait_backend_link *link)
{
	uint64_t ready = at_load_relaxed_u64(&link->ready[0]);
	uint64_t taken = at_load_relaxed_u64(&link->taken[1]);
	bool asked = link->has_room && link->room_index == link->moved;

	if (next_random() % 3 == 0)
		return true;
	if (link->moved < ready && link->moved - taken < link->depth &&
	    (asked || link->loans[link->moved % link->depth] == NULL ||
	     ++link->waited > PATIENCE)) {
		deliver(link);
		return true;
	}
	if (at_load_relaxed_u64(&link->lent[0]) < link->moved) {
		at_store_release_u64(&link->lent[0], link->moved);
		return true;
	}
	if (at_load_relaxed_u64(&link->taken[0]) < taken) {
		at_store_release_u64(&link->taken[0], taken);
		return true;
	}
	return link->moved < ready;
}

static bool pump(const struct machines *at)
{
	bool moved = false;

	for (uint32_t i = 0; i < at->link_count; i++)
		moved |= pump_link(&fake.links[i]);
	return moved;
}

/* ---- machines over it ---- */

static void join(struct machines *at, uint32_t rank)
{
	for (uint32_t i = 0; i < at->programs[rank].links.count; i++) {
		const plait__rank_link *half =
			plait__vector_at(&at->programs[rank].links, i);
		const struct machines_link *shared = half->receives ?
			machines_find(at, half->peer, rank, half->channel) :
			machines_find(at, rank, half->peer, half->channel);
		uint32_t end = half->receives;
		struct plait_backend_link *link =
			&fake.links[shared - at->links];

		at->machines[rank].links[i] = (plait__slot_link){
			.ready = &link->ready[end], .taken = &link->taken[end],
			.slots = link->slots[end], .stride = link->stride,
			.depth = link->depth, .peer = half->peer,
			.lent = &link->lent[end], .port = &fake.port,
			.raw = (void *)((uintptr_t)link | end),
		};
	}
}

static bool make(struct machines *at, const plait__schedule *schedule,
		 uint32_t depth, uint64_t slot_bytes)
{
	bool good = machines_make(at, schedule, depth, slot_bytes);

	memset(fake.links, 0, sizeof(fake.links));
	for (uint32_t i = 0; i < at->link_count; i++) {
		struct plait_backend_link *link = &fake.links[i];

		link->depth = depth;
		link->stride = slot_bytes + sizeof(plait_link_slot);
		for (uint32_t k = 0; k < 2; k++)
			link->slots[k] = aligned_alloc(64,
						       depth * link->stride);
	}
	for (uint32_t i = 0; i < at->ranks && good; i++) {
		at->machines[i].lent_least = 8;
		at->machines[i].is_pumped = next_random() % 2;
		join(at, i);
	}
	return good;
}

static void drop(struct machines *at)
{
	for (uint32_t i = 0; i < at->link_count; i++)
		for (uint32_t k = 0; k < 2; k++)
			free(fake.links[i].slots[k]);
	machines_free(at);
}

/* The rank's output is right; then the program changes all of its memory. */
static bool use(struct machines *at, uint32_t rank, uint64_t n)
{
	const plait__schedule *schedule = at->schedule;
	uint64_t in = plait__merge_elements(schedule, rank, 0, n), want;
	uint64_t out = plait__merge_elements(schedule, rank, 1, n);
	uint64_t all = in > out ? in : out;
	uint64_t *output = at->memory[rank][1] +
			   promised_part(schedule, n, rank, true);
	bool good = true;

	for (uint64_t k = 0; k < out; k++)
		good &= !promised_value(schedule, n, rank, k, &want) ||
			output[k] == want;
	memset(at->memory[rank][1], 0xa5, all * 8);
	if (at->memory[rank][0] != at->memory[rank][1])
		memset(at->memory[rank][0], 0xa5, in * 8);
	return good;
}

/* Returns true if all ranks end, with the right output. */
static bool run(struct machines *at, uint64_t n)
{
	plait_status statuses[MACHINES_RANKS];
	uint32_t idle = 0, ended = 0;
	bool good = true;

	for (uint32_t i = 0; i < at->ranks; i++)
		statuses[i] = PLAIT_PENDING;
	while (idle < 64 * at->ranks && ended < at->ranks) {
		uint32_t rank = (uint32_t)(next_random() % at->ranks);
		bool moved = false;

		if (statuses[rank] == PLAIT_PENDING) {
			statuses[rank] = plait__rank_machine_advance(
				&at->machines[rank], &moved);
			if (statuses[rank] == PLAIT_OK) {
				ended++;
				good &= use(at, rank, n);
			}
		}
		moved |= pump(at);
		idle = moved ? 0 : idle + 1;
	}
	return good && ended == at->ranks;
}

static bool computes(const plait__schedule *schedule, uint32_t depth,
		     uint64_t slot_bytes, uint64_t count)
{
	struct machines at;
	bool good = make(&at, schedule, depth, slot_bytes);

	for (uint32_t i = 0; i < 2 && good; i++) {
		machines_begin(&at, i + 1, count);
		good = run(&at, count);
		machines_end(&at);
		calls++;
	}
	drop(&at);
	return good;
}

/* ---- known algorithms ---- */

static plait__schedule *compile(const char *name,
				const plait__chunk_request *how,
				const plait__compile_request *way)
{
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;

	if (plait__known_make(plait__alloc_default(), name, how, &program,
			      NULL) != PLAIT_OK)
		return NULL;
	OK(plait__compile_program(plait__alloc_default(), program, way,
				  &schedule, NULL) == PLAIT_OK);
	plait__chunk_program_free(program);
	return schedule;
}

static uint32_t depth_of(const plait__schedule *schedule)
{
	uint32_t depth = 1;

	while (depth < schedule->depth)
		depth *= 2;
	return depth;
}

static void check(const char *name, const plait__chunk_request *how,
		  const plait__compile_request *way)
{
	static const uint64_t counts[] = { 1, 24, 100 };
	plait__schedule *schedule = compile(name, how, way);
	uint64_t slot = 64;

	if (schedule == NULL)
		return;
	for (uint64_t i = 0; i < schedule->step_count; i++)
		while (schedule->steps[i].count * 8ull > slot)
			slot += 64;
	for (uint32_t i = 0; i < 2 * TAP_COUNT(counts); i++) {
		uint32_t depth = depth_of(schedule) << i % 2;

		if (!computes(schedule, depth, slot * (1 + i % 3),
			      counts[i / 2]))
			OK_THAT(false, "%s kind %u ranks %u share %u flags %u "
				"depth %u count %llu", name, how->kind,
				how->rank_count, how->share, how->flags, depth,
				(unsigned long long)counts[i / 2]);
	}
	plait__schedule_free(schedule);
}

static void check_kind(uint32_t number, uint32_t kind)
{
	static const plait__compile_request ways[] = {
		{ .instances = 1 },
		{ .instances = 2, .flags = PLAIT__COMPILE_NO_FUSION },
		{ .instances = 1, .depth = 1 },
	};

	for (uint32_t i = 0; i < 2 * 5 * 3; i++) {
		const plait__chunk_request how = {
			.kind = kind, .flags = i % 2,
			.rank_count = 2 + i / 2 % 5, .share = i / 10,
			.root = i / 10 % (2 + i / 2 % 5),
		};

		check(plait__known_name(number), &how, &ways[i / 2 % 3]);
	}
}

static void executes_known_algorithms(void)
{
	unsigned failed = tap_failed();

	seed = tap_seed();
	for (uint32_t i = 0; plait__known_name(i) != NULL; i++)
		for (uint32_t kind = 0; kind <= PLAIT__COLL_ALLTONEXT; kind++)
			if (plait__known_has(i, kind))
				check_kind(i, kind);
	OK(tap_failed() == failed);
	OK(fake.lends > 1000 && fake.asks > 1000 && fake.directs > 1000);
	NOTE("%llu calls, %llu messages lent, %llu of them into targets",
	     (unsigned long long)calls, (unsigned long long)fake.lends,
	     (unsigned long long)fake.directs);
}

/* ---- a rank leaves ---- */

/* All ranks leave a call after some turns, and take back what they have lent; its
 * memory changes, and the next call is right. */
static void takes_back_what_was_lent(void)
{
	static const char *const names[] = { "ring", "allpairs", "halving" };
	const plait__compile_request way = { .instances = 1 };
	uint32_t good = 0, left = 0;

	seed = tap_seed();
	for (uint32_t turns = 0; turns < 300; turns++) {
		const plait__chunk_request how = {
			.kind = PLAIT__COLL_ALLREDUCE, .flags = turns % 2,
			.rank_count = 4,
		};
		plait__schedule *schedule = compile(names[turns % 3], &how,
						    &way);
		struct machines at;
		bool moved;

		OK(make(&at, schedule, depth_of(schedule), 256));
		machines_begin(&at, 1, 100);
		for (uint32_t i = 0; i < turns; i++) {
			(void)plait__rank_machine_advance(
				&at.machines[next_random() % 4], &moved);
			(void)pump(&at);
		}
		for (uint32_t i = 0; i < 4; i++)
			while (plait__rank_lend_reclaim(&at.machines[i]) !=
			       PLAIT_OK)
				(void)pump(&at);
		left += is_any_lent(&at);
		machines_end(&at);
		machines_begin(&at, 2, 100);
		good += run(&at, 100);
		machines_end(&at);
		drop(&at);
		plait__schedule_free(schedule);
	}
	IS_UINT(good, 300);
	IS_UINT(left, 0);
}

/* Rank 0 leaves call 1 and sends in call 2; its message comes into memory of rank 1
 * that is lent for call 1. */
static void keeps_a_message_of_the_next_call(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_BROADCAST,
					   .rank_count = 2 };
	const plait__compile_request way = { .instances = 1 };
	plait__schedule *schedule = compile("direct", &how, &way);
	plait__machine_call next;
	struct machines at;
	bool moved;

	seed = tap_seed();
	OK(make(&at, schedule, 2, 256));
	fake.never_fails = true;
	fake.directs = 0;
	machines_begin(&at, 1, 8);
	(void)plait__rank_machine_advance(&at.machines[1], &moved);
	at.machines[0].call.number = 2;
	(void)plait__rank_machine_advance(&at.machines[0], &moved);
	while (pump(&at) && fake.directs == 0)
		;
	IS_UINT(fake.directs, 1);
	IS_INT(plait__rank_machine_advance(&at.machines[1], &moved),
	       PLAIT_E_CANCELLED);
	while (plait__rank_lend_reclaim(&at.machines[1]) != PLAIT_OK)
		(void)pump(&at);
	memset(at.memory[1][1], 0xa5, 8 * 8);
	next = at.machines[1].call;
	next.number = 2;
	plait__rank_machine_begin(&at.machines[1], &next, &at.errors[1]);
	OK(run(&at, 8));
	fake.never_fails = false;
	machines_end(&at);
	drop(&at);
	plait__schedule_free(schedule);
}

/* A rank has done its steps, and the other one has not taken its message. */
static void says_who_reads(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_BROADCAST,
					   .rank_count = 2 };
	const plait__compile_request way = { .instances = 1 };
	plait__schedule *schedule = compile("direct", &how, &way);
	uint32_t lane = 0, peer = 9;
	bool receives = true, moved;
	struct machines at;

	seed = tap_seed();
	OK(make(&at, schedule, 2, 256));
	fake.never_fails = true;
	machines_begin(&at, 1, 8);
	while (plait__rank_machine_advance(&at.machines[0], &moved) ==
	       PLAIT_PENDING && moved)
		;
	OK(plait__rank_machine_blocked(&at.machines[0], &lane, &peer,
				       &receives));
	OK(!receives);
	IS_UINT(peer, 1);
	fake.never_fails = false;
	OK(run(&at, 8));
	machines_end(&at);
	drop(&at);
	plait__schedule_free(schedule);
}

/* A rank that leaves a call returns, though the transport takes nothing back. */
static void gives_up_on_a_transport_that_fails(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_BROADCAST,
					   .rank_count = 2 };
	const plait__compile_request way = { .instances = 1 };
	plait__schedule *schedule = compile("direct", &how, &way);
	plait__world world = { .ranks = 2 };
	plait__collective collective = { .world = &world };
	plait__collective_part part = { .depth = 2 };
	plait__collective_wait wait;
	struct machines at;
	bool moved;

	seed = tap_seed();
	OK(make(&at, schedule, 2, 256));
	fake.never_fails = true;
	machines_begin(&at, 1, 8);
	(void)plait__rank_machine_advance(&at.machines[0], &moved);
	part.machine = at.machines[0];
	part.program = at.programs[0];
	plait__collective_wait_begin(&wait, &collective, &part, &at.errors[0]);
	fake.fails_to_reclaim = true;
	plait__collective_wait_reclaim(&wait);
	OK(part.machine.lends);
	fake.fails_to_reclaim = false;
	plait__collective_wait_reclaim(&wait);
	OK(!part.machine.lends);
	fake.never_fails = false;
	machines_end(&at);
	drop(&at);
	plait__schedule_free(schedule);
}

/* Calls that reduce lend larger messages only. */
static void lends_by_size(void)
{
	static const struct {
		const char *name;
		uint32_t kind;
		uint64_t least;
	} rows[] = {
		{ "direct", PLAIT__COLL_ALLTOALL, PLAIT__LENT_LEAST },
		{ "direct", PLAIT__COLL_BROADCAST, PLAIT__LENT_LEAST },
		{ "allpairs", PLAIT__COLL_ALLREDUCE,
		  PLAIT__LENT_LEAST_REDUCED },
		{ "ring", PLAIT__COLL_ALLREDUCE, PLAIT__LENT_LEAST_REDUCED },
	};
	const plait__compile_request way = { .instances = 1 };

	for (uint32_t i = 0; i < TAP_COUNT(rows); i++) {
		const plait__chunk_request how = { .kind = rows[i].kind,
						   .rank_count = 3 };
		plait__schedule *schedule = compile(rows[i].name, &how, &way);
		struct machines at;

		OK(machines_make(&at, schedule, 2, 256));
		for (uint32_t rank = 0; rank < 3; rank++)
			IS_UINT(at.machines[rank].lent_least, rows[i].least);
		machines_free(&at);
		plait__schedule_free(schedule);
	}
}

static const struct tap_scenario all[] = {
	{ "known algorithms", executes_known_algorithms },
	{ "taken back", takes_back_what_was_lent },
	{ "next call", keeps_a_message_of_the_next_call },
	{ "failing transport", gives_up_on_a_transport_that_fails },
	{ "who reads", says_who_reads },
	{ "by size", lends_by_size },
};

static void begin(void)
{
	plait__mutex_init(&fake.transport.lock);
	fake.transport.backend.table.link_lend = link_lend;
	fake.transport.backend.table.link_reclaim = link_reclaim;
	fake.port.transport = &fake.transport;
}

int main(int argc, char **argv)
{
	begin();
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
