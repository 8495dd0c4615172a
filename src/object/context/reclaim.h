/* SPDX-License-Identifier: MIT */
/* Reclaim rounds, for the reclaim thread. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_H
#define PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_H

#include "object/context/context.h"

/*
 * Run a round over the reclaim list. With `watch`, request a wake-up for the
 * next completion of each unfinished object; returns false if one gives none.
 * With `must`, wait for a round that another thread runs, then run one; else
 * return false at once, as always inside a round of the calling thread.
 */
bool plait__reclaim_round(plait__context *context, bool watch, bool must);

/* Returns true inside a round of the calling thread. */
bool plait__reclaim_is_current(plait__context *context);

/* Returns true if any backend advances without a waiting thread. */
bool plait__reclaim_has_autonomous_backend(const plait__context *context);

#endif
