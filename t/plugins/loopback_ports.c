/* SPDX-License-Identifier: MIT */
/*
 * Transport loopback: ports of one process exchange mail and messages, and say
 * what is wrong.  shm has the same code; shm_processes.c has what needs
 * processes.
 */
#include <pthread.h>
#include <string.h>

#include "lib/ranks.h"
#include "lib/tap.h"

static struct rank ranks[4];

static void options_are_checked(void)
{
	static const char *const bad[] = {
		"rank=0", "ranks=2", "name=x", "rank=2 ranks=2",
		"rank=a ranks=2", "rank=0 ranks=0", "rank=0 ranks=1025",
		"rank=0 ranks=2 name=a/b", "rank=-1 ranks=2",
	};

	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		IS_INT(rank_load(&ranks[0], "loopback", bad[i]),
		       PLAIT_E_INVALID);
		HAS_STR(ranks[0].error.text, "loopback: option");
		rank_unload(&ranks[0]);
	}
}

static void rank_is_asked_for(void)
{
	plait_port_request request = { .size = sizeof(request) };

	IS_INT(rank_load(&ranks[0], "loopback", ""), PLAIT_OK);
	IS_INT(rank_open(&ranks[0], NULL), PLAIT_E_INVALID);
	HAS_STR(ranks[0].error.text, "PLAIT_TRANSPORT=loopback,mpi");
	HAS_STR(ranks[0].error.text, "loopback:rank=0,ranks=2,name=x");
	request.rank = 3;
	request.ranks = 3;
	IS_INT(rank_open(&ranks[0], &request), PLAIT_E_INVALID);
	HAS_STR(ranks[0].error.text, "rank 3 of 3");
	rank_unload(&ranks[0]);
	IS_INT(rank_load(&ranks[0], "loopback", "rank=0 ranks=2 name=x"),
	       PLAIT_OK);
	request.rank = 1;
	request.ranks = 2;
	IS_INT(rank_open(&ranks[0], &request), PLAIT_E_INVALID);
	HAS_STR(ranks[0].error.text, "by the options");
	rank_unload(&ranks[0]);
}

static void facts_are_told(void)
{
	if (!ranks_open(ranks, 2, "loopback", "facts"))
		return;
	IS_UINT(ranks[1].facts.rank, 1);
	IS_UINT(ranks[1].facts.ranks, 2);
	IS_UINT(ranks[1].facts.flags, PLAIT_PORT_KNOWS_RANKS |
		PLAIT_PORT_SAME_MACHINE | PLAIT_PORT_SAME_PROCESS |
		PLAIT_PORT_SHARES_MEMORY);
	OK(ranks[0].facts.mail_bytes >= 256);
	OK(memcmp(ranks[0].facts.machine, ranks[1].facts.machine, 16) == 0);
	OK(memcmp(ranks[0].facts.address, ranks[1].facts.address, 64) != 0);
	ranks_close(ranks, 2);
}

/* Records come in order, and are copied. */
static void mail_arrives(void)
{
	unsigned char out[4096], in[4096];
	uint32_t peer = 9;

	if (!ranks_open(ranks, 3, "loopback", "mail"))
		return;
	for (uint32_t i = 1; i <= 300; i++) {
		uint32_t bytes = i * 13 % 4096 + 1;

		memset(out, (int)i, sizeof(out));
		IS_INT(rank_send(&ranks[i % 2], 2, out, bytes), PLAIT_OK);
		memset(out, 0, sizeof(out));
		IS_UINT(rank_receive(&ranks[2], &peer, in), bytes);
		IS_UINT(peer, i % 2);
		OK(in[0] == (unsigned char)i && in[bytes - 1] == in[0]);
	}
	ranks_close(ranks, 3);
}

static void mail_has_limits(void)
{
	unsigned char bytes[4097] = { 7 };
	uint32_t sent = 0, got = 0, peer;
	uint64_t count;

	if (!ranks_open(ranks, 2, "loopback", "limits"))
		return;
	IS_INT(rank_send(&ranks[0], 1, bytes, 0), PLAIT_E_INVALID);
	IS_INT(rank_send(&ranks[0], 1, bytes, 4097), PLAIT_E_INVALID);
	IS_INT(rank_send(&ranks[0], 2, bytes, 1), PLAIT_E_INVALID);
	IS_INT(ranks[0].table.mail_next(ranks[0].self, ranks[0].port, &peer,
					bytes, 10, &count, &ranks[0].error),
	       PLAIT_E_INVALID);
	while (ranks[0].table.mail_send(ranks[0].self, ranks[0].port, 1, bytes,
					1000, &ranks[0].error) == PLAIT_OK)
		sent++;
	IS_INT(ranks[0].error.status, PLAIT_E_BUSY);
	HAS_STR(ranks[0].error.text, "the mailbox at rank 1 is full");
	while (rank_look(&ranks[1], &peer, bytes, &count) == PLAIT_OK)
		got++;
	IS_UINT(got, sent);
	IS_INT(rank_send(&ranks[0], 1, bytes, 1000), PLAIT_OK);
	ranks_close(ranks, 2);
}

