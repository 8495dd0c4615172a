/* SPDX-License-Identifier: MIT */
/*
 * Saved process state around driver calls that load code: the opening of a
 * driver, and each compilation by OpenCL; see process_state.c.
 */
#ifndef PLAITP_DRIVEN_PROCESS_STATE_H
#define PLAITP_DRIVEN_PROCESS_STATE_H

#include <signal.h>
#include <stdbool.h>

#include "driven.h"

struct driven_process_state {
	struct sigaction actions[NSIG];
	bool readable[NSIG];
	sigset_t mask;
	stack_t stack; /* alternate signal stack of this thread */
	bool has_stack;
	char **variables; /* the process's strings, not copies */
	uint32_t count;
	struct driven_process_state *next; /* saved and not restored */
};

/* Save the state and block all signals of this thread until the restore, which
 * the same thread does. Savings of several threads may overlap. `out` stays at
 * its address. PLAIT_E_NOMEM: nothing is saved or blocked, and nothing is to be
 * restored. */
plait_status plaitp_driven_process_save(struct driven *self,
					struct driven_process_state *out,
					plait_error *error);
void plaitp_driven_process_restore(struct driven *self,
				   struct driven_process_state *before);

/* Returns a variable of the environment, for error texts; or null, also in a
 * process with more rights than its user. */
const char *plaitp_driven_process_variable(const char *name);

#endif
