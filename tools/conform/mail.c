/* SPDX-License-Identifier: MIT */
/* Group N, ports and mail: properties, order, limits, loss, worlds. */
#include "ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- N1, N2 -------------------------------------------------------------- */

static void facts(struct conform *c)
{
	struct ports p;

	conform_ports_begin(c, &p, 3);
	for (uint32_t i = 0; i < p.count; i++) {
		const plait_port *first = &p.facts[i];
		plait_port again = { .size = sizeof(again) };

		HOLDS(first->rank == i && first->ranks == p.count);
		HOLDS(first->mail_bytes >= 256);
		HOLDS(first->slot_bytes >= 1);
		HOLDS(first->address_bytes <= sizeof(first->address));
		HOLDS(memcmp(first->machine, p.facts[0].machine,
			     sizeof(first->machine)) == 0);
		GIVES(p.table.port_query(p.self, p.port[i], &again, ERR),
		      PLAIT_OK);
		HOLDS(memcmp(first, &again, sizeof(again)) == 0);
		/* A core with a shorter struct. */
		memset(&again, 0x5a, sizeof(again));
		again.size = offsetof(plait_port, mail_bytes);
		GIVES(p.table.port_query(p.self, p.port[i], &again, ERR),
		      PLAIT_OK);
		HOLDS(again.mail_bytes == 0x5a5a5a5a);
		GIVES(p.table.peer_query(p.self, p.port[i],
					 conform_ports_next(&p, i), ERR),
		      PLAIT_OK);
	}
	conform_ports_end(&p);
}

static void refused(struct conform *c)
{
	plait_port_request request = { .size = sizeof(request), .rank = 5,
				       .ranks = 5 };
	plait_backend_port *port = NULL;
	plait_status status;
	struct ports p;

	NEED(conform_ports_load(c, &p));
	GIVES(p.table.port_open(p.self, &request, &port, ERR),
	      PLAIT_E_INVALID);
	HOLDS(port == NULL);
	request = (plait_port_request){ .size = sizeof(request), .ranks = 1,
					.native_kind = 0x7fffffff,
					.native = 1 };
	status = p.table.port_open(p.self, &request, &port, ERR);
	HOLDS(status == PLAIT_E_UNSUPPORTED || status == PLAIT_E_INVALID);
	HOLDS(c->error.text[0] != '\0' && port == NULL);
	conform_ports_end(&p);
}

/* --- N3 to N6 ------------------------------------------------------------ */

static void fill_mail(unsigned char *bytes, uint64_t count, uint64_t seed)
{
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = (unsigned char)(seed * 13 + i * 3 + (i >> 7));
}

static bool is_mail(const unsigned char *bytes, uint64_t count, uint64_t seed)
{
	for (uint64_t i = 0; i < count; i++)
		if (bytes[i] != (unsigned char)(seed * 13 + i * 3 + (i >> 7)))
			return false;
	return true;
}

static uint64_t some_bytes(struct conform *c, const struct ports *p,
			   uint64_t i)
{
	uint32_t most = p->facts[0].mail_bytes;

	return i == 0 ? 1 : i == 1 ? most : 1 + conform_below(c, most);
}

static void unchanged(struct conform *c)
{
	unsigned char *out, *in;
	uint32_t peer, to;
	struct ports p;

	conform_ports_begin(c, &p, 2);
	to = conform_ports_next(&p, 0);
	out = calloc(2, p.facts[0].mail_bytes);
	in = out + p.facts[0].mail_bytes;
	for (uint64_t i = 0; i < 200; i++) {
		uint64_t bytes = some_bytes(c, &p, i);

		peer = UINT32_MAX;
		fill_mail(out, bytes, i);
		NEED(conform_ports_send(&p, 0, to, out, bytes));
		/* It was copied. */
		memset(out, 0xee, bytes);
		HOLDS(conform_ports_receive(&p, to, &peer, in) == bytes);
		HOLDS(peer == 0 && is_mail(in, bytes, i));
	}
	free(out);
	conform_ports_end(&p);
}

enum { MANY_MAILS = 3000 };

