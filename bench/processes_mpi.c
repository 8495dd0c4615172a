/* SPDX-License-Identifier: MIT */
/*
 * MPI's side of bench/processes; started by an mpirun.
 *
 *	processes_mpi line|copy|allreduce|alltoall BYTES SAMPLES [step|pairs|permit]
 *
 * The last word: by hand, with MPI_Isend and MPI_Irecv, a floor for plait over this
 * MPI.  allreduce: `step`, each rank sends all to all others; `pairs`, each rank
 * reduces a share, and sends it.  `permit`: pairs whose receivers first tell their
 * senders that a receive is posted.  Any of them: alltoall.
 */
#include <mpi.h>

#include "processes.h"

static struct {
	int rank, ranks;
	uint64_t bytes;
	const char *operation, *form;
	float *in, *out, *room;
} me;

static void meet(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

/* There and, for a line, back: two messages. */
static void send_one(void)
{
	int bytes = (int)me.bytes, back = strcmp(me.operation, "line") == 0;
	char none = 0;

	if (me.rank == 0) {
		MPI_Send(me.in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(back ? (void *)me.out : &none, back ? bytes : 1,
			 MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (me.rank == 1) {
		MPI_Recv(me.in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(back ? (void *)me.out : &none, back ? bytes : 1,
			 MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

/* ---- by hand ---- */

enum { MOST_RANKS = 16 };

/* Give each other rank one block of `from`, `step` floats apart, and place what
 * comes at its rank in `to`; behind a permit where they are told. */
static void exchange(const float *from, int from_step, float *to, int to_step,
		     int count)
{
	MPI_Request requests[4 * MOST_RANKS];
	char mine = 0, theirs[MOST_RANKS];
	int tells = strcmp(me.form, "permit") == 0, used = 0, k;

	for (k = 1; k < me.ranks; k++) {
		int peer = (me.rank + k) % me.ranks;

		MPI_Irecv(to + (size_t)peer * to_step, count, MPI_FLOAT, peer, 1,
			  MPI_COMM_WORLD, &requests[used++]);
		if (tells)
			MPI_Isend(&mine, 1, MPI_BYTE, peer, 2, MPI_COMM_WORLD,
				  &requests[used++]);
	}
	for (k = 1; k < me.ranks; k++) {
		int peer = (me.rank + k) % me.ranks;

		if (tells)
			MPI_Recv(&theirs[k], 1, MPI_BYTE, peer, 2,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Isend(from + (size_t)peer * from_step, count, MPI_FLOAT, peer,
			  1, MPI_COMM_WORLD, &requests[used++]);
	}
	MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}

static void add(float *restrict to, const float *restrict from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		to[i] += from[i];
}

static void hand_allreduce(int count)
{
	int is_step = strcmp(me.form, "step") == 0, k;
	int part = is_step ? count : count / me.ranks;
	float *own = me.in + (is_step ? 0 : (size_t)me.rank * part);

	exchange(me.in, is_step ? 0 : part, me.room, part, part);
	for (k = 1; k < me.ranks; k++)
		add(own, me.room + (size_t)((me.rank + k) % me.ranks) * part,
		    (size_t)part);
	if (!is_step)
		exchange(own, 0, me.in, part, part);
}

static void hand_alltoall(int count)
{
	int part = count / me.ranks;

	exchange(me.in, part, me.out, part, part);
	memcpy(me.out + (size_t)me.rank * part, me.in + (size_t)me.rank * part,
	       (size_t)part * sizeof(float));
}

/* ---- samples ---- */

static void run_once(void)
{
	int count = (int)(me.bytes / sizeof(float));

	if (me.form != NULL && strcmp(me.operation, "allreduce") == 0)
		hand_allreduce(count);
	else if (me.form != NULL && strcmp(me.operation, "alltoall") == 0)
		hand_alltoall(count);
	else if (strcmp(me.operation, "allreduce") == 0)
		MPI_Allreduce(MPI_IN_PLACE, me.in, count, MPI_FLOAT, MPI_SUM,
			      MPI_COMM_WORLD);
	else if (strcmp(me.operation, "alltoall") == 0)
		MPI_Alltoall(me.in, count / me.ranks, MPI_FLOAT, me.out,
			     count / me.ranks, MPI_FLOAT, MPI_COMM_WORLD);
	else
		send_one();
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5)
		return 2;
	me.form = argv[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &me.ranks);
	me.operation = argv[1];
	me.bytes = strtoull(argv[2], NULL, 10);
	me.in = aligned_alloc(4096, me.bytes + 4096);
	me.out = aligned_alloc(4096, me.bytes + 4096);
	me.room = aligned_alloc(4096, (me.bytes + 4096) * (size_t)me.ranks);
	if (me.in == NULL || me.out == NULL || me.room == NULL ||
	    me.ranks > MOST_RANKS)
		return 1;
	memset(me.room, 0, me.bytes * (size_t)me.ranks);
	processes_pin((uint32_t)me.rank);
	memset(me.out, 0, me.bytes);
	processes_fill(me.operation, me.in, me.bytes, (uint32_t)me.rank,
		       (uint32_t)me.ranks);
	run_once();
	processes_verify(me.operation, me.in, me.out, me.bytes,
			 (uint32_t)me.rank, (uint32_t)me.ranks);
	memset(me.in, 0, me.bytes);
	meet();
	processes_sample((uint32_t)atoi(argv[3]), me.bytes, (uint32_t)me.rank,
			 run_once, meet);
	fflush(stdout);
	free(me.in);
	free(me.out);
	free(me.room);
	MPI_Finalize();
	return 0;
}
