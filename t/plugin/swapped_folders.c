/* SPDX-License-Identifier: MIT */
/*
 * Another user exchanges folders while root opens plugins and compiles kernels
 * below them: nothing of that user is ever loaded.
 */
#include "lib/plugin_rig.h"
#include "lib/tap.h"
#include "lib/unwrapped.h"

#include "plait/plait.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER = 65534, OPENS = 600, KERNELS = 8, EXCHANGE = 2 };

static char base[64];

static const char *in(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
	return path;
}

static bool is_root(void)
{
	if (getuid() == 0)
		return true;
	SKIP("only root can be attacked by another user here");
	return false;
}

/* A folder that the other user can reach. */
static void make_base(void)
{
	snprintf(base, sizeof(base), "%s", rig_folder());
	IS_INT(chmod(base, 0755), 0);
}

/* Fork; the child is the other user and calls `attack` until it is killed. */
static pid_t start(void (*attack)(void))
{
	pid_t child = fork();

	if (child != 0)
		return child;
	if (setgid(OTHER) != 0 || setuid(OTHER) != 0)
		_exit(1);
	for (;;)
		attack();
}

static void stop(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	IS_INT(waitpid(child, &status, 0), child);
	OK(WIFSIGNALED(status));
}

/* ---- plugins ---- */

static void exchange(void)
{
	(void)syscall(SYS_renameat2, AT_FDCWD, in("par/plug"), AT_FDCWD,
		      in("par/plug2"), EXCHANGE);
}

static void make_plugins(void)
{
	IS_INT(mkdir(in("par"), 0755), 0);
	IS_INT(mkdir(in("par/plug"), 0755), 0);
	IS_INT(mkdir(in("par/plug2"), 0755), 0);
	OK(rig_copy("good", in("par/plug"), "good"));
	OK(rig_copy("good", in("par/plug2"), "good"));
	IS_INT(chown(rig_file(in("par/plug2"), "good"), OTHER, OTHER), 0);
	IS_INT(chown(in("par/plug2"), OTHER, OTHER), 0);
	IS_INT(chown(in("par"), OTHER, OTHER), 0);
}

static void plugins(void)
{
	unsigned loaded = 0;
	pid_t child;

	if (!is_root())
		return;
	make_base();
	make_plugins();
	child = start(exchange);
	for (int i = 0; i < OPENS; i++)
		loaded += rig_try(in("par/plug"), "good") == PLAIT_OK;
	stop(child);
	IS_UINT(loaded, 0);
	/* Root's plugin is good, once its folder cannot be exchanged. */
	IS_INT(chown(in("par"), 0, 0), 0);
	(void)chown(in("par/plug"), 0, 0);
	(void)chown(rig_file(in("par/plug"), "good"), 0, 0);
	IS_INT(rig_try(in("par/plug"), "good"), PLAIT_OK);
}

/* ---- kernels ---- */

/* Put a folder in the place of each that root makes. */
static void replace_folders(void)
{
	char command[400];

	snprintf(command, sizeof(command),
		 "cd %s && for d in plait-??????; do mv $d $d.old && "
		 "mkdir -m 777 $d && echo 'int evil(void);' > $d/one.c; done "
		 "2>/dev/null", in("open"));
	(void)system(command);
}

static plait_status compile(plait_context *context, plait_error *error)
{
	plait_kernel *kernel = NULL;
	plait_status status = plait_kernel_compile(
		context, "one(x: out pointer i32)",
		"KERNEL(one)\n{\n\tx[0] = 1;\n}\n", &kernel, error);

	plait_kernel_release(kernel);
	return status;
}

static void kernels(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .plugin_path = rig_plugin_folder(),
					  .backends = "host" };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	pid_t child;

	if (!is_root())
		return;
	make_base();
	IS_INT(mkdir(in("open"), 0700), 0);
	IS_INT(chmod(in("open"), 0777), 0);
	setenv("TMPDIR", in("open"), 1);
	setenv("PLAIT_CACHE", "0", 1);
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	child = start(replace_folders);
	for (int i = 0; i < OPENS; i++)
		if (compile(context, &error) != PLAIT_E_UNAVAILABLE) {
			OK_THAT(false, "a kernel was compiled there");
			break;
		}
	HAS_STR(error.text, "others may replace what is in it (mode 0777)");
	/* In such a folder each user renames only his own entries. */
	IS_INT(chmod(in("open"), 01777), 0);
	for (int i = 0; i < KERNELS; i++)
		if (!IS_INT(compile(context, &error), PLAIT_OK))
			NOTE("%s", error.text);
	stop(child);
	plait_context_release(context);
}

static const struct tap_scenario scenarios[] = {
	{ "plugins", plugins },
	{ "kernels", kernels },
};
TAP_MAIN(scenarios)
