/* SPDX-License-Identifier: MIT */
/*
 * Measured times of schedules, for plait coll tune: the ranks of a world execute them.
 * Rank 0 leads; all other ranks follow its orders until it closes.
 */
#ifndef PLAIT_TOOLS_COLL_MEASURE_H
#define PLAIT_TOOLS_COLL_MEASURE_H

#include "coll.h"

struct coll_measure;

/* Open a world, on all ranks.  Null transports: those of PLAIT_TRANSPORT.  The caller
 * closes *out, which is null without memory, also after a failure. */
plait_status coll_measure_open(plait_context *context, const char *transports,
			       struct coll_measure **out, plait_error *error);

/* Rank 0 tells the others to end. */
void coll_measure_close(struct coll_measure *measure);

plait_world_info coll_measure_world(const struct coll_measure *measure);

/* Follow the orders of rank 0 until it closes.  Fails if a rank has ended. */
plait_status coll_measure_follow(struct coll_measure *measure,
				 plait_error *error);

/* Rank 0: make a collective of a schedule on all ranks, in place of the last one. */
plait_status coll_measure_take(struct coll_measure *measure,
			       plait_schedule *schedule, plait_error *error);

/* Rank 0: call it with buffers of a size; *out_ns is the mean time of the slowest
 * rank.  The first call of a size is not counted if there are more. */
plait_status coll_measure_time(struct coll_measure *measure, uint64_t bytes,
			       uint64_t calls, uint64_t *out_ns,
			       plait_error *error);

/* Returns true if a rank has ended, so nothing more can be measured. */
bool coll_measure_is_broken(const struct coll_measure *measure);

#endif
