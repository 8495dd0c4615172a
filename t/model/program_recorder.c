/* SPDX-License-Identifier: MIT */
/*
 * Objects that are made once and then used without a lock, under every
 * interleaving: a program, made by the first thread that needs it; and a
 * recorder, while other runs are in flight.  No thread sees a partial one.
 * program.c, host_engine.c and recorder.c as they are; the parts that they
 * assemble are here.
 */
#include "lib/tap.h"
#include "graph/plan/local_memory.h"
#include "graph/plan/unbound_state.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/external/cancel_external.h"
#include "run/external/coroutine_command.h"
#include "run/args/frame_layout.h"
#include "run/host/host_engine.h"
#include "run/host/lane_compiler.h"
#include "run/host/lane_tasks.h"
#include "run/host/mode_timer.h"
#include "run/host/steal_setup.h"
#include "run/host/call_op.h"
#include "run/record/recorder.h"
#include "run/api/prepare.h"
#include "run/command_text.h"
#include "run/instance_pool.h"
#include "run/kernel_versions.h"
#include "run/rehearse.h"
#include "run/run.h"
#include "run/run_races.h"
#include "run/skipped_calls.h"

#include "object/kernel/kernel.h"
#include "pool/counter.h"
#include "sys/env.h"

#include <string.h>

enum { INSTANCES = 2, RECORDS = 1 };

static plait__context context;
static plait__plan_object *plan_object;
static plait__plan plan;
static plait__plan_command command;
static at_u32 compiled; /* how often */
static at_u32 recorded; /* runs that were */
static at_u32 recordable[INSTANCES]; /* instances of the queue engine */

void plait__run_races_free(plait__program *of)
{
	(void)of;
}

plait_status plait__local_memory_check(const plait__plan_object *of,
				       plait_error *error)
{
	(void)of;
	(void)error;
	return PLAIT_OK;
}

/* --- memory */

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	return mc_alloc(bytes);
}

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t bytes)
{
	return plait__alloc(allocator, count * bytes + 1);
}

void plait__free(const plait_allocator *allocator, void *block, uint64_t bytes)
{
	(void)allocator;
	(void)bytes;
	if (block != NULL)
		mc_free(block);
}

/* --- the parts of a program: marks that races show in */

plait_status plait__lane_program_compile(plait__lane_program *lane_program,
					 const plait__program *program, bool serial,
					 const plait__lane_merge *merge, plait_error *error)
{
	(void)program;
	(void)merge;
	(void)error;
	MC_CHECK(serial);
	AT_PLAIN_WRITE(lane_program->lane_count) = 1;
	at_add_u32(&compiled, 1);
	return PLAIT_OK;
}

plait_status plait__lane_set_make(plait__lane_set *set, plait__instance *instance,
				  const plait__lane_program *lane_program,
				  void (*end_run)(plait__instance *instance),
				  plait_error *error)
{
	(void)end_run;
	(void)error;
	AT_PLAIN_WRITE(set->instance) = instance;
	set->compiled = lane_program;
	set->externals = (plait__external *)(void *)set;
	return PLAIT_OK;
}

/* The lane set is there, and complete. */
static void see(const plait__lane_set *set)
{
	MC_CHECK(set != NULL);
	MC_CHECK(AT_PLAIN_READ(set->instance) != NULL);
	MC_CHECK(set->compiled != NULL);
	MC_CHECK(AT_PLAIN_READ(set->compiled->lane_count) == 1);
}

/* The recording of the run has begun; or the run has none. */
static void see_recording(const plait__recording *recording)
{
	if (recording == NULL)
		return;
	MC_CHECK(recording->started && recording->ring_count == 1);
	MC_CHECK(recording->rings[0].capacity == RECORDS);
	MC_CHECK(recording->rings[0].entries == recording->entries);
}

void plait__lane_set_start(plait__lane_set *set, bool here)
{
	(void)here;
	see(set);
	see_recording(set->instance->recording);
}

bool plait__lane_set_drive(plait__lane_set *set)
{
	see(set);
	return false;
}