/* A rank that has not come yet is busy; a rank may write to itself. */
static void mail_waits_for_ports(void)
{
	uint32_t peer = 9;
	char in[4096];

	IS_INT(rank_load(&ranks[0], "loopback", "rank=0 ranks=2 name=late"),
	       PLAIT_OK);
	IS_INT(rank_open(&ranks[0], NULL), PLAIT_OK);
	IS_INT(ranks[0].table.mail_send(ranks[0].self, ranks[0].port, 1, "a",
					1, &ranks[0].error), PLAIT_E_BUSY);
	HAS_STR(ranks[0].error.text, "rank 1 has not opened its port yet");
	IS_INT(rank_send(&ranks[0], 0, "me", 2), PLAIT_OK);
	IS_UINT(rank_receive(&ranks[0], &peer, in), 2);
	IS_UINT(peer, 0);
	IS_INT(rank_load(&ranks[1], "loopback", "rank=1 ranks=2 name=late"),
	       PLAIT_OK);
	IS_INT(rank_open(&ranks[1], NULL), PLAIT_OK);
	IS_INT(rank_send(&ranks[0], 1, "b", 1), PLAIT_OK);
	IS_UINT(rank_receive(&ranks[1], &peer, in), 1);
	ranks_close(ranks, 2);
}

static void links_carry_messages(void)
{
	unsigned char out[1000], in[1000];
	struct half sender, receiver;
	uint64_t bytes;

	if (!ranks_open(ranks, 2, "loopback", "links"))
		return;
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(
		1, PLAIT_LINK_SEND, 7, 4, 1000), &sender), PLAIT_PENDING);
	IS_INT(rank_link(&ranks[1], NULL, rank_link_to(
		0, PLAIT_LINK_RECEIVE, 7, 4, 1000), &receiver), PLAIT_OK);
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(
		1, PLAIT_LINK_SEND, 7, 4, 1000), &sender), PLAIT_OK);
	IS_UINT(sender.view.depth, 4);
	IS_UINT((uintptr_t)sender.view.slots % 64, 0);
	IS_UINT(sender.view.stride % 64, 0);
	OK(sender.view.stride >= 1064);
	OK(sender.view.bell != NULL && sender.view.bell !=
	   sender.view.peer_bell);
	for (uint32_t i = 0; i < 100; i++) {
		memset(out, (int)i, sizeof(out));
		OK(half_can_send(&sender));
		half_send(&sender, i, out, i * 10);
		if (i % 4 != 3)
			continue;
		OK(!half_can_send(&sender));
		for (uint32_t k = i - 3; k <= i; k++) {
			OK(half_can_receive(&receiver));
			IS_UINT(half_receive(&receiver, in, &bytes), k);
			IS_UINT(bytes, k * 10);
			OK(bytes == 0 || in[bytes - 1] == (unsigned char)k);
		}
	}
	half_close(&ranks[0], &sender);
	half_close(&ranks[1], &receiver);
	ranks_close(ranks, 2);
}

static void links_are_checked(void)
{
	const plait_link_request bad[] = {
		rank_link_to(2, 0, 1, 4, 64), rank_link_to(1, 2, 1, 4, 64),
		rank_link_to(1, 0, 1, 0, 64), rank_link_to(1, 0, 1, 3, 64),
		rank_link_to(1, 0, 1, 4, 0),
		rank_link_to(1, 0, 1, 4, (UINT64_C(1) << 30) + 1),
	};
	struct half half, other;

	if (!ranks_open(ranks, 2, "loopback", "checks"))
		return;
	for (size_t i = 0; i < TAP_COUNT(bad); i++)
		IS_INT(rank_link(&ranks[0], NULL, bad[i], &half),
		       PLAIT_E_INVALID);
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(1, 1, 5, 4, 64),
			 &half), PLAIT_OK);
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(1, 1, 5, 4, 64),
			 &other), PLAIT_E_INVALID);
	HAS_STR(ranks[0].error.text, "link 5 from rank 1 exists already");
	IS_INT(rank_link(&ranks[1], NULL, rank_link_to(0, 0, 5, 8, 64),
			 &other), PLAIT_E_INVALID);
	HAS_STR(ranks[1].error.text, "rank 0 receives by 4 slots of 64 bytes, "
		"rank 1 sends by 8 of 64");
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(
		1, 1, 6, 1u << 31, UINT64_C(1) << 30), &other),
	       PLAIT_E_NOMEM);
	half_close(&ranks[0], &half);
	ranks_close(ranks, 2);
}

