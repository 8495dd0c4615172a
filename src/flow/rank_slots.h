/* SPDX-License-Identifier: MIT */
/*
 * Slots of the links between ranks: the rows of a box, cut into slots, or a
 * failure in place of them.  The head of a slot says which transfer it is of, how
 * many bytes that has, and the hash of the sender's program up to the submission
 * that the transfer is for: a rank takes no value of another program.
 */
#ifndef PLAIT_SRC_FLOW_RANK_SLOTS_H
#define PLAIT_SRC_FLOW_RANK_SLOTS_H

#include "flow/rank_state.h"

/* Bytes behind the head of a slot: a failure fits. */
enum { PLAIT__RANK_SLOT_LEAST = 320, PLAIT__RANK_SLOT_MOST = 1 << 15 };

/* The rows of a box of the whole. */
plait__rank_rows plait__rank_slots_rows(const plait__data *whole,
					const plait_box *box);

/* Fill the front slot with what comes next of a record; the caller pushes it.
 * Returns true if it is the last one. */
bool plait__rank_slots_fill(plait__rank_record *record,
			    const plait__slot_link *link,
			    uint64_t slot_bytes);

/*
 * Read the front slot; the caller pops it.  PLAIT_PENDING: more slots follow.
 * PLAIT_OK: the transfer is complete, and record->why has the failure of the
 * sender, if any.  PLAIT_E_INVALID: the slot is not of this transfer.
 */
plait_status plait__rank_slots_read(plait__rank_record *record,
				    const plait__slot_link *link,
				    uint64_t slot_bytes, plait_error *error);

#endif
