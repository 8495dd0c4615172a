/* SPDX-License-Identifier: MIT */
/*
 * Ranks that are processes, run different programs, and exit or are lost: the other
 * rank is told.
 */
#include "flow/rank_ends.h"

#include <pthread.h>
#include <sys/wait.h>

/* ---- a process that ends ---- */

/* Of a process; it ends by SIGALRM. */
enum { LIMIT_S = TAP_PATIENCE_NS / 1000000000 };

/* A rank that is a process. */
struct process {
	uint32_t rank;
	plait_context *context;
	plait_world *world;
	plait_flow *flow;
	plait_data *data;
	plait_error error;
};

static struct process self;

static void open_process(uint32_t rank, long name)
{
	char options[96];
	const plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
					  .backends = "host",
					  .options = options };
	const plait_world_desc shm = { .size = sizeof(shm),
				       .transports = "shm",
				       .open_ns = TAP_PATIENCE_NS };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	plait_flow_desc over = { .size = sizeof(over) };

	alarm(LIMIT_S);
	self.rank = rank;
	self.error.size = sizeof(self.error);
	snprintf(options, sizeof(options), "shm:rank=%u,ranks=2,name=e%ld",
		 rank, name);
	if (plait_context_open(&desc, &self.context, &self.error) !=
		    PLAIT_OK ||
	    plait_world_open(self.context, &shm, &self.world, &self.error) !=
		    PLAIT_OK)
		_exit(1);
	over.world = self.world;
	if (plait_flow_create(self.context, &over, &self.flow, &self.error) !=
		    PLAIT_OK ||
	    plait_data_create(self.flow, &numbers, &self.data, &self.error) !=
		    PLAIT_OK)
		_exit(1);
}

static void release_process(void)
{
	plait_data_release(self.data);
	plait_flow_release(self.flow);
	plait_world_release(self.world);
}

/* Run two processes; returns the status of the first one.  The other's is 0. */
static int run_processes(void (*of)(uint32_t rank, long name))
{
	static long runs;
	const long name = (long)getpid() * 1000 + runs++;
	int status = 0, first = -1;
	pid_t pids[2];

	for (uint32_t i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			of(i, name);
	}
	for (uint32_t i = 0; i < 2; i++) {
		OK(pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i]);
		OK_THAT(WIFEXITED(status) &&
			(i == 0 || WEXITSTATUS(status) == 0),
			"rank %u: status 0x%x", i, (unsigned)status);
		if (i == 0 && WIFEXITED(status))
			first = WEXITSTATUS(status);
	}
	return first;
}

enum { TOLD = 10, TRIES = 20 }; /* status: by a read; tries for the close */

/* Rank 1 reads, and exits without a release. */
static void run_process(uint32_t rank, long name)
{
	open_process(rank, name);
	if (call(self.flow, self.data, rank == 1, &self.error) != PLAIT_OK)
		_exit(1);
	/* The other rank may have told of itself by now. */
	if (read_half(self.data, rank == 1, &self.error) != PLAIT_OK)
		exit(!is_difference(&self.error) ? 1 : rank == 0 ? TOLD : 0);
	if (rank == 1)
		exit(0);
	release_process();
	if (plait_context_close(self.context, PLAIT_FOREVER, &self.error) !=
	    PLAIT_E_FAILED)
		_exit(2);
	_exit(is_difference(&self.error) ? 0 : 3);
}

static void tells_of_a_process_that_exits(void)
{
	int status = TOLD;

	for (int i = 0; i < TRIES && status == TOLD; i++)
		status = run_processes(run_process);
	IS_INT(status, 0);
}

/* ---- a process that ends too early ---- */

static int left_tasks; /* of rank 1 */
static int other_end[2]; /* pipe: rank 0 has ended */

/* As MPI_Finalize does. */
static void await_other(void)
{
	char byte;

	(void)!read(other_end[0], &byte, 1);
}

/* Tasks that need nothing of rank 1, which has fewer and returns from main. */
static void leave_early(uint32_t rank, long name)
{
	plait_status status = PLAIT_OK;
	int most = rank == 1 ? left_tasks : 12 * 64;

	if (rank == 1)
		(void)atexit(await_other);
	open_process(rank, name);
	for (int i = 0; i < most && status == PLAIT_OK; i++)
		status = call(self.flow, self.data, false, &self.error);
	if (rank == 1)
		exit(0);
	(void)!write(other_end[1], "", 1);
	_exit(status == PLAIT_E_INVALID && is_difference(&self.error) ? 0 : 4);
}

