/* SPDX-License-Identifier: MIT */
/*
 * Ranks of the simulated system: mail and messages in virtual time, the same for a
 * seed; records that are lost, doubled, cut or late; a rank that dies.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

enum { RANKS = 3 };

static plait_backend_port *ports[RANKS];
static char logged[1 << 16];

static bool open_ranks(const char *options)
{
	plait_port_request request = { .size = sizeof(request),
				       .ranks = RANKS };

	if (!bed_open("chaos", options))
		return false;
	for (uint32_t i = 0; i < RANKS; i++) {
		request.rank = i;
		IS_INT(bed.table.port_open(bed.self, &request, &ports[i],
					   &bed.error), PLAIT_OK);
	}
	return true;
}

static void close_ranks(void)
{
	for (uint32_t i = 0; i < RANKS; i++)
		bed.table.port_close(bed.self, ports[i]);
	bed_close();
}

static void drain(void)
{
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		continue;
}

static plait_status send(uint32_t from, uint32_t to, const char *text)
{
	return bed.table.mail_send(bed.self, ports[from], to, text,
				   strlen(text), &bed.error);
}

/* The next mail as text; "" if there is none. */
static const char *next(uint32_t rank)
{
	static char in[4097];
	uint64_t bytes = 0;
	uint32_t peer;

	(void)bed.table.mail_next(bed.self, ports[rank], &peer, in, 4096,
				  &bytes, &bed.error);
	in[bytes] = '\0';
	return in;
}

static void options_are_checked(void)
{
	static const char *const bad[] = {
		"dies=1", "dies=a@5", "dies=1@", "dies=1@5x", "mail_lost=x",
		"wire_ns=5-4",
	};

	OK(fakehost_load("chaos", &bed.table));
	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		fakehost_init(&bed.host, bad[i]);
		IS_INT(fakehost_open(&bed.host, &bed.table, &bed.self,
				     &bed.error), PLAIT_E_INVALID);
		HAS_STR(bed.error.text, "chaos: option ");
		fakehost_fini(&bed.host);
	}
}

static void mail_takes_time(void)
{
	if (!open_ranks("log=1 wire_ns=700"))
		return;
	IS_INT(send(0, 1, "a"), PLAIT_OK);
	IS_STR(next(1), "");
	drain();
	HAS_STR(bed.host.log, "chaos 700: mail of 1 bytes from rank 0 to 1");
	IS_STR(next(1), "a");
	IS_STR(next(1), "");
	close_ranks();
}

/* The second record of four meets its fault. */
static void faults(const char *option, const char *expected)
{
	char options[64], got[64] = "";

	snprintf(options, sizeof(options), "%s wire_ns=10-1000", option);
	if (!open_ranks(options))
		return;
	IS_INT(send(0, 1, "1"), PLAIT_OK);
	IS_INT(send(0, 1, "2two"), PLAIT_OK);
	IS_INT(send(0, 1, "3"), PLAIT_OK);
	IS_INT(send(2, 1, "4"), PLAIT_OK);
	drain();
	for (int i = 0; i < 6; i++) {
		const char *text = next(1);

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ",
			 text);
	}
	OK_THAT(strncmp(got, expected, strlen(expected)) == 0,
		"%s: %s", option, got);
	close_ranks();
}

static void records_meet_faults(void)
{
	faults("mail_late=2", "1 4 2two 3 ");
	faults("mail_lost=2 seed=3", "1 4 3 ");
	faults("mail_twice=2 seed=3", "1 4 2two 2two 3 ");
	faults("mail_cut=2 seed=3", "1 4 2t 3 ");
}

/* Rank 1 dies at 5000 ns: mail of before arrives, none of after. */
static void a_rank_dies(void)
{
	if (!open_ranks("dies=1@5000 wire_ns=100"))
		return;
	IS_INT(send(1, 0, "a"), PLAIT_OK);
	IS_INT(bed.table.peer_query(bed.self, ports[0], 1, &bed.error),
	       PLAIT_OK);
	drain();
	IS_INT(bed.table.peer_query(bed.self, ports[0], 1, &bed.error),
	       PLAIT_E_LOST);
	HAS_STR(bed.error.text, "rank 1 has died");
	IS_STR(next(0), "a");
	IS_INT(send(0, 1, "b"), PLAIT_E_LOST);
	IS_INT(send(1, 0, "c"), PLAIT_E_LOST);
	IS_INT(bed.table.peer_query(bed.self, ports[0], 2, &bed.error),
	       PLAIT_OK);
	close_ranks();
}

/* --- links */

static plait_backend_link *halves[2];
static plait_link_view views[2];

/* Rank 0 sends to rank 1. */
static void make_half(uint32_t i)
{
	const plait_link_request request = {
		.size = sizeof(request), .direction = i, .peer = 1 - i,
		.number = 1, .depth = 2, .slot_bytes = 100,
	};

	views[i].size = sizeof(views[i]);
	IS_INT(bed.table.link_create(bed.self, ports[i], &request, &halves[i],
				     &bed.error), PLAIT_OK);
	IS_INT(bed.table.link_view(bed.self, halves[i], &views[i], &bed.error),
	       PLAIT_OK);
}

