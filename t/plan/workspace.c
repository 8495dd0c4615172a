/* SPDX-License-Identifier: MIT */
/*
 * Blocks of the planner when there is no memory: a block that was cut from a
 * slab, and fails to grow, stays as it was.
 */
#include "plan/schedule/workspace.h"

#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 23, MANY = 1 << 20 };

static bool empty;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	return empty ? NULL : realloc(pointer, new_bytes);
}

static void cuts_stay(void)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize };
	plait__workspace work;
	uint32_t *cut, *moved;
	uint64_t held;

	plait__workspace_init(&work, &allocator);
	IS_INT(plait__workspace_open_slab(&work, PLAIT__WORKSPACE_EARLY, BYTES),
	       PLAIT_OK);
	cut = plait__workspace_cut(&work, PLAIT__WORKSPACE_EARLY, MANY, sizeof(*cut));
	OK(cut != NULL && work.blocks[work.count - 1].slab ==
	   PLAIT__WORKSPACE_EARLY);
	for (uint32_t i = 0; i < MANY; i++)
		cut[i] = i;
	held = work.held_bytes;
	empty = true;
	OK(plait__workspace_resize(&work, cut, 2 * MANY, sizeof(*cut)) == NULL);
	IS_UINT(work.held_bytes, held);
	empty = false;
	moved = plait__workspace_resize(&work, cut, 2 * MANY, sizeof(*cut));
	OK(moved != NULL && moved != cut);
	for (uint32_t i = 0; moved != NULL && i < MANY; i++)
		if (moved[i] != i)
			OK_THAT(false, "%u is %u", i, moved[i]);
	plait__workspace_free(&work, moved);
	plait__workspace_fini(&work);
	IS_UINT(work.held_bytes, 0);
}

static const struct tap_scenario all[] = {
	{ "cuts stay", cuts_stay },
};
TAP_MAIN(all)
