/* SPDX-License-Identifier: MIT */
/* placeholder */
#include "lib/objects.h"
static void nothing(void) {}
static const struct tap_scenario all[] = { { "n", nothing } };
TAP_MAIN(all)
