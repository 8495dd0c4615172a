/* SPDX-License-Identifier: MIT */
/*
 * The interposer check around a transport: correct use gets no report; each
 * misuse of ports and links is reported, and each impossible answer.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/bed.h"
#include "lib/tap.h"

static plait_backend_port *port;
static plait_port facts;
static plait_backend_link *out, *in;
static plait_link_view sent, got;

static plait_status open_port(void)
{
	const plait_port_request request = { .size = sizeof(request),
					     .ranks = 1 };

	return bed.table.port_open(bed.self, &request, &port, &bed.error);
}

static plait_status query(void)
{
	facts = (plait_port){ .size = sizeof(facts) };
	return bed.table.port_query(bed.self, port, &facts, &bed.error);
}

static plait_status make(plait_link_direction direction, uint64_t number,
			 uint32_t depth, plait_backend_link **link)
{
	const plait_link_request request = {
		.size = sizeof(request), .direction = direction,
		.address = facts.address, .address_bytes = facts.address_bytes,
		.number = number, .depth = depth, .slot_bytes = 100,
	};

	return bed.table.link_create(bed.self, port, &request, link,
				     &bed.error);
}

static plait_link_view view_of(plait_backend_link *link)
{
	plait_link_view view = { .size = sizeof(view) };

	IS_INT(bed.table.link_view(bed.self, link, &view, &bed.error),
	       PLAIT_OK);
	return view;
}

/* One rank, with a link to itself. */
static void set_up(void)
{
	if (!bed_open("check,loopback", ""))
		return;
	IS_INT(open_port(), PLAIT_OK);
	IS_INT(query(), PLAIT_OK);
	IS_INT(make(PLAIT_LINK_RECEIVE, 1, 2, &in), PLAIT_OK);
	IS_INT(make(PLAIT_LINK_SEND, 1, 2, &out), PLAIT_OK);
	sent = view_of(out);
	got = view_of(in);
}

static void close_all(void)
{
	bed.table.link_destroy(bed.self, out);
	bed.table.link_destroy(bed.self, in);
	bed.table.port_close(bed.self, port);
}

/* The log blames `party` with this text, and no other. */
static void tear_down(const char *party, const char *text)
{
	char line[64];

	close_all();
	snprintf(line, sizeof(line), "check: %s broke a rule, ", party);
	HAS_STR(bed.host.log, line);
	HAS_STR(bed.host.log, text);
	bed_close_sinful();
}

static void correct_use_is_silent(void)
{
	char buffer[8192];
	uint64_t bytes;
	uint32_t peer;

	set_up();
	for (uint64_t i = 1; i <= 6; i++) {
		__atomic_store_n(sent.ready, i, __ATOMIC_RELEASE);
		IS_INT(bed.table.mail_send(bed.self, port, 0, "x", 1,
					   &bed.error), PLAIT_OK);
		IS_INT(bed.table.mail_next(bed.self, port, &peer, buffer,
					   sizeof(buffer), &bytes, &bed.error),
		       PLAIT_OK);
		__atomic_store_n(got.taken, i, __ATOMIC_RELEASE);
	}
	IS_INT(bed.table.mail_next(bed.self, port, &peer, buffer,
				   sizeof(buffer), &bytes, &bed.error),
	       PLAIT_PENDING);
	IS_INT(bed.table.peer_query(bed.self, port, 0, &bed.error), PLAIT_OK);
	IS_INT(make(PLAIT_LINK_SEND, 2, 2, &(plait_backend_link *){ 0 }),
	       PLAIT_PENDING);
	close_all();
	bed_close();
}

