/* SPDX-License-Identifier: MIT */
/* Names, signal masks, identities and losses of threads. */
#include "lib/tap.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sys/atomic.h"
#include "sys/thread.h"

static char seen_name[16];
static sigset_t seen_mask;
static int32_t seen_id;
static uint64_t seen_token;
static char order[8];

static void look_around(void *arg)
{
	*(int *)arg += 1;
	pthread_getname_np(pthread_self(), seen_name, sizeof(seen_name));
	pthread_sigmask(SIG_BLOCK, NULL, &seen_mask);
	seen_id = plait__thread_id();
	seen_token = plait__thread_token();
}

static void note_loss(void *arg)
{
	*(int *)arg += 100;
}

static void starts(void)
{
	struct plait__thread thread;
	int calls = 0;

	IS_INT(plait__thread_start(&thread, "plait-a-name-too-long",
				   look_around, &calls, note_loss), 0);
	plait__thread_join(&thread);
	IS_INT(calls, 1); /* it returned: the thread was not lost */
	IS_STR(seen_name, "plait-a-name-to");
	OK(seen_id != plait__thread_id());
	IS_INT(plait__thread_id(), getpid());
}

static void blocks_signals(void)
{
	static const int blocked[] = { SIGINT, SIGTERM, SIGCHLD, SIGPROF,
				       SIGALRM, SIGUSR1, SIGPIPE, SIGHUP };
	static const int open[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct plait__thread thread;
	sigset_t before;
	sigset_t after;
	int calls = 0;
	size_t i;

	pthread_sigmask(SIG_BLOCK, NULL, &before);
	plait__thread_start(&thread, "x", look_around, &calls, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	plait__thread_join(&thread);
	for (i = 0; i < TAP_COUNT(blocked); i++)
		OK_THAT(sigismember(&seen_mask, blocked[i]) == 1 &&
				sigismember(&before, blocked[i]) == 0 &&
				sigismember(&after, blocked[i]) == 0,
			"%s is blocked, and only there",
			strsignal(blocked[i]));
	for (i = 0; i < TAP_COUNT(open); i++)
		OK_THAT(sigismember(&seen_mask, open[i]) == 0,
			"%s is not", strsignal(open[i]));
}

static void end_early(void *arg)
{
	*(int *)arg += 1;
	pthread_exit(NULL);
}

static void notices_loss(void)
{
	struct plait__thread thread;
	int calls = 0;

	IS_INT(plait__thread_start(&thread, "lost", end_early, &calls,
				   note_loss), 0);
	plait__thread_join(&thread);
	IS_INT(calls, 101);
	IS_INT(plait__thread_start(&thread, "lost", end_early, &calls, NULL),
	       0);
	plait__thread_join(&thread);
	IS_INT(calls, 102);
}

static void append_inner(void *arg)
{
	strcat(arg, "i");
}

static void append_outer(void *arg)
{
	strcat(arg, "o");
}

static struct plait__thread_guard guards[3];

/* A thread of the program, not of the library, that dies in a nested call. */
static void *die_nested(void *arg)
{
	plait__thread_guard_push(&guards[0], append_outer, order);
	plait__thread_guard_push(&guards[1], append_inner, order);
	plait__thread_guard_push(&guards[2], append_inner, order);
	plait__thread_guard_pop(&guards[2]);
	if (arg != NULL)
		pthread_exit(NULL);
	plait__thread_guard_pop(&guards[1]);
	plait__thread_guard_pop(&guards[0]);
	return NULL;
}

static void guards_nest(void)
{
	pthread_t thread;
	int yes;

	order[0] = '\0';
	pthread_create(&thread, NULL, die_nested, &yes);
	pthread_join(thread, NULL);
	IS_STR(order, "io");
	order[0] = '\0';
	pthread_create(&thread, NULL, die_nested, NULL);
	pthread_join(thread, NULL);
	IS_STR(order, "");
}

static void append_scope(void *arg)
{
	strcat(order, arg);
}

/* Scopes before guards, and with data on the stack. */
static void *die_in_scopes(void *arg)
{
	char letter[] = "s";
	PLAIT__THREAD_SCOPE outer = { append_scope, letter };

	plait__thread_guard_push(&guards[0], append_outer, order);
	{
		char other[] = "t";
		PLAIT__THREAD_SCOPE inner = { append_scope, other };
		PLAIT__THREAD_SCOPE ended = { append_scope, letter };

		plait__thread_scope_end(&ended);
		if (arg != NULL)
			pthread_exit(NULL);
		plait__thread_scope_end(&inner);
	}
	plait__thread_guard_pop(&guards[0]);
	plait__thread_scope_end(&outer);
	return NULL;
}

static void scopes_nest(void)
{
	pthread_t thread;
	int yes;

	order[0] = '\0';
	pthread_create(&thread, NULL, die_in_scopes, &yes);
	pthread_join(thread, NULL);
	IS_STR(order, "tso");
	order[0] = '\0';
	pthread_create(&thread, NULL, die_in_scopes, NULL);
	pthread_join(thread, NULL);
	IS_STR(order, "");
}

static void tokens(void)
{
	uint64_t own = plait__thread_token();
	struct plait__thread thread;
	uint64_t other = 0;
	int calls = 0;
	int i;

	OK(own != 0);
	IS_UINT(plait__thread_token(), own);
	for (i = 0; i < 3; i++) {
		plait__thread_start(&thread, "x", look_around, &calls, NULL);
		plait__thread_join(&thread);
		OK(seen_token != own && seen_token != other);
		other = seen_token;
	}
	plait__thread_yield();
}

static const struct tap_scenario all[] = {
	{ "starts", starts },
	{ "signals", blocks_signals },
	{ "a lost thread", notices_loss },
	{ "guards nest", guards_nest },
	{ "scopes nest", scopes_nest },
	{ "tokens", tokens },
};

TAP_MAIN(all)
