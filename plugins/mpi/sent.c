/* SPDX-License-Identifier: MIT */
/*
 * Memory of records that are sent.  MPI may read it after the port was closed, if the
 * peer does not receive meanwhile; so it belongs to the process, not to the host of
 * the instance.  The process keeps what a port has left until MPI has sent it.
 * Callers hold the process's lock.
 */
#include "port.h"

enum { MOST_SPARE = 64 };

static struct mpi_note *spare, *left;
static uint32_t spare_count;

struct mpi_note *plaitp_mpi_sent_take(void)
{
	struct mpi_note *note = spare;

	if (note == NULL)
		return plaitp_mpi_map(sizeof(*note));
	spare = note->next;
	spare_count--;
	return note;
}

void plaitp_mpi_sent_give(struct mpi_note *note)
{
	if (spare_count == MOST_SPARE) {
		plaitp_mpi_unmap(note, sizeof(*note));
		return;
	}
	note->next = spare;
	spare = note;
	spare_count++;
}

void plaitp_mpi_sent_leave(struct mpi_note *note)
{
	note->next = left;
	left = note;
}

bool plaitp_mpi_sent_sweep(const struct mpi_calls *mpi)
{
	struct mpi_note **place = &left, *note;
	int done;

	while ((note = *place) != NULL) {
		done = 0;
		if (mpi->Test(&note->request, &done, MPI_STATUS_IGNORE) ==
			    MPI_SUCCESS && !done) {
			place = &note->next;
			continue;
		}
		*place = note->next;
		plaitp_mpi_sent_give(note);
	}
	return left == NULL;
}