/* Without a name ports reach each other by addresses. */
static void addresses_do(void)
{
	plait_port_request request = { .size = sizeof(request), .ranks = 2 };
	uint32_t peer = 9;
	struct half sender, receiver;
	char in[4096];

	for (uint32_t i = 0; i < 2; i++) {
		request.rank = i;
		IS_INT(rank_load(&ranks[i], "loopback", ""), PLAIT_OK);
		IS_INT(rank_open(&ranks[i], &request), PLAIT_OK);
		IS_UINT(ranks[i].facts.flags & PLAIT_PORT_KNOWS_RANKS, 0);
	}
	IS_INT(rank_send(&ranks[0], 1, "x", 1), PLAIT_E_STATE);
	IS_INT(rank_link(&ranks[0], &ranks[1], rank_link_to(1, 1, 1, 2, 8),
			 &receiver), PLAIT_OK);
	IS_INT(rank_link(&ranks[1], &ranks[0], rank_link_to(0, 0, 1, 2, 8),
			 &sender), PLAIT_OK);
	half_send(&sender, 42, "12345678", 8);
	OK(half_can_receive(&receiver));
	IS_UINT(half_receive(&receiver, in, NULL), 42);
	OK(memcmp(in, "12345678", 8) == 0);
	IS_INT(rank_send(&ranks[1], 0, "yes", 3), PLAIT_OK);
	IS_UINT(rank_receive(&ranks[0], &peer, in), 3);
	half_close(&ranks[0], &receiver);
	half_close(&ranks[1], &sender);
	ranks_close(ranks, 2);
}

static void foreign_addresses_are_refused(void)
{
	plait_port_request request = { .size = sizeof(request), .ranks = 2 };
	plait_link_request link = rank_link_to(1, 1, 1, 2, 8);
	uint8_t address[16] = { 1 };
	struct half half;

	IS_INT(rank_load(&ranks[0], "loopback", ""), PLAIT_OK);
	IS_INT(rank_open(&ranks[0], &request), PLAIT_OK);
	link.address = address;
	link.address_bytes = 7;
	IS_INT(rank_link(&ranks[0], NULL, link, &half), PLAIT_E_INVALID);
	link.address_bytes = 16;
	IS_INT(rank_link(&ranks[0], NULL, link, &half), PLAIT_E_LOST);
	HAS_STR(ranks[0].error.text, "rank 1 (process 1) has");
	ranks_close(ranks, 1);
}

/* Two worlds of one name at one time, and one after the other. */
static void worlds_are_apart(void)
{
	static struct rank second[2];
	uint32_t peer = 9;
	char in[4096];

	if (!ranks_open(ranks, 2, "loopback", "w") ||
	    !ranks_open(second, 2, "loopback", "w"))
		return;
	IS_INT(rank_send(&ranks[0], 1, "first", 5), PLAIT_OK);
	IS_INT(rank_send(&second[0], 1, "second", 6), PLAIT_OK);
	IS_UINT(rank_receive(&second[1], &peer, in), 6);
	IS_UINT(rank_receive(&ranks[1], &peer, in), 5);
	/* Rank 0 of the next world does not reach rank 1 of the last one. */
	rank_close(&ranks[0]);
	IS_INT(rank_open(&ranks[0], NULL), PLAIT_OK);
	IS_INT(ranks[0].table.mail_send(ranks[0].self, ranks[0].port, 1, "x",
					1, &ranks[0].error), PLAIT_E_BUSY);
	IS_INT(ranks[1].table.peer_query(ranks[1].self, ranks[1].port, 0,
					 &ranks[1].error), PLAIT_E_LOST);
	HAS_STR(ranks[1].error.text, "has closed its port");
	rank_close(&ranks[1]);
	IS_INT(rank_open(&ranks[1], NULL), PLAIT_OK);
	IS_INT(rank_send(&ranks[0], 1, "third", 5), PLAIT_OK);
	IS_UINT(rank_receive(&ranks[1], &peer, in), 5);
	OK(memcmp(in, "third", 5) == 0);
	ranks_close(second, 2);
	ranks_close(ranks, 2);
}

