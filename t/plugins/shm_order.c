/* SPDX-License-Identifier: MIT */
/*
 * Worlds of one name over shm: ports meet in the order in which their processes
 * opened them, whatever was closed, failed or killed before.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/shm.h"

#include "lib/ranks.h"
#include "lib/tap.h"

enum { RANKS = 3, WORLDS = 4, ROUNDS = 60 };

static char name[32];

static void new_name(void)
{
	static unsigned count;

	snprintf(name, sizeof(name), "o%ld.%u", (long)getpid(), count++);
}

/* Send a number from one port to the rank of another one, which receives it. */
static bool passes(struct rank *from, struct rank *to, uint64_t number)
{
	uint64_t in[512], bytes;
	uint32_t peer;

	if (!IS_INT(rank_send(from, to->facts.rank, &number, sizeof(number)),
		    PLAIT_OK))
		return false;
	bytes = rank_receive(to, &peer, in);
	return IS_UINT(bytes, sizeof(number)) && IS_UINT(in[0], number) &&
		IS_UINT(peer, from->facts.rank);
}

/* Every rank sends to every other one, as worlds begin. */
static bool meet(struct rank *world, uint32_t count, uint64_t number)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < count; k++)
			if (i != k && !passes(&world[i], &world[k],
					      number * 16 + i))
				return false;
	return true;
}

static void end(struct rank *rank)
{
	rank_close(rank);
	rank_unload(rank);
}

/* Rank 0 closes the first of two worlds, rank 1 the second one. */
static void closed_in_other_orders(void)
{
	static struct rank a[2], b[2], c[2];

	new_name();
	if (!ranks_open(a, 2, "shm", name) || !meet(a, 2, 1) ||
	    !ranks_open(b, 2, "shm", name) || !meet(b, 2, 2))
		return;
	end(&a[0]);
	end(&b[1]);
	if (ranks_open(c, 2, "shm", name)) {
		meet(c, 2, 3);
		ranks_close(c, 2);
	}
	end(&a[1]);
	end(&b[0]);
	if (ranks_open(c, 2, "shm", name)) {
		meet(c, 2, 4);
		ranks_close(c, 2);
	}
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Each rank closes what it likes before the next world begins. */
static void random_orders(void)
{
	static struct rank all[WORLDS][RANKS];
	uint64_t random = tap_seed();

	memset(all, 0, sizeof(all));
	new_name();
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct rank *world = all[round % WORLDS];

		for (uint32_t i = 0; i < WORLDS * RANKS; i++) {
			struct rank *rank = &all[i / RANKS][i % RANKS];

			if (rank->port && (i / RANKS == round % WORLDS ||
					   draw(&random) % 3 == 0))
				end(rank);
		}
		if (!ranks_open(world, RANKS, "shm", name) ||
		    !OK_THAT(meet(world, RANKS, round), "round %u",
			     (unsigned)round))
			break;
	}
	for (uint32_t i = 0; i < WORLDS * RANKS; i++)
		if (all[i / RANKS][i % RANKS].port)
			end(&all[i / RANKS][i % RANKS]);
}

/* Two worlds open before either is used; the second one is used first. */
static void opened_at_one_time(void)
{
	static struct rank a[2], b[2];

	new_name();
	if (!ranks_open(a, 2, "shm", name) || !ranks_open(b, 2, "shm", name))
		return;
	OK(meet(b, 2, 1));
	OK(meet(a, 2, 2));
	OK(meet(b, 2, 3));
	ranks_close(a, 2);
	ranks_close(b, 2);
}

/* Rank 0 gives up twice before rank 1 has come. */
static void gave_up_before(void)
{
	static struct rank world[2];
	char options[96];

	new_name();
	snprintf(options, sizeof(options), "rank=0 ranks=2 name=%s", name);
	for (int i = 0; i < 2; i++) {
		IS_INT(rank_load(&world[0], "shm", options), PLAIT_OK);
		IS_INT(rank_open(&world[0], NULL), PLAIT_OK);
		IS_INT(world[0].table.mail_send(world[0].self, world[0].port,
						1, "x", 1, &world[0].error),
		       PLAIT_E_BUSY);
		end(&world[0]);
	}
	if (!ranks_open(world, 2, "shm", name))
		return;
	OK(meet(world, 2, 1));
	ranks_close(world, 2);
}

/* A process that is killed in the middle of binding its port leaves its claim in
 * the mailbox of the peer. */
static void killed_while_it_binds(void)
{
	static struct rank world[2];
	struct shm_mailbox *box;
	unsigned char *base;
	uint32_t segment;
	const uint64_t bytes = sizeof(struct shm_head) + 2 * sizeof(*box);
	pid_t child;

	new_name();
	if (!ranks_open(world, 2, "shm", name))
		return;
	memcpy(&segment, world[0].facts.address + sizeof(segment),
	       sizeof(segment));
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    (int)segment, 0);
	if (!OK(base != MAP_FAILED))
		return;
	box = (struct shm_mailbox *)(void *)(base + sizeof(struct shm_head)) + 1;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		box->place = (uint64_t)(uint32_t)getpid() << 32 | segment;
		(void)kill(getpid(), SIGKILL);
	}
	IS_INT(waitpid(child, NULL, 0), child);
	OK(box->place != 0);
	OK(passes(&world[1], &world[0], 1));
	OK(passes(&world[0], &world[1], 2));
	(void)munmap(base, bytes);
	ranks_close(world, 2);
}

static const struct tap_scenario all[] = {
	{ "closed in other orders", closed_in_other_orders },
	{ "random orders", random_orders },
	{ "opened at one time", opened_at_one_time },
	{ "gave up before", gave_up_before },
	{ "killed while it binds", killed_while_it_binds },
};

TAP_MAIN(all)
