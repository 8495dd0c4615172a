/* SPDX-License-Identifier: MIT */
/*
 * Meeting of ports with a name.  Between two ranks, the oldest open port of either
 * process that is not bound yet belongs to the oldest one of the other, the second
 * to the second.  Ports that were closed take no part, so worlds may be closed in
 * any order, and be opened again after a failure.
 */
#include "shm.h"

/* Find the oldest port of the peer behind `order` that is not bound to this rank,
 * and open its segment.  PLAIT_PENDING: there is none yet. */
static plait_status open_next(plait_backend_port *port, uint32_t peer,
			      struct shm_where *where, uint64_t *order,
			      struct shm_peer *state, plait_error *error)
{
	while (plaitp_shm_name_next(port, peer, where->process, *order, order,
				    &where->segment)) {
		enum shm_fit fit;
		plait_status status = plaitp_shm_attach_open(port, where,
							     state, error);

		if (status != PLAIT_OK)
			return status;
		fit = plaitp_shm_attach_examine(port, peer, where, state);
		if (fit == SHM_FIT_VERSION)
			return plaitp_shm_attach_fail_version(port, peer, where,
							      error);
		if (fit == SHM_FIT_LATER)
			return PLAIT_PENDING;
		if (fit == SHM_FIT &&
		    !plaitp_shm_attach_is_bound(plaitp_shm_segment_mailbox(
			    state->base, port->rank)))
			return PLAIT_OK;
		plaitp_shm_attach_close(port, state);
	}
	return PLAIT_PENDING;
}

/* Bind a port of this process to the next one of the peer, whose segment is left
 * open in `state`. */
static plait_status bind_next(plait_backend_port *port, uint32_t peer,
			      struct shm_where *where, uint64_t *order,
			      struct shm_peer *state, plait_error *error)
{
	plait_status status = open_next(port, peer, where, order, state,
					error);

	if (status == PLAIT_OK &&
	    !plaitp_shm_attach_bind(port, peer, state))
		status = PLAIT_PENDING;
	if (status != PLAIT_OK)
		plaitp_shm_attach_close(port, state);
	return status;
}

/* Older ports of this process come first, whether they are used or not.  Caller
 * holds the lock. */
static plait_status bind_in_order(plait_backend_port *port, uint32_t peer,
				  struct shm_where *where, plait_error *error)
{
	struct shm_peer state = { .watch = -1, .segment = -1 };
	plait_backend_port *own = plaitp_shm_name_own(port, 0);
	plait_status status = PLAIT_OK;
	uint64_t order = 0;

	for (; own && own->order < port->order && status == PLAIT_OK;
	     own = plaitp_shm_name_own(port, own->order)) {
		if (own->ranks != port->ranks)
			continue;
		if (!own->is_published)
			return PLAIT_PENDING;
		if (plaitp_shm_attach_is_bound(
			    plaitp_shm_segment_mailbox(own->base, peer)))
			continue;
		status = bind_next(own, peer, where, &order, &state, error);
		if (status == PLAIT_OK)
			plaitp_shm_attach_close(own, &state);
	}
	if (status != PLAIT_OK)
		return status;
	return bind_next(port, peer, where, &order, &port->peers[peer], error);
}

plait_status plaitp_shm_meet(plait_backend_port *port, uint32_t peer,
			     plait_error *error)
{
	struct shm_where where = { 0 };
	plait_status status = plaitp_shm_name_find(port, peer, &where.process,
						   error);

	if (status != PLAIT_OK)
		return status;
	plaitp_shm_name_lock();
	status = bind_in_order(port, peer, &where, error);
	plaitp_shm_name_unlock();
	if (status == PLAIT_OK)
		port->peers[peer].state = SHM_PEER_HERE;
	return status;
}
