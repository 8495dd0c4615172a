/* SPDX-License-Identifier: MIT */
/* Group N, links: views, order, depth, sizes, numbers. */
#include "ports.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- N12: views ---------------------------------------------------------- */

static void check_view(struct conform *c, const struct half *half)
{
	const plait_link_view *view = &half->view;
	ptrdiff_t apart = (char *)view->ready - (char *)view->taken;
	plait_link_view again = { .size = sizeof(again) };

	HOLDS(view->slots != NULL && view->ready != NULL &&
	      view->taken != NULL);
	HOLDS(view->depth == 4);
	HOLDS((uintptr_t)view->slots % 64 == 0 && view->stride % 64 == 0);
	HOLDS(view->stride >= sizeof(plait_link_slot) + 1000);
	HOLDS(apart <= -64 || apart >= 64);
	HOLDS(*view->ready == 0 && *view->taken == 0);
	HOLDS((view->bell != NULL) == (view->sleeping != NULL) &&
	      (view->bell != NULL) == (view->peer_bell != NULL) &&
	      (view->bell != NULL) == (view->peer_sleeping != NULL));
	GIVES(half->ports->table.link_view(half->ports->self, half->link,
					   &again, ERR), PLAIT_OK);
	HOLDS(memcmp(view, &again, sizeof(again)) == 0);
}

static void views(struct conform *c)
{
	struct half sender, receiver;
	struct ports p;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, 4, 1000,
			   &sender, &receiver);
	check_view(c, &sender);
	check_view(c, &receiver);
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
}

/* --- N13, N14: order and depth ------------------------------------------- */

/* A random walk of a sender and a receiver. */
static void ordered(struct conform *c)
{
	enum { MESSAGES = 2000, BYTES = 700 };
	uint64_t bytes[MESSAGES];
	struct half sender, receiver;
	struct ports p;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, 8, BYTES,
			   &sender, &receiver);
	while (receiver.count < MESSAGES) {
		uint64_t burst = conform_below(c, 10);

		for (uint64_t i = 0; i < burst && sender.count < MESSAGES &&
		     conform_ports_has_credit(&sender); i++) {
			bytes[sender.count] = conform_below(c, BYTES + 1);
			conform_ports_put(&sender, sender.count,
					  bytes[sender.count]);
		}
		burst = conform_below(c, 10);
		for (uint64_t i = 0; i < burst &&
		     receiver.count < sender.count; i++) {
			if (!conform_ports_await(&receiver) ||
			    !HOLDS(conform_ports_holds(
				    &receiver, 0, receiver.count,
				    bytes[receiver.count])))
				conform_end(c);
			conform_ports_take(&receiver);
		}
		conform_ports_pump(&p);
	}
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
}

/* As many messages as slots, all of them intact until they are taken. */
static void depth(struct conform *c)
{
	enum { DEPTH = 4, BYTES = 300 };
	struct half sender, receiver;
	uint64_t end;
	struct ports p;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, DEPTH, BYTES,
			   &sender, &receiver);
	for (uint64_t i = 0; i < DEPTH; i++) {
		if (!conform_ports_await(&sender))
			conform_end(c);
		conform_ports_put(&sender, i, BYTES);
	}
	for (int i = 0; i < 20; i++)
		conform_ports_pump(&p);
	HOLDS(!conform_ports_has_credit(&sender));
	for (uint64_t i = 0; i < 40; i++) {
		end = conform_now_ns() + conform_patience_ns();
		while (*receiver.view.ready < i + DEPTH &&
		       conform_now_ns() < end)
			conform_ports_pump(&p);
		HOLDS(*receiver.view.ready == i + DEPTH);
		for (uint64_t k = 0; k < DEPTH; k++)
			HOLDS(conform_ports_holds(&receiver, k, i + k, BYTES));
		conform_ports_take(&receiver);
		if (!conform_ports_await(&sender))
			conform_end(c);
		conform_ports_put(&sender, i + DEPTH, BYTES);
		HOLDS(!conform_ports_has_credit(&sender));
	}
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
}

/* --- N15, N16, N17: sizes, numbers, many links --------------------------- */

