/* SPDX-License-Identifier: MIT */
/* Public reading and writing of schedules. */
#include "coll/form/xml_read.h"
#include "coll/form/xml_write.h"
#include "coll/prove/prove.h"
#include "coll/schedule/schedule_bytes.h"
#include "coll/use/schedule_object.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- reading ---- */

static plait_status read_any(const plait_allocator *allocator,
			     const void *bytes, uint64_t count,
			     const char *name, plait__schedule **out,
			     plait_error *error)
{
	if (plait__schedule_bytes_begin(bytes, count))
		return plait__schedule_bytes_read(allocator, bytes, count, name,
						  out, error);
	return plait__xml_read(bytes, count, name, allocator, out, error);
}

static plait_status read_into(plait__context *context, const void *bytes,
			      uint64_t count, const char *name,
			      plait_schedule **out, plait_error *error)
{
	plait__schedule_object *schedule_object;
	plait__schedule *schedule;
	plait_status status = read_any(plait__context_allocator(context), bytes,
				       count, name != NULL ? name : "schedule",
				       &schedule, error);

	if (status == PLAIT_OK)
		status = plait__schedule_object_create(context, schedule,
						       &schedule_object, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&schedule_object->object);
	return status;
}

PLAIT_API plait_status plait_schedule_read(plait_context *context,
					   const void *bytes, uint64_t count,
					   const char *name,
					   plait_schedule **out,
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
	status = read_into(entered, bytes, count, name, out, error);
	plait__object_leave(&entered->object);
	return status;
}

/* ---- writing ---- */

static plait_status write_binary(const plait__schedule *schedule,
				 plait__text *text, plait_error *error)
{
	uint64_t count = plait__schedule_bytes_count(schedule);
	void *bytes = plait__alloc(text->allocator, count);

	if (bytes != NULL) {
		plait__schedule_bytes_write(schedule, bytes);
		plait__text_add_bytes(text, bytes, count);
		plait__free(text->allocator, bytes, count);
	}
	if (bytes == NULL || text->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to write a schedule of %llu "
				   "bytes", (unsigned long long)count);
	return PLAIT_OK;
}

static plait_status write_text(const plait__schedule *schedule, int32_t format,
			       plait__text *text, plait_error *error)
{
	plait__proof proof;
	plait_status status;

	if (format < PLAIT_SCHEDULE_XML_MSCCL || format > PLAIT_SCHEDULE_BINARY)
		return plait__fail(error, PLAIT_E_INVALID,
				   "format %d is not one of "
				   "PLAIT_SCHEDULE_XML_... or "
				   "PLAIT_SCHEDULE_BINARY", format);
	status = plait__prove_schedule(schedule, NULL, &proof, error);
	if (status != PLAIT_OK)
		return status;
	if (format == PLAIT_SCHEDULE_BINARY)
		return write_binary(schedule, text, error);
	return plait__xml_write(schedule, (uint32_t)format, text, error);
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
				   "the schedule needs %llu bytes, the buffer "
				   "has %llu",
				   (unsigned long long)text->length,
				   (unsigned long long)capacity_bytes);
	memcpy(buffer, text->bytes, text->length);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_schedule_write(plait_schedule *schedule,
					    plait_schedule_format format,
					    void *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error)
{
	plait__schedule_object *entered;
	plait__text text;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__schedule_object_enter(schedule, &entered, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__context_allocator(
				entered->object.context));
	status = write_text(entered->schedule, format, &text, error);
	if (status == PLAIT_OK)
		status = return_text(&text, buffer, capacity_bytes, out_bytes,
				     error);
	plait__text_fini(&text);
	plait__object_leave(&entered->object);
	return status;
}
