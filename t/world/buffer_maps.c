/* SPDX-License-Identifier: MIT */
/* Buffers that peers read in place: mappings of the peers, and the end of a world. */
#include "world/buffers.h"

static struct rank ranks[THREADS_MAX];

static void begin(void)
{
	memset(ranks, 0, sizeof(ranks));
}

/* A size of its own, in pages.  In many calls a rank may come too late to read in
 * place. */
enum { SEEN_BYTES = 77 * 4096, SEEN_CALLS = 200 };

/* Mappings of memory of this size that cannot be written: those of peers. */
static uint32_t count_peer_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512], rights[5];
	uint32_t count = 0;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		count += sscanf(line, "%lx-%lx %4s", &start, &end, rights) ==
				 3 && strcmp(rights, "r--s") == 0 &&
			 end - start == SEEN_BYTES;
	if (maps != NULL)
		(void)fclose(maps);
	return count;
}

static uint32_t peer_maps[THREADS_MAX];

static void read_in_place(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "direct", PLAIT_COLL_ALLTOALL, 0);
	void *in, *out;
	plait_buffer *buffers[2] = { make(rank, SEEN_BYTES, &in),
				     make(rank, SEEN_BYTES, &out) };
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
		.element_bits = 8, .count = SEEN_BYTES / 2,
		.input_memory = in, .output_memory = out,
	};

	unsigned char *goes_on = in;
	uint64_t since = 0;
	uint32_t calls = 0;

	if (!collective || !in || !out)
		return;
	/* Rank 0 tells both, by the first byte that it sends. */
	do {
		peer_maps[rank->rank] = count_peer_maps();
		goes_on[0] = goes_on[SEEN_BYTES / 2] = ++calls < SEEN_CALLS ||
			(rank->wrap == NULL && peer_maps[rank->rank] == 0 &&
			 !tap_late(&since));
	} while (rank_did(rank, plait_collective_call(collective, &run,
						      &rank->error)) &&
		 *(unsigned char *)out != 0);
	drop(rank, buffers[0], in);
	drop(rank, buffers[1], out);
	plait_collective_release(collective);
}

static void reads_in_place(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 2, "shm", read_in_place), 2);
	OK(peer_maps[0] > 0);
	begin();
	for (uint32_t i = 0; i < 2; i++) {
		ranks[i].wrap = "fault";
		ranks[i].devices = "fault:slot=shared_map,from=1";
	}
	IS_UINT(ranks_run(ranks, 2, "shm", read_in_place), 2);
	IS_UINT(peer_maps[0] + peer_maps[1], 0);
}

enum { ENDS = 50 };

static uint32_t left; /* worlds */

/* The ports of a world are closed in the thread of its release, since a transport
 * may need it; a buffer that was released before holds it no longer. */
static void release_worlds(struct rank *rank)
{
	for (uint32_t i = 0; i < ENDS && rank->status == PLAIT_OK; i++) {
		void *memory;
		plait_buffer *buffer = make(rank, 8192, &memory);

		drop(rank, buffer, memory);
		plait_world_release(rank->world);
		rank->world = NULL;
		left += plait_live_count(PLAIT_OBJECT_WORLD) != 0;
		rank_did(rank, plait_world_open(rank->context, &rank->desc,
						&rank->world, &rank->error));
	}
}

static void lets_go_of_its_world_at_once(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 1, "loopback", release_worlds), 1);
	IS_UINT(left, 0);
}

static const struct tap_scenario all[] = {
	{ "reads in place", reads_in_place },
	{ "lets go of its world", lets_go_of_its_world_at_once },
};

TAP_MAIN(all)
