/* SPDX-License-Identifier: MIT */
/* Ranks are crowded where more of them are on a machine than CPUs that they may use:
 * threads as ranks, each with an affinity mask of its own. */
#include "world/threads.h"
#include "world/world.h"
#include "sys/cpu.h"

#include <sched.h>

static struct rank ranks[THREADS_MAX];
static bool crowded[THREADS_MAX];
static cpu_set_t all;

static void look(struct rank *rank)
{
	plait__world *world;

	if (!rank_did(rank, plait__world_enter(rank->world, &world,
					       &rank->error)))
		return;
	crowded[rank->rank] = world->is_crowded;
	plait__object_leave(&world->object);
}

/* The CPU of the mask with this number, from 0; of fewer ones the last. */
static cpu_set_t one_cpu(int number)
{
	cpu_set_t out;
	int last = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE && number >= 0; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			last = cpu;
			number--;
		}
	CPU_ZERO(&out);
	CPU_SET(last, &out);
	return out;
}

static void open_all(uint32_t count, const cpu_set_t *masks)
{
	memset(ranks, 0, sizeof(ranks));
	memset(crowded, 0, sizeof(crowded));
	for (uint32_t i = 0; i < count; i++)
		ranks[i].cpus = &masks[i];
	IS_UINT(ranks_run(ranks, count, "loopback", look), count);
	for (uint32_t i = 1; i < count; i++)
		OK(crowded[i] == crowded[0]);
}

static void shared(void)
{
	const cpu_set_t first = one_cpu(0), two[] = { first, first },
			free[] = { all };

	open_all(2, two);
	OK(crowded[0]);
	open_all(1, free);
	OK(!crowded[0]);
}

static void bound(void)
{
	const cpu_set_t first = one_cpu(0), second = one_cpu(1);
	const cpu_set_t own[] = { first, second },
			three[] = { first, second, first }, whole[] = { all, all };

	if (plait__cpu_count() < 2) {
		SKIP("one CPU: no rank has its own");
		return;
	}
	open_all(2, own);
	OK(!crowded[0]);
	open_all(2, whole);
	OK(!crowded[0]);
	open_all(3, three);
	OK(crowded[0]);
}

/* One rank has a CPU that the others may use, too: it counts once. */
static void overlapping(void)
{
	const uint32_t count = plait__cpu_count_online() + 1;
	cpu_set_t masks[THREADS_MAX];

	if (count > THREADS_MAX || plait__cpu_count() + 1 != count) {
		SKIP("more than %d CPUs, or some that are not free",
		     THREADS_MAX - 1);
		return;
	}
	masks[0] = one_cpu(0);
	for (uint32_t i = 1; i < count; i++)
		masks[i] = all;
	open_all(count, masks);
	OK(crowded[0]);
	open_all(count - 1, masks);
	OK(!crowded[0]);
}

static const struct tap_scenario scenarios[] = {
	{ "ranks of one CPU", shared },
	{ "ranks with a CPU each", bound },
	{ "masks that overlap", overlapping },
};

int main(int argc, char **argv)
{
	(void)sched_getaffinity(0, sizeof(all), &all);
	return tap_main(argc, argv, scenarios,
			sizeof(scenarios) / sizeof(scenarios[0]));
}
