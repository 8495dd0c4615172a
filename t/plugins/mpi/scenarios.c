/* SPDX-License-Identifier: MIT */
/*
 * Scenarios of the MPI transports for each rank of a job.
 *
 *	scenarios PLUGIN SCENARIO [SEED [DEPTH [SLOT_BYTES [MESSAGES]]]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lent.h"
#include "native.h"
#include "rank.h"
#include "receives.h"

enum { MOST_RANKS = 8, LINKS = 2, MAILS = 300, UNREAD = 200 };

static struct {
	uint32_t depth;
	uint64_t slot_bytes;
	uint64_t messages;
} asked = { 2, 4096, 200 };

/* --- mail ----------------------------------------------------------------- */

static uint64_t mail_length(uint32_t from, uint32_t to, uint32_t index)
{
	uint64_t most = rank.facts.mail_bytes;

	return index % 50 == 0 ? most
			       : 12 + (from * 31 + to * 17 + index * 97) %
					      (most - 12);
}

static void check_mail(uint32_t peer, const unsigned char *bytes,
		       uint64_t count, uint32_t *next)
{
	uint32_t index;

	memcpy(&index, bytes, sizeof(index));
	MUST(peer < rank.facts.ranks);
	MUST(index == next[peer]++);
	MUST(count == mail_length(peer, rank.facts.rank, index));
	MUST(bytes[count - 1] == (unsigned char)(index + peer));
}

/* All ranks write to all, themselves too. */
static void mail(void)
{
	unsigned char bytes[1 << 16] = { 0 };
	uint32_t next[MOST_RANKS] = { 0 }, i, peer;
	uint64_t count;

	rank_open(0);
	MUST(rank.facts.mail_bytes >= 256);
	MUST(rank.facts.mail_bytes <= sizeof(bytes));
	for (i = 0; i < MAILS; i++)
		for (peer = 0; peer < rank.facts.ranks; peer++) {
			count = mail_length(rank.facts.rank, peer, i);
			memcpy(bytes, &i, sizeof(i));
			bytes[count - 1] =
				(unsigned char)(i + rank.facts.rank);
			rank_mail(peer, bytes, count);
		}
	for (i = 0; i < MAILS * rank.facts.ranks; i++) {
		count = rank_next(&peer, bytes);
		check_mail(peer, bytes, count, next);
	}
	MUST(rank.table.mail_next(rank.self, rank.port, &peer, bytes,
				  sizeof(bytes), &count, &rank.error) ==
	     PLAIT_PENDING);
	rank_close();
}

/* --- streams -------------------------------------------------------------- */

static struct half halves[2 * LINKS * MOST_RANKS];
static uint32_t half_count;

/* Ranks create their halves in different orders. */
static void create_streams(void)
{
	uint32_t d, n, peer, ranks = rank.facts.ranks;

	half_count = 0;
	for (d = 0; d < ranks; d++)
		for (n = 0; n < LINKS; n++) {
			peer = (rank.facts.rank + d) % ranks;
			halves[half_count++] = rank_half(
				(n + rank.facts.rank) % 2 == 0
					? PLAIT_LINK_SEND
					: PLAIT_LINK_RECEIVE,
				peer, n, asked.depth, asked.slot_bytes);
			halves[half_count++] = rank_half(
				(n + rank.facts.rank) % 2 == 0
					? PLAIT_LINK_RECEIVE
					: PLAIT_LINK_SEND,
				peer, n, asked.depth, asked.slot_bytes);
			rank_pump();
		}
}

static bool is_sender(uint32_t i)
{
	return (i / 2 % LINKS + rank.facts.rank + i) % 2 == 0;
}

/* Returns true if the half has no more to do. */
static bool step(uint32_t i)
{
	struct half *half = &halves[i];
	uint64_t bytes;

	if (half->count == asked.messages)
		return true;
	/* Some steps do nothing, so that either end is late. */
	if (rank_random(3) == 0)
		return false;
	if (!is_sender(i)) {
		if (rank_can_read(half))
			rank_read(half);
		return false;
	}
	if (rank_can_fill(half)) {
		bytes = rank_random(4) == 0 ? asked.slot_bytes
					    : rank_random(asked.slot_bytes + 1);
		rank_fill(half, bytes);
	}
	return false;
}

static void streams(void)
{
	uint32_t i, left;

	rank_open(0);
	create_streams();
	do {
		for (i = left = 0; i < half_count; i++)
			left += !step(i);
		rank_pump();
	} while (left > 0);
	/* The last credits come without another message. */
	for (i = 0; i < half_count; i++)
		if (is_sender(i))
			rank_await(halves[i].view.taken, asked.messages);
	for (i = 0; i < half_count; i++)
		rank_destroy(&halves[i]);
	rank_meet();
	rank_close();
}

