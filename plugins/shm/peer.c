/* SPDX-License-Identifier: MIT */
/*
 * Peers: finding the segment of a port, binding the two ports to each other, and
 * noticing that a peer has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm.h"

/* Where a segment can be opened. */
struct place {
	pid_t process;
	int segment;
	uint64_t token; /* 0: any */
};

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

static bool has_process_ended(const struct shm_peer *state)
{
	struct pollfd look = { .fd = state->watch, .events = POLLIN };

	return poll(&look, 1, 0) > 0;
}

/* Returns true if the peer, which is HERE, has ended; its links stay mapped. */
static bool has_ended(struct shm_peer *state)
{
	if (state->broken)
		return true;
	state->closed = plaitp_driven_load(
		&plaitp_shm_segment_head(state->base)->closed) != 0;
	return state->closed || has_process_ended(state);
}

/* --- opening */

static void close_peer(plait_backend_port *port, struct shm_peer *state)
{
	plaitp_shm_segment_unmap(state->base, port->base_bytes);
	if (state->watch >= 0)
		(void)close(state->watch);
	if (state->segment >= 0)
		(void)close(state->segment);
	state->base = NULL;
	state->watch = -1;
	state->segment = -1;
}

/* PLAIT_PENDING, or PLAIT_E_NOMEM if errno is a limit of this process, which tells
 * nothing of the peer. */
static plait_status fail_open(const plait_backend_port *port,
			      const struct place *place, plait_error *error)
{
	if (errno != EMFILE && errno != ENFILE && errno != ENOMEM)
		return PLAIT_PENDING;
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "opening the port of process %ld: %s",
			       (long)place->process, strerror(errno));
}

/* Open and map.  PLAIT_PENDING: there is no such segment, or no process. */
static plait_status open_segment(plait_backend_port *port,
				 const struct place *place,
				 struct shm_peer *state, plait_error *error)
{
	struct stat facts;
	char path[64];
	int seals;

	state->process = place->process;
	state->watch = (int)syscall(SYS_pidfd_open, place->process, 0);
	if (state->watch < 0)
		return fail_open(port, place, error);
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)place->process,
		 place->segment);
	state->segment = open(path, O_RDWR | O_CLOEXEC);
	if (state->segment < 0)
		return fail_open(port, place, error);
	seals = fcntl(state->segment, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) ||
	    fstat(state->segment, &facts) != 0 ||
	    (uint64_t)facts.st_size < port->base_bytes)
		return PLAIT_PENDING;
	state->base = plaitp_shm_segment_map(state->segment, 0,
					     port->base_bytes);
	if (!state->base)
		return fail_open(port, place, error);
	return has_process_ended(state) ? PLAIT_PENDING : PLAIT_OK;
}

/* Returns null, or the reason why the segment is not that of the peer. */
static const char *find_difference(const plait_backend_port *port,
				   uint32_t peer, const struct place *place,
				   const struct shm_head *head)
{
	if (plaitp_driven_load64(&head->magic) != SHM_MAGIC)
		return "is not ready";
	if (head->version != SHM_VERSION)
		return "is of another version of plait";
	if (head->ranks != port->ranks)
		return "is of a world of another size";
	if (head->rank != peer)
		return "has another rank";
	if (place->token != 0 && head->token != place->token)
		return "is another port";
	return NULL;
}

/* Returns true if the word was 0 or `token`, and is `token` now. */
static bool claim(uint64_t *word, uint64_t token)
{
	return plaitp_driven_replace64(word, 0, token) ||
	       plaitp_driven_load64(word) == token;
}

/* Bind this port and the peer's to each other; false: one of them belongs to
 * another world, such as the last one of this name. */
static bool bind_ports(plait_backend_port *port, uint32_t peer,
		       const struct shm_peer *state)
{
	struct shm_mailbox *theirs =
		plaitp_shm_segment_mailbox(state->base, port->rank);
	uint64_t place = (uint64_t)(uint32_t)getpid() << 32 |
		(uint32_t)port->segment;

	if (!claim(&theirs->peer, port->token))
		return false;
	if (!claim(&own_box(port, peer)->peer, state->token)) {
		(void)plaitp_driven_replace64(&theirs->peer, port->token, 0);
		return false;
	}
	plaitp_driven_store64(&theirs->peer_place, place);
	return true;
}

