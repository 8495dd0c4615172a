/* SPDX-License-Identifier: MIT */
/*
 * Direct messages under every interleaving: the receiver gets the bytes that were
 * sent, from the sender's memory or from the slot, and the sender's memory is its
 * own again when no peer reads it.  The sender waits, withdraws its offers, or
 * leaves the call; the receiver reads, cannot map the memory, or ends.
 *
 * The source is included, so that its copies are checked for races.
 */
#include "lib/tap.h"

#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "sys/atomic.h"

static void copy_plain(void *target, const void *source, uint64_t bytes);
#define memcpy copy_plain
#include "coll/project/rank_direct.c"
#undef memcpy

/* Word of a head that has the stamp, as in rank_message.c. */
enum { STAMP = 2 };
enum { SENDER, RECEIVER, MESSAGES = 2, SLOTS = 2, OLD = 100, NEW = 200 };

/* Bytes of a message as its head says; the stub below moves fewer. */
enum { SAID_BYTES = PLAIT__DIRECT_LEAST };

struct slot {
	plait_link_slot head;
	uint64_t bytes[2];
};

/* Of a message: `handed` is written when the receiver has let go of it, `seen`
 * also when the sender has made the message GONE. */
struct source {
	uint64_t handed;
	at_u64 seen;
};

static at_u64 ready, taken;
static struct slot slots[SLOTS];
static struct source sources[MESSAGES];
static plait__slot_link halves[2];
static struct plait__direct_link directs[2];
static struct offer offers[SLOTS];
static plait__rank_link ends[2];
static plait__rank_program programs[2];
static plait__rank_machine machines[2];
static plait__rank_step step;
static uint32_t stamp;		/* offset of stamps, which the receiver waits for; or 0 */
static bool maps;		/* the receiver can map the memory */
static at_u32 ended;		/* the receiver has */
static bool is_gone[MESSAGES];	/* by the sender */

static void copy_plain(void *target, const void *source, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / sizeof(uint64_t); i++) {
		uint64_t word = AT_PLAIN_READ(((const uint64_t *)source)[i]);

		AT_PLAIN_WRITE(((uint64_t *)target)[i]) = word;
	}
}

/* ---- the rest of the library ---- */

bool plait__rank_compute_range(const plait__rank_machine *machine,
			       const plait__rank_step *one, bool target,
			       uint64_t tile, unsigned char *out[2])
{
	(void)machine;
	(void)one;
	(void)target;
	out[0] = (unsigned char *)&sources[tile];
	out[1] = (unsigned char *)(&sources[tile] + 1);
	return true;
}

const unsigned char *plait__world_port_map(const plait__slot_link *link,
					   uint64_t place, uint64_t bytes)
{
	(void)link;
	(void)place;
	(void)bytes;
	return maps ? (const unsigned char *)sources : NULL;
}

void plait__world_port_unmap(const plait__slot_link *link,
			     const unsigned char *memory, uint64_t bytes)
{
	(void)link;
	(void)memory;
	(void)bytes;
}

plait_status plait__world_port_check_peer(const plait__world_port *port,
					  uint32_t peer, plait_error *error)
{
	(void)port;
	(void)peer;
	(void)error;
	/* Acquire: a process that has ended accesses nothing. */
	return at_load_acquire_u32(&ended) != 0 ? PLAIT_E_LOST : PLAIT_OK;
}

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t each)
{
	(void)allocator;
	(void)count;
	(void)each;
	return NULL;
}

void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes)
{
	(void)allocator;
	(void)pointer;
	(void)bytes;
}

/* ---- state ---- */

static void begin_machine(uint32_t end, uint32_t depth)
{
	plait__rank_machine *machine = &machines[end];

	halves[end] = (plait__slot_link){
		.ready = &ready, .taken = &taken,
		.slots = (unsigned char *)slots, .stride = sizeof(slots[0]),
		.depth = depth, .stamp = end == RECEIVER ? stamp : 0,
	};
	ends[end] = (plait__rank_link){ .receives = end == RECEIVER };
	directs[end] = (struct plait__direct_link){
		.offers = end == SENDER ? offers : NULL,
		.maps_pieces = end == RECEIVER,
	};
	programs[end] = (plait__rank_program){ .reduces = false };
	programs[end].links = (plait__vector){ .items = &ends[end], .count = 1,
					       .each = sizeof(ends[end]) };
	*machine = (plait__rank_machine){
		.program = &programs[end], .links = &halves[end],
		.direct = &directs[end],
	};
	machine->call.element_bytes = 1;
	machine->call.pieces[PLAIT__COLL_INPUT] = (plait__machine_piece){
		.start = (unsigned char *)sources,
		.bytes = 2 * SAID_BYTES, .place = 1,
	};
}

