/* SPDX-License-Identifier: MIT */
/* The walk to a folder: which owners and modes on the way pass, and that the
 * descriptor is the folder's. */
#include "lib/tap.h"

#include "sys/private_dir.h"
#include "sys/trusted_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHER = 65534 };

static char base[32];
static plait_error error = { .size = sizeof(error) };

static const char *in(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
	return path;
}

/* base/a/b/c; a and b get the mode, and the owner where that can be given. */
static void make_way(void)
{
	snprintf(base, sizeof(base), "/tmp/plait-test-XXXXXX");
	OK(mkdtemp(base) != NULL);
	IS_INT(mkdir(in("a"), 0755), 0);
	IS_INT(mkdir(in("a/b"), 0755), 0);
	IS_INT(mkdir(in("a/b/c"), 0700), 0);
	IS_INT(symlink("a/b", in("link")), 0);
}

static void remove_way(void)
{
	(void)unlink(in("link"));
	(void)rmdir(in("a/b/c"));
	(void)rmdir(in("a/b"));
	(void)rmdir(in("a"));
	IS_INT(rmdir(base), 0);
}

static const struct {
	const char *folder;
	unsigned mode;
	uid_t owner; /* 0: this user */
	const char *refused;
} cases[] = {
	{ "a", 0755, 0, NULL },
	{ "a", 0777, 0, "others may replace what is in it (mode 0777)" },
	{ "a", 0775, 0, "others may replace what is in it (mode 0775)" },
	{ "a", 01777, 0, NULL },
	{ "a/b", 0757, 0, "others may replace what is in it (mode 0757)" },
	{ "a/b", 01775, 0, NULL },
	{ "a/b/c", 0777, 0, "others may replace what is in it (mode 0777)" },
	{ "a", 0755, OTHER, "belongs to user 65534, who may replace" },
	{ "a", 01777, OTHER, "belongs to user 65534, who may replace" },
	{ "a/b", 0700, OTHER, "belongs to user 65534, who may replace" },
	{ "a/b/c", 0700, OTHER, "belongs to user 65534, who may replace" },
};

static void open_one(const char *path, const char *refused)
{
	struct stat named, opened;
	char real[PATH_MAX];
	int fd = plait__trusted_folder_open(path, real, sizeof(real), &error);

	if (refused != NULL) {
		IS_INT(fd, -1);
		IS_INT(error.status, PLAIT_E_UNAVAILABLE);
		HAS_STR(error.text, refused);
		return;
	}
	if (!OK_THAT(fd >= 0, "%s: %s", path, error.text))
		return;
	IS_INT(fstat(fd, &opened), 0);
	IS_INT(stat(path, &named), 0);
	OK(opened.st_ino == named.st_ino && opened.st_dev == named.st_dev);
	IS_STR(real, in("a/b/c"));
	IS_INT(close(fd), 0);
}

static void owners_and_modes(void)
{
	make_way();
	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		const char *at = in(cases[i].folder);

		if (cases[i].owner != 0 && getuid() != 0) {
			SKIP("only root can give folders away");
			continue;
		}
		IS_INT(chown(at, cases[i].owner != 0 ? cases[i].owner :
			     getuid(), (gid_t)-1), 0);
		IS_INT(chmod(at, cases[i].mode), 0);
		open_one(in("a/b/c"), cases[i].refused);
		/* The way behind a link counts, too. */
		open_one(in("link/c"), cases[i].refused);
		IS_INT(chown(at, getuid(), (gid_t)-1), 0);
		IS_INT(chmod(at, 0755), 0);
	}
	remove_way();
}

static void what_is_no_folder(void)
{
	char real[PATH_MAX], little[4];

	make_way();
	IS_INT(plait__trusted_folder_open(in("a/none"), real, sizeof(real),
					  &error), -1);
	HAS_STR(error.text, "No such file");
	IS_INT(plait__trusted_folder_open("/proc/self/exe", real,
					  sizeof(real), &error), -1);
	HAS_STR(error.text, "Not a directory");
	IS_INT(plait__trusted_folder_open(in("a"), little, sizeof(little),
					  &error), -1);
	HAS_STR(error.text, "too long");
	remove_way();
}

/* Folders that are made below: a temporary one, and the cache's. */
static void private_folders(void)
{
	char made[PATH_MAX];

	make_way();
	IS_INT(plait__private_dir_create_temporary(in("a/b"), made,
						   sizeof(made), &error),
	       PLAIT_OK);
	OK(strncmp(made, in("a/b/plait-"), strlen(in("a/b/plait-"))) == 0);
	plait__private_dir_remove(made);
	IS_INT(plait__private_dir_secure(in("link/c"), made, sizeof(made),
					 &error), PLAIT_OK);
	IS_STR(made, in("a/b/c"));
	IS_INT(chmod(in("a/b"), 0777), 0);
	IS_INT(plait__private_dir_create_temporary(in("a/b"), made,
						   sizeof(made), &error),
	       PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "others may replace");
	IS_STR(made, "");
	IS_INT(plait__private_dir_secure(in("link/c"), made, sizeof(made),
					 &error), PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "others may replace");
	IS_INT(chmod(in("a/b"), 01777), 0);
	IS_INT(plait__private_dir_create_temporary(in("a/b"), made,
						   sizeof(made), &error),
	       PLAIT_OK);
	plait__private_dir_remove(made);
	remove_way();
}

static const struct tap_scenario scenarios[] = {
	{ "owners and modes", owners_and_modes },
	{ "what is no folder", what_is_no_folder },
	{ "private folders", private_folders },
};
TAP_MAIN(scenarios)
