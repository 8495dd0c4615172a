/* SPDX-License-Identifier: MIT */
/*
 * The interposer check: the decider of a loop of a segment has to be a launch
 * of the loop's own body.  Chaos with dummy kernels: no segment is run.
 */
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

enum { MOST = 6 };

static plait_backend_memory *memory;
static plait_backend_kernel *kernel;
static plait_backend_launch *launch;

/* ---- dummy kernels ---- */

static plait_status build(plait_backend *self, uint32_t device,
			  const plait_code *code, plait_backend_kernel **out,
			  plait_error *error)
{
	static char one;

	(void)self;
	(void)device;
	(void)code;
	(void)error;
	*out = (plait_backend_kernel *)(void *)&one;
	return PLAIT_OK;
}

static void destroy_kernel(plait_backend *self, plait_backend_kernel *one)
{
	(void)self;
	(void)one;
}

static plait_status bind(plait_backend *self,
			 const plait_launch_request *request,
			 plait_backend_launch **out, plait_error *error)
{
	static char one;

	(void)self;
	(void)request;
	(void)error;
	*out = (plait_backend_launch *)(void *)&one;
	return PLAIT_OK;
}

static void destroy_launch(plait_backend *self, plait_backend_launch *one)
{
	(void)self;
	(void)one;
}

static bool set_up(void)
{
	static const plait_code code = {
		.size = sizeof(code), .form = PLAIT_SOURCE_C, .code = "none",
		.bytes = 4, .entry = "none", .name = "none",
	};
	plait_launch_request request = {
		.size = sizeof(request), .dimensions = 1,
		.items = { 1, 1, 1 },
	};
	plait_backend_table table;

	if (!OK(fakehost_load("chaos", &table)))
		return false;
	table.kernel_build = build;
	table.kernel_destroy = destroy_kernel;
	table.launch_create = bind;
	table.launch_destroy = destroy_launch;
	if (!bed_wrap("check", "", &table))
		return false;
	memory = bed_memory_on(0, 64);
	IS_INT(bed.table.kernel_build(bed.self, 0, &code, &kernel,
				      &bed.error), PLAIT_OK);
	request.kernel = kernel;
	IS_INT(bed.table.launch_create(bed.self, &request, &launch,
				       &bed.error), PLAIT_OK);
	return OK(memory && launch);
}

static void tear_down(void)
{
	bed.table.launch_destroy(bed.self, launch);
	bed.table.kernel_destroy(bed.self, kernel);
	bed.table.memory_destroy(bed.self, memory);
}

/* ---- segments ---- */

static plait_work region_of(const plait_work_region *region)
{
	return (plait_work){
		.size = sizeof(plait_work), .kind = PLAIT_WORK_REGION,
		.source = memory, .bytes = 4, .region = region,
	};
}

/*
 * 0: a region of `kind` with the next four commands, decided by `decider`
 *     1: while { 2: a launch }
 *     3: a fill
 *     4: a launch
 * 5: a launch
 */
static plait_status make(uint32_t kind, uint32_t decider,
			 uint32_t inner_decider)
{
	static const uint32_t outer_work = 4, inner_work = 1;
	static const uint32_t before_first[MOST + 1];
	const plait_work_region outer = {
		.size = sizeof(outer), .kind = kind, .body_work = &outer_work,
		.body_count = 1, .decider = decider,
	};
	const plait_work_region inner = {
		.size = sizeof(inner), .kind = PLAIT_WORK_WHILE,
		.body_work = &inner_work, .body_count = 1,
		.decider = inner_decider,
	};
	const plait_work fill = {
		.size = sizeof(fill), .kind = PLAIT_WORK_FILL,
		.target = memory, .target_offset = 8, .bytes = 4,
		.pattern_bytes = 4,
	};
	const plait_work run = { .size = sizeof(run),
				 .kind = PLAIT_WORK_LAUNCH,
				 .launch = launch };
	const plait_work work[MOST] = {
		region_of(&outer), region_of(&inner), run, fill, run, run,
	};
	const plait_segment_request request = {
		.size = sizeof(request), .work = work, .work_count = MOST,
		.before_first = before_first,
	};
	plait_backend_segment *segment = NULL;
	plait_status status = bed.table.segment_create(
		bed.self, 0, &request, &segment, &bed.error);

	if (status == PLAIT_OK)
		bed.table.segment_destroy(bed.self, segment);
	return status;
}

static void launches_of_the_body(void)
{
	if (!set_up())
		return;
	IS_INT(make(PLAIT_WORK_WHILE, 0, 0), PLAIT_OK);
	IS_INT(make(PLAIT_WORK_WHILE, 4, 0), PLAIT_OK);
	IS_INT(make(PLAIT_WORK_DO, 4, 0), PLAIT_OK);
	IS_INT(make(PLAIT_WORK_DO, 4, 2), PLAIT_OK);
	IS_INT(make(PLAIT_WORK_CASE, 0, 2), PLAIT_OK);
	tear_down();
	bed_close();
}

static void refuse(uint32_t kind, uint32_t decider, uint32_t inner_decider)
{
	static const char why[] =
		"the decider of a loop is no launch of its body";

	if (!set_up())
		return;
	OK_THAT(make(kind, decider, inner_decider) == PLAIT_E_INTERNAL,
		"%u, %u in a region of kind %u", decider, inner_decider, kind);
	HAS_STR(bed.error.text, why);
	tear_down();
	HAS_STR(bed.host.log, "check: the core broke a rule, ");
	OK(!strstr(bed.host.log, "the backend broke"));
	bed_close_sinful();
}

static void others(void)
{
	/* The inner loop, a launch in its body, a fill. */
	for (uint32_t i = 1; i < 4; i++)
		refuse(PLAIT_WORK_WHILE, i, 0);
	/* Behind the body, and behind the segment. */
	refuse(PLAIT_WORK_WHILE, 5, 0);
	refuse(PLAIT_WORK_DO, MOST, 0);
	refuse(PLAIT_WORK_DO, UINT32_MAX, 0);
	/* For the inner loop: a command in front of it, or of the outer body. */
	refuse(PLAIT_WORK_WHILE, 0, 1);
	refuse(PLAIT_WORK_WHILE, 4, 4);
	/* A branch is decided once, before it starts. */
	refuse(PLAIT_WORK_CASE, 4, 0);
}

static const struct tap_scenario all[] = {
	{ "launches of the body", launches_of_the_body },
	{ "others", others },
};
TAP_MAIN(all)
