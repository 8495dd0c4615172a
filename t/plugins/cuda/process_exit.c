/* SPDX-License-Identifier: MIT */
/*
 * Ends of processes with an open CUDA backend, each in a process of its own: by
 * return from main while segments are kept, during a run, after dlclose of the
 * driver's file, and as children of fork, where every call returns
 * PLAIT_E_FORKED.  No process hangs or crashes; each exits with its own status.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>

#include "segments.h"

enum { TOO_LONG_SECONDS = 120, ANSWER = 7 };

/* ---- processes ---- */

/* Runs `function` in a child; returns its exit status, or minus its signal. */
static int answer_of(int (*function)(void))
{
	int status = -1, quiet;
	pid_t child;

	(void)fflush(NULL);
	child = fork();
	if (child == 0) {
		/* The child's checks go into its exit status, not into the test's output. */
		quiet = open("/dev/null", O_WRONLY);
		(void)dup2(quiet, STDOUT_FILENO);
		(void)alarm(TOO_LONG_SECONDS);
		exit(function());
	}
	while (waitpid(child, &status, 0) != child)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A loop that the device decides by the word n; x counts its iterations. */
struct counted {
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_plan *plan;
};

static bool begin(struct counted *c)
{
	plait_node_desc loop = { .kind = PLAIT_NODE_DO, .label = "loop" };
	plait_graph *graph, *body;
	plait_node node;

	if (!open_cuda("workers=3", "1"))
		return false;
	c->map = map_kernel();
	c->n = words_on(rig.device);
	c->x = words_on(rig.device);
	graph = new_graph();
	loop.predicate = c->n;
	node = add_node(graph, loop, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_map(body, c->map, c->x, c->x, 1, 1, NULL, 0);
	plait_graph_release(body);
	c->plan = freeze_on(graph, 1);
	return tap_failed() == 0;
}

static bool runs_once(struct counted *c)
{
	write_words(c->x, 0);
	write_words(c->n, 0);
	return OK(plait_plan_call(c->plan, NULL, NULL, &rig.error) ==
		  PLAIT_OK) && IS_UINT(read_words(c->x), 1);
}

/* Start a run whose loop never ends. */
static bool run_for_ever(struct counted *c, plait_run **run)
{
	write_words(c->n, 1);
	return OK(plait_plan_run(c->plan, rig.queue, NULL, run, &rig.error) ==
		  PLAIT_OK);
}

/* ---- ends ---- */

static int keep_all(void)
{
	struct counted c;

	return begin(&c) && runs_once(&c) && runs_once(&c) ? ANSWER : 1;
}

static int leave_a_run(void)
{
	struct counted c;
	plait_run *run = NULL;

	return begin(&c) && runs_once(&c) && run_for_ever(&c, &run) ? ANSWER :
								      1;
}

static int leave_quickly(void)
{
	_exit(leave_a_run());
}

/* The application opens and closes the driver's file, too. */
static int let_go_of_driver(void)
{
	struct counted c;
	char file[1024];
	void *driver;

	standin_prepare("");
	(void)snprintf(file, sizeof(file), "%s", standin_path);
	*strchr(file, ',') = '\0';
	driver = dlopen(file, RTLD_NOW);
	if (driver == NULL || !begin(&c) || !runs_once(&c) ||
	    dlclose(driver) != 0 || !runs_once(&c))
		return 1;
	plait_plan_release(c.plan);
	plait_buffer_release(c.n);
	plait_buffer_release(c.x);
	plait_kernel_release(c.map);
	close_place();
	return tap_failed() == 0 ? ANSWER : 1;
}

static void ends(void)
{
	IS_INT(answer_of(keep_all), ANSWER);
	IS_INT(answer_of(leave_a_run), ANSWER);
	IS_INT(answer_of(leave_quickly), ANSWER);
	IS_INT(answer_of(let_go_of_driver), ANSWER);
}

/* ---- children ---- */

static struct counted parents;

static int use_in_child(void)
{
	plait_context *another = NULL;
	plait_run *run = NULL;
	int wrong = 0;

	wrong += plait_plan_call(parents.plan, NULL, NULL, &rig.error) !=
		 PLAIT_E_FORKED;
	wrong += strstr(rig.error.text, "before fork()") == NULL;
	wrong += plait_plan_run(parents.plan, rig.queue, NULL, &run,
				&rig.error) != PLAIT_E_FORKED;
	wrong += plait_plan_prepare(parents.plan, NULL) != PLAIT_E_FORKED;
	wrong += plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_context_open(NULL, &another, NULL) != PLAIT_E_FORKED;
	plait_plan_release(parents.plan);
	plait_buffer_release(parents.x);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	return wrong == 0 ? ANSWER : 1;
}

/* A child that exits while no run is in flight. */
static int have_children(void)
{
	return begin(&parents) && runs_once(&parents) &&
	       IS_INT(answer_of(use_in_child), ANSWER) && runs_once(&parents) ?
		       ANSWER : 1;
}

/* A child during a run; the parent's run continues. */
static int have_child_in_run(void)
{
	plait_run *run = NULL;

	if (!begin(&parents) || !run_for_ever(&parents, &run) ||
	    !IS_INT(answer_of(use_in_child), ANSWER) ||
	    plait_run_cancel(run, &rig.error) != PLAIT_OK ||
	    plait_run_wait(run, PLAIT_FOREVER, &rig.error) !=
		    PLAIT_E_CANCELLED)
		return 1;
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return runs_once(&parents) ? ANSWER : 1;
}

static void children(void)
{
	IS_INT(answer_of(have_children), ANSWER);
	IS_INT(answer_of(have_child_in_run), ANSWER);
}

static const struct tap_scenario all[] = {
	{ "ends", ends },
	{ "children", children },
};
TAP_MAIN(all)
