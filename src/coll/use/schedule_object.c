/* SPDX-License-Identifier: MIT */
/* Schedule objects: creation, destruction, references. */
#include "coll/use/schedule_object.h"

#include "base/alloc.h"
#include "base/error.h"

static void destroy_schedule_object(plait__object *object)
{
	plait__schedule_object *schedule_object =
		(plait__schedule_object *)object;

	plait__schedule_free(schedule_object->schedule);
	plait__free(plait__context_allocator(object->context), schedule_object,
		    sizeof(*schedule_object));
}

static const plait__class schedule_class = {
	.type = PLAIT_OBJECT_SCHEDULE, .destroy = destroy_schedule_object
};

plait_status plait__schedule_object_create(plait__context *context,
					   plait__schedule *schedule,
					   plait__schedule_object **out,
					   plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__schedule_object *schedule_object =
		plait__alloc(allocator, sizeof(*schedule_object));
	plait_status status;

	*out = NULL;
	if (schedule_object == NULL) {
		plait__schedule_free(schedule);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a schedule");
	}
	schedule_object->schedule = schedule;
	status = plait__object_init(&schedule_object->object, &schedule_class,
				    context, error);
	if (status != PLAIT_OK) {
		plait__schedule_free(schedule);
		plait__free(allocator, schedule_object,
			    sizeof(*schedule_object));
		return status;
	}
	plait__object_set_label(&schedule_object->object, schedule->name);
	*out = schedule_object;
	return PLAIT_OK;
}

plait_status plait__schedule_object_enter(plait_schedule *handle,
					  plait__schedule_object **out,
					  plait_error *error)
{
	plait__object *entered;
	plait_status status = plait__object_enter(
		handle, PLAIT_OBJECT_SCHEDULE, &entered, error);

	*out = (plait__schedule_object *)entered;
	return status;
}

PLAIT__OBJECT_REFERENCES(schedule, PLAIT_OBJECT_SCHEDULE);