/* A closed port is a lost peer; what it sent is read. */
static void closing_is_loss(void)
{
	struct half receiver, sender;
	uint32_t peer = 9;
	char in[4096];

	if (!ranks_open(ranks, 2, "loopback", "close"))
		return;
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(1, 1, 1, 2, 8),
			 &receiver), PLAIT_OK);
	IS_INT(rank_link(&ranks[1], NULL, rank_link_to(0, 0, 1, 2, 8),
			 &sender), PLAIT_OK);
	half_send(&sender, 5, NULL, 0);
	IS_INT(rank_send(&ranks[1], 0, "last", 4), PLAIT_OK);
	half_close(&ranks[1], &sender);
	rank_close(&ranks[1]);
	IS_INT(ranks[0].table.peer_query(ranks[0].self, ranks[0].port, 1,
					 &ranks[0].error), PLAIT_E_LOST);
	IS_UINT(rank_receive(&ranks[0], &peer, in), 4);
	OK(half_can_receive(&receiver));
	IS_UINT(half_receive(&receiver, NULL, NULL), 5);
	IS_INT(rank_send(&ranks[0], 1, "x", 1), PLAIT_E_LOST);
	half_close(&ranks[0], &receiver);
	ranks_close(ranks, 2);
}

/* Slots of links that are gone are used again. */
static void memory_is_reused(void)
{
	struct half receiver, sender;

	if (!ranks_open(ranks, 2, "loopback", "reuse"))
		return;
	for (uint32_t i = 0; i < 5000; i++) {
		plait_status made = rank_link(&ranks[0], NULL, rank_link_to(
			1, 1, i, 2, 8), &receiver);
		plait_status taken = rank_link(&ranks[1], NULL, rank_link_to(
			0, 0, i, 2, 8), &sender);

		if (made != PLAIT_OK || taken != PLAIT_OK ||
		    *receiver.view.ready != 0) {
			OK_THAT(false, "link %u: %s", i, ranks[0].error.text);
			break;
		}
		half_send(&sender, i, NULL, 0);
		if (i % 2)
			half_close(&ranks[0], &receiver);
		half_close(&ranks[1], &sender);
		half_close(&ranks[0], &receiver);
	}
	ranks_close(ranks, 2);
}

/* Two threads, one link each way. */
enum { MESSAGES = 20000 };

static void *echo(void *user_data)
{
	struct half *halves = user_data;

	for (uint64_t i = 0; i < MESSAGES; i++) {
		while (!half_can_receive(&halves[0]) ||
		       !half_can_send(&halves[1]))
			;
		half_send(&halves[1], half_receive(&halves[0], NULL, NULL) + 1,
			  NULL, 0);
	}
	return NULL;
}

static void threads_exchange(void)
{
	struct half there[2], here[2];
	uint64_t wrong = 0, sent = 0;
	pthread_t thread;

	if (!ranks_open(ranks, 2, "loopback", "threads"))
		return;
	IS_INT(rank_link(&ranks[1], NULL, rank_link_to(0, 1, 1, 4, 64),
			 &there[0]), PLAIT_OK);
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(1, 0, 1, 4, 64),
			 &here[0]), PLAIT_OK);
	IS_INT(rank_link(&ranks[0], NULL, rank_link_to(1, 1, 1, 4, 64),
			 &here[1]), PLAIT_OK);
	IS_INT(rank_link(&ranks[1], NULL, rank_link_to(0, 0, 1, 4, 64),
			 &there[1]), PLAIT_OK);
	IS_INT(pthread_create(&thread, NULL, echo, there), 0);
	for (uint64_t i = 0; i < MESSAGES;) {
		if (sent < MESSAGES && half_can_send(&here[0])) {
			half_send(&here[0], sent, NULL, 0);
			sent++;
		}
		if (half_can_receive(&here[1]))
			wrong += half_receive(&here[1], NULL, NULL) != ++i;
	}
	pthread_join(thread, NULL);
	IS_UINT(wrong, 0);
	for (uint32_t i = 0; i < 2; i++) {
		half_close(&ranks[0], &here[i]);
		half_close(&ranks[1], &there[i]);
	}
	ranks_close(ranks, 2);
}

static const struct tap_scenario all[] = {
	{ "options are checked", options_are_checked },
	{ "a rank is asked for", rank_is_asked_for },
	{ "facts are told", facts_are_told },
	{ "mail arrives", mail_arrives },
	{ "mail has limits", mail_has_limits },
	{ "mail waits for ports", mail_waits_for_ports },
	{ "links carry messages", links_carry_messages },
	{ "links are checked", links_are_checked },
	{ "addresses do without names", addresses_do },
	{ "foreign addresses are refused", foreign_addresses_are_refused },
	{ "worlds are apart", worlds_are_apart },
	{ "closing is loss", closing_is_loss },
	{ "memory is reused", memory_is_reused },
	{ "threads exchange", threads_exchange },
};

TAP_MAIN(all)
