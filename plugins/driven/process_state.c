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
 * Handlers and variables belong to the process.  Of savings that overlap, the
 * later ones copy the state that the first one found, and the last restore sets
 * it: what a driver changes in between is never taken for the program's.  A
 * change that another thread of the program makes at the same moment may be
 * lost.  Changes by the driver itself are no safer.  The mask and the signal
 * stack belong to the thread.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "process_state.h"

extern char **environ;

const char *plaitp_driven_process_variable(const char *name)
{
	return secure_getenv(name);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* All that is saved and not restored; guarded by `lock`, also their handlers
 * and variables. */
static struct driven_process_state *first_saved;

static uint32_t count_variables(void)
{
	uint32_t count = 0;

	while (environ != NULL && environ[count] != NULL)
		count++;
	return count;
}

static void read_actions(struct driven_process_state *out)
{
	for (int i = 1; i < NSIG; i++)
		out->readable[i] = sigaction(i, NULL, &out->actions[i]) == 0;
}

/* Caller holds `lock`.  Read handlers and variables, or copy what the first
 * saving has, and list `out`. */
static plait_status save_shared(struct driven *self,
				struct driven_process_state *out,
				plait_error *error)
{
	const struct driven_process_state *before = first_saved;
	uint32_t i, count = before != NULL ? before->count : count_variables();

	out->variables = self->services->resize(
		self->host, NULL, 0, (count + 1) * sizeof(*out->variables));
	if (out->variables == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "no memory for the names of %u "
					  "variables", count);
	out->count = count;
	for (i = 0; i < count; i++)
		out->variables[i] = before != NULL ? before->variables[i]
						   : environ[i];
	if (before != NULL) {
		memcpy(out->actions, before->actions, sizeof(out->actions));
		memcpy(out->readable, before->readable, sizeof(out->readable));
	} else {
		read_actions(out);
	}
	out->next = first_saved;
	first_saved = out;
	return PLAIT_OK;
}

plait_status plaitp_driven_process_save(struct driven *self,
					struct driven_process_state *out,
					plait_error *error)
{
	plait_status status;
	sigset_t all;

	pthread_mutex_lock(&lock);
	status = save_shared(self, out, error);
	pthread_mutex_unlock(&lock);
	if (status != PLAIT_OK)
		return status;
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

/* Caller holds `lock`. */
static void restore_shared(struct driven_process_state *before)
{
	struct driven_process_state **link = &first_saved;

	while (*link != before)
		link = &(*link)->next;
	*link = before->next;
	/* The driver may work for other threads: the last one restores. */
	if (first_saved != NULL)
		return;
	while (restore_variable(before))
		;
	restore_actions(before);
}

void plaitp_driven_process_restore(struct driven *self,
				   struct driven_process_state *before)
{
	pthread_mutex_lock(&lock);
	restore_shared(before);
	pthread_mutex_unlock(&lock);
	restore_stack(before);
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	self->services->resize(self->host, before->variables,
			       (before->count + 1) *
			       sizeof(*before->variables), 0);
}
