/* SPDX-License-Identifier: MIT */
/* Sizes of the binary form of schedules; schedule_bytes.h describes it. */
#ifndef PLAIT_SRC_COLL_SCHEDULE_BYTE_FORM_H
#define PLAIT_SRC_COLL_SCHEDULE_BYTE_FORM_H

#include <stdint.h>

#define PLAIT__BYTE_FORM_MAGIC "plaitcol"

/* Bytes. */
enum {
	PLAIT__BYTE_FORM_MAGIC_BYTES = 8,
	PLAIT__BYTE_FORM_HEAD = 8 + 4 + 8 + 16
};

/* Words. */
enum {
	PLAIT__BYTE_FORM_FACTS = 9 + 16 + 3 * 2 + 5 * 2,
	PLAIT__BYTE_FORM_RANK = 4,
	PLAIT__BYTE_FORM_LANE = 5,
	PLAIT__BYTE_FORM_STEP = 5,
	PLAIT__BYTE_FORM_WAIT = 2,
	PLAIT__BYTE_FORM_PROMISE = 6,
	PLAIT__BYTE_FORM_SOURCE = 2
};

/* Bytes of a body; the counts are below 2^56. */
static inline uint64_t plait__byte_form_body(uint64_t ranks, uint64_t lanes,
					     uint64_t steps, uint64_t waits,
					     uint64_t promises,
					     uint64_t sources)
{
	return 4 * (PLAIT__BYTE_FORM_FACTS + ranks * PLAIT__BYTE_FORM_RANK +
		    lanes * PLAIT__BYTE_FORM_LANE +
		    steps * PLAIT__BYTE_FORM_STEP +
		    waits * PLAIT__BYTE_FORM_WAIT +
		    promises * PLAIT__BYTE_FORM_PROMISE +
		    sources * PLAIT__BYTE_FORM_SOURCE);
}

#endif