/* Numbered records, until there is no room; read in order; then there is. */
static void full(struct conform *c)
{
	uint32_t to, peer, number = 0, read = 0;
	struct ports p;
	plait_status status = PLAIT_OK;
	uint64_t bytes;
	char *in;

	conform_ports_begin(c, &p, 2);
	to = conform_ports_next(&p, 0);
	in = calloc(1, p.facts[0].mail_bytes);
	for (int round = 0; round < 3; round++) {
		for (; status == PLAIT_OK && number < MANY_MAILS;
		     number += status == PLAIT_OK) {
			conform_ports_pump(&p);
			memcpy(in, &number, sizeof(number));
			status = p.table.mail_send(p.self, p.port[0], to, in,
						   100, ERR);
		}
		if (status != PLAIT_OK)
			GIVES(status, PLAIT_E_BUSY);
		for (; read < number; read++) {
			HOLDS(conform_ports_receive(&p, to, &peer, in) == 100);
			if (!HOLDS(memcmp(in, &read, sizeof(read)) == 0))
				conform_end(c);
		}
		conform_ports_pump(&p);
		GIVES(p.table.mail_next(p.self, p.port[to], &peer, in,
					p.facts[to].mail_bytes, &bytes, ERR),
		      PLAIT_PENDING);
		status = PLAIT_OK;
	}
	free(in);
	conform_ports_end(&p);
}

/* Each rank to each, itself included: the order of a pair stays. */
static void senders(struct conform *c)
{
	uint32_t next[PORTS_MAX][PORTS_MAX] = { { 0 } };
	struct ports p;
	char *in;

	conform_ports_begin(c, &p, 3);
	in = calloc(1, p.facts[0].mail_bytes);
	for (uint32_t i = 0; i < 60; i++)
		for (uint32_t pair = 0; pair < p.count * p.count; pair++) {
			uint32_t from = pair / p.count, to = pair % p.count;
			uint32_t peer = UINT32_MAX, record[2] = { from, i };

			NEED(conform_ports_send(&p, from, to, record,
						sizeof(record)));
			if (pair % p.count != p.count - 1)
				continue;
			for (uint32_t k = 0; k < p.count; k++) {
				conform_ports_receive(&p, k, &peer, in);
				memcpy(record, in, sizeof(record));
				HOLDS(peer == from && record[0] == from);
				if (peer < p.count)
					HOLDS(record[1] == next[peer][k]++);
			}
		}
	free(in);
	conform_ports_end(&p);
}

/* Nothing waits for a peer that does nothing; the deadline finds it. */
static void waiting(struct conform *c)
{
	plait_link_request request;
	struct half half;
	plait_status status;
	struct ports p;
	uint64_t bytes;
	uint32_t peer;
	char *in;

	conform_ports_begin(c, &p, 2);
	in = calloc(1, p.facts[0].mail_bytes);
	GIVES(p.table.mail_next(p.self, p.port[0], &peer, in,
				p.facts[0].mail_bytes, &bytes, ERR),
	      PLAIT_PENDING);
	for (uint32_t i = 0; i < 2; i++) {
		request = conform_ports_request(
			&p, conform_ports_next(&p, 0), i, 77, 2, 100);
		status = conform_ports_half(&p, 0, &request, &half);
		if (status != PLAIT_PENDING)
			GIVES(status, PLAIT_OK);
		conform_ports_drop(&half);
	}
	free(in);
	conform_ports_end(&p);
}

/* --- N7, N8, N9: loss and worlds ----------------------------------------- */

/* Wait until the transport knows. */
static bool is_lost(struct ports *p, uint32_t rank, uint32_t peer)
{
	struct conform *c = p->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();
	plait_status status;
	char name[32];

	do {
		conform_ports_pump(p);
		status = p->table.peer_query(p->self, p->port[rank], peer,
					     ERR);
	} while (status == PLAIT_OK && conform_now_ns() < end);
	snprintf(name, sizeof(name), "rank %u", peer);
	return GIVES(status, PLAIT_E_LOST) &&
		HOLDS_THAT(strstr(c->error.text, name) != NULL,
			   "the text names %s: %s", name, c->error.text);
}

