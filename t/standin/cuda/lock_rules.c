/* SPDX-License-Identifier: MIT */
/*
 * The recorder of the order of locks sees each inversion: a mutex that is held
 * during a call of the driver and taken in a callback, itself or by way of another.
 * Each case is a process of its own, because the recorder ends it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

enum { RECORDED = 1, CLEAN = 7 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

/* A case: the work of the callback, and the mutex that is held during a call. */
struct order {
	void (*in_callback)(void);
	pthread_mutex_t *held;
	bool chained; /* `second` is taken under `first`, elsewhere */
};

static void take_nothing(void)
{
}

static void take_first(void)
{
	pthread_mutex_lock(&first);
	pthread_mutex_unlock(&first);
}

/* A try does not wait. */
static void try_first(void)
{
	if (pthread_mutex_trylock(&first) == 0)
		pthread_mutex_unlock(&first);
}

static void on_end(CUstream stream, CUresult code, void *order)
{
	(void)stream;
	(void)code;
	((const struct order *)order)->in_callback();
}

static void on_function(void *order)
{
	((const struct order *)order)->in_callback();
}

/* Returns false if a call fails. */
static bool run(const struct order *order, bool function)
{
	void *user_data = (void *)(uintptr_t)order;
	CUstream stream;

	if (!rig_open(""))
		return false;
	stream = rig_stream();
	if (order->held != NULL)
		pthread_mutex_lock(order->held);
	WORKS(cu.cuStreamQuery(stream));
	if (order->held != NULL)
		pthread_mutex_unlock(order->held);
	if (order->chained) {
		pthread_mutex_lock(&first);
		pthread_mutex_lock(&second);
		pthread_mutex_unlock(&second);
		pthread_mutex_unlock(&first);
	}
	if (function)
		WORKS(cu.cuLaunchHostFunc(stream, on_function, user_data));
	else
		WORKS(cu.cuStreamAddCallback(stream, on_end, user_data, 0));
	WORKS(cu.cuStreamSynchronize(stream));
	WORKS(cu.cuStreamDestroy(stream));
	rig_close();
	return tap_failed() == 0;
}

static int status_of(const struct order *order, bool function)
{
	int status = -1, quiet;
	pid_t child;

	(void)fflush(NULL);
	child = fork();
	if (child == 0) {
		quiet = open("/dev/null", O_WRONLY);
		(void)dup2(quiet, STDOUT_FILENO);
		exit(run(order, function) ? CLEAN : 2);
	}
	while (waitpid(child, &status, 0) != child)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(const struct order *order, int status)
{
	IS_INT(status_of(order, false), status);
	IS_INT(status_of(order, true), status);
}

static void orders(void)
{
	check(&(struct order){ take_first, &first, false }, RECORDED);
	/* The callback waits for `first`, whose holder waits for `second`. */
	check(&(struct order){ take_first, &second, true }, RECORDED);
	check(&(struct order){ take_first, &second, false }, CLEAN);
	check(&(struct order){ take_first, NULL, false }, CLEAN);
	check(&(struct order){ take_nothing, &first, true }, CLEAN);
	check(&(struct order){ try_first, &first, false }, CLEAN);
}

static const struct tap_scenario all[] = {
	{ "orders", orders },
};

TAP_MAIN(all)
