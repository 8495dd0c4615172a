/* SPDX-License-Identifier: MIT */
/* Waiting of a rank in a call. */
#include "coll/project/collective_wait.h"

#include "coll/project/rank_direct.h"
#include "coll/project/rank_lend.h"
#include "base/error.h"
#include "sys/clock.h"
#include "sys/thread.h"

enum {
	/* Pauses of 5 to 80 ns, then yields of 0.3 us: a peer may need this
	 * CPU.  With more ranks than CPUs it does, so there are no pauses. */
	SPINS = 1000,
	YIELDS = 1000,
	LOOK = 64,		/* turns between two looks at mail */
	SLEEP_NS = 2000000,	/* with a bell: mail rings none */
	PEERS_NS = 50000000,
	RECLAIM_NS = 1000000000
};

void plait__collective_wait_begin(plait__collective_wait *wait,
				  plait__collective *collective,
				  plait__collective_part *part,
				  plait_error *error)
{
	*wait = (plait__collective_wait){ .collective = collective,
					  .part = part, .error = error };
}

static void withdraw(plait__collective_wait *wait)
{
	if (wait->is_announced)
		plait__slot_link_withdraw(wait->part->bell);
	wait->is_announced = false;
}

void plait__collective_wait_moved(plait__collective_wait *wait)
{
	withdraw(wait);
	wait->turns = wait->part->machine.program->links.count == 0 ||
		      wait->collective->world->is_crowded ? SPINS : 0;
	wait->moved_ns = 0;
	wait->is_lost = false;
}

/* Move messages.  Mail, which tells of stops, is fetched at some turns only. */
static void pump(const plait__collective_wait *wait)
{
	const plait__world *world = wait->collective->world;

	for (uint32_t i = 0; i < world->port_count; i++)
		plait__world_port_pump(&world->ports[i]);
}

/* The last messages have to leave: the rank may compute for long. */
void plait__collective_wait_end(plait__collective_wait *wait)
{
	withdraw(wait);
	if (wait->part->machine.is_pumped)
		pump(wait);
}

/* Returns true if a rank of the call has ended. */
static bool is_any_lost(const plait__collective_wait *wait)
{
	const plait__collective_part *part = wait->part;

	for (uint32_t i = 0; i < part->program.links.count; i++) {
		uint32_t peer = part->machine.links[i].peer;

		if (plait__world_port_check_peer(
			    plait__world_route(wait->collective->world, peer),
			    peer, NULL) != PLAIT_OK)
			return true;
	}
	return false;
}

void plait__collective_wait_reclaim(plait__collective_wait *wait)
{
	uint64_t deadline = plait__clock_now_ns() + RECLAIM_NS;
	plait_status status;

	while (plait__rank_direct_reclaim(&wait->part->machine,
					  plait__clock_now_ns() >= deadline) !=
	       PLAIT_OK)
		plait__thread_yield();
	while ((status = plait__rank_lend_reclaim(&wait->part->machine)) !=
	       PLAIT_OK) {
		pump(wait);
		plait__thread_yield();
		if (plait__clock_now_ns() >= deadline &&
		    (status != PLAIT_PENDING || is_any_lost(wait)))
			return;
	}
}

/* ---- failures ---- */

/* A rank has left this call; stops of earlier calls are old. */
static plait_status check_stops(const plait__collective_wait *wait)
{
	const plait__collective *collective = wait->collective;
	plait__kept_mail kept;

	while (plait__world_mail_take(&collective->world->mailbox,
				      PLAIT__MAIL_STOP, collective->number,
				      collective->calls, &kept)) {
		plait__mail_stop *stop = &kept.mail.of.stop;

		stop->text[sizeof(stop->text) - 1] = '\0';
		if (stop->call == collective->calls)
			return plait__fail(wait->error,
					   stop->status == PLAIT_E_LOST ?
					   PLAIT_E_LOST : PLAIT_E_CANCELLED,
					   "rank %u left call %llu: %s",
					   kept.peer,
					   (unsigned long long)stop->call,
					   stop->text);
	}
	return PLAIT_OK;
}

