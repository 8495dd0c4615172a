/* SPDX-License-Identifier: MIT */
/*
 * Floor of collectives between processes: the same bytes moved by hand through
 * shared memory, without plait.
 *
 *	processes line|copy|allreduce|alltoall FORM RANKS BYTES SAMPLES
 *		-> times of the samples in us
 *
 * Forms of collectives: `lines` (64 bytes, of which 8 are a sequence; one step),
 * `step` (each rank sends all to all others through slots), `slots:BYTES`
 * (reduce-scatter and allgather through two slots of that size for each pair),
 * `direct` (the ranks read each other's buffers).  BYTES is the whole buffer of
 * a rank.  `line` and `copy` are one way, from rank 0 to rank 1.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <signal.h>
#include <unistd.h>

#include "processes.h"

enum { MOST_RANKS = 8, DEPTH = 2, LINE_BYTES = 56, MOST_LINES = 1 << 14 };

struct word {
	_Alignas(128) uint64_t value;
};

struct line {
	_Alignas(64) unsigned char bytes[LINE_BYTES];
	uint64_t sequence;
};

/* One direction between two ranks. */
struct fifo {
	struct word ready;
	struct word taken;
};

struct shared {
	struct fifo fifos[MOST_RANKS][MOST_RANKS]; /* from, to */
	/* Number of phases that a rank has ended, for `direct`. */
	struct word phases[MOST_RANKS];
};

static struct {
	uint32_t rank, ranks, looks;
	uint64_t bytes, slot_bytes;
	struct shared *shared;
	unsigned char *slots;	/* DEPTH for each pair */
	struct line *lines;	/* two halves for each pair */
	unsigned char *buffers; /* two of each rank; in shared memory */
	uint64_t sent[MOST_RANKS], received[MOST_RANKS];
	uint64_t phase, call;
} me;

static void wait_for(const uint64_t *word, uint64_t least)
{
	uint32_t looks = 0;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
		if (++looks % me.looks == 0)
			sched_yield();
}

static unsigned char *slot_of(uint32_t from, uint32_t to, uint64_t count)
{
	uint64_t pair = from * me.ranks + to;

	return me.slots + (pair * DEPTH + count % DEPTH) * me.slot_bytes;
}

static unsigned char *buffer_of(uint32_t rank, uint32_t which)
{
	return me.buffers + (2 * rank + which) * me.bytes;
}

static void push(uint32_t peer, const void *bytes, uint64_t count)
{
	struct fifo *fifo = &me.shared->fifos[me.rank][peer];
	uint64_t sent = me.sent[peer]++;

	if (sent >= DEPTH)
		wait_for(&fifo->taken.value, sent + 1 - DEPTH);
	memcpy(slot_of(me.rank, peer, sent), bytes, count);
	__atomic_store_n(&fifo->ready.value, sent + 1, __ATOMIC_RELEASE);
}

static void add(float *target, const float *source, uint64_t bytes)
{
	uint64_t i;

	for (i = 0; i < bytes / sizeof(float); i++)
		target[i] += source[i];
}

/* Take a message: copy it to `target`, or add it. */
static void pop(uint32_t peer, void *target, uint64_t bytes, int reduces)
{
	struct fifo *fifo = &me.shared->fifos[peer][me.rank];
	uint64_t received = me.received[peer]++;
	const void *slot = slot_of(peer, me.rank, received);

	wait_for(&fifo->ready.value, received + 1);
	if (reduces)
		add(target, slot, bytes);
	else
		memcpy(target, slot, bytes);
	__atomic_store_n(&fifo->taken.value, received + 1, __ATOMIC_RELEASE);
}

/* --- lines ---------------------------------------------------------------- */

static struct line *lines_of(uint32_t from, uint32_t to)
{
	uint64_t pair = from * me.ranks + to;

	return me.lines + (2 * pair + me.call % 2) * MOST_LINES;
}

static void push_lines(uint32_t peer, const unsigned char *bytes)
{
	struct line *line = lines_of(me.rank, peer);
	uint64_t at, count;

	for (at = 0; at < me.bytes; at += LINE_BYTES, line++) {
		count = me.bytes - at < LINE_BYTES ? me.bytes - at : LINE_BYTES;
		if (count == LINE_BYTES)
			memcpy(line->bytes, bytes + at, LINE_BYTES);
		else
			memcpy(line->bytes, bytes + at, count);
		__atomic_store_n(&line->sequence, me.call, __ATOMIC_RELEASE);
	}
}