static void sizes(struct conform *c)
{
	static const uint64_t bytes[] = { 1, 63, 64, 65, 4096, 1 << 20 };
	struct ports p;

	conform_ports_begin(c, &p, 2);
	for (uint32_t i = 0; i < CONFORM_COUNT(bytes); i++)
		for (uint32_t power = 0; power < 3; power++) {
			struct half sender, receiver;
			uint64_t most = bytes[i] <= p.facts[0].slot_bytes ?
				bytes[i] : p.facts[0].slot_bytes;

			conform_ports_link(&p, 0, conform_ports_next(&p, 0),
					   i * 3 + power, 1u << power, most,
					   &sender, &receiver);
			for (uint64_t k = 0; k < 9; k++) {
				uint64_t size = k % 3 == 0 ? most :
					k % 3 == 1 ? 0 : most / 2;

				if (!conform_ports_await(&sender))
					conform_end(c);
				conform_ports_put(&sender, k, size);
				if (!conform_ports_await(&receiver))
					conform_end(c);
				HOLDS(conform_ports_holds(&receiver, 0, k,
							  size));
				conform_ports_take(&receiver);
			}
			conform_ports_drop(&sender);
			conform_ports_drop(&receiver);
		}
	conform_ports_end(&p);
}

enum { LINKS = 6 };

/* Both directions with the same numbers, and large numbers. */
static void numbers(struct conform *c)
{
	static const uint64_t number[LINKS] = {
		1, 1, 2, 2, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1
	};
	struct half sender[LINKS], receiver[LINKS];
	struct ports p;
	uint32_t to;

	conform_ports_begin(c, &p, 2);
	to = conform_ports_next(&p, 0);
	for (uint32_t i = 0; i < LINKS; i++) {
		bool back = i % 2 && to != 0;
		uint64_t own = to == 0 && i % 2 ? number[i] + 10 : number[i];

		conform_ports_link(&p, back ? to : 0, back ? 0 : to, own, 2,
				   100, &sender[i], &receiver[i]);
	}
	for (uint64_t k = 0; k < 20; k++) {
		for (uint32_t i = 0; i < LINKS; i++)
			if (conform_ports_await(&sender[i]))
				conform_ports_put(&sender[i], k * 10 + i, 60);
		for (uint32_t i = LINKS; i-- > 0;) {
			if (!conform_ports_await(&receiver[i]))
				conform_end(c);
			HOLDS(conform_ports_holds(&receiver[i], 0, k * 10 + i,
						  60));
			conform_ports_take(&receiver[i]);
		}
	}
	for (uint32_t i = 0; i < LINKS; i++) {
		conform_ports_drop(&receiver[i]);
		conform_ports_drop(&sender[i]);
	}
	conform_ports_end(&p);
}

/* Links come and go; the last ones work, and memory does not grow. */
static void many(struct conform *c)
{
	struct conform_process before = { 0 }, after;
	struct half sender, receiver;
	struct ports p;

	conform_ports_begin(c, &p, 2);
	for (uint64_t i = 0; i < 400; i++) {
		if (i == 100)
			conform_look(&before);
		conform_ports_link(&p, 0, conform_ports_next(&p, 0), i, 2,
				   5000, &sender, &receiver);
		HOLDS(*receiver.view.ready == 0 && *sender.view.taken == 0);
		conform_ports_put(&sender, i, 5000);
		if (i % 3 && conform_ports_await(&receiver)) {
			HOLDS(conform_ports_holds(&receiver, 0, i, 5000));
			conform_ports_take(&receiver);
		}
		conform_ports_drop(i % 2 ? &sender : &receiver);
		conform_ports_drop(i % 2 ? &receiver : &sender);
		conform_ports_pump(&p);
	}
	conform_look(&after);
	HOLDS(after.descriptors <= before.descriptors);
	if (!conform_sanitized())
		HOLDS_THAT(after.maps <= before.maps + 16,
			   "%u mappings after 100 links, %u after 400",
			   before.maps, after.maps);
	conform_ports_end(&p);
}

/* --- N18: bells ---------------------------------------------------------- */

