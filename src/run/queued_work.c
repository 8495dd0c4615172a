/* SPDX-License-Identifier: MIT */
/*
 * How a command of a plan becomes work of a backend: the one place that knows
 * both.  Copies and fills are what backends do themselves.  Functions of the
 * host, kernels among them, are calls that find their arguments when they run:
 * memory is mapped for as long as that, since a mapping may be a copy, and
 * what takes turns is what the iteration that runs has.
 */
#include "run/queued.h"

#include "run/bind.h"
#include "run/op.h"
#include "run/words.h"

#include "base/error.h"
#include "object/buffer.h"
#include "object/port.h"
#include "pool/state.h"
#include "sys/thread.h"

/* What a call answers that was not made, so that nothing behind it runs. */
enum { SKIPPED = -1 };

enum { UNMAP_TRIES = 8 };

/* ---- what devices cannot do ---- */

static bool can_call(const plait__queued *queued, uint32_t lane)
{
	return (plait__device_facts(queued->lanes[lane].device)->capabilities &
		PLAIT_CAP_HOST_CALL) != 0;
}

static const char *lacks_of_region(const plait__queued *queued,
				   uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	uint32_t region = plan->commands[command].link;
	const plait__store_function *function =
		plait__op_predicate(queued->program, region);

	queued->regions[region].function = function;
	if (function == NULL)
		return NULL;
	if (function->inbox != NULL)
		return "is decided by a function of an inbox, which plans on "
		       "queues cannot run yet";
	return can_call(queued, plan->commands[command].lane) ? NULL :
	       "is decided by a host function, which that device cannot call";
}

const char *plait__queued_lacks(const plait__queued *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	if ((at->flags & PLAIT__CMD_MEMBER) != 0)
		return "is a member of a group, which plans on queues cannot "
		       "run yet";
	switch (at->kind) {
	case PLAIT__CMD_HOST:
		return can_call(queued, at->lane) ? NULL :
		       "is a host function, which that device cannot call";
	case PLAIT__CMD_LAUNCH:
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
	case PLAIT__CMD_EMPTY:
	case PLAIT__CMD_MARK:
	case PLAIT__CMD_ENTER:
	case PLAIT__CMD_JOIN:
		return NULL;
	case PLAIT__CMD_REGION:
		return lacks_of_region(queued, command);
	case PLAIT__CMD_EMIT:
	case PLAIT__CMD_WAIT:
		return "is a signal of the user, which plans on queues cannot "
		       "have yet";
	case PLAIT__CMD_CALLBACK:
		return "is a function of an inbox, which plans on queues "
		       "cannot run yet";
	default:
		return "is of a kind that plans on queues cannot run yet";
	}
}

bool plait__queued_has_work(const plait__plan *plan, uint32_t command)
{
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = plait__words_payload(plan,
								  command);

	if (payload == NULL)
		return false;
	if (at->kind == PLAIT__CMD_COPY || at->kind == PLAIT__CMD_FILL)
		return payload->bytes > 0;
	return at->kind == PLAIT__CMD_LAUNCH || at->kind == PLAIT__CMD_HOST;
}

/* ---- arguments of a kernel ---- */

static const plait__signature *signature_of(const plait__program *program,
					    const plait__plan_payload *payload)
{
	return ((const plait__kernel *)
		program->frozen->kernels[payload->kernel])->signature;
}

void plait__queued_count(const plait__program *program, uint32_t command,
			 uint32_t *out_arguments, uint32_t *out_pointers)
{
	const plait__plan *plan = program->plan;
	const plait__plan_payload *payload = plait__words_payload(plan,
								  command);
	const plait__signature *signature;

	*out_arguments = 0;
	*out_pointers = 0;
	if (payload == NULL ||
	    plan->commands[command].kind != PLAIT__CMD_LAUNCH)
		return;
	signature = signature_of(program, payload);
	*out_arguments = payload->arg_count;
	for (uint32_t i = 0; i < payload->arg_count; i++)
		*out_pointers += signature->parameters[i].type ==
				 PLAIT__TYPE_POINTER;
}