static void mail_is_checked(void)
{
	char buffer[16] = "";
	uint64_t bytes;
	uint32_t peer;

	set_up();
	IS_INT(bed.table.mail_send(bed.self, port, 1, "x", 1, &bed.error),
	       PLAIT_E_INTERNAL);
	IS_INT(bed.table.mail_send(bed.self, port, 0, "x", 0, &bed.error),
	       PLAIT_E_INTERNAL);
	IS_INT(bed.table.mail_send(bed.self, port, 0, buffer, 1 << 20,
				   &bed.error), PLAIT_E_INTERNAL);
	IS_INT(bed.table.mail_next(bed.self, port, &peer, buffer, 16, &bytes,
				   &bed.error), PLAIT_E_INTERNAL);
	IS_INT(bed.table.peer_query(bed.self, port, 7, &bed.error),
	       PLAIT_E_INTERNAL);
	IS_UINT(bed.host.errors, 5);
	tear_down("the core", "the buffer has 16 bytes, mail up to");
}

static void links_are_checked(void)
{
	plait_backend_link *link;

	set_up();
	IS_INT(make(PLAIT_LINK_RECEIVE, 1, 2, &link), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "link 1: its number is in use");
	IS_INT(make(PLAIT_LINK_RECEIVE, 2, 3, &link), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "link 2: its depth is no power of two");
	IS_INT(make(2, 2, 4, &link), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "link 2: its direction is not known");
	tear_down("the core", "link_create: link 2");
}

