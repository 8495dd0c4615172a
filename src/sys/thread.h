/* SPDX-License-Identifier: MIT */
/*
 * Threads of the library: named, with asynchronous signals blocked (those
 * belong to the program), joined by the thread that started them. Guards and
 * scopes detect a thread that ends inside a user's function (pthread_exit).
 */
#ifndef PLAIT_SRC_SYS_THREAD_H
#define PLAIT_SRC_SYS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Thread-local variables that every call reads: the initial-exec model fixes
 * their offset when the library is loaded and needs no function call. glibc
 * reserves some space for libraries loaded late; these variables take a few
 * bytes.
 */
#ifdef __GLIBC__
#define PLAIT__THREAD_LOCAL \
	__thread __attribute__((tls_model("initial-exec")))
#else
#define PLAIT__THREAD_LOCAL __thread
#endif

/* A guard lies in memory that outlives the thread, never on its stack,
 * because it is used after the stack is gone. Guards of a thread nest. */
struct plait__thread_guard {
	struct plait__thread_guard *outer;
	void (*lost)(void *arg);
	void *arg;
};

/* Storage of the caller, until the join. */
struct plait__thread {
	pthread_t handle;
	void (*run)(void *arg);
	void *arg;
	struct plait__thread_guard guard;
	bool detached;
	char name[16];
};

/*
 * Start `run(arg)` on a new thread. `name` is truncated to 15 bytes. If the
 * thread ends without returning from `run`, it calls `lost(arg)` (may be null)
 * as its last act. Returns 0 or a negative errno.
 */
int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg));
void plait__thread_join(struct plait__thread *thread);

/* On the thread itself: it is not joined, and frees its storage, which is of
 * plait__alloc_default. */
void plait__thread_detach(struct plait__thread *thread);

/* Start a thread that is not joined. Returns 0 or a negative errno. */
int plait__thread_start_detached(const char *name, void (*run)(void *arg),
				 void *arg);

/*
 * Push a guard around code that may end the calling thread: the thread then
 * calls `lost(arg)` of each guard, innermost first. Pop in reverse order, on
 * the same thread. Returns 0 or a negative errno, with nothing pushed.
 */
static inline int plait__thread_guard_push(struct plait__thread_guard *guard,
					   void (*lost)(void *arg), void *arg);
static inline void plait__thread_guard_pop(struct plait__thread_guard *guard);
/* Pop a guard that need not be the innermost one. */
static inline void plait__thread_guard_remove(struct plait__thread_guard *guard);
/* Pop a guard when another thread may reuse its memory already; `outer` is
 * the guard's field of that name, read after the push. */
static inline void
plait__thread_guard_pop_to(struct plait__thread_guard *outer);

/*
 * A scope is a local variable with a callback: `lost(arg)` is called if the
 * thread ends in a user's function between its definition and
 * plait__thread_scope_end: innermost scope first, while the stack still exists,
 * before any guard. Costs two stores.
 *
 *     PLAIT__THREAD_SCOPE inside = { leave, object };
 *     call(object);
 *     plait__thread_scope_end(&inside);
 *
 * A C library that does not unwind the stack of an ending thread (musl) does
 * not call `lost`.
 */
struct plait__thread_scope {
	void (*lost)(void *arg);
	void *arg;
};

#define PLAIT__THREAD_SCOPE                                                    \
	__attribute__((cleanup(                                                \
		plait__thread_scope_leave))) struct plait__thread_scope

static inline void plait__thread_scope_leave(struct plait__thread_scope *scope)
{
	if (scope->lost != NULL)
		scope->lost(scope->arg);
}

static inline void plait__thread_scope_end(struct plait__thread_scope *scope)
{
	scope->lost = NULL;
}

/* Returns the system's id of the calling thread, for messages; a system
 * call. */
int32_t plait__thread_id(void);

/* Returns a number for comparisons: fast, not 0, unique in the process. */
uint64_t plait__thread_token(void);

void plait__thread_yield(void);

/* ---- implementation ---- */

struct plait__thread_guard_stack {
	struct plait__thread_guard *innermost;
	bool armed; /* the key's destructor will run */
};

extern PLAIT__THREAD_LOCAL struct plait__thread_guard_stack
	plait__thread_own_guards;

/* Set the key for this thread, so that its end runs the guards. Returns 0 or
 * a negative errno. */
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

static inline void plait__thread_guard_remove(struct plait__thread_guard *guard)
{
	struct plait__thread_guard **link = &plait__thread_own_guards.innermost;

	while (*link != NULL && *link != guard)
		link = &(*link)->outer;
	if (*link != NULL)
		*link = guard->outer;
}

static inline void
plait__thread_guard_pop_to(struct plait__thread_guard *outer)
{
	plait__thread_own_guards.innermost = outer;
}

#endif
