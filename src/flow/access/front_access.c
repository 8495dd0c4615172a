/* SPDX-License-Identifier: MIT */
/* Accesses to fronts; see front_access.h. */
#include "flow/access/front_access.h"

#include <string.h>

/* Forget readers that are done; returns true if there is no room for one
 * more. */
static bool is_full(plait__front *front, uint64_t settled)
{
	uint64_t kept = 0;

	if (front->count < PLAIT__FRONT_READERS)
		return false;
	for (uint64_t i = 0; i < front->count; i++)
		if (front->readers[i] > settled)
			front->readers[kept++] = front->readers[i];
	front->count = kept;
	return kept == PLAIT__FRONT_READERS;
}

static bool is_like_last(const plait__front *front, const uint64_t *last)
{
	return memcmp(front->readers, last, sizeof(front->readers)) == 0;
}

static void remember(const plait__front *front, uint64_t *last)
{
	memcpy(last, front->readers, sizeof(front->readers));
}

void plait__front_access_gather_all(plait__preds *preds, plait__front *front,
				    uint32_t mode)
{
	if ((mode & PLAIT__ACCESS_WRITES) != 0 && front->count > 0) {
		for (uint64_t i = 0; i < front->count; i++)
			plait__preds_add(preds, front->readers[i], false);
		if ((mode & PLAIT__ACCESS_READS) == 0)
			return;
	}
	plait__preds_add(preds, front->writer,
			 (mode & PLAIT__ACCESS_READS) != 0);
	if ((mode & PLAIT__ACCESS_WRITES) == 0 &&
	    is_full(front, preds->settled) &&
	    !is_like_last(front, preds->last_full)) {
		preds->marks++;
		remember(front, preds->last_full);
	}
}

static uint64_t mark_readers(plait__front_record *record,
			     const plait__front *front)
{
	if (!is_like_last(front, record->last_full)) {
		remember(front, record->last_full);
		record->last_mark = record->mark(record->arg, front->readers,
						 PLAIT__FRONT_READERS);
	}
	return record->last_mark;
}

void plait__front_access_add_reader(plait__front_record *record,
				    plait__front *front)
{
	if (is_full(front, record->settled)) {
		front->readers[0] = mark_readers(record, front);
		front->count = 1;
	}
	front->readers[front->count++] = record->number;
}