static void begin(uint32_t depth, bool can_map)
{
	at_init_u64(&ready, 0);
	at_init_u64(&taken, 0);
	at_init_u32(&ended, 0);
	maps = can_map;
	step = (plait__rank_step){ .kind = PLAIT__STEP_SEND, .count = 1 };
	step.source.buffer = PLAIT__COLL_INPUT;
	memset(offers, 0, sizeof(offers));
	for (uint32_t i = 0; i < SLOTS; i++) {
		memset(&slots[i], 0, sizeof(slots[i]));
		at_init_u64((at_u64 *)&slots[i].head.words[PLAIT__DIRECT_STATE],
			    0);
		at_init_u64((at_u64 *)&slots[i].head.words[STAMP], 0);
	}
	for (uint32_t i = 0; i < MESSAGES; i++) {
		sources[i].handed = 0;
		at_init_u64(&sources[i].seen, OLD + i);
		is_gone[i] = false;
	}
	begin_machine(SENDER, depth);
	begin_machine(RECEIVER, depth);
}

static void begin_one(void)
{
	stamp = 0;
	begin(1, true);
}

static void begin_one_stamped(void)
{
	stamp = offsetof(plait_link_slot, words[STAMP]);
	begin(1, true);
}

static void begin_two(void)
{
	stamp = 0;
	begin(2, true);
}

static void begin_two_unmapped(void)
{
	stamp = 0;
	begin(2, false);
}

static void begin_unmapped(void)
{
	stamp = 0;
	begin(1, false);
}

/* ---- the sender ---- */

static void withdraw_and_pause(void)
{
	plait__rank_direct_withdraw(&machines[SENDER]);
	at_spin_pause();
}

static void send(uint32_t number, bool withdraws)
{
	plait__slot_link *half = &halves[SENDER];
	plait_link_slot head = { .bytes = SAID_BYTES };
	struct slot *slot;

	AT_PLAIN_WRITE(sources[number].handed) = OLD + number;
	while (!plait__slot_link_can_send(half))
		if (withdraws)
			withdraw_and_pause();
		else
			at_spin_pause();
	MC_CHECK(plait__rank_direct_offer(&machines[SENDER], &step, 0, number,
					  &head));
	slot = (struct slot *)(void *)plait__slot_link_front(half);
	copy_plain(slot, &head, offsetof(plait_link_slot, words[STAMP]));
	copy_plain(&slot->head.words[PLAIT__DIRECT_PLACE],
		   &head.words[PLAIT__DIRECT_PLACE],
		   (PLAIT__DIRECT_STATE - PLAIT__DIRECT_PLACE) *
			   sizeof(uint64_t));
	/* Relaxed: the push publishes it. */
	at_store_relaxed_u64(state_of(half, half->own + 1),
			     head.words[PLAIT__DIRECT_STATE]);
	if (stamp != 0)
		plait__slot_link_push_stamped(half, stamp, number);
	else
		plait__slot_link_push(half);
}

/* The memory is the sender's: it writes it. */
static void use_again(uint32_t number)
{
	if (!is_gone[number])
		AT_PLAIN_WRITE(sources[number].handed) = NEW;
	at_store_relaxed_u64(&sources[number].seen, NEW);
}

static void send_all(bool withdraws)
{
	for (uint32_t i = 0; i < MESSAGES; i++)
		send(i, withdraws);
}

/* ---- the receiver ---- */

/* Returns false if the sender has left the call, and the bytes may be wrong. */
static bool use(uint32_t number, const unsigned char *in)
{
	plait__slot_link *half = &halves[RECEIVER];
	struct source *source = (struct source *)(uintptr_t)in;
	const struct slot *slot =
		(const struct slot *)(void *)plait__slot_link_front(half);
	bool is_direct = in == (const unsigned char *)&sources[number];
	uint64_t handed = AT_PLAIN_READ(source->handed);
	uint64_t seen = is_direct ? at_load_relaxed_u64(&source->seen) :
				    handed;

	MC_CHECK(is_direct || in == (const unsigned char *)slot->bytes);
	if (is_direct && plait__rank_direct_take(&machines[RECEIVER], 0) !=
	    PLAIT_OK)
		return false;
	MC_CHECK(handed == OLD + number);
	MC_CHECK(seen == OLD + number);
	return true;
}

static bool receive(uint32_t number)
{
	plait__slot_link *half = &halves[RECEIVER];
	const unsigned char *in;
	plait_status status;
	plait_link_slot head;

	for (;; at_spin_pause()) {
		if (!plait__slot_link_can_receive(half))
			continue;
		plait__rank_direct_read_head(half, &head);
		in = plait__slot_link_front(half) + sizeof(head);
		if (head.words[PLAIT__DIRECT_STATE] == PLAIT__DIRECT_KEPT)
			break;
		status = plait__rank_direct_claim(&machines[RECEIVER], 0,
						  &head, &in);
		if (status == PLAIT_OK)
			break;
		if (status != PLAIT_PENDING)
			return false;
	}
	if (!use(number, in))
		return false;
	plait__slot_link_pop(half);
	return true;
}

static void receive_all(void)
{
	for (uint32_t i = 0; i < MESSAGES; i++)
		MC_CHECK(receive(i));
}

/* ---- scenarios ---- */

