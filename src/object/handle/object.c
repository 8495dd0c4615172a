/* SPDX-License-Identifier: MIT */
/* How objects live and end; see object.h. */
#include "object/handle/object.h"

#include "object/context/context.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

plait_status plait__object_init(plait__object *object,
				const plait__class *class,
				plait__context *context, plait_error *error)
{
	plait_status status = PLAIT_OK;

	object->class = class;
	object->context = context;
	at_init_u64(&object->holds, 1 + class->maker_holds);
	if (object->slot != NULL)
		plait__handle_reuse(object->slot, class->type, object);
	else if (class->type != PLAIT_OBJECT_ANY)
		status = plait__handle_make(class->type, object,
					    &object->slot, error);
	if (status != PLAIT_OK)
		return status;
	if (context != NULL && &context->object != object && !class->is_transient)
		plait__object_hold(&context->object);
	if (object->slot != NULL)
		plait__reclaim_thread_handle_opened(context);
	return PLAIT_OK;
}

void plait__object_set_label(plait__object *object, const char *label)
{
	if (label != NULL)
		plait__text_copy(label, object->label, sizeof(object->label),
				 NULL);
}

const char *plait__object_name(const plait__object *object,
			       char room[PLAIT__OBJECT_NAME_BYTES])
{
	const char *type = plait__handle_type_name(object->class->type);

	if (object->label[0] != '\0')
		(void)snprintf(room, PLAIT__OBJECT_NAME_BYTES, "%s \"%s\"", type,
			       object->label);
	else
		(void)snprintf(room, PLAIT__OBJECT_NAME_BYTES, "%s 0x%llx", type,
			       (unsigned long long)plait__handle_get(
				       object->slot));
	return room;
}

void *plait__object_handle(const plait__object *object)
{
	return (void *)(uintptr_t)plait__handle_get(object->slot);
}

plait_status plait__object_enter(const void *handle, int32_t type,
				 plait__object **out, plait_error *error)
{
	void *object;
	plait_status status = plait__handle_enter(handle, type, &object,
						  error);

	*out = object;
	return status;
}

/* What is in flight may keep it for a while. */
static void linger(plait__object *object)
{
	plait__context *context = object->context;

	if (object->class->close != NULL)
		object->class->close(object);
	if (&context->object != object && plait__object_uses(object) != 0)
		plait__reclaim_if_due(context);
	if (&context->object != object && plait__object_uses(object) != 0) {
		object->lingers = true;
		plait__reclaim_thread_add_lingering(context, 1);
	}
}

/* The user has it no more. */
static void close_handle(plait__object *object)
{
	plait__context *context = object->context;

	if (object->class->is_transient) {
		/* Until it is dropped, what it holds keeps the context. */
		linger(object);
		plait__reclaim_thread_handle_closed(context);
		plait__object_drop(object);
		return;
	}
	plait__object_hold(&context->object);
	linger(object);
	plait__object_drop(object);
	plait__reclaim_thread_handle_closed(context);
	plait__object_drop(&context->object);
}

void plait__object_leave(plait__object *object)
{
	if (plait__handle_leave(object->slot))
		close_handle(object);
}

void plait__object_leave_on_exit(void *object)
{
	plait__object_leave(object);
}

void plait__object_leave_deferred(plait__object *object, plait__object **late)
{
	if (!plait__handle_leave(object->slot))
		return;
	/* The user's hold is still there, so nobody else uses `later`. */
	object->later = *late;
	*late = object;
}

void plait__object_close_deferred(plait__object *late)
{
	plait__object *next;

	for (; late != NULL; late = next) {
		next = late->later;
		close_handle(late);
	}
}

void plait__object_release(const void *handle, int32_t type)
{
	plait__handle_end end;
	plait__object *object;
	void *found;

	end = plait__handle_release(handle, type, &found);
	if (end == PLAIT__HANDLE_NO_ACTION)
		return;
	object = found;
	if (object->class->abandon != NULL)
		object->class->abandon(object);
	if (end == PLAIT__HANDLE_CLOSE)
		close_handle(object);
	else
		plait__object_leave(object);
}

void plait__object_hold(plait__object *object)
{
	at_add_u64(&object->holds, 1);
}

void plait__object_hold_times(plait__object *object, uint32_t times)
{
	at_add_u64(&object->holds, times);
}

bool plait__object_try_hold(plait__object *object)
{
	uint64_t holds = at_load_acquire_u64(&object->holds);

	while (holds != 0)
		if (at_cas_u64(&object->holds, &holds, holds + 1))
			return true;
	return false;
}

/* Nobody comes in any more. */
static void close_slot(plait__object *object)
{
	if (object->slot == NULL)
		return;
	if (!object->class->is_transient)
		plait__handle_free(object->slot);
	else if (!plait__handle_retire(object->slot))
		object->slot = NULL;
}

void plait__object_drop(plait__object *object)
{
	const bool light = object->class->is_transient;
	plait__context *context = object->context;

	/* The last one sees what all others did: acquire and release. */
	if (at_sub_u64(&object->holds, 1) != 1)
		return;
	close_slot(object);
	if (&context->object == object) {
		object->class->destroy(object);
		return;
	}
	if (object->lingers)
		plait__reclaim_thread_add_lingering(context, -1);
	object->class->destroy(object);
	if (!light)
		plait__object_drop(&context->object);
}

void plait__object_drop_deferred(plait__object *object)
{
	uint64_t holds = at_load_acquire_u64(&object->holds);

	while (holds > 1)
		if (at_cas_u64(&object->holds, &holds, holds - 1))
			return;
	/* Nobody else has one, so nobody else can queue it. */
	plait__reclaim_defer_drop(object->context, object);
}

uint64_t plait__object_uses(const plait__object *object)
{
	return at_load_acquire_u64(&object->holds) - 1;
}