static void need_ranks(struct ports *p, uint32_t ranks)
{
	struct conform *c = p->check;

	if (p->count >= ranks)
		return;
	conform_ports_end(p);
	conform_skip(c, "a process is one rank there");
}

static void loss(struct conform *c)
{
	plait_link_request request;
	struct half sender, receiver, half;
	struct ports p;
	uint32_t peer;
	char *in;

	conform_ports_begin(c, &p, 3);
	need_ranks(&p, 3);
	in = calloc(1, p.facts[0].mail_bytes);
	conform_ports_link(&p, 0, 1, 1, 2, 100, &sender, &receiver);
	NEED(conform_ports_send(&p, 1, 0, "a", 1));
	HOLDS(conform_ports_receive(&p, 0, &peer, in) == 1);
	conform_ports_put(&sender, 1, 10);
	NEED(conform_ports_send(&p, 0, 1, "b", 1));
	conform_ports_drop(&receiver);
	conform_ports_close(&p, 1);
	is_lost(&p, 0, 1);
	GIVES(conform_ports_send(&p, 0, 1, "c", 1), PLAIT_E_LOST);
	request = conform_ports_request(&p, 1, PLAIT_LINK_RECEIVE, 2, 2, 100);
	GIVES(conform_ports_half(&p, 0, &request, &half), PLAIT_E_LOST);
	/* The others go on, and the half that is left is destroyed. */
	conform_ports_drop(&sender);
	conform_ports_link(&p, 0, 2, 1, 2, 100, &sender, &receiver);
	conform_ports_put(&sender, 9, 50);
	if (conform_ports_await(&receiver))
		HOLDS(conform_ports_holds(&receiver, 0, 9, 50));
	NEED(conform_ports_send(&p, 2, 0, "d", 1));
	HOLDS(conform_ports_receive(&p, 0, &peer, in) == 1 && peer == 2);
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	free(in);
	conform_ports_end(&p);
}

static void exchange(struct ports *p, uint64_t seed)
{
	struct conform *c = p->check;
	uint32_t to = conform_ports_next(p, 0), peer = UINT32_MAX;
	unsigned char out[100], *in = calloc(1, p->facts[0].mail_bytes);
	struct half sender, receiver;

	conform_ports_link(p, 0, to, seed, 2, 100, &sender, &receiver);
	fill_mail(out, sizeof(out), seed);
	NEED(conform_ports_send(p, 0, to, out, sizeof(out)));
	conform_ports_put(&sender, seed, 60);
	HOLDS(conform_ports_receive(p, to, &peer, in) == sizeof(out));
	HOLDS(peer == 0 && is_mail(in, sizeof(out), seed));
	if (conform_ports_await(&receiver))
		HOLDS(conform_ports_holds(&receiver, 0, seed, 60));
	conform_ports_drop(&sender);
	conform_ports_drop(&receiver);
	free(in);
}

/* Two instances at one time, and mail of one that the other must not see. */
static void worlds(struct conform *c)
{
	struct ports first, second;
	uint32_t peer;
	char *in;

	conform_ports_begin(c, &first, 2);
	if (conform_ports_load(c, &second) != PLAIT_OK) {
		conform_ports_end(&first);
		conform_skip(c, "one world at a time: %s", c->error.text);
	}
	conform_ports_open(&second, 2);
	in = calloc(1, first.facts[0].mail_bytes);
	NEED(conform_ports_send(&first, 0, conform_ports_next(&first, 0), "1",
				1));
	exchange(&second, 3);
	HOLDS(conform_ports_receive(&first, conform_ports_next(&first, 0),
				    &peer, in) == 1 && in[0] == '1');
	exchange(&first, 4);
	conform_ports_end(&second);
	exchange(&first, 5);
	free(in);
	conform_ports_end(&first);
}

