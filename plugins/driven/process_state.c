/* SPDX-License-Identifier: MIT */
/*
 * Process state that loading a driver may change: signal handlers, the
 * alternate signal stack, environment variables, and the signal mask of its
 * threads.
 *
 * Drivers load compilers and libraries that install handlers, set variables and
 * start threads, which the program did not ask for.  The state is restored
 * after the driver is open, and threads of the driver start with all signals
 * blocked.
 *
 * Handlers and variables belong to the process: a change that another thread
 * makes at the same moment may be lost.  Changes by the driver itself are no
 * safer.
 */
#include <stdlib.h>
#include <string.h>

#include "process_state.h"

extern char **environ;

const char *plaitp_driven_process_variable(const char *name)
{
	return secure_getenv(name);
}

static uint32_t count_variables(void)
{
	uint32_t count = 0;

	while (environ != NULL && environ[count] != NULL)
		count++;
	return count;
}

plait_status plaitp_driven_process_save(struct driven *self,
					struct driven_process_state *out,
					plait_error *error)
{
	uint32_t i, count = count_variables();
	sigset_t all;

	out->variables = self->services->resize(
		self->host, NULL, 0, (count + 1) * sizeof(*out->variables));
	if (out->variables == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "no memory for the names of %u "
					  "variables", count);
	out->count = count;
	for (i = 0; i < count; i++)
		out->variables[i] = environ[i];
	for (i = 1; i < NSIG; i++)
		out->readable[i] = sigaction((int)i, NULL,
					     &out->actions[i]) == 0;
	out->has_stack = sigaltstack(NULL, &out->stack) == 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &out->mask);
	return PLAIT_OK;
}

/* --- restoring ------------------------------------------------------------ */

static bool is_saved(const struct driven_process_state *before, uint32_t index)
{
	uint32_t i;

	if (index < before->count && before->variables[index] == environ[index])
		return true;
	for (i = 0; i < before->count; i++)
		if (before->variables[i] == environ[index])
			return true;
	return false;
}

static char *find_name(const struct driven_process_state *before,
		       const char *name, size_t length)
{
	uint32_t i;

	for (i = 0; i < before->count; i++)
		if (strncmp(before->variables[i], name, length) == 0 &&
		    before->variables[i][length] == '=')
			return before->variables[i];
	return NULL;
}

/* Returns true if it restored a variable; the others may have moved. */
static bool restore_variable(const struct driven_process_state *before)
{
	char name[256];
	size_t length;
	uint32_t i;
	char *old;

	for (i = 0; environ != NULL && environ[i] != NULL; i++) {
		length = strcspn(environ[i], "=");
		if (is_saved(before, i) || length >= sizeof(name))
			continue;
		memcpy(name, environ[i], length);
		name[length] = '\0';
		old = find_name(before, name, length);
		return (old != NULL ? putenv(old) : unsetenv(name)) == 0;
	}
	return false;
}

static bool same_action(const struct sigaction *a, const struct sigaction *b)
{
	return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags;
}

static void restore_actions(const struct driven_process_state *before)
{
	struct sigaction now;
	int i;

	for (i = 1; i < NSIG; i++)
		if (before->readable[i] && sigaction(i, NULL, &now) == 0 &&
		    !same_action(&now, &before->actions[i]))
			sigaction(i, &before->actions[i], NULL);
}

/* Compilers install an alternate signal stack of their own in this thread. */
static void restore_stack(const struct driven_process_state *before)
{
	stack_t now;

	if (before->has_stack && sigaltstack(NULL, &now) == 0 &&
	    (now.ss_sp != before->stack.ss_sp ||
	     now.ss_flags != before->stack.ss_flags))
		sigaltstack(&before->stack, NULL);
}

void plaitp_driven_process_restore(struct driven *self,
				   struct driven_process_state *before)
{
	while (restore_variable(before))
		;
	restore_actions(before);
	restore_stack(before);
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	self->services->resize(self->host, before->variables,
			       (before->count + 1) *
			       sizeof(*before->variables), 0);
}
