/* SPDX-License-Identifier: MIT */
/* Contexts: open, report, destruction; see context.h. */
#include "object/context/context.h"

#include "object/context/device.h"
#include "object/context/reclaim_thread.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plugin/defaults.h"
#include "pool/callback_scope.h"
#include "sys/env.h"
#include "sys/fork.h"

/* --- destruction */

static void free_tables(plait__context *context)
{
	const plait_allocator *allocator = plait__context_allocator(context);

	plait__free(allocator, context->devices,
		    (uint64_t)context->device_count *
			    sizeof(*context->devices));
	plait__free(allocator, context->ports,
		    (uint64_t)context->port_count * sizeof(*context->ports));
	context->devices = NULL;
	context->ports = NULL;
}

static void end_devices(plait__context *context)
{
	uint32_t i;

	for (i = 0; i < context->device_count; i++)
		plait__device_fini(&context->devices[i]);
}

static void end_ports(plait__context *context)
{
	uint32_t i;

	for (i = 0; i < context->port_count; i++)
		plait__notification_close(&context->ports[i]);
}

/* Joins threads, so it never runs on one of them.  Threads end before the
 * backends that they call, and those before the pool that they submit to. */
static void end_context(void *arg)
{
	plait__context *context = arg;
	plait_allocator allocator = context->settings.allocator;
	plait__context_end *end;
	plait_error untold;

	plait__reclaim_thread_stop(context);
	plait__progress_stop(context);
	plait__timer_stop(&context->timers);
	plait__parallel_for_destroy(context->team);
	plait__registry_close(context->registry);
	end_ports(context);
	plait__pool_destroy(context->pool);
	if (context->spare != NULL)
		context->destroy_spare(context->spare);
	free_tables(context);
	plait__races_destroy(plait__context_races(context));
	plait__stack_pool_fini(&context->stacks);
	end = context->end;
	untold = context->untold;
	plait__free(&allocator, context, sizeof(*context));
	plait__context_close_notify(end, &untold);
}

static void destroy_context(plait__object *object)
{
	plait__context *context = (plait__context *)(void *)object;

	end_devices(context);
	if (!plait__reclaim_thread_is_current(context) &&
	    !plait__callback_scope_is_active()) {
		end_context(context);
		return;
	}
	if (!plait__context_close_start(context, end_context))
		plait__log_line(&context->settings.log, PLAIT_LOG_ERROR,
				"no thread to end a context on; its memory "
				"and workers stay");
}

plait_status plait__context_parallel_for(plait__context *context,
					 plait__parallel_for **out,
					 plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&context->team_lock);
	if (context->team == NULL)
		status = plait__parallel_for_create(context->pool,
						    plait__context_allocator(
							    context),
						    &context->team, error);
	*out = context->team;
	plait__mutex_unlock(&context->team_lock);
	return status;
}

static const plait__class context_class = {
	.type = PLAIT_OBJECT_CONTEXT,
	.destroy = destroy_context
};

/* --- opening */

static void count_devices(plait__context *context)
{
	uint32_t i;

	for (i = 0; i < context->port_count; i++)
		context->device_count +=
			plait__registry_backend(context->registry, i)
				->device_count;
}

/* Fill a port and its devices, which begin at *first_device, and advance that.
 * After a failure the caller ends the devices. */
static plait_status make_port(plait__context *context, uint32_t index,
			      uint32_t *first_device, plait_error *error)
{
	plait__backend_port *port = &context->ports[index];
	plait_status status;
	uint32_t i;

	port->context = context;
	port->backend = plait__registry_backend(context->registry, index);
	port->devices = &context->devices[*first_device];
	port->all = UINT32_MAX;
	at_store_relaxed_u32(&port->no_wait_in_driver,
			     !plait__defaults_can_wait_in_driver(
				     &port->backend->table));
	for (i = 0; i < port->backend->device_count; i++) {
		uint32_t capabilities = port->backend->devices[i].capabilities;

		port->any |= capabilities;
		port->all &= capabilities;
		status = plait__device_init(&port->devices[i], port, i, error);
		if (status != PLAIT_OK)
			return status;
	}
	*first_device += port->backend->device_count;
	if ((port->any & (PLAIT_CAP_NEEDS_PUMP | PLAIT_CAP_HOST)) ==
	    PLAIT_CAP_NEEDS_PUMP)
		context->driver.counts_pool_runs = true;
	return PLAIT_OK;
}

