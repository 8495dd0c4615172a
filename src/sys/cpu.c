/* SPDX-License-Identifier: MIT */
/* CPU affinity and cgroup quotas; see cpu.h. */
#include "sys/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, FILE_BYTES = 4096, CPUS_MAX = 1 << 16 };
enum { KIND_BYTES = 16384 };
/* 8,192 CPUs, more than any kernel supports. */
enum { MASK_WORDS = 8192 / (8 * sizeof(unsigned long)) };

/* Returns the affinity mask, or null; the caller frees it with CPU_FREE. */
static cpu_set_t *read_affinity(size_t *out_bytes)
{
	cpu_set_t *set;
	int cpus;

	/* The kernel rejects a mask smaller than its own; 1024 CPUs are
	 * common. */
	for (cpus = 1024; cpus <= CPUS_MAX; cpus *= 2) {
		set = CPU_ALLOC((size_t)cpus);
		if (set == NULL)
			break;
		*out_bytes = CPU_ALLOC_SIZE((size_t)cpus);
		if (sched_getaffinity(0, *out_bytes, set) == 0)
			return set;
		CPU_FREE(set);
	}
	return NULL;
}

uint32_t plait__cpu_count_affinity(void)
{
	uint32_t count = 1;
	size_t bytes;
	cpu_set_t *set = read_affinity(&bytes);

	if (set != NULL)
		count = (uint32_t)CPU_COUNT_S(bytes, set);
	CPU_FREE(set);
	return count > 0 ? count : 1;
}

uint32_t plait__cpu_count_online(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint32_t)count : 1;
}

/* FNV-1a over the CPUs in the mask. */
uint64_t plait__cpu_set_number(void)
{
	uint64_t number = 0xcbf29ce484222325u;
	size_t bytes = 0;
	cpu_set_t *set = read_affinity(&bytes);

	if (set == NULL)
		return 0;
	for (size_t cpu = 0; cpu < 8 * bytes; cpu++)
		if (CPU_ISSET_S(cpu, bytes, set))
			number = (number ^ cpu) * 0x100000001b3u;
	CPU_FREE(set);
	return number;
}

/* Read a small file as a string. Returns 0 or a negative errno. */
static int read_text(const char *path, char *out, size_t out_bytes)
{
	size_t length = 0;
	ssize_t got = 1;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (got != 0 && length < out_bytes - 1) {
		got = read(fd, out + length, out_bytes - 1 - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		length += (size_t)got;
	}
	close(fd);
	out[length] = '\0';
	return got < 0 ? -EIO : 0;
}

static uint32_t round_up(long long quota_us, long long period_us)
{
	long long cpus;

	if (quota_us <= 0 || period_us <= 0)
		return 0;
	cpus = quota_us / period_us + (quota_us % period_us != 0);
	return cpus > CPUS_MAX ? CPUS_MAX : (uint32_t)cpus;
}

static uint32_t min_quota(uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

/* cgroup version 2: "max 100000" or "150000 100000". */
static uint32_t read_quota_v2(const char *folder)
{
	char path[PATH_BYTES + 32];
	char text[FILE_BYTES];
	long long quota;
	long long period;

	(void)snprintf(path, sizeof(path), "%s/cpu.max", folder);
	if (read_text(path, text, sizeof(text)) != 0 ||
	    sscanf(text, "%lld %lld", &quota, &period) != 2)
		return 0;
	return round_up(quota, period);
}

static long long read_number(const char *folder, const char *name)
{
	char path[PATH_BYTES + 32];
	char text[FILE_BYTES];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (read_text(path, text, sizeof(text)) != 0)
		return 0;
	return strtoll(text, NULL, 10);
}

/* cgroup version 1: two files; a quota of -1 is none. */
static uint32_t read_quota_v1(const char *folder)
{
	return round_up(read_number(folder, "cpu.cfs_quota_us"),
			read_number(folder, "cpu.cfs_period_us"));
}

/*
 * Returns the smallest quota of a group and its ancestors, up to the mount
 * point. In a container the path may name folders that are not mounted here:
 * their files are missing, and the walk ends at the mount, which is the group.
 */
static uint32_t min_group_quota(const char *mount, const char *group,
			    uint32_t (*read_quota)(const char *folder))
{
	size_t mount_length = strlen(mount);
	char folder[PATH_BYTES];
	uint32_t least = 0;
	char *slash;
	int length;

	length = snprintf(folder, sizeof(folder), "%s%s", mount, group);
	if (length < 0 || (size_t)length >= sizeof(folder))
		return read_quota(mount);
	for (;;) {
		least = min_quota(least, read_quota(folder));
		slash = strrchr(folder + mount_length, '/');
		if (slash == NULL)
			return least;
		*slash = '\0';
	}
}

/* Returns 1 if `cpu` is one of the names, as in "cpu,cpuacct". */
static int lists_cpu(const char *names)
{
	const char *at = names;

	while (at != NULL) {
		if (strncmp(at, "cpu", 3) == 0 &&
		    (at[3] == ',' || at[3] == '\0'))
			return 1;
		at = strchr(at, ',');
		if (at != NULL)
			at++;
	}
	return 0;
}

/* Parse a line of /proc/self/cgroup: "0::/group" or "4:cpu,cpuacct:/group". */
static uint32_t read_line_quota(const char *root, char *line)
{
	char *names = strchr(line, ':');
	char mount[PATH_BYTES];
	char *group;

	if (names == NULL)
		return 0;
	names++;
	group = strchr(names, ':');
	if (group == NULL)
		return 0;
	*group++ = '\0';
	if (*names == '\0') {
		(void)snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
		return min_group_quota(mount, group, read_quota_v2);
	}
	if (!lists_cpu(names))
		return 0;
	(void)snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/%s", root,
		       names);
	if (access(mount, F_OK) != 0)
		(void)snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/cpu",
			       root);
	return min_group_quota(mount, group, read_quota_v1);
}

