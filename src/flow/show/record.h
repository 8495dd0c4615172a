/* SPDX-License-Identifier: MIT */
/*
 * Record of a flow: its tasks, their accesses, and why each task comes behind
 * others.  The record has fronts of its own, which forget nothing, so that it
 * does not depend on when tasks were done.  Pure.
 *
 * Without memory the record is incomplete, and says so in `failed`.  Indices of
 * tasks, data and accesses begin with 0.
 */
#ifndef PLAIT_SRC_FLOW_SHOW_RECORD_H
#define PLAIT_SRC_FLOW_SHOW_RECORD_H

#include "flow/access/front_access.h"

#include "base/text.h"
#include "base/vector.h"

/* Kinds of tasks that are not one of PLAIT_TASK_...: an access of the host. */
enum {
	PLAIT__RECORD_HOST = 64,
	/* Steps of a launch that reduces. */
	PLAIT__RECORD_IDENTITY = 65,
	PLAIT__RECORD_COMBINE = 66
};

enum { PLAIT__RECORD_NONE = UINT32_MAX };

typedef struct plait__record_data {
	uint32_t label; /* offset in `names` */
	uint32_t dimensions;
	uint32_t element_bytes;
	bool has_contents; /* before the first task */
	plait__front_map map;
} plait__record_data;

typedef struct plait__record_access {
	uint32_t data;
	uint32_t mode; /* PLAIT__ACCESS_... */
	plait_box box;
} plait__record_access;

typedef struct plait__record_task {
	uint64_t number;
	uint64_t cost;
	uint32_t label; /* offset in `names` */
	uint32_t why;	/* 0; or 1 + the offset of why it has its device */
	uint32_t kind;
	uint32_t lane;
	uint32_t piece;	      /* of a split launch */
	uint32_t piece_count; /* at most 1: it is none */
	bool is_barrier;
	bool has_cost; /* given by the program */
	bool has_successor;
	uint32_t first_access;
	uint32_t access_count;
	uint32_t first_edge;
	uint32_t edge_count;
} plait__record_task;

/* Why a task comes behind another one. */
enum {
	PLAIT__EDGE_READS_WRITTEN,  /* true: reads what that wrote */
	PLAIT__EDGE_WRITES_READ,    /* overwrites what that reads */
	PLAIT__EDGE_WRITES_WRITTEN, /* overwrites what that wrote */
	PLAIT__EDGE_BARRIER	    /* one of the two is a barrier */
};

typedef struct plait__record_edge {
	uint32_t before; /* the task that comes first */
	uint32_t reason;
	uint32_t data; /* but for a barrier */
	uint64_t elements;
	plait_box box; /* the least one with these elements */
} plait__record_edge;

enum {
	PLAIT__WARNING_UNWRITTEN, /* a task reads what nothing wrote */
	PLAIT__WARNING_PIECES	  /* a piece comes behind another one */
};

typedef struct plait__record_warning {
	uint32_t task;
	uint32_t kind;
	uint32_t data;
	uint64_t elements;
	plait_box box;
} plait__record_warning;

typedef struct plait__record {
	const plait_allocator *allocator;
	uint32_t lanes; /* others: urgent, held, outside */
	bool failed;
	plait__text names; /* each with a NUL */
	plait__vector data;
	plait__vector tasks;
	plait__vector accesses;
	plait__vector edges;	/* by task */
	plait__vector warnings; /* by task */
	plait__vector traffic; /* plait__traffic_warning, of the flow's devices */
	plait__vector marks;
	uint32_t barrier; /* the newest one, or NONE */
	uint32_t open;	  /* the first task that may have no successor */
} plait__record;

void plait__record_init(plait__record *record,
			const plait_allocator *allocator, uint32_t lanes);
void plait__record_fini(plait__record *record);

/* Returns the index of the data; NONE without memory. */
uint32_t plait__record_add_data(plait__record *record, const char *label,
				uint32_t dimensions, uint32_t element_bytes,
				const plait_box *whole, bool has_contents);

/* Append an access of the next task. */
void plait__record_add_access(plait__record *record, uint32_t data,
			      uint32_t mode, const plait_box *box);

/* Append the task, which has the accesses since the last one; its label, lane,
 * number, kind, cost and is_barrier are set. */
void plait__record_add_task(plait__record *record,
			    const plait__record_task *task, const char *label);

/* Copy the tasks with their names and edges, without accesses, into an empty
 * record. */
void plait__record_copy_tasks(const plait__record *record,
			      plait__record *out);

static inline const char *plait__record_name(const plait__record *record,
					     uint32_t label)
{
	return record->names.bytes + label;
}

static inline plait__record_data *
plait__record_data_at(const plait__record *record, uint32_t i)
{
	return plait__vector_at(&record->data, i);
}

static inline plait__record_task *
plait__record_task_at(const plait__record *record, uint32_t i)
{
	return plait__vector_at(&record->tasks, i);
}

static inline const plait__record_access *
plait__record_access_at(const plait__record *record, uint32_t i)
{
	return plait__vector_at(&record->accesses, i);
}

static inline const plait__record_edge *
plait__record_edge_at(const plait__record *record, uint32_t i)
{
	return plait__vector_at(&record->edges, i);
}

static inline const plait__record_warning *
plait__record_warning_at(const plait__record *record, uint32_t i)
{
	return plait__vector_at(&record->warnings, i);
}

#endif
