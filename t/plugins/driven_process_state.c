/* SPDX-License-Identifier: MIT */
/* Saved process state of threads that compile at the same time, without a
 * driver: the test changes the state as a driver does. */
#include "driven/process_state.h"

#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 200 };

static const char variable[] = "PLAIT_TEST_OF_A_DRIVER";
static uint64_t held; /* atomic */

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *made = NULL;

	(void)host;
	__atomic_fetch_add(&held, new_bytes - old_bytes, __ATOMIC_RELAXED);
	if (new_bytes == 0)
		free(pointer);
	else
		made = realloc(pointer, new_bytes);
	return made;
}

static const plait_host_services services = { .size = sizeof(services),
					      .resize = resize };

/* Memory is never short here. */
plait_status plaitp_driven_fail(const plait_host_services *from,
				plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
{
	(void)from;
	(void)error;
	(void)origin;
	(void)format;
	return status;
}

static void handle_of_driver(int number)
{
	(void)number;
}

static void change(void)
{
	struct sigaction action = { .sa_handler = handle_of_driver };

	sigaction(SIGUSR2, &action, NULL);
	setenv(variable, "set", 1);
}

static void check_restored(const char *when)
{
	struct sigaction now;

	OK(sigaction(SIGUSR2, NULL, &now) == 0);
	OK_THAT(now.sa_handler == SIG_DFL, "%s: no handler of the driver",
		when);
	OK_THAT(getenv(variable) == NULL, "%s: no variable of the driver",
		when);
	IS_UINT(__atomic_load_n(&held, __ATOMIC_RELAXED), 0);
}

/* One saving, which begins and ends when it is told to. */
struct saving {
	struct driven self;
	struct driven_process_state before;
};

static bool save(struct saving *saving)
{
	saving->self.services = &services;
	return OK(plaitp_driven_process_save(&saving->self, &saving->before,
					     NULL) == PLAIT_OK);
}

static void restore(struct saving *saving)
{
	plaitp_driven_process_restore(&saving->self, &saving->before);
}

static void *save_there(void *arg)
{
	return save(arg) ? arg : NULL;
}

static void in_another_thread(struct saving *saving)
{
	pthread_t thread;
	void *saved = NULL;

	OK(pthread_create(&thread, NULL, save_there, saving) == 0);
	pthread_join(thread, &saved);
	OK(saved != NULL);
}

/* The second saving begins when the driver has changed the state for the
 * first, and ends last. */
static void overlapping(void)
{
	static struct saving first, second, third;

	if (!save(&first))
		return;
	change();
	in_another_thread(&second);
	change();
	restore(&first);
	in_another_thread(&third);
	change();
	restore(&third);
	change();
	restore(&second);
	check_restored("three savings");
}

static void *compile_often(void *arg)
{
	struct saving *saving = arg;

	for (int i = 0; i < ROUNDS; i++) {
		struct sigaction action = { .sa_handler = handle_of_driver };

		if (plaitp_driven_process_save(&saving->self, &saving->before,
					       NULL) != PLAIT_OK)
			return NULL;
		sigaction(SIGUSR2, &action, NULL);
		plaitp_driven_process_restore(&saving->self, &saving->before);
	}
	return arg;
}

static void at_once(void)
{
	static struct saving savings[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		savings[i].self.services = &services;
		OK(pthread_create(&threads[i], NULL, compile_often,
				  &savings[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++) {
		void *whole = NULL;

		pthread_join(threads[i], &whole);
		OK(whole != NULL);
	}
	check_restored("threads");
}

static const struct tap_scenario all[] = {
	{ "savings that overlap", overlapping },
	{ "threads", at_once },
};
TAP_MAIN(all)