static void bells(struct conform *c)
{
	struct half sender, receiver;
	struct ports p;
	uint32_t before;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, 2, 100,
			   &sender, &receiver);
	if (sender.view.bell == NULL) {
		HOLDS(receiver.view.bell == NULL);
	} else {
		before = *receiver.view.bell;
		atomic_fetch_add((_Atomic uint32_t *)sender.view.peer_bell, 1);
		HOLDS(*receiver.view.bell == before + 1);
		atomic_store((_Atomic uint32_t *)receiver.view.sleeping, 1);
		HOLDS(*sender.view.peer_sleeping == 1);
		atomic_store((_Atomic uint32_t *)receiver.view.sleeping, 0);
		before = *sender.view.bell;
		atomic_fetch_add((_Atomic uint32_t *)receiver.view.peer_bell,
				 1);
		HOLDS(*sender.view.bell == before + 1);
	}
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
}

/* --- N19: both ends on their own threads --------------------------------- */

struct echo {
	struct half *in;
	struct half *out;
	atomic_ullong messages; /* each way */
	atomic_bool wrong;
};

/* Returns true if message `i` has come, and an answer has room; false behind the last
 * message, or if it is late. */
static bool await_echo(struct echo *echo, uint64_t i)
{
	uint64_t end = conform_now_ns() + conform_patience_ns();

	while (i < atomic_load(&echo->messages) && !atomic_load(&echo->wrong)) {
		if (conform_ports_has_message(echo->in) &&
		    conform_ports_has_credit(echo->out))
			return true;
		atomic_store(&echo->wrong, conform_now_ns() >= end);
		sched_yield();
	}
	return false;
}

static void answer(void *argument)
{
	struct echo *echo = argument;

	for (uint64_t i = 0; await_echo(echo, i); i++) {
		if (!conform_ports_holds(echo->in, 0, i, i % 200))
			atomic_store(&echo->wrong, true);
		conform_ports_take(echo->in);
		conform_ports_put(echo->out, i, i % 200);
	}
}

/* Send, and take the answers.  On a busy machine, where each one takes time slices of
 * others, fewer than wanted, but so many that each slot is used several times. */
static void send_and_take(struct conform *c, struct echo *echo,
			  struct half *out, struct half *in)
{
	uint64_t end = conform_now_ns() + conform_patience_ns();

	for (uint64_t i = 0; i < atomic_load(&echo->messages) &&
			     !atomic_load(&echo->wrong);) {
		if (out->count >= 32 && conform_now_ns() >= end)
			atomic_store(&echo->messages, out->count);
		if (out->count < atomic_load(&echo->messages) &&
		    out->count < i + 4 && conform_ports_has_credit(out))
			conform_ports_put(out, out->count, out->count % 200);
		conform_ports_pump(out->ports);
		if (!conform_ports_has_message(in)) {
			sched_yield();
			continue;
		}
		if (!HOLDS(conform_ports_holds(in, 0, i, i % 200)))
			return;
		conform_ports_take(in);
		i++;
	}
}

static void threads(struct conform *c)
{
	struct half out, in, there, back;
	struct echo echo = { .in = &there, .out = &back, .messages = 5000 };
	struct conform_thread *thread;
	struct ports p;
	uint32_t to;

	conform_ports_begin(c, &p, 2);
	to = conform_ports_next(&p, 0);
	conform_ports_link(&p, 0, to, 1, 4, 200, &out, &there);
	conform_ports_link(&p, to, 0, 2, 4, 200, &back, &in);
	thread = conform_start(c, answer, &echo);
	send_and_take(c, &echo, &out, &in);
	conform_join(thread);
	HOLDS(!atomic_load(&echo.wrong));
	conform_ports_drop(&out);
	conform_ports_drop(&there);
	conform_ports_drop(&back);
	conform_ports_drop(&in);
	conform_ports_end(&p);
}

/* --- N20: requests that cannot be ---------------------------------------- */

static void mismatch(struct conform *c)
{
	plait_link_request request;
	struct half receiver, sender;
	struct ports p;
	uint32_t to;

	conform_ports_begin(c, &p, 2);
	to = conform_ports_next(&p, 0);
	request = conform_ports_request(&p, 0, PLAIT_LINK_RECEIVE, 1, 2, 100);
	NEED(conform_ports_half(&p, to, &request, &receiver));
	request = conform_ports_request(&p, to, PLAIT_LINK_SEND, 1, 2, 100);
	request.slot_bytes = p.facts[0].slot_bytes + 1;
	if (request.slot_bytes != 0) {
		GIVES(conform_ports_half(&p, 0, &request, &sender),
		      PLAIT_E_INVALID);
		HOLDS(c->error.text[0] != '\0');
	}
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
}