static uint32_t map_flags(const plait__parameter *parameter)
{
	switch (parameter->mode) {
	case PLAIT__MODE_IN: return PLAIT_MAP_READ;
	case PLAIT__MODE_OUT: return PLAIT_MAP_WRITE;
	default: return PLAIT_MAP_READ | PLAIT_MAP_WRITE;
	}
}

/* Memory that a kernel is given: all of `buffer` from `offset` on. */
static plait_status map(plait__queued_pointer *pointer, plait__buffer *buffer,
			uint64_t offset, uint32_t flags, plait_error *error)
{
	plait__port *port = buffer->device->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	pointer->value = NULL;
	/* A range without bytes has no address. */
	if (offset >= buffer->bytes)
		return PLAIT_OK;
	status = port->backend->table.memory_map(
		port->backend->self, buffer->root->raw,
		buffer->offset + offset, buffer->bytes - offset, flags,
		&pointer->value, &room);
	status = plait__port_judge_made(port, status, "memory_map",
					pointer->value, &room, error);
	if (status == PLAIT_OK)
		pointer->mapped = buffer;
	return status;
}

/* What failed has changed nothing, and must not stay mapped. */
static plait_status unmap(plait__queued_pointer *pointer, plait_error *error)
{
	plait__buffer *buffer = pointer->mapped;
	plait_error room = { .size = sizeof(room) };
	plait_status status = PLAIT_E_BUSY;
	plait__backend *backend;

	if (buffer == NULL)
		return PLAIT_OK;
	pointer->mapped = NULL;
	backend = buffer->device->port->backend;
	for (int i = 0; i < UNMAP_TRIES && status != PLAIT_OK; i++)
		status = backend->table.memory_unmap(backend->self,
						     buffer->root->raw,
						     pointer->value, &room);
	return plait__port_judge(buffer->device->port, status, "memory_unmap",
				 &room, error);
}

/* Which memory an argument means now; null: none that is a buffer. */
static plait__buffer *find_buffer(const plait__queued_call *call,
				  const plait__plan_arg *arg,
				  uint64_t *out_offset)
{
	const plait__frame *frame = &call->state->instance->frame;
	const plait__frozen *frozen = frame->layout->frozen;
	uint32_t slot = arg->index;

	*out_offset = arg->offset;
	if (arg->kind == PLAIT__ARG_PARAM) {
		*out_offset = frame->bound[arg->index].offset;
		return frame->bound[arg->index].buffer;
	}
	if (arg->kind == PLAIT__ARG_ROTATION) {
		*out_offset = 0;
		slot = plait__frame_slot(frame, arg->index, arg->offset);
	}
	return slot < frozen->plan->slots_count ?
	       (plait__buffer *)frozen->buffers[slot] : NULL;
}

static plait_status find_pointer(plait__queued_call *call,
				 const plait__plan_arg *arg,
				 const plait__parameter *parameter,
				 plait__queued_pointer *pointer,
				 plait_error *error)
{
	plait__buffer *buffer;
	uint64_t offset;

	pointer->value = NULL;
	buffer = find_buffer(call, arg, &offset);
	return buffer == NULL ? PLAIT_OK :
	       map(pointer, buffer, offset, map_flags(parameter), error);
}

static plait_status find_arguments(plait__queued_call *call,
				   plait_error *error)
{
	const plait__plan *plan = call->state->queued->program->plan;
	const plait__frame *frame = &call->state->instance->frame;
	const plait__signature *signature = call->kernel->signature;
	void *const *given = plait__frame_arguments(
		frame, frame->layout->arguments[call->command]);
	plait__queued_pointer *pointer = call->pointers;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < call->count; i++) {
		const plait__plan_arg *arg =
			&plan->args[call->payload->arg_first + i];

		/* Values; and scratch, which the host's code has from the
		 * instance. */
		call->arguments[i] = given[i];
		if (signature->parameters[i].type != PLAIT__TYPE_POINTER ||
		    arg->kind == PLAIT__ARG_SCRATCH)
			continue;
		call->arguments[i] = &pointer->value;
		status = find_pointer(call, arg, &signature->parameters[i],
				      pointer++, error);
	}
	return status;
}

