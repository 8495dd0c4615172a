/* SPDX-License-Identifier: MIT */
/* Memories and links of the devices of a context, for `plait info`. */
#ifndef PLAIT_TOOLS_LINKS_H
#define PLAIT_TOOLS_LINKS_H

#include "survey.h"

/* The text has a line for each memory that devices have or share, and one for
 * all links with equal properties. Empty without a usable backend. */
survey_maker links_make;

#endif
