/* SPDX-License-Identifier: MIT */
/*
 * Buffers that peers read in place: bits of collectives against those of slots,
 * ranks that mix both kinds, late ranks, memory that is used again, release, and
 * processes that are killed.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/objects.h"
#include "world/buffers.h"

static plait_error error = { .size = sizeof(error) };
static struct rank ranks[THREADS_MAX];

static void begin(void)
{
	memset(ranks, 0, sizeof(ranks));
}

static uint64_t seed;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

/* ---- against slots ---- */

enum { ROUNDS = 12, ROOM = 3 << 20 };

static const struct {
	const char *name;
	plait_coll_kind kind;
	plait_coll_flags flags;
	uint32_t ranks; /* times a share: input, output */
	bool wide_in, wide_out;
} known[] = {
	{ "direct", PLAIT_COLL_ALLTOALL, 0, 0, true, true },
	{ "allpairs", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE, 0, false,
	  false },
	{ "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE, 0, false, false },
	{ "ring", PLAIT_COLL_ALLGATHER, 0, 0, false, true },
	{ "ring", PLAIT_COLL_REDUCE_SCATTER, 0, 0, true, false },
	{ "onestep", PLAIT_COLL_ALLREDUCE, 0, 0, false, false },
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static uint32_t differences[THREADS_MAX];

/* A number of a round that all ranks agree on. */
static uint64_t agreed(uint64_t round, uint64_t what)
{
	return mix(seed + round * 977 + what * 131071);
}

/* One of a rank alone. */
static uint64_t own(const struct rank *rank, uint64_t round, uint64_t what)
{
	return mix(agreed(round, what) + rank->rank * 7919 + 1);
}

static uint64_t choose_count(const struct rank *rank, uint64_t round)
{
	uint64_t most = ROOM / 4 / rank->ranks - 64;
	uint64_t bits = agreed(round, 1) % 18;

	return 1 + agreed(round, 2) % (most >> bits > 0 ? most >> bits : 1);
}

static void fill(const struct rank *rank, uint64_t round, int32_t *at,
		 uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		at[i] = (int32_t)own(rank, round, 100 + i);
}

struct areas {
	unsigned char *slots[2], *direct[2]; /* the latter: world buffers */
};

static void call_round(struct rank *rank, plait_collective *collective,
		       const struct areas *areas, uint32_t which,
		       uint64_t round)
{
	uint64_t count = choose_count(rank, round);
	uint64_t wide = count * rank->ranks;
	uint64_t ins = known[which].wide_in ? wide : count;
	uint64_t outs = known[which].wide_out ? wide : count;
	bool in_place = known[which].flags & PLAIT_COLL_IN_PLACE;
	/* Ranks mix buffers of both kinds. */
	bool shares_in = own(rank, round, 3) % 4 != 0;
	bool shares_out = own(rank, round, 4) % 4 != 0;
	uint64_t at[2] = { own(rank, round, 5) % 60 * 4,
			   own(rank, round, 6) % 60 * 4 };
	unsigned char *in = shares_in ? areas->direct[0] : areas->slots[0];
	unsigned char *out = shares_out ? areas->direct[1] : areas->slots[1];
	plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_INT,
		.element_bits = 32, .reduction = PLAIT_REDUCE_SUM,
		.count = count,
	};
	unsigned char *expected = malloc(outs * 4);

	/* Through slots first. */
	fill(rank, round, (int32_t *)(void *)areas->slots[0], ins);
	memcpy(areas->slots[1], areas->slots[0], in_place ? ins * 4 : 4);
	run.input_memory = in_place ? NULL : areas->slots[0];
	run.output_memory = areas->slots[1];
	rank_did(rank, plait_collective_call(collective, &run, &rank->error));
	memcpy(expected, areas->slots[1], outs * 4);

	fill(rank, round, (int32_t *)(void *)(in + at[0]), ins);
	memset(out + at[1], 0, outs * 4);
	if (in_place)
		memcpy(out + at[1], in + at[0], ins * 4);
	run.input_memory = in_place ? NULL : in + at[0];
	run.output_memory = out + at[1];
	rank_did(rank, plait_collective_call(collective, &run, &rank->error));
	/* Peers must not read it any more. */
	memset(in + at[0], 0xee, ins * 4);
	differences[rank->rank] += memcmp(out + at[1], expected, outs * 4) != 0;
	memset(out + at[1], 0xdd, outs * 4);
	free(expected);
}

static void call_all(struct rank *rank)
{
	struct areas areas = { 0 };
	plait_buffer *buffers[2];

	for (uint32_t i = 0; i < 2; i++) {
		void *pointer;

		buffers[i] = make(rank, ROOM, &pointer);
		areas.direct[i] = pointer;
		areas.slots[i] = malloc(ROOM);
	}
	for (uint32_t k = 0; k < KNOWN && rank->status == PLAIT_OK; k++) {
		plait_collective *collective = rank_collective(
			rank, known[k].name, known[k].kind, known[k].flags);

		for (uint64_t i = 0; i < ROUNDS && collective &&
				     rank->status == PLAIT_OK; i++)
			call_round(rank, collective, &areas, k, k * 1000 + i);
		plait_collective_release(collective);
	}
	for (uint32_t i = 0; i < 2; i++) {
		drop(rank, buffers[i], areas.direct[i]);
		free(areas.slots[i]);
	}
}

static void run_against_slots(const char *transport, uint32_t count)
{
	uint32_t wrong = 0;

	begin();
	memset(differences, 0, sizeof(differences));
	IS_UINT(ranks_run(ranks, count, transport, call_all), count);
	for (uint32_t i = 0; i < count; i++) {
		IS_STR(ranks[i].error.text, "");
		wrong += differences[i];
	}
	IS_UINT(wrong, 0);
}

static void equals_slots(void)
{
	seed = tap_seed();
	run_against_slots("loopback", 2);
	run_against_slots("loopback", 4);
	run_against_slots("shm", 3);
}

/* ---- memory that is sent, then written ---- */

enum { PART = 100003, PARTS = 4, OVERWRITES = 10, PAUSES = 20 };

/* Rank 0 gets a chunk, on a lane of its own, to where it has sent another one
 * from. */
static const char overwriting[] =
	"custom ranks=2 inputs=4 outputs=4 in_place\n"
	"promise output[0, 0] = input[1, 2]\n"
	"promise output[1, 0] = input[0, 0]\n"
	"promise output[1, 1] = input[0, 1]\n"
	"copy(input[0, 0], 1)\n"
	"copy(input[1, 2], input[0, 0], channel=1)\n"
	"copy(input[0, 1], 1)\n";

static plait_collective *read_collective(struct rank *rank, const char *text)
{
	plait_collective *collective = NULL;
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;

	if (rank_did(rank, plait_coll_read(rank->context, text, strlen(text),
					   NULL, 0, 0, &coll, &rank->error)) &&
	    rank_did(rank, plait_coll_compile(coll, NULL, &schedule,
					      &rank->error)))
		rank_did(rank, plait_collective_create(rank->world, &schedule,
						       1, &collective,
						       &rank->error));
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return collective;
}

static int32_t number_of(uint32_t rank, uint32_t part, uint32_t i)
{
	return (int32_t)(rank * PARTS * PART + part * PART + i);
}

static uint32_t compare_part(const int32_t *numbers, uint32_t part,
			     uint32_t rank, uint32_t source)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < PART; i++)
		wrong += numbers[part * PART + i] !=
			 number_of(rank, source, i);
	return wrong;
}

