/* SPDX-License-Identifier: MIT */
/*
 * Slots of a link, under every interleaving: each message arrives once, in order
 * and whole, with 1 and 2 slots, by counters and by stamps; a sleeper is woken, a
 * thread that shares its bell too; a receiver leaves a call, and the next call
 * begins with its own messages.  slot_link.c as it is; both halves are in one
 * process.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "world/slot_link.h"

#include <stddef.h>

enum { SENDER, RECEIVER, MESSAGES = 3, SLOTS = 2 };

struct message {
	uint64_t call, number;
	at_u64 stamp;
};

/* Whether messages have stamps; the offset of these. */
static uint32_t stamp;

/* Two links between the same ports. */
static at_u64 ready[2], taken[2];
static at_u32 bells[2], sleeping[2];
static struct message slots[2][SLOTS];
static plait__slot_link halves[2][2];

static void begin(uint32_t depth)
{
	for (uint32_t i = 0; i < 2; i++) {
		at_init_u32(&bells[i], 0);
		at_init_u32(&sleeping[i], 0);
		at_init_u64(&ready[i], 0);
		at_init_u64(&taken[i], 0);
		/* Memory of slots may have any content at first. */
		for (uint32_t k = 0; k < SLOTS; k++) {
			slots[i][k].call = slots[i][k].number = 0;
			at_init_u64(&slots[i][k].stamp, (k + UINT64_C(1)) << 32);
		}
		for (uint32_t end = 0; end < 2; end++)
			halves[i][end] = (plait__slot_link){
				.ready = &ready[i], .taken = &taken[i],
				.slots = (unsigned char *)slots[i],
				.stride = sizeof(slots[i][0]), .depth = depth,
				.stamp = end == RECEIVER ? stamp : 0,
				.bell = &bells[end], .sleeping = &sleeping[end],
				.peer_bell = &bells[1 - end],
				.peer_sleeping = &sleeping[1 - end],
			};
	}
}

static void begin_one(void)
{
	stamp = 0;
	begin(1);
}

static void begin_two(void)
{
	stamp = 0;
	begin(2);
}

static void begin_one_stamped(void)
{
	stamp = offsetof(struct message, stamp);
	begin(1);
}

static void begin_two_stamped(void)
{
	stamp = offsetof(struct message, stamp);
	begin(2);
}

static bool can_go_on(plait__slot_link *half)
{
	return half == &halves[0][SENDER] || half == &halves[1][SENDER] ?
		       plait__slot_link_can_send(half) :
		       plait__slot_link_can_receive(half);
}

static void wait(plait__slot_link *half)
{
	while (!can_go_on(half)) {
		uint32_t state = plait__slot_link_announce(half);

		if (!can_go_on(half))
			plait__slot_link_sleep(half, state, UINT64_MAX);
		plait__slot_link_withdraw(half);
	}
}

static void send(uint32_t link, uint64_t call, uint64_t number)
{
	plait__slot_link *half = &halves[link][SENDER];
	struct message *slot;

	wait(half);
	slot = (struct message *)plait__slot_link_front(half);
	AT_PLAIN_WRITE(slot->call) = call;
	AT_PLAIN_WRITE(slot->number) = number;
	if (stamp != 0)
		plait__slot_link_push_stamped(half, stamp, (uint32_t)call);
	else
		plait__slot_link_push(half);
}

static struct message receive(uint32_t link)
{
	plait__slot_link *half = &halves[link][RECEIVER];
	const struct message *slot;
	struct message message;

	wait(half);
	slot = (const struct message *)plait__slot_link_front(half);
	message.call = AT_PLAIN_READ(slot->call);
	message.number = AT_PLAIN_READ(slot->number);
	if (stamp != 0)
		MC_CHECK((uint32_t)at_load_relaxed_u64(&slot->stamp) ==
			 message.call);
	plait__slot_link_pop(half);
	return message;
}

/* ---- a stream ---- */

static void run_stream(uint32_t self)
{
	for (uint64_t i = 0; i < MESSAGES; i++)
		if (self == SENDER)
			send(0, 1, i);
		else
			MC_CHECK(receive(0).number == i);
}

static void end(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		MC_CHECK(at_load_relaxed_u64(&ready[i]) ==
			 at_load_relaxed_u64(&taken[i]));
		MC_CHECK(at_load_relaxed_u32(&sleeping[i]) == 0);
	}
}

/* ---- a receiver that leaves ---- */

/* Call 1 has two messages, of which the receiver takes one or none; call 2 has
 * one. */
static void run_leave(uint32_t self)
{
	struct message message = { .call = 0 };

	if (self == SENDER) {
		send(0, 1, 0);
		send(0, 1, 1);
		send(0, 2, 7);
		return;
	}
	if (mc_choose(2) == 1)
		MC_CHECK(receive(0).call == 1);
	while (message.call < 2)
		message = receive(0);
	MC_CHECK(message.number == 7);
}

/* ---- two sleepers of one bell ---- */

/* Two threads of the receiver's process, each with a link of its own. */
static void run_shared(uint32_t self)
{
	if (self == SENDER) {
		send(0, 1, 0);
		send(1, 1, 0);
	} else {
		MC_CHECK(receive(self - 1).number == 0);
	}
}

static const struct mc_scenario one = {
	"a stream, one slot", begin_one, run_stream, end, 2, 3, 2, 0, 4000
};
static const struct mc_scenario two = {
	"a stream, two slots", begin_two, run_stream, end, 2, 3, 2, 0, 4000
};
static const struct mc_scenario leave = {
	"a receiver leaves", begin_two, run_leave, end, 2, 3, 2, 0, 4000
};
static const struct mc_scenario shared = {
	"two threads share a bell", begin_one, run_shared, end, 3, 2, 2, 0, 4000
};

static const struct mc_scenario one_stamped = {
	"a stream by stamps, one slot", begin_one_stamped, run_stream, end, 2, 3,
	2, 0, 4000
};
static const struct mc_scenario two_stamped = {
	"a stream by stamps, two slots", begin_two_stamped, run_stream, end, 2, 3,
	2, 0, 4000
};
static const struct mc_scenario leave_stamped = {
	"a receiver of stamps leaves", begin_two_stamped, run_leave, end, 2, 3, 2,
	0, 4000
};

static const struct mc_scenario *const scenarios[] = {
	&one, &two, &leave, &shared, &one_stamped, &two_stamped, &leave_stamped
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "world/slot_link.c",
					     "world/slot_link.h", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "slots", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
