/* SPDX-License-Identifier: MIT */
/* Sized structs of runs, their parameters and their records. */
#include "sizes.h"

static const uint32_t by = 1;

/* The parameter of that name. */
static plait_binding bound(const char *name)
{
	plait_binding binding = { .size = sizeof(binding) };

	IS_INT(plait_plan_find_parameter(stage.plan, name, &binding.parameter,
				    NULL), PLAIT_OK);
	if (name[0] == 'x')
		binding.buffer = stage.buffer;
	else
		binding.value = &by;
	if (name[0] != 'x')
		binding.bytes = sizeof(by);
	return binding;
}

static plait_status try_bindings(struct trial *trial)
{
	const plait_binding good[] = { bound("x"), bound("by") };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = GIVEN_ALL(good),
				      .binding_count = TAP_COUNT(good) };

	return plait_plan_call(stage.plan, NULL, &desc, &stage.error);
}

static plait_status try_desc(struct trial *trial)
{
	const plait_binding bindings[] = { bound("x"), bound("by") };
	const plait_run_desc good = { .bindings = bindings,
				      .binding_count = TAP_COUNT(bindings) };

	return plait_plan_call(stage.plan, NULL, GIVEN(good), &stage.error);
}

/* A run that has ended and was recorded; the caller owns it. */
static plait_run *make_run(void)
{
	const plait_binding bindings[] = { bound("x"), bound("by") };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD,
				      .bindings = bindings,
				      .binding_count = TAP_COUNT(bindings) };
	plait_run *run = NULL;

	IS_INT(plait_plan_record(stage.plan, 0, NULL), PLAIT_OK);
	IS_INT(plait_plan_run(stage.plan, stage.rig.queue, &desc, &run, NULL),
	       PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	return run;
}

static plait_status try_run_info(struct trial *trial)
{
	const plait_run_info good = { .size = 0 };
	plait_run *run = make_run();
	plait_status status = plait_run_query(run, GIVEN(good), &stage.error);

	plait_run_release(run);
	return status;
}

static plait_status try_record(struct trial *trial)
{
	const plait_record good = { .size = 0 };
	plait_run *run = make_run();
	plait_status status = plait_run_records(run, GIVEN(good), 1, NULL,
						NULL, &stage.error);

	plait_run_release(run);
	return status;
}

static plait_status tune(const plait_tune_desc *desc, plait_tune_info *info)
{
	plait_plan *plan = NULL;
	plait_status status;

	plait_run_release(make_run());
	status = plait_plan_tune(stage.plan, desc, &plan, info, &stage.error);
	plait_plan_release(plan);
	return status;
}

static plait_status try_tune(struct trial *trial)
{
	const plait_tune_desc good = { .lanes = 1 };

	return tune(GIVEN(good), NULL);
}

static plait_status try_tuned(struct trial *trial)
{
	const plait_tune_info good = { .size = 0 };

	return tune(NULL, GIVEN(good));
}

static plait_status try_parameter(struct trial *trial)
{
	const plait_parameter_info good = { .size = 0 };

	return plait_plan_query_parameter(stage.plan, 0, GIVEN(good),
					  &stage.error);
}

static plait_status try_command(struct trial *trial)
{
	const plait_command_info good = { .size = 0 };

	return plait_plan_query_command(stage.plan, 0, GIVEN(good), &stage.error);
}

static plait_status try_callable(struct trial *trial)
{
	const plait_callable_desc good = {
		.signature = "f(x: pointer u8, by: u32): i32"
	};
	plait_callable *callable = NULL;
	plait_status status = plait_callable_create(stage.plan, GIVEN(good),
						    &callable, &stage.error);

	plait_callable_release(callable);
	return status;
}

const struct sized sized_runs[] = {
	SIZED(plait_binding, try_bindings, false),
	SIZED(plait_run_desc, try_desc, false),
	SIZED(plait_run_info, try_run_info, true),
	SIZED(plait_record, try_record, true),
	SIZED(plait_tune_desc, try_tune, false),
	SIZED(plait_tune_info, try_tuned, true),
	SIZED(plait_parameter_info, try_parameter, true),
	SIZED(plait_command_info, try_command, true),
	SIZED(plait_callable_desc, try_callable, false, true),
	{ .call = NULL }
};
