/* SPDX-License-Identifier: MIT */
/*
 * Peers: the state of each, the way by which its port is found, and its end.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "shm.h"

void plaitp_shm_peer_address(const plait_backend_port *port,
			     uint8_t out[SHM_ADDRESS_BYTES])
{
	const uint32_t words[2] = { (uint32_t)getpid(),
				    (uint32_t)port->segment };

	memcpy(out, words, sizeof(words));
	memcpy(out + sizeof(words), &port->token, sizeof(port->token));
}

static struct shm_mailbox *own_box(const plait_backend_port *port,
				   uint32_t peer)
{
	return plaitp_shm_segment_mailbox(port->base, peer);
}

/* --- loss */

plait_status plaitp_shm_peer_fail_lost(plait_backend_port *port, uint32_t peer,
				       plait_error *error)
{
	const struct shm_peer *state = &port->peers[peer];
	const char *what = state->broken ?
		"has written to shared memory what no port writes" :
		state->closed ? "has closed its port" : "has ended";

	return plaitp_shm_fail(port->self, error, PLAIT_E_LOST,
			       "rank %u (process %ld) %s", peer,
			       (long)state->process, what);
}

/* Returns true if the peer, which is HERE, has ended; its links stay mapped. */
static bool has_ended(struct shm_peer *state)
{
	if (state->broken)
		return true;
	state->closed = plaitp_driven_load(
		&plaitp_shm_segment_head(state->base)->closed) != 0;
	return state->closed || plaitp_shm_attach_has_process_ended(state);
}

/* --- finding */

/* PLAIT_PENDING: the segment is not there, or belongs to another world. */
static plait_status attach(plait_backend_port *port, uint32_t peer,
			   const struct shm_where *where, plait_error *error)
{
	struct shm_peer *state = &port->peers[peer];
	enum shm_fit fit;
	plait_status status = plaitp_shm_attach_open(port, where, state, error);

	if (status == PLAIT_OK) {
		fit = plaitp_shm_attach_examine(port, peer, where, state);
		if (fit == SHM_FIT &&
		    plaitp_shm_attach_bind(port, peer, state)) {
			state->state = SHM_PEER_HERE;
			return PLAIT_OK;
		}
		status = fit != SHM_FIT_VERSION ? PLAIT_PENDING :
			plaitp_shm_attach_fail_version(port, peer, where,
						       error);
	}
	plaitp_shm_attach_close(port, state);
	return status;
}

/* The peer has bound itself to this port: where it says that it is. */
static bool read_own_box(const plait_backend_port *port, uint32_t peer,
			 struct shm_where *out)
{
	const struct shm_mailbox *box = own_box(port, peer);
	uint64_t place;

	if (!plaitp_shm_attach_is_bound(box))
		return false;
	place = plaitp_driven_load64(&box->place);
	out->process = (pid_t)(place >> 32);
	out->segment = (int)(uint32_t)place;
	out->token = plaitp_driven_load64(&box->token);
	return out->process > 0 && out->segment >= 0;
}

static bool read_address(const uint8_t *address, uint32_t bytes,
			 struct shm_where *out)
{
	uint32_t words[2];

	if (!address || bytes != SHM_ADDRESS_BYTES)
		return false;
	memcpy(words, address, sizeof(words));
	memcpy(&out->token, address + sizeof(words), sizeof(out->token));
	out->process = (pid_t)words[0];
	out->segment = (int)words[1];
	return out->process > 0 && out->segment >= 0;
}

/* A peer whose place is known and that is not there has ended. */
static plait_status attach_known(plait_backend_port *port, uint32_t peer,
				 const struct shm_where *where,
				 plait_error *error)
{
	struct shm_peer *state = &port->peers[peer];
	plait_status status = attach(port, peer, where, error);

	if (status != PLAIT_PENDING)
		return status;
	state->state = SHM_PEER_ENDED;
	state->process = where->process;
	state->closed = kill(where->process, 0) == 0;
	return plaitp_shm_peer_fail_lost(port, peer, error);
}

static plait_status find_peer(plait_backend_port *port, uint32_t peer,
			      const uint8_t *address, uint32_t address_bytes,
			      plait_error *error)
{
	struct shm_where where = { 0 };

	if (read_own_box(port, peer, &where))
		return attach_known(port, peer, &where, error);
	if (address && address_bytes > 0) {
		if (!read_address(address, address_bytes, &where))
			return plaitp_shm_fail(port->self, error,
					       PLAIT_E_INVALID, "the address "
					       "of rank %u is none of this "
					       "transport", peer);
		return attach_known(port, peer, &where, error);
	}
	if (!port->named)
		return plaitp_shm_fail(port->self, error, PLAIT_E_STATE,
				       "the address of rank %u is not known: "
				       "make a link to it first", peer);
	return plaitp_shm_meet(port, peer, error);
}

plait_status plaitp_shm_peer_reach(plait_backend_port *port, uint32_t peer,
				   const uint8_t *address,
				   uint32_t address_bytes, plait_error *error)
{
	struct shm_peer *state = &port->peers[peer];

	if (peer >= port->ranks)
		return plaitp_shm_fail(port->self, error, PLAIT_E_INVALID,
				       "rank %u of %u", peer, port->ranks);
	if (state->state == SHM_PEER_UNKNOWN && !state->broken)
		return find_peer(port, peer, address, address_bytes, error);
	if (state->state == SHM_PEER_HERE && !state->broken)
		return PLAIT_OK;
	return plaitp_shm_peer_fail_lost(port, peer, error);
}

plait_status plaitp_shm_peer_query(plait_backend *self,
				   plait_backend_port *port, uint32_t peer,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;
	struct shm_peer *state;
	struct shm_where where;

	if (peer >= port->ranks)
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "rank %u of %u", peer, port->ranks);
	state = &port->peers[peer];
	/* A peer that has never spoken to this port is not known to end, nor is
	 * one that this process cannot open. */
	if (state->state == SHM_PEER_UNKNOWN && !state->broken) {
		if (read_own_box(port, peer, &where))
			status = attach_known(port, peer, &where, error);
		return status == PLAIT_E_NOMEM ? PLAIT_OK : status;
	}
	if (state->state == SHM_PEER_HERE && !has_ended(state))
		return PLAIT_OK;
	return plaitp_shm_peer_fail_lost(port, peer, error);
}

void plaitp_shm_peer_forget_all(plait_backend_port *port)
{
	for (uint32_t i = 0; i < port->ranks; i++)
		plaitp_shm_attach_close(port, &port->peers[i]);
}
