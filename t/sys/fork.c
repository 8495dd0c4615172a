/* SPDX-License-Identifier: MIT */
/* Detection of fork: a child knows that it is one. */
#include "lib/tap.h"

#include <sys/wait.h>
#include <unistd.h>

#include "sys/fork.h"

/* The child's answer, as its exit status. */
static int ask_child(int (*ask)(int32_t parent))
{
	int32_t parent = (int32_t)getpid();
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(ask(parent));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int names_parent(int32_t parent)
{
	return plait__fork_check() == parent;
}

static int is_fine(int32_t parent)
{
	(void)parent;
	return plait__fork_check() == 0;
}

static int init_is_fine(int32_t parent)
{
	(void)parent;
	return plait__fork_init() == 0 && plait__fork_check() == 0;
}

static int32_t first;

static int names_grandparent(int32_t parent)
{
	return parent != first && plait__fork_check() == first;
}

static int ask_grandchild(int32_t parent)
{
	first = parent;
	return ask_child(names_grandparent);
}

static int init_changes_nothing(int32_t parent)
{
	plait__fork_init();
	return plait__fork_check() == parent;
}

static void before(void)
{
	IS_INT(plait__fork_check(), 0);
	IS_INT(ask_child(is_fine), 1);
	IS_INT(ask_child(init_is_fine), 1); /* the child's own first use */
	IS_INT(plait__fork_check(), 0);
}

static void after(void)
{
	IS_INT(plait__fork_init(), 0);
	IS_INT(plait__fork_init(), 0);
	IS_INT(plait__fork_check(), 0);
	IS_INT(ask_child(names_parent), 1);
	IS_INT(ask_child(ask_grandchild), 1);
	IS_INT(ask_child(init_changes_nothing), 1);
	IS_INT(plait__fork_check(), 0);
	NOTE("mark page: %s", at_load_acquire_ptr(&plait__fork_state.mark) ?
		     "yes" : "no, process ids are compared");
}

static const struct tap_scenario all[] = {
	{ "before the first use", before },
	{ "after it", after },
};

TAP_MAIN(all)
