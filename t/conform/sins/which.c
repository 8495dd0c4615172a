/* SPDX-License-Identifier: MIT */
/* The sin that this plugin commits: -DSIN=SIN_x -DSIN_NAME='"sin_x"'. */
#include "base.h"

const enum sin sins_which = SIN;
const char sins_name[] = SIN_NAME;
