/* SPDX-License-Identifier: MIT */
/* Record of one launch on a queue: create, run, bind; see launch_record.h. */
#include "object/queue/launch_record.h"

#include "object/kernel/device_code.h"
#include "object/kernel/local_limit.h"
#include "object/queue/launch_runs.h"
#include "object/queue/queue_races.h"
#include "object/queue/submitted_section.h"

#include "base/alloc.h"
#include "base/error.h"
#include "kernel/launch.h"

/* ---- create, destroy ---- */

static void destroy_record(plait__object *object)
{
	plait__launch_record *self = (plait__launch_record *)object;

	plait__device_code_unbind(self->device, self->raw);
	plait__held_argument_drop(self->slots, self->count);
	plait__object_drop(&self->kernel->object);
	plait__free(plait__context_allocator(object->context), self,
		    self->block_bytes);
}

static const plait__class record_class = {
	.type = PLAIT_OBJECT_ANY, .destroy = destroy_record
};

/* Words behind the arguments for a value that is larger than one. */
static uint64_t extra_words(const plait__parameter *parameter)
{
	return parameter->bytes <= sizeof(uint64_t) ? 0 :
	       (parameter->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static uint64_t record_bytes(const plait__signature *signature)
{
	uint64_t bytes = sizeof(plait__launch_record) +
			 signature->count * (sizeof(plait__held_argument) +
					     sizeof(void *));

	for (uint32_t i = 0; i < signature->count; i++)
		bytes += extra_words(&signature->parameters[i]) *
			 sizeof(uint64_t);
	return bytes;
}

static void place_values(plait__launch_record *self,
			 const plait__signature *signature)
{
	uint64_t *extra = (uint64_t *)(void *)(self->arguments + self->count);

	for (uint32_t i = 0; i < self->count; i++) {
		uint64_t words = extra_words(&signature->parameters[i]);

		self->slots[i].place = words > 0 ? (void *)extra :
				       (void *)&self->slots[i].value;
		self->arguments[i] = self->slots[i].place;
		extra += words;
	}
}

/* With a hold of the kernel, and empty slots; null without memory. */
static plait__launch_record *new_record(plait__kernel *kernel,
					plait__context *context)
{
	uint32_t count = kernel->signature->count;
	uint64_t bytes = record_bytes(kernel->signature);
	plait__launch_record *self =
		plait__alloc(plait__context_allocator(context), bytes);

	if (self == NULL)
		return NULL;
	/* Cannot fail: the record has no handle. */
	(void)plait__object_init(&self->object, &record_class, context, NULL);
	plait__object_hold(&kernel->object);
	self->kernel = kernel;
	self->count = count;
	self->block_bytes = bytes;
	self->slots = (plait__held_argument *)(self + 1);
	self->arguments = (void **)(self->slots + count);
	place_values(self, kernel->signature);
	return self;
}

/* Backends do not know memory without bytes. */
static void put_argument(const plait__held_argument *slot,
			 plait_launch_argument *out)
{
	out->size = sizeof(*out);
	out->value = slot->place;
	if (slot->buffer == NULL || slot->buffer->root->raw == NULL)
		return;
	out->memory = slot->buffer->root->raw;
	out->offset = slot->buffer->offset + slot->offset;
}

/* Make the backend's launch of the slots; the record owns it. */
static plait_status bind(plait__launch_record *self,
			 const plait__device *device, plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(self->object.context);
	uint64_t count = (uint64_t)self->count + 1;
	plait_launch_argument *arguments =
		plait__alloc_array(allocator, count, sizeof(*arguments));
	plait_status status;

	if (arguments == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a launch");
	for (uint32_t i = 0; i < self->count; i++)
		put_argument(&self->slots[i], &arguments[i]);
	self->device = device;
	status = plait__device_code_bind(self->kernel, device, &self->launch,
					 arguments, &self->raw, error);
	plait__free(allocator, arguments, count * sizeof(*arguments));
	return status;
}

static plait_status check_kernel(const plait__queue *queue,
				 const plait__kernel *kernel,
				 const plait_argument *arguments,
				 uint64_t count, plait_error *error)
{
	plait_status status = plait__context_check_same(
		&queue->object, &kernel->object, error);
	const char *lacks;

	if (status != PLAIT_OK)
		return status;
	if (count != kernel->signature->count)
		return plait__signature_fail_count(kernel->signature, count,
						   error);
	if (count > 0 && arguments == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "arguments of %s is null",
				   kernel->signature->name);
	lacks = plait__kernel_lacks(kernel, queue->device);
	if (lacks != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "device %s %s", queue->device->object.label,
				   lacks);
	return PLAIT_OK;
}

/* Take the arguments, which checks them.  After a failure the caller drops the
 * record. */
static plait_status fill_record(plait__launch_record *self,
				const plait__queue *queue,
				const plait_command *command,
				plait_error *error)
{
	plait__kernel *kernel = self->kernel;
	plait_status status = plait__launch_read(&self->launch,
						 command->launch, error);

	if (status == PLAIT_OK)
		status = plait__select_source_set_groups(kernel, &self->launch,
							 error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "%.60s: ",
				    kernel->signature->name);
		return status;
	}
	status = plait__held_argument_take(self->slots, kernel, queue,
					   command->arguments, error);
	if (status == PLAIT_OK && kernel->signature->local_count > 0)
		status = plait__local_limit_check(kernel, queue->device,
						  self->arguments, error);
	if (status == PLAIT_OK &&
	    plait__device_code_find(kernel, queue->device) != NULL)
		status = bind(self, queue->device, error);
	return status;
}

static plait_status create(const plait__queue *queue, plait__kernel *kernel,
			   const plait_command *command,
			   plait__launch_record **out, plait_error *error)
{
	plait__launch_record *self;
	plait_status status = check_kernel(queue, kernel, command->arguments,
					   command->argument_count, error);

	if (status != PLAIT_OK)
		return status;
	self = new_record(kernel, queue->object.context);
	if (self == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a launch");
	status = fill_record(self, queue, command, error);
	if (status == PLAIT_OK)
		*out = self;
	else
		plait__object_drop(&self->object);
	return status;
}

/* A coroutine is a run. */
static plait_status begin_run(plait__launch_record *self, plait__queue *queue,
			      plait_error *error)
{
	if (!self->kernel->suspends)
		return PLAIT_OK;
	if (!plait__device_is_host(queue->device))
		return plait__kernel_check_returns(
			self->kernel, "put the plan into this queue by "
			"plait_plan_run", error);
	return plait__launch_runs_of_plans.begin(self, queue, error);
}

plait_status plait__launch_record_create(plait__queue *queue,
					 const plait_command *command,
					 plait__launch_record **out,
					 plait_error *error)
{
	plait__launch_record *made = NULL;
	plait__kernel *kernel;
	plait_status status = plait__kernel_enter(command->kernel, &kernel,
						  error);

	if (status != PLAIT_OK)
		return status;
	status = create(queue, kernel, command, &made, error);
	if (status == PLAIT_OK)
		status = begin_run(made, queue, error);
	if (status == PLAIT_OK)
		*out = made;
	else if (made != NULL)
		plait__object_drop(&made->object);
	plait__object_leave(&kernel->object);
	return status;
}

/* Without locks, as both may end in work of the run. */
static void end_section(plait__launch_record *self, bool accepted)
{
	if (accepted) {
		plait__section_submitted(self->section);
		return;
	}
	plait__section_withdraw(self->section);
	plait__launch_runs_of_plans.cancel(self);
}

void plait__launch_record_end_all(plait__launch_record *first, bool accepted)
{
	plait__launch_record *next;

	for (; first != NULL; first = next) {
		next = first->next;
		if (first->section != NULL)
			end_section(first, accepted);
		plait__object_drop(&first->object);
	}
}

/* ---- submit ---- */

/* A failure of the backend's memory functions fails the launch like one of the
 * kernel. */
int32_t plait__launch_record_execute(void *record)
{
	plait__launch_record *self = record;
	const plait__kernel *kernel = self->kernel;
	plait_status status = plait__held_argument_map(self->slots,
						       kernel->signature);
	plait_status unmapped;
	int32_t result = status;

	if (status == PLAIT_OK)
		result = kernel->function(self->arguments, &self->launch,
					  kernel->user_data);
	unmapped = plait__held_argument_unmap(self->slots, self->count);
	return result != 0 ? result : unmapped;
}

/* Tell the race check what the launch accesses. */
static void note_accesses(const plait__launch_record *self,
			  plait__queue *queue)
{
	for (uint32_t i = 0; i < self->count; i++)
		if (self->slots[i].buffer != NULL)
			plait__queue_races_argument(queue, self->kernel, i,
						    self->slots[i].buffer,
						    self->slots[i].offset);
}

static void add_work(plait__launch_record *self,
		     struct plait__submission_builder *builder,
		     const plait_command *command)
{
	plait_work *work = plait__submission_add_work(builder, command);

	if (work->label == NULL)
		work->label = self->kernel->object.label;
	if (self->raw != NULL) {
		work->kind = PLAIT_WORK_LAUNCH;
		work->launch = self->raw;
	} else {
		work->kind = PLAIT_WORK_CALL;
		work->function = plait__launch_record_execute;
		work->user_data = self;
	}
	if (builder->queue->measures)
		work->times = &self->times;
}

plait_status plait__launch_record_add(
	plait__launch_record *self, struct plait__submission_builder *builder,
	const plait_command *command, plait_error *error)
{
	plait_status status = PLAIT_OK;

	/* First: the record is held until the queue has passed the section. */
	if (self->section != NULL)
		status = plait__section_add(self->section, builder, error);
	if (status == PLAIT_OK)
		status = plait__submission_hold(builder, &self->object, error);
	if (status != PLAIT_OK)
		return status;
	if (self->section == NULL)
		add_work(self, builder, command);
	if (plait__queue_races(builder->queue) != NULL)
		note_accesses(self, builder->queue);
	return PLAIT_OK;
}
