/* SPDX-License-Identifier: MIT */
/* Commands that complete on their lane, each as one function call; see
 * call_op.h. */
#include "run/host/call_op.h"

#include "run/args/payload_util.h"
#include "run/rehearse.h"

#include "base/alloc.h"
#include "object/kernel/kernel.h"
#include "pool/command.h"

#include <string.h>

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* The pointer in a cell. */
static void *pointer_at(void *const *arguments, uint32_t index)
{
	return *(void **)arguments[index];
}

static int32_t copy(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const plait__plan_payload *payload = user_data;

	(void)launch;
	if (payload->bytes > 0)
		memcpy(pointer_at(arguments, 0), pointer_at(arguments, 1),
		       payload->bytes);
	return 0;
}

static int32_t copy_rows(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	const plait__plan_payload *payload = user_data;
	struct plait__command command = {
		.kind = PLAIT_WORK_COPY,
		.pattern_bytes = 1,
		.bytes = payload->bytes & PLAIT__COMMAND_MAX_BYTES,
	};

	(void)launch;
	command.target = pointer_at(arguments, 0);
	command.source = pointer_at(arguments, 1);
	command.rows = arguments[2];
	plait__command_move(&command);
	return 0;
}

static int32_t fill(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const plait__plan_payload *payload = user_data;
	struct plait__command command = {
		.kind = PLAIT_WORK_FILL,
		.pattern_bytes = payload->small & 0xff,
		.bytes = payload->bytes & PLAIT__COMMAND_MAX_BYTES,
		.pattern = payload->value,
	};

	(void)launch;
	command.target = pointer_at(arguments, 0);
	plait__command_move(&command);
	return 0;
}

/* Result of a launch of more items than a word counts. */
enum { TOO_MANY_ITEMS = -1 };

/* A launch whose items follow series may have none; `user_data` is the
 * kernel. */
static int32_t launch_sized(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	const plait__kernel *kernel = user_data;
	uint64_t total = 1;

	for (uint32_t i = 0; i < launch->dimensions; i++)
		if (launch->items[i] == 0)
			return 0;
	for (uint32_t i = 0; i < launch->dimensions; i++)
		if (__builtin_mul_overflow(total, launch->items[i], &total))
			return TOO_MANY_ITEMS;
	return kernel->function(arguments, launch, kernel->user_data);
}

static void make_launch(const plait__program *program,
			plait__object *const *kernels,
			plait__plan_payload *payload, plait__call_op *out)
{
	plait__kernel *kernel;

	if (kernels == NULL)
		kernels = program->plan_object->kernels;
	kernel = (plait__kernel *)kernels[payload->kernel];

	out->is_host = 0;
	out->kernel = kernel->function;
	out->user_data = kernel->user_data;
	out->launch = plait__frame_launch_word(&program->layout, out->command,
					       payload->geometry);
	if (!plait__payload_has_series(program->plan, payload))
		return;
	out->kernel = launch_sized;
	out->user_data = kernel;
}

/* A host function that gets memory which the run has bound; `user_data` is the
 * function's entry. */
static int32_t call_bound(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const plait__store_function *host = user_data;

	(void)launch;
	return host->function(pointer_at(arguments, 0));
}

/* `out` is a host function's already (is_host).  The plan's function is bound,
 * as the plan is sealed. */
static void make_host(const plait__program *program,
		      const plait__plan_payload *payload, plait__call_op *out)
{
	plait__store_function *host =
		&program->plan_object->functions[payload->object];

	out->host = host->function;
	out->user_data = host->user_data;
	if (payload->arg_count == 0)
		return;
	out->is_host = 0;
	out->kernel = call_bound;
	out->user_data = host;
}

static void make_move(plait_kernel_function move,
		      plait__plan_payload *payload, plait__call_op *out)
{
	out->is_host = 0;
	out->kernel = move;
	out->user_data = payload;
}

void plait__call_op_make(const plait__program *program,
			 plait__object *const *kernels, uint32_t command,
			 plait__call_op *out)
{
	const plait__plan *plan = program->plan;
	const plait__plan_command *at = &plan->commands[command];
	plait__plan_payload *payload = at->link < plan->payloads_count ?
				       &plan->payloads[at->link] : NULL;

	*out = (plait__call_op){ .host = do_nothing, .command = command,
			    .arguments = program->layout.arguments[command],
			    .is_host = 1 };
	if (program->rehearsal != NULL) {
		out->host = plait__rehearse_work;
		out->user_data = plait__rehearse_spins(program->rehearsal,
						       command);
		return;
	}
	if (payload == NULL)
		return;
	switch (at->kind) {
	case PLAIT__CMD_LAUNCH:
		make_launch(program, kernels, payload, out);
		break;
	case PLAIT__CMD_HOST:
		make_host(program, payload, out);
		break;
	case PLAIT__CMD_COPY:
		make_move(payload->arg_count > 2 ? copy_rows : copy, payload,
			  out);
		break;
	case PLAIT__CMD_FILL:
		make_move(fill, payload, out);
		break;
	default:
		break;
	}
}

plait__call_op *plait__call_op_remake(const plait__program *program,
				      plait__object *const *kernels,
				      const plait__call_op *ops, uint32_t count)
{
	plait__call_op *made = plait__alloc_array(
		plait__program_allocator(program), count, sizeof(*made));

	for (uint32_t i = 0; made != NULL && i < count; i++)
		plait__call_op_make(program, kernels, ops[i].command, &made[i]);
	return made;
}