static void overwrite(struct rank *rank)
{
	plait_collective *collective = read_collective(rank, overwriting);
	void *memory;
	plait_buffer *buffer = make(rank, PART * PARTS * 4, &memory);
	int32_t *numbers = memory;
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_INT,
		.element_bits = 32, .count = PART * PARTS,
		.output_memory = memory,
	};

	for (uint32_t k = 0; k < OVERWRITES && collective && memory; k++) {
		for (uint32_t i = 0; i < PART * PARTS; i++)
			numbers[i] = number_of(rank->rank, i / PART, i % PART);
		/* The other rank has sent by then. */
		for (uint32_t i = 0; i < PAUSES && rank->rank == 0; i++)
			pause_a_little();
		rank_did(rank, plait_collective_call(collective, &run,
						     &rank->error));
		differences[rank->rank] += rank->rank == 0 ?
			compare_part(numbers, 0, 1, 2) :
			compare_part(numbers, 0, 0, 0) +
				compare_part(numbers, 1, 0, 1);
	}
	drop(rank, buffer, memory);
	plait_collective_release(collective);
}

static void writes_wait_for_readers(void)
{
	begin();
	memset(differences, 0, sizeof(differences));
	IS_UINT(ranks_run(ranks, 2, "loopback", overwrite), 2);
	IS_STR(ranks[0].error.text, "");
	IS_UINT(differences[0] + differences[1], 0);
}

