/* SPDX-License-Identifier: MIT */
/*
 * libmsccl-scheduler.so under a stub of an executor: which calls get which
 * schedule, handles, files that are not proved, failures.
 */
#include "lib/tap.h"
#include "tools/msccl/executor.h"

#include <plait/plait.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the executor ---- */

static struct {
	char loaded[16][64];
	int ranks[16];
	int count, unloaded;
	int result;
} executor;

__attribute__((visibility("default")))
int mscclLoadAlgo(const char *path, int *handle, int rank);
__attribute__((visibility("default"))) int mscclUnloadAlgo(int handle);

int mscclLoadAlgo(const char *path, int *handle, int rank)
{
	if (executor.result != EXECUTOR_SUCCESS)
		return executor.result;
	snprintf(executor.loaded[executor.count], sizeof(executor.loaded[0]),
		 "%s", strrchr(path, '/') + 1);
	executor.ranks[executor.count] = rank;
	*handle = executor.count++;
	return EXECUTOR_SUCCESS;
}

int mscclUnloadAlgo(int handle)
{
	executor.unloaded += handle >= 0 && handle < executor.count;
	return EXECUTOR_SUCCESS;
}

/* ---- the folder ---- */

static char folder[] = "msccl-scheduler-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t count)
{
	char path[256];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	stream = fopen(path, "we");
	OK(stream != NULL && fwrite(bytes, 1, count, stream) == count);
	if (stream != NULL)
		fclose(stream);
}

static void write_schedule(plait_schedule *schedule,
			   plait_schedule_format format, const char *name)
{
	static char bytes[1 << 20];
	uint64_t count = 0;

	OK(plait_schedule_write(schedule, format, bytes, sizeof(bytes), &count,
				NULL) == PLAIT_OK);
	write_file(name, bytes, count);
}

static void make_schedule(plait_context *context, const char *algorithm,
			  plait_coll_kind kind, uint64_t max_bytes,
			  plait_schedule_format format, const char *name)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = kind, .ranks = 4,
		.flags = kind == PLAIT_COLL_ALLREDUCE ? PLAIT_COLL_IN_PLACE : 0,
	};
	const plait_compile_desc how = {
		.size = sizeof(how), .target = PLAIT_TARGET_EXECUTOR,
		.max_bytes = max_bytes,
	};
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;

	OK(plait_coll_known(context, algorithm, &desc, &coll, NULL) ==
	   PLAIT_OK);
	OK(plait_coll_compile(coll, &how, &schedule, NULL) == PLAIT_OK);
	write_schedule(schedule, format, name);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
}

enum { XML = PLAIT_SCHEDULE_XML_EXECUTOR };

static void make_folder(void)
{
	static const char broken[] = "<algo name=\"x\"></algo>\n";
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	plait_context *context = NULL;
	plait_schedule *none = NULL;

	OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK);
	if (plait_schedule_read(context, broken, sizeof(broken) - 1, NULL,
				&none, NULL) == PLAIT_E_UNSUPPORTED)
		SKIP_ALL("built without expat");
	OK(mkdtemp(folder) != NULL);
	make_schedule(context, "ring", PLAIT_COLL_ALLREDUCE, 0, XML,
		      "b-ring.xml");
	make_schedule(context, "allpairs", PLAIT_COLL_ALLREDUCE, 4096, XML,
		      "c-small.xml");
	make_schedule(context, "ring", PLAIT_COLL_ALLGATHER, 0, XML,
		      "gather.xml");
	make_schedule(context, "direct", PLAIT_COLL_ALLTOALL, 0,
		      PLAIT_SCHEDULE_BINARY, "binary.xml");
	make_schedule(context, "direct", PLAIT_COLL_ALLTOALL, 0,
		      PLAIT_SCHEDULE_BINARY, "binary.sched");
	write_file("broken.xml", broken, sizeof(broken) - 1);
	write_file("empty.xml", broken, 0);
	write_file("notes.txt", broken, sizeof(broken) - 1);
	plait_context_release(context);
}

static void remove_folder(void)
{
	static const char *const names[] = { "b-ring.xml", "c-small.xml",
					     "gather.xml", "broken.xml",
					     "empty.xml", "notes.txt",
					     "binary.xml", "binary.sched" };
	char path[256];

	for (size_t i = 0; i < TAP_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		OK(unlink(path) == 0);
	}
	OK(rmdir(folder) == 0);
}

/* ---- calls ---- */

static char memory[1 << 16];

static executor_call allreduce(size_t count)
{
	return (executor_call){
		.send = memory, .receive = memory, .count = count, .type = 7,
		.collective = EXECUTOR_ALLREDUCE, .rank = 1, .ranks = 4,
	};
}

static bool is_scheduled(const executor_scheduler *scheduler, executor_call *call)
{
	call->is_scheduled = true;
	IS_INT(scheduler->choose(call), EXECUTOR_SUCCESS);
	return call->is_scheduled;
}