/* All of them; the first failure counts. */
static plait_status lose_arguments(plait__queued_call *call,
				   plait_error *error)
{
	uint32_t arguments, pointers;
	plait_status status = PLAIT_OK;

	plait__queued_count(call->state->queued->program, call->command,
			    &arguments, &pointers);
	for (uint32_t i = 0; i < pointers; i++) {
		plait_status said = unmap(&call->pointers[i],
					  status == PLAIT_OK ? error : NULL);

		if (status == PLAIT_OK)
			status = said;
	}
	return status;
}

/* ---- calls ---- */

static plait_status judge(int32_t result, plait_error *why)
{
	if (result == 0)
		return PLAIT_OK;
	return plait__fail_origin(why, PLAIT_E_FAILED, result,
				  "failed with %d", (int)result);
}

static plait_status call_kernel(plait__queued_call *call, plait_error *why)
{
	const plait__layout *layout = call->state->instance->frame.layout;
	const plait_launch *launch = plait__frame_launch(
		&call->state->instance->frame,
		layout->launches + call->payload->geometry *
					   layout->launch_words);
	plait_error later = { .size = sizeof(later) };
	plait_status status = find_arguments(call, why), said;

	if (status == PLAIT_OK)
		status = judge(call->kernel->function(
				       (void *const *)call->arguments, launch,
				       call->kernel->user_data), why);
	said = lose_arguments(call, &later);
	return status != PLAIT_OK || said == PLAIT_OK ?
	       status : plait__error_copy(why, &later);
}

static void fail_lost(plait__queued_state *state, uint32_t command)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail_origin(&why, PLAIT_E_FAILED, -1,
			   "did not return but ended its thread "
			   "(pthread_exit)");
	plait__instance_fail(state->instance, command, &why);
}

/*
 * The function ends its thread; the backend sees to its queue.  Not a guard: a
 * backend that notices sooner would end the run before we had heard of it.
 */
static void lose_call(void *arg)
{
	plait__queued_call *call = arg;
	plait_error ignored = { .size = sizeof(ignored) };

	(void)lose_arguments(call, &ignored);
	fail_lost(call->state, call->command);
}

static void lose_question(void *arg)
{
	plait__queued_predicate *predicate = arg;
	const plait__plan *plan = predicate->state->queued->program->plan;

	fail_lost(predicate->state,
		  plan->regions[predicate->region].command);
}

/*
 * What a backend calls.  After a failure or a cancellation nothing begins any
 * more: then the queue is made to fail, for what is behind in it must not run
 * either.
 */
static int32_t run_call(void *user_data)
{
	plait__queued_call *call = user_data;
	plait__instance *instance = call->state->instance;
	plait_error why = { .size = sizeof(why) };
	struct plait__inside inside;
	plait_status status;

	/* Relaxed: who stopped it need not be obeyed at once. */
	if (at_load_relaxed_u32(&instance->stop) != 0)
		return SKIPPED;
	PLAIT__SCOPE called = { lose_call, call };
	plait__inside_enter(&inside, instance->program->context->pool);
	status = call->kernel != NULL ? call_kernel(call, &why) :
		 judge(call->host->function(call->host->user_data), &why);
	plait__inside_leave(&inside);
	plait__scope_end(&called);
	if (status == PLAIT_OK)
		return 0;
	plait__instance_fail(instance, call->command, &why);
	return why.origin != 0 && (int32_t)why.origin == why.origin ?
	       (int32_t)why.origin : SKIPPED;
}

