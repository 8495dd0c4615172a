/* SPDX-License-Identifier: MIT */
/*
 * Replacement of kernels while plans run, under every interleaving: no thread
 * runs released code, all code is released in the end, and so is each kernel,
 * as often as it was retained.  kernel_versions.c as it is; the engine's code
 * and the runs are here.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "base/alloc.h"
#include "base/text.h"
#include "graph/plan/plan_object.h"
#include "object/kernel/kernel.h"
#include "run/api/prepare.h"
#include "run/kernel_versions.h"

#include <string.h>

enum { INSTANCES = 2, KERNELS = 3 };

/* The code that a run calls. */
struct code {
	at_u32 runs;
	plait__object *kernel;
};

static plait__plan_object plan_object;
static plait__program *program;
static plait__instance *instances;
static plait__plan plan;
static plait__plan_command command;
static plait__plan_payload payload;
static plait__plan_geometry geometry;
static plait__plan_lane lane;
static plait__device *const no_device;
static plait__kernel kernels[KERNELS];
static plait__object *first_kernels[1];
static const plait__signature signature = { .text = "void f()" };
static at_u32 holds[KERNELS];
static at_u32 codes; /* that there are */
static at_u32 exchanged;

/* --- memory */

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	(void)allocator;
	return mc_alloc(bytes);
}

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t bytes)
{
	return plait__alloc(allocator, count * bytes);
}

void plait__free(const plait_allocator *allocator, void *block, uint64_t bytes)
{
	(void)allocator;
	(void)bytes;
	if (block != NULL)
		mc_free(block);
}

/* --- kernels, and the engine's code for them */

static at_u32 *holds_of(const plait__object *object)
{
	return &holds[(const plait__kernel *)(const void *)object - kernels];
}

void plait__object_hold(plait__object *object)
{
	at_add_u32(holds_of(object), 1);
}

void plait__object_drop_deferred(plait__object *object)
{
	MC_CHECK(at_sub_u32(holds_of(object), 1) > 0);
}

static plait_status recode(plait__program *of, plait__object *const *now,
			   void **out, plait_error *error)
{
	struct code *code = mc_alloc(sizeof(*code));

	(void)error;
	MC_CHECK(of == program && code != NULL);
	at_init_u32(&code->runs, 0);
	AT_PLAIN_WRITE(code->kernel) = now[0];
	at_add_u32(&codes, 1);
	*out = code;
	return PLAIT_OK;
}

/* No run uses it, nor will. */
static void forget(plait__program *of, void *made)
{
	struct code *code = made;

	MC_CHECK(of == program);
	MC_CHECK(at_load_relaxed_u32(&code->runs) == 0);
	mc_free(code);
	at_sub_u32(&codes, 1);
}

static const plait__engine engine = { .name = "none", .recode = recode,
				      .forget = forget };

/* --- the other functions that it is linked with */

plait_status plait__plan_object_enter(plait_plan *handle, plait__plan_object **out,
				      plait_error *error)
{
	(void)error;
	*out = (plait__plan_object *)(void *)handle;
	return PLAIT_OK;
}

plait_status plait__handle_enter(const void *handle, int32_t type, void **out,
				 plait_error *error)
{
	(void)error;
	(void)type;
	*out = (void *)(uintptr_t)handle;
	return PLAIT_OK;
}

void plait__object_leave(plait__object *object)
{
	(void)object;
}

plait_status plait__prepare_new_program(plait__plan_object *of,
					plait__program **out,
					plait_error *error)
{
	(void)of;
	(void)out;
	(void)error;
	return PLAIT_E_INTERNAL;
}

plait_status plait__context_fail_other(const plait__object *one,
				       const plait__object *other,
				       plait_error *error)
{
	(void)one;
	(void)other;
	(void)error;
	return PLAIT_OK;
}

void plait__reclaim_pending(plait__context *context)
{
	(void)context;
}

const char *plait__kernel_lacks(const plait__kernel *kernel,
				const plait__device *device)
{
	(void)kernel;
	(void)device;
	return NULL;
}

plait_status plait__select_source_set_groups(const plait__kernel *kernel,
					     plait_launch *launch, plait_error *error)
{
	(void)kernel;
	(void)launch;
	(void)error;
	return PLAIT_OK;
}

const char *plait__command_text(const plait__plan *of, uint32_t index,
				char room[PLAIT__COMMAND_TEXT_BYTES])
{
	(void)of;
	(void)index;
	room[0] = '\0';
	return room;
}

