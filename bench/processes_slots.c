/* SPDX-License-Identifier: MIT */
/*
 * A slot of a transport there and back, between two ranks that an mpirun has
 * started; beside it `processes_mpi line`, the same bytes by MPI's own calls.
 *
 *	processes_slots openmpi|mpich DEPTH BYTES SAMPLES
 *		-> times in us; a sample is the mean of 50 turns
 */
#include "processes.h"

#include "plugins/mpi/rank.h"

enum { TURNS = 50 };

static void await(const uint64_t *word, uint64_t least)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
		rank.table.pump(rank.self, &rank.error);
}

static void put(struct half *half, uint64_t bytes)
{
	uint64_t index = half->count % half->view.depth;
	plait_link_slot *slot = (plait_link_slot *)(void *)(
		half->view.slots + index * half->view.stride);

	if (half->count >= half->view.depth)
		await(half->view.taken, half->count + 1 - half->view.depth);
	slot->bytes = bytes;
	__atomic_store_n(half->view.ready, ++half->count, __ATOMIC_RELEASE);
}

static void take(struct half *half)
{
	await(half->view.ready, half->count + 1);
	__atomic_store_n(half->view.taken, ++half->count, __ATOMIC_RELEASE);
}

static double sample(struct half *out, struct half *in, uint64_t bytes)
{
	uint64_t begin = processes_ns();
	uint32_t i;

	for (i = 0; i < TURNS; i++) {
		if (rank.facts.rank == 0)
			put(out, bytes);
		take(in);
		if (rank.facts.rank == 1)
			put(out, bytes);
	}
	return (double)(processes_ns() - begin) / 1000 / TURNS;
}

int main(int argc, char **argv)
{
	uint32_t depth, peer, i;
	struct half out, in;
	uint64_t bytes;
	double us;

	if (argc != 5)
		return 2;
	rank.plugin = argv[1];
	depth = (uint32_t)atoi(argv[2]);
	bytes = strtoull(argv[3], NULL, 10);
	rank_open(0);
	if (rank.facts.ranks != 2)
		return 2;
	processes_pin(rank.facts.rank);
	peer = 1 - rank.facts.rank;
	out = rank_half(PLAIT_LINK_SEND, peer, 0, depth, bytes);
	in = rank_half(PLAIT_LINK_RECEIVE, peer, 0, depth, bytes);
	rank_meet();
	for (i = 0; i < (uint32_t)atoi(argv[4]); i++) {
		us = sample(&out, &in, bytes);
		if (rank.facts.rank == 0)
			printf("%.3f ", us);
	}
	rank_await(out.view.taken, out.count);
	rank_destroy(&out);
	rank_destroy(&in);
	rank_meet();
	rank_close();
	return 0;
}
