/* SPDX-License-Identifier: MIT */
/* List of the external sections that a queue waits for; see
 * entered_sections.h. */
#include "object/queue/entered_sections.h"

#include "object/queue/queue.h"
#include "object/wait/wait_in_driver.h"

#include "sys/thread.h"

void plait__entered_sections_add(plait__section *section, bool first)
{
	plait__section **link = &section->queue->sections;

	while (*link != NULL && !first)
		link = &(*link)->next_entered;
	section->next_entered = *link;
	section->is_entered = true;
	*link = section;
}

void plait__entered_sections_remove(plait__section *section)
{
	plait__section **link = &section->queue->sections;

	if (!section->is_entered)
		return;
	while (*link != section)
		link = &(*link)->next_entered;
	*link = section->next_entered;
	section->is_entered = false;
}

static void drop_owner(void *owner)
{
	plait__object_drop(owner);
}

/* Under the lock, which the section needs to be left: its work stays. */
plait_status plait__entered_sections_enter_driver(plait__queue *queue,
						  plait__awaited_use *use)
{
	plait__awaited_points found = { .count = 0 };
	plait__section *section;
	plait__object *owner = NULL;
	plait_status status;

	plait__mutex_lock(&queue->lock);
	section = queue->sections;
	if (section != NULL && section->find_points != NULL)
		section->find_points(section->arg, &found);
	if (found.count > 0)
		plait__object_hold(owner = section->owner);
	plait__mutex_unlock(&queue->lock);
	if (owner == NULL)
		return PLAIT_PENDING;
	PLAIT__THREAD_SCOPE waits = { drop_owner, owner };
	status = use(&found);
	plait__thread_scope_end(&waits);
	plait__object_drop(owner);
	return status;
}
