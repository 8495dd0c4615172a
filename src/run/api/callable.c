/* SPDX-License-Identifier: MIT */
/* Plans as C functions; see plait/callable.h. */
#include "plait/callable.h"

#include "run/program.h"
#include "run/api/callable_thunk.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "graph/plan/plan_object.h"
#include "kernel/argument.h"
#include "kernel/intern.h"
#include "kernel/type.h"
#include "sys/thread.h"

#include <string.h>

enum { FEW = 16 };

/* The parameter that one argument of the function binds. */
struct mapping {
	uint32_t parameter;
	uint32_t kind; /* PLAIT_PARAMETER_... */
	plait__type type; /* type of the argument */
};

typedef struct plait__callable {
	plait__object object;
	plait_plan *plan; /* one reference */
	const plait__signature *signature;
	plait__thunk *thunk;
	plait_failure_function failed;
	void *user_data;
	uint32_t flags;
	uint32_t count;
	struct mapping *mappings;
} plait__callable;

/* ---- a call ---- */

/* find_mismatch has accepted the type: u32 or u64. */
static uint64_t read_count(plait__type type, const void *from)
{
	return type == PLAIT__TYPE_U32 ? *(const uint32_t *)from :
					 *(const uint64_t *)from;
}

static void bind_launch(const struct mapping *mapping, void *argument,
			plait_launch *launch, plait_binding *out)
{
	if (mapping->type == PLAIT__TYPE_POINTER) {
		out->value = *(void **)argument;
		return;
	}
	*launch =
		(plait_launch){ .size = sizeof(*launch),
				.dimensions = 1,
				.items = { read_count(mapping->type, argument),
					   1, 1 } };
	out->value = launch;
}

/* The arguments have the types that map_argument has checked. */
static void bind(const struct mapping *mapping, void *argument,
		 plait_launch *launch, plait_binding *out)
{
	*out = (plait_binding){ .size = sizeof(*out),
				.parameter = mapping->parameter };
	switch (mapping->kind) {
	case PLAIT_PARAMETER_BUFFER:
		out->buffer = *(plait_buffer **)argument;
		break;
	case PLAIT_PARAMETER_HOST:
		out->value = *(void **)argument;
		/* The caller alone knows the size. */
		out->bytes = UINTPTR_MAX - (uintptr_t)out->value;
		break;
	case PLAIT_PARAMETER_LAUNCH:
		bind_launch(mapping, argument, launch, out);
		break;
	default:
		out->value = argument;
		out->bytes = plait__type_bytes(mapping->type);
		break;
	}
}

/* Bind the arguments and run the plan to its end, not ordered with any queue.
 * Both arrays have self->count entries; only geometries use `launches`. */
static plait_status bind_and_call(const plait__callable *self,
				  plait_binding *bindings,
				  plait_launch *launches,
				  void *const *arguments, plait_error *error)
{
	plait_run_desc desc = { .size = sizeof(desc), .flags = self->flags,
				.bindings = bindings,
				.binding_count = self->count };

	for (uint32_t i = 0; i < self->count; i++)
		bind(&self->mappings[i], arguments[i], &launches[i],
		     &bindings[i]);
	return plait_plan_call(self->plan, NULL, &desc, error);
}

enum { EACH_BYTES = sizeof(plait_binding) + sizeof(plait_launch) };

/* Bindings of a callable with many arguments, which are allocated. */
struct room {
	const plait__callable *self;
	plait_binding *bindings; /* followed by the launches */
};

static void free_room(void *arg)
{
	struct room *room = arg;

	plait__free(plait__context_allocator(room->self->object.context),
		    room->bindings, (uint64_t)room->self->count * EACH_BYTES);
}

/* As run_few, with bindings on the heap: freed also if a function of the plan
 * ends the thread. */
