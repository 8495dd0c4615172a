/* SPDX-License-Identifier: MIT */
/*
 * Effect of an access on a front, in two passes over all accesses of a task:
 * gather its predecessors, which changes nothing; then, when the task is
 * certain, record it.  Readers come before the next writer; a seventh reader
 * makes one mark of the others.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_ACCESS_FRONT_ACCESS_H
#define PLAIT_SRC_FLOW_ACCESS_FRONT_ACCESS_H

#include "flow/access/preds.h"
#include "flow/region/front_map.h"

enum { PLAIT__ACCESS_READS = 1, PLAIT__ACCESS_WRITES = 2 };

/* The slow part of gather. */
void plait__front_access_gather_all(plait__preds *preds, plait__front *front,
				    uint32_t mode);

/* Add to `preds` the ops that an access in `mode` has to follow, and count the
 * marks that its record makes.  Inlined: most accesses of a stencil read. */
static inline void plait__front_access_gather(plait__preds *preds,
					      plait__front *front,
					      uint32_t mode)
{
	if (mode == PLAIT__ACCESS_READS && front->count < PLAIT__FRONT_READERS)
		plait__preds_add(preds, front->writer, true);
	else
		plait__front_access_gather_all(preds, front, mode);
}

/* Returns true if an access in `mode` has to follow the front's writer alone. */
static inline bool plait__front_access_is_behind_writer(const plait__front *front,
							uint32_t mode)
{
	return mode == PLAIT__ACCESS_READS ?
		       front->count < PLAIT__FRONT_READERS : front->count == 0;
}

/* The same as gather for all fronts of a row. */
static inline void plait__front_access_gather_row(plait__preds *preds,
						  const plait__front_row *row,
						  uint32_t mode)
{
	plait__front *const end = row->first + row->count;
	uint64_t last = 0;

	for (plait__front *front = row->first; front < end; front++) {
		if (!plait__front_access_is_behind_writer(front, mode)) {
			plait__front_access_gather_all(preds, front, mode);
		} else if (front->writer != last) {
			/* Neighbours mostly have the same writer. */
			last = front->writer;
			plait__preds_add(preds, last,
					 (mode & PLAIT__ACCESS_READS) != 0);
		}
	}
}

/* The caller sets the first four fields; the others begin as zero. */
typedef struct plait__front_record {
	uint64_t number;  /* of the task */
	uint64_t settled; /* all ops up to this one are done */
	/* Make a mark behind these ops; returns its number. */
	uint64_t (*mark)(void *arg, const uint64_t *numbers, uint32_t count);
	void *arg;
	/* The last one, and the readers that it stands for. */
	uint64_t last_full[PLAIT__FRONT_READERS];
	uint64_t last_mark;
} plait__front_record;

/* The slow part of record: a reader more than there is room for. */
void plait__front_access_add_reader(plait__front_record *record,
				    plait__front *front);

/* Note that op `number` reads a front, which has room for one more reader. */
static inline void plait__front_access_note_reader(plait__front *front,
						   uint64_t number)
{
	uint64_t count = front->count;

	if (front->writer != number &&
	    (count == 0 || front->readers[count - 1] != number)) {
		front->readers[count] = number;
		front->count = count + 1;
	}
}

static inline void plait__front_access_note_writer(plait__front *front,
						   uint64_t number)
{
	front->writer = number;
	front->count = 0;
}

/* Note the access of op `number` in fronts that have room for one more reader, or are
 * written. */
static inline void plait__front_access_note_row(const plait__front_row *row,
						uint32_t mode, uint64_t number)
{
	if ((mode & PLAIT__ACCESS_WRITES) != 0)
		for (uint32_t i = 0; i < row->count; i++)
			plait__front_access_note_writer(&row->first[i], number);
	else
		for (uint32_t i = 0; i < row->count; i++)
			plait__front_access_note_reader(&row->first[i], number);
}

/* The same for any front; may call `mark`. */
static inline void plait__front_access_record(plait__front_record *record,
					      plait__front *front,
					      uint32_t mode)
{
	uint64_t count = front->count;

	if ((mode & PLAIT__ACCESS_WRITES) != 0)
		plait__front_access_note_writer(front, record->number);
	else if (count < PLAIT__FRONT_READERS)
		plait__front_access_note_reader(front, record->number);
	else if (front->writer != record->number &&
		 front->readers[count - 1] != record->number)
		plait__front_access_add_reader(record, front);
}

static inline void
plait__front_access_record_row(plait__front_record *record,
			       const plait__front_row *row, uint32_t mode)
{
	if ((mode & PLAIT__ACCESS_WRITES) != 0) {
		plait__front_access_note_row(row, mode, record->number);
		return;
	}
	for (uint32_t i = 0; i < row->count; i++)
		plait__front_access_record(record, &row->first[i], mode);
}

#endif