static int32_t ask(void *user_data)
{
	plait__queued_predicate *predicate = user_data;
	plait__queued_state *state = predicate->state;
	const plait__store_function *function =
		state->queued->regions[predicate->region].function;
	struct plait__inside inside;

	if (at_load_relaxed_u32(&state->instance->stop) != 0)
		return SKIPPED;
	PLAIT__SCOPE asked = { lose_question, predicate };
	plait__inside_enter(&inside, state->instance->program->context->pool);
	predicate->word = (uint32_t)function->function(function->user_data);
	plait__inside_leave(&inside);
	plait__scope_end(&asked);
	return 0;
}

/* ---- work ---- */

static void set_target(const plait__frozen *frozen, const plait__plan_arg *arg,
		       plait_work *out)
{
	const plait__buffer *buffer =
		(const plait__buffer *)frozen->buffers[arg->index];

	out->target = buffer->root->raw;
	out->target_offset = buffer->offset + arg->offset;
}

static void set_source(const plait__frozen *frozen, const plait__plan_arg *arg,
		       plait_work *out)
{
	const plait__buffer *buffer =
		(const plait__buffer *)frozen->buffers[arg->index];

	out->source = buffer->root->raw;
	out->source_offset = buffer->offset + arg->offset;
}

static void make_question(plait__queued_state *state, uint32_t region,
			  plait_work *out)
{
	const plait__program *program = state->queued->program;
	const plait__plan *plan = program->plan;
	plait__queued_predicate *predicate = &state->predicates[region];
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[region].predicate];

	predicate->state = state;
	predicate->region = region;
	if (state->queued->regions[region].function != NULL) {
		out->kind = PLAIT_WORK_CALL;
		out->function = ask;
		out->user_data = predicate;
		return;
	}
	out->kind = PLAIT_WORK_READ;
	out->bytes = sizeof(predicate->word);
	out->host = &predicate->word;
	set_source(program->frozen, &plan->args[payload->arg_first], out);
}

static void make_call(plait__queued_state *state, uint32_t command,
		      plait_work *out)
{
	const plait__frozen *frozen = state->queued->program->frozen;
	plait__queued_call *call = &state->calls[command];
	const plait__plan_payload *payload =
		plait__words_payload(frozen->plan, command);

	call->state = state;
	call->command = command;
	call->payload = payload;
	call->count = payload->arg_count;
	if (frozen->plan->commands[command].kind == PLAIT__CMD_LAUNCH)
		call->kernel = (const plait__kernel *)
			frozen->kernels[payload->kernel];
	else
		call->host = &frozen->functions[payload->object];
	out->kind = PLAIT_WORK_CALL;
	out->function = run_call;
	out->user_data = call;
}

static void make_move(const plait__frozen *frozen,
		      const plait__plan_payload *payload, uint8_t kind,
		      plait_work *out)
{
	const plait__plan_arg *args = &frozen->plan->args[payload->arg_first];

	out->bytes = payload->bytes;
	set_target(frozen, &args[0], out);
	if (kind == PLAIT__CMD_COPY) {
		out->kind = PLAIT_WORK_COPY;
		set_source(frozen, &args[1], out);
		return;
	}
	out->kind = PLAIT_WORK_FILL;
	out->pattern = payload->value;
	out->pattern_bytes = payload->small & 0xff;
}

void plait__queued_work_make(plait__queued_state *state, uint32_t what,
			     plait_work *out)
{
	const plait__frozen *frozen = state->queued->program->frozen;
	const plait__plan *plan = frozen->plan;
	uint32_t command = what < plan->command_count ? what :
			   plan->regions[what - plan->command_count].command;
	const char *label = plait__plan_node_label(
		plan, plan->commands[command].node);
	uint8_t kind = plan->commands[command].kind;

	out->size = sizeof(*out);
	out->label = label[0] != '\0' ? label : NULL;
	if (what >= plan->command_count)
		make_question(state, what - plan->command_count, out);
	else if (kind == PLAIT__CMD_COPY || kind == PLAIT__CMD_FILL)
		make_move(frozen, plait__words_payload(plan, command), kind,
			  out);
	else
		make_call(state, command, out);
}
