/* SPDX-License-Identifier: MIT */
/* Cells of a watch, one per owed notification; see signal_watch.h. */
#include "object/signal/signal_watch.h"

#include "object/context/backend_result.h"

#include <string.h>

void plait__signal_watch_init(plait__signal_watch *watch, plait__object *object)
{
	uint32_t i;

	watch->object = object;
	for (i = 0; i < PLAIT__SIGNAL_WATCH_CELLS; i++)
		watch->cells[i].watch = watch;
}

/* Notification callback: calls no slot, so it defers a last drop. */
static void on_notified(void *user_data, plait_status status)
{
	struct plait__signal_watch_cell *cell = user_data;
	plait__object *object = cell->watch->object;
	plait__context *context = object->context;

	(void)status;
	plait__mutex_lock(&cell->watch->lock);
	cell->armed = false;
	plait__mutex_unlock(&cell->watch->lock);
	plait__backend_notified(context);
	/*
	 * The context outlives every notification callback: its end joins the
	 * threads that make them before it frees memory.
	 */
	plait__context_notify_waiters(context);
	plait__object_drop_deferred(object);
}

/*
 * Returns true if a cell is armed that fires no later than the point. Else *out
 * is a cell to arm, already marked, or null.
 */
static bool find_cell(plait__signal_watch *watch, uint64_t sequence,
		      struct plait__signal_watch_cell **out)
{
	struct plait__signal_watch_cell *unused = NULL;
	bool found = false;
	uint32_t i;

	plait__mutex_lock(&watch->lock);
	for (i = 0; i < PLAIT__SIGNAL_WATCH_CELLS && !found; i++) {
		struct plait__signal_watch_cell *cell = &watch->cells[i];

		if (!cell->armed)
			unused = cell;
		else if (cell->sequence <= sequence)
			found = true;
	}
	if (!found && unused != NULL) {
		unused->armed = true;
		unused->sequence = sequence;
	}
	plait__mutex_unlock(&watch->lock);
	*out = found ? NULL : unused;
	return found;
}

bool plait__signal_watch_arm(plait__signal_watch *watch,
			     plait__backend_port *port,
			     const plait_backend_point *point)
{
	struct plait__signal_watch_cell *cell;
	plait_error ignored;

	if ((port->all & PLAIT_CAP_NOTIFY) == 0)
		return false;
	if (find_cell(watch, point->sequence, &cell))
		return true;
	if (cell == NULL)
		return false;
	memset(&ignored, 0, sizeof(ignored));
	plait__object_hold(watch->object);
	if (plait__backend_notify(port, watch->object->context, point,
				  on_notified, cell, &ignored) == PLAIT_OK)
		return true;
	plait__mutex_lock(&watch->lock);
	cell->armed = false;
	plait__mutex_unlock(&watch->lock);
	plait__object_drop(watch->object);
	return false;
}

bool plait__signal_watch_is_armed(plait__signal_watch *watch)
{
	bool armed = false;
	uint32_t i;

	plait__mutex_lock(&watch->lock);
	for (i = 0; i < PLAIT__SIGNAL_WATCH_CELLS; i++)
		armed = armed || watch->cells[i].armed;
	plait__mutex_unlock(&watch->lock);
	return armed;
}