static void link_ranks(void)
{
	make_half(0);
	make_half(1);
}

static void unlink_ranks(void)
{
	for (uint32_t i = 0; i < 2; i++)
		bed.table.link_destroy(bed.self, halves[i]);
}

static void put(uint64_t message)
{
	unsigned char *slot = views[0].slots + message % 2 * views[0].stride;
	plait_link_slot head = { .bytes = 1, .words = { message } };

	memcpy(slot, &head, sizeof(head));
	slot[sizeof(head)] = (unsigned char)message;
	*views[0].ready = message + 1;
}

static void messages_are_moved(void)
{
	if (!open_ranks("wire_ns=100"))
		return;
	link_ranks();
	put(0);
	put(1);
	IS_UINT(*views[1].ready, 0);
	drain();
	IS_UINT(*views[1].ready, 2);
	IS_UINT(views[1].slots[views[1].stride + sizeof(plait_link_slot)], 1);
	IS_UINT(*views[0].taken, 0);
	*views[1].taken = 1;
	drain();
	IS_UINT(*views[0].taken, 1);
	unlink_ranks();
	close_ranks();
}

/* Messages of a sender that is gone arrive. */
static void senders_may_go(void)
{
	if (!open_ranks("wire_ns=100"))
		return;
	link_ranks();
	put(0);
	bed.table.link_destroy(bed.self, halves[0]);
	drain();
	IS_UINT(*views[1].ready, 1);
	bed.table.link_destroy(bed.self, halves[1]);
	link_ranks();
	put(0);
	bed.table.link_destroy(bed.self, halves[1]);
	drain();
	bed.table.link_destroy(bed.self, halves[0]);
	close_ranks();
}

/* So do those of a sender that was gone before the receiver came, and of the next
 * sender of the number behind them; if no receiver comes, nothing is left. */
static void receivers_may_come_late(void)
{
	if (!open_ranks("wire_ns=100"))
		return;
	for (uint64_t first = 0; first < 2; first++) {
		make_half(0);
		put(0);
		if (first == 0)
			put(1);
		bed.table.link_destroy(bed.self, halves[0]);
		drain();
	}
	make_half(1);
	drain();
	IS_UINT(*views[1].ready, 2);
	IS_UINT(views[1].slots[views[1].stride + sizeof(plait_link_slot)], 1);
	bed.table.link_destroy(bed.self, halves[1]);
	make_half(1);
	drain();
	IS_UINT(*views[1].ready, 1);
	bed.table.link_destroy(bed.self, halves[1]);
	make_half(0);
	bed.table.link_destroy(bed.self, halves[0]);
	link_ranks();
	drain();
	IS_UINT(*views[1].ready, 0);
	unlink_ranks();
	for (uint32_t i = 0; i < 3; i++) {
		make_half(0);
		put(0);
		bed.table.link_destroy(bed.self, halves[0]);
	}
	close_ranks();
}

static void the_dead_send_nothing(void)
{
	if (!open_ranks("dies=0@50 wire_ns=100"))
		return;
	link_ranks();
	put(0);
	drain();
	IS_UINT(*views[1].ready, 0);
	unlink_ranks();
	close_ranks();
}

/* --- the same for a seed */

static void run_program(const char *options)
{
	if (!open_ranks(options))
		return;
	link_ranks();
	for (uint64_t i = 0; i < 30; i++) {
		if (i - *views[0].taken < 2)
			put(i);
		else
			i--;
		(void)send((uint32_t)i % 3, (uint32_t)(i + 1) % 3, "x");
		(void)bed.table.pump(bed.self, &bed.error);
		*views[1].taken = *views[1].ready;
	}
	drain();
	unlink_ranks();
	close_ranks();
	memcpy(logged, bed.host.log, sizeof(logged));
}

static void seeds_determine_all(void)
{
	static char first[sizeof(logged)];

	run_program("seed=7 log=1");
	memcpy(first, logged, sizeof(first));
	run_program("seed=7 log=1");
	OK(strcmp(first, logged) == 0);
	run_program("seed=8 log=1");
	OK(strcmp(first, logged) != 0);
}

static const struct tap_scenario all[] = {
	{ "options are checked", options_are_checked },
	{ "mail takes time", mail_takes_time },
	{ "records meet faults", records_meet_faults },
	{ "a rank dies", a_rank_dies },
	{ "messages are moved", messages_are_moved },
	{ "senders may go", senders_may_go },
	{ "receivers may come late", receivers_may_come_late },
	{ "the dead send nothing", the_dead_send_nothing },
	{ "seeds determine all", seeds_determine_all },
};

TAP_MAIN(all)