static void pop_lines(uint32_t peer, unsigned char *target, int reduces)
{
	struct line *line = lines_of(peer, me.rank);
	uint64_t at, count;

	for (at = 0; at < me.bytes; at += LINE_BYTES, line++) {
		count = me.bytes - at < LINE_BYTES ? me.bytes - at : LINE_BYTES;
		wait_for(&line->sequence, me.call);
		if (reduces && count == LINE_BYTES)
			add((float *)(void *)(target + at),
			    (const float *)(void *)line->bytes, LINE_BYTES);
		else if (reduces)
			add((float *)(void *)(target + at),
			    (const float *)(void *)line->bytes, count);
		else
			memcpy(target + at, line->bytes, count);
	}
}

static void allreduce_lines(unsigned char *data)
{
	uint32_t p;

	me.call++;
	for (p = 0; p < me.ranks; p++)
		if (p != me.rank)
			push_lines(p, data);
	for (p = 0; p < me.ranks; p++)
		if (p != me.rank)
			pop_lines(p, data, 1);
}

/* --- slots ---------------------------------------------------------------- */

static void allreduce_step(unsigned char *data)
{
	uint32_t p;

	for (p = 0; p < me.ranks; p++)
		if (p != me.rank)
			push(p, data, me.bytes);
	for (p = 0; p < me.ranks; p++)
		if (p != me.rank)
			pop(p, data, me.bytes, 1);
}

static uint64_t start_of(uint32_t rank)
{
	return me.bytes / sizeof(float) * rank / me.ranks * sizeof(float);
}

/* The part of a rank's share that is in tile `tile`. */
static uint64_t tile_of(uint32_t rank, uint64_t tile, uint64_t *out_bytes)
{
	uint64_t at = start_of(rank) + tile * me.slot_bytes;
	uint64_t end = start_of(rank + 1);

	*out_bytes = at >= end ? 0
		   : end - at < me.slot_bytes ? end - at : me.slot_bytes;
	return at;
}

static uint64_t count_tiles(void)
{
	uint64_t most = me.bytes / me.ranks + sizeof(float);

	return (most + me.slot_bytes - 1) / me.slot_bytes;
}

/* Send a tile of each peer's share, or of the own one to all. */
static void push_tiles(const unsigned char *data, uint64_t tile, int own)
{
	uint64_t at, bytes;
	uint32_t p, d;

	for (d = 1; d < me.ranks; d++) {
		p = (me.rank + d) % me.ranks;
		at = tile_of(own ? me.rank : p, tile, &bytes);
		push(p, data + at, bytes);
	}
}

static void pop_tiles(unsigned char *data, uint64_t tile, int own)
{
	uint64_t at, bytes;
	uint32_t p, d;

	for (d = 1; d < me.ranks; d++) {
		p = (me.rank + me.ranks - d) % me.ranks;
		at = tile_of(own ? me.rank : p, tile, &bytes);
		pop(p, data + at, bytes, own);
	}
}

static void allreduce_slots(unsigned char *data)
{
	uint64_t tile, tiles = count_tiles();

	for (tile = 0; tile < tiles; tile++) {
		push_tiles(data, tile, 0);
		pop_tiles(data, tile, 1);
		push_tiles(data, tile, 1);
		pop_tiles(data, tile, 0);
	}
}

static void alltoall_slots(const unsigned char *in, unsigned char *out)
{
	uint64_t tile, tiles = count_tiles(), at = start_of(me.rank);

	memcpy(out + at, in + at, start_of(me.rank + 1) - at);
	for (tile = 0; tile < tiles; tile++) {
		push_tiles(in, tile, 0);
		pop_tiles(out, tile, 0);
	}
}

/* --- direct --------------------------------------------------------------- */

/* Wait until all ranks are here. */
static void meet(void)
{
	uint32_t p;

	__atomic_store_n(&me.shared->phases[me.rank].value, ++me.phase,
			 __ATOMIC_RELEASE);
	for (p = 0; p < me.ranks; p++)
		wait_for(&me.shared->phases[p].value, me.phase);
}

static void allreduce_direct(unsigned char *data)
{
	uint64_t at = start_of(me.rank), bytes = start_of(me.rank + 1) - at;
	uint32_t p, d;

	meet();
	for (d = 1; d < me.ranks; d++) {
		p = (me.rank + d) % me.ranks;
		add((float *)(void *)(data + at),
		    (const float *)(void *)(buffer_of(p, 0) + at), bytes);
	}
	meet();
	for (d = 1; d < me.ranks; d++) {
		p = (me.rank + d) % me.ranks;
		at = start_of(p);
		memcpy(data + at, buffer_of(p, 0) + at, start_of(p + 1) - at);
	}
	meet();
}

