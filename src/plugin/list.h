/* SPDX-License-Identifier: MIT */
/* Lists of plugin names as users write them: "cuda?,host" or "^chaos". */
#ifndef PLAIT_SRC_PLUGIN_LIST_H
#define PLAIT_SRC_PLUGIN_LIST_H

#include "plait/base.h"

#include <stdbool.h>

enum {
	PLAIT__NAME_BYTES = 32, /* with the NUL, as in plait_backend_table */
	PLAIT__LIST_MAX = 128
};

typedef struct plait__list {
	uint32_t count;
	bool excludes; /* each name has a ^ */
	bool optional[PLAIT__LIST_MAX]; /* the name has a ? behind it */
	char names[PLAIT__LIST_MAX][PLAIT__NAME_BYTES];
} plait__list;

/* Returns true for 1 to 31 letters a to z, digits and underscores. */
bool plait__list_is_name(const char *text, uint64_t length);

/*
 * Parse names separated by commas; blanks around a name are ignored. Null and
 * "" are the empty list. `setting` names the source in errors; `may_choose`
 * allows ^ in front of all names, or ? behind any. PLAIT_E_INVALID: an empty,
 * invalid or repeated name, ^ on some, or both marks.
 */
plait_status plait__list_parse(plait__list *list, const char *text,
			       const char *setting, bool may_choose,
			       plait_error *error);

bool plait__list_has(const plait__list *list, const char *name);

#endif
