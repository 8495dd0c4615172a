/* SPDX-License-Identifier: MIT */
/* Plans as data, tried while something fails. */
#include "fault/calls.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static plait_status make_plan(struct place *place, plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2 };
	plait_graph *graph;
	plait_status status;

	status = calls_make_graph(place, NULL, &graph, error);
	if (status != PLAIT_OK)
		return status;
	status = plait_graph_freeze(graph, &desc, &place->plan, error);
	plait_graph_release(graph);
	return status;
}

static plait_status ask(plait_plan *plan, plait_error *error)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_command_info command = { .size = sizeof(command) };
	plait_lane_use lanes[8] = { { .size = sizeof(lanes[0]) } };
	plait_simulation simulation = { .size = sizeof(simulation) };
	plait_critical_command critical[8] = {
		{ .size = sizeof(critical[0]) }
	};
	plait_status status;

	if ((status = plait_plan_query(plan, &info, error)) ||
	    (status = plait_plan_check(plan, error)) ||
	    (status = plait_plan_query_command(plan, 0, &command, error)) ||
	    (status = plait_plan_simulate(plan, NULL, &simulation, lanes, 8,
					  error)) ||
	    (status = plait_plan_critical_path(plan, NULL, critical, 8, error)))
		return status;
	return info.lanes <= 8 ? PLAIT_OK :
				 calls_wrong(error, "more lanes than room");
}

static plait_status query_and_check(struct place *place, plait_error *error)
{
	plait_status status = ask(place->plan, error);

	plait_plan_retain(place->plan);
	plait_plan_release(place->plan);
	return status;
}

static plait_status write_as(plait_plan *plan, int32_t format, void *buffer,
			     uint64_t capacity, uint64_t *out_bytes,
			     plait_error *error)
{
	plait_status status = plait_plan_write(plan, format, NULL, 0,
					       out_bytes, error);

	if (status != PLAIT_OK)
		return status;
	if (*out_bytes > capacity)
		return calls_wrong(error, "more bytes than room");
	return plait_plan_write(plan, format, buffer, capacity, out_bytes,
				error);
}

static plait_status write_all(struct place *place, plait_error *error)
{
	static char room[1 << 18];
	plait_status status = PLAIT_OK;
	uint64_t bytes;

	for (int32_t format = PLAIT_FORMAT_BINARY;
	     status == PLAIT_OK && format <= PLAIT_FORMAT_SVG; format++)
		status = write_as(place->plan, format, room, sizeof(room),
				  &bytes, error);
	return status;
}

/* --- plans with names */

static bool is_bound(plait_plan *plan, uint64_t index)
{
	plait_plan_binding binding = { .size = sizeof(binding) };

	return plait_plan_query_binding(plan, index, &binding, NULL) ==
		       PLAIT_OK &&
	       binding.bound;
}

static plait_status bind_one(struct place *place, plait_plan *plan,
			     const plait_plan_binding *binding,
			     plait_error *error)
{
	const plait_function_desc function = {
		.size = sizeof(function), .flags = PLAIT_CALL_ANY_THREAD,
		.function = calls_return_zero,
	};
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };
	plait_kernel *kernel = NULL;
	plait_buffer *buffer = NULL;
	plait_status status;

	switch (binding->kind) {
	case PLAIT_BINDING_KERNEL:
		status = calls_make_kernel(place, &kernel, error);
		if (status == PLAIT_OK)
			status = plait_plan_bind_kernel(plan, kernel, error);
		plait_kernel_release(kernel);
		return status;
	case PLAIT_BINDING_BUFFER:
		status = plait_buffer_create(place->device, &bytes, &buffer,
					     error);
		if (status == PLAIT_OK)
			status = plait_plan_bind_buffer(plan, binding->name,
							buffer, error);
		plait_buffer_release(buffer);
		return status;
	case PLAIT_BINDING_SIGNAL:
		return plait_plan_bind_signal(
			plan, binding->name,
			(binding->flags & PLAIT_BINDING_IS_EMITTED) != 0 ?
				place->signal : place->gate, error);
	case PLAIT_BINDING_FUNCTION:
		return plait_plan_bind_function(plan, binding->name, &function,
						error);
	default:
		return plait_plan_bind_device(plan, binding->name,
					      place->device, error);
	}
}

