/* SPDX-License-Identifier: MIT */
/* Current kernel and memory of the arguments of a command. */
#ifndef PLAIT_SRC_RUN_QUEUE_RESOLVE_ARGUMENTS_H
#define PLAIT_SRC_RUN_QUEUE_RESOLVE_ARGUMENTS_H

#include "run/queue/queue_instance.h"

/* The kernel that a launch has in this run. */
plait__kernel *plait__resolve_kernel(const plait__queue_instance *state,
				     const plait__plan_payload *payload);
/* The buffer that an argument refers to at the turn, or if that is null in this
 * iteration; null: none. */
plait__buffer *plait__resolve_buffer_at(const plait__queue_instance *state,
					const plait__plan_arg *arg,
					const plait__frame_turn *turn,
					uint64_t *out_offset);
/* Likewise, in this iteration. */
plait__buffer *plait__resolve_buffer(const plait__queue_instance *state,
				     const plait__plan_arg *arg,
				     uint64_t *out_offset);
/* The address of the program's memory that the run has bound; null for other
 * arguments. */
void *plait__resolve_host(const plait__queue_instance *state,
			  const plait__plan_arg *arg);
/* The number of an INDEX or SERIES argument, likewise. */
uint64_t plait__resolve_number(const plait__queue_instance *state,
			       const plait__plan_arg *arg,
			       const plait__frame_turn *turn);
/* Returns PLAIT_OK for a launch without items, which does nothing, or an error
 * for one with more than 2^64 - 1. */
plait_status plait__resolve_no_items(const plait_launch *launch,
				     plait_error *error);
/* Map a range for a host callback, which unmaps it before it returns; the
 * pointer is null for an empty range.  Statuses of memory_map. */
plait_status plait__resolve_map(plait__queue_pointer *pointer,
				plait__buffer *buffer, uint64_t offset,
				uint64_t bytes, uint32_t flags,
				plait_error *error);
plait_status plait__resolve_unmap(plait__queue_pointer *pointer,
				  plait_error *error);

#endif