/* --- credits -------------------------------------------------------------- */

/* Nothing is taken: the sender sees no free slot.  One is: it sees one. */
static void credits(void)
{
	struct half half;
	uint32_t i;

	rank_open(0);
	if (rank.facts.rank == 0) {
		half = rank_half(PLAIT_LINK_SEND, 1, UINT64_MAX - 1,
				 asked.depth, asked.slot_bytes);
		while (rank_can_fill(&half))
			rank_fill(&half, asked.slot_bytes);
		MUST(half.count == asked.depth);
		for (i = 0; i < 500; i++)
			rank_pump();
		rank_meet();
		MUST(*half.view.taken == 0);
		rank_await(half.view.taken, 1);
		MUST(*half.view.taken == 1);
		rank_meet();
		rank_destroy(&half);
	} else if (rank.facts.rank == 1) {
		half = rank_half(PLAIT_LINK_RECEIVE, 0, UINT64_MAX - 1,
				 asked.depth, asked.slot_bytes);
		rank_await(half.view.ready, asked.depth);
		for (i = 0; i < 500; i++)
			rank_pump();
		rank_meet();
		rank_read(&half);
		rank_meet();
		rank_destroy(&half);
	} else {
		rank_meet();
		rank_meet();
	}
	rank_meet();
	rank_close();
}

/* A sender that ends before the other half exists loses nothing. */
static void early_end(void)
{
	struct half half;

	rank_open(0);
	if (rank.facts.rank == 0) {
		half = rank_half(PLAIT_LINK_SEND, 1, 7, asked.depth,
				 asked.slot_bytes);
		while (rank_can_fill(&half))
			rank_fill(&half, asked.slot_bytes);
		rank_destroy(&half);
	}
	rank_meet();
	if (rank.facts.rank == 1) {
		half = rank_half(PLAIT_LINK_RECEIVE, 0, 7, asked.depth,
				 asked.slot_bytes);
		while (half.count < asked.depth) {
			rank_await(half.view.ready, half.count + 1);
			rank_read(&half);
		}
		rank_destroy(&half);
	}
	rank_meet();
	rank_close();
}

/* --- ends ----------------------------------------------------------------- */

/* Close with slots and mail in all states, and open the next world. */
static void pending(void)
{
	uint32_t turn, i, ranks;

	for (turn = 0; turn < 4; turn++) {
		rank_open(0);
		ranks = rank.facts.ranks;
		create_streams();
		for (i = 0; i < half_count; i++)
			while (is_sender(i) && rank_can_fill(&halves[i]))
				rank_fill(&halves[i], asked.slot_bytes);
		for (i = 0; i < rank_random(300); i++)
			rank_pump();
		for (i = 0; i < ranks; i++)
			rank_mail(i, "unread", 7);
		for (i = 0; i < half_count; i++)
			if (rank_can_read(&halves[i]) && !is_sender(i))
				rank_read(&halves[i]);
		for (i = 0; i < half_count; i++)
			rank_destroy(&halves[i]);
		rank_close();
		mail();
	}
}

/* A port that has not looked at its peer's half sends to it when it is closed. The
 * second port tells what the first one has done. */
static void left(void)
{
	plait_port_request request = { .size = sizeof(request) };
	plait_backend_port *port = NULL;
	plait_backend *other = NULL;
	unsigned char bytes[1 << 16];
	struct half half;
	uint32_t peer, i;
	bool sends;

	rank_open(0);
	sends = rank.facts.rank == 0;
	MUST(fakehost_open(&rank.host, &rank.table, &other, &rank.error) ==
	     PLAIT_OK);
	MUST(rank.table.port_open(other, &request, &port, &rank.error) ==
	     PLAIT_OK);
	half = rank_half(sends ? PLAIT_LINK_SEND : PLAIT_LINK_RECEIVE, sends, 9,
			 2, 64);
	rank_swap(&other, &port);
	if (!sends)
		rank_mail(0, "made", 5);
	else
		rank_next(&peer, bytes);
	if (sends) {
		rank_swap(&other, &port);
		rank_fill(&half, 64);
		rank_destroy(&half);
		rank.table.port_close(rank.self, rank.port);
		rank_swap(&other, &port);
		rank_mail(1, "sent", 5);
	} else {
		rank_next(&peer, bytes);
		rank_swap(&other, &port);
		for (i = 0; i < 10000 && !rank_can_read(&half); i++)
			rank_pump();
		MUST(rank_can_read(&half));
		rank_read(&half);
		rank_destroy(&half);
		rank.table.port_close(rank.self, rank.port);
		rank_swap(&other, &port);
	}
	rank_meet();
	rank.table.close(other);
	rank_close();
}

