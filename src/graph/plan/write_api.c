/* SPDX-License-Identifier: MIT */
/* Public serialization of plans: bytes, text, graphics and files. */
#include "graph/plan/plan_object.h"
#include "graph/plan/unbound_state.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "plan/io/binary.h"
#include "plan/io/json.h"
#include "render/render.h"
#include "sys/read_write_file.h"

#include <string.h>

enum { MAX_FILE_BYTES = 1 << 30 };

/* ---- writing ---- */

static plait_status write_svg(const plait__plan_object *plan_object,
			      plait__text *text, plait_error *error)
{
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(plan_object->plan, NULL,
						   text->allocator, &timeline,
						   error);

	if (status != PLAIT_OK)
		return status;
	plait__schedule_svg(plan_object->plan, timeline, text);
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

/* A collective belongs to a world, which ends with the processes of its
 * ranks. */
static plait_status write_binary(const plait__plan *plan, plait__text *text,
				 plait_error *error)
{
	for (uint32_t i = 0; i < plan->functions_count; i++)
		if (plan->functions[i].flags & PLAIT__FUNCTION_COLLECTIVE)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "the plan has collectives of a "
					   "world, which no file can hold; "
					   "build the graph anew in each "
					   "world");
	plait__binary_save(plan, text);
	return PLAIT_OK;
}

/* Write the plan to `text`, without a lock: the schedule is immutable. */
static plait_status write_text(const plait__plan_object *plan_object,
			       int32_t format, plait__text *text,
			       plait_error *error)
{
	plait_status status = PLAIT_OK;

	switch (format) {
	case PLAIT_FORMAT_BINARY:
		status = write_binary(plan_object->plan, text, error);
		break;
	case PLAIT_FORMAT_JSON:
		status = plait__json_plan(plan_object->plan, text, error);
		break;
	case PLAIT_FORMAT_DOT:
		plait__graphviz_plan(plan_object->plan, text);
		break;
	case PLAIT_FORMAT_SVG:
		status = write_svg(plan_object, text, error);
		break;
	default:
		return plait__fail(error, PLAIT_E_INVALID,
				   "format %d is not one of PLAIT_FORMAT_...",
				   format);
	}
	if (status == PLAIT_OK && text->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to write a plan of %u commands",
				   plan_object->plan->command_count);
	return status;
}

static plait_status return_text(const plait__text *text, void *buffer,
				uint64_t capacity_bytes, uint64_t *out_bytes,
				plait_error *error)
{
	if (out_bytes != NULL)
		*out_bytes = text->length;
	if (buffer == NULL)
		return PLAIT_OK;
	if (capacity_bytes < text->length)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan needs %llu bytes, the buffer has "
				   "%llu", (unsigned long long)text->length,
				   (unsigned long long)capacity_bytes);
	if (text->length > 0)
		memcpy(buffer, text->bytes, text->length);
	return PLAIT_OK;
}

plait_status plait_plan_write(plait_plan *plan, int32_t format, void *buffer,
			      uint64_t capacity_bytes, uint64_t *out_bytes,
			      plait_error *error)
{
	plait__plan_object *entered;
	plait__text text;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__plan_object_enter(plan, &entered, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__context_allocator(
			 entered->object.context));
	status = write_text(entered, format, &text, error);
	if (status == PLAIT_OK)
		status = return_text(&text, buffer, capacity_bytes, out_bytes,
				     error);
	plait__text_fini(&text);
	plait__object_leave(&entered->object);
	return status;
}

plait_status plait_plan_save(plait_plan *plan, const char *path,
			     plait_error *error)
{
	plait__plan_object *entered;
	plait__text text;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__context_allocator(
			 entered->object.context));
	status = path != NULL ?
		 write_text(entered, PLAIT_FORMAT_BINARY, &text, error) :
		 plait__fail(error, PLAIT_E_INVALID, "path is null");
	if (status == PLAIT_OK)
		status = plait__write_file_atomically(path, text.bytes,
						      text.length, error);
	plait__text_fini(&text);
	plait__object_leave(&entered->object);
	return status;
}

/* ---- reading ---- */

static plait_status read_into(plait__context *context, const void *bytes,
			      uint64_t count, plait_plan **out,
			      plait_error *error)
{
	plait__plan_object *plan_object;
	plait__plan *plan;
	plait_status status = plait__binary_load(
		bytes, count, plait__context_allocator(context), &plan,
		error);

	if (status != PLAIT_OK)
		return status;
	status = plait__plan_object_create(context, plan, &plan_object, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__unbound_state_open(plan_object, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&plan_object->object);
	else
		plait__object_release(
			plait__object_handle(&plan_object->object),
			PLAIT_OBJECT_PLAN);
	return status;
}

plait_status plait_plan_read(plait_context *context, const void *bytes,
			     uint64_t count, plait_plan **out,
			     plait_error *error)
{
	plait__context *entered;
	plait_status status;

	if (out == NULL || bytes == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : "bytes");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = read_into(entered, bytes, count, out, error);
	plait__object_leave(&entered->object);
	return status;
}

plait_status plait_plan_load(plait_context *context, const char *path,
			     plait_plan **out, plait_error *error)
{
	const plait_allocator *allocator;
	plait__context *entered;
	uint64_t count;
	void *bytes;
	plait_status status;

	if (out == NULL || path == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : "path");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	allocator = plait__context_allocator(entered);
	status = plait__read_whole_file(path, MAX_FILE_BYTES, allocator, &bytes,
					&count, error);
	if (status == PLAIT_OK) {
		status = read_into(entered, bytes, count, out, error);
		plait__free(allocator, bytes, count > 0 ? count : 1);
	}
	plait__object_leave(&entered->object);
	return status;
}
