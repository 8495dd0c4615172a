/* SPDX-License-Identifier: MIT */
/* Plan objects: creation, destruction, tables. */
#include "graph/plan/plan_object.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- life ---- */

void plait__plan_object_each_emitted(const plait__plan_object *plan_object,
				     void (*call)(plait__signal *signal))
{
	const plait__plan *plan = plan_object->plan;
	uint32_t count = plan->signals_count > 0 ? plan->command_count : 0;

	for (uint32_t i = 0; i < count; i++) {
		const plait__plan_command *command = &plan->commands[i];
		plait__object *signal = NULL;

		/* A command of a plan that was read may have no payload. */
		if (command->kind == PLAIT__CMD_EMIT &&
		    command->link < plan->payloads_count)
			signal = plan_object->signals[
				plan->payloads[command->link].object];
		if (signal != NULL)
			call((plait__signal *)(void *)signal);
	}
}

static void drop_all(plait__object **objects, uint32_t count)
{
	for (uint32_t i = 0; objects != NULL && i < count; i++)
		if (objects[i] != NULL)
			plait__object_drop(objects[i]);
}

static void free_tables(plait__plan_object *plan_object)
{
	const plait_allocator *allocator =
		plait__context_allocator(plan_object->object.context);
	const plait__plan *plan = plan_object->plan;
	uint64_t each = sizeof(void *);

	plait__free(allocator, plan_object->kernels,
		    plan->kernels_count * each);
	plait__free(allocator, plan_object->buffers, plan->slots_count * each);
	plait__free(allocator, plan_object->signals,
		    plan->signals_count * each);
	plait__free(allocator, plan_object->functions,
		    plan->functions_count * sizeof(*plan_object->functions));
	plait__free(allocator, plan_object->devices,
		    plan->devices_count * each);
}

/* No run is in flight: each holds the plan. */
static void destroy_plan_object(plait__object *object)
{
	plait__plan_object *plan_object = (plait__plan_object *)object;
	const plait__plan *plan = plan_object->plan;
	void *program = at_load_acquire_ptr(&plan_object->program);

	/* Before the objects that it uses. */
	if (program != NULL)
		plan_object->end_program(program);
	drop_all(plan_object->kernels, plan->kernels_count);
	drop_all(plan_object->buffers, plan->slots_count);
	plait__plan_object_each_emitted(plan_object, plait__submit_drop_source);
	drop_all(plan_object->signals, plan->signals_count);
	for (uint32_t i = 0; i < plan->functions_count; i++)
		if (plan_object->functions[i].inbox != NULL)
			plait__object_drop(plan_object->functions[i].inbox);
	free_tables(plan_object);
	plait__binding_names_destroy(plan_object->bindings,
				     plait__context_allocator(object->context));
	plait__plan_release(plan_object->plan);
	plait__free(plait__context_allocator(object->context), plan_object,
		    sizeof(*plan_object));
}

static const plait__class plan_class = {
	.type = PLAIT_OBJECT_PLAN, .destroy = destroy_plan_object
};

/* Allocate a table, null if empty; sets *failed without memory. */
static void *make_table(const plait_allocator *allocator, uint32_t count,
			uint64_t each, bool *failed)
{
	void *table = NULL;

	if (count > 0 && !*failed) {
		table = plait__alloc_array(allocator, count, each);
		*failed = table == NULL;
	}
	return table;
}

static bool make_tables(plait__plan_object *plan_object,
			const plait_allocator *allocator)
{
	const plait__plan *plan = plan_object->plan;
	uint64_t each = sizeof(void *);
	bool failed = false;

	plan_object->kernels = make_table(allocator, plan->kernels_count, each,
					  &failed);
	plan_object->buffers = make_table(allocator, plan->slots_count, each,
					  &failed);
	plan_object->signals = make_table(allocator, plan->signals_count, each,
					  &failed);
	plan_object->functions =
		make_table(allocator, plan->functions_count,
			   sizeof(*plan_object->functions), &failed);
	plan_object->devices = make_table(allocator, plan->devices_count, each,
					  &failed);
	return !failed;
}

plait_status plait__plan_object_create(plait__context *context,
				       plait__plan *plan,
				       plait__plan_object **out,
				       plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__plan_object *plan_object =
		plait__alloc(allocator, sizeof(*plan_object));
	plait_status status;

	*out = NULL;
	if (plan_object == NULL) {
		plait__plan_release(plan);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a plan");
	}
	plan_object->plan = plan;
	plan_object->object.context = context;
	status = make_tables(plan_object, allocator) ?
		 plait__object_init(&plan_object->object, &plan_class, context,
				    error) :
		 plait__fail(error, PLAIT_E_NOMEM, "no memory for a plan");
	if (status != PLAIT_OK) {
		free_tables(plan_object);
		plait__plan_release(plan);
		plait__free(allocator, plan_object, sizeof(*plan_object));
		return status;
	}
	*out = plan_object;
	return PLAIT_OK;
}

/* The graph's root holds them until then. */
static void bind_objects(plait__object **to, uint32_t count,
			 const plait__vector *from)
{
	for (uint32_t i = 0; i < count && i < from->count; i++) {
		to[i] = *(plait__object **)plait__vector_at(from, i);
		/* A temporary of a text has no object. */
		if (to[i] != NULL)
			plait__object_hold(to[i]);
	}
}

void plait__plan_object_bind_all(plait__plan_object *plan_object,
				 const plait__store *store)
{
	const plait__plan *plan = plan_object->plan;
	const plait__vector *functions =
		&store->objects[PLAIT__STORE_FUNCTIONS];

	bind_objects(plan_object->kernels, plan->kernels_count,
		     &store->objects[PLAIT__STORE_KERNELS]);
	bind_objects(plan_object->buffers, plan->slots_count,
		     &store->objects[PLAIT__STORE_BUFFERS]);
	bind_objects(plan_object->signals, plan->signals_count,
		     &store->objects[PLAIT__STORE_SIGNALS]);
	plait__plan_object_each_emitted(plan_object, plait__submit_add_source);
	for (uint32_t i = 0; i < plan->functions_count &&
	     i < functions->count; i++) {
		plan_object->functions[i] = *(plait__store_function *)
			plait__vector_at(functions, i);
		if (plan_object->functions[i].inbox != NULL)
			plait__object_hold(plan_object->functions[i].inbox);
	}
	for (uint32_t i = 0; i < plan->devices_count &&
	     i < store->device_objects.count; i++)
		plan_object->devices[i] = *(void **)plait__vector_at(
			&store->device_objects, i);
}

const char *plait__plan_object_string(const plait__plan_object *plan_object,
				      uint32_t string)
{
	return string < plan_object->plan->strings_count ?
	       plan_object->plan->strings + string : "";
}

const char *
plait__plan_object_device_name(const plait__plan_object *plan_object,
			       uint32_t device)
{
	return plait__plan_object_string(
		plan_object, plan_object->plan->devices[device].name);
}

plait_status plait__plan_object_enter(plait_plan *handle,
				      plait__plan_object **out,
				      plait_error *error)
{
	plait__object *object;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_PLAN,
						  &object, error);

	*out = (plait__plan_object *)object;
	return status;
}

PLAIT__OBJECT_REFERENCES(plan, PLAIT_OBJECT_PLAN);