/* Make ports and devices.  After a failure the caller ends the devices and
 * frees the tables, if there are any. */
static plait_status make_tables(plait__context *context, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait_status status = PLAIT_OK;
	uint32_t first_device = 0;
	uint32_t i;

	context->port_count = plait__registry_count(context->registry);
	count_devices(context);
	context->ports = plait__alloc_array(allocator, context->port_count,
					    sizeof(*context->ports));
	context->devices = plait__alloc_array(allocator, context->device_count,
					      sizeof(*context->devices));
	if (context->ports == NULL || context->devices == NULL) {
		/* No caller visits tables that do not exist. */
		free_tables(context);
		context->port_count = 0;
		context->device_count = 0;
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the tables of devices");
	}
	for (i = 0; i < context->port_count && status == PLAIT_OK; i++)
		status = make_port(context, i, &first_device, error);
	return status;
}

static plait_status open_registry(plait__context *context, plait_error *error)
{
	plait__registry_config config;

	plait__settings_config(&context->settings, &config);
	config.pool = context->pool;
	return plait__registry_open(&config, &context->registry, error);
}

static void last_handle_closed(plait__context *context)
{
	plait__context_close_recheck(context);
	plait__reclaim_thread_last_handle_closed(context);
}

static const plait__context_ops context_ops = {
	.last_handle_closed = last_handle_closed,
	.object_lingers = plait__reclaim_thread_object_lingers,
	.reclaim_if_due = plait__reclaim_if_due,
	.defer_drop = plait__reclaim_defer_drop,
};

static void init_stacks(plait__context *context)
{
	uint64_t stack_bytes = 65536, count = 0, bytes = 0;

	(void)plait__env_query_number(PLAIT__ENV_COROUTINE_STACK,
				      &stack_bytes);
	(void)plait__env_query_number(PLAIT__ENV_COROUTINES, &count);
	(void)plait__env_query_number(PLAIT__ENV_COROUTINE_BYTES, &bytes);
	plait__stack_pool_init(&context->stacks, stack_bytes, count, bytes);
}

/* Returns true if the user has asked for all checks, by PLAIT_CHECK or the
 * wrapper. */
static bool wants_races(const plait__context *context)
{
	uint64_t everywhere = 0;

	(void)plait__env_query_number(PLAIT__ENV_CHECK, &everywhere);
	return everywhere != 0 ||
	       plait__registry_wraps_in(context->registry, "check");
}

/* Without memory for its races the context finds none. */
static plait_status build(const plait__settings *settings,
			  plait__context **out, plait_error *error)
{
	plait__context *context = plait__alloc(&settings->allocator,
					       sizeof(*context));
	plait_status status;

	if (context == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a context of %zu bytes",
				   sizeof(*context));
	context->base.ops = &context_ops;
	context->settings = *settings;
	init_stacks(context);
	status = plait__pool_create(plait__context_allocator(context),
				    settings->workers, &context->pool, error);
	if (status != PLAIT_OK)
		goto free_context;
	plait__pool_notify_waiters(context->pool, &context->wait_event);
	status = open_registry(context, error);
	if (status != PLAIT_OK)
		goto destroy_pool;
	status = make_tables(context, error);
	if (status != PLAIT_OK)
		goto close_registry;
	status = plait__object_init(&context->object, &context_class, context,
				    error);
	if (status != PLAIT_OK)
		goto close_registry;
	if (wants_races(context))
		context->races = plait__races_create(
			plait__context_allocator(context),
			&context->settings.log);
	*out = context;
	return PLAIT_OK;

close_registry:
	end_devices(context);
	free_tables(context);
	plait__registry_close(context->registry);
destroy_pool:
	plait__pool_destroy(context->pool);
free_context:
	plait__free(&settings->allocator, context, sizeof(*context));
	return status;
}