/* A failed bind changes nothing. */
static plait_status bind_all(struct place *place, plait_plan *plan,
			     plait_error *error)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_status status = plait_plan_query(plan, &info, error);

	for (uint64_t i = 0; status == PLAIT_OK && i < info.bindings; i++) {
		plait_plan_binding binding = { .size = sizeof(binding) };

		status = plait_plan_query_binding(plan, i, &binding, error);
		if (status == PLAIT_OK)
			status = bind_one(place, plan, &binding, error);
		if (status == PLAIT_OK && !is_bound(plan, i))
			return calls_wrong(error, "bound, but not there");
		if (status != PLAIT_OK && is_bound(plan, i) != binding.bound)
			return calls_wrong(error, "not bound, but changed");
	}
	return status;
}

/* A plan as bytes. */
static char bytes[1 << 16];
static uint64_t byte_count;

static plait_status make_bytes(struct place *place, plait_error *error)
{
	plait_status status = make_plan(place, error);

	return status != PLAIT_OK ? status :
	       write_as(place->plan, PLAIT_FORMAT_BINARY, bytes, sizeof(bytes),
			&byte_count, error);
}

static plait_status read_plan(struct place *place, plait_plan **out,
			      plait_error *error)
{
	plait_status status;

	*out = (void *)place;
	status = plait_plan_read(place->context, bytes, byte_count, out, error);
	if (status == PLAIT_OK || *out == NULL)
		return status;
	*out = NULL;
	return calls_wrong(error, "out is set");
}

static plait_status read_and_bind(struct place *place, plait_error *error)
{
	plait_plan *read;
	plait_status status = read_plan(place, &read, error);

	if (status == PLAIT_OK)
		status = bind_all(place, read, error);
	plait_plan_release(read);
	return status;
}

static plait_status rehearse(struct place *place, plait_error *error)
{
	plait_plan *read;
	plait_status status = read_plan(place, &read, error);

	if (status == PLAIT_OK)
		status = plait_plan_rehearse(read, 0, error);
	if (status == PLAIT_OK)
		status = plait_plan_call(read, NULL, NULL, error);
	plait_plan_release(read);
	return status;
}

/* The file, or its temporary file. */
static bool is_there(const char *name)
{
	struct dirent *entry;
	DIR *folder = opendir(".");
	bool found = false;

	while (folder != NULL && (entry = readdir(folder)) != NULL)
		found = found || strncmp(entry->d_name, name,
					 strlen(name)) == 0;
	if (folder != NULL)
		closedir(folder);
	return found;
}

/* A file that could not be written does not exist, nor does half of it. */
static plait_status save(plait_plan *plan, const char *path,
			 plait_error *error)
{
	plait_status status = plait_plan_save(plan, path, error);

	if (status != PLAIT_OK && is_there(path))
		return calls_wrong(error, "a file is left");
	return status;
}

static plait_status save_and_load(struct place *place, plait_error *error)
{
	static char path[64];
	plait_plan *loaded = (void *)place;
	plait_status status;

	(void)snprintf(path, sizeof(path), "calls-%d.plan", (int)getpid());
	status = save(place->plan, path, error);
	if (status != PLAIT_OK)
		return status;
	status = plait_plan_load(place->context, path, &loaded, error);
	(void)unlink(path);
	if (status != PLAIT_OK)
		return loaded == NULL ? status :
					calls_wrong(error, "out is set");
	plait_plan_release(loaded);
	return PLAIT_OK;
}

const struct calls_entry calls_plan[] = {
	{ "plait_plan_query plait_plan_check plait_plan_simulate "
	  "plait_plan_critical_path plait_plan_query_command plait_plan_retain "
	  "plait_plan_release",
	  query_and_check, make_plan },
	{ "plait_plan_write", write_all, make_plan },
	{ "plait_plan_read plait_plan_query_binding plait_plan_bind_kernel "
	  "plait_plan_bind_buffer plait_plan_bind_signal "
	  "plait_plan_bind_function plait_plan_bind_device", read_and_bind,
	  make_bytes },
	{ "plait_plan_rehearse", rehearse, make_bytes },
	{ "plait_plan_save plait_plan_load", save_and_load, make_plan },
	{ NULL, NULL, NULL }
};