/* ---- a peer that cannot map ---- */

/* Each mapping fails: the senders copy. */
static void copies_for_ranks_that_cannot_map(void)
{
	begin();
	memset(differences, 0, sizeof(differences));
	for (uint32_t i = 0; i < 2; i++) {
		ranks[i].wrap = "fault";
		ranks[i].devices = "fault:slot=shared_map,from=1";
	}
	IS_UINT(ranks_run(ranks, 2, "shm", overwrite), 2);
	IS_UINT(differences[0] + differences[1], 0);
}

/* ---- a rank that comes late ---- */

enum { LATE_COUNT = 100000 };

static pthread_barrier_t sent;

/* The sender leaves the broadcast, and writes its buffer, before the receiver
 * calls. */
static void send_early(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "tree", PLAIT_COLL_BROADCAST, PLAIT_COLL_IN_PLACE);
	void *memory;
	plait_buffer *buffer = make(rank, LATE_COUNT * 4, &memory);
	int32_t *numbers = memory;
	plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_INT,
		.element_bits = 32, .count = LATE_COUNT,
		.output_memory = memory,
	};

	for (uint32_t i = 0; i < LATE_COUNT && memory; i++)
		numbers[i] = rank->rank == 0 ? (int32_t)i : -1;
	if (rank->rank == 1)
		pthread_barrier_wait(&sent);
	if (collective && memory)
		rank_did(rank, plait_collective_call(collective, &run,
						     &rank->error));
	if (rank->rank == 0) {
		for (uint32_t i = 0; i < LATE_COUNT && memory; i++)
			numbers[i] = -2;
		pthread_barrier_wait(&sent);
	}
	for (uint32_t i = 0; i < LATE_COUNT && memory && rank->rank == 1; i++)
		differences[1] += numbers[i] != (int32_t)i;
	drop(rank, buffer, memory);
	plait_collective_release(collective);
}

static void a_late_rank_gets_copies(void)
{
	begin();
	memset(differences, 0, sizeof(differences));
	pthread_barrier_init(&sent, NULL, 2);
	IS_UINT(ranks_run(ranks, 2, "shm", send_early), 2);
	IS_UINT(differences[1], 0);
	pthread_barrier_destroy(&sent);
}

/* ---- life ---- */

static void make_odd_ones(struct rank *rank)
{
	static const uint64_t sizes[] = { 0, 1, 4095, 4097, 1 << 20 };
	unsigned char *pointer;
	void *memory;

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		plait_buffer *buffer = make(rank, sizes[i], &memory);

		pointer = memory;
		if (pointer != NULL) {
			pointer[0] = 1;
			pointer[sizes[i] - 1] = 2;
		}
		drop(rank, buffer, memory);
	}
}

static void takes_any_size(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 2, "shm", make_odd_ones), 2);
	begin();
	IS_UINT(ranks_run(ranks, 1, "loopback", make_odd_ones), 1);
}