uint32_t plait__lane_set_find_command(const plait__lane_set *set)
{
	see(set);
	return PLAIT__NONE;
}

/* Kinds that the plan has none of are absent. */
void plait__lane_set_free(plait__lane_set *set)
{
	if (set->instance != NULL)
		see(set);
}

void plait__cancel_external(plait__external *first)
{
	see((const plait__lane_set *)(const void *)first);
}

void plait__external_describe_blocked(plait__external *first, plait__blocked_on *out)
{
	(void)first;
	(void)out;
}

bool plait__coroutine_command_is_bound(const plait__program *program,
				       uint32_t index)
{
	(void)program;
	(void)index;
	return false;
}

bool plait__external_matches(const plait__program *program, uint32_t index)
{
	(void)program;
	(void)index;
	return true;
}

/* --- the other functions that the sources are linked with, without effect */

/* The host engine, except that its instances have to be made recordable. */
static plait_status queue_prepare(plait__program *program, plait_error *error)
{
	return plait__host_engine.prepare(program, error);
}

static void queue_discard(plait__program *program)
{
	plait__host_engine.discard(program);
}

static plait_status queue_make(plait__instance *instance, plait_error *error)
{
	return plait__host_engine.make(instance, error);
}

static void queue_unmake(plait__instance *instance)
{
	plait__host_engine.unmake(instance);
}

static plait_status queue_make_record(plait__instance *instance,
				      plait_error *error)
{
	(void)error;
	at_store_relaxed_u32(&recordable[instance->index], 1);
	return PLAIT_OK;
}

static void queue_start(plait__instance *instance, bool inline_ok)
{
	if (instance->recording != NULL)
		MC_CHECK(at_load_relaxed_u32(&recordable[instance->index]));
	plait__host_engine.start(instance, inline_ok);
}

static bool queue_drive(plait__instance *instance)
{
	return plait__host_engine.drive(instance);
}

static void queue_cancel(plait__instance *instance)
{
	plait__host_engine.cancel(instance);
}

const plait__engine plait__queue_engine = {
	.name = "queue", .prepare = queue_prepare, .discard = queue_discard,
	.make = queue_make, .unmake = queue_unmake,
	.make_record = queue_make_record, .start = queue_start,
	.drive = queue_drive, .cancel = queue_cancel
};

#define NOTHING(name, ...)                                                    \
	void name(__VA_ARGS__)                                                \
	{                                                                     \
	}
#define GOOD(name, ...)                                                       \
	plait_status name(__VA_ARGS__)                                        \
	{                                                                     \
		return PLAIT_OK;                                              \
	}
