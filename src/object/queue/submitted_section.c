/* SPDX-License-Identifier: MIT */
/* Sections as commands of a submission; see submitted_section.h. */
#include "object/queue/submitted_section.h"

#include "object/progress/notification.h"
#include "object/queue/entered_sections.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission.h"

/* Notification callback. */
static void on_reached(void *user_data, plait_status status)
{
	plait__section *section = user_data;
	plait__queue *queue = section->queue;
	plait__context *context = queue->object.context;

	/* After this call the section may be on its way through another
	 * queue. */
	section->reached(section->arg, status);
	/* Release: pairs with the load in queue_finish.c. */
	at_sub_u32(&queue->owed_notifications, 1);
	plait__context_notify_waiters(context);
	plait__object_drop_deferred(&section->object);
	plait__object_drop_deferred(&queue->object);
}

/* Returns true if the callback `reached` will be called. */
static bool arm(plait__section *section)
{
	plait__queue *queue = section->queue;
	const plait_backend_point point = { queue->progress,
					    section->sequence };
	plait_error why = { .size = sizeof(why) };

	plait__object_hold(&section->object);
	plait__object_hold(&queue->object);
	at_add_u32(&queue->owed_notifications, 1);
	if (plait__notification_arm(queue->port, &point, on_reached, section,
				    &why) == PLAIT_OK)
		return true;
	at_sub_u32(&queue->owed_notifications, 1);
	plait__object_drop(&section->object);
	plait__object_drop(&queue->object);
	return false;
}

/* The emission tells that the queue has come to the section; the wait behind it
 * holds back what follows. */
plait_status plait__section_add(plait__section *section,
				struct plait__submission_builder *builder,
				plait_error *error)
{
	plait_status status;

	section->sequence = ++builder->progress;
	plait__submission_add_emit(builder, builder->queue->progress,
				   section->sequence);
	status = plait__submission_hold(builder, &section->object, error);
	if (status != PLAIT_OK)
		return status;
	plait__entered_sections_add(section, false);
	plait__submission_add_wait(builder, section->gate,
				   section->gate_sequence);
	return PLAIT_OK;
}

void plait__section_withdraw(plait__section *section)
{
	plait__mutex_lock(&section->queue->lock);
	plait__entered_sections_remove(section);
	plait__mutex_unlock(&section->queue->lock);
}

void plait__section_submitted(plait__section *section)
{
	/* Hold the queue until the section is left: the backend may fail to
	 * say how far the queue is. */
	plait__object_hold(&section->queue->object);
	/* The section was submitted, so it ends with this failure. */
	if (!arm(section))
		section->reached(section->arg, PLAIT_E_NOMEM);
}
