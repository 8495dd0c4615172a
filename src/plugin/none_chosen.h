/* SPDX-License-Identifier: MIT */
/*
 * The error of a context that was asked for no backend in particular and found
 * none.
 */
#ifndef PLAIT_SRC_PLUGIN_NONE_CHOSEN_H
#define PLAIT_SRC_PLUGIN_NONE_CHOSEN_H

#include "plugin/registry.h"

/* Set registry->failure. No backend was chosen, and no other failure is set. */
void plait__none_chosen_report(plait__registry *registry);

#endif
