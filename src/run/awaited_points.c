/* SPDX-License-Identifier: MIT */
/* Waits for a run inside the driver of a backend; see awaited_points.h. */
#include "run/awaited_points.h"

#include "run/run.h"

#include "object/wait/wait_in_driver.h"
#include "sys/thread.h"

/* The instance cannot pass to another run while the run's lock is held. */
static void find(plait__instance *instance, plait__run *run,
		 plait__awaited_points *out)
{
	bool over = false;

	if (run != NULL) {
		plait__mutex_lock(&run->lock);
		over = at_load_acquire_u32(&run->outcome.done) != 0;
	}
	if (!over)
		instance->program->engine->find_points(instance, out);
	if (run != NULL)
		plait__mutex_unlock(&run->lock);
}

static void leave(void *users)
{
	/* Release: pairs with the load of the thread that destroys signals. */
	at_sub_u32(users, 1);
}

plait_status plait__awaited_points_enter(plait__instance *instance,
					 plait__run *run)
{
	plait__awaited_points found = { .count = 0 };
	plait_status status = PLAIT_PENDING;

	find(instance, run, &found);
	if (found.count == 0)
		return PLAIT_PENDING;
	PLAIT__THREAD_SCOPE inside = { leave, found.users };
	for (uint32_t i = 0; i < found.count && status != PLAIT_OK; i++)
		status = plait__wait_in_driver_for(&found.points[i]);
	plait__thread_scope_end(&inside);
	leave(found.users);
	return status == PLAIT_OK ? PLAIT_OK : PLAIT_PENDING;
}
