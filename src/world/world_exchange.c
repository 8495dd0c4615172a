/* SPDX-License-Identifier: MIT */
/* Progress of a world, and records that all ranks exchange. */
#include "world/world.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/backoff.h"
#include "sys/clock.h"

#include <stdio.h>
#include <string.h>

/* Between two looks at mail by a thread that waits long. */
enum { REST_NS = 200000, PEER_NS = 100000000 };

plait_status plait__world_progress(plait__world *world, plait_error *error)
{
	if (world->port_count == 0)
		return PLAIT_OK;
	for (uint32_t i = 0; i < world->port_count; i++)
		plait__world_port_pump(&world->ports[i]);
	return plait__world_mail_fetch(&world->mailbox,
				       &world->ports[world->mail], error);
}

void plait__world_rest(void)
{
	at_u32 never;

	at_init_u32(&never, 0);
	(void)at_futex_wait(&never, 0, plait__clock_now_ns() + REST_NS);
}

plait_status plait__world_send(plait__world *world, uint32_t peer,
			       plait__world_mail *mail, uint64_t deadline_ns,
			       plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	mail->magic = PLAIT__WORLD_MAGIC;
	mail->version = PLAIT__WORLD_VERSION;
	for (;;) {
		status = plait__world_port_send(&world->ports[world->mail],
						peer, mail, sizeof(*mail),
						&why);
		if (status == PLAIT_OK)
			return status;
		if (status != PLAIT_E_BUSY ||
		    plait__clock_now_ns() >= deadline_ns)
			return plait__error_copy(error, &why);
		status = plait__world_progress(world, error);
		if (status != PLAIT_OK)
			return status;
		plait__world_rest();
	}
}

/* ---- exchange ---- */

typedef struct exchange {
	plait__world *world;
	uint32_t kind;
	uint64_t number;
	unsigned char *came;	/* by rank */
	uint32_t missing;
	uint64_t deadline_ns, next_peers_ns;
	const char *what;
	plait_status (*take)(void *arg, uint32_t peer,
			     const plait__world_mail *mail, plait_error *error);
	void *arg;
	plait_error *error;
} exchange;

static plait_status take_all(exchange *at)
{
	plait_status status = PLAIT_OK;
	plait__kept_mail kept;

	while (status == PLAIT_OK && at->missing > 0 &&
	       plait__world_mail_take(&at->world->mailbox, at->kind,
				      at->number, 0, &kept)) {
		if (kept.peer >= at->world->ranks)
			continue;
		/* A second record says that its rank has failed since, or is
		 * the first one again. */
		at->missing -= !at->came[kept.peer];
		at->came[kept.peer] = 1;
		status = at->take(at->arg, kept.peer, &kept.mail, at->error);
	}
	return status;
}

static plait_status fail_late(const exchange *at)
{
	char names[128] = "";
	size_t used = 0;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < at->world->ranks && shown < 8; i++)
		if (!at->came[i])
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used, "%s%u",
						 shown++ > 0 ? ", " : "", i);
	return plait__fail(at->error, PLAIT_E_TIMEOUT,
			   "rank%s %s%s did not %s within %llu ms; did the "
			   "program start there, and get this far?",
			   at->missing > 1 ? "s" : "", names,
			   shown < at->missing ? " ..." : "", at->what,
			   (unsigned long long)(at->world->open_ns / 1000000));
}

/* A rank that has ended may have sent its record before. */
static plait_status check_peer(exchange *at, uint32_t peer)
{
	plait_error why = { .size = sizeof(why) };
	plait_status lost = plait__world_port_check_peer(
		&at->world->ports[at->world->mail], peer, &why);
	plait_status status = PLAIT_OK;

	if (lost == PLAIT_OK)
		return PLAIT_OK;
	status = plait__world_progress(at->world, at->error);
	if (status == PLAIT_OK)
		status = take_all(at);
	return status != PLAIT_OK || at->came[peer] ?
		       status : plait__error_copy(at->error, &why);
}

/* Time is over, or a rank that is missing has ended. */
static plait_status check_peers(exchange *at)
{
	const plait__world *world = at->world;
	uint64_t now = plait__clock_now_ns();
	plait_status status = PLAIT_OK;

	if (now >= at->deadline_ns)
		return fail_late(at);
	if (now < at->next_peers_ns)
		return PLAIT_OK;
	at->next_peers_ns = now + PEER_NS;
	for (uint32_t i = 0; i < world->ranks && status == PLAIT_OK; i++)
		if (!at->came[i])
			status = check_peer(at, i);
	return status;
}

static plait_status wait_for_all(exchange *at)
{
	struct plait__backoff backoff;
	plait_status status = PLAIT_OK;

	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	while (at->missing > 0 && status == PLAIT_OK) {
		status = plait__world_progress(at->world, at->error);
		if (status == PLAIT_OK)
			status = take_all(at);
		if (status == PLAIT_OK && at->missing > 0)
			status = check_peers(at);
		if (status == PLAIT_OK && at->missing > 0 &&
		    !plait__backoff_step(&backoff))
			plait__world_rest();
	}
	return status;
}

static plait_status send_to_all(exchange *at, plait__world_mail *mail)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK, other;
	uint32_t peer;

	for (peer = 0; peer < at->world->ranks && status == PLAIT_OK; peer++)
		if (peer != at->world->rank)
			status = plait__world_send(at->world, peer, mail,
						   at->deadline_ns, &why);
	if (status != PLAIT_E_BUSY) {
		/* A rank that has ended may have said why. */
		other = status == PLAIT_OK ? PLAIT_OK :
			plait__world_progress(at->world, at->error);
		if (status != PLAIT_OK && other == PLAIT_OK)
			other = take_all(at);
		return other != PLAIT_OK ? other :
			       plait__error_copy(at->error, &why);
	}
	return plait__fail(at->error, PLAIT_E_TIMEOUT,
			   "rank %u did not %s within %llu ms: %.200s", peer - 1,
			   at->what,
			   (unsigned long long)(at->world->open_ns / 1000000),
			   why.text);
}

plait_status plait__world_exchange(
	plait__world *world, plait__world_mail *mail, const char *what,
	plait_status (*take)(void *arg, uint32_t peer,
			     const plait__world_mail *mail, plait_error *error),
	void *arg, plait_error *error)
{
	const plait_allocator *allocator = plait__world_allocator(world);
	exchange at = {
		.world = world, .kind = mail->kind, .number = mail->number,
		.came = plait__alloc(allocator, world->ranks),
		.missing = world->ranks - 1,
		.deadline_ns = plait__clock_deadline(world->open_ns),
		.what = what, .take = take, .arg = arg, .error = error,
	};
	plait_status status = PLAIT_OK;

	if (at.came == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u ranks", world->ranks);
	at.came[world->rank] = 1;
	status = send_to_all(&at, mail);
	if (status == PLAIT_OK)
		status = wait_for_all(&at);
	plait__free(allocator, at.came, world->ranks);
	return status;
}
