/* SPDX-License-Identifier: MIT */
/* File of a history; see history_file.h. */
#include "flow/history_file.h"

#include "flow/policy/history_text.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/file.h"
#include "sys/read_write_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A full history has a quarter of that. */
enum { MOST_BYTES = 8 << 20, FOLDER_BYTES = 4096, REASON_BYTES = 128 };

static plait_status read_text(plait__history *history, const char *path,
			      const char *text, uint64_t bytes, char *damage,
			      plait_error *error)
{
	plait__history_damage found;
	plait_status status = plait__history_text_read(
		history, text, bytes, path, &found, error);

	if (found.count > 0)
		(void)snprintf(damage, PLAIT__HISTORY_FILE_DAMAGE_BYTES,
			       "%.*s: %u damaged lines are skipped; line %u: %s",
			       PLAIT__TEXT_FIT(path, 120), found.count,
			       found.first_line, found.reason);
	return status;
}

/* There is no file yet: refuse one whose folder is not there. */
static plait_status check_folder(const char *path, plait_error *error)
{
	const char *name = strrchr(path, '/');
	char folder[FOLDER_BYTES], reason[REASON_BYTES];
	struct plait__file_info info;
	int fault;

	/* A longer path is not ENOENT. */
	(void)snprintf(folder, sizeof(folder), "%.*s",
		       name != NULL ? (int)(name - path) + 1 : 1,
		       name != NULL ? path : ".");
	fault = plait__file_query(folder, &info);
	if (fault == 0)
		return PLAIT_OK;
	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -fault,
				  "the folder of %.*s: %s",
				  PLAIT__TEXT_FIT(path, 120),
				  plait__file_reason(fault, reason,
						     sizeof(reason)));
}

/* Returns PLAIT_OK with a null text if there is no file. */
static plait_status read_file(const plait__history *history, const char *path,
			      void **text, uint64_t *bytes, plait_error *error)
{
	plait_error found = { .size = sizeof(found) };
	plait_status status = plait__read_whole_file(
		path, MOST_BYTES, history->allocator, text, bytes, &found);

	if (status == PLAIT_E_UNAVAILABLE && found.origin == ENOENT)
		return check_folder(path, error);
	return plait__error_copy(error, &found);
}

plait_status
plait__history_file_read(plait__history *history, const char *path,
			 char damage[PLAIT__HISTORY_FILE_DAMAGE_BYTES],
			 plait_error *error)
{
	void *text;
	uint64_t bytes;
	plait_status status = read_file(history, path, &text, &bytes, error);

	damage[0] = '\0';
	if (status != PLAIT_OK || text == NULL)
		return status;
	status = read_text(history, path, text, bytes, damage, error);
	plait__free(history->allocator, text, bytes > 0 ? bytes : 1);
	return status;
}

plait_status plait__history_file_write(plait__history *history,
				       const char *path, plait_error *error)
{
	plait__text text;
	plait_status status;

	plait__text_init(&text, history->allocator);
	plait__history_text_write(history, &text);
	status = text.failed ?
		 plait__fail(error, PLAIT_E_NOMEM,
			     "no memory for the text of %.*s",
			     PLAIT__TEXT_FIT(path, 120)) :
		 plait__write_file_atomically(path, text.bytes, text.length,
					      error);
	plait__text_fini(&text);
	return status;
}
