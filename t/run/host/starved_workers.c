/* SPDX-License-Identifier: MIT */
/*
 * Workers that never get the CPU: a signal finds them asleep, and its handler
 * keeps them until the test is over, whichever thread wakes them meanwhile.
 * Calls and waits for runs go on without them; once they are back all is as
 * before.  A run that no thread waits for needs the worker that was woken for
 * it: nothing is promised for that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/runs.h"

/* A signal that threads of the library leave to the program. */
enum { HOLD = SIGTRAP, HELD = 2, NODES = 6, ROUNDS = 5, TURNS = 3 };

/* ---- holding a worker ---- */

static int bell[2];	/* a byte for each worker that may go on */
static int held;	/* how many are in the handler */

static void stay(int number)
{
	int before = errno;
	char byte;

	(void)number;
	__atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
	while (read(bell[0], &byte, 1) != 1)
		;
	__atomic_sub_fetch(&held, 1, __ATOMIC_SEQ_CST);
	errno = before;
}

/* The state of a thread: the word behind its name, 'S' if it sleeps. */
static char state_of(pid_t thread, const char *name)
{
	char path[64], line[256] = "", want[40];
	const char *end;
	ssize_t bytes;
	int file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
		       (int)thread);
	file = open(path, O_RDONLY | O_CLOEXEC);
	bytes = file < 0 ? -1 : read(file, line, sizeof(line) - 1);
	if (file >= 0)
		(void)close(file);
	(void)snprintf(want, sizeof(want), "(%s) ", name);
	end = bytes > 0 ? strstr(line, want) : NULL;
	return end == NULL ? '\0' : end[strlen(want)];
}

static pid_t find_worker(uint32_t number)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	char name[16];
	pid_t found = 0;

	(void)snprintf(name, sizeof(name), "plait/%u", number);
	while (folder != NULL && found == 0 &&
	       (entry = readdir(folder)) != NULL) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

		if (thread > 0 && state_of(thread, name) != '\0')
			found = thread;
	}
	if (folder != NULL)
		(void)closedir(folder);
	return found;
}

static bool is_asleep(uint32_t number)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "plait/%u", number);
	return state_of(find_worker(number), name) == 'S';
}

/* All, again and again: no worker waits for a lock that another one has. */
static void await_sleep(void)
{
	uint32_t seen = 0;
	uint64_t since = 0;

	while (seen < 3 * HELD && !tap_late(&since)) {
		seen = is_asleep(seen % HELD) ? seen + 1 : 0;
		if (seen == 0)
			pause_a_little();
	}
}

/* Asleep it has no lock; it is not woken, as there is nothing to do. */
static bool hold(uint32_t number)
{
	int before = __atomic_load_n(&held, __ATOMIC_SEQ_CST);
	uint64_t since = 0;
	pid_t thread;

	await_sleep();
	thread = find_worker(number);
	if (thread == 0 || syscall(SYS_tgkill, getpid(), thread,
				   HOLD) != 0)
		return false;
	while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) == before &&
	       !tap_late(&since))
		pause_a_little();
	return __atomic_load_n(&held, __ATOMIC_SEQ_CST) == before + 1;
}

static void let_all_go(void)
{
	uint64_t since = 0;

	for (int i = __atomic_load_n(&held, __ATOMIC_SEQ_CST); i > 0; i--)
		OK(write(bell[1], "x", 1) == 1);
	while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) > 0 &&
	       !tap_late(&since))
		pause_a_little();
	IS_INT(__atomic_load_n(&held, __ATOMIC_SEQ_CST), 0);
}

/* ---- progress without them ---- */

static struct {
	uint64_t counts[NODES];
	int32_t left;
} work;

static int32_t count_down(void *user_data)
{
	(void)user_data;
	if (work.left-- > 0)
		return 1;
	work.left = TURNS;
	return 0;
}

static int32_t choose_first(void *user_data)
{
	(void)user_data;
	return 0;
}

static void add_inside(plait_graph *graph, plait_node region, int number)
{
	plait_graph *body = body_of(graph, region, 0);

	(void)add_call(body, "in", bump, &work.counts[number], NULL, 0);
	plait_graph_release(body);
}

