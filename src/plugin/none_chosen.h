/* SPDX-License-Identifier: MIT */
/* What is said when the user asked for nothing in particular, and got nothing. */
#ifndef PLAIT_SRC_PLUGIN_NONE_CHOSEN_H
#define PLAIT_SRC_PLUGIN_NONE_CHOSEN_H

#include "plugin/registry.h"

/* No backend was chosen, and nothing else is wrong: sets `failure`. */
void plait__none_chosen_report(plait__registry *registry);

#endif