static void tells_of_a_process_that_exits_early(void)
{
	static const int tasks[] = { 64, 3, 67 };

	for (size_t i = 0; i < TAP_COUNT(tasks); i++) {
		OK(pipe(other_end) == 0);
		left_tasks = tasks[i];
		IS_INT(run_processes(leave_early), 0);
		close(other_end[0]);
		close(other_end[1]);
	}
}

/* ---- a process that has released all, and exits ---- */

/* Pipe: rank 0 exits. */
static int exits[2];

static void tell_exit(void)
{
	(void)!write(exits[1], "", 1);
}

/* Submissions of rank 1 at most: on a busy machine the word of rank 0 may come behind
 * the first one too many.  Fewer than a horizon. */
enum { LATE_TASKS = 12, PAUSES = 200 };

/* Rank 0 tells its last submission, the third, and its exit before rank 1 submits
 * one more than it has. */
static void leave_last(uint32_t rank, long name)
{
	plait_status status = PLAIT_OK;
	int tasks = rank == 0 ? 3 : 2;
	char byte;

	open_process(rank, name);
	for (int i = 0; i < tasks && status == PLAIT_OK; i++)
		status = call(self.flow, self.data, false, &self.error);
	if (status != PLAIT_OK)
		_exit(2);
	if (rank == 0) {
		release_process();
		plait_context_release(self.context);
		/* Before the handler of the library. */
		(void)atexit(tell_exit);
		exit(0);
	}
	(void)!read(exits[0], &byte, 1);
	/* The handler tells it. */
	for (int i = 0; i < LATE_TASKS && status == PLAIT_OK; i++) {
		for (int k = 0; i != 1 && k < i * PAUSES + PAUSES; k++)
			pause_a_little();
		status = call(self.flow, self.data, false, &self.error);
	}
	_exit(status == PLAIT_E_INVALID && is_difference(&self.error) ? 0 : 4);
}

static void tells_of_an_exit_behind_the_release(void)
{
	OK(pipe(exits) == 0);
	IS_INT(run_processes(leave_last), 0);
	close(exits[0]);
	close(exits[1]);
}

/* ---- a thread that submits while its process exits ---- */

enum { BEFORE = 5, THREAD_TASKS = 200 };

static pthread_t submitter;
static int submitted; /* atomic */
static plait_status thread_end;
static plait_kernel *slow; /* its mapper pauses, in each submission; or null */

/* Longer behind the first half of the tasks: on a busy machine the process begins to
 * exit late.  All of them are fewer than the horizons that may be open. */
