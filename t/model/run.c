/* SPDX-License-Identifier: MIT */
/*
 * The end of a run under every interleaving with threads that query it, cancel
 * it or listen for it: a thread that sees the end sees the results and the
 * status, each listener is called once, no thread cancels a finished run or
 * reads data of the next run, and the memory of runs is used again by one at a
 * time.  run.c and run_instance.c as they are; objects, inboxes and the work of
 * runs are here.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "object/queue/outer_calls.h"
#include "run/blocked_on.h"
#include "run/command_text.h"
#include "run/instance_pool.h"
#include "run/kernel_versions.h"
#include "run/record/recorder.h"
#include "run/run.h"
#include "run/run_races.h"
#include "run/skipped_calls.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "object/inbox/inbox.h"
#include "object/progress/progress_driver.h"
#include "object/wait/suspension.h"
#include "object/wait/wait_loop.h"

#include <string.h>

enum { INSTANCES = 2, COMMANDS = 5 };

static plait__context context;
static plait__plan_object plan_object;
static plait__plan plan;
static const plait__frame_layout layout; /* without parameters */
static plait__program *program;
static plait__instance *instances;
static plait__recording recordings[2];
static plait__run *run_of_user;
static plait__inbox inbox;
static plait__inbox_event notices[4];
static uint32_t payload;
static at_u32 released;	/* instances that runs have released */
static at_u32 blocks;	/* of memory */
static at_u32 asked, notified;
static at_u32 stopped;

/* --- checks of races, and waits in drivers: neither is on */

void plait__run_races_saw(const plait__run *run, bool is_told_later)
{
	(void)run;
	(void)is_told_later;
}

void plait__run_races_end_call(const plait__run_races *begun)
{
	(void)begun;
}

bool plait__outer_calls_block(const plait__queue *queue)
{
	(void)queue;
	return false;
}

plait_status plait__blocked_on_enter_driver(plait__instance *instance,
					 plait__run *run,
					 plait__awaited_use *use)
{
	(void)instance;
	(void)run;
	(void)use;
	return PLAIT_PENDING;
}

/* --- memory and objects */

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	at_add_u32(&blocks, 1);
	return mc_alloc(bytes);
}

void plait__free(const plait_allocator *allocator, void *block, uint64_t bytes)
{
	(void)allocator;
	(void)bytes;
	if (block == NULL)
		return;
	at_sub_u32(&blocks, 1);
	mc_free(block);
}

/* The label is a mark that races show in. */
plait_status plait__object_init(plait__object *object,
				const plait__class *class,
				plait__context *of, plait_error *error)
{
	(void)error;
	object->class = class;
	object->context = of;
	AT_PLAIN_WRITE(object->label[0]) = 'x';
	at_store_relaxed_u64(&object->holds, 1 + class->maker_holds);
	return PLAIT_OK;
}

/* References to the others are not counted here. */
static bool is_run(const plait__object *object)
{
	return object != &plan_object.object && object != &inbox.object;
}

void plait__object_hold(plait__object *object)
{
	if (!is_run(object))
		return;
	MC_CHECK(at_add_u64(&object->holds, 1) > 0);
}

void plait__object_drop(plait__object *object)
{
	if (!is_run(object))
		return;
	MC_CHECK(AT_PLAIN_READ(object->label[0]) == 'x');
	if (at_sub_u64(&object->holds, 1) == 1)
		object->class->destroy(object);
}

void plait__object_drop_deferred(plait__object *object)
{
	plait__object_drop(object);
}

void *plait__object_handle(const plait__object *object)
{
	return (void *)(uintptr_t)object;
}

plait_status plait__handle_enter(const void *handle, int32_t type, void **out,
				 plait_error *error)
{
	(void)error;
	*out = (void *)(uintptr_t)handle;
	if (type == PLAIT_OBJECT_INBOX)
		MC_CHECK(*out == &inbox);
	else
		plait__object_hold(*out);
	return PLAIT_OK;
}

void plait__object_leave(plait__object *object)
{
	plait__object_drop(object);
}

void plait__object_leave_on_exit(void *object)
{
	plait__object_drop(object);
}

void plait__object_release(const void *handle, int32_t type)
{
	(void)type;
	plait__object_drop((plait__object *)(uintptr_t)handle);
}

/* --- listeners */

static void post_by_listener(plait__listener *listener, plait_status status)
{
	plait__inbox_event_post(PLAIT__LISTENER_OWNER(listener,
						      plait__inbox_event,
						      listener), status);
}

plait_status plait__inbox_event_create(plait__inbox *where,
				       const plait_event *event,
				       plait__inbox_event **out, plait_error *error)
{
	(void)where;
	(void)event;
	(void)error;
	*out = &notices[at_add_u32(&asked, 1)];
	MC_CHECK(*out < notices + sizeof(notices) / sizeof(*notices));
	(*out)->listener.notify = post_by_listener;
	return PLAIT_OK;
}

