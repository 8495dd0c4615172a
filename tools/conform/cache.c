/* SPDX-License-Identifier: MIT */
/*
 * Group K, continued: group memory, and the kernel cache on disk.  Whatever the
 * state of the cached files, the kernel that runs is that of the source.
 */
#include "conform.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_BYTES = 512 };

static const char signature[] = "answer(y: out pointer i32, n: u64)";
static const char text[] = "KERNEL(answer)\n"
	"{\n"
	"\tEACH(i, n)\n"
	"\t\ty[i] = VALUE;\n"
	"}\n";

static plait_kernel *build(struct conform *c, const char *defines)
{
	return conform_kernel(c, signature, text, defines);
}

static void gives(struct conform *c, plait_kernel *kernel, int32_t want,
		  const char *when)
{
	plait_queue *queue = conform_queue(c);
	plait_buffer *y = conform_buffer(c, 4 * sizeof(int32_t));
	uint64_t count = 4;
	plait_argument arguments[] = { conform_memory(y, 0),
				       conform_value(&count, 8) };
	int32_t got[4] = { 0 };

	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 2, ERR));
	NEED(plait_queue_read(queue, y, 0, got, sizeof(got), ERR));
	for (int i = 0; i < 4; i++)
		HOLDS_THAT(got[i] == want, "%s: element %d is %d, not %d",
			   when, i, got[i], want);
}

/* ---- the folder ---- */

static char folder[FOLDER_BYTES];

static void make_folder(struct conform *c)
{
	const char *below = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%.400s/plait-conform-XXXXXX",
		 below != NULL && *below == '/' ? below : "/tmp");
	if (mkdtemp(folder) == NULL)
		conform_skip(c, "no folder below %s", below != NULL ? below :
			     "/tmp");
	setenv("PLAIT_CACHE_DIR", folder, 1);
	unsetenv("PLAIT_CACHE");
}

/* Truncate every file to half, or remove it; return the number of files. */
static unsigned visit(bool remove)
{
	char path[FOLDER_BYTES + 300];
	struct dirent *entry;
	DIR *all = opendir(folder);
	unsigned count = 0;
	FILE *file;
	long half;

	while (all != NULL && (entry = readdir(all)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		count++;
		file = remove ? NULL : fopen(path, "r");
		half = file != NULL && fseek(file, 0, SEEK_END) == 0 ?
			ftell(file) / 2 : 0;
		if (file != NULL)
			fclose(file);
		if (remove ? unlink(path) != 0 : truncate(path, half) != 0)
			count--;
	}
	if (all != NULL)
		closedir(all);
	return count;
}

static void reopen(struct conform *c)
{
	conform_finish(c);
	conform_begin(c, NULL);
}

/* ---- K12, K13 ---- */

static void keeps_what_it_built(struct conform *c)
{
	make_folder(c);
	gives(c, build(c, "VALUE=41"), 41, "built");
	reopen(c);
	gives(c, build(c, "VALUE=41"), 41, "built before");
	reopen(c);
	conform_note(c, "%u entries were cut short", visit(false));
	gives(c, build(c, "VALUE=41"), 41, "with a damaged cache");
	reopen(c);
	conform_note(c, "%u entries were removed", visit(true));
	gives(c, build(c, "VALUE=41"), 41, "with an empty one");
	visit(true);
	rmdir(folder);
}

static void tells_code_apart(struct conform *c)
{
	plait_kernel *one = build(c, "VALUE=1"), *two = build(c, "VALUE=2");

	gives(c, two, 2, "the second of a name");
	gives(c, one, 1, "the first of a name");
	reopen(c);
	gives(c, build(c, "VALUE=2"), 2, "built before");
	gives(c, build(c, "VALUE=3"), 3, "a third one");
}

/* ---- K14 ---- */

static const char fold_text[] = "GROUP_KERNEL(fold, 64, 1, 1)\n"
	"{\n"
	"\tLOCAL_MEMORY u32 sums[64];\n\n"
	"\tITEMS\n"
	"\t\tsums[LOCAL_ID(0)] = x[GLOBAL_ID(0)];\n"
	"\tfor (i32 step = 32; step > 0; step /= 2)\n"
	"\t\tITEMS\n"
	"\t\t\tif (LOCAL_ID(0) < step)\n"
	"\t\t\t\tsums[LOCAL_ID(0)] += sums[LOCAL_ID(0) + step];\n"
	"\tITEMS\n"
	"\t\tif (LOCAL_ID(0) == 0)\n"
	"\t\t\ty[GROUP_ID(0)] = sums[0];\n"
	"}\n";

static void has_group_memory(struct conform *c)
{
	enum { GROUPS = 20 };
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "fold(x: in pointer u32, y: out pointer u32)", fold_text,
		NULL);
	uint32_t values[GROUPS * 64], sums[GROUPS] = { 0 }, want;
	plait_buffer *x = conform_buffer(c, sizeof(values));
	plait_buffer *y = conform_buffer(c, sizeof(sums));
	plait_launch launch = { .size = sizeof(launch),
				.items = { GROUPS * 64, 1, 1 } };
	plait_argument arguments[] = { conform_memory(x, 0), conform_memory(y, 0) };

	conform_random_bytes(c, values, sizeof(values));
	NEED(plait_queue_write(queue, x, 0, values, sizeof(values), ERR));
	NEED(plait_queue_launch(queue, kernel, &launch, arguments, 2, ERR));
	NEED(plait_queue_read(queue, y, 0, sums, sizeof(sums), ERR));
	for (int g = 0; g < GROUPS; g++) {
		want = 0;
		for (int i = 0; i < 64; i++)
			want += values[64 * g + i];
		HOLDS_THAT(sums[g] == want, "group %d has %u, not %u", g,
			   sums[g], want);
	}
}

static const struct conform_check checks[] = {
	{ "K12", "what was built before is the same, damaged or not",
	  NEED_KERNELS, keeps_what_it_built },
	{ "K13", "kernels of one name and other code are told apart",
	  NEED_KERNELS, tells_code_apart },
	{ "K14", "memory and barriers of groups", NEED_KERNELS,
	  has_group_memory },
};

CONFORM_GROUP(conform_cache, "kernels, and the cache");
