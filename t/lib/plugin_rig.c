/* SPDX-License-Identifier: MIT */
/* Rig for tests of the loader; see plugin_rig.h. */
#include "plugin_rig.h"

#include "tap.h"

#include "base/alloc.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

plait_error rig_error;
char rig_detail[65536];

static char log_lines[16384];
static char log_shown[16384];

static void hear(void *user_data, int32_t level, const char *line)
{
	size_t length = strlen(log_lines);

	(void)user_data;
	snprintf(log_lines + length, sizeof(log_lines) - length, "%s: %s\n",
		 plait__log_level_name(level), line);
}

static plait__log rig_log = { hear, NULL, PLAIT_LOG_DEBUG };
plait__registry_config rig_config = { .log = &rig_log };

const char *rig_logged(void)
{
	memcpy(log_shown, log_lines, sizeof(log_shown));
	log_lines[0] = '\0';
	return log_shown;
}

static const char *build_folder(const char *sub, char out[PATH_MAX])
{
	const char *build = getenv("abs_top_builddir");
	char here[PATH_MAX];

	if (build == NULL)
		build = getcwd(here, sizeof(here));
	if (build == NULL || strlen(build) + strlen(sub) + 2 > PATH_MAX)
		SKIP_ALL("no build folder");
	snprintf(out, PATH_MAX, "%.4000s/%s", build, sub);
	return out;
}

const char *rig_bad_folder(void)
{
	static char path[PATH_MAX];

	return build_folder("t/plugin/bad/.libs", path);
}

const char *rig_plugin_folder(void)
{
	static char path[PATH_MAX];

	return build_folder("plugins/.libs", path);
}

/* --- private folders */

static char folders[32][64];
static int folder_count;
static pid_t folder_owner;

static int remove_one(const char *path, const struct stat *info, int type,
		      struct FTW *where)
{
	(void)info;
	(void)type;
	(void)where;
	return remove(path);
}

/* Forked children leave them alone at their exit. */
static void remove_folders(void)
{
	if (folder_owner != getpid())
		return;
	while (folder_count > 0)
		nftw(folders[--folder_count], remove_one, 8,
		     FTW_DEPTH | FTW_PHYS);
}

const char *rig_folder(void)
{
	char *path;

	if (folder_owner == 0) {
		folder_owner = getpid();
		atexit(remove_folders);
	}
	if (folder_count == (int)TAP_COUNT(folders))
		SKIP_ALL("too many folders");
	path = folders[folder_count];
	strcpy(path, "/tmp/plait-test-XXXXXX");
	if (mkdtemp(path) == NULL)
		SKIP_ALL("no temporary folder");
	folder_count++;
	return path;
}

const char *rig_file(const char *folder, const char *name)
{
	static char paths[4][PATH_MAX];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%.3900s/plait_%.60s.so", folder, name);
	return path;
}

static bool copy_bytes(FILE *from, FILE *to)
{
	char bytes[16384];
	size_t count;

	while ((count = fread(bytes, 1, sizeof(bytes), from)) > 0)
		if (fwrite(bytes, 1, count, to) != count)
			return false;
	return !ferror(from);
}

bool rig_copy(const char *from, const char *folder, const char *as)
{
	const char *target = rig_file(folder, as);
	FILE *in = fopen(rig_file(rig_bad_folder(), from), "rb");
	FILE *out = in != NULL ? fopen(target, "wb") : NULL;
	bool done = out != NULL && copy_bytes(in, out);

	if (in != NULL)
		fclose(in);
	if (out != NULL)
		done = fclose(out) == 0 && done;
	return done && chmod(target, 0755) == 0;
}

/* --- opening */

static void configure(const char *path, const char *backends,
		      const char *wrap, const char *options)
{
	if (rig_config.allocator == NULL)
		rig_config.allocator = plait__alloc_default();
	rig_config.plugin_path = path;
	rig_config.backends = backends;
	rig_config.wrap = wrap;
	rig_config.options = options;
	memset(&rig_error, 0, sizeof(rig_error));
	rig_error.size = sizeof(rig_error);
	rig_detail[0] = '\0';
}

plait__registry *rig_open(const char *path, const char *backends,
			  const char *wrap, const char *options)
{
	plait__registry *registry = NULL;

	configure(path, backends, wrap, options);
	if (plait__registry_open(&rig_config, &registry, &rig_error) !=
	    PLAIT_OK)
		plait_error_detail(rig_error.detail, rig_detail,
				   sizeof(rig_detail), NULL);
	return registry;
}

plait_status rig_try(const char *path, const char *backends)
{
	plait__registry *registry = rig_open(path, backends, NULL, NULL);

	plait__registry_close(registry);
	return rig_error.status;
}

const char *rig_survey(const char *path, const char *backends,
		       const char *wrap, const char *options)
{
	static char report[65536];
	plait__text text;

	configure(path, backends, wrap, options);
	plait__text_init(&text, rig_config.allocator);
	if (plait__registry_survey(&rig_config, &text, &rig_error) != PLAIT_OK)
		plait__text_cut(&text, 0);
	snprintf(report, sizeof(report), "%s", plait__text_get(&text));
	plait__text_fini(&text);
	return report;
}