static void alltoall_direct(const unsigned char *in, unsigned char *out)
{
	uint64_t own = start_of(me.rank), bytes = start_of(me.rank + 1) - own;
	uint32_t p, d;

	(void)in;
	meet();
	for (d = 0; d < me.ranks; d++) {
		p = (me.rank + d) % me.ranks;
		memcpy(out + p * bytes, buffer_of(p, 0) + own, bytes);
	}
	meet();
}

/* --- one way -------------------------------------------------------------- */

static const char *operation, *form;

static void bounce_line(void)
{
	struct word *words = me.shared->phases;

	me.phase++;
	if (me.rank == 1)
		wait_for(&words[0].value, me.phase);
	__atomic_store_n(&words[me.rank].value, me.phase, __ATOMIC_RELEASE);
	if (me.rank == 0)
		wait_for(&words[1].value, me.phase);
}

/* A copy, and a byte back. */
static void bounce_copy(unsigned char *data)
{
	uint64_t at, bytes;

	if (strcmp(form, "direct") == 0)
		meet();
	if (strcmp(form, "direct") == 0 && me.rank == 1)
		memcpy(data, buffer_of(0, 0), me.bytes);
	for (at = 0; at < me.bytes && strcmp(form, "direct") != 0;
	     at += bytes) {
		bytes = me.bytes - at;
		bytes = bytes < me.slot_bytes ? bytes : me.slot_bytes;
		if (me.rank == 0)
			push(1, data + at, bytes);
		else
			pop(0, data + at, bytes, 0);
	}
	meet();
}

/* --- processes ------------------------------------------------------------ */

static void run_once(void)
{
	unsigned char *in = buffer_of(me.rank, 0);
	unsigned char *out = buffer_of(me.rank, 1);

	if (strcmp(operation, "line") == 0)
		bounce_line();
	else if (strcmp(operation, "copy") == 0)
		bounce_copy(in);
	else if (strcmp(operation, "alltoall") == 0)
		strcmp(form, "direct") == 0 ? alltoall_direct(in, out)
					    : alltoall_slots(in, out);
	else if (strcmp(form, "lines") == 0)
		allreduce_lines(in);
	else if (strcmp(form, "step") == 0)
		allreduce_step(in);
	else if (strcmp(form, "direct") == 0)
		allreduce_direct(in);
	else
		allreduce_slots(in);
}

static void run_all(uint32_t samples)
{
	unsigned char *in = buffer_of(me.rank, 0);

	processes_fill(operation, in, me.bytes, me.rank, me.ranks);
	run_once();
	processes_verify(operation, in, buffer_of(me.rank, 1), me.bytes,
			 me.rank, me.ranks);
	memset(in, 0, me.bytes);
	meet();
	processes_sample(samples, me.bytes, me.rank, run_once, meet);
}

static void *map(uint64_t bytes)
{
	void *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (out == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return out;
}

static void start(void)
{
	uint32_t pairs = me.ranks * me.ranks;

	me.shared = map(sizeof(*me.shared));
	me.slots = map(pairs * DEPTH * me.slot_bytes);
	me.lines = map(pairs * 2 * MOST_LINES * sizeof(struct line));
	me.buffers = map(2 * me.ranks * (me.bytes + 4096));
	me.looks = me.ranks > processes_count() ? 1 : 1 << 16;
}

int main(int argc, char **argv)
{
	int status = 0, ended;
	uint32_t i;

	if (argc != 6)
		return 2;
	operation = argv[1];
	form = argv[2];
	me.ranks = (uint32_t)atoi(argv[3]);
	me.bytes = strtoull(argv[4], NULL, 10);
	me.slot_bytes = strchr(form, ':') == NULL ? me.bytes
		      : strtoull(strchr(form, ':') + 1, NULL, 10);
	if (me.ranks < 2 || me.ranks > MOST_RANKS || me.bytes < 4)
		return 2;
	start();
	for (i = 1; i < me.ranks && me.rank == 0; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			me.rank = i;
		}
	processes_pin(me.rank);
	run_all((uint32_t)atoi(argv[5]));
	while (me.rank == 0 && wait(&ended) > 0)
		status |= ended;
	return status != 0;
}