/* Ports are closed with mail and messages pending; the next world works. */
static void again(struct conform *c)
{
	struct half sender, receiver;
	struct ports p;

	NEED(conform_ports_load(c, &p));
	for (uint64_t i = 0; i < 5; i++) {
		uint32_t to;

		conform_ports_open(&p, 2);
		to = conform_ports_next(&p, 0);
		exchange(&p, i + 1);
		conform_ports_link(&p, 0, to, 9, 2, 100, &sender, &receiver);
		NEED(conform_ports_send(&p, 0, to, "old", 3));
		conform_ports_put(&sender, 77, 100);
		conform_ports_pump(&p);
		conform_ports_drop(&sender);
		conform_ports_drop(&receiver);
		for (uint32_t k = 0; k < p.count; k++)
			conform_ports_close(&p, (k + (uint32_t)i) % p.count);
	}
	conform_ports_end(&p);
}

/* --- N10, N11: memory and what is left ----------------------------------- */

static void nothing_left(struct conform *c)
{
	struct conform_process before, after;
	struct ports p;

	/* Drivers keep some things for ever, and the C library stacks of threads
	 * that have ended: the first times do not count. */
	for (int i = 0; i < 8; i++) {
		if (i == 4)
			conform_look(&before);
		conform_ports_begin(c, &p, 3);
		exchange(&p, 1);
		conform_ports_end(&p);
	}
	conform_settle(&before, &after);
	HOLDS(after.threads <= before.threads);
	HOLDS(after.descriptors <= before.descriptors);
	HOLDS(conform_ports_live_bytes == 0);
	if (!conform_sanitized())
		HOLDS_THAT(after.maps <= before.maps + 2,
			   "%u mappings before, %u after", before.maps,
			   after.maps);
}

/* Open and make links with the k-th allocation failing. */
static plait_status try_all(struct conform *c, struct ports *p)
{
	const plait_port_request port = { .size = sizeof(port), .ranks = 1 };
	plait_status status = conform_ports_load(c, p);
	plait_link_request request;
	struct half half;

	if (status != PLAIT_OK)
		return status;
	p->count = 1;
	status = p->table.port_open(p->self, &port, &p->port[0], ERR);
	if (status != PLAIT_OK)
		return status;
	p->facts[0].size = sizeof(p->facts[0]);
	NEED(p->table.port_query(p->self, p->port[0], &p->facts[0], ERR));
	request = conform_ports_request(p, 0, PLAIT_LINK_RECEIVE, 1, 2, 100);
	status = conform_ports_half(p, 0, &request, &half);
	conform_ports_drop(&half);
	return status;
}

static void no_memory(struct conform *c)
{
	plait_status status = PLAIT_E_NOMEM;
	struct ports p;
	int k;

	for (k = 1; k < 100 && status != PLAIT_OK; k++) {
		conform_ports_fail_at = k;
		status = try_all(c, &p);
		if (status != PLAIT_OK && status != PLAIT_PENDING)
			GIVES(status, PLAIT_E_NOMEM);
		if (status == PLAIT_PENDING)
			status = PLAIT_OK;
		if (conform_ports_fail_at > 0)
			GIVES(status, PLAIT_OK);
		conform_ports_fail_at = 0;
		conform_ports_end(&p);
		HOLDS_THAT(conform_ports_live_bytes == 0,
			   "after failure %d %lld bytes are left", k,
			   conform_ports_live_bytes);
	}
	HOLDS(status == PLAIT_OK && k > 1);
}

static const struct conform_check checks[] = {
	{ "N1", "properties of ports", NO_CONTEXT, facts },
	{ "N2", "ports that cannot be", NO_CONTEXT, refused },
	{ "N3", "mail is copied and unchanged", NO_CONTEXT, unchanged },
	{ "N4", "no room for mail", NO_CONTEXT, full },
	{ "N5", "mail of several ranks", NO_CONTEXT, senders },
	{ "N6", "no slot waits for a peer", NO_CONTEXT, waiting },
	{ "N7", "a rank that closes its port is lost", NO_CONTEXT, loss },
	{ "N8", "two worlds at one time", NO_CONTEXT, worlds },
	{ "N9", "worlds one after the other", NO_CONTEXT, again },
	{ "N10", "nothing is left", NO_CONTEXT, nothing_left },
	{ "N11", "no memory", NO_CONTEXT, no_memory },
};

CONFORM_GROUP(conform_mail, "Ports and mail");
