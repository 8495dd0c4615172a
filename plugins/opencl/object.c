/* SPDX-License-Identifier: MIT */
/* Kernel objects, which launches of a kernel share; see object.h. */
#include <string.h>

#include "object.h"

/* In the values of an object: it has to be set. */
#define NO_HANDLE UINT64_MAX

/* --- arguments ------------------------------------------------------------ */

uint32_t plaitp_opencl_object_words(const plait_backend_kernel *kernel,
				    uint32_t index)
{
	if (index >= kernel->parameter_count ||
	    kernel->parameters[index].padded_bytes <= sizeof(uint64_t))
		return 1;
	return (uint32_t)((kernel->parameters[index].padded_bytes + 7) / 8);
}

struct opencl_argument
plaitp_opencl_object_argument(const plait_backend_kernel *kernel,
			      uint32_t index, const uint64_t *place)
{
	const struct opencl_parameter *parameter = &kernel->parameters[index];
	struct opencl_argument argument = { index, sizeof(*place), place };

	if (index >= kernel->parameter_count)
		return argument;
	if (parameter->local)
		return (struct opencl_argument){ index, (size_t)*place, NULL };
	if (parameter->pointer || parameter->image) {
		argument.bytes = sizeof(cl_mem);
		if (*place == 0)
			argument.value = NULL;
	} else {
		argument.bytes = parameter->sampler ? sizeof(cl_sampler) :
				 (size_t)parameter->padded_bytes;
	}
	return argument;
}

static cl_int set_argument(plait_backend *self,
			   const plait_backend_launch *launch, uint32_t index,
			   const uint64_t *place)
{
	const struct opencl_argument argument =
		plaitp_opencl_object_argument(launch->chosen, index, place);

	return self->cl.clSetKernelArg(launch->object->kernel, argument.index,
				       argument.bytes, argument.value);
}

static bool is_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	return words == 1 ? *a == *b : memcmp(a, b, 8 * words) == 0;
}

/* --- users ---------------------------------------------------------------- */

/* Choose an object without users, or else the last.  Returns true for the first
 * user, which makes the kernel object. */
static bool join(plait_backend *self, plait_backend_launch *launch)
{
	struct opencl_object *object = launch->chosen->objects;
	bool first;
	uint32_t i;

	pthread_mutex_lock(&self->accounting_lock);
	for (i = 1; i < OPENCL_OBJECTS && object->users > 0; i++)
		object++;
	first = object->users++ == 0;
	launch->object = object;
	pthread_mutex_unlock(&self->accounting_lock);
	return first;
}

static void release(plait_backend *self, const struct opencl_object *object)
{
	if (object->kernel != NULL)
		self->cl.clReleaseKernel(object->kernel);
	if (object->values != NULL)
		self->services->resize(self->host, object->values,
				       8 * (uint64_t)object->word_count, 0);
}

void plaitp_opencl_object_drop(plait_backend *self,
			       plait_backend_launch *launch)
{
	struct opencl_object *object = launch->object, last = { .users = 0 };

	if (object == NULL)
		return;
	pthread_mutex_lock(&self->accounting_lock);
	if (--object->users == 0) {
		last = *object;
		*object = (struct opencl_object){ .users = 0 };
	}
	pthread_mutex_unlock(&self->accounting_lock);
	launch->object = NULL;
	release(self, &last);
}

/* --- creation ------------------------------------------------------------- */

/* Make the kernel object of the first user.  The guard is open in all launches. */
static struct opencl_call make(plait_backend *self,
			       const plait_backend_launch *launch)
{
	static const cl_uint live = 1;
	const plait_backend_kernel *kernel = launch->chosen;
	struct opencl_object *object = launch->object;
	cl_int code = CL_SUCCESS;

	object->word_count = launch->word_count;
	if (object->word_count != 0)
		object->values = self->services->resize(
			self->host, NULL, 0, 8 * (uint64_t)object->word_count);
	if (object->word_count != 0 && object->values == NULL)
		return (struct opencl_call){ "clCreateKernel",
					     CL_OUT_OF_HOST_MEMORY };
	object->kernel = self->cl.clCreateKernel(kernel->program,
						 kernel->entry, &code);
	if (object->kernel == NULL)
		return (struct opencl_call){ "clCreateKernel", code };
	if (kernel->guarded)
		code = self->cl.clSetKernelArg(object->kernel,
					       kernel->parameter_count,
					       sizeof(live), &live);
	return (struct opencl_call){ "clSetKernelArg", code };
}

