/* SPDX-License-Identifier: MIT */
/* Object life: holds, enter and leave, close, destroy; see object.h. */
#include "object/handle/object.h"

#include "base/text.h"

#include <stdio.h>

static plait__context_base *base_of(const plait__object *object)
{
	return (plait__context_base *)(void *)object->context;
}

static bool is_context(const plait__object *object)
{
	return object == (const void *)object->context;
}

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
	if (context != NULL && !is_context(object) && !class->is_transient)
		plait__object_hold(&base_of(object)->object);
	if (object->slot != NULL && !object->is_internal)
		at_add_u64(&base_of(object)->open_handles, 1);
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
		(void)snprintf(room, PLAIT__OBJECT_NAME_BYTES, "%s \"%s\"",
			       type, object->label);
	else
		(void)snprintf(room, PLAIT__OBJECT_NAME_BYTES, "%s 0x%llx",
			       type,
			       (unsigned long long)plait__handle_get(
				       object->slot));
	return room;
}

void *plait__object_handle(const plait__object *object)
{
	return (void *)(uintptr_t)plait__handle_get(object->slot);
}

/* Close the object; if work in flight holds it, leave it to the reclaimer.  No
 * thread is inside. */
static void linger(plait__object *object)
{
	plait__context_base *base = base_of(object);

	if (object->class->close != NULL)
		object->class->close(object);
	if (!is_context(object) && plait__object_uses(object) != 0)
		base->ops->reclaim_if_due(object->context);
	if (!is_context(object) && plait__object_uses(object) != 0) {
		object->lingers = true;
		at_add_u64(&base->lingering, 1);
		base->ops->object_lingers(object->context);
	}
}

/* The thread that closes the last handle sees all lingering objects. */
static void count_closed(plait__context *context)
{
	plait__context_base *base = (plait__context_base *)(void *)context;

	if (at_sub_u64(&base->open_handles, 1) == 1 &&
	    at_load_acquire_u64(&base->lingering) != 0)
		base->ops->last_handle_closed(context);
}

void plait__object_make_internal(plait__object *object)
{
	object->is_internal = true;
	count_closed(object->context);
}

/* The user's last reference is gone, and no thread is inside.  The context is
 * kept until the close is counted. */
static void close_handle(plait__object *object)
{
	plait__context *context = object->context;
	plait__object *keeper = &base_of(object)->object;
	const bool is_internal = object->is_internal;

	if (object->class->is_transient) {
		/* Until the last drop, the objects that it holds keep the
		 * context. */
		linger(object);
		count_closed(context);
		plait__object_drop(object);
		return;
	}
	plait__object_hold(keeper);
	linger(object);
	plait__object_drop(object);
	if (!is_internal)
		count_closed(context);
	plait__object_drop(keeper);
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
	/* The user's hold is still there, so no other list has the object. */
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

/* Make the handle stale.  The last hold was dropped. */
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
	const bool is_transient = object->class->is_transient;
	plait__context_base *base = base_of(object);

	/* Acquire and release: the last drop sees what all others did. */
	if (at_sub_u64(&object->holds, 1) != 1)
		return;
	close_slot(object);
	if (is_context(object)) {
		object->class->destroy(object);
		return;
	}
	if (object->lingers)
		at_sub_u64(&base->lingering, 1);
	object->class->destroy(object);
	if (!is_transient)
		plait__object_drop(&base->object);
}

void plait__object_drop_deferred(plait__object *object)
{
	uint64_t holds = at_load_acquire_u64(&object->holds);

	while (holds > 1)
		if (at_cas_u64(&object->holds, &holds, holds - 1))
			return;
	/* No other hold exists, so no other thread defers the drop. */
	base_of(object)->ops->defer_drop(object->context, object);
}

uint64_t plait__object_uses(const plait__object *object)
{
	return at_load_acquire_u64(&object->holds) - 1;
}