static plait_status run_many(const plait__callable *self,
			     void *const *arguments, plait_error *error)
{
	struct room room = { .self = self };
	plait_status status;

	room.bindings = plait__alloc_array(
		plait__context_allocator(self->object.context), self->count,
		EACH_BYTES);
	if (room.bindings == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u arguments", self->count);
	PLAIT__THREAD_SCOPE inside = { free_room, &room };
	status = bind_and_call(self, room.bindings,
		     (plait_launch *)(room.bindings + self->count), arguments,
		     error);
	plait__thread_scope_end(&inside);
	free_room(&room);
	return status;
}

static plait_status run_few(const plait__callable *self,
			    void *const *arguments, plait_error *error)
{
	plait_binding bindings[FEW];
	plait_launch launches[FEW];

	return bind_and_call(self, bindings, launches, arguments, error);
}

/* Also runs when the thread ends inside the call. */
static void leave(void *arg)
{
	plait__object_leave(arg);
}

/* plait__thunk_target: call the plan with the arguments of the C function, on
 * the calling thread.  Returns the status, which `failed` also gets. */
static int64_t on_call(void *handle, void *const *arguments)
{
	plait_error error = { .size = sizeof(error) };
	plait__object *entered;
	plait__callable *self;
	plait_status status = plait__object_enter(
		handle, PLAIT_OBJECT_CALLABLE, &entered, &error);

	/* Too late: only the caller can be told. */
	if (status != PLAIT_OK)
		return status;
	self = (plait__callable *)entered;
	PLAIT__THREAD_SCOPE inside = { leave, entered };
	status = self->count <= FEW ? run_few(self, arguments, &error) :
				      run_many(self, arguments, &error);
	if (status != PLAIT_OK && self->failed != NULL)
		self->failed(self->user_data, &error);
	plait__thread_scope_end(&inside);
	plait__object_leave(entered);
	return status;
}

/* ---- construction ---- */

static void destroy_callable(plait__object *object)
{
	plait__callable *self = (plait__callable *)object;
	plait__context *context = object->context;
	const plait_allocator *allocator = plait__context_allocator(context);

	plait__thunk_release(self->thunk);
	plait__free(allocator, self->mappings,
		    ((uint64_t)self->count + 1) * sizeof(*self->mappings));
	plait__intern_release(&context->signatures, allocator, self->signature);
	plait_plan_release(self->plan);
	plait__free(allocator, self, sizeof(*self));
}

static const plait__class callable_class = {
	.type = PLAIT_OBJECT_CALLABLE, .destroy = destroy_callable
};

/* Returns the kind of argument that the plan needs, or null if it fits. */
static const char *find_mismatch(const plait_parameter_info *info,
				 plait__type type)
{
	switch (info->kind) {
	case PLAIT_PARAMETER_BUFFER:
		return type == PLAIT__TYPE_POINTER ? NULL :
		       "memory, which is a pointer";
	case PLAIT_PARAMETER_HOST:
		return type == PLAIT__TYPE_POINTER ? NULL :
		       "memory of the program, which is a pointer";
	case PLAIT_PARAMETER_LAUNCH:
		return type == PLAIT__TYPE_POINTER ||
				       type == PLAIT__TYPE_U32 ||
				       type == PLAIT__TYPE_U64 ?
			       NULL :
			       "a launch, which is an u32, an u64 or a pointer";
	default:
		return strcmp(info->type, plait__type_name(type)) == 0 ?
			       NULL : info->type;
	}
}

/* Structs and vectors: plans take them, functions of C made at run time do
 * not. */
static bool is_aggregate(plait__type type)
{
	return plait__type_is_struct(type) || plait__type_lanes(type) > 1;
}

static plait_status fail_mismatch(const plait__signature *signature, uint32_t i,
				  const char *wanted, plait_error *error)
{
	char room[PLAIT__ARGUMENT_TYPE_ROOM];

	return plait__fail(error, PLAIT_E_INVALID,
			   "%.60s: argument %u \"%.40s\" is %s, and the plan "
			   "wants %s", signature->name, i,
			   signature->parameters[i].name,
			   plait__argument_type(&signature->parameters[i],
						room), wanted);
}

/* Find the plan's parameter of the argument's name, and check its kind. */
static plait_status map_argument(plait__callable *self, uint32_t i,
				 plait_error *error)
{
	const plait__parameter *from = &self->signature->parameters[i];
	plait_parameter_info info = { .size = sizeof(info) };
	struct mapping *mapping = &self->mappings[i];
	const char *wanted;
	plait_status status = plait_plan_find_parameter(
		self->plan, from->name, &mapping->parameter, error);

	if (status == PLAIT_OK)
		status = plait_plan_query_parameter(
			self->plan, mapping->parameter, &info, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "%.60s: ", self->signature->name);
		return status;
	}
	wanted = is_aggregate(from->type) ? "numbers and pointers alone" :
		 find_mismatch(&info, from->type);
	if (wanted != NULL)
		return fail_mismatch(self->signature, i, wanted, error);
	mapping->kind = info.kind;
	mapping->type = from->type;
	return PLAIT_OK;
}

static bool is_mapped(const plait__callable *self, uint32_t parameter)
{
	for (uint32_t i = 0; i < self->count; i++)
		if (self->mappings[i].parameter == parameter)
			return true;
	return false;
}

/* Names are unique, so arguments can only be missing. */
static plait_status find_missing(const plait__callable *self, uint32_t wanted,
				 plait_error *error)
{
	plait_parameter_info info = { .size = sizeof(info) };

	for (uint32_t number = 0; number < wanted; number++) {
		if (is_mapped(self, number))
			continue;
		(void)plait_plan_query_parameter(self->plan, number, &info,
						 NULL);
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.60s: no argument \"%s\", a parameter of "
				   "the plan (%s)", self->signature->name,
				   info.name, info.type);
	}
	return PLAIT_OK;
}