/* Buffers come and go; peers still map those of before. */
static void exchange_often(struct rank *rank)
{
	plait_collective *collective = rank_collective(
		rank, "direct", PLAIT_COLL_ALLTOALL, 0);

	for (uint32_t i = 0; i < 40 && collective; i++) {
		void *in, *out;
		plait_buffer *buffers[2] = { make(rank, 65536, &in),
					     make(rank, 65536, &out) };
		plait_collective_run run = {
			.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
			.element_bits = 8, .count = 65536 / rank->ranks,
			.input = buffers[0], .output = buffers[1],
		};
		unsigned char *bytes = out;

		if (!in || !out)
			break;
		memset(in, (int)(rank->rank * 50 + i), 65536);
		rank_did(rank, plait_collective_call(collective, &run,
						     &rank->error));
		for (uint32_t k = 0; k < rank->ranks; k++)
			differences[rank->rank] +=
				bytes[k * run.count] != (unsigned char)(k * 50 + i) ||
				bytes[(k + 1) * run.count - 1] !=
					(unsigned char)(k * 50 + i);
		drop(rank, buffers[0], in);
		drop(rank, buffers[1], out);
	}
	plait_collective_release(collective);
}

static void forgets_buffers_that_are_gone(void)
{
	begin();
	memset(differences, 0, sizeof(differences));
	IS_UINT(ranks_run(ranks, 2, "shm", exchange_often), 2);
	IS_UINT(differences[0] + differences[1], 0);
}

static plait_buffer *kept;
static plait_context *kept_context;
/* The buffer holds the world beyond its release. */
static void keep_buffer(struct rank *rank)
{
	void *memory;

	kept = make(rank, 8192, &memory);
	if (memory == NULL)
		return;
	memset(memory, 7, 8192);
	rank_did(rank, plait_buffer_unmap(kept, memory, &rank->error));
	kept_context = rank->context;
	plait_context_retain(kept_context);
}

static void outlives_the_handle_of_its_world(void)
{
	unsigned char *bytes;
	void *memory = NULL;

	begin();
	IS_UINT(ranks_run(ranks, 1, "loopback", keep_buffer), 1);
	IS_INT(plait_buffer_map(kept, 0, 8192, PLAIT_MAP_READ, &memory, &error),
	       PLAIT_OK);
	bytes = memory;
	OK(bytes != NULL && bytes[0] == 7 && bytes[8191] == 7);
	IS_INT(plait_buffer_unmap(kept, memory, &error), PLAIT_OK);
	plait_buffer_release(kept);
	plait_context_release(kept_context);
}

/* ---- processes that are killed ---- */

enum { KILLS = 10, KILLED_BYTES = 1 << 20 };

/* Exchange until the other process has ended; returns the status of the child. */
static int exchange_until_lost(struct rank *rank, uint64_t *done)
{
	plait_collective *collective = rank_collective(
		rank, "direct", PLAIT_COLL_ALLTOALL, 0);
	void *in, *out;
	plait_buffer *buffers[2] = { make(rank, KILLED_BYTES, &in),
				     make(rank, KILLED_BYTES, &out) };
	plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
		.element_bits = 8, .count = KILLED_BYTES / 2,
		.input_memory = in, .output_memory = out,
	};
	const unsigned char *bytes = out;

	while (buffers[0] && buffers[1] && rank->status == PLAIT_OK) {
		uint64_t round = *done;

		memset(in, (int)round, KILLED_BYTES);
		if (!rank_did(rank, plait_collective_call(collective, &run,
							  &rank->error)))
			break;
		for (uint32_t i = 0; i < KILLED_BYTES; i += 509)
			if (bytes[i] != (unsigned char)round)
				return 2;
		__atomic_store_n(done, round + 1, __ATOMIC_RELEASE);
	}
	return rank->status == PLAIT_E_LOST ? 0 : 1;
}