/* --- N21: lent memory ---------------------------------------------------- */

enum { LENT_DEPTH = 4, LENT_BYTES = 70000 };

/* Memory of a sender, a piece for each slot, and a receiver's room. */
struct loans {
	unsigned char memory[LENT_DEPTH][LENT_BYTES];
	unsigned char room[LENT_BYTES];
	uint64_t changed; /* messages whose memory was changed since */
};

static uint64_t lent_bytes(uint64_t message)
{
	return message % 3 == 0 ? LENT_BYTES : 1 + message * 7919 % LENT_BYTES;
}

static uint64_t read_lent(const struct half *half)
{
	return atomic_load((_Atomic uint64_t *)half->view.lent);
}

/* Change what the transport has let go of. */
static void change_lent(struct loans *loans, uint64_t until)
{
	for (; loans->changed < until; loans->changed++)
		memset(loans->memory[loans->changed % LENT_DEPTH], 0x55,
		       LENT_BYTES);
}

static bool reclaim_all(struct half *half)
{
	struct conform *c = half->ports->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();
	plait_status status;

	do {
		conform_ports_pump(half->ports);
		status = half->ports->table.link_reclaim(
			half->ports->self, half->link, ERR);
	} while (status == PLAIT_PENDING && conform_now_ns() < end);
	return GIVES(status, PLAIT_OK);
}

/* Take a message that may be in lent room, or in the slot. */
static bool take_lent(struct conform *c, struct half *half,
		      struct loans *loans, uint64_t message)
{
	uint64_t bytes = lent_bytes(message);

	if (message % 2 == 0)
		(void)half->ports->table.link_lend(half->ports->self,
						   half->link, loans->room,
						   bytes, ERR);
	if (!conform_ports_await(half))
		return false;
	if (read_lent(half) == message + 1) {
		HOLDS(message % 2 == 0);
		memcpy(conform_ports_slot(half, message) +
		       sizeof(plait_link_slot), loans->room, bytes);
	}
	HOLDS(conform_ports_holds(half, 0, message, bytes));
	conform_ports_take(half);
	return true;
}

static void exchange_lent(struct conform *c, struct half *sender,
			  struct half *receiver, struct loans *loans)
{
	for (uint64_t i = 0; i < 60; i++) {
		while (sender->count < 60 && conform_ports_has_credit(sender) &&
		       loans->changed + LENT_DEPTH > sender->count) {
			uint64_t next = sender->count;

			conform_ports_put_lent(
				sender, loans->memory[next % LENT_DEPTH],
				next, lent_bytes(next));
		}
		if (i % 8 == 7 && reclaim_all(sender))
			change_lent(loans, sender->count);
		if (!take_lent(c, receiver, loans, i))
			return;
		change_lent(loans, read_lent(sender));
	}
	HOLDS(reclaim_all(sender) && reclaim_all(receiver));
}

static void lending(struct conform *c)
{
	struct loans *loans = calloc(1, sizeof(*loans));
	struct half sender, receiver;
	struct ports p;
	bool lends;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, LENT_DEPTH,
			   LENT_BYTES, &sender, &receiver);
	lends = sender.view.lent != NULL && loans != NULL;
	HOLDS(loans != NULL &&
	      lends == (receiver.view.lent != NULL));
	if (lends)
		exchange_lent(c, &sender, &receiver, loans);
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
	free(loans);
	if (!lends)
		conform_skip(c, "it lends no memory");
}

/* --- N22: memory that peers read ------------------------------------------ */

enum { SHARED = 3 };

struct shared {
	void *memory;
	uint64_t place, bytes;
};

static const uint64_t shared_bytes[SHARED] = { 1, 4097, 300000 };

static bool is_filled(const unsigned char *memory, uint64_t bytes,
		      unsigned char value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (memory[i] != value)
			return false;
	return true;
}