#define NUMBER(type, name, ...)                                               \
	type name(__VA_ARGS__)                                                \
	{                                                                     \
		return 0;                                                     \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
GOOD(plait__unbound_state_seal, plait__plan_object *of, plait_error *error)
GOOD(plait__frame_layout_make, plait__frame_layout *layout, const plait__plan_object *of,
	bool maps, plait_error *error)
NOTHING(plait__frame_layout_free, plait__frame_layout *layout)
GOOD(plait__frame_make, plait__frame *frame, const plait__frame_layout *layout,
	plait_error *error)
NOTHING(plait__frame_free, plait__frame *frame)
GOOD(plait__skipped_calls_make, plait__instance *instance, plait_error *error)
NOTHING(plait__skipped_calls_free, plait__instance *instance)
GOOD(plait__section_pool_add, plait__section_pool *home, const plait__device *device,
	plait_error *error)
NOTHING(plait__section_pool_free, plait__section_pool *home)
GOOD(plait__rehearse_make, const plait__program *program,
	plait__rehearsal **out, plait_error *error)
NOTHING(plait__rehearse_free, const plait__program *program,
	plait__rehearsal *rehearsal)
GOOD(plait__run_reserve_all, plait__program *program, plait_error *error)
NOTHING(plait__run_free_all, plait__program *program)
NOTHING(plait__kernel_versions_free, plait__program *program)
GOOD(plait__run_conflicts_find, plait__program *program, plait_error *error)
NOTHING(plait__run_conflicts_free, plait__program *program)
NOTHING(plait__instance_start_deferred, plait__instance *instance,
	const plait_error *why)
NOTHING(plait__instance_release, plait__instance *instance)
GOOD(plait__counter_reserve_callbacks, plait__pool *pool, uint32_t count,
	plait_error *error)
NOTHING(plait__counter_unreserve_callbacks, plait__pool *pool, uint32_t count)
NUMBER(uint32_t, plait__pool_worker_count, const plait__pool *pool)
NUMBER(uint32_t, plait__pool_processor_count, const plait__pool *pool)
NUMBER(bool, plait__device_is_host, const plait__device *device)
NUMBER(const char *, plait__kernel_lacks, const plait__kernel *kernel,
	const plait__device *device)
NUMBER(const char *, plait__command_text, const plait__plan *of,
	uint32_t index, char room[PLAIT__COMMAND_TEXT_BYTES])
NUMBER(uint64_t, plait__plan_iterations, uint32_t kind, uint64_t times)
NUMBER(bool, plait__env_query_number, enum plait__env_number which,
	uint64_t *out)
NOTHING(plait__mode_timer_init, plait__mode_timer *timer, uint32_t threads,
	uint64_t worth_ns)
NOTHING(plait__mode_timer_restart, plait__mode_timer *timer)
NOTHING(plait__mode_timer_end, plait__mode_timer *timer,
	const plait__timed_run *run, uint64_t ns)
GOOD(plait__lane_merge_make, plait__lane_merge *merge, const plait__plan *of,
	uint32_t threads, const plait_allocator *allocator, plait_error *error)
NOTHING(plait__lane_merge_free, plait__lane_merge *merge, const plait__plan *of,
	const plait_allocator *allocator)
NOTHING(plait__lane_program_free, plait__lane_program *lane_program)
NUMBER(bool, plait__steal_program_applies, const plait__plan *of)
GOOD(plait__steal_program_compile, plait__steal_program *helped,
	const plait__program *program, const plait__lane_merge *merge,
	plait_error *error)
NOTHING(plait__steal_program_free, plait__steal_program *helped)
GOOD(plait__steal_set_make, plait__steal_set *set, plait__instance *instance,
	const plait__steal_program *helped,
	void (*end_run)(plait__instance *instance), plait_error *error)
NOTHING(plait__steal_set_free, plait__steal_set *set)
NOTHING(plait__steal_set_start, plait__steal_set *set, bool here)
NUMBER(bool, plait__steal_set_drive, plait__steal_set *set)
NUMBER(plait__call_op *, plait__call_op_remake, const plait__program *program,
	plait__object *const *kernels, const plait__call_op *ops, uint32_t count)
NOTHING(plait__instance_complete, plait__instance *instance)
GOOD(plait__plan_object_enter, plait_plan *handle, plait__plan_object **out,
	plait_error *error)
NOTHING(plait__object_leave, plait__object *object)

/* --- threads */

static plait__program *program_of(void)
{
	plait__program *program = NULL;

	MC_CHECK(plait__prepare_program(plan_object, &program, NULL) ==
		 PLAIT_OK);
	MC_CHECK(program != NULL &&
		 program->engine == (plan_object->on_queues ?
				     &plait__queue_engine :
				     &plait__host_engine));
	MC_CHECK(program->instances != NULL);
	MC_CHECK(program->instances[INSTANCES - 1].state != NULL);
	return program;
}

/* Each has an instance of its own. */
static void run_made(uint32_t self)
{
	plait__program *program = program_of();

	program->engine->start(&program->instances[self], true);
	(void)program->engine->drive(&program->instances[self]);
}

/* As plait_plan_record. */
static void record(plait__program *program)
{
	plait__mutex_lock(&plan_object->preparing);
	if (plait__program_recorder(program) == NULL)
		MC_CHECK(plait__program_make_recorder(program, RECORDS, NULL) ==
			 PLAIT_OK);
	plait__mutex_unlock(&plan_object->preparing);
}

static void run_recorded(plait__program *program, plait__instance *instance)
{
	plait__recorder *recorder = plait__program_recorder(program);

	if (recorder == NULL)
		return;
	MC_CHECK(plait__recorder_acquire(recorder, &instance->recording, NULL) ==
		 PLAIT_OK);
	program->engine->start(instance, true);
	(void)program->engine->drive(instance);
	plait__recorder_release(recorder, instance->recording);
	instance->recording = NULL;
	at_add_u32(&recorded, 1);
}

/* Thread 0 has a run in flight, the next begins one that is recorded if it can
 * be, and the last switches recording on. */
static void run_recording(uint32_t self)
{
	plait__program *program = program_of();

	if (self == 0) {
		program->engine->start(&program->instances[0], true);
		(void)program->engine->drive(&program->instances[0]);
		program->engine->cancel(&program->instances[0]);
	} else if (self == 1) {
		run_recorded(program, &program->instances[1]);
	} else {
		record(program);
	}
}

/* Thread 0 runs, and the other switches recording on. */
static void run_driven(uint32_t self)
{
	plait__program *program = program_of();

	if (self == 1)
		record(program);
	else if (mc_choose(2) != 0)
		(void)program->engine->drive(&program->instances[0]);
	else
		program->engine->cancel(&program->instances[0]);
}

/* Both switch recording on, and one of them makes the recorder. */
static void run_both(uint32_t self)
{
	plait__program *program = program_of();

	record(program);
	run_recorded(program, &program->instances[self]);
}

/* --- scenarios */

static void begin(void)
{
	memset(&context, 0, sizeof(context));
	plan_object = mc_alloc(sizeof(*plan_object));
	plan_object->object.context = &context;
	plan_object->plan = &plan;
	plan_object->instances = INSTANCES;
	at_init_ptr(&plan_object->program, NULL);
	plait__mutex_init(&plan_object->preparing);
	command = (plait__plan_command){ .kind = PLAIT__CMD_JOIN };
	plan = (plait__plan){ .commands = &command, .command_count = 1,
			      .lanes_count = 1 };
	at_init_u32(&compiled, 0);
	at_init_u32(&recorded, 0);
	for (uint32_t i = 0; i < INSTANCES; i++)
		at_init_u32(&recordable[i], 0);
}

static void begin_queues(void)
{
	begin();
	plan_object->on_queues = true;
	(void)program_of();
}

static void begin_ready(void)
{
	begin();
	(void)program_of();
}

static void end(void)
{
	MC_CHECK(at_load_relaxed_u32(&compiled) == 1);
	plan_object->end_program(at_load_relaxed_ptr(&plan_object->program));
}

static void end_both(void)
{
	MC_CHECK(at_load_relaxed_u32(&recorded) == 2);
	end();
}

static const struct mc_scenario made = {
	"a program is made by whoever is first", begin, run_made, end, 2, 4,
	2, 0, 4000
};
static const struct mc_scenario driven = {
	"a run is driven or cancelled while recording is switched on",
	begin_ready, run_driven, end, 2, 4, 2, 0, 4000
};
static const struct mc_scenario recording = {
	"runs, recorded runs, and the start of recording", begin_ready,
	run_recording, end, 3, 3, 1, 0, 4000
};
static const struct mc_scenario both = {
	"two make a recorder", begin, run_both, end_both, 2, 4, 2, 0, 4000
};
static const struct mc_scenario queues = {
	"an engine makes instances recordable while runs are in flight",
	begin_queues, run_recording, end, 3, 3, 1, 0, 4000
};

static const struct mc_scenario *const scenarios[] = {
	&made, &driven, &recording, &both, &queues,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = {
		"run/api/prepare.h",
		"run/program.c",
		"run/program.h",
		"run/host/host_engine.c",
		"run/record/recorder.c",
		NULL
	};

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "made", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
