/* SPDX-License-Identifier: MIT */
/*
 * MPI's side of bench/processes; started by an mpirun.
 *
 *	processes_mpi line|copy|allreduce|alltoall BYTES SAMPLES
 */
#include <mpi.h>

#include "processes.h"

static struct {
	int rank, ranks;
	uint64_t bytes;
	const char *operation;
	float *in, *out;
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

static void run_once(void)
{
	int count = (int)(me.bytes / sizeof(float));

	if (strcmp(me.operation, "allreduce") == 0)
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
	if (argc != 4)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &me.ranks);
	me.operation = argv[1];
	me.bytes = strtoull(argv[2], NULL, 10);
	me.in = malloc(me.bytes + 4096);
	me.out = malloc(me.bytes + 4096);
	if (me.in == NULL || me.out == NULL)
		return 1;
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
	MPI_Finalize();
	return 0;
}
