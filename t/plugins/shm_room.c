/* SPDX-License-Identifier: MIT */
/*
 * Transport shm where memory is short: on the machine, in control groups of both
 * versions, and when other ranks take it meanwhile.  The kernel's files are the
 * test's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plait/plugin.h"

#include "lib/ranks.h"
#include "lib/tap.h"

#define MIB (UINT64_C(1) << 20)
#define V1 "/sys/fs/cgroup/memory"
#define V2 "/sys/fs/cgroup"

struct kernel_file {
	const char *path;
	char text[160];
};

/* Those of the scenario; other files of the kernel that the plugin may read are
 * not there. */
static struct kernel_file files[12];
static uint32_t file_count;

static void put(const char *path, const char *format, uint64_t number)
{
	struct kernel_file *file = &files[file_count];

	for (uint32_t i = 0; i < file_count; i++)
		if (strcmp(files[i].path, path) == 0)
			file = &files[i];
	if (file == &files[file_count])
		file_count++;
	file->path = path;
	snprintf(file->text, sizeof(file->text), format,
		 (unsigned long long)number);
}

/* The plugin's, in place of libc's. */
__attribute__((visibility("default")))
FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);

	for (uint32_t i = 0; i < file_count; i++)
		if (strcmp(files[i].path, path) == 0)
			return fmemopen(files[i].text, strlen(files[i].text),
					"r");
	if (file_count > 0 && (strncmp(path, V2, strlen(V2)) == 0 ||
			       strcmp(path, "/proc/meminfo") == 0 ||
			       strcmp(path, "/proc/self/cgroup") == 0)) {
		errno = ENOENT;
		return NULL;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

/* MiB that are left, and what other ranks take with each MiB of this one. */
static uint64_t left, others;
static uint64_t allocated;	/* bytes */

__attribute__((visibility("default")))
int posix_fallocate(int file, off_t offset, off_t bytes)
{
	allocated += (uint64_t)bytes;
	if (others > 0 && allocated % MIB == 0) {
		left -= others + 1;
		put("/proc/meminfo", "MemAvailable: %llu kB\n", left << 10);
	}
	return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}

static struct rank rank;

/* Before the scenario has files: the port needs memory itself. */
static bool open_port(void)
{
	char options[96];

	file_count = 0;
	others = 0;
	snprintf(options, sizeof(options), "rank=0 ranks=2 name=room%ld",
		 (long)getpid());
	if (!OK(rank_load(&rank, "shm", options) == PLAIT_OK))
		return false;
	return OK(rank_open(&rank, NULL) == PLAIT_OK);
}

static void close_port(void)
{
	file_count = 0;
	rank_close(&rank);
	rank_unload(&rank);
}

static plait_status share(uint64_t bytes)
{
	plait_status status;
	uint64_t place;
	void *memory;

	allocated = 0;
	status = rank.table.shared_create(rank.self, rank.port, bytes, &memory,
					  &place, &rank.error);
	if (status == PLAIT_OK)
		rank.table.shared_destroy(rank.self, rank.port, memory, place,
					  bytes);
	return status;
}

static void machine_is_short(void)
{
	if (!open_port())
		return;
	/* 4 MiB of them are for the other rank. */
	put("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable: %llu kB\n",
	    12 << 10);
	IS_INT(share(8 * MIB), PLAIT_OK);
	IS_INT(share(9 * MIB), PLAIT_E_NOMEM);
	IS_UINT(allocated, 0);
	HAS_STR(rank.error.text, "9437184 bytes for memory that peers read");
	HAS_STR(rank.error.text, "12582912 are left of the machine");
	put("/proc/meminfo", "MemAvailable: 12288 kB\nSwapFree: %llu kB\n",
	    2 << 10);
	IS_INT(share(9 * MIB), PLAIT_OK);
	/* Without the first number nothing is known. */
	put("/proc/meminfo", "SwapFree: %llu kB\n", 0);
	IS_INT(share(9 * MIB), PLAIT_OK);
	close_port();
}

/* Two ranks look at the same 6 MiB before either takes its 4. */
static void others_have_looked(void)
{
	if (!open_port())
		return;
	put("/proc/self/cgroup", "0::/job\n", 0);
	put(V2 "/job/memory.max", "%llu\n", 10 * MIB);
	put(V2 "/job/memory.current", "%llu\n", 4 * MIB);
	IS_INT(share(4 * MIB), PLAIT_E_NOMEM);
	IS_UINT(allocated, 0);
	put(V2 "/job/memory.current", "%llu\n", 2 * MIB);
	IS_INT(share(4 * MIB), PLAIT_OK);
	close_port();
}

/* Small ranges cost no look, and a full group refuses none, until they are 4 MiB
 * together. */
static void small_ranges(void)
{
	uint64_t taken = 0;

	if (!open_port())
		return;
	put("/proc/self/cgroup", "0::/job\n", 0);
	put(V2 "/job/memory.max", "%llu\n", MIB);
	put(V2 "/job/memory.current", "%llu\n", MIB);
	while (taken < 8 * MIB && share(MIB / 2) == PLAIT_OK)
		taken += MIB / 2;
	/* The port itself has taken less than 1 MiB. */
	OK(taken >= 3 * MIB);
	OK(taken < 4 * MIB);
	IS_INT(share(MIB / 2), PLAIT_E_NOMEM);
	put(V2 "/job/memory.max", "max\n", 0);
	IS_INT(share(MIB / 2), PLAIT_OK);
	close_port();
}

/* Limits of the first version: of the group, and of one above it. */
static void groups_of_the_first_version(void)
{
	if (!open_port())
		return;
	put("/proc/self/cgroup", "7:cpu,memory:/job/step\n6:cpuset:/%llu\n", 1);
	put(V1 "/job/step/memory.limit_in_bytes", "%llu\n", INT64_MAX - 4095);
	put(V1 "/job/step/memory.usage_in_bytes", "%llu\n", MIB);
	put(V1 "/job/memory.limit_in_bytes", "%llu\n", 18 * MIB);
	put(V1 "/job/memory.usage_in_bytes", "%llu\n", 8 * MIB);
	IS_INT(share(6 * MIB), PLAIT_OK);
	IS_INT(share(7 * MIB), PLAIT_E_NOMEM);
	HAS_STR(rank.error.text, "10485760 are left of control group /job");
	put(V1 "/job/memory.stat", "inactive_file 9\ntotal_inactive_file %llu\n",
	    MIB);
	IS_INT(share(7 * MIB), PLAIT_OK);
	IS_INT(share(8 * MIB), PLAIT_E_NOMEM);
	close_port();
}

static void groups_of_the_second_version(void)
{
	if (!open_port())
		return;
	put("/proc/self/cgroup", "0::/job\n", 0);
	put(V2 "/job/memory.max", "%llu\n", 18 * MIB);
	put(V2 "/job/memory.current", "%llu\n", 8 * MIB);
	IS_INT(share(6 * MIB), PLAIT_OK);
	IS_INT(share(8 * MIB), PLAIT_E_NOMEM);
	put(V2 "/job/memory.stat",
	    "anon 5\nactive_file %llu\nslab_reclaimable 1048576\n", MIB);
	IS_INT(share(8 * MIB), PLAIT_OK);
	put(V2 "/job/memory.max", "max\n", 0);
	IS_INT(share(20 * MIB), PLAIT_OK);
	/* The uppermost one that a container sees, whose name is another. */
	put(V2 "/memory.max", "%llu\n", 10 * MIB);
	put(V2 "/memory.current", "%llu\n", 11 * MIB);
	IS_INT(share(4 * MIB), PLAIT_E_NOMEM);
	close_port();
}

/* A group may live at its limit: the kernel writes other pages out. */
static void groups_with_swap_space(void)
{
	if (!open_port())
		return;
	put("/proc/meminfo", "MemAvailable: 1048576 kB\nSwapFree: %llu kB\n",
	    10 << 10);
	put("/proc/self/cgroup", "0::/job/step\n", 0);
	put(V2 "/job/step/memory.max", "%llu\n", 8 * MIB);
	put(V2 "/job/step/memory.current", "%llu\n", 8 * MIB);
	IS_INT(share(6 * MIB), PLAIT_OK);
	IS_INT(share(7 * MIB), PLAIT_E_NOMEM);
	put(V2 "/job/step/memory.swap.max", "%llu\n", 10 * MIB);
	put(V2 "/job/step/memory.swap.current", "%llu\n", MIB);
	IS_INT(share(5 * MIB), PLAIT_OK);
	IS_INT(share(6 * MIB), PLAIT_E_NOMEM);
	/* A group above has none. */
	put(V2 "/job/memory.swap.max", "%llu\n", 0);
	put(V2 "/job/memory.swap.current", "%llu\n", 0);
	IS_INT(share(5 * MIB), PLAIT_E_NOMEM);
	close_port();
}

/* The first version limits memory and swap space together. */
static void first_version_with_swap_space(void)
{
	if (!open_port())
		return;
	put("/proc/meminfo", "MemAvailable: 1048576 kB\nSwapFree: %llu kB\n",
	    10 << 10);
	put("/proc/self/cgroup", "7:memory:/job\n", 0);
	put(V1 "/job/memory.limit_in_bytes", "%llu\n", 8 * MIB);
	put(V1 "/job/memory.usage_in_bytes", "%llu\n", 8 * MIB);
	IS_INT(share(6 * MIB), PLAIT_OK);
	put(V1 "/job/memory.memsw.limit_in_bytes", "%llu\n", 18 * MIB);
	put(V1 "/job/memory.memsw.usage_in_bytes", "%llu\n", 9 * MIB);
	IS_INT(share(5 * MIB), PLAIT_OK);
	IS_INT(share(6 * MIB), PLAIT_E_NOMEM);
	close_port();
}

/* Other ranks allocate at the same time: the call ends before memory does, and
 * gives all back. */
static void others_allocate(void)
{
	if (!open_port())
		return;
	left = 40;
	others = 3;
	put("/proc/meminfo", "MemAvailable: %llu kB\n", left << 10);
	IS_INT(share(20 * MIB), PLAIT_E_NOMEM);
	OK(allocated > 0);
	OK(allocated < 10 * MIB);
	left = 100;
	put("/proc/meminfo", "MemAvailable: %llu kB\n", left << 10);
	IS_INT(share(20 * MIB), PLAIT_OK);
	close_port();
}

/* Nothing is said: nothing is refused. */
static void files_are_missing(void)
{
	if (!open_port())
		return;
	put("/proc/meminfo", "MemTotal: %llu kB\n", 5);
	put("/proc/self/cgroup", "no group\n:\n0\n%llu:memory:/job\n", 3);
	IS_INT(share(9 * MIB), PLAIT_OK);
	close_port();
}

static const struct tap_scenario all[] = {
	{ "the machine is short of memory", machine_is_short },
	{ "others have looked", others_have_looked },
	{ "small ranges", small_ranges },
	{ "groups of the first version", groups_of_the_first_version },
	{ "groups of the second version", groups_of_the_second_version },
	{ "groups with swap space", groups_with_swap_space },
	{ "the first version with swap space", first_version_with_swap_space },
	{ "others allocate", others_allocate },
	{ "files are missing", files_are_missing },
};
TAP_MAIN(all)
