/* SPDX-License-Identifier: MIT */
/*
 * The long texts behind errors (plait_error.detail): the last 64, in the
 * whole process, oldest forgotten first.  Their memory is the C library's,
 * because they outlive the context that they speak of.
 */
#ifndef PLAIT_SRC_SYS_ERROR_DETAIL_H
#define PLAIT_SRC_SYS_ERROR_DETAIL_H

#include "plait/base.h"

enum {
	PLAIT__DETAIL_COUNT = 64,
	/* Longer texts are cut and say so. */
	PLAIT__DETAIL_MAX_BYTES = 1 << 20
};

/* Keep a copy; its number (1, 2, ...), or 0 when there is no memory. */
uint64_t plait__detail_keep(const char *text);

/* Keep a copy and put its number into `error`, which may be null. */
void plait__detail_attach(plait_error *error, const char *text);

#endif