PLAIT_API plait_status plait_context_open(const plait_context_desc *desc,
					  plait_context **out,
					  plait_error *error)
{
	plait__settings settings;
	plait__context *context = NULL;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__handle_check_fork(error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	/* If the mark cannot be made, process ids are compared: slower, no
	 * error. */
	(void)plait__fork_init();
	status = plait__settings_read(&settings, desc, error);
	if (status != PLAIT_OK)
		return status;
	status = build(&settings, &context, error);
	if (status != PLAIT_OK)
		return status;
	*out = plait__object_handle(&context->object);
	return PLAIT_OK;
}

void plait__context_abandon(plait__context *context, const plait_error *why)
{
	plait__mutex_lock(&context->lock);
	if (at_load_relaxed_u64(&context->abandoned) == 0)
		context->abandoned_why = *why;
	at_add_u64(&context->abandoned, 1);
	plait__mutex_unlock(&context->lock);
	plait__context_close_recheck(context);
}

void *plait__context_swap_spare(plait__context *context, void *spare,
				void (*destroy)(void *spare))
{
	void *before;

	plait__mutex_lock(&context->lock);
	before = context->spare;
	context->spare = spare;
	context->destroy_spare = destroy;
	plait__mutex_unlock(&context->lock);
	return before;
}

/* --- the rest of the public functions */

PLAIT__OBJECT_REFERENCES(context, PLAIT_OBJECT_CONTEXT);

PLAIT_API plait_status plait_context_report(plait_context *context,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error)
{
	plait__context *self;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	if (buffer != NULL && capacity_bytes != 0)
		buffer[0] = '\0';
	status = plait__context_enter(context, &self, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_copy(plait__registry_report(self->registry), buffer,
			 capacity_bytes, out_bytes);
	plait__object_leave(&self->object);
	return PLAIT_OK;
}

/* With the workers that a context would have, which the report mentions. */
static plait_status survey(const plait__settings *settings, plait__text *text,
			   plait_error *error)
{
	plait__registry_config config;
	plait__pool *pool;
	plait_status status;

	status = plait__pool_create(&settings->allocator, settings->workers,
				    &pool, error);
	if (status != PLAIT_OK)
		return status;
	plait__settings_config(settings, &config);
	config.pool = pool;
	status = plait__registry_survey(&config, text, error);
	plait__pool_destroy(pool);
	return status;
}

PLAIT_API plait_status plait_backend_report(const plait_context_desc *desc,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error)
{
	plait__settings settings;
	plait_status status;
	plait__text text;

	if (out_bytes != NULL)
		*out_bytes = 0;
	if (buffer != NULL && capacity_bytes != 0)
		buffer[0] = '\0';
	status = plait__handle_check_fork(error);
	if (status != PLAIT_OK)
		return status;
	(void)plait__fork_init();
	status = plait__settings_read(&settings, desc, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, &settings.allocator);
	status = survey(&settings, &text, error);
	if (status == PLAIT_OK)
		plait__text_copy(plait__text_get(&text), buffer,
				 capacity_bytes, out_bytes);
	plait__text_fini(&text);
	return status;
}

plait_status plait__context_fail_other(const plait__object *one,
				       const plait__object *other,
				       plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	char other_room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_HANDLE,
			   "%s is of context 0x%llx, %s of context 0x%llx",
			   plait__object_name(one, room),
			   (unsigned long long)plait__handle_get(
				   one->context->object.slot),
			   plait__object_name(other, other_room),
			   (unsigned long long)plait__handle_get(
				   other->context->object.slot));
}
