/* SPDX-License-Identifier: MIT */
/*
 * Unread messages at MPI's end: records and slots for ports that were closed before
 * these came, and records that closed ports have sent.  MPI keeps a message that no
 * receive matches until its end, and UCX warns of each.  All ranks of a communicator
 * receive messages until each of them has begun to end MPI.  Some may never do so
 * here: a rank whose communicator could not be made, or one that has stopped.
 */
#include <sched.h>
#include <time.h>

#include "port.h"

enum {
	/* All ranks are here; then what they sent is here. */
	TURNS = 2,
	/* Tests that a record, or a long message, may still take. */
	LAST_TESTS = 1000000
};

/* Time without a message after which the others are not waited for any more. */
#define SILENCE_NS UINT64_C(5000000000)

static uint64_t now_ns(void)
{
	struct timespec now = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A sender that is here sends the bytes of a long message at once. */
static bool receive(const struct mpi_calls *mpi, MPI_Comm comm,
		    const MPI_Status *found)
{
	MPI_Request request;
	int bytes = 0, done = 0, code, tests;
	void *room;

	mpi->Get_count(found, mpi->byte, &bytes);
	room = plaitp_mpi_map((uint64_t)bytes + 1);
	if (room == NULL)
		return false;
	code = mpi->Irecv(room, bytes, mpi->byte, found->MPI_SOURCE,
			  found->MPI_TAG, comm, &request);
	for (tests = 0; code == MPI_SUCCESS && !done && tests < LAST_TESTS;
	     tests++) {
		code = mpi->Test(&request, &done, MPI_STATUS_IGNORE);
		if (!done)
			sched_yield();
	}
	/* MPI may still write to it. */
	if (done || code != MPI_SUCCESS)
		plaitp_mpi_unmap(room, (uint64_t)bytes + 1);
	return done;
}

/* Returns true if there was a message. */
static bool receive_next(const struct mpi_calls *mpi,
			 const struct mpi_base *first)
{
	const struct mpi_base *base;
	MPI_Status status;
	bool moved = false;
	int is_there;

	for (base = first; base != NULL; base = base->next) {
		is_there = 0;
		if (base->state == BASE_READY &&
		    mpi->Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, base->comm,
				&is_there, &status) == MPI_SUCCESS && is_there)
			moved |= receive(mpi, base->comm, &status);
	}
	return moved;
}

static void start_barriers(const struct mpi_calls *mpi, struct mpi_base *first)
{
	struct mpi_base *base;

	for (base = first; base != NULL; base = base->next)
		if (base->state != BASE_READY ||
		    mpi->Ibarrier(base->comm, &base->barrier) != MPI_SUCCESS)
			base->barrier = mpi->no_request;
}

/* Returns true if all ranks of all communicators are here. */
static bool are_all_here(const struct mpi_calls *mpi, struct mpi_base *first)
{
	struct mpi_base *base;
	int done;

	for (base = first; base != NULL; base = base->next) {
		done = 0;
		if (mpi->Test(&base->barrier, &done, MPI_STATUS_IGNORE) ==
			    MPI_SUCCESS && !done)
			return false;
	}
	return true;
}

/* Returns false if some never came. */
static bool await_all(const struct mpi_calls *mpi, struct mpi_base *first)
{
	uint64_t end = now_ns() + SILENCE_NS;

	start_barriers(mpi, first);
	while (!are_all_here(mpi, first)) {
		if (receive_next(mpi, first))
			end = now_ns() + SILENCE_NS;
		else if (now_ns() > end)
			return false;
		else
			sched_yield();
		plaitp_mpi_sent_sweep(mpi);
	}
	return true;
}

void plaitp_mpi_drain(const struct mpi_calls *mpi, struct mpi_base *first)
{
	uint32_t turn, tests;

	for (turn = 0; turn < TURNS && await_all(mpi, first); turn++)
		;
	for (tests = 0; !plaitp_mpi_sent_sweep(mpi) && tests < LAST_TESTS;
	     tests++)
		sched_yield();
	while (receive_next(mpi, first))
		;
}
