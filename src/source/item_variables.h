/* SPDX-License-Identifier: MIT */
/* Variables of a group that portable source changes for single items. */
#ifndef PLAIT_SRC_SOURCE_ITEM_VARIABLES_H
#define PLAIT_SRC_SOURCE_ITEM_VARIABLES_H

#include "source/compose.h"

/*
 * Refuse the group kernel `name` if an ITEMS block changes a variable that is
 * declared around it: the host has one for the group, other backends have one
 * for each item.  Does not see through macros.  PLAIT_E_INVALID.
 */
plait_status plait__item_variables_check(const plait_source *source,
					 const char *name, plait_error *error);

#endif