/* PLAIT_PENDING: the segment is not there, or belongs to another world. */
static plait_status attach(plait_backend_port *port, uint32_t peer,
			   const struct place *place, plait_error *error)
{
	struct shm_peer *state = &port->peers[peer];
	struct shm_head *head;
	const char *difference;
	plait_status status = open_segment(port, place, state, error);

	if (status != PLAIT_OK) {
		close_peer(port, state);
		return status;
	}
	head = plaitp_shm_segment_head(state->base);
	difference = find_difference(port, peer, place, head);
	state->token = head->token;
	state->closed = plaitp_driven_load(&head->closed) != 0;
	if (!difference && state->token != 0 && !state->closed &&
	    bind_ports(port, peer, state)) {
		state->state = SHM_PEER_HERE;
		return PLAIT_OK;
	}
	/* A segment without magic is not complete, nor is its version. */
	if (!difference || head->version == SHM_VERSION ||
	    plaitp_driven_load64(&head->magic) != SHM_MAGIC) {
		close_peer(port, state);
		return PLAIT_PENDING;
	}
	close_peer(port, state);
	return plaitp_shm_fail(port->self, error, PLAIT_E_UNSUPPORTED,
			       "rank %u (process %ld) %s", peer,
			       (long)place->process, difference);
}

/* The peer has bound itself to this port: where it says that it is. */
static bool read_own_box(const plait_backend_port *port, uint32_t peer,
			 struct place *out)
{
	struct shm_mailbox *box = own_box(port, peer);
	uint64_t place = plaitp_driven_load64(&box->peer_place);

	if (place == 0)
		return false;
	out->process = (pid_t)(place >> 32);
	out->segment = (int)(uint32_t)place;
	out->token = plaitp_driven_load64(&box->peer);
	return out->process > 0 && out->segment >= 0;
}

static bool read_address(const uint8_t *address, uint32_t bytes,
			 struct place *out)
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
				 const struct place *place, plait_error *error)
{
	struct shm_peer *state = &port->peers[peer];
	plait_status status = attach(port, peer, place, error);

	if (status != PLAIT_PENDING)
		return status;
	state->state = SHM_PEER_ENDED;
	state->process = place->process;
	state->closed = kill(place->process, 0) == 0;
	return plaitp_shm_peer_fail_lost(port, peer, error);
}

static plait_status find_peer(plait_backend_port *port, uint32_t peer,
			      const uint8_t *address, uint32_t address_bytes,
			      plait_error *error)
{
	struct place place = { 0 };
	plait_status status;

	if (read_own_box(port, peer, &place))
		return attach_known(port, peer, &place, error);
	if (address && address_bytes > 0) {
		if (!read_address(address, address_bytes, &place))
			return plaitp_shm_fail(port->self, error,
					       PLAIT_E_INVALID, "the address "
					       "of rank %u is none of this "
					       "transport", peer);
		return attach_known(port, peer, &place, error);
	}
	if (!port->named)
		return plaitp_shm_fail(port->self, error, PLAIT_E_STATE,
				       "the address of rank %u is not known: "
				       "make a link to it first", peer);
	status = plaitp_shm_name_find(port, peer, &place.process,
				      &place.segment, error);
	return status == PLAIT_OK ? attach(port, peer, &place, error) : status;
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
	struct place place;

	if (peer >= port->ranks)
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "rank %u of %u", peer, port->ranks);
	state = &port->peers[peer];
	/* A peer that has never spoken to this port is not known to end, nor is
	 * one that this process cannot open. */
	if (state->state == SHM_PEER_UNKNOWN && !state->broken) {
		if (read_own_box(port, peer, &place))
			status = attach_known(port, peer, &place, error);
		return status == PLAIT_E_NOMEM ? PLAIT_OK : status;
	}
	if (state->state == SHM_PEER_HERE && !has_ended(state))
		return PLAIT_OK;
	return plaitp_shm_peer_fail_lost(port, peer, error);
}

void plaitp_shm_peer_forget_all(plait_backend_port *port)
{
	for (uint32_t i = 0; i < port->ranks; i++)
		close_peer(port, &port->peers[i]);
}