void plait__inbox_event_post(plait__inbox_event *notice, plait_status status)
{
	MC_CHECK(notice >= notices && notice->listener.notify != NULL);
	/* Once. */
	notice->listener.notify = NULL;
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(status == PLAIT_OK);
	at_add_u32(&notified, 1);
}

int32_t plait__worker_index(void)
{
	return -1;
}

void plait__progress_wake(plait__context *of)
{
	(void)of;
}

void plait__context_notify_waiters(plait__context *of)
{
	plait__eventcount_notify(&of->wait_event);
}

plait_status plait__wait_run(plait__wait_request *request, plait_error *error)
{
	(void)error;
	(void)plait__eventcount_await(&context.wait_event, request->ready,
				      request->arg, UINT64_MAX, PLAIT__BACKOFF_SLEEP);
	return PLAIT_OK;
}

const plait__suspender *plait__suspension_current(void)
{
	return NULL;
}

/* --- resources of runs */

void plait__progress_unexpect(plait__context *of)
{
	(void)of;
}

void plait__run_conflicts_note(const plait__instance *instance)
{
	(void)instance;
}

bool plait__run_conflicts_between(const plait__instance *one,
				  const plait__instance *other)
{
	(void)one;
	(void)other;
	return false;
}

void plait__instance_release(plait__instance *instance)
{
	/* The next run gets it, and its recording. */
	instance->run = NULL;
	instance->recording = &recordings[1];
	at_store_release_u32(&released, 1);
}

uint64_t plait__recorder_commands(const plait__recording *recording)
{
	MC_CHECK(recording == &recordings[0]);
	return COMMANDS;
}

uint64_t plait__recorder_iterations(const plait__recording *recording)
{
	MC_CHECK(recording == &recordings[0]);
	MC_CHECK(at_load_relaxed_u32(&released) == 0);
	return 0;
}

void plait__recorder_release(plait__recorder *recorder,
			     plait__recording *recording)
{
	(void)recorder;
	MC_CHECK(recording == &recordings[0]);
}

/* The run is in flight. */
static void cancel(plait__instance *instance)
{
	MC_CHECK(instance == &instances[0]);
	MC_CHECK(at_load_relaxed_u32(&released) == 0);
	at_add_u32(&stopped, 1);
}

static const plait__engine engine = { .name = "none", .cancel = cancel };

plait_status plait__sized_struct_write(void *out, const void *ours, size_t known_bytes,
				       size_t first_bytes, size_t alignment,
				       const char *what, plait_error *error)
{
	(void)first_bytes;
	(void)alignment;
	(void)what;
	(void)error;
	memcpy(out, ours, known_bytes);
	return PLAIT_OK;
}

/* --- the other functions that the sources are linked with, without effect */

#define NOTHING(name, ...)                                                    \
	void name(__VA_ARGS__)                                                \
	{                                                                     \
	}
#define NUMBER(type, name, ...)                                               \
	type name(__VA_ARGS__)                                                \
	{                                                                     \
		return 0;                                                     \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(plait__skipped_calls_number, plait__instance *instance)
NOTHING(plait__handle_recycle, plait__handle_slot *slot)
NOTHING(plait__handle_note_past, plait__handle_slot *slot, void *of,
	uint64_t event)
NOTHING(plait__context_abandon, plait__context *of, const plait_error *why)
NOTHING(plait__handle_retain, const void *handle, int32_t type)
NOTHING(plait__bind_parameters_release, plait__frame *frame)
NOTHING(plait__kernel_versions_adopt, plait__instance *instance)
NOTHING(plait__section_leave, plait__section *section,
	const plait_error *failure)
NOTHING(plait__recorder_end, plait__recorder *recorder,
	plait__recording *recording)
NOTHING(plait__blocked_on_describe, plait__instance *instance, plait__run *run,
	const char *name, char *out, uint32_t bytes)
NUMBER(bool, plait__handle_is_past, const void *handle, int32_t type,
	const void *of, uint64_t event)
NUMBER(plait_status, plait__bind_parameters, plait__frame *frame,
	const plait_run_desc *desc, plait_error *error)
NUMBER(plait_status, plait__recorder_acquire, plait__recorder *recorder,
	plait__recording **out, plait_error *error)
NUMBER(plait_status, plait__context_fail_other, const plait__object *one,
	const plait__object *other, plait_error *error)
NUMBER(plait_status, plait__plan_object_enter, plait_plan *handle,
	plait__plan_object **out, plait_error *error)
NUMBER(double, plait__recorder_expected_runs, const plait__plan *of, uint32_t body)
NUMBER(const char *, plait__plan_node_name, const plait__plan *of,
	uint32_t node)
NUMBER(const char *, plait__command_text, const plait__plan *of,
	uint32_t command, char room[PLAIT__COMMAND_TEXT_BYTES])
NUMBER(const char *, plait__object_name, const plait__object *object,
	char room[PLAIT__OBJECT_NAME_BYTES])

/* --- threads */

static plait_run *handle_of(plait__run *run)
{
	return (plait_run *)plait__object_handle(&run->object);
}

/* A run on this instance; one hold is the user's, and one its own. */
static plait__run *start(plait__instance *instance)
{
	plait__run *run = NULL;

	MC_CHECK(plait__run_create(instance, &run, NULL) == PLAIT_OK);
	instance->run = run;
	return run;
}

static void finish(plait__instance *instance)
{
	AT_PLAIN_WRITE(payload) = 1;
	plait__instance_complete(instance);
}

/* Wait until it has finished; returns the status. */
static void await(plait_run *run)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status;

	if (mc_choose(2) != 0) {
		status = plait_run_wait(run, PLAIT_FOREVER, &error);
	} else {
		while ((status = plait_run_poll(run, &error)) == PLAIT_PENDING)
			at_spin_pause();
	}
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(status == PLAIT_OK || error.status == PLAIT_E_CANCELLED);
	MC_CHECK((status != PLAIT_OK) == (at_load_relaxed_u32(&stopped) > 0));
}

