/* SPDX-License-Identifier: MIT */
/*
 * Error details, the long texts behind plait_error.detail: the last 64 of the
 * process; the oldest is dropped first. Their memory comes from the C library,
 * because they outlive the context that they describe.
 */
#ifndef PLAIT_SRC_SYS_ERROR_DETAIL_H
#define PLAIT_SRC_SYS_ERROR_DETAIL_H

#include "plait/base.h"

enum {
	PLAIT__DETAIL_COUNT = 64,
	/* Longer texts are truncated, with a mark. */
	PLAIT__DETAIL_MAX_BYTES = 1 << 20
};

/* Store a copy. Returns its number (1, 2, ...), or 0 without memory. */
uint64_t plait__detail_keep(const char *text);

/* Store a copy and put its number into `error`, which may be null. */
void plait__detail_attach(plait_error *error, const char *text);

#endif
