/* SPDX-License-Identifier: MIT */
/*
 * Choice of backends: which plugins are considered, loaded and opened, and in
 * which order.
 */
#ifndef PLAIT_SRC_PLUGIN_CHOOSE_H
#define PLAIT_SRC_PLUGIN_CHOOSE_H

#include "plugin/candidate.h"

/*
 * Find and load the candidates, and open those to be used, best first.
 * registry->failure receives the first reason why the user's settings cannot be
 * met; usable backends are open even then, for the report. Returns PLAIT_OK or
 * PLAIT_E_NOMEM.
 */
plait_status plait__choose(plait__registry *registry);

#endif
