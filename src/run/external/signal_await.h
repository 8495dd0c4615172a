/* SPDX-License-Identifier: MIT */
/* Await of an emission, which need not be submitted yet: of a WAIT command, or
 * of a coroutine. */
#ifndef PLAIT_SRC_RUN_EXTERNAL_SIGNAL_AWAIT_H
#define PLAIT_SRC_RUN_EXTERNAL_SIGNAL_AWAIT_H

#include "run/program.h"

#include "object/signal/signal.h"
#include "object/wait/point_await.h"

typedef struct plait__signal_await {
	plait__point_await at;
	plait__signal *signal;
	const plait__instance *instance; /* the run that waits */
	bool submitted;		/* the emission was submitted; else it is
				 * looked for */
} plait__signal_await;

/* 0: the caller has replaced it by the newest emission. */
void plait__signal_await_init(plait__signal_await *self, plait__signal *signal,
			      uint64_t sequence,
			      const plait__instance *instance);

/* PLAIT_E_DEADLOCK for an emission that the run's own queue makes behind the
 * run. */
plait_status plait__signal_await_check(const plait__instance *instance,
				       const plait__signal *signal,
				       uint64_t sequence, plait_error *error);

#endif
