/* SPDX-License-Identifier: MIT */
/*
 * Text form of a history:
 *
 *	plait history 1
 *	device 0 host: 8 processors
 *	time 00112233445566778899aabbccddeeff 0 40 1000 500 17
 *
 * A time has the code, the device, the size class, mean and spread in nanoseconds,
 * and the number of measured times; the one that was measured longest ago is
 * first.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_HISTORY_TEXT_H
#define PLAIT_SRC_FLOW_POLICY_HISTORY_TEXT_H

#include "flow/policy/history.h"

#include "base/text.h"

/* Lines that a reader skipped. */
typedef struct plait__history_damage {
	uint32_t count;
	uint32_t first_line;	/* of the first; 0: none */
	const char *reason;	/* of the first, or null; static */
} plait__history_damage;

/* Append the text; sorts the history. */
void plait__history_text_write(plait__history *history, plait__text *out);

/*
 * Add what the text has; an entry that the history has already stays. A damaged
 * line is skipped, and counted. `name` is for errors. PLAIT_E_INVALID: the first
 * line is of no history, or of another version; PLAIT_E_NOMEM.
 */
plait_status plait__history_text_read(plait__history *history,
				      const char *text, uint64_t bytes,
				      const char *name,
				      plait__history_damage *damage,
				      plait_error *error);

#endif
