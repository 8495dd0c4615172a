/* SPDX-License-Identifier: MIT */
/*
 * Opening the segment of a peer's port, and binding the two ports: each has the
 * place of the other one in its mailbox then.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm.h"

/* --- opening */

bool plaitp_shm_attach_has_process_ended(const struct shm_peer *state)
{
	struct pollfd look = { .fd = state->watch, .events = POLLIN };

	return poll(&look, 1, 0) > 0;
}

void plaitp_shm_attach_close(plait_backend_port *port, struct shm_peer *state)
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
			      const struct shm_where *where, plait_error *error)
{
	if (errno != EMFILE && errno != ENFILE && errno != ENOMEM)
		return PLAIT_PENDING;
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "opening the port of process %ld: %s",
			       (long)where->process, strerror(errno));
}

plait_status plaitp_shm_attach_open(plait_backend_port *port,
				    const struct shm_where *where,
				    struct shm_peer *state, plait_error *error)
{
	struct stat facts;
	char path[64];
	int seals;

	state->process = where->process;
	state->watch = (int)syscall(SYS_pidfd_open, where->process, 0);
	if (state->watch < 0)
		return fail_open(port, where, error);
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)where->process,
		 where->segment);
	state->segment = open(path, O_RDWR | O_CLOEXEC);
	if (state->segment < 0)
		return fail_open(port, where, error);
	seals = fcntl(state->segment, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) ||
	    fstat(state->segment, &facts) != 0 ||
	    (uint64_t)facts.st_size < port->base_bytes)
		return PLAIT_PENDING;
	state->base = plaitp_shm_segment_map(state->segment, 0,
					     port->base_bytes);
	if (!state->base)
		return fail_open(port, where, error);
	return plaitp_shm_attach_has_process_ended(state) ? PLAIT_PENDING : PLAIT_OK;
}

/* --- the port that was opened */

static uint64_t place_of(pid_t process, int segment)
{
	return (uint64_t)(uint32_t)process << 32 | (uint32_t)segment;
}

/* The descriptor is the owner's: a process with ports of both ranks has others of
 * the segment. */
enum shm_fit plaitp_shm_attach_examine(plait_backend_port *port, uint32_t peer,
				       const struct shm_where *where,
				       struct shm_peer *state)
{
	struct shm_head *head = plaitp_shm_segment_head(state->base);

	/* Acquire: pairs with the store in segment.c.  A segment without magic
	 * is not complete, nor is its version. */
	if (plaitp_driven_load64(&head->magic) != SHM_MAGIC)
		return SHM_FIT_LATER;
	if (head->version != SHM_VERSION)
		return SHM_FIT_VERSION;
	state->token = head->token;
	state->place = place_of(where->process, (int)head->descriptor);
	state->closed = plaitp_driven_load(&head->closed) != 0;
	if (state->closed || head->ranks != port->ranks || head->rank != peer ||
	    state->token == 0 ||
	    (where->token != 0 && where->token != state->token))
		return SHM_FIT_NEVER;
	return SHM_FIT;
}

plait_status plaitp_shm_attach_fail_version(plait_backend_port *port,
					    uint32_t peer,
					    const struct shm_where *where,
					    plait_error *error)
{
	return plaitp_shm_fail(port->self, error, PLAIT_E_UNSUPPORTED,
			       "rank %u (process %ld) is of another version of "
			       "plait", peer, (long)where->process);
}

/* --- binding */

bool plaitp_shm_attach_is_bound(const struct shm_mailbox *box)
{
	/* Acquire: pairs with the store in bind_box, behind those of the rest. */
	return plaitp_driven_load64(&box->bound) != 0;
}

/* Returns true if the process of a claim has ended. */
static bool is_abandoned(uint64_t place)
{
	struct shm_peer state = { .watch = (int)syscall(
		SYS_pidfd_open, (pid_t)(place >> 32), 0) };
	bool ended;

	if (state.watch < 0)
		return errno == ESRCH;
	ended = plaitp_shm_attach_has_process_ended(&state);
	(void)close(state.watch);
	return ended;
}

/* Returns true if the box was free, or its claim left by a process that was killed
 * before the ports were bound, or of `place`; and is claimed by `place` now. */
static bool claim(struct shm_mailbox *box, uint64_t place)
{
	uint64_t before;

	if (plaitp_driven_replace64(&box->place, 0, place))
		return true;
	before = plaitp_driven_load64(&box->place);
	if (before == place)
		return true;
	return before != 0 && !plaitp_shm_attach_is_bound(box) &&
		is_abandoned(before) &&
		plaitp_driven_replace64(&box->place, before, place);
}

static void bind_box(struct shm_mailbox *box, uint64_t token)
{
	plaitp_driven_store64(&box->token, token);
	plaitp_driven_store64(&box->bound, 1);
}

/* Both boxes are claimed before either is bound; both ends may do so at once. */
bool plaitp_shm_attach_bind(plait_backend_port *port, uint32_t peer,
			    const struct shm_peer *state)
{
	struct shm_mailbox *theirs =
		plaitp_shm_segment_mailbox(state->base, port->rank);
	struct shm_mailbox *own = plaitp_shm_segment_mailbox(port->base, peer);
	uint64_t place = place_of(getpid(), port->segment);

	if (!claim(theirs, place))
		return false;
	if (!claim(own, state->place)) {
		(void)plaitp_driven_replace64(&theirs->place, place, 0);
		return false;
	}
	bind_box(theirs, port->token);
	bind_box(own, state->token);
	return true;
}
