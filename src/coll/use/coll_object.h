/* SPDX-License-Identifier: MIT */
/* Program objects: a chunk program with a handle. */
#ifndef PLAIT_SRC_COLL_USE_COLL_OBJECT_H
#define PLAIT_SRC_COLL_USE_COLL_OBJECT_H

#include "plait/coll.h"

#include "coll/chunk/chunk_program.h"
#include "object/context/context.h"

typedef struct plait__coll_object {
	plait__object object;
	plait__chunk_program *program; /* owned */
	at_u32 busy;		/* a thread is in the program */
} plait__coll_object;

/* Tag of the next program's references: programs that exist at the same time
 * have different ones, unless there are 2^21. */
uint32_t plait__coll_object_tag(void);

/* Create an object around a program, whose memory is of the context's
 * allocator.  Takes ownership of the program, also on failure. */
plait_status plait__coll_object_create(plait__context *context,
				       plait__chunk_program *program,
				       plait_coll **out, plait_error *error);

/* Enter as the only thread.  PLAIT_E_HANDLE; PLAIT_E_STATE: another thread is in
 * the program. */
plait_status plait__coll_object_enter(plait_coll *handle,
				      plait__coll_object **out,
				      plait_error *error);
void plait__coll_object_leave(plait__coll_object *coll_object);

#endif