/* Two chains, and where lanes may have them a loop and a branch. */
static plait_plan *make_plan(uint32_t mode)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 3,
					 .mode = mode, .instances = 2 };
	plait_node_desc region = { .flags = PLAIT_CALL_ANY_THREAD };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;
	plait_node last[3];

	last[0] = add_call(graph, "a", bump, &work.counts[0], NULL, 0);
	last[0] = add_call(graph, "b", bump, &work.counts[1], last, 1);
	last[1] = add_call(graph, "c", bump, &work.counts[2], NULL, 0);
	last[2] = last[1];
	if (mode == PLAIT_MODE_STRICT) {
		region.kind = PLAIT_NODE_WHILE;
		region.function = count_down;
		last[2] = add_node(graph, region, NULL, 0);
		add_inside(graph, last[2], 3);
		region.kind = PLAIT_NODE_CASE;
		region.branch_count = 1;
		region.function = choose_first;
		last[1] = add_node(graph, region, &last[1], 1);
		add_inside(graph, last[1], 4);
	}
	(void)add_call(graph, "z", bump, &work.counts[5], last, 3);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* No thread waits: a worker has to do it. */
static plait_status run_alone(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;
	plait_status status;
	uint64_t since = 0;

	status = plait_plan_run(plan, rig.queue, &desc, &run, &rig.error);
	if (status != PLAIT_OK)
		return status;
	while ((status = plait_run_poll(run, &rig.error)) == PLAIT_PENDING &&
	       !tap_late(&since))
		pause_a_little();
	plait_run_release(run);
	return status;
}

/* On a queue that has nothing else: the thread that waits for the run does it,
 * but the commands behind it in the queue are left to the workers. */
static plait_status run_on_new(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_queue *queue = NULL;
	plait_run *run = NULL;
	plait_status status;

	status = plait_queue_create(rig.device, NULL, &queue, &rig.error);
	if (status == PLAIT_OK)
		status = plait_plan_run(plan, queue, &desc, &run, &rig.error);
	if (status == PLAIT_OK)
		status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	plait_run_release(run);
	plait_queue_release(queue);
	return status;
}

static void check_plan(uint32_t mode, uint32_t flags, bool alone)
{
	plait_plan *plan;
	uint64_t runs = 0;

	memset(&work, 0, sizeof(work));
	work.left = TURNS;
	plan = make_plan(mode);
	for (int i = 0; i < ROUNDS; i++) {
		IS_INT(call_with(plan, flags), PLAIT_OK);
		IS_INT(run_on_new(plan, flags), PLAIT_OK);
		runs += 2;
		if (alone) {
			IS_INT(run_with(plan, flags), PLAIT_OK);
			IS_INT(run_alone(plan, flags), PLAIT_OK);
			runs += 2;
		}
	}
	for (int i = 0; i < NODES; i++)
		if (mode == PLAIT_MODE_STRICT || (i != 3 && i != 4))
			IS_UINT(work.counts[i], i == 3 ? TURNS * runs : runs);
	plait_plan_release(plan);
}

static void check_all(bool alone)
{
	for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
		check_plan(PLAIT_MODE_STRICT, run_flags[f], alone);
		check_plan(PLAIT_MODE_HELPED, run_flags[f], alone);
	}
}

/* `which`: bits, of two. */
static void without(uint32_t which)
{
	if (!open_host(HELD))
		return;
	/* Warm: both have worked. */
	check_all(true);
	for (uint32_t i = 0; i < HELD; i++)
		if (which >> i & 1)
			OK(hold(i));
	check_all(false);
	let_all_go();
	check_all(true);
	close_rig(&rig);
}

static void without_one(void)
{
	without(1);
	without(2);
}

static void without_any(void)
{
	without(3);
}

/* ---- workers that are inside of functions that do not end ---- */

static int inside, may_leave;

static int32_t linger(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&may_leave, __ATOMIC_SEQ_CST) == 0)
		pause_a_little();
	return 0;
}

static void while_all_are_busy(void)
{
	plait_queue *queues[HELD];
	uint64_t since = 0;

	if (!open_host(HELD))
		return;
	inside = may_leave = 0;
	for (int i = 0; i < HELD; i++)
		OK(plait_queue_create(rig.device, NULL, &queues[i],
				      &rig.error) == PLAIT_OK &&
		   plait_queue_call(queues[i], linger, NULL, &rig.error) ==
			   PLAIT_OK);
	while (__atomic_load_n(&inside, __ATOMIC_SEQ_CST) < HELD &&
	       !tap_late(&since))
		pause_a_little();
	IS_INT(__atomic_load_n(&inside, __ATOMIC_SEQ_CST), HELD);
	check_all(false);
	__atomic_store_n(&may_leave, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < HELD; i++) {
		IS_INT(plait_queue_finish(queues[i], PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
		plait_queue_release(queues[i]);
	}
	check_all(true);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "one is held", without_one },
	{ "both are held", without_any },
	{ "all are busy", while_all_are_busy },
};

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stay };

	if (pipe(bell) != 0 || sigaction(HOLD, &action, NULL) != 0)
		return 1;
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
