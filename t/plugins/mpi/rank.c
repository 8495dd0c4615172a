/* SPDX-License-Identifier: MIT */
/* Short forms for ranks; see rank.h. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank.h"

struct rank rank = { .random = 1 };

void rank_must(bool held, const char *file, int line, const char *text)
{
	if (held)
		return;
	fprintf(stderr, "rank %u, %s:%d: %s does not hold; the last error is "
		"\"%s\"\n", rank.facts.rank, file, line, text,
		rank.error.text);
	exit(1);
}

/* --- port ----------------------------------------------------------------- */

static void open_port(uint64_t native)
{
	plait_port_request request = {
		.size = sizeof(request),
		.native_kind = native != 0 ? PLAIT_NATIVE_MPI_COMM : 0,
		.native = native,
	};

	MUST(rank.table.port_open(rank.self, &request, &rank.port,
				  &rank.error) == PLAIT_OK);
	memset(&rank.facts, 0, sizeof(rank.facts));
	rank.facts.size = sizeof(rank.facts);
	MUST(rank.table.port_query(rank.self, rank.port, &rank.facts,
				   &rank.error) == PLAIT_OK);
}

static void read_actions(struct sigaction *out)
{
	int i;

	for (i = 1; i < 32; i++)
		sigaction(i, NULL, &out[i]);
}

void rank_open(uint64_t native)
{
	struct sigaction before[32], after[32];
	int i;

	read_actions(before);
	fakehost_init(&rank.host, "");
	MUST(fakehost_load(rank.plugin, &rank.table));
	MUST(fakehost_open(&rank.host, &rank.table, &rank.self,
			   &rank.error) == PLAIT_OK);
	open_port(native);
	read_actions(after);
	for (i = 1; i < 32; i++)
		MUST(before[i].sa_handler == after[i].sa_handler);
	rank.random += rank.facts.rank * 7919;
}

void rank_close(void)
{
	rank.table.port_close(rank.self, rank.port);
	rank.table.close(rank.self);
	MUST(rank.host.live_blocks == 0);
	MUST(rank.host.errors == 0);
	fakehost_fini(&rank.host);
}

/* Ranks share processors: a pump that moves nothing leaves its own. */
void rank_pump(void)
{
	plait_status status = rank.table.pump(rank.self, &rank.error);

	MUST(status == PLAIT_OK || status == PLAIT_PENDING);
	if (status == PLAIT_PENDING)
		sched_yield();
}

void rank_swap(plait_backend **instance, plait_backend_port **port)
{
	plait_backend *self = rank.self;
	plait_backend_port *end = rank.port;

	rank.self = *instance;
	rank.port = *port;
	*instance = self;
	*port = end;
}

void rank_await(const uint64_t *word, uint64_t least)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
		rank_pump();
}

uint64_t rank_random(uint64_t below)
{
	rank.random ^= rank.random << 13;
	rank.random ^= rank.random >> 7;
	rank.random ^= rank.random << 17;
	return rank.random % below;
}

/* --- mail ----------------------------------------------------------------- */

void rank_mail(uint32_t peer, const void *bytes, uint64_t count)
{
	plait_status status;

	while ((status = rank.table.mail_send(rank.self, rank.port, peer,
					      bytes, count, &rank.error)) ==
	       PLAIT_E_BUSY)
		rank_pump();
	MUST(status == PLAIT_OK);
}

uint64_t rank_next(uint32_t *out_peer, void *buffer)
{
	uint64_t bytes = 0;
	plait_status status;

	while ((status = rank.table.mail_next(rank.self, rank.port, out_peer,
					      buffer, rank.facts.mail_bytes,
					      &bytes, &rank.error)) ==
	       PLAIT_PENDING)
		rank_pump();
	MUST(status == PLAIT_OK);
	return bytes;
}

