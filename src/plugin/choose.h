/* SPDX-License-Identifier: MIT */
/* Which plugins are thought of, loaded and opened, and in which order. */
#ifndef PLAIT_SRC_PLUGIN_CHOOSE_H
#define PLAIT_SRC_PLUGIN_CHOOSE_H

#include "plugin/candidate.h"

/*
 * Find and load the candidates, open those that are to be used, best first.
 * registry->failure has the first reason why the user's wishes cannot be met;
 * what can be opened is open all the same, for the report.  PLAIT_OK or
 * PLAIT_E_NOMEM.
 */
plait_status plait__choose(plait__registry *registry);

#endif
