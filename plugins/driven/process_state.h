/* SPDX-License-Identifier: MIT */
/* What of the process a driver may have changed; see process_state.c. */
#ifndef PLAITP_DRIVEN_PROCESS_STATE_H
#define PLAITP_DRIVEN_PROCESS_STATE_H

#include <signal.h>
#include <stdbool.h>

#include "driven.h"

struct driven_process_state {
	struct sigaction actions[NSIG];
	bool known[NSIG];
	sigset_t mask;
	stack_t stack; /* for signals, of this thread */
	bool has_stack;
	char **variables;
	uint32_t count;
};

/* Remember, and block all signals of this thread until put_back. */
plait_status plaitp_driven_process_save(struct driven *self,
					struct driven_process_state *out,
					plait_error *error);
void plaitp_driven_process_restore(struct driven *self,
				   struct driven_process_state *before);

/* A variable of the environment, for errors; or null. */
const char *plaitp_driven_process_variable(const char *name);

#endif