/* Set an argument, and note its value. */
static cl_int put(plait_backend *self, const plait_backend_launch *launch,
		  uint32_t index, uint32_t at, uint32_t words)
{
	const cl_int code = set_argument(self, launch, index,
					 &launch->values[at]);

	if (code == CL_SUCCESS)
		memcpy(&launch->object->values[at], &launch->values[at],
		       8 * words);
	return code;
}

/* Arguments like those that the driver has judged before need not be set now.  But
 * memory of the same handle may be another one by now, and the driver may refuse a
 * size of local memory. */
static bool can_wait(const struct opencl_object *object,
		     const struct opencl_parameter *parameter, uint32_t at)
{
	if (parameter->pointer || parameter->image)
		object->values[at] = NO_HANDLE;
	return !parameter->local;
}

/* Let the driver judge the arguments: all of the `first` user. */
static struct opencl_call judge(plait_backend *self,
				const plait_backend_launch *launch, bool first,
				uint32_t *out_index)
{
	const plait_backend_kernel *kernel = launch->chosen;
	struct opencl_object *object = launch->object;
	struct opencl_call call = { "clSetKernelArg", CL_SUCCESS };
	uint32_t i, words, at = 0;

	/* This launch may be at the address of that one. */
	object->last = NULL;
	for (i = 0; i < launch->argument_count && call.code == CL_SUCCESS;
	     i++, at += words) {
		words = plaitp_opencl_object_words(kernel, i);
		*out_index = i;
		if (first || (i < kernel->parameter_count &&
			      !can_wait(object, &kernel->parameters[i], at)))
			call.code = put(self, launch, i, at, words);
	}
	return call;
}

struct opencl_call plaitp_opencl_object_take(plait_backend *self,
					     plait_backend_launch *launch,
					     uint32_t *out_index)
{
	struct opencl_call call = { "", CL_SUCCESS };
	bool first;

	*out_index = UINT32_MAX;
	pthread_mutex_lock(&self->arguments_lock);
	first = join(self, launch);
	if (first)
		call = make(self, launch);
	if (call.code == CL_SUCCESS)
		call = judge(self, launch, first, out_index);
	/* Before another launch can use an object that was not made. */
	if (call.code != CL_SUCCESS)
		plaitp_opencl_object_drop(self, launch);
	pthread_mutex_unlock(&self->arguments_lock);
	return call;
}

/* --- use ------------------------------------------------------------------ */

cl_int plaitp_opencl_object_set(plait_backend *self,
				const plait_backend_launch *launch)
{
	struct opencl_object *object = launch->object;
	uint32_t i, words, at = 0;
	cl_int code;

	if (object->last == launch)
		return CL_SUCCESS;
	object->last = NULL;
	for (i = 0; i < launch->argument_count; i++, at += words) {
		words = plaitp_opencl_object_words(launch->chosen, i);
		if (is_equal(&launch->values[at], &object->values[at], words))
			continue;
		code = put(self, launch, i, at, words);
		if (code != CL_SUCCESS)
			return code;
	}
	object->last = launch;
	return CL_SUCCESS;
}

cl_int plaitp_opencl_object_number(plait_backend *self,
				   plait_backend_launch *launch, uint32_t index,
				   uint64_t number)
{
	const plait_backend_kernel *kernel = launch->chosen;
	uint32_t i, at = 0;

	for (i = 0; i < index; i++)
		at += plaitp_opencl_object_words(kernel, i);
	memcpy(&launch->values[at], &number, kernel->parameters[index].bytes);
	/* Otherwise it is set with all others that differ. */
	return launch->object->last == launch ?
		       put(self, launch, index, at, 1) : CL_SUCCESS;
}

struct opencl_call plaitp_opencl_object_enqueue(
	plait_backend *self, cl_command_queue queue,
	const plait_backend_launch *launch, cl_uint wait_count,
	const cl_event *waits, cl_event *event)
{
	const cl_int code = plaitp_opencl_object_set(self, launch);

	if (code != CL_SUCCESS)
		return (struct opencl_call){ "clSetKernelArg", code };
	return (struct opencl_call){
		"clEnqueueNDRangeKernel",
		self->cl.clEnqueueNDRangeKernel(
			queue, launch->object->kernel, launch->dimensions,
			NULL, launch->items,
			launch->grouped ? launch->group : NULL, wait_count,
			waits, event)
	};
}
