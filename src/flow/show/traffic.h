/* SPDX-License-Identifier: MIT */
/* Warnings of copies and evictions that the devices of a flow made: correct ones
 * that are likely slow.  Pure. */
#ifndef PLAIT_SRC_FLOW_SHOW_TRAFFIC_H
#define PLAIT_SRC_FLOW_SHOW_TRAFFIC_H

#include "flow/show/record.h"

enum {
	/* Copies for one task and data of less than so many bytes each, without a
	 * warning. */
	PLAIT__WARNING_COPIES_MOST = 256,
	PLAIT__WARNING_COPY_BYTES = 4096,
	/* Horizons in a row in each of which a memory evicts; their tasks. */
	PLAIT__WARNING_EVICTIONS_MOST = 3,
	PLAIT__WARNING_HORIZON = 64
};

typedef enum plait__traffic_kind {
	PLAIT__TRAFFIC_COPIES,
	PLAIT__TRAFFIC_EVICTIONS
} plait__traffic_kind;

typedef struct plait__traffic_warning {
	uint32_t kind;
	uint32_t count; /* copies, horizons */
	uint32_t memory;
	uint32_t data; /* of copies, as the next one */
	uint32_t task; /* index */
} plait__traffic_warning;

/* Horizons in which a memory evicts.  Zero at first. */
typedef struct plait__traffic_evictions {
	uint32_t horizon; /* 1 + that of the last one, or 0 */
	uint32_t run;	  /* horizons in a row up to that */
} plait__traffic_evictions;

/* Horizons in a row up to that of the task, if the memory evicts for it. */
uint32_t plait__traffic_run(const plait__traffic_evictions *evictions,
			    uint32_t task);
/* The memory evicts for the task. */
void plait__traffic_evict(plait__traffic_evictions *evictions, uint32_t task);

/* Keep a warning; one of evictions takes the place of the memory's. */
void plait__traffic_warn(plait__record *record,
			 const plait__traffic_warning *warning);

/* A line for each warning. */
void plait__traffic_text(const plait__record *record, plait__text *out);
/* An object for each warning, with a comma before all but the first; before that
 * if `begun`. */
void plait__traffic_json(const plait__record *record, bool begun,
			 plait__text *out);

#endif
