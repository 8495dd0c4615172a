/* SPDX-License-Identifier: MIT */
/* Threads and thread guards; see thread.h. */
#include "sys/thread.h"

#include "sys/atomic.h"
#include "base/alloc.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * One key per process, only for its destructor. The innermost guard of a thread
 * lies in a thread-local variable, so that push and pop are two stores. The key
 * is never deleted: threads with a value may outlive every context.
 */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

PLAIT__THREAD_LOCAL struct plait__thread_guard_stack plait__thread_own_guards;

static void run_lost_guards(void *value)
{
	struct plait__thread_guard_stack *self = value;
	struct plait__thread_guard *guard = self->innermost;
	struct plait__thread_guard *outer;

	/* The callbacks below may push guards of their own. */
	self->innermost = NULL;
	self->armed = false;
	for (; guard != NULL; guard = outer) {
		outer = guard->outer; /* `lost` may reuse the memory */
		if (guard->lost != NULL)
			guard->lost(guard->arg);
	}
}

static void create_key(void)
{
	key_error = pthread_key_create(&key, run_lost_guards);
}

int plait__thread_arm(struct plait__thread_guard_stack *self)
{
	int error;

	pthread_once(&key_once, create_key);
	error = key_error != 0 ? key_error : pthread_setspecific(key, self);
	self->armed = error == 0;
	return -error;
}

/* All signals but those that a thread's own instructions raise. */
static void fill_asynchronous(sigset_t *set)
{
	static const int own[] = { SIGSEGV, SIGBUS,  SIGFPE,
				   SIGILL,  SIGTRAP, SIGSYS };
	size_t i;

	sigfillset(set);
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(set, own[i]);
}

static void *run_thread(void *arg)
{
	struct plait__thread *thread = arg;

	(void)pthread_setname_np(pthread_self(), thread->name);
	if (plait__thread_guard_push(&thread->guard, thread->guard.lost,
				     thread->arg) != 0)
		thread->guard.lost = NULL; /* runs unguarded */
	thread->run(thread->arg);
	if (key_error == 0)
		plait__thread_guard_pop(&thread->guard);
	if (thread->detached) {
		(void)pthread_detach(pthread_self());
		plait__free(plait__alloc_default(), thread, sizeof(*thread));
	}
	return NULL;
}

static int start(struct plait__thread *thread, const char *name,
		 void (*run)(void *arg), void *arg, void (*lost)(void *arg),
		 bool detached)
{
	sigset_t asynchronous;
	sigset_t before;
	int error;

	pthread_once(&key_once, create_key);
	if (key_error != 0)
		return -key_error;
	memset(thread, 0, sizeof(*thread));
	(void)snprintf(thread->name, sizeof(thread->name), "%s", name);
	thread->run = run;
	thread->arg = arg;
	thread->guard.lost = lost;
	thread->detached = detached;
	/* The new thread inherits the mask, so signals are blocked from its
	 * start. */
	fill_asynchronous(&asynchronous);
	pthread_sigmask(SIG_BLOCK, &asynchronous, &before);
	error = pthread_create(&thread->handle, NULL, run_thread, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}

int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg))
{
	return start(thread, name, run, arg, lost, false);
}

int plait__thread_start_detached(const char *name, void (*run)(void *arg),
				 void *arg)
{
	struct plait__thread *thread = plait__alloc(plait__alloc_default(),
						    sizeof(*thread));
	int result;

	if (thread == NULL)
		return -ENOMEM;
	result = start(thread, name, run, arg, NULL, true);
	if (result != 0)
		plait__free(plait__alloc_default(), thread, sizeof(*thread));
	return result;
}

void plait__thread_join(struct plait__thread *thread)
{
	(void)pthread_join(thread->handle, NULL);
}

void plait__thread_detach(struct plait__thread *thread)
{
	thread->detached = true;
}

int32_t plait__thread_id(void)
{
	return (int32_t)syscall(SYS_gettid);
}

uint64_t plait__thread_token(void)
{
	/* Tokens given out; 64 bits do not wrap. */
	static at_u64 last;
	static PLAIT__THREAD_LOCAL uint64_t token;

	if (token == 0)
		token = at_add_u64(&last, 1) + 1;
	return token;
}

void plait__thread_yield(void)
{
	(void)sched_yield();
}
