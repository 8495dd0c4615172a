/* SPDX-License-Identifier: MIT */
/* What of the process a driver may have changed; see surroundings.c. */
#ifndef PLAITP_OPENCL_SURROUNDINGS_H
#define PLAITP_OPENCL_SURROUNDINGS_H

#include <signal.h>
#include <stdbool.h>

#include "plait/plugin.h"

struct opencl_surroundings {
	struct sigaction actions[NSIG];
	bool known[NSIG];
	sigset_t mask;
	char **variables;
	uint32_t count;
};

/* Remember, and block all signals of this thread until put_back. */
plait_status plaitp_opencl_look_around(plait_backend *self,
				       struct opencl_surroundings *out,
				       plait_error *error);
void plaitp_opencl_put_back(plait_backend *self,
			    struct opencl_surroundings *before);

/* The variable that says where drivers are registered, for errors; or null. */
const char *plaitp_opencl_vendors(void);

#endif