/* A port is closed while its peer has stopped: nothing is left of it in the host, and the
 * peer gets what was sent when it goes on. */
static void stopped_peer(void)
{
	unsigned char bytes[1 << 16] = { 0 };
	int process = (int)getpid(), i;
	uint32_t peer;

	rank_open(0);
	if (rank.facts.rank == 1) {
		rank_mail(0, &process, sizeof(process));
		/* Its own mail has left. */
		for (i = 0; i < 100; i++)
			rank_pump();
		raise(SIGSTOP);
		for (i = 0; i < UNREAD; i++)
			MUST(rank_next(&peer, bytes) == rank.facts.mail_bytes);
	} else if (rank.facts.rank == 0) {
		MUST(rank_next(&peer, bytes) == sizeof(process));
		memcpy(&process, bytes, sizeof(process));
		while (!rank_has_stopped(process))
			rank_pump();
		for (i = 0; i < UNREAD; i++)
			rank_mail(1, bytes, rank.facts.mail_bytes);
		rank.table.port_close(rank.self, rank.port);
		rank.table.close(rank.self);
		MUST(rank.host.live_blocks == 0);
		MUST(kill(process, SIGCONT) == 0);
		fakehost_fini(&rank.host);
		return;
	}
	rank_close();
}

/* Halves of different sizes: an error that names rank and link. */
static void mismatch(void)
{
	struct half half;
	plait_status status;
	uint32_t sends = rank.facts.rank;

	rank_open(0);
	sends = rank.facts.rank == 0;
	if (rank.facts.rank < 2)
		half = rank_half(sends ? PLAIT_LINK_SEND : PLAIT_LINK_RECEIVE,
				 sends, 11, sends ? 4 : 2, 64);
	if (sends) {
		do {
			rank_pump();
			status = rank.table.peer_query(rank.self, rank.port,
						       1, &rank.error);
		} while (status == PLAIT_OK);
		MUST(status == PLAIT_E_LOST);
		MUST(strstr(rank.error.text, "rank 1: link 11 has 2 slots "
			    "of 64 bytes there, 4 of 64 here") != NULL);
		MUST(rank.table.mail_send(rank.self, rank.port, 1, "x", 1,
					  &rank.error) == PLAIT_E_LOST);
	}
	if (rank.facts.rank < 2)
		rank_destroy(&half);
	rank_close();
}

/* Arguments that cannot be. */
static void refused(void)
{
	plait_port_request request = { .size = sizeof(request) };
	plait_link_request link = { .size = sizeof(link), .depth = 1 };
	plait_backend_port *port = NULL;
	plait_backend_link *made = NULL;
	char bytes[1 << 16] = { 0 };

	rank_open(0);
	request.native_kind = 1;
	MUST(rank.table.port_open(rank.self, &request, &port, &rank.error) ==
	     PLAIT_E_UNSUPPORTED);
	MUST(rank.table.mail_send(rank.self, rank.port, rank.facts.ranks,
				  bytes, 1, &rank.error) == PLAIT_E_INVALID);
	MUST(rank.table.mail_send(rank.self, rank.port, 0, bytes,
				  rank.facts.mail_bytes + 1, &rank.error) ==
	     PLAIT_E_INVALID);
	link.peer = rank.facts.ranks;
	MUST(rank.table.link_create(rank.self, rank.port, &link, &made,
				    &rank.error) == PLAIT_E_INVALID);
	link.peer = 0;
	link.slot_bytes = rank.facts.slot_bytes + 1;
	MUST(rank.table.link_create(rank.self, rank.port, &link, &made,
				    &rank.error) == PLAIT_E_INVALID);
	link.slot_bytes = 64;
	for (link.depth = 0; link.depth < 7; link.depth += 3)
		MUST(rank.table.link_create(rank.self, rank.port, &link, &made,
					    &rank.error) == PLAIT_E_INVALID);
	rank.table.port_close(rank.self, rank.port);
	request.native_kind = 0;
	request.rank = rank.facts.rank;
	request.ranks = rank.facts.ranks + 1;
	MUST(rank.table.port_open(rank.self, &request, &rank.port,
				  &rank.error) == PLAIT_E_INVALID);
	MUST(strstr(rank.error.text, "this is rank ") != NULL);
	request.ranks = rank.facts.ranks;
	MUST(rank.table.port_open(rank.self, &request, &rank.port,
				  &rank.error) == PLAIT_OK);
	rank_meet();
	rank_close();
}