static void pause_long(void)
{
	const int tasks = __atomic_load_n(&submitted, __ATOMIC_SEQ_CST);

	for (int i = 0; i < (tasks < THREAD_TASKS / 2 ? 1 : 100); i++)
		pause_a_little();
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_status pause_and_map(void *user_data, const plait_box *chunk,
				  const plait_box *extent, plait_box *out,
				  uint32_t room, uint32_t *out_count)
{
	(void)user_data;
	(void)extent;
	(void)room;
	for (int i = 0; i < 5; i++)
		pause_long();
	*out = *chunk;
	*out_count = 1;
	return PLAIT_OK;
}

static void make_slow(void)
{
	const plait_kernel_desc code = {
		.size = sizeof(code), .function = no_work,
		.signature = "none(a: inout pointer u64)" };

	if (plait_kernel_create(self.context, &code, &slow, &self.error) !=
	    PLAIT_OK)
		_exit(1);
}

static plait_status submit_one(plait_error *error)
{
	const plait_mapper mapper = { .size = sizeof(mapper),
				      .kind = PLAIT_MAPPER_FUNCTION,
				      .function = pause_and_map };
	const plait_access access = { .size = sizeof(access),
				      .data = self.data, .mapper = &mapper };

	if (slow == NULL)
		return call(self.flow, self.data, false, error);
	return plait_flow_launch(self.flow, slow, PLAIT_ITEMS(1),
				 PLAIT_ARGUMENTS(PLAIT_ACCESS(&access)), NULL,
				 error);
}

static void *submit_on(void *unused)
{
	plait_error error = { .size = sizeof(error) };

	for (int i = 0; i < THREAD_TASKS && thread_end == PLAIT_OK; i++) {
		thread_end = submit_one(&error);
		__atomic_fetch_add(&submitted, 1, __ATOMIC_SEQ_CST);
		if (slow == NULL)
			pause_long();
	}
	return unused;
}

/* Behind the handler of the library: no submission came behind what that told. */
static void end_of_thread(void)
{
	(void)pthread_join(submitter, NULL);
	(void)!write(other_end[1], "", 1);
	if (thread_end != PLAIT_E_STATE)
		_exit(5);
}

static bool is_slow;

static void exit_beside_a_thread(uint32_t rank, long name)
{
	if (rank == 0)
		(void)atexit(end_of_thread);
	open_process(rank, name);
	if (rank == 1) {
		await_other();
		_exit(0);
	}
	if (is_slow)
		make_slow();
	if (pthread_create(&submitter, NULL, submit_on, NULL) != 0)
		_exit(2);
	while (__atomic_load_n(&submitted, __ATOMIC_SEQ_CST) < BEFORE)
		pause_a_little();
	exit(0);
}

static void ends_beside_a_thread_that_submits(void)
{
	OK(pipe(other_end) == 0);
	IS_INT(run_processes(exit_beside_a_thread), 0);
	close(other_end[0]);
	close(other_end[1]);
}

/* The thread is in a submission whenever the library looks. */
static void ends_beside_a_thread_that_always_submits(void)
{
	is_slow = true;
	ends_beside_a_thread_that_submits();
	is_slow = false;
}

/* ---- a process that is lost ---- */

/* Rank 1 ends without a word, as by a signal, before it told of its submissions. */
static void be_lost(uint32_t rank, long name)
{
	plait_status status = PLAIT_OK;
	int tasks = rank == 0 ? 3 : 1;

	open_process(rank, name);
	for (int i = 0; i < tasks && status == PLAIT_OK; i++)
		status = call(self.flow, self.data, false, &self.error);
	if (rank == 1)
		_exit(0);
	release_process();
	if (status != PLAIT_OK ||
	    plait_context_close(self.context, PLAIT_FOREVER, &self.error) !=
		    PLAIT_E_FAILED)
		_exit(2);
	_exit(strstr(self.error.text, "rank 1 told ") != NULL &&
	      self.error.origin == PLAIT_E_LOST ? 0 : 3);
}

static void tells_of_a_lost_process(void)
{
	IS_INT(run_processes(be_lost), 0);
}

/* Rank 1 has closed its context, and its process is gone. */
static void end_first(uint32_t rank, long name)
{
	plait_status status;
	char byte;

	open_process(rank, name);
	status = call(self.flow, self.data, false, &self.error);
	if (rank == 0)
		(void)!read(other_end[0], &byte, 1);
	for (int i = 0; i < 500 && rank == 0; i++)
		pause_a_little();
	release_process();
	if (status != PLAIT_OK ||
	    plait_context_close(self.context, PLAIT_FOREVER, &self.error) !=
		    PLAIT_OK)
		_exit(2);
	(void)!write(other_end[1], "", 1);
	_exit(0);
}

static void ends_behind_a_process_that_ended(void)
{
	OK(pipe(other_end) == 0);
	IS_INT(run_processes(end_first), 0);
	close(other_end[0]);
	close(other_end[1]);
}

static const struct tap_scenario all[] = {
	{ "tells of a process that exits", tells_of_a_process_that_exits },
	{ "tells of a process that exits early",
	  tells_of_a_process_that_exits_early },
	{ "tells of an exit behind the release",
	  tells_of_an_exit_behind_the_release },
	{ "ends beside a thread that submits",
	  ends_beside_a_thread_that_submits },
	{ "ends beside a thread that always submits",
	  ends_beside_a_thread_that_always_submits },
	{ "tells of a lost process", tells_of_a_lost_process },
	{ "ends behind a process that ended",
	  ends_behind_a_process_that_ended },
};

TAP_MAIN(all)
