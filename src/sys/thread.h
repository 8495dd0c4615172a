/* SPDX-License-Identifier: MIT */
/*
 * Threads of the library: named, deaf to asynchronous signals (those belong
 * to the program), joined by who started them.  Guards and scopes notice a
 * thread that ends inside a user's function (pthread_exit) instead of returning.
 */
#ifndef PLAIT_SRC_SYS_THREAD_H
#define PLAIT_SRC_SYS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A variable of each thread that is looked at by every call: its place is known
 * when the library is loaded, so that no function has to be asked for it.  glibc
 * keeps some room for libraries that come late; of these there are few bytes.
 */
#ifdef __GLIBC__
#define PLAIT__THREAD_LOCAL \
	__thread __attribute__((tls_model("initial-exec")))
#else
#define PLAIT__THREAD_LOCAL __thread
#endif

/*
 * A guard lies in memory that outlives the thread, never on its stack: it is
 * looked at after the stack is gone.  Guards of a thread nest.
 */
struct plait__thread_guard {
	struct plait__thread_guard *outer;
	void (*lost)(void *arg);
	void *arg;
};

/* Caller's storage, until the join. */
struct plait__thread {
	pthread_t handle;
	void (*run)(void *arg);
	void *arg;
	struct plait__thread_guard guard;
	bool detached;
	char name[16];
};

/*
 * Start `run(arg)` on a new thread.  `name` is cut at 15 bytes.  When the
 * thread ends without returning from `run`, `lost(arg)` runs on it as its
 * last act (null: nobody cares).  0 or a negative errno.
 */
int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg));
void plait__thread_join(struct plait__thread *thread);

/* The same for a thread that nobody joins; 0 or a negative errno. */
int plait__thread_start_detached(const char *name, void (*run)(void *arg),
				 void *arg);

/*
 * Between push and pop a thread is inside code that might end it; if it does,
 * `lost(arg)` of every guard runs, innermost first.  0 or a negative errno,
 * after which nothing was pushed.  Pop in reverse order, on the same thread.
 */
static inline int plait__thread_guard_push(struct plait__thread_guard *guard,
					   void (*lost)(void *arg), void *arg);
static inline void plait__thread_guard_pop(struct plait__thread_guard *guard);
/* Where another thread may have begun to use the guard: with its `outer` of
 * after the push. */
static inline void
plait__thread_guard_pop_to(struct plait__thread_guard *outer);

/*
 * What a thread leaves that ends in code of the user's: between the definition
 * of a scope and plait__thread_scope_end it has `lost(arg)` called, innermost first,
 * while its stack is still there and before any guard.  Costs two stores.
 *
 *	PLAIT__THREAD_SCOPE inside = { leave, object };
 *	call(object);
 *	plait__thread_scope_end(&inside);
 *
 * A C library that does not unwind the stack of a thread that ends (musl) calls
 * nothing: then what was entered stays so.
 */
struct plait__thread_scope {
	void (*lost)(void *arg);
	void *arg;
};

#define PLAIT__THREAD_SCOPE \
	__attribute__((cleanup(plait__thread_scope_leave))) struct plait__thread_scope

static inline void plait__thread_scope_leave(struct plait__thread_scope *scope)
{
	if (scope->lost != NULL)
		scope->lost(scope->arg);
}

static inline void plait__thread_scope_end(struct plait__thread_scope *scope)
{
	scope->lost = NULL;
}

/* What the system calls the calling thread; for messages (a system call). */
int32_t plait__thread_id(void);

/* Names the calling thread for comparisons: fast, not 0, never used again. */
uint64_t plait__thread_token(void);

void plait__thread_yield(void);

/* ---- how it is done ---- */

struct plait__thread_guard_stack {
	struct plait__thread_guard *innermost;
	bool armed; /* who ends it will be told */
};

extern PLAIT__THREAD_LOCAL struct plait__thread_guard_stack plait__thread_own_guards;

/* See to it that the end of this thread is noticed; 0 or a negative errno. */
int plait__thread_arm(struct plait__thread_guard_stack *self);

static inline int plait__thread_guard_push(struct plait__thread_guard *guard,
					   void (*lost)(void *arg), void *arg)
{
	struct plait__thread_guard_stack *self = &plait__thread_own_guards;
	int error = self->armed ? 0 : plait__thread_arm(self);

	if (error != 0)
		return error;
	guard->outer = self->innermost;
	guard->lost = lost;
	guard->arg = arg;
	self->innermost = guard;
	return 0;
}

static inline void plait__thread_guard_pop(struct plait__thread_guard *guard)
{
	plait__thread_own_guards.innermost = guard->outer;
}

static inline void
plait__thread_guard_pop_to(struct plait__thread_guard *outer)
{
	plait__thread_own_guards.innermost = outer;
}

#endif