static void choose(const executor_scheduler *scheduler)
{
	executor_call call = allreduce(4096), again = allreduce(8192);

	OK(is_scheduled(scheduler, &call));
	IS_STR(executor.loaded[call.handle], "b-ring.xml");
	IS_INT(executor.ranks[call.handle], 1);
	/* A handle serves all calls of the rank. */
	OK(is_scheduled(scheduler, &again) && again.handle == call.handle);
	again.rank = 2;
	OK(is_scheduled(scheduler, &again));
	IS_INT(executor.ranks[again.handle], 2);
	/* The narrower range of sizes comes first. */
	again = allreduce(512);
	OK(is_scheduled(scheduler, &again));
	IS_STR(executor.loaded[again.handle], "c-small.xml");
	again = allreduce(1024);
	again.collective = EXECUTOR_ALLGATHER;
	again.receive = memory + 8192;
	OK(is_scheduled(scheduler, &again));
	IS_STR(executor.loaded[again.handle], "gather.xml");
}

#define NOT_FOR(change) do {						\
		executor_call call = allreduce(4096);			\
									\
		change;							\
		OK_THAT(!is_scheduled(scheduler, &call), "%s", #change); \
	} while (0)

static void refuse(const executor_scheduler *scheduler)
{
	NOT_FOR(call.operation = EXECUTOR_MEAN);
	NOT_FOR(call.send = memory + 1024);
	NOT_FOR(call.ranks = 8);
	NOT_FOR(call.rank = 4);
	NOT_FOR(call.rank = -1);
	NOT_FOR(call.count = 4097);
	NOT_FOR(call.count = 0);
	NOT_FOR(call.type = 99);
	NOT_FOR(call.type = -1);
	NOT_FOR(call.count = SIZE_MAX / 4 * 4);
	NOT_FOR(call.collective = EXECUTOR_ALLTOALL);
	NOT_FOR(call.collective = 5);
	NOT_FOR(call.collective = EXECUTOR_ALLGATHER;
		call.send = memory + 4096 * 4);
}

static void fail_to_load(const executor_scheduler *scheduler)
{
	executor_call call = allreduce(4096);

	call.rank = 3;
	executor.result = 3;
	IS_INT(scheduler->choose(&call), 3);
	OK(!call.is_scheduled);
	executor.result = EXECUTOR_SUCCESS;
	OK(is_scheduled(scheduler, &call));
}

static executor_scheduler *scheduler_open(void)
{
	void *library = dlopen("tools/.libs/libmsccl-scheduler.so",
			       RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		NOTE("%s", dlerror());
	OK(library != NULL);
	return library != NULL ? dlsym(library, "mscclScheduler") : NULL;
}

/* Begin, and get what the library writes to standard error. */
static int begin(const executor_scheduler *scheduler, char *text, size_t room)
{
	FILE *told = tmpfile();
	int kept = dup(STDERR_FILENO), result;
	size_t count;

	OK(told != NULL && dup2(fileno(told), STDERR_FILENO) >= 0);
	result = scheduler->init();
	OK(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	rewind(told);
	count = fread(text, 1, room - 1, told);
	text[count] = '\0';
	fclose(told);
	return result;
}

static void tells_what_it_leaves_out(const char *text)
{
	HAS_STR(text, "/broken.xml is not used: ");
	HAS_STR(text, "/empty.xml is not used: it is empty");
	HAS_STR(text, "/binary.xml is not used: it is a schedule in binary form; "
		"the executor reads XML, which plait coll compile and tune write "
		"with --xml executor");
	HAS_STR(text, "/binary.sched is not used: it is a schedule in binary");
	OK(strstr(text, "notes.txt") == NULL);
}

static void life_of_an_executor(void)
{
	static char text[4096];
	const executor_scheduler *scheduler = scheduler_open();
	executor_call call = allreduce(4096);

	if (!OK(scheduler != NULL))
		return;
	IS_STR(scheduler->name, "plait");
	make_folder();
	setenv("MSCCL_ALGO_DIR", "no/such/folder", 1);
	IS_INT(scheduler->init(), EXECUTOR_SYSTEM_ERROR);
	OK(!is_scheduled(scheduler, &call));
	setenv("MSCCL_ALGO_DIR", folder, 1);
	IS_INT(begin(scheduler, text, sizeof(text)), EXECUTOR_SUCCESS);
	tells_what_it_leaves_out(text);
	/* A second communicator begins. */
	IS_INT(scheduler->init(), EXECUTOR_SUCCESS);
	choose(scheduler);
	refuse(scheduler);
	fail_to_load(scheduler);
	IS_INT(scheduler->fini(), EXECUTOR_SUCCESS);
	IS_INT(executor.unloaded, executor.count);
	OK(!is_scheduled(scheduler, &call));
	remove_folder();
}

static const struct tap_scenario all[] = {
	{ "life of an executor", life_of_an_executor },
};

TAP_MAIN(all)