/* The sender waits for the receiver, as at the end of a call. */
static void run_wait(uint32_t self)
{
	if (self == RECEIVER) {
		receive_all();
		return;
	}
	send_all(false);
	while (!plait__rank_direct_is_over(&machines[SENDER], 0))
		at_spin_pause();
	for (uint32_t i = 0; i < MESSAGES; i++)
		use_again(i);
}

/* A step writes what was sent: it waits for those that read this part. */
static void run_write(uint32_t self)
{
	unsigned char *range[2];

	if (self == RECEIVER) {
		receive_all();
		return;
	}
	send_all(false);
	(void)plait__rank_compute_range(&machines[SENDER], &step, false, 0,
					range);
	while (plait__rank_direct_reader(&machines[SENDER], range) !=
	       PLAIT__RANK_NONE)
		at_spin_pause();
	use_again(0);
}

/* The sender withdraws what no peer reads, and waits for the rest. */
static void run_withdraw(uint32_t self)
{
	if (self == RECEIVER) {
		receive_all();
		return;
	}
	send_all(true);
	while (!plait__rank_direct_is_over(&machines[SENDER], 0))
		withdraw_and_pause();
	for (uint32_t i = 0; i < MESSAGES; i++)
		use_again(i);
}

/* The sender leaves the call, and lets the receiver go, sooner or later. */
static void run_leave(uint32_t self)
{
	plait__rank_machine *machine = &machines[SENDER];

	if (self == RECEIVER) {
		for (uint32_t i = 0; i < MESSAGES && receive(i); i++)
			continue;
		return;
	}
	send_all(false);
	if (plait__rank_direct_reclaim(machine, mc_choose(2) == 1) != PLAIT_OK)
		MC_CHECK(plait__rank_direct_reclaim(machine, true) == PLAIT_OK);
	MC_CHECK(plait__rank_direct_is_over(machine, 0));
	for (uint32_t i = 0; i < MESSAGES; i++)
		is_gone[i] = at_load_relaxed_u64(state_of(&halves[SENDER],
							  i + 1ull)) ==
			PLAIT__DIRECT_GONE;
	for (uint32_t i = 0; i < MESSAGES; i++)
		use_again(i);
}

/* It stops in the middle of a message. */
static void claim_and_read(void)
{
	plait__slot_link *half = &halves[RECEIVER];
	const unsigned char *in;
	plait_link_slot head;

	if (!plait__slot_link_can_receive(half))
		return;
	plait__rank_direct_read_head(half, &head);
	if (head.words[PLAIT__DIRECT_STATE] == PLAIT__DIRECT_KEPT ||
	    plait__rank_direct_claim(&machines[RECEIVER], 0, &head, &in) !=
		    PLAIT_OK)
		return;
	(void)AT_PLAIN_READ(((const struct source *)(uintptr_t)in)->handed);
}

/* The receiver's process ends somewhere; the sender leaves without it. */
static void run_end(uint32_t self)
{
	if (self == RECEIVER) {
		uint32_t way = mc_choose(3);

		if (way == 1)
			MC_CHECK(receive(0));
		else if (way == 2)
			claim_and_read();
		/* Release: what the process did is over. */
		at_store_release_u32(&ended, 1);
		return;
	}
	send_all(false);
	while (plait__rank_direct_reclaim(&machines[SENDER], false) !=
	       PLAIT_OK)
		at_spin_pause();
	MC_CHECK(plait__rank_direct_is_over(&machines[SENDER], 0));
	for (uint32_t i = 0; i < MESSAGES; i++)
		use_again(i);
	/* A later call copies nothing of this one. */
	plait__rank_direct_withdraw(&machines[SENDER]);
}

static const struct mc_scenario wait = {
	"the sender waits", begin_two, run_wait, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario writes = {
	"a step writes", begin_two, run_write, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario withdraws = {
	"the sender withdraws", begin_two, run_withdraw, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario again = {
	"a slot is used again", begin_one, run_withdraw, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario stamped = {
	"a stamped slot is used again", begin_one_stamped, run_withdraw, NULL,
	2, 3, 2, 0, 8000
};
static const struct mc_scenario unmapped = {
	"memory cannot be mapped", begin_unmapped, run_withdraw, NULL,
	2, 3, 2, 0, 8000
};
static const struct mc_scenario leaves = {
	"the sender leaves", begin_two, run_leave, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario leaves_unmapped = {
	"the sender leaves; memory cannot be mapped", begin_two_unmapped,
	run_leave, NULL, 2, 3, 2, 0, 8000
};
static const struct mc_scenario ends_early = {
	"the receiver ends", begin_two, run_end, NULL, 2, 3, 2, 0, 8000
};

static const struct mc_scenario ends_unmapped = {
	"the receiver ends; memory cannot be mapped", begin_two_unmapped,
	run_end, NULL, 2, 3, 2, 0, 8000
};

static const struct mc_scenario *const scenarios[] = {
	&wait, &writes, &withdraws, &again, &stamped, &unmapped,
	&leaves, &leaves_unmapped, &ends_early, &ends_unmapped
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "coll/project/rank_direct.c",
					     "coll/project/rank_direct.h",
					     NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "messages", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
