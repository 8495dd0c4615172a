/* SPDX-License-Identifier: MIT */
/* The count of CPUs: the real affinity, and control groups in a made-up file
 * tree. */
#include "lib/tap.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/cpu.h"

static char root[64];

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (*root != '\0' && system(command) != 0)
		NOTE("%s is left behind", root);
}

static void begin(void)
{
	clean();
	strcpy(root, "/tmp/plait-cpu-XXXXXX");
	if (mkdtemp(root) == NULL)
		SKIP_ALL("no temporary folder");
}

static void put(const char *path, const char *text)
{
	char full[512];
	char *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (file == NULL)
		return;
	fputs(text, file);
	fclose(file);
}

static void version_2(void)
{
	begin();
	IS_UINT(plait__cpu_count_quota(root), 0); /* no groups at all */
	put("proc/self/cgroup", "0::/a/b\n");
	IS_UINT(plait__cpu_count_quota(root), 0);
	put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 0);
	put("sys/fs/cgroup/a/b/cpu.max", "350000 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 4);
	put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 2); /* the parent's limit */
	put("sys/fs/cgroup/a/cpu.max", "1000 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 1);
	put("sys/fs/cgroup/a/cpu.max", "rubbish\n");
	IS_UINT(plait__cpu_count_quota(root), 4);
	put("sys/fs/cgroup/a/cpu.max", "-5 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 4);
	put("sys/fs/cgroup/a/cpu.max", "5 0\n");
	IS_UINT(plait__cpu_count_quota(root), 4);
}

/* Inside a container the group's path is often not there; the mount is it. */
static void container(void)
{
	begin();
	put("proc/self/cgroup", "0::/docker/0123456789\n");
	put("sys/fs/cgroup/cpu.max", "200000 100000\n");
	IS_UINT(plait__cpu_count_quota(root), 2);
	put("proc/self/cgroup", "0::/\n");
	IS_UINT(plait__cpu_count_quota(root), 2);
}

static void version_1(void)
{
	begin();
	put("proc/self/cgroup",
	    "12:cpuset:/\n4:cpu,cpuacct:/job\n1:name=systemd:/x\n0::/y\n");
	put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
	put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
	IS_UINT(plait__cpu_count_quota(root), 0);
	put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "210000\n");
	IS_UINT(plait__cpu_count_quota(root), 3);
}

static void version_1_other_mount(void)
{
	begin();
	put("proc/self/cgroup", "4:cpuacct,cpu:/job\n");
	put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n");
	put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	IS_UINT(plait__cpu_count_quota(root), 1);
}

static void affinity(void)
{
	uint32_t before = plait__cpu_count_affinity();
	uint64_t number = plait__cpu_set_number();
	cpu_set_t saved;
	cpu_set_t one;
	int cpu = 0;

	OK(before >= 1);
	OK(plait__cpu_count() >= 1 && plait__cpu_count() <= before);
	sched_getaffinity(0, sizeof(saved), &saved);
	while (!CPU_ISSET(cpu, &saved))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	IS_UINT(plait__cpu_count_affinity(), 1);
	IS_UINT(plait__cpu_count(), 1);
	OK((plait__cpu_set_number() == number) == (before == 1));
	sched_setaffinity(0, sizeof(saved), &saved);
	IS_UINT(plait__cpu_count_affinity(), before);
	OK(number != 0 && plait__cpu_set_number() == number);
	clean();
}

/* To another CPU, and nothing else has changed; from the only one nowhere. */
static void leaving(void)
{
	cpu_set_t before, after;
	int cpu = plait__cpu_here();

	OK(cpu >= 0);
	OK(!plait__cpu_leave(-1));
	sched_getaffinity(0, sizeof(before), &before);
	if (CPU_COUNT(&before) > 1) {
		for (int i = 0; i < 10; i++) {
			cpu = plait__cpu_here();
			OK(plait__cpu_leave(cpu));
		}
		sched_getaffinity(0, sizeof(after), &after);
		OK(CPU_EQUAL(&before, &after));
	} else {
		SKIP("one CPU: there is no other to go to");
	}
	CPU_ZERO(&after);
	CPU_SET(cpu, &after);
	sched_setaffinity(0, sizeof(after), &after);
	OK(!plait__cpu_leave(cpu));
	IS_INT(plait__cpu_here(), cpu);
	sched_setaffinity(0, sizeof(before), &before);
}

static const struct tap_scenario all[] = {
	{ "version 2", version_2 },
	{ "container", container },
	{ "version 1", version_1 },
	{ "version 1, other mount", version_1_other_mount },
	{ "affinity", affinity },
	{ "leaving", leaving },
};

TAP_MAIN(all)