int plait__text_fit(const char *text, uint64_t limit)
{
	(void)text;
	return (int)limit;
}

/* --- threads */

/* As plait__instance_begin, and then the run's own part. */
static void run_once(plait__instance *instance)
{
	struct code *code;

	if (at_load_acquire_ptr(&program->version) != instance->version)
		plait__kernel_versions_adopt(instance);
	if (instance->version == NULL)
		return;
	code = instance->version->code;
	at_add_u32(&code->runs, 1);
	MC_CHECK(AT_PLAIN_READ(code->kernel) != NULL);
	at_sub_u32(&code->runs, 1);
}

static bool exchange(uint32_t from, uint32_t to)
{
	plait_status status = plait_plan_exchange(
		(plait_plan *)(void *)&plan_object,
		(plait_kernel *)(void *)&kernels[from],
		(plait_kernel *)(void *)&kernels[to], NULL);

	MC_CHECK(status == PLAIT_OK || status == PLAIT_E_INVALID);
	if (status == PLAIT_OK)
		at_add_u32(&exchanged, 1);
	return status == PLAIT_OK;
}

/* Thread 0 runs, again and again; the other replaces twice. */
static void run_one(uint32_t self)
{
	if (self == 0) {
		run_once(&instances[0]);
		run_once(&instances[0]);
		return;
	}
	MC_CHECK(exchange(0, 1));
	MC_CHECK(exchange(1, 2));
}

/* Two run; the third replaces, and then runs none of the replaced code. */
static void run_two(uint32_t self)
{
	if (self < INSTANCES) {
		run_once(&instances[self]);
		run_once(&instances[self]);
	} else {
		MC_CHECK(exchange(0, 1));
	}
}

/* The second thread finds the kernel gone. */
static void run_rivals(uint32_t self)
{
	if (exchange(0, 1 + self))
		run_once(&instances[self]);
}

/* --- scenarios */

static void begin_plan(void)
{
	payload = (plait__plan_payload){ .kernel = 0 };
	command = (plait__plan_command){ .kind = PLAIT__CMD_LAUNCH };
	plan = (plait__plan){
		.commands = &command, .command_count = 1,
		.payloads = &payload, .payloads_count = 1,
		.geometries = &geometry, .lanes = &lane, .lanes_count = 1,
		.kernels_count = 1,
	};
	memset(&plan_object, 0, sizeof(plan_object));
	plan_object.plan = &plan;
	plan_object.kernels = first_kernels;
	plan_object.devices = (void **)(uintptr_t)&no_device;
}

static void begin(void)
{
	begin_plan();
	program = mc_alloc(sizeof(*program));
	instances = mc_alloc(INSTANCES * sizeof(*instances));
	for (uint32_t i = 0; i < KERNELS; i++) {
		kernels[i].signature = &signature;
		at_init_u32(&holds[i], i == 0);
	}
	first_kernels[0] = &kernels[0].object;
	program->plan_object = &plan_object;
	program->plan = &plan;
	program->engine = &engine;
	program->instances = instances;
	program->instance_count = INSTANCES;
	at_init_ptr(&program->version, NULL);
	plait__mutex_init(&program->exchanging);
	for (uint32_t i = 0; i < INSTANCES; i++)
		instances[i].program = program;
	at_init_ptr(&plan_object.program, program);
	at_init_u32(&codes, 0);
	at_init_u32(&exchanged, 0);
}

/* The next run has the newest, and then all are released. */
static void end(void)
{
	const plait__kernel_version *newest = at_load_relaxed_ptr(&program->version);

	run_once(&instances[0]);
	MC_CHECK(newest->number == at_load_relaxed_u32(&exchanged));
	MC_CHECK(instances[0].version == newest);
	plait__kernel_versions_free(program);
	MC_CHECK(at_load_relaxed_u32(&codes) == 0);
	for (uint32_t i = 0; i < KERNELS; i++)
		MC_CHECK(at_load_relaxed_u32(&holds[i]) == (i == 0));
}

static const struct mc_scenario one = {
	"one runs, another exchanges twice", begin, run_one, end, 2, 4, 2, 0,
	6000
};
static const struct mc_scenario two = {
	"two run, a third exchanges", begin, run_two, end, 3, 3, 1, 0, 6000
};
static const struct mc_scenario rivals = {
	"two exchange the same kernel", begin, run_rivals, end, 2, 4, 2, 0,
	4000
};

static const struct mc_scenario *const scenarios[] = {
	&one, &rivals, &two,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "run/kernel_versions.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "versions", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
