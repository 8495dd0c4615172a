/* SPDX-License-Identifier: MIT */
/*
 * Launchers of ranks.  Each check is a process, and a launcher lets none of its processes
 * be a rank twice; so checks of transports run without the launcher's variables, by
 * rank 0 alone.
 */
#include "ports.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

/* First letters of the variables of Open MPI, MPICH and their process managers.  What
 * users set begins alike; without a launcher it stays. */
static const char *const prefixes[] = { "OMPI_", "ORTE_", "PMIX_", "PMI_",
					"PMI2_", "HYDI_", "MPI_LOCAL" };

static const char *find_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "PMI_RANK", "PMIX_RANK" };

	for (size_t i = 0; i < CONFORM_COUNT(names); i++)
		if (getenv(names[i]) != NULL)
			return getenv(names[i]);
	return NULL;
}

uint32_t conform_launched_rank(void)
{
	const char *rank = find_rank();

	return rank != NULL ? (uint32_t)strtoul(rank, NULL, 10) : 0;
}

static bool is_launchers(const char *variable)
{
	for (size_t i = 0; i < CONFORM_COUNT(prefixes); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

void conform_leave_launcher(void)
{
	char name[256];
	const bool is_launched = find_rank() != NULL;
	size_t i = 0, length;

	while (is_launched && environ[i] != NULL) {
		length = strcspn(environ[i], "=");
		if (!is_launchers(environ[i]) || length >= sizeof(name)) {
			i++;
			continue;
		}
		memcpy(name, environ[i], length);
		name[length] = '\0';
		/* The next one moves here. */
		unsetenv(name);
	}
}