static plait_status check_silence(plait__collective_wait *wait, uint64_t now)
{
	uint64_t silence = wait->collective->world->silence_ns;
	uint32_t lane = 0, peer = 0;
	bool receives = false;

	if (wait->moved_ns == 0)
		wait->moved_ns = now;
	if (silence == 0 || now - wait->moved_ns < silence ||
	    !plait__rank_machine_blocked(&wait->part->machine, &lane, &peer,
					 &receives))
		return PLAIT_OK;
	return plait__fail(wait->error, PLAIT_E_TIMEOUT,
			   "rank %u is silent: it %s for %llu ms in call %llu "
			   "(silence_ns)", peer,
			   receives ? "sent no message" : "took no message",
			   (unsigned long long)((now - wait->moved_ns) /
						1000000),
			   (unsigned long long)wait->collective->calls);
}

/* A peer that a lane waits for has ended, and left no message: it has not, if it
 * had ended before the lanes were advanced last.  Peers that have done their part
 * may end. */
static plait_status check_peers(plait__collective_wait *wait, uint64_t now)
{
	const plait__world *world = wait->collective->world;
	plait_error why = { .size = sizeof(why) };
	uint32_t lane = 0, peer;
	bool receives;

	if (now < wait->next_peers_ns)
		return PLAIT_OK;
	while (plait__rank_machine_blocked(&wait->part->machine, &lane, &peer,
					   &receives)) {
		if (plait__world_port_check_peer(plait__world_route(
			    world, peer), peer, &why) == PLAIT_OK)
			continue;
		if (wait->is_lost)
			return plait__error_copy(wait->error, &why);
		wait->is_lost = true;
		return PLAIT_OK;
	}
	wait->next_peers_ns = now + PEERS_NS;
	return PLAIT_OK;
}

/* ---- steps ---- */

static plait_status look(plait__collective_wait *wait)
{
	plait_status status = plait__world_progress(wait->collective->world,
						    wait->error);

	if (status == PLAIT_OK)
		status = plait__collective_links_check(wait->collective,
						       wait->error);
	return status == PLAIT_OK ? check_stops(wait) : status;
}

/* With a bell: announce at the first call, sleep at the second, between which
 * the caller has looked at its links. */
static void rest(plait__collective_wait *wait, uint64_t now)
{
	if (wait->part->bell == NULL) {
		plait__world_rest();
	} else if (!wait->is_announced) {
		wait->bell_state = plait__slot_link_announce(wait->part->bell);
		wait->is_announced = true;
	} else {
		plait__slot_link_sleep(wait->part->bell, wait->bell_state,
				       now + SLEEP_NS);
		withdraw(wait);
	}
}

plait_status plait__collective_wait_look(plait__collective_wait *wait)
{
	uint64_t now = plait__clock_now_ns();
	plait_status status = look(wait);

	if (status == PLAIT_OK)
		status = check_peers(wait, now);
	return status == PLAIT_OK ? check_silence(wait, now) : status;
}

static plait_status step_slowly(plait__collective_wait *wait)
{
	plait_status status = plait__collective_wait_look(wait);

	if (status == PLAIT_OK)
		rest(wait, plait__clock_now_ns());
	return status;
}

plait_status plait__collective_wait_step(plait__collective_wait *wait)
{
	bool pumps = wait->part->machine.is_pumped;
	uint32_t turns = wait->turns;

	if (turns >= SPINS + YIELDS)
		return step_slowly(wait);
	wait->turns++;
	/* The first pump behind a step comes before any yield. */
	if (turns >= SPINS + (pumps ? 1 : 0))
		plait__thread_yield();
	else if (!pumps)
		at_spin_pause();
	if (turns % LOOK == LOOK - 1)
		return look(wait);
	if (pumps)
		pump(wait);
	return PLAIT_OK;
}
