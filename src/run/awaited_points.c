/* SPDX-License-Identifier: MIT */
/* Waits for a run inside the driver of a backend; see awaited_points.h. */
#include "run/awaited_points.h"

#include "run/run.h"

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

plait_status plait__awaited_points_enter(plait__instance *instance,
					 plait__run *run)
{
	plait__awaited_points found = { .count = 0 };

	find(instance, run, &found);
	return plait__wait_in_driver_for_run(&found);
}