/* Rank 0 hears of all others, then tells them. */
void rank_meet(void)
{
	static const char hello[] = "meet";
	unsigned char buffer[1 << 16];
	uint32_t i, peer;

	MUST(rank.facts.mail_bytes <= sizeof(buffer));
	if (rank.facts.rank != 0)
		rank_mail(0, hello, sizeof(hello));
	for (i = 1; i < (rank.facts.rank == 0 ? rank.facts.ranks : 2); i++) {
		MUST(rank_next(&peer, buffer) == sizeof(hello));
		MUST(memcmp(buffer, hello, sizeof(hello)) == 0);
	}
	for (i = 1; i < rank.facts.ranks && rank.facts.rank == 0; i++)
		rank_mail(i, hello, sizeof(hello));
}

bool rank_has_stopped(int process)
{
	char path[64], line[128];
	FILE *file;
	bool stopped = false;

	snprintf(path, sizeof(path), "/proc/%d/status", process);
	file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		stopped |= strncmp(line, "State:\tT", 8) == 0;
	if (file != NULL)
		fclose(file);
	return stopped;
}

/* --- links ---------------------------------------------------------------- */

struct half rank_half(plait_link_direction direction, uint32_t peer,
		      uint64_t number, uint32_t depth, uint64_t slot_bytes)
{
	struct half half = { .peer = peer, .number = (uint32_t)number };
	plait_link_request request = {
		.size = sizeof(request),
		.direction = direction,
		.peer = peer,
		.number = number,
		.depth = depth,
		.slot_bytes = slot_bytes,
		.flags = rank.link_flags,
	};

	MUST(rank.table.link_create(rank.self, rank.port, &request,
				    &half.link, &rank.error) == PLAIT_OK);
	half.view.size = sizeof(half.view);
	MUST(rank.table.link_view(rank.self, half.link, &half.view,
				  &rank.error) == PLAIT_OK);
	MUST(half.view.depth == depth);
	MUST(half.view.stride >= sizeof(plait_link_slot) + slot_bytes);
	MUST((uintptr_t)half.view.slots % 64 == 0);
	MUST(half.view.stride % 64 == 0);
	return half;
}

void rank_destroy(struct half *half)
{
	rank.table.link_destroy(rank.self, half->link);
	half->link = NULL;
}

bool rank_can_fill(const struct half *half)
{
	uint64_t taken = __atomic_load_n(half->view.taken, __ATOMIC_ACQUIRE);

	MUST(taken <= half->count);
	return half->count - taken < half->view.depth;
}

bool rank_can_read(const struct half *half)
{
	uint64_t ready = __atomic_load_n(half->view.ready, __ATOMIC_ACQUIRE);

	MUST(ready >= half->count && ready - half->count <= half->view.depth);
	return ready > half->count;
}

static plait_link_slot *slot_of(const struct half *half)
{
	return (plait_link_slot *)(void *)(half->view.slots + half->count %
					   half->view.depth *
					   half->view.stride);
}

/* Byte i of message `count` from one rank to another one. */
static unsigned char pattern(uint32_t from, const struct half *half,
			     uint64_t i)
{
	return (unsigned char)(from * 101 + half->number * 31 +
			       half->count * 7 + i * 13 + (i >> 8));
}

void rank_fill(struct half *half, uint64_t bytes)
{
	plait_link_slot *slot = slot_of(half);
	unsigned char *to = (unsigned char *)(slot + 1);
	uint64_t i;

	slot->bytes = bytes;
	for (i = 0; i < 7; i++)
		slot->words[i] = half->count * 8 + i;
	for (i = 0; i < bytes; i++)
		to[i] = pattern(rank.facts.rank, half, i);
	__atomic_store_n(half->view.ready, ++half->count, __ATOMIC_RELEASE);
}

void rank_read(struct half *half)
{
	const plait_link_slot *slot = slot_of(half);
	const unsigned char *from = (const unsigned char *)(slot + 1);
	uint64_t i;

	for (i = 0; i < 7; i++)
		MUST(slot->words[i] == half->count * 8 + i);
	for (i = 0; i < slot->bytes; i++)
		if (from[i] != pattern(half->peer, half, i))
			rank_must(false, __FILE__, __LINE__, "contents");
	__atomic_store_n(half->view.taken, ++half->count, __ATOMIC_RELEASE);
}
