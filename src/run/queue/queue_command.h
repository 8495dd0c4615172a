/* SPDX-License-Identifier: MIT */
/* Properties of a plan command on a backend queue; functions of the plan and of
 * its devices alone. */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_COMMAND_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_COMMAND_H

#include "run/queue/queue_program.h"

/* Why the argument values of a launch may differ between two submissions. */
enum {
	PLAIT__CHANGES_ROTATION = 1 << 0, /* buffers rotate with iterations */
	PLAIT__CHANGES_RUN = 1 << 1,	/* parameters, an iteration number,
					 * a series */
	PLAIT__CHANGES_BORROWED = 1 << 2, /* memory parameters among them:
					   * unbound after the run */
	PLAIT__CHANGES_TURN = 1 << 3	/* an iteration number, a series */
};

/* The device of a slot's memory; null: no command uses the slot. */
const plait__device *plait__queue_command_memory_device(
	const plait__queue_program *compiled, uint32_t slot);
/* Returns true if the command puts work on its queue. */
bool plait__queue_command_has_work(const plait__plan *plan, uint32_t command);
/* Returns true if the device of its lane can call functions of the host. */
bool plait__queue_command_can_call(const plait__queue_program *compiled,
				   uint32_t command);
/* Why the device of its lane cannot execute the command, as a predicate without
 * subject ("is ..."); null if it can. */
const char *plait__queue_command_lacks(const plait__queue_program *compiled,
				       uint32_t command);
/* Returns true if a host callback has to do a copy, a fill or a predicate
 * read: memory of another backend than its lane's, or rows that its device
 * does not support. */
bool plait__queue_command_is_foreign(const plait__queue_program *compiled,
				     uint32_t command);
/* Returns true if the driver records the completion of the command; only in
 * programs for recorded runs. */
bool plait__queue_command_is_timed(const plait__queue_program *compiled,
				   uint32_t command);
/* Arguments of the command's kernel, and pointers that its callback maps. */
void plait__queue_command_counts(const plait__queue_program *compiled,
				 uint32_t command, uint32_t *out_arguments,
				 uint32_t *out_pointers);
/* The payload of a launch; null for other commands. */
const plait__plan_payload *plait__queue_command_launch(
	const plait__queue_program *compiled, uint32_t command);
/* PLAIT__CHANGES_... of a launch; 0 for other commands. */
uint32_t plait__queue_command_changes(const plait__queue_program *compiled,
				      uint32_t command);
/* Returns true if the work of the command may change between submissions. */
bool plait__queue_command_may_change(const plait__queue_program *compiled,
				     uint32_t command);

#endif