static void query(plait_run *run)
{
	plait_run_info info;

	MC_CHECK(plait_run_query(run, &info, NULL) == PLAIT_OK);
	MC_CHECK(info.commands == COMMANDS);
	if (info.status == PLAIT_OK)
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
}

static void notify(plait_run *run)
{
	MC_CHECK(plait_run_notify(run, (plait_inbox *)(void *)&inbox, NULL,
				  NULL, NULL) == PLAIT_OK);
}

/* Thread 0 ends it, thread 1 waits for that. */
static bool end_or_await(uint32_t self)
{
	if (self == 0)
		finish(&instances[0]);
	else if (self == 1)
		await(handle_of(run_of_user));
	if (self == 1)
		plait_run_release(handle_of(run_of_user));
	return self < 2;
}

static void run_cancelled(uint32_t self)
{
	if (end_or_await(self))
		return;
	MC_CHECK(plait_run_cancel(handle_of(run_of_user), NULL) == PLAIT_OK);
	plait_run_release(handle_of(run_of_user));
}

static void run_asked(uint32_t self)
{
	if (end_or_await(self))
		return;
	if (mc_choose(2) != 0)
		query(handle_of(run_of_user));
	else
		notify(handle_of(run_of_user));
	plait_run_release(handle_of(run_of_user));
}

/* Thread 0 ends a run that has no holds any more, the other has two. */
static void run_spare(uint32_t self)
{
	plait__run *first, *second;

	if (self == 0) {
		plait__object_drop(&run_of_user->object);
		plait__object_drop(&run_of_user->object);
		return;
	}
	first = start(&instances[1]);
	second = start(&instances[1]);
	MC_CHECK(first != second);
	plait__object_drop(&first->object);
	plait__object_drop(&first->object);
	plait__object_drop(&second->object);
	plait__object_drop(&second->object);
}

/* --- scenarios */

static void begin_plan(void)
{
	memset(&context, 0, sizeof(context));
	plait__eventcount_init(&context.wait_event, 0);
	memset(&plan_object, 0, sizeof(plan_object));
	plan_object.object.context = &context;
	plan = (plait__plan){ .command_count = 0 };
	at_init_u32(&released, 0);
	at_init_u32(&blocks, 0);
	at_init_u32(&asked, 0);
	at_init_u32(&notified, 0);
	at_init_u32(&stopped, 0);
	AT_PLAIN_WRITE(payload) = 0;
}

static void begin_spare(void)
{
	begin_plan();
	program = mc_alloc(sizeof(*program));
	instances = mc_alloc(INSTANCES * sizeof(*instances));
	program->plan_object = &plan_object;
	program->plan = &plan;
	program->context = &context;
	program->engine = &engine;
	program->instances = instances;
	program->instance_count = INSTANCES;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		instances[i].program = program;
		instances[i].frame.layout = &layout;
		plait__mutex_init(&instances[i].lock);
	}
	MC_CHECK(plait__run_reserve_all(program, NULL) == PLAIT_OK);
	run_of_user = start(&instances[0]);
}

static void begin(void)
{
	begin_spare();
	instances[0].recording = &recordings[0];
	/* The hold of the third thread. */
	plait__object_hold(&run_of_user->object);
}

/* Nothing is left but the memory that is kept for later. */
static void end(void)
{
	MC_CHECK(at_load_relaxed_u32(&notified) == at_load_relaxed_u32(&asked));
	plait__run_free_all(program);
	MC_CHECK(at_load_relaxed_u32(&blocks) == 0);
}

static const struct mc_scenario cancelled = {
	"a run is cancelled as it ends", begin, run_cancelled, end, 3, 3, 1, 0,
	4000
};
static const struct mc_scenario questions = {
	"a run is asked as it ends", begin, run_asked, end, 3, 3, 1, 0, 4000
};
static const struct mc_scenario spare = {
	"what a run had is another one's", begin_spare, run_spare, end, 2, 4,
	2, 0, 4000
};

static const struct mc_scenario *const scenarios[] = {
	&spare, &questions, &cancelled,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "run/run.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "runs", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
