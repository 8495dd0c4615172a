/* SPDX-License-Identifier: MIT */
/* Search for repeats; see repeat_search.h. */
#include "flow/repeat_search.h"

/* Tasks that are searched before the search is given up. */
enum { SEARCHED = 8192 };

static void forget_recorded(plait__repeat_search *search)
{
	if (search->recorded != NULL)
		plait__stretch_free(search->recorded);
	search->recorded = NULL;
	at_store_relaxed_u32(&search->is_recorded, 0);
}

void plait__repeat_search_restart(plait__repeat_search *search)
{
	forget_recorded(search);
	search->searched = 0;
	search->finder = (plait__period_finder){ .count = 0 };
}

/* Tasks repeat: record a stretch of them.  It lies between two gaps, if there are
 * some; else it begins where the program probably does, behind the last one. */
static void begin_record(plait__repeat_search *search, uint32_t period)
{
	uint64_t since;

	search->searched = 0;
	since = plait__period_finder_since_gap(&search->finder);
	search->recorded = plait__stretch_make(search->allocator);
	search->period = period;
	search->awaits_gap = since < period;
	search->ahead = (uint32_t)((period - since % period) % period);
}

static void end_record(plait__repeat_search *search)
{
	if (search->recorded->tasks.count >= PLAIT__PERIOD_LEAST)
		/* Relaxed: a hint. */
		at_store_relaxed_u32(&search->is_recorded, 1);
	else
		plait__repeat_search_restart(search);
}

/* A gap: the tasks before it are the stretch, unless they are too few. */
static void end_segment(plait__repeat_search *search)
{
	if (search->recorded->tasks.count >= PLAIT__PERIOD_LEAST)
		end_record(search);
	else
		plait__stretch_clear(search->recorded);
}

/* A task, or null: a gap. */
static void record(plait__repeat_search *search,
		   const plait_task_desc *desc)
{
	if (search->awaits_gap) {
		search->awaits_gap = desc != NULL;
		search->ahead = 0;
	} else if (search->ahead > 0) {
		search->ahead--;
	} else if (desc == NULL) {
		end_segment(search);
		return;
	} else if (!plait__stretch_add(search->recorded, desc)) {
		plait__repeat_search_restart(search);
		return;
	}
	if (search->recorded->tasks.count == search->period)
		end_record(search);
}

bool plait__repeat_search_add(plait__repeat_search *search,
			      const plait_task_desc *desc, uint64_t most)
{
	uint64_t token = desc == NULL ? PLAIT__PERIOD_GAP :
			 plait__repeated_task_token(desc);
	uint32_t period = plait__period_finder_add(&search->finder, token);

	if (plait__repeat_search_has_stretch(search))
		return true;
	if (search->recorded != NULL && period == 0)
		forget_recorded(search);
	if (search->recorded != NULL)
		record(search, desc);
	else if (period != 0 && period <= most)
		begin_record(search, period);
	return search->recorded != NULL || ++search->searched < SEARCHED;
}

plait__stretch *plait__repeat_search_take(plait__repeat_search *search)
{
	plait__stretch *made = search->recorded;

	if (!plait__repeat_search_has_stretch(search))
		return NULL;
	search->recorded = NULL;
	plait__repeat_search_restart(search);
	return made;
}
