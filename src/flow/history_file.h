/* SPDX-License-Identifier: MIT */
/* File of a history of measured times; its text is in policy/history_text.h. */
#ifndef PLAIT_SRC_FLOW_HISTORY_FILE_H
#define PLAIT_SRC_FLOW_HISTORY_FILE_H

#include "flow/policy/history.h"

/*
 * Add what the file has; nothing if there is no file. Damaged lines are skipped:
 * `damage`, room for a line, says so, or is empty. PLAIT_E_INVALID (too large, no
 * history, another version), PLAIT_E_UNAVAILABLE (also: no folder for it),
 * PLAIT_E_NOMEM.
 */
enum { PLAIT__HISTORY_FILE_DAMAGE_BYTES = 256 };
plait_status
plait__history_file_read(plait__history *history, const char *path,
			 char damage[PLAIT__HISTORY_FILE_DAMAGE_BYTES],
			 plait_error *error);

/* Replace the file, by a new one that is renamed; sorts the history. */
plait_status plait__history_file_write(plait__history *history,
				       const char *path, plait_error *error);

#endif