/* Over loopback, whose views have no memory that can be lent. */
static void loans_are_checked(void)
{
	set_up();
	IS_INT(bed.table.link_lend(bed.self, out, sent.slots, 1, &bed.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "link 1: its view has no counter of lent "
		"memory (P-N12)");
	IS_INT(bed.table.link_reclaim(bed.self, out, &bed.error), PLAIT_OK);
	tear_down("the core", "link_lend: link 1");
}

static void handles_are_checked(void)
{
	plait_backend_port *first;

	set_up();
	first = port;
	IS_INT(open_port(), PLAIT_OK);
	bed.table.port_close(bed.self, port);
	IS_INT(query(), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "port 2 was destroyed before");
	port = (plait_backend_port *)(void *)in;
	IS_INT(query(), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "a link was passed as a port");
	port = first;
	tear_down("the core", "a link was passed as a port");
}

static void ports_close_after_links(void)
{
	set_up();
	bed.table.port_close(bed.self, port);
	tear_down("the core", "link 1 of the port was not destroyed");
}

static void look(void)
{
	(void)bed.table.peer_query(bed.self, port, 0, &bed.error);
}

static void counters_are_watched(void)
{
	set_up();
	*sent.ready = 3;
	look();
	look();
	IS_UINT(bed.host.errors, 1);
	tear_down("the core", "link 1 to rank 0: more than its depth is sent: "
		  "3 sent, 0 taken, 2 slots (P-N08)");
	set_up();
	*sent.ready = 1;
	look();
	/* A mark tells of a message before the counter. */
	*got.taken = 2;
	look();
	IS_UINT(bed.host.errors, 0);
	*got.taken = 3;
	look();
	tear_down("the core", "link 1 from rank 0: more is taken than was "
		  "sent");
	set_up();
	*sent.ready = 2;
	look();
	*sent.ready = 1;
	look();
	tear_down("the core", "link 1 to rank 0: a counter went back");
}

/* A message at a time, until it is told to stop. */
struct mover {
	plait_link_view sent, got;
	int stop;
};

static void *move(void *arg)
{
	struct mover *mover = arg;

	for (uint64_t i = 1; !__atomic_load_n(&mover->stop, __ATOMIC_ACQUIRE);
	     i++) {
		__atomic_store_n(mover->sent.ready, i, __ATOMIC_RELEASE);
		__atomic_store_n(mover->got.taken, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* The world fills and reads slots while another thread is in a slot of ports. */
static void counters_move_meanwhile(void)
{
	plait_backend_link *from, *to;
	struct mover mover = { .stop = 0 };
	pthread_t thread;

	set_up();
	IS_INT(make(PLAIT_LINK_RECEIVE, 2, 1, &to), PLAIT_OK);
	IS_INT(make(PLAIT_LINK_SEND, 2, 1, &from), PLAIT_OK);
	mover.sent = view_of(from);
	mover.got = view_of(to);
	if (!OK(pthread_create(&thread, NULL, move, &mover) == 0))
		return;
	for (uint32_t i = 0; i < 200000 && bed.host.errors == 0; i++)
		look();
	__atomic_store_n(&mover.stop, 1, __ATOMIC_RELEASE);
	IS_INT(pthread_join(thread, NULL), 0);
	IS_UINT(bed.host.errors, 0);
	bed.table.link_destroy(bed.self, from);
	bed.table.link_destroy(bed.self, to);
	close_all();
	bed_close();
}

/* --- backends */

static plait_backend_table honest;
static plait_port lie;
static plait_link_view wrong;
static bool is_shared; /* another slot is called in the middle of one */
static bool is_pumping; /* so is `pump`, in the middle of link_view */

static plait_status lying_query(plait_backend *self, plait_backend_port *end,
				plait_port *out_facts, plait_error *error)
{
	plait_status status = honest.port_query(self, end, out_facts, error);

	if (lie.mail_bytes)
		out_facts->mail_bytes = lie.mail_bytes;
	if (lie.rank)
		out_facts->rank = lie.rank;
	return status;
}

static plait_status lying_view(plait_backend *self, plait_backend_link *link,
			       plait_link_view *view, plait_error *error)
{
	plait_status status = honest.link_view(self, link, view, error);

	if (is_shared)
		look();
	if (is_pumping)
		(void)bed.table.pump(bed.self, &bed.error);
	if (wrong.depth)
		view->depth = wrong.depth;
	if (wrong.stride)
		view->stride = wrong.stride;
	if (wrong.ready)
		view->taken = view->ready + 1;
	if (wrong.bell)
		view->peer_bell = NULL;
	return status;
}

static void lying_destroy(plait_backend *self, plait_backend_link *link)
{
	if (is_shared)
		look();
	honest.link_destroy(self, link);
}

static plait_status lying_next(plait_backend *self, plait_backend_port *end,
			       uint32_t *out_peer, void *buffer,
			       uint64_t capacity, uint64_t *out_bytes,
			       plait_error *error)
{
	(void)self;
	(void)end;
	(void)buffer;
	(void)error;
	*out_peer = 5;
	*out_bytes = capacity;
	return PLAIT_OK;
}

static plait_status lying_pump(plait_backend *self, plait_error *error)
{
	(void)self;
	(void)error;
	if (is_shared)
		look();
	return PLAIT_PENDING;
}

static bool set_up_liar(void)
{
	plait_backend_table table;

	if (!OK(fakehost_load("loopback", &honest)))
		return false;
	table = honest;
	table.port_query = lying_query;
	table.link_view = lying_view;
	table.link_destroy = lying_destroy;
	table.mail_next = lying_next;
	table.pump = lying_pump;
	out = in = NULL;
	return bed_wrap("check", "", &table) &&
		IS_INT(open_port(), PLAIT_OK);
}

static void facts_are_checked(void)
{
	char buffer[8192];
	uint64_t bytes;
	uint32_t peer;

	lie = (plait_port){ .mail_bytes = 100 };
	if (!set_up_liar())
		return;
	(void)query();
	HAS_STR(bed.host.log, "port_query: it has mail of 100 bytes");
	lie.mail_bytes = 300;
	(void)query();
	HAS_STR(bed.host.log, "port_query: answers differ from before");
	(void)bed.table.mail_next(bed.self, port, &peer, buffer, 300, &bytes,
				  &bed.error);
	HAS_STR(bed.host.log, "mail_next: there is mail of 300 bytes from rank "
		"5 (P-N03)");
	bed.table.port_close(bed.self, port);
	OK(!strstr(bed.host.log, "the core broke"));
	bed_close_sinful();
	lie = (plait_port){ .rank = 1 };
	if (!set_up_liar())
		return;
	(void)query();
	HAS_STR(bed.host.log, "port_query: it is rank 1 of 1 (P-N01)");
	bed.table.port_close(bed.self, port);
	bed_close_sinful();
	lie.rank = 0;
}

static void views_are_checked(void)
{
	static uint64_t word;
	static uint32_t bell;
	static const struct {
		plait_link_view wrong;
		const char *text;
	} cases[] = {
		{ { .depth = 4 }, "its depth is not that of the request" },
		{ { .stride = 128 }, "too short, or not aligned" },
		{ { .stride = 1000 }, "too short, or not aligned" },
		{ { .ready = &word }, "its counters share a cache line" },
		{ { .bell = &bell }, "it has some of the bells" },
	};

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		if (!set_up_liar())
			return;
		(void)query();
		IS_INT(make(PLAIT_LINK_RECEIVE, 1, 2, &in), PLAIT_OK);
		wrong = cases[i].wrong;
		(void)view_of(in);
		wrong = (plait_link_view){ .size = 0 };
		HAS_STR(bed.host.log, cases[i].text);
		bed.table.link_destroy(bed.self, in);
		bed.table.port_close(bed.self, port);
		OK(!strstr(bed.host.log, "the core broke"));
		bed_close_sinful();
	}
}

/* A slot of ports is called while another call is in one: what two threads
 * without a lock do. */
static void slots_have_one_thread(void)
{
	static const char text[] = "peer_query: two threads are in slots of "
				   "ports (P-N12)";

	if (!set_up_liar())
		return;
	(void)query();
	IS_INT(make(PLAIT_LINK_RECEIVE, 1, 2, &in), PLAIT_OK);
	is_shared = true;
	(void)view_of(in);
	HAS_STR(bed.host.log, text);
	IS_UINT(bed.host.errors, 1);
	bed.table.link_destroy(bed.self, in);
	IS_UINT(bed.host.errors, 2);
	is_shared = false;
	bed.table.port_close(bed.self, port);
	IS_UINT(bed.host.errors, 2);
	bed_close_sinful();
}

/* So do `pump` and a slot; with no port, `pump` has rules of its own. */
static void pump_is_a_slot(void)
{
	static const char within[] = "peer_query: two threads are in slots of "
				     "ports (P-N12)";
	static const char pumps[] = "pump: two threads are in slots of ports "
				    "(P-N12)";

	if (!set_up_liar())
		return;
	(void)query();
	IS_INT(bed.table.pump(bed.self, &bed.error), PLAIT_PENDING);
	IS_INT(make(PLAIT_LINK_RECEIVE, 1, 2, &in), PLAIT_OK);
	is_pumping = true;
	(void)view_of(in);
	HAS_STR(bed.host.log, pumps);
	IS_UINT(bed.host.errors, 1);
	is_pumping = false;
	is_shared = true;
	(void)bed.table.pump(bed.self, &bed.error);
	HAS_STR(bed.host.log, within);
	IS_UINT(bed.host.errors, 2);
	is_shared = false;
	bed.table.link_destroy(bed.self, in);
	bed.table.port_close(bed.self, port);
	IS_INT(bed.table.pump(bed.self, &bed.error), PLAIT_PENDING);
	IS_UINT(bed.host.errors, 2);
	bed_close_sinful();
}

static const struct tap_scenario all[] = {
	{ "correct use is silent", correct_use_is_silent },
	{ "mail is checked", mail_is_checked },
	{ "links are checked", links_are_checked },
	{ "loans", loans_are_checked },
	{ "handles are checked", handles_are_checked },
	{ "ports close after links", ports_close_after_links },
	{ "counters are watched", counters_are_watched },
	{ "counters move meanwhile", counters_move_meanwhile },
	{ "facts are checked", facts_are_checked },
	{ "views are checked", views_are_checked },
	{ "slots have one thread", slots_have_one_thread },
	{ "pump is a slot", pump_is_a_slot },
};

TAP_MAIN(all)