static plait_status map_arguments(plait__callable *self, plait_error *error)
{
	uint32_t wanted;
	plait_status status = plait_plan_parameter_count(self->plan, &wanted,
							 error);

	for (uint32_t i = 0; status == PLAIT_OK && i < self->count; i++)
		status = map_argument(self, i, error);
	if (status == PLAIT_OK && wanted != self->count)
		status = find_missing(self, wanted, error);
	return status;
}

static plait_status check_result(const plait__callable *self,
				 plait_error *error)
{
	plait__type result = self->signature->result;

	if (result == PLAIT__TYPE_I32 || result == PLAIT__TYPE_I64)
		return PLAIT_OK;
	if (result != PLAIT__TYPE_NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.60s: the result is %s; a status is i32 "
				   "or i64", self->signature->name,
				   plait__type_name(result));
	if (self->failed == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.60s: no way to tell an error; add \": "
				   "i32\" or set failed",
				   self->signature->name);
	return PLAIT_OK;
}

/* The caller cleans up with destroy_callable after a failure. */
static plait_status fill(plait__callable *self, plait__context *context,
			 const plait_callable_desc *desc, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait_status status = plait__intern_acquire(
		&context->signatures, allocator, desc->signature,
		&self->signature, error);

	if (status != PLAIT_OK)
		return status;
	self->count = self->signature->count;
	self->mappings = plait__alloc_array(allocator,
					 (uint64_t)self->count + 1,
					 sizeof(*self->mappings));
	if (self->mappings == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a callable");
	status = check_result(self, error);
	if (status == PLAIT_OK)
		status = map_arguments(self, error);
	if (status == PLAIT_OK)
		status = plait__thunk_acquire(self->signature, on_call,
					      &self->thunk, error);
	if (status == PLAIT_OK)
		plait__object_set_label(&self->object, self->signature->name);
	return status;
}

/* Make a callable, which has a reference to the plan. */
static plait_status make(plait__context *context, plait_plan *plan,
			 const plait_callable_desc *desc, plait_callable **out,
			 plait_error *error)
{
	plait__callable *self = plait__alloc(plait__context_allocator(context),
					     sizeof(*self));
	plait_status status;

	if (self == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a callable");
	self->object.context = context;
	self->failed = desc->failed;
	self->user_data = desc->user_data;
	self->flags = desc->flags;
	self->plan = plan;
	plait_plan_retain(plan);
	status = fill(self, context, desc, error);
	if (status == PLAIT_OK)
		status = plait__object_init(&self->object, &callable_class,
					    context, error);
	if (status != PLAIT_OK) {
		destroy_callable(&self->object);
		return status;
	}
	*out = plait__object_handle(&self->object);
	plait__thunk_set_handle(self->thunk, *out);
	return PLAIT_OK;
}

static plait_status read_desc(const plait_callable_desc *given,
			      plait_callable_desc *out, plait_error *error)
{
	const uint32_t known = PLAIT_RUN_NO_WAIT | PLAIT_RUN_SERIAL |
			       PLAIT_RUN_PARALLEL;
	const uint32_t both = PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL;
	plait_status status =
		PLAIT__STRUCT_READ(plait_callable_desc, out, given, error);

	if (status != PLAIT_OK)
		return status;
	if ((out->flags & ~known) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_callable_desc: flags 0x%x are not "
				   "known", out->flags & ~known);
	if ((out->flags & both) == both)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_callable_desc: PLAIT_RUN_SERIAL and "
				   "PLAIT_RUN_PARALLEL exclude each other");
	if (out->signature == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_callable_desc: signature is null");
	return PLAIT_OK;
}

PLAIT_API plait_status plait_callable_create(plait_plan *plan,
					     const plait_callable_desc *desc,
					     plait_callable **out,
					     plait_error *error)
{
	plait_callable_desc ours;
	plait__plan_object *plan_object;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__plan_object_enter(plan, &plan_object, error);
	if (status != PLAIT_OK)
		return status;
	status = read_desc(desc, &ours, error);
	if (status == PLAIT_OK)
		status = make(plan_object->object.context, plan, &ours, out,
			      error);
	plait__object_leave(&plan_object->object);
	return status;
}

PLAIT_API plait_status plait_callable_function(plait_callable *callable,
					       plait_any_function *out,
					       plait_error *error)
{
	plait__object *entered;
	plait_status status = plait__object_enter(
		callable, PLAIT_OBJECT_CALLABLE, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		*out = plait__thunk_code(
			((plait__callable *)entered)->thunk);
	plait__object_leave(entered);
	return status;
}

PLAIT__OBJECT_REFERENCES(callable, PLAIT_OBJECT_CALLABLE);
