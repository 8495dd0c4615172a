/* SPDX-License-Identifier: MIT */
/*
 * Memory that is left to be allocated.  The kernel ends a process that takes too
 * many pages of its machine, or of a control group, and no call fails before; so
 * the numbers of both are read.  A number that is not told limits nothing.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "room.h"

enum { PATH_BYTES = 512, LINE_BYTES = 640 };

/* Files of a version of control groups; numbers are bytes. */
struct version {
	const char *base;
	const char *limit, *usage;
	const char *swap_limit, *swap_usage;
	bool swap_has_memory;	/* the last two are of memory and swap space */
	/* Parts of the usage that the kernel frees for others. */
	const char *const freed[3];
};

static const struct version versions[] = {
	{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
	  "memory.usage_in_bytes", "memory.memsw.limit_in_bytes",
	  "memory.memsw.usage_in_bytes", true,
	  { "total_inactive_file", "total_active_file", NULL } },
	{ "/sys/fs/cgroup", "memory.max", "memory.current",
	  "memory.swap.max", "memory.swap.current", false,
	  { "inactive_file", "active_file", "slab_reclaimable" } },
};

/* Returns false if the file has no such key. */
static bool read_key(const char *path, const char *key, uint64_t *out)
{
	char line[LINE_BYTES], name[64];
	unsigned long long number;
	bool found = false;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%63s %llu", name, &number) == 2 &&
			strcmp(name, key) == 0;
	(void)fclose(file);
	if (found)
		*out = number;
	return found;
}

/* Returns false if the file has no number, as that of no limit. */
static bool read_number(const char *path, uint64_t *out)
{
	unsigned long long number;
	FILE *file = fopen(path, "re");
	bool found = file && fscanf(file, "%llu", &number) == 1;

	if (file)
		(void)fclose(file);
	if (found)
		*out = number;
	return found;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

static void lower(struct shm_room *room, uint64_t bytes, const char *of,
		  const char *group)
{
	if (bytes >= room->bytes)
		return;
	room->bytes = bytes;
	(void)snprintf(room->of, sizeof(room->of), "%s%s", of, group);
}

/* Returns the free swap space. */
static uint64_t ask_machine(struct shm_room *room)
{
	uint64_t available, swap = 0;

	(void)read_key("/proc/meminfo", "SwapFree:", &swap);
	if (read_key("/proc/meminfo", "MemAvailable:", &available))
		lower(room, 1024 * (available + swap), "the machine", "");
	return 1024 * swap;
}

/* ---- control groups ---- */

static bool read_file(const struct version *version, const char *group,
		      const char *name, uint64_t *out)
{
	char path[2 * PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s%s/%s", version->base, group, name);
	return read_number(path, out);
}

/* Bytes that are left of a limit; the most if it is not told. */
static uint64_t rest_of(const struct version *version, const char *group,
			const char *limit, const char *usage, uint64_t freed)
{
	uint64_t most, used;

	if (!read_file(version, group, limit, &most) ||
	    !read_file(version, group, usage, &used))
		return UINT64_MAX;
	used -= freed < used ? freed : used;
	return used < most ? most - used : 0;
}

/* The first version tells no limit by a number that no machine has. */
static bool has_limit(const struct version *version, const char *group,
		      const char *limit)
{
	uint64_t most;

	return read_file(version, group, limit, &most) && most >> 62 == 0;
}

/* The kernel sums its counters anew for a reader of this file. */
static uint64_t freed_of(const struct version *version, const char *group)
{
	char path[2 * PATH_BYTES];
	uint64_t sum = 0, part;

	if (!has_limit(version, group, version->limit) &&
	    !(version->swap_has_memory &&
	      has_limit(version, group, version->swap_limit)))
		return 0;
	(void)snprintf(path, sizeof(path), "%s%s/memory.stat", version->base,
		       group);
	for (uint32_t i = 0; i < 3 && version->freed[i]; i++)
		if (read_key(path, version->freed[i], &part))
			sum += part;
	return sum;
}

/* Returns how much of the swap space the group may use. */
static uint64_t ask_group(struct shm_room *room, const struct version *version,
			  const char *group, uint64_t swap)
{
	uint64_t freed = freed_of(version, group);
	uint64_t rest = rest_of(version, group, version->swap_limit,
				version->swap_usage,
				version->swap_has_memory ? freed : 0);

	if (version->swap_has_memory)
		lower(room, rest, "control group ", group);
	else if (rest < swap)
		swap = rest;
	rest = rest_of(version, group, version->limit, version->usage, freed);
	lower(room, add(rest, swap), "control group ", group);
	return swap;
}

/* A limit of any group above holds, too: from the uppermost one, whose swap space is
 * that of all below, to the process's.  A container sees its own group as the
 * uppermost one, by whatever name the kernel gives. */
static void ask_groups(struct shm_room *room, const struct version *version,
		       char *group, uint64_t swap)
{
	for (char *end = group;; end++) {
		char last = *end;
		bool is_root = last == '\0' && end == group + 1;

		if (last != '/' && last != '\0')
			continue;
		*end = '\0';
		/* That is asked first, by no name. */
		if (!is_root)
			swap = ask_group(room, version, group, swap);
		*end = last;
		if (last == '\0')
			return;
	}
}

/* The group's path in a line of /proc/self/cgroup, NUMBER:CONTROLLERS:PATH, or null;
 * without controllers it is the second version's. */
static char *find_group(char *line, const struct version **out)
{
	char *names = strchr(line, ':');
	char *group = names ? strchr(names + 1, ':') : NULL;
	char *name, *rest = NULL;

	if (!group)
		return NULL;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	*out = &versions[names[1] == '\0'];
	if (names[1] == '\0')
		return group;
	for (name = strtok_r(names + 1, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest))
		if (strcmp(name, "memory") == 0)
			return group;
	return NULL;
}

void plaitp_shm_room_find(struct shm_room *room)
{
	char line[PATH_BYTES];
	FILE *file;
	uint64_t swap;

	room->bytes = UINT64_MAX;
	room->of[0] = '\0';
	swap = ask_machine(room);
	file = fopen("/proc/self/cgroup", "re");
	while (file && fgets(line, sizeof(line), file)) {
		const struct version *version;
		char *group = find_group(line, &version);

		if (group)
			ask_groups(room, version, group, swap);
	}
	if (file)
		(void)fclose(file);
}
