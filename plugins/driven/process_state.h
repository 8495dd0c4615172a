/* SPDX-License-Identifier: MIT */
/* What of the process a driver may have changed; see process_state.c. */
#ifndef PLAITP_DRIVEN_SURROUNDINGS_H
#define PLAITP_DRIVEN_SURROUNDINGS_H

#include <signal.h>
#include <stdbool.h>

#include "driven.h"

struct driven_surroundings {
	struct sigaction actions[NSIG];
	bool known[NSIG];
	sigset_t mask;
	stack_t stack; /* for signals, of this thread */
	bool has_stack;
	char **variables;
	uint32_t count;
};

/* Remember, and block all signals of this thread until put_back. */
plait_status plaitp_driven_look_around(struct driven *self,
				       struct driven_surroundings *out,
				       plait_error *error);
void plaitp_driven_put_back(struct driven *self,
			    struct driven_surroundings *before);

/* A variable of the environment, for errors; or null. */
const char *plaitp_driven_variable(const char *name);

#endif