uint32_t plait__cpu_count_quota(const char *root)
{
	char path[PATH_BYTES];
	char text[FILE_BYTES];
	uint32_t least = 0;
	char *save = NULL;
	char *line;

	(void)snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (read_text(path, text, sizeof(text)) != 0)
		return 0;
	for (line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		least = min_quota(least, read_line_quota(root, line));
	return least;
}

uint32_t plait__cpu_count(void)
{
	uint32_t count = min_quota(plait__cpu_count_affinity(),
				 plait__cpu_count_quota(""));

	return count > 0 ? count : 1;
}

/* Returns true if the line describes the CPU's model or features. */
static bool is_model_line(const char *line)
{
	static const char *const words[] = {
		"vendor_id",       "cpu family",
		"model",           "stepping",
		"flags",           "Features",
		"CPU implementer", "CPU architecture",
		"CPU variant",     "CPU part",
		"CPU revision",    "isa",
		"uarch",           "cpu\t"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(line, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

void plait__cpu_kind(const char *root, char *out, size_t out_bytes)
{
	char path[PATH_BYTES], all[KIND_BYTES];
	size_t used = 0;
	char *line = all;

	out[0] = '\0';
	(void)snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	if (read_text(path, all, sizeof(all)) != 0)
		return;
	while (*line != '\0' && *line != '\n') {
		size_t length = strcspn(line, "\n");

		if (is_model_line(line) && used + length + 2 <= out_bytes) {
			memcpy(out + used, line, length);
			used += length;
			out[used++] = '\n';
			out[used] = '\0';
		}
		line += length + (line[length] == '\n');
	}
}

bool plait__cpu_leave(int cpu)
{
	unsigned long mask[MASK_WORDS] = { 0 };
	unsigned long others[MASK_WORDS];
	cpu_set_t *all = (cpu_set_t *)(void *)mask;
	cpu_set_t *rest = (cpu_set_t *)(void *)others;

	if (cpu < 0 || sched_getaffinity(0, sizeof(mask), all) != 0)
		return false;
	memcpy(others, mask, sizeof(others));
	CPU_CLR_S((size_t)cpu, sizeof(others), rest);
	if (CPU_COUNT_S(sizeof(others), rest) == 0 ||
	    sched_setaffinity(0, sizeof(others), rest) != 0)
		return false;
	(void)sched_setaffinity(0, sizeof(mask), all);
	return true;
}
