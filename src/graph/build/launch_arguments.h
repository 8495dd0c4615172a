/* SPDX-License-Identifier: MIT */
/* Arguments of a launch: checked against the signature, pushed into the
 * tables. */
#ifndef PLAIT_SRC_GRAPH_BUILD_LAUNCH_ARGUMENTS_H
#define PLAIT_SRC_GRAPH_BUILD_LAUNCH_ARGUMENTS_H

#include "graph/build/object_refs.h"
#include "graph/build/rotation_refs.h"

/* Check the arguments against the signature and push them, with the node's
 * accesses.  The kernel of the draft is resolved. */
plait_status
plait__launch_arguments_push(plait__node_draft *draft,
			     const struct plait__signature *signature);

/* Push a range as one argument, with the node's access to it. */
plait_status plait__arguments_push_range(plait__node_draft *draft,
					 const plait__range *range,
					 uint64_t bytes, uint32_t access);

/* Push the node's access to a range that is no argument. */
plait_status plait__arguments_push_access(plait__node_draft *draft,
					  const plait__range *range,
					  uint64_t bytes, uint32_t access);

/* Push a range of a rotating buffer as an argument, with the access;
 * range->slot is its first one. */
plait_status plait__arguments_push_turn(plait__node_draft *draft,
					const plait__rotation_ref *ref,
					uint64_t ahead,
					const plait__range *range,
					uint64_t bytes, uint32_t access);

/* Push an integer that each run binds, the count of a loop: a u64 unless a node
 * uses `name` as another integer already.  PLAIT_E_INVALID for another type. */
plait_status plait__arguments_push_count(plait__node_draft *draft,
					 const char *name);

/* Push memory that each run binds, of a PLAIT__PARAM_... kind, with the node's
 * access, or none.  range->offset is an offset within that memory; range->slot returns
 * the access object. */
plait_status plait__arguments_push_parameter(plait__node_draft *draft,
					     const char *name, uint32_t kind,
					     plait__range *range,
					     uint64_t bytes, uint32_t access);

/* Push bytes as one argument. */
plait_status plait__arguments_push_value(plait__node_draft *draft,
					 const void *bytes, uint32_t count);

#endif