/* A slot longer than its room is not sent. */
static void overfull(void)
{
	struct half half;

	rank_open(0);
	if (rank.facts.rank == 0) {
		half = rank_half(PLAIT_LINK_SEND, 1, 3, 1, 64);
		((plait_link_slot *)(void *)half.view.slots)->bytes = 65;
		__atomic_store_n(half.view.ready, 1, __ATOMIC_RELEASE);
		while (rank.table.peer_query(rank.self, rank.port, 1,
					     &rank.error) == PLAIT_OK)
			rank_pump();
		MUST(strstr(rank.error.text, "65 bytes in room for 64") !=
		     NULL);
	} else if (rank.facts.rank == 1) {
		half = rank_half(PLAIT_LINK_RECEIVE, 0, 3, 1, 64);
	}
	rank_close();
}

/* Two worlds, of one instance and of two: each has its own mail. */
static void two(void)
{
	plait_port_request request = { .size = sizeof(request) };
	plait_backend_port *first, *second = NULL;
	plait_backend *own, *other = NULL;
	char bytes[1 << 16] = { 0 };
	uint32_t peer, turn;

	rank_open(0);
	own = rank.self;
	first = rank.port;
	MUST(fakehost_open(&rank.host, &rank.table, &other, &rank.error) ==
	     PLAIT_OK);
	for (turn = 0; turn < 2; turn++) {
		plait_backend *with = turn == 0 ? own : other;

		MUST(rank.table.port_open(with, &request, &second,
					  &rank.error) == PLAIT_OK);
		peer = (rank.facts.rank + 1) % rank.facts.ranks;
		rank_mail(peer, "first", 6);
		rank.self = with;
		rank.port = second;
		rank_mail(peer, "second", 7);
		rank_next(&peer, bytes);
		MUST(strcmp(bytes, "second") == 0);
		rank.self = own;
		rank.port = first;
		rank_next(&peer, bytes);
		MUST(strcmp(bytes, "first") == 0);
		rank_meet();
		rank.table.port_close(with, second);
		rank_meet();
	}
	rank.table.close(other);
	rank_close();
}

/* The launcher ends the job: ranks that wait here would never end. */
static void lose_rank(bool is_killed)
{
	rank_open(0);
	rank_meet();
	if (rank.facts.rank == 1 && is_killed)
		raise(SIGKILL);
	if (rank.facts.rank == 1)
		exit(3);
	for (;;)
		rank_pump();
}

static void killed(void)
{
	lose_rank(true);
}

static void failed(void)
{
	lose_rank(false);
}

/* Without a launcher: refused with a reason. */
static void alone(void)
{
	fakehost_init(&rank.host, "");
	MUST(fakehost_load(rank.plugin, &rank.table));
	MUST(fakehost_open(&rank.host, &rank.table, &rank.self,
			   &rank.error) == PLAIT_E_UNAVAILABLE);
	MUST(strstr(rank.error.text, "mpirun did not start the process") != NULL);
	MUST(strstr(rank.error.text, ":alone=1 makes it one rank") != NULL);
	printf("%s\n", rank.error.text);
	MUST(rank.host.live_blocks == 0);
	fakehost_fini(&rank.host);
}

static void lent(void)
{
	lent_streams(asked.depth, asked.slot_bytes, asked.messages);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "lent", lent },	    { "reclaimed", lent_reclaims },
	{ "few", receives_few },    { "crowded", receives_crowded },
	{ "stopped", lent_stops },    { "stopped_peer", stopped_peer },
	{ "mail", mail },	    { "streams", streams },
	{ "credits", credits },	    { "early_end", early_end },
	{ "pending", pending },	    { "mismatch", mismatch },
	{ "refused", refused },	    { "overfull", overfull },
	{ "native", native },	    { "alone", alone },
	{ "left", left },	    { "two", two },
	{ "killed", killed },	    { "failed", failed },
	{ "threads", threads },	    { "invalid", invalid },
	{ "absent", absent },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 3)
		return 2;
	rank.plugin = argv[1];
	rank.random = 1 + (argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
	asked.depth = argc > 4 ? (uint32_t)atoi(argv[4]) : asked.depth;
	asked.slot_bytes = argc > 5 ? strtoull(argv[5], NULL, 10)
				    : asked.slot_bytes;
	asked.messages = argc > 6 ? strtoull(argv[6], NULL, 10)
				  : asked.messages;
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(argv[2], scenarios[i].name) == 0) {
			scenarios[i].run();
			return 0;
		}
	return 2;
}
