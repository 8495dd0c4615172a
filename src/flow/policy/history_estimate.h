/* SPDX-License-Identifier: MIT */
/* Expected times, from the history: measured; else scaled from the nearest size
 * class; else from another device; else the caller's. */
#ifndef PLAIT_SRC_FLOW_POLICY_HISTORY_ESTIMATE_H
#define PLAIT_SRC_FLOW_POLICY_HISTORY_ESTIMATE_H

#include "flow/policy/history.h"

enum {
	PLAIT__ESTIMATE_GIVEN,	/* nothing is known */
	PLAIT__ESTIMATE_MEASURED,
	PLAIT__ESTIMATE_CLASS,	/* of another size class */
	PLAIT__ESTIMATE_DEVICE	/* of another device, perhaps of another
				 * class */
};

typedef struct plait__estimate {
	uint64_t ns;
	uint32_t source;	/* PLAIT__ESTIMATE_... */
	uint32_t size_class;	/* of the times that it is from */
	uint32_t device;	/* likewise */
	uint32_t count;		/* of these times */
	uint64_t ratio;		/* DEVICE: of this device to that, in parts of
				 * 65536 */
} plait__estimate;

/* `key` gives code and device; `given_ns` is returned if nothing is known. */
plait__estimate plait__history_estimate(const plait__history *history,
					const plait__history_key *key,
					uint64_t items, uint64_t given_ns);

#endif
