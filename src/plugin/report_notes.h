/* SPDX-License-Identifier: MIT */
/*
 * Notes and hints at the end of a registry's report: settings without effect,
 * names of no plugin, the error of a context, other plugins.
 */
#ifndef PLAIT_SRC_PLUGIN_REPORT_NOTES_H
#define PLAIT_SRC_PLUGIN_REPORT_NOTES_H

#include "plugin/candidate.h"

/* Append the notes, and log those about settings as warnings. */
void plait__report_write_notes(plait__registry *registry, plait__text *out);

#endif