static void run_child(uint32_t number, uint32_t try, uint64_t *done)
{
	struct rank rank = { .rank = number, .ranks = 2,
			     .error.size = sizeof(rank.error),
			     .desc = { .size = sizeof(rank.desc),
				       .transports = "shm" } };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.options = rank.options, .flags = PLAIT_CONTEXT_NO_WORKERS,
	};

	(void)snprintf(rank.options, sizeof(rank.options),
		       "shm:rank=%u,ranks=2,name=k%ld.%u", number,
		       (long)getppid(), try);
	if (!rank_did(&rank, plait_context_open(&desc, &rank.context,
						&rank.error)) ||
	    !rank_did(&rank, plait_world_open(rank.context, &rank.desc,
					      &rank.world, &rank.error)))
		_exit(3);
	_exit(exchange_until_lost(&rank, done));
}

/* Returns the status of the process that was left. */
static int kill_one(uint32_t try, uint64_t *done)
{
	uint64_t until = 1 + mix(seed + try) % 20, since = 0;
	pid_t children[2];
	int status = -1;

	done[0] = done[8] = 0;
	for (uint32_t i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0)
			run_child(i, try, &done[i * 8]);
	}
	while (__atomic_load_n(&done[8], __ATOMIC_ACQUIRE) < until &&
	       !tap_late(&since))
		pause_a_little();
	(void)kill(children[1], SIGKILL);
	(void)waitpid(children[1], NULL, 0);
	(void)waitpid(children[0], &status, 0);
	return status;
}

static void ends_when_a_process_is_killed(void)
{
	uint64_t *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	seed = tap_seed();
	for (uint32_t i = 0; i < KILLS; i++)
		IS_INT(kill_one(i, done), 0);
}

/* ---- arguments ---- */

static plait_status answers[8];

static void ask_wrongly(struct rank *rank)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_buffer *buffer = NULL;
	plait_device *device = NULL;

	answers[0] = plait_world_buffer(rank->world, NULL, &desc, NULL,
					&rank->error);
	answers[1] = plait_world_buffer(rank->world, NULL, NULL, &buffer,
					&rank->error);
	answers[2] = plait_world_buffer(NULL, NULL, &desc, &buffer,
					&rank->error);
	desc.flags = 1u << 30;
	answers[3] = plait_world_buffer(rank->world, NULL, &desc, &buffer,
					&rank->error);
	desc.flags = 0;
	desc.bytes = UINT64_C(1) << 62;
	answers[4] = plait_world_buffer(rank->world, NULL, &desc, &buffer,
					&rank->error);
	desc.bytes = 64;
	rank_did(rank, plait_context_device(rank->context, 0, &device,
					    &rank->error));
	answers[5] = plait_world_buffer(rank->world, device, &desc, &buffer,
					&rank->error);
	plait_buffer_release(buffer);
}

static void refuses_wrong_arguments(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 1, "loopback", ask_wrongly), 1);
	IS_INT(answers[0], PLAIT_E_INVALID);
	IS_INT(answers[1], PLAIT_E_INVALID);
	IS_INT(answers[2], PLAIT_E_HANDLE);
	IS_INT(answers[3], PLAIT_E_INVALID);
	IS_INT(answers[4], PLAIT_E_NOMEM);
	IS_INT(answers[5], PLAIT_OK);
}

/* A process that has opened a context cannot fork for another one. */
static const struct tap_scenario all[] = {
	{ "killed processes", ends_when_a_process_is_killed },
	{ "equals slots", equals_slots },
	{ "writes wait for readers", writes_wait_for_readers },
	{ "ranks that cannot map", copies_for_ranks_that_cannot_map },
	{ "a late rank gets copies", a_late_rank_gets_copies },
	{ "any size", takes_any_size },
	{ "buffers that are gone", forgets_buffers_that_are_gone },
	{ "outlives its world", outlives_the_handle_of_its_world },
	{ "wrong arguments", refuses_wrong_arguments },
};

TAP_MAIN(all)