/* Map what rank 0 has at another rank, and read it. */
static void read_shared(struct ports *p, const struct shared *shared,
			unsigned char value)
{
	struct conform *c = p->check;
	uint32_t peer = conform_ports_next(p, 0);
	const void *mapped = NULL;

	NEED(p->table.shared_map(p->self, p->port[peer], 0, shared->place,
				 shared->bytes, &mapped, ERR));
	HOLDS(is_filled(mapped, shared->bytes, value));
	memset(shared->memory, value + 1, shared->bytes);
	HOLDS(is_filled(mapped, shared->bytes, (unsigned char)(value + 1)));
	p->table.shared_unmap(p->self, p->port[peer], mapped, shared->bytes);
}

/* A mapping outlives the memory, whose place is no other's ever. */
static void outlive_shared(struct ports *p, struct shared *shared)
{
	struct conform *c = p->check;
	uint32_t peer = conform_ports_next(p, 0);
	volatile unsigned char byte;
	const void *mapped = NULL;
	uint64_t place = 0;
	void *memory = NULL;

	NEED(p->table.shared_map(p->self, p->port[peer], 0, shared->place,
				 shared->bytes, &mapped, ERR));
	p->table.shared_destroy(p->self, p->port[0], shared->memory,
				shared->place, shared->bytes);
	NEED(p->table.shared_create(p->self, p->port[0], shared->bytes, &memory,
				    &place, ERR));
	memset(memory, 0x77, shared->bytes);
	HOLDS(place != shared->place);
	byte = *(const volatile unsigned char *)mapped;
	HOLDS(byte != 0x77);
	p->table.shared_unmap(p->self, p->port[peer], mapped, shared->bytes);
	p->table.shared_destroy(p->self, p->port[0], memory, place,
				shared->bytes);
}

static void share(struct ports *p)
{
	struct shared all[SHARED] = { { .memory = NULL } };
	struct conform *c = p->check;
	uint32_t peer = conform_ports_next(p, 0);
	const void *mapped = NULL;

	for (uint32_t i = 0; i < SHARED; i++) {
		all[i].bytes = shared_bytes[i];
		NEED(p->table.shared_create(p->self, p->port[0], all[i].bytes,
					    &all[i].memory, &all[i].place,
					    ERR));
		HOLDS((uintptr_t)all[i].memory % 4096 == 0);
		memset(all[i].memory, (int)(i * 16), all[i].bytes);
	}
	for (uint32_t i = 0; i < SHARED; i++)
		read_shared(p, &all[i], (unsigned char)(i * 16));
	GIVES(p->table.shared_map(p->self, p->port[peer], 0,
				  UINT64_C(1) << 60, 1, &mapped, ERR),
	      PLAIT_E_INVALID);
	for (uint32_t i = 0; i < SHARED; i++)
		outlive_shared(p, &all[i]);
}

static void sharing(struct conform *c)
{
	struct half sender, receiver;
	struct ports p;
	bool shares;

	conform_ports_begin(c, &p, 2);
	conform_ports_link(&p, 0, conform_ports_next(&p, 0), 1, 1, 64, &sender,
			   &receiver);
	shares = p.facts[0].flags & PLAIT_PORT_SHARES_MEMORY;
	HOLDS(shares == (p.table.shared_create != NULL));
	if (shares)
		share(&p);
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	conform_ports_end(&p);
	if (!shares)
		conform_skip(c, "it shares no memory");
}

static const struct conform_check checks[] = {
	{ "N12", "views of links", NO_CONTEXT, views },
	{ "N13", "messages arrive in order, unchanged", NO_CONTEXT, ordered },
	{ "N14", "as many messages as slots", NO_CONTEXT, depth },
	{ "N15", "messages of each size", NO_CONTEXT, sizes },
	{ "N16", "links do not mix", NO_CONTEXT, numbers },
	{ "N17", "links come and go", NO_CONTEXT, many },
	{ "N18", "bells", NO_CONTEXT, bells },
	{ "N19", "both ends at one time", NO_CONTEXT, threads },
	{ "N20", "slots that are too long", NO_CONTEXT, mismatch },
	{ "N21", "lent memory", NO_CONTEXT, lending },
	{ "N22", "memory that peers read", NO_CONTEXT, sharing },
};

CONFORM_GROUP(conform_messages, "Links");
